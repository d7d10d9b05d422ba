"""Polyglot's keys and moves, against the published test positions and python-chess."""

from __future__ import annotations

import random

import chess as oracle
import chess.polyglot as oracle_polyglot
import numpy as np
import pytest

from gametree import load_game
from gametree.games.chess.notation import read_wish
from gametree.games.chess.polyglot import RANDOM, code_of, keys_of, replay_lines
from gametree.games.chess.rules import MOST_MOVES, Chess


@pytest.fixture(scope="module")
def game() -> Chess:
    return load_game("chess")


# Moves from the start → key, as the description of the format publishes them.
PUBLISHED = {
    "": 0x463B96181691FC9C,
    "e2e4": 0x823C9B50FD114196,
    "e2e4 d7d5": 0x0756B94461C50FB0,
    "e2e4 d7d5 e4e5": 0x662FAFB965DB29D4,
    "e2e4 d7d5 e4e5 f7f5": 0x22A48B5A8E47FF78,
    "e2e4 d7d5 e4e5 f7f5 e1e2": 0x652A607CA3F242C1,
    "e2e4 d7d5 e4e5 f7f5 e1e2 e8f7": 0x00FDD303C946BDD9,
    "a2a4 b7b5 h2h4 b5b4 c2c4": 0x3C8123EA7B067637,
    "a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3": 0x5C3F9B829B279560,
}


@pytest.mark.parametrize(("moves", "key"), PUBLISHED.items())
def test_published_keys(game, moves, key):
    state = game.state_from_text(f"startpos moves {moves}")
    assert keys_of(game, state) == [key]


def test_the_table_is_the_published_one():
    assert len(RANDOM) == len(set(RANDOM.tolist())) == 781
    assert (RANDOM[0], RANDOM[780]) == (0x9D39247E33776D41, 0xF8D626AAAF278509)


def replay(game: Chess, start: bytes, words: list[str]) -> tuple[list[int], list[int], int]:
    """Exact keys before every move, codes of the moves, and how many were legal."""
    wishes = np.array([read_wish(word) for word in words], np.int64)
    keys, codes = np.zeros(len(words), np.uint64), np.zeros(len(words), np.int64)
    played = np.zeros(1, np.int64)
    kernel = game.rules.kernel(replay_lines)
    ends = np.array([len(words)], np.int64)
    kernel(game.structs(start), np.empty(MOST_MOVES, np.int64), wishes, ends, keys, codes, played)
    return keys.tolist(), codes.tolist(), int(played[0])


def entry_move(board: oracle.Board, move: oracle.Move) -> int:
    """The code of a move by the format's definition; python-chess has castling as the king takes the rook in 960."""
    to = move.to_square
    if board.is_castling(move) and not board.chess960:
        to = board.rooks & board.occupied_co[board.turn] & oracle.BB_SQUARES[to | 7 if to % 8 == 6 else to & ~7]
        to = to.bit_length() - 1
    return to | move.from_square << 6 | ((move.promotion or 1) - 1) << 12


@pytest.mark.parametrize("chess960", [False, True])
def test_random_games_against_python_chess(game, chess960):
    """A thousand positions each, with all castling rights and captures in passing that come about."""
    rng = random.Random(960 if chess960 else 518)
    positions = passing = 0
    while positions < 1000:
        number = rng.randrange(960) if chess960 else 518
        board = oracle.Board.from_chess960_pos(number) if chess960 else oracle.Board()
        state = start = game.state_from_text(board.shredder_fen() if chess960 else board.fen())
        words, keys, codes = [], [], []
        while not board.is_game_over() and board.ply() < 80 and not game.is_terminal(state):
            own = keys_of(game, state)
            key = oracle_polyglot.zobrist_hash(board)
            assert key in own
            if board.has_legal_en_passant() or not board.has_pseudo_legal_en_passant():
                assert own[0] == key
            passing += board.has_legal_en_passant()
            moves = list(board.legal_moves)
            # Pawns that move two, castling and promotions are preferred, or they would hardly come about.
            rare = [m for m in moves if board.is_castling(m) or board.is_en_passant(m) or m.promotion]
            pawns = board.pawns
            twice = [m for m in moves if pawns >> m.from_square & 1 and abs(m.to_square - m.from_square) == 16]
            move = rng.choice(rng.choice([rare or moves, twice or moves, moves]))
            keys.append(key)
            codes.append(entry_move(board, move))
            words.append(board.uci(move))
            action = game.find_move(state, words[-1])
            assert code_of(action) == codes[-1]
            state = game.result(state, action)
            board.push(move)
        assert replay(game, start, words) == (keys, codes, len(words))
        positions += len(words)
    assert passing > 10


def test_a_pinned_pawn_beside_the_one_that_moved_two_counts_in_the_key(game):
    fen = "4r2k/3p4/8/4P3/8/8/8/4K3 b - - 0 1"
    board = oracle.Board(fen)
    board.push_uci("d7d5")
    assert board.has_pseudo_legal_en_passant()
    assert not board.has_legal_en_passant()
    key = oracle_polyglot.zobrist_hash(board)
    start = game.state_from_text(fen)
    assert replay(game, start, ["d7d5", "e1e2"])[0][1] == key
    # The state has forgotten how the pawn came there, which changes no legal move: both keys are looked up.
    plain = oracle_polyglot.zobrist_hash(oracle.Board("4r2k/8/8/3pP3/8/8/8/4K3 w - - 0 2"))
    assert keys_of(game, game.state_from_text(f"{fen} moves d7d5")) == [plain, key]


def test_a_single_step_is_not_mistaken_for_two(game):
    state = game.state_from_text("7k/8/3p4/4P3/8/8/8/4K3 b - - 0 1 moves d5")
    assert keys_of(game, state) == [oracle_polyglot.zobrist_hash(oracle.Board("7k/8/8/3pP3/8/8/8/4K3 w - - 0 2"))]


def test_a_line_is_played_as_far_as_it_is_legal(game):
    start = game.initial()
    assert replay(game, start, ["e4", "e5", "Ke3", "e4"])[2] == 2
    assert replay(game, start, ["e4", "nonsense"])[2] == 1
