"""Makes the table of chess openings from the files of the project lichess-org/chess-openings.

    git clone https://github.com/lichess-org/chess-openings
    python scripts/chess_openings.py chess-openings

The folder holds a.tsv to e.tsv: code, name and moves of every opening (public domain, released under CC0). Written is
src/gametree/knowledge/data/chess_openings.tsv, sorted by code and moves, with the key of each position.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from gametree import load_game
from gametree.core.files import read_text, write_atomically
from gametree.games.chess.polyglot import keys_of

TARGET = Path(__file__).resolve().parent.parent / "src" / "gametree" / "knowledge" / "data" / "chess_openings.tsv"
COMMENT = (
    "# Openings of chess: key, ECO code, name, moves. From lichess-org/chess-openings (CC0), by chess_openings.py.\n"
)


def main(folder: str) -> int:
    """Write the table and say how large it is."""
    game = load_game("chess")
    rows: dict[int, tuple[str, str, str]] = {}
    for letter in "abcde":
        for line in read_text(Path(folder) / f"{letter}.tsv").splitlines()[1:]:
            code, name, pgn = line.split("\t")
            moves = re.sub(r"\d+\.+\s*", "", pgn)
            key = keys_of(game, game.state_from_text(f"startpos moves {moves}"))[0]
            # Two rows for one position: the one with fewer moves.
            if key not in rows or len(moves) < len(rows[key][2]):
                rows[key] = (code, name, moves)
    ordered = sorted(rows.items(), key=lambda row: (row[1][0], row[1][2]))
    write_atomically(TARGET, COMMENT + "".join(f"{key:016x}\t{chr(9).join(row)}\n" for key, row in ordered))
    print(f"{len(ordered)} openings with {len({row[0] for row in rows.values()})} codes.")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
