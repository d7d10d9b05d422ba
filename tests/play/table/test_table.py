"""The table: the same secret and the same moves are the same game, whatever was asked, taken back or kept between."""

from __future__ import annotations

import json
import random
from dataclasses import fields
from typing import Any

import pytest

from gametree import BadInput, Facts, Game, load_game
from gametree.core.errors import GameError, IllegalMove
from gametree.core.game import CHANCE
from gametree.interfaces.cli import run
from gametree.play.clocks import TimeControl
from gametree.play.endings import Adjudication, forfeit
from gametree.play.openings import Opening
from gametree.play.plain import from_plain, to_plain
from gametree.play.table import SPECTATOR, Table, View

SECRET = bytes(range(16))
GAMES = ["tictactoe", "tictactoe3", "pig", "kuhn", "kuhn:players=3", "whist", "goofspiel", "harvest", "connect4"]


def choose(table: Table, seat: int, rng: random.Random) -> None:
    table.act(seat, rng.choice(list(table.game.seat_actions(table.state, seat))))


def play(table: Table, seed: int, meddle: bool = False) -> Table:
    """Play to the end at random; with `meddle`, ask, take back, and go on from what was kept, as often as one may."""
    rng, lots = random.Random(seed), random.Random(9)
    while table.result is None:
        if meddle:
            for seat in (SPECTATOR, *table.seats):
                table.view(seat)
            table = Table.restore(table.game, json.loads(json.dumps(table.record())))
            if not table._sealed and table.plies > table.opened and lots.random() < 0.3:
                plies = table.last_decision(table.seats)
                if plies:
                    choices = table.actions[len(table.actions) - plies]
                    mover = table.movers[-plies]
                    table.take_back(plies, agreed=True)
                    for seat in table.waiting():
                        table.act(seat, choices if mover >= 0 else choices[seat])
                    continue
        choose(table, table.waiting()[0], rng)
    return table


@pytest.mark.parametrize("name", GAMES)
def test_the_same_secret_and_moves_are_the_same_game(name: str) -> None:
    for seed in range(4):
        calm = play(Table(load_game(name), secret=SECRET), seed)
        other = play(Table(load_game(name), secret=SECRET), seed, meddle=True)
        assert (calm.moves, calm.movers, calm.result) == (other.moves, other.movers, other.result)
        for seat in (SPECTATOR, *calm.seats):
            assert calm.view(seat).to_text() == other.view(seat).to_text()


def test_another_secret_is_another_game() -> None:
    deals = {tuple(Table(load_game("kuhn"), secret=bytes([number] * 16)).moves) for number in range(30)}
    assert len(deals) == 6


def test_a_view_is_plain_data_and_goes_through_text() -> None:
    for name in GAMES:
        table = Table(load_game(name), secret=SECRET)
        for seat in (SPECTATOR, *table.seats):
            view = table.view(seat)
            assert View.from_text(view.to_text()) == view
            todo: list[Any] = [getattr(view, field.name) for field in fields(view)]
            while todo:
                part = todo.pop()
                assert type(part) in (int, float, str, bytes, bool, tuple, type(None)), (name, part)
                todo += part if type(part) is tuple else ()
            assert from_plain(view.position) == table.game.view(table.state, seat)


def test_choices_lie_sealed_until_all_are_there() -> None:
    table = Table(load_game("goofspiel"), secret=SECRET)
    before = table.view(1)
    table.act(0, table.read(0, "A"))
    after = table.view(1)
    assert after.chosen == (0,)
    assert (after.position, after.heard, after.moves) == (before.position, before.heard, before.moves)
    with pytest.raises(IllegalMove, match="has chosen already"):
        table.act(0, table.view(0))
    assert table.withdraw(0)
    table.act(0, table.read(0, "2"))
    table.act(1, table.read(1, "3"))
    assert "2-3" in table.moves


def test_nobody_acts_out_of_turn_or_after_the_end() -> None:
    table = Table(load_game("tictactoe"), secret=SECRET)
    with pytest.raises(IllegalMove, match="not player 2's turn"):
        table.read(1, "b2")
    with pytest.raises(IllegalMove, match="'z9' is not a legal move"):
        table.read(0, "z9")
    with pytest.raises(IllegalMove, match="'99' is not a legal move"):
        table.act(0, 99)
    table.resign(1)
    assert table.result is not None
    assert (table.result.utilities, table.result.reason, table.waiting()) == ((1, -1), "resigned", ())
    for late in (lambda: table.read(0, "b2"), lambda: table.resign(0), lambda: table.offer(0, "draw")):
        with pytest.raises((IllegalMove, BadInput), match="The game is over"):
            late()


