"""Builds tables of solved positions backwards from the ends of games, class after class.

    for each position of the class and of those that lead back to it:
        children in solved classes tell the quickest win, the slowest loss, whether a draw is there
        children in the same classes are listed, and turned round: who leads here?
    for d ← 0, 1, 2, … do
        what wins in d by a solved class, or has a lost child at d − 1, is won in d
        what has won children alone, the last at d − 1, is lost in d
    all others are drawn

Source: Ströhlein (1970); Thompson (1986), *Retrograde analysis of certain endgames*.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.kernels.bits import array_at, u64
from gametree.kernels.compiled_game import CompiledGame
from gametree.kernels.verbs import (
    class_after,
    class_size,
    index_of,
    is_over,
    legal_moves,
    play,
    set_index,
    table_class,
    utility,
)
from gametree.search.support.table_bytes import (
    DRAWN,
    LONGEST,
    NOTHING,
    byte_of_loss,
    byte_of_win,
    plies_of,
)

__all__ = ["MOST_CLASSES", "build_classes", "build_order", "classes_after", "size_of"]

MOST_CLASSES = 4096
"""Classes that one class may lead to, and numbers that classes may have."""
CHUNK = 1 << 15
"""Positions that a thread takes at once."""
NEVER = 0xFFFF

Progress = Callable[[str, int, int], None]
"""What is being done, how much of it, and of how much."""


# Compiled -------------------------------------------------------------------------------------------------------------


def list_after(c: Any, out: Any, weights: Any) -> Any:
    """The classes that a class leads to."""
    return class_after(c, out, weights[0])


def find_size(c: Any, weights: Any) -> Any:
    """How many numbers a class has."""
    return class_size(c, weights[0])


def expand(
    states: Any,
    moves: Any,
    place: Any,
    stop: Any,
    c: Any,
    bases: Any,
    addresses: Any,
    facts: Any,
    children: Any,
    weights: Any,
) -> Any:
    """Look at the positions place … stop − 1 of class c as long as `children` has room.

    Returns the first position not looked at, and how many children were listed. `bases[class]` is where the numbers of
    a class that is being built begin, −1 for others; `addresses[class]` is where the table of a solved class lies.
    facts[i] are, for position i: whether it is one; how many children it has in the classes that are being built; the
    plies to the quickest win, and to the slowest loss, by other children; whether one of these is a draw.
    """
    w = weights[0]
    used = np.int64(0)
    s, t = states[0], states[1]
    while place < stop and used + moves.shape[0] <= children.shape[0]:
        i = place + bases[c]
        place += 1
        if not set_index(s, c, place - 1, w):
            continue
        fact = facts[i]
        fact.exists = 1
        n = legal_moves(s, moves, w)
        if n == 0:
            note_end(fact, np.int64(utility(s, w)))
            continue
        for k in range(n):
            states[1] = s
            play(t, moves[k], w)
            other = np.int64(table_class(t, w))
            if other >= 0 and bases[other] >= 0:
                children[used] = bases[other] + index_of(t, other, w)
                used += 1
                fact.inside += 1
                continue
            byte = np.int64(NOTHING)
            if other >= 0 and addresses[other] != u64(0):
                table = array_at(addresses[other], np.int64(class_size(other, w)), np.int8)
                byte = np.int64(table[np.int64(index_of(t, other, w))])
            elif is_over(t, moves[n:], w):
                value = np.int64(utility(t, w))
                byte = byte_of_loss(0) if value < 0 else np.int64(DRAWN)
                if value > 0:
                    byte = np.int64(NOTHING)
            if byte == NOTHING:
                fact.exists = 2  # it leads to a position that nothing is known of
            elif byte == DRAWN:
                fact.draw = 1
            elif byte < 0:
                fact.win = min(fact.win, plies_of(byte) + 1)
            else:
                fact.loss = max(fact.loss, plies_of(byte) + 1)
    return place, used


def note_end(fact: Any, value: Any) -> None:
    """The game is over in the position: its mover has lost, or it is drawn."""
    if value < 0:
        fact.ended = 1
    else:
        fact.draw = 1


def count_parents(children: Any, counts: Any) -> None:
    """How many positions lead to each one."""
    for k in range(children.shape[0]):
        counts[children[k]] += 1


def list_parents(facts: Any, children: Any, ends: Any, parents: Any) -> None:
    """Write who leads to each position; `ends` begins as where each list ends and becomes where it begins."""
    k = np.int64(0)
    for i in range(facts.shape[0]):
        for _ in range(facts[i].inside):
            child = children[k]
            ends[child] -= 1
            parents[ends[child]] = i
            k += 1


def solve_backwards(facts: Any, starts: Any, parents: Any, values: Any, longest: Any) -> Any:
    """Fill in the bytes of all positions; return the plies of the longest win or loss, −1 if one takes too many."""
    for i in range(facts.shape[0]):
        if facts[i].exists != 0 and facts[i].ended == 0 and facts[i].draw == 0 and facts[i].inside == 0:
            facts[i].due = facts[i].loss
    last = np.int64(0)
    for d in range(longest + 2):
        waiting = False
        for i in range(facts.shape[0]):
            fact = facts[i]
            if fact.exists == 0 or values[i] != NOTHING:
                continue
            won = fact.win == d
            lost = (fact.ended != 0 and d == 0) or (fact.due == d and fact.win == NEVER)
            if not won and not lost:
                waiting |= fact.win != NEVER or fact.due != NEVER
                continue
            if d > longest:
                return np.int64(-1)
            values[i] = byte_of_win(d) if won else byte_of_loss(d)
            last = np.int64(d)
            for k in range(starts[i], starts[i + 1]):
                parent = facts[parents[k]]
                if lost:
                    if parent.win > d + 1:
                        parent.win = d + 1
                        waiting = True
                else:
                    parent.inside -= 1
                    if parent.inside == 0 and parent.draw == 0:
                        parent.due = max(parent.loss, d + 1)
                        waiting = True
        if not waiting:
            break
    for i in range(facts.shape[0]):
        if facts[i].exists != 0 and values[i] == NOTHING:
            values[i] = DRAWN
    return last


FACT = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("win", "u2"),  # plies of the quickest win that is known
                ("loss", "u2"),  # plies of the slowest loss by a solved class
                ("due", "u2"),  # plies of the loss, once all children are known to be won
                ("inside", "u2"),  # children in the classes that are being built and not yet known
                ("exists", "u1"),
                ("draw", "u1"),
                ("ended", "u1"),
                ("free", "u1"),
            ]
        ),
    )
)


# Building -------------------------------------------------------------------------------------------------------------


def check_game(game: CompiledGame) -> None:
    """Raise BadInput unless the game's positions have numbers and its seats take turns."""
    if "index_of" not in game.rules.verbs:
        raise BadInput(f"{game.name} gives its positions no numbers, so there are no tables of it.")
    if not game.rules.constants["ALTERNATE"] or game.facts.chance or game.facts.hidden:
        raise BadInput(f"Tables of {game.name} cannot be built: its seats do not simply take turns.")


