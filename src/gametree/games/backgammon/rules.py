"""The verbs of backgammon, and the formal game."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gametree.core.drawing import Drawing
from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.core.format import Format, shared_format
from gametree.games.backgammon import drawing, ids
from gametree.games.backgammon.board import (
    ANSWER,
    CHECKERS,
    CUBE,
    OFF,
    OPENING,
    OVER,
    PLAY,
    ROLL,
    State,
    set_up_checkers,
    worth_of_win,
)
from gametree.games.backgammon.evaluation import bound_chances, equity
from gametree.games.backgammon.inputs import INPUTS, kind_of, write_inputs
from gametree.games.backgammon.plays import MOST_PLAYS, list_plays, move_checkers, other_order
from gametree.games.backgammon.text import action_text, find_play
from gametree.kernels import CompiledGame, plain_at_first
from gametree.kernels.network import LANES, add_inputs, network_struct, outputs_of
from gametree.kernels.network_file import read_network
from gametree.kernels.verbs import struct

__all__ = ["MOST_HIDDEN", "Backgammon", "State", "Weights"]

UNIT = 10_000
MOST_HIDDEN = 128
KINDS = 2
Weights = network_struct(INPUTS, MOST_HIDDEN, KINDS)
Note = struct(x=("f4", INPUTS), sums=("f4", MOST_HIDDEN), out=("f4", LANES))

# Constants that the constructor re-binds.
HIGHEST_CUBE = 0
"""The cube goes up to 2 ** HIGHEST_CUBE; 0: there is none."""
LENGTH = 0
"""Points of a match; 0: a single game for points."""
JACOBY = False
BEAVERS = False

DROP, TAKE, BEAVER = range(3)
THROW, DOUBLE = range(2)


# Rules ----------------------------------------------------------------------------------------------------------------


def initial(s: Any) -> None:
    """Both sides set up; each throws one die, and the higher begins with both."""
    set_up_checkers(s)
    s.score[0] = s.score[1] = 0
    s.crawford = 1 if LENGTH == 1 else 0


def player(s: Any) -> Any:
    """Chance while dice are thrown; who answers a double."""
    if s.phase <= ROLL:
        return np.int64(-1)
    return np.int64(1 - s.seat) if s.phase == ANSWER else np.int64(s.seat)


def outcomes(s: Any, out: Any, odds: Any) -> Any:
    """The 21 throws, the higher die first; at the opening 30, one die of each side. 6 · (first − 1) + second − 1."""
    n = 0
    if s.phase > ROLL:
        return n
    for one in range(6):
        for two in range(6):
            if s.phase == OPENING:
                if one != two:
                    out[n] = 6 * one + two
                    odds[n] = 1 / 30
                    n += 1
            elif two <= one:
                out[n] = 6 * one + two
                odds[n] = 1 / 36 if one == two else 2 / 36
                n += 1
    return n


def may_double(s: Any) -> Any:
    """Whether the side on roll may double: it has the cube or nobody has, and more points could be of use to it."""
    if s.cube >= HIGHEST_CUBE or s.crawford != 0 or not (s.owner == 0 or s.owner == s.seat + 1):
        return False
    return LENGTH == 0 or s.score[s.seat] + (1 << np.int64(s.cube)) < LENGTH


def legal_moves(s: Any, out: Any) -> Any:
    """Plays of the dice; throw or double; drop, take or beaver."""
    if s.phase == PLAY:
        return list_plays(s, out)
    if s.phase == CUBE:
        out[0], out[1] = THROW, DOUBLE
        return np.int64(2)
    if s.phase == ANSWER:
        out[0], out[1] = DROP, TAKE
        if BEAVERS and s.cube + 2 <= HIGHEST_CUBE:
            out[2] = BEAVER
            return np.int64(3)
        return np.int64(2)
    return np.int64(0)


def is_over(s: Any, out: Any) -> Any:
    """Somebody has borne off all checkers or dropped; in a match, somebody has reached its length."""
    return s.phase == OVER


def begin_turn(s: Any) -> None:
    """The side on roll may double first, if it may."""
    s.dice[0] = s.dice[1] = 0
    s.phase = CUBE if may_double(s) else ROLL


def finish(s: Any, winner: Any, value: Any) -> None:
    """The game ends, times the cube; a match goes on with the next game until somebody has won it."""
    points = value << np.int64(s.cube)
    s.dice[0] = s.dice[1] = 0
    s.seat = 1 - winner
    s.phase = OVER
    if LENGTH == 0:
        s.points = points
        return
    before = max(np.int64(s.score[0]), np.int64(s.score[1]))
    after = min(np.int64(s.score[winner]) + points, np.int64(LENGTH))
    s.score[winner] = after
    if after == LENGTH:
        s.crawford = 0
    else:
        set_up_checkers(s)
        s.crawford = 1 if after == LENGTH - 1 and before < LENGTH - 1 else 0


def play(s: Any, m: Any) -> None:
    """A throw, a play, or a word about the cube."""
    if s.phase == OPENING:
        one, two = m // 6 + 1, m % 6 + 1
        s.seat = 0 if one > two else 1
        s.dice[0], s.dice[1] = max(one, two), min(one, two)
        s.phase = PLAY
    elif s.phase == ROLL:
        s.dice[0], s.dice[1] = m // 6 + 1, m % 6 + 1
        s.phase = PLAY
    elif s.phase == CUBE:
        s.phase = ROLL if m == THROW else ANSWER
    elif s.phase == ANSWER:
        if m == DROP:
            finish(s, np.int64(s.seat), np.int64(1))
        else:
            s.cube += m  # a beaver turns the cube twice
            s.owner = 2 - s.seat
            s.phase = ROLL
    else:
        move_checkers(s, m)
        seat = np.int64(s.seat)
        if s.men[seat, OFF] == CHECKERS:
            value = np.int64(worth_of_win(s, 1 - seat))
            if JACOBY and s.cube == 0:
                value = np.int64(1)
            finish(s, seat, value)
        else:
            s.seat = 1 - seat
            begin_turn(s)


def utility(s: Any) -> Any:
    """The side whose turn it would be has lost; a match is won or lost."""
    return -1 if LENGTH > 0 else -np.int64(s.points)


# Knowledge ------------------------------------------------------------------------------------------------------------


def note_fresh(s: Any, note: Any, w: Any) -> None:
    """What the network expects, as the side on roll sees it; where dice lie, as if they were still to be thrown."""
    kind, side = min(kind_of(s), np.int64(w.kinds) - 1), np.int64(s.seat)
    for i in range(np.int64(w.inputs), INPUTS):
        note.x[i] = np.float32(0)
    for j in range(np.int64(w.hidden), MOST_HIDDEN):
        note.sums[j] = np.float32(0)
    write_inputs(s, side, np.int64(w.inputs), note.x)
    add_inputs(w, kind, note.x, note.sums)
    outputs_of(w, kind, note.sums, note.out)
    bound_chances(s.men, side, note.out)


def value_of_chances(s: Any, out: Any, side: Any, cube: Any, owner: Any) -> Any:
    """Points, for `side`, whose chances these are and who throws next, with this cube in these hands."""
    holder = 0
    if cube < HIGHEST_CUBE and s.crawford == 0:
        holder = 1 if owner == 0 else 2 if owner == side + 1 else 3
    if LENGTH == 0:
        return equity(out, holder, not (JACOBY and cube == 0)) * np.float64(1 << cube)
    return match_value(s, out, side, cube, holder)


def match_value(s: Any, out: Any, side: Any, cube: Any, holder: Any) -> Any:
    """From −1 to 1: how likely the match is won, from the points that this game is worth."""
    points = equity(out, holder, True) * np.float64(1 << cube)
    mine, yours = LENGTH - np.float64(s.score[side]), LENGTH - np.float64(s.score[1 - side])
    return match_chance(mine - points / 2, yours + points / 2)


def match_chance(mine: Any, yours: Any) -> Any:
    """From −1 to 1: the lead over what the trailer still needs, as in Janowski's formula for match equities."""
    lead, trail = yours - mine, max(yours, mine)
    return max(-1.0, min(1.0, 1.7 * lead / (max(trail, 0.0) + 6)))


