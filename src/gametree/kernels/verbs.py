"""The verbs: what the author of a compiled game writes, and what compiled searches call.

A compiled game is one Python file with a struct and plain functions on it, no decorators:

    State = struct(own="u8", opp="u8")           the state; arrays are written board=("i1", 81)

    initial(s)                required   turn a zeroed struct into the start position
    legal_moves(s, out) -> n  required   write the legal moves, whole numbers from 0 up, into out[0:n]; 0: game over
    play(s, m)                required   change s by the legal move m, and pass the turn
    utility(s)                required   where the game is over: points for the seat whose turn it would be, an integer

    player(s)                 the seat to move, 0 or 1, also where the game is over. Leave it out if the seats strictly
                              take turns: then the derived Game counts the turns. −1 at chance states
    is_over(s, out)           whether legal_moves would give none, if that can be told faster; `out` is scratch space
    evaluate(s)               an estimate of utility × UNIT for the seat to move (seat 0 at chance), an integer
    hash_state(s)             64 bits that tell states apart; by default all fields are mixed
    move_key(s, m)            how promising the move looks: higher is searched first
    child_key(s)              how promising a move looks by the state that it led to: higher is searched first
    noisy_moves(s, out) -> n  the moves that quiescence search follows (captures), but for those that do not gain
    forcing_moves(s, out) -> n  quiet moves that leave the other side threatened (see is_urgent), as many as are found
                              easily; quiescence search follows them in its first plies where nobody is threatened
    is_noisy(s, m)            whether a legal move is noisy: it is searched early, and never left out as a quiet one
    gains(s, m, units) -> bool  whether the trade that the move begins wins at least so many units, as far as can be
                              told without search; 0: it loses nothing
    is_urgent(s)              whether the mover is under a threat that must be answered (check): then the state is not
                              estimated, no move is left out, and quiescence search follows all moves
    move_class(m)             a number below MOVE_CLASSES that moves share which are alike (the same piece to the same
                              square): what did well after a move of one class is tried first after the next of it
    structure_key(s)          64 bits that states share whose estimates are likely to err alike (the same pawns): the
                              engine corrects estimates by what its searches of such states have found
    pass_turn(s) -> bool      let the mover pass, for the null-move test; False, leaving s alone, where that is unsound
    mirror(s, k)              turn s into its k-th symmetric image, 1 ≤ k < SYMMETRIES; the value must be the same
    mirror_move(m, k)         where move m of s goes in the k-th image
    outcomes(s, out, odds)    at chance states: write the outcomes into `out` and their probabilities (float64) into
                              `odds` and return how many; 0 where a seat is to move. `play` takes an outcome as a move
    solver_moves(s, out) -> n for exact solving: the moves that can matter; where there are none, out[0] is the value
    solver_bounds(s)          for exact solving: (lowest, highest) value that s can have if solver_moves gave some
    playout_move(s, bits, out) -> m  for Monte Carlo search: a legal move picked by 64 random bits where the game is not
                              over and no chance is at work; without it all legal moves are equally likely
    plies_left(s)             for exact solving: about how many plies can follow; the solver is lean near the end
    repetition_key(s)         64 bits that are equal where a rule on repetition calls two positions the same. Then the
                              derived Game's states remember the keys of earlier positions, and the game is drawn when
                              one occurs for the REPETITIONS-th time; the struct knows nothing of it, so that copies
                              stay small, and compiled searches compare keys along the line of play
    reversible_plies(s)       with repetition_key: so many plies back a position like this one could have stood

Constants: UNIT (see evaluate; 1), SYMMETRIES (number of symmetric images, the state itself included; 1),
ALTERNATE (the seats strictly take turns; True unless `player` is defined), SOLVER_LEAN (with at most this many
plies_left the solver uses neither table nor ordering, only the order of solver_moves; 0), SOLVER_MERGE (with more
plies_left than this it merges symmetric states; 0), SOLVER_PROBE (with more plies_left than this it looks for the
children in the table before it searches any; 255, so never), SOLVER_THINK (with more plies_left than this it orders
moves by shallow searches with `evaluate`; 255, so never), SOLVER_GUESS (whether such a search is a good first guess at
the solved value; False), REPETITIONS (see repetition_key; 3), MOVE_CLASSES (see move_class; 1), SOONER (all wins are
equal and the engine prefers quick ones; no estimate may come within 1000 units of a win; False).

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
from typing import Any

import numpy as np

from gametree.core.errors import GameError
from gametree.kernels.bits import u64
from gametree.kernels.hashing import mix_in
from gametree.kernels.jit import Kernel

__all__ = [
    "ALTERNATE",
    "HAS",
    "HIGHEST",
    "LOWEST",
    "MOST_MOVES",
    "MOVE_CLASSES",
    "OPTIONAL",
    "REPETITIONS",
    "REQUIRED",
    "SOLVER_GUESS",
    "SOLVER_LEAN",
    "SOLVER_MERGE",
    "SOLVER_PROBE",
    "SOLVER_THINK",
    "SOONER",
    "SYMMETRIES",
    "UNIT",
    "Rules",
    "State",
    "child_key",
    "evaluate",
    "forcing_moves",
    "gains",
    "hash_state",
    "initial",
    "is_noisy",
    "is_over",
    "is_urgent",
    "legal_moves",
    "mirror",
    "mirror_move",
    "move_class",
    "move_key",
    "noisy_moves",
    "outcomes",
    "pass_turn",
    "play",
    "player",
    "playout_move",
    "plies_left",
    "repetition_key",
    "reversible_plies",
    "solver_bounds",
    "solver_moves",
    "struct",
    "structure_key",
    "utility",
]

REQUIRED = ("initial", "legal_moves", "play", "utility")
OPTIONAL = (
    "player",
    "is_over",
    "evaluate",
    "hash_state",
    "move_key",
    "child_key",
    "noisy_moves",
    "pass_turn",
    "mirror",
    "mirror_move",
    "outcomes",
    "solver_moves",
    "solver_bounds",
    "plies_left",
    "playout_move",
    "repetition_key",
    "reversible_plies",
    "forcing_moves",
    "is_noisy",
    "gains",
    "is_urgent",
    "move_class",
    "structure_key",
)


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
HAS_CHILD_KEY = HAS_MOVE_KEY = HAS_EVALUATE = HAS_NOISY_MOVES = HAS_PASS_TURN = _own(False)
HAS_MIRROR_MOVE = HAS_OUTCOMES = HAS_SOLVER_MOVES = HAS_SOLVER_BOUNDS = HAS_PLIES_LEFT = _own(False)
HAS_PLAYOUT_MOVE = HAS_REPETITION_KEY = HAS_REVERSIBLE_PLIES = HAS_PLAYER = HAS_IS_OVER = _own(False)
HAS_HASH_STATE = HAS_MIRROR = _own(False)
HAS_FORCING_MOVES = HAS_IS_NOISY = HAS_GAINS = HAS_IS_URGENT = HAS_MOVE_CLASS = HAS_STRUCTURE_KEY = _own(False)
HAS = tuple(f"HAS_{verb.upper()}" for verb in OPTIONAL)


def struct(**fields: Any) -> Any:
    """The dtype of a state: name="u8" for a number, name=("i1", 64) for an array, name=("i1", (8, 8)) for a board."""
    for name in fields:
        if hasattr(np.record, name):
            raise GameError(f"A struct cannot have a field called '{name}', which NumPy needs; choose another name.")
    description = [(name, *kind) if isinstance(kind, tuple) else (name, kind) for name, kind in fields.items()]
    return np.dtype((np.record, np.dtype(description, align=True)))


State = struct(nothing="i8")
"""Stands for the game's struct in templates."""


