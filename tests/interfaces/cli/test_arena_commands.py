"""match, tournament, ratings, export and report as a user meets them."""

from __future__ import annotations

import json
import re
import sqlite3
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from gametree import load_game
from gametree.interfaces.arena_view import elo_text, follow
from gametree.play.events import Event, Finished


def test_a_match(gametree):
    code, out, _ = gametree(
        "match", "alphabeta:depth=9", "random", "-g", "tictactoe", "-n", "20", "--random-plies", "0"
    )
    assert code == 0
    assert "alphabeta:depth=9 − random: +" in out
    assert "Likelihood of superiority" in out
    assert "Pairs with 0, ½, 1, 1½, 2 points: 0, 0, " in out
    code, out, _ = gametree(
        "match", "alphabeta:depth=9", "random", "-g", "tictactoe", "-n", "20", "--random-plies", "0", "--json"
    )
    data = json.loads(out)
    assert data["games"] == 20
    assert data["standings"][0]["player"] == "alphabeta:depth=9"
    assert data["standings"][0]["losses"] == 0
    assert data["pairings"][0]["elo_low"] > 100
    assert data["reasons"] == {"end": 20}


def test_a_sequential_test(gametree):
    arguments = ("match", "alphabeta:depth=9", "random", "-g", "tictactoe", "-n", "1000", "--sprt", "0,100")
    code, out, _ = gametree(*arguments)
    assert code == 0
    assert "Test of 0 against 100 Elo: 100 Elo accepted" in out
    data = json.loads(gametree(*arguments, "--json")[1])
    assert data["sprt"]["accepted"] == "H1"
    assert data["games"] < 400


def test_clocks_openings_and_adjudication_reach_the_games(gametree, tmp_path):
    (tmp_path / "openings.txt").write_text("a1 b2\nc3 b2 a1\n")
    code, out, _ = gametree("match", "mcts", "random", "-g", "tictactoe", "-n", "4", "--openings", "openings.txt",
                            "--clock", "nodes=30", "--max-plies", "6", "--json")  # fmt: skip
    assert code == 0
    assert sum(json.loads(out)["reasons"].values()) == 4
    code, out, _ = gametree("export", "arena.db", "-f", "jsonl")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["opening"] for line in lines] == ["a1 b2", "a1 b2", "c3 b2 a1", "c3 b2 a1"]
    assert all(len(line["opening"].split()) + len(line["moves"]) <= 6 for line in lines)


def test_a_tournament_in_two_games_then_ratings_exports_and_the_report(gametree, tmp_path):
    code, out, _ = gametree("tournament", "random", "alphabeta:depth=2", "mcts:sims=20", "-g", "tictactoe", "-g", "nim",
                            "-n", "4", "--report", "report.html")  # fmt: skip
    assert code == 0
    assert "tictactoe: 12 games" in out
    assert "nim: 12 games" in out
    assert "All games together:" in out

    code, out, _ = gametree("ratings", "arena.db", "--anchor", "random=1000", "--json", "--csv", "list.csv")
    data = json.loads(out.partition("\n")[2])
    anchored = next(row for row in data["ratings"] if row["player"] == "random")
    assert (anchored["elo"], anchored["error"]) == (1000, 0)
    assert all(row["games"] == 16 for row in data["ratings"])
    assert (tmp_path / "list.csv").read_text().startswith("player,elo,error,games,score,draw_rate,superiority\n")
    assert "stronger than" in gametree("ratings", "arena.db", "-g", "nim")[1]

    code, out, _ = gametree("export", "arena.db", "-f", "pgn", "-g", "tictactoe", "-o", "games.pgn")
    assert code == 0
    assert (tmp_path / "games.pgn").read_text().count("[Event ") == 12
    assert gametree("report", "arena.db", "-o", "again.html")[0] == 0
    _check_report(tmp_path / "report.html", 24)
    _check_report(tmp_path / "again.html", 24)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.data = ""
        self.outside: list[str] = []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag not in ("meta", "br"):
            self.open.append(attributes.get("id") or tag)
        self.outside += [value for key, value in attrs if key in ("src", "href")]

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "data":
            self.data += data


