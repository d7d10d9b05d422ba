"""EPD: a position in four fields and operations behind it, one per line.

    2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "WAC.001";

Operands are words or quoted strings. `bm`, `am` and `pv` hold moves, `id` a name, `hmvc` and `fmvn` the half-move clock
and the number of the move. The game must offer `fen`, and `san` where operands are read as moves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.format import Format
from gametree.core.game import Game

__all__ = ["Epd", "offer", "read_epd", "read_epd_lines", "write_epd"]

_OPERAND = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";]+)|(;))')
_OPCODE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,14}")


@dataclass
class Epd:
    """A position and its operations, each with a list of operands."""

    state: Any
    operations: dict[str, list[str]] = field(default_factory=dict)

    def moves(self, game: Game[Any, Any], opcode: str) -> list[Any]:
        """The operands of an operation as moves in the position, such as the best moves of `bm`. Raises IllegalMove."""
        return [game.formats["san"].read(self.state, text) for text in self.operations.get(opcode, ())]


def read_epd(game: Game[Any, Any], line: str) -> Epd:
    """Read one line. Raises BadInput, naming the field or the operation."""
    words = line.split(None, 4)
    if len(words) < 4:
        raise BadInput(f"'{line.strip()[:80]}' is not an EPD: expected four fields of a position, then operations.")
    # A FEN with both its numbers passes for an EPD without operations.
    rest = words[4] if len(words) == 5 else ""
    numbers = re.match(r"(\d+)\s+(\d+)\s*(?:$|(?=[A-Za-z]))", rest)
    operations = _read_operations(rest[numbers.end() :] if numbers else rest)
    clock = operations.get("hmvc", [numbers[1] if numbers else "0"])
    number = operations.get("fmvn", [numbers[2] if numbers else "1"])
    if len(clock) != 1 or len(number) != 1:
        raise BadInput(f"The EPD operations hmvc {clock} and fmvn {number} are not possible; expected one number each.")
    state = game.state_from_text(" ".join([*words[:4], clock[0], number[0]]))
    return Epd(state, operations)


def _read_operations(text: str) -> dict[str, list[str]]:
    operations: dict[str, list[str]] = {}
    place = 0
    while text[place:].strip():
        opcode = _OPCODE.match(text, place + len(text[place:]) - len(text[place:].lstrip()))
        if opcode is None:
            raise BadInput(f"'{text[place:].strip()[:40]}' is not an EPD operation; expected a name, operands and ';'.")
        place = opcode.end()
        operands = []
        while True:
            found = _OPERAND.match(text, place)
            if found is None:
                rest = text[place:].strip()
                if rest:
                    raise BadInput(
                        f"The EPD operation {opcode[0]} has {rest[:40]}, which is not closed; expected '\"'."
                    )
                raise BadInput(f"The EPD operation {opcode[0]} does not end; expected ';' behind it.")
            place = found.end()
            if found[3]:
                break
            operands.append(re.sub(r"\\(.)", r"\1", found[1]) if found[1] is not None else found[2])
        operations[opcode[0]] = operands
    return operations


def read_epd_lines(game: Game[Any, Any], lines: Iterable[str]) -> Iterator[Epd]:
    """Read a file's lines; empty ones and those that begin with # are passed over. Raises BadInput, naming the line."""
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                yield read_epd(game, line)
            except BadInput as error:
                raise BadInput(f"Line {number}: {error}") from error


def write_epd(game: Game[Any, Any], epd: Epd) -> str:
    """One line; operands that are not single words are quoted. The clock is written as hmvc if it is not 0."""
    pieces = game.formats["fen"].write(epd.state).split()
    operations = dict(epd.operations)
    if pieces[4] != "0":
        operations["hmvc"] = [pieces[4]]
    if pieces[5] != "1":
        operations["fmvn"] = [pieces[5]]
    texts = [
        " ".join([opcode, *(_quote(opcode, operand) for operand in operands)]) + ";"
        for opcode, operands in operations.items()
    ]
    return " ".join([*pieces[:4], *texts])


def _quote(opcode: str, operand: str) -> str:
    """Names and comments are strings; elsewhere only what is not one word is quoted."""
    if re.fullmatch(r"[\w=+#/.-]+", operand) and not re.fullmatch("id|c[0-9]", opcode):
        return operand
    escaped = operand.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _read_state(game: Game[Any, Any], line: str) -> Any:
    return read_epd(game, line).state


def _write_state(game: Game[Any, Any], state: Any) -> str:
    return write_epd(game, Epd(state))


def offer(game: Game[Any, Any]) -> Format:
    """The notation for this game: a position without operations but for its clock and number."""
    return Format("position", "EPD", partial(_write_state, game), partial(_read_state, game), ".epd")
