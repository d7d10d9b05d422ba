"""SGF, the Smart Game Format (Hollosi 1999): games of Go, Othello, Hex and Havannah.

    (;GM[1]SZ[9]KM[7.5]PB[black]PW[white]RE[W+R];B[ee];W[cc];B[](;W[gg])(;W[cg]))

A node is a list of properties; a point is two letters, column and row from the top left. What is read: size, komi, who
played and won, stones that are set up before the first move (AB, AW, AE, PL), moves, passes (`B[]`, and `B[tt]` on
boards up to 19), comments, and any other property of the first node as a tag; of variations the main line, which is
always the first. Black is seat 0.

In Hex and Havannah cells are written by their names, as HexGui and Morat do; White is seat 0 in Havannah. Also read are
games of the server Little Golem: there the two letters of a point are used, White begins in Hex too, and `swap` stands
for the swap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gametree.core.errors import BadInput, GametreeError
from gametree.core.format import Format, Record
from gametree.core.game import Game
from gametree.core.scene import scene
from gametree.formats._common import start_of

__all__ = ["GAMES", "SgfGame", "offer", "split", "write"]

GAMES: dict[str, int | str] = {"go": 1, "othello": 2, "hex": 11, "havannah": "havannah"}
"""The games that are read and written here, with the numbers that the format gives them (property GM); it has none for
Havannah, where the name is usual."""
_NAMED = ("11", "havannah")
"""Games whose cells are written by their names."""
_USUAL_SIZES = {"1": "19", "2": "8", "11": "11", "havannah": "8"}
_COLORS = "BW"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_TOKEN = re.compile(r"\s+|[();]|([A-Za-z]+)(?=\s*\[)|\[((?:\\.|[^\]\\])*)\]", re.DOTALL)
_HEADER = {"FF", "GM", "CA", "AP", "SZ", "KM", "PB", "PW", "RE", "DT", "C", "AB", "AW", "AE", "PL", "B", "W"}
"""Properties of the first node that have a place of their own in a record."""
_RULES = "Chinese"
"""The rules that a game of Go is written with if it does not say others: area counts."""
_ENDS = {"R": "resigned", "RESIGN": "resigned", "T": "time", "TIME": "time", "F": "illegal", "FORFEIT": "illegal"}


@dataclass
class _Node:
    """Properties with their values, and where the node begins."""

    line: int
    values: dict[str, list[str]] = field(default_factory=dict)

    def moves(self) -> list[str]:
        """The moves of both colours, as they are written."""
        return [self.values[color][0] for color in _COLORS if self.values.get(color)]

    def get(self, name: str, usual: str = "") -> str:
        """The first value of a property, as text."""
        return _plain(self.values[name][0]) if name in self.values else usual


def _plain(text: str) -> str:
    """Text without its escapes; an escaped line break joins lines."""
    return re.sub(r"\\(\r\n|\n\r|.)", lambda found: "" if found[1][0] in "\r\n" else found[1], text, flags=re.DOTALL)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")


@dataclass
class SgfGame:
    """The main line of one tree of a file. `error` says in one sentence what is wrong with its text."""

    nodes: list[_Node] = field(default_factory=list)
    line: int = 1
    error: str = ""

    @property
    def _root(self) -> _Node:
        return self.nodes[0] if self.nodes else _Node(self.line)

    @property
    def game(self) -> str:
        """The game with the size and komi that the first node states; empty if it is none that is known here."""
        name = {str(number): name for name, number in GAMES.items()}.get(self.number, "")
        try:
            columns, rows = self._size()
            komi = self._komi()
        except BadInput:
            return ""
        if not name:
            return ""
        size = f"{rows}x{columns}" if rows != columns else f"{rows}"
        swapped = any(value.strip().startswith("swap") for node in self.nodes for value in node.moves())
        more = f",komi={komi:g}" if komi is not None and name == "go" else ",swap=true" if swapped else ""
        return f"{name}:size={size}{more}"

    @property
    def title(self) -> str:
        """Who played and who won."""
        return f"{self._root.get('PB', '?')} – {self._root.get('PW', '?')}, {self._root.get('RE', '?')}"

    def _size(self) -> tuple[int, int]:
        """Columns and rows. Raises BadInput."""
        usual = _USUAL_SIZES.get(self.number, "8")
        found = re.fullmatch(r"\s*(\d{1,3})\s*(?::\s*(\d{1,3})\s*)?", self._root.get("SZ", usual))
        if found is None:
            raise BadInput(f"SZ[{self._root.get('SZ')[:20]}] is no size of a board; expected a number such as 19.")
        return int(found[1]), int(found[2] or found[1])

    def _komi(self) -> float | None:
        """None if it is not stated. Raises BadInput."""
        text = self._root.get("KM").strip()
        if text and not re.fullmatch(r"[+-]?\d{1,4}(\.\d*)?", text):
            raise BadInput(f"KM[{text[:20]}] is no komi; expected a number such as 7.5.")
        return float(text) if text else None

    @property
    def number(self) -> str:
        """The number that the format gives to the game; Go's if nothing is said, but for events of Little Golem."""
        event = re.match("(hex|havannah)", self._root.get("EV"), re.IGNORECASE)
        usual = str(GAMES[event[1].lower()]) if event else "1"
        return self._root.get("GM", usual).strip().lower()

    def colors(self, game: Game[Any, Any]) -> str:
        """The letters of seats 0 and 1."""
        if self.number in _NAMED and "GM" not in self._root.values:
            return "WB"
        return _colors(game)

    def record(self, game: Game[Any, Any], number: int | str | None = None) -> Record:
        """The main line by the rules of the game, whose number in the format this must be, if one is given."""
        root = self._root
        known: dict[str, Any] = {
            "game": self.game,
            "players": tuple(root.get(f"P{color}", "?") for color in self.colors(game))
            if {"PB", "PW"} & set(root.values)
            else (),
            "date": root.get("DT"),
            "tags": {
                name: root.get(name)
                for name in root.values
                if name not in _HEADER and (name, root.get(name)) != ("RU", _RULES)
            },
        }
        reader = _Reader(self, game)
        if self.error:
            return Record(line=self.line, error=self.error, **known)
        try:
            if number is not None and self.number != str(number):
                raise BadInput(f"GM[{self.number[:20]}] is not {game.name}; expected GM[{number}].")
            reader.read()
        except GametreeError as error:
            known["error"], self.line = " ".join(str(error).split()), reader.line
        known["utilities"], known["reason"] = _read_result(game, root.get("RE"), self.colors(game))
        position = None if reader.position is None else game.state_text(game.state_from_text(reader.position))
        return Record(
            position=position,
            moves=tuple(reader.moves),
            actions=tuple(reader.actions),
            comments=reader.comments,
            line=self.line,
            **known,
        )