def _check_report(path: Path, games: int) -> None:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    assert page.open == []
    assert page.outside == []  # one file that needs nothing else
    data = json.loads(page.data)
    assert len(data["games"]) == games
    for game in data["games"]:
        assert len(game["frames"]) == len(game["moves"]) + 1 == len(game["marks"]) + 1 == len(game["said"]) + 1
        assert 0 <= game["look"] < len(data["looks"])
        assert _last_frame(game) == _last_drawing(game)


def _last_frame(game: dict[str, Any]) -> Any:
    """The end of a game, put together from what has changed move by move."""
    pieces: dict[int, Any] = {}
    for frame in game["frames"]:
        if isinstance(frame, str):
            return game["frames"][-1]
        pieces |= {int(place): piece for place, piece in frame.items()}
    return {place: piece for place, piece in pieces.items() if piece}


def _last_drawing(game: dict[str, Any]) -> Any:
    rules = load_game(game["title"].partition(" ")[0])
    state = rules.initial()
    for move in game["moves"]:
        state = rules.result(state, rules.action_from_text(state, move))
    drawing = rules.draw(state)
    if not drawing.rows:
        return "\n".join(filter(None, (drawing.text, drawing.caption)))
    return {piece.row * drawing.columns + piece.column: [piece.text, piece.player] for piece in drawing.pieces}


def test_a_report_escapes_what_players_are_called(gametree, tmp_path):
    (tmp_path / "x.py").write_text(
        "class Player:\n    def choose(self, game, state, seat):\n        raise ValueError('</script><b>')\n"
    )
    code, _, _ = gametree("match", "random", "x.py", "-g", "tictactoe", "-n", "2", "--report", "r.html")
    assert code == 0
    _check_report(tmp_path / "r.html", 2)
    assert "<b>" not in (tmp_path / "r.html").read_text()


def test_swiss_gauntlet_and_three_players(gametree):
    names = [f"random:seed={number}" for number in range(5)]
    code, out, _ = gametree("tournament", *names, "-g", "tictactoe", "-f", "swiss", "-n", "2", "--json")
    assert code == 0
    assert json.loads(out)["events"][0]["games"] == 12  # 3 rounds of 2 pairings
    code, out, _ = gametree("tournament", *names, "-g", "tictactoe", "-f", "gauntlet", "-n", "2", "--json")
    assert json.loads(out)["events"][0]["games"] == 8
    code, out, _ = gametree("tournament", *names[:4], "-g", "tictactoe3", "-n", "3", "--json")
    event = json.loads(out)["events"][0]
    assert event["games"] == 12  # 4 ways to choose three players
    assert all(row["games"] == 9 for row in event["standings"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("match", "random", "-g", "tictactoe"), "needs two players"),
        (("match", "random", "random", "-g", "tictactoe"), "named twice"),
        (("match", "random", "rendom", "-g", "tictactoe"), "character 1: There is no player called 'rendom'"),
        (("match", "random", "uci:no-such-program", "-g", "tictactoe"), "There is no program 'no-such-program'"),
        (("match", "random", "alphabeta:dept=3", "-g", "tictactoe"), "character 11: "),
        (("match", "random", "best", "-g", "nogame"), "There is no game called 'nogame'"),
        (("match", "random", "best", "-g", "tictactoe", "--clock", "soon"), "is not a time control"),
        (("match", "random", "best", "-g", "tictactoe", "--sprt", "5"), "is not a test"),
        (("match", "random", "best", "-g", "tictactoe", "--openings", "none.txt"), "cannot be read"),
        (("match", "random", "best", "-g", "tictactoe", "--openings", "o", "--random-plies", "1"), "exclude"),
        (("match", "random", "best", "-g", "tictactoe", "--games", "0"), "too few"),
        (("match", "random", "best", "-g", "tictactoe", "--margin", "-1"), "--margin"),
        (("match", "random", "best", "-g", "tictactoe", "--random-plies", "-1"), "--random-plies"),
        (("match", "random", "best", "-g", "tictactoe", "-j", "0"), "concurrency of 0"),
        (("match", "random", "human", "-g", "tictactoe", "-j", "2"), "A person plays one game"),
        (("match", "random", "best", "-g", "tictactoe", "-b", "no/such/folder.db"), "cannot be used"),
        (("match", "random", "alphabeta", "-g", "pig"), "alphabeta cannot search pig"),
        (("match", "random", "best", "-g", "tictactoe3", "--sprt", "0,10", "-n", "3"), "two sides"),
        (("tournament", "random", "best", "-g", "tictactoe", "-f", "cup"), "no tournament called 'cup'"),
        (("tournament", "random", "human", "-g", "tictactoe"), "A person cannot"),
        (("tournament", "random", "best", "-g", "tictactoe", "--rounds", "-1"), "--rounds"),
        (("ratings", "none.db"), "There is no file 'none.db'"),
        (("ratings", "kept.db", "--anchor", "random"), "is not PLAYER=ELO"),
        (("ratings", "kept.db", "--anchor", "rendom=3"), "Did you mean 'random'"),
        (("ratings", "kept.db", "-g", "nim"), "There are no games of 'nim'"),
        (("export", "kept.db", "-f", "xml"), "There is no format 'xml'"),
        (("export", "kept.db", "-f", "sgf"), "SGF has no words for tictactoe"),
    ],
)
def test_every_mistake_is_one_sentence_and_leaves_the_database_intact(gametree, arguments, words):
    assert gametree("match", "random", "random:seed=2", "-g", "tictactoe", "-n", "2", "-b", "kept.db")[0] == 0
    code, _, err = gametree(
        *arguments, *(["-b", "kept.db"] if arguments[0] in ("match", "tournament") and "-b" not in arguments else [])
    )
    assert code == 2
    assert words in err
    assert err.count("\n") == 1
    assert "Traceback" not in err
    base = sqlite3.connect("kept.db")
    assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    base.close()


