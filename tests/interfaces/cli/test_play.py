"""`gametree play`: what one can type, and a game that is never lost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gametree.interfaces.cli import run

Typed = str | Callable[[], str] | type[BaseException]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder of games; the tests run in an empty folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data" / "gametree" / "games"


@pytest.fixture
def table(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Any:
    """Sit down: `table(typed, *arguments)` gives the exit code and what was printed."""

    def sit(typed: list[Typed], *arguments: str) -> tuple[int, str]:
        left: Iterator[Typed] = iter(typed)

        def read(*_: object, **__: object) -> str:
            item = next(left, EOFError)
            if isinstance(item, str):
                return item
            answer = item()
            if isinstance(answer, BaseException):
                raise answer
            return answer

        monkeypatch.setattr("rich.console.Console.input", read)
        code = run(["play", *arguments])
        printed = capfd.readouterr()
        return code, printed.out + printed.err

    return sit


def plain(text: str) -> str:
    """The text without its line breaks, which depend on the width of the terminal."""
    return " ".join(text.split())


def only_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


SHUFFLER = """
class Player:
    def choose(self, game, state, seat):
        for text in ("Qh4#", "e5", "Nc6", "Nf6", "a6", "Ng8", "Nb8"):
            for action in game.actions(state):
                if game.action_text(state, action) == text:
                    return action
        return game.actions(state)[0]
