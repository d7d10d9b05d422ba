"""The verbs: what the author of a compiled game writes, and what compiled searches call.

A compiled game is one Python file with a struct and plain functions on it, no decorators:

    State = struct(own="u8", opp="u8")           the state; arrays are written board=("i1", 81)

    initial(s), legal_moves(s, out) -> n, play(s, m), utility(s)

are what a game must have; `gametree.core.verbs.STRUCT_VERBS` lists all that it may have, with what each promises.

    Weights = struct(pawn="i4", ...)             data that verbs read and that may change while the program runs
    Note = struct(sums=("i2", 256))              what a search keeps beside a state, move by move

A verb that wants the weights ends its parameters with `w`: evaluate(s, w). Without `Weights` nobody is given any.

Constants: UNIT (see evaluate; 1), SYMMETRIES (number of symmetric images, the state itself included; 1),
ALTERNATE (the seats strictly take turns; True unless `player` is defined), SOLVER_LEAN (with at most this many
plies_left the solver uses neither table nor ordering, only the order of solver_moves; 0), SOLVER_MERGE (with more
plies_left than this it merges symmetric states; 0), SOLVER_PROBE (with more plies_left than this it looks for the
children in the table before it searches any; 255, so never), SOLVER_THINK (with more plies_left than this it orders
moves by shallow searches with `evaluate`; 255, so never), SOLVER_GUESS (whether such a search is a good first guess at
the solved value; False), REPETITION (with repetition_key: "draw", the game is drawn when a position stands for the
REPETITIONS-th time, usually the third; "forbidden", no move may lead to a position that has stood REPETITIONS − 1
times, usually once), MOVE_CLASSES (see move_class; 1), SOONER (all wins are equal and the engine prefers quick ones; no
estimate may come within 1000 units of a win; False).

The file ends with a class for facts, text and drawings, whose constructor may re-bind any constant of the file:

    class Othello(CompiledGame):
        facts = Facts(most_moves=33, longest_game=128, min_utility=-64, max_utility=64)
        def __init__(self, size: int = 8) -> None:
            super().__init__(SIZE=size)
    game = Othello

`facts.most_moves` is the size of the move buffer: legal_moves must never write more. Values and moves are int64 when
compiled; bitboards are np.uint64, and every constant that meets one is written u64(...).

A compiled search calls the verbs by importing the functions below; `Rules.kernel` puts the game's own in their place.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from gametree.core.errors import GameError
from gametree.core.facts import Facts
from gametree.core.verbs import STRUCT_VERBS, Verb
from gametree.kernels.bits import record_at, u64
from gametree.kernels.hashing import mix_in
from gametree.kernels.jit import Kernel

__all__ = [
    "ALTERNATE",
    "FORBIDS_REPETITION",
    "HAS",
    "HIGHEST",
    "KEYS_NOTED",
    "LOWEST",
    "MOST_MOVES",
    "MOVE_CLASSES",
    "OPTIONAL",
    "REPETITIONS",
    "REQUIRED",
    "SEATS",
    "SIDES",
    "SIDE_OF",
    "SOLVER_GUESS",
    "SOLVER_LEAN",
    "SOLVER_MERGE",
    "SOLVER_PROBE",
    "SOLVER_THINK",
    "SOONER",
    "SYMMETRIES",
    "UNIT",
    "UNLISTED",
    "Note",
    "Nothing",
    "Rules",
    "State",
    "Weights",
    "parameters_of",
    "side_to_move",
    "struct",
    "weights_of",
]

REQUIRED = tuple(verb.name for verb in STRUCT_VERBS if verb.required)
OPTIONAL = tuple(verb.name for verb in STRUCT_VERBS if not verb.required)
__all__ += REQUIRED + OPTIONAL

UNLISTED = -1
"""What `outcomes` returns where there are too many for a list."""

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...  # the flags HAS_X, which are made below from the table


class _Number(int):
    """An int that can be told apart from equal ones by identity."""


def _own(number: int) -> Any:
    """A constant of this module, which no constant of another module can be mistaken for."""
    return _Number(number)


# Constants that templates may use; the game's values take their place. HAS_X is True if the game defines verb x.
UNIT = _own(1)
SOLVER_LEAN = _own(0)
SOLVER_MERGE = _own(0)
SOLVER_PROBE = _own(255)
SOLVER_THINK = _own(255)
SOLVER_GUESS = _own(False)
SYMMETRIES = _own(1)
ALTERNATE = _own(True)
MOST_MOVES = _own(1)
REPETITIONS = _own(3)
MOVE_CLASSES = _own(1)
SOONER = _own(False)
LOWEST, HIGHEST = _own(-1), _own(1)  # the limits of utility
SEATS, SIDES = _own(2), _own(2)
SIDE_OF = np.arange(20)  # the side of every seat
KEYS_NOTED = _own(False)  # whether move_key reads the notes
FORBIDS_REPETITION = _own(False)  # whether moves to earlier positions are no moves; else they draw the game
HAS = tuple(f"HAS_{verb.upper()}" for verb in OPTIONAL)
globals().update({flag: _own(False) for flag in HAS})
HAS_HIDE = HAS_OUTCOMES = _own(False)  # which defaults below ask for


def struct(**fields: Any) -> Any:
    """The dtype of a state: name="u8" for a number, name=("i1", 64) for an array, name=("i1", (8, 8)) for a board."""
    for name in fields:
        if hasattr(np.record, name):
            raise GameError(f"A struct cannot have a field called '{name}', which NumPy needs; choose another name.")
    description = [(name, *kind) if isinstance(kind, tuple) else (name, kind) for name, kind in fields.items()]
    made = np.dtype(description, align=True)
    formats = [made.fields[name][0] for name in fields] if made.fields else []
    offsets, end = [], 0
    for kind in formats:
        offsets.append(-(-end // _alignment(kind)) * _alignment(kind))
        end = offsets[-1] + kind.itemsize
    whole = max(map(_alignment, formats), default=1)
    layout: Any = {"names": list(fields), "formats": formats, "offsets": offsets, "itemsize": -(-end // whole) * whole}
    return np.dtype((np.record, np.dtype(layout, align=True)))


def _alignment(kind: Any) -> int:
    """Of what a field begins at a multiple. NumPy takes a struct in a struct for bytes; compiled code counts on 8."""
    return 8 if kind.base.fields else int(kind.base.alignment)


Nothing = struct(nothing="i8")
"""A struct for games that have no weights or no notes."""
State = struct(nothing="i8")
"""Stands for the game's struct in templates; the same holds for the next two."""
Weights = struct(nothing="i8")
Note = struct(nothing="i8")


