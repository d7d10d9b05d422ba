"""The rules of Kriegspiel as verbs on the struct, and the formal game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gametree.core.drawing import Drawing, Piece
from gametree.core.errors import BadInput, IllegalMove
from gametree.core.facts import Facts
from gametree.core.format import Format
from gametree.games.chess import Chess, explanation, fen
from gametree.games.chess.board import BISHOP, KING, KNIGHT, PAWN, QUEEN, RANK_1, RANK_8, ROOK, first, in_check, key_of
from gametree.games.chess.evaluation import evaluate as evaluate_chess
from gametree.games.chess.moves import (
    ALL,
    CASTLING,
    EN_PASSANT,
    captured_kind,
    castling_squares,
    from_square,
    generate,
    promoted_kind,
    special,
    to_square,
)
from gametree.games.chess.moves import play as play_chess
from gametree.games.chess.rules import initial as set_up_chess
from gametree.games.chess.terms import load_weights, record_of
from gametree.games.kriegspiel import words
from gametree.games.kriegspiel.umpire import (
    ASK,
    ASKING,
    BY_NUMBER,
    BY_SQUARE,
    CLOCK,
    FREE,
    KINDS,
    MATE,
    MUST,
    NO,
    ONE_TRY,
    PASSING,
    PLAYING,
    PROMOTION,
    PUBLIC,
    STALEMATE,
    STALEMATE_LOSES,
    TRIES,
    UNTIL_DONE,
    YES_OR_NO,
    State,
    Weights,
    announce,
    find_move,
    list_tries,
    try_from,
    try_to,
    try_turned,
)
from gametree.kernels import ONE, ZERO, CompiledGame, mix_in, more_bits, plain_at_first, popcount, u64

__all__ = ["RULES", "Kriegspiel", "State", "Weights"]

WIN = 300
"""Points for a win, as in chess; a point is a pawn."""
MOST_MOVES = 320
UNIT = 100
SOONER = True
DEALS = 60
"""So many boards `redeal` tries before it takes the one that fits the umpire's words best."""
VALUES = np.array([0, 100, 325, 325, 500, 975, 0], np.int64)
"""What the men count where a king is not seen."""

RULES = {
    "wild16": {KINDS: 1, TRIES: BY_NUMBER},
    "berkeley": {PUBLIC: 1},
    "berkeley-any": {PUBLIC: 1, ASKING: UNTIL_DONE},
    "english": {PUBLIC: 1, ASKING: ONE_TRY, PASSING: 1},
    "rand": {PUBLIC: 1, KINDS: 1, TRIES: BY_SQUARE, PROMOTION: 1, STALEMATE_LOSES: 1},
    "cincinnati": {PUBLIC: 1, KINDS: 1, TRIES: YES_OR_NO},
}
"""What the umpire tells, and to whom."""


# Rules ----------------------------------------------------------------------------------------------------------------


def initial(s: Any) -> None:
    """The men as in chess, which everybody knows."""
    set_up_chess(s)
    s.left[0] = s.left[1] = 16


def player(s: Any) -> Any:
    """White is seat 0."""
    return np.int64(s.seat)


def legal_moves(s: Any, out: Any, w: Any) -> Any:
    """All tries that were not refused yet; legal ones are always among them."""
    return np.int64(0) if s.verdict != PLAYING else list_tries(s, out, w)


def is_over(s: Any, out: Any) -> Any:
    """As soon as the umpire has said so."""
    return s.verdict != PLAYING


def play(s: Any, m: Any, w: Any) -> None:
    """Ask the umpire: he refuses and the same side goes on, or the move is played and he announces it.

    On a view nobody can tell what would come of a try; there it counts as refused.
    """
    out = np.empty(256, np.int64)
    if m == ASK:
        s.asked = MUST if has_kings(s) and has_pawn_capture(s, out) else NO
        return
    move = np.int64(find_move(s, out, m)) if has_kings(s) else np.int64(-1)
    if move < 0:
        s.refused[try_from(m)] |= ONE << try_to(m)
        s.refusals += 1
        if s.asked == MUST and w.told[ASKING] == ONE_TRY:
            s.asked = FREE
        return
    taken = captured_kind(move)
    s.taken = s.taken_kind = s.passing = s.promoted = 0
    if taken != ZERO:
        square = to_square(move)
        s.left[1 - s.seat] -= 1
        if special(move) == EN_PASSANT:
            if w.told[PASSING] != 0:
                s.passing = 1
            else:
                square = square - u64(8) if s.seat == 0 else square + u64(8)
        s.taken = 1 + square
        if w.told[KINDS] != 0:
            s.taken_kind = 1 if taken == u64(PAWN) else 2
    if promoted_kind(move) != ZERO and w.told[PROMOTION] != 0:
        s.promoted = 1
    play_chess(s, move)
    forget_tries(s)
    s.moved = 1
    announce(s, w)


