"""The compiler room: bits, hashes, table, cache, verbs, and a small game with all that a game may have."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap
import threading
import time
import types
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.codegen import JITCodeLibrary

from gametree import Facts, GameError, load_algorithm, load_game
from gametree.kernels import (
    CompiledGame,
    byteswap,
    cache,
    cache_report,
    clear_cache,
    clz,
    compiler,
    ctz,
    jit,
    mix,
    multiply_high,
    on_compile,
    popcount,
    struct,
    u64,
    zobrist_keys,
)
from gametree.kernels import transposition as tables
from gametree.kernels.jit import Compiler, link
from gametree.kernels.perft import perft
from gametree.kernels.timer import monotonic_ns
from gametree.search.compiled.engine import EngineParameters, search
from gametree.search.compiled.solve import solve
from gametree.search.support.run import Clock

# A game with everything: the same seat may move twice, passing is possible, some moves are noisy. ---------------------

State = struct(left="i8", turn="i1", lead="i8")
START = 9


def initial(s):
    s.left = START


def legal_moves(s, out):
    n = 0
    for k in range(1, 4):
        if k <= s.left:
            out[n] = k
            n += 1
    return n


def play(s, m):
    gain = (s.left * 7 + m * 5) % 11 - 3
    s.lead += gain if s.turn == 0 else -gain
    s.left -= m
    if m != 2:
        s.turn = 1 - s.turn


def player(s):
    return s.turn


def utility(s):
    return s.lead if s.turn == 0 else -s.lead


def evaluate(s):
    return utility(s)


def noisy_moves(s, out):
    out[0] = 3
    return 1 if s.left >= 3 else 0


def pass_turn(s):
    s.turn = 1 - s.turn
    return True


def plies_left(s):
    return s.left


class Take(CompiledGame):
    facts = Facts(most_moves=3, longest_game=30, min_utility=-240, max_utility=240)

    def __init__(self, start: int = 9) -> None:
        super().__init__(START=start)


# Bits and hashes ------------------------------------------------------------------------------------------------------


def use_bits(words, others, out):
    for i in range(len(words)):
        x, y = words[i], others[i]
        out[i, 0] = u64(popcount(x))
        out[i, 1] = u64(ctz(x))
        out[i, 2] = u64(clz(x))
        out[i, 3] = byteswap(x)
        out[i, 4] = multiply_high(x, y)
        out[i, 5] = mix(x)


def test_bit_tricks_are_the_same_compiled_and_not():
    rng = np.random.default_rng(1)
    words = rng.integers(0, 1 << 64, 500, np.uint64) >> rng.integers(0, 64, 500, np.uint64)
    words[:3] = [0, 1, (1 << 64) - 1]
    others = rng.integers(0, 1 << 64, 500, np.uint64)
    kernel, compiled, plain = jit(use_bits), np.zeros((500, 6), np.uint64), np.zeros((500, 6), np.uint64)
    kernel(words, others, compiled)
    with compiler(jit=False):
        kernel(words, others, plain)
    assert (compiled == plain).all()
    assert compiled[0].tolist()[:5] == [0, 64, 64, 0, 0]
    assert compiled[2].tolist()[:3] == [64, 0, 0]
    assert len(set(compiled[:, 5].tolist())) == len(set(words.tolist()))


def tell_time():
    return monotonic_ns()


def test_compiled_code_reads_the_same_clock():
    kernel = jit(tell_time)
    kernel()
    times = []
    for _ in range(5):
        times += [time.monotonic_ns(), kernel()]
    assert times == sorted(times)


def test_zobrist_keys_are_fixed_and_distinct():
    keys = zobrist_keys(8, 8, 2)
    assert keys.shape == (8, 8, 2)
    assert len(set(keys.ravel().tolist())) == 128
    assert (keys == zobrist_keys(8, 8, 2)).all()
    assert (keys != zobrist_keys(8, 8, 2, seed=2)).any()


# The table ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mib", [0.001, 1, 3.7, 64])
def test_table_has_the_size_that_was_asked_for(mib):
    table = tables.new_table(mib)
    assert abs(table.nbytes / (1 << 20) - mib) <= 0.05 * mib
    assert table.ctypes.data % 64 == 0
    assert len(table) % tables.BUCKET == 0


def test_words_keep_their_numbers():
    rng = random.Random(3)
    for _ in range(300):
        value = rng.randint(-tables.MAX_VALUE, tables.MAX_VALUE)
        depth, bound, age = rng.randrange(256), rng.randrange(1, 4), rng.randrange(64)
        move, proven = rng.randint(-1, tables.MAX_MOVE), rng.randrange(2)
        word = tables.pack(*(np.int64(x) for x in (value, depth, bound, age, move, proven)))
        assert tables.entry_value(word) == value
        assert (tables.entry_depth(word), tables.entry_bound(word), tables.entry_age(word)) == (depth, bound, age)
        assert (tables.entry_move(word), tables.entry_proven(word)) == (move, bool(proven))


def test_table_keeps_the_deepest_of_this_age_and_never_a_torn_entry():
    table = tables.new_table(64 / (1 << 20))  # one bucket
    slots = len(table)

    def word(depth, age):
        return tables.pack(*(np.int64(x) for x in (depth, depth, tables.EXACT, age, depth, 0)))

    for key in range(1, 5):
        tables.store(table, slots, u64(key), word(10 + key, 1))
    tables.store(table, slots, u64(9), word(3, 1))  # the shallowest must go
    assert [int(tables.probe(table, slots, u64(key)) != 0) for key in (1, 2, 3, 4, 9)] == [0, 1, 1, 1, 1]
    tables.store(table, slots, u64(2), word(50, 2))
    tables.store(table, slots, u64(20), word(1, 2))  # an old age goes before a shallow entry of this one
    assert tables.probe(table, slots, u64(2)) == word(50, 2)
    assert tables.probe(table, slots, u64(20)) == word(1, 2)
    # Half of one write and half of another must not be believed.
    for entry in table:
        entry.word ^= u64(1 << 3)
    assert [int(tables.probe(table, slots, u64(key))) for key in (2, 3, 4, 20)] == [0, 0, 0, 0]


def fill_table(table, seed, rounds):
    x = u64(seed)
    wrong = 0
    for _ in range(rounds):
        x = mix(x + u64(0x9E3779B97F4A7C15))
        key = mix(x >> u64(50))  # few keys, so that both threads meet
        data = key * u64(0x5851F42D4C957F2D) | u64(1)
        tables_store(table, table.shape[0], key, data)
        found = tables_probe(table, table.shape[0], key)
        if found != u64(0) and found != data:
            wrong += 1
    return wrong


tables_store, tables_probe = tables.store, tables.probe


def test_threads_never_read_a_torn_entry():
    table = tables.new_table(0.01)
    kernel = jit(fill_table)
    kernel(table, 1, 10)
    results = []
    threads = [threading.Thread(target=lambda s=s: results.append(kernel(table, s, 300_000))) for s in (2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [0, 0]


# The cache ------------------------------------------------------------------------------------------------------------


def add_one(x):
    return x + STEP


STEP = 1


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("GAMETREE_CACHE_DIR", str(tmp_path / "store"))
    return tmp_path / "store"


def fresh(function, **constants):
    """A copy under a name of its own, so that nothing is known of it yet in this process."""
    space = {**globals(), **constants}
    return types.FunctionType(function.__code__, space, function.__name__, function.__defaults__)


def test_cache_is_shown_and_cleared(store):
    assert cache_report()["files"] == 0
    assert jit(fresh(add_one, STEP=101))(1) == 102
    report = cache_report()
    assert (report["files"], report["directory"]) == (1, str(store))
    assert report["kernels"][0]["name"] == "add_one.add_one"
    assert 0 < report["bytes"] < report["limit_bytes"]
    (store / "killed.part").write_bytes(b"half")
    assert clear_cache() == 1
    assert list(store.iterdir()) == []


def test_a_changed_constant_or_flag_is_another_kernel(store):
    told = []
    on_compile(told.append)
    try:
        assert jit(fresh(add_one, STEP=201))(1) == 202
        assert jit(fresh(add_one, STEP=202))(1) == 203
        with compiler(boundscheck=True):
            assert jit(fresh(add_one, STEP=202))(1) == 203
    finally:
        on_compile(None)
    assert told == ["compiling add_one, once"] * 3
    assert cache_report()["files"] == 3


def add_two(n):
    return add_one(add_one(n))


def add_four(n):
    return add_two(add_two(n))


def test_only_the_kernel_itself_becomes_machine_code(store, monkeypatch):
    made = []
    make = JITCodeLibrary._finalize_specific
    monkeypatch.setattr(
        JITCodeLibrary, "_finalize_specific", lambda library: (made.append(library.name), make(library))[1]
    )
    assert jit(fresh(add_four, add_two=fresh(add_two)))(1) == 5
    names = [name.rpartition("_")[0] for name in made]
    assert "add_four" in names
    assert not {"add_one", "add_two"} & set(names)
    with compiler(jit=False):
        assert jit(fresh(add_four))(1) == 5


def test_the_oldest_files_go_when_the_cache_is_full(store, monkeypatch):
    jit(fresh(add_one, STEP=301))(1)
    size = cache_report()["bytes"]
    first = next(store.rglob("*.kernel"))
    os.utime(first, (1, 1))
    monkeypatch.setattr(cache, "LIMIT_BYTES", int(size * 1.5))
    jit(fresh(add_one, STEP=302))(1)
    assert cache_report()["files"] == 1
    assert not first.exists()


SCRIPT = """
import sys
from gametree import load_game
from gametree.kernels import on_compile
from gametree.search.compiled.solve import solve
compiles = []
on_compile(compiles.append)
values = []
for name in sys.argv[1:]:
    game = load_game(name)
    values.append(int(solve(game, table_mib=1).value))
