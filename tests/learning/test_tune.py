"""Texel's method: the gradient is right, weights are found again, and a run that was stopped ends like any other."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from gametree import BadInput, load_game
from gametree.formats.pgn import write_game
from gametree.games.chess.terms import KNIGHT_CENTRE, MATERIAL, read_weights
from gametree.interfaces.cli import run
from gametree.learning import texel, tuning
from gametree.learning.labelled import _read_score, read_labelled
from gametree.learning.texel import Fit, Positions


@pytest.fixture(scope="module")
def game():
    return load_game("chess")


@pytest.fixture(scope="module")
def games(game, tmp_path_factory):
    """Games at random in which captures are liked; who has more men at the end has won, so that material matters."""
    rng = random.Random(4)
    texts = []
    for _ in range(30):
        state, moves = game.initial(), []
        while len(moves) < 70 and not game.is_terminal(state):
            noisy = game.noisy_actions(state)
            moves.append(rng.choice(noisy) if noisy and rng.random() < 0.5 else rng.choice(game.actions(state)))
            state = game.result(state, moves[-1])
        balance = dict(game.explain(state)).get("material", 0) if not game.is_terminal(state) else 0
        balance = balance if game.player(state) == 0 else -balance
        result = "1-0" if balance > 1 else "0-1" if balance < -1 else "1/2-1/2"
        texts.append(write_game(game, {"Result": result}, moves))
    file = tmp_path_factory.mktemp("games") / "games.pgn"
    file.write_text("\n".join(texts))
    return file


def made_up(seed: int = 1) -> tuple[Positions, np.ndarray, float]:
    """Positions with known weights: results are drawn with the chances that these give."""
    rng = np.random.default_rng(seed)
    count, features, scale = 40_000, 6, 0.01
    weights = rng.normal(0, 80, (features, 2))
    table = rng.integers(-2, 3, (count, features))
    shares = rng.random(count)
    shares = np.stack((shares, 1 - shares), axis=1).astype(np.float32)
    value = ((table @ weights) * shares).sum(axis=1)
    results = (rng.random(count) < 1 / (1 + np.exp(-scale * value))).astype(np.float32)
    positions = Positions(
        starts=np.arange(count + 1) * features,
        features=np.tile(np.arange(features, dtype=np.uint16), count),
        counts=table.astype(np.int16).ravel(),
        shares=shares,
        results=results,
        held_out=rng.random(count) < 0.1,
    )
    return positions, weights, scale


def test_the_gradient_is_the_slope_of_the_error():
    positions, weights, scale = made_up()
    gradient = np.zeros_like(weights)
    error, _ = texel._measure(positions, weights, scale, gradient)
    learned = ~positions.held_out
    chances = 1 / (1 + np.exp(-scale * texel.values(positions, weights)))
    assert error == pytest.approx(((chances - positions.results)[learned] ** 2).mean(), rel=1e-6)
    unused = np.zeros_like(weights)
    for feature, half in [(0, 0), (3, 1), (5, 0)]:
        moved = weights.copy()
        moved[feature, half] += 0.5
        above, _ = texel._measure(positions, moved, scale, unused)
        moved[feature, half] -= 1.0
        below, _ = texel._measure(positions, moved, scale, unused)
        assert gradient[feature, half] == pytest.approx(above - below, rel=1e-3)


def test_weights_and_scale_are_found_again():
    positions, weights, scale = made_up()
    assert texel.find_scale(positions, weights, 100) == pytest.approx(scale, rel=0.03)
    start = np.zeros_like(weights)
    fit = Fit(start, start.copy(), scale, np.zeros_like(start), np.zeros_like(start), [])
    for _ in range(600):
        texel.improve(fit, positions, np.zeros((0, 2), np.int64), spread=1e6)
    assert np.abs(fit.weights - weights).max() < 12
    assert fit.errors[-1][0] < fit.errors[0][0]
    assert fit.errors[-1][1] < fit.errors[0][1]


def test_weights_stay_where_they_began_and_near_their_neighbours_if_data_is_thin():
    positions, weights, scale = made_up()
    positions = Positions(
        starts=positions.starts[:31], features=positions.features, counts=positions.counts,
        shares=positions.shares[:30], results=positions.results[:30], held_out=np.zeros(30, np.bool_),
    )  # fmt: skip
    changes = {}
    for name, spread, roughness in [("free", 1e6, 1e6), ("held", 1, 1e6), ("smooth", 1e6, 0.1)]:
        fit = Fit(weights, weights.copy(), scale, np.zeros_like(weights), np.zeros_like(weights), [])
        for _ in range(100):
            texel.improve(fit, positions, np.array([[0, 1]]), spread=spread, roughness=roughness)
        changes[name] = fit.weights - weights
    fit = Fit(weights, weights.copy(), scale, np.zeros_like(weights), np.zeros_like(weights), [])
    texel.improve(fit, positions, np.array([[0, 1]]), fixed=(2, 4))
    assert np.flatnonzero((fit.weights == weights).all(axis=1)).tolist() == [2, 4]
    assert np.abs(changes["held"]).max() < np.abs(changes["free"]).max() / 5
    apart = {name: np.abs(change[0] - change[1]).max() for name, change in changes.items()}
    assert apart["smooth"] < apart["free"] / 5


def test_positions_are_quiet_and_counted_as_the_game_explains_them(game, games):
    linear = game.tuning()
    positions = texel.collect(linear, [games], per_game=8, validation=0.25, seed=3)
    assert positions.games == 30
    assert 60 < len(positions) <= 240
    assert 0 < positions.held_out.mean() < 0.6
    assert set(np.unique(positions.results)) <= {0, 0.5, 1}
    again = texel.collect(linear, [games], per_game=8, validation=0.25, seed=3)
    assert (again.features == positions.features).all()
    assert (again.results == positions.results).all()
    other = texel.collect(linear, [games], per_game=8, validation=0.25, seed=4)
    assert len(other.features) != len(positions.features) or (other.features != positions.features).any()


def test_a_noisy_position_is_not_taken(game):
    """Only what no capture can change is quiet: seen on a game with a piece that hangs at one moment."""
    linear = game.tuning()
    choose = game.rules.kernel(texel.choose_quiet, is_calm=linear.verbs["is_calm"])
    kind, most = game.rules.state_type, game.rules.constants["MOST_MOVES"]
    buffers = np.zeros(texel.DEEPEST, kind), np.zeros((texel.DEEPEST, most), np.int64)
    notes = np.zeros(1, game.rules.note_type)

    def taken(fen: str) -> bool:
        state = game.state_from_text(fen)
        line = np.array([game.actions(state)[0]], np.int64)
        return bool(choose(game.structs(state), line, np.ones(1, np.bool_), *buffers, np.zeros(1, kind), game.w, notes))

    assert taken("4k3/8/8/8/8/8/PPP5/4K3 w - - 0 1")
    assert not taken("4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1")  # the queen can be taken
    assert not taken("4k3/8/8/8/8/8/4r3/3RK3 w - - 0 1")  # White is in check


def test_single_positions_bring_the_result_that_somebody_expects(game, tmp_path):
    file = tmp_path / "positions.EPD"
    file.write_text(
        '# two that can be used\n4k3/8/8/8/8/8/PPP5/4K3 w - - c9 "0.875";\n\n4k3/pp6/8/8/8/8/8/4K3 b - - c9 "0-1";\n'
        '4k3/8/8/3q4/8/2N5/8/4K3 w - - c9 "1-0";\n'  # not quiet
        'no position\n4k3/8/8/8/8/8/8/4K2R w - -\n4k3/8/8/8/8/8/8/4K2R w - - c9 "1.5";\n'
    )
    positions = texel.collect(game.tuning(), [file])
    assert positions.games == 3
    assert positions.broken == 3
    assert positions.results.tolist() == [0.875, 0.0]
    assert (texel.values(positions, game.weights) > 0).tolist() == [True, False]
    wrong = [found for found in read_labelled(game, file) if isinstance(found, str)]
    assert [words[:7] for words in wrong] == ["Line 6:", "Line 7:", "Line 8:"]
    assert "c9 is '1.5'; expected 1-0, 1/2-1/2, 0-1 or a number between 0 and 1" in wrong[2]


@pytest.mark.parametrize("text", ["0", "0.25", ".5", "1", "1.000", "1/2-1/2"])
def test_scores_of_positions(text):
    assert _read_score([text]) == float({"1/2-1/2": "0.5"}.get(text, text))


@pytest.mark.parametrize("text", ["", ".", "2", "-0.5", "nan", "1.01", "win", "1e-3"])
def test_no_scores_of_positions(text):
    with pytest.raises(BadInput, match="The EPD operation c9 is"):
        _read_score([text])


def test_settled_weights_are_the_same_evaluation(game):
    linear = game.tuning()
    weights = np.random.default_rng(5).normal(0, 50, linear.weights.shape)
    settled = linear.settle(weights)
    assert settled[MATERIAL + 1].tolist() == [350, 320]
    assert settled[KNIGHT_CENTRE : KNIGHT_CENTRE + 64].min(axis=0) == pytest.approx([0, 0])
    positions = [
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
        "4k3/1nn5/8/8/3N4/8/8/4K3 w - - 0 1",
    ]
    from gametree.games.chess.explanation import ledger_of

    for text in positions:
        ledger, _, _ = ledger_of(game, game.structs(game.state_from_text(text)))
        difference = ledger[0] - ledger[1]
        assert difference @ settled == pytest.approx(difference @ weights)


# A run that can be stopped --------------------------------------------------------------------------------------------


def test_a_run_that_was_stopped_ends_like_one_that_was_not(game, games, tmp_path):
    whole = tuning.tune(game, [games], tmp_path / "whole.json", epochs=12, per_game=6)
    assert whole.fit.errors[-1][0] < whole.fit.errors[0][0]

    class Stop(Exception):
        pass

    def stop(what: str, done: int, total: int) -> None:
        if what == "tuning" and done == 5:
            raise Stop

    halves = tmp_path / "halves.json"
    with pytest.raises(Stop):
        tuning.tune(game, [games], halves, epochs=12, per_game=6, progress=stop)
    assert not halves.exists()
    rest = tuning.tune(game, [games], halves, epochs=12, per_game=6)
    assert rest.resumed == 5
    assert halves.read_text() == (tmp_path / "whole.json").read_text()
    assert rest.fit.errors == whole.fit.errors
    assert (read_weights(halves) == whole.weights.round()).all()

    # Further epochs go on from there; other settings begin anew; so does a damaged checkpoint.
    assert tuning.tune(game, [games], halves, epochs=14, per_game=6).resumed == 12
    assert tuning.tune(game, [games], halves, epochs=2, per_game=6, rate=2).resumed == 0
    (tmp_path / "halves.json.checkpoint.npz").write_bytes(b"no archive")
    assert tuning.tune(game, [games], halves, epochs=2, per_game=6, rate=2).resumed == 0


def test_categories_are_those_of_the_lectures():
    category = tuning.Category(1, 2, 100, won=0.72, drawn=0.08, lost=0.20)
    assert category.expected == pytest.approx(0.76)


def test_curves():
    errors = [(0.2, 0.3), (0.15, 0.26), (0.12, 0.25), (0.1, 0.25)]
    text = tuning.text_curves(errors, height=4)
    assert text.count("●") == text.count("○") == 4
    assert "0.30000" in text
    assert "4 epochs" in text
    assert "○" not in tuning.text_curves([(0.2, 0.0), (0.1, 0.0)])


# The command ----------------------------------------------------------------------------------------------------------


def test_command(games, tmp_path, capsys):
    output = tmp_path / "weights.json"
    plot = tmp_path / "curve.svg"
    arguments = [
        "tune",
        "chess",
        str(games),
        "-o",
        str(output),
        "--epochs",
        "6",
        "--per-game",
        "6",
        "--plot",
        str(plot),
    ]
    assert run(arguments) == 0
    text = capsys.readouterr().out
    for words in ("30 games", "Mean squared error", "expected", f"chess:weights={output}"):
        assert words in text.replace("\n", " ")
    assert plot.read_text().startswith("<?xml")
    assert run([*arguments, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["resumed"] == data["epochs"] == 6
    assert sum(row["positions"] for row in data["categories"]) == data["positions"]


@pytest.mark.parametrize(
    ("game", "text", "options", "words"),
    [
        ("chess", "", [], "holds no finished game"),
        ("chess", "\x00\x07 random 1. Qh9 {", [], "holds no finished game"),
        ("chess", '[Result "*"]\n\n1. e4 *\n', [], "holds no finished game"),
        ("chess", '[Result "1-0"]\n\n1. e4 e5 1-0\n', [], "no quiet position"),
        ("chess", "", ["--epochs", "0"], "0 epochs are not possible"),
        ("chess", "", ["--validation", "1"], "for validation is not possible"),
        ("chess", "", ["--rate", "0"], "A rate of 0 is not possible"),
        ("nim", "", [], "has no evaluation whose weights could be tuned"),
        ("chess:weights=none.json", "", [], "'none.json' cannot be read"),
    ],
)
def test_bad_input_is_one_sentence(game, text, options, words, tmp_path, capsys):
    file = tmp_path / "games.pgn"
    file.write_text(text)
    assert run(["tune", game, str(file), "-o", str(tmp_path / "weights.json"), *options]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert len([line for line in error.splitlines() if "compiling" not in line]) == 1


def test_a_file_that_is_not_there(game, tmp_path):
    with pytest.raises(BadInput, match=r"'.*missing\.pgn' cannot be read"):
        tuning.tune(game, [tmp_path / "missing.pgn"], tmp_path / "weights.json")
