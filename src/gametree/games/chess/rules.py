"""The rules of chess as verbs on the struct, and the formal game.

What ends the game depends on `draws`: "claimed" (the default) is how programs play, as if every draw that may be
claimed were claimed: a position that stands for the third time, or fifty moves by each side without capture and pawn
move. "automatic" ends the game only where the arbiter must: fivefold repetition and 75 moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gametree.core.drawing import Drawing, Mark, Piece
from gametree.core.errors import BadInput, IllegalMove
from gametree.core.facts import Facts
from gametree.core.format import Format, shared_format
from gametree.games.chess import explanation, fen, notation, numbering
from gametree.games.chess.board import (
    BISHOP,
    KING,
    KNIGHT,
    KNIGHT_STEPS,
    PAWN,
    QUEEN,
    ROOK,
    State,
    bishop_attacks,
    first,
    in_check,
    position_hash,
    rook_attacks,
)
from gametree.games.chess.draws import is_dead
from gametree.games.chess.evaluation import UNIT, evaluate
from gametree.games.chess.moves import (
    ALL,
    NOISY,
    captured_kind,
    gains_at_least,
    generate,
    moving_kind,
    note_en_passant,
    pass_move,
    play,
    promoted_kind,
    quiet_checks,
)
from gametree.games.chess.notation import describe, match_wish
from gametree.games.chess.numbering import class_after, class_size, index_of, material_class, set_index
from gametree.games.chess.terms import Weights, load_weights, pairs_of, record_of
from gametree.kernels import ONE, ZERO, CompiledGame, mix_in, plain_at_first, u64, zobrist_keys

if TYPE_CHECKING:
    from gametree.games.chess.polyglot import PolyglotKeys
    from gametree.games.chess.tuning import ChessTuning

__all__ = [
    "STANDARD_START",
    "UNIT",
    "Chess",
    "State",
    "Weights",
    "back_rank",
    "class_after",
    "class_size",
    "evaluate",
    "index_of",
    "play",
    "set_index",
]

WIN = 300
"""Points for a win. A point is a pawn, so that estimates read as people expect; no estimate reaches a win."""
MOST_MOVES = 256
"""Above the 218 moves of the richest position that can come about."""
CLOCK_LIMIT = 100
"""So many plies without capture and pawn move end the game."""
REPETITIONS = 3
BACK_RANK = (ROOK, KNIGHT, BISHOP, QUEEN, KING, BISHOP, KNIGHT, ROOK)
STANDARD_START = 518
"""The number of the classical set-up among the 960."""
CLOCK_KEYS = zobrist_keys(256, seed=50)
MOVE_CLASSES = 512
ALTERNATE = True
SOONER = True


# Rules ----------------------------------------------------------------------------------------------------------------


def initial(s: Any) -> None:
    """All men at home; every rook may castle."""
    for file in range(8):
        column = ONE << u64(file) | ONE << u64(56 + file)
        s.kinds[BACK_RANK[file]] |= column
        if BACK_RANK[file] == ROOK:
            s.castlers |= column
    s.kinds[PAWN] = u64(0x00FF00000000FF00)
    s.sides[0] = u64(0xFFFF)
    s.sides[1] = u64(0xFFFF << 48)
    s.hash = position_hash(s)


def player(s: Any) -> Any:
    """White is seat 0."""
    return np.int64(s.seat)


def is_drawn(s: Any) -> Any:
    """Whether the position ends the game although there may be moves."""
    return s.clock >= CLOCK_LIMIT or is_dead(s)


def legal_moves(s: Any, out: Any) -> Any:
    """All legal moves; none where the game is drawn."""
    if is_drawn(s):
        return np.int64(0)
    return generate(s, out, ALL)


def has_easy_move(s: Any) -> Any:
    """Whether there is plainly a legal move: no check, and a pawn or a knight that nothing can have pinned is free."""
    if in_check(s):
        return False
    us = s.seat
    mine = s.sides[us]
    occupied = mine | s.sides[1 - us]
    king = first(s.kinds[KING] & mine)
    loose = mine & ~(rook_attacks(king, occupied) | bishop_attacks(king, occupied))
    pawns = s.kinds[PAWN] & loose
    if (pawns << u64(8) if us == 0 else pawns >> u64(8)) & ~occupied != ZERO:
        return True
    knights = s.kinds[KNIGHT] & loose
    return knights != ZERO and KNIGHT_STEPS[first(knights)] & ~mine != ZERO


def is_over(s: Any, out: Any) -> Any:
    """Mate, stalemate or a draw; most positions are seen to go on without generating their moves."""
    if is_drawn(s):
        return True
    return not has_easy_move(s) and generate(s, out, ALL) == 0


def utility(s: Any) -> Any:
    """A loss if the side to move is mated, else a draw. Mate goes before any draw by the clock."""
    if not in_check(s):
        return 0
    if is_drawn(s):
        out = np.empty(MOST_MOVES, np.int64)
        if generate(s, out, ALL) > 0:
            return 0
    return -WIN


def repetition_key(s: Any) -> Any:
    """Equal for the same pieces, turn, castling rights and legal captures in passing."""
    return s.hash


def reversible_plies(s: Any) -> Any:
    """The plies since the last capture or pawn move."""
    return np.int64(s.clock)


# Knowledge ------------------------------------------------------------------------------------------------------------


def hash_state(s: Any) -> Any:
    """The position, and roughly how near the draw by the clock is: exactly where it is near."""
    if s.clock < 16:
        return s.hash
    return s.hash ^ CLOCK_KEYS[s.clock if s.clock >= 90 else s.clock & 0xF8]


def capture_key(m: Any) -> Any:
    """The most valuable victim first, then the least valuable attacker."""
    return np.int64(captured_kind(m) + promoted_kind(m)) * 8 - np.int64(moving_kind(m))


def noisy_moves(s: Any, out: Any) -> Any:
    """Captures and promotions to a queen."""
    if is_drawn(s):
        return np.int64(0)
    return generate(s, out, NOISY)


def is_noisy(s: Any, m: Any) -> Any:
    """Whether the move takes something or makes a queen."""
    turned = promoted_kind(m)
    return turned == u64(QUEEN) or (turned == ZERO and captured_kind(m) != ZERO)


def forcing_moves(s: Any, out: Any) -> Any:
    """Quiet moves that give check."""
    return np.int64(0) if is_drawn(s) else quiet_checks(s, out)


def gains(s: Any, m: Any, units: Any) -> Any:
    """Static exchange evaluation in centipawns."""
    return gains_at_least(s, m, units)


def is_urgent(s: Any) -> Any:
    """Check."""
    return in_check(s)


def move_class(m: Any) -> Any:
    """The piece and where it goes."""
    return m >> 6 & (MOVE_CLASSES - 1)


def structure_key(s: Any) -> Any:
    """The pawns of both sides."""
    pawns = s.kinds[PAWN]
    return mix_in(mix_in(u64(PAWN), pawns & s.sides[0]), pawns & s.sides[1])


def move_key(s: Any, m: Any) -> Any:
    """Captures and new queens by what they take, other promotions last."""
    turned = promoted_kind(m)
    if turned != ZERO and turned != u64(QUEEN):
        return np.int64(-1)
    return np.int64(0) if captured_kind(m) == ZERO and turned == ZERO else capture_key(m)


def pass_turn(s: Any) -> Any:
    """Pass, but not in check and not with pawns alone."""
    return pass_move(s)


def table_class(s: Any) -> Any:
    """The material of positions with three or four men; none where the clock has run out."""
    return np.int64(-1) if s.clock >= CLOCK_LIMIT else material_class(s)


# The formal game ------------------------------------------------------------------------------------------------------


LIST, CHECK, DESCRIBE, MATCH, SETTLE = range(5)
"""What `answer` can be asked. One kernel serves all, because each would contain the whole move generator."""


@plain_at_first
def answer(states: Any, out: Any, question: Any, number: Any) -> Any:
    """About the first of two structs, drawn or not; the second and `out` are scratch space.

    LIST: the number of legal moves, which are then in `out`. CHECK: whether the side to move is in check. DESCRIBE:
    what SAN adds to the move `number`. MATCH: the move that the wish `number` means. SETTLE: complete a struct whose
    pieces are set, with `number` the square of a capture in passing; whether the side not to move stands in check.
    """
    s = states[0]
    if question == LIST:
        return generate(s, out, ALL)
    if question == CHECK:
        return np.int64(in_check(s))
    if question == MATCH:
        return np.int64(match_wish(s, out, number))
    if question == DESCRIBE:
        return np.int64(describe(states, out, number))
    s.seat = 1 - s.seat
    wrong = in_check(s)
    s.seat = 1 - s.seat
    if number != 0 and not wrong:
        note_en_passant(s, u64(1 - s.seat), u64(number))
    s.hash = position_hash(s)
    return np.int64(wrong)


def back_rank(number: int) -> tuple[int, ...]:
    """The set-up with this number, 0 to 959, as kinds from the a-file on (Scharnagl's numbering). Raises BadInput."""
    if not 0 <= number <= 959:
        raise BadInput(f"chess:start={number} is not possible; expected 0 to 959, where 518 is the classical set-up.")
    files: list[int] = [0] * 8
    number, light = divmod(number, 4)
    number, dark = divmod(number, 4)
    number, queen = divmod(number, 6)
    files[2 * light + 1] = BISHOP
    files[2 * dark] = BISHOP

    def free() -> list[int]:
        return [file for file in range(8) if files[file] == 0]

    files[free()[queen]] = QUEEN
    pairs = [(a, b) for a in range(5) for b in range(a + 1, 5)]
    one, other = (free()[place] for place in pairs[number])
    files[one] = files[other] = KNIGHT
    for file, kind in zip(free(), (ROOK, KING, ROOK), strict=True):
        files[file] = kind
    return tuple(files)


class Chess(CompiledGame):
    """Chess, classical or from any of the 960 set-ups."""

    seat_names = ("White", "Black")

    engine_parameters: ClassVar[Mapping[str, Any]] = {
        "quiescence_plies": 16,
        "forcing_plies": 1,
        "extend_urgent": False,
        "feedback": 40,
        "null_move": 3,
        "null_growth": 4,
        "verify_depth": 12,
        "reduction_after": 2,
        "reduction_depth": 3,
        "reduction_scale": 40,
        "internal_depth": 4,
        "futility_margin": 80,
        "exchange_margin": 70,
        "singular_depth": 7,
        "singular_margin": 2,
    }

    def __init__(self, start: int = STANDARD_START, draws: str = "claimed", weights: str = "tuned") -> None:
        if draws not in ("claimed", "automatic"):
            raise BadInput(f"chess:draws={draws} is not possible; expected claimed or automatic.")
        claimed = draws == "claimed"
        # The longest game in plies: every capture and pawn move is put off as long as the clock allows.
        longest = 11_797 if claimed else 17_697
        self.facts = Facts(most_moves=MOST_MOVES, longest_game=longest, min_utility=-WIN, max_utility=WIN)
        record = self.load_weights(weights)
        super().__init__(
            BACK_RANK=back_rank(start),
            CLOCK_LIMIT=100 if claimed else 150,
            REPETITIONS=3 if claimed else 5,
        )
        self.w = record
        self.formats = {
            "fen": Format("position", "FEN", self.fen, self.state_from_text),
            "shredder-fen": Format("position", "Shredder-FEN", self.shredder_fen, self.state_from_text),
            "epd": shared_format(self, "epd"),
            "san": Format("move", "SAN", self.action_text, self.find_move, read_line=self.read_line),
            "uci": Format("move", "UCI", self.uci, self.find_move),
            "uci-960": Format("move", "UCI for Chess960", self.uci_960, self.find_move),
            "pgn": shared_format(self, "pgn"),
        }

    def load_weights(self, name: str) -> Any:
        """The weights `tuned` or `textbook`, or those of a file as `gametree tune` writes it. Raises BadInput."""
        return record_of(load_weights(name))

    @property
    def weights(self) -> Any:
        """What each feature weighs in the middle game and in the ending, in centipawns; shape (FEATURES, 2)."""
        return pairs_of(self.w)

    def _ask(self, state: bytes, question: int, number: int = 0) -> int:
        return self._answer(self.structs(state, 2), question, number)

    def _answer(self, structs: Any, question: int, number: int) -> int:
        # Scratch space of its own for every call: one game may be asked by several threads.
        return int(self.rules.kernel(answer)(structs, np.empty(MOST_MOVES, np.int64), question, number))

    def is_terminal(self, state: bytes) -> bool:
        """Whether the game is over by mate, stalemate or a draw."""
        return not self.actions(state)

    def utility(self, state: bytes, player: int) -> int:
        """±300 after a mate, else 0."""
        if self.lenient_actions(state) or not self.in_check(state):
            return 0
        return -WIN if self.player(state) == player else WIN

    # Positions --------------------------------------------------------------------------------------------------------

    def fen(self, state: bytes) -> str:
        """The position as FEN, with castling rights as X-FEN has them."""
        return fen.write_fen(self.struct(state))

    def shredder_fen(self, state: bytes) -> str:
        """The position as FEN, with the letters of files as castling rights."""
        return fen.write_fen(self.struct(state), shredder=True)

    def state_text(self, state: bytes) -> str:
        """The FEN and, where a repetition could still come about, `seen` with the keys of the earlier positions."""
        past = self.past(state)
        return self.fen(state) + (" seen " + ",".join(f"{key:016x}" for key in past) if past else "")

    def state_from_text(self, text: str) -> bytes:
        """Read a FEN or the word startpos, then perhaps `seen` and keys, or `moves` and moves. Raises BadInput."""
        position, word, rest = fen.split_history(text)
        if position == "startpos":
            state: bytes = self.initial()
        else:
            structs, en_passant = fen.read_fen(position)  # two structs: the second is scratch space
            if self._answer(structs, SETTLE, en_passant):
                side = "Black" if structs[0].seat == 0 else "White"
                raise BadInput(
                    f"FEN field 2, side to move, is '{'wb'[structs[0].seat]}', but {side} is in check; "
                    "expected that the side that has just moved is not."
                )
            state = self.pack(structs)
        if word == "seen":
            state = self.with_past(state, fen.read_keys(rest))
        if word == "moves":
            for move in rest.split():
                state = self.result(state, self.action_from_text(state, move))
        return state

    def in_check(self, state: bytes) -> bool:
        """Whether the side to move is in check."""
        return bool(self._ask(state, CHECK))

    def lenient_actions(self, state: bytes) -> tuple[int, ...]:
        """The legal moves, also where the game is drawn."""
        out = np.empty(MOST_MOVES, np.int64)
        return tuple(out[: self.rules.kernel(answer)(self.structs(state, 2), out, LIST, 0)].tolist())

    def lenient_state(self, state: bytes) -> bytes:
        """A position that is drawn as one that goes on: nothing has been repeated, and the clock begins anew."""
        if not self.is_terminal(state):
            return state
        structs = self.structs(state)
        structs[0].clock = 0
        return self.pack(structs)

    def status(self, state: bytes) -> str:
        """One of: in play, checkmate, stalemate, dead position, repetition, fifty moves, 75 moves."""
        if not self.lenient_actions(state):
            return "checkmate" if self.in_check(state) else "stalemate"
        if self._is_repeated(state):
            return "repetition"
        if not self.is_terminal(state):
            return "in play"
        limit = 100 if self.rules.constants["REPETITIONS"] == 3 else 150
        if self.struct(state).clock >= limit:
            return "fifty moves" if limit == 100 else "75 moves"
        return "dead position"

    # Moves ------------------------------------------------------------------------------------------------------------

    def action_text(self, state: bytes, action: int) -> str:
        """The move in standard algebraic notation."""
        return notation.san(action, self._ask(state, DESCRIBE, action))

    def lan(self, state: bytes, action: int) -> str:
        """The move in long algebraic notation: Nb8-d7, e5xd6, O-O."""
        return notation.lan(action, self._ask(state, DESCRIBE, action))

    def uci(self, state: bytes, action: int) -> str:
        """The move as other programs write it: e2e4, e7e8q, e1g1."""
        return notation.uci(action)

    def uci_960(self, state: bytes, action: int) -> str:
        """The same with castling as the king takes the rook."""
        return notation.uci(action, chess960=True)

    def action_from_text(self, state: bytes, text: str) -> int:
        """The legal move that `text` means, in SAN, long algebraic or UCI notation. Raises IllegalMove."""
        if self.is_terminal(state):
            raise IllegalMove(f"'{text.strip()}' is not a legal move here, because the game is over.")
        return self.find_move(state, text)

    def find_move(self, state: bytes, text: str) -> int:
        """The same, but drawn positions have moves too, as the players may go on. Raises IllegalMove."""
        wish = notation.read_wish(text)
        move = notation.NO_MOVE if wish < 0 else self._ask(state, MATCH, wish)
        if move < 0:
            texts = [self.action_text(state, action) for action in self.lenient_actions(state)]
            raise IllegalMove(notation.complaint(text.strip(), wish, move, texts))
        return move

    def read_line(self, state: bytes, texts: Sequence[str]) -> list[int]:
        """The moves that `find_move` would find one after the other, as far as they are legal."""
        wishes = np.array([notation.read_wish(text) for text in texts], np.int64)
        out = np.empty(MOST_MOVES, np.int64)
        count = int(self.rules.kernel(notation.replay)(self.structs(state, 2), out, wishes))
        return wishes[:count].tolist()  # type: ignore[no-any-return]

    # Classes of positions ---------------------------------------------------------------------------------------------

    def class_name(self, number: int) -> str:
        """The men of both sides, the mover's first: `KR-K`."""
        return numbering.class_title(number)

    def class_of_name(self, text: str) -> int:
        """The class with these men, the first one where the text does not say who moves. Raises BadInput."""
        return numbering.read_classes(text)[0]

    def classes_of_name(self, text: str) -> Sequence[int]:
        """`KR-K` is one class, `KRK` both that and `K-KR`. Raises BadInput."""
        return numbering.read_classes(text)

    def image_counts(self, number: int, size: int) -> Any:
        """How many placements each number of the class stands for: the board has symmetries that numbers leave out."""
        return numbering.image_counts(number, size)

    # Drawings and explanations ----------------------------------------------------------------------------------------

    def draw(self, state: bytes) -> Drawing:
        """The board with White below."""
        s = self.struct(state)
        pieces = tuple(
            Piece(7 - square // 8, square % 8, fen.FIGURINES[side][kind], side) for square, side, kind in fen.men(s)
        )
        cells = tuple("abcdefgh"[file] + str(rank) for rank in range(8, 0, -1) for file in range(8))
        check = self.in_check(state)
        caption = ("White", "Black")[s.seat] + " to move" + (", in check" if check else "")
        king = fen.FIGURINES[s.seat][-1]
        marks = tuple(Mark("check", 8 * p.row + p.column) for p in pieces if check and p.text == king)
        return Drawing(
            layout="square", rows=8, columns=8, pieces=pieces, cells=cells, caption=caption, checkered=True,
            marks=marks, alt=caption,
        )  # fmt: skip

    def action_cells(self, state: bytes, action: int) -> Sequence[str]:
        """From where and to where the man, or the castling king, goes; to its rook if it castles where it stands."""
        text = self.uci(state, action)
        if text[:2] == text[2:4]:
            text = self.uci_960(state, action)
        return text[:2], text[2:4]

    def winning_chance(self, value: float) -> float:
        """The expected share of the point, 0 to 1, at this value in pawns: wins count 1, draws ½."""
        return explanation.expectation(value)

    def explain(self, state: bytes) -> Sequence[tuple[str, float]]:
        """The terms of the estimate in pawns for the side to move."""
        return [(name, white + black) for name, white, black in self.explain_sides(state)]

    def explain_sides(self, state: bytes) -> Sequence[tuple[str, float, float]]:
        """Every term by name, with what each side's share, White's first, adds for the side to move, in pawns."""
        value = self.evaluate(state, self.player(state))
        return explanation.explain_terms(self, self.structs(state), value)

    def explain_weights(self, state: bytes) -> dict[str, str]:
        """What each term weighs in the middle game and in the ending, in centipawns."""
        return explanation.weight_texts(self, self.structs(state))

    def phase_text(self, state: bytes) -> str:
        """How far the middle game has gone over into the ending, in a sentence."""
        return explanation.phase_text(self, self.structs(state))

    def book_keys(self) -> PolyglotKeys:
        """Books of chess are Polyglot's."""
        from gametree.games.chess.polyglot import PolyglotKeys  # which needs this file

        return PolyglotKeys(self)

    def tuning(self) -> ChessTuning:
        """What a tuner needs to fit the weights of the estimate to games."""
        from gametree.games.chess.tuning import ChessTuning  # which needs this file

        return ChessTuning(self)