class _Reader:
    """Plays the nodes of a game."""

    def __init__(self, source: SgfGame, game: Game[Any, Any]) -> None:
        self._source, self._game = source, game
        self.line = source.line
        self.position: str | None = None
        self.moves: list[str] = []
        self.actions: list[Any] = []
        self.comments: dict[int, str] = {}
        self._cells: tuple[str, ...] = ()
        self._columns = self._rows = 0
        self._colors = source.colors(game)
        self._state: Any = None

    def read(self) -> None:
        """Raises BadInput, IllegalMove; `line` is then where it went wrong."""
        game = self._game
        self._cells, self._columns, self._rows = _grid(game)
        columns, rows = self._source._size()
        expected = (game.board_size,) * 2 if game.board_size is not None else (self._columns, self._rows)
        if (columns, rows) != expected:
            board = f"{rows} × {columns}, but that of {game.name} is {expected[1]} × {expected[0]}"
            raise BadInput(f"The board is {board}; expected one of the same size.")
        self._source._komi()
        stones: dict[int, int] = {}
        turn = ""
        self._state = game.initial()
        for node in self._source.nodes:
            self.line = node.line
            if {"AB", "AW", "AE"} & set(node.values):
                if self.moves:
                    raise BadInput("Stones are set up behind the first move; expected them before it.")
                self._set_up(node, stones)
            turn = node.get("PL", turn).strip().upper()[:1]
            said = [color for color in self._colors if color in node.values]
            if said and not self.moves and (stones or turn):
                self._begin(stones, turn or said[0])
                stones, turn = {}, ""
            for color in said:
                if self._source.number not in _NAMED or node.get(color).strip().lower() not in ("resign", "forfeit"):
                    self._play(color, node.get(color).strip())
            if node.get("C"):
                spoken = self.comments.get(len(self.moves), "")
                self.comments[len(self.moves)] = f"{spoken}\n{node.get('C')}" if spoken else node.get("C")
        if stones or turn:
            # Where nobody has moved and nobody is named, it is White's turn after a handicap.
            handicap = bool(stones) and set(stones.values()) == {0}
            self._begin(stones, turn or self._colors[handicap])

    def _point(self, text: str) -> int:
        """The number of a cell. Raises BadInput."""
        if self._source.number in _NAMED and re.search(r"\d", text):
            if text.lower() not in self._cells:
                raise BadInput(f"'{text[:20]}' is no cell of this board.")
            return self._cells.index(text.lower())
        column, row = (_LETTERS.find(letter) for letter in text) if len(text) == 2 else (-1, -1)
        if not (0 <= column < self._columns and 0 <= row < self._rows):
            raise BadInput(f"'{text[:20]}' is no point of a board of {self._rows} × {self._columns}.")
        return row * self._columns + column

    def _set_up(self, node: _Node, stones: dict[int, int]) -> None:
        """Put stones on cells, or take them off; `aa:cc` is a rectangle. Raises BadInput."""
        for name, seat in ((f"A{self._colors[0]}", 0), (f"A{self._colors[1]}", 1), ("AE", -1)):
            for text in node.values.get(name, ()):
                first, _, last = text.strip().partition(":")
                one, other = self._point(first), self._point(last or first)
                tops, lefts = zip(divmod(one, self._columns), divmod(other, self._columns), strict=True)
                for row in range(min(tops), max(tops) + 1):
                    for column in range(min(lefts), max(lefts) + 1):
                        stones[row * self._columns + column] = seat

    def _begin(self, stones: dict[int, int], turn: str) -> None:
        """Raises BadInput if the game has no such position."""
        if turn not in _COLORS:
            raise BadInput(f"PL[{turn}] is nobody's turn; expected B or W.")
        marks = [".XO"[stones.get(cell, -1) + 1] if name else "" for cell, name in enumerate(self._cells)]
        rows = ["".join(marks[start : start + self._columns]) for start in range(0, len(marks), self._columns)]
        position = "/".join(rows) + " " + "XO"[self._colors.index(turn)]
        self._state = self._game.state_from_text(position)
        if self._state != self._game.initial():
            self.position = position

    def _play(self, color: str, point: str) -> None:
        """Raises BadInput, IllegalMove."""
        game = self._game
        where = f"Move {len(self.moves) + 1}"
        if game.is_terminal(self._state):
            raise BadInput(f"{where} comes after the end of the game.")
        text = self._text_of(point)
        if game.player(self._state) != self._colors.index(color):
            legal = game.actions(self._state)
            if len(legal) > 1:
                black = ("Black", "White")[_COLORS.index(color)]
                raise BadInput(f"{where}: {black} moves twice in a row; expected the other side, or its pass.")
            self._add(legal[0])  # a pass that had to be, which Othello's records leave out
        try:
            self._add(game.action_from_text(self._state, text))
        except GametreeError as error:
            raise BadInput(f"{where}: {error}") from None

    def _text_of(self, point: str) -> str:
        """The move as the game writes it. Raises BadInput."""
        if self._source.number in _NAMED and point.lower().startswith("swap"):
            legal = (self._game.action_text(self._state, action) for action in self._game.actions(self._state))
            return next((text for text in legal if text.startswith("swap")), point)
        if not point or (point == "tt" and max(self._columns, self._rows) <= 19):
            return "pass"
        return self._cells[self._point(point)]

    def _add(self, action: Any) -> None:
        self.moves.append(self._game.action_text(self._state, action))
        self.actions.append(action)
        self._state = self._game.result(self._state, action)


