"""Chess against python-chess on random positions, and its published numbers."""

from __future__ import annotations

import random
import types

import chess as oracle
import numpy as np
import pytest
from agreement import agree, random_game

from gametree import BadInput, Facts, GameError, IllegalMove, load_game
from gametree.games.chess import rules
from gametree.games.chess.board import KING
from gametree.games.chess.moves import captured_kind, from_square, moving_kind, promoted_kind
from gametree.games.chess.notation import uci
from gametree.games.chess.rules import STANDARD_START, Chess, back_rank
from gametree.kernels import Rules, compiler
from gametree.kernels.perft import perft
from gametree.kernels.verbs import (
    forcing_moves,
    gains,
    is_noisy,
    is_over,
    is_urgent,
    legal_moves,
    noisy_moves,
    pass_turn,
    utility,
)

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

PERFT = {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": [20, 400, 8902, 197281, 4865609, 119060324],
    KIWIPETE: [48, 2039, 97862, 4085603, 193690690],
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": [14, 191, 2812, 43238, 674624],
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": [6, 264, 9467, 422333],
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": [44, 1486, 62379, 2103487],
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": [46, 2079, 89890, 3894594],
}


@pytest.fixture(scope="module")
def game() -> Chess:
    return load_game("chess")


@pytest.mark.parametrize("position", PERFT)
def test_perft(game, position):
    state = game.state_from_text(position)
    numbers = PERFT[position]
    assert [perft(game, state, depth=depth) for depth in range(1, len(numbers) + 1)] == numbers


def test_random_positions_agree_with_python_chess(game):
    rng = random.Random(1)
    positions = 0
    seen = set()
    while positions < 1600:
        for state in random_game(game, rng, oracle.Board()):
            positions += 1
            seen.add(game.status(state))
    assert {"in play", "repetition"} <= seen


def test_random_endings_agree_with_python_chess(game):
    rng = random.Random(2)
    positions = 0
    seen = set()
    while positions < 400:
        board = oracle.Board(None)
        for square, piece in zip(rng.sample(range(64), 6), rng.choice(("KkQPpn", "KkQRRp")), strict=True):
            board.set_piece_at(square, oracle.Piece.from_symbol(piece))
        board.turn = rng.random() < 0.5
        board.halfmove_clock = rng.choice((0, 97, 98))
        if board.is_valid():
            for state in random_game(game, rng, board):
                positions += 1
                seen.add(game.status(state))
    assert {"dead position", "fifty moves", "checkmate"} <= seen


def test_random_chess960_agrees_with_python_chess(game):
    rng = random.Random(3)
    positions = 0
    while positions < 400:
        board = oracle.Board.from_chess960_pos(rng.randrange(960))
        # Empty ranks before the kings make castling frequent.
        for square in list(oracle.SquareSet(oracle.BB_RANK_1 | oracle.BB_RANK_8)):
            if board.piece_type_at(square) in (oracle.BISHOP, oracle.KNIGHT, oracle.QUEEN) and rng.random() < 0.6:
                board.remove_piece_at(square)
        for _ in random_game(game, rng, board):
            positions += 1
            if positions % 60 == 0:
                break


def test_the_960_set_ups():
    for number in (0, 1, 356, STANDARD_START, 959):
        letters = "".join(" PNBRQK"[kind] for kind in back_rank(number))
        assert letters == oracle.Board.from_chess960_pos(number).fen().split("/")[7].split()[0]
    assert len({back_rank(number) for number in range(960)}) == 960
    game = Chess(356)
    agree(game, game.initial(), oracle.Board.from_chess960_pos(356))
    with pytest.raises(BadInput, match="start=960"):
        Chess(960)
    with pytest.raises(BadInput, match="draws=never"):
        Chess(draws="never")


# Draws ----------------------------------------------------------------------------------------------------------------


def after(game: Chess, text: str, moves: str) -> bytes:
    state = game.state_from_text(text)
    for move in moves.split():
        state = game.result(state, game.action_from_text(state, move))
    return state