def weights_of(ctx: Any) -> Any:
    """The weights that a context is given: the record at its `weights_at`."""
    return record_at(ctx.weights_at, Weights)


# The verbs as templates call them; bodies are the defaults of the optional ones ---------------------------------------


def initial(s: Any, w: Any) -> None:
    raise NotImplementedError


def legal_moves(s: Any, out: Any, w: Any) -> Any:
    raise NotImplementedError


def play(s: Any, m: Any, w: Any) -> None:
    raise NotImplementedError


def utility(s: Any, w: Any) -> Any:
    # Only for two sides. A game that defines payoffs alone pays for an array here.
    out = np.zeros(SEATS, np.int64)
    payoffs(s, out, w)
    mover = np.int64(side_to_move(s, w))
    for seat in range(SEATS):
        if SIDE_OF[seat] == mover:
            return out[seat]
    return out[0]


def payoffs(s: Any, out: Any, w: Any) -> None:
    value = np.int64(utility(s, w))
    mover = np.int64(side_to_move(s, w))
    for seat in range(SEATS):
        out[seat] = value if SIDE_OF[seat] == mover else -value


def player(s: Any, w: Any) -> Any:
    # Only called if ALTERNATE is False or by the derived Game of a game that defines it.
    return 0


def side_to_move(s: Any, w: Any) -> Any:
    """The side of the seat to move; chance counts as side 0. Not a verb: it follows from `player`."""
    seat = np.int64(player(s, w))
    if HAS_OUTCOMES:
        seat = max(seat, np.int64(0))
    return seat if SIDES == SEATS else SIDE_OF[seat]