# The verbs as templates call them; bodies are the defaults of the optional ones ---------------------------------------


def initial(s: Any) -> None:
    """Turn a zeroed struct into the start position."""
    raise NotImplementedError


def legal_moves(s: Any, out: Any) -> Any:
    """Write the legal moves into `out` and return their number; 0 if the game is over."""
    raise NotImplementedError


def play(s: Any, m: Any) -> None:
    """Change `s` by a legal move."""
    raise NotImplementedError


def utility(s: Any) -> Any:
    """Points at the end for the seat whose turn it would be."""
    raise NotImplementedError


def player(s: Any) -> Any:
    """The seat to move. Only called if ALTERNATE is False or by the derived Game of a game that defines it."""
    return 0


def is_over(s: Any, out: Any) -> Any:
    """Whether there is no legal move; `out` is scratch space."""
    return legal_moves(s, out) == 0


def evaluate(s: Any) -> Any:
    """An estimate for the seat to move, in 1/UNIT points."""
    return 0


def hash_state(s: Any) -> Any:
    """64 bits that tell states apart. `Rules` makes the default from the fields of the struct."""
    raise NotImplementedError


def move_key(s: Any, m: Any) -> Any:
    """Higher is searched first."""
    return 0


def child_key(s: Any) -> Any:
    """Higher is searched first; `s` is the state after the move."""
    return 0


