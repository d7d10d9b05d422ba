"""PGN, Portable Game Notation (Edwards 1994): games of chess as text, with comments, variations and marks.

`read_games` streams: it holds one game at a time, so that files of any size can be read. A broken game does not stop
it: what could be read is there, and `error` says in one sentence what was wrong. Only the tags are read at once; the
moves are when they are asked for: `main_line` a whole line at once where the game can, which is what statistics over
many games want, `tree` with everything that the text says.

Other games of two players are written with their own moves (a space inside a move as _) and named in the tag Variant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, TextIO

from gametree.core.errors import BadInput, GametreeError, IllegalMove
from gametree.core.format import Format, Record, move_format, position_format
from gametree.core.game import Game
from gametree.formats._common import RESULTS, offer_records, result_text, start_of, utilities_of
from gametree.formats.move_lines import read_moves

__all__ = [
    "BETWEEN",
    "OWN_NAME",
    "PgnGame",
    "PgnMove",
    "main_words",
    "offer",
    "read_games",
    "split",
    "write",
    "write_game",
    "write_record",
]

ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
"""The seven tags that every game has, in this order."""
LONGEST_GAME = 4_000_000
"""Characters after which a game without an end is given up as broken."""
DEEPEST = 200
"""Variations inside variations beyond this are refused."""
WIDTH = 79
"""Columns of a line of moves."""
BETWEEN = "\n"
"""What parts the games of a file."""
CLASSICAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
"""The position that a game of chess begins with if it has no tag FEN."""
_CHESS = ("", "chess", "standard", "chess960", "fischerandom", "fischerrandom", "fischer random")
"""What the tag Variant says of chess."""
OWN_NAME = "GametreeGame"
"""The tag for a game with parameters, so that Variant says nothing that other programs do not know."""
_TERMINATION = {"end": "normal", "resigned": "normal", "hopeless": "normal", "time": "time forfeit"} | dict.fromkeys(
    ("limit", "drawn"), "adjudication"
)
_REASONS = {"normal": "end", "time forfeit": "time", "adjudication": "limit", "rules infraction": "illegal"}
_FIELDS = {"White", "Black", "Result", "Date", "Variant", OWN_NAME, "Termination", "Annotator", "FEN", "SetUp"}
"""Tags that have a place of their own in a record."""

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
_PLAIN_TOKEN = re.compile(  # of games whose moves are not those of chess
    r"\{(?P<comment>[^}]*)(?P<closed>\}?)|(?P<rest>(?!))|(?P<number>\d+\.+)"
    r"|(?P<result>1-0|0-1|1/2-1/2|\*)(?=\s|$)|(?P<move>[^\s{]+)"
)
_COMMENTS = re.compile(r"\{[^}]*\}?|;[^\n]*|\$\d+|[!?]+")
_WORDS = re.compile(r"(?:\d+\.+\s*)?(?!0-1\b)([A-Za-z0][A-Za-z0-9=+#:/-]*)|(1-0|0-1|1/2-1/2|\*)")  # 0-1 is no move
_MARKS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}


@dataclass
class PgnMove:
    """A move with what is said about it."""

    action: Any
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

    tokens: ClassVar[re.Pattern[str]] = _TOKEN
    """What the moves are made of, when everything that the text says is read."""
    seats: ClassVar[tuple[str, str]] = ("White", "Black")
    """The tags that name the players, the first to move first."""

    tags: dict[str, str] = field(default_factory=dict)
    text: str = ""
    """The moves as they stood in the file."""
    error: str = ""
    line: int = 1
    """Where the game begins in its file."""

    @property
    def result(self) -> str:
        """1-0, 0-1, 1/2-1/2 or *."""
        said = self.tags.get("Result") or self.text[-12:].rpartition(" ")[2].strip()
        return said if said in RESULTS else "*"

    @property
    def game(self) -> str:
        """The game with its parameters: chess, if the tag Variant names no other."""
        variant = self.tags.get("Variant", "")
        chess = variant.partition(":")[0].lower() in _CHESS
        return self.tags.get(OWN_NAME) or ("chess" if chess and ":" not in variant else variant)

    @property
    def title(self) -> str:
        """Who played, when, and the result."""
        tags = self.tags
        return f"{tags.get('White', '?')} – {tags.get('Black', '?')}, {tags.get('Date', '?')}, {self.result}"

    def start(self, game: Game[Any, Any]) -> Any:
        """The position that the game begins with. Raises BadInput."""
        return start_of(game, self.tags.get("FEN"))

    def main_line(self, game: Game[Any, Any]) -> list[Any]:
        """The moves without variations, as far as they are legal; `error` says where they stop being so."""
        try:
            start = self.start(game)
        except BadInput as error:
            self.error = self.error or str(error)
            return []
        if "san" not in game.formats:
            found = read_moves(game, start, self.text)
            self.error = self.error or found.error
            return list(found.actions)
        words, broken = main_words(self.text)
        actions = _read_words(game, start, words)
        if len(actions) < len(words):
            self.error = self.error or f"'{words[len(actions)]}' is not a legal move at ply {len(actions) + 1}."
        elif broken:
            self.error = self.error or broken
        return actions

    def record(self, game: Game[Any, Any]) -> Record:
        """The main line, its comments and the tags."""
        tags, texts = self.tags, []
        actions = self.main_line(game)
        state = self.start(game) if actions else None
        for action in actions:
            texts.append(game.action_text(state, action))
            state = game.result(state, action)
        utilities = utilities_of(game, self.result)
        if actions and game.is_terminal(state):
            played = tuple(float(game.utility(state, seat)) for seat in range(game.facts.players))
            # How it ended says more than who won, unless the tag says that somebody had lost before.
            if utilities is None or "Result" not in tags or result_text(played) == self.result:
                utilities = played
        date = tags.get("Date", "")
        named = [tags.get(seat, "?") for seat in self.seats]
        return Record(
            game=self.game,
            position=tags.get("FEN"),
            moves=tuple(texts),
            actions=tuple(actions),
            comments=_main_comments(self.text, self.tokens_of(game)),
            players=() if named == ["?", "?"] else tuple(named),
            utilities=utilities,
            reason=_REASONS.get(tags.get("Termination", ""), ""),
            detail=tags.get("Annotator", ""),
            date="" if "?" in date else date.replace(".", "-"),
            tags={name: value for name, value in tags.items() if name not in _FIELDS and value != "?"},
            line=self.line,
            error=self.error,
        )

    def tokens_of(self, game: Game[Any, Any]) -> re.Pattern[str]:
        """What the main line of this game is made of."""
        return self.tokens if "san" in game.formats else _PLAIN_TOKEN

    def tree(self, game: Game[Any, Any]) -> list[PgnMove]:
        """The main line with all comments, marks and variations; `error` says where the text stops making sense."""
        moves, error = _read_tree(game, self)
        self.error = self.error or error
        return moves


def _read_words(game: Game[Any, Any], state: Any, words: list[str]) -> list[Any]:
    """The moves that words of SAN mean, as far as they are legal."""
    notation = game.formats["san"]
    if notation.read_line is not None:
        return notation.read_line(state, words)
    actions: list[Any] = []
    for word in words:
        try:
            actions.append(notation.read(state, word))
        except IllegalMove:
            break
        state = game.result(state, actions[-1])
    return actions


def _main_comments(text: str, tokens: re.Pattern[str]) -> dict[int, str]:
    """What is said behind so many moves of the main line."""
    found: dict[int, str] = {}
    if "{" not in text and ";" not in text:
        return found
    depth = count = 0
    for token in tokens.finditer(text):
        kind = token.lastgroup
        if kind in ("open", "close"):
            depth += 1 if kind == "open" else -1
        elif depth == 0 and kind in ("comment", "closed", "rest"):
            words = " ".join((token["comment"] if token["rest"] is None else token["rest"]).split())
            found[count] = f"{found.get(count, '')} {words}".strip()
        elif depth == 0 and kind == "move":
            count += 1
        elif depth == 0 and kind == "result":
            break
    return {ply: words for ply, words in found.items() if words}


# Reading --------------------------------------------------------------------------------------------------------------


def read_games(lines: Iterable[str] | TextIO, kind: type[PgnGame] = PgnGame) -> Iterator[PgnGame]:
    """The games of a file (open it with errors="replace"), one after the other; nothing in it raises an error.

    A game begins with tags behind moves. Text that is neither tag nor move makes a game with an error.
    """
    current = kind()
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
                current, parts, size = kind(line=number), [], 0
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
            current, parts, size, in_comment = kind(line=number + 1), [], 0, False
    if parts or current.tags:
        yield _finish(current, parts)


split = read_games
"""What the room calls it in every notation."""


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


def _read_tree(game: Game[Any, Any], source: PgnGame) -> tuple[list[PgnMove], str]:
    """The moves that could be read, and what stopped the reading."""
    main: list[PgnMove] = []
    try:
        start = source.start(game)
    except BadInput as error:
        return main, str(error)
    notation = move_format(game, "san")
    # One entry per open line: its moves, the position behind the last, and the one before it.
    stack: list[tuple[list[PgnMove], Any, Any]] = []
    line, state, before = main, start, start
    comment = ""
    try:
        for token in source.tokens.finditer(source.text):
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
                    action = notation.read(state, text)
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


def write_game(game: Game[Any, Any], tags: dict[str, str], moves: Iterable[Any], *, width: int = WIDTH) -> str:
    """A game in export format: the seven tags and any others, the moves in lines of `width`, and the result.

    Moves are actions, or PgnMove with their comments and variations. The result is that of the tags, or of the position
    if the tags do not say. Raises BadInput if a tag's name is not possible, IllegalMove for a move that is not legal.
    """
    start = start_of(game, tags.get("FEN"))
    line = [move if isinstance(move, PgnMove) else PgnMove(move, "") for move in moves]
    words, end = _write_line(game, start, line, _first_place(game, start, tags.get("FEN")))
    result = tags.get("Result", "*")
    if result == "*" and game.is_terminal(end):
        result = result_text((game.utility(end, 0), game.utility(end, 1)))
    return _page({**tags, "Result": result}, words, width)


def write(game: Game[Any, Any], record: Record) -> str:
    """A record in export format; its moves stand there untried. Raises BadInput for other than two seats."""
    if game.facts.players != 2:
        raise BadInput(f"PGN has no place for the {game.facts.players} players of {game.name}; use jsonl.")
    named = record.game or game.name
    tags = {"Variant": named} if "san" not in game.formats else {OWN_NAME: named} if named != "chess" else {}
    return write_record(game, record, tags, PgnGame.seats, CLASSICAL)


def write_record(
    game: Game[Any, Any], record: Record, named: dict[str, str], seats: tuple[str, str], usual: str
) -> str:
    """The same for notations that are like PGN: `named` are the tags that name the game, `seats` those that name the
    players, and `usual` is the position, in the game's FEN if it has one, that needs no tag."""
    start, fen = start_of(game, record.position), record.position
    if "fen" in game.formats:
        fen = game.formats["fen"].write(start)
        fen = None if fen == usual else fen
    tags = {name: record.tags[name] for name in ROSTER if name in record.tags}
    tags |= dict(zip(seats, record.players, strict=False))
    tags["Result"] = result_text(record.utilities)
    if record.date:
        tags["Date"] = record.date.replace("-", ".")
    tags |= named | dict(record.tags)
    if record.reason:
        tags["Termination"] = _TERMINATION.get(record.reason, "rules infraction")
    if record.detail:
        tags["Annotator"] = record.detail
    if fen is not None:
        tags["FEN"] = fen
    place = _first_place(game, start, fen)
    words: list[str] = _comment(record.comments.get(0, ""))
    for ply, move in enumerate(record.moves):
        words += _numbered(place + ply, ply == 0 or ply in record.comments)
        words.append(move.replace(" ", "_"))
        words += _comment(record.comments.get(ply + 1, ""))
    return _page(tags, words, WIDTH)


