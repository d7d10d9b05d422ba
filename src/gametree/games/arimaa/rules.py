"""The rules of Arimaa as verbs on the struct, and the formal game."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gametree.core.drawing import Drawing, Item, grid
from gametree.core.errors import BadInput, IllegalMove
from gametree.core.facts import Facts
from gametree.core.format import shared_format
from gametree.games.arimaa import notation
from gametree.games.arimaa.board import (
    DELTAS,
    HOME,
    MOST_MOVES,
    NO_SQUARE,
    PASS,
    PLACE,
    PLACED,
    RABBIT,
    REASONS,
    State,
    apply_step,
    begin_play,
    board_hash,
    end_turn,
    falls,
    generate,
    key_of,
    position_key,
)
from gametree.games.arimaa.evaluation import STARTING, Weights, estimate_for_mover, order_key
from gametree.kernels import ONE, ZERO, CompiledGame, mix_in, plain_at_first, u64

__all__ = ["Arimaa", "State", "Weights"]

WIN = 100
"""Points for a win. A point is a rabbit of the opening, so that estimates read as people expect; none reaches a win."""
UNIT = 100
REPETITION = "forbidden"
REPETITIONS = 3
SOONER = True
ALTERNATE = False
MOVE_CLASSES = PLACE + 64


# Rules ----------------------------------------------------------------------------------------------------------------


def initial(s: Any) -> None:
    """The empty board: Gold sets up."""
    s.hole = NO_SQUARE


def player(s: Any) -> Any:
    """Gold is seat 0."""
    return np.int64(s.seat)


def is_over(s: Any, out: Any) -> Any:
    """Goal, elimination or immobilisation. That all moves would repeat a position, only the past can tell."""
    return s.winner != 0


def legal_moves(s: Any, out: Any) -> Any:
    """Placements, or steps and the pass that ends the turn."""
    if s.winner != 0:
        return np.int64(0)
    return generate(s, out)


def play(s: Any, m: Any) -> None:
    """Set a piece up, make a step, or end the turn."""
    if m >= PLACE:
        set_up_piece(s, ONE << u64(m - PLACE), np.int64(m - PLACE))
    elif m == PASS:
        s.quiet += 1
        end_turn(s)
    else:
        apply_step(s, m)


def set_up_piece(s: Any, bit: Any, square: Any) -> None:
    """The next piece of the set-up; behind the last one rabbits fill the ranks, and the other side is to move."""
    side = np.int64(s.seat)
    kind = PLACED[s.placed & 7]
    s.sides[side] |= bit
    s.kinds[kind] |= bit
    s.hash ^= key_of(side, kind, square)
    s.placed += 1
    if s.placed & 7 == 0:
        s.kinds[RABBIT] |= HOME[side] & ~s.sides[side]
        s.sides[side] |= HOME[side]
        s.hash = board_hash(s)
        if s.placed == 16:
            s.seat = 0
            begin_play(s)
        else:
            s.seat = 1


def utility(s: Any) -> Any:
    """For the side whose turn it would be. Where the game is not over it has no move that is allowed, and loses."""
    return WIN if s.winner == s.seat + 1 else -WIN


def repetition_key(s: Any) -> Any:
    """The pieces and who is to move; only positions between turns count."""
    return position_key(s) if s.steps == 0 and s.placed == 16 else ZERO


def reversible_plies(s: Any) -> Any:
    """The plies since the last capture."""
    return np.int64(s.quiet)


def key_after(s: Any, m: Any) -> Any:
    """Only the fourth step and the pass lead to positions that count, and the last placement."""
    if m < PASS and s.steps < 3:
        return ZERO
    if m >= PLACE and s.placed < 15:
        return ZERO
    after = np.zeros(1, State)
    after[0] = s
    play(after[0], m)
    return repetition_key(after[0])


def hash_state(s: Any) -> Any:
    """The pieces and all that the turn remembers; the same for every order of steps that leads here."""
    turn = u64(s.seat) | u64(s.steps) << u64(1) | u64(s.placed) << u64(4) | u64(s.hole) << u64(9)
    found = mix_in(s.hash, turn)
    if s.movers != ZERO:
        found = mix_in(found, s.movers)
    if s.steps != 0:
        found = mix_in(found, s.begun)
    return found


# Knowledge ------------------------------------------------------------------------------------------------------------


def evaluate(s: Any, w: Any) -> Any:
    """Material, traps, advancement, freezing, threats: in hundredths of a rabbit."""
    return estimate_for_mover(s, w)


def move_key(s: Any, m: Any) -> Any:
    """Pushes and pulls, and strong animals."""
    return order_key(s, m)


def is_noisy(s: Any, m: Any) -> Any:
    """Whether an enemy falls into a trap."""
    if m >= PASS:
        return False
    bit = ONE << u64(np.int64(m) >> 2)
    other = 1 - np.int64(s.seat)
    return s.sides[other] & bit != ZERO and falls(s, other, bit, ONE << u64((np.int64(m) >> 2) + DELTAS[m & 3])) != ZERO


def move_class(m: Any) -> Any:
    """The step itself."""
    return m


def pass_turn(s: Any) -> Any:
    """End the turn here, but not within a push. Doing nothing is rarely better than a turn."""
    if s.winner != 0 or s.placed < 16 or s.movers & s.sides[s.seat] != ZERO:
        return False
    s.quiet += 1
    end_turn(s)
    return True


# The formal game ------------------------------------------------------------------------------------------------------


@plain_at_first
def complete(states: Any, plays: Any) -> None:
    """Work out what follows from pieces and side to move in the first struct: hash, turn, and whether it is over."""
    if plays:
        begin_play(states[0])
    else:
        states[0].hash = board_hash(states[0])


BASIC = "g rrrrrrrr/dhcemchd/......../......../......../......../DHCMECHD/RRRRRRRR"


class Arimaa(CompiledGame):
    """Arimaa, from the empty board or from a set-up."""

    seat_names = ("Gold", "Silver")
    facts = Facts(most_moves=MOST_MOVES, min_utility=-WIN, max_utility=WIN)
    engine_parameters: ClassVar[Mapping[str, Any]] = {
        "early_repetition": False,
        "null_move": 5,
        "reduction_after": 3,
        "reduction_depth": 3,
        "reduction_scale": 55,
        "singular_depth": 0,
        "extend_forced": False,
        "aspiration": 40,
    }

    def __init__(self, setup: str = "free") -> None:
        if setup not in ("free", "basic"):
            raise BadInput(f"arimaa:setup={setup} is not possible; expected free or basic.")
        super().__init__()
        self.w["terms"][0] = STARTING
        self._basic = setup == "basic"
        self.formats = {"arimaa": shared_format(self, "arimaa")}

    def initial(self) -> bytes:
        """The empty board, or the basic set-up with Gold to move."""
        return self.state_from_text(BASIC) if self._basic else super().initial()

    # Text -------------------------------------------------------------------------------------------------------------

    def state_text(self, state: bytes) -> str:
        """The side to move, the ranks from the top, and what the turn and the rule on repetition need."""
        return notation.write_position(self.struct(state), self.past(state))

    def state_from_text(self, text: str) -> bytes:
        """Read what `state_text` writes, or the short form of other programs, `g [64 letters]`. Raises BadInput."""
        structs = self.structs(b"")
        s = structs[0]
        plays, seen = notation.read_position(text, s)
        steps, begun, hole, movers, quiet = (s[name] for name in ("steps", "begun", "hole", "movers", "quiet"))
        self.rules.kernel(complete)(structs, plays)
        s.quiet = quiet
        if steps:
            s.winner = s.reason = 0  # within a turn nothing is decided
            s.steps, s.hole, s.movers, s.begun = steps, hole, movers, begun
        return self.with_past(self.pack(structs), seen)

    def action_text(self, state: bytes, action: int) -> str:
        """A placement, a step, or `pass`."""
        return notation.step_text(self.struct(state), action)

    def action_from_text(self, state: bytes, text: str) -> int:
        """The legal step; the animal's letter may be left out. Raises IllegalMove, saying why it is not legal."""
        wanted = text.strip()
        actions: dict[str, int] = {self.action_text(state, action): action for action in self.actions(state)}
        for name, action in actions.items():
            if wanted == name or (len(name) > 1 and wanted.casefold() == name[1:] and name != "pass"):
                return action
        why = notation.complaint(self.struct(state), wanted, self.is_terminal(state))
        shown = ", ".join(list(actions)[:12]) + (", ..." if len(actions) > 12 else "")
        raise IllegalMove(f"'{wanted}' is not a legal move here{why}. Legal moves: {shown or 'none'}.")

    # Drawing ----------------------------------------------------------------------------------------------------------

    def draw(self, state: bytes) -> Drawing:
        """The board with Gold below; traps are marked."""
        s = self.struct(state)
        names = [notation.square_name(8 * rank + file) for rank in range(7, -1, -1) for file in range(8)]
        marks = "".join(notation.rows_of(s))
        items = tuple(
            Item(name, "piece", mark, side, label=f"{notation.ANIMALS[kind]}, {self.seat_names[side].lower()}")
            for name, mark in zip(names, marks, strict=True)
            if mark != "."
            for side in [int(mark.islower())]
            for kind in [notation.LETTERS[side].index(mark)]
        )
        places = grid(
            "square", 8, 8, names, tones=dict.fromkeys(TRAP_NAMES, "trap"), texts=dict.fromkeys(TRAP_NAMES, "×")
        )
        return Drawing(layout="places", rows=8, columns=8, places=places, items=items, caption=self._caption(s))

    def _caption(self, s: Any) -> str:
        """Whose turn it is and how far, or how it ended."""
        name = self.seat_names[s.seat]
        if s.winner:
            return f"{self.seat_names[s.winner - 1]} wins by {REASONS[s.reason]}"
        if s.placed < 16:
            return f"{name} sets up: {notation.ANIMALS[PLACED[s.placed & 7]]}"
        if not s.steps:
            return f"{name} begins a turn"
        text = f"{name} has made {s.steps} of 4 steps"
        if int(s.movers) & int(s.sides[s.seat]):
            text += f" and must finish the push into {notation.square_name(s.hole)}"
        return text

    def action_cells(self, state: bytes, action: int) -> Sequence[str]:
        """From where to where the animal steps, or where it is set up; a pass is on no square."""
        if action == PASS:
            return ()
        if action >= PLACE:
            return (notation.square_name(action - PLACE),)
        square = action >> 2
        return notation.square_name(square), notation.square_name(square + (8, 1, -8, -1)[action & 3])

    def winning_chance(self, value: float) -> float:
        """The expected share of the point, 0 to 1, at this value in rabbits."""
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, value / 3))))


TRAP_NAMES = ("c3", "f3", "c6", "f6")
