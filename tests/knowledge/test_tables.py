"""Endgame tables: published counts of checkers, a slow oracle, files that are damaged, and searches that ask them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gametree import BadInput, load_game
from gametree.games.checkers.numbering import classes_with
from gametree.knowledge.tables import TableFolder, classes_of
from gametree.knowledge.tables.audit import count_outcomes, find_fault
from gametree.knowledge.tables.folder import write_small
from gametree.knowledge.tables.retrograde import build_order
from gametree.knowledge.tables.store import TableFile, write_tables
from gametree.play.solved import Solved
from gametree.search.compiled.engine import Engine
from gametree.search.support.table_bytes import byte_of_loss, byte_of_win, outcome_of, plies_of

# Class: won, drawn, lost of all positions; of those without a capture for the mover; longest win and loss in plies.
PUBLISHED = {
    "K-K": (230, 654, 108, 158, 654, 108, 11, 10),
    "K-m": (331, 531, 6, 259, 531, 6, 11, 4),
    "m-K": (53, 574, 241, 17, 574, 241, 11, 12),
    "m-m": (102, 611, 47, 66, 611, 47, 13, 6),
    "KK-K": (14846, 34, 0, 12830, 34, 0, 33, None),
    "KK-m": (13018, 2, 0, 11002, 2, 0, 33, None),
    "Km-K": (25941, 89, 10, 23157, 89, 10, 47, 14),
    "Km-m": (22792, 7, 1, 20008, 7, 1, 47, 0),
    "mm-K": (11215, 121, 4, 10327, 121, 4, 61, 14),
    "mm-m": (9928, 8, 0, 9040, 8, 0, 61, None),
    "K-KK": (412, 1450, 13018, 0, 66, 12790, 11, 34),
    "K-Km": (1103, 2588, 22349, 12, 161, 22095, 13, 48),
    "K-mm": (687, 1242, 9411, 8, 205, 9379, 13, 62),
    "m-KK": (58, 714, 12248, 0, 0, 11988, 11, 34),
    "m-Km": (154, 1465, 21181, 0, 0, 20874, 13, 48),
    "m-mm": (96, 757, 9083, 0, 10, 9032, 13, 62),
    "KK-KK": (58361, 153456, 3943, 8092, 151135, 3465, 49, 48),
    "KK-Km": (148680, 227296, 1604, 53589, 224212, 1107, 95, 50),
    "Km-KK": (72023, 273419, 32138, 3120, 269169, 30871, 49, 94),
}


@pytest.fixture(scope="module")
def game():
    return load_game("checkers")


@pytest.fixture(scope="module")
def tables(game, tmp_path_factory):
    """All classes of two and three pieces, and three of four."""
    found = TableFolder(game, tmp_path_factory.mktemp("tables"))
    found.build(
        [*classes_of(game, "2"), *classes_of(game, "3"), *classes_of(game, "KK-Km"), *classes_of(game, "KK-KK")],
        threads=2,
    )
    return found


def test_bytes_tell_outcome_and_plies():
    assert [plies_of(byte_of_win(plies)) for plies in range(1, 254, 2)] == list(range(1, 254, 2))
    assert [plies_of(byte_of_loss(plies)) for plies in range(0, 253, 2)] == list(range(0, 253, 2))
    ranked = [byte_of_loss(0), byte_of_loss(100), 0, byte_of_win(101), byte_of_win(1)]
    assert ranked == sorted(ranked)
    assert [outcome_of(int(byte)) for byte in ranked] == [-1, -1, 0, 1, 1]
    assert (ranked[0], ranked[-1]) == (-127, 127)


@pytest.mark.parametrize("name", PUBLISHED)
def test_counts_are_the_published_ones(game, tables, name):
    [c] = classes_of(game, name)
    found = count_outcomes(game, c, tables.load(c))
    counts = [found[word] for word in ("wins", "draws", "losses")]
    quiet = [found["quiet"][word] for word in ("wins", "draws", "losses")]
    longest = [found[word]["plies"] if word in found else None for word in ("longest_win", "longest_loss")]
    assert (*counts, *quiet, *longest) == PUBLISHED[name]


def test_a_second_pass_finds_every_byte_right_and_a_wrong_one_wrong(game, tables):
    loaded = {c: tables.load(c) for pieces in (2, 3) for c in classes_with(pieces)}
    assert all(find_fault(game, c, loaded) is None for c in loaded)
    [c] = classes_of(game, "Km-K")
    for place, byte in ((777, 0), (9000, 1), (0, -3)):
        assert loaded[c][place] != byte
        wrong = loaded[c].copy()
        wrong[place] = byte
        assert find_fault(game, c, {**loaded, c: wrong}) is not None


def test_a_position_is_worth_what_its_moves_are(game, tables):
    """The slow way: every move of random positions, looked up in the tables one by one."""
    rng, seen = random.Random(4), 0
    while seen < 300:
        text = random_position(rng)
        state = game.state_from_text(text)
        found = tables.probe(state)
        if game.is_terminal(state):
            assert (found.outcome, found.plies) == (-1, 0)
            continue
        outcomes = tables.outcomes(state)
        assert len(outcomes) == len(game.actions(state))
        assert (outcomes[0][1].outcome, outcomes[0][1].plies) == (found.outcome, found.plies), text
        seen += 1


def random_position(rng):
    squares = rng.sample(range(5, 29), 3)  # men may stand on all of these
    pieces = [("K" if rng.random() < 0.5 else "") + str(square) for square in squares]
    cut = rng.randint(1, 2)
    return f"{rng.choice('BW')}:W{','.join(pieces[:cut])}:B{','.join(pieces[cut:])}"


def test_a_turned_board_has_the_same_value(game, tables):
    for text, turned in (("B:WK14:BK1,K2", "W:WK32,K31:BK19"), ("B:WK1:B6,K29", "W:WK4,27:BK32")):
        one, other = tables.probe(game.state_from_text(text)), tables.probe(game.state_from_text(turned))
        assert one == other is not None


def test_classes(game):
    assert [len(classes_of(game, str(pieces))) for pieces in (2, 3, 4)] == [4, 12, 25]
    assert [game.class_name(c) for c in classes_of(game, "Kmm-K")] == ["Kmm-K"]
    groups = build_order(game, classes_of(game, "3"))
    done: set[int] = set()
    for group in groups:
        assert len(group) == (1 if game.class_name(group[0]) in ("K-K", "m-m") else 2)
        done.update(group)
    assert len(done) == 16
    for text in ("", "7", "1", "KX-K", "K", "K-", "KKKK-KKK", "m-m-m"):
        with pytest.raises(BadInput, match="is no class of positions of checkers"):
            classes_of(game, text)
    with pytest.raises(BadInput, match="no numbers"):
        classes_of(load_game("connect4"), "3")


def test_a_build_goes_on_where_it_was(game, tmp_path):
    folder = TableFolder(game, tmp_path)
    told: list[list[int]] = []

    def stop(group):
        told.append(group)
        if len(told) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        folder.build(classes_of(game, "2"), told=stop)
    finished = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert len(finished) == sum(map(len, told))
    again: list[list[int]] = []
    TableFolder(game, tmp_path).build(classes_of(game, "2"), told=again.append)
    assert [len(told), len(again)] == [2, 1]
    assert all((tmp_path / name).stat().st_mtime_ns == stamp for name, stamp in finished.items())


def test_damaged_files_are_refused_in_a_sentence(game, tables, tmp_path):
    [c] = classes_of(game, "KK-K")
    good = tables.path(c).read_bytes()

    def trouble(data):
        path = tmp_path / "KK-K.gtt"
        path.write_bytes(data)
        with pytest.raises(BadInput) as caught:
            TableFile(path).load(c)
        assert str(path) in str(caught.value)
        assert "gametree tables build" in str(caught.value)
        return str(caught.value)

    assert "is empty" in trouble(b"")
    assert "no file of tables" in trouble(b"x" * 500)
    assert "another version" in trouble(b"gametree table 2" + good[16:])
    assert "damaged in its header" in trouble(good[:40] + b"?" + good[41:])
    assert "damaged in block 1" in trouble(good[:-9] + b"?" + good[-8:])
    for length in (17, 30, len(good) // 2, len(good) - 1):
        assert "cut short" in trouble(good[:length])


def test_files_hold_many_blocks_and_several_classes(tmp_path):
    rng = np.random.default_rng(1)
    tables = {3: rng.integers(-128, 128, 10_000).astype(np.int8), 5: np.zeros(1, np.int8)}
    write_tables(tmp_path / "x.gtt", "some", tables, {3: "three", 5: "five"}, block=4096)
    found = TableFile(tmp_path / "x.gtt")
    assert (found.game, found.classes, found.size(3)) == ("some", [3, 5], 10_000)
    assert (found.load(3) == tables[3]).all()
    assert [found.byte(3, i) for i in (0, 4095, 4096, 9999)] == tables[3][[0, 4095, 4096, 9999]].tolist()


def test_small_tables_know_the_outcome_of_every_position(game, tables, tmp_path):
    """Where the mover must capture they are silent, and what the captures lead to is looked up."""
    path = tmp_path / "small" / "checkers.gtt"
    path.parent.mkdir()
    classes = [c for pieces in (2, 3) for c in classes_with(pieces)]
    size = write_small(tables, classes, path)
    assert size < sum(tables.path(c).stat().st_size for c in classes) / 4
    small = TableFolder(game, tmp_path / "none")
    small._shipped = TableFile(path)
    rng = random.Random(9)
    for _ in range(400):
        state = game.state_from_text(random_position(rng))
        whole, found = tables.probe(state), small.probe(state)
        assert found is not None
        assert found.outcome == whole.outcome


def test_the_tables_that_come_with_gametree_are_right(game, tables, tmp_path):
    shipped = TableFolder(game)
    assert shipped._shipped is not None
    assert sorted(shipped._shipped.classes) == sorted(c for pieces in (2, 3, 4) for c in classes_with(pieces))
    assert shipped._shipped.path.stat().st_size < 250_000
    for pieces in (2, 3):
        for c in classes_with(pieces):
            write_small(tables, [c], tmp_path / "one.gtt")
            assert (TableFile(tmp_path / "one.gtt").load(c) == shipped._shipped.load(c)).all()


def test_the_engine_asks_and_players_keep_what_is_won(game, tables):
    known = Solved(game, tables)
    state = game.state_from_text("B:WK14:BK1,K2")
    answer = known.answer(state)
    assert (answer.value, answer.details["mate"], answer.depth, answer.bound) == (100, 17, 33, "exact")
    # A capture leads to a solved class at once: with distances the engine sees the end that it cannot see itself.
    entry = game.state_from_text("B:W10,27:BK7,K1,K24")
    with_tables = Engine(game, table_mib=8, tables=known.tables).search(entry, depth=3)
    assert with_tables.details["mate"] is not None
    rng, narrowed = random.Random(3), 0
    while narrowed < 20:
        state = game.state_from_text(random_position(rng))
        if game.is_terminal(state):
            continue
        after = {action: -tables.probe(game.result(state, action)).outcome for action in game.actions(state)}
        best = {action for action, outcome in after.items() if outcome == max(after.values())}
        kept = known.good_moves(state)
        assert (set(after) if kept is None else set(kept)) == best
        narrowed += kept is not None


def test_the_engine_finds_the_same_plies_as_the_tables(game, tables):
    """With tables of two pieces only, three-piece endings are searched down to them; no win is seen too early."""
    from gametree.search.support.probing import DISTANCE, Tables

    two = {c: tables.load(c) for c in classes_with(2)}
    engine = Engine(game, table_mib=8, tables=Tables(game, two, kinds=dict.fromkeys(two, DISTANCE)))
    rng, seen = random.Random(12), 0
    while seen < 25:
        state = game.state_from_text(random_position(rng))
        found = tables.probe(state)
        if game.is_terminal(state) or not found.plies or found.plies > 7:
            continue
        engine.forget()
        result = engine.search(state, depth=12)
        plies = 2 * result.details["mate"] - 1 if result.details["mate"] > 0 else -2 * result.details["mate"]
        assert plies >= found.plies if found.outcome > 0 else plies <= 60
        assert np.sign(result.value) == found.outcome
        seen += 1