"""


@pytest.fixture
def shuffler(folder: Path, tmp_path: Path) -> str:
    (tmp_path / "shuffler.py").write_text(SHUFFLER)
    return "shuffler.py"


def test_the_pgn_is_written_after_every_move(table, folder, shuffler):
    seen: list[str] = []

    def look() -> str:
        seen.append(only_file(folder).read_text())
        assert not [name for name in os.listdir(folder) if name.startswith(".")]  # nothing half-written
        return {1: "g4", 2: "unused"}[len(seen)]

    code, out = table(["f3", look], "chess", "--against", shuffler)
    assert code == 0
    assert '[Result "*"]' in seen[0]
    assert seen[0].rstrip().endswith("1. f3 e5 *")
    assert '[White "Human"]' in seen[0]
    assert f'[Black "{shuffler}"]' in seen[0]
    last = only_file(folder).read_text()
    assert last.rstrip().endswith("1. f3 e5 2. g4 Qh4# 0-1")
    assert "Player 2 wins." in out
    assert str(only_file(folder)) in out


@pytest.mark.parametrize("end", [KeyboardInterrupt, EOFError, "quit"])
def test_a_game_that_was_cut_off_goes_on(table, folder, shuffler, end):
    code, out = table(["e4", "Nf3", end], "chess", "--against", shuffler)
    assert code == (130 if end is KeyboardInterrupt else 0)
    assert "gametree play chess --resume" in out
    kept = only_file(folder)
    code, out = table(["moves", "Bc4"], "chess", "--resume")
    assert "You are player 1" in out
    assert code == 0
    assert only_file(folder) == kept
    assert "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 *" in kept.read_text()


def test_going_on_is_asked_at_the_terminal(table, folder, shuffler, monkeypatch):
    table(["e4"], "chess", "--against", shuffler)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    code, out = table(["n", "d4"], "chess")
    assert "was cut off after 2 moves" in out
    assert len(list(folder.iterdir())) == 2
    code, out = table(["y", "fen"], "chess")
    assert code == 0
    assert len(list(folder.iterdir())) == 2


def test_nothing_is_asked_or_kept_where_there_is_nothing(table, folder, monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    code, out = table(["quit"], "nim:1-2")
    assert (code, "cut off" in out, folder.exists()) == (0, False, False)
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert table([], "tictactoe", "--seat", "0", "--no-explain")[0] == 0
    assert not folder.exists()


def test_take_back_flip_fen_and_copies(table, folder, shuffler, tmp_path):
    code, out = table(
        ["undo", "e4", "Nf3", "undo", "fen", "flip", "save", "save copy.pgn", "save no/such/folder.pgn", "Bc4", "quit"],
        "chess", "--against", shuffler,
    )  # fmt: skip
    assert code == 0
    assert "There is no move to take back." in out
    assert "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2" in out
    assert "  h   g   f   e   d   c   b   a" in out
    assert "Expected save FILE" in out
    assert "cannot be written" in out
    assert (tmp_path / "copy.pgn").read_text().rstrip().endswith("1. e4 e5 *")
    assert "1. e4 e5 2. Bc4 Nc6 *" in only_file(folder).read_text()


def test_the_board_marks_the_last_move_and_can_do_without_unicode(table, shuffler):
    _, out = table(["e4"], "chess", "--against", shuffler)
    assert "[♟]" in out
    assert "[·]" in out
    _, out = table(["e4", "moves"], "chess", "--against", shuffler, "--ascii")
    board = out[: out.index("Your move")] if "Your move" in out else out
    assert "♟" not in out
    assert "8 r | n | b | q | k | b | n | r" in board
    assert "[p]" in out


def test_black_sees_the_board_from_behind(table, shuffler):
    _, out = table(["quit"], "chess", "--against", shuffler, "--seat", "2")
    assert out.index("1 ♖") < out.index("8 ♜")
    assert "h   g   f   e   d   c   b   a" in out


def test_moves_from_a_book_are_told_as_such(table):
    code, said = table(["e4", "why", "a3", "why", "quit"], "chess", "--against", "engine:depth=2,book=default")
    assert code == 0
    assert plain(said).count("I know that move from my book.") >= 2  # said once by itself, once when asked
    code, said = table(["a3", "h3", "a4", "quit"], "chess", "--against", "engine:depth=1,book=default")
    assert "I looked at" in said  # there the book ends
    code, said = table(["e4"], "chess", "--against", "engine:depth=2,book=none.bin")
    assert code == 2
    assert "character 21: 'none.bin' cannot be read" in plain(said)


def test_resigning_and_draws(table, folder, shuffler):
    code, out = table(["e4", "resign"], "chess", "--against", shuffler)
    assert (code, "Player 2 wins." in out) == (0, True)
    assert '[Result "0-1"]' in only_file(folder).read_text()
    assert "that was cut off" in table([], "chess", "--resume")[1]
    _, out = table(["draw", "quit"], "chess", "--against", "engine:elo=800", "--position",
                   "4k3/8/8/8/8/8/8/QQ2K3 b - - 0 1", "--seat", "2")  # fmt: skip
    assert "declines" in out
    _, out = table(["Kf7", "draw"], "chess", "--against", "engine:elo=1500", "--position",
                   "4k3/3q4/8/8/8/8/8/4K3 b - - 0 1", "--seat", "2")  # fmt: skip
    assert "accepts" in out
    assert "A draw." in out
    assert "no draws to agree on" in table(["draw", "quit"], "tictactoe3")[1]


def test_levels(table, folder):
    code, out = table(["e4", "level", "level grandmother", "level casual", "Nf3", "why", "hint", "quit"], "chess",
                      "--level", "beginner")  # fmt: skip
    assert code == 0
    assert "You play against engine:level=beginner." in out
    assert "There is no level 'grandmother'" in plain(out)
    assert "From now on you play against engine:level=casual." in out
    assert "I would play" in out
    assert '[Black "engine:level=casual"]' in only_file(folder).read_text()
    assert table(["quit"], "othello", "--level", "1000")[0] == 0
    assert table([], "chess", "--level", "club", "--against", "random")[0] == 2
    code, out = table([], "nim", "--level", "club")
    assert (code, "has no levels" in plain(out)) == (2, True)


@pytest.mark.parametrize(("game", "move"), [("connect4", "4"), ("go:size=5", "C3"), ("nim:3-4", "b2")])
def test_other_games_are_kept_as_json(table, folder, game, move):
    code, out = table([move], game, "--against", "random:seed=1")
    assert code == 0, out
    kept = json.loads(only_file(folder).read_text())
    assert kept["game"] == game
    assert kept["moves"][0] == move
    assert len(kept["moves"]) == 2
    assert kept["utilities"] is None
    code, out = table(["moves", "undo"], game, "--resume")
    assert code == 0, out
    assert json.loads(only_file(folder).read_text())["moves"] == []


def test_dice_fall_as_they_would_have(table, folder, monkeypatch):
    monkeypatch.setenv("GAMETREE_SALT", "tests")

    def moves() -> list[str]:
        return json.loads(only_file(folder).read_text())["moves"]

    table(["roll"] * 3, "pig", "--against", "random:seed=2", "--seed", "5", "--no-explain")
    whole = moves()
    assert len(whole) > 5
    only_file(folder).unlink()
    table(["roll"], "pig", "--against", "random:seed=2", "--seed", "5", "--no-explain")
    assert moves() == whole[: len(moves())]
    table(["roll"], "pig", "--resume", "--no-explain")
    assert moves() == whole[: len(moves())]
    assert len(moves()) > 3


def test_joint_moves_are_kept(table, folder):
    table(["A"], "goofspiel", "--against", "random:seed=1", "--seed", "1")
    before = only_file(folder).read_text()
    assert table(["quit"], "goofspiel", "--resume")[0] == 0
    assert only_file(folder).read_text() == before
    assert any(move.startswith("A-") for move in json.loads(before)["moves"])


def test_a_file_of_ones_own(table, folder, shuffler, tmp_path):
    table(["e4"], "chess", "--against", shuffler, "--save", "mine.pgn")
    assert not folder.exists()
    code, out = table(["Nf3"], "chess", "--save", "mine.pgn", "--resume")
    assert code == 0
    assert "--save mine.pgn --resume" in out
    assert "2. Nf3 Nc6 *" in (tmp_path / "mine.pgn").read_text()


@pytest.mark.parametrize(
    ("content", "game", "words"),
    [
        (None, "chess", "cannot be read"),
        ("", "chess", "holds no game"),
        ("1. e4 e5 2. Ke3 *", "chess", "'Ke3' is not a legal move at ply 3"),
        ('[White "Human"]\n[Black "random"]\n[Result "1-0"]\n\n1. e4 1-0', "chess", "is over"),
        ("{", "nim", "is not a saved game"),
        ('{"format": "other"}', "nim", "is not a saved game"),
        ('{"format": "gametree game 1", "moves": 3}', "nim", "is not a saved game"),
    ],
)
def test_files_that_cannot_go_on(table, tmp_path, content, game, words):
    if content is not None:
        (tmp_path / "file").write_text(content)
    code, out = table([], game, "--resume", "--save", "file")
    assert code == 2
    assert words in out


def test_what_does_not_go_together(table):
    for arguments, words in (
        (["chess", "--resume"], "no game of chess that was cut off"),
        (["chess", "--resume", "--moves", "e4"], "leave --position and --moves out"),
        (["chess", "--level", "9000"], "expected 800 to"),
        (["chess", "--moves", "e5"], "not a legal move"),
    ):
        code, out = table([], *arguments)
        assert code == 2, arguments
        assert words in out


def test_the_question_shows_what_may_be_answered(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table(["e4", "quit"], "chess")
    asked: list[str] = []

    def answer(console: Any, prompt: str = "", **_: object) -> str:
        from rich.text import Text

        asked.append(Text.from_markup(prompt).plain)
        raise EOFError

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("rich.console.Console.input", answer)
    run(["play", "chess"])
    assert asked[0] == "Go on with it? [y/n] "
