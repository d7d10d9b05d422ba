"""Double dummy against DDS, the C++ solver of most bridge programs: the same random deals by turns, one thread each.

    python bench/bridge/double_dummy.py LIBDDS [--deals 100] [--cards 13] [--seed 1]

LIBDDS is a shared library of DDS 2.9 (Debian's libdds0, or the one in the package endplay). Every table is compared;
times are CPU seconds. With fewer `--cards` the deals are endings.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import statistics
import time

from gametree.games.bridge.cards import deal_text
from gametree.games.bridge.solver import Solver


class _Deal(ctypes.Structure):
    _fields_ = (("cards", ctypes.c_char * 80),)


class _Table(ctypes.Structure):
    _fields_ = (("tricks", (ctypes.c_int * 4) * 5),)


def main() -> None:
    """Run both and print one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--cards", type=int, default=13)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    other = ctypes.CDLL(options.library)
    other.SetMaxThreads(1)
    other.CalcDDtablePBN.argtypes = [_Deal, ctypes.POINTER(_Table)]
    solver = Solver()
    solver.table(_random_deal(random.Random(0), 4))  # compiles
    rng = random.Random(options.seed)
    times: list[tuple[float, float]] = []
    differences = 0
    for _ in range(options.deals):
        hands = _random_deal(rng, options.cards)
        began = time.process_time()
        mine = solver.table(hands)
        middle = time.process_time()
        table = _Table()
        if other.CalcDDtablePBN(_Deal(deal_text(hands).encode()), ctypes.byref(table)) != 1:
            raise SystemExit("DDS refused a deal.")
        times.append((middle - began, time.process_time() - middle))
        theirs = [table.tricks[strain][seat] for strain in range(5) for seat in range(4)]
        if mine != theirs:
            differences += 1
            print(deal_text(hands), mine, theirs)
    own, dds = (sum(column) for column in zip(*times, strict=True))
    ratios = [theirs / mine for mine, theirs in times]
    print(
        f"{options.deals} deals of {options.cards} cards: {options.deals / own:.2f} tables/s, DDS "
        f"{options.deals / dds:.2f}, ratio {dds / own:.2f} (median of deals {statistics.median(ratios):.2f}, worst "
        f"{min(ratios):.2f}); {differences} tables differ",
        flush=True,
    )
    os._exit(1 if differences else 0)  # DDS may crash when its threads are ended


def _random_deal(rng: random.Random, cards: int) -> list[int]:
    pack = rng.sample(range(52), 4 * cards)
    return [sum(1 << card // 13 * 16 + card % 13 for card in pack[cards * k : cards * (k + 1)]) for k in range(4)]


if __name__ == "__main__":
    main()
