"""Finding plays: every legal one with its points, or only the one that promises most. Compiled.

Source: Gordon, "A faster Scrabble move generation algorithm" (1994); the sets of letters that fit across, and anchors,
are from Appel and Jacobson, "The world's fastest Scrabble program" (1988).

    for each line, both ways, and each anchor on it (an empty square beside a tile; on an empty board the start)
        from the anchor go left through the graph, never onto an anchor further left; lay a tile or use the one there
        wherever the way so far ends a word backwards, it is a play
        wherever the separator may follow, turn: go right from the square behind the anchor

A play is found from the leftmost anchor that it covers, and so once. One tile that makes a word both ways is found
across.

A move is a number: bits 0–41 seven tiles of six bits (the letter, 32 added for a blank; 0: none), in the order of their
squares; bits 42–50 the square of the first tile laid; bit 51 whether it goes down; bits 52–54 what kind of move it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.games.scrabble.weights import (
    BLANK_BIT,
    DOWN_SHIFT,
    EXCHANGE,
    KIND_SHIFT,
    LINE,
    PASS,
    SQUARE_SHIFT,
    TILE_BITS,
    leave_value,
)
from gametree.kernels import ctz, popcount, struct, u64
from gametree.kernels.bits import array_at

__all__ = ["best_play", "build_crosses", "kind_of", "list_plays", "move_points", "square_of", "tile_in", "word_holds"]

TAKEN = 64
"""In a square of the board: a blank stands there; lower bits are the letter. 0: the square is empty."""

Finder = struct(
    tiles=("i8", LINE),  # of the line: letters that lie there, 0 where the square is empty
    value=("i8", LINE),  # their points
    cross=("i8", LINE),  # the letters that fit there across, as bits
    side=("i8", LINE),  # the points of the tiles beside it across, −1 if there are none
    letter_times=("i8", LINE),
    word_times=("i8", LINE),
    crosses=("i8", (2, LINE * LINE)),  # the same of the whole board, for lines across and down
    sides=("i8", (2, LINE * LINE)),
    rack=("i8", 32),
    held="i8",
    letters="i8",  # bits of the tiles in the rack that are no blanks
    points=("i8", 32),
    placed=("i8", LINE),  # what is laid now: letter and BLANK_BIT
    stride=("i8", 32),  # what a tile of the rack adds to the number of a set of its tiles
    worth=("i8", 128),  # by the number of the set that stays in the rack: its value
    left="i8",  # that number
    width="i8",
    graph_at="u8",
    graph_size="i8",
    bonus="i8",
    rack_size="i8",
    down="i8",
    line="i8",
    anchor="i8",
    barrier="i8",
    count="i8",
    only_best="i8",
    best="i8",
    best_move="i8",
)


def kind_of(m: Any) -> Any:
    """What kind of move it is."""
    return np.int64(m) >> KIND_SHIFT


def square_of(m: Any) -> Any:
    """Where the first tile is laid."""
    return np.int64(m) >> SQUARE_SHIFT & 511


def tile_in(m: Any, place: Any) -> Any:
    """A tile of the move: its letter, with BLANK_BIT if it is a blank; 0 behind the last."""
    return np.int64(m) >> (TILE_BITS * np.int64(place)) & 63


# The squares ----------------------------------------------------------------------------------------------------------


def letter_at(s: Any, square: Any) -> Any:
    """The letter on a square; 0 if it is empty."""
    return np.int64(s.board[square]) & 31


def points_at(s: Any, w: Any, square: Any) -> Any:
    """What the tile on a square counts; a blank nothing."""
    tile = np.int64(s.board[square])
    return np.int64(0) if tile & TAKEN != 0 else np.int64(w.points[tile])


def follow(graph: Any, node: Any, letter: Any) -> Any:
    """Where an arc leads; 0 if there is none, or nothing behind it."""
    arcs = np.int64(graph[node])
    if arcs >> letter & 1 == 0:
        return np.int64(0)
    return np.int64(graph[node + 2 + popcount(u64(arcs & ((np.int64(1) << letter) - 1)))])


def build_crosses(s: Any, w: Any, f: Any) -> None:
    """For every empty square: which letters fit between the tiles across the line, and the points of those tiles."""
    size = np.int64(w.width)
    graph = array_at(u64(w.graph_at), np.int64(w.graph_size), np.uint32)
    everything = (np.int64(1) << 32) - 2
    for down in range(2):
        step = np.int64(1) if down == 1 else size  # across the line
        for square in range(size * size):
            if s.board[square] != 0:
                continue
            place = square % size if down == 1 else square // size
            before = place > 0 and s.board[square - step] != 0
            behind = place + 1 < size and s.board[square + step] != 0
            if not before and not behind:
                f.crosses[down, square] = everything
                f.sides[down, square] = -1
                continue
            side = np.int64(0)
            node = np.int64(w.root)
            first: Any = square
            last: Any = square
            at: Any = square
            while place - (square - first) // step > 0 and s.board[first - step] != 0:
                first -= step
                side += points_at(s, w, first)
            while place + (last - square) // step + 1 < size and s.board[last + step] != 0:
                last += step
                side += points_at(s, w, last)
            f.sides[down, square] = side
            fits = np.int64(0)
            if not before:
                at = last  # all of it backwards; the letter in front ends the word
                while at > square and node != 0:
                    node = follow(graph, node, letter_at(s, at))
                    at -= step
                fits = np.int64(graph[node + 1]) if node != 0 else np.int64(0)
            else:
                at = square - step
                while at >= first and node != 0:
                    node = follow(graph, node, letter_at(s, at))
                    at -= step
                node = follow(graph, node, np.int64(0)) if node != 0 else node
                if node != 0 and not behind:
                    fits = np.int64(graph[node + 1])
                elif node != 0:
                    options = np.int64(graph[node]) & ~np.int64(1)
                    while options != 0:
                        letter = ctz(u64(options))
                        options &= options - 1
                        way = follow(graph, node, letter)
                        at = square + step
                        while at < last and way != 0:
                            way = follow(graph, way, letter_at(s, at))
                            at += step
                        if way != 0 and np.int64(graph[way + 1]) >> letter_at(s, last) & 1 != 0:
                            fits |= np.int64(1) << letter
            f.crosses[down, square] = fits & ~np.int64(1)


def set_line(s: Any, w: Any, f: Any, down: Any, line: Any) -> None:
    """Turn to a line of the board."""
    size = np.int64(w.width)
    f.down, f.line = down, line
    for place in range(size):
        square = place * size + line if down == 1 else line * size + place
        f.tiles[place] = letter_at(s, square)
        f.value[place] = points_at(s, w, square)
        f.cross[place] = f.crosses[down, square]
        f.side[place] = f.sides[down, square]
        f.letter_times[place] = w.letter_times[square]
        f.word_times[place] = w.word_times[square]


# The plays ------------------------------------------------------------------------------------------------------------


def prepare(s: Any, seat: Any, w: Any, f: Any) -> None:
    """Everything about the board and the rack of a seat."""
    f.width, f.graph_at, f.graph_size = w.width, w.graph_at, w.graph_size
    f.bonus, f.rack_size = w.bonus, w.rack_size
    for tile in range(32):
        f.rack[tile] = s.racks[seat, tile]
        f.points[tile] = w.points[tile]
        f.held += f.rack[tile]
        if tile > 0 and f.rack[tile] > 0:
            f.letters |= np.int64(1) << tile
    build_crosses(s, w, f)


def find(s: Any, w: Any, f: Any, out: Any) -> None:
    """Go through all lines and anchors."""
    size = np.int64(w.width)
    empty = True
    for square in range(size * size):
        if s.board[square] != 0:
            empty = False
            break
    for down in range(2):
        for line in range(size):
            if empty and line != size // 2:
                continue
            set_line(s, w, f, down, line)
            f.barrier = -1
            for place in range(size):
                if f.tiles[place] != 0:
                    continue
                beside = (
                    f.side[place] >= 0
                    or (place > 0 and f.tiles[place - 1] != 0)
                    or (place + 1 < size and f.tiles[place + 1] != 0)
                )
                if beside or (empty and place == size // 2):
                    f.anchor = place
                    extend(f, out, np.int64(place), np.int64(w.root), np.int64(0), np.int64(place), np.int64(0),
                           np.int64(0), np.int64(1), np.int64(0))  # fmt: skip
                    f.barrier = place


def extend(
    f: Any, out: Any, at: Any, node: Any, right: Any, start: Any, used: Any, points: Any, times: Any, across: Any
) -> None:
    """Go on at a square with an arc of the node: leftwards or, behind the anchor, to the right.

    `start` is where the word begins as far as is known, `used` counts tiles laid, `points` are those of the word before
    it is multiplied by `times`, `across` those of the words across the line.
    """
    graph = array_at(u64(f.graph_at), np.int64(f.graph_size), np.uint32)
    arcs = np.int64(graph[node])
    ends = np.int64(graph[node + 1])
    there = f.tiles[at]
    options = arcs & ~np.int64(1)
    if there != 0:
        options &= np.int64(1) << there
    else:
        options &= f.cross[at]
        if f.rack[0] == 0:
            options &= f.letters
    size = np.int64(f.width)
    clear_left = at == 0 or f.tiles[at - 1] == 0
    clear_right = at + 1 == size or f.tiles[at + 1] == 0
    behind = f.anchor + 1
    clear_behind = behind == size or f.tiles[behind] == 0
    while options != 0:
        letter = np.int64(ctz(u64(options)))
        options &= options - 1
        child = np.int64(graph[node + 2 + popcount(u64(arcs & ((np.int64(1) << letter) - 1)))])
        is_end = ends >> letter & 1 != 0
        for blank in range(2):
            tile = np.int64(0) if blank == 1 else letter
            now_used, now_points, now_times, now_across = used, points, times, across
            if there != 0:
                if blank == 1:
                    break
                now_points += f.value[at]
            else:
                if f.rack[tile] == 0:
                    continue
                f.rack[tile] -= 1
                f.left -= f.stride[tile]
                if blank == 0 and f.rack[tile] == 0:
                    f.letters &= ~(np.int64(1) << letter)
                worth = np.int64(0) if blank == 1 else f.points[letter] * f.letter_times[at]
                now_used += 1
                now_points += worth
                now_times *= f.word_times[at]
                if f.side[at] >= 0:
                    now_across += (f.side[at] + worth) * f.word_times[at]
                f.placed[at] = letter | (BLANK_BIT if blank == 1 else 0)
            if right == 0:
                if is_end and clear_left and clear_behind:
                    note_play(f, out, at, f.anchor, now_used, now_points * now_times + now_across)
                if child != 0:
                    if at > 0 and (not clear_left or at - 1 > f.barrier):
                        extend(f, out, at - 1, child, right, at - 1, now_used, now_points, now_times, now_across)
                    if clear_left and behind < size and np.int64(graph[child]) & 1 != 0:
                        turned = np.int64(graph[child + 2])
                        extend(f, out, behind, turned, np.int64(1), at, now_used, now_points, now_times, now_across)
            else:
                if is_end and clear_right:
                    note_play(f, out, start, at, now_used, now_points * now_times + now_across)
                if child != 0 and at + 1 < size:
                    extend(f, out, at + 1, child, right, start, now_used, now_points, now_times, now_across)
            if there == 0:
                f.rack[tile] += 1
                f.left += f.stride[tile]
                if blank == 0:
                    f.letters |= np.int64(1) << letter


def note_play(f: Any, out: Any, start: Any, end: Any, used: Any, points: Any) -> None:
    """A play has been found."""
    if f.down == 1 and used == 1 and f.side[f.anchor] >= 0:
        return  # found across already
    if f.only_best == 1:
        worth = points + (f.bonus if used == f.rack_size else 0)
        worth = 1000 * worth + f.worth[f.left]
        if worth <= f.best:
            return
        f.best = worth
        f.best_move = written(f, start, end)
        return
    if f.count < out.shape[0]:
        out[f.count] = written(f, start, end)
        f.count += 1


def written(f: Any, start: Any, end: Any) -> Any:
    """The play that lies now, as a number."""
    tiles, shift, first = np.int64(0), np.int64(0), np.int64(-1)
    for place in range(start, end + 1):
        if f.tiles[place] == 0:
            if first < 0:
                first = np.int64(place)
            tiles |= f.placed[place] << shift
            shift += TILE_BITS
    square = first * f.width + f.line if f.down == 1 else f.line * f.width + first
    return tiles | square << SQUARE_SHIFT | f.down << DOWN_SHIFT


def list_plays(s: Any, seat: Any, out: Any, w: Any) -> Any:
    """Write the plays of a seat, as many as there is room for, and return how many."""
    made = np.zeros(1, Finder)
    f = made[0]
    prepare(s, seat, w, f)
    find(s, w, f, out)
    return np.int64(f.count)


# The best -------------------------------------------------------------------------------------------------------------


def set_counts(f: Any, kinds: Any, kind_count: Any, number: Any, counts: Any) -> None:
    """How many tiles of each kind the set with this number has."""
    left = np.int64(number)
    for i in range(kind_count - 1, -1, -1):
        counts[i] = left // f.stride[kinds[i]]
        left %= f.stride[kinds[i]]


def best_play(s: Any, seat: Any, w: Any) -> Any:
    """The move with the most points and value of the tiles that stay: a play, an exchange, or the pass."""
    made = np.zeros(1, Finder)
    f = made[0]
    prepare(s, seat, w, f)
    bag = np.int64(s.bag_size)
    f.only_best = 1
    # Every set of tiles that could stay has a number; with an empty bag what stays counts against the mover.
    kinds = np.zeros(16, np.int64)
    kind_count, sets = 0, np.int64(1)
    for tile in range(32):
        if f.rack[tile] > 0:
            f.stride[tile] = sets
            sets *= f.rack[tile] + 1
            kinds[kind_count] = tile
            kind_count += 1
    rest = np.zeros(16, np.int64)
    for number in range(sets):
        set_counts(f, kinds, kind_count, number, rest)
        f.worth[number] = leave_value(kinds, rest, kind_count, bag, w)
    f.left = sets - 1
    f.best_move = PASS
    f.best = f.worth[sets - 1]
    if bag >= w.exchange_least:
        for number in range(sets - 1):
            if f.worth[number] > f.best:
                f.best = f.worth[number]
                set_counts(f, kinds, kind_count, number, rest)
                tiles, shift = np.int64(0), np.int64(0)
                for i in range(kind_count):
                    for _ in range(f.rack[kinds[i]] - rest[i]):
                        tiles |= (kinds[i] if kinds[i] > 0 else np.int64(BLANK_BIT)) << shift
                        shift += TILE_BITS
                f.best_move = tiles | EXCHANGE
    nobody = np.zeros(1, np.int64)
    find(s, w, f, nobody)
    return np.int64(f.best_move)


# Scoring and judging one move -----------------------------------------------------------------------------------------


def move_points(s: Any, m: Any, w: Any) -> Any:
    """The points of a play on the board as it is before it."""
    size = np.int64(w.width)
    square, down = square_of(m), np.int64(m) >> DOWN_SHIFT & 1
    step, aside = (size, np.int64(1)) if down == 1 else (np.int64(1), size)
    along = square // size if down == 1 else square % size
    points, times, across, used = np.int64(0), np.int64(1), np.int64(0), np.int64(0)
    length = np.int64(0)
    at, place = square, along
    while place > 0 and s.board[at - step] != 0:
        at -= step
        place -= 1
        points += points_at(s, w, at)
        length += 1
    at, place = square, along
    while place < size and (s.board[at] != 0 or (used < w.rack_size and tile_in(m, used) != 0)):
        length += 1
        if s.board[at] != 0:
            points += points_at(s, w, at)
        else:
            tile = tile_in(m, used)
            used += 1
            worth = np.int64(0) if tile & BLANK_BIT != 0 else np.int64(w.points[tile]) * np.int64(w.letter_times[at])
            points += worth
            times *= np.int64(w.word_times[at])
            beside = across_points(s, at, aside, size, w)
            if beside >= 0:
                across += (beside + worth) * np.int64(w.word_times[at])
        at += step
        place += 1
    total = across + (points * times if length > 1 else np.int64(0))
    return total + (np.int64(w.bonus) if used == w.rack_size else np.int64(0))


def across_points(s: Any, square: Any, aside: Any, size: Any, w: Any) -> Any:
    """The points of the tiles beside a square, across the line; −1 if there are none."""
    place = square % size if aside == 1 else square // size
    found, points = False, np.int64(0)
    at, here = square - aside, place - 1
    while here >= 0 and s.board[at] != 0:
        found = True
        points += points_at(s, w, at)
        at -= aside
        here -= 1
    at, here = square + aside, place + 1
    while here < size and s.board[at] != 0:
        found = True
        points += points_at(s, w, at)
        at += aside
        here += 1
    return points if found else np.int64(-1)


def word_holds(s: Any, square: Any, step: Any, w: Any) -> Any:
    """Whether the word through a square that is not empty, along `step`, is in the lexicon; one letter is no word."""
    size = np.int64(w.width)
    graph = array_at(u64(w.graph_at), np.int64(w.graph_size), np.uint32)
    place = square % size if step == 1 else square // size
    first, last = np.int64(square), np.int64(square)
    here = place
    while here > 0 and s.board[first - step] != 0:
        first -= step
        here -= 1
    here = place
    while here + 1 < size and s.board[last + step] != 0:
        last += step
        here += 1
    if first == last:
        return True
    node, at = np.int64(w.root), last
    while at > first:
        node = follow(graph, node, letter_at(s, at))
        if node == 0:
            return False
        at -= step
    return np.int64(graph[node + 1]) >> letter_at(s, first) & 1 != 0