def has_pawn_capture(s: Any, out: Any) -> Any:
    """Whether a pawn of the side to move can take."""
    for i in range(generate(s, out, ALL)):
        move = np.int64(out[i])
        if captured_kind(move) != ZERO and s.kinds[PAWN] >> u64(move & 63) & ONE != ZERO:
            return True
    return False


def forget_tries(s: Any) -> None:
    """What the side to move has asked in this turn is no more."""
    s.asked = 0
    if s.refusals != 0:
        s.refusals = 0
        for square in range(64):
            s.refused[square] = ZERO


def utility(s: Any, w: Any) -> Any:
    """A loss for the side to move that is mated, or stalemated where that loses; else a draw."""
    if s.verdict == MATE or (s.verdict == STALEMATE and w.told[STALEMATE_LOSES] != 0):
        return -WIN
    return 0


# Who knows what -------------------------------------------------------------------------------------------------------


def hide(s: Any, seat: Any) -> None:
    """The other side's men and tries, and what depends on them. At the start and at the end the board is open."""
    if s.seat != seat:
        forget_tries(s)
    if s.moved == 0:
        return
    s.clock = 0
    if s.verdict != PLAYING:
        return
    for side in range(2):
        if side != seat:
            for kind in range(1, 7):
                s.kinds[kind] &= ~s.sides[side]
            s.castlers &= ~s.sides[side]
            s.sides[side] = ZERO
    s.hash = ZERO
    s.en_passant = 0


def heard(s: Any, m: Any, t: Any, seat: Any, w: Any) -> Any:
    """The umpire's words. Of a try that is refused the other hears at most that there was one."""
    stayed = s.seat == t.seat
    if seat == s.seat:
        word = mix_in(u64(m + 1), said(t))
        return np.int64(mix_in(word, u64(t.asked) << u64(1) | u64(1) if stayed else ZERO) >> u64(2)) + 16
    if stayed:
        if m == ASK:
            return np.int64(t.asked) + 1
        return np.int64(1) if w.told[PUBLIC] != 0 else np.int64(0)
    return np.int64(said(t) >> u64(2)) + 16


def said(s: Any) -> Any:
    """All that the umpire has announced of the last move, as one number."""
    word = u64(s.verdict) | u64(s.checks) << u64(8) | u64(s.tries) << u64(16) | u64(s.taken) << u64(24)
    word |= u64(s.taken_kind) << u64(32) | u64(s.passing) << u64(36) | u64(s.promoted) << u64(40)
    if s.verdict != PLAYING:  # the board is open
        word = mix_in(word, s.hash)
    return mix_in(word, s.sources)


def redeal(s: Any, seat: Any, bits: Any, w: Any) -> None:
    """Put as many men as the other side has on empty squares, such that the umpire would say what he has said.

    Among some random boards the one that fits best; nothing of how they could have come there is known. The kinds are
    those that a side begins with, the least valuable gone first.
    """
    if s.moved == 0 or s.verdict != PLAYING:
        return
    best, least = np.zeros(1, State), np.int64(1000)
    trial = np.zeros(1, State)
    for deal in range(DEALS):
        t = trial[0]
        trial[0] = s
        number = deal * 64
        for side in range(2):
            if side != seat:
                number = put_men(t, side, bits, number)
        miss = misfit(s, trial, w)
        if miss < least:
            least = miss
            best[0] = t
        if miss == 0:
            break
    t = best[0]
    for side in range(2):
        s.sides[side] = t.sides[side]
    for kind in range(1, 7):
        s.kinds[kind] = t.kinds[kind]
    s.hash = t.hash


def put_men(t: Any, side: Any, bits: Any, number: Any) -> Any:
    """A king, and as many others as the side has left, on squares that are free, each kind where it can stand."""
    left = np.int64(t.left[side])
    placed = 0
    for kind, most in ((KING, 1), (QUEEN, 1), (ROOK, 2), (BISHOP, 2), (KNIGHT, 2), (PAWN, 8)):
        # Of the pawns at least as many as there must be; of pieces some are gone.
        for _ in range(most):
            if placed >= left:
                break
            number += 1
            drawn = more_bits(bits, number)
            if kind not in (KING, PAWN) and 16 - left > 0 and np.int64(drawn & u64(15)) < 16 - left:
                continue
            free = ~(t.sides[0] | t.sides[1])
            if kind == PAWN:
                free &= ~(RANK_1 | RANK_8)
            skip = np.int64((drawn >> u64(32)) * u64(popcount(free)) >> u64(32))
            while skip > 0:
                free &= free - ONE
                skip -= 1
            square = first(free)
            t.kinds[kind] |= ONE << square
            t.sides[side] |= ONE << square
            t.hash ^= key_of(u64(side), u64(kind), square)
            placed += 1
    return number


