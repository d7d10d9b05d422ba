"""The engine: compiled alpha-beta with every refinement as a switch, for games written as verbs on a struct.

`search` is one search; an `Engine` keeps its table between the moves of a game and can think on the opponent's time.
The switches are in `EngineParameters`, the search itself in `gametree.search.compiled.engine.kernel`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gametree.core.clock import search_time
from gametree.core.errors import BadInput
from gametree.core.facts import Algorithm, check_fit
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.result import Bound, SearchResult
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.transposition import ENTRY_BYTES, clear_table, new_table
from gametree.search.compiled.engine.context import INFINITE, LINES, MOVES, PAST, ROWS, context_type
from gametree.search.compiled.engine.driver import think
from gametree.search.compiled.engine.log import fill_record
from gametree.search.compiled.engine.parameters import EngineParameters
from gametree.search.compiled.engine.timing import Pondering, Steadiness, time_for_move
from gametree.search.compiled.engine.values import ALPHABETA, MTDF, PVS, SOONEST
from gametree.search.support import probing
from gametree.search.support.move_stack import MoveStack, run_with_room
from gametree.search.support.run import Clock, Run
from gametree.search.support.sharing import NOTES
from gametree.search.support.workers import NEVER, deadline_of, run_workers

__all__ = ["ALGORITHM", "Engine", "EngineParameters", "Pondering", "Session", "search", "time_for_move"]

ALGORITHM = Algorithm(
    name="engine",
    title="Engine (compiled alpha-beta with every refinement)",
    source="Marsland and Campbell (1982), Plaat et al. (1996) and others: see the kernel",
    exact=False,
    anytime=True,
    compiled=True,
    readable="deepening",
    keeps=True,
    preference=lambda game: 80 if not game.facts.is_short and game.offers("evaluate") else 0,
)

_MOST_PLIES = 256
_DEEPEST = 255  # what the table can tell apart
_LOG_ENTRIES = 1 << 22  # two for every node of a record; pages that are not written take no memory
_DRIVERS = {"alphabeta": ALPHABETA, "pvs": PVS, "mtdf": MTDF}

Progress = Callable[[dict[str, Any]], None]
"""Called after every depth and ten times a second with depth (the last that was finished), value, mate, move (text),
line, lines (multi-PV), nodes, seldepth, hashfull and seconds."""


class Engine:
    """A compiled search of one game that remembers: its table and what it learned about ordering stay between searches.

    `tables` are solved positions, which it asks before it searches. Raises UnfitGame if the game is not compiled,
    BadInput for a table or a number of threads that is not possible.
    """

    def __init__(
        self,
        game: Game[Any, Any],
        *,
        parameters: EngineParameters | None = None,
        table_mib: float = 64,
        threads: int = 1,
        tables: probing.Tables | None = None,
    ) -> None:
        check_fit(ALGORITHM, game)
        assert isinstance(game, CompiledGame)
        if threads < 1:
            raise BadInput(f"{threads} threads are not possible; expected at least 1.")
        self.game = game
        self.parameters = parameters or EngineParameters.of(game)
        self.table = new_table(table_mib)
        constants = game.rules.constants
        self._unit: int = constants["UNIT"]
        self._win: int | None = constants["HIGHEST"] * self._unit if constants["SOONER"] else None
        self._plies = min((game.facts.longest_game or _MOST_PLIES) + 3, _MOST_PLIES)
        kind = game.rules.memory.get(context_type)
        if kind is None:
            kind = context_type(game.rules, self._plies)
            game.rules.memory[context_type] = kind
        self._contexts = np.zeros(threads, kind)
        self._stacks = [MoveStack(constants["MOST_MOVES"], self._plies, ROWS) for _ in range(threads)]
        self._tables = tables
        self._kernel = game.rules.kernel(think)
        self._age = 0

    def forget(self) -> None:
        """Empty the table and the ordering, as before the first search.

        This writes to all memory, so that no later search waits for the system to hand it out, which on a busy machine
        can take longer than a move: whoever plays with a clock calls it before the clock runs.
        """
        clear_table(self.table)
        self._contexts[...] = np.zeros(1, self._contexts.dtype)
        for stack in self._stacks:
            stack.touch()
        self._age = 0

    def search(
        self,
        state: Any = None,
        *,
        depth: int | None = None,
        clock: Clock | None = None,
        record: TreeRecord | None = None,
        window: tuple[float, float] = (-math.inf, math.inf),
        lines: int = 1,
        moves: Sequence[int] | None = None,
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
        if game.facts.repetition == "forbidden" and not moves:
            moves = game.actions(run.state)  # the search itself finds only that it loses to repeat a position
        self._prepare(run, depth, clock, lines, window, moves or (), record is not None)
        leader = contexts[0]
        kernels = [functools.partial(self._kernel, contexts[i : i + 1], table) for i in range(len(contexts))]
        jobs = [
            functools.partial(run_with_room, kernels[i], contexts[i], self._stacks[i]) for i in range(len(contexts))
        ]
        self._kernel.prepare(contexts[:1], table)  # first, for the deadline does not wait until it is compiled
        contexts["deadline"] = deadline_of(clock)

        told = (0, 0.0)  # the depth and the second of the last report
        steady = Steadiness()

        def tick() -> None:
            nonlocal told
            done = int(leader.done_depth)
            if soft_seconds is not None and clock is not None and done > 0:
                steady.note(done, int(leader.lines[0].line[0]))
                if clock.elapsed() >= soft_seconds * steady.share:
                    contexts["finish"] = 1
            seconds = search_time() - run.started
            if progress is not None and done > 0 and (done > told[0] or seconds > told[1] + 0.1):
                told = done, seconds
                progress(self._report(run, lines, seconds))

        run_workers(jobs, contexts, clock=clock, tick=tick)
        if record is not None:
            fill_record(record, game, run.state, table[len(self.table) :], int(leader.logged), self._unit)
        return self._result(run, lines, moves, window)

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
        moves: Sequence[int],
        logging: bool,
    ) -> None:
        """Fill in the contexts; what earlier searches learned about ordering stays."""
        unknown = set(moves) - set(self.game.actions(run.state))
        if unknown:
            raise BadInput(f"The move {unknown.pop()} is not legal here; expected legal moves alone.")
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
            "done_depth",  # the watcher may look before the kernel begins
        ):
            contexts[name] = 0
        contexts["lines"] = np.zeros(1, contexts["lines"].dtype)
        contexts["running"] = np.zeros(1, contexts["running"].dtype)
        contexts["weights_at"] = self.game.w.ctypes.data
        contexts["thread"] = np.arange(len(contexts))
        contexts["age"] = self._age
        sharing = len(contexts) > 1 and self.parameters.defer_depth > 0 and len(self.table) > 4 * NOTES
        contexts["sharing"] = sharing
        contexts["slots"] = len(self.table) - (NOTES if sharing else 0)
        if sharing:
            clear_table(self.table[-NOTES:])
        contexts["logging"] = logging
        contexts["window_low"], contexts["window_high"] = low, high
        contexts["node_limit"] = clock.nodes if clock is not None and clock.nodes is not None else NEVER
        contexts["depth_limit"] = _DEEPEST if depth is None else min(depth, _DEEPEST)
        contexts["wanted_lines"] = lines
        switches = contexts["switches"]
        for field in dataclasses.fields(self.parameters):
            value = getattr(self.parameters, field.name)
            switches[field.name] = _DRIVERS[value] if field.name == "driver" else int(value)
        wanted = self.parameters
        passes = wanted.null_move > 0 and "pass_turn" in self.game.rules.verbs
        switches["estimates"] = passes or wanted.futility_margin > 0 or wanted.razor_margin > 0 or wanted.feedback > 0
        margins = (wanted.prune_after, wanted.futility_margin, wanted.exchange_margin)
        switches["prunes"] = any(margins)
        contexts["reductions"] = self._reductions()
        contexts["allowed_count"] = len(moves)
        root = self.game.structs(run.state)
        past = self.game.past(run.state)[-PAST:]
        probing.lend(self._tables, contexts)
        for ctx, stack in zip(contexts, self._stacks, strict=True):
            stack.lend(ctx)
            stack.write(MOVES, moves)
            ctx.frames[0].state = root[0]
            ctx.frames[0].reach = len(past)
            ctx.frames[0].cut = 0
            if past:
                ctx.path[PAST - len(past) : PAST] = past

    def _reductions(self) -> Any:
        """By how much a move is searched less deep, by depth and by the number of moves searched before it."""
        logs = np.log(np.maximum(np.arange(64), 1))
        return np.floor(0.5 + self.parameters.reduction_scale / 100 * np.outer(logs, logs)).astype(np.int64)

    def _report(self, run: Run, wanted: int, seconds: float) -> dict[str, Any]:
        """What the leader has found so far."""
        game = self.game
        found = self._lines(run, wanted, interrupted=False)
        return {
            **found[0],
            "depth": int(self._contexts[0].done_depth),
            "move": game.action_text(run.state, found[0]["line"][0]),
            "lines": found,
            "nodes": int(self._contexts["nodes"].sum()),
            "seldepth": int(self._contexts["reached"].max()),
            "hashfull": self.hashfull(),
            "seconds": seconds,
        }

    def _no_search(self, run: Run, record: TreeRecord | None) -> SearchResult:
        """The result where there is nothing to search: the end of the game, or depth 0."""
        value = self.game.utility(run.state, 0) if run.terminal else self.game.evaluate(run.state, 0)
        if record is not None:
            record.algorithm = ALGORITHM.name
            record.enter(run.state, None)
            record.leave(value)
        return run.finish(value, None, nodes=1, leaves=1, horizon=not run.terminal)

    def _lines(self, run: Run, wanted: int, *, interrupted: bool) -> list[dict[str, Any]]:
        """The lines found so far, best first, each with another first move: of the running depth, then of the last."""
        leader = self._contexts[0]
        sources = [leader.lines[i] for i in range(wanted)]
        # A line that was interrupted still counts if it has found a move: it began with the last best one.
        if interrupted:
            sources.insert(int(leader.partial), leader.running)
        found: dict[int, dict[str, Any]] = {}
        for line in sources:
            if line.length > 0:
                found.setdefault(int(line.line[0]), self._line(run, line))
        return list(found.values())[:wanted]

    def _line(self, run: Run, line: Any) -> dict[str, Any]:
        """A line of the contexts with its value for the seat to move."""
        moves = [int(move) for move in line.line[: line.length]]
        value, mate = self._value(int(line.value))
        return {"depth": abs(int(line.depth)), "value": value, "mate": mate, "line": moves}

    def _value(self, units: int) -> tuple[float, int | None]:
        """A value in points and, where it says so, in how many moves of the winner the game is won or lost."""
        if self._win is not None and self._win - SOONEST <= abs(units) <= self._win:
            plies = self._win - abs(units)
            points = math.copysign(self._win // self._unit, units)
            return int(points), (plies + 1) // 2 if units > 0 else -(plies // 2)
        return _points(units, self._unit), None

    def hashfull(self) -> int:
        """How many of a thousand entries of the table this search has written."""
        words = self.table["word"][:1000]
        ages = words >> np.uint64(34) & np.uint64(63)
        return int(1000 * np.count_nonzero((words != 0) & (ages == self._age)) // len(words))

    def _result(self, run: Run, wanted: int, moves: Sequence[int] | None, window: tuple[float, float]) -> SearchResult:
        leader = self._contexts[0]
        proven, complete = bool(leader.proven), leader.aborted == 0
        found = self._lines(run, wanted, interrupted=not complete)
        if not found:
            value, mate = self._value(int(leader.lines[0].value))
            found = [{"depth": 0, "value": value, "mate": mate, "line": [(moves or self.game.actions(run.state))[0]]}]
        best = found[0]
        value = best["value"] if run.seat == 0 else -best["value"]
        bound: Bound | None = None if proven else "estimate"
        if abs(_units(best["value"], self._unit)) >= INFINITE:
            bound = "estimate"
        seconds = search_time() - run.started
        nodes, reached = int(self._contexts["nodes"].sum()), int(self._contexts["reached"].max())
        return run.finish(
            value,
            best["line"],
            nodes=nodes,
            leaves=int(self._contexts["leaves"].sum()),
            # The game may be over before the depth is, which reductions let grow until nothing is left out.
            depth=min(int(leader.done_depth), reached) if proven else int(leader.done_depth),
            selective=reached,
            horizon=not proven,
            bound=bound,
            window=window,
            complete=complete,
            mate=best["mate"],
            hashfull=self.hashfull(),
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
            shown.append({"value": line["value"], "mate": line["mate"], "depth": line["depth"], "pv": texts})
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
    moves: Sequence[int] | None = None,
    soft_seconds: float | None = None,
    progress: Progress | None = None,
    tables: probing.Tables | None = None,
) -> SearchResult:
    """Search a compiled game to `depth`, until the clock expires, or until the value is proven.

    The bound is "exact" if the value is proven (every line that it rests on ends the game), else "estimate". `depth` is
    the last one that was finished, `selective` the deepest ply. `lines`
    gives that many best moves, each with its line, in `details["lines"]` (multi-PV); `moves` restricts the search to
    these moves of the root. `details["mate"]` is in how many moves the game is won (negative: lost), if that is seen
    and the game is one where it matters. After about `soft_seconds`, fewer if the best move is clear, no further depth
    is begun. `tables` are solved positions that are asked first. `threads` search on one
    table (lazy SMP). A clock that expires leaves `complete` False; there is always a move. `window` is for seat 0.
    Raises UnfitGame, BadInput.
    """
    engine = Engine(game, parameters=parameters, table_mib=table_mib, threads=threads, tables=tables)
    return engine.search(
        state,
        depth=depth,
        clock=clock,
        record=record,
        window=window,
        lines=lines,
        moves=moves,
        soft_seconds=soft_seconds,
        progress=progress,
    )


class Session:
    """The engine from move to move: its table and what it learned about ordering stay."""

    time_for_move = staticmethod(time_for_move)

    def __init__(self, game: Game[Any, Any], *, table_mib: float = 64, threads: int = 1, **options: Any) -> None:
        tables = options.pop("tables", None)
        self._engine = Engine(game, table_mib=table_mib, threads=threads, tables=tables)
        self._options = options

    def search(
        self, state: Any, *, clock: Clock | None = None, seed: int | None = None, **options: Any
    ) -> SearchResult:
        """Search from the state; `options` are those of `search` and yield to the session's own."""
        return self._engine.search(state, clock=clock, **{**options, **self._options})

    def follow(self, actions: Sequence[Any] | None) -> None:
        """Its table finds positions again by itself."""

    def forget(self) -> None:
        """Begin anew."""
        self._engine.forget()
