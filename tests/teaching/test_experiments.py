"""The experiments: their counts obey the theory, their files are whole, their mistakes are named."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree

import pytest

import gametree
from gametree.teaching.experiments import compare, ordering, plot_ordering


@pytest.fixture(scope="module")
def ordered() -> dict:
    return ordering(branchings=(2, 3), depths=(1, 2, 3, 4, 5), seeds=range(6))


def test_best_order_visits_the_least_number_of_leaves_and_worst_order_nearly_all(ordered):
    for row in ordered["rows"]:
        b, d = row["branching"], row["depth"]
        assert row["best"] == row["least"] == b ** -(-d // 2) + b ** (d // 2) - 1
        assert row["minimax"] == row["full"] == b**d
        # Worst first leaves no shallow cut-off; a few deep ones, below a node's last child, remain.
        assert row["worst"] >= 0.9 * b**d
        if d <= 3:
            assert row["worst"] == b**d
        assert row["best"] <= row["random"] <= row["worst"]
    assert [row["least"] for row in ordered["rows"] if row["branching"] == 3][2] == 11


def test_fitted_exponents_stand_where_theory_puts_them(ordered):
    for fit in ordered["fits"]:
        exponent = fit["exponent"]
        assert exponent["minimax"] == pytest.approx(1)
        assert exponent["worst"] == pytest.approx(1, abs=0.02)
        assert exponent["best"] == pytest.approx(0.5, abs=0.12)
        assert exponent["best"] < exponent["random"] < 0.95
        assert fit["factor"]["minimax"] == pytest.approx(1)


def test_a_fit_is_least_squares_on_the_logarithms():
    # Two depths: the line goes through both points, so the exponent is the slope between them.
    data = ordering(branchings=(4,), depths=(2, 4), seeds=(0,))
    # best order: 4 + 4 − 1 = 7 and 16 + 16 − 1 = 31 leaves of 16 and 256; log(31/7) / log(256/16) = 0.5367
    assert data["fits"][0]["exponent"]["best"] == pytest.approx(0.53672, abs=1e-5)


def test_one_depth_gives_no_exponent():
    data = ordering(branchings=(2,), depths=(3,), seeds=(0,))
    assert data["fits"][0]["exponent"]["random"] is None


def test_ordering_is_deterministic_and_json_ready(ordered):
    again = ordering(branchings=(2, 3), depths=(1, 2, 3, 4, 5), seeds=range(6))
    assert json.loads(json.dumps(again, allow_nan=False)) == json.loads(json.dumps(ordered))


def test_progress_rises_to_its_total():
    steps: list[tuple[int, int]] = []
    ordering(branchings=(2,), depths=(1, 2), seeds=(0, 1), progress=lambda done, total: steps.append((done, total)))
    assert steps == [(2, 12), (4, 12), (8, 12), (12, 12)]
    steps.clear()
    compare(
        trees=["tree:((1 2) (3 4))"] * 2,
        algorithms=["minimax", "alphabeta"],
        progress=lambda done, total: steps.append((done, total)),
    )
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"branchings": ()}, "no branching"),
        ({"branchings": (1,)}, "branching of 1 is too small"),
        ({"depths": (0,)}, "depth of 0 is too small"),
        ({"seeds": ()}, "no seeds"),
        ({"branchings": (100,), "depths": (9,)}, "too many to build"),
    ],
)
def test_impossible_experiments_are_refused(options, complaint):
    with pytest.raises(gametree.BadInput, match=complaint):
        ordering(**options)


def test_the_plot_is_a_whole_file_and_the_same_each_time(ordered, tmp_path):
    plot_ordering(ordered, tmp_path / "a.svg")
    plot_ordering(ordered, tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    exponent = ordered["fits"][0]["exponent"]["worst"]
    words = {element.text for element in ElementTree.parse(tmp_path / "a.svg").iter() if element.text}
    assert {"b = 2", "b = 3", "b^d", "b^(3d/4)", "b^(d/2)", f"worst order, exponent {exponent:.2f}"} <= words
    plot_ordering(ordered, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.png", "a.svg", "b.svg"]


def test_a_plot_that_cannot_be_written_leaves_nothing(ordered, tmp_path):
    with pytest.raises(gametree.BadInput, match=r"does not end in \.png"):
        plot_ordering(ordered, tmp_path / "plot.txt")
    with pytest.raises(gametree.BadInput, match="cannot be written"):
        plot_ordering(ordered, tmp_path / "missing" / "plot.svg")
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_the_plot_says_what_to_install(ordered, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(gametree.BadInput, match=r"needs Matplotlib.*gametree\[plots\]"):
        plot_ordering(ordered, tmp_path / "plot.svg")
    assert list(tmp_path.iterdir()) == []


def test_compare_runs_every_exact_algorithm_that_fits():
    data = compare(trees=["tree:branching=3,depth=3,seed=1", "tree:branching=2,depth=4,seed=2"])
    names = {row["algorithm"] for row in data["rows"]}
    expected = set()
    trees = [gametree.load_game(tree) for tree in data["trees"]]
    for name in gametree.algorithm_names():
        facts, search = gametree.load_algorithm(name)
        try:
            values = [search(tree).value for tree in trees]
        except gametree.UnfitGame:
            continue
        if facts.exact:
            expected.add(name)
            assert len(values) == 2
    assert names == expected
    assert {"minimax", "alphabeta"} <= names
    for row in data["rows"]:
        assert row["right"] == row["trees"] == 2, row["algorithm"]
        assert row["exact"]
        assert row["seconds"] >= 0
    by_name = {row["algorithm"]: row for row in data["rows"]}
    assert by_name["minimax"]["leaves"] == 27 + 16
    assert by_name["alphabeta"]["leaves"] < 27 + 16
    assert [row["nodes"] for row in data["rows"]] == sorted(row["nodes"] for row in data["rows"])
    json.dumps(data, allow_nan=False)


def test_compare_counts_are_the_same_each_time():
    once, twice = (compare(trees=["tree:branching=3,depth=4,seed=5"]) for _ in range(2))
    for data in (once, twice):
        for row in data["rows"]:
            del row["seconds"]
    assert once == twice


def test_compare_counts_a_wrong_value_as_wrong(monkeypatch):
    # Alpha-beta with a window above the value only finds a bound, which must not count as right.
    facts, search = gametree.load_algorithm("alphabeta")
    monkeypatch.setattr(
        "gametree.play.analysis.load_algorithm",
        lambda name: (
            (facts, lambda game, state=None, **options: search(game, state, window=(50, 60), **options))
            if name == "alphabeta"
            else gametree.load_algorithm(name)
        ),
    )
    (row,) = compare(trees=["tree:((3 12 8) (2 4 6) (14 5 2))"], algorithms=["alphabeta"])["rows"]
    assert row["right"] == 0


def test_compare_refuses_what_it_cannot_do():
    with pytest.raises(gametree.BadInput, match="no trees"):
        compare(trees=[])
    with pytest.raises(gametree.BadInput, match="no algorithms"):
        compare(algorithms=[])
    with pytest.raises(gametree.UnknownName, match="Did you mean 'alphabeta'"):
        compare(algorithms=["alphabet"])
    with pytest.raises(gametree.UnfitGame, match="alphabeta"):
        compare(trees=["tree:[0.5:1 0.5:2]"], algorithms=["alphabeta"])
