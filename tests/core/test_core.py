"""The floor: specifications, the registry, fit, adapted objects, files, clocks, results."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
import types
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import gametree
from gametree import (
    CHANCE,
    Algorithm,
    BadInput,
    Clock,
    Facts,
    Game,
    GameError,
    OutOfTime,
    UnfitGame,
    UnknownName,
    load_game,
)
from gametree.core import registry
from gametree.core.dice import new_secret, roll_at, seed_for
from gametree.core.facts import check_fit
from gametree.core.files import read_text, write_atomically
from gametree.core.folders import cache_folder, data_folder
from gametree.core.specification import Specification, build, parse_specification

# Names with parameters --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name", "parameters", "positional"),
    [
        ("go", "go", {}, None),
        ("go:size=9", "go", {"size": "9"}, None),
        ("tree:branching=3, depth=4,seed=7", "tree", {"branching": "3", "depth": "4", "seed": "7"}, None),
        ("nim:1-5-4-2", "nim", {}, "1-5-4-2"),
        ("tree:(a=1 (2, 3))", "tree", {}, "(a=1 (2, 3))"),
        ("games/my_game.py:size=5", "games/my_game.py", {"size": "5"}, None),
        ("my.game.py", "my.game.py", {}, None),
        ("C:\\games\\own.py", "C:\\games\\own.py", {}, None),
    ],
)
def test_specification(text: str, name: str, parameters: dict[str, str], positional: str | None) -> None:
    assert parse_specification(text) == Specification(name, parameters, positional)


@pytest.mark.parametrize("text", ["", ":", ":size=9", "go:", "go:  "])
def test_specification_without_a_name_or_an_end(text: str) -> None:
    with pytest.raises(BadInput, match="expected NAME"):
        parse_specification(text)


def test_build_converts_by_annotation() -> None:
    def make(size: int = 3, komi: float = 0.5, swap: bool = False, label: str = "x") -> tuple[object, ...]:
        return size, komi, swap, label

    given = Specification("go", {"size": "9", "komi": "7.5", "swap": "yes", "label": "9"})
    assert build(make, given) == (9, 7.5, True, "9")
    assert build(make, Specification("go", positional="4")) == (4, 0.5, False, "x")
    with pytest.raises(BadInput, match="go:size=big: expected a value of type int, got 'big'"):
        build(make, Specification("go", {"size": "big"}))
    with pytest.raises(UnknownName, match=r"no parameter 'sise'\. Did you mean 'size'"):
        build(make, Specification("go", {"sise": "9"}))

    def needs(size: int) -> int:
        return size

    with pytest.raises(BadInput, match="needs the parameter 'size'"):
        build(needs, Specification("go"))
    with pytest.raises(BadInput, match="takes no parameters"):
        build(lambda: None, Specification("go", positional="9"))


# The registry -----------------------------------------------------------------------------------------------------


def test_listing_imports_no_game_and_no_algorithm() -> None:
    code = (
        "import sys, gametree\n"
        "from gametree.core.registry import summaries\n"
        "assert len(gametree.game_names()) > 5 and len(gametree.algorithm_names()) > 20\n"
        "assert all(summaries('games').values()) and all(summaries('search').values())\n"
        "loaded = [m for m in sys.modules if m.startswith(('gametree.games.', 'gametree.search.'))]\n"
        "assert not loaded, loaded\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_algorithm_is_named_after_its_file_and_says_its_source() -> None:
    for name in gametree.algorithm_names():
        algorithm, search = gametree.load_algorithm(name)
        assert algorithm.name == name
        assert algorithm.source
        assert search.__name__ == "search"


def test_unknown_names_are_answered_with_a_guess() -> None:
    with pytest.raises(UnknownName, match=r"no game called 'tictacto'\. Did you mean 'tictactoe'"):
        gametree.load_game("tictacto")
    with pytest.raises(UnknownName, match=r"no algorithm called 'minmax'\. Did you mean 'minimax'"):
        gametree.load_algorithm("minmax")


def test_outside_packages_register_through_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    outside = types.ModuleType("outside_game")
    outside.game = lambda size=1: gametree.load_game("tictactoe")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "outside_game", outside)
    points = {"gametree.games": [EntryPoint("outside", "outside_game", "gametree.games")]}
    monkeypatch.setattr(registry, "entry_points", lambda group: points.get(group, []))
    assert "outside" in gametree.game_names()
    assert registry.summaries("games")["outside"] == "from outside_game"
    assert gametree.load_game("outside:size=3").name == "outside:size=3"
    points["gametree.games"] = [EntryPoint("outside", "outside_game:game", "gametree.games")]
    with pytest.raises(GameError, match="must name a module"):
        gametree.load_game("outside")


def test_a_file_may_hold_a_class_a_function_or_an_object(tmp_path: Path) -> None:
    body = "from gametree.games.tictactoe import TicTacToe\n"
    for name, last in (("a", "game = TicTacToe"), ("b", "def game(): return TicTacToe()"), ("c", "game = TicTacToe()")):
        (tmp_path / f"{name}.py").write_text(body + last + "\n")
        game = gametree.load_game(str(tmp_path / f"{name}.py"))
        assert game.facts.most_moves == 9
    with pytest.raises(BadInput, match="takes no parameters"):
        gametree.load_game(f"{tmp_path / 'c.py'}:size=3")


# Any object can be a game -----------------------------------------------------------------------------------------


class Coin:
    """Not a Game, but it has the verbs."""

    facts = Facts(most_moves=2, longest_game=1)

    def initial(self) -> str:
        return "start"

    def player(self, state: str) -> int:
        return 0

    def actions(self, state: str) -> list[str]:
        return ["heads", "tails"] if state == "start" else []

    def result(self, state: str, action: str) -> str:
        return action

    def is_terminal(self, state: str) -> bool:
        return state != "start"

    def utility(self, state: str, player: int) -> int:
        return (1 if state == "tails" else -1) * (1 if player == 0 else -1)


def test_any_object_with_the_verbs_is_a_game() -> None:
    game = gametree.as_game(Coin())
    assert gametree.analyse(game).move == "tails"
    assert gametree.as_game(game) is game
    assert not game.offers("evaluate")
    assert game.successors("start") == [("heads", "heads"), ("tails", "tails")]


def test_an_object_without_a_verb_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Coin, "result")
    with pytest.raises(GameError, match=r"Coin is not a game: it does not define result\(\)"):
        gametree.as_game(Coin())
    with pytest.raises(GameError, match="no attribute facts"):
        gametree.as_game(object())


def test_facts_refuse_nonsense() -> None:
    with pytest.raises(ValueError, match="players=0"):
        Facts(players=0)
    with pytest.raises(ValueError, match="min_utility"):
        Facts(min_utility=1, max_utility=1)


@pytest.mark.parametrize(
    ("facts", "fact"),
    [
        (Facts(players=3), "players"),
        (Facts(chance=True), "chance"),
        (Facts(hidden=True), "hidden"),
        (Facts(simultaneous=True), "simultaneous"),
        (Facts(utility_sum=None), "utility_sum"),
    ],
)
def test_an_unfit_game_is_refused_by_its_fact(facts: Facts, fact: str) -> None:
    game: Game[int, int] = Game()
    game.facts, game.name = facts, "poker"
    with pytest.raises(UnfitGame, match=f"plain cannot search poker: its fact {fact} is"):
        check_fit(Algorithm(name="plain", title="", source=""), game)
    check_fit(
        Algorithm(
            name="any", title="", source="", sides=None, chance=True, hidden=True, simultaneous=True, general_sum=True
        ),
        game,
    )


def test_a_needed_verb_is_refused_by_its_name() -> None:
    game: Game[int, int] = Game()
    with pytest.raises(UnfitGame, match=r"does not define evaluate\(\)"):
        check_fit(Algorithm(name="plain", title="", source="", needs=("evaluate",)), game)


def test_depth_without_an_evaluation_is_refused() -> None:
    with pytest.raises(UnfitGame, match=r"cannot stop at depth 1 in Coin: the game does not define evaluate\(\)"):
        gametree.analyse(gametree.as_game(Coin()), depth=1)


# Files, clocks, results -------------------------------------------------------------------------------------------


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    write_atomically(target, "one")
    write_atomically(target, b"two")
    assert read_text(target) == "two"
    assert os.listdir(tmp_path) == ["out.txt"]
    assert target.stat().st_mode & 0o600 == 0o600
    with pytest.raises(BadInput, match="exists already"):
        write_atomically(target, "three", overwrite=False)
    with pytest.raises(BadInput, match="cannot be written: "):
        write_atomically(tmp_path / "missing" / "out.txt", "x")
    with pytest.raises(BadInput, match="cannot be read"):
        read_text(tmp_path)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="UTF-8"):
        read_text(tmp_path / "bytes")


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out.txt"
    write_atomically(target, "old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadInput, match="No space left on device"):
        write_atomically(target, "new")
    assert os.listdir(tmp_path) == ["out.txt"]
    assert target.read_text() == "old"


def test_clock() -> None:
    with pytest.raises(BadInput, match="more than 0"):
        Clock(0)
    with pytest.raises(BadInput, match="more than 0"):
        Clock(math.nan)
    with pytest.raises(BadInput, match="at least 1"):
        Clock(nodes=0)
    clock = Clock(1000, nodes=5)
    assert not clock.expired(4)
    assert clock.expired(5)
    with pytest.raises(OutOfTime, match="5 nodes"):
        clock.check(5)
    endless = Clock()
    assert not endless.expired(10**12)
    endless.stop()
    assert endless.expired()


def test_a_search_obeys_its_clock() -> None:
    with pytest.raises(OutOfTime):
        gametree.analyse(gametree.load_game("tictactoe"), algorithm="minimax", clock=Clock(nodes=1000))


def test_the_result_speaks_for_the_seat_to_move() -> None:
    game = gametree.load_game("tictactoe")
    state = game.state_from_text("XX./OO./X..")  # O to move and wins
    result = gametree.analyse(game, state)
    assert (result.player, result.value) == (1, 1)
    assert result.to_data(game)["move"] == "c2"
    over = gametree.analyse(game, game.state_from_text("XXX/OO./..."))
    assert (over.move, over.value, over.pv) == (None, 1, ())


def test_a_value_that_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Coin, "utility", lambda self, state, player: math.nan)
    with pytest.raises(GameError, match="nan from utility"):
        gametree.analyse(gametree.as_game(Coin()))


def test_sides_are_teams_or_seats() -> None:
    bridge = Facts(players=4, teams=((0, 2), (1, 3)))
    assert bridge.sides == ((0, 2), (1, 3))
    assert [bridge.side_of(seat) for seat in range(4)] == [0, 1, 0, 1]
    assert Facts(players=3).sides == ((0,), (1,), (2,))
    game: Game[int, int] = Game()
    game.facts, game.name = bridge, "bridge"
    check_fit(Algorithm(name="plain", title="", source=""), game)  # two sides are as good as two players
    game.facts = Facts(players=4, teams=((0,), (1, 3), (2,)))
    with pytest.raises(UnfitGame, match=r"its fact teams is \(\(0,\), \(1, 3\), \(2,\)\), but plain needs 2 sides"):
        check_fit(Algorithm(name="plain", title="", source=""), game)


@pytest.mark.parametrize(
    ("facts", "match"),
    [
        ({"players": 21}, "players=21 must be 1 to 20"),
        ({"players": 0}, "players=0 must be 1 to 20"),
        ({"teams": ((0,),)}, "must hold each of the seats 0 to 1 once"),
        ({"teams": ((0, 1), (1,))}, "must hold each of the seats 0 to 1 once"),
        ({"unlisted": True}, "needs chance=True"),
    ],
)
def test_impossible_facts_are_refused(facts: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        Facts(**facts)


def test_compiled_searches_and_lists_of_outcomes_are_asked_for() -> None:
    game: Game[int, int] = Game()
    game.facts, game.name = Facts(chance=True, unlisted=True), "cards"
    fast = Algorithm(name="fast", title="", source="", compiled=True, readable="slow")
    with pytest.raises(UnfitGame, match=r"its fact compiled is False, but fast needs rules .*; slow can"):
        check_fit(fast, game)
    with pytest.raises(UnfitGame, match="its fact unlisted is True, but listing needs chance whose outcomes can be"):
        check_fit(Algorithm(name="listing", title="", source="", chance=True), game)


def test_one_dice_for_all() -> None:
    game = load_game("pig")
    state = next(s for _, s in game.successors(game.initial()) if game.player(s) == CHANCE)
    secret = new_secret(7)
    throws = [roll_at(game, state, secret, number) for number in range(300)]
    assert throws == [roll_at(game, state, secret, number) for number in range(300)]
    assert set(throws) == set(game.actions(state))
    assert throws != [roll_at(game, state, new_secret(8), number) for number in range(300)]
    assert new_secret(7) != new_secret(7, b"salt")
    assert new_secret() != new_secret()
    assert seed_for(secret, "seat", 0) != seed_for(secret, "seat", 1)


def test_a_users_files_have_one_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA", "GAMETREE_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert (data_folder(), cache_folder()) == (tmp_path / ".local/share/gametree", tmp_path / ".cache/gametree")
    monkeypatch.setenv("XDG_DATA_HOME", "~/data")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert (data_folder(), cache_folder()) == (tmp_path / "data/gametree", tmp_path / "cache/gametree")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == tmp_path / "Library/Caches/gametree"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    monkeypatch.delenv("XDG_DATA_HOME")
    assert data_folder() == cache_folder() == tmp_path / "local/gametree"
    monkeypatch.setenv("GAMETREE_CACHE_DIR", "~/elsewhere")
    assert cache_folder() == tmp_path / "elsewhere"


def test_folders_are_asked_for_in_one_module() -> None:
    root = Path(gametree.__file__).parent
    asking = {
        str(file.relative_to(root))
        for file in root.rglob("*.py")
        if re.search(r"XDG_|LOCALAPPDATA|environ.*CACHE_DIR", file.read_text(encoding="utf-8"))
    }
    assert asking == {"core/folders.py"}
