"""Go against a slow oracle that floods chains on a list of lists and keeps every board of the game."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import numpy as np
import pytest

from gametree.core.errors import BadInput, IllegalMove
from gametree.core.registry import load_game
from gametree.games.go import Go, area, is_eye
from gametree.kernels import compiler, u64
from gametree.kernels.past import begin_line, open_past, past_type, replace_forbidden
from gametree.kernels.perft import perft
from gametree.kernels.verbs import playout_move
from gametree.play.analysis import default_algorithm
from gametree.search.compiled.fast_mcts import search
from gametree.testing import check_game

# The oracle -----------------------------------------------------------------------------------------------------------


class Oracle:
    """A game of Go told as simply as possible: a board is a tuple of strings."""

    def __init__(self, rows: int, columns: int, limit: int | None = None) -> None:
        self.board = tuple("." * columns for _ in range(rows))
        self.seen = [self.board]
        self.mover, self.passes, self.plies, self.limit = "X", 0, 0, limit

    def copy(self) -> Oracle:
        other = Oracle(1, 1)
        other.__dict__.update(self.__dict__)
        other.seen = list(self.seen)
        return other

    def beside(self, row, column):
        for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= r < len(self.board) and 0 <= c < len(self.board[0]):
                yield r, c

    def region(self, board, row, column):
        """The connected cells of one mark, and the marks around them."""
        mark, cells, border, todo = board[row][column], set(), set(), [(row, column)]
        while todo:
            cell = todo.pop()
            if cell not in cells:
                cells.add(cell)
                for r, c in self.beside(*cell):
                    if board[r][c] == mark:
                        todo.append((r, c))
                    else:
                        border.add(board[r][c])
        return cells, border

    def after(self, row, column):
        """The board after a stone there, or None if that is not allowed."""
        if self.board[row][column] != ".":
            return None
        grid = [list(line) for line in self.board]
        grid[row][column] = self.mover
        for r, c in self.beside(row, column):
            if grid[r][c] not in (".", self.mover):
                cells, border = self.region(grid, r, c)
                if "." not in border:
                    for i, j in cells:
                        grid[i][j] = "."
        if "." not in self.region(grid, row, column)[1]:
            return None
        board = tuple("".join(line) for line in grid)
        return None if board in self.seen else board

    def is_over(self):
        return self.passes == 2 or self.plies == self.limit

    def moves(self):
        if self.is_over():
            return []
        rows, columns = len(self.board), len(self.board[0])
        names = "ABCDEFGHJKLMNOPQRST"
        found = {
            f"{names[column]}{rows - row}": self.after(row, column) for row in range(rows) for column in range(columns)
        }
        return [(name, board) for name, board in found.items() if board is not None] + [("pass", self.board)]

    def play(self, name, board):
        self.plies += 1
        if name == "pass":
            self.passes += 1
        else:
            self.passes, self.board = 0, board
            self.seen.append(board)
        self.mover = "O" if self.mover == "X" else "X"

    def area(self):
        balance = 0
        for row, line in enumerate(self.board):
            for column, mark in enumerate(line):
                marks = {mark} if mark != "." else self.region(self.board, row, column)[1]
                balance += (marks == {"X"}) - (marks == {"O"})
        return balance

    def perft(self, depth):
        if depth == 0:
            return 1
        total = 0
        for name, board in self.moves():
            child = self.copy()
            child.play(name, board)
            total += child.perft(depth - 1)
        return total


def agree(game: Go, state: bytes, oracle: Oracle) -> None:
    """Every answer about one position is the oracle's."""
    assert [game.action_text(state, move) for move in game.actions(state)] == [name for name, _ in oracle.moves()]
    assert game.state_text(state).split()[:2] == ["/".join(oracle.board), oracle.mover]
    assert game.is_terminal(state) == oracle.is_over()
    assert game.player(state) == "XO".index(oracle.mover)
    assert game.utility(state, 0) == oracle.area() == -game.utility(state, 1)


SIZES = ["2", "3", "2x5", "5", "9"]


