"""The engine: compiled alpha-beta with every refinement as a switch, for games written as verbs on a struct.

`search` is one search; an `Engine` keeps its table between the moves of a game and can think on the opponent's time.
The switches are in `EngineParameters`, the search itself in `gametree.search.engine.kernel`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gametree.core.clock import search_time
from gametree.core.errors import BadInput, UnfitGame
from gametree.core.facts import Algorithm
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.result import Bound, SearchResult
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.table import ENTRY_BYTES, clear_table, new_table
from gametree.search._run import Clock, Run
from gametree.search._workers import run_workers
from gametree.search.engine.kernel import ALPHABETA, INFINITE, LINES, MTDF, PVS, context_type, think
from gametree.search.engine.log import fill_record
from gametree.search.engine.parameters import EngineParameters
from gametree.search.engine.timing import Pondering, time_for_move

__all__ = ["ALGORITHM", "Engine", "EngineParameters", "Pondering", "search", "time_for_move"]

ALGORITHM = Algorithm(
    name="engine",
    title="Engine (compiled alpha-beta with every refinement)",
    source="Marsland and Campbell (1982), Plaat et al. (1996) and others: see the kernel",
    exact=False,
    anytime=True,
)

_MOST_PLIES = 256
_DEEPEST = 255  # what the table can tell apart
_LOG_ENTRIES = 1 << 20
_DRIVERS = {"alphabeta": ALPHABETA, "pvs": PVS, "mtdf": MTDF}

Progress = Callable[[dict[str, Any]], None]
"""Called now and then with depth, value, move, nodes and seconds."""


class Engine:
    """A compiled search of one game that remembers: its table and what it learned about ordering stay between searches.

    Raises UnfitGame if the game is not compiled, BadInput for a table or a number of threads that is not possible.
    """

    def __init__(
        self,
        game: Game[Any, Any],
        *,
        parameters: EngineParameters | None = None,
        table_mib: float = 64,
        threads: int = 1,
    ) -> None:
        if not isinstance(game, CompiledGame):
            raise UnfitGame(f"engine cannot search {game.name}: its rules are not written as verbs on a struct.")
        if threads < 1:
            raise BadInput(f"{threads} threads are not possible; expected at least 1.")
        self.game = game
        self.parameters = parameters or EngineParameters()
        self.table = new_table(table_mib)
        constants = game.rules.constants
        self._unit: int = constants["UNIT"]
        self._plies = min((game.facts.longest_game or _MOST_PLIES) + 3, _MOST_PLIES)
        kind = game.rules.memory.get(context_type)
        if kind is None:
            kind = context_type(game.rules.state_type, constants["MOST_MOVES"], self._plies)
            game.rules.memory[context_type] = kind
        self._contexts = np.zeros(threads, kind)
        self._kernel = game.rules.kernel(think)
        self._age = 0

    def forget(self) -> None:
        """Empty the table and the ordering, as before the first search."""
        clear_table(self.table)
        self._contexts[...] = np.zeros(1, self._contexts.dtype)

    def search(
        self,
        state: Any = None,
        *,
        depth: int | None = None,
        clock: Clock | None = None,
        record: TreeRecord | None = None,
        window: tuple[float, float] = (-math.inf, math.inf),
        lines: int = 1,
        soft_seconds: float | None = None,
        progress: Progress | None = None,
    ) -> SearchResult:
        """Search to `depth`, until the clock expires, or until the value is proven; see the function `search`."""
        game = self.game
        run = Run(ALGORITHM, game, state, depth=depth, clock=clock)
        if not 1 <= lines <= LINES:
            raise BadInput(f"{lines} lines are not possible; expected 1 to {LINES}.")
        if record is not None and len(self._contexts) > 1:
            raise BadInput("A tree record shows one thread only; expected threads=1.")
        if run.terminal or depth == 0:
            return self._no_search(run, record)
        contexts, table = self._contexts, self.table
        if record is not None:
            record.algorithm = ALGORITHM.name
            table = new_table((len(self.table) + _LOG_ENTRIES) * ENTRY_BYTES / (1 << 20))
        self._prepare(run, depth, clock, lines, window, record is not None)
        leader = contexts[0]
        jobs = [functools.partial(self._kernel, contexts[i : i + 1], table) for i in range(len(contexts))]

        def tick() -> None:
            if soft_seconds is not None and clock is not None and clock.elapsed() >= soft_seconds:
                contexts["finish"] = 1
            if progress is not None and leader.done_depth > 0:
                best = self._line(run, leader.lines[0])
                text = game.action_text(run.state, best["line"][0]) if best["line"] else None
                seconds = search_time() - run.started
                nodes = int(contexts["nodes"].sum())
                progress({**best, "move": text, "nodes": nodes, "seconds": seconds})

        run_workers(jobs, contexts, clock=clock, tick=tick)
        if record is not None:
            fill_record(record, game, run.state, table[len(self.table) :], int(leader.logged), self._unit)
        return self._result(run, lines)

    def ponder(self, state: Any, **options: Any) -> Pondering:
        """Begin to think about a state that is expected to come, without a limit; see `Pondering`."""
        return Pondering(self.search, state, **options)

    def _prepare(
        self,
        run: Run,
        depth: int | None,
        clock: Clock | None,
        lines: int,
        window: tuple[float, float],
        logging: bool,
    ) -> None:
        """Fill in the contexts; what earlier searches learned about ordering stays, at half its weight."""
        self._age = (self._age + 1) % 64
        low, high = (_units(bound, self._unit) for bound in window)
        if run.seat != 0:
            low, high = -high, -low
        contexts = self._contexts
        for name in (
            "stop",
            "finish",
            "aborted",
            "nodes",
            "leaves",
            "reached",
            "horizon",
            "logged",
            "partial",
            "proven",
        ):
            contexts[name] = 0
        contexts["history"] >>= 1
        contexts["lines"] = np.zeros(1, contexts["lines"].dtype)
        contexts["running"] = np.zeros(1, contexts["running"].dtype)
        contexts["thread"] = np.arange(len(contexts))
        contexts["age"] = self._age
        contexts["slots"] = len(self.table)
        contexts["logging"] = logging
        contexts["window_low"], contexts["window_high"] = low, high
        contexts["node_limit"] = clock.nodes if clock is not None and clock.nodes is not None else 1 << 62
        contexts["depth_limit"] = _DEEPEST if depth is None else min(depth, _DEEPEST)
        contexts["wanted_lines"] = lines
        switches = contexts["switches"]
        for field in dataclasses.fields(self.parameters):
            value = getattr(self.parameters, field.name)
            switches[field.name] = _DRIVERS[value] if field.name == "driver" else int(value)
        root = self.game.structs(run.state)
        for ctx in contexts:
            ctx.frames[0].state = root[0]

    def _no_search(self, run: Run, record: TreeRecord | None) -> SearchResult:
        """The result where there is nothing to search: the end of the game, or depth 0."""
        value = self.game.utility(run.state, 0) if run.terminal else self.game.evaluate(run.state, 0)
        if record is not None:
            record.algorithm = ALGORITHM.name
            record.enter(run.state, None)
            record.leave(value)
        return run.finish(value, None, nodes=1, leaves=1, bound="exact" if run.terminal else "estimate")

    def _line(self, run: Run, line: Any) -> dict[str, Any]:
        """A line of the contexts with its value for the seat to move."""
        moves = [int(move) for move in line.line[: line.length]]
        return {"depth": abs(int(line.depth)), "value": _points(int(line.value), self._unit), "line": moves}

    def _result(self, run: Run, wanted: int) -> SearchResult:
        leader = self._contexts[0]
        proven, complete = bool(leader.proven), leader.aborted == 0
        found = [self._line(run, leader.lines[i]) for i in range(wanted) if leader.lines[i].length > 0]
        # A depth that was interrupted still counts if it has found a best move: it began with the last best one.
        if not complete and leader.partial == 0 and leader.running.length > 0:
            found = [self._line(run, leader.running), *found[1:]]
        if not found:
            value = self.game.evaluate(run.state, run.seat) if self.game.offers("evaluate") else 0
            found = [{"depth": 0, "value": value, "line": [self.game.actions(run.state)[0]]}]
        best = found[0]
        value = best["value"] if run.seat == 0 else -best["value"]
        bound: Bound = "exact" if proven else "estimate"
        if abs(_units(best["value"], self._unit)) >= INFINITE:
            bound = "estimate"
        seconds = search_time() - run.started
        nodes = int(self._contexts["nodes"].sum())
        return run.finish(
            value,
            best["line"],
            nodes=nodes,
            leaves=int(self._contexts["leaves"].sum()),
            depth=int(self._contexts["reached"].max()),
            bound=bound,
            complete=complete,
            iteration=best["depth"],
            proven=proven,
            nodes_per_second=round(nodes / max(seconds, 1e-9)),
            lines=self._texts(run, found),
        )

    def _texts(self, run: Run, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Multi-PV lines with moves as text."""
        shown = []
        for line in found:
            state, texts = run.state, []
            for move in line["line"]:
                texts.append(self.game.action_text(state, move))
                state = self.game.result(state, move)
            shown.append({"value": line["value"], "depth": line["depth"], "pv": texts})
        return shown


