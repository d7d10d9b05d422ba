"""Nobody is told what its seat must not know: by no view, text, refusal, record, object or seed."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest
from small_games import MontyHall, Pennies
from watching import interferes, reachable

from gametree import Game, load_game
from gametree.core.dice import new_secret, roll_at, seed_for
from gametree.core.errors import IllegalMove
from gametree.core.registry import algorithm_names, load_algorithm
from gametree.play.analysis import fits
from gametree.play.openings import seed_of
from gametree.play.plain import to_plain
from gametree.play.players import FilePlayer, make_player
from gametree.play.referee import play_game
from gametree.play.table import Table, View

HIDDEN = ["kuhn", "kuhn:players=3", "whist"]


# Non-interference ----------------------------------------------------------------------------------------------------


class Log(Table):
    """Tells the listener more than the word."""

    def _tell(self, seat: int, state: Any, action: Any, after: Any) -> bool:
        told = super()._tell(seat, state, action, after)
        mover, _, word = self._logs[seat][-1]
        self._logs[seat][-1] = (mover, self.game.action_text(state, action), word)
        return told


class Blank(Table):
    """Leaves in the blanks what stood there."""

    def view(self, seat: int, at: float = 0.0, *, moves: bool = True) -> View:
        return replace(super().view(seat, at, moves=moves), position=to_plain(self.state))


class Order(Table):
    """Lists the moves in an order that depends on what is hidden."""

    def view(self, seat: int, at: float = 0.0, *, moves: bool = True) -> View:
        seen = super().view(seat, at, moves=moves)
        return replace(seen, moves=seen.moves[::-1]) if sum(repr(self.state).encode()) % 2 else seen


class Refusal(Table):
    """Says too much when it refuses."""

    def read(self, seat: int, text: str) -> Any:
        try:
            return super().read(seat, text)
        except IllegalMove as error:
            raise IllegalMove(f"{error} {self.state!r}") from None


class Fold(Table):
    """Shows everything once the game is over."""

    def _seen(self, state: Any, seat: int, *, first: bool = False) -> Any:
        return state if self.result is not None and not first else super()._seen(state, seat, first=first)


@pytest.mark.parametrize("name", HIDDEN)
def test_a_seat_gets_the_same_bytes_in_all_worlds_that_look_alike_to_it(name: str) -> None:
    assert interferes(Table, load_game(name), 60, random.Random(1)) == ""


@pytest.mark.parametrize("name", HIDDEN)
@pytest.mark.parametrize("leaking", [Log, Blank, Order, Refusal, Fold])
def test_planted_leaks_are_found(name: str, leaking: type[Table]) -> None:
    if leaking is Fold and name.startswith("whist"):
        pytest.skip("whist ends when all cards are seen")
    assert interferes(leaking, load_game(name), 60, random.Random(1)) != ""


def test_a_leak_of_the_game_itself_is_found() -> None:
    game = load_game("kuhn")
    honest = game.view
    game.view = lambda state, seat: state if seat == 1 else honest(state, seat)  # type: ignore[method-assign]
    game.hear_text = lambda state, action, after, seat: f"{action} {after.cards}"  # type: ignore[method-assign]
    assert interferes(Table, game, 60, random.Random(1)) != ""


# Spies ---------------------------------------------------------------------------------------------------------------


class Spy:
    """Looks at everything that it can reach from what it is given, and notes what it should not have found."""

    def __init__(self, tables: list[Table], found: list[Any]) -> None:
        self.tables, self.found, self.looked = tables, found, 0

    def start(self, game: Game[Any, Any], seat: int, seed: int) -> None:
        self.look(seat, game, seed)

    def choose(self, game: Game[Any, Any], state: Any, seat: int, turn: Any) -> Any:
        self.look(seat, game, state, turn)
        return game.actions(state)[0]

    def look(self, seat: int, *given: Any) -> None:
        (table,) = self.tables
        hidden = [state for state in table._states if table.game.view(state, seat) != state]
        for one in reachable(*given):
            self.looked += 1
            if (
                one is table
                or one is table.game
                or one is self.tables
                or (type(one) is bytes and one == table._secret)
                or any(type(one) is type(state) and one == state for state in hidden)
            ):
                self.found.append(one)


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> list[Table]:
    """The tables that are opened from now on."""
    opened: list[Table] = []
    plain = Table.__init__

    def note(self: Table, *arguments: Any, **settings: Any) -> None:
        opened[:] = [self]
        plain(self, *arguments, **settings)

    monkeypatch.setattr(Table, "__init__", note)
    return opened


@pytest.mark.parametrize("name", HIDDEN)
def test_a_spy_reaches_neither_truth_nor_secret(name: str, tables: list[Table]) -> None:
    game, found = load_game(name), []
    for seed in range(12):
        players = [FilePlayer("spy", Spy(tables, found)) for _ in range(game.facts.players)]
        assert play_game(game, players, seed=seed, salt=b"salt").reason == "end"
        for player in players:
            player._own.tables = []  # the spy's own, not the table's
    assert found == []


def test_a_spy_finds_what_is_there_to_be_found(tables: list[Table]) -> None:
    game, found = load_game("kuhn"), []
    table = Table(game)
    spy = Spy(tables, found)
    (seat,) = table.waiting()
    for given in (table.state, table.view, lambda: table, [{"deep": (table._secret,)}], game):
        found.clear()
        spy.look(seat, given)
        assert found, given
    found.clear()
    spy.look(seat, table.view(seat))
    assert found == []
    assert spy.looked > 30


def test_nobody_finds_the_dice_by_guessing_seeds_from_its_own(tables: list[Table]) -> None:
    """A hundred thousand seeds of a user, with every formula of the house, but without the salt."""
    game, seeds = load_game("kuhn"), {}

    class Note:
        def start(self, game: Any, seat: int, seed: int) -> None:
            seeds[seat] = seed

        def choose(self, game: Any, state: Any, seat: int) -> Any:
            return game.actions(state)[0]

    salt = b"drawn at random"
    record = play_game(game, [FilePlayer("note", Note()), FilePlayer("note", Note())], seed=31337, salt=salt)
    assert roll_at(game, game.initial(), new_secret(31337, salt), 0) == record.moves[0], "with the salt it is easy"
    assert seed_for(new_secret(31337, salt), "player", 0) == seeds[0]
    known = set(seeds.values())
    for guess in range(100_000):
        assert seed_for(new_secret(guess), "player", 0) not in known
        assert seed_of(guess, 0) not in known
    assert seeds[0] != seeds[1]


# Cheats would win ----------------------------------------------------------------------------------------------------


def searches(game: Game[Any, Any]) -> list[str]:
    """The algorithms that can search the game."""
    return [name for name in algorithm_names() if fits(load_algorithm(name)[0], game)]


def share_of_wins(game: Game[Any, Any], players: list[Any], seat: int, games: int) -> float:
    won = [play_game(game, players, seed=seed).utilities[seat] == game.facts.max_utility for seed in range(games)]
    return sum(won) / games


@pytest.mark.parametrize(("game", "seat", "best"), [(MontyHall(), 0, 2 / 3), (Pennies(), 1, 1 / 2)])
def test_no_search_wins_more_often_than_it_may(game: Game[Any, Any], seat: int, best: float) -> None:
    names = searches(game)
    assert "montecarlo" in names
    for name in names:
        players = [make_player("random", game) for _ in range(2)]
        players[seat] = make_player(f"{name}:simulations=100" if name == "montecarlo" else f"{name}:time=0.01", game)
        share = share_of_wins(game, players, seat, 200)
        assert abs(share - best) < 4 * math.sqrt(best * (1 - best) / 200), name
    cheat = FilePlayer("cheat", Cheat())
    players = [cheat if place == seat else make_player("random", game) for place in range(2)]
    open_game = game.opened(game.initial())[0]
    assert share_of_wins(open_game, players, seat, 50) == 1.0, "who sees everything always wins"


class Cheat:
    """Plays the move that wins, if it sees enough to tell."""

    def choose(self, game: Any, state: Any, seat: int) -> Any:
        best = game.facts.max_utility
        for action in game.actions(state):
            after = game.result(state, action)
            if game.is_terminal(after) and game.utility(after, seat) == best:
                return action
        return game.actions(state)[0]
