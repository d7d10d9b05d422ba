"""The one result that every search returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from gametree.core.game import Game

__all__ = ["Bound", "SearchResult"]

Bound = Literal["exact", "lower", "upper", "estimate"]


@dataclass(frozen=True, kw_only=True)
class SearchResult:
    """What a search found out about a state."""

    algorithm: str
    state: Any
    player: int
    """The seat that `value` speaks for: the one to move, or seat 0 where chance or several move."""
    move: Any
    """The chosen action, None at terminal states."""
    value: float
    """What the state is worth to `player`; `bound` says how sure that is."""
    bound: Bound = "exact"
    """`exact`: the search was finished and has no `horizon`, so that this is the value. `lower` and `upper`: the state
    is worth at least or at most this, with a horizon at the depth that was searched. `estimate`: none of these."""
    pv: tuple[Any, ...] = ()
    """Principal variation: best play from the state on, as far as the search knows it."""
    nodes: int = 0
    """States that were entered, the root included, each time that they were entered."""
    leaves: int = 0
    """Terminal or cut-off states among them whose value was computed."""
    depth: int = 0
    """Plies below the root that were searched in full: the depth of the last search that was finished."""
    selective: int = 0
    """Deepest ply that was seen, by extensions, quiescence or along the best lines; never less than `depth`."""
    horizon: bool = False
    """Whether a deeper search could find another value, because this one met an estimate, a playout, a move that it
    left out or a repetition that hangs on the way there. False: every line that the value rests on ends the game."""
    seconds: float = 0.0
    values: tuple[float, ...] | None = None
    """What the state is worth to every seat, where the algorithm knows it."""
    complete: bool = True
    """False if a clock or limit ended the search before it was done."""
    details: dict[str, Any] = field(default_factory=dict)
    """What only this algorithm knows, such as `visits` per move or `researches`."""

    def to_data(self, game: Game[Any, Any]) -> dict[str, Any]:
        """The result as JSON-ready data, with moves as the game writes them."""
        line, state = [], self.state
        for action in self.pv:
            line.append(game.action_text(state, action))
            state = game.result(state, action)
        return {
            "algorithm": self.algorithm,
            "position": game.state_text(self.state),
            "player": self.player,
            "move": None if self.move is None else game.action_text(self.state, self.move),
            "value": self.value,
            "bound": self.bound,
            "pv": line,
            "nodes": self.nodes,
            "leaves": self.leaves,
            "depth": self.depth,
            "selective": self.selective,
            "horizon": self.horizon,
            "seconds": self.seconds,
            "complete": self.complete,
            **({} if self.values is None else {"values": list(self.values)}),
            **self.details,
        }
