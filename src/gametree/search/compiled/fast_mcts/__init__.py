"""Monte Carlo tree search for compiled games: UCT with RAVE, proven values, threads on one tree, and a tree to keep.

It searches any number of seats and teams, chance that can or cannot be listed, and hidden cards.

With the refinements off (`solver=False`, `rave=0`, one thread, `own_playouts=False`) it is `mcts` move for move: the
same draws from the same seed, the same visits. Each refinement is a switch:

    solver          Winands, Björnsson and Saito, "Monte-Carlo tree search solver" (2008), with the bounds of Cazenave
                    and Saffidine, "Score bounded Monte-Carlo tree search" (2010): every node knows an interval that
                    holds its true value; a terminal node closes it, parents take the maximum or minimum of both ends.
                    Moves that cannot beat what is already safe are not visited, and a closed root ends the search.
                    For two sides whose utilities sum to 0.
    rave            Gelly and Silver, "Combining online and offline knowledge in UCT" (2007): a move also learns from
                    simulations in which its mover played it later. With n visits of its own and m of these their mean
                    weighs m / (m + n + m n / rave) (Silver, "Reinforcement learning and simulation-based search",
                    2009): `rave` visits of its own are worth as much as any number of the others.
    prior           with RAVE, every move begins with so many imagined games that count as played later; the better
                    the game's `priors` think of it, the more of them are won (Gelly and Silver 2007, heuristic
                    prior knowledge).
    grow_after      a node gets children after so many visits (Coulom 2006): fewer nodes, where moves are many.
    puct            Rosin, "Multi-armed bandits with episode context" (2011), in the form of Silver et al. (2017): moves
                    are chosen by mean + puct × prior × √visits / (1 + own visits); 0 is UCT.
    values          "evaluate" takes EVAL at the leaf instead of a random game.
    model           "maxn": every seat plays for itself or its team. "paranoid": all others play against the root's.
    widening        Couëtoux et al., "Continuous upper confidence trees" (2011): where the outcomes of chance cannot be
                    listed, a node has at most widening × √visits of them.
    threads         Chaslot, Winands and van den Herik, "Parallel Monte-Carlo tree search" (2008): virtual loss.
    own_playouts    random games follow the game's `playout_move` (Go fills no eyes) where it has one.
    tree            a SearchTree that lives on: the next search goes on from the part that still applies.

In games with hidden information it is information-set search (`information_sets.py`). A rule on repetition holds in the
tree and in random games: positions are compared with those of the line and of the game before the root.

How threads share the tree. Visits and rewards are changed by indivisible additions, so that none is lost: after any
search the visits of the root's children add up to the simulations. On its way down a simulation counts its visit at
once and adds its reward only on the way back, so until then it counts as a loss and sends other threads elsewhere. A
node is grown by the thread that first claims it; the others play out from the node as if it were a leaf. Its children
are written before it points to them. Reading a sum and its count is not one step; a reward may be missing from a
mean that is read meanwhile, which only moves one choice of one simulation. Bounds only ever tighten towards the truth,
and a tightening that two threads write over each other leaves a wider interval, never a wrong one.

A node takes 32 bytes, 48 with RAVE; when the tree is full it grows no more, and simulations go on from its leaves.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np

from gametree.core.errors import BadInput, GameError, UnfitGame
from gametree.core.facts import Algorithm
from gametree.core.game import CHANCE, Game
from gametree.core.record import LEAF, TreeRecord
from gametree.core.result import SearchResult
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.hashing import mix
from gametree.kernels.past import open_past
from gametree.kernels.verbs import note_fresh
from gametree.search.compiled.fast_mcts.information_sets import (
    hidden_context_type,
    make_arms,
    read_arms,
    simulate_worlds,
    survey,
)
from gametree.search.compiled.fast_mcts.memory import (
    BLOCK,
    LONGEST_PLAYOUT,
    OVER,
    UNBOUNDED,
    WIDEST_BOUND,
    context_type,
    trunk_type,
)
from gametree.search.compiled.fast_mcts.playout import STEP
from gametree.search.compiled.fast_mcts.simulation import outcome_of, simulate
from gametree.search.compiled.fast_mcts.tree import SearchTree
from gametree.search.support.run import Clock, Run
from gametree.search.support.workers import run_workers

__all__ = ["ALGORITHM", "SearchTree", "Session", "search"]


def _suits(game: Game[Any, Any]) -> bool:
    """Whether the game says what suits this search to it."""
    return isinstance(game, CompiledGame) and bool(game.mcts_parameters)


ALGORITHM = Algorithm(
    name="fast-mcts",
    title="Monte Carlo tree search, compiled",
    source="Kocsis and Szepesvári (2006); Winands et al. (2008); Gelly and Silver (2007); Cowling et al. (2012)",
    sides=None,
    chance=True,
    unlisted=True,
    hidden=True,
    general_sum=True,
    compiled=True,
    readable="mcts",
    exact=False,
    takes_depth=False,
    anytime=True,
    keeps=True,
    preference=lambda game: 0 if game.facts.is_short else 90 if _suits(game) else 70,
)

SIMULATIONS = 10_000
"""How many games are played when neither `simulations` nor a clock says it."""
UNLIMITED = 1 << 62
USUAL = {"exploration": sqrt(0.5), "rave": 0.0, "prior": 0.0, "grow_after": 1, "puct": 0.0}
"""Options that a game may set otherwise (`mcts_parameters`), as they are if neither it nor the caller does."""
RAVE_BLOCK = 1024
"""Children in the first block with RAVE."""


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    simulations: int | None = None,
    exploration: float | None = None,
    seed: int = 0,
    threads: int = 1,
    virtual_loss: int = 1,
    rave: float | None = None,
    prior: float | None = None,
    grow_after: int | None = None,
    puct: float | None = None,
    values: str = "playout",
    model: str = "maxn",
    widening: float = 1.0,
    others: str = "merged",
    solver: bool = True,
    own_playouts: bool = True,
    mib: float = 64.0,
    tree: SearchTree | None = None,
) -> SearchResult:
    """Return the most visited move and the mean of the games through it, or a proven move and the exact value.

    Plays `simulations` games, by default 10000 or, with a `clock`, as many as it allows; stops when the root is proven.
    Options that are None are as the game says (`mcts_parameters`), else as in USUAL.
    `depth` ends each random playout after so many plies with EVAL; `values="evaluate"` is a depth of 0. `tree` brings
    its own size; without it the tree takes `mib` MiB. One thread gives the same result for the same seed; several do
    not. `details` hold `simulations`, `visits` per move, `reused` nodes, `tree_nodes`, and whether the tree is `full`.

    Where information is hidden, the search looks at the view of the seat to move and at nothing else; `others="apart"`
    tells the others' positions apart by what they know at the root, too. `details` then hold the `worlds` that were
    drawn, how many of equal weight they are worth (`effective_worlds`), and whether all of them counted alike because
    none was plausible (`implausible`). Raises BadInput, and UnfitGame for games that are not compiled.
    """
    if values not in ("playout", "evaluate"):
        raise BadInput(f"values={values} is not possible; expected playout or evaluate.")
    if values == "evaluate":
        depth = 0 if depth is None else depth
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    assert isinstance(game, CompiledGame)
    for name, number in (("simulations", simulations), ("threads", threads)):
        if number is not None and number < 1:
            raise BadInput(f"{name}={number} is too few; expected at least 1.")
    told = {"exploration": exploration, "rave": rave, "prior": prior, "grow_after": grow_after, "puct": puct}
    usual = {**USUAL, **game.mcts_parameters}
    if puct:
        usual["rave"] = 0.0
    elif rave:
        usual["puct"] = 0.0
    options: dict[str, Any] = {name: usual[name] if value is None else value for name, value in told.items()}
    rave, puct = float(options["rave"]), float(options["puct"])
    for name, real in (*options.items(), ("virtual_loss", virtual_loss), ("widening", widening)):
        if not real >= 0:
            raise BadInput(f"{name}={real} is not possible; expected 0 or more.")
    if rave > 0 and puct > 0:
        raise BadInput(f"rave={rave:g} and puct={puct:g} do not go together; one of them must be 0.")
    for name, word, allowed in (("model", model, ("maxn", "paranoid")), ("others", others, ("merged", "apart"))):
        if word not in allowed:
            raise BadInput(f"{name}={word} is not possible; expected {' or '.join(allowed)}.")
    if tree is None:
        tree = SearchTree(mib)
    elif not isinstance(tree, SearchTree):
        raise BadInput(f"tree={tree!r} is not possible; expected a SearchTree.")
    constants, facts = game.rules.constants, game.facts
    limit = simulations if simulations is not None else UNLIMITED if clock is not None else SIMULATIONS
    switches = {
        "OWN_PLAYOUTS": own_playouts and constants["HAS_PLAYOUT_MOVE"],
        "PRIORS": puct > 0,
        "PRIMED": rave > 0 and options["prior"] > 0 and constants["HAS_PRIORS"],
        "PARANOID": model == "paranoid",
    }
    settings = {
        "weights_at": game.w.ctypes.data,
        "depth": run.depth,
        "loss": virtual_loss,
        **options,
        "widening": widening,
        "least": facts.min_utility,
        "width": facts.max_utility - facts.min_utility,
    }
    if facts.hidden:
        if threads > 1 or rave > 0:
            raise BadInput(f"fast-mcts searches {game.name}, where information is hidden, in one thread without rave.")
        switches["APART"] = others == "apart"
        return _search_hidden(run, game, switches, settings, seed, limit, tree.mib)
    fits = max(-constants["LOWEST"], constants["HIGHEST"]) <= WIDEST_BOUND
    switches |= {
        "SOLVER": solver and fits and _is_duel(game),
        "RAVE": rave > 0,
        "SHARED": threads > 1,
        "SEVERAL": not _is_duel(game),
        "BLOCK": RAVE_BLOCK if rave > 0 else BLOCK,
    }
    reused = tree.prepare(game, run.state, switches)
    trunk = np.zeros(1, trunk_type(game.rules))
    trunk[0].used = tree.used
    trunk[0].root = game.struct(run.state)
    trunk[0].seat = game.player(run.state)
    game.rules.kernel(note_first)(trunk, game.w)
    contexts = np.zeros(threads, context_type(game.rules, facts.longest_game, rave=rave > 0))
    for field, value in settings.items():
        contexts[field] = value
    contexts["random"] = [_seed(seed, tree.searches, thread) for thread in range(threads)]
    keys = [*game.past(run.state), game.key(run.state)]
    for thread in range(threads):
        open_past(contexts["past"][thread], keys)
    several = switches["SEVERAL"]
    sums = np.zeros((threads, constants["MOST_MOVES"] if several else 1, facts.players + 1 if several else 1))
    if not run.terminal:
        kernel = game.rules.kernel(simulate, **switches)
        jobs = [
            functools.partial(kernel, trunk, tree.nodes, tree.hindsight, tree.chances, sums, contexts, thread, limit)
            for thread in range(threads)
        ]
        run_workers(jobs, contexts, clock=clock)
    tree.finish(int(trunk[0].used))
    _check_ended(game, contexts)
    if record is not None:
        _dump(record, game, run.state, tree)
    return _report(run, game, tree, contexts, sums.sum(axis=0) if several else None, reused, limit)


def note_first(trunk: Any, weights: Any) -> None:
    """Write the notes of the root."""
    note_fresh(trunk[0].root, trunk[0].note, weights[0])


def first_outcome(states: Any, number: Any, weights: Any) -> Any:
    """The outcome that a child's number stands for in the first state."""
    return outcome_of(states[0], number, weights[0])


