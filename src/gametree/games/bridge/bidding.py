"""Bidding by rules that are data: one line of a system's file gives the call, its sentence, and what a hand must have.

A file of `systems` is blocks. A block begins with `after` and the calls before (`1M`, `1NT 2C`; those of the opponents
in brackets, passes of theirs left out), with `opening`, `doubled` (partner's last call is a double, and the other side
passed) or `always`, and holds rules, the most urgent first. `include` takes the blocks of another file.

    after 1M
    3M : M 4+, support(M) 10-12 ; limit raise

Letters are suits: M is a major, m a minor, x y z any, each another one. A letter that the calls before do not bind is
tried with every suit. `low(x)`, `jump(x)` and `game(x)` are bids by the auction. The first rule whose conditions hold
says the call; so a call tells as well that no rule before it held, and a pass that none did.
"""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gametree.core.errors import BadInput, UnknownName, suggest
from gametree.games.bridge.cards import SUITS, call_text
from gametree.games.bridge.features import Array, Hands

__all__ = ["Auction", "Meaning", "System", "load_system", "system_names"]

_FOLDER = Path(__file__).parent / "systems"
_LETTERS = {"M": (1, 0), "m": (3, 2), "x": (3, 2, 1, 0), "y": (3, 2, 1, 0), "z": (3, 2, 1, 0)}
_SUIT_WORDS = ("spades", "hearts", "diamonds", "clubs")
_RANGE = re.compile(r"(\d+)(?:\s*(\+)|\s*-\s*(\d+)|\s*(-))?")
_WORD = re.compile(r"(?P<name>[A-Za-z]+)(?:\((?P<suit>[A-Za-z])\))?(?:\s+(?P<range>[\d+\- ]+))?")
Suits = dict[str, int]


@dataclass
class Known:
    """What the calls of a seat have told of its hand."""

    low: int = 0
    high: int = 37
    shortest: list[int] = field(default_factory=lambda: [0] * 4)
    longest: list[int] = field(default_factory=lambda: [13] * 4)


@dataclass(frozen=True)
class Condition:
    """One thing that a hand must have: a feature within a range."""

    name: str
    suit: str
    low: int
    high: int

    def sentence(self, suits: Suits) -> str:
        """For people."""
        word = _SUIT_WORDS[_suit(self.suit, suits)] if self.suit else ""
        size = (
            f"{self.low}+" if self.high >= 37 else f"{self.low}" if self.low == self.high else f"{self.low}–{self.high}"
        )
        if self.low == 0 and self.name not in _TRUTHS:
            size = f"at most {self.high}"
        return _SENTENCES.get(self.name, "{name} {size} {suit}").format(name=self.name, size=size, suit=word)


_MOST_SAID = 3
"""Rules for one call that its sentence names."""
_TRUTHS = {"balanced", "longest", "longestup", "stop", "nostop"}
_SENTENCES = {
    "hcp": "{size} high-card points",
    "points": "{size} points",
    "support": "{size} points in support of {suit}",
    "len": "{size} {suit}",
    "balanced": "balanced",
    "longest": "{suit} the longest suit",
    "longestup": "{suit} the longest suit",
    "stop": "{suit} stopped",
    "nostop": "{suit} not stopped",
    "tops": "{size} of the three top {suit}",
    "honours": "{size} honours in {suit}",
    "fit": "{size} {suit} with partner",
    "total": "{size} points with partner",
    "aces": "{size} aces",
    "kings": "{size} kings",
    "twenty": "points and the two longest suits make {size}",
    "major": "a major of {size}",
    "shape": "no suit longer than {size}",
    "doubletons": "{size} cards in the shortest suit",
    "seat": "in seat {size}",
}


@dataclass(frozen=True)
class Rule:
    """A line of a system's file."""

    call: str
    conditions: tuple[Condition, ...]
    label: str


@dataclass(frozen=True)
class Option:
    """A rule in an auction: its call, and its letters as suits."""

    call: int
    rule: Rule
    suits: Suits

    def sentence(self) -> str:
        """What the call says, for people."""
        said = ", ".join(condition.sentence(self.suits) for condition in self.rule.conditions)
        label = self.rule.label
        return f"{label}: {said}" if label and said else label or said or "nothing special"


@dataclass(frozen=True)
class Meaning:
    """What a call in an auction means; `sentence` is empty if the system does not have it there."""

    seat: int
    call: int
    sentence: str


