"""What is known before the search begins: opening books and the names of openings, for any game.

    from gametree.knowledge import open_book

    book = open_book("default", game)       # or a path
    book.moves(state)                       # what it knows of a position
    book.choose(state, rng)                 # one of these moves at random, or None

The room: `keys` (how positions and moves stand in a book), `book` (the file and looking it up), `build` (counting
games), `records` (games from files), `grow` (a book by analysis), `names` (what an opening is called).
"""

from gametree.knowledge.book import Book, BookMove, book_move, open_book
from gametree.knowledge.opening_names import Opening, opening_at, opening_of, opening_tags

__all__ = ["Book", "BookMove", "Opening", "book_move", "open_book", "opening_at", "opening_of", "opening_tags"]