def _is_duel(game: CompiledGame) -> bool:
    """Whether what one of two sides wins the other loses, so that one value tells all."""
    facts = game.facts
    sizes = {len(side) for side in facts.sides}
    return len(facts.sides) == 2 and ("utility" in game.rules.verbs or (facts.utility_sum == 0 and len(sizes) == 1))


def _check_ended(game: CompiledGame, contexts: Any) -> None:
    if contexts["failed"].any():
        raise GameError(
            f"Random play in {game.name} was not over after {LONGEST_PLAYOUT} plies; limit it with a depth."
        )


def _search_hidden(
    run: Run, game: CompiledGame, switches: dict[str, Any], settings: dict[str, Any], seed: int, limit: int, mib: float
) -> SearchResult:
    """Information-set search from the view of the seat to move."""
    rules, facts = game.rules, game.facts
    if "redeal" not in rules.verbs:
        raise UnfitGame(
            f"fast-mcts cannot search {game.name}: its fact hidden is True, but the game does not define redeal()."
        )
    view = game.view(run.state, run.seat)
    moves = np.array([] if run.terminal or game.player(view) < 0 else game.actions(view), np.int64)
    trunk = np.zeros(1, trunk_type(rules))
    trunk[0].root = game.struct(view)
    trunk[0].seat = run.seat
    own = np.zeros(1, hidden_context_type(rules, facts.longest_game))
    contexts = own["ctx"]
    for field, value in settings.items():
        contexts[field] = value
    contexts["random"] = _seed(seed, 0, 0)
    open_past(contexts["past"][0], [game.key(view)])
    arms = make_arms(mib, limit)
    sums = np.zeros((max(1, len(moves)), facts.players + 1))
    if not run.terminal:
        if "plausibility" in rules.verbs:
            rules.kernel(survey)(trunk, own)
        kernel = rules.kernel(simulate_worlds, **switches)
        run_workers([functools.partial(kernel, trunk, arms, sums, own, limit)], contexts, clock=run.clock)
    _check_ended(game, contexts)
    visits: Any = np.zeros(len(moves), np.int64)
    totals: Any = np.zeros(len(moves))
    rules.kernel(read_arms)(arms, run.seat, moves, visits, totals)
    order = sorted(range(len(moves)), key=lambda i: (-visits[i], -totals[i] / max(1, visits[i])))
    means = tuple(_mean_points(game, sums[order[0] : order[0] + 1] if order else sums))
    if run.terminal:
        means = game.utilities(run.state)
    if run.record is not None:
        _dump_hidden(run, view, moves, visits, sums)
    mine, done = own[0], int(contexts["simulations"][0])
    return run.finish(
        means[0],
        [int(moves[order[0]])] if order else [],
        nodes=1 + int(contexts["nodes"][0]),
        leaves=done or 1,
        depth=1 if len(moves) and visits.all() else 0,
        selective=int(contexts["deepest"][0]),
        horizon=not run.terminal,
        values=means,
        complete=run.terminal or done >= limit,
        simulations=done,
        visits={game.action_text(view, int(moves[i])): int(visits[i]) for i in range(len(moves)) if visits[i]},
        reused=0,
        tree_nodes=int(mine.used),
        full=bool(contexts["full"][0]),
        worlds=int(mine.worlds),
        effective_worlds=float(mine.weights**2 / mine.squares) if mine.squares else 0.0,
        implausible=bool(mine.alike),
    )