@pytest.mark.parametrize("size", SIZES)
def test_random_games_agree_with_the_oracle(size):
    game = Go(size)
    rng = random.Random(size)
    positions = 0
    while positions < 10_000 // len(SIZES):
        state, oracle = game.initial(), Oracle(game.rows, game.columns, game.facts.longest_game)
        while True:
            agree(game, state, oracle)
            positions += 1
            moves = oracle.moves()
            if not moves:
                break
            # A pass is rare, so that small boards fill up, are captured and come near to repeating themselves.
            place = rng.randrange(len(moves)) if rng.random() < 0.1 else rng.randrange(max(1, len(moves) - 1))
            state = game.result(state, game.actions(state)[place])
            oracle.play(*moves[place])


def test_a_19_by_19_game_agrees_with_the_oracle():
    game, oracle, rng = Go(19), Oracle(19, 19), random.Random(19)
    state = game.initial()
    for ply in range(500):
        if ply % 25 == 0:
            agree(game, state, oracle)
        name, board = rng.choice(oracle.moves()[:-1])
        state = game.result(state, game.action_from_text(state, name))
        oracle.play(name, board)


@pytest.mark.parametrize(("size", "depth"), [("2", 8), ("2x3", 5), ("3", 4), ("2x5", 3), ("9", 2)])
def test_perft_agrees_with_the_oracle(size, depth):
    game = Go(size)
    for plies in range(depth + 1):
        assert perft(game, depth=plies) == Oracle(game.rows, game.columns).perft(plies)


def test_perft_of_the_full_board():
    # Lines of four plies by their passes: none; one; two, at plies 1 3, 1 4, 2 4 or 3 4; three, at 1 3 4. The stones
    # of a line lie on different points. Not allowed is White's stone in a corner that Black's two stones surround: four
    # corners, two orders of the black stones, and before it a white stone on any of 78 other points, or a pass.
    lines = 81 * 80 * 79 * 78 + 4 * 81 * 80 * 79 + 4 * 81 * 80 + 81
    assert perft(load_game("go:size=9"), depth=4) == lines - 4 * 2 * (78 + 1)


# Rules by example -----------------------------------------------------------------------------------------------------


def play_all(game, text, state=None):
    state = game.initial() if state is None else state
    for name in text.split():
        state = game.result(state, game.action_from_text(state, name))
    return state


def rows(game, state):
    return game.state_text(state).split()[0]


def test_ko_and_superko():
    game = Go(5)
    state = game.state_from_text(".XO../XO.O./.XO../...../..... X")
    state = play_all(game, "C4", state)
    assert rows(game, state) == ".XO../X.XO./.XO../...../....."
    with pytest.raises(IllegalMove, match="B4"):
        play_all(game, "B4", state)
    state = play_all(game, "A1 E1", state)
    assert rows(game, play_all(game, "B4", state)) == ".XO../XO.O./.XO../...../O...X"


def test_a_long_cycle_is_refused():
    # Sending two, returning one: White gives two stones, Black takes them, White takes back one. Simple ko allows it.
    game, found = Go("2x3"), 0
    rng = random.Random(3)
    for _ in range(300):
        state, oracle = game.initial(), Oracle(2, 3)
        for _ in range(60):
            moves = oracle.moves()
            if not moves:
                break
            open_points = sum(line.count(".") for line in oracle.board)
            previous = oracle.seen[-2] if len(oracle.seen) > 1 else None
            for row in range(2):
                for column in range(3):
                    seen, oracle.seen = oracle.seen, []
                    board = oracle.after(row, column)
                    oracle.seen = seen
                    # Legal but for superko, and not the position before the last move.
                    found += board is not None and board in seen and board != previous
            assert len(game.actions(state)) == len(moves) <= open_points + 1
            name, board = rng.choice(moves[:-1] or moves)
            state = game.result(state, game.action_from_text(state, name))
            oracle.play(name, board)
    assert found > 50


def test_suicide_is_refused_and_capture_comes_first():
    game = Go(3)
    state = game.state_from_text(".X./X../... O")
    assert "A3" not in [game.action_text(state, action) for action in game.actions(state)]
    state = game.state_from_text(".XO/XO./O.. O")
    assert rows(game, play_all(game, "A3", state)) == "O.O/.O./O.."