def test_a_person_may_play_a_match(gametree, monkeypatch):
    answers = iter(["a9\n", "a1\n", "resign\n"])
    monkeypatch.setattr("sys.stdin", type("Typed", (), {"readline": lambda self: next(answers)})())
    code, out, err = gametree("match", "human", "random", "-g", "tictactoe", "-n", "1", "--random-plies", "0", "--json")
    assert code == 0
    assert "'a9' is not a legal move" in err
    assert json.loads(out)["reasons"] == {"resigned": 1}


def test_the_live_table_tells_pace_and_time_left():
    event = Event("match", "tictactoe", ("A", "B"), 100)
    results = {n: Finished(n, n // 2, ("A", "B"), (1.0, -1.0), "end", 5, 0.1) for n in range(20)}
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(follow(event, results, 100, 10, 5.0))
    text = console.export_text()
    console.file.close()
    assert "game 20 of 100, 120 games a minute, 0:00:40 left" in text
    assert re.search(r"│ A +│ +20 │ +20 │", text)
    assert text.splitlines()[1].strip(" ━╸╺") == ""  # the bar has a line of its own
    assert text.splitlines()[2].startswith("┏")


def test_elo_as_text():
    assert elo_text(12.4, -3.2, 28.0) == "+12 [-3, +28]"
    assert elo_text(-0.0, -0.4, 0.4) == "+0 [+0, +0]"
    assert elo_text(None, 200.0, None) == "+∞ [+200, +∞]"
    assert elo_text(None, None, -200.0) == "-∞ [-∞, -200]"


def test_what_a_ply_is_worth(gametree, tmp_path):
    arguments = ("experiment", "depth-elo", "tictactoe", "--depths", "1,2,4", "-n", "20")
    code, out, _ = gametree(*arguments, "--plot", "plot.svg")
    assert code == 0
    assert "1 → 2" in out
    assert "2 → 4" in out
    assert "Elo a ply on average" in out
    assert (tmp_path / "plot.svg").read_text().startswith("<?xml")
    data = json.loads(gametree(*arguments, "--json")[1])
    assert [row["depth"] for row in data["ratings"]] == [1, 2, 4]
    assert (data["ratings"][0]["elo"], data["ratings"][0]["error"]) == (0, 0)
    assert all(step["games"] == 20 for step in data["steps"])
    assert data["elo_per_ply"] == data["ratings"][-1]["elo"] / 3
    assert data["ratings"][-1]["elo"] > 0
    for wrong, words in (("4", "will not do"), ("3..1", "will not do"), ("x", "is not a list"), ("0,1", "will not do")):
        code, _, err = gametree("experiment", "depth-elo", "tictactoe", "--depths", wrong)
        assert code == 2
        assert words in err
    assert "no parameter 'depth'" in gametree("experiment", "depth-elo", "tictactoe", "-a", "random", "-n", "2")[2]
