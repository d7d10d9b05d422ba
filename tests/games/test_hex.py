"""Hex against a slow oracle that floods a dictionary of cells, and its published numbers."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from gametree import BadInput, IllegalMove, load_game
from gametree.core.format import Record
from gametree.formats import record_format, split
from gametree.kernels import u64
from gametree.kernels.perft import perft
from gametree.kernels.verbs import play, playout_move, solver_moves
from gametree.search.compiled.fast_mcts import search
from gametree.search.compiled.solve import search as solve

STEPS = [(0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1), (1, 0)]


class Oracle:
    """Hex as one would explain it: cells by row and column, and a flood from one side to the other."""

    def __init__(self, size: int, *, swap: bool = False) -> None:
        self.size, self.swap = size, swap
        self.board = {(r, c): "." for r in range(size) for c in range(size)}
        self.mover = "X"

    def wins(self, mark: str) -> bool:
        along = 0 if mark == "X" else 1
        found = [cell for cell in self.board if self.board[cell] == mark and cell[along] == 0]
        for r, c in found:
            for dr, dc in STEPS:
                cell = (r + dr, c + dc)
                if self.board.get(cell) == mark and cell not in found:
                    found.append(cell)
        return any(cell[along] == self.size - 1 for cell in found)

    def moves(self) -> list[str]:
        if self.wins("X") or self.wins("O"):
            return []
        stones = [cell for cell, mark in self.board.items() if mark != "."]
        swap = ["swap-pieces"] if self.swap and self.mover == "O" and len(stones) == 1 else []
        names = ["abcdefghijklmnopqrs"[c] + str(r + 1) for (r, c), mark in self.board.items() if mark == "."]
        return swap + names

    def play(self, move: str) -> None:
        if move == "swap-pieces":
            ((r, c),) = [cell for cell, mark in self.board.items() if mark == "X"]
            self.board[r, c] = "."
            self.board[c, r] = "O"
        else:
            self.board[int(move[1:]) - 1, "abcdefghijklmnopqrs".index(move[0])] = self.mover
        self.mover = "O" if self.mover == "X" else "X"

    def text(self) -> str:
        marks = list(self.board.values())
        rows = ("".join(marks[n : n + self.size]) for n in range(0, len(marks), self.size))
        return "/".join(rows) + " " + self.mover


@pytest.mark.parametrize(("name", "size", "positions"), [("hex:size=4,swap=true", 4, 600), ("hex", 11, 1500)])
def test_random_games_agree_with_the_oracle(name: str, size: int, positions: int) -> None:
    game = load_game(name)
    rng, seen = random.Random(size), 0
    while seen < positions:
        state, oracle = game.initial(), Oracle(size, swap="swap" in name)
        while True:
            seen += 1
            moves = oracle.moves()
            assert [game.action_text(state, action) for action in game.actions(state)] == moves
            assert game.state_text(state) == oracle.text()
            assert game.state_from_text(oracle.text()) == state
            assert game.is_terminal(state) == (not moves)
            if not moves:
                assert game.utility(state, 0) == (1 if oracle.wins("X") else -1) == -game.utility(state, 1)
                chain = [game.action_text(game.initial(), cell) for cell in game.winning_chain(state)]
                mark = "X" if oracle.wins("X") else "O"
                cells = [(int(cell[1:]) - 1, "abcdefghijklmnopqrs".index(cell[0])) for cell in chain]
                assert all(oracle.board[cell] == mark for cell in cells)
                assert all((b[0] - a[0], b[1] - a[1]) in STEPS for a, b in itertools.pairwise(cells))
                along = 0 if mark == "X" else 1
                assert (cells[0][along], cells[-1][along]) == (0, size - 1)
                break
            move = "swap-pieces" if moves[0] == "swap-pieces" and rng.random() < 0.5 else rng.choice(moves)
            state = game.result(state, game.action_from_text(state, move))
            oracle.play(move)


@pytest.mark.parametrize(
    ("size", "counts"),
    [
        (2, [4, 12, 24, 12]),
        (3, [9, 72, 504, 3024, 15120, 54720, 146880, 207360, 120960]),
        (4, [16, 240, 3360, 43680, 524160, 5765760]),
        (11, [121, 14520, 1727880]),
    ],
)
def test_perft(size: int, counts: list[int]) -> None:
    game = load_game(f"hex:size={size}")
    assert [perft(game, depth=depth) for depth in range(1, len(counts) + 1)] == counts


def test_the_board_turned_by_180_degrees_is_worth_the_same() -> None:
    game, rng = load_game("hex:size=5"), random.Random(5)
    state = game.initial()
    for _ in range(8):
        state = game.result(state, rng.choice(game.actions(state)))
        one, other = game.symmetries(state)
        assert one == state
        assert game.state_text(other).split()[0] == game.state_text(state).split()[0][::-1]
        assert game.evaluate(one, 0) == game.evaluate(other, 0)


def test_swap_takes_the_stone_across_the_long_diagonal() -> None:
    game = load_game("hex:size=3,swap=true")
    state = game.result(game.initial(), game.action_from_text(game.initial(), "a2"))
    swapped = game.result(state, game.action_from_text(state, "swap-pieces"))
    assert game.state_text(swapped) == ".O./.../... X"
    with pytest.raises(IllegalMove, match="swap-pieces"):
        game.action_from_text(swapped, "swap-pieces")
    plain = load_game("hex:size=3")
    with pytest.raises(IllegalMove, match="swap-pieces"):
        plain.action_from_text(plain.state_from_text("X../.../... O"), "swap-pieces")


def test_random_games_save_a_bridge_that_is_attacked() -> None:
    game = load_game("hex:size=5")
    kernel = game.rules.kernel(first_playout_move)

    def answers(text: str, attack: str) -> set[str]:
        """What is played behind an attack, over many draws."""
        state = game.state_from_text(text)
        found = set()
        for number in range(200):
            structs = game.structs(state)
            bits = u64(number * 0x9E3779B97F4A7C15 & (1 << 64) - 1)
            cell = int(kernel(structs, game.action_from_text(state, attack), bits, game.w))
            found.add(game.action_text(state, cell))
        return found

    # Between d2 and c4; from b4 to the edge below; b3 attacks two bridges at once; a3 attacks nothing.
    assert answers("...../...X./...../..X../..... O", "c3") == {"d3"}
    assert answers("...../...../...../.X.../..... O", "a5") == {"b5"}
    assert answers("...../...../...../.X.../..... O", "b5") == {"a5"}
    assert len(answers("...../...../...../.X.../..... O", "e1")) > 10


def first_playout_move(states, attack, bits, weights):
    """The other side attacks, then one move of a random game."""
    play(states[0], attack, weights[0])
    return playout_move(states[0], bits, NOWHERE, weights[0])


NOWHERE = np.zeros(400, np.int64)


def test_text_and_back() -> None:
    game = load_game("hex:size=3")
    assert game.state_text(game.state_from_text("x../.O./... o")) == "X../.O./... O"
    for wrong in ("", "X", ".../... X", ".../.../... Z", "..../..../.... X"):
        with pytest.raises(BadInput, match="expected 3 rows of 3"):
            game.state_from_text(wrong)
    for size in (1, 20, -1):
        with pytest.raises(BadInput, match="expected 2 to 19"):
            load_game(f"hex:size={size}")


# Connections that hold, whatever the other side does: O moves and X still joins top and bottom.
HOLDS = {
    "bridge": ("OXOO/..OO/XOOO/XOOO O", True),
    "edge bridge": ("OXOO/OXOO/OXOO/..OO O", True),
    "broken edge bridge": ("OXOO/OXOO/OXOO/O.OO O", False),
    "ziggurat": ("OOXOO/OOXOO/OOX.O/O...O/....O O", True),
    "third row without room": ("OOXOO/OOXOO/OOXO./O..../..... O", False),
    "third row, two by two": ("OOXOO/OOXOO/OOXOO/O..OO/O..OO O", False),
}


@pytest.mark.parametrize("name", HOLDS)
def test_edge_templates(name: str) -> None:
    text, holds = HOLDS[name]
    game = load_game(f"hex:size={text.index('/')}")
    state = game.state_from_text(text)
    result = search(game, state, simulations=20_000)
    assert result.bound == "exact"
    assert result.value == (-1 if holds else 1)  # for O, who is to move


def test_the_chain_that_wins_is_drawn_over_the_stones() -> None:
    game = load_game("hex:size=3")
    drawing = game.draw(game.state_from_text(".X./XO./XO. O"))
    assert drawing.caption == "X wins by the chain b1 a2 a3"
    (chain,) = [line for line in drawing.lines if line.above]
    assert chain.player == 0
    assert len(chain.points) == 3
    assert sum(not line.above and line.player == 0 for line in drawing.lines) == 2
    assert not any(line.above for line in game.draw(game.initial()).lines)


def read(text: str) -> Record:
    found = next(split("sgf", text.splitlines(keepends=True)))
    return found.record(load_game(found.game))


def test_sgf_of_other_programs() -> None:
    assert read("(;AP[HexGui:0.9]FF[4]GM[11]SZ[11];B[a10];W[swap-pieces];B[f6])").moves == ("a10", "swap-pieces", "f6")
    record = read("(;FF[4]EV[hex.ch.1]PB[Ann]PW[Bob]SZ[13]RE[W]SO[x];W[mf];B[swap];W[kj];B[resign])")
    assert record.game == "hex:size=13,swap=true"
    assert record.players == ("Bob", "Ann")
    assert record.moves == ("m6", "swap-pieces", "k10")
    assert record.utilities == (1.0, -1.0)
    assert read("(;GM[11]SZ[3]AB[a1][b2]AW[c3]PL[W];W[a2])").position == "X../.X./..O O"
    assert "'z9' is no cell of this board" in read("(;GM[11]SZ[3];B[z9])").error
    assert "legal move" in read("(;GM[11]SZ[3];B[a1];W[a1])").error


def test_sgf_is_read_back() -> None:
    game = load_game("hex:size=3,swap=true")
    record = Record(moves=("a1", "swap-pieces", "b2"), players=("Ann", "Bob"), position=None)
    text = record_format(game, "sgf").write(record)
    assert text == "(;FF[4]GM[11]CA[UTF-8]AP[gametree]SZ[3]PB[Ann]PW[Bob]\n;B[a1];W[swap-pieces];B[b2])\n"
    assert next(record_format(game, "sgf").read([text])).moves == record.moves


def test_search_options_of_the_game_can_be_changed() -> None:
    game = load_game("hex:size=5")
    same = [search(game, simulations=300, seed=2) for _ in range(2)]
    assert same[0].details["visits"] == same[1].details["visits"]
    for options in ({"rave": 0}, {"prior": 0}, {"grow_after": 20}, {"puct": 1.0}):
        other = search(game, simulations=300, seed=2, **options)
        assert other.details["visits"] != same[0].details["visits"], options
    with pytest.raises(BadInput, match="go together"):
        search(game, simulations=10, rave=100, puct=1)
    with pytest.raises(BadInput, match="grow_after=-1"):
        search(game, simulations=10, grow_after=-1)


# First moves after which the first player wins, row by row.
WINS = {
    2: ".W/W.",
    3: "..W/WWW/W..",
    4: "...W/..W./.W../W...",
    5: "....W/.WWWW/.WWW./WWWW./W....",
}


@pytest.mark.parametrize("size", WINS)
def test_all_first_moves_of_small_boards_are_solved(size: int) -> None:
    game = load_game(f"hex:size={size}")
    start = game.initial()
    marks = ""
    for action in game.actions(start):
        result = solve(game, game.result(start, action), whole_line=False)
        assert result.bound == "exact"
        marks += "W" if result.value == -1 else "."  # for the second player, who is to move
    assert "/".join(marks[row * size : (row + 1) * size] for row in range(size)) == WINS[size]
    assert marks == marks[::-1]
    assert solve(game).value == 1


def test_what_connections_prove_agrees_with_the_rules_alone() -> None:
    """On random boards of 4 × 4 the solver's moves hold the value, found by trying everything."""
    game, rng = load_game("hex:size=4"), random.Random(44)
    kernel = game.rules.kernel(list_solver_moves)
    out = np.zeros(20, np.int64)
    known: dict[bytes, int] = {}

    def value(state: bytes) -> int:
        """For the side to move."""
        if state not in known:
            if game.is_terminal(state):
                known[state] = int(game.utility(state, game.player(state)))
            else:
                known[state] = max(-value(game.result(state, action)) for action in game.actions(state))
        return known[state]

    settled = cut = 0
    for _ in range(150):
        state = game.initial()
        for _ in range(rng.randrange(7, 12)):
            if not game.is_terminal(state):
                state = game.result(state, rng.choice(game.actions(state)))
        count = int(kernel(game.structs(state), out, game.w))
        if count == 0:
            assert out[0] == value(state)
            settled += 1
        else:
            moves = out[:count].tolist()
            assert set(moves) <= set(game.actions(state))
            assert max(-value(game.result(state, move)) for move in moves) == value(state)
            cut += len(moves) < len(game.actions(state))
    assert settled > 100
    assert cut > 0


def list_solver_moves(states, out, weights):
    return solver_moves(states[0], out, weights[0])