def evaluate(s: Any, w: Any, note: Any) -> Any:
    """What the network and the cube make of the position, in ten thousandths of a point."""
    if s.phase == OPENING:
        return np.int64(round(UNIT * match_chance(LENGTH - np.float64(s.score[0]), LENGTH - np.float64(s.score[1])))
                        if LENGTH > 0 else 0)  # fmt: skip
    side = np.int64(s.seat)
    cube, owner = np.int64(s.cube), np.int64(s.owner)
    if s.phase == ANSWER:
        # The other side drops, or takes and has the cube from now on.
        taken = value_of_chances(s, note.out, side, cube + 1, 2 - side)
        dropped = np.float64(1 << cube)
        if LENGTH > 0:
            dropped = match_chance(LENGTH - np.float64(s.score[side]) - dropped, LENGTH - np.float64(s.score[1 - side]))
        value = -min(taken, dropped)
    else:
        value = value_of_chances(s, note.out, side, cube, owner)
        if s.phase == ROLL and side == 1:  # at chance states for side 0
            value = -value
    return np.int64(round(UNIT * value))


# The formal game ------------------------------------------------------------------------------------------------------

SHIPPED = Path(__file__).with_name("network.net")
LONGEST_MATCH = 64
THROWS = " throws"
"""Behind the text of a position in which the side on roll might have doubled and has chosen to throw."""


