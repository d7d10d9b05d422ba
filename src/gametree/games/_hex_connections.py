"""What can be proven of a position of Hex without search: useless cells, connections that hold, and cells that matter.

A *full* connection of two points holds whoever moves, a *semi* connection only if its owner moves first; its *carrier*
is the set of empty cells that it needs, as bits of one word, so boards have up to 8 × 8 cells. They are built up from
neighbours by two rules (Anshelevich 2002, "A hierarchical approach to computer Hex"):

    and   two full connections with a common end and carriers apart are one: full if a stone stands at the common end,
          semi, with that cell in its carrier, if it is empty
    or    semi connections of the same ends whose carriers have no cell in common are a full one

A semi connection of a side's two edges says that this side wins if it moves. If it does not, its opponent must move
in every one of their carriers (Hayward and others 2003, "Solving 7 × 7 Hex").

Beforehand cells are filled that cannot matter: a *dead* cell lies on no way that could not do without it, for neither
side, and two cells are *captured* if a stone of the other side on either can be answered on the other and is then dead.
Lists are short, so a connection may be missed; none is claimed that is not there.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from gametree.kernels import ONE, ZERO, popcount, u64

__all__ = ["DEAD", "MOST_SEMI", "connect", "fill", "flow"]

ROW_STEPS = np.array([0, -1, -1, 0, 1, 1])
COLUMN_STEPS = np.array([1, 1, 0, -1, -1, 0])
MOST_FULL, MOST_SEMI = 8, 20
"""Connections that are kept for two ends."""
QUEUE = 20_000
ROUNDS = 40
"""Rounds in which potentials settle, as far as is needed to order moves."""


def _needed(ring: tuple[int, ...], color: int) -> bool:
    """Whether a way of the colour may need a cell, two of whose neighbours it would join that are not joined anyway."""
    open_cells = [at for at in range(6) if ring[at] in (0, color)]
    for one, other in combinations(open_cells, 2):
        inside, outside = ring[one + 1 : other], ring[other + 1 :] + ring[:one]
        if not any(all(there == color for there in between) for between in (inside, outside)):
            return True
    return False


def _dead_table() -> Any:
    table = np.zeros(729, np.bool_)
    for code in range(729):
        ring = tuple(code // 3**at % 3 for at in range(6))
        table[code] = not _needed(ring, 1) and not _needed(ring, 2)
    return table


DEAD = _dead_table()
"""Whether a cell is dead by what lies around it: a number with a digit to the base 3 for each neighbour."""


def color_at(colors: Any, size: Any, row: Any, column: Any) -> Any:
    """What lies there; an edge counts as stones of its owner."""
    if row < 0 or row >= size:
        return np.int64(1)
    if column < 0 or column >= size:
        return np.int64(2)
    return np.int64(colors[row * size + column])


def is_dead(colors: Any, size: Any, cell: Any) -> Any:
    """Whether an empty cell is dead."""
    code, digit = np.int64(0), np.int64(1)
    for turn in range(6):
        code += digit * color_at(colors, size, cell // size + ROW_STEPS[turn], cell % size + COLUMN_STEPS[turn])
        digit *= 3
    return DEAD[code]


def fill(colors: Any, size: Any) -> None:
    """Lay stones on dead and captured cells until there are none; the value of the position stays."""
    changed = True
    while changed:
        changed = False
        for cell in range(size * size):
            if colors[cell] != 0:
                continue
            if is_dead(colors, size, cell):
                colors[cell] = 1
                changed = True
                continue
            for turn in range(3, 6):  # each pair once
                row, column = cell // size + ROW_STEPS[turn], cell % size + COLUMN_STEPS[turn]
                if row < 0 or row >= size or column < 0 or column >= size:
                    continue
                other = row * size + column
                if colors[other] != 0 or colors[cell] != 0:
                    continue
                for color in range(1, 3):
                    colors[other] = color
                    first = is_dead(colors, size, cell)
                    colors[other] = 0
                    colors[cell] = color
                    second = is_dead(colors, size, other)
                    colors[cell] = 0
                    if first and second:
                        colors[cell] = color
                        colors[other] = color
                        changed = True
                        break


def find_ends(colors: Any, size: Any, color: Any, ends: Any) -> None:
    """For every cell the end that it belongs to: itself if empty, its chain's if a stone, −1 for the other side's.

    A chain is its smallest cell, or one of the edges (size², size² + 1) that it touches.
    """
    count = size * size
    stack = np.zeros(count, np.int64)
    for cell in range(count):
        ends[cell] = -2 if colors[cell] == color else cell if colors[cell] == 0 else -1
    for edge in range(count + 1, -1, -1):  # the edges first, so that a chain at an edge is the edge
        place = edge if edge >= count else count - 1 - edge
        height = np.int64(0)
        for cell in range(count):
            along = cell // size if color == 1 else cell % size
            begins = along == (0 if place == count else size - 1) if place >= count else cell == place
            if begins and ends[cell] == -2:
                ends[cell] = place
                stack[height] = cell
                height += 1
        while height > 0:
            height -= 1
            cell = stack[height]
            for turn in range(6):
                row, column = cell // size + ROW_STEPS[turn], cell % size + COLUMN_STEPS[turn]
                if 0 <= row < size and 0 <= column < size and ends[row * size + column] == -2:
                    ends[row * size + column] = place
                    stack[height] = row * size + column
                    height += 1


def add_full(fulls: Any, semis: Any, counts: Any, pairs: Any, carriers: Any, queued: Any, pair: Any, f: Any) -> Any:
    """Note a full connection unless a better one is known; return the new length of the queue."""
    known = np.int64(counts[0, pair])
    kept = np.int64(0)
    for i in range(known):
        if fulls[pair, i] & ~f == ZERO:
            return queued
    for i in range(known):
        if f & ~fulls[pair, i] != ZERO:
            fulls[pair, kept] = fulls[pair, i]
            kept += 1
    if kept < MOST_FULL and queued < QUEUE:
        fulls[pair, kept] = f
        kept += 1
        pairs[queued] = pair
        carriers[queued] = f
        queued += 1
    counts[0, pair] = kept
    known = np.int64(counts[1, pair])
    kept = np.int64(0)
    for i in range(known):
        if f & ~semis[pair, i] != ZERO:
            semis[pair, kept] = semis[pair, i]
            kept += 1
    counts[1, pair] = kept
    return queued


def add_semi(fulls: Any, semis: Any, counts: Any, pairs: Any, carriers: Any, queued: Any, pair: Any, new: Any) -> Any:
    """Note a semi connection unless a better one is known, and what follows by the rule of or."""
    for i in range(counts[0, pair]):
        if fulls[pair, i] & ~new == ZERO:
            return queued
    known = np.int64(counts[1, pair])
    kept = np.int64(0)
    for i in range(known):
        if semis[pair, i] & ~new == ZERO:
            return queued
    for i in range(known):
        if new & ~semis[pair, i] != ZERO:
            semis[pair, kept] = semis[pair, i]
            kept += 1
    counts[1, pair] = kept
    found = ZERO
    for i in range(kept):
        one = semis[pair, i]
        if one & new == ZERO:
            found = one | new
            break
        for j in range(i):
            if one & semis[pair, j] & new == ZERO and found == ZERO:
                found = one | semis[pair, j] | new
    if kept < MOST_SEMI:
        semis[pair, kept] = new
        counts[1, pair] = kept + 1
    else:
        worst = np.int64(0)
        for i in range(1, kept):
            if popcount(semis[pair, i]) > popcount(semis[pair, worst]):
                worst = np.int64(i)
        if popcount(semis[pair, worst]) > popcount(new):
            semis[pair, worst] = new
    if found != ZERO:
        queued = add_full(fulls, semis, counts, pairs, carriers, queued, pair, found)
    return queued


def connect(colors: Any, size: Any, color: Any, enough: Any, out: Any) -> Any:
    """2 if the colour's edges are fully connected, 1 if semi, 0 if neither is found.

    Stops as soon as it knows `enough`. The carriers of semi connections are written into `out`, behind their number.
    """
    count = size * size
    points = count + 2
    first, last = np.int64(count), np.int64(count + 1)
    ends = np.zeros(count, np.int64)
    find_ends(colors, size, color, ends)
    fulls = np.empty((points * points, MOST_FULL), np.uint64)
    semis = np.empty((points * points, MOST_SEMI), np.uint64)
    counts = np.zeros((2, points * points), np.int64)
    pairs = np.empty(QUEUE, np.int64)
    carriers = np.empty(QUEUE, np.uint64)
    live = np.zeros(points, np.int64)
    lives = np.int64(0)
    queued: Any = np.int64(0)
    goal = first * points + last
    out[0] = ZERO
    for cell in range(count):
        end = ends[cell]
        if end < 0:
            continue
        if end == cell:
            live[lives] = cell
            lives += 1
        for turn in range(6):
            row, column = cell // size + ROW_STEPS[turn], cell % size + COLUMN_STEPS[turn]
            along, across = (row, column) if color == 1 else (column, row)
            if along < 0:
                other = first
            elif along >= size:
                other = last
            elif across < 0 or across >= size:
                continue
            else:
                other = ends[row * size + column]
            if other >= 0 and other != end:
                low, high = min(end, other), max(end, other)
                queued = add_full(fulls, semis, counts, pairs, carriers, queued, np.int64(low * points + high), ZERO)
    if counts[0, goal] > 0:
        return 2
    live[lives] = first
    live[lives + 1] = last
    lives += 2
    done = np.int64(0)
    while done < queued:
        pair, carrier = pairs[done], carriers[done]
        done += 1
        for side in range(2):
            end, middle = pair // points, pair % points
            if side == 1:
                end, middle = middle, end
            if middle >= count:
                continue
            empty = colors[middle] == 0
            end_bit = ONE << u64(end) if end < count else ZERO
            for k in range(lives):
                other = live[k]
                if other in (end, middle):
                    continue
                other_bit = ONE << u64(other) if other < count else ZERO
                if carrier & other_bit != ZERO:
                    continue
                way = min(middle, other) * points + max(middle, other)
                target = np.int64(min(end, other) * points + max(end, other))
                i = np.int64(0)
                while i < counts[0, way]:
                    more = fulls[way, i]
                    i += 1
                    if carrier & more != ZERO or more & end_bit != ZERO:
                        continue
                    whole = carrier | more
                    if empty:
                        whole |= ONE << u64(middle)
                        queued = add_semi(fulls, semis, counts, pairs, carriers, queued, target, whole)
                    else:
                        queued = add_full(fulls, semis, counts, pairs, carriers, queued, target, whole)
        if counts[0, goal] > 0:
            return 2
        if enough == 1 and counts[1, goal] > 0:
            return 1
    found = np.int64(counts[1, goal])
    out[0] = u64(found)
    for place in range(found):
        out[place + 1] = semis[goal, place]
    return 1 if found > 0 else 0


def flow(colors: Any, size: Any, color: Any, out: Any) -> None:
    """Add to `out` how much current flows through each cell from edge to edge, where own stones conduct best."""
    count = size * size
    potentials = np.empty(count, np.float64)
    for cell in range(count):
        along = cell // size if color == 1 else cell % size
        potentials[cell] = (along + 1.0) / (size + 1.0)
    for turns in range(ROUNDS + 1):
        for cell in range(count):
            if colors[cell] == 3 - color:
                continue
            mine = 0.05 if colors[cell] == color else 1.0
            total, weight, current = 0.0, 0.0, 0.0
            for turn in range(6):
                row, column = cell // size + ROW_STEPS[turn], cell % size + COLUMN_STEPS[turn]
                along, across = (row, column) if color == 1 else (column, row)
                if 0 <= along < size and (across < 0 or across >= size):
                    continue
                if along < 0 or along >= size:
                    there, other = (0.0 if along < 0 else 1.0), 0.0
                else:
                    beside = row * size + column
                    if colors[beside] == 3 - color:
                        continue
                    there = potentials[beside]
                    other = 0.05 if colors[beside] == color else 1.0
                total += there / (mine + other)
                weight += 1.0 / (mine + other)
                current += abs(there - potentials[cell]) / (mine + other)
            if turns == ROUNDS:
                out[cell] += current / 2
            elif weight > 0:
                potentials[cell] = total / weight