def misfit(s: Any, trial: Any, w: Any) -> Any:
    """How far what the umpire would say of the trial is from what he has said in `s`; 900 if it is no position."""
    t = trial[0]
    if not has_kings(t):
        return np.int64(900)
    t.seat = 1 - t.seat
    wrong = in_check(t)
    t.seat = 1 - t.seat
    if wrong:
        return np.int64(900)
    announce(t, w)
    miss = abs(np.int64(t.tries) - np.int64(s.tries))
    if t.verdict != PLAYING:
        miss += 200
    if t.checks != s.checks:
        miss += 100
    return miss if t.sources == s.sources else miss + 10


def has_kings(s: Any) -> Any:
    """Whether both kings are seen."""
    return s.kinds[KING] & s.sides[0] != ZERO and s.kinds[KING] & s.sides[1] != ZERO


# Knowledge ------------------------------------------------------------------------------------------------------------


def evaluate(s: Any, w: Any) -> Any:
    """The estimate of chess in centipawns, for the side to move; where a king is not seen, the men that are."""
    if has_kings(s):
        return evaluate_chess(s, w)
    value = np.int64(0)
    for kind in range(1, 6):
        men = s.kinds[kind]
        value += VALUES[kind] * (popcount(men & s.sides[s.seat]) - popcount(men & s.sides[1 - s.seat]))
    return value


def hash_state(s: Any) -> Any:
    """The board, what was said of it, and what was tried; not how long ago something was taken."""
    h = mix_in(u64(0x6B7269656773), s.sides[0])
    h = mix_in(h, s.sides[1])
    for kind in range(1, 7):
        h = mix_in(h, s.kinds[kind])
    h = mix_in(mix_in(h, s.castlers), said(s))
    h = mix_in(h, u64(s.seat) | u64(s.en_passant) << u64(8) | u64(s.asked) << u64(16) | u64(s.moved) << u64(24))
    if s.refusals != 0:
        for square in range(64):
            h = mix_in(h, s.refused[square])
    return h


def noisy_moves(s: Any, out: Any) -> Any:
    """The legal captures where the last move has taken something, the only place that everybody knows."""
    n = np.int64(0)
    if s.taken == 0 or s.verdict != PLAYING or not has_kings(s):
        return n
    for i in range(generate(s, out, ALL)):
        move = np.int64(out[i])
        turned = promoted_kind(move)
        if captured_kind(move) != ZERO and to_square(move) == u64(s.taken - 1) and turned in (ZERO, u64(QUEEN)):
            out[n] = try_of(move)
            n += 1
    return n


def try_of(move: Any) -> Any:
    """The try that means a move of chess."""
    to = to_square(move)
    if special(move) == CASTLING:
        to = castling_squares(from_square(move), to)[0]
    return np.int64(from_square(move)) | np.int64(to) << 6 | np.int64(promoted_kind(move)) << 12


def priors(s: Any, moves: Any, n: Any, out: Any, w: Any) -> None:
    """How people play who see only their own men: they take back where something was taken, use the pawn captures that
    they are told of, bring their pieces out and keep the king at home while there are queens.
    """
    us = s.seat
    home = RANK_1 if us == 0 else RANK_8
    crowded = popcount(s.sides[us]) > 10
    for i in range(n):
        m = np.int64(moves[i])
        if m == ASK:
            out[i] = 4.0
            continue
        start, to = try_from(m), try_to(m)
        here = ONE << start
        weight = 1.0
        if s.kinds[PAWN] & here != ZERO:
            if (start ^ to) & u64(7) != ZERO:
                weight = 6.0 if w.told[TRIES] != 0 or s.asked == MUST else 0.5
            elif try_turned(m) != ZERO:
                weight = 8.0 if try_turned(m) == u64(QUEEN) else 0.05
        elif s.kinds[KING] & here != ZERO:
            weight = 0.4 if crowded else 1.0
            if (to > start + ONE and to == start + u64(2)) or start == to + u64(2):
                weight = 3.0
        elif crowded and home & here != ZERO:
            weight = 1.5
        if s.taken != 0 and to == u64(s.taken - 1):
            weight *= 10.0
        out[i] = weight


