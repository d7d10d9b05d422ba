"""Positions and moves of bridge as text.

    N:QJ6.K652.J85.T98 873.J97.AT764.Q4 K5.T83.KQ9.A7652 AT942.AQ4.32.KJ3 | N none | P P 1C 1S P P P | CT C4

The four hands as they were dealt, clockwise from the seat that is named (`-`: not known), the dealer and who is
vulnerable, the calls, and the cards and claims. Double dummy the second part may be a strain and who leads (`NT N`),
without calls; the hands may then be shorter. A rubber has a part more, its score before this deal.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from gametree.core.errors import BadInput, GametreeError
from gametree.games.bridge.cards import (
    SEAT_NAMES,
    SEATS,
    STRAINS,
    SUITS,
    call_text,
    card_text,
    deal_text,
    read_call,
    read_card,
    read_deal,
)
from gametree.games.bridge.redealing import cards_left
from gametree.games.bridge.table import (
    ACCEPT,
    AUCTION,
    CLAIM,
    CLAIMING,
    CONTRACT,
    DEAL,
    DOUBLE,
    DOUBLE_DUMMY,
    DUPLICATE,
    OVER,
    PLAY,
    REDOUBLE,
    REFUSE,
    RUBBER,
    seat_to_move,
    seat_to_play,
    start_play,
    whole_hands,
)

if TYPE_CHECKING:
    from gametree.games.bridge.rules import Bridge

__all__ = [
    "action_text",
    "contract_text",
    "dealt_hands",
    "read_action",
    "read_state",
    "state_text",
    "struct_of",
    "why_illegal",
]

VULNERABLE = ("none", "NS", "EW", "both")
_VULNERABLE = {"NONE": 0, "-": 0, "LOVE": 0, "NS": 1, "N-S": 1, "EW": 2, "E-W": 2, "BOTH": 3, "ALL": 3}
_ACCEPT = {"accept": ACCEPT, "yes": ACCEPT, "refuse": REFUSE, "no": REFUSE}
_EXPECTED = "expected a deal, and behind bars dealer and vulnerability, calls, and cards"


def strain_text(strain: int) -> str:
    """S, H, D, C or NT."""
    return "NT" if strain == 4 else STRAINS[strain]


def contract_text(s: Any) -> str:
    """Such as `4SX by W`; `passed out` where all passed."""
    if not s.level:
        return "passed out" if s.phase == OVER else ""
    return f"{int(s.level)}{strain_text(int(s.trump))}{'X' * int(s.doubled)} by {SEATS[int(s.declarer)]}"


# Moves ----------------------------------------------------------------------------------------------------------------


def action_text(s: Any, action: int) -> str:
    """A move as it is written."""
    if s.phase == DEAL:
        return str(action)
    if s.phase == AUCTION:
        return call_text(action)
    if s.phase == CONTRACT:
        return f"{strain_text(action // 4)}-{SEATS[action % 4]}"
    if s.phase == CLAIMING:
        return "accept" if action == ACCEPT else "refuse"
    return f"claim{action - CLAIM}" if action >= CLAIM else card_text(action)


def read_action(s: Any, word: str) -> int | None:
    """The move that a word may mean here, legal or not; None if it means none."""
    word = word.strip()
    try:
        if s.phase == AUCTION:
            return read_call(word)
        if s.phase == PLAY:
            claimed = re.fullmatch(r"claim\s*(\d{1,2})", word, re.IGNORECASE)
            return CLAIM + int(claimed[1]) if claimed else read_card(word)
    except BadInput:
        return None
    if s.phase == CLAIMING:
        return _ACCEPT.get(word.lower())
    if s.phase == CONTRACT:
        found = re.fullmatch(r"(S|H|D|C|NT?)\s*[- ]\s*([NESW])", word.upper())
        return STRAINS.index(found[1][0]) * 4 + SEATS.index(found[2]) if found else None
    return None


def why_illegal(s: Any, action: int, word: str) -> str:
    """The rule that a move breaks, in a sentence that names seat and card or call."""
    mover = SEAT_NAMES[int(seat_to_move(s))]
    if s.phase == AUCTION:
        last = call_text(int(s.bid)) if s.bid else "nothing"
        if action == DOUBLE:
            return f"{mover} cannot double: a double needs a bid of the other side that is not doubled yet."
        if action == REDOUBLE:
            return f"{mover} cannot redouble: a redouble needs an own bid that the other side has doubled."
        return f"{mover} cannot bid {call_text(action)}: it is not sufficient over {last}; expected a higher bid."
    if s.phase == PLAY and action >= CLAIM:
        left = int(s.dealt) - int(s.count) // 4
        return (
            f"{mover} cannot claim here: the declarer's side may claim once before it leads to a trick, "
            f"0 to {left} of the tricks that are left, and not at the last."
        )
    if s.phase == PLAY:
        seat = int(seat_to_play(s))
        card = card_text(action)
        if not int(s.hands[seat]) >> action & 1:
            return f"{SEAT_NAMES[seat]} cannot play {card}: the card is not in that hand."
        led = SUITS[int(s.played[int(s.count) - int(s.count) % 4]) >> 4]
        name = SEAT_NAMES[seat]
        return f"{name} cannot play {card}: that would be a revoke, for the hand still has a card of suit {led}."
    return f"'{word}' is not possible here."


# Positions ------------------------------------------------------------------------------------------------------------


def dealt_hands(s: Any) -> list[int | None]:
    """The hands as they were dealt; None for those that are not known."""
    whole = np.zeros(4, np.uint64)
    whole_hands(s, whole)
    return [None if not s.hands[seat] and cards_left(s, seat) else int(whole[seat]) for seat in range(4)]


def struct_of(game: Bridge, state: Any) -> Any:
    """The struct of a state, for whoever writes files of boards."""
    return game.struct(state)


def state_text(s: Any) -> str:
    """The position in one line."""
    score = ""
    if s.form == RUBBER:
        pairs = (f"{int(field[0])}-{int(field[1])}" for field in (s.games, s.below, s.points))
        score = f" | rubber {int(s.deals)} {' '.join(pairs)}"
    if s.phase == DEAL:
        return f"deal{score}" if score != " | rubber 0 0-0 0-0 0-0" else "deal"
    parts = [deal_text(dealt_hands(s))]
    if s.form == DOUBLE_DUMMY and not s.call_count:
        if s.phase == CONTRACT:
            return parts[0]
        parts.append(f"{strain_text(int(s.trump))} {SEATS[(int(s.declarer) + 1) % 4]}")
    else:
        parts.append(f"{SEATS[int(s.dealer)]} {VULNERABLE[int(s.vulnerable)]}")
        parts.append(" ".join(call_text(int(number)) for number in s.calls[: s.call_count]))
    parts.append(" ".join(_play_words(s)))
    while not parts[-1]:
        parts.pop()
    return " | ".join(parts) + score


def _play_words(s: Any) -> list[str]:
    """Cards, claims and answers in order."""
    words = []
    for trick in range(13):
        words_here = [card_text(int(card)) for card in s.played[4 * trick : min(4 * trick + 4, int(s.count))]]
        if s.claims[trick]:
            stage, claimed = divmod(int(s.claims[trick]), 16)
            answers = ((), (), ("accept",), ("accept", "accept"), ("refuse",), ("accept", "refuse"))[stage]
            words += [f"claim{claimed - 1}", *answers]
        words += words_here
    return words


def read_state(game: Bridge, text: str) -> Any:
    """The position that a text describes. Raises BadInput."""
    wrong = f"'{_short(text)}' is no position of bridge"
    parts = [part.strip() for part in text.strip().split("|")]
    structs = np.zeros(1, game.rules.state_type)
    s = structs[0]
    s.form, s.board = game.form, game.rules.constants.get("BOARD", 0)
    score = _read_score(game, parts, wrong)
    if parts[0].lower() == "deal" and len(parts) == 1:
        state = game.initial()
        return state if score is None else _with_score(game, state, score)
    try:
        hands = read_deal(parts[0])
        bare = _bare_contract(parts)
        if len(parts) > (3 if bare else 4):
            raise BadInput(f"it has {len(parts)} parts")
        _set_hands(s, hands, is_open=game.form == DOUBLE_DUMMY)
        if bare is not None and game.form != DOUBLE_DUMMY:
            raise BadInput(f"'{parts[1]}' names a strain and a leader, which only bridge:double-dummy takes")
        s.form = DUPLICATE if game.form == RUBBER else game.form  # a rubber is scored at the end of this
        if game.form == DOUBLE_DUMMY and (bare is not None or len(parts) == 1):
            s.phase = CONTRACT
            if bare is not None:
                start_play(s, bare[0], (bare[1] - 1) % 4)
        else:
            _set_board(s, parts[1] if len(parts) > 1 else "N none")
        state = game.pack(structs)
        words = " ".join(parts[2:]).split()
        for place, word in enumerate(words):
            state = _follow(game, state, word, place)
    except GametreeError as error:
        reason = str(error).rstrip(".")
        raise BadInput(
            f"{wrong}: {reason}; {_EXPECTED}." if "expected" not in reason else f"{wrong}: {reason}."
        ) from None
    return state if game.form != RUBBER else _with_score(game, state, score or _NO_SCORE)


_NO_SCORE = (0, (0, 0), (0, 0), (0, 0))
_Score = tuple[int, tuple[int, int], tuple[int, int], tuple[int, int]]


def _read_score(game: Bridge, parts: list[str], wrong: str) -> _Score | None:
    """Take the score of a rubber off the end of the parts. Raises BadInput."""
    if not parts[-1].lower().startswith("rubber"):
        return None
    found = re.fullmatch(r"rubber (\d+) (\d)-(\d) (\d+)-(\d+) (\d+)-(\d+)", parts.pop().lower())
    if found is None or game.form != RUBBER or not parts:
        raise BadInput(f"{wrong}: only bridge:rubber has a score, such as 'rubber 3 1-0 60-0 500-100' at the end.")
    numbers = [int(word) for word in found.groups()]
    if numbers[0] > 60 or max(numbers[1:3]) > 2 or max(numbers[3:5]) > 99 or max(numbers[5:]) > 600_000:
        raise BadInput(
            f"{wrong}: the rubber has too many deals, games or points; expected at most 60 deals and 2 games."
        )
    return numbers[0], (numbers[1], numbers[2]), (numbers[3], numbers[4]), (numbers[5], numbers[6])


def _with_score(game: Bridge, state: Any, score: _Score) -> Any:
    structs = game.structs(state)
    s = structs[0]
    s.form, s.board, s.deals = game.form, 0, score[0]
    for side in range(2):
        s.games[side], s.below[side], s.points[side] = (pair[side] for pair in score[1:])
    return game.pack(structs)


def _bare_contract(parts: list[str]) -> tuple[int, int] | None:
    """Strain and leader, where the second part says those."""
    found = re.fullmatch(r"(S|H|D|C|NT?) +([NESW])", parts[1].upper()) if len(parts) > 1 else None
    return None if found is None else (STRAINS.index(found[1][0]), SEATS.index(found[2]))


def _set_hands(s: Any, hands: list[int | None], *, is_open: bool) -> None:
    counts = [13 if hand is None else hand.bit_count() for hand in hands]
    s.dealt = counts[0] if is_open else 13
    for seat, count in enumerate(counts):
        if count != s.dealt or not count:
            wanted = f"as many as {SEAT_NAMES[0]}, {int(s.dealt)}" if is_open and seat else "13"
            raise BadInput(f"{SEAT_NAMES[seat]} has {count} cards; expected {wanted}")
        if hands[seat] is None and is_open:
            raise BadInput(f"{SEAT_NAMES[seat]}'s hand is not known; double dummy expected all four")
        s.hands[seat] = hands[seat] or 0


def _set_board(s: Any, text: str) -> None:
    words = text.upper().split()
    if len(words) != 2 or words[0] not in SEATS or len(words[0]) != 1 or words[1] not in _VULNERABLE:
        raise BadInput(f"'{text}' is no dealer and vulnerability; expected one of N, E, S, W and of none, NS, EW, both")
    s.dealer, s.vulnerable, s.phase = SEATS.index(words[0]), _VULNERABLE[words[1]], AUCTION
    if s.form != RUBBER:
        s.board = next(b + 1 for b in range(16) if b % 4 == s.dealer and (b + b // 4) % 4 == s.vulnerable)


def _follow(game: Bridge, state: Any, word: str, place: int) -> Any:
    """One call, card, claim or answer more; the cards of a hand that is not known are taken on trust."""
    s = game.struct(state)
    if s.phase == OVER:
        raise BadInput(f"'{word}' comes after the end of the deal")
    action = read_action(s, word)
    if action is None:
        what = {AUCTION: "call", PLAY: "card or claim", CLAIMING: "answer to a claim"}.get(int(s.phase), "move")
        raise BadInput(f"'{word}' is no {what}, as word {place + 1} behind the dealer")
    seat = int(seat_to_play(s)) if s.phase == PLAY else -1
    if s.phase == PLAY and action < CLAIM and not s.hands[seat]:
        for other in range(4):
            if int(s.hands[other]) >> action & 1:
                raise BadInput(f"{SEAT_NAMES[seat]} cannot play {card_text(action)}, which {SEAT_NAMES[other]} holds")
        if action in s.played[: s.count]:
            raise BadInput(f"{card_text(action)} is played twice")
    elif action not in game.actions(state):
        raise BadInput(why_illegal(s, action, word).rstrip("."))
    return game.result(state, action)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 90 else text[:87] + "..."
