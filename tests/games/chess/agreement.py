"""Is gametree's chess python-chess's? Shared by the tests and the nightly benchmark."""

from __future__ import annotations

import random
from typing import Any

import chess as oracle

from gametree.games.chess.notation import uci
from gametree.games.chess.rules import Chess

__all__ = ["agree", "random_game"]


def status_of(board: oracle.Board) -> str:
    """python-chess's verdict in gametree's words; draws that may be claimed are claimed."""
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    if board.is_repetition(3):
        return "repetition"
    if board.is_fifty_moves():
        return "fifty moves"
    return "dead position" if board.is_insufficient_material() else "in play"


def agree(game: Chess, state: bytes, board: oracle.Board) -> None:
    """Every answer about one position is the oracle's."""
    text = game.state_text(state)
    fen = board.fen()
    assert game.fen(state) == fen
    assert game.state_from_text(text) == state, text
    moves = {uci(move, chess960=board.chess960): move for move in game.lenient_actions(state)}
    assert sorted(moves) == sorted(board.uci(move) for move in board.legal_moves), fen
    assert game.in_check(state) == board.is_check(), fen
    status = game.status(state)
    # Locked pawns are dead too, which python-chess does not see.
    if not (status == "dead position" and board.pawns):
        assert status == status_of(board), fen
    assert game.is_terminal(state) == (status != "in play"), fen
    assert min(game.repetitions(state), 3) == 1 + board.is_repetition(2) + board.is_repetition(3), fen
    if status == "checkmate":
        assert game.utility(state, board.turn) == 300, fen  # True is White, who then is mated: seat 1 has won
    elif status != "in play":
        assert game.utility(state, 0) == game.utility(state, 1) == 0, fen
    for move in board.legal_moves:
        name = board.san(move)
        mine = moves[board.uci(move)]
        assert game.action_text(state, mine) == name, fen
        assert game.find_move(state, name) == mine, fen
        assert game.find_move(state, board.lan(move)) == mine, fen
        assert game.find_move(state, board.uci(move)) == mine, fen


def mates(board: oracle.Board, move: oracle.Move) -> bool:
    """Whether the move is mate."""
    board.push(move)
    mate = board.is_checkmate()
    board.pop()
    return mate


def choose(board: oracle.Board, rng: random.Random) -> oracle.Move:
    """A random move; now and then mate, or back to where a piece came from, so that games end in all ways."""
    moves = list(board.legal_moves)
    mating = [move for move in moves if board.gives_check(move) and mates(board, move)]
    if mating and rng.random() < 0.6:
        return mating[0]
    if len(board.move_stack) >= 2 and rng.random() < 0.35:
        last = board.move_stack[-2]
        back = [move for move in moves if (move.from_square, move.to_square) == (last.to_square, last.from_square)]
        if back:
            return back[0]
    forcing = [move for move in moves if board.is_capture(move) or move.promotion]
    return rng.choice(forcing if forcing and rng.random() < 0.3 else moves)


def random_game(game: Chess, rng: random.Random, board: oracle.Board) -> Any:
    """Positions of one random game, each compared; yields how many there are as they come."""
    state = game.state_from_text(board.fen())
    while True:
        agree(game, state, board)
        yield state
        if game.is_terminal(state):
            return
        move = choose(board, rng)
        state = game.result(state, game.action_from_text(state, board.uci(move)))
        board.push(move)
