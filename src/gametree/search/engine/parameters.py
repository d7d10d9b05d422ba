"""Every refinement of the engine as a switch."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from gametree.core.errors import BadInput

__all__ = ["EngineParameters"]


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

    # Ordering
    previous_best: bool = True
    """First the move that was best when the state was searched before."""
    killers: bool = True
    """Then the two moves that last caused a cut-off at the same ply."""
    counter_moves: bool = True
    """Then the move that last refuted the move just played."""
    history: bool = True
    """Then the moves that caused most cut-offs anywhere, weighted by depth."""
    game_order: bool = True
    """Use the game's own move_key and child_key."""

    # Depth
    quiescence_plies: int = 6
    """(*) Follow noisy moves this far beyond the horizon before estimating; 0: estimate at the horizon."""
    null_move: int = 2
    """(*) If even passing beats the window, cut off; the test is this much shallower. 0: never."""
    reduction_after: int = 4
    """(*) Search moves behind this many others less deep first. 0: never."""
    reduction_depth: int = 3
    """(*) Reduce only with at least this much depth to go."""
    singular_depth: int = 6
    """(*) With this much depth to go search a move deeper if all others are clearly worse. 0: never."""
    singular_margin: int = 10
    """(*) Units per ply of depth by which the others must be worse."""
    extend_forced: bool = True
    """(*) Search deeper where there is only one move."""

    def __post_init__(self) -> None:
        if self.driver not in ("alphabeta", "pvs", "mtdf"):
            raise BadInput(f"The driver '{self.driver}' is unknown; expected alphabeta, pvs or mtdf.")
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, int) and value < 0:
                raise BadInput(f"{field.name}={value} is not possible; expected 0 or more.")

    @classmethod
    def sound(cls, **changes: Any) -> EngineParameters:
        """All unsound refinements off: the value is the minimax value at the depth asked for."""
        off: dict[str, Any] = dict.fromkeys(UNSOUND, 0)
        off.update(deeper_entries=False, extend_forced=False, reduction_depth=3, singular_margin=10)
        return cls(**{**off, **changes})

    @classmethod
    def plain(cls, **changes: Any) -> EngineParameters:
        """Everything off: alpha-beta in the order of the move generator."""
        off: dict[str, Any] = {
            field.name: False if field.type == "bool" else 0
            for field in dataclasses.fields(cls)
            if field.name not in ("driver", "reduction_depth", "singular_margin")
        }
        return cls(**{**off, "driver": "alphabeta", **changes})


UNSOUND = ("quiescence_plies", "null_move", "reduction_after", "singular_depth", "deeper_entries", "extend_forced")
"""Names of the unsound switches."""
