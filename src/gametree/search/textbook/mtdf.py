"""MTD(f): null-window tests with a memory close in on the value from a first guess f.

Source: Plaat, Schaeffer, Pijls and de Bruin, "Best-first fixed-depth minimax algorithms", *Artificial Intelligence*
87 (1996), procedures MTD(f) and MT.

    function MTD(root, f)
        g ← f; f⁺ ← +∞; f⁻ ← −∞
        while f⁻ < f⁺ do
            if g = f⁻ then γ ← g + 1 else γ ← g                 here: the next float above g
            g ← MT(root, γ)
            if g < γ then f⁺ ← g else f⁻ ← g
        return g

    function MT(n, γ)                                           is the value of n at least γ?
        if f⁻(n) ≥ γ then return f⁻(n)                          the memory knows
        if f⁺(n) < γ then return f⁺(n)
        if n is a leaf then g ← the value of n
        else if n is a MAX node then g ← −∞; for each child c, while g < γ: g ← max(g, MT(c, γ))
        else g ← +∞; for each child c, while g ≥ γ: g ← min(g, MT(c, γ))
        if g ≥ γ then f⁻(n) ← g else f⁺(n) ← g
        return g

Every g after the first is the value of some leaf, and every pass but the last moves a bound of the root to another
leaf's value, so the loop ends after at most as many passes as there are different leaf values, and one more.

f = +∞ makes the best-first search SSS*, f = −∞ its dual. A pass is alpha-beta with a null window, so on a tree in a
fixed order none looks at a leaf that alpha-beta with the whole window does not look at.
"""

from __future__ import annotations

from math import inf
from typing import Any

from gametree.core.facts import Algorithm
from gametree.core.game import MAX, Game
from gametree.core.record import TreeRecord
from gametree.core.result import SearchResult
from gametree.search.support.run import CHECK_EVERY, Clock, Run
from gametree.search.support.window import above, below, first_guess

__all__ = ["ALGORITHM", "search"]

ALGORITHM = Algorithm(
    name="mtdf",
    title="MTD(f) (memory-enhanced test driver)",
    source="Plaat, Schaeffer, Pijls and de Bruin (1996)",
)


def search(
    game: Game[Any, Any],
    state: Any = None,
    *,
    depth: int | None = None,
    clock: Clock | None = None,
    record: TreeRecord | None = None,
    guess: float | None = None,
) -> SearchResult:
    """Return the minimax value and a best move, to `depth` plies or to the end of the game.

    guess: f, what the root may be worth to MAX, infinities included; by default EVAL of the root, or the middle of
    the utilities. `details`: `passes`, `guess` and `stored`, the number of states in memory. Equal states that are
    reached by different moves are one in the memory. Raises UnfitGame, BadInput, GameError, and OutOfTime if the clock
    stops it.
    """
    run = Run(ALGORITHM, game, state, depth=depth, clock=clock, record=record)
    game = run.game
    utility, evaluate = run.leaf_values()
    actions, result, player, is_terminal = game.actions, game.result, game.player, game.is_terminal
    first = g = first_guess(run, guess)
    nodes = leaves = passes = 0
    lowest = run.depth
    limited = run.depth >= 0

    # (f⁻, f⁺) by state; under a depth limit a state is worth something else with another number of plies to go.
    memory: dict[Any, tuple[float, float]] = {}
    unknown = (-inf, inf)

    def mt(state: Any, gamma: float, depth: int) -> tuple[float, bool]:
        """Return g, and whether memory alone gave it. The value is at least g if g ≥ gamma and at most g if not."""
        nonlocal nodes, leaves, lowest
        nodes += 1
        if clock is not None and not nodes & CHECK_EVERY:
            clock.check(nodes)

        # 1. What the memory knows may do.
        key = (state, depth) if limited else state
        lower, upper = memory.get(key, unknown)
        if lower >= gamma:
            return lower, True
        if upper < gamma:
            return upper, True

        # 2. A leaf is known for good.
        if depth < lowest:
            lowest = depth
        if is_terminal(state) or depth == 0:
            leaves += 1
            g = utility(state) if is_terminal(state) else evaluate(state)
            memory[key] = (g, g)
            return g, False

        # 3. A MAX node needs one child that passes, a MIN node needs all.
        maximising = player(state) == MAX
        g = -inf if maximising else inf
        for action in actions(state):
            child = result(state, action)
            if record is not None:
                record.enter(child, action, below(gamma), gamma)
            value, remembered = mt(child, gamma, depth - 1)
            if record is not None:
                record.leave(value, reason="table" if remembered else None)
            g = max(g, value) if maximising else min(g, value)
            if (g >= gamma) == maximising:
                break

        # 4. Remember the bound.
        memory[key] = (g, upper) if g >= gamma else (lower, g)
        return g, False

    def variation() -> list[Any]:
        """Best play: from a node whose bounds have met, to the first child whose bounds have met at the same value.

        There is always one: the test that gave f⁺ to a MAX node left a bound f⁺ ≤ g at every child, and the test that
        gave f⁻ left a bound f⁻ ≥ g at one of them; dually at a MIN node.
        """
        line: list[Any] = []
        place, depth = run.state, run.depth
        while depth and not is_terminal(place):
            depth -= 1
            for action in actions(place):
                child = result(place, action)
                if memory.get((child, depth) if limited else child) == (g, g):
                    line.append(action)
                    place = child
                    break
            else:
                break
        return line

    f_minus, f_plus = unknown
    while f_minus < f_plus:
        gamma = above(g) if g == f_minus else g
        passes += 1
        with run.root(below(gamma), gamma):
            g, _ = mt(run.state, gamma, run.depth)
            if g < gamma:
                f_plus = g
            else:
                f_minus = g
            run.close_root(g, bound=None if f_minus < f_plus else "exact")
    return run.finish(
        g,
        variation(),
        nodes=nodes,
        leaves=leaves,
        selective=run.depth - lowest,
        passes=passes,
        guess=first,
        stored=len(memory),
    )