def is_over(s: Any, out: Any, w: Any) -> Any:
    return legal_moves(s, out, w) == 0


def outcomes(s: Any, out: Any, odds: Any, w: Any) -> Any:
    return 0


def roll(s: Any, bits: Any, w: Any) -> Any:
    out = np.zeros(MOST_MOVES, np.int64)
    odds = np.zeros(MOST_MOVES, np.float64)
    count = np.int64(outcomes(s, out, odds, w))
    if count < 0:
        return np.int64(u64(bits) >> u64(1))
    return out[draw_place(bits, odds, count)]


def draw_place(bits: Any, odds: Any, count: Any) -> Any:
    """The place of an outcome among the first `count`, drawn by their odds. Not a verb."""
    left = np.float64(u64(bits) >> u64(11)) * 2.0**-53
    for place in range(count):
        left -= odds[place]
        if left < 0:
            return np.int64(place)
    return np.int64(count - 1)


def seat_moves(s: Any, seat: Any, out: Any, w: Any) -> Any:
    return 0


def play_joint(s: Any, moves: Any, w: Any) -> None:
    raise NotImplementedError


def hide(s: Any, seat: Any, w: Any) -> None:
    pass


def redeal(s: Any, seat: Any, bits: Any, w: Any) -> None:
    pass


def heard(s: Any, m: Any, t: Any, seat: Any, w: Any) -> Any:
    if not HAS_HIDE:
        return np.int64(m) + 1
    views = np.zeros(2, State)
    views[0] = s
    views[1] = t
    hide(views[0], seat, w)
    hide(views[1], seat, w)
    now = np.int64(hash_state(views[1], w) >> u64(1)) | 1
    if seat >= 0 and player(s, w) == seat:  # a spectator's number is the one of chance
        return np.int64(mix_in(u64(now), u64(m)) >> u64(1)) | 1
    return np.int64(0) if hash_state(views[0], w) == hash_state(views[1], w) else now


def plausibility(s: Any, seat: Any, w: Any) -> Any:
    return 1.0


def info_key(s: Any, seat: Any, w: Any) -> Any:
    return u64(0)


def evaluate(s: Any, w: Any, note: Any) -> Any:
    return 0


def estimates(s: Any, out: Any, w: Any, note: Any) -> None:
    value = np.int64(evaluate(s, w, note))
    mover = np.int64(side_to_move(s, w))
    for seat in range(SEATS):
        out[seat] = value if SIDE_OF[seat] == mover else -value


def priors(s: Any, moves: Any, n: Any, out: Any, w: Any, note: Any) -> None:
    for i in range(n):
        out[i] = 1.0


def move_key(s: Any, m: Any, w: Any, note: Any) -> Any:
    return 0


def child_key(s: Any, w: Any) -> Any:
    return 0


def noisy_moves(s: Any, out: Any, w: Any) -> Any:
    return 0


def forcing_moves(s: Any, out: Any, w: Any) -> Any:
    return 0


def is_noisy(s: Any, m: Any, w: Any) -> Any:
    return False


def gains(s: Any, m: Any, units: Any, w: Any) -> Any:
    return True


def is_urgent(s: Any, w: Any) -> Any:
    return False


def move_class(m: Any) -> Any:
    return 0


def structure_key(s: Any, w: Any) -> Any:
    return u64(0)


def pass_turn(s: Any, w: Any) -> Any:
    return False


def playout_move(s: Any, bits: Any, out: Any, w: Any) -> Any:
    return out[np.int64((u64(bits) >> u64(32)) * u64(legal_moves(s, out, w)) >> u64(32))]


