"""The engine on chess: sound where it must be, mates in the fewest moves, draws by repetition, wishes at the root."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gametree import BadInput, load_algorithm, load_game
from gametree.core.clock import Clock
from gametree.games.chess.rules import hash_state, move_class, play
from gametree.kernels.transposition import LOWER, entry_depth, pack, probe, store
from gametree.search.compiled.engine import Engine, EngineParameters, search
from gametree.search.compiled.engine.context import LAGS, SLOTS
from gametree.search.compiled.engine.move_order import learn_from_child, learn_from_estimates, learn_from_table
from gametree.search.compiled.engine.values import CORRECTION_STEP, MOST_CORRECTION, judge, note_error


@pytest.fixture(scope="module")
def game():
    return load_game("chess")


@pytest.fixture(scope="module")
def engine(game):
    return Engine(game, table_mib=4)


def random_positions(game, count, seed):
    """Positions of random games, not over, some of them close to the end."""
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        state = game.initial()
        for _ in range(rng.randrange(80)):
            if not game.actions(state):
                break
            state = game.result(state, rng.choice(game.actions(state)))
        if game.actions(state):
            found.append(state)
    return found


@pytest.mark.parametrize(
    "changes", [{}, {"driver": "mtdf"}, {"table": False, "aspiration": 0}, {"sooner": False}, {"feedback": 40}]
)
def test_sound_switches_keep_the_minimax_value(game, changes):
    engine = Engine(game, parameters=EngineParameters.sound(**changes), table_mib=1)
    for state in random_positions(game, 6, seed=11):
        for depth in (1, 2, 3):
            expected = load_algorithm("alphabeta")[1](game, state, depth=depth).value
            assert engine.search(state, depth=depth).value == pytest.approx(expected)


def test_plain_visits_the_nodes_of_the_readable_alphabeta(game):
    engine = Engine(game, parameters=EngineParameters.plain(), table_mib=1)
    for state in random_positions(game, 6, seed=12):
        expected = load_algorithm("alphabeta")[1](game, state, depth=3)
        found = engine.search(state, depth=3)
        assert (found.nodes, found.leaves, found.pv) == (expected.nodes, expected.leaves, expected.pv)


@pytest.mark.parametrize(
    ("position", "depth", "mate"),
    [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", 6, 1),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", 6, 1),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 10, 3),
        ("8/8/8/8/8/2k5/1q6/K7 w - - 0 1", 3, None),  # mated already
        ("k7/8/1K6/8/8/8/8/7R b - - 0 1", 8, -1),
    ],
)
def test_mates_in_the_fewest_moves(game, engine, position, depth, mate):
    engine.forget()
    state = game.state_from_text(position)
    result = engine.search(state, depth=depth)
    if mate is None:
        assert result.value == -300
        return
    assert result.details["mate"] == mate
    assert result.value == (300 if mate > 0 else -300)
    assert len(result.pv) == (2 * mate - 1 if mate > 0 else -2 * mate)
    for move in result.pv:
        state = game.result(state, move)
    assert game.status(state) == "checkmate"


def test_a_lost_side_takes_the_draw_by_repetition(game, engine):
    engine.forget()
    # White, far behind, checks for ever on e8 and h5.
    state = game.state_from_text("6k1/6p1/8/7Q/8/8/qr4PP/7K w - - 0 1")
    result = engine.search(state, depth=9)
    assert result.value == 0
    assert game.action_text(state, result.move) == "Qe8+"


def test_the_winning_side_does_not_repeat(game, engine):
    """The quickest-looking move leads to a position that has stood twice; the engine knows the game before the root."""
    engine.forget()
    state = game.state_from_text("7k/8/8/8/8/8/R7/K7 w - - 0 1")
    for move in ["Ra8+", "Kh7", "Ra7+", "Kh8", "Ra8+", "Kh7", "Ra7+", "Kh8"]:
        state = game.result(state, game.action_from_text(state, move))
    assert game.repetitions(state) == 2
    checked = game.result(state, game.action_from_text(state, "Ra8+"))
    assert game.is_terminal(checked)
    result = engine.search(state, depth=6)
    assert game.action_text(state, result.move) != "Ra8+"
    assert result.value > 3


def test_wishes_at_the_root(game, engine):
    engine.forget()
    state = game.state_from_text("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1")
    wish = game.action_from_text(state, "Ra7")
    result = engine.search(state, depth=4, moves=[wish])
    assert result.move == wish
    assert result.details["mate"] != 1
    # What was found for the one move is not taken for the value of the position.
    assert engine.search(state, depth=4).details["mate"] == 1
    two = [wish, game.action_from_text(state, "Ke2")]
    lines = engine.search(state, depth=3, moves=two, lines=5).details["lines"]
    assert {line["pv"][0] for line in lines} == {"Ra7", "Ke2"}
    with pytest.raises(BadInput, match="not legal"):
        engine.search(state, moves=[123456])


def test_the_same_answer_in_a_second_search(game):
    state = game.state_from_text("r2q1rk1/1b2bppp/p2ppn2/1pn5/3NP3/1BN1B3/PPP1QPPP/R4RK1 w - - 0 13")
    first = Engine(game, table_mib=4).search(state, depth=8)
    second = Engine(game, table_mib=4).search(state, depth=8)
    assert (first.value, first.pv, first.nodes) == (second.value, second.pv, second.nodes)


def test_progress_tells_of_every_depth(game, engine):
    engine.forget()
    reports = []
    engine.search(depth=9, progress=reports.append)
    depths = [report["depth"] for report in reports]
    assert depths == sorted(depths)
    for report in reports:
        assert report["nodes"] > 0
        assert 0 <= report["hashfull"] <= 1000
        assert report["seldepth"] >= 1
        assert report["lines"][0]["line"] == report["line"]


def correct(contexts, states, errors, found):
    """For the test below, compiled: note the errors for the first state, then judge all."""
    for i in range(errors.shape[0]):
        note_error(states[0], errors[i], np.int64(8), contexts[0])
    for i in range(states.shape[0]):
        contexts[0].frames[0].state = states[i]
        found[i] = judge(np.int64(0), contexts[0])


def test_estimates_are_corrected_where_the_pawns_are_the_same(game):
    texts = (
        "4k3/pp6/8/8/8/8/PP6/3QK3 w - - 0 1",
        "4k3/pp6/8/8/8/8/PP6/2R1K3 w - - 0 1",  # the same pawns
        "4k3/p7/8/8/8/8/PP6/2R1K3 w - - 0 1",  # others
        "4k3/pp6/8/8/8/8/PP6/2R1K3 b - - 0 1",  # the other side to move
    )
    states = np.concatenate([game.structs(game.state_from_text(text)) for text in texts])
    plain = [
        round(100 * game.evaluate(game.state_from_text(text), seat))
        for text, seat in zip(texts, (0, 0, 0, 1), strict=True)
    ]
    for errors, sign in (((), 0), ((200,) * 5, 1), ((-200,) * 50, -1)):
        contexts = np.zeros(1, Engine(game, table_mib=1)._contexts.dtype)
        contexts["switches"]["correction"] = 1
        contexts["weights_at"] = game.w.ctypes.data
        found = np.zeros(len(texts), np.int64)
        game.rules.kernel(correct)(contexts, states, np.array(errors, np.int64), found)
        shifts = [int(a) - b for a, b in zip(found, plain, strict=True)]
        assert shifts[0] == shifts[1]
        assert shifts[2:] == [0, 0]
        assert (shifts[0] > 0) - (shifts[0] < 0) == sign
        assert abs(shifts[0]) <= MOST_CORRECTION // CORRECTION_STEP + 1


def test_a_limit_of_nodes_is_kept_among_captures(game):
    """Most nodes of chess are visited by quiescence search, which must count, too."""
    for nodes in (1, 50, 999, 5000):
        assert search(game, clock=Clock(nodes=nodes), table_mib=1).nodes <= nodes + 1


def test_trades_that_are_left_out_are_not_said_to_gain_nothing(game):
    """White's rook will take a knight, which is far too little for the window: Black must not call that a draw."""
    state = game.state_from_text("4k3/8/8/n3R2n/8/8/8/4K3 b - - 0 1")
    parameters = EngineParameters.of(game, delta_margin=100)
    value = Engine(game, table_mib=1, parameters=parameters).search(state, depth=1).value
    far_above = (10 - value, 10.01 - value)
    at_least = Engine(game, table_mib=1, parameters=parameters).search(state, depth=1, window=far_above).value
    assert at_least <= value < 0