def _dump_hidden(run: Run, view: Any, moves: Any, visits: Any, sums: Any) -> None:
    """Write the root and its moves into the record: what lies below belongs to worlds that were only guessed."""
    record, game = run.record, run.game
    assert record is not None
    assert isinstance(game, CompiledGame)
    means = _mean_points(game, sums)
    several = game.facts.players > 2
    done = int(sums[:, -1].sum())
    root = record.add(-1, view, None, value=means[0] if done else None, visits=done, bound="estimate" if done else "")
    for i in np.flatnonzero(visits):
        points = _mean_points(game, sums[i : i + 1])
        record.add(
            root,
            view,
            int(moves[i]),
            value=points[0],
            visits=int(visits[i]),
            bound="estimate",
            values=points if several else None,
        )


def _mean_points(game: CompiledGame, sums: Any) -> list[float]:
    """The mean points of every seat over rows of sums; the middle of the range where no game was played."""
    count = sums[:, -1].sum()
    if count == 0:
        return [(game.facts.min_utility + game.facts.max_utility) / 2] * game.facts.players
    return [float(total / count) for total in sums[:, :-1].sum(axis=0)]


def _seed(seed: int, searches: int, thread: int) -> Any:
    """The state of a thread's generator: the seed itself for the first thread of the first search, as in `mcts`."""
    first = np.uint64(seed & 0xFFFF_FFFF_FFFF_FFFF)
    if searches == 0 and thread == 0:
        return first
    with np.errstate(over="ignore"):
        return mix(first + np.uint64(searches << 16 | thread) * STEP)