def hash_state(s: Any, w: Any) -> Any:
    raise NotImplementedError  # `Rules` makes the default from the fields of the struct


def mirror(s: Any, k: Any, w: Any) -> None:
    pass


def mirror_move(m: Any, k: Any) -> Any:
    return m


def repetition_key(s: Any, w: Any) -> Any:
    return u64(0)


def reversible_plies(s: Any, w: Any) -> Any:
    return 0


def key_after(s: Any, m: Any, w: Any) -> Any:
    after = np.zeros(1, State)
    after[0] = s
    play(after[0], m, w)
    return repetition_key(after[0], w)


def solver_moves(s: Any, out: Any, w: Any) -> Any:
    n = legal_moves(s, out, w)
    if n == 0:
        out[0] = utility(s, w)
    return n


def solver_bounds(s: Any, w: Any) -> Any:
    return LOWEST, HIGHEST


def plies_left(s: Any, w: Any) -> Any:
    return 255


def note_fresh(s: Any, note: Any, w: Any) -> None:
    pass


def note_move(s: Any, m: Any, t: Any, old: Any, new: Any, w: Any) -> None:
    note_fresh(t, new, w)


def table_class(s: Any, w: Any) -> Any:
    return -1


def class_size(c: Any, w: Any) -> Any:
    return 0


def index_of(s: Any, c: Any, w: Any) -> Any:
    return 0


def set_index(s: Any, c: Any, i: Any, w: Any) -> Any:
    return False


def class_after(c: Any, out: Any, w: Any) -> Any:
    return 0


def _default_hash(state_type: Any) -> FunctionType:
    """A hash_state that mixes every field, written out for this struct so that no loop over fields is left."""
    lines = ["def hash_state(s, w):", "    h = u64(0x243F6A8885A308D3)"]
    for name, (kind, *_) in state_type.fields.items():
        shape = kind.shape
        if kind.base.kind not in "iub":
            raise GameError(f"The field '{name}' of State is a {kind}, which has no hash; define hash_state().")
        indices = "".join(f"[i{axis}]" for axis in range(len(shape)))
        for axis, length in enumerate(shape):
            lines.append("    " * (axis + 1) + f"for i{axis} in range({length}):")
        # Through int64, because a negative number cannot become a uint64 where Python itself converts it.
        field = f"s.{name}{indices}"
        word = f"u64(np.int64({field}) & 0x7FFFFFFFFFFFFFFF)" if kind.base.kind == "i" else f"u64({field})"
        lines.append("    " * (len(shape) + 1) + f"h = mix_in(h, {word})")
    lines.append("    return h")
    space = {"u64": u64, "np": np, "mix_in": mix_in, "__name__": __name__}
    exec("\n".join(lines), space)
    made = space["hash_state"]
    assert isinstance(made, FunctionType)
    return made


_STANDINS = {name: globals()[name] for name in REQUIRED + OPTIONAL}
_TOGETHER = (
    ("repetition_key", "reversible_plies"),
    ("seat_moves", "play_joint"),
    ("index_of", "set_index"),
    ("index_of", "class_size"),
    ("index_of", "table_class"),
)
_ROWS = {verb.name: verb for verb in STRUCT_VERBS}


def parameters_of(function: FunctionType | None) -> tuple[str, ...]:
    """The names of a function's parameters; none of None."""
    return () if function is None else function.__code__.co_varnames[: function.__code__.co_argcount]


def _fitted(verb: Verb, own: FunctionType, name: str) -> FunctionType:
    """The game's own verb as searches call it, with all extras. Raises GameError, naming what is expected."""
    given = parameters_of(own)
    plain = len(verb.parameters.split())
    wanted = tuple(extra for extra in verb.extras if extra in given[plain:])
    if len(given) < plain or given[plain:] != wanted:
        extras = f", and {' or '.join(verb.extras)} behind it if it is wanted" if verb.extras else ""
        raise GameError(
            f"{name} defines {verb.name}({', '.join(given)}) in line {own.__code__.co_firstlineno}; "
            f"expected {verb.name}({', '.join(verb.parameters.split())}){extras}."
        )
    if wanted == verb.extras:
        return own
    inside = ", ".join((*verb.parameters.split(), *wanted))
    space = {"own": own, "__name__": __name__}
    exec(f"def {verb.name}({', '.join(verb.arguments)}):\n    return own({inside})", space)
    made = space[verb.name]
    assert isinstance(made, FunctionType)
    return made


