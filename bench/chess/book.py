"""Building an opening book: games per second, and the same book as Polyglot's own `make-book`.

    python bench/chess/book.py GAMES.pgn [--max-ply 40] [--min-games 3] [--polyglot PATH]

CPU time of one process, from the first byte of the PGN to the finished book; compiling is not counted. Exit code 0 if
145,716 games would take less than 180 s at this speed, 1 if not, 2 if the PGN cannot be read. With Polyglot, both build
a book from the finished games of the PGN, and the exit code is 2 if a single entry differs. Left out are the few
positions with a move of more than 16,383 games: there Polyglot halves its counters, and small weights are lost.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gametree import GametreeError, load_game
from gametree.formats.pgn import read_games
from gametree.knowledge.book import book_bytes
from gametree.knowledge.build import BookBuilder, select
from gametree.knowledge.records import Tally, add_files

GAMES, SECONDS = 145_716, 180.0
MOST_COUNTED = 16_383
"""Games of a move beyond which Polyglot's counters overflow."""


def ours(pgn: Path, max_ply: int, min_games: int) -> tuple[bytes, Tally, float, set[bytes]]:
    """The book, what was read, the CPU seconds, and the keys that Polyglot cannot count."""
    game = load_game("chess")
    began = time.process_time()
    builder = BookBuilder(game, max_ply=max_ply)
    tally = add_files(builder, [pgn])
    statistics = builder.statistics()
    book = book_bytes(select(statistics, min_games=min_games), game)
    seconds = time.process_time() - began
    crowded = statistics["key"][statistics["games"] > MOST_COUNTED].tolist()
    return book, tally, seconds, {key.to_bytes(8, "big") for key in crowded}


def theirs(program: str, pgn: Path, target: Path, max_ply: int, min_games: int) -> tuple[bytes, float]:
    """Polyglot's book and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    limits = ["-max-ply", str(max_ply), "-min-game", str(min_games)]
    command = [program, "make-book", "-pgn", str(pgn), "-bin", str(target), *limits]
    subprocess.run(command, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return target.read_bytes(), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def entries(book: bytes, besides: set[bytes]) -> set[bytes]:
    return {book[i : i + 16] for i in range(0, len(book), 16) if book[i : i + 8] not in besides}


def finished(pgn: Path, target: Path) -> None:
    """Write the games that have a result and moves; Polyglot takes the others for draws."""
    with pgn.open(encoding="utf-8", errors="replace") as lines, target.open("w", encoding="utf-8") as out:
        for game in read_games(lines):
            if game.result != "*" and len(game.text.split()) > 1:
                out.write(f'[Event "?"]\n[Result "{game.result}"]\n\n{game.text.strip()}\n\n')


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pgn", type=Path)
    parser.add_argument("--max-ply", type=int, default=40)
    parser.add_argument("--min-games", type=int, default=3)
    parser.add_argument("--polyglot", help="Polyglot's program, to compare books and times")
    options = parser.parse_args()
    limits = (options.max_ply, options.min_games)
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.pgn"
        small.write_text('[Result "1-0"]\n\n1. e4 1-0\n', encoding="utf-8")
        try:
            ours(small, 1, 1)  # compile
            book, tally, seconds, _ = ours(options.pgn, *limits)
        except GametreeError as error:
            print(error)
            return 2
        read = tally.games + tally.unfinished + tally.broken
        print(
            f"{read:,} games read, {tally.games:,} counted, {tally.unfinished:,} without a result, {tally.broken:,} "
            f"broken; {len(book) // 16:,} entries in {seconds:.1f} s of CPU time, {read / seconds:,.0f} games/s"
        )
        if options.polyglot:
            finished(options.pgn, small)
            book, _, mine, besides = ours(small, *limits)
            other, spent = theirs(options.polyglot, small, Path(folder) / "polyglot.bin", *limits)
            same = entries(book, besides) == entries(other, besides)
            print(
                f"finished games: {len(book) // 16:,} entries in {mine:.1f} s; Polyglot {len(other) // 16:,} in "
                f"{spent:.1f} s; the books are {'equal' if same else 'different'}, {len(besides)} positions left out"
            )
            if not same:
                return 2
    return 0 if read / seconds > GAMES / SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