def test_threefold_repetition_ends_the_game_and_two_do_not(game):
    shuffle = "Nf3 Nf6 Ng1 Ng8 "
    state = after(game, "startpos", shuffle)
    assert (game.repetitions(state), game.status(state)) == (2, "in play")
    state = after(game, "startpos", 2 * shuffle)
    assert (game.repetitions(state), game.status(state)) == (3, "repetition")
    assert game.actions(state) == ()
    assert game.is_terminal(state)
    assert game.utility(state, 0) == 0
    with pytest.raises(IllegalMove, match="the game is over"):
        game.action_from_text(state, "e4")
    assert game.state_from_text(game.state_text(state)) == state
    # The same position through another history is another state, but with the same key.
    assert game.key(state) == game.key(game.initial())
    assert state != game.initial()


def test_a_lost_right_makes_another_position(game):
    start = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    state = after(game, start, "Rb1 Rb8 Ra1 Ra8 Rb1 Rb8 Ra1 Ra8")
    assert game.repetitions(state) == 2


def test_automatic_draws():
    game = Chess(draws="automatic")
    shuffle = "Nf3 Nf6 Ng1 Ng8 "
    assert game.status(after(game, "startpos", 3 * shuffle)) == "in play"
    assert game.status(after(game, "startpos", 4 * shuffle)) == "repetition"
    ending = "8/8/8/4k3/8/8/3R4/4K3 w - - {} 100"
    assert game.status(game.state_from_text(ending.format(149))) == "in play"
    assert game.status(game.state_from_text(ending.format(150))) == "75 moves"


def test_fifty_moves_and_mate_in_the_last_of_them(game):
    assert game.status(game.state_from_text("7k/8/8/8/8/8/R7/K7 w - - 99 90")) == "in play"
    assert game.status(after(game, "7k/8/8/8/8/8/R7/K7 w - - 99 90", "Rb2")) == "fifty moves"
    mated = after(game, "7k/8/6K1/8/8/8/8/R7 w - - 99 90", "Ra8")
    assert game.status(mated) == "checkmate"
    assert (game.utility(mated, 0), game.utility(mated, 1)) == (300, -300)


@pytest.mark.parametrize(
    ("position", "dead"),
    [
        ("8/8/4k3/8/8/4K3/8/8 w - - 0 1", True),
        ("8/8/4k3/8/8/4K2N/8/8 w - - 0 1", True),
        ("8/8/4k3/5b2/8/4K3/6B1/8 w - - 0 1", True),  # both bishops go on light squares
        ("8/8/4k3/5b2/8/4K3/5B2/8 w - - 0 1", False),
        ("8/8/4k3/5n2/8/4K3/6B1/8 w - - 0 1", False),
        ("8/8/4k3/8/8/4K2P/8/8 w - - 0 1", False),
        # Locked pawns: from edge to edge nobody gets through; with one file open the king walks round.
        ("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1", True),
        ("4k3/8/8/p1p1p3/P1P1P3/8/8/4K3 w - - 0 1", False),
        ("4k3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/8/4K3 w - - 0 1", True),
        ("4k3/8/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/4K3 b - - 0 1", True),
        ("4k3/8/8/1p1p1p2/pPpPpP2/P1P1P3/8/4K3 b - - 0 1", False),
    ],
)
def test_dead_positions(game, position, dead):
    assert (game.status(game.state_from_text(position)) == "dead position") == dead


