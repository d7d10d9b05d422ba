"""`gametree solve`: the proven value of a position, or of every position that can be reached."""

from __future__ import annotations

import json as json_module
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from gametree.core.clock import Clock
from gametree.core.errors import BadInput
from gametree.core.facts import check_fit
from gametree.core.game import Game
from gametree.core.registry import load_algorithm
from gametree.core.result import SearchResult
from gametree.interfaces.cli.analyse import verdict
from gametree.interfaces.cli.common import (
    GameName,
    Json,
    Moves,
    Output,
    Position,
    Seconds,
    board,
    console,
    emit,
    is_compiled,
    number,
    open_game,
    print_json,
    set_up,
    status,
)

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("solve")(solve)


def solve(
    game: GameName,
    position: Position = None,
    moves: Moves = "",
    time: Seconds = None,
    table: Annotated[float, typer.Option("--table", help="Size of the transposition table in MiB.")] = 64,
    threads: Annotated[int, typer.Option("--threads", help="Threads that search on one table.")] = 1,
    strong: Annotated[bool, typer.Option("--strong", help="Solve every position that can be reached.")] = False,
    output: Output = None,
    json: Json = False,
) -> None:
    """Prove the value of a position, to the end of the game.

    Ctrl-C stops the proof and prints the bounds that are proven by then. With --strong, -o writes one line of JSON for
    every position.
    """
    rules = open_game(game, plain=True)
    state = set_up(rules, position, moves)
    if strong:
        _solve_strongly(rules, state, time, output, json)
        return
    if output is not None:
        raise BadInput("-o goes with --strong, which writes every position; without it use --json.")
    clock = Clock(time)
    with _stop_on_interrupt(clock) as interrupted:
        result = _prove(rules, state, clock, table, threads, quiet=json)
    if json:
        print_json({"game": rules.name, **result.to_data(rules)})
    else:
        console.print(board(rules, state), markup=False)
        console.print(f"\n{verdict(rules, result)}", markup=False)
        if not result.complete and "lower" in result.details:
            low, high = result.details["lower"], result.details["upper"]
            console.print(f"Not proven yet: the value lies between {low} and {high}.")
        speed = result.nodes / result.seconds if result.seconds > 0 else 0
        console.print(f"{result.nodes:,} nodes, {result.seconds:.2f} s ({speed:,.0f} nodes/s)", style="dim")
    if interrupted:
        raise KeyboardInterrupt


def _prove(rules: Game[Any, Any], state: Any, clock: Clock, table: float, threads: int, *, quiet: bool) -> SearchResult:
    if rules.offers("solution") and not rules.facts.hidden:
        with status(quiet=quiet) as line:
            line("solving")
            answer: SearchResult = load_algorithm("own-solver")[1](rules, state, clock=clock)
            return answer
    if is_compiled(rules) and not rules.facts.chance:
        search = load_algorithm("solve")[1]
        with status(quiet=quiet) as line:

            def tell(news: dict[str, Any]) -> None:
                best = f", best so far {news['move']}" if news["move"] else ""
                line(f"{news['nodes']:,} nodes, value between {news['lower']} and {news['upper']}{best}")

            result: SearchResult = search(rules, state, table_mib=table, threads=threads, clock=clock, progress=tell)
            return result
    from gametree.play.analysis import analyse

    with status(quiet=quiet) as line:
        line("walking the positions")
        return analyse(rules, state, algorithm="strong", clock=clock)


def _solve_strongly(rules: Game[Any, Any], state: Any, time: float | None, output: Any, json: bool) -> None:
    from gametree.search.textbook.strong import ALGORITHM, strong_solution

    check_fit(ALGORITHM, rules)
    with status(quiet=json) as line:
        memo = strong_solution(rules, state, clock=Clock(time), progress=lambda n: line(f"{n:,} positions"))
    if output is not None:
        lines = (json_module.dumps({"position": rules.state_text(s), "value": v}) for s, v in memo.items())
        emit("\n".join(lines) + "\n", output)
    counts = Counter(memo.values())
    ends = sum(rules.is_terminal(s) for s in memo)
    if json:
        by_value = {number(value): counts[value] for value in sorted(counts, reverse=True)}
        data = {
            "game": rules.name,
            "value": memo[state],
            "positions": len(memo),
            "terminal": ends,
            "by_value": by_value,
        }
        print_json(data)
        return
    console.print(f"{len(memo):,} positions can be reached, {ends:,} of them ends; values for player 1:")
    for value in sorted(counts, reverse=True)[:20]:
        console.print(f"  {number(value):>6}: {counts[value]:,}")
    console.print(f"The position asked about is worth {number(memo[state])} to player 1.")


@contextmanager
def _stop_on_interrupt(clock: Clock) -> Iterator[list[int]]:
    """Let Ctrl-C stop the clock instead of raising, so that what is proven by then is not lost."""
    seen: list[int] = []

    def stop(signal_number: int, frame: object) -> None:
        if seen:  # a second Ctrl-C is meant
            raise KeyboardInterrupt
        seen.append(signal_number)
        clock.stop()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)