def split(lines: Iterable[str]) -> Iterator[SgfGame]:
    """The main lines of all trees of a file. A tree whose text is broken has an error and is the last."""
    text = "".join(lines)
    place, line = 0, 1
    while (begin := text.find("(", place)) >= 0:
        line += text.count("\n", place, begin)
        found, place = _read_tree(text, begin, line)
        line += text.count("\n", begin, place)
        yield found
        if found.error:
            return
    if place == 0 and text.strip():
        yield SgfGame(error="This is no SGF; expected it to begin with '(;'.")


def _read_tree(text: str, place: int, line: int) -> tuple[SgfGame, int]:
    """The main line of the tree that begins here, and the place behind the tree."""
    found = SgfGame(line=line)
    depth = 0
    reading = True  # until the first variation ends, and with it the main line
    values: list[str] | None = None

    def broken(problem: str) -> tuple[SgfGame, int]:
        found.error, found.line = " ".join(problem.split()), line
        return found, len(text)

    while token := _TOKEN.match(text, place):
        word = token[0]
        if word == "(":
            depth, values = depth + 1, None
        elif word == ")":
            depth, reading, values = depth - 1, False, None
            if depth == 0:
                place = token.end()
                return (found, place) if found.nodes else broken("This SGF has no nodes; expected '(;' and properties.")
        elif word == ";":
            values = None
            if reading:
                found.nodes.append(_Node(line))
        elif token[1] is not None:
            # Old files spell names out: AddBlack is AB.
            name = re.sub("[a-z]", "", token[1]) or token[1].upper()
            if reading and not found.nodes:
                return broken(f"'{word[:20]}' stands before the first node; expected ';'.")
            values = found.nodes[-1].values.setdefault(name, []) if reading else []
        elif token[2] is not None:
            if values is None:
                return broken(f"'{word[:20]}' is the value of nothing; expected the name of a property before it.")
            values.append(token[2])
        line += word.count("\n")
        place = token.end()
    if place < len(text):
        return broken(f"'{text[place : place + 12].strip()}' is no part of an SGF; expected nodes and properties.")
    return broken("The text ends before the game does; expected ')'.")