def test_what_a_deep_search_left_survives_a_shallow_one(game):
    """A bound in the table does not give way to another of the same state that is much less deep."""
    engine = Engine(game, table_mib=1)
    state = game.state_from_text("rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/RNBQKBNR b KQkq - 0 1")  # after a poor move
    key = hash_state(game.structs(state)[0])
    for depth, left in ((20, 20), (5, 4)):
        engine.forget()
        store(engine.table, len(engine.table), key, pack(-9000, depth, LOWER, 0, -1, 0))
        engine.search(depth=5)
        assert entry_depth(probe(engine.table, len(engine.table), key)) == left


def test_what_was_learned_about_moves_lives_on(game):
    engine = Engine(game, table_mib=4)
    engine.search(depth=6)
    learned = engine._contexts["history"].copy()
    assert np.count_nonzero(learned) > 50
    engine.search(depth=1)
    assert np.array_equal(engine._contexts["history"], learned)


FROM_TABLE, FROM_ESTIMATES, FROM_GOOD_CHILD, FROM_REFUTATION = range(4)


def teach(contexts, moves, number, lesson, before, after):
    """For the tests below, compiled: play the moves from frame 0 on, then learn in the last frame, but for the table's
    lesson, which is about the last move in the frame before it."""
    ctx = contexts[0]
    last = np.int64(moves.shape[0])
    for i in range(last):
        frame, child = ctx.frames[i], ctx.frames[i + 1]
        child.state = frame.state
        play(child.state, moves[i])
        child.move = moves[i]
        child.kind = np.int64(move_class(moves[i]))
    ctx.frames[last].place = number
    side = last & 1
    if lesson == FROM_TABLE:
        learn_from_table(ctx, last - 1, 1 - side, np.int64(moves[last - 1]), np.int64(4))
    elif lesson == FROM_ESTIMATES:
        learn_from_estimates(ctx, last, side, np.int64(before), np.int64(after))
    else:
        learn_from_child(ctx, last, side, lesson == FROM_REFUTATION, np.int64(4))