# The formal game ------------------------------------------------------------------------------------------------------


@plain_at_first
def settle(states: Any, weights: Any) -> None:
    """Complete a struct whose men are set."""
    s = states[0]
    s.left[0], s.left[1] = popcount(s.sides[0]), popcount(s.sides[1])
    announce(s, weights[0])


@plain_at_first
def list_all(states: Any, out: Any, weights: Any) -> Any:
    """The tries of a turn in which nothing was refused yet."""
    forget_tries(states[0])
    return list_tries(states[0], out, weights[0])


@plain_at_first
def look_up(states: Any, out: Any, number: Any) -> Any:
    """The move of chess that a try means, or −1."""
    return np.int64(find_move(states[0], out, number))


class Kriegspiel(CompiledGame):
    """Kriegspiel under the `rules` of wild16, cincinnati, berkeley, berkeley-any, english or rand.

    `draws` is "fifty" (moves by each side without capture and pawn move) or "long" (2000 such moves in all).
    """

    seat_names = ("White", "Black")

    def __init__(self, rules: str = "wild16", draws: str = "fifty", weights: str = "tuned") -> None:
        if rules not in RULES:
            raise BadInput(f"kriegspiel:rules={rules} is not possible; expected one of {', '.join(RULES)}.")
        if draws not in ("fifty", "long"):
            raise BadInput(f"kriegspiel:draws={draws} is not possible; expected fifty or long.")
        self.umpire, self.draws = rules, draws
        self.chess = Chess()
        self.facts = Facts(hidden=True, most_moves=MOST_MOVES, min_utility=-WIN, max_utility=WIN)
        super().__init__()
        self.w = self.load_weights(weights)
        self.formats = {
            "uci": Format("move", "UCI", lambda state, action: words.uci_text(action), self.action_from_text),
            "pgn": words.pgn_format(self),
        }

    def load_weights(self, name: str) -> Any:
        """The weights `tuned` or `textbook` of chess, or those of a file. Raises BadInput."""
        record = np.zeros(1, Weights)
        record["packed"] = record_of(load_weights(name))["packed"]
        for what, value in RULES[self.umpire].items():
            record["told"][0, what] = value
        record["told"][0, CLOCK] = 100 if self.draws == "fifty" else 2000
        return record

    # Between the board and what is seen of it -------------------------------------------------------------------------

    def opened(self, state: bytes) -> tuple[Chess, bytes]:
        """The board as a position of chess. A view has no kings, and cannot be opened."""
        s, structs = self.struct(state), np.zeros(1, self.chess.rules.state_type)
        for name in structs.dtype.names:
            structs[0][name] = min(int(s.clock), 99) if name == "clock" else s[name]
        return self.chess, self.chess.pack(structs)

    def closed(self, state: bytes, action: int) -> int:
        """The try that a move of chess is."""
        found: int = int(try_of(action))
        return found

    def open_move(self, state: bytes, action: int) -> int:
        """The move of chess that a try means; −1 if the umpire refuses it."""
        found: int = int(self.rules.kernel(look_up)(self.structs(state), np.empty(256, np.int64), action))
        return found

    def is_refusal(self, state: bytes, after: bytes) -> bool:
        """Whether a try did not change the board."""
        return bool(self.player(state) == self.player(after))

    # Text -------------------------------------------------------------------------------------------------------------

    def _all_tries(self, state: bytes) -> Sequence[int]:
        out = np.empty(self._most_moves, np.int64)
        found: list[int] = out[: self.rules.kernel(list_all)(self.structs(state), out, self.w)].tolist()
        return found

    def action_text(self, state: bytes, action: int) -> str:
        """The try in algebraic notation; whether a piece takes something nobody knows."""
        return words.try_text(self.struct(state), action, self._all_tries(state))

    def action_from_text(self, state: bytes, text: str) -> int:
        """The try that a text means, in algebraic or UCI notation. Raises IllegalMove."""
        wanted = text.strip().rstrip("+#!")
        if "0-0" in wanted:
            wanted = wanted.replace("0", "O")
        tries: Sequence[int] = self.actions(state)
        named = {words.uci_text(action): action for action in tries}
        if wanted.lower() in named:
            return named[wanted.lower()]
        s, every = self.struct(state), self._all_tries(state)
        named = {words.try_text(s, action, every): action for action in tries}
        for name in (wanted, wanted if wanted[1:2] == "x" and wanted[:1].islower() else wanted.replace("x", "")):
            if name in named:
                return named[name]
        refused = {words.try_text(s, action, every) for action in every} - set(named)
        if wanted in refused or wanted.lower() in {words.uci_text(action) for action in every}:
            raise IllegalMove(f"'{text.strip()}' was refused in this turn already, or is not allowed now.")
        action: int = super().action_from_text(state, text)
        return action

    def hear_text(self, state: bytes, action: int, after: bytes, player: int) -> str:
        """The umpire's words as the seat hears them."""
        if self.hear(state, action, after, player) is None:
            return ""
        t = self.struct(after)
        if self.is_refusal(state, after):
            if action == ASK:
                answer = "any pawn captures? " + ("yes" if t.asked == MUST else "no")
                return answer
            return f"{self.action_text(state, action)} refused" if self.player(state) == player else "a try was refused"
        said = words.announcement(t, counts=self._counts)
        if self.player(state) == player:
            return "; ".join([self.action_text(state, action), *said])
        return words.unseen_text(said)

    @property
    def _counts(self) -> bool:
        """Whether the umpire tells how many pawn captures there are."""
        return RULES[self.umpire].get(TRIES) == BY_NUMBER

    def state_text(self, state: bytes) -> str:
        """The FEN of the men that are seen, and what the umpire has said."""
        s = self.struct(state)
        said = "" if s.moved == 0 or s.verdict else self._heard_in(s)
        return fen.write_fen(s) + words.write_extras(s) + said

    def _heard_in(self, s: Any) -> str:
        """In a view, which has no board from which they would follow: the words that concern the side to move."""
        if int(s.sides[0]) and int(s.sides[1]):
            return ""
        said = words.announcement(s, counts=self._counts)
        return "".join(f"; {part}" for part in said if "taken" not in part and "promoted" not in part)

    def state_from_text(self, text: str) -> bytes:
        """A FEN, or startpos, perhaps `moves` and tries behind it, or what `state_text` adds. Raises BadInput."""
        position, word, rest = fen.split_history(text)
        board, *extras = position.split(";")
        open_state = self.chess.state_from_text(board.strip())
        chess = self.chess.struct(open_state)
        self._check_castling(chess, board)
        structs = np.zeros(1, self.rules.state_type)
        s = structs[0]
        for name in chess.dtype.names:
            s[name] = chess[name]
        words.read_extras(s, extras, text)
        self.rules.kernel(settle)(structs, self.w)
        state = self.pack(structs)
        if word == "moves":
            for move in rest.split():
                state = self.result(state, self.action_from_text(state, move))
        elif word:
            raise BadInput(f"'{word}' in '{text[:90]}' is nothing that Kriegspiel knows; expected moves.")
        return state

    def _check_castling(self, s: Any, text: str) -> None:
        for side in range(2):
            rooks = int(s.castlers) & int(s.sides[side])
            king = (int(s.kinds[KING]) & int(s.sides[side])).bit_length() - 1
            if rooks & ~(0x81 << 56 * side) or (rooks and king != 4 + 56 * side):
                raise BadInput(
                    f"'{text.strip()[:90]}' castles from other squares than in the classical set-up; expected kings on "
                    "the e-file and rooks in the corners."
                )

    # Drawings and estimates -------------------------------------------------------------------------------------------

    def draw(self, state: bytes) -> Drawing:
        """The men that are seen, White below, and what the umpire said."""
        s = self.struct(state)
        pieces = tuple(
            Piece(7 - square // 8, square % 8, fen.FIGURINES[side][kind], side) for square, side, kind in fen.men(s)
        )
        cells = tuple("abcdefgh"[file] + str(rank) for rank in range(8, 0, -1) for file in range(8))
        said = words.announcement(s, counts=self._counts)
        caption = "; ".join([*said] if s.verdict else [self.seat_names[int(s.seat)] + " to move", *said])
        refused = [self.action_text(state, action) for action in self._refused(state)]
        if refused:
            caption += f". Refused: {', '.join(refused)}"
        return Drawing(layout="square", rows=8, columns=8, pieces=pieces, cells=cells, caption=caption, checkered=True)

    def _refused(self, state: bytes) -> list[int]:
        s = self.struct(state)
        if not s.refusals:
            return []
        tries = [action for action in self._all_tries(state) if action != ASK and int(try_turned(action)) in (0, QUEEN)]
        return [action for action in tries if int(s.refused[int(try_from(action))]) >> int(try_to(action)) & 1]

    def action_cells(self, state: bytes, action: int) -> Sequence[str]:
        """From where to where the man goes."""
        if action == ASK:
            return ()
        text = words.uci_text(action)
        return text[:2], text[2:4]

    def winning_chance(self, value: float) -> float:
        """The expected share of the point, 0 to 1, at this value in pawns, as in chess."""
        return explanation.expectation(value)
