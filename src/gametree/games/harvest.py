"""Harvest: two farmers, one field, and work that takes time (durative moves).

At every tick each farmer who is free chooses: `pick` brings in 1 sheaf at the end of this tick, `reap` brings in 4 at
the end of the third. A farmer at work has no choice until the work is done: the state is simultaneous, the busy seat
has nothing to choose, and if both are at work the tick simply passes. Whoever brings in more than is left gets what is
left; if both bring in at once and there is not enough for both, the corn is trampled and nobody gets it. The game ends
with an empty field; whoever has more sheaves wins.

As text a position is the field, both stocks and the ticks of work that each still has to do: `5 1-0 0-2`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from gametree.core.drawing import Drawing, Track
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.core.game import SIMULTANEOUS, Game

__all__ = ["Farm", "Harvest", "game"]

TICKS = {"pick": 1, "reap": 3}
SHEAVES = {"pick": 1, "reap": 4}
LARGEST_FIELD = 99
TEXT = re.compile(r"(\d{1,2}) (\d{1,2})-(\d{1,2})(?: ([012])-([012]))?")
Joint = tuple[str | None, str | None]


class Farm(NamedTuple):
    """What stands in the field, what each farmer has brought in, and how many ticks of reaping each still has."""

    field: int
    stocks: tuple[int, int]
    busy: tuple[int, int]


class Harvest(Game[Farm, Joint]):
    """A joint action is a pair of choices, None for a farmer at work. A win is worth 1, equal stocks 0."""

    def __init__(self, field: int = 8) -> None:
        if not 1 <= field <= LARGEST_FIELD:
            raise BadInput(f"harvest:field={field} is not possible; expected 1 to {LARGEST_FIELD}.")
        self.field = field
        # In any three ticks at least one sheaf comes in.
        self.facts = Facts(simultaneous=True, most_moves=4, longest_game=3 * field)

    def initial(self) -> Farm:
        """A full field and two free farmers."""
        return Farm(self.field, (0, 0), (0, 0))

    def player(self, state: Farm) -> int:
        """Time runs for both at once."""
        return SIMULTANEOUS

    def seat_actions(self, state: Farm, player: int) -> Sequence[str]:
        """Pick or reap, or nothing while at work."""
        return () if state.busy[player] else tuple(TICKS)

    def result(self, state: Farm, action: Joint) -> Farm:
        """One tick passes; work that ends with it is brought in."""
        busy, brings = [0, 0], [0, 0]
        for seat, choice in enumerate(action):
            busy[seat] = (TICKS[choice] if choice else state.busy[seat]) - 1
            if not busy[seat]:
                brings[seat] = SHEAVES[choice or "reap"]  # only reaping takes more than one tick
        field, (first, second) = state.field, state.stocks
        if all(brings) and sum(brings) > field:
            field = 0
        else:
            first, second = first + min(brings[0], field), second + min(brings[1], field)
            field -= min(sum(brings), field)
        return Farm(field, (first, second), (busy[0], busy[1]) if field else (0, 0))

    def is_terminal(self, state: Farm) -> bool:
        """The field is empty."""
        return not state.field

    def utility(self, state: Farm, player: int) -> int:
        """1 for more sheaves than the other, −1 for fewer, 0 for as many."""
        mine, yours = state.stocks[player], state.stocks[1 - player]
        return (mine > yours) - (mine < yours)

    def evaluate(self, state: Farm, player: int) -> float:
        """The lead over the whole harvest."""
        return (state.stocks[player] - state.stocks[1 - player]) / self.field

    def action_text(self, state: Farm, action: Joint) -> str:
        """Both choices, such as `pick-reap`; `work` for a farmer at work."""
        return "-".join(choice or "work" for choice in action)

    def state_text(self, state: Farm) -> str:
        """Field, stocks and ticks of work to do, such as `5 1-0 0-2`."""
        return f"{state.field} {state.stocks[0]}-{state.stocks[1]} {state.busy[0]}-{state.busy[1]}"

    def state_from_text(self, text: str) -> Farm:
        """Read what `state_text` writes; the work may be left out. Raises BadInput."""
        found = TEXT.fullmatch(" ".join(text.split()))
        if found is None:
            raise BadInput(f"'{text}' is not a position of harvest; expected field, stocks and work, as in 5 1-0 0-2.")
        field, first, second, *busy = (int(number or 0) for number in found.groups())
        lost = self.field - field - first - second
        if lost < 0 or (field and lost) or (not field and any(busy)):
            raise BadInput(f"'{text}' cannot come about: a field of {self.field} does not lead to it.")
        return Farm(field, (first, second), (busy[0], busy[1]))

    def draw(self, state: Farm) -> Drawing:
        """What is left on the field, what both farmers have, and who reaps."""
        tracks = [Track("field", state.field, self.field)]
        reaping = []
        for seat, name in enumerate(("first", "second")):
            tracks.append(Track(name, state.stocks[seat], self.field, 0, seat, y=0.9 * (seat + 1)))
            if state.busy[seat]:
                reaping.append(f"{name} reaps, {state.busy[seat]} more ticks")
        return Drawing(layout="places", tracks=tuple(tracks), caption="; ".join(reaping))


game = Harvest
