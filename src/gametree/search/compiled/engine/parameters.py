"""Every refinement of the engine as a switch."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from gametree.core.errors import BadInput
from gametree.kernels.compiled_game import CompiledGame

__all__ = ["SHADES", "UNSOUND", "EngineParameters"]


@dataclass(frozen=True, kw_only=True)
class EngineParameters:
    """What the engine does beyond plain alpha-beta. All switches live in its context: none needs a new compile.

    Unsound refinements, marked (*), may change the value at a given depth: with all of them off (`sound()`) it is the
    minimax value. With everything off (`plain()`) the engine visits the very nodes of the readable alpha-beta.
    """

    # The driver
    iterative: bool = True
    """Search depth 1, 2, 3, … instead of the last depth at once."""
    driver: Literal["alphabeta", "pvs", "mtdf"] = "pvs"
    """alphabeta: whole windows; pvs: null windows for all but the first move; mtdf: null windows from the root on."""
    aspiration: int = 25
    """From depth 4 on begin with a window of ± this many units around the last value; 0: the whole window."""

    # The table
    table: bool = True
    """Remember values and best moves of states (transpositions)."""
    deeper_entries: bool = True
    """(*) Accept values from a deeper search than asked for, and not only from one of the same depth."""
    symmetry_plies: int = 6
    """Merge symmetric states this many plies below the root; 0: never."""
    defer_depth: int = 3
    """With so much depth to go look last at moves that another thread is searching; 0: never, but vary the depth."""

    # The end of the game
    sooner: bool = True
    """In games that say SOONER: of two wins prefer the quicker, of two losses the slower."""
    early_repetition: bool = True
    """(*) Take a position that comes back within the search for the draw that it will be when it comes often enough."""

    # Ordering
    previous_best: bool = True
    """First the move that was best when the state was searched before."""
    killers: bool = True
    """Then the two moves that last caused a cut-off at the same ply."""
    counter_moves: bool = True
    """Then the move that last refuted the move just played."""
    history: bool = True
    """Then the moves that caused most cut-offs anywhere, weighted by depth."""
    follow_up: bool = True
    """And those that did well after a last move, and own moves before, of the same class (move_class)."""
    feedback: int = 0
    """Histories learn not only from cut-offs: also from estimates that a quiet move changed by more or less than this
    many units, from what the table knows, and from what became of the move before. Killers go with their subtree. 0:
    never."""
    game_order: bool = True
    """Use the game's own move_key and child_key; noisy moves first, those that lose (gains) last."""
    correction: bool = True
    """(*) Correct estimates by what searches found in states of the same structure (structure_key)."""

    # Depth
    quiescence_plies: int = 6
    """(*) Follow noisy moves this far beyond the horizon before estimating; 0: estimate at the horizon."""
    forcing_plies: int = 0
    """(*) Follow quiet threats (forcing_moves) in so many of these plies."""
    delta_margin: int = 0
    """(*) In quiescence leave out trades that lift the estimate to less than this below the window. 0: never."""
    null_move: int = 2
    """(*) If even passing beats the window, cut off; the test is this much shallower. 0: never."""
    null_growth: int = 0
    """(*) The test is a further ply shallower for every so many plies of depth. 0: never."""
    verify_depth: int = 0
    """With this much depth to go a cut-off by passing must hold in a search without passing. 0: never."""
    reduction_after: int = 4
    """(*) Search moves behind this many others less deep first. 0: never."""
    reduction_depth: int = 3
    """(*) Reduce only with at least this much depth to go."""
    reduction_scale: int = 45
    """(*) By so many hundredths of log(depth) · log(moves searched before)."""
    internal_depth: int = 0
    """(*) With this much depth to go search a state one ply less deep if the table lacks its good move. 0: never."""
    futility_margin: int = 0
    """(*) Near the horizon cut off if the estimate is this many units per ply off the window. 0: never."""
    razor_margin: int = 0
    """(*) At the last three plies look at noisy moves only if the estimate is this much per ply below. 0: never."""
    prune_after: int = 0
    """(*) Near the horizon leave out quiet moves behind this many others and more. 0: never."""
    exchange_margin: int = 0
    """(*) Near the horizon leave out moves that lose this many units per ply in a trade (gains). 0: never."""
    singular_depth: int = 6
    """(*) With this much depth to go search a move deeper if all others are clearly worse. 0: never."""
    singular_margin: int = 10
    """(*) Units per ply of depth by which the others must be worse."""
    extend_forced: bool = True
    """(*) Search deeper where there is only one move."""
    extend_urgent: bool = True
    """(*) Search moves deeper that leave the other side threatened (is_urgent) and lose nothing."""

    def __post_init__(self) -> None:
        if self.driver not in ("alphabeta", "pvs", "mtdf"):
            raise BadInput(f"The driver '{self.driver}' is unknown; expected alphabeta, pvs or mtdf.")
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, int) and value < 0:
                raise BadInput(f"{field.name}={value} is not possible; expected 0 or more.")

    @classmethod
    def of(cls, game: CompiledGame, **changes: Any) -> EngineParameters:
        """What the game says is good for it."""
        return cls(**{**game.engine_parameters, **changes})

    @classmethod
    def sound(cls, **changes: Any) -> EngineParameters:
        """All unsound refinements off: the value is the minimax value at the depth asked for."""
        off: dict[str, Any] = {name: False if isinstance(getattr(cls, name), bool) else 0 for name in UNSOUND}
        return cls(**{**off, **changes})

    @classmethod
    def plain(cls, **changes: Any) -> EngineParameters:
        """Everything off: alpha-beta in the order of the move generator."""
        off: dict[str, Any] = {
            field.name: False if field.type == "bool" else 0
            for field in dataclasses.fields(cls)
            if field.name != "driver" and field.name not in SHADES
        }
        return cls(**{**off, "driver": "alphabeta", **changes})


SHADES = ("null_growth", "verify_depth", "reduction_depth", "reduction_scale", "singular_margin")
"""Names of the parameters that only shade the switch before them."""
UNSOUND = (
    "deeper_entries",
    "early_repetition",
    "correction",
    "quiescence_plies",
    "forcing_plies",
    "delta_margin",
    "null_move",
    "reduction_after",
    "internal_depth",
    "futility_margin",
    "razor_margin",
    "prune_after",
    "exchange_margin",
    "singular_depth",
    "extend_forced",
    "extend_urgent",
)
"""Names of the unsound switches."""