class System:
    """What calls mean. Raises BadInput, naming the line, for a file that is broken."""

    def __init__(self, text: str, where: str = "the system") -> None:
        self.title = where
        self.blocks: list[tuple[tuple[str, ...], list[Rule]]] = []
        for number, line in enumerate(text.splitlines(), 1):
            line = line.partition("#")[0].strip()
            if not line:
                continue
            try:
                self._read(line)
            except (BadInput, ValueError, KeyError) as error:
                raise BadInput(f"{where}, line {number}: '{line}' is not understood ({error}).") from None

    def _read(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if word == "system":
            self.title = rest.strip()
        elif word == "after":
            self.blocks.append((tuple(rest.split()), []))
        elif word == "include":
            self.blocks += load_system(rest.strip()).blocks
        elif word in ("opening", "doubled", "always"):
            self.blocks.append(((word,), []))
        else:
            call, colon, rest = line.partition(":")
            if not colon or not self.blocks:
                raise BadInput("expected after, opening, always, or CALL : conditions ; label")
            said, _, label = rest.partition(";")
            conditions = tuple(_condition(part.strip()) for part in said.split(",") if part.strip())
            self.blocks[-1][1].append(Rule(call.strip(), conditions, label.strip()))


def _condition(text: str) -> Condition:
    found = _WORD.fullmatch(text)
    if found is None:
        raise BadInput(f"'{text}' is no condition")
    name, suit = found["name"], found["suit"] or ""
    if len(name) == 1 and not suit:
        name, suit = "len", name
    if name not in _SENTENCES:
        raise BadInput(f"there is no feature '{name}'")
    if name in _TRUTHS:
        return Condition(name, suit, 1, 1)
    size = _RANGE.fullmatch((found["range"] or "").strip())
    if size is None:
        raise BadInput(f"'{text}' has no range such as 5+, 15-17 or 3-")
    low = int(size[1])
    if size[2]:
        return Condition(name, suit, low, 37)
    if size[4]:
        return Condition(name, suit, 0, low)
    return Condition(name, suit, low, int(size[3]) if size[3] else low)


def _suit(letter: str, suits: Suits) -> int:
    return suits[letter] if letter in suits else SUITS.index(letter)


class Auction:
    """An auction as one or two systems understand it, call by call.

    `systems` are those of North-South and East-West.
    """

    def __init__(self, systems: Sequence[System], dealer: int, calls: Sequence[int] = ()) -> None:
        self.systems = tuple(systems)
        self.dealer = dealer
        self.calls: list[int] = []
        self.known = [Known() for _ in range(4)]
        self.options: list[list[Option]] = []
        """What could have been said at each turn."""
        self._earlier: list[Auction] = []
        for number in calls:
            self.add(number)

    @property
    def seat(self) -> int:
        """Whose turn it is."""
        return (self.dealer + len(self.calls)) % 4

    def add(self, call: int) -> Meaning:
        """One call more; what it means."""
        seat = self.seat
        options = self.now()
        self.options.append(options)
        meant = [option for option in options if option.call == call]
        if meant:
            self._learn(seat, meant)
        self.calls.append(call)
        said = list(dict.fromkeys(option.sentence() for option in meant))
        return Meaning(seat, call, "; or ".join(said[:_MOST_SAID]))

    def _learn(self, seat: int, meant: Sequence[Option]) -> None:
        """The hull of what the rules for the call ask for."""
        known = self.known[seat]
        hulls = [_ranges(option) for option in meant]
        low, high = min(h[0] for h in hulls), max(h[1] for h in hulls)
        if max(low, known.low) <= min(high, known.high):
            known.low, known.high = max(low, known.low), min(high, known.high)
        for suit in range(4):
            low, high = min(h[2][suit] for h in hulls), max(h[3][suit] for h in hulls)
            if max(low, known.shortest[suit]) <= min(high, known.longest[suit]):
                known.shortest[suit] = max(low, known.shortest[suit])
                known.longest[suit] = min(high, known.longest[suit])

    # What may be said now ---------------------------------------------------------------------------------------------

    def now(self) -> list[Option]:
        """The rules of the first block that fits the auction, the most urgent first; only legal calls."""
        for pattern, rules in self.systems[self.seat % 2].blocks:
            suits = self._match(pattern)
            if suits is not None:
                return [option for rule in rules for option in self._instances(rule, suits)]
        return []

    def _match(self, pattern: tuple[str, ...]) -> Suits | None:
        """How the letters of a block are suits here; None if it does not fit the auction."""
        first = next((place for place, number in enumerate(self.calls) if number), None)
        if pattern == ("opening",):
            return {} if first is None else None
        if pattern == ("always",):
            return self._last_suits()
        if pattern == ("doubled",):
            is_double = len(self.calls) >= 2 and self.calls[-2] == 1 and self.calls[-1] == 0
            return self._last_suits() if is_double else None
        if first is None:
            return None
        said = self.calls[first:]
        words = []
        for place, number in enumerate(said):
            ours = (len(said) - place) % 2 == 0
            if ours or number:
                words.append((ours, number))
        if len(words) != len(pattern):
            return None
        suits: Suits = {}
        for (ours, number), token in zip(words, pattern, strict=True):
            if token.startswith("(") == ours or not _binds(token.strip("()"), number, suits):
                return None
        return suits

    def _last_suits(self) -> Suits:
        """In `always` blocks P is partner's last suit, O the opponents' last one, as far as there are any."""
        suits: Suits = {}
        for place, number in enumerate(self.calls):
            if number > 2 and (number - 3) % 5 < 4:
                caller = (self.dealer + place) % 4
                if caller == (self.seat + 2) % 4:
                    suits["P"] = 3 - (number - 3) % 5
                elif caller != self.seat:
                    suits["O"] = 3 - (number - 3) % 5
        return suits

    def _instances(self, rule: Rule, suits: Suits) -> Iterator[Option]:
        """The rule with every suit that its free letter can be."""
        in_call = rule.call.rpartition("(")[2].rstrip(")") if rule.call != "P" else ""
        used = {letter for letter in in_call if letter in _LETTERS} | {
            c.suit for c in rule.conditions if c.suit in _LETTERS
        }
        free = sorted(letter for letter in used if letter not in suits)
        named = {in_call, *(c.suit for c in rule.conditions)}
        if any(letter in named and letter not in suits for letter in "PO"):
            return  # partner, or the other side, has shown no suit
        choices: list[Suits] = [dict(suits)]
        for letter in free:
            choices = [
                {**chosen, letter: suit}
                for chosen in choices
                for suit in _LETTERS[letter]
                if suit not in {chosen[other] for other in chosen if other not in ("O", "P")}
            ]
        for chosen in choices:
            call = self._call(rule.call, chosen)
            if call is not None and self._is_legal(call):
                yield Option(call, rule, chosen)

    def _call(self, text: str, suits: Suits) -> int | None:
        found = re.fullmatch(r"(low|jump|game)\(([A-Za-z]+)\)", text)
        if found is None:
            if text in ("P", "X", "XX"):
                return ("P", "X", "XX").index(text)
            strain = 4 if text[1:] in ("N", "NT") else 3 - _suit(text[1], suits)
            return 3 + 5 * (int(text[0]) - 1) + strain
        strain = 4 if found[2] in ("N", "NT") else 3 - _suit(found[2], suits)
        last = max((number for number in self.calls if number > 2), default=2)
        low = next(number for number in range(3 + strain, 48, 5) if number > last)
        if found[1] == "low":
            return low if low < 38 else None
        if found[1] == "jump":
            return low + 5 if low + 5 < 38 else None
        game = 3 + 5 * (2 if strain == 4 else 3 if strain >= 2 else 4) + strain
        return game if game > last else None

    def _is_legal(self, call: int) -> bool:
        last, doubled, by = 2, 0, -1
        for place, number in enumerate(self.calls):
            if number > 2:
                last, doubled, by = number, 0, (self.dealer + place) % 2
            elif number:
                doubled = number
        if call == 0:
            return True
        if call == 1:
            return by == 1 - self.seat % 2 and doubled == 0
        if call == 2:
            return by == self.seat % 2 and doubled == 1
        return call > last

    # Hands ------------------------------------------------------------------------------------------------------------

    def choose(self, hand: int) -> tuple[int, str]:
        """The call for a hand, and what it says; pass where no rule holds."""
        hands = Hands([hand])
        for option in self.now():
            if self._holds(option, hands, len(self.calls))[0]:
                return option.call, option.sentence()
        return 0, "nothing more to say"

    def likelihood(self, seat: int, hands: Hands) -> Array:
        """How well each of the hands explains the calls of a seat: 1 if it would have said all of them, less for each
        that it would not."""
        count = len(hands.hcp)
        weight = np.ones(count)
        for place, (replay, call) in enumerate(zip(self._before(), self.calls, strict=True)):
            if replay.seat == seat:
                options = self.options[place]
                said = np.full(count, -1)
                allowed = np.zeros(count, bool)
                for option in options:
                    holds = replay._holds(option, hands, place)
                    said = np.where((said < 0) & holds, option.call, said)
                    if option.call == call:
                        allowed |= holds
                said = np.where(said < 0, 0, said)
                weight *= np.where(said == call, 1.0, np.where(allowed, _SECOND, _STRANGE))
        return weight

    def _before(self) -> list[Auction]:
        """The auction as it stood before each call; kept, since many hands are held against the same auction."""
        if len(self._earlier) != len(self.calls):
            replay, self._earlier = Auction(self.systems, self.dealer), []
            for call in self.calls:
                stood = Auction(self.systems, self.dealer)
                stood.calls, stood.options = list(replay.calls), list(replay.options)
                stood.known = copy.deepcopy(replay.known)
                self._earlier.append(stood)
                replay.add(call)
        return self._earlier

    def _holds(self, option: Option, hands: Hands, place: int) -> Array:
        good = np.ones(len(hands.hcp), bool)
        for condition in option.rule.conditions:
            value = _FEATURES[condition.name](self, hands, condition, option.suits, place)
            good &= (value >= condition.low) & (value <= condition.high)
        return good


_SECOND, _STRANGE = 0.1, 0.01
"""What a call costs that a hand could say, but another rule comes first, and one that it could not say."""

Feature = Callable[[Auction, Hands, Condition, Suits, int], Array]


def _with_partner(auction: Auction) -> Known:
    return auction.known[(auction.seat + 2) % 4]


_FEATURES: dict[str, Feature] = {
    "hcp": lambda a, h, c, s, n: h.hcp,
    "points": lambda a, h, c, s, n: h.points(),
    "support": lambda a, h, c, s, n: h.support(_suit(c.suit, s)),
    "len": lambda a, h, c, s, n: h.length(_suit(c.suit, s)),
    "balanced": lambda a, h, c, s, n: h.balanced() * 1,
    "longest": lambda a, h, c, s, n: h.longest(_suit(c.suit, s)) * 1,
    "longestup": lambda a, h, c, s, n: h.longest(_suit(c.suit, s), upwards=True) * 1,
    "stop": lambda a, h, c, s, n: h.stops(_suit(c.suit, s)) * 1,
    "nostop": lambda a, h, c, s, n: ~h.stops(_suit(c.suit, s)) * 1,
    "tops": lambda a, h, c, s, n: h.tops(_suit(c.suit, s)),
    "honours": lambda a, h, c, s, n: h.honours(_suit(c.suit, s)),
    "fit": lambda a, h, c, s, n: h.length(_suit(c.suit, s)) + _with_partner(a).shortest[_suit(c.suit, s)],
    "total": lambda a, h, c, s, n: h.points() + _with_partner(a).low,
    "aces": lambda a, h, c, s, n: h.aces(),
    "kings": lambda a, h, c, s, n: h.kings(),
    "twenty": lambda a, h, c, s, n: h.twenty(),
    "major": lambda a, h, c, s, n: np.maximum(h.length(0), h.length(1)),
    "shape": lambda a, h, c, s, n: h.shape()[0],
    "doubletons": lambda a, h, c, s, n: h.shape()[3],
    "seat": lambda a, h, c, s, n: np.full(len(h.hcp), n % 4 + 1),
}


def _ranges(option: Option) -> tuple[int, int, list[int], list[int]]:
    """Points and lengths that a rule asks for."""
    low, high, shortest, longest = 0, 37, [0] * 4, [13] * 4
    for condition in option.rule.conditions:
        if condition.name in ("hcp", "points", "support"):
            low, high = max(low, condition.low), min(high, condition.high)
        elif condition.name == "len":
            suit = _suit(condition.suit, option.suits)
            shortest[suit], longest[suit] = max(shortest[suit], condition.low), min(longest[suit], condition.high)
        elif condition.name == "balanced":
            shortest = [max(2, length) for length in shortest]
            longest = [min(5, length) for length in longest]
    return low, high, shortest, longest


def _binds(token: str, number: int, suits: Suits) -> bool:
    """Whether a word of a pattern is the call; letters that are not bound yet are."""
    if token in ("P", "X", "XX"):
        return ("P", "X", "XX").index(token) == number
    if token == "?":
        return True
    text = call_text(number)
    if number <= 2 or text[0] != token[0]:
        return False
    strain = token[1:]
    if strain in ("N", "NT"):
        return text[1:] == "NT"
    if text[1:] == "NT":
        return False
    suit = SUITS.index(text[1])
    if strain in suits:
        return suits[strain] == suit
    if strain not in _LETTERS:
        return strain == text[1]
    if suit not in _LETTERS[strain] or suit in suits.values():
        return False
    suits[strain] = suit
    return True


def system_names() -> list[str]:
    """The systems that come with the game."""
    return sorted(file.stem.replace("_", "-") for file in _FOLDER.glob("*.txt"))


@functools.cache
def load_system(name: str) -> System:
    """A system by name, or by the path of its file. Raises UnknownName, BadInput."""
    file = Path(name) if name.endswith(".txt") else _FOLDER / f"{name.replace('-', '_')}.txt"
    if not file.is_file():
        known = system_names()
        raise UnknownName(f"There is no bidding system '{name}'.{suggest(name, known)} Expected {', '.join(known)}.")
    return System(file.read_text(encoding="utf-8"), file.name)