print(values, len(compiles))
"""


def run_script(*arguments, **environment):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("]")


def test_second_process_loads_and_damage_is_mended(tmp_path):
    folder = tmp_path / "store"
    small = ("connect4:columns=4,rows=3", "tictactoe")
    environment = {"GAMETREE_CACHE_DIR": str(folder)}
    # Each game in a process of its own, then both together from the cache: their kernels must not be mixed up.
    first = [run_script(name, **environment) for name in small]
    assert all(int(compiles) > 0 for _, compiles in first)
    values, compiles = run_script(*small, **environment)
    assert (values, int(compiles)) == ("[0, 0", 0)
    for number, file in enumerate(sorted(folder.rglob("*.kernel"))):
        data = file.read_bytes()
        file.write_bytes((data[: len(data) // 2], b"", data[:-1] + b"?", data[:100] + b"??" + data[102:])[number % 4])
    values, compiles = run_script(*small, **environment)
    assert values == "[0, 0"
    assert int(compiles) > 0
    assert int(run_script(*small, **environment)[1]) == 0


def test_two_processes_may_compile_at_once(tmp_path):
    environment = {**os.environ, "GAMETREE_CACHE_DIR": str(tmp_path / "store")}
    code = "from gametree import load_game; g = load_game('tictactoe')\n" + textwrap.dedent(
        """
        from gametree.kernels.perft import perft
        print(perft(g, depth=9))
        """
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(2)
    ]
    assert [process.communicate(timeout=600)[0].strip() for process in both] == ["127872", "127872"]
    assert not list(Path(tmp_path / "store").glob("*.part"))


def test_an_unwritable_cache_does_no_harm(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("GAMETREE_CACHE_DIR", str(blocked / "inside"))
    assert jit(fresh(add_one, STEP=401))(1) == 402


# Compiled, checked, uncompiled ----------------------------------------------------------------------------------------


def test_the_same_rules_run_uncompiled_and_with_bounds_checks():
    game = load_game("connect4:columns=4,rows=3")
    expected = [perft(game, depth=depth) for depth in range(5)]
    with compiler(jit=False):
        assert [perft(game, depth=depth) for depth in range(5)] == expected
        assert solve(game, game.state_from_text("112233"), table_mib=0.1).value == 3
    with compiler(boundscheck=True):
        assert [perft(game, depth=depth) for depth in range(5)] == expected


def read_far(words):
    return words[3]


def test_bounds_checks_find_a_bad_index():
    words = np.zeros(2, np.int64)
    for options in ({"boundscheck": True}, {"jit": False}):
        with compiler(**options), pytest.raises(IndexError):
            jit(read_far)(words)


def test_integer_kernels_hold_no_floats(store):
    """A float in a kernel means that signed and unsigned numbers have met."""
    for name in ("connect4", "othello:size=6"):
        rules = load_game(name).rules
        for verb in rules.verbs.values():
            linked = link(
                verb,
                replace=rules.replace,
                constants=rules.constants_of,
                label=name,
                how=Compiler(),
                salt="floats",
            )
            arguments = {"s": np.zeros(1, rules.state_type)[0], "out": np.zeros(64, np.int64)}
            names = verb.__code__.co_varnames[: verb.__code__.co_argcount]
            linked.function.compile(tuple(numba.typeof(arguments.get(n, 1)) for n in names))
            code = next(iter(linked.function.inspect_llvm().values()))
            assert " double " not in code, f"{name}.{verb.__name__}"


def goes_round(n):
    return goes_back(n - 1) if n > 0 else 0


def goes_back(n):
    return goes_round(n)


def two_types(n):
    if n > 0:
        return two_types(n // 2) + 1
    return 0


def enter_two_types(n):
    return two_types(u64(n)) + two_types(True)


def test_what_compiled_code_cannot_do_is_refused():
    with pytest.raises(GameError, match="circle"):
        jit(goes_round)(3)
    with pytest.raises(GameError, match="two_types"):
        jit(enter_two_types)(3)


# Verbs and the derived game -------------------------------------------------------------------------------------------


def game_file(tmp_path, body):
    """Load a user's file whose verbs are changed by `body`."""
    source = """
import numpy as np
from gametree import Facts
from gametree.kernels import CompiledGame, struct
State = struct(left="i8")
def initial(s): s.left = 5
def legal_moves(s, out):
    n = min(s.left, 2)
    for k in range(n):
        out[k] = k + 1
    return n
def play(s, m): s.left -= m
def utility(s): return -1
BODY
class Mine(CompiledGame):
    facts = Facts(most_moves=2, longest_game=5)
game = Mine
"""
    file = tmp_path / "mine.py"
    file.write_text(source.replace("BODY", body))
    return str(file)