def _report(
    run: Run, game: CompiledGame, tree: SearchTree, contexts: Any, sums: Any, reused: int, limit: int
) -> SearchResult:
    """The result, read from the tree; `sums` of the points of every seat where one value does not tell all."""
    done = int(contexts["simulations"].sum())
    root = tree.nodes[0]
    proven = bool(tree.solved and root.low == root.high)
    nodes: list[int] = []
    value: float
    means: tuple[float, ...] | None = None
    side_of = game.facts.side_of
    if run.terminal:
        value = game.utility(run.state, 0)
    else:
        nodes = _principal_variation(game, run.state, tree)
        shown = nodes[0] if nodes else 0
        seat = max(0, game.player(run.state)) if nodes else 0
        value = float(root.low) if proven else _mean(game, tree, shown, seat)
        if proven and side_of(0) != 0:
            value = -value
    if sums is not None:
        row = tree.children(0).index(nodes[0]) if nodes else 0
        means = tuple(_mean_points(game, sums[row : row + 1] if nodes else sums))
        if run.terminal:
            means = game.utilities(run.state)
        elif nodes:
            # The mover's mean counts what was learnt in earlier searches, too.
            means = (*means[:seat], _mean_of(game, tree, nodes[0]), *means[seat + 1 :])
        value = means[0]
    elif game.facts.players > 2:
        means = tuple(value if side_of(seat) == side_of(0) else -value for seat in range(game.facts.players))
    line = [int(tree.nodes[node].move) for node in nodes]
    visits = {
        game.action_text(run.state, _action(game, tree, run.state, 0, node)): int(tree.nodes[node].visits)
        for node in tree.children(0)
        if tree.nodes[node].visits
    }
    return run.finish(
        value,
        line,
        nodes=1 + int(contexts["nodes"].sum()),
        leaves=done or 1,
        depth=_whole_plies(tree) if not proven else None,
        selective=int(contexts["deepest"].max()),
        horizon=not (proven or run.terminal),
        values=means,
        complete=run.terminal or proven or done >= limit,
        simulations=done,
        visits=visits,
        reused=reused,
        tree_nodes=tree.used,
        full=bool(contexts["full"].any()),
    )


