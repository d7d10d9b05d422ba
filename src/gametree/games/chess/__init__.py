"""Chess: mate the enemy's king.

A position as text is a FEN, also with the castling rights of X-FEN and Shredder-FEN; moves are read in standard
algebraic, long algebraic and UCI notation, and written in the first: `e4`, `Nbd7`, `O-O`, `e8=Q+`.

    chess                 the classical set-up            chess:start=356    any of the 960 set-ups by number
    chess:draws=automatic fivefold repetition and 75 moves end the game, and not, as by default, threefold and fifty

White is seat 0. A win is worth 300 points and a point is a pawn, so that estimates read as usual.

The folder: `board` (the struct and what attacks what), `moves` (generating and playing), `draws`, `evaluation`, `fen`
and `notation` (text), `polyglot` (books), `rules` (the verbs and the formal game). Files of games and positions are
read in the room `gametree.formats`.
"""

from gametree.games.chess.rules import Chess

__all__ = ["Chess", "game"]

game = Chess
