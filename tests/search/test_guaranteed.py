"""Guaranteed wins: problems of Kriegspiel with their only keys, sets of squares, and king and rook from ignorance."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import pytest

from gametree import BadInput, UnfitGame, load_algorithm, load_game
from gametree.games.kriegspiel.rook_ending import RookEnding
from gametree.search.hidden.belief import Belief
from gametree.search.hidden.guaranteed import first_tries, winning_moves

PROBLEMS = """
8/B7/1r3r2/2Q2p2/7n/3R3B/1p2p3/4k1NK Qe7
6K1/8/BP6/PRb5/1pk5/5Q2/4N3/8 Kh8
8/B1p1K2B/2P4p/1PRb3P/2pk4/6Q1/8/8 Qa3
8/B1p5/2Np4/3P1P1K/1pPRb2P/1P1pk3/P6Q/6N1 Qb2
8/5p1K/5B2/7k/2p3r1/2PpPBp1/1p2n1Np/bQ5R Rc1
8/8/2p5/3nB3/Rb1P4/Npk5/4Q3/1K6 Bf6
8/5N2/8/4KQpk/4PP1b/7p/4R2p/6nB Rf2
3Q4/8/8/4p3/4n3/5K1p/2B4R/1NkN4 Na3
1Q6/2p5/n1P3p1/2b1R1P1/1pk4p/1N5R/B2B1p2/5K2 Bb1
1K6/1B1P4/4N3/3r2P1/4Q1p1/4P1P1/3N1PR1/7k Nc5
6B1/3p4/3pp1kP/3P2PR/2p2P1R/2B5/K7/2b2Q2 Qg2
1n6/kP1PR1r1/Nn4b1/1Q2N3/R3P3/6B1/8/6K1 Nc4
3B4/8/2p5/2k5/p3KP2/P7/3RQ3/8 Kd3
4N2K/4p1P1/5b1Q/2NPk1p1/2p1P3/4P2b/3P4/8 d6
k7/1p6/1K1B2b1/8/1p6/8/3Q4/1q1n4 Qg2
2n5/1bQ1p3/8/8/2P1k2N/2P1N3/2KPP3/2n5 Neg2
8/8/8/2KBkpQn/8/4pr2/4P3/8 Qh4
3Q4/6q1/2p1krP1/8/3R4/1N4BP/BK2N3/4R3 Rg4
"""
"""Mates in two by Anderson, Swart, Dawson, Ten Cate and Loustau; collected in Ciancarini, La Scacchiera Invisibile."""


def keys(game: Any, states: list[Any], moves: int) -> list[str]:
    return [game.action_text(states[0], key) for key in first_tries(game, states, moves)]


@pytest.mark.parametrize("rules", ["wild16", "english"])
def test_problems_have_one_key(rules: str) -> None:
    game = load_game(f"kriegspiel:rules={rules}")
    for line in PROBLEMS.split("\n")[1:-1] if rules == "wild16" else PROBLEMS.split("\n")[1:5]:
        board, key = line.split()
        state = game.state_from_text(f"{board} w - - 0 1")
        assert keys(game, [state], 2) == [key], board
        assert keys(game, [state], 1) == []


EIGHT = {"Nc4", "Be2", "Kb3", "Kc1", "Kb1", "Rg3", "Rg2", "Rh1"}


@pytest.mark.parametrize(
    ("board", "moves", "wild16", "english"),
    [
        ("1K2k3/8/3BB3/n5P1/4Q3/1p3r2/6P1/b7", 2, {"Kc7"}, set()),
        (
            "7B/5pb1/3N1rk1/5pP1/8/3B3Q/2K5/6R1",
            2,
            EIGHT,
            {"Kc1"},
        ),
        ("8/4N2p/7P/4p2P/4kpRn/3R3B/1N2P1p1/6K1", 2, {"Rg8", "Rg7"}, {"Rg8"}),
    ],
)
def test_what_the_umpire_tells_makes_a_difference(board: str, moves: int, wild16: set[str], english: set[str]) -> None:
    for rules, expected in (("wild16", wild16), ("english", english)):
        game = load_game(f"kriegspiel:rules={rules}")
        assert set(keys(game, [game.state_from_text(f"{board} w - - 0 1")], moves)) == expected


@pytest.mark.parametrize(
    ("board", "squares", "moves", "key"),
    [
        ("1B1N4/3N3Q/8/p2P4/P5P1/1KP2p2/3P1P2/6R1", "a6 a8 c8 e8 e2 g5", 2, "Nf6"),
        ("8/1R6/2PP2PP/8/6PP/3N1P1P/Q4K2/2R5", "c8 d8 e8 f8 h8 f6 d4 h2", 2, "Rh7"),
        ("8/3Q4/1K6/8/8/8/6p1/1N1R1R1B", "b8 e3 e5", 1, "Qe8"),
        ("8/8/3R4/8/8/2K5/8/8", "a1 b1", 2, "Kc2"),
        ("8/8/5K2/8/8/2R5/8/8", "h7 h8", 2, "Kg6"),
        ("8/8/3K4/8/8/8/8/3R4", "a8 b8", 3, "Kc7"),
        ("8/8/2K5/8/6R1/8/8/8", "b8 c8", 3, "Rg8"),
    ],
)
def test_the_black_king_may_stand_on_one_of_several_squares(board: str, squares: str, moves: int, key: str) -> None:
    game = load_game("kriegspiel")
    states = []
    for square in squares.split():
        rows = [list("".join("." * int(mark) if mark.isdigit() else mark for mark in row)) for row in board.split("/")]
        rows[8 - int(square[1])]["abcdefgh".index(square[0])] = "k"
        whole = "/".join("".join("1" if mark == "." else mark for mark in row) for row in rows)
        states.append(game.state_from_text(f"{whole} w - - 0 1"))
    assert keys(game, states, moves) == [key]
    assert winning_moves(game, states, moves) == moves


def test_the_algorithm() -> None:
    game = load_game("kriegspiel")
    search = load_algorithm("guaranteed")[1]
    state = game.state_from_text("k7/1p6/1K1B2b1/8/1p6/8/3Q4/1q1n4 w - - 0 1")
    found = search(game, state)
    assert (game.action_text(state, found.move), found.value, found.bound) == ("Qg2", 300, "lower")
    assert (found.details["keys"], found.details["moves"]) == (["Qg2"], 2)
    none = search(game, state, moves=1)
    assert (none.value, none.bound, none.details["keys"]) == (-300, "estimate", [])
    belief = Belief(game, 0, start=state)
    assert search(game, state, belief=belief).move == found.move
    belief.is_exact = False
    with pytest.raises(UnfitGame, match="needs a belief that is exact"):
        search(game, state, belief=belief)
    with pytest.raises(BadInput, match="moves=0 is too few"):
        search(game, state, moves=0)
    ttt = load_game("phantom-tictactoe")
    certain = ttt.state_from_text("XX./OO./... X")
    assert keys(ttt, [certain], 1) == ["c3"]
    # If O may also stand on c3, X tries it, and where it is refused, wins elsewhere or not at all.
    other = ttt.state_from_text("XXO/O../... X")
    assert keys(ttt, [certain, other], 1) == []


# King and rook --------------------------------------------------------------------------------------------------------


def plain_moves(size: int, king: tuple[int, int], rook: tuple[int, int], most: int) -> int | None:
    """The slow way: sets of squares, every try, no bounds and no symmetry."""
    area = list(itertools.product(range(size), repeat=2))

    @functools.cache
    def near(one: tuple[int, int]) -> frozenset[tuple[int, int]]:
        return frozenset(other for other in area if max(abs(one[0] - other[0]), abs(one[1] - other[1])) == 1)

    @functools.cache
    def lines(king: tuple[int, int], rook: tuple[int, int]) -> frozenset[tuple[int, int]]:
        found = set()
        for step in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            place = (rook[0] + step[0], rook[1] + step[1])
            while place in area and place != king:
                found.add(place)
                place = (place[0] + step[0], place[1] + step[1])
        return frozenset(found)

    @functools.cache
    def wins(king: tuple[int, int], rook: tuple[int, int], squares: frozenset[tuple[int, int]], moves: int) -> bool:
        if not squares:
            return True
        if not moves:
            return False
        tries = [(to, rook) for to in near(king) - {rook}] + [(king, to) for to in lines(king, rook)]
        for to_king, to_rook in tries:
            played = squares if to_king == king else squares - near(to_king)
            if played and after(to_king, to_rook, played, moves):
                return wins(king, rook, squares - played, moves)
        return False

    def after(king: tuple[int, int], rook: tuple[int, int], squares: frozenset[tuple[int, int]], moves: int) -> bool:
        heard: dict[str, set[tuple[int, int]]] = {}
        for square in squares:
            replies = near(square) - near(king) - lines(king, rook) - {king}
            if rook in replies:
                return False
            said = "" if square not in lines(king, rook) else "rank" if square[1] == rook[1] else "file"
            if not replies and not said:
                return False
            heard.setdefault(said, set()).update(replies)
        return all(wins(king, rook, frozenset(left), moves - 1) for left in heard.values())

    possible = frozenset(set(area) - near(king) - lines(king, rook) - {king, rook})
    return next((moves for moves in range(most + 1) if wins(king, rook, possible, moves)), None)


@pytest.mark.parametrize("size", [3, 4])
def test_king_and_rook_agree_with_the_slow_way(size: int) -> None:
    ending = RookEnding(size)
    for king, rook in itertools.permutations(itertools.product(range(size), repeat=2), 2):
        if size == 4 and king not in ((0, 0), (1, 0), (1, 1)):  # one of each kind
            continue
        names = ["abcd"[file] + str(rank + 1) for file, rank in (king, rook)]
        assert ending.moves(*names) == plain_moves(size, king, rook, 9), names


def counts(size: int) -> dict[int | None, int]:
    ending, found = RookEnding(size), {}
    names = ["abcdefgh"[file] + str(rank + 1) for file in range(size) for rank in range(size)]
    for king, rook in itertools.permutations(names, 2):
        moves = ending.moves(king, rook)
        found[moves] = found.get(moves, 0) + 1
    return found


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (5, {None: 96, 8: 4, 9: 52, 10: 176, 11: 184, 12: 88}),
        (6, {None: 320, 14: 12, 15: 72, 16: 180, 17: 324, 18: 276, 19: 76}),
    ],
)
def test_how_many_moves_king_and_rook_need(size: int, expected: dict[int | None, int]) -> None:
    assert counts(size) == expected


def test_king_and_rook_on_the_whole_board() -> None:
    ending = RookEnding()
    for king, rook, moves in (("c3", "a1", 25), ("a1", "b1", 28), ("a1", "d3", None), ("d4", "h8", None)):
        assert ending.moves(king, rook) == moves
    assert ending.moves("f7", "a7", 1 << ending.square("h8")) is not None
    with pytest.raises(BadInput, match="no square of a board of size 8"):
        ending.moves("i1", "a1")
    with pytest.raises(BadInput, match="both stand on a1"):
        ending.moves("a1", "a1")
    with pytest.raises(BadInput, match="expected 3 to 8"):
        RookEnding(9)
    with pytest.raises(BadInput, match="cannot stand where it is attacked"):
        ending.moves("a1", "h2", 1 << ending.square("h8"))