def noisy_moves(s: Any, out: Any) -> Any:
    """Write the noisy moves into `out` and return their number."""
    return 0


def pass_turn(s: Any) -> Any:
    """Pass, if that is safe to assume."""
    return False


def mirror(s: Any, k: Any) -> None:
    """Turn `s` into its k-th image."""


def mirror_move(m: Any, k: Any) -> Any:
    """The image of a move."""
    return m


def outcomes(s: Any, out: Any, odds: Any) -> Any:
    """Write chance outcomes and probabilities and return their number; 0 where no chance is at work."""
    return 0


def solver_moves(s: Any, out: Any) -> Any:
    """Write the moves that can matter and return their number; if there are none, the value is in out[0]."""
    n = legal_moves(s, out)
    if n == 0:
        out[0] = utility(s)
    return n


def solver_bounds(s: Any) -> Any:
    """The lowest and the highest value that the state can have. `Rules` binds the facts' limits."""
    return LOWEST, HIGHEST


def plies_left(s: Any) -> Any:
    """About how many plies can still follow."""
    return 255


def playout_move(s: Any, bits: Any, out: Any) -> Any:
    """A legal move picked by random bits; `out` is scratch space."""
    return out[np.int64((u64(bits) >> u64(32)) * u64(legal_moves(s, out)) >> u64(32))]


def repetition_key(s: Any) -> Any:
    """Equal where a rule on repetition calls two positions the same."""
    return u64(0)


def reversible_plies(s: Any) -> Any:
    """How many plies back an equal position could have stood."""
    return 0


def forcing_moves(s: Any, out: Any) -> Any:
    """Write quiet moves that threaten and return their number."""
    return 0


def is_noisy(s: Any, m: Any) -> Any:
    """Whether a legal move is noisy."""
    return False


def gains(s: Any, m: Any, units: Any) -> Any:
    """Whether the trade that the move begins wins at least so many units."""
    return True


def is_urgent(s: Any) -> Any:
    """Whether the mover must answer a threat."""
    return False


def move_class(m: Any) -> Any:
    """What the move has in common with others."""
    return 0


def structure_key(s: Any) -> Any:
    """What the state has in common with others whose estimates err alike."""
    return u64(0)


def _default_hash(state_type: Any) -> FunctionType:
    """A hash_state that mixes every field, written out for this struct so that no loop over fields is left."""
    lines = ["def hash_state(s):", "    h = u64(0x243F6A8885A308D3)"]
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


