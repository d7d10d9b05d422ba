"""How players are named, for every game and in every command.

    random, random:seed=7                  any legal move
    best, best:time=1                      the algorithm that fits the game
    human                                  asks at the terminal
    alphabeta:depth=4, mcts:time=0.5       an algorithm; `time` (seconds a move) and `nodes` work for all
    engine:level=club, engine:elo=1200     the engine as a player of that rating; levels are
                                           beginner, casual, club, expert, master, full
    engine:time=1,book=default             any of these with an opening book: gametree's own, or a file
    engine:time=1,weights=FILE             and with weights of its own, in a game whose weights can be chosen (chess)
    uci:stockfish?UCI_Elo=1500&time=0.1    a program that speaks UCI, with its options
    xboard:gnuchess                        a program that speaks XBoard's protocol
    gtp:"gnugo --mode gtp"                 a program that speaks GTP
    aei:PROGRAM                            a program that speaks AEI, the interface of Arimaa
    my_player.py:Player?depth=3            a class of your own file, with its parameters

Quotes around a program are needed only if its arguments contain a question mark. In options, `%26` is an ampersand.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import unquote

from gametree.core.errors import BadInput

__all__ = ["PROTOCOLS", "Option", "PlayerName", "fault", "parse_player"]

PROTOCOLS = ("uci", "xboard", "gtp", "aei")

_FILE = re.compile(r"(?P<path>[^?]*?\.py)(?::(?P<attribute>[^?]*))?(?:\?(?P<options>.*))?", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Option:
    """One `key=value` of a name; `at` and `value_at` count characters from 0."""

    key: str
    value: str
    at: int
    value_at: int


@dataclass(frozen=True)
class PlayerName:
    """A name taken apart. `kind` is a protocol, `file`, or `plain` for everything that is only a word."""

    text: str
    kind: str
    name: str
    """The word, the path of the file, or the command of the program."""
    options: tuple[Option, ...] = ()
    positional: Option | None = None
    """A value without a key, for the first parameter of an algorithm."""
    attribute: str = "Player"
    """The class or function in the file."""

    @property
    def command(self) -> list[str]:
        """The program and its arguments."""
        return shlex.split(self.name)


def fault(text: str, at: int, problem: str, kind: type[BadInput] = BadInput) -> NoReturn:
    """Raise an error that points at a character of the player's name."""
    raise kind(f"Player '{text}', character {at + 1}: {problem}")


def parse_player(text: str) -> PlayerName:
    """Take a player's name apart. Raises BadInput, which points at the character that is wrong."""
    if not text.strip():
        raise BadInput("A player's name is empty; expected one such as random, alphabeta:depth=4 or uci:stockfish.")
    word, colon, _ = text.partition(":")
    if colon and word in PROTOCOLS:
        return _program(text, word)
    file = _FILE.fullmatch(text)
    if file is not None:
        return _file(text, file)
    if not re.fullmatch(r"[A-Za-z][\w-]*", word):
        at = next((place for place, letter in enumerate(word) if not re.match(r"[\w-]", letter)), 0)
        fault(text, at, f"'{word[at : at + 1] or ':'}' cannot stand in a name; expected NAME or NAME:key=value.")
    if not colon:
        return PlayerName(text, "plain", word)
    start = len(word) + 1
    if not text[start:].strip():
        fault(text, start, "expected key=value after the colon.")
    options = list(_pairs(text, start, ","))
    if len(options) == 1 and not options[0].key:
        return PlayerName(text, "plain", word, positional=options[0])
    return PlayerName(text, "plain", word, _all_keyed(text, options))


def _program(text: str, kind: str) -> PlayerName:
    start = len(kind) + 1
    while text[start : start + 1] == " ":
        start += 1
    quote = text[start : start + 1]
    if quote and quote in "\"'":
        end = text.find(quote, start + 1)
        if end < 0:
            fault(text, start, f"the quotation mark {quote} is never closed.")
        program, after = text[start + 1 : end], end + 1
        if after < len(text) and text[after] != "?":
            fault(text, after, f"expected '?' or the end after the program, got '{text[after]}'.")
    else:
        after = text.find("?", start)
        after = len(text) if after < 0 else after
        program = text[start:after]
    if not program.strip():
        fault(text, start, f"expected a program, as in {kind}:PROGRAM.")
    try:
        shlex.split(program)
    except ValueError as error:
        fault(text, start, f"the program cannot be split into words: {str(error).lower()}.")
    options: tuple[Option, ...] = ()
    if after < len(text):
        options = _all_keyed(text, list(_pairs(text, after + 1, "&")))
    return PlayerName(text, kind, program.strip(), options)


def _file(text: str, found: re.Match[str]) -> PlayerName:
    attribute = found["attribute"]
    if attribute is not None and not _WORD.fullmatch(attribute):
        fault(text, found.start("attribute"), f"'{attribute}' is not a name of Python; expected FILE.py:Player.")
    options: tuple[Option, ...] = ()
    if found["options"] is not None:
        options = _all_keyed(text, list(_pairs(text, found.start("options"), "&")))
    return PlayerName(text, "file", found["path"], options, attribute=attribute or "Player")


def _pairs(text: str, start: int, separator: str) -> list[Option]:
    """The options from character `start` on; one without an equals sign has an empty key."""
    options, at = [], start
    for part in text[start:].split(separator):
        key, equals, value = part.partition("=")
        lead = len(part) - len(part.lstrip())
        if equals:
            if not key.strip():
                fault(text, at, "expected a key before the equals sign.")
            value_at = at + len(key) + 1
            options.append(Option(_decode(key, separator), _decode(value, separator), at + lead, value_at))
        else:
            options.append(Option("", part.strip(), at + lead, at + lead))
        at += len(part) + 1
    return options


def _decode(part: str, separator: str) -> str:
    return unquote(part).strip() if separator == "&" else part.strip()


def _all_keyed(text: str, options: list[Option]) -> tuple[Option, ...]:
    seen: set[str] = set()
    for option in options:
        if not option.key:
            fault(text, option.at, f"expected key=value, got '{option.value}'.")
        if option.key in seen:
            fault(text, option.at, f"'{option.key}' is given twice.")
        seen.add(option.key)
    return tuple(options)
