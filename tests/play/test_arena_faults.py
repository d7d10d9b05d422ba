"""Bad input: whatever is wrong with players, openings, the database or the disk is told in one sentence with exit code
2, and the database is as sound, and as full, as before.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gametree.play.store import VERSION

BROKEN = Path(__file__).with_name("broken_engine.py")
PROGRAM = f'uci:"{sys.executable} -I -S {BROKEN} uci none"'
OLD_PROGRAM = f'xboard:"{sys.executable} -I -S {BROKEN} xboard none"'
MATCH = ("match", "random", "random:seed=2", "-g", "tictactoe")

FILES = {
    "raises.py": "class Player:\n    def __init__(self):\n        raise ValueError('no luck')\n    choose = None\n",
    "unread.py": "def x(:\n",
    "nobody.py": "class Player:\n    pass\n",
    "own.py": "class Player:\n    def __init__(self, *, depth: int = 3): ...\n    def choose(self, *seen): 0\n",
    "plain.txt": "not a program\n",
    "moves.txt": "a1 b2\na1 a1\n",
    "over.txt": "# a win\n\na1 b1 a2 b2 a3\n",
    "place.txt": "position XX./.../O.. moves b3\n",
    "empty.txt": "",
    "comment.txt": "# nothing\n\n",
    "moves.pgn": '[Event "a"]\n\n1. e4 e5 *\n\n[Event "b"]\n\n1. e4 e5 2. Ke3 Nf6 *\n',
    "start.pgn": '[Event "a"]\n[FEN "8/8/8/8/8/8/8/KK5k w - - 0 1"]\n\n1. Ka2 *\n',
    "open.pgn": '[Event "a"]\n\n1. e4 {never closed\n',
    "mate.pgn": '[Event "a"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n',
    "place.epd": '4k3/8/8/8/8/8/8/4K2R w K - id "a";\n4k3/8/8/8/8/8/8/3RK3 w K - id "b";\n',
    "rest.epd": "4k3/8/8/8/8/8/8/4K2R w K - bm O-O\n",
}


def noise(size: int) -> bytes:
    return bytes((place * place * 31 + place * 7 + 200) % 251 for place in range(size))


def intact(path: str | Path) -> bool:
    base = sqlite3.connect(path)
    try:
        return base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        base.close()


def contents(path: str | Path) -> list[str]:
    base = sqlite3.connect(path)
    try:
        return list(base.iterdump())
    finally:
        base.close()


def sentence(err: str) -> str:
    """The one sentence that was said, besides that chess is compiled."""
    lines = [line for line in err.splitlines() if "compiling" not in line]
    assert len(lines) == 1, err
    assert lines[0].startswith("gametree: ")
    assert lines[0].endswith((".", "?"))
    return lines[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        # Players
        ("match rendom random -g tictactoe", "character 1: There is no player called 'rendom'. Did you mean 'random'?"),
        ("match random uci:no-such-program -g chess", "There is no program 'no-such-program'"),
        ("match random xboard:./plain.txt -g chess", "There is no program './plain.txt'"),
        ("match random gtp:/tmp -g go", "There is no program '/tmp'"),
        ("match random alphabeta:dept=3 -g tictactoe", "character 11: alphabeta has no parameter 'dept'"),
        (
            "match random alphabeta:depth=x -g tictactoe",
            "character 17: alphabeta:depth=x: expected a value of type int",
        ),
        ("match random engine:time=-1 -g chess", "character 13: time=-1 should be a number above 0"),
        ("match random gtp:sh?level=3 -g tictactoe", "character 8: GTP has no options"),
        ("match random missing.py -g tictactoe", "'missing.py' cannot be read"),
        ("match random unread.py -g tictactoe", "'unread.py' does not load (line 1): SyntaxError"),
        (
            "match random raises.py -g tictactoe",
            "'raises.py:Player' cannot be made into a player: ValueError: no luck.",
        ),
        ("match random nobody.py -g tictactoe", "does not define choose"),
        ("match random own.py:Plaier -g tictactoe", "character 8: 'own.py' defines no name 'Plaier'"),
        ("match random own.py?dept=3 -g tictactoe", "character 8: Player has no parameter 'dept'"),
        ("match random own.py?depth=x -g tictactoe", "character 14: Player:depth=x: expected a value of type int"),
        # Openings
        (f"{' '.join(MATCH)} --openings missing.txt", "'missing.txt' cannot be read: No such file"),
        (f"{' '.join(MATCH)} --openings moves.txt", "'moves.txt', line 2: 'a1' is not a legal move"),
        (f"{' '.join(MATCH)} --openings over.txt", "'over.txt', line 3: the game is over after this opening"),
        (f"{' '.join(MATCH)} --openings place.txt", "'place.txt', line 1: "),
        (f"{' '.join(MATCH)} --openings empty.txt", "'empty.txt' holds no opening"),
        (f"{' '.join(MATCH)} --openings comment.txt", "'comment.txt' holds no opening"),
        (f"{' '.join(MATCH)} --openings noise.txt", "'noise.txt' is not a text file"),
        (f"{' '.join(MATCH)} --openings .", "'.' cannot be read: Is a directory"),
        ("match random best -g chess --openings moves.pgn", "'moves.pgn', line 5: 'Ke3' is not a legal move at ply 3"),
        ("match random best -g chess --openings start.pgn", "'start.pgn', line 1: FEN field 1, pieces, is '8/8/8"),
        ("match random best -g chess --openings open.pgn", "'open.pgn', line 1: A comment is not closed"),
        ("match random best -g chess --openings mate.pgn", "'mate.pgn', line 1: the game is over after this opening"),
        ("match random best -g chess --openings place.epd", "'place.epd', line 2: FEN field 3, castling, is 'K'"),
        ("match random best -g chess --openings rest.epd", "'rest.epd', line 1: The EPD operation bm does not end"),
        # Databases
        ("ratings none.db", "There is no file 'none.db'; expected a database of games"),
        ("export none.db", "There is no file 'none.db'; expected a database of games"),
        ("report none.db -o r.html", "There is no file 'none.db'; expected a database of games"),
        ("ratings empty.txt", "'empty.txt' is empty; expected a database of games"),
        ("export empty.txt", "'empty.txt' is empty; expected a database of games"),
        ("ratings noise.txt", "'noise.txt' cannot be used: it is damaged or no database"),
        (f"{' '.join(MATCH)} -b noise.txt", "'noise.txt' cannot be used: it is damaged or no database"),
        (f"{' '.join(MATCH)} -b plain.txt", "'plain.txt' cannot be used: it is damaged or no database"),
        (f"{' '.join(MATCH)} -b .", "'.' cannot be used: it cannot be opened"),
        (
            f"{' '.join(MATCH)} -b no/folder.db",
            "'no/folder.db' cannot be used: it cannot be opened; expected a file in a",
        ),
        ("ratings .", "There is no file '.'; expected a database of games"),
    ],
)
def test_a_mistake_is_one_sentence_and_nothing_is_written(gametree, tmp_path, arguments, words):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "noise.txt").write_bytes(noise(5000))
    assert gametree(*MATCH, "-n", "2", "-b", "kept.db")[0] == 0
    before, files = contents("kept.db"), {path: path.read_bytes() for path in tmp_path.iterdir()}
    given = arguments.split()
    if given[0] == "match" and "-b" not in given:
        given += ["-b", "kept.db"]
    code, _, err = gametree(*given)
    assert words in sentence(err)
    assert code == 2
    assert intact("kept.db")
    assert contents("kept.db") == before
    assert {path for path in tmp_path.iterdir() if path.suffix != ".pyc" and path.name != "__pycache__"} == set(files)
    assert all(path.read_bytes() == data for path, data in files.items() if path.name != "kept.db")


@pytest.mark.parametrize(
    ("player", "words"),
    [
        (f"{PROGRAM}?Skil Level=3", "the program has no option 'Skil Level'. Did you mean 'Skill Level'?"),
        (f"{PROGRAM}?Skill Level=21", "Skill Level cannot be '21'; the program takes a whole number from 0 to 20."),
        (f"{PROGRAM}?skill level=high", "Skill Level cannot be 'high'; the program takes a whole number from 0 to 20."),
        (f"{PROGRAM}?Style=Wild", "Style cannot be 'Wild'; the program takes one of Solid, Very Risky."),
        (f"{PROGRAM}?Ponder=maybe", "Ponder cannot be 'maybe'; the program takes one of true, false."),
        (f"{OLD_PROGRAM}?Style=10", "Style cannot be '10'; the program takes a whole number from 0 to 9."),
        (f"{OLD_PROGRAM}?Mode=deep", "Mode cannot be 'deep'; the program takes one of fast, slow."),
        (f"{OLD_PROGRAM}?Learn=yes", "Learn cannot be 'yes'; the program takes one of 0, 1."),
        (f"{OLD_PROGRAM}?Stile=1", "the program has no option 'Stile'. Did you mean 'Style'?"),
    ],
)
def test_options_of_programs_are_tried_before_anything_is_written(gametree, player, words):
    code, _, err = gametree("match", "random", player, "-g", "tictactoe", "-b", "new.db")
    said = sentence(err)
    assert words in said
    key, equals, _ = player.rpartition("?")[2].partition("=")
    wrong = player.rpartition("?")[0] + "?" + ("" if "has no option" in words else key + equals)
    assert f"character {len(wrong) + 1}: " in said  # it points at the key, or at the value
    assert code == 2
    assert intact("new.db")
    assert not any(line.startswith("INSERT") for line in contents("new.db"))


def test_options_that_programs_take(gametree):
    for player in (f"{PROGRAM}?skill level=20&style=very risky&Ponder=TRUE&Clear=", f"{OLD_PROGRAM}?mode=slow&Learn=1"):
        assert gametree("match", "random", player, "-g", "tictactoe", "-n", "2", "-c", "time=5")[0] == 0


def test_openings_of_chess_may_be_pgn_or_epd(gametree, tmp_path):
    (tmp_path / "two.PGN").write_text(
        '[Event "a"]\n\n1. e4 {good} e5 (1... c5 2. Nf3) 2. Nf3! *\n\n'
        '[Event "b"]\n[FEN "4k3/8/8/8/8/8/4P3/4K2R w K - 3 9"]\n\n9. O-O Kd7 1-0\n'
    )
    (tmp_path / "one.epd").write_text('# comment\n\n4k3/8/8/8/8/8/4P3/4K2R w K - bm O-O; id "a";\n')
    for name, openings in (
        ("two.PGN", ["e4 e5 Nf3", "position 4k3/8/8/8/8/8/4P3/4K2R w K - 3 9 moves O-O Kd7"]),
        ("one.epd", ["position 4k3/8/8/8/8/8/4P3/4K2R w K - 0 1"]),
    ):
        arguments = ("match", "random", "random:seed=2", "-g", "chess", "-n", "4", "--max-plies", "8")
        assert gametree(*arguments, "--openings", name, "-b", f"{name}.db")[0] == 0
        lines = [json.loads(line) for line in gametree("export", f"{name}.db")[1].splitlines()]
        assert list(dict.fromkeys(line["opening"] for line in lines)) == openings


# Databases -----------------------------------------------------------------------------------------------------------

READING = (("ratings",), ("export",), ("export", "-f", "pgn"), ("report", "-o", "r.html"))
WRITING = (*MATCH, "-n", "400", "--salt", "tests", "-b")


@pytest.mark.parametrize("command", [*READING, WRITING])
def test_a_database_of_another_version(gametree, command):
    assert gametree(*MATCH, "-n", "2", "-b", "a.db")[0] == 0
    base = sqlite3.connect("a.db")
    base.execute(f"PRAGMA user_version = {VERSION + 1}")
    base.close()
    before = contents("a.db")
    code, _, err = gametree(*command, "a.db")
    assert code == 2
    assert f"'a.db' has version {VERSION + 1} of the tables, but this gametree knows version {VERSION}" in sentence(err)
    assert intact("a.db")
    assert contents("a.db") == before


@pytest.mark.parametrize("command", [*READING, WRITING])
def test_a_truncated_database_is_refused_and_left_as_it_is(gametree, tmp_path, command):
    assert gametree(*MATCH, "-n", "60", "-b", "whole.db")[0] == 0
    whole = (tmp_path / "whole.db").read_bytes()
    for size in (1, 50, 100, 511, 512, 3000, 4096, 5000, 8192, len(whole) // 2, len(whole) - 4096, len(whole) - 1):
        path = tmp_path / "cut.db"
        path.write_bytes(whole[:size])
        code, _, err = gametree(*command, "cut.db")
        assert code == 2, size
        assert "'cut.db' cannot be used: it is damaged or no database" in sentence(err)
        assert path.read_bytes() == whole[:size]
    assert not (tmp_path / "r.html").exists()


def test_rows_that_hold_nonsense_are_told(gametree):
    assert gametree(*MATCH, "-n", "4", "-b", "a.db")[0] == 0
    for table, column, value in (("event", "data", "{}"), ("game", "utilities", "x"), ("game", "record", "[1]")):
        shutil.copy("a.db", "b.db")
        base = sqlite3.connect("b.db")
        base.execute(f"UPDATE {table} SET {column} = ?", (value,))
        base.commit()
        base.close()
        command = ("ratings", "b.db") if column == "utilities" else ("export", "b.db")
        code, _, err = gametree(*command)
        assert code == 2
        assert "'b.db' cannot be used: it is damaged" in sentence(err)


def call(*arguments: str, prefix: tuple[str, ...] = (), **options: Any) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    command = [*prefix, sys.executable, "-m", "gametree", *arguments]
    return subprocess.run(command, capture_output=True, text=True, **options)


def game_count(path: Path) -> int:
    base = sqlite3.connect(path)
    try:
        return base.execute("SELECT count(*) FROM game").fetchone()[0]
    finally:
        base.close()


@pytest.mark.parametrize("size", [4096, 60_000, 200_000])
def test_a_disk_that_is_full_keeps_what_was_finished(tmp_path, size):
    """The system lets no file grow beyond the size."""
    path = tmp_path / "a.db"
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))  # noqa: E731
    done = call(*WRITING, str(path), "--json", preexec_fn=limit)
    assert done.returncode == 2
    assert f"'{path}' cannot be used: the disk is full, or the file may not grow" in sentence(done.stderr)
    assert done.stdout == ""
    assert intact(path)
    kept = game_count(path) if size > 4096 else 0
    assert kept < 400
    assert kept > 0 or size < 200_000
    done = call(*WRITING, str(path), "--json")
    calm = call(*WRITING, str(tmp_path / "calm.db"), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == json.loads(calm.stdout)
    assert game_count(path) == 400
    assert intact(path)


SMALL_DISK = """
mount -t tmpfs -o size=120k none "$1" || exit 77
cd "$1"
shift
"$@" -b a.db
echo "code $?"
mount -o remount,size=8m . || exit 77
cp a.db* "$OUT"
"$@" -b a.db --json
"""


def test_a_small_disk_that_runs_full_and_is_made_larger(tmp_path):
    """A disk of 120 KiB in a name space of its own, where we may mount one."""
    if shutil.which("unshare") is None:
        pytest.skip("needs unshare")
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").mkdir()
    command = [sys.executable, "-m", "gametree", *WRITING[:-1]]
    done = subprocess.run(
        ["unshare", "--mount", "--map-root-user", "bash", "-c", SMALL_DISK, "bash", str(tmp_path / "disk"), *command],
        capture_output=True,
        text=True,
        env=os.environ | {"OUT": str(tmp_path / "out")},
    )
    if done.returncode in (1, 77) and "code" not in done.stdout:
        pytest.skip(f"no disk of our own: {done.stderr.strip()[:100]}")
    first, second = done.stdout.splitlines()
    assert first == "code 2"
    assert "the disk is full" in sentence(done.stderr)
    assert intact(tmp_path / "out" / "a.db")
    assert 0 < game_count(tmp_path / "out" / "a.db") < 400
    assert json.loads(second)["games"] == 400


def test_a_folder_that_may_only_be_read(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    assert call(*WRITING, str(folder / "a.db")).returncode == 0
    before = (folder / "a.db").read_bytes()
    prefix: tuple[str, ...] = ()
    if os.geteuid() == 0:  # whom nothing is forbidden, unless it gives its powers up
        if shutil.which("setpriv") is None:
            pytest.skip("root may write everywhere")
        prefix = ("setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override")
    folder.chmod(0o555)
    try:
        for arguments, words in (
            ((*WRITING, str(folder / "a.db"), "-n", "500"), "a.db' cannot be used: it may only be read"),
            (
                (*WRITING, str(folder / "b.db")),
                "b.db' cannot be used: it cannot be opened; expected a file in a folder",
            ),
            (("ratings", str(folder / "a.db")), "a.db' cannot be used: it may only be read"),
        ):
            done = call(*arguments, prefix=prefix)
            assert done.returncode == 2
            assert words in sentence(done.stderr)
        assert [path.name for path in folder.iterdir()] == ["a.db"]
    finally:
        folder.chmod(0o755)
    assert (folder / "a.db").read_bytes() == before
    assert intact(folder / "a.db")
