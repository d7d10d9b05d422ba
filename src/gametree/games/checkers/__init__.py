"""Checkers: English draughts, in which captures are compulsory and men that reach the far side become kings.

Black is seat 0 and begins. A position as text is a FEN, `B:W21,22,K30:B1,2,K29`; squares have the numbers 1 to 32.
Moves are written `11-15`, `15x22`, and with the whole path, `24x15x6`, where from and to do not tell which jumps are
meant.

    checkers                the usual start                  checkers:ballot=68    an opening of three moves by number,
    checkers:rule=0         no draw by lack of progress      checkers:ballot="White Doctor"    by name, or by its moves

A win is worth 100 points and a point is a man. A side that cannot move loses; a position that stands for the third time
is a draw, and so are 40 moves by each side with kings alone and without a capture.

The folder: `board` (the struct), `moves` (generating and playing), `evaluation`, `numbering` (positions by number, for
tables), `notation` (text and ballots), `rules` (the verbs and the formal game).
"""

from gametree.games.checkers.rules import Checkers

__all__ = ["Checkers", "game"]

game = Checkers