def learned(game, texts, lesson, *, number=0, before=0, after=0):
    """What the lesson changed: the history of the last move, and the histories after each of the moves before it."""
    contexts = np.zeros(1, Engine(game, table_mib=1)._contexts.dtype)
    contexts["switches"]["feedback"] = 40
    state, moves = game.initial(), []
    contexts[0]["frames"][0]["state"] = game.structs(state)[0]
    for text in texts:
        moves.append(game.action_from_text(state, text))
        state = game.result(state, moves[-1])
    numbers = number, lesson, before, after
    game.rules.kernel(teach)(contexts, np.array(moves, np.int64), *numbers)
    history, follow_up = contexts[0]["history"], contexts[0]["follow_up"]
    mover = 1 - len(moves) % 2
    found = [int(history[mover, moves[-1] & (SLOTS - 1)])]
    for i, lag in enumerate(LAGS):
        back = len(moves) - 2 - lag
        found.append(int(follow_up[i, move_class(moves[back]), move_class(moves[-1])]) if back >= 0 else 0)
    # Nothing else was touched.
    assert np.count_nonzero(history) + np.count_nonzero(follow_up) == np.count_nonzero(found)
    return found


QUIET = ["e4", "e5", "Nf3", "Nc6", "Bc4"]
NOISY = ["e4", "d5", "exd5"]
BONUS = 16 * 4 * 4 + 300 * 4 - 200


def test_histories_learn_what_the_table_knows(game):
    assert learned(game, QUIET, FROM_TABLE) == [BONUS] * 4
    assert learned(game, QUIET[:2], FROM_TABLE) == [BONUS, BONUS, 0, 0]
    assert learned(game, NOISY, FROM_TABLE) == [0] * 4


@pytest.mark.parametrize(
    ("before", "after", "bonus"),
    [(20, 20, 0), (20, -10, 600), (20, 50, -600), (0, -1000, 1500), (0, 1000, -1500)],
)
def test_histories_learn_from_estimates(game, before, after, bonus):
    assert learned(game, QUIET, FROM_ESTIMATES, before=before, after=after) == [bonus, 0, 0, 0]
    assert learned(game, NOISY, FROM_ESTIMATES, before=before, after=after) == [0] * 4


def test_histories_learn_from_what_became_of_the_move_before(game):
    assert learned(game, QUIET, FROM_GOOD_CHILD, number=7) == [BONUS] * 4
    assert learned(game, QUIET, FROM_REFUTATION) == [0, -BONUS, -BONUS, -BONUS]
    # That a late move is refuted was expected; and captures have no history.
    assert learned(game, QUIET, FROM_REFUTATION, number=1) == [0] * 4
    assert learned(game, NOISY, FROM_GOOD_CHILD) == [0] * 4
