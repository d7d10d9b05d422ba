"""Games and positions whose result is known, from files: what a tuner learns from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.formats.epd import read_epd
from gametree.formats.pgn import read_games
from gametree.kernels.compiled_game import CompiledGame

__all__ = ["read_labelled"]

_SCORES = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}


def read_labelled(game: CompiledGame, path: Path) -> Iterator[tuple[Any, Any, float] | str]:
    """Every game of a PGN file: its first struct, its moves and seat 0's score; what is wrong where it is broken.

    A file that ends in .epd holds positions instead, which have no moves, with the result, or seat 0's expected score
    between 0 and 1, as operation c9. Raises BadInput if there is no such file.
    """
    try:
        file = path.open(encoding="utf-8", errors="replace")
    except OSError as error:
        raise BadInput(f"'{path}' cannot be read: {error.strerror or error}.") from None
    with file:
        if path.suffix.lower() == ".epd":
            yield from _read_positions(game, file)
            return
        for found in read_games(file):
            if found.result not in _SCORES:
                yield f"The game at line {found.line} has the result '{found.result}'."
                continue
            moves = found.main_line(game)
            if found.error or not moves:
                yield f"The game at line {found.line} is broken: {found.error or 'it has no moves.'}"
                continue
            yield game.structs(found.start(game)), np.array(moves, np.int64), _SCORES[found.result]


def _read_positions(game: CompiledGame, lines: Iterable[str]) -> Iterator[tuple[Any, Any, float] | str]:
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            epd = read_epd(game, line)
            score = _read_score(epd.operations.get("c9", []))
        except BadInput as error:
            yield f"Line {number}: {error}"
            continue
        yield game.structs(epd.state), np.zeros(0, np.int64), score


def _read_score(operands: list[str]) -> float:
    """White's score: a result, or a number between 0 and 1. Raises BadInput."""
    text = " ".join(operands)
    if text in _SCORES:
        return _SCORES[text]
    if not re.fullmatch(r"1(\.0*)?|0?(\.\d*)?", text) or not text.strip("."):
        raise BadInput(f"The EPD operation c9 is '{text}'; expected 1-0, 1/2-1/2, 0-1 or a number between 0 and 1.")
    return float(text)
