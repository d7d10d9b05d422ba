"""`gametree explain`: terms that add up, and why one move is better than another."""

from __future__ import annotations

import json

import pytest

from gametree import BadInput, Facts, Game, load_game
from gametree.interfaces.cli import run
from gametree.play.explanation import compare, explain

FORK = "r3k3/pp6/8/3N4/8/8/PP6/4K3 w - - 0 1"  # Nc7+ wins the rook


def test_terms_add_up_to_the_estimate():
    game = load_game("chess")
    found = explain(game, game.state_from_text("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 2 3"))
    assert found.seat == 1
    assert found.value == game.evaluate(found.state, 1)
    assert sum(term.total for term in found.terms) == pytest.approx(found.value)
    assert all(sum(term.parts) == pytest.approx(term.total) for term in found.terms)
    assert {term.group for term in found.terms} >= {"material", "mobility", "king", "pawns", "knights"}
    assert next(term.weight for term in found.terms if term.name == "tempo").count("/") == 1
    assert "100 % middle game" in found.phase


def test_the_best_move_against_another():
    game = load_game("chess")
    state = game.state_from_text(FORK)
    named = game.action_from_text(state, "Nf6+")
    told = compare(game, state, named, depth=4)
    assert told.best.moves[0] == "Nc7+"
    assert told.named is not None
    assert told.named.moves[0] == "Nf6+"
    assert told.named.move == named
    assert told.best.value > told.named.value + 2
    # Each line is played out from the position, and its end is where the moves lead.
    for line in (told.best, told.named):
        end = state
        for word in line.moves:
            end = game.result(end, game.action_from_text(end, word))
        assert end == line.end
    # Only one of the lines has won the rook.
    assert told.differences is not None
    assert told.differences[0][0] == "material"
    ends = [explain(game, line.end) for line in (told.best, told.named)]
    values = [found.value if found.seat == 0 else -found.value for found in ends]
    assert sum(value for _, value in told.differences) == pytest.approx(values[0] - values[1], abs=0.05)


def test_a_line_that_ends_the_game_has_no_terms():
    game = load_game("chess")
    state = game.state_from_text("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1")
    told = compare(game, state, game.action_from_text(state, "Ke2"), depth=2)
    assert told.best.moves == ("Ra8#",)
    assert told.differences is None
    assert compare(game, state, game.action_from_text(state, "Ra8"), depth=2).named is None


def test_lines_are_drawn_out_until_they_are_calm():
    game = load_game("chess")
    state = game.state_from_text("4k3/8/3p4/4p3/3P4/4P3/8/4K3 w - - 0 1")
    told = compare(game, state, game.action_from_text(state, "dxe5"), depth=2)
    line = told.best if told.best.moves[0] == "dxe5" else told.named
    assert line.moves[:2] == ("dxe5", "dxe5")


def test_a_game_without_terms_says_so():
    class Bare(Game):
        facts = Facts()
        name = "bare"

        def initial(self):
            return 0

        def player(self, state):
            return 0

        def actions(self, state):
            return () if state else (1,)

        def result(self, state, action):
            return action

        def is_terminal(self, state):
            return state == 1

        def utility(self, state, player):
            return 0

    with pytest.raises(BadInput, match="bare does not say what its estimate is made of"):
        explain(Bare(), 0)


# The command ----------------------------------------------------------------------------------------------------------


def test_command(capsys):
    assert run(["explain", "chess", FORK, "--move", "Nf6", "--depth", "4"]) == 0
    text = capsys.readouterr().out
    for words in ("material", "mobility", "sum", "Phase:", "a winning chance of", "Best: Nc7+", "Instead: Nf6+"):
        assert words in text
    assert "Nc7+ is better than Nf6+ by" in text
    assert run(["explain", "chess", FORK, "--move", "Nc7", "--depth", "4"]) == 0
    assert "Nc7+ is the best move that the search finds." in capsys.readouterr().out


def test_json(capsys):
    assert run(["explain", "chess", FORK, "--move", "Nf6", "--depth", "3", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert sum(term["total"] for term in data["terms"]) == pytest.approx(data["value"])
    assert data["best"]["moves"][0] == "Nc7+"
    assert data["best"]["chance"] > data["other"]["chance"]
    assert data["named"] == "Nf6"
    assert data["differences"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chess", "4k3/8/8/8/8/8/8/4KK2 w - - 0 1"], "White has 2 kings"),
        (["chess", FORK, "--move", "Nd5"], "'Nd5' is not a legal move"),
        (["chess", "4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "--move", "Rb8", "--depth", "1"], "'Rb8' is not a legal move"),
        (["chess", "4k3/8/8/8/8/R7/8/R3K3 w - - 0 1", "--move", "Ra2", "--depth", "1"], "ambiguous"),
        (["chess", "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1"], "The game is over"),
        (["nim"], "does not say what its estimate is made of"),
        (["chess", "--time", "-1"], "-1"),
    ],
)
def test_bad_input_is_one_sentence(capsys, arguments, words):
    assert run(["explain", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert len(error.strip().splitlines()) == 1