def _units(points: float, unit: int) -> int:
    """Points as whole units, within the engine's scale."""
    if math.isinf(points):
        return int(math.copysign(INFINITE, points))
    return max(-INFINITE, min(INFINITE, round(points * unit)))


def _points(units: int, unit: int) -> float:
    """Units as points: a whole number where it is one."""
    return units // unit if units % unit == 0 else units / unit


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    window: tuple[float, float] = (-math.inf, math.inf),
    parameters: EngineParameters | None = None,
    table_mib: float = 64,
    threads: int = 1,
    lines: int = 1,
    soft_seconds: float | None = None,
    progress: Progress | None = None,
) -> SearchResult:
    """Search a compiled game to `depth`, until the clock expires, or until the value is proven.

    The bound is "exact" if the value is proven (every line that it rests on ends the game), else "estimate". `lines`
    gives that many best moves, each with its line, in `details["lines"]` (multi-PV). After `soft_seconds` no further
    depth is begun. `threads` search on one table (lazy SMP). A clock that expires leaves `complete` False; there is
    always a move. `window` is for seat 0. Raises UnfitGame, BadInput.
    """
    if not isinstance(game, CompiledGame):
        run = Run(ALGORITHM, game, state, depth=depth)
        raise UnfitGame(f"engine cannot search {run.game.name}: its rules are not written as verbs on a struct.")
    engine = Engine(game, parameters=parameters, table_mib=table_mib, threads=threads)
    return engine.search(
        state,
        depth=depth,
        clock=clock,
        record=record,
        window=window,
        lines=lines,
        soft_seconds=soft_seconds,
        progress=progress,
    )
