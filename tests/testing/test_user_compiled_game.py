"""A user's own compiled game: the template, the tutorial's game, and a sentence for every sort of mistake."""

from __future__ import annotations

import io
import json
import random
import re
from pathlib import Path

import pytest

from gametree import GameError, load_algorithm, load_game
from gametree.core.errors import BadInput
from gametree.interfaces.cli import run
from gametree.kernels import compiler
from gametree.kernels.perft import perft
from gametree.testing.check_compiled import check_compiled, is_trusted

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial_compiled.md").read_text(encoding="utf-8")
BARREL = re.search(r'```python title="barrel.py"\n(.*?)```', PAGE, re.DOTALL)[1]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty current directory; nothing is trusted there yet."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# The tutorial's game -------------------------------------------------------------------------------------------------


class Oracle:
    """Barrel as one would explain it: a dictionary of pawns on (column, row)."""

    def __init__(self):
        self.pawns = {(c, r): "W" for c in range(8) for r in (0, 1)} | {(c, r): "B" for c in range(8) for r in (6, 7)}
        self.side = "W"

    def moves(self):
        if any(r == (0 if self.side == "W" else 7) and who != self.side for (_, r), who in self.pawns.items()):
            return []
        found = []
        up = 1 if self.side == "W" else -1
        for (c, r), who in self.pawns.items():
            if who == self.side:
                for across in (-1, 0, 1):
                    there = ((c + across) % 8, r + up)
                    blocked = there in self.pawns if across == 0 else self.pawns.get(there) == self.side
                    if not blocked:
                        found.append(self.name((c, r)) + self.name(there))
        return found

    def name(self, square):
        return "abcdefgh"[square[0]] + str(square[1] + 1)

    def play(self, move):
        here, there = (("abcdefgh".index(move[i]), int(move[i + 1]) - 1) for i in (0, 2))
        self.pawns[there] = self.pawns.pop(here)
        self.side = "B" if self.side == "W" else "W"

    def text(self):
        rows = ("".join(self.pawns.get((c, r), ".") for c in range(8)) for r in range(7, -1, -1))
        return "/".join(rows) + " " + self.side


def test_the_tutorials_game_is_short():
    assert len([line for line in BARREL.splitlines() if line.strip()]) < 60


def test_the_tutorials_game_agrees_with_an_oracle(folder):
    Path("barrel.py").write_text(BARREL, encoding="utf-8")
    game = load_game("barrel.py")
    rng = random.Random(7)
    positions = 0
    while positions < 10_000:
        state, oracle = game.initial(), Oracle()
        while True:
            positions += 1
            names = {game.action_text(state, action): action for action in game.actions(state)}
            assert sorted(names) == sorted(oracle.moves())
            if positions % 20 == 0:
                assert game.state_text(state) == oracle.text()
            if not names:
                mover = game.player(state)
                assert game.utility(state, mover) == -1
                break
            move = rng.choice(sorted(names))
            state = game.result(state, names[move])
            oracle.play(move)


def test_the_tutorials_game_counts_the_same_lines_compiled_and_not(folder):
    Path("barrel.py").write_text(BARREL, encoding="utf-8")
    game = load_game("barrel.py")
    # On a barrel every column has three ways on, so that nothing is blocked in the first plies: 24 · 24 · 25 · 25.
    assert [perft(game, depth=depth) for depth in range(5)] == [1, 24, 576, 14_400, 360_000]
    with compiler(jit=False):
        assert perft(game, depth=3) == 14_400


# The template --------------------------------------------------------------------------------------------------------