def _whole_plies(tree: SearchTree) -> int:
    """How many plies below the root every state was visited."""
    nodes, level, plies = tree.nodes, np.zeros(1, np.int64), 0
    while True:
        level = level[nodes["first"][level] != OVER]
        firsts, counts = nodes["first"][level], nodes["count"][level].astype(np.int64)
        if not len(level) or (firsts <= 0).any():
            return plies
        if (counts > tree.block).any():
            level = np.concatenate([tree.children(int(node)) for node in level])
            if len(level) < counts.sum():
                return plies
        else:
            level = np.repeat(firsts - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())
        if (nodes["visits"][level] == 0).any():
            return plies
        plies += 1


def _mean_of(game: CompiledGame, tree: SearchTree, node: int) -> float:
    """The mean of the games through a node, for the seat that moved to it."""
    low = game.facts.min_utility
    width = game.facts.max_utility - low
    this = tree.nodes[node]
    return float(low + width * this.total / this.visits) if this.visits else low + width / 2


def _mean(game: CompiledGame, tree: SearchTree, node: int, seat: int) -> float:
    """The mean of the games through a node, for seat 0, where two sides play; `seat` is the one that moved to it."""
    mean = _mean_of(game, tree, node)
    return mean if game.facts.side_of(seat) == game.facts.side_of(0) else -mean


