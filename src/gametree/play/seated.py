"""A player on a seat: it is given Views of the table and nothing else, and keeps what it learns from move to move."""

from __future__ import annotations

from typing import Any

from gametree.core.clock import Clock
from gametree.core.game import SIMULTANEOUS, Game
from gametree.play.clocks import TimeControl, Turn
from gametree.play.plain import from_plain
from gametree.play.players import RESIGN, Choice, Player
from gametree.play.table import View

__all__ = ["Seated"]


class Seated:
    """A player with rules of its own, which are not the table's object. Whoever loses it makes a new one: all that it
    has to know is in the next View.
    """

    def __init__(self, player: Player, rules: Game[Any, Any]) -> None:
        self.player, self.rules = player, rules
        self._heard: tuple[Any, ...] = ()
        self._words: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        """How the player was asked for."""
        return self.player.name

    def start(self, seat: int, seed: int) -> None:
        """A new game begins. Raises what the player raises."""
        self._heard = self._words = ()
        self.player.start(self.rules, seat, seed)

    def choose(self, view: View, *, clock: Clock | None = None) -> Choice:
        """What the player chooses, as an action of its own rules; whoever holds the clock can stop it.

        Raises what the player raises.
        """
        return self.player.choose(self.rules, from_plain(view.position), view.seat, self._turn(view, clock))

    def _turn(self, view: View, clock: Clock | None) -> Turn:
        """What the player is told besides the position."""
        known = len(self._heard)
        if view.heard[:known] != self._heard:  # another game, or moves were taken back
            known = 0
        new = tuple(from_plain(word) for _, _, word in view.heard[known:])
        self._heard, self._words = view.heard, self._words[:known] + new
        return Turn(
            from_plain(view.start),
            self._words,
            TimeControl(*view.control),
            view.left,
            view.moves_left,
            view.margin,
            clock,
        )

    def text(self, view: View, choice: Choice) -> str:
        """The choice as text for the table; empty if the player resigns."""
        if choice.action is RESIGN:
            return ""
        state = from_plain(view.position)
        if self.rules.player(state) == SIMULTANEOUS:
            return str(choice.action)
        return self.rules.action_text(state, choice.action)

    def close(self) -> None:
        """Let the player go."""
        self.player.close()
