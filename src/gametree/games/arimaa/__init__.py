"""Arimaa: walk a rabbit home; four steps a turn, stronger animals push and pull weaker ones, four traps swallow them.

A game by Omar and Aamir Syed (2003). Arimaa is a trademark, and its name belongs to its inventors; the rules are
written from their public description. A move here is one step: the same player moves again, up to four times a turn,
and `pass` ends the turn sooner. Before that each side sets up its animals on its two ranks: elephant, camel, horses,
dogs, cats, and rabbits fill the rest. A win is worth 100 points; a point is a rabbit of the opening. Gold is seat 0.

    arimaa                the two sides set up
    arimaa:setup=basic    play begins from the set-up that programs take by default

A position as text is the side to move (g or s) and the ranks from the top, Gold's animals as RCDHME and Silver's as
rcdhme: `g rrrrrrrr/dhcemchd/......../......../......../......../DHCMECHD/RRRRRRRR`. Behind it stands what else matters:
`setup`, or within a turn `step 2`, `from` with the hash of the board at the turn's beginning, `push d3>d4` (who may
finish the push) or `pull c4,e4>d4` (who may be pulled), `quiet 7` (plies since the last capture), and `seen` with the
positions of the game that may not stand a third time. Moves are steps such as `Ee2n`, placements such as `Ee2`, `pass`.

The folder: `board` (the struct and its steps), `evaluation` and `goals` (what a position is worth), `notation` (text),
`turns` (whole turns counted), `rules` (the verbs and the formal game).
"""

from gametree.games.arimaa.rules import Arimaa

__all__ = ["Arimaa", "game"]

game = Arimaa
