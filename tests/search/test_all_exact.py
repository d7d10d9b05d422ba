"""Every registered algorithm that calls itself exact, on 10,000 random trees; a new one takes part by being there."""

from __future__ import annotations

from typing import Any

import pytest
from oracle import minimax_value, random_tree_text

from gametree import MAX, algorithm_names, load_algorithm, load_game
from gametree.games.tree import parse_tree
from gametree.play.analysis import fits

# These have the same test with more to it in test_exact_searches.py.
ELSEWHERE = {
    "minimax", "minimax-labelling", "minimax-list", "alphabeta", "alphabeta-failhard", "alphabeta-list",
    "negamax", "aspiration", "scout", "negascout", "mtdf", "sss",
}  # fmt: skip


def exact_names() -> list[str]:
    """Exact algorithms that can search a drawn tree; compiled ones need compiled games and have tests of their own."""
    tree = load_game("tree")
    found = []
    for name in algorithm_names():
        algorithm, search = load_algorithm(name)
        if algorithm.exact and fits(algorithm, tree) and "CompiledGame" not in search.__globals__:
            found.append(name)
    return found


def test_the_list_is_not_empty_by_mistake() -> None:
    others = {"table", "ordering", "deepening", "expectiminimax", "star1", "star2", "maxn", "strategy", "strong"}
    assert set(exact_names()) >= ELSEWHERE | others


@pytest.mark.parametrize("block", range(20))
def test_value_and_move_are_right_on_random_trees(block: int) -> None:
    searches: dict[str, Any] = {name: load_algorithm(name)[1] for name in exact_names() if name not in ELSEWHERE}
    for seed in range(block * 500, (block + 1) * 500):
        text = random_tree_text(seed)
        tree = parse_tree(text)
        right = minimax_value(tree, 0)
        for name, search in searches.items():
            result = search(tree)
            value = result.value if result.player == MAX else (tree.facts.utility_sum or 0) - result.value
            assert value == pytest.approx(right, abs=1e-12), f"{name} on seed {seed}: {text}"
            if result.move is None:
                assert tree.is_terminal(0), f"{name} on seed {seed}: {text}"
            else:
                child = minimax_value(tree, tree.result(0, result.move))
                assert child == pytest.approx(right, abs=1e-12), f"{name} moves wrong on seed {seed}: {text}"
