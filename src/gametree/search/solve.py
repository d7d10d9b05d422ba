"""Exact solving of compiled games: alpha-beta to the end with a table, ordering, symmetries and null windows.

The value is proven by questions "is it at least b?", each a null-window search that halves the interval of values that
are still possible. Every answer stays in the table as a bound, so each question is cheaper than the one before, and a
solver that is stopped still knows the interval. Near the end of the game (SOLVER_LEAN) a second, lean recursion works
without table and ordering, because there the bookkeeping would cost more than the search.

    function DEEP(s, α, β)
        if SOLVER-MOVES(s) gives none then return its value
        tighten [α, β] by SOLVER-BOUNDS(s) and by the table; return if it closes
        for each move, best MOVE-KEY + CHILD-KEY first (far from the end: best in a SHALLOW search) do
            v ← −DEEP(child, −β, −α), or LEAN near the end; a null window first unless it is the first move
            if v ≥ β then leave the loop
        store v in the table as a bound; return v

Sources: Knuth and Moore (1975); Marsland and Campbell (1982) for the null windows; Plaat et al. (1996) for proving a
value by null-window questions with memory; Plaat et al. (1996b) for probing the children first; Buro (1997) for
shallow searches that order the moves of an Othello solver. Several threads share the work as in `_sharing`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gametree.core.errors import BadInput, UnfitGame
from gametree.core.facts import Algorithm
from gametree.core.game import Game
from gametree.core.record import TreeRecord
from gametree.core.result import Bound, SearchResult
from gametree.kernels.bits import ZERO, prefetch, u64
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.table import BUCKET, bucket, clear_table, new_table, probe
from gametree.kernels.verbs import (
    ALTERNATE,
    HAS_CHILD_KEY,
    HAS_EVALUATE,
    HAS_MOVE_KEY,
    HAS_SOLVER_BOUNDS,
    HIGHEST,
    LOWEST,
    SOLVER_LEAN,
    SOLVER_MERGE,
    SOLVER_PROBE,
    SOLVER_THINK,
    SYMMETRIES,
    UNIT,
    child_key,
    evaluate,
    hash_state,
    legal_moves,
    mirror,
    mirror_move,
    move_key,
    play,
    player,
    plies_left,
    solver_bounds,
    solver_moves,
    struct,
)
from gametree.search._run import Clock, Run
from gametree.search._sharing import NOTES, is_under_way, note_begin, note_end
from gametree.search._workers import run_workers

__all__ = ["ALGORITHM", "LINE_LEAST", "LINE_SHARE", "Progress", "search", "solve"]

ALGORITHM = Algorithm(
    name="solve",
    title="Exact solver (compiled)",
    source="Plaat et al., Best-first fixed-depth minimax algorithms (1996)",
    takes_depth=False,
    anytime=True,
)

Progress = Callable[[dict[str, Any]], None]
"""Called now and then with nodes, lower, upper (for the seat to move), question and move."""

LINE_SHARE = 8
"""The line of best moves may cost one node for so many of the proof ..."""
LINE_LEAST = 100_000
"""... but so many nodes at any rate."""

_CHECK = 1023
_OFFSET = np.int64(1 << 15)
_MASK = np.int64(0xFFFF)
_NEVER = 255  # a number of plies left that no state has
_FAR = np.int64(1 << 30)
_GUESS_PLIES = 8
_KEY_WEIGHT = 10  # of the game's keys beside an estimate in units
_SHARE_LEFT = 12  # with more plies left than this, threads put off moves that others are searching
_NO_MOVE = np.int64(-1)


# The table's word: bits 0–15 lowest, 16–31 highest possible value, 32–39 plies left (its worth), 40–63 move


def bounds_word(low: Any, high: Any, worth: Any, move: Any) -> Any:
    """Two bounds, a worth and a move (or −1) in one word."""
    return (
        u64(low + _OFFSET & _MASK)
        | u64(high + _OFFSET & _MASK) << u64(16)
        | u64(worth & np.int64(0xFF)) << u64(32)
        | u64(move + 1) << u64(40)
    )


def word_low(word: Any) -> Any:
    """The lower bound in a word."""
    return np.int64(word & u64(0xFFFF)) - _OFFSET


def word_high(word: Any) -> Any:
    """The upper bound in a word."""
    return np.int64(word >> u64(16) & u64(0xFFFF)) - _OFFSET


def word_move(word: Any) -> Any:
    """The move in a word, −1 for none."""
    return np.int64(word >> u64(40)) - np.int64(1)


def keep(table: Any, slots: Any, key: Any, word: Any) -> None:
    """Store a word over the entry of the same key, or over the one with fewest plies left in the bucket."""
    first = bucket(key, slots)
    target = first
    least = np.int64(1 << 20)
    for i in range(BUCKET):
        entry = table[first + u64(i)]
        old = entry.word
        if old == ZERO or entry.check ^ old == key:
            target = first + u64(i)
            break
        worth = np.int64(old >> u64(32) & u64(0xFF))
        if worth < least:
            least = worth
            target = first + u64(i)
    entry = table[target]
    entry.check = key ^ word
    entry.word = word


# The search -----------------------------------------------------------------------------------------------------------


def table_key(s: Any, left: Any, ctx: Any) -> Any:
    """The hash of a state, or of its symmetric image with the smallest hash; `ctx.image` says which image that is."""
    key = hash_state(s)
    if SYMMETRIES > 1:
        ctx.image = 0
        if left > SOLVER_MERGE:
            for k in range(1, SYMMETRIES):
                ctx.mirrored = s
                mirror(ctx.mirrored, k)
                other = hash_state(ctx.mirrored)
                if other < key:
                    key = other
                    ctx.image = k
    return key


def canonical_move(move: Any, image: Any) -> Any:
    """The move as the table keeps it: as it is in the image whose hash is the key."""
    if SYMMETRIES > 1 and image != 0:
        return mirror_move(move, image)
    return move


def lean(alpha: Any, beta: Any, ply: Any, ctx: Any) -> Any:
    """Fail-soft alpha-beta without table and ordering, for the last few plies."""
    ctx.nodes += 1
    frame = ctx.frames[ply]
    s = frame.state
    moves = frame.moves
    n = solver_moves(s, moves)
    if n == 0:
        return np.int64(moves[0])
    child = ctx.frames[ply + 1].state
    best = np.int64(-(1 << 15))
    for i in range(n):
        ctx.frames[ply + 1].state = s
        play(child, moves[i])
        if ALTERNATE or player(child) != player(s):
            value = -lean(-beta, -alpha, np.int64(ply + 1), ctx)
        else:
            value = lean(alpha, beta, np.int64(ply + 1), ctx)
        if value > best:
            best = value
            if best >= beta:
                break
            if best > alpha:
                alpha = best
    return best


def shallow(alpha: Any, beta: Any, depth: Any, ply: Any, ctx: Any) -> Any:
    """Fail-soft alpha-beta to a fixed depth on the game's estimates, for the mover, in units: an opinion."""
    frame = ctx.frames[ply]
    s = frame.state
    if depth <= 0:
        return np.int64(evaluate(s))
    moves = frame.moves
    n = solver_moves(s, moves)
    if n == 0:
        return np.int64(moves[0]) * UNIT
    child = ctx.frames[ply + 1].state
    best = np.int64(-(1 << 30))
    for i in range(n):
        ctx.frames[ply + 1].state = s
        play(child, moves[i])
        if ALTERNATE or player(child) != player(s):
            value = -shallow(-beta, -alpha, np.int64(depth - 1), np.int64(ply + 1), ctx)
        else:
            value = shallow(alpha, beta, np.int64(depth - 1), np.int64(ply + 1), ctx)
        if value > best:
            best = value
            if best >= beta:
                break
            alpha = max(alpha, best)
    return best


