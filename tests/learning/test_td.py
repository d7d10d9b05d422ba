"""Learning by temporal differences: exact repetition, a gradient against differences, files of networks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from gametree.core.errors import BadInput
from gametree.core.registry import load_game
from gametree.interfaces.cli import app
from gametree.kernels.jit import jit
from gametree.kernels.network import LANES, add_inputs, change_inputs, network_struct, outputs_of
from gametree.kernels.network_file import read_header, read_network, write_network
from gametree.learning import td
from gametree.learning.td import Trainer, read_recipe
from gametree.learning.training import is_measured, train

RECIPE = {"recipe": "small", "hidden": 10}


@pytest.fixture(scope="module")
def game() -> Any:
    return load_game("backgammon")


def small_net(rng: Any) -> Any:
    net = np.zeros(1, network_struct(6, 4, 1))
    net["inputs"], net["hidden"], net["kinds"] = 6, 4, 1
    for name in ("first", "bias", "second", "last"):
        net[name] = rng.normal(0, 0.5, net[name].shape)
    return net


def plain_outputs(net: Any, x: Any) -> Any:
    sums = net["bias"][0, 0] + x @ net["first"][0, 0]
    return 1 / (1 + np.exp(-(net["last"][0, 0] + (sums / (1 + np.abs(sums))) @ net["second"][0, 0])))


@jit
def outputs_by_change(nets: Any, old: Any, new: Any, sums: Any, out: Any) -> None:
    add_inputs(nets[0], 0, old, sums)
    change_inputs(nets[0], 0, old, new, sums)
    outputs_of(nets[0], 0, sums, out)


def test_outputs_are_those_of_the_plain_formula() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        net = small_net(rng)
        old, new = (rng.integers(0, 2, 6).astype(np.float32) for _ in range(2))
        out = np.zeros(LANES, np.float32)
        outputs_by_change(net, old, new, np.zeros(4, np.float32), out)
        assert out == pytest.approx(plain_outputs(net, new), abs=1e-6)


def test_a_step_follows_the_gradient_of_the_cross_entropy() -> None:
    rng = np.random.default_rng(2)
    net, x = small_net(rng), rng.integers(0, 2, 6).astype(np.float32)
    x[0] = 1
    target = np.zeros(LANES, np.float32)
    target[:1] = 0.3
    rate = 1e-3

    def loss(changed: Any) -> float:
        out = plain_outputs(changed, x.astype(np.float64))[0]
        return float(-target[0] * np.log(out) - (1 - target[0]) * np.log(1 - out))

    after = net.copy()
    out = np.zeros(LANES, np.float32)
    td.step_towards(after[0], 0, x, target, np.float32(rate), np.zeros(4, np.float32), np.zeros(4, np.float32), out)
    wide = np.zeros(1, [(name, "f8", net.dtype[name].shape) for name in ("first", "bias", "second", "last")])
    for name in wide.dtype.names or ():
        wide[name] = net[name]
    for name in wide.dtype.names or ():
        for place in np.ndindex(wide[name].shape):
            shifted = wide.copy()
            shifted[name][place] += 1e-5
            slope = (loss(shifted) - loss(wide)) / 1e-5
            step = (float(after[name][place]) - float(net[name][place])) / rate
            if name in ("second", "last") and place[-1] > 0:
                assert step == 0  # an output that the game does not have
            else:
                assert step == pytest.approx(-slope, abs=2e-3), (name, place)


def test_games_before_a_stop_and_after_it_are_those_of_one_run(game: Any, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.net", tmp_path / "parts.net"
    train(game, whole, games=300, seed=7, **RECIPE)
    train(game, parts, games=100, seed=7, **RECIPE)
    went_on = train(game, parts, games=300, seed=7, **RECIPE)
    assert went_on.resumed == 100
    assert whole.read_bytes() == parts.read_bytes()
    assert [measure.games for measure in went_on.curve] == [0, 100, 200, 300]
    other = tmp_path / "other.net"
    train(game, other, games=300, seed=8, **RECIPE)
    assert read_header(other)["checksum"] != read_header(whole)["checksum"]


def test_it_learns(game: Any) -> None:
    trainer = Trainer(game.learning(), read_recipe(game.learning(), "classic"), seed=1)
    before = trainer.measure(50)
    trainer.learn(1500)
    after = trainer.measure(50)
    assert before.points < -1
    assert after.points > before.points + 0.8


def test_what_was_learned_plays(game: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.net"
    train(game, file, games=100, **RECIPE)
    own = load_game(f"backgammon:weights={file}")
    assert own.chances(own.state_from_text("4HPwATDgc/ABMA")) != game.chances(game.state_from_text("4HPwATDgc/ABMA"))


def test_measures_come_at_round_numbers() -> None:
    assert [games for games in range(0, 3000, 100) if is_measured(games)] == [0, 100, 200, 500, 1000, 2000]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "Nothing says how long"),
        ({"minutes": 0}, "minutes=0 is not possible"),
        ({"games": 5}, "games=5 is too few"),
        ({"games": 100, "seed": -1}, "seed=-1 is not possible"),
        ({"games": 100, "recipe": "clasic"}, "no recipe 'clasic'. Did you mean 'classic'"),
        ({"games": 100, "hidden": 500}, "500 hidden units are not possible; expected 1 to 128"),
    ],
)
def test_numbers_out_of_range(game: Any, tmp_path: Path, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        train(game, tmp_path / "x.net", **options)
    assert not list(tmp_path.iterdir())


def test_a_game_that_cannot_be_learned(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nim does not say how it could be learned; backgammon does"):
        train(load_game("nim"), tmp_path / "x.net", games=100)


def test_an_output_of_another_training_is_kept(game: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.net"
    train(game, file, games=100, **RECIPE)
    before = file.read_bytes()
    with pytest.raises(BadInput, match="comes from another recipe or seed"):
        train(game, file, games=100, seed=2, **RECIPE)
    assert file.read_bytes() == before


def test_files_that_are_not_networks_of_the_game(game: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.net"
    kind = game.rules.weights_type
    write_network(file, "backgammon", game.w)
    good = file.read_bytes()
    assert read_network(file, "backgammon", kind).tobytes() == game.w.tobytes()
    for content, sentence in (
        (b"hello", "is not a network"),
        (b"GTNET 1\n{", "broken header"),
        (good[:-1], "expected .* in"),
        (good[:5000] + bytes([good[5000] ^ 1]) + good[5001:], "is damaged"),
        (good.replace(b'"backgammon"', b'"checkers"  ', 1), "is of checkers; expected one of backgammon"),
    ):
        file.write_bytes(content)
        with pytest.raises(BadInput, match=sentence):
            read_network(file, "backgammon", kind)
    with pytest.raises(BadInput, match="cannot be read"):
        load_game(f"backgammon:weights={tmp_path / 'none.net'}")
    write_network(file, "backgammon", np.zeros(1, network_struct(3, 2, 1)))
    with pytest.raises(BadInput, match="has room for"):
        read_network(file, "backgammon", kind)


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "a.net"
    line = ["train", "backgammon", "--recipe", "small", "--hidden", "10", "--games", "200", "-o", str(file)]
    found = CliRunner().invoke(app, [*line, "--json"])
    assert found.exit_code == 0, found.output
    data = json.loads(found.output)
    assert data["games"] == 200
    assert [row["games"] for row in data["curve"]] == [0, 100, 200]
    again = CliRunner().invoke(app, line)
    assert "Went on after 200 games." in again.output
    assert "points a game" in again.output
