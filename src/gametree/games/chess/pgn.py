"""PGN: games of chess as text, with comments, variations and marks.

`read_games` streams: it holds one game at a time, so that files of any size can be read. A broken game does not stop
it: what could be read is there, and `error` says in one sentence what was wrong. Only the tags are read at once; the
moves are when they are asked for: `main_line` by a compiled kernel, which is what statistics over many games want,
`tree` with everything that the text says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TextIO

import numpy as np

from gametree.core.errors import BadInput, GametreeError, IllegalMove
from gametree.games.chess.moves import play
from gametree.games.chess.notation import match_wish, read_wish
from gametree.games.chess.rules import MOST_MOVES, Chess

__all__ = ["RESULTS", "PgnGame", "PgnMove", "main_words", "read_games", "write_game"]

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
"""The seven tags that every game has, in this order."""
LONGEST_GAME = 4_000_000
"""Characters after which a game without an end is given up as broken."""
DEEPEST = 200
"""Variations inside variations beyond this are refused."""

_TAG = re.compile(r'\s*\[\s*([A-Za-z0-9][A-Za-z0-9_+#=:-]*)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_TOKEN = re.compile(
    r"\{(?P<comment>[^}]*)(?P<closed>\}?)"
    r"|;(?P<rest>[^\n]*)"
    r"|(?P<open>\()|(?P<close>\))"
    r"|\$(?P<nag>\d+)"
    r"|(?P<result>1-0|0-1|1/2-1/2|\*)(?=[\s)\]{;(]|$)"
    r"|(?P<number>\d+\.*(?=\s|[A-Za-z({;$]|$)|\.+)"
    r"|(?P<mark>[!?]{1,2})"
    r"|(?P<move>[A-Za-z0][A-Za-z0-9=+#:/-]*)"
    r"|(?P<space>\s+)"
    r"|(?P<else>.)"
)
_COMMENTS = re.compile(r"\{[^}]*\}?|;[^\n]*|\$\d+|[!?]+")
_WORDS = re.compile(r"(?:\d+\.+\s*)?(?!0-1\b)([A-Za-z0][A-Za-z0-9=+#:/-]*)|(1-0|0-1|1/2-1/2|\*)")  # 0-1 is no move
_MARKS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}


@dataclass
class PgnMove:
    """A move with what is said about it."""

    action: int
    san: str
    nags: list[int] = field(default_factory=list)
    """Numeric annotation glyphs; 1 to 6 are ! ? !! ?? !? ?!."""
    comment: str = ""
    """The text behind the move."""
    before: str = ""
    """The text before the move."""
    variations: list[list[PgnMove]] = field(default_factory=list)
    """Lines that could have been played instead."""


@dataclass
class PgnGame:
    """One game: its tags and its moves. `error` is empty, or says in one sentence what is wrong with the text."""

    tags: dict[str, str] = field(default_factory=dict)
    text: str = ""
    """The moves as they stood in the file."""
    error: str = ""
    line: int = 1
    """Where the game begins in its file."""

    @property
    def result(self) -> str:
        """1-0, 0-1, 1/2-1/2 or *."""
        found = self.tags.get("Result", "*")
        return found if found in RESULTS else "*"

    def start(self, game: Chess) -> bytes:
        """The position that the game begins with. Raises BadInput."""
        return game.state_from_text(self.tags["FEN"]) if "FEN" in self.tags else game.state_from_text("startpos")

    def main_line(self, game: Chess) -> list[int]:
        """The moves without variations, as far as they are legal; `error` says where they stop being so."""
        words, broken = main_words(self.text)
        wishes = np.array([read_wish(word) for word in words], np.int64)
        try:
            structs = game.structs(self.start(game), 2)
        except BadInput as error:
            self.error = self.error or str(error)
            return []
        count = int(game.rules.kernel(replay)(structs, np.empty(MOST_MOVES, np.int64), wishes))
        if count < len(words):
            self.error = self.error or f"'{words[count]}' is not a legal move at ply {count + 1}."
        elif broken:
            self.error = self.error or broken
        return wishes[:count].tolist()  # type: ignore[no-any-return]

    def tree(self, game: Chess) -> list[PgnMove]:
        """The main line with all comments, marks and variations; `error` says where the text stops making sense."""
        moves, error = _read_tree(game, self)
        self.error = self.error or error
        return moves


def replay(states: Any, out: Any, wishes: Any) -> Any:
    """Play wishes from the first struct and put the moves in their place; returns how many could be played."""
    s = states[0]
    for i in range(len(wishes)):
        if wishes[i] < 0:
            return i
        move = match_wish(s, out, wishes[i])
        if move < 0:
            return i
        play(s, move)
        wishes[i] = move
    return len(wishes)


# Reading --------------------------------------------------------------------------------------------------------------


def read_games(lines: Iterable[str] | TextIO) -> Iterator[PgnGame]:
    """The games of a file (open it with errors="replace"), one after the other; nothing in it raises an error.

    A game begins with tags behind moves. Text that is neither tag nor move makes a game with an error.
    """
    current = PgnGame()
    parts: list[str] = []
    size = 0
    in_comment = blank = False
    for number, line in enumerate(lines, 1):
        # A comment that was never closed must not swallow the rest of the file.
        if in_comment and blank and line.startswith('[Event "'):
            in_comment = False
        blank = not line.strip()
        if not in_comment and line.startswith("%"):
            continue  # reserved for other programs
        if not in_comment and line.lstrip().startswith("["):
            if parts:
                yield _finish(current, parts)
                current, parts, size = PgnGame(line=number), [], 0
            _read_tags(current, line)
            continue
        if not line.strip() and not parts:
            continue
        if not parts and not current.tags:
            current.line = number
        parts.append(line)
        size += len(line)
        if "{" in line or in_comment:
            in_comment = _comment_stays_open(line, in_comment)
        if size > LONGEST_GAME:
            current.error = f"The game at line {current.line} has no end within {LONGEST_GAME:,} characters."
            yield _finish(current, [])
            current, parts, size, in_comment = PgnGame(line=number + 1), [], 0, False
    if parts or current.tags:
        yield _finish(current, parts)


def _read_tags(game: PgnGame, line: str) -> None:
    """All tags of a line; what is no tag is an error of the game."""
    place, end = 0, len(line.rstrip())
    while place < end:
        found = _TAG.match(line, place)
        if found is None:
            game.error = game.error or f"'{line.strip()[:60]}' is not a tag; expected [Name \"value\"]."
            return
        value = found[2]
        game.tags[found[1]] = re.sub(r"\\(.)", r"\1", value) if "\\" in value else value
        place = found.end()


def _comment_stays_open(line: str, inside: bool) -> bool:
    """Whether a comment in braces is open behind the line; braces do not nest, and ; hides them."""
    for mark in re.finditer(r"[{};]", line):
        if inside:
            inside = mark[0] != "}"
        elif mark[0] == "{":
            inside = True
        elif mark[0] == ";":
            return False
    return inside


def _finish(game: PgnGame, parts: list[str]) -> PgnGame:
    game.text = "".join(parts)
    return game


def main_words(text: str, most: int | None = None) -> tuple[list[str], str]:
    """The words of the main line up to the result, at most `most`, and what is wrong with the brackets, if anything."""
    broken = ""
    if "{" in text or ";" in text or "$" in text or "!" in text or "?" in text:
        if text.rfind("{") > text.rfind("}"):
            broken = "A comment is not closed; expected '}'."
        text = _COMMENTS.sub(" ", text)
    if "(" in text or ")" in text:
        kept, depth, start = [], 0, 0
        for bracket in re.finditer(r"[()]", text):
            if bracket[0] == "(":
                if depth == 0:
                    kept.append(text[start : bracket.start()])
                depth += 1
            elif depth > 0:
                depth -= 1
                start = bracket.end()
            else:
                broken = "A ')' closes no variation."
        kept.append(text[start:] if depth == 0 else "")
        if depth > 0:
            broken = "A variation is not closed; expected ')'."
        text = " ".join(kept)
    words: list[str] = []
    for found in _WORDS.finditer(text):
        if found[2] or len(words) == most:
            break
        words.append(found[1])
    return words, broken


class _Broken(GametreeError):
    """The text of a game stops making sense."""


def _read_tree(game: Chess, source: PgnGame) -> tuple[list[PgnMove], str]:
    """The moves that could be read, and what stopped the reading."""
    main: list[PgnMove] = []
    try:
        start = source.start(game)
    except BadInput as error:
        return main, str(error)
    # One entry per open line: its moves, the position behind the last, and the one before it.
    stack: list[tuple[list[PgnMove], bytes, bytes]] = []
    line, state, before = main, start, start
    comment = ""
    try:
        for token in _TOKEN.finditer(source.text):
            kind = token.lastgroup
            if kind in ("comment", "closed", "rest"):
                words = " ".join((token["comment"] if token["rest"] is None else token["rest"]).split())
                if token["comment"] is not None and not token["closed"]:
                    raise _Broken("A comment is not closed; expected '}'.")
                if line and not comment:
                    line[-1].comment = f"{line[-1].comment} {words}".strip()
                else:
                    comment = f"{comment} {words}".strip()
            elif kind == "move":
                text = token["move"]
                try:
                    action = game.find_move(state, text)
                except IllegalMove as error:
                    raise _Broken(f"At ply {len(line) + 1}: {error}") from error
                line.append(PgnMove(action, game.action_text(state, action), before=comment))
                comment = ""
                before, state = state, game.result(state, action)
            elif kind in ("nag", "mark") and line:
                line[-1].nags.append(int(token["nag"]) if kind == "nag" else _MARKS[token["mark"]])
            elif kind == "open":
                if not line:
                    raise _Broken("A variation stands before the first move; expected it behind the move it replaces.")
                if len(stack) >= DEEPEST:
                    raise _Broken(f"Variations are nested more than {DEEPEST} deep.")
                stack.append((line, state, before))
                variation: list[PgnMove] = []
                line[-1].variations.append(variation)
                line, state = variation, before
            elif kind == "close":
                if not stack:
                    raise _Broken("A ')' closes no variation.")
                line, state, before = stack.pop()
                comment = ""
            elif kind == "result" and not stack:
                break
            elif kind == "else":
                raise _Broken(f"'{token[0]}' is no part of a game; expected moves, comments, marks or variations.")
        if stack:
            raise _Broken("A variation is not closed; expected ')'.")
    except _Broken as error:
        return main, str(error)
    return main, ""


# Writing --------------------------------------------------------------------------------------------------------------


def write_game(game: Chess, tags: dict[str, str], moves: Iterable[int | PgnMove], *, width: int = 80) -> str:
    """A game in export format: the seven tags and any others, the moves in lines of `width`, and the result.

    Moves are actions, or PgnMove with their comments and variations. The result is that of the tags, or of the position
    if the tags do not say. Raises BadInput if a tag's name is not possible, IllegalMove for a move that is not legal.
    """
    start = game.state_from_text(tags["FEN"]) if "FEN" in tags else game.state_from_text("startpos")
    line = [move if isinstance(move, PgnMove) else PgnMove(move, "") for move in moves]
    words, end = _write_line(game, start, line)
    result = tags.get("Result", "*")
    if result == "*" and game.is_terminal(end):
        won = game.utility(end, 0)
        result = "1-0" if won > 0 else "0-1" if won < 0 else "1/2-1/2"
    full = {name: tags.get(name, "????.??.??" if name == "Date" else "?") for name in ROSTER}
    full.update(tags)
    full["Result"] = result
    if "FEN" in full:
        full["SetUp"] = "1"
    for name in full:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_+#=:-]*", name):
            raise BadInput(f"'{name}' is not the name of a PGN tag; expected letters, digits and _.")
    header = "".join(f'[{name} "{_escape(value)}"]\n' for name, value in full.items())
    rows, row = [], ""
    for word in [*words, result]:
        if row and len(row) + 1 + len(word) > width:
            rows.append(row)
            row = word
        else:
            row = f"{row} {word}" if row else word
    return header + "\n" + "\n".join([*rows, row]) + "\n"


def _escape(value: str) -> str:
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')


def _write_line(game: Chess, state: bytes, line: list[PgnMove]) -> tuple[list[str], bytes]:
    """The words of a line and the position at its end."""
    words: list[str] = []
    numbered = False  # whether the reader still knows the number of the move
    for move in line:
        if move.action not in game.all_moves(state):
            raise IllegalMove(f"The move {move.action} ('{move.san}') is not legal in {game.fen(state)}.")
        if move.before:
            words += _comment(move.before)
            numbered = False
        white, number = game.player(state) == 0, int(game.struct(state).plies) // 2 + 1
        if white:
            words.append(f"{number}.")
        elif not numbered:
            words.append(f"{number}...")
        words.append(game.action_text(state, move.action))
        words += [f"${nag}" for nag in move.nags]
        numbered = True
        if move.comment:
            words += _comment(move.comment)
            numbered = False
        for variation in move.variations:
            inner, _ = _write_line(game, state, variation)
            if inner:
                inner[0] = "(" + inner[0]
                inner[-1] += ")"
                words += inner
                numbered = False
        state = game.result(state, move.action)
    return words, state


def _comment(text: str) -> list[str]:
    """A comment as words; a brace inside would end it."""
    words = text.replace("}", ")").replace("{", "(").split()
    if not words:
        return []
    words[0] = "{" + words[0]
    words[-1] += "}"
    return words