def size_of(game: CompiledGame, c: int) -> int:
    """How many numbers the positions of a class take."""
    return int(game.rules.kernel(find_size)(c, game.w))


def classes_after(game: CompiledGame, c: int) -> list[int]:
    """The other classes that a move can lead to."""
    out = np.zeros(MOST_CLASSES, np.int64)
    return sorted(set(out[: game.rules.kernel(list_after)(c, out, game.w)].tolist()))


def build_order(game: CompiledGame, wanted: Sequence[int]) -> list[list[int]]:
    """All classes that are needed for the wanted ones, in groups that must be built together, the first first.

    Classes that lead to each other are one group (Tarjan 1972).
    """
    check_game(game)
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    found: list[list[int]] = []

    def visit(c: int) -> None:
        number[c] = low[c] = len(number)
        stack.append(c)
        for after in classes_after(game, c):
            if after not in number:
                visit(after)
                low[c] = min(low[c], low[after])
            elif after in stack:
                low[c] = min(low[c], number[after])
        if low[c] == number[c]:
            at = stack.index(c)
            found.append(sorted(stack[at:]))
            del stack[at:]

    for c in wanted:
        if c not in number:
            visit(c)
    return found


def build_classes(
    game: CompiledGame,
    group: Sequence[int],
    solved: Mapping[int, Any],
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> dict[int, Any]:
    """The tables of a group of classes, given those of all classes that it leads to.

    Raises BadInput if a move leads to a position of no class where the game is not over, or a win takes too long.
    """
    sizes = {c: size_of(game, c) for c in group}
    names = ", ".join(map(game.class_name, group))
    bases = np.full(MOST_CLASSES, -1, np.int64)
    total = 0
    for c in group:
        bases[c] = total
        total += sizes[c]
    addresses = np.zeros(MOST_CLASSES, np.uint64)
    for c, table in solved.items():
        addresses[c] = table.ctypes.data
    facts = np.zeros(total, FACT)
    facts["win"] = facts["due"] = NEVER
    children = _expand_all(game, sizes, bases, addresses, facts, threads, progress)
    if (facts["exists"] == 2).any():
        raise BadInput(f"A position of {names} leads to one of no class in which the game is not over.")
    counts = np.zeros(total + 1, np.int64)
    game.rules.kernel(count_parents)(children, counts[:total])
    starts = np.cumsum(counts)
    parents = np.empty(len(children), np.int32)
    game.rules.kernel(list_parents)(facts, children, starts, parents)
    starts[total] = len(children)
    del children, counts
    values = np.full(total, NOTHING, np.int8)
    if game.rules.kernel(solve_backwards)(facts, starts, parents, values, LONGEST) < 0:
        raise BadInput(f"A win of {names} takes more than {LONGEST} plies, which no table can hold.")
    return {c: values[bases[c] : bases[c] + sizes[c]].copy() for c in group}


def _expand_all(
    game: CompiledGame,
    sizes: Mapping[int, int],
    bases: Any,
    addresses: Any,
    facts: Any,
    threads: int,
    progress: Progress | None,
) -> Any:
    """The children of all positions, one behind the other, and the facts filled in."""
    chunks = [(c, start) for c, size in sizes.items() for start in range(0, size, CHUNK)]
    found: list[list[Any]] = [[] for _ in chunks]
    kernel = game.rules.kernel(expand)
    most = game.rules.constants["MOST_MOVES"]
    lock = threading.Lock()
    queue: Iterator[int] = iter(range(len(chunks)))
    done = 0
    faults: list[BaseException] = []

    def work() -> None:
        nonlocal done
        states = np.zeros(2, game.rules.state_type)
        moves = np.zeros(2 * most, np.int64)
        room = np.empty(max(32 * CHUNK, 4 * most), np.int32)
        try:
            while not faults:
                with lock:
                    at = next(queue, None)
                if at is None:
                    return
                c, place = chunks[at]
                stop = min(place + CHUNK, sizes[c])
                while place < stop:
                    place, used = kernel(states, moves, place, stop, c, bases, addresses, facts, room, game.w)
                    found[at].append(room[:used].copy())
                with lock:
                    done += 1
                    if progress is not None:
                        progress(", ".join(map(game.class_name, sizes)), done, len(chunks))
        except BaseException as fault:
            faults.append(fault)

    workers = [threading.Thread(target=work, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if faults:
        raise faults[0]
    parts = [part for listed in found for part in listed]
    return np.concatenate(parts) if parts else np.empty(0, np.int32)