def test_a_new_compiled_game_passes_is_searched_and_plays(folder, capsys, monkeypatch):
    assert run(["new", "trio", "--compiled"]) == 0
    assert run(["check", "trio.py", "--json"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert report["ok"]
    assert report["compiled"]["positions"] == 400
    assert set(report["compiled"]["verbs"]) >= {"initial", "legal_moves", "play", "utility", "evaluate", "player"}
    assert is_trusted(load_game("trio.py"))

    # X to move wins at once by completing the middle row.
    assert run(["analyse", "trio.py", "O..O/.XX./..../....", "--algorithm", "alphabeta", "--depth", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (found["move"], found["value"]) in {("a3", 1), ("d3", 1)}

    assert run(["analyse", "trio.py", "O..O/.XX./..../....", "--algorithm", "engine", "--depth", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (found["move"], found["value"]) in {("a3", 1), ("d3", 1)}

    # A person plays one move in the terminal and leaves.
    monkeypatch.setattr("sys.stdin", io.StringIO("b2\nquit\n"))
    assert run(["play", "trio.py", "--against", "engine:depth=2"]) == 0
    assert "X" in capsys.readouterr().out

    assert run(["new", "trio", "--compiled"]) == 2
    assert "exists already" in capsys.readouterr().err


@pytest.mark.parametrize("size", [3, 6])
def test_the_templates_constants_are_rebound(folder, size):
    assert run(["new", "trio", "--compiled"]) == 0
    game = load_game(f"trio.py:size={size}")
    assert len(game.actions(game.initial())) == size * size
    assert check_compiled(game, positions=60).positions == 60
    text = "/".join("." * size for _ in range(size))
    assert game.state_text(game.initial()) == text
    assert game.state_from_text(text) == game.initial()
    with pytest.raises(BadInput):
        load_game("trio.py:size=7")


def test_the_templates_value_is_that_of_minimax_with_the_compiler_off(folder):
    assert run(["new", "trio", "--compiled"]) == 0
    game = load_game("trio.py:size=3")
    _, search = load_algorithm("alphabeta")
    compiled = search(game)
    with compiler(jit=False):
        plain = search(game, compiled.state)
    assert (compiled.value, compiled.nodes, compiled.pv) == (plain.value, plain.nodes, plain.pv)
    assert compiled.value == 0  # on 3 × 3 it is tic-tac-toe


# Mistakes ------------------------------------------------------------------------------------------------------------

RETURN = "    return 5 * (popcount(s.own) - popcount(s.opp)) + ctz(s.opp) // 8 - clz(s.own) // 8\n"
TARGET = "    target = ONE << u64(m // 3)\n"
ARRAY = ('State = struct(own="u8"', 'State = struct(own="u8", n=("i4", 7), small="i1"')
START = "    n = 0\n"
RARELY = "    n = 0\n    if s.own == u64(5):\n        "

# name → (changes, the verb that the sentence names, the line that it quotes, words that it says)
MISTAKES = {
    "verb missing": ([("def play(s, m)", "def plays(s, m)")], "play", "", "does not define play(s, m)"),
    "wrong number of arguments": ([("def play(s, m)", "def play(s)")], "play", "def play(s):", "expected play(s, m)"),
    "state missing": ([("State = struct(", "States = struct(")], "State", "", "expected State = struct"),
    "field of an unknown type": ([('own="u8"', 'own="u9"')], "", "State = struct", "'u9' not understood"),
    # A type that does not compile, in branches that no random game enters.
    "unknown field": ([(START, RARELY + "n = s.rows\n")], "legal_moves", "n = s.rows", "State has no field 'rows'"),
    "unknown name": ([(START, RARELY + "n = nowhere\n")], "legal_moves", "n = nowhere", "'nowhere'"),
    "a Python object": ([(START, RARELY + "n = Facts().players\n")], "legal_moves", "n = Facts", "cannot use Facts"),
    "text and number": (
        [(START, "    n = 0\n    x = 'a' if s.own == u64(5) else n\n    n += 0 if x == 'a' else 0\n")],
        "legal_moves",
        "x = 'a' if",
        "in one case and",
    ),
    "helper called wrongly": (
        [(START, RARELY + "n = sideways(s.own)\n")],
        "legal_moves",
        "n = sideways(s.own)",
        "too many or few arguments",
    ),
    "text formatting": ([(START, RARELY + "print(f'{n:>4}')\n")], "legal_moves", "print(f", "cannot be compiled"),
    "functions in a circle": (
        [(RETURN, "    return other(s)\n\n\ndef other(s):\n    return evaluate(s)\n")],
        "evaluate",
        "def evaluate(s)",
        "in a circle",
    ),
    # Floats where integers belong.
    "float as a move": (
        [("out[n] = 3 * ctz(targets) + way", "out[n] = 6 * ctz(targets) / 2 + way")],
        "legal_moves",
        "out[n] = 6",
        "is given the float 48; write //",
    ),
    "float returned": ([(RETURN, RETURN.replace("//", "/"))], "evaluate", "return 5 *", "returns the float"),
    "float returned in a rare case": (
        [(RETURN, "    if s.own == u64(5):\n        return 0.5\n" + RETURN)],
        "evaluate",
        "def evaluate",
        "can return float64",
    ),
    "float in a field": (
        [ARRAY, (TARGET, "    s.small = m / 9\n" + TARGET)],
        "play",
        "s.small = m / 9",
        "write // for /",
    ),
    "float in a field in a rare case": (
        [ARRAY, (TARGET, "    if s.own == u64(5):\n        s.small = m / 9\n" + TARGET)],
        "play",
        "s.small = m / 9",
        "stores a float",
    ),
    "float as an index": (
        [ARRAY, (TARGET, "    s.n[m / 99] += 1\n" + TARGET)],
        "play",
        "s.n[m / 99] += 1",
        "is a float",
    ),
    "float as a shift": ([("u64(m // 3)", "(m / 3)")], "play", "target = ONE << (m / 3)", "write u64(...)"),
    "signed meets unsigned": ([("u64(m // 3)", "m // 3")], "play", "target = ONE << m // 3", "write u64(...)"),
    # Indices and sizes.
    "index too large": ([ARRAY, (TARGET, "    s.n[m % 8] += 1\n" + TARGET)], "play", "s.n[m % 8] += 1", "no index 7"),
    "index below 0": ([ARRAY, (TARGET, "    s.n[m % 7 - 1] += 1\n" + TARGET)], "play", "s.n[m % 7 - 1]", "no index -1"),
    "index into a constant": (
        [
            ("UNIT = 100", "UNIT = 100\nROWS = zobrist_keys(60)"),
            ("u64\n", "u64, zobrist_keys\n"),
            (TARGET, "    here = ROWS[m // 3]\n" + TARGET),
        ],
        "play",
        "here = ROWS[m // 3]",
        "ROWS has no index 6",
    ),
    "number too large for its field": (
        [ARRAY, (TARGET, "    s.small = m + 100\n" + TARGET)],
        "play",
        "s.small = m",
        "int8",
    ),
    "overruns the move buffer": ([("most_moves=48", "most_moves=23")], "legal_moves", "out[n] = 3", "facts.most_moves"),
    "counts one move too many": (
        [("    return n\n", "    return n + 1\n")],
        "legal_moves",
        "return n + 1",
        "unwritten",
    ),
    "returns nothing": ([("    return n\n", "")], "legal_moves", "", "returns nothing"),
    "divides by zero": ([("(3 - m % 3) % 3", "(3 - m % 3) % (m - m)")], "play", "source = sideways", "divides by zero"),
    # Behaviour.
    "never ends": (
        [(TARGET, "    while m > 0:\n        m += 0\n" + TARGET)],
        "play",
        "while m > 0:",
        "did not return within",
    ),
    "never ends when compiled": (
        [(TARGET, "    x = 3\n    while x < 9223372036854775807:\n        x = x * 3 + 1\n    m += x == 12\n" + TARGET)],
        "play",
        "def play",
        "running it compiled did not end within",
    ),
    "dice": (
        [("UNIT = 100", "import random\n\nUNIT = 100"), (RETURN, RETURN.replace("5 *", "random.randrange(6) *"))],
        "evaluate",
        "def evaluate",
        "same answer twice",
    ),
    "another answer when compiled": (
        [(RETURN, "    return (popcount(s.own) * 2**62 >> 61) - 2 * popcount(s.own)\n")],
        "evaluate",
        "def evaluate",
        "when compiled and",
    ),
    "changes the state": (
        [("    return -1", "    s.own = ZERO\n    return -1")],
        "utility",
        "def utility",
        "changes the state",
    ),
    "the same move twice": ([("3 * ctz(targets) + way", "ctz(targets)")], "legal_moves", "def legal_moves", "twice"),
    "a move below 0": (
        [("3 * ctz(targets) + way", "-3 * ctz(targets)")],
        "legal_moves",
        "def legal_moves",
        "from 0 to",
    ),
    "a utility that the facts exclude": ([("    return -1", "    return -2")], "utility", "def utility", "-1 to 1"),
    "an estimate that the facts exclude": ([("UNIT = 100", "UNIT = 3")], "evaluate", "def evaluate", "-3 to 3"),
    "a hash that confuses states": (
        [("UNIT = 100", "UNIT = 100\n\n\ndef hash_state(s):\n    return u64(popcount(s.own))\n")],
        "hash_state",
        "def hash_state",
        "two states",
    ),
    "a mirror that is none": (
        [("UNIT = 100", "UNIT = 100\nSYMMETRIES = 2\n\n\ndef mirror(s, k):\n    s.own = s.own & ~u64(0xFF00)\n")],
        "mirror",
        "def mirror",
        "turns a state with",
    ),
    "noisy moves that are illegal": (
        [("UNIT = 100", "UNIT = 100\n\n\ndef noisy_moves(s, out):\n    out[0] = 500\n    return 1\n")],
        "noisy_moves",
        "def noisy_moves",
        "the move 500",
    ),
    "is_over that contradicts": (
        [("UNIT = 100", "UNIT = 100\n\n\ndef is_over(s, out):\n    return s.own == ZERO\n")],
        "is_over",
        "def is_over",
        "where legal_moves() gives 0 moves",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_sentence_that_names_verb_and_line(folder, mistake):
    changes, verb, quoted, words = MISTAKES[mistake]
    source = BARREL
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    Path("barrel.py").write_text(source, encoding="utf-8")
    with pytest.raises(GameError) as caught:
        check_compiled("barrel.py", positions=200, verb_seconds=1)
    sentence = str(caught.value)
    assert words in sentence
    assert verb in sentence
    assert "\n" not in sentence
    assert len(sentence) < 400
    if quoted:
        number = next(i for i, line in enumerate(source.splitlines(), 1) if line.strip().startswith(quoted))
        assert re.search(rf"\bline {number}\b", sentence), (number, sentence)


def test_a_crash_of_the_trial_names_the_verb(folder):
    source = BARREL.replace("UNIT = 100", "import os\n\nUNIT = 100").replace(TARGET, "    os.abort()\n" + TARGET)
    Path("barrel.py").write_text(source, encoding="utf-8")
    with pytest.raises(GameError, match=r"play\(\), line \d+: running it uncompiled crashed \(SIGABRT\)\.$"):
        check_compiled("barrel.py", positions=20)


def test_a_game_is_tried_once_and_again_after_every_change(folder, capsys):
    fresh = BARREL.replace("UNIT = 100", f"UNIT = {random.SystemRandom().randrange(1000, 10**6)}")
    Path("barrel.py").write_text(fresh, encoding="utf-8")
    assert not is_trusted(load_game("barrel.py"))
    assert run(["analyse", "barrel.py", "--algorithm", "alphabeta", "--depth", "1", "--json"]) == 0
    assert is_trusted(load_game("barrel.py"))
    Path("barrel.py").write_text(fresh.replace("most_moves=48", "most_moves=23"), encoding="utf-8")
    assert not is_trusted(load_game("barrel.py"))
    capsys.readouterr()
    assert run(["analyse", "barrel.py", "--algorithm", "alphabeta", "--depth", "1", "--json"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("gametree: barrel.py: legal_moves(), line ")
    assert error.count("\n") == 1


def test_the_trial_refuses_what_it_cannot_try():
    with pytest.raises(BadInput, match="not a compiled game"):
        check_compiled("nim")
    with pytest.raises(BadInput, match="0 positions"):
        check_compiled("othello", positions=0)
    with pytest.raises(BadInput, match="too short"):
        check_compiled("othello", seconds=0)


@pytest.mark.parametrize("name", ["othello:size=6", "connect4:columns=5,rows=4"])
def test_the_games_of_the_package_pass_the_trial(name):
    report = check_compiled(name, positions=60)
    assert report.positions == 60
    assert "legal_moves" in str(report)
