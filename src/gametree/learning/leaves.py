"""What tiles that stay on the rack are worth, learned from self-play.

Source: Sheppard, "World-championship-caliber Scrabble" (2002), for learning leaves from games of the program against
itself; hill-climbing by generations as MAGPIE does it.

    V ← 0
    for each generation
        play games in which everyone takes the move with the most points + V(tiles that stay)
        at each turn note the rack and how much more than usual its best move was worth by that sum
        V ← the least-squares fit of that surplus over sets of tiles that the racks contain

V is a sum: for each kind of tile by how many of it stay, for each pair of different tiles, and for how many vowels and
how many other letters there are. So a few hundred numbers stand for all sets, and rare ones borrow from common ones.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from gametree.kernels.hashing import more_bits
from gametree.kernels.verbs import initial, is_over, move_key, play, player, playout_move, roll

__all__ = ["compare_weights", "learn_leaves"]

RIDGE_ONE, RIDGE_TWO, RIDGE_BALANCE = 20.0, 200.0, 200.0
"""How much evidence it takes to believe in a number: so many samples count as being worth nothing."""
MOST_ALIKE = 3
"""More tiles of a kind count as so many."""
BUCKET = 8
"""How much a move is usually worth is told by the tiles in the bag, in steps of so many."""


def play_and_note(
    states: Any, seeds: Any, racks: Any, worths: Any, bags: Any, out: Any, weights: Any, notes: Any
) -> Any:
    """Play a game for each seed; note the rack, the worth of the best move and the bag of each turn; return a count."""
    count = 0
    w = weights[0]
    s = states[1]
    for number in range(seeds.shape[0]):
        states[1] = states[0]
        initial(s, w)
        throw = 0
        while not is_over(s, out, w) and count < worths.shape[0]:
            if player(s, w) < 0:
                throw += 1
                play(s, roll(s, more_bits(seeds[number], throw), w), w)
                continue
            m = playout_move(s, np.uint64(0), out, w)
            for tile in range(racks.shape[1]):
                racks[count, tile] = s.racks[s.seat, tile]
            worths[count] = move_key(s, m, w, notes[0])
            bags[count] = s.bag_size
            count += 1
            play(s, m, w)
    return count


def play_pairs(states: Any, seeds: Any, values: Any, turns: Any, out: Any, weights: Any) -> None:
    """For each seed two games with the same draws: seat k thinks with weights k, then with the other's; scores."""
    s = states[1]
    for number in range(seeds.shape[0]):
        for swap in range(2):
            states[1] = states[0]
            initial(s, weights[0])
            throw = 0
            while not is_over(s, out, weights[0]):
                seat = player(s, weights[0])
                if seat < 0:
                    throw += 1
                    play(s, roll(s, more_bits(seeds[number], throw), weights[0]), weights[0])
                    continue
                own = weights[1] if (seat + swap) % 2 == 1 else weights[0]
                play(s, playout_move(s, np.uint64(0), out, own), own)
                turns[0] += 1
            values[number, swap, 0] = s.scores[swap]
            values[number, swap, 1] = s.scores[1 - swap]


def compare_weights(game: Any, one: Any, other: Any, *, pairs: int, seed: int = 0) -> tuple[Any, int]:
    """Let the game's policy play against itself with two kinds of weights, each draw of tiles twice with seats changed.

    Returns the scores, an array [pair, game, side], and how many turns there were.
    """
    rng = random.Random(seed)
    seeds = np.array([rng.getrandbits(64) for _ in range(pairs)], np.uint64)
    values, turns = np.zeros((pairs, 2, 2), np.int64), np.zeros(1, np.int64)
    states = np.zeros(2, game.rules.state_type)
    both = np.concatenate([one, other])
    game.rules.kernel(play_pairs)(states, seeds, values, turns, np.zeros(1, np.int64), both)
    return values, int(turns[0])


