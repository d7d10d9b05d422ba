"""The rules of checkers as verbs on the struct, and the formal game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gametree.core.drawing import Drawing, Item, grid
from gametree.core.errors import BadInput, IllegalMove, suggest
from gametree.core.facts import Facts
from gametree.core.format import Format, shared_format
from gametree.games.checkers import notation, numbering
from gametree.games.checkers.board import State, bit_of, has_move, jumpers, squares
from gametree.games.checkers.evaluation import TERMS, estimate, list_terms
from gametree.games.checkers.moves import JUMP, MOST_MOVES, generate, key_of_board, path_of, play
from gametree.games.checkers.numbering import class_after, class_size, index_of, material_class, set_index
from gametree.kernels import ZERO, CompiledGame, mix_in, plain_at_first, u64

__all__ = [
    "UNIT",
    "Checkers",
    "State",
    "class_after",
    "class_size",
    "index_of",
    "play",
    "set_index",
    "table_class",
]

WIN = 100
"""Points for a win. A point is a man, so that estimates read as people expect; no estimate reaches a win."""
UNIT = 100
MOST_ESTIMATE = 8000
CLOCK_LIMIT = 80
"""So many plies with kings alone and without a capture end the game; 0: none do."""
MOVE_CLASSES = 256
ALTERNATE = True
SOONER = True
START = (squares(*range(1, 13)), squares(*range(21, 33)))


# Rules ----------------------------------------------------------------------------------------------------------------


def initial(s: Any) -> None:
    """Twelve men each, Black to move."""
    s.sides[0] = u64(START[0])
    s.sides[1] = u64(START[1])


def player(s: Any) -> Any:
    """Black is seat 0."""
    return np.int64(s.seat)


def is_drawn(s: Any) -> Any:
    """Whether too many moves have been made without progress."""
    return CLOCK_LIMIT > 0 and s.clock >= CLOCK_LIMIT


def legal_moves(s: Any, out: Any) -> Any:
    """Captures if there are any, else steps; none where the game is drawn."""
    if is_drawn(s):
        return np.int64(0)
    return generate(s, out)


def is_over(s: Any, out: Any) -> Any:
    """Whether the mover cannot move, or the game is drawn."""
    return is_drawn(s) or not has_move(s)


def utility(s: Any) -> Any:
    """A loss for the side that cannot move, also where the clock has run out; else a draw."""
    return 0 if has_move(s) else -WIN


def repetition_key(s: Any) -> Any:
    """Equal for the same pieces and turn."""
    return key_of_board(s)


def reversible_plies(s: Any) -> Any:
    """The plies since the last capture or move of a man."""
    return np.int64(s.clock)


# Knowledge ------------------------------------------------------------------------------------------------------------


def hash_state(s: Any) -> Any:
    """The position, and roughly how near the draw by the clock is: exactly where it is near."""
    if s.clock < 16:
        return key_of_board(s)
    return mix_in(key_of_board(s), u64(s.clock if s.clock >= 70 else s.clock & 0x78))


def evaluate(s: Any) -> Any:
    """The weighed terms in hundredths of a man."""
    return min(max(estimate(s), -MOST_ESTIMATE), MOST_ESTIMATE)


def noisy_moves(s: Any, out: Any) -> Any:
    """Captures, which are all legal moves if there are any."""
    if is_drawn(s) or jumpers(s, np.int64(s.seat)) == ZERO:
        return np.int64(0)
    return generate(s, out)


def is_noisy(s: Any, m: Any) -> Any:
    """Whether the move captures."""
    return m & JUMP != 0


def is_urgent(s: Any) -> Any:
    """Whether the mover must capture: until that is done, counting pieces tells nothing."""
    return jumpers(s, np.int64(s.seat)) != ZERO


def move_class(m: Any) -> Any:
    """Where the piece comes to, and by which way."""
    return m & (MOVE_CLASSES - 1)


def structure_key(s: Any) -> Any:
    """The men of both sides."""
    return mix_in(mix_in(u64(7), s.sides[0] & ~s.kings), s.sides[1] & ~s.kings)


def table_class(s: Any) -> Any:
    """The material, if both sides have some and there are not too many pieces; none where the clock has run out."""
    return np.int64(-1) if is_drawn(s) else material_class(s)


# The formal game ------------------------------------------------------------------------------------------------------


@plain_at_first
def list_all(states: Any, out: Any) -> Any:
    """The moves of the first struct, drawn or not."""
    return generate(states[0], out)


class Checkers(CompiledGame):
    """English draughts, from the usual start or a ballot."""

    seat_names = ("Black", "White")

    engine_parameters: ClassVar[Mapping[str, Any]] = {
        "quiescence_plies": 24,
        "extend_urgent": False,
        "feedback": 15,
        "reduction_after": 2,
        "reduction_depth": 3,
        "reduction_scale": 40,
        "internal_depth": 4,
        "futility_margin": 60,
        "singular_depth": 0,
    }

    def __init__(self, ballot: str = "", rule: int = CLOCK_LIMIT // 2) -> None:
        if not 0 <= rule <= 1000:
            raise BadInput(f"checkers:rule={rule} is not possible; expected 0 to 1000 moves by each side, 40 as usual.")
        # Every capture (at most 23) and every move of a man (at most seven each) may be put off that long.
        self.facts = Facts(
            most_moves=MOST_MOVES,
            longest_game=(23 + 24 * 7 + 1) * 2 * rule or None,
            min_utility=-WIN,
            max_utility=WIN,
        )
        self._ballot = notation.find_ballot(ballot) if ballot else None
        super().__init__(CLOCK_LIMIT=2 * rule)
        self.formats = {
            "fen": Format("position", "FEN of draughts", self.fen, self.state_from_text),
            "squares": Format("move", "numbers of squares", self.action_text, self.find_move),
            "coordinates": Format("move", "coordinates", self.coordinates, self.find_move),
            "pdn": shared_format(self, "pdn"),
        }

    def initial(self) -> bytes:
        """The usual start, or the position after the three moves of the ballot."""
        state: bytes = super().initial()
        return self._after_ballot(state, self._ballot) if self._ballot else state

    def _after_ballot(self, state: bytes, ballot: notation.Ballot) -> bytes:
        for move in ballot.moves:
            state = self.result(state, self.action_from_text(state, move))
        return state

    # Positions --------------------------------------------------------------------------------------------------------

    def fen(self, state: bytes) -> str:
        """The position as FEN."""
        return notation.write_fen(self.struct(state))

    def state_text(self, state: bytes) -> str:
        """The FEN and, where a repetition could still come about, `seen` with the keys of the earlier positions."""
        past = self.past(state)
        return self.fen(state) + (" seen " + ",".join(f"{key:016x}" for key in past) if past else "")

    def state_from_text(self, text: str) -> bytes:
        """Read a FEN, `startpos` or `ballot` and its name, then perhaps `seen` and keys, or `moves` and moves.

        Raises BadInput.
        """
        position, _, moves = text.strip().partition(" moves ")
        position, _, seen = position.partition(" seen ")
        word, _, name = position.strip().partition(" ")
        if position.strip().lower() in ("startpos", "start"):
            state: bytes = super().initial()
        elif word.lower() == "ballot":
            state = self._after_ballot(super().initial(), notation.find_ballot(name))
        else:
            structs = self.structs(b"")
            notation.read_fen(position, structs[0])
            state = self.pack(structs)
        if seen:
            state = self.with_past(state, notation.read_keys(seen.strip()))
        for move in moves.split():
            state = self.result(state, self.action_from_text(state, move))
        return state

    def lenient_actions(self, state: bytes) -> tuple[int, ...]:
        """The moves, also where the game is drawn."""
        out = np.empty(MOST_MOVES, np.int64)
        moves: list[int] = out[: self.rules.kernel(list_all)(self.structs(state), out)].tolist()
        return tuple(moves)

    def lenient_state(self, state: bytes) -> bytes:
        """A drawn position as one that goes on: nothing has been repeated, and the clock begins anew."""
        if not self.is_terminal(state):
            return state
        structs = self.structs(state)
        structs[0].clock = 0
        return self.pack(structs)

    # Moves ------------------------------------------------------------------------------------------------------------

    def action_text(self, state: bytes, action: int) -> str:
        """From and to, and the whole path where that does not tell which jumps are meant."""
        path = path_of(action)
        if not action & JUMP:
            return f"{path[0]}-{path[-1]}"
        alike = [
            other for other in map(path_of, self.lenient_actions(state)) if (other[0], other[-1]) == (path[0], path[-1])
        ]
        return "x".join(map(str, (path[0], path[-1]) if len(alike) == 1 else path))

    def coordinates(self, state: bytes, action: int) -> str:
        """The same by coordinates: c3-d4, b6xd4."""
        text = self.action_text(state, action)
        sign = "x" if action & JUMP else "-"
        return sign.join(notation.COORDINATES[int(number)] for number in text.split(sign))

    def action_from_text(self, state: bytes, text: str) -> int:
        """The legal move that the text means, by numbers or coordinates. Raises IllegalMove."""
        if self.is_terminal(state):
            raise IllegalMove(f"'{text.strip()}' is not a legal move here, because the game is over.")
        return self.find_move(state, text)

    def find_move(self, state: bytes, text: str) -> int:
        """The same, but drawn positions have moves too, as the players may go on. Raises IllegalMove.

        A path may leave squares out, as long as one legal move alone passes those that it names, in this order. If
        several do and all lead to the same position, the first one is meant.
        """
        wish, moves = notation.read_path(text), self.lenient_actions(state)
        found = [action for action in moves if wish and _passes(path_of(action), wish)]
        exact = [action for action in found if tuple(path_of(action)) == wish]
        if len(found) > 1 and not exact and len({self.result(state, action) for action in found}) > 1:
            ways = ", ".join(self.action_text(state, action) for action in found)
            raise IllegalMove(f"'{text.strip()}' can be played in several ways: {ways}.")
        if found:
            return (exact or found)[0]
        texts = [self.action_text(state, action) for action in moves]
        must = ", because captures are compulsory" if moves and moves[0] & JUMP and len(wish) == 2 else ""
        shown = ", ".join(texts[:12]) + (", ..." if len(texts) > 12 else "") or "none"
        raise IllegalMove(
            f"'{text.strip()}' is not a legal move here{must}.{suggest(text, texts)} Legal moves: {shown}."
        )

    def action_cells(self, state: bytes, action: int) -> Sequence[str]:
        """Every square that the piece stands on."""
        return tuple(map(str, path_of(action)))

    # Drawings and explanations ----------------------------------------------------------------------------------------

    def draw(self, state: bytes) -> Drawing:
        """The board with White below; small letters are men, capital ones kings."""
        s = self.struct(state)
        names = [
            str(4 * row + column // 2 + 1) if (row + column) % 2 else "" for row in range(8) for column in range(8)
        ]
        pieces = []
        for number in range(1, 33):
            bit = 1 << bit_of(number)
            for side, letters in enumerate(("bB", "wW")):
                if int(s.sides[side]) & bit:
                    king = bool(int(s.kings) & bit)
                    label = f"{self.seat_names[side]} {'king' if king else 'man'}"
                    pieces.append(Item(str(number), "king" if king else "stone", letters[king], side, label=label))
        places = grid("square", 8, 8, names, checkered=True, texts={name: name for name in names if name})
        caption = "" if self.is_terminal(state) else f"{self.seat_names[s.seat]} to move"
        return Drawing(layout="places", rows=8, columns=8, places=places, items=tuple(pieces), caption=caption)

    def explain(self, state: bytes) -> Sequence[tuple[str, float]]:
        """The terms of the estimate in men for the side to move."""
        return [(name, black + white) for name, black, white in self.explain_sides(state)]

    def explain_sides(self, state: bytes) -> Sequence[tuple[str, float, float]]:
        """Every term by name, with what each side's share, Black's first, adds for the side to move, in men."""
        counts = np.zeros((2, len(TERMS)), np.int64)
        self.rules.kernel(list_terms)(self.structs(state), counts)
        sign = 1 if self.player(state) == 0 else -1
        found = [
            (name, float(sign * weight * counts[0, place] / UNIT), float(-sign * weight * counts[1, place] / UNIT))
            for place, (name, weight) in enumerate(TERMS)
        ]
        rest = self.evaluate(state, self.player(state)) - sum(black + white for _, black, white in found)
        return [*found, ("beyond the limit", rest, 0.0)] if abs(rest) > 1e-9 else found

    def explain_weights(self, state: bytes) -> dict[str, str]:
        """What each term weighs, in men."""
        return {name: f"{weight / UNIT:g}" for name, weight in TERMS}

    # Classes of positions ---------------------------------------------------------------------------------------------

    def class_name(self, number: int) -> str:
        """The material, the mover's first: `Kmm-K`."""
        return numbering.class_title(number)

    def class_of_name(self, text: str) -> int:
        """The class with this material. Raises BadInput."""
        return numbering.read_class(text)

    def classes_of_name(self, text: str) -> Sequence[int]:
        """The class with this material, or all classes with so many pieces. Raises BadInput."""
        pieces = int(text) if text.strip().isdecimal() and len(text) < 3 else 0
        if 2 <= pieces <= numbering.MOST_TABLED:
            return numbering.classes_with(pieces)
        return [numbering.read_class(text)]


def _passes(path: Sequence[int], wish: Sequence[int]) -> bool:
    """Whether a path begins and ends as wished and passes what is named in between, in this order."""
    if (path[0], path[-1]) != (wish[0], wish[-1]):
        return False
    left = iter(path[1:-1])
    return all(any(square == named for square in left) for named in wish[1:-1])
