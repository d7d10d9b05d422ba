"""Scrabble: words crosswise on a board of premium squares, tiles drawn from a bag, racks that nobody else sees.

Two to four players lay words from seven tiles; all words that a play makes or extends must be in the lexicon. A play of
all seven earns 50 points more. A turn may also exchange tiles, while seven at least are in the bag, or pass. The game
ends when somebody has played the last tile and the bag is empty (of two players that one then gets twice the points
that the other holds; of more, what all others hold, which they lose), or after six turns without points (eight where
four play), when all lose what they hold. The utility of a seat is how far its score is above the mean, times the
number of seats: between two, the difference.

    scrabble                              two players, English tiles, the words of ENABLE
    scrabble:players=3                    or 4
    scrabble:words=FILE                   a list, one word a line, or what `gametree words build` has made of one
    scrabble:language=german,words=FILE   english, french or german tiles
    scrabble:board=FILE                   another board, such as plain, without premium squares
    scrabble:challenge=double             wrong words may be laid, and challenged

With `challenge=void` a play with a wrong word is no play. Otherwise the others are asked after every play: a wrong one
that is challenged goes back to the rack and the turn is lost. A challenge that fails costs nothing (`single`) or the
challenger's next turn (`double`), or gives the other five or ten points (`five`, `ten`). `actions` lists right plays
only; wrong ones are as legal then, and are typed.

Plays are written `8D:S(WORD)`: the row first for a play across, the column first for one that goes down; letters that
lie there are in brackets, blanks small. `-ABC` exchanges, `pass` passes, `+ABC` is what chance gives. A position is the
rows of the board with numbers for empty squares, the racks (`_` for a tile that is not known, `?` for a blank, `-` for
an empty rack), the scores, and the turns without points: `15/…/4WORD7/…/15 AEINRST/_______ 0/12 0`.

The folder: `lists` and `sets` (words, tiles, boards), `weights` (what the rules read while they run), `plays` (finding
and scoring plays), `rules` (the verbs and the formal game), `text` and `picture`.
Scrabble is the name of its owners; this is a program for the game that the words above describe.
"""

from gametree.games.scrabble.rules import Scrabble

__all__ = ["Scrabble", "game"]

game = Scrabble