def test_a_users_file_is_a_game(tmp_path):
    game = load_game(game_file(tmp_path, ""))
    assert game.player(game.initial()) == 0
    assert list(game.actions(game.initial())) == [1, 2]
    assert solve(game, table_mib=0.1).value == load_algorithm("minimax")[1](game).value == 1
    assert not game.offers("evaluate")
    assert game.offers("actions")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("del play", ["play(s, m)"]),
        ("def play(s): pass", ["play(s)", "line", "play(s, m)"]),
        ("State = 3", ["State"]),
        ("State = struct(left='i8', odd='f8')", ["odd", "hash_state"]),
        ("def play(s, m): s.lost = 1", ["lost"]),
        ("def play(s, m): s.left = 'x'", ["mine.py", "line 14"]),
        ("def play(s, m):\n    s.left = undefined", ["mine.py", "line 15", "undefined"]),
        ("State = struct(left='i8', size='i8')", ["size"]),
    ],
)
def test_mistakes_are_named(tmp_path, body, words):
    path = game_file(tmp_path, body)

    def load_and_play():
        game = load_game(path)
        game.result(game.initial(), 1)

    with pytest.raises(GameError) as caught:
        load_and_play()
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


def test_a_constant_that_the_file_does_not_have_is_refused():
    class Wrong(Take):
        def __init__(self) -> None:
            CompiledGame.__init__(self, SIZE=3)

    with pytest.raises(GameError, match="SIZE"):
        Wrong()


