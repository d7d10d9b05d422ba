"""PDN, Portable Draughts Notation: games of checkers as text, with comments, variations and marks.

It is PGN (`pgn.py`) with squares as numbers. In English draughts Black has the first move, and a result of 1-0 means
that Black has won; 2-0, 1-1 and 0-2 are read too. Collections often write a step for a jump or the other way round, so
of a move only the squares count: from, to, and what is named in between. Words behind a move that stand in no brackets
are passed over: some collections say so how a game ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, TextIO

from gametree.core.errors import BadInput
from gametree.core.format import Format, Record, move_format
from gametree.core.game import Game
from gametree.formats import pgn
from gametree.formats._common import RESULTS, offer_records, play_moves

__all__ = ["BETWEEN", "PdnGame", "is_recognised", "offer", "read_games", "split", "write", "write_game"]

BETWEEN = pgn.BETWEEN
"""What separates the games of a file."""
ENGLISH = "21"
"""The tag GameType of English draughts."""
SEATS = ("Black", "White")
USUAL = f"B:W{','.join(map(str, range(21, 33)))}:B{','.join(map(str, range(1, 13)))}"
_RESULTS = {"2-0": "1-0", "1-1": "1/2-1/2", "0-2": "0-1", "0-0": "*"}
_SQUARE = r"(?:[0-9]{1,2}|[a-h][1-8])"
_TOKEN = re.compile(
    r"\{(?P<comment>[^}]*)(?P<closed>\}?)"
    r"|;(?P<rest>[^\n]*)"
    r"|(?P<open>\()|(?P<close>\))"
    r"|\$(?P<nag>\d+)"
    r"|(?P<result>1-0|0-1|1/2-1/2|2-0|0-2|1-1|0-0|\*)(?=[\s)\]{;(]|$)"
    rf"|(?P<move>{_SQUARE}(?:[-xX:]{_SQUARE})+\*?)(?![0-9a-h])"
    r"|(?P<number>\d+\.+|\d+(?=\s)|\.+)"
    r"|(?P<mark>[!?]{1,2})"
    r"|(?P<remark>[A-Za-z][A-Za-z.,'-]*)"
    r"|(?P<space>\s+)"
    r"|(?P<else>.)"
)


@dataclass
class PdnGame(pgn.PgnGame):
    """One game: its tags and its moves. `error` is empty, or says in one sentence what is wrong with the text."""

    tokens: ClassVar[re.Pattern[str]] = _TOKEN
    seats: ClassVar[tuple[str, str]] = SEATS

    @property
    def result(self) -> str:
        """1-0 (Black has won), 0-1, 1/2-1/2 or *."""
        last = self.text.split()[-1:] or ["*"]
        said = self.tags.get("Result") or last[0]
        said = _RESULTS.get(said, said)
        return said if said in RESULTS else "*"

    @property
    def game(self) -> str:
        """Checkers, if no tag says otherwise."""
        return self.tags.get(pgn.OWN_NAME, "checkers")

    @property
    def title(self) -> str:
        """Who played, when, and the result."""
        tags = self.tags
        return f"{tags.get('Black', '?')} – {tags.get('White', '?')}, {tags.get('Date', '?')}, {self.result}"

    def start(self, game: Game[Any, Any]) -> Any:
        """The position that the game begins with. Raises BadInput."""
        kind = self.tags.get("GameType", ENGLISH).partition(",")[0].strip()
        if kind != ENGLISH:
            raise BadInput(
                f"The tag GameType is '{kind}', another kind of draughts; expected {ENGLISH}, the English one."
            )
        return super().start(game)

    def main_line(self, game: Game[Any, Any]) -> list[Any]:
        """The moves without variations, as far as they are legal; `error` says where they stop being so."""
        try:
            state = self.start(game)
        except BadInput as error:
            self.error = self.error or str(error)
            return []
        words, broken = self._main_words()
        _, actions, wrong = play_moves(game, state, words, move_format(game, "squares"))
        self.error = self.error or wrong or broken
        return actions

    def _main_words(self) -> tuple[list[str], str]:
        """The moves of the main line up to the result, and what is wrong with the text there, if anything."""
        words: list[str] = []
        depth = 0
        for token in self.tokens.finditer(self.text):
            kind = token.lastgroup
            if kind == "open":
                depth += 1
            elif kind == "close":
                depth -= 1
                if depth < 0:
                    return words, "A ')' closes no variation."
            elif kind in ("comment", "closed") and not token["closed"]:
                return words, "A comment is not closed; expected '}'."
            elif depth == 0 and kind == "move":
                words.append(token["move"])
            elif depth == 0 and kind == "result":
                return words, ""
            elif depth == 0 and (kind == "else" or (kind == "remark" and not words)):
                rest = self.text[token.start() :].split()[0]
                return (
                    words,
                    f"'{rest[:40]}' is no part of a game; expected moves such as 11-15, comments or variations.",
                )
        return words, "A variation is not closed; expected ')'." if depth > 0 else ""

    def tokens_of(self, game: Game[Any, Any]) -> re.Pattern[str]:
        """What the main line is made of."""
        return self.tokens


def is_recognised(text: str) -> bool:
    """Whether a text with tags looks like draughts: by the tag GameType, or by a first move from number to number."""
    return '[GameType "' in text[:4000] or re.search(r"(?<![\w-])1\.(?:\.\.)?\s*\d{1,2}[-x]\d{1,2}\b", text) is not None


def read_games(lines: Iterable[str] | TextIO) -> Iterator[PdnGame]:
    """The games of a file, one after the other; nothing in it raises an error."""
    for found in pgn.read_games(lines, PdnGame):
        assert isinstance(found, PdnGame)
        yield found


split = read_games
"""What the room calls it in every notation."""


def write_game(game: Game[Any, Any], tags: dict[str, str], moves: Iterable[Any]) -> str:
    """A game with its tags; moves are actions, or PgnMove with their comments and variations. Raises as in PGN."""
    return pgn.write_game(game, {"GameType": ENGLISH, **tags}, moves)


def write(game: Game[Any, Any], record: Record) -> str:
    """A record as PDN; its moves stand there untried."""
    name = record.game or game.name
    tags = {"GameType": ENGLISH, **({} if name == "checkers" else {pgn.OWN_NAME: name})}
    return pgn.write_record(game, record, tags, SEATS, USUAL)


def offer(game: Game[Any, Any]) -> Format:
    """The notation for this game."""
    return offer_records(game, "PDN, Portable Draughts Notation", ".pdn", read_games, write)
