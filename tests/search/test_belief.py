"""Beliefs: the states that explain what was heard, and the search on them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gametree import BadInput, UnfitGame, load_algorithm, load_game
from gametree.search.hidden.belief import Belief, Session


def tell(game: Any, beliefs: list[Belief], state: Any, action: Any) -> Any:
    """Play the action and let everybody hear of it; the state after it."""
    after = game.result(state, action)
    for belief in beliefs:
        word = game.hear(state, action, after, belief.seat)
        belief.hear(word, game.view(after, belief.seat))
    return after


def explained(game: Any, seat: int, words: list[int]) -> set[Any]:
    """The slow way: all boards of phantom tic-tac-toe in which the seat would have heard these words."""
    found, todo = set(), {(game.initial(), 0)}
    while todo:
        state, heard = todo.pop()
        if heard == len(words):
            found.add(state)
        if heard > len(words) or game.is_terminal(state):
            continue
        for action in game.actions(state):
            after = game.result(state, action)
            word = game.hear(state, action, after, seat)
            if word is None:
                todo.add((after, heard))
            elif heard < len(words) and word == words[heard]:
                todo.add((after, heard + 1))
    return found


def without_tries(game: Any, states: set[Any], other: int) -> set[Any]:
    """The boards, whatever the other has met on them."""
    kept = set()
    for state in states:
        s = game.struct(state)
        s.met[other] = 0
        kept.add(game.pack(s.reshape(1)))
    return kept


def test_a_belief_is_all_that_explains_the_words() -> None:
    game, rng = load_game("phantom-tictactoe"), random.Random(2)
    for number in range(12):
        state, seat = game.initial(), number % 2
        belief, words = Belief(game, seat), []
        for _ in range(2 + number):
            if game.is_terminal(state):
                break
            action = rng.choice(game.actions(state))
            after = game.result(state, action)
            word = game.hear(state, action, after, seat)
            if word is not None:
                words.append(word)
            state = tell(game, [belief], state, action)
        if game.is_terminal(state):
            continue
        held = {game.pack(belief.states[i : i + 1]) for i in range(len(belief))}
        assert belief.is_exact
        # What the other has met in vain is left out of a belief, so boards are compared.
        assert without_tries(game, held, 1 - seat) == without_tries(game, explained(game, seat, words), 1 - seat)
        assert belief.odds.sum() == pytest.approx(1)
        assert belief.views() == [belief.views()[0]] * len(belief)


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("a3 h3 a4", [20, 256, 2400]),
        ("Nf3 g3 Bg2 O-O", [20, 262, 2773, 24845]),
        ("e4 d4 Nf3 Bd3", [18, 158, 1246, 8424]),
        ("Nf3 Ng1 Nf3 Ng1", [20, 264, 2836, 25877]),
    ],
)
def test_boards_after_silent_replies(line: str, counts: list[int]) -> None:
    game, rng = load_game("kriegspiel"), random.Random(4)
    belief, state, found = Belief(game, 0, exact=30_000), game.initial(), []
    for text in line.split():
        state = tell(game, [belief], state, game.action_from_text(state, text))
        for action in rng.sample(list(game.actions(state)), len(game.actions(state))):
            s = game.struct(game.result(state, action))
            if s.seat == 0 and not (s.taken or s.checks or s.tries):
                break
        state = tell(game, [belief], state, action)
        found.append(len(belief))
        assert belief.holds(state)
    assert found == counts


def test_the_truth_is_in_the_belief_while_it_is_exact_and_no_belief_is_empty() -> None:
    game, exact, sampled = load_game("kriegspiel"), 0, 0
    for number in range(6):
        rng = random.Random(number)
        state = game.initial()
        beliefs = [Belief(game, seat, exact=3000, particles=300, seed=number) for seat in range(2)]
        while not game.is_terminal(state) and game.struct(state).plies < 60:
            state = tell(game, beliefs, state, rng.choice(game.actions(state)))
            for belief in beliefs:
                if game.is_terminal(state):
                    continue
                assert len(belief)
                tried = game.player(state) != belief.seat and game.struct(state).refusals
                if belief.is_exact and not tried:  # what the other has tried in vain is left out
                    exact += 1
                    assert belief.holds(state)
                elif not (belief.is_exact or belief.guessed):
                    sampled += 1
                    view = Belief(game, belief.seat, start=game.view(state, belief.seat)).views()
                    assert set(belief.views()) <= set(view)
    assert exact > 50
    assert sampled > 50


def test_a_contradiction_is_told() -> None:
    game = load_game("kriegspiel")
    belief = Belief(game, 0)
    with pytest.raises(BadInput, match="no possible state explains"):
        belief.hear(12345)
    with pytest.raises(BadInput, match="got 'e4'"):
        belief.hear("e4")
    with pytest.raises(UnfitGame, match="cannot be kept by stepping"):
        Belief(load_game("whist"), 0)
    with pytest.raises(BadInput, match="at least 1"):
        Belief(game, 0, exact=0)


def test_the_search_reads_the_view_alone() -> None:
    game = load_game("kriegspiel")
    search = load_algorithm("belief")[1]
    one, other = (
        game.state_from_text(f"{board} w - - 0 9; moved")
        for board in ("4k3/8/8/3q4/8/8/8/R3K3", "q3k3/8/8/8/8/8/8/R3K3")
    )
    first, second = (search(game, state, boards=10, seed=1) for state in (one, other))
    assert (first.move, first.value, first.details) == (second.move, second.value, second.details)
    again = search(game, one, boards=10, seed=1)
    assert (again.move, again.value, again.details["means"]) == (first.move, first.value, first.details["means"])


def test_a_mate_that_is_known_is_played_and_a_bold_try_comes_first() -> None:
    game = load_game("kriegspiel")
    search = load_algorithm("belief")[1]
    state = game.state_from_text("k7/8/1K6/8/8/8/8/6R1 w - - 0 1")
    assert game.action_text(state, search(game, state).move) == "Rg8"
    # A queen stands on d5 or a8: taking it is tried where it is likelier, and costs nothing where it is refused.
    state = game.initial()
    session = Session(game, boards=40)
    words = []
    for text in ("e4", "d5"):
        action = game.action_from_text(state, text)
        after = game.result(state, action)
        words.append(game.hear(state, action, after, 0))
        state = after
    session.follow(words)
    found = session.search(game.view(state, 0))
    assert found.details["possible"] == 2
    assert game.action_text(state, found.move) in ("exd5", "exf5")
    for options, wrong in (
        ({"boards": 0}, "too few"),
        ({"caution": 2.0}, "0 to 1"),
        ({"look": "up"}, "umpire or vote"),
    ):
        with pytest.raises(BadInput, match=wrong):
            search(game, state, **options)
    over = game.state_from_text("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1")
    with pytest.raises(UnfitGame, match="the game is over"):
        search(game, over)
