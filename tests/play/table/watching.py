"""Ways to look for leaks: all bytes that a seat gets, worlds that look alike to it, and all that can be reached."""

from __future__ import annotations

import copy
import gc
import json
import random
import types
from collections.abc import Iterator
from typing import Any

from gametree import Game
from gametree.core.errors import IllegalMove
from gametree.core.game import CHANCE, SIMULTANEOUS
from gametree.interfaces.cli.common import board
from gametree.interfaces.web.boards import message
from gametree.play.table import Table

__all__ = ["Alike", "bytes_for", "interferes", "reachable"]


def bytes_for(table: Table, seat: int) -> list[bytes]:
    """Everything that the seat is given: its view, the page's message, the drawing, its record, and refusals."""
    view = table.view(seat)
    given = [view.to_text(), json.dumps(message(table.game, view)), json.dumps(table.record(seat))]
    given.append(board(table.game, table.game.view(table.state, seat)))
    for refused in (lambda: table.read(seat, "nonsense"), lambda: table.act(seat, "nonsense")):
        try:
            refused()
        except IllegalMove as error:
            given.append(str(error))
    return [text.encode() for text in given]


class Alike(Table):
    """A table at which chance deals what looks alike to one seat, in place of what it dealt at another table."""

    def __init__(self, game: Game[Any, Any], dealt: Any, seat: int, rng: random.Random, **settings: Any) -> None:
        self._dealt, self._for, self._rng = dealt, seat, rng
        super().__init__(game, **settings)

    def _after(self, state: Any, action: Any) -> Any:
        game, after = self.game, super()._after(state, action)
        if self._dealt is None or game.player(state) != CHANCE:
            return after
        dealt, self._dealt = self._dealt, None
        return game.resample(game.view(dealt, self._for), self._for, self._rng)


def interferes(make: type[Table], game: Game[Any, Any], rounds: int, rng: random.Random) -> str:
    """What a seat is told beyond what it may know at tables of this kind; nothing if all is well.

    A game is played; then again in worlds that look alike to a seat from the deal on, and from every later event on.
    As long as nothing in the game tells the worlds apart, every byte for the seat must be the same. Chance is to deal
    once, at the start: its number is another one in every world.
    """
    compared = 0
    for _ in range(rounds):
        seat = rng.randrange(game.facts.players)
        truth = make(game, secret=rng.randbytes(16))
        dealt = next(state for state in truth._states if game.player(state) != CHANCE)
        world = type("World", (Alike, make), {})
        others = [world(game.twin(), dealt, seat, rng, secret=rng.randbytes(16))]
        if game.view(others[0].state, seat) != game.view(truth.state, seat):
            return "the view of a state that looks alike"
        while True:
            for other in others:
                mine, theirs = bytes_for(truth, seat), bytes_for(other, seat)
                compared += mine == theirs and other.state != truth.state
                if mine != theirs:
                    return next(str(a) for a, b in zip(mine, theirs, strict=False) if a != b)
            if truth.result is not None:
                break
            others = list(_moved(truth, others, seat, rng))
            if truth.result is None:
                others.append(_redealt(truth, seat, rng))
    assert compared > rounds, "the worlds must differ in what the seat does not know"
    return ""


def _redealt(truth: Table, seat: int, rng: random.Random) -> Table:
    """The same table, past included, with another truth that looks alike to the seat."""
    game = truth.game
    other = copy.copy(truth)
    for name, value in vars(truth).items():
        if name not in ("game", "opening", "result"):
            setattr(other, name, copy.deepcopy(value))
    other._states[-1] = game.resample(game.view(truth.state, seat), seat, rng)
    return other


def _moved(truth: Table, others: list[Table], seat: int, rng: random.Random) -> Iterator[Table]:
    """Let whoever is to move choose at random, the same in all worlds; those that the move refutes are left out."""
    game = truth.game
    mover = truth.waiting()[0]
    assert game.player(truth.state) != SIMULTANEOUS
    action = rng.choice(list(game.seat_actions(truth.state, mover)))
    truth.act(mover, action)
    for other in others:
        try:
            other.act(mover, action)
        except IllegalMove:  # in that world the mover does not have it
            continue
        if game.view(other.state, seat) == game.view(truth.state, seat) and bool(other.result) == bool(truth.result):
            yield other


def reachable(*roots: Any) -> Iterator[Any]:
    """All objects that lead from the roots: attributes, entries, closures, the owners of methods.

    Not followed are modules, classes, compiled code and what a function can import, which are the house's and not the
    game's.
    """
    seen: set[int] = set()
    todo: list[Any] = list(roots)
    while todo:
        found = todo.pop()
        if id(found) in seen or isinstance(found, types.ModuleType | type | types.FrameType | types.CodeType):
            continue
        if type(found).__module__.partition(".")[0] in ("numba", "llvmlite"):
            continue
        seen.add(id(found))
        yield found
        if isinstance(found, types.FunctionType):
            todo += [found.__closure__, found.__defaults__, found.__kwdefaults__, vars(found)]
        elif isinstance(found, types.MethodType):
            todo += [found.__self__, found.__func__]
        else:
            todo += gc.get_referents(found)
            if hasattr(found, "__dict__"):
                todo += vars(found).values()
