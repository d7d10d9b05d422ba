"""Backgammon: run 15 checkers home and off by the throws of two dice.

    backgammon                          one game: 1 point, 2 for a gammon, 3 for a backgammon
    backgammon:cube=64                  the same with a doubling cube, so a game is worth up to 192 points
    backgammon:cube=64,jacoby=true      gammons count only once the cube was turned; also beavers=true
    backgammon:match=7                  a match to 7 points with cube and Crawford's rule, won 1 to −1

Black is seat 0. Every side counts the points from its own side, 24 to 1; the bar is 25 and off is 0. As text a position
is GNU Backgammon's position ID and match ID, `4HPwATDgc/ABMA:cIkFAAAAAAAE`; a position ID alone and an XGID are read as
well. A play is written `8/5 6/5` with both dice in one move; ways to play them with the same result are one play.

The folder: `board` (the struct), `plays` (generating and playing), `inputs` and `evaluation` (the network), `ids` and
`text` (notation), `drawing`, `learning` (what a trainer needs), `rules` (the verbs and the formal game).
"""

from gametree.games.backgammon.rules import Backgammon

__all__ = ["Backgammon", "game"]

game = Backgammon