def _colors(game: Game[Any, Any]) -> str:
    """The letters of seats 0 and 1: White begins in Havannah."""
    return "WB" if game.board_size is not None else "BW"


def _grid(game: Game[Any, Any]) -> tuple[tuple[str, ...], int, int]:
    """The names of the cells row by row, empty outside the board, and how many columns and rows there are."""
    shown = scene(game.draw(game.initial()))
    return shown.names[: shown.rows * shown.columns], shown.columns, shown.rows


def _read_result(game: Game[Any, Any], text: str, colors: str) -> tuple[tuple[float, ...] | None, str]:
    """Utilities, None if nobody knows them, and the reason."""
    word = text.strip().upper()
    if word in ("B", "W"):  # as Little Golem writes it
        word += "+"
    most, least = float(game.facts.max_utility), float(game.facts.min_utility)
    if word in ("0", "DRAW", "JIGO"):
        return ((most + least) / 2,) * 2, "end"
    if word[:2] not in ("B+", "W+"):
        return None, ""
    lead = most
    if re.fullmatch(r"\d+(\.\d*)?", word[2:]) and most > 1:
        lead = min(most, float(word[2:]) + _rounded_away(game))
    utilities = (lead, most + least - lead)
    return utilities if word[0] == colors[0] else utilities[::-1], _ENDS.get(word[2:], "end")