class Rules:
    """The verbs of one game with its constants bound: what compiled searches are instantiated with.

    Raises GameError if a required verb is missing.
    """

    def __init__(
        self, module: ModuleType, *, name: str, most_moves: int, limits: tuple[int, int], constants: dict[str, Any]
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
        for verb in REQUIRED + OPTIONAL:
            function = space.get(verb)
            if isinstance(function, FunctionType) and function is not _STANDINS[verb]:
                self.verbs[verb] = function
            elif verb in REQUIRED:
                wanted = _arguments(_STANDINS[verb])
                raise GameError(f"{name} does not define {verb}({wanted}), which every game needs.")
        for verb, function in self.verbs.items():
            if function.__code__.co_argcount != _STANDINS[verb].__code__.co_argcount:
                raise GameError(
                    f"{name} defines {verb}({_arguments(function)}) in line {function.__code__.co_firstlineno}; "
                    f"expected {verb}({_arguments(_STANDINS[verb])})."
                )
        if "State" not in space:
            raise GameError(f"{name} does not define State; expected State = struct(field=type, ...).")
        self.state_type = constants.get("State", space["State"])
        """The dtype of the state."""
        if not (isinstance(self.state_type, np.dtype) and self.state_type.names):
            raise GameError(f"{name} defines State as {self.state_type!r}; expected struct(field=type, ...).")
        if ("repetition_key" in self.verbs) != ("reversible_plies" in self.verbs):
            raise GameError(f"{name} defines only one of repetition_key(s) and reversible_plies(s); expected both.")
        if "repetition_key" in self.verbs and "mirror" in self.verbs:
            raise GameError(f"{name} defines repetition_key(s) and mirror(s, k); images do not know earlier positions.")
        self.hash_verb = self.verbs.get("hash_state") or _default_hash(self.state_type)
        self.constants: dict[str, Any] = {
            "UNIT": self._constant("UNIT", 1),
            "SYMMETRIES": self._constant("SYMMETRIES", 1) if "mirror" in self.verbs else 1,
            "ALTERNATE": self._constant("ALTERNATE", "player" not in self.verbs),
            "SOLVER_LEAN": self._constant("SOLVER_LEAN", 0),
            "SOLVER_MERGE": self._constant("SOLVER_MERGE", 0),
            "SOLVER_GUESS": self._constant("SOLVER_GUESS", False),
            "SOLVER_PROBE": self._constant("SOLVER_PROBE", 255),
            "SOLVER_THINK": self._constant("SOLVER_THINK", 255),
            "MOST_MOVES": max(1, most_moves),
            "REPETITIONS": self._constant("REPETITIONS", 3),
            "MOVE_CLASSES": self._constant("MOVE_CLASSES", 1),
            "SOONER": self._constant("SOONER", False),
            "State": self.state_type,
            "LOWEST": int(limits[0]),
            "HIGHEST": int(limits[1]),
            **{flag: verb in self.verbs for flag, verb in zip(HAS, OPTIONAL, strict=True)},
        }
        """What functions that have imported the constants of this module see in their place."""
        self._kernels: dict[Any, Kernel] = {}
        self.memory: dict[Any, Any] = {}
        """Whatever a search keeps for this game, such as the type of its context, under a key of its own."""

    def _constant(self, name: str, default: Any) -> Any:
        value = self._bound.get(name, vars(self._module).get(name, default))
        return default if value is globals()[name] else value

    def _replace(self, function: FunctionType) -> FunctionType:
        """The game's verb for a stand-in; the default body where the game has none."""
        if function is hash_state:
            return self.hash_verb
        stands_for_verb = _STANDINS.get(function.__name__) is function
        return self.verbs.get(function.__name__, function) if stands_for_verb else function

    def kernel(self, function: Callable[..., Any], **constants: Any) -> Kernel:
        """The template `function` for this game; `constants` re-binds further globals. The same call, the same kernel.

        The game's constants hold in the game's own file, `constants` in all others. Those of this module, and tables of
        the game that its file has from a helper, hold wherever they have been imported: a helper of the game may well
        use one of their names for something of its own.
        """
        key = (function, tuple(sorted((name, repr(value)) for name, value in constants.items())))
        if key not in self._kernels:

            def constants_of(function: FunctionType) -> dict[str, Any]:
                space = function.__globals__
                ours = {
                    name: value
                    for name, value in self.constants.items()
                    if name in space and space[name] is globals()[name]
                }
                if function.__module__ == self._module.__name__:
                    return ours | self._bound
                tables = {name: self._bound[name] for name, table in self._tables.items() if space.get(name) is table}
                return ours | tables | constants

            self._kernels[key] = Kernel(function, replace=self._replace, constants=constants_of, label=self.name)
        return self._kernels[key]


def _arguments(function: FunctionType) -> str:
    return ", ".join(function.__code__.co_varnames[: function.__code__.co_argcount])