def test_scores():
    for text, difference in (
        ("..X/.X./... X", 9),  # only Black touches the empty region
        (".XO/XXO/.X. X", 4),
        ("X.O/X.O/X.O X", 0),  # both touch it
        (".../.../... X", 0),
    ):
        board, mover = text.split()
        for komi, expected in ((0, difference), (2, difference - 2), (-1, difference + 1)):
            game = Go(3, komi=komi)
            state = game.state_from_text(f"{board} {mover} pass pass")
            assert game.is_terminal(state)
            assert game.utility(state, 0) == expected == -game.utility(state, 1)
    half = Go(3, komi=3.5)
    assert half.utility(half.state_from_text(".XO/XXO/.X. O pass pass"), 0) == 1  # by half a point
    assert half.utility(half.state_from_text("X.O/X.O/X.O O pass pass"), 0) == -4
    win = Go(3, komi=3.5, score="win")
    assert win.utility(win.state_from_text("X.O/X.O/X.O O pass pass"), 0) == -1
    assert win.facts.max_utility == 1


def test_the_game_ends_after_two_passes_or_at_the_limit():
    game = Go(3, moves=4)
    assert game.is_terminal(play_all(game, "pass pass"))
    assert not game.is_terminal(play_all(game, "A1 pass A2"))
    assert game.is_terminal(play_all(game, "A1 pass A2 B2"))


@pytest.mark.parametrize(("size", "value"), [("2", 1), ("2x3", 0), ("3", 9)])
def test_solved_boards(size, value):
    result = search(Go(size), simulations=3_000_000, mib=200)
    assert (result.value, result.bound) == (value, "exact")


# Text -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", ["2", "2x5", "9"])
def test_positions_as_text_keep_the_history(size):
    game, rng = Go(size), random.Random(size)
    for _ in range(10):
        state = game.initial()
        while not game.is_terminal(state):
            again = game.state_from_text(game.state_text(state))
            assert again == state
            state = game.result(state, rng.choice(game.actions(state)))
        assert game.state_from_text(game.state_text(state)) == state


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "3 rows of 3"),
        (".../... X", "3 rows of 3"),
        (".../.../.... X", "3 rows of 3"),
        ("XXX/XXX/XXX O", "no liberty"),
        ("OX./X../... O", "no liberty"),
        (".../.../... X pass pass pass", "3 rows of 3"),
        (".../.../... X pass move 0", "plies do not fit"),
        (".../.../... X move 200", "plies do not fit"),
        (".../.../... X seen 6a09e667f3bcc908", "twice"),
    ],
)
def test_bad_positions(text, message):
    with pytest.raises(BadInput, match=message):
        Go(3).state_from_text(text)


@pytest.mark.parametrize(
    "wrong", ["go:size=1", "go:20", "go:3x", "go:komi=0.25", "go:score=big", "go:moves=-1", "go:playouts=x"]
)
def test_bad_parameters(wrong):
    with pytest.raises(BadInput, match="go:"):
        load_game(wrong)


def test_the_kit_finds_nothing_wrong():
    check_game(load_game("go:size=3"))


# Playouts and the compiler --------------------------------------------------------------------------------------------


def pick_move(states, bits, out, weights):
    return playout_move(states[0], bits, out, weights[0])


def pick_allowed(states, pasts, bits, out, weights):
    begin_line(pasts[0])
    move = playout_move(states[0], bits, out, weights[0])
    return replace_forbidden(pasts[0], states[0], move, bits, out, weights[0])


def eye_at(states, cell, color):
    return is_eye(states[0], cell, color)


def score(states):
    return area(states[0])