def test_stalemate(game):
    state = game.state_from_text("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert game.status(state) == "stalemate"
    assert game.utility(state, 0) == game.utility(state, 1) == 0


# Verbs that the formal game does not call -----------------------------------------------------------------------------


def survey(states, out, found, weights):
    """What the verbs say of a position: moves, over, utility, noisy moves, whether a pass is allowed, hash after it."""
    s = states[0]
    found[0] = legal_moves(s, out, weights[0])
    found[1] = is_over(s, out, weights[0])
    found[2] = utility(s, weights[0]) if found[0] == 0 else 0
    for i in range(found[0]):
        if is_noisy(s, out[i], weights[0]):
            found[3] += 1
            found[6] += gains(s, out[i], 0, weights[0])
    found[4] = noisy_moves(s, out, weights[0])
    found[7] = is_urgent(s, weights[0])
    states[1] = s
    found[5] = pass_turn(states[1], weights[0])


def list_forcing(states, out, weights):
    return forcing_moves(states[0], out, weights[0])


def test_forcing_moves_are_the_quiet_checks(game):
    """All quiet moves that give check, but for the king's, those of pinned pieces, and promotions."""
    rng = random.Random(6)
    kernel = game.rules.kernel(list_forcing)
    out = np.empty(256, np.int64)
    seen = 0
    for _ in range(150):
        state = game.initial()
        for _ in range(rng.randrange(10, 120)):
            if not game.actions(state):
                break
            if not game.in_check(state):
                found = set(out[: kernel(game.structs(state), out, game.w)].tolist())
                board = oracle.Board(game.fen(state))
                wanted = {
                    action
                    for action in game.actions(state)
                    if captured_kind(action) == 0
                    and promoted_kind(action) == 0
                    and moving_kind(action) != KING
                    and game.in_check(game.result(state, action))
                    and not board.is_pinned(board.turn, int(from_square(action)))
                }
                assert found == wanted
                seen += len(wanted)
            state = game.result(state, rng.choice(game.actions(state)))
    assert seen > 300


def test_verbs_agree_with_each_other(game):
    rng = random.Random(5)
    kernel = game.rules.kernel(survey)
    out = np.empty(256, np.int64)
    overs = 0
    for _ in range(60):
        state = game.initial()
        while True:
            found = np.zeros(8, np.int64)
            structs = game.structs(state, 2)
            kernel(structs, out, found, game.w)
            repeated = game.repetitions(state) >= 3
            assert (found[0] == 0) == bool(found[1])
            assert game.is_terminal(state) == (found[1] == 1 or repeated)
            if found[1] and not repeated:
                assert found[2] == game.utility(state, game.player(state))
                overs += 1
            assert found[3] == found[4]  # what is searched first is what quiescence follows
            assert set(game.noisy_actions(state)) <= set(out[: found[4]].tolist())
            assert len(game.noisy_actions(state)) == found[6]
            assert game.in_check(state) == bool(found[7])
            if found[5]:
                assert not game.in_check(state)
                assert structs[1].seat == 1 - structs[0].seat
            if game.is_terminal(state):
                break
            state = game.result(state, rng.choice(game.actions(state)))
    assert overs > 20


@pytest.mark.parametrize(
    ("position", "move", "gain"),
    [
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "Rxe5", True),
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "Nxe5", False),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "exd5", True),
        ("4k3/2p5/3p4/8/8/8/8/3QK3 w - - 0 1", "Qxd6", False),
        ("3rk3/3r4/8/3p4/8/3R4/3R4/3QK3 w - - 0 1", "Rxd5", True),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=Q+", True),
        ("r3k3/1P6/8/8/8/8/8/4K3 w - - 0 1", "bxa8=Q+", True),
    ],
)
def test_exchanges(game, position, move, gain):
    state = game.state_from_text(position)
    assert (game.action_from_text(state, move) in game.noisy_actions(state)) == gain


def test_the_hash_is_kept_up_to_date(game):
    """`play` changes it step by step; reading the FEN computes it from nothing."""
    rng = random.Random(8)
    for number in (STANDARD_START, 0, 700):
        game_960 = Chess(number)
        for _ in range(6):
            state = game_960.initial()
            while not game_960.is_terminal(state):
                state = game_960.result(state, rng.choice(game_960.actions(state)))
                assert game_960.key(game_960.state_from_text(game_960.fen(state))) == game_960.key(state)


def test_uncompiled_rules_give_the_same_moves(game):
    for position in PERFT:
        state = game.state_from_text(position)
        with compiler(jit=False):
            moves, value = game.lenient_actions(state), game.evaluate(state, 0)
        assert moves == game.lenient_actions(state)
        assert value == game.evaluate(state, 0)


# The contract of repetition -------------------------------------------------------------------------------------------


def test_a_game_defines_both_verbs_of_repetition_or_none():
    def made(**verbs):
        module = types.ModuleType("half_a_game")
        vars(module).update(vars(rules))
        for name, verb in verbs.items():
            setattr(module, name, verb)
        return Rules(module, name="half", facts=Facts(most_moves=256), limits=(-1, 1), constants={})

    assert made().constants["HAS_REPETITION_KEY"]
    with pytest.raises(GameError, match="only one of repetition_key"):
        made(reversible_plies=None)
    with pytest.raises(GameError, match="images do not know"):
        made(mirror=lambda s, k: None)


def test_uci_names_castling_both_ways(game):
    state = game.state_from_text("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    castle = game.action_from_text(state, "O-O-O")
    assert (uci(castle), uci(castle, chess960=True)) == ("e1c1", "e1a1")