def test_clocks_run_for_those_who_choose_and_flags_fall() -> None:
    table = Table(load_game("tictactoe"), control=TimeControl.parse("10+1"), secret=SECRET)
    table.start_clocks(100.0)
    assert (table.view(0, 104.0).left, table.view(0, 104.0).running) == ((6.0, 10.0), (0,))
    table.stop_clocks(104.0)
    table.start_clocks(200.0)
    assert table.seconds_to_flag(201.0) == 5.0
    table.act(0, table.read(0, "b2"), 202.0)
    assert table.view(0).left == (5.0, 10.0), "six seconds, and one more for the move"
    table.start_clocks(300.0)
    assert not table.tick(310.0)
    assert table.tick(310.1)
    assert table.result is not None
    assert (table.result.reason, table.result.seat) == ("time", 1)
    table.take_back(1)
    assert table.view(0).left == (10.0, 10.0), "as they stood before the move"


def test_what_is_seen_stays_seen_unless_all_agree() -> None:
    table = Table(load_game("kuhn"), secret=SECRET)
    dealt = table.state
    table.act(0, "pass")
    with pytest.raises(BadInput, match="What was seen stays seen"):
        table.take_back(1)
    table.offer(0, "take-back", 1)
    table.answer(1, False)
    assert table.plies == 2
    table.offer(0, "take-back", 1)
    assert table.view(1).offers == (("take-back", 0, (0,)),)
    table.answer(1, True)
    assert table.state == dealt
    table.take_back(1, agreed=True)
    assert table.state == dealt, "chance throws what it has thrown"
    with pytest.raises(BadInput, match="Nothing is offered"):
        table.answer(1, True)


def test_teams_lose_together_and_a_limit_is_a_draw() -> None:
    whist = load_game("whist")
    assert forfeit(whist, 2) == forfeit(whist, 0)
    assert len(set(forfeit(whist, 1))) == 2
    table = Table(load_game("connect4"), secret=SECRET, adjudication=Adjudication(plies=3))
    rng = random.Random(1)
    while table.result is None:
        choose(table, table.waiting()[0], rng)
    assert (table.plies, table.result.reason) == (3, "limit")


class Secretive(Game[tuple[int, ...], str]):
    """A hidden game as they were written before views: only `observation` and `resample` say what a seat knows."""

    facts = Facts(chance=True, hidden=True, longest_game=3, utility_sum=0.0)
    name = "secretive"

    def initial(self) -> tuple[int, ...]:
        return ()

    def player(self, state: tuple[int, ...]) -> int:
        return CHANCE if not state else len(state) - 2

    def actions(self, state: tuple[int, ...]) -> list[Any]:
        return [] if self.is_terminal(state) else ["12", "13", "21", "23", "31", "32"] if not state else ["0", "1"]

    def outcomes(self, state: tuple[int, ...]) -> list[tuple[Any, float]]:
        return [(deal, 1 / 6) for deal in self.actions(state)]

    def result(self, state: tuple[int, ...], action: str) -> tuple[int, ...]:
        return (*state, int(action)) if state else (int(action[0]), int(action[1]))

    def is_terminal(self, state: tuple[int, ...]) -> bool:
        return len(state) == 4

    def utility(self, state: tuple[int, ...], player: int) -> float:
        return 1.0 if (state[0] > state[1]) == (player == 0) else -1.0

    def observation(self, state: tuple[int, ...], player: int) -> Any:
        return state and (state[player], *state[2:])

    def resample(self, view: tuple[int, ...], player: int, rng: random.Random) -> tuple[int, ...]:
        other = rng.choice([card for card in (1, 2, 3) if card != view[player]])
        return (view[0], other, *view[2:]) if player == 0 else (other, view[1], *view[2:])


def test_a_hidden_game_without_a_view_is_redealt_by_the_table() -> None:
    met = set()
    for number in range(40):
        table = Table(Secretive(), secret=bytes([number] * 16))
        view = table.view(0)
        given, truth = from_plain(view.position), table.state
        assert given[0] == truth[0]
        assert view == table.view(0), "asked twice, it is the same deal"
        assert table.view(SPECTATOR).position is None
        assert table.view(SPECTATOR).heard == ()
        met.add(given == truth)
        play(table, 1)
        assert table.view(0).position is None, "at the end nothing says what the seat sees"
    assert met == {True, False}

    class Mute(Secretive):
        resample = Game.resample  # type: ignore[assignment]

    with pytest.raises(GameError, match=r"neither view\(\) nor resample\(\)"):
        Table(Mute())


def test_an_opening_is_heard_but_not_taken_back() -> None:
    table = Table(load_game("tictactoe"), opening=Opening("X../.O./...", ("c1",)))
    assert [text for _, text, _ in table.view(0).heard] == ["c1"]
    with pytest.raises(BadInput, match="no move to take back"):
        table.take_back(1)


def test_values_of_every_kind_become_plain_and_come_back() -> None:
    values = ((1, ("a", b"b")), frozenset({3, 1}), ("\0tuple", 1), float("inf"), 1.5, None, 1 + 2j)
    for value in values:
        assert from_plain(to_plain(value)) == value
    assert to_plain(frozenset({3, 1, 2})) == to_plain(frozenset([2, 3, 1]))


def test_an_algorithm_that_does_not_fit_is_refused_in_a_sentence(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["analyse", "pig", "--algorithm", "fast-mcts", "--json"]) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert "fast-mcts cannot search pig: its fact compiled is False" in said.err
