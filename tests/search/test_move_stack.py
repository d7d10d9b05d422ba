"""Lists of moves on a stack: games with very many moves take little memory, and a stack that is too small grows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gametree import load_game
from gametree.core.record import TreeRecord
from gametree.kernels.perft import perft
from gametree.search.compiled import solve as solver
from gametree.search.compiled.engine import Engine, EngineParameters
from gametree.search.compiled.fast_expectiminimax import search as expectiminimax
from gametree.search.compiled.solve import solve
from gametree.search.support import move_stack

WIDE = Path(__file__).with_name("wide_game.py")
MIB = 1 << 20


@pytest.fixture
def narrow(monkeypatch):
    """Stacks begin with no more than the room of two lists."""
    monkeypatch.setattr(move_stack, "_USUAL_ROOM", 1)


@pytest.fixture
def stacks(monkeypatch):
    """All stacks that are made during the test."""
    made = []
    first = move_stack.MoveStack.__init__

    def note(self, *arguments):
        first(self, *arguments)
        made.append(self)

    monkeypatch.setattr(move_stack.MoveStack, "__init__", note)
    return made


def best_of(values, width):
    """What max over m of min over n of values[m + n] is, by brute force."""
    return max(int(values[m : m + width].min()) for m in range(width))


# Twenty thousand moves ------------------------------------------------------------------------------------------------


def test_the_engine_searches_twenty_thousand_moves_in_a_few_mib(stacks):
    game = load_game(f"{WIDE}:length=3")
    engine = Engine(game, parameters=EngineParameters.plain(), table_mib=1)
    sums = np.arange(2 * 20_000)
    expected = best_of((sums * 40_503 >> 5) % 601 - 300, 20_000) / 100
    assert engine.search(depth=2).value == expected
    [stack] = stacks
    assert stack.nbytes == 4 * 8 * 80_000  # twice two lists: it has grown once
    assert stack.nbytes + engine._contexts.nbytes < 8 * MIB


def test_the_solver_and_expectiminimax_do_too(stacks):
    game = load_game(str(WIDE))
    sums = np.arange(2 * 20_000)
    expected = best_of(np.clip(sums * 10 // 20_000 - 8, -9, 9), 20_000)
    found = solve(game, table_mib=4)
    assert (found.value, found.bound) == (expected, "exact")
    assert expectiminimax(game).value == expected
    assert sum(stack.nbytes for stack in stacks) < 32 * MIB
    assert solver.new_contexts(game)[0].nbytes < MIB


def test_perft_counts_them(stacks):
    assert perft(load_game(str(WIDE)), depth=2) == 20_000**2


# A stack that is too small --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["connect4", "othello:size=6"])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_engine_that_lacked_room_finds_the_same(narrow, stacks, name, threads):
    game = load_game(name)
    sound = EngineParameters.sound()
    roomy = Engine(game, parameters=sound, table_mib=4)
    roomy._stacks = [move_stack.MoveStack(game.facts.most_moves * 100, 2, 4)]
    expected = roomy.search(depth=7)
    stacks.clear()
    engine = Engine(game, parameters=sound, table_mib=4, threads=threads)
    before = stacks[0].nbytes
    found = engine.search(depth=7)
    assert (found.value, found.complete) == (expected.value, True)
    assert stacks[0].nbytes > before
    again = engine.search(depth=7, lines=3, moves=game.actions(game.initial())[:3])  # below the root's own list
    assert {line["pv"][0] for line in again.details["lines"]} == {
        game.action_text(game.initial(), move) for move in game.actions(game.initial())[:3]
    }


def test_a_record_holds_no_half_searches(narrow):
    game = load_game("connect4")
    record = TreeRecord(game)
    found = Engine(game, parameters=EngineParameters.plain(iterative=True), table_mib=1).search(depth=4, record=record)
    whole = TreeRecord(game)
    roomy = Engine(game, parameters=EngineParameters.plain(iterative=True), table_mib=1)
    roomy._stacks = [move_stack.MoveStack(700, 2, 4)]
    assert roomy.search(depth=4, record=whole).value == found.value
    assert len(record) == len(whole)


def test_a_solver_that_lacked_room_finds_the_same(narrow, stacks):
    game = load_game("othello:size=4")
    assert solve(game, table_mib=4).value == -10
    assert max(stack._room for stack in stacks) > 2 * game.facts.most_moves


def test_expectiminimax_that_lacked_room_finds_the_same(narrow, stacks, monkeypatch):
    game = load_game("einstein")
    found = [expectiminimax(game, depth=4, pruning=pruning) for pruning in ("none", "star2")]
    assert all(stack._room > 2 * game.facts.most_moves for stack in stacks)
    monkeypatch.setattr(move_stack, "_USUAL_ROOM", 8192)
    roomy = [expectiminimax(game, depth=4, pruning=pruning) for pruning in ("none", "star2")]
    assert [result.value for result in found] == [result.value for result in roomy]
