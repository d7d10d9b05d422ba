"""An opponent for the first minute: a readable search on the uncompiled rules, until the engine is compiled.

The rules of any compiled game run as plain Python too, a few hundred positions a second, which is enough for two or
three plies. So a person who sits down at a new machine can play at once.
"""

from __future__ import annotations

import math
import random
from typing import Any

from gametree.core.clock import Clock
from gametree.core.errors import OutOfTime
from gametree.core.game import SIMULTANEOUS, Game
from gametree.core.registry import load_algorithm
from gametree.core.result import SearchResult
from gametree.kernels.waiting import NotCompiled, use_policy
from gametree.play.analysis import analyse, default_algorithm, fits
from gametree.play.clocks import Turn
from gametree.play.players import Choice, Player
from gametree.play.warming import Warming

__all__ = ["SubstitutePlayer", "choose_without_compiling", "substitute_algorithm"]

_SECONDS = 1.5
"""Time for a move of the substitute."""


def substitute_algorithm(game: Game[Any, Any]) -> str:
    """A readable algorithm that fits the game and finds something within a few hundred positions."""
    if game.facts.hidden or game.facts.simultaneous:
        return default_algorithm(game)
    wanted = ("quiescence", "alphabeta", "expectiminimax") if game.offers("evaluate") else ()
    for name in wanted:
        if fits(load_algorithm(name)[0], game) and (name != "quiescence" or game.offers("noisy_actions")):
            return name
    return "mcts"


def choose_without_compiling(
    game: Game[Any, Any], state: Any, seat: int, *, seconds: float = _SECONDS, lots: random.Random | None = None
) -> tuple[Any, SearchResult | None]:
    """A move for the seat, found without compiling anything, and the search that found it; None if there was none."""
    clock, lots = Clock(min(seconds, _SECONDS)), lots or random.Random()
    with use_policy("never"):
        if game.facts.hidden and load_algorithm(default_algorithm(game))[0].compiled:
            return lots.choices(list(game.actions(state)), game.priors(state))[0], None
        if not (game.facts.hidden or game.facts.simultaneous):
            quick = _compare_moves(game, state, seat, clock, lots)
            if quick is not None:
                return quick, None
        try:
            result = analyse(game, state, algorithm=substitute_algorithm(game), clock=clock)
            return (result.move[seat] if game.player(state) == SIMULTANEOUS else result.move), result
        except OutOfTime:  # not even one ply: the rules are slow, and so is the machine
            return lots.choice(list(game.seat_actions(state, seat))), None


def _compare_moves(game: Game[Any, Any], state: Any, seat: int, clock: Clock, lots: random.Random) -> Any:
    """The best of as many moves as there is time for, by what they lead to; None if there is time for a search.

    A search looks at its clock every few hundred positions, too seldom for rules that are slow uncompiled.
    """
    moves = list(game.actions(state))
    lots.shuffle(moves)
    best, most, began = None, -math.inf, 0.0
    for tried, move in enumerate(moves, 1):
        child = game.result(state, move)
        over = game.is_terminal(child)
        value = game.utility(child, seat) if over else game.evaluate(child, seat) if game.offers("evaluate") else 0.0
        if value > most:
            best, most = move, value
        if tried == 1:
            began = clock.elapsed()  # the first is slower than all others: functions are put together
        if tried == 2 and (clock.elapsed() - began) * len(moves) < clock.left() / 2:
            return None
        if clock.expired():
            break
    return best if len(moves) > 2 else None


class SubstitutePlayer:
    """Lets a player choose as soon as its code is compiled, which other processes do, and chooses for it until then.

    The code is compiled by `warming`, from the first `start` on. Where that fails, the player compiles for itself, and
    says what is wrong with it.
    """

    def __init__(self, player: Player, warming: Warming | None = None) -> None:
        self.player = player
        self._warming = warming or Warming()
        self._game: Game[Any, Any] | None = None
        self._begin = (0, 0)
        self._lots = random.Random()
        self.stands_in = True
        """Whether the other player is not there yet."""

    @property
    def name(self) -> str:
        """The other player's name."""
        return self.player.name

    def start(self, game: Game[Any, Any], seat: int, seed: int) -> None:
        """A new game begins, for the other player as soon as it is there."""
        self._game, self._begin, self.stands_in = game, (seat, seed), True
        self._lots.seed(seed)
        self._try_start()

    def _try_start(self) -> bool:
        """Whether the other player is there. Raises what its start raises."""
        game = self._game
        if game is None or not self.stands_in:
            return True
        try:
            with use_policy("plain" if self._has_failed() else "never"):
                self.player.start(game, *self._begin)
        except NotCompiled:
            self._warming.add(game.name, f"player {self.player.name}", "rules")
            return False
        self.stands_in = False
        return True

    def _has_failed(self) -> bool:
        return any(task.error for task in self._warming.tasks)

    def choose(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn | None = None) -> Choice:
        """The other player's choice if it is there, else the substitute's, whose note says so."""
        if self._game is None:
            self.start(game, seat, 0)
        if self._try_start():
            return self.player.choose(game, state, seat, turn)
        action, result = choose_without_compiling(game, state, seat, lots=self._lots)
        return Choice(action, result, note=self.news())

    def news(self) -> str:
        """Who plays meanwhile, and for how long."""
        assert self._game is not None
        left = max((task.seconds_left() for task in self._warming.tasks if task.job != "rules"), default=0.0)
        return f"A simple search plays while {self._game.name} is compiled, about {max(1, round(left))} s more."

    def close(self) -> None:
        """Let the other player and the processes go."""
        self._warming.close()
        self.player.close()
