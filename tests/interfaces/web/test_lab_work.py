"""What the tree lab's worker tasks answer."""

from __future__ import annotations

import json
import math

import pytest

from gametree.core.errors import BadInput, UnknownName
from gametree.core.record import LEAF, TreeRecord
from gametree.core.registry import load_game
from gametree.interfaces.web import lab_branches, lab_work
from gametree.interfaces.web.lab_branches import Branches
from gametree.interfaces.web.worker import Job
from gametree.play.analysis import analyse
from gametree.teaching.examples import examples
from gametree.teaching.steps import Stepper, Words

TEXTBOOK = {"kind": "tree", "text": "((3 12 8) (2 4 6) (14 5 2))"}
RANDOM = {"kind": "random", "branching": 3, "depth": 4, "seed": 3, "values": "-9..9", "ordering": "random"}


def job() -> Job:
    return Job(1, 20.0, lambda message: None)


# Step by step ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "algorithm", ["alphabeta", "mtdf", "sss", "deepening", "scout", "minimax-labelling", "forward"]
)
def test_the_changes_of_all_steps_add_up_to_the_pictures(algorithm: str) -> None:
    _, record, _ = lab_work._record(job(), RANDOM, algorithm, None)
    words, stepper = Words(record), Stepper(record)
    looks = [("hidden", "", "", 0, "")] * len(record)
    for step, change in enumerate(lab_work._steps(record, words)):
        for row, *look in change["rows"]:
            looks[row] = tuple(look)
        stepper.goto(step)
        picture = stepper.picture()
        assert looks == [lab_work._look(record, picture, words, row) for row in range(len(record))], step
    assert step + 1 == len(stepper)


def test_the_textbook_tree() -> None:
    told = lab_work.search(job(), TEXTBOOK, "alphabeta", None)
    assert told["result"]["value"] == 3
    assert told["result"]["skipped_names"] == ["4", "6"]
    assert tuple(told["steps"][-1]["counts"]) == (11, 7, 1)
    assert told["tree"]["leaf"].count("") == 4
    json.dumps(told, allow_nan=False)


def test_every_example_can_be_stepped_through() -> None:
    for shown in examples():
        source = {"kind": "example", "name": shown.name}
        described = lab_work.describe(job(), source)
        assert described["example"]["algorithm"] == shown.algorithm
        assert shown.algorithm in [known["name"] for known in described["algorithms"]]
        told = lab_work.search(job(), source, shown.algorithm, shown.depth)
        root = told["result"]["value"] if told["result"]["player"] == 0 else -told["result"]["value"]
        assert root == pytest.approx(shown.value)
        json.dumps(told, allow_nan=False)


def test_every_algorithm_that_is_offered_for_a_tree_can_be_shown() -> None:
    offered = lab_work.describe(job(), TEXTBOOK)["algorithms"]
    names = [known["name"] for known in offered]
    assert "alphabeta" in names
    assert "engine" not in names, "a drawn tree is not compiled"
    for name in names:
        told = lab_work.search(job(), TEXTBOOK, name, None)
        assert told["steps"], name
        assert all(0 <= line < len(told["code"]) for step in told["steps"] for line in step["lines"])


def test_positions_of_games_are_searched_to_a_depth() -> None:
    source = {"kind": "game", "game": "tictactoe", "position": "XO./.../...", "moves": "b2"}
    described = lab_work.describe(job(), source)
    assert described["position"] == "XO./.X./..."
    told = lab_work.search(job(), source, "alphabeta", 2)
    assert told["tree"]["move"][0] == ""
    assert "a1" in told["tree"]["move"]
    assert told["result"]["skipped"] == sum(step[1] == "pruned" for step in _last_looks(told))


def _last_looks(told: dict) -> list[list]:
    looks: dict[int, list] = {}
    for step in told["steps"]:
        for row, *look in step["rows"]:
            looks[row] = [row, *look]
    return list(looks.values())


@pytest.mark.parametrize(
    ("source", "algorithm", "words"),
    [
        ({"kind": "tree", "text": "((3 12"}, "alphabeta", "ends too early"),
        (TEXTBOOK, "alphabta", "alphabeta"),
        (TEXTBOOK, "aspiration:guess=x", "guess"),
        (TEXTBOOK, "strong", "no tree"),
        ({"kind": "example", "name": "nothing"}, "alphabeta", "nothing"),
        ({"kind": "game", "game": "/etc/passwd.py"}, "alphabeta", "no game"),
        ({"kind": "game", "game": "tictactoe", "moves": "z9"}, "alphabeta", "z9"),
        ({**RANDOM, "branching": 9, "depth": 9}, "alphabeta", "too large"),
        ({"kind": "game", "game": "connect4"}, "minimax", "branch by branch"),
    ],
)
def test_mistakes_are_told_in_a_sentence(source: dict, algorithm: str, words: str) -> None:
    depth = 5 if source["kind"] == "game" and source["game"] == "connect4" else None
    with pytest.raises(BadInput, match=r"\.$") as caught:
        lab_work.search(job(), source, algorithm, depth)
    assert words.lower() in str(caught.value).lower()