def test_a_helper_of_a_game_keeps_its_own_constants(tmp_path, monkeypatch):
    """Names such as HIGHEST are the search's only where they have been imported from the verbs."""
    (tmp_path / "helper_of_mine.py").write_text(
        "HIGHEST = 7\nMOST_MOVES = 1\nUNIT = 30\nHAS_EVALUATE = 500\n"
        "def points(s): return HIGHEST + MOST_MOVES + UNIT + HAS_EVALUATE + s.left\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    own = (
        "from helper_of_mine import points\nfrom gametree.kernels.verbs import HIGHEST, UNIT\n"
        "def utility(s): return points(s)\ndef noisy_moves(s, out):\n    out[0] = HIGHEST + UNIT\n    return 1"
    )
    path = Path(game_file(tmp_path, own))
    path.write_text(path.read_text().replace("longest_game=5", "longest_game=5, min_utility=-600, max_utility=600"))
    game = load_game(str(path))
    state = game.initial()
    while not game.is_terminal(state):
        state = game.result(state, 1)
    with compiler(jit=False):
        plain = game.utility(state, game.player(state))
    assert game.utility(state, game.player(state)) == plain == 7 + 1 + 30 + 500
    # What the game's own file has imported from the verbs is what the search sees.
    assert list(game.noisy_actions(state)) == [600 + 1]


