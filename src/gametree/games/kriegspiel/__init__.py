"""Kriegspiel: chess in which nobody sees the other's men, and an umpire says what is legal.

A player tries a move; the umpire refuses it, and the same side tries again, or it is played and both hear a little of
it: what was taken and where, the direction of a check, how many captures the pawns of the side to move have. Which of
these is told, and to whom, depends on the rules:

    kriegspiel                 the best-known server's rules, Wild 16      kriegspiel:rules=berkeley     least is told
    kriegspiel:rules=english   one may ask for pawn captures ("Any?")      kriegspiel:rules=rand         most is told
    kriegspiel:rules=cincinnati                                            kriegspiel:rules=berkeley-any
    kriegspiel:draws=long      2000 moves without capture and pawn move instead of fifty moves by each side end it

White is seat 0. A position as text is a FEN, and behind points what the umpire said last and what he has refused in
this turn: `8/8/8/8/8/2R5/2K5/k7 w - - 0 1; moved; refused c2b1`. Until somebody has moved everybody knows how the men
stand. Moves are read in algebraic and in UCI notation: `Nf3`, `exd5`, `O-O`, `e8=Q`, `g1f3`; `any?` asks for pawn
captures.

The folder: `umpire` (the struct, tries, announcements), `rules` (the verbs and the formal game), `words` (text). The
board and its moves are those of the folder `chess`.
"""

from gametree.games.kriegspiel.rules import Kriegspiel

__all__ = ["Kriegspiel", "game"]

game = Kriegspiel