def test_export() -> None:
    picture = lab_work.export(job(), TEXTBOOK, "alphabeta", None, "svg", 3)["text"]
    assert "Step 4 of 22" in picture
    whole = lab_work.export(job(), TEXTBOOK, "alphabeta", None, "svg", None)["text"]
    assert "Step" not in whole
    record = json.loads(lab_work.export(job(), TEXTBOOK, "alphabeta", None, "json", None)["text"])["record"]
    assert TreeRecord.from_data(record).value[0] == 3


# Branch by branch -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta", "negascout", "deepening", "table", "star2"])
def test_a_large_record_says_what_a_small_one_says(algorithm: str) -> None:
    game = load_game("tictactoe")
    state = game.state_from_text("XO./OX./...")
    record, branches = TreeRecord(game), Branches(game)
    analyse(game, state, algorithm=algorithm, record=record)
    analyse(game, state, algorithm=algorithm, record=branches)  # type: ignore[arg-type]
    branches.finish()
    visited = [row for row in range(len(record)) if record.order[row] >= 0]
    assert len(branches) == len(visited)
    assert branches.size[0] == len(visited)
    rows = {tuple(record.path(row)): row for row in visited}
    todo = [(0, ())]
    while todo:
        row, way = todo.pop()
        known = rows.pop(way)
        assert branches.visits[row] == record.visits[known]
        value = branches.value[row]
        assert (None if math.isnan(value) else value) == record.value[known]
        told = branches.branch(row, 0, 100, "order")
        unseen = [r for r in range(len(record)) if record.parent[r] == known and record.order[r] < 0]
        assert sorted(told["unseen"]) == sorted(record.move[r] for r in unseen)
        todo += [(child["row"], (*way, child["move"])) for child in told["children"]]
    assert not rows


def test_slices_sizes_and_orders() -> None:
    told = lab_branches.grow(job(), {"kind": "game", "game": "tictactoe"}, "alphabeta", None, 100_000)
    assert told["rows"] == told["root"]["size"]
    assert told["complete"]
    whole = lab_branches.open_branch(job(), 0, 0, 50, "order")
    assert whole["total"] == len(whole["children"]) == 9
    assert 1 + sum(child["size"] for child in whole["children"]) == told["rows"]
    parts = [lab_branches.open_branch(job(), 0, start, 4, "size")["children"] for start in (0, 4, 8)]
    assert [len(part) for part in parts] == [4, 4, 1]
    sizes = [child["size"] for part in parts for child in part]
    assert sizes == sorted(sizes, reverse=True)
    best = lab_branches.open_branch(job(), 0, 0, 9, "value")["children"][0]["value"]
    assert best in ("0", "≤0"), "the game is a draw, so nothing is better"
    with pytest.raises(BadInput, match="There is no node"):
        lab_branches.open_branch(job(), told["rows"], 0, 5, "order")
    with pytest.raises(BadInput, match="cannot be sorted"):
        lab_branches.open_branch(job(), 0, 0, 5, "name")


def test_a_full_record_stops_growing_but_not_the_search() -> None:
    source = {"kind": "game", "game": "tictactoe"}
    told = lab_branches.grow(job(), source, "alphabeta", None, 100_000, limit=500)
    assert told["truncated"]
    assert told["rows"] == 500
    assert told["nodes"] == 18_297, "what alpha-beta visits in tic-tac-toe"


def test_a_search_that_runs_out_of_nodes_shows_what_it_has() -> None:
    told = lab_branches.grow(job(), {"kind": "game", "game": "tictactoe"}, "minimax", None, 2_000)
    assert not told["complete"]
    assert told["root"]["reason"] == "unfinished"
    assert told["rows"] > 1_000


def test_monte_carlo_trees_can_be_opened() -> None:
    told = lab_branches.grow(job(), {"kind": "game", "game": "tictactoe"}, "mcts:simulations=300", None, 10_000)
    assert told["root"]["visits"] == 300
    visits = [child["visits"] for child in lab_branches.open_branch(job(), 0, 0, 9, "order")["children"]]
    assert sum(visits) == 300


def test_a_compiled_search_is_recorded() -> None:
    told = lab_branches.grow(job(), {"kind": "game", "game": "connect4"}, "engine", 5, 50_000)
    assert told["complete"]
    branch = lab_branches.open_branch(job(), 0, 0, 50, "order")
    assert 1 + sum(child["size"] for child in branch["children"]) == told["rows"]
    assert {child["player"] for child in branch["children"]} <= {1, LEAF}


def test_another_search_replaces_the_record_and_none_is_told() -> None:
    lab_branches._kept.clear()
    with pytest.raises(BadInput, match="search again"):
        lab_branches.open_branch(job(), 0, 0, 5, "order")
    with pytest.raises(UnknownName):
        lab_branches.grow(job(), {"kind": "game", "game": "nothing"}, "alphabeta", None, 100)


def test_two_positions_do_not_mix_in_one_record() -> None:
    game = load_game("tictactoe")
    branches = Branches(game)
    branches.enter(game.initial(), None)
    with pytest.raises(ValueError, match="another position"):
        branches.enter(game.state_from_text("X../.../..."), None)