def test_a_game_in_which_one_seat_moves_twice_is_searched_right():
    game = Take()
    minimax = load_algorithm("minimax")[1]
    state = game.initial()
    assert game.player(game.result(state, 2)) == 0
    assert game.player(game.result(state, 1)) == 1
    assert solve(game, table_mib=0.1).value == minimax(game).value
    for depth in (1, 2, 3, 5):
        expected = load_algorithm("alphabeta")[1](game, depth=depth)
        sound = search(game, depth=depth, parameters=EngineParameters.sound(), table_mib=0.1)
        plain = search(game, depth=depth, parameters=EngineParameters.plain(), table_mib=0.1)
        assert sound.value == plain.value == expected.value
        assert plain.nodes == expected.nodes
    everything = search(game, clock=Clock(nodes=20_000), table_mib=0.1)
    assert everything.move in game.actions(state)
    # A cut-off by the null move proves nothing; without it the engine sees the end of every line.
    proof = search(game, parameters=EngineParameters(null_move=0), table_mib=0.1)
    assert (proof.bound, proof.value) == ("exact", minimax(game).value)
    assert game.noisy_actions(state) == (3,)


def test_tic_tac_toe_is_the_same_compiled():
    game = load_game("tictactoe")
    alphabeta = load_algorithm("alphabeta")[1]
    rng = random.Random(8)
    for _ in range(20):
        state = game.initial()
        for _ in range(rng.randrange(6)):
            if not game.is_terminal(state):
                state = game.result(state, rng.choice(game.actions(state)))
        for depth in (1, 2, 4):
            expected = alphabeta(game, state, depth=depth)
            found = search(game, state, depth=depth, parameters=EngineParameters.plain(), table_mib=0.1)
            assert found.value == pytest.approx(expected.value)
            assert found.nodes == expected.nodes
    assert search(game, table_mib=1).bound == "exact"
    assert solve(game, table_mib=1).value == 0
    assert perft(game, depth=9) == 127872


def test_a_struct_within_a_struct_begins_where_its_fields_may():
    inner = struct(nothing="i8")
    odd = struct(cell=("i1", 38))
    outer = struct(state=odd, note=inner, boards=(odd, 3), flag="i1", last=inner)
    assert [outer.fields[name][1] for name in outer.names] == [0, 40, 48, 162, 168]
    assert outer.itemsize == 176
    assert numba.typeof(np.zeros(1, outer)).dtype.size == 176
    assert struct(a="u8", b="i1", c="i4").itemsize == 16