def learn_leaves(
    game: Any,
    *,
    games: int = 3000,
    generations: int = 3,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Leave values in thousandths of a point, as `games/scrabble/weights.py` reads them."""
    tiles = game.tiles
    leaves: dict[str, Any] = {"one": {}, "two": {}, "balance": []}
    rng = np.random.default_rng(seed)
    for generation in range(generations):
        game.set_leaves(leaves)
        racks, worths = _turns(game, games, rng)
        leaves = _fit(tiles, racks, worths, rng)
        if progress is not None:
            progress(generation + 1, len(racks))
    game.set_leaves(leaves)
    return leaves


def _turns(game: Any, games: int, rng: Any) -> tuple[Any, Any]:
    """Racks of self-play, and in points by how much their best move was above what is usual then."""
    most = 60 * games
    racks, worths, bags = np.zeros((most, 32), np.uint8), np.zeros(most, np.int64), np.zeros(most, np.int64)
    seeds = rng.integers(0, 1 << 63, games, dtype=np.uint64)
    notes = np.zeros(1, game.rules.note_type)
    count = game.rules.kernel(play_and_note)(
        np.zeros(2, game.rules.state_type), seeds, racks, worths, bags, np.zeros(1, np.int64), game.w, notes
    )
    racks, values, bags = racks[:count], worths[:count] / 1000, bags[:count]
    early = bags >= game.w[0]["exchange_least"]
    racks, values, bags = racks[early], values[early], bags[early] // BUCKET
    usual = np.bincount(bags, values) / np.maximum(1, np.bincount(bags))
    return racks, values - usual[bags]


def _fit(tiles: Any, racks: Any, surplus: Any, rng: Any) -> dict[str, Any]:
    """Least squares over one set of each size from one to six tiles out of every rack."""
    kinds = len(tiles.counts)
    pair_of = {pair: place for place, pair in enumerate((i, j) for i in range(kinds) for j in range(i))}
    first_two = kinds * MOST_ALIKE
    first_balance = first_two + len(pair_of)
    width = first_balance + 64
    ridge = np.full(width, RIDGE_ONE)
    ridge[first_two:first_balance] = RIDGE_TWO
    ridge[first_balance:] = RIDGE_BALANCE
    lefts, rights = (np.array(side) for side in zip(*pair_of, strict=True))
    vowels = np.array([tile > 0 and tiles.letters[tile - 1] in "AEIOUÄÖÜ" for tile in range(kinds)])
    normal, target = np.zeros((width, width)), np.zeros(width)
    for begin in range(0, len(racks), 20_000):
        some, value = racks[begin : begin + 20_000], surplus[begin : begin + 20_000]
        for size in range(1, 7):
            kept = _subsets(some, size, kinds, rng)
            rows = np.zeros((len(kept), width), np.float32)
            for count in range(1, MOST_ALIKE + 1):
                there = np.minimum(kept, MOST_ALIKE) == count
                rows[:, count - 1 : first_two : MOST_ALIKE] = there
            rows[:, first_two:first_balance] = (kept[:, lefts] > 0) & (kept[:, rights] > 0)
            a = kept[:, vowels].sum(axis=1)
            b = kept[:, 1:].sum(axis=1) - a
            rows[np.arange(len(kept)), first_balance + 8 * a + b] = 1
            normal += rows.T @ rows
            target += rows.T @ value
    found = np.linalg.solve(normal + np.diag(ridge), target) * 1000
    one = {
        tiles.text(tile): [round(float(value)) for value in found[tile * MOST_ALIKE :][: min(MOST_ALIKE, count)]]
        for tile, count in enumerate(tiles.counts)
    }
    two = {tiles.text(i) + tiles.text(j): round(float(found[first_two + place])) for (i, j), place in pair_of.items()}
    balance = [[round(float(found[first_balance + 8 * a + b])) for b in range(8)] for a in range(8)]
    return {"one": one, "two": two, "balance": balance}


def _subsets(racks: Any, size: int, kinds: int, rng: Any) -> Any:
    """So many tiles out of each rack, all choices being equally likely; racks that are too small give all they have."""
    held = racks[:, :kinds].astype(np.int64)
    places = np.cumsum(held, axis=1)
    kept = np.zeros_like(held)
    order = np.argsort(rng.random((len(racks), 7)), axis=1)[:, :size]
    for column in range(size):
        tile = (places <= order[:, column][:, None]).sum(axis=1)
        real = tile < kinds
        kept[np.flatnonzero(real), tile[real]] += 1
    return kept