def _best(game: CompiledGame, tree: SearchTree, node: int, seat: int) -> int:
    """The child to play: a proven best one, else the most visited that can still be best, the better one of equals.

    A move that is sure of some value is preferred to one that only promises less.
    """
    this = tree.nodes[node]
    tried = [index for index in tree.children(node) if tree.nodes[index].visits]
    if not tried:
        return -1

    def mean(index: int) -> float:
        return float(tree.nodes[index].total / tree.nodes[index].visits)

    if not tree.solved:
        return max(tried, key=lambda index: (tree.nodes[index].visits, mean(index)))
    rules = game.rules.constants
    least, width = rules["LOWEST"], rules["HIGHEST"] - rules["LOWEST"]
    first = game.facts.side_of(seat) == 0

    def sure(index: int) -> int:
        """What the child is sure of for `seat`."""
        child = tree.nodes[index]
        return int(child.low) if first else -int(child.high)

    floor = int(this.low) if first else -int(this.high)
    safest = max(tried, key=lambda index: (sure(index), tree.nodes[index].visits))
    hopeful = [index for index in tried if (tree.nodes[index].high if first else -tree.nodes[index].low) > floor]
    if this.low == this.high or not hopeful:
        return safest
    choice = max(hopeful, key=lambda index: (tree.nodes[index].visits, mean(index)))
    return safest if sure(safest) > least + width * mean(choice) else choice


def _principal_variation(game: CompiledGame, state: bytes, tree: SearchTree) -> list[int]:
    """The nodes of best play, up to the first chance node."""
    line: list[int] = []
    node = 0
    while tree.children(node):
        seat = game.player(state)
        child = -1 if seat == CHANCE else _best(game, tree, node, seat)
        if child < 0:
            break
        state = game.result(state, int(tree.nodes[child].move))
        line.append(child)
        node = child
    return line


def _action(game: CompiledGame, tree: SearchTree, state: bytes, node: int, child: int) -> int:
    """The move or outcome that leads from a node, which stands for `state`, to its child."""
    move = int(tree.nodes[child].move)
    if tree.nodes[node].count != UNBOUNDED:
        return move
    return int(game.rules.kernel(first_outcome)(game.structs(state), move, game.w))


def _dump(record: TreeRecord, game: CompiledGame, state: bytes, tree: SearchTree) -> None:
    """Write the visited part of the tree into the record, parents before children, in the order of the moves.

    Nodes know the mean of the seat that moved to them. Where that does not tell seat 0's, they have no value.
    """
    duel = _is_duel(game)
    todo: list[tuple[int, bytes, int | None, int, int]] = [(0, state, None, -1, 0)]
    while todo:
        node, state, action, above, seat = todo.pop()
        this = tree.nodes[node]
        told = this.visits and (duel or seat == 0)
        row = record.add(
            above,
            state,
            action,
            value=_mean(game, tree, node, seat) if told else None,
            visits=int(this.visits),
            bound="estimate" if told else "",
        )
        if row < 0:
            continue
        mover = LEAF if game.is_terminal(state) else game.player(state)
        for child in reversed(tree.children(node)):
            if tree.nodes[child].visits:
                move = _action(game, tree, state, node, child)
                todo.append((child, game.result(state, move), move, row, max(0, mover)))


class Session:
    """fast-mcts from move to move: the part of its tree that still applies stays."""

    time_for_move = None

    def __init__(self, game: Game[Any, Any], **options: Any) -> None:
        self._game, self._options = game, options
        self._seen: tuple[Any, ...] | None = None  # the actions of the game that the tree knows of
        self._tree: SearchTree | None = None

    def search(
        self, state: Any, *, clock: Clock | None = None, seed: int | None = None, soft_seconds: float | None = None
    ) -> SearchResult:
        """Search from the state, with a tree that knows what was searched before."""
        options = self._options if seed is None else {**self._options, "seed": seed}
        self._tree = self._tree or SearchTree(self._options.get("mib", 64.0))
        return search(self._game, state, clock=clock, tree=self._tree, **options)

    def follow(self, actions: Sequence[Any] | None) -> None:
        """Tell the tree what was played since the last search; a game that is not the one it knows gets a new tree."""
        now, seen, tree = None if actions is None else tuple(actions), self._seen, self._tree
        if tree is not None and seen is not None and now is not None and now[: len(seen)] == seen:
            assert isinstance(self._game, CompiledGame)
            tree.follow(self._game, now[len(seen) :])
        else:
            self._tree = None
        self._seen = now

    def forget(self) -> None:
        """Begin anew."""
        self._seen = self._tree = None