@plain_at_first
def find_notes(states: Any, weights: Any, notes: Any) -> None:
    """The notes of a position."""
    note_fresh(states[0], notes[0], weights[0])


class Backgammon(CompiledGame):
    """Backgammon for points or as a match, with or without a cube."""

    seat_names = ("Black", "White")

    def __init__(
        self,
        cube: int | None = None,
        match: int = 0,
        jacoby: bool = False,
        beavers: bool = False,
        weights: str = "",
    ) -> None:
        if not 0 <= match <= LONGEST_MATCH:
            raise BadInput(f"backgammon:match={match} is not possible; expected 1 to {LONGEST_MATCH} points, or 0.")
        if cube is None:
            cube = 64 if match else 1
        if cube not in (1, 2, 4, 8, 16, 32, 64):
            raise BadInput(f"backgammon:cube={cube} is not possible; expected 1 (no cube), 2, 4, 8, 16, 32 or 64.")
        for name, given in (("jacoby", jacoby), ("beavers", beavers)):
            if given and (cube == 1 or match):
                why = "in a match" if match else "without a cube"
                raise BadInput(f"backgammon:{name}=true means nothing {why}; expected a game for points with cube=64.")
        most = 1 if match else 3 * cube
        self.facts = Facts(chance=True, most_moves=MOST_PLAYS, min_utility=-most, max_utility=most)
        super().__init__(HIGHEST_CUBE=cube.bit_length() - 1, LENGTH=match, JACOBY=jacoby, BEAVERS=beavers)
        self.cube, self.match, self.jacoby = cube, match, jacoby
        self.w = self.load_weights(weights)
        self.formats = {
            "gnubg": Format("position", "GNU Backgammon ID", self.state_text, self.state_from_text),
            "xgid": Format("position", "XGID", self.xgid, self.state_from_text),
            "mat": shared_format(self, "mat"),
        }

    def load_weights(self, name: str) -> Any:
        """The network of a file as `gametree train` writes it; without a name the one that comes with the game."""
        return read_network(Path(name) if name else SHIPPED, "backgammon", self.rules.weights_type)

    def learning(self) -> Any:
        """How the game is learned from play against itself."""
        from gametree.games.backgammon.learning import Lessons

        return Lessons(self)

    # Knowledge --------------------------------------------------------------------------------------------------------

    def chances(self, state: bytes) -> tuple[float, ...]:
        """What the network expects for the side on roll: W, Wg, Wbg, Lg, Lbg, as in GNU Backgammon."""
        notes = np.zeros(1, self.rules.note_type)
        self.rules.kernel(find_notes)(self.structs(state), self.w, notes)
        return tuple(float(number) for number in notes[0]["out"][:5])

    def explain(self, state: bytes) -> Sequence[tuple[str, float]]:
        """The whole estimate as one term; a sum of chances would hide what the cube does."""
        return [("network and cube", self.evaluate(state, max(0, self.player(state))))]

    # Text -------------------------------------------------------------------------------------------------------------

    def action_text(self, state: bytes, action: int) -> str:
        """A play as `13/8 24/23`, a throw as `31`, or a word about the cube."""
        return action_text(self.struct(state), action)

    def action_from_text(self, state: bytes, text: str) -> int:
        """The same in any order of the steps, single steps or the way of a checker. Raises IllegalMove."""
        found = find_play(self.struct(state), text, self.actions(state))
        return int(super().action_from_text(state, text)) if found is None else found

    def state_text(self, state: bytes) -> str:
        """Position ID and match ID of GNU Backgammon; `throws` behind them where the mover has chosen not to double."""
        s = self.struct(state)
        chosen = THROWS if s.phase == ROLL and self._may_double(s) else ""
        return ids.write_gnubg(s, length=self.match, jacoby=self.jacoby) + chosen

    def xgid(self, state: bytes) -> str:
        """The position as other programs write it."""
        return ids.write_xgid(self.struct(state), length=self.match, jacoby=self.jacoby)

    @property
    def _highest(self) -> int:
        return self.cube.bit_length() - 1

    def state_from_text(self, text: str) -> bytes:
        """A position ID alone or with a match ID, or an XGID. Raises BadInput."""
        structs = self.structs(b"")
        chosen = text.strip().endswith(THROWS)
        ids.read(structs[0], text.strip().removesuffix(THROWS), length=self.match, highest=self._highest)
        s = structs[0]
        if s.phase == OVER and not self.match:
            loser = int(s.seat)
            value = int(worth_of_win(s, loser)) if s.men[1 - loser, OFF] == CHECKERS else 1
            s.points = (1 if self.jacoby and s.cube == 0 else value) << int(s.cube)
        elif s.phase in (ROLL, CUBE):
            s.phase = CUBE if self._may_double(s) and not chosen else ROLL
        return self.pack(structs)

    def _may_double(self, s: Any) -> bool:
        if s.cube >= self._highest or s.crawford or s.owner not in (0, s.seat + 1):
            return False
        return not self.match or int(s.score[s.seat]) + (1 << int(s.cube)) < self.match

    # Board ------------------------------------------------------------------------------------------------------------

    def draw(self, state: bytes) -> Drawing:
        """The 24 points with bar, dice, cube and what is off."""
        return drawing.draw(self.struct(state), self.seat_names, cube=self._highest > 0, length=self.match)

    def action_cells(self, state: bytes, action: int) -> Sequence[str]:
        """From where and to where, for each die."""
        return drawing.cells_of(self.struct(state), action)

    def action_ways(self, state: bytes, action: int) -> Sequence[Sequence[str]]:
        """The same, and where one checker takes both dice the other order, if it leads to the same position."""
        s = self.struct(state)
        first = drawing.cells_of(s, action)
        other = other_order(s, action)
        return [way for way in (first, drawing.cells_of(s, other) if other else ()) if way]

    def label(self, state: bytes) -> str:
        """The dice, if they lie."""
        s = self.struct(state)
        return f"{s.dice[0]}{s.dice[1]}" if s.phase == PLAY else ""
