"""Pig: roll the die as often as you dare; a one loses the points of the turn, `hold` banks them.

The first to reach the target wins. `pig:target=100` is the full game, `pig` a short one to 10. Turns without points
may follow each other for ever, so exact search needs a bound: with `pig:target=10,turns=4` the game ends after four
turns, two for each player, and the higher score wins. Neller and Presser (2004) solved the unbounded game.

As text a position is both scores, the points of this turn, who is to move, `rolling` while the die is in the air and,
in a bounded game, which turn it is: `7-4 +3 second rolling turn 2`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from gametree.core.drawing import Drawing, Track
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.core.game import CHANCE, Game

__all__ = ["Pig", "Table", "game"]

SEATS = ("first", "second")
TEXT = re.compile(r"(\d{1,4})-(\d{1,4})(?: \+(\d{1,4}))?(?: (first|second))?( rolling)?(?: turn (\d{1,4}))?")


class Table(NamedTuple):
    """The scores in the bank, the points of this turn, whose turn it is, whether the die rolls, and the turn.

    Turns count from 1 in a bounded game and stay 0 in an unbounded one, where they do not matter.
    """

    scores: tuple[int, int]
    points: int
    seat: int
    rolling: bool
    turn: int


class Pig(Game[Table, str]):
    """Two players, one die. The actions are `roll` and `hold`; the outcomes of chance are the faces `1` to `6`."""

    def __init__(self, target: int = 10, turns: int = 0, sides: int = 6) -> None:
        for name, value, low, high in (("target", target, 2, 1000), ("turns", turns, 0, 1000), ("sides", sides, 2, 20)):
            if not low <= value <= high:
                raise BadInput(f"pig:{name}={value} is not possible; expected {low} to {high}.")
        self.target = target
        self.turns = turns
        self.faces = tuple(str(face) for face in range(1, sides + 1))
        # A turn is longest with twos only: so many of them stay below the target, then one more roll or a hold.
        longest_turn = 2 * ((target - 1) // 2 + 1)
        self.facts = Facts(chance=True, most_moves=sides, longest_game=turns * longest_turn or None)

    def initial(self) -> Table:
        """No points yet; the first player is to move."""
        return Table((0, 0), 0, 0, False, 1 if self.turns else 0)

    def player(self, state: Table) -> int:
        """The die while it rolls, else the player whose turn it is."""
        return CHANCE if state.rolling else state.seat

    def actions(self, state: Table) -> Sequence[str]:
        """Roll, or hold if there is something to bank."""
        if self.is_terminal(state):
            return ()
        if state.rolling:
            return self.faces
        return ("roll", "hold") if state.points else ("roll",)

    def outcomes(self, state: Table) -> Sequence[tuple[str, float]]:
        """A fair die."""
        return [(face, 1 / len(self.faces)) for face in self.faces]

    def result(self, state: Table, action: str) -> Table:
        """A one ends the turn without points, `hold` ends it with them; reaching the target banks them at once."""
        if action == "roll":
            return state._replace(rolling=True)
        if action == "hold":
            return self._pass_on(self._bank(state))
        if action == "1":
            return self._pass_on(state)
        rolled = state._replace(points=state.points + int(action), rolling=False)
        return self._bank(rolled) if rolled.scores[rolled.seat] + rolled.points >= self.target else rolled

    def _bank(self, state: Table) -> Table:
        """The turn's points go to the mover's score; more than the target needs do not count."""
        score = min(state.scores[state.seat] + state.points, self.target)
        first, second = state.scores
        return state._replace(scores=(first, score) if state.seat else (score, second), points=0, rolling=False)

    def _pass_on(self, state: Table) -> Table:
        """The other player's turn begins."""
        return Table(state.scores, 0, 1 - state.seat, False, state.turn + 1 if self.turns else 0)

    def is_terminal(self, state: Table) -> bool:
        """Someone has reached the target, or the turns of a bounded game are over."""
        return max(state.scores) >= self.target or state.turn > self.turns

    def utility(self, state: Table, player: int) -> int:
        """1 for the higher score, −1 for the lower, 0 if a bounded game ends level."""
        mine, yours = state.scores[player], state.scores[1 - player]
        return (mine > yours) - (mine < yours)

    def evaluate(self, state: Table, player: int) -> float:
        """The lead over the target; the mover counts half of the points at risk."""
        if self.is_terminal(state):
            return self.utility(state, player)
        at_risk = state.points / 2 if player == state.seat else -state.points / 2
        return (state.scores[player] - state.scores[1 - player] + at_risk) / self.target

    def state_text(self, state: Table) -> str:
        """Scores, points of the turn, mover, and what else applies, such as `7-4 +3 second rolling turn 2`."""
        first, second = state.scores
        rolling = " rolling" if state.rolling else ""
        turn = f" turn {state.turn}" if self.turns else ""
        return f"{first}-{second} +{state.points} {SEATS[state.seat]}{rolling}{turn}"

    def state_from_text(self, text: str) -> Table:
        """Read what `state_text` writes; points, mover and turn may be left out. Raises BadInput."""
        found = TEXT.fullmatch(" ".join(text.lower().split()))
        if found is None:
            raise BadInput(
                f"'{text}' is not a position of pig; expected scores, turn points and mover, as in 7-4 +3 first."
            )
        scores, points = (int(found[1]), int(found[2])), int(found[3] or 0)
        seat = SEATS.index(found[4]) if found[4] else int(scores[1] >= self.target)
        turn = int(found[6]) if found[6] else 1 + seat if self.turns else 0
        if bool(turn) != bool(self.turns) or turn > self.turns + 1 or (turn and (turn - 1) % 2 != seat):
            expected = f"turn 1 to {self.turns + 1}, odd for the first player" if self.turns else "no turn"
            raise BadInput(f"'{text}' names a turn that this game does not have; expected {expected}.")
        state = Table(scores, points, seat, bool(found[5]), turn)
        over = self.is_terminal(state)
        if max(scores) > self.target or scores[1 - seat] == self.target or (over and (points or state.rolling)):
            raise BadInput(f"'{text}' cannot come about: the game to {self.target} had ended before.")
        if not over and scores[seat] + points >= self.target:
            raise BadInput(f"'{text}' cannot come about: {scores[seat]} and {points} reach the target {self.target}.")
        if 1 in (*scores, points):
            raise BadInput(f"'{text}' cannot come about: nobody has a single point, since a one loses the turn.")
        return state

    def draw(self, state: Table) -> Drawing:
        """The scores on their way to the target, with what this turn would add, and what is going on."""
        over = self.is_terminal(state)
        tracks = tuple(
            Track(name, score, self.target, 0 if over or seat != state.seat else state.points, seat, y=0.9 * seat)
            for seat, (name, score) in enumerate(zip(SEATS, state.scores, strict=True))
        )
        now = f"{SEATS[state.seat]} has {state.points} in this turn" + (", rolling" if state.rolling else "")
        return Drawing(layout="places", tracks=tracks, caption="the game is over" if over else now)


game = Pig