def first_guess(contexts: Any, plies: Any) -> Any:
    """What the value of the state in the first frame may be, by a search of so many plies."""
    return shallow(-_FAR, _FAR, np.int64(plies), np.int64(0), contexts[0]) // UNIT


def deep(alpha: Any, beta: Any, ply: Any, ctx: Any, table: Any) -> Any:
    """Fail-soft alpha-beta with everything. The value is meaningless if `ctx.aborted` is set on return."""
    ctx.nodes += 1
    if ctx.nodes & _CHECK == 0 and (ctx.stop != 0 or (ctx.most != 0 and ctx.nodes > ctx.most)):
        ctx.aborted = 1
        return np.int64(0)
    frame = ctx.frames[ply]
    s = frame.state
    moves = frame.moves
    low, high = np.int64(LOWEST), np.int64(HIGHEST)
    if ply == 0:
        n = np.int64(legal_moves(s, moves))  # even where the value is known at once, a move is wanted
    else:
        n = np.int64(solver_moves(s, moves))
        if n == 0:
            return np.int64(moves[0])

    # 1. The rules alone and the table may close the window.
    if HAS_SOLVER_BOUNDS and ply > 0:
        floor, ceiling = solver_bounds(s)
        low, high = np.int64(floor), np.int64(ceiling)
    left = np.int64(plies_left(s))
    key = frame.key
    image = frame.image
    word = probe(table, ctx.slots, key)
    hint = _NO_MOVE
    if word != ZERO:
        hint = word_move(word)
        if ply > 0:  # the root is always searched, because its best move is wanted
            low, high = max(low, word_low(word)), min(high, word_high(word))
    if low >= beta or low == high:
        return low
    if high <= alpha:
        return high
    alpha, beta = max(alpha, low), min(beta, high)

    # 2. Children with their keys, best first; a child that the table already knows may close the window at once.
    children, keys, order = frame.children, frame.keys, frame.order
    near_end = left - 1 <= SOLVER_LEAN
    thinks = HAS_EVALUATE and SOLVER_THINK < _NEVER and left > SOLVER_THINK
    for i in range(n):
        children[i] = s
        child = children[i]
        play(child, moves[i])
        rank = np.int64(0)
        if HAS_MOVE_KEY:
            rank += move_key(s, moves[i])
        if HAS_CHILD_KEY:
            rank += child_key(child)
        if thinks:  # far from the end good order is worth a search of its own
            ctx.frames[ply + 1].state = child
            opinion = shallow(-_FAR, _FAR, np.int64(2 + (left - SOLVER_THINK) // 4), np.int64(ply + 1), ctx)
            rank = _KEY_WEIGHT * rank + (opinion if not ALTERNATE and player(child) == player(s) else -opinion)
        if not near_end:
            frame.hashes[i] = table_key(child, left - 1, ctx)
            frame.images[i] = ctx.image
            prefetch(table, bucket(frame.hashes[i], ctx.slots))
        if ALTERNATE and left > SOLVER_PROBE and ply > 0:
            known = probe(table, ctx.slots, frame.hashes[i])
            if known != ZERO and -word_high(known) >= beta:
                return -word_high(known)
        if hint != _NO_MOVE and canonical_move(moves[i], image) == hint:
            rank += 1 << 20
        place = i
        while place > 0 and keys[place - 1] < rank:
            keys[place] = keys[place - 1]
            order[place] = order[place - 1]
            place -= 1
        keys[place] = rank
        order[place] = i

    # 3. The search itself.
    best = np.int64(-(1 << 15))
    best_move = _NO_MOVE
    bound = alpha
    shares = ctx.sharing != 0 and not near_end and left > _SHARE_LEFT
    places = n
    j: Any = np.int64(-1)
    while j + 1 < places:
        j += 1
        i = order[j]
        if shares and 0 < j < n and is_under_way(table, ctx.slots, frame.hashes[i]):
            order[places] = i  # once more, at the end
            places += 1
            continue
        ctx.frames[ply + 1].state = children[i]
        if not near_end:
            ctx.frames[ply + 1].key = frame.hashes[i]
            ctx.frames[ply + 1].image = frame.images[i]
        same = not ALTERNATE and player(children[i]) == player(s)
        a, b = (bound, beta) if same else (-beta, -bound)
        if shares and j > 0:
            note_begin(table, ctx.slots, frame.hashes[i])
        if near_end:
            value = lean(a, b, np.int64(ply + 1), ctx)
        elif j == 0 or beta - bound <= 1:
            value = deep(a, b, np.int64(ply + 1), ctx, table)
        else:
            value = deep(bound if same else -bound - 1, bound + 1 if same else -bound, np.int64(ply + 1), ctx, table)
            inside = bound < value < beta if same else bound < -value < beta
            if inside and ctx.aborted == 0:
                value = deep(a, b, np.int64(ply + 1), ctx, table)
        if shares and j > 0:
            note_end(table, ctx.slots, frame.hashes[i])
        if ctx.aborted != 0:
            return np.int64(0)
        if not same:
            value = -value
        if value > best:
            best = value
            best_move = np.int64(moves[i])
            if best >= beta:
                break
            if best > bound:
                bound = best
    if ply == 0:
        ctx.best_move = best_move

    # 4. What is known now: a lower bound if it failed high, an upper bound if it failed low, else the value itself.
    if best > alpha and best > low:
        low = best
    if best < beta and best < high:
        high = best
    keep(
        table, ctx.slots, key, bounds_word(low, high, left, canonical_move(best_move, image) if best > alpha else hint)
    )
    return best


def prove(contexts: Any, table: Any) -> None:
    """Narrow [ctx.low, ctx.high] by questions until it is one value or lies outside (ctx.lower, ctx.upper).

    `ctx.move` is a move that reaches `ctx.low`, or `ctx.upper` where the rules alone say more, once one is known.
    """
    ctx = contexts[0]
    s = ctx.frames[0].state
    ctx.frames[0].key = table_key(s, np.int64(plies_left(s)), ctx)
    ctx.frames[0].image = ctx.image
    if solver_moves(s, ctx.frames[0].moves) == 0:
        ctx.low = ctx.high = ctx.frames[0].moves[0]
    elif HAS_SOLVER_BOUNDS:
        floor, ceiling = solver_bounds(s)
        ctx.low, ctx.high = floor, ceiling
    answered_yes = False
    while ctx.low < ctx.high and ctx.low < ctx.upper and ctx.high > ctx.lower:
        low, high = max(ctx.low, ctx.lower), min(ctx.high, ctx.upper)
        if ctx.stepping != 0:
            # From the guess on, always next to the last answer: MTD(f).
            middle = ctx.guess if ctx.asked == 0 else low if answered_yes else high - 1
            middle = min(max(middle, low), high - 1)
        else:
            # The middle, but nearer to zero: most positions are close, and narrow answers come cheaper (Pons 2016).
            middle = low + (high - low) // 2
            if middle <= 0 and low // 2 < middle:
                middle = low // 2
            elif middle >= 0 and high // 2 > middle:
                middle = high // 2
            middle = min(max(middle, low), high - 1)
        ctx.question = middle + 1
        ctx.asked += 1
        value = deep(np.int64(middle), np.int64(middle + 1), np.int64(0), ctx, table)
        if ctx.aborted != 0:
            return
        answered_yes = value > middle
        if answered_yes:
            ctx.low = max(ctx.low, value)
            ctx.move = ctx.best_move
        else:
            ctx.high = min(ctx.high, value)
    if ctx.move < 0 and (ctx.low == ctx.high or ctx.low >= ctx.upper):
        # Every answer was no, or the rules gave it, so the move is still to be found: some move must reach the value.
        ctx.question = ctx.low if ctx.low == ctx.high else ctx.upper
        ctx.asked += 1
        deep(np.int64(ctx.question - 1), np.int64(ctx.question), np.int64(0), ctx, table)
        if ctx.aborted == 0:
            ctx.move = ctx.best_move


# The driver -----------------------------------------------------------------------------------------------------------


def context_type(game: CompiledGame) -> Any:
    """The record that holds everything one thread of the solver needs, one frame per ply."""
    known = game.rules.memory.get(context_type)
    if known is not None:
        return known
    state, moves = game.rules.state_type, max(1, game.rules.constants["MOST_MOVES"])
    plies = (game.facts.longest_game or 1000) + 2
    frame = struct(
        state=state,
        key="u8",  # where the table keeps the state, and in which image
        image="i8",
        moves=("i8", moves),
        keys=("i8", moves),  # promise of the moves, best first
        order=("i8", 2 * moves),  # and their places; those that other threads were searching stand at the end again
        children=(state, moves),
        hashes=("u8", moves),
        images=("i8", moves),
    )
    made = game.rules.memory[context_type] = struct(
        nodes="i8",  # entered so far
        most="i8",  # the most that may be entered, 0 for no limit
        stop="i8",  # set from outside
        slots="i8",  # entries of the array that are table
        sharing="i8",  # whether threads tell each other behind the table what they are searching
        aborted="i8",  # set when the stop was seen: values are meaningless from then on
        low="i8",  # what is proven of the value
        high="i8",
        lower="i8",  # the window of interest
        upper="i8",
        question="i8",  # "is it at least this?"
        asked="i8",
        stepping="i8",  # whether questions go step by step from a guess
        guess="i8",
        move="i8",
        best_move="i8",  # of the last search from the root
        image="i8",
        mirrored=state,
        frames=(frame, plies),
    )
    return made


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    table_mib: float = 64,
    threads: int = 1,
    window: tuple[int, int] | None = None,
    guess: int | None = None,
    table: Any = None,
    whole_line: bool = True,
    progress: Progress | None = None,
) -> SearchResult:
    """Prove the value of a state of a compiled game, to the end of the game.

    `window` asks less: outside it only a bound is proven, so (0, 1) asks whether the mover wins and (-1, 1) who wins.
    `guess` asks step by step from that value on (MTD(f)) instead of halving the interval: better where it is near.
    `table` continues with a table of an earlier call (`gametree.kernels.table.new_table`), else one of `table_mib` is
    made. With `whole_line` the line of best moves goes on beyond the first, to the end of the game or as far as it can
    be had for little (LINE_SHARE); `details["line_nodes"]` says what it cost, beside the nodes of the proof. A clock
    that expires leaves `complete` False, the best bound as value, and `lower` and `upper` in the details.
    Raises UnfitGame if the game is not compiled, BadInput if a depth is given.
    """
    run = Run(ALGORITHM, game, state, clock=clock)
    if not isinstance(run.game, CompiledGame):
        raise UnfitGame(f"solve cannot search {run.game.name}: its rules are not written as verbs on a struct.")
    if depth is not None:
        raise BadInput(f"solve goes to the end of the game, so a depth of {depth} is not possible; leave it out.")
    if record is not None:
        raise BadInput("solve does not fill a tree record; the algorithm engine does.")
    if threads < 1:
        raise BadInput(f"{threads} threads are not possible; expected at least 1.")
    if run.terminal:
        value = run.game.utility(run.state, 0)
        return run.finish(value, None, nodes=1, leaves=1)
    game = run.game
    table = new_table(table_mib) if table is None else table
    contexts = np.zeros(threads, context_type(game))
    sharing = threads > 1 and len(table) > 4 * NOTES
    contexts["sharing"], contexts["slots"] = sharing, len(table) - (NOTES if sharing else 0)
    if sharing:
        clear_table(table[-NOTES:])
    lowest, highest = int(np.floor(game.facts.min_utility)), int(np.ceil(game.facts.max_utility))
    for ctx in contexts:
        ctx.frames[0].state = game.struct(run.state)
        ctx.low, ctx.high, ctx.move = lowest, highest, -1
        ctx.stepping, ctx.guess = guess is not None, guess or 0
        ctx.lower, ctx.upper = window or (lowest, highest)
    leader = contexts[0]

    def tell() -> None:
        if progress is not None:
            move = int(leader.move)
            progress(
                {
                    "nodes": int(contexts["nodes"].sum()),
                    "lower": int(leader.low),
                    "upper": int(leader.high),
                    "question": int(leader.question),
                    "move": None if move < 0 else game.action_text(run.state, move),
                }
            )

    kernel = game.rules.kernel(prove)
    jobs = [functools.partial(kernel, contexts[index : index + 1], table) for index in range(threads)]
    run_workers(jobs, contexts, clock=clock, tick=tell)
    tell()
    low, high, move = int(leader.low), int(leader.high), int(leader.move)
    # Stopped or outside the window: the lower bound counts if a move is known that reaches it.
    bound: Bound = "exact" if low == high else "lower" if move >= 0 else "upper"
    value = high if bound == "upper" else low
    nodes = int(contexts["nodes"].sum())
    line = [] if move < 0 else [move]
    line_nodes = 0
    if whole_line and bound == "exact" and line:
        more, line_nodes = _best_line(game, run.state, move, value, table, int(leader.slots), clock, nodes)
        line += more
    return run.finish(
        value if run.seat == 0 else -value,
        line,
        nodes=nodes,
        bound=bound,
        complete=leader.aborted == 0,
        lower=low,
        upper=high,
        questions=int(leader.asked),
        line_nodes=line_nodes,
    )


def _best_line(
    game: CompiledGame, state: Any, move: int, value: int, table: Any, slots: int, clock: Clock | None, spent: int
) -> tuple[list[int], int]:
    """Best moves after `move`, which keeps the proven `value` of `state`, and the nodes that they cost.

    The proof has shown that no reply does better than to reach the value, and the table remembers most of it. So at
    each state one question is asked, which move reaches it; the line ends where the answers become too dear.
    """
    kernel = game.rules.kernel(prove)
    contexts = np.zeros(1, context_type(game))
    ctx = contexts[0]
    ctx.slots = slots
    most = max(LINE_LEAST, spent // LINE_SHARE)
    line: list[int] = []
    nodes = 0
    while True:
        before, state = game.player(state), game.result(state, move)
        if game.is_terminal(state):
            break
        value = value if game.player(state) == before else -value
        ctx.frames[0].state = game.struct(state)
        ctx.low, ctx.high, ctx.move = value - 1, value, -1
        ctx.lower, ctx.upper = value - 1, value
        ctx.nodes, ctx.most = 0, most - nodes
        run_workers([functools.partial(kernel, contexts, table)], contexts, clock=clock)
        nodes += int(ctx.nodes)
        move = int(ctx.move)
        if ctx.aborted or move < 0 or nodes >= most:
            break
        line.append(move)
    return line, nodes


def solve(
    game: Game[Any, Any],
    state: Any = None,
    *,
    table_mib: float = 64,
    threads: int = 1,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> SearchResult:
    """The proven value and a best move of a state of a compiled game; see `search` for the rest."""
    guess = None
    if isinstance(game, CompiledGame) and game.rules.constants["SOLVER_GUESS"]:
        contexts = np.zeros(1, context_type(game))
        contexts[0].frames[0].state = game.struct(game.initial() if state is None else state)
        guess = int(game.rules.kernel(first_guess)(contexts, _GUESS_PLIES))
    return search(game, state, table_mib=table_mib, threads=threads, guess=guess, progress=progress, clock=clock)
