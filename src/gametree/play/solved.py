"""What tables of solved positions tell whoever is about to search: which moves keep the outcome, or the move itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gametree.core.game import Game
from gametree.core.result import SearchResult

if TYPE_CHECKING:
    from gametree.kernels.compiled_game import CompiledGame
    from gametree.knowledge.tables import TableFolder

__all__ = ["Solved", "solved", "takes_tables"]

LONGEST_LINE = 30
"""Plies that are shown of a solved line."""


class Solved:
    """The tables of one game, ready to be asked by players."""

    def __init__(self, game: CompiledGame, folder: TableFolder) -> None:
        self.game, self.folder = game, folder
        self.tables = folder.for_search()

    def good_moves(self, state: Any) -> Sequence[Any] | None:
        """The moves that keep the outcome, if it is known of all; None if it is not, or if all are alike."""
        if self.game.is_terminal(state) or not self.knows(state):
            return None
        actions, outcomes = self.game.actions(state), self.folder.outcomes(state)
        if len(outcomes) < len(actions):
            return None
        kept = [action for action, found in outcomes if found.outcome == outcomes[0][1].outcome]
        return None if len(kept) == len(actions) else kept

    def knows(self, state: Any) -> bool:
        """Whether the position itself is in a table."""
        return self.folder.probe(state) is not None

    def answer(self, state: Any) -> SearchResult | None:
        """The quickest win or the slowest loss, where the tables know distances; None elsewhere, and for draws."""
        game, found = self.game, self.folder.probe(state)
        if found is None or not found.plies or found.outcome == 0 or game.is_terminal(state):
            return None
        line: list[Any] = []
        at = state
        while len(line) < LONGEST_LINE and not game.is_terminal(at):
            outcomes = self.folder.outcomes(at)
            if not outcomes or outcomes[0][1].plies is None:
                break
            line.append(outcomes[0][0])
            at = game.result(at, line[-1])
        if not line:
            return None
        moves = (found.plies + 1) // 2 if found.outcome > 0 else -(found.plies // 2)
        return SearchResult(
            algorithm="tables",
            state=state,
            player=game.player(state),
            move=line[0],
            value=game.facts.max_utility if found.outcome > 0 else game.facts.min_utility,
            # Tables know nothing of a clock that has begun to run.
            bound="exact" if not game.past(state) else "estimate",
            pv=tuple(line),
            nodes=1,
            leaves=1,
            depth=found.plies,
            selective=found.plies,
            details={"mate": moves},
        )


def solved(game: Game[Any, Any]) -> Solved | None:
    """The tables that there are of a game; None if there are none. They are loaded once for all with the same rules."""
    if not game.facts.compiled:
        return None
    from gametree.kernels.compiled_game import CompiledGame

    if not isinstance(game, CompiledGame) or "index_of" not in game.rules.verbs:
        return None
    memory = game.rules.memory
    if solved not in memory:
        from gametree.knowledge.tables import TableFolder

        found = Solved(game, TableFolder(game))
        memory[solved] = found if len(found.tables.addresses) else None
    known: Solved | None = memory[solved]
    return known


def takes_tables(search: Callable[..., Any]) -> bool:
    """Whether a search asks tables."""
    return "tables" in inspect.signature(search).parameters
