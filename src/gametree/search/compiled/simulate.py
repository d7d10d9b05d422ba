"""Simulation: the best moves at a first look are tried in many worlds, each some plies further, and compared.

Source: Sheppard, "World-championship-caliber Scrabble" (2002); Tesauro and Galperin, "On-line policy improvement using
Monte-Carlo search" (1996).

    C ← the most promising legal moves by MOVE-KEY
    repeat while there is time and more than one candidate
        s ← a world: the blanks of the mover's view, dealt anew                (the same for all candidates)
        for each candidate a of C do
            t ← RESULT(s, a); then `plies` moves by PLAYOUT-MOVE, chance drawn by the same bits for all candidates
            add the estimate of t, or the utility where the game is over, to the sum of a
        drop candidates that are behind the best by more than chance explains
    return the candidate with the best mean

What the others do is what the game's policy does, so it knows neither bluff nor trap; and a world is dealt as chance
would deal it, whatever the others' moves tell of their racks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.core.errors import BadInput, UnfitGame
from gametree.core.facts import Algorithm
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.kernels.bits import u64
from gametree.kernels.hashing import more_bits
from gametree.kernels.verbs import (
    HAS_NOTE_FRESH,
    SEATS,
    UNIT,
    Note,
    State,
    estimates,
    is_over,
    note_fresh,
    payoffs,
    play,
    player,
    playout_move,
    redeal,
    roll,
)
from gametree.search.compiled.static import described, knows_moves, rank_moves
from gametree.search.support.run import Clock, Run

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="simulate",
    title="Simulation of candidates",
    source="Sheppard (2002)",
    sides=None,
    compiled=True,
    chance=True,
    unlisted=True,
    hidden=True,
    wide_moves=True,
    general_sum=True,
    exact=False,
    takes_depth=False,
    anytime=True,
    records=False,
    needs=("resample", "evaluate"),
    preference=lambda game: 94 if game.facts.wide_moves and knows_moves(game) else 0,
)

WORLDS = 200
"""How many worlds are dealt when neither `worlds` nor a clock says it."""
MOST_WORLDS = 5000
"""Under a clock; then the candidates are as well as equal."""
BATCH = 10
"""So many worlds lie between two looks at the clock and at who is behind."""
LEAST_WORLDS = 30
"""No candidate is dropped before."""
BEHIND = 3.0
"""Standard errors of the difference by which a dropped candidate is behind."""
LONGEST_LINE = 10_000


def try_moves(roots: Any, seat: Any, moves: Any, seeds: Any, plies: Any, values: Any, out: Any, weights: Any) -> None:
    """For every seed a world, and in it the estimate for the seat after each move and so many plies, times UNIT."""
    w = weights[0]
    notes = np.zeros(1, Note)
    worlds = np.zeros(2, State)
    points = np.zeros(SEATS, np.int64)
    for number in range(seeds.shape[0]):
        worlds[0] = roots[0]
        redeal(worlds[0], seat, more_bits(seeds[number], 0), w)
        for place in range(moves.shape[0]):
            worlds[1] = worlds[0]
            t = worlds[1]
            play(t, moves[place], w)
            left, line = np.int64(plies), 1
            while line < LONGEST_LINE and not is_over(t, out, w):
                if player(t, w) < 0:
                    play(t, roll(t, more_bits(seeds[number], line), w), w)
                elif left > 0:
                    play(t, playout_move(t, more_bits(seeds[number], line), out, w), w)
                    left -= 1
                else:
                    break
                line += 1
            if is_over(t, out, w):
                payoffs(t, points, w)
                values[number, place] = np.int64(points[seat]) * UNIT
            else:
                if HAS_NOTE_FRESH:
                    note_fresh(t, notes[0], w)
                estimates(t, points, w, notes[0])
                values[number, place] = np.int64(points[seat])


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    worlds: int | None = None,
    plies: int = 2,
    width: int = 12,
    candidates: int | None = None,
    seed: int = 0,
) -> SearchResult:
    """Return the candidate with the best mean after `plies` further moves, and that mean, an estimate.

    The `width` most promising moves are tried in `worlds` worlds, by default 200 or, with a `clock`, as many as it
    allows. Nothing but the mover's view is looked at, and the search depends on its seed alone. `details` hold the
    number of `worlds` and `candidates`, all that were tried: with what the game tells of them, `mean`, its standard
    `error` and how many `worlds` each was tried in, and behind them as many others as `candidates` says.
    Raises BadInput and UnfitGame.
    """
    if record is not None:
        raise BadInput("simulate keeps no tree record: every world is a line of its own.")
    run = Run(ALGORITHM, game, state, clock=clock)
    rules: Any = run.game
    if not knows_moves(rules):
        raise UnfitGame(f"simulate cannot search {rules.name}: its rules do not define playout_move and move_key.")
    for name, given, least in (("worlds", worlds, 1), ("plies", plies, 0), ("width", width, 1)):
        if given is not None and given < least:
            raise BadInput(f"{name}={given} is not possible; expected a number from {least} up.")
    if run.terminal or run.chance:
        estimate = rules.utility(run.state, 0) if run.terminal else rules.evaluate(run.state, 0)
        return run.finish(float(estimate), [], nodes=1, leaves=1, horizon=not run.terminal)
    seat = run.player
    view = rules.view(run.state, seat)
    moves = np.array(rules.actions(view), np.int64)
    order = np.argsort(-rank_moves(rules, view, moves), kind="stable")
    ranked = moves[order]
    trial = _Trial(rules, view, seat, ranked[:width], plies, seed)
    limit = worlds if worlds is not None else MOST_WORLDS if clock is not None else WORLDS
    stopped = False
    while trial.worlds < limit and trial.undecided(worlds is not None):
        if trial.worlds and clock is not None and clock.expired(trial.nodes):
            stopped = True
            break
        trial.run(min(BATCH, limit - trial.worlds))
    best = trial.best()
    value = float(trial.means()[best]) if trial.worlds else float(rules.evaluate(view, seat))
    two = len(rules.facts.sides) == 2 and rules.facts.utility_sum is not None
    shown = trial.described()
    if candidates is None or len(shown) < candidates:
        shown += described(rules, view, ranked[width : candidates if candidates is not None else 0].tolist())
    return run.finish(
        value if seat == 0 or not two else -value,
        [int(trial.moves[best])],
        nodes=1 + trial.nodes,
        leaves=trial.nodes,
        depth=1,
        selective=1 + plies,
        bound="estimate",
        values=None if two else tuple(value if each == seat else 0.0 for each in range(rules.facts.players)),
        complete=not stopped,
        worlds=trial.worlds,
        candidates=shown,
    )


class _Trial:
    """Candidates, and what they have come to in each world so far."""

    def __init__(self, game: Any, view: Any, seat: int, moves: Any, plies: int, seed: int) -> None:
        self.game, self.view, self.seat, self.moves, self.plies, self.seed = game, view, seat, moves, plies, seed
        self.worlds = 0
        self.nodes = 0
        self.going = np.arange(len(moves))
        self.values: list[list[float]] = [[] for _ in moves]
        self._scratch = np.empty(game.facts.most_moves, np.int64)
        self._unit = game.rules.constants["UNIT"]

    def undecided(self, all_worlds: bool) -> bool:
        """Whether more worlds can change the choice; a number of worlds that was asked for is always tried in full
        unless there is but one candidate."""
        return len(self.moves) > 1 and (len(self.going) > 1 or all_worlds)

    def run(self, count: int) -> None:
        """Try the candidates that are left in so many more worlds."""
        numbers = np.arange(self.worlds + 1, self.worlds + count + 1, dtype=np.uint64)
        with np.errstate(over="ignore"):
            seeds = np.array([more_bits(u64(self.seed), int(number)) for number in numbers], np.uint64)
        found = np.zeros((count, len(self.going)), np.int64)
        self.game.rules.kernel(try_moves)(
            self.game.structs(self.view), self.seat, self.moves[self.going], seeds, self.plies, found,
            self._scratch, self.game.w,
        )  # fmt: skip
        for column, place in enumerate(self.going):
            self.values[place] += (found[:, column] / self._unit).tolist()
        self.worlds += count
        self.nodes += count * len(self.going)
        if self.worlds >= LEAST_WORLDS:
            self._drop()

    def _drop(self) -> None:
        """Let go of candidates that are behind the best in the worlds that both were tried in, surely enough."""
        leader = np.array(self.values[self.best()])
        kept = []
        for place in self.going:
            apart = leader - np.array(self.values[place])
            error = float(apart.std(ddof=1)) / len(apart) ** 0.5
            if apart.mean() <= BEHIND * error:
                kept.append(place)
        self.going = np.array(kept)

    def means(self) -> Any:
        """The mean of every candidate."""
        return np.array([np.mean(values) if values else 0.0 for values in self.values])

    def best(self) -> int:
        """The place of the candidate that leads among those that are left."""
        means = self.means()
        return int(max(self.going, key=lambda place: means[place])) if self.worlds else 0

    def described(self) -> list[dict[str, Any]]:
        """All candidates, the best first; dropped ones behind those that are left."""
        left = set(self.going.tolist())
        means = self.means()
        order = sorted(range(len(self.moves)), key=lambda place: (place not in left, -means[place]))
        told = described(self.game, self.view, [int(self.moves[place]) for place in order])
        for place, row in zip(order, told, strict=True):
            values = np.array(self.values[place])
            if len(values) > 1:
                row["mean"] = float(values.mean())
                row["error"] = float(values.std(ddof=1)) / len(values) ** 0.5
                row["worlds"] = len(values)
        return told