def _rounded_away(game: Game[Any, Any]) -> float:
    """The half point of a komi such as 7.5, which utilities, being whole, have more than the score."""
    return 0.5 if (game.komi or 0) % 1 else 0.0


# Writing --------------------------------------------------------------------------------------------------------------


def write(game: Game[Any, Any], record: Record, *, number: int | str | None = None) -> str:
    """One game: a line with the first node, and one with the moves; `number` is the game's in the format.

    Raises BadInput, IllegalMove.
    """
    if number is None:
        raise BadInput(
            f"SGF has no words for {game.name}; expected Go, Othello, Hex or Havannah, or another format for this game."
        )
    state = start_of(game, record.position)
    cells, columns, rows = _grid(game)
    colors, named = _colors(game), str(number) in _NAMED
    points = {cell: cell if named else _point_text(at // columns, at % columns) for at, cell in enumerate(cells)}
    points |= {swap: swap for swap in ("swap", "swap-pieces")} | {"pass": ""}
    if game.board_size is not None:
        rows = columns = game.board_size
    header = {
        "FF": "4",
        "GM": str(number),
        "CA": "UTF-8",
        "AP": "gametree",
        "SZ": str(rows) if rows == columns else f"{columns}:{rows}",
    }
    header |= dict(zip((f"P{color}" for color in colors), record.players, strict=False))
    if record.utilities is not None:
        header["RE"] = _result(game, record, colors)
    if number == GAMES["go"]:
        header["RU"] = record.tags.get("RU", _RULES)
    if game.komi is not None:
        header["KM"] = f"{game.komi:g}"
    if record.date:
        header["DT"] = record.date
    header |= {
        name: text for name, text in record.tags.items() if re.fullmatch("[A-Z]{1,2}", name) and name not in _HEADER
    }
    if said := record.comments.get(0) or record.detail:
        header["C"] = said
    text = "".join(f"{key}[{_escaped(value)}]" for key, value in header.items())
    if record.position is not None:
        laid = scene(game.draw(state)).items
        for seat, color in enumerate(colors):
            stones = [points[cells[int(item.place)]] for item in laid if item.player == seat]
            text += f"A{color}" + "".join(f"[{stone}]" for stone in stones) if stones else ""
        text += f"PL[{colors[game.player(state)]}]" if not game.is_terminal(state) else ""
    nodes = []
    for ply, move in enumerate(record.moves, 1):
        action = game.action_from_text(state, move)
        said = game.action_text(state, action)
        comment = f"C[{_escaped(record.comments[ply])}]" if ply in record.comments else ""
        nodes.append(f";{colors[game.player(state)]}[{points[said]}]{comment}")
        state = game.result(state, action)
    return f"(;{text}\n{''.join(nodes)})\n"


def _point_text(row: int, column: int) -> str:
    return _LETTERS[column] + _LETTERS[row]


def _result(game: Game[Any, Any], record: Record, colors: str) -> str:
    """`B+3.5`, `W+R`, `W+T`, `B+F` or `0`."""
    first, second = (record.utilities or (0.0, 0.0))[:2]
    lead = first - second
    if lead == 0:
        return "0"
    end = f"{abs(lead) / 2 - _rounded_away(game):g}" if game.facts.max_utility > 1 else ""  # or only who won is known
    margin = {"": end, "end": end, "time": "T", "resigned": "R", "hopeless": "R"}.get(record.reason, "F")
    return f"{colors[0 if lead > 0 else 1]}+{margin}"


def _read(game: Game[Any, Any], number: int | str | None, lines: Iterable[str]) -> Iterator[Record]:
    return (found.record(game, number) for found in split(lines))


def offer(game: Game[Any, Any], number: int | str | None = None) -> Format:
    """The notation for this game, whose number in the format must be known to write it."""
    return Format(
        "record", "SGF, Smart Game Format", partial(write, game, number=number), partial(_read, game, number), ".sgf"
    )
