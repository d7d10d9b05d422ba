"""Scrabble: plays against a plain generator and public counts, points, ends, challenges, and what seats know."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gametree import BadInput, IllegalMove, load_algorithm, load_game
from gametree.games.scrabble.lists import enable_words
from gametree.games.scrabble.plays import move_points
from gametree.games.scrabble.sets import BOARDS, TILE_SETS
from gametree.kernels import jit

EMPTY = "/".join(["15"] * 15)
LINES = Path(__file__).with_name("scrabble_positions.txt").read_text().splitlines()


def positions(kind: str) -> list[tuple[str, str, int | str, int]]:
    """The public positions of a kind."""
    found = (line.split()[1:] for line in LINES if line.startswith(f"{kind} "))
    return [(a, b, int(c) if c.isdecimal() else c, int(d)) for a, b, c, d in found]


WORD = "15/15/15/15/15/15/15/4WORD7/15/15/15/15/15/15/15"
points_of = jit(move_points)
static = load_algorithm("static")[1]


@pytest.fixture(scope="module")
def scrabble() -> Any:
    return load_game("scrabble")


def placed(game: Any, board: str, rack: str) -> Any:
    """The position with this rack, though it need not be in the bag."""
    s = game.struct(game.state_from_text(board))
    s.racks[:] = 0
    for letter in rack:
        s.racks[0][game.tiles.number(letter)] += 1
    s.held[0], s.bag_size = len(rack), 0  # without exchanges
    return game.pack(np.array([s]))


def plays(game: Any, state: Any) -> list[int]:
    return [action for action in game.actions(state) if action >> 52 == 0]


def total(game: Any, state: Any, actions: list[int]) -> int:
    s = game.structs(state)[0]
    return sum(int(points_of(s, action, game.w[0])) for action in actions)


def draw(game: Any, state: Any, rng: random.Random) -> Any:
    while not game.is_terminal(state) and game.player(state) == -1:
        state = game.result(state, game.roll(state, rng))
    return state


def some_position(game: Any, rng: random.Random, turns: int) -> Any:
    """After so many turns, most of them the best play."""
    state = draw(game, game.initial(), rng)
    for _ in range(turns):
        if game.is_terminal(state):
            return state
        actions = game.actions(state)
        best = static(game, state, candidates=0).move
        state = draw(game, game.result(state, best if rng.random() < 0.7 else rng.choice(actions)), rng)
    return state


def make(game: Any, *texts: str) -> Any:
    state = game.initial()
    for text in texts:
        state = game.result(state, game.action_from_text(state, text))
    return state


# Words, tiles and plays ---------------------------------------------------------------------------------------------


def test_the_list_and_the_sets_are_the_published_ones():
    words = enable_words()
    assert len(words) == 168_551
    assert list(words) == sorted(set(words))
    assert sum(len(word) == 2 for word in words) == 96
    for name, total_tiles, total_points in (("english", 100, 187), ("french", 102, 197), ("german", 102, 202)):
        found = TILE_SETS[name]
        assert found.total == total_tiles
        assert sum(c * p for c, p in zip(found.counts, found.points, strict=True)) == total_points
    rows = BOARDS["standard"]
    assert rows == rows[::-1]
    assert rows == tuple("".join(column) for column in zip(*rows, strict=True))
    assert {sign: "".join(rows).count(sign) for sign in "=-\"'"} == {"=": 8, "-": 17, '"': 12, "'": 24}


@pytest.mark.parametrize(("board", "rack", "count", "points"), positions("plays"))
def test_plays_and_their_points_are_those_of_public_positions(scrabble, board, rack, count, points):
    state = placed(scrabble, board, rack)
    found = plays(scrabble, state)
    assert (len(found), len(set(found))) == (count, count)
    if points:
        assert total(scrabble, state, found) == points


@pytest.mark.parametrize(("board", "rack", "count", "points"), positions("opening"))
def test_openings_are_those_of_public_positions(scrabble, board, rack, count, points):
    state = placed(scrabble, board, rack)
    across = [action for action in plays(scrabble, state) if not action >> 51 & 1]
    assert len(plays(scrabble, state)) == 2 * count
    assert (len(across), total(scrabble, state, across)) == (count, points)


def laid_by_hand(game: Any, state: Any, words: set[str]) -> dict[tuple[tuple[int, str], ...], int]:
    """Every play with its points: each word tried on each line at each place, all by strings."""
    s = game.struct(state)
    letters = game.tiles.letters
    size = 15
    board = {(n // size, n % size): (letters[(int(t) & 31) - 1], bool(t & 64)) for n, t in enumerate(s.board) if t}
    rack = game.rack_of(state, int(s.seat))
    worth = dict(zip("?" + letters, game.tiles.points, strict=True))
    found: dict[tuple[tuple[int, str], ...], int] = {}

    def word_at(tiles: dict[Any, Any], row: int, column: int, down: bool) -> list[tuple[int, int]]:
        dr, dc = (1, 0) if down else (0, 1)
        while (row - dr, column - dc) in tiles:
            row, column = row - dr, column - dc
        cells = []
        while (row, column) in tiles:
            cells.append((row, column))
            row, column = row + dr, column + dc
        return cells

    def points(tiles: dict[Any, Any], cells: list[tuple[int, int]], new: set[tuple[int, int]]) -> int:
        times, sum_ = 1, 0
        for row, column in cells:
            letter, blank = tiles[row, column]
            value = 0 if blank else worth[letter]
            if (row, column) in new:
                sign = game.board[row][column]
                value *= {'"': 3, "'": 2}.get(sign, 1)
                times *= {"=": 3, "-": 2}.get(sign, 1)
            sum_ += value
        return sum_ * times

    for word in words:
        for down in (False, True):
            for line in range(size):
                for start in range(size - len(word) + 1):
                    cells = [(start + i, line) if down else (line, start + i) for i in range(len(word))]
                    if any(
                        cell in board and board[cell][0] != letter for cell, letter in zip(cells, word, strict=True)
                    ):
                        continue
                    new = [(cell, letter) for cell, letter in zip(cells, word, strict=True) if cell not in board]
                    if not 0 < len(new) <= 7:
                        continue
                    beside = [(r + a, c + b) for (r, c), _ in new for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))]
                    if not (any(cell in board for cell in beside) if board else (7, 7) in cells):
                        continue
                    for blanks in ways([letter for _, letter in new], rack):
                        tiles = dict(board)
                        fresh = set()
                        for (cell, letter), blank in zip(new, blanks, strict=True):
                            tiles[cell] = (letter, blank)
                            fresh.add(cell)
                        main = word_at(tiles, *cells[0], down)
                        lines = [main] + [word_at(tiles, *cell, not down) for cell in fresh]
                        lines = [cells for cells in lines if len(cells) > 1]
                        made = {"".join(tiles[cell][0] for cell in cells) for cells in lines}
                        if len(main) != len(word) or not made <= words:
                            continue
                        laid = [(r * size + c, tiles[r, c]) for r, c in fresh]
                        key = tuple(sorted((n, letter.lower() if blank else letter) for n, (letter, blank) in laid))
                        found[key] = sum(points(tiles, cells, fresh) for cells in lines) + 50 * (len(fresh) == 7)
    return found


def ways(letters: list[str], rack: str) -> list[list[bool]]:
    """Which of the letters may be blanks, so that the rack has them."""
    if not letters:
        return [[]]
    found = []
    for tile, blank in ((letters[0], False), ("?", True)):
        if tile in rack:
            found += [[blank, *rest] for rest in ways(letters[1:], rack.replace(tile, "", 1))]
    return found


def test_plays_are_those_of_a_plain_generator(tmp_path: Path):
    rng = random.Random(8)
    words = set(rng.sample([word for word in enable_words() if len(word) < 9], 350))
    words |= {word for word in enable_words() if len(word) == 2} | {"QUIT", "QUITE", "ZONES", "RETAINS"}
    (tmp_path / "list.txt").write_text("\n".join(words).lower())
    game = load_game(f"scrabble:words={tmp_path / 'list.txt'}")
    compared = 0
    for turns in (0, 1, 2, 4, 6, 9, 12):
        state = some_position(game, rng, turns)
        if game.is_terminal(state):
            continue
        s = game.structs(state)
        if turns == 2:  # blanks in the rack and on the board
            s[0].racks[s[0].seat][:] = 0
            for tile in (0, 0, 5, 18, 19, 20, 1):
                s[0].racks[s[0].seat][tile] += 1
            state = game.pack(s)
        ours = {
            tuple(sorted(game.laid_squares(s[0].board, action))): total(game, state, [action])
            for action in plays(game, state)
        }
        assert len(ours) == len(plays(game, state))
        assert ours == laid_by_hand(game, state, words)
        compared += len(ours)
    assert compared > 1000


def test_the_static_choice_has_the_highest_key(scrabble):
    rng = random.Random(4)
    for turns in (0, 3, 6, 9, 12, 20):
        state = some_position(scrabble, rng, turns)
        if not scrabble.is_terminal(state):
            found = static(scrabble, state, candidates=None)
            ranked = [row["equity"] for row in found.details["candidates"]]
            assert ranked == sorted(ranked, reverse=True)
            assert scrabble.explain_move(state, found.move)["equity"] == ranked[0]
            assert len(ranked) == len(scrabble.actions(state))


# The course of a game -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_no_tile_is_lost_and_points_add_up(players: int):
    game, rng = load_game(f"scrabble:players={players}"), random.Random(players)
    state, scores = game.initial(), [0] * players
    while not game.is_terminal(state):
        s = game.struct(state)
        assert int(s.racks.sum() + s.bag.sum() + s.aside.sum()) + np.count_nonzero(s.board) == 100
        assert int(s.bag.sum()) == s.bag_size
        assert [int(rack.sum()) for rack in s.racks] == s.held.tolist()
        mover = game.player(state)
        if mover < 0:
            state = game.result(state, game.roll(state, rng))
            continue
        action = static(game, state, candidates=0).move
        scores[mover] += int(game.explain_move(state, action)["points"])
        last, state = state, game.result(state, action)
    s = game.struct(state)
    left = [sum(int(n) * p for n, p in zip(rack, game.tiles.points, strict=False)) for rack in s.racks]
    out = game.player(last)
    assert left[out] == 0
    for seat in range(players):
        scores[seat] += (2 if players == 2 else 1) * sum(left) if seat == out else 0 if players == 2 else -left[seat]
    assert scores == s.scores.tolist()
    assert game.utilities(state) == tuple(players * score - sum(scores) for score in scores)


def test_six_turns_without_points_end_the_game(scrabble):
    state = scrabble.state_from_text(f"{WORD} AEINRST/EEIORT? 20/30 0")
    for number in range(6):
        assert not scrabble.is_terminal(state)
        state = scrabble.result(state, scrabble.action_from_text(state, "pass"))
        assert scrabble.struct(state).zeros == number + 1
    assert scrabble.is_terminal(state)
    assert scrabble.struct(state).scores.tolist() == [13, 24]


def test_an_exchange_draws_before_it_puts_back(scrabble):
    state = scrabble.state_from_text(f"{WORD} AEINRST/EEIORT? 20/30 0")
    state = scrabble.result(state, scrabble.action_from_text(state, "-AEINRST"))
    assert scrabble.state_text(state).split()[1:] == ["-/EEIORT?", "20/30", "1", "draw", "aside=AEINRST"]
    assert scrabble.state_from_text(scrabble.state_text(state)) == state
    drawn = scrabble.result(state, scrabble.action_from_text(state, "+EEEEEEE"))
    assert scrabble.rack_of(drawn, 0) == "EEEEEEE"
    assert scrabble.struct(drawn).bag_size == 82
    late = scrabble.struct(scrabble.state_from_text(f"{WORD} AEINRST/EEIORT? 0/0 0"))
    late.bag_size = 6
    state = scrabble.pack(np.array([late]))
    assert not [action for action in scrabble.actions(state) if action >> 52 == 1]
    with pytest.raises(IllegalMove, match="6 tiles are in the bag, and an exchange needs 7"):
        scrabble.action_from_text(state, "-A")


def test_wrong_words_may_be_challenged():
    game = load_game("scrabble:challenge=double")
    state = make(game, "+ADEGORZ", "+CELNOOT", "8D:ZEDROGA")
    assert game.player(state) == 1
    assert [game.action_text(state, action) for action in game.actions(state)] == ["accept", "challenge"]
    assert game.state_from_text(game.state_text(state)) == state
    back = game.result(state, game.action_from_text(state, "challenge"))
    assert game.state_text(back).split()[1:] == ["ADEGORZ/CELNOOT", "0/0", "1", "turn=2"]
    kept = game.result(state, game.action_from_text(state, "accept"))
    assert game.player(kept) == -1
    assert game.struct(kept).scores[0] == 106
    right = make(game, "+ADEGORZ", "+CELNOOT", "8D:GRAZED", "challenge", "+AAALNS")
    assert game.struct(right).seat == 0  # the challenger has lost a turn
    assert game.struct(right).zeros == 1
    bonus = make(load_game("scrabble:challenge=five"), "+ADEGORZ", "+CELNOOT", "8D:GRAZED", "challenge")
    assert load_game("scrabble").struct(bonus).scores.tolist() == [43, 0]
    fair = load_game("scrabble")
    with pytest.raises(IllegalMove, match="ZEDROGA is not in the word list"):
        make(fair, "+ADEGORZ", "+CELNOOT", "8D:ZEDROGA")


def test_three_are_asked_in_turn():
    game = load_game("scrabble:players=3,challenge=single")
    state = make(game, "+ADEGORZ", "+CELNOOT", "+AAALNS?", "8F:ZED")
    assert game.player(state) == 1
    state = game.result(state, game.action_from_text(state, "accept"))
    assert game.player(state) == 2
    state = game.result(state, game.action_from_text(state, "accept"))
    assert game.player(state) == -1
    assert game.struct(state).scores.tolist() == [26, 0, 0]


# Who knows what -----------------------------------------------------------------------------------------------------


def test_a_view_shows_one_rack_and_is_dealt_anew(scrabble):
    rng = random.Random(2)
    state = some_position(scrabble, rng, 5)
    view = scrabble.view(state, 1)
    s, seen = scrabble.struct(state), scrabble.struct(view)
    assert not seen.racks[0].any()
    assert not seen.bag.any()
    assert (seen.racks[1] == s.racks[1]).all()
    counts = np.zeros(32)
    for _ in range(300):
        world = scrabble.resample(view, 1, rng)
        assert scrabble.view(world, 1) == view
        dealt = scrabble.struct(world)
        assert (dealt.racks.sum(axis=0) + dealt.bag == s.racks.sum(axis=0) + s.bag).all()
        counts += dealt.racks[0]
    unseen = (s.racks[0] + s.bag).astype(float)
    expected = unseen / unseen.sum() * counts.sum()
    some = expected > 0
    assert ((counts[some] - expected[some]) ** 2 / expected[some]).sum() < 60  # χ², at most 26 degrees of freedom


def test_others_hear_how_many_tiles(scrabble):
    state = make(scrabble, "+ADEGORZ", "+CELNOOT")
    action = scrabble.action_from_text(state, "-ADE")
    after = scrabble.result(state, action)
    assert scrabble.hear_text(state, action, after, 0) == "-ADE"
    assert scrabble.hear_text(state, action, after, 1) == "-3"
    other = scrabble.action_from_text(state, "-GOR")
    assert scrabble.hear(state, action, after, 1) == scrabble.hear(state, other, scrabble.result(state, other), 1)
    assert scrabble.hear(state, action, after, 0) != scrabble.hear(state, other, scrabble.result(state, other), 0)


def test_simulation_is_the_same_for_the_same_seed_and_sees_its_view_only(scrabble):
    rng = random.Random(6)
    state = some_position(scrabble, rng, 6)
    seat = scrabble.player(state)
    other = scrabble.resample(scrabble.view(state, seat), seat, rng)
    assert other != state
    simulate = load_algorithm("simulate")[1]
    found = [simulate(scrabble, world, worlds=30, width=4, seed=3) for world in (state, other, state)]
    assert len({(one.move, one.value) for one in found}) == 1
    assert found[0].details["worlds"] == 30
    assert simulate(scrabble, state, worlds=30, width=4, seed=4).value != found[0].value


# Text ---------------------------------------------------------------------------------------------------------------


def test_text_is_read_back(scrabble):
    rng = random.Random(12)
    state = scrabble.initial()
    while not scrabble.is_terminal(state):
        assert scrabble.state_from_text(scrabble.state_text(state)) == state
        if scrabble.player(state) < 0:
            action = scrabble.roll(state, rng)
        else:
            action = static(scrabble, state, candidates=0).move
        assert scrabble.action_from_text(state, scrabble.action_text(state, action)) == action
        state = scrabble.result(state, action)
    assert scrabble.state_from_text(scrabble.state_text(state)) == state


def test_plays_may_be_typed_in_many_ways(scrabble):
    state = scrabble.state_from_text(f"{WORD} AEINRS?")
    wanted = scrabble.action_from_text(state, "8E:(WORD)S")
    for text in ("8E WORDS", "8e words", "8E ....S", "8E:(WORD)S", "8E (WORD)S"):
        assert scrabble.action_from_text(state, text) == wanted
    assert scrabble.action_from_text(state, "8E WORDs") != wanted
    assert scrabble.action_text(state, scrabble.action_from_text(state, "8D SWORD")) == "8D:S(WORD)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("8E WORX", "D lies where letter 4 would be"),
        ("8E WORDZ", "the rack is AEINRST"),
        ("9A TEN", "it touches no tile"),
        ("8E WORDR", "WORDR is not in the word list"),
        ("16A TEN", "is not on the board"),
        ("15N TEN", "goes beyond the edge"),
        ("hello", "expected a play such as 8D:WORD"),
        ("-ZZ", "the rack is AEINRST"),
        ("8E WORD", "it lays no tile"),
    ],
)
def test_a_wrong_move_is_refused_with_its_reason(scrabble, text, said):
    state = scrabble.state_from_text(f"{WORD} AEINRST")
    with pytest.raises(IllegalMove, match=said):
        scrabble.action_from_text(state, text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("15/15", "2 rows; expected 15 rows"),
        (WORD.replace("4WORD7", "4WORD6"), "has 14 squares; expected 15"),
        (WORD.replace("4WORD7", "4W0RD7"), "has 14 squares|has the sign"),
        (f"{WORD} AEINRSTU", "8 tiles; expected at most 7"),
        (f"{WORD} ZZ", "no Z is left"),
        (f"{WORD} A1", "has the sign '1'"),
        (f"{WORD} A/B/C", "holds 3 racks; expected 2"),
        (f"{WORD} A/B 1/2/3", "scores of 2 players"),
        (f"{WORD} A/B 1/2 99", "turns without points"),
        (f"{WORD} A/B turn=3", "not possible in scrabble for 2"),
        ("", "no position"),
        (EMPTY.replace("15", "ZZ13", 1), "more tiles Z than there are"),
    ],
)
def test_a_wrong_position_is_refused(scrabble, text, said):
    with pytest.raises(BadInput, match=said):
        scrabble.state_from_text(text)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("scrabble:players=5", "expected 2, 3 or 4"),
        ("scrabble:challenge=maybe", "expected one of void, single, double"),
        ("scrabble:language=klingon", "no tile set 'klingon'"),
        ("scrabble:language=german", "No word list comes with the german tiles"),
        ("scrabble:words=nowhere.txt", "no word list 'nowhere.txt'"),
        ("scrabble:board=huge", "no board 'huge'"),
    ],
)
def test_wrong_parameters_are_refused(name, said):
    with pytest.raises(BadInput, match=said):
        load_game(name)


def test_other_languages_and_boards(tmp_path: Path):
    (tmp_path / "woerter.txt").write_text("öl\nübel\nlob\näste\nnest\n", encoding="utf-8")
    (tmp_path / "small.txt").write_text(
        "\n".join(["=.....=", ".......", ".......", "...-...", ".......", ".......", "=.....="])
    )
    game = load_game(f"scrabble:language=german,words={tmp_path / 'woerter.txt'},board={tmp_path / 'small.txt'}")
    state = game.state_from_text("7/7/7/7/7/7/7 ÜBELÖLN")
    state = game.result(state, game.action_from_text(state, "4B:ÜBEL"))
    assert game.struct(state).scores[0] == 2 * (6 + 3 + 1 + 2)
    assert game.state_text(state).startswith("7/7/7/1ÜBEL2/7/7/7 LNÖ/_______")
