"""Chess endings with three men: published counts and longest mates, and the second pass."""

from __future__ import annotations

import pytest

from gametree import BadInput, load_game
from gametree.knowledge.tables import TableFolder, classes_of
from gametree.knowledge.tables.audit import count_outcomes, find_fault

# Won, drawn and lost on the whole board, and the plies of the longest win or loss: ten, sixteen, 28 moves.
PUBLISHED = {
    "KQ-K": (144508, 0, 0, 19),
    "K-KQ": (0, 23048, 200896, 20),
    "KR-K": (175168, 0, 0, 31),
    "K-KR": (0, 22244, 201700, 32),
    "KP-K": (124960, 38368, 0, 55),
    "K-KP": (0, 70420, 97604, 56),
    "KB-K": (0, 193284, 0, None),
    "K-KN": (0, 223944, 0, None),
}


@pytest.fixture(scope="module")
def game():
    return load_game("chess")


@pytest.fixture(scope="module")
def tables(game, tmp_path_factory):
    found = TableFolder(game, tmp_path_factory.mktemp("tables"))
    found.build(classes_of(game, "KPK"))  # which leads to all the others
    return found


@pytest.mark.parametrize("name", PUBLISHED)
def test_counts_and_longest_mates_are_the_published_ones(game, tables, name):
    [c] = classes_of(game, name)
    found = count_outcomes(game, c, tables.load(c))
    longest = next((found[word]["plies"] for word in ("longest_win", "longest_loss") if word in found), None)
    assert (found["wins"], found["draws"], found["losses"], longest) == PUBLISHED[name]


def test_a_second_pass_finds_all_right(game, tables):
    loaded = {c: tables.load(c) for name in ("KPK", "KQK", "KRK", "KBK", "KNK", "KK") for c in classes_of(game, name)}
    assert all(find_fault(game, c, loaded) is None for c in loaded)


def test_positions_are_found_whoever_moves_and_however_they_are_turned(game, tables):
    mate = tables.probe(game.state_from_text("8/8/8/8/8/2k5/1R6/K7 w - - 0 1"))
    assert (mate.outcome, mate.plies) == (1, 31)
    assert tables.probe(game.state_from_text("k7/1r6/2K5/8/8/8/8/8 b - - 0 1")) == mate
    assert tables.probe(game.state_from_text("7k/6r1/5K2/8/8/8/8/8 b - - 0 1")) == mate
    stalemate = tables.probe(game.state_from_text("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"))
    assert stalemate.outcome == 0
    assert tables.probe(game.initial()) is None


def test_classes(game):
    assert [game.class_name(c) for c in classes_of(game, "KRK")] == ["KR-K", "K-KR"]
    assert [game.class_name(c) for c in classes_of(game, "kqkr")] == ["KQ-KR", "KR-KQ"]
    assert [game.class_name(c) for c in classes_of(game, "KNBK")] == ["KBN-K", "K-KBN"]
    for text in ("KPKP", "KQQQK", "RKK", "", "3"):
        with pytest.raises(BadInput, match="no class of positions of chess"):
            classes_of(game, text)