def _first_place(game: Game[Any, Any], start: Any, fen: str | None) -> int:
    """How many plies went before, by the position's own number of the move, so far as it has one."""
    fields = (fen or "").split()
    counted = 2 * max(0, int(fields[5]) - 1) if len(fields) >= 6 and re.fullmatch("[0-9]{1,9}", fields[5]) else 0
    return counted + (0 if game.is_terminal(start) else max(0, game.player(start)))


def _numbered(place: int, needed: bool) -> list[str]:
    """The number before a move: always before White's, before Black's only where the reader needs it."""
    if place % 2 == 0:
        return [f"{place // 2 + 1}."]
    return [f"{place // 2 + 1}..."] if needed else []


def _page(tags: dict[str, str], words: list[str], width: int) -> str:
    """Tags and movetext; the result is that of the tags. Raises BadInput for the name of a tag that is not possible."""
    full = {name: tags.get(name, "????.??.??" if name == "Date" else "?") for name in ROSTER}
    full.update(tags)
    if "FEN" in full:
        full["SetUp"] = "1"
    for name in full:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_+#=:-]*", name):
            raise BadInput(f"'{name}' is not the name of a PGN tag; expected letters, digits and _.")
    header = "".join(f'[{name} "{_escape(value)}"]\n' for name, value in full.items())
    rows, row = [], ""
    for word in [*words, full["Result"]]:
        if row and len(row) + 1 + len(word) > width:
            rows.append(row)
            row = word
        else:
            row = f"{row} {word}" if row else word
    return header + "\n" + "\n".join([*rows, row]) + "\n"


def _escape(value: str) -> str:
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')


def _write_line(game: Game[Any, Any], state: Any, line: list[PgnMove], place: int) -> tuple[list[str], Any]:
    """The words of a line, whose first move is that of the ply `place`, and the position at its end."""
    words: list[str] = []
    numbered = False  # whether the reader still knows the number of the move
    for ply, move in enumerate(line, place):
        if move.action not in game.lenient_actions(state):
            where = position_format(game, "fen").write(state)
            raise IllegalMove(f"The move {move.action} ('{move.san}') is not legal in {where}.")
        if move.before:
            words += _comment(move.before)
            numbered = False
        words += _numbered(ply, not numbered)
        words.append(game.action_text(state, move.action))
        words += [f"${nag}" for nag in move.nags]
        numbered = True
        if move.comment:
            words += _comment(move.comment)
            numbered = False
        for variation in move.variations:
            inner, _ = _write_line(game, state, variation, ply)
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


def offer(game: Game[Any, Any]) -> Format:
    """The notation for this game."""
    return offer_records(game, "PGN, Portable Game Notation", ".pgn", read_games, write)