def test_playout_moves_are_legal_and_fill_no_eye():
    game, rng = Go(5), random.Random(8)
    pick, eye, allowed = (game.rules.kernel(kernel) for kernel in (pick_move, eye_at, pick_allowed))
    out = np.zeros(game.facts.most_moves, np.int64)
    pasts = np.zeros(1, past_type(True, game.facts.longest_game))
    chosen, struck = set(), 0
    for _ in range(30):
        state = game.initial()
        while not game.is_terminal(state):
            structs, bits = game.structs(state), u64(rng.getrandbits(64))
            before = structs.tobytes()
            first = int(pick(structs, bits, out, game.w))
            open_past(pasts[0], [*game.past(state), game.key(state)])
            move = int(allowed(structs, pasts, bits, out, game.w))
            assert structs.tobytes() == before  # the test of a move leaves no trace
            assert move in game.actions(state)
            assert first == move or first not in game.actions(state)
            struck += first != move
            color = u64(game.player(state) + 1)
            if first and first == move:
                assert not eye(structs, u64(move), color)
            elif first == move:
                open_moves = [action for action in game.actions(state) if action]
                assert all(eye(structs, u64(action), color) for action in open_moves)
            chosen.add(move)
            state = game.result(state, move)
    assert len(chosen) == 26
    assert struck > 0


def test_playouts_of_all_moves_draw_every_legal_move_alike():
    game, rng = Go(5, playouts="all"), random.Random(2)
    # Black's suicide at A5 and the ko at C4 are among the empty cells; the pass is drawn like any move.
    state = play_all(game, "C4", game.state_from_text(".XO../XO.O./.XO../O..../..... X"))
    pick, out = game.rules.kernel(pick_allowed), np.zeros(game.facts.most_moves, np.int64)
    pasts = np.zeros(1, past_type(True, game.facts.longest_game))
    open_past(pasts[0], [*game.past(state), game.key(state)])
    draws = [int(pick(game.structs(state), pasts, u64(rng.getrandbits(64)), out, game.w)) for _ in range(20_000)]
    legal = game.actions(state)
    empty = sum(mark == "." for mark in rows(game, state))
    assert set(draws) == set(legal)
    assert len(legal) < empty + 1
    mean = len(draws) / len(legal)
    # Chi-squared over the legal moves: its mean is their number less one, its spread the root of twice that.
    spread = sum((draws.count(move) - mean) ** 2 / mean for move in legal)
    assert spread < len(legal) - 1 + 5 * (2 * (len(legal) - 1)) ** 0.5


def test_eyes():
    game = Go(5)
    state = game.state_from_text(".XO../XX.X./..X.X/...X./..... X")
    structs, eye = game.structs(state), game.rules.kernel(eye_at)
    cells = {game.action_text(state, action): action for action in game.actions(game.initial())}
    free = [game.action_text(state, action) for action in game.actions(state) if action]
    eyes = [name for name in free if eye(structs, u64(cells[name]), u64(1))]
    assert eyes == ["A5", "D3"]
    for text, is_one in (("..OX./..X.X/...X./...../..... X", 1), ("..OX./..X.X/..OX./...../..... X", 0)):
        assert eye(game.structs(game.state_from_text(text)), u64(cells["D4"]), u64(1)) == is_one


def test_uncompiled_and_with_bounds_checks():
    game = Go(3)
    expected = perft(game, depth=3)
    state = play_all(game, "B2 A1 pass C3 A2")
    score_kernel = game.rules.kernel(score)
    with compiler(jit=False):
        assert perft(game, depth=3) == expected
        assert play_all(Go(3), "B2 A1 pass C3 A2") == state
        slow_score = score_kernel(game.structs(state))
    with compiler(boundscheck=True):
        assert perft(game, depth=3) == expected
        assert play_all(Go(3), "B2 A1 pass C3 A2") == state
        assert score_kernel(game.structs(state)) == slow_score


def test_two_fresh_processes_play_alike(tmp_path):
    code = "from gametree.games.go import Go; from gametree.kernels.perft import perft; g = Go(3); s = g.initial(); "
    code += (
        "s = g.result(s, g.actions(s)[4]); print(perft(g, s, depth=3), g.state_text(s), g.evaluate(s, 0), g.actions(s))"
    )
    environment = {**os.environ, "GAMETREE_CACHE_DIR": str(tmp_path)}
    answers = [
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300)
        for _ in range(2)
    ]
    assert [answer.returncode for answer in answers] == [0, 0], answers[1].stderr
    assert answers[0].stdout == answers[1].stdout != ""


def test_go_is_played_by_monte_carlo_search():
    """Beside alpha-beta on the area, which the engine could do as well, it is far stronger."""
    assert default_algorithm(load_game("go")) == "fast-mcts"