class Rules:
    """The verbs of one game with its constants bound: what compiled searches are instantiated with.

    Raises GameError if a required verb is missing.
    """

    def __init__(
        self, module: ModuleType, *, name: str, facts: Facts, limits: tuple[int, int], constants: dict[str, Any]
    ) -> None:
        self.name = name
        space = vars(module)
        unknown = [key for key in constants if key not in space]
        if unknown:
            raise GameError(f"{name} re-binds the constant {unknown[0]}, which its file does not define.")
        self._module = module
        self._bound = dict(constants)
        self._tables = {name: space[name] for name in constants if isinstance(space[name], np.ndarray)}
        self.verbs: dict[str, FunctionType] = {}
        """The game's own verbs by name."""
        self._called: dict[str, FunctionType] = {}  # the same as searches call them
        for row in STRUCT_VERBS:
            function = space.get(row.name)
            if isinstance(function, FunctionType) and function is not _STANDINS[row.name]:
                self.verbs[row.name] = function
                self._called[row.name] = _fitted(row, function, name)
            elif row.required:
                wanted = ", ".join(row.parameters.split())
                raise GameError(f"{name} does not define {row.name}({wanted}), which every game needs.")
        self._check_pairs(facts)
        if "State" not in space:
            raise GameError(f"{name} does not define State; expected State = struct(field=type, ...).")
        self.state_type = constants.get("State", space["State"])
        """The dtype of the state."""
        if not (isinstance(self.state_type, np.dtype) and self.state_type.names):
            raise GameError(f"{name} defines State as {self.state_type!r}; expected struct(field=type, ...).")
        self.weights_type = self._struct("Weights", space)
        """The dtype of the weights; `Nothing` if the game has none."""
        self.note_type = self._struct("Note", space)
        """The dtype of the notes; `Nothing` if the game has none."""
        if "hash_state" in self.verbs:
            self.hash_verb = self._called["hash_state"]
        else:
            self.hash_verb = _default_hash(self.state_type)
        forbids = self._constant("REPETITION", "draw") == "forbidden"
        self.constants: dict[str, Any] = {
            "UNIT": self._constant("UNIT", 1),
            "SYMMETRIES": self._constant("SYMMETRIES", 1) if "mirror" in self.verbs else 1,
            "ALTERNATE": self._constant("ALTERNATE", "player" not in self.verbs),
            "SOLVER_LEAN": self._constant("SOLVER_LEAN", 0),
            "SOLVER_MERGE": self._constant("SOLVER_MERGE", 0),
            "SOLVER_GUESS": self._constant("SOLVER_GUESS", False),
            "SOLVER_PROBE": self._constant("SOLVER_PROBE", 255),
            "SOLVER_THINK": self._constant("SOLVER_THINK", 255),
            "MOST_MOVES": max(1, facts.most_moves or 1),
            "SEATS": facts.players,
            "SIDES": len(facts.sides),
            "SIDE_OF": np.array([facts.side_of(seat) for seat in range(facts.players)]),
            "KEYS_NOTED": "note" in parameters_of(self.verbs.get("move_key")),
            "FORBIDS_REPETITION": forbids,
            "REPETITIONS": self._constant("REPETITIONS", 2 if forbids else 3),
            "MOVE_CLASSES": self._constant("MOVE_CLASSES", 1),
            "SOONER": self._constant("SOONER", False),
            "State": self.state_type,
            "Weights": self.weights_type,
            "Note": self.note_type,
            "LOWEST": int(limits[0]),
            "HIGHEST": int(limits[1]),
            **{flag: verb in self.verbs for flag, verb in zip(HAS, OPTIONAL, strict=True)},
        }
        """What functions that have imported the constants of this module see in their place."""
        self._kernels: dict[Any, Kernel] = {}
        self.memory: dict[Any, Any] = {}
        """Whatever a search keeps for this game, such as the type of its context, under a key of its own."""

    def _check_pairs(self, facts: Facts) -> None:
        """Raise GameError for verbs that make sense only together, or only without each other."""
        own = self.verbs.keys()
        if ("utility" in own) == ("payoffs" in own):
            both = "both of them" if "utility" in own else "neither of them"
            raise GameError(
                f"{self.name} must define utility(s), for two sides, or payoffs(s, out), but defines {both}."
            )
        if "utility" in own and len(facts.sides) != 2:
            raise GameError(
                f"{self.name} has {len(facts.sides)} sides, but defines utility(s); expected payoffs(s, out)."
            )
        for one, other in _TOGETHER:
            if (one in own) != (other in own):
                needed = " and ".join(f"{verb}({', '.join(_ROWS[verb].parameters.split())})" for verb in (one, other))
                raise GameError(f"{self.name} defines only one of {needed}; expected both.")
        for one, other in (("redeal", "hide"), ("note_move", "note_fresh"), ("key_after", "repetition_key")):
            if one in own and other not in own:
                raise GameError(f"{self.name} defines {one}, which needs {other} as well.")
        if "repetition_key" in own and "mirror" in own:
            raise GameError(
                f"{self.name} defines repetition_key(s) and mirror(s, k); images do not know earlier positions."
            )
        if "player" not in own and facts.players != 2:
            raise GameError(f"{self.name} has {facts.players} players, so it must define player(s).")

    def _struct(self, what: str, space: dict[str, Any]) -> Any:
        kind = self._bound.get(what, space.get(what, Nothing))
        if not (isinstance(kind, np.dtype) and kind.names):
            raise GameError(f"{self.name} defines {what} as {kind!r}; expected struct(field=type, ...).")
        return kind

    def _constant(self, name: str, default: Any) -> Any:
        value = self._bound.get(name, vars(self._module).get(name, default))
        return default if value is globals().get(name, self) else value

    def replace(self, function: FunctionType) -> FunctionType:
        """The game's verb for a stand-in; the default body where the game has none."""
        if function is hash_state:
            return self.hash_verb
        stands_for_verb = _STANDINS.get(function.__name__) is function
        return self._called.get(function.__name__, function) if stands_for_verb else function

    def constants_of(self, function: FunctionType) -> dict[str, Any]:
        """The globals of a function that are re-bound for this game.

        The game's constants hold in the game's own file. Those of this module, and tables of the game that its file has
        from a helper, hold wherever they have been imported: a helper of the game may well use one of their names for
        something of its own.
        """
        space = function.__globals__
        ours = {
            name: value for name, value in self.constants.items() if name in space and space[name] is globals()[name]
        }
        if self.owns(function):
            return ours | self._bound
        return ours | {name: self._bound[name] for name, table in self._tables.items() if space.get(name) is table}

    def owns(self, function: FunctionType) -> bool:
        """Whether the function stands in the game's own file."""
        return function.__module__ == self._module.__name__

    def kernel(self, function: Callable[..., Any], **constants: Any) -> Kernel:
        """The template `function` for this game, the same for the same call.

        `constants` re-binds further globals, in all files but the game's own.
        """
        key = (function, tuple(sorted((name, repr(value)) for name, value in constants.items())))
        if key not in self._kernels:

            def constants_of(function: FunctionType) -> dict[str, Any]:
                ours = self.constants_of(function)
                return ours if self.owns(function) else ours | constants

            self._kernels[key] = Kernel(function, replace=self.replace, constants=constants_of, label=self.name)
        return self._kernels[key]
