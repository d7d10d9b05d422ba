"""Players by name: what can be said, and errors that point at the character."""

from __future__ import annotations

import re
import textwrap

import numpy as np
import pytest

from gametree import BadInput, load_game
from gametree.core.clock import Clock
from gametree.core.errors import UnfitGame, UnknownName
from gametree.games.chess.terms import MATERIAL, load_weights, weights_text
from gametree.kernels import on_compile
from gametree.knowledge import open_book
from gametree.knowledge.book import ENTRY, book_bytes, write_book
from gametree.play.analysis import analyse
from gametree.play.clocks import GameClock, TimeControl, Turn
from gametree.play.events import fingerprints
from gametree.play.player_names import parse_player
from gametree.play.players import FilePlayer, RandomPlayer, SearchPlayer, make_player
from gametree.search.compiled.engine import Engine

GAME = load_game("tictactoe")


@pytest.mark.parametrize(
    ("text", "kind", "name", "options"),
    [
        ("random", "plain", "random", {}),
        ("alphabeta:depth=4", "plain", "alphabeta", {"depth": "4"}),
        ("mcts:sims=1000,time=0.5", "plain", "mcts", {"sims": "1000", "time": "0.5"}),
        ("deepening:algorithm=forward:keep=5", "plain", "deepening", {"algorithm": "forward:keep=5"}),
        ("uci:stockfish?UCI_Elo=1500", "uci", "stockfish", {"UCI_Elo": "1500"}),
        ("uci:stockfish?Skill Level=3&Hash=16", "uci", "stockfish", {"Skill Level": "3", "Hash": "16"}),
        ("uci:engine?Book=a%26b", "uci", "engine", {"Book": "a&b"}),
        ('gtp:"gnugo --mode gtp"', "gtp", "gnugo --mode gtp", {}),
        ("gtp:gnugo --mode gtp", "gtp", "gnugo --mode gtp", {}),
        ('uci:"odd?name -x"?time=1', "uci", "odd?name -x", {"time": "1"}),
        ("xboard:gnuchess", "xboard", "gnuchess", {}),
        ("my_player.py:Player", "file", "my_player.py", {}),
        ("there/my_player.py?depth=3", "file", "there/my_player.py", {"depth": "3"}),
    ],
)
def test_every_kind_of_name(text, kind, name, options):
    parsed = parse_player(text)
    assert (parsed.kind, parsed.name) == (kind, name)
    assert {option.key: option.value for option in parsed.options} == options


@pytest.mark.parametrize(
    ("text", "character", "words"),
    [
        ("uci:", 5, "expected a program"),
        ("uci:?x=1", 5, "expected a program"),
        ('gtp:"gnugo', 5, "never closed"),
        ('gtp:"gnugo"x', 12, "expected '?'"),
        ("uci:sf?Hash", 8, "expected key=value"),
        ("uci:sf?a=1&=2", 12, "expected a key"),
        ("uci:sf?a=1&a=2", 12, "given twice"),
        ("my_player.py:3d", 14, "not a name of Python"),
        ("alpha beta", 6, "cannot stand in a name"),
        (":depth=3", 1, "cannot stand in a name"),
        ("alphabeta:", 11, "after the colon"),
        ("alphabeta:depth=4,fast", 19, "expected key=value"),
        ("alphabet:depth=4", 1, "Did you mean 'alphabeta'?"),
        ("alphabeta:dept=4", 11, "Did you mean 'depth'?"),
        ("alphabeta:depth=deep", 17, "got 'deep'"),
        ("alphabeta:depth=4,time=0", 24, "above 0"),
        ("alphabeta:time=inf", 16, "above 0"),
        ("alphabeta:nodes=x", 17, "above 0"),
        ("random:sead=4", 8, "expected seed"),
        ("random:seed=x", 13, "whole number"),
        ("random:7", 8, "expected seed"),
        ("human:x=1", 6, "no parameters"),
    ],
)
def test_errors_point_at_the_character(text, character, words):
    with pytest.raises(BadInput) as caught:
        make_player(text, GAME)
    assert f"character {character}: " in str(caught.value)
    assert words in str(caught.value)


def test_an_empty_name_a_missing_program_and_an_unfit_game_are_refused():
    with pytest.raises(BadInput, match="name is empty"):
        make_player("  ", GAME)
    with pytest.raises(BadInput, match="no program 'no-such-engine'"):
        make_player("uci:no-such-engine -x", GAME)
    with pytest.raises(UnfitGame, match="alphabeta cannot search pig"):
        make_player("alphabeta", load_game("pig"))
    with pytest.raises(BadInput, match="UCI has no words for pig"):
        make_player("uci:sh", load_game("pig"))
    with pytest.raises(BadInput, match="GTP has no options"):
        make_player("gtp:sh?level=3", GAME)


def test_random_players_repeat_themselves_by_seed():
    def moves(name, seed):
        player = make_player(name, GAME)
        assert isinstance(player, RandomPlayer)
        player.start(GAME, 0, seed)
        return [player.choose(GAME, 0, 0).action for _ in range(20)]

    assert moves("random", 1) == moves("random", 1)
    assert moves("random", 1) != moves("random", 2)
    assert moves("random:seed=5", 1) == moves("random:seed=5", 1) != moves("random", 1)


def test_a_search_that_draws_lots_gets_the_seed_of_the_game_unless_it_has_its_own():
    player = make_player("mcts:sims=30", GAME)
    assert isinstance(player, SearchPlayer)
    player.start(GAME, 0, 11)
    one = player.choose(GAME, 0, 0).result
    player.start(GAME, 0, 12)
    other = player.choose(GAME, 0, 0).result
    assert one.details["simulations"] == 30
    assert one.details["visits"] != other.details["visits"]
    fixed = make_player("mcts:simulations=30,seed=4", GAME)
    fixed.start(GAME, 0, 11)
    first = fixed.choose(GAME, 0, 0).result
    fixed.start(GAME, 0, 12)
    assert first.details["visits"] == fixed.choose(GAME, 0, 0).result.details["visits"]


def test_a_new_game_begins_with_nothing_remembered():
    game = load_game("connect4")
    player = make_player("engine:table_mib=1", game)
    turn = Turn(game.initial(), (), TimeControl(nodes=5000))
    found = []
    for _ in range(2):
        player.start(game, 0, 1)
        results = [player.choose(game, game.initial(), 0, turn).result for _ in range(2)]
        found.append([(result.nodes, result.pv, result.depth) for result in results])
    assert found[0] == found[1]
    assert found[0][0] != found[0][1]  # within a game it does remember


def test_the_clock_of_the_match_limits_a_search():
    player = make_player("mcts", GAME)
    turn = Turn(0, (), TimeControl(nodes=40))
    assert player.choose(GAME, 0, 0, turn).result.nodes < 55  # it ends the game that it is in


def test_compiled_code_is_loaded_before_the_clock_runs(monkeypatch):
    asked = []
    monkeypatch.setattr("gametree.play.players.analyse", lambda game, *_, **options: asked.append(options))
    player = make_player("engine:time=0.1", load_game("connect4"))
    player.start(load_game("connect4"), 0, 1)
    player.start(load_game("connect4"), 0, 2)
    assert len(asked) == 1
    assert asked[0]["seconds"] <= 0.01


def test_a_player_of_ones_own(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        textwrap.dedent(
            """
            class Player:
                def __init__(self, place: int = 0):
                    self.place = place
                def choose(self, game, state, seat):
                    return game.actions(state)[self.place]
            class Knowing:
                def choose(self, game, state, seat, turn):
                    return len(turn.actions)
            class Mute:
                pass
            """
        )
    )
    player = make_player(f"{file}?place=2", GAME)
    assert isinstance(player, FilePlayer)
    assert player.choose(GAME, 0, 0).action == 2
    player.close()
    assert make_player(f"{file}:Knowing", GAME).choose(GAME, 0, 0, Turn(0, (1, 2))).action == 2
    with pytest.raises(UnknownName, match="Did you mean 'Player'"):
        make_player(f"{file}:Playr", GAME)
    with pytest.raises(BadInput, match="does not define choose"):
        make_player(f"{file}:Mute", GAME)
    with pytest.raises(UnknownName, match="no parameter 'plaze'"):
        make_player(f"{file}?plaze=2", GAME)
    with pytest.raises(BadInput, match="no file"):
        make_player(str(tmp_path / "other.py"), GAME)


# Clocks --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["60", "60+0.5", "40/60", "40/60+1", "time=0.1", "nodes=1000", "none"])
def test_time_controls_are_written_as_they_are_read(text):
    assert str(TimeControl.parse(text)) == text


@pytest.mark.parametrize("text", ["soon", "0", "-5", "0/60", "time=0", "nodes=-3", "time=x", "60+", "depth=3"])
def test_no_time_control(text):
    with pytest.raises(BadInput, match="is not a time control"):
        TimeControl.parse(text)


def test_sudden_death_increment_and_moves_to_go():
    clock = GameClock(TimeControl.parse("10"), 2)
    clock.spend(0, 4)
    assert clock.left == (6, 10)
    assert (clock.deadline(0), clock.deadline(1)) == (6, 10)
    assert clock.moves_left(0) is None

    clock = GameClock(TimeControl.parse("10+2"), 2)
    clock.spend(0, 4)
    assert clock.left == (8, 10)

    clock = GameClock(TimeControl.parse("2/10"), 2)
    assert clock.moves_left(0) == 2
    clock.spend(0, 3)
    assert clock.moves_left(0) == 1
    kept = clock.save()
    clock.spend(0, 3)
    assert clock.left == (14, 10)
    assert clock.moves_left(0) == 2
    clock.restore(kept)
    assert (clock.left, clock.moves_left(0)) == ((7, 10), 1)


def test_a_fixed_time_has_no_clock_that_runs_down():
    clock = GameClock(TimeControl.parse("time=1"), 2)
    clock.spend(0, 0.9)
    assert (clock.left, clock.deadline(0)) == ((), 1)
    assert GameClock(TimeControl.parse("nodes=9"), 2).deadline(0) is None


def test_a_budget_lasts():
    left = 10.0
    for _ in range(200):
        turn = Turn(None, (), TimeControl(seconds=10), (left, left))
        assert 0 < turn.budget(0) < turn.deadline(0)
        left -= turn.budget(0)
    assert Turn(None, (), TimeControl(per_move=1.0)).budget(0) < 1
    assert Turn(None, ()).budget(0) is None


# Books ---------------------------------------------------------------------------------------------------------------


def opening_of(name: str, game, seed: int, plies: int) -> tuple[list[str], list[str]]:
    """The first moves of a player against itself, and what it said of them."""
    player, state, moves, notes = make_player(name, game), game.initial(), [], []
    player.start(game, 0, seed)
    for _ in range(plies):
        choice = player.choose(game, state, game.player(state))
        moves.append(game.action_text(state, choice.action))
        notes.append(choice.note)
        state = game.result(state, choice.action)
    player.close()
    return moves, notes


@pytest.mark.parametrize(
    ("game", "name"),
    [
        ("chess", "engine:depth=1,book=default"),
        ("chess", "engine:elo=800,book=default"),
        ("chess", "random:book=default,seed=3"),
        ("othello", "engine:book=default,depth=1"),
        ("othello", "best:nodes=50,book=default"),
    ],
)
def test_a_player_with_a_book_asks_it_first(game, name):
    rules = load_game(game)
    book = open_book("default", rules)
    moves, notes = opening_of(name, rules, 1, 2)
    assert notes == ["book", "book"]
    state = rules.initial()
    for move in moves:
        assert move in [rules.action_text(state, known.action) for known in book.moves(state)]
        state = rules.result(state, rules.action_from_text(state, move))
    assert opening_of(name, rules, 1, 2)[0] == moves  # the same seed, the same opening
    assert len({tuple(opening_of(name, rules, seed, 2)[0]) for seed in range(12)}) > 1


def test_a_player_thinks_where_its_book_is_silent(tmp_path):
    from gametree.knowledge.grow import BookTree

    def judge(state):
        return 0.0 if GAME.is_terminal(state) else analyse(GAME, state, algorithm="alphabeta").value

    tree = BookTree(GAME, judge)
    tree.grow(1)
    path = tmp_path / "start.bin"
    write_book(path, tree.entries(), GAME)
    moves, notes = opening_of(f"alphabeta:depth=9,book={path}", GAME, 1, 9)
    assert notes[0] == "book"
    assert set(notes[1:]) == {""}
    assert len(moves) == 9  # a draw, as it should be


@pytest.mark.parametrize(
    ("game", "name", "character", "words"),
    [
        ("chess", "engine:time=1,book=missing.bin", 20, "'missing.bin' cannot be read"),
        ("chess", "engine:book=", 13, "cannot be read"),
        ("chess", "engine:book=cut.bin", 13, "'cut.bin' is truncated or no book: it has 1,000 bytes"),
        ("chess", "engine:book=empty.bin", 13, "'empty.bin' is empty"),
        ("chess", "engine:book=noise.bin", 13, "'noise.bin' is no book: its keys are not in order"),
        ("othello", "engine:book=chess.bin", 13, "'chess.bin' is a book of chess"),
        ("tictactoe", "alphabeta:book=default", 16, "gametree brings no book of tictactoe, only of chess, othello"),
        ("chess", "engine:bock=default", 8, "no parameter 'bock'"),
        ("chess", "human:book=default", 6, "human takes no parameters"),
        ("chess", "engine:book=default,book=x", 21, "'book' is given twice"),
    ],
)
def test_a_book_that_will_not_do(tmp_path, monkeypatch, game, name, character, words):
    monkeypatch.chdir(tmp_path)
    chess = load_game("chess")
    entries = np.zeros(200, ENTRY)
    entries["key"] = np.arange(200)
    whole = book_bytes(entries, chess)
    for file, data in {
        "cut.bin": whole[:1000], "empty.bin": b"", "chess.bin": whole, "noise.bin": bytes(range(255, -1, -1)),
    }.items():  # fmt: skip
        (tmp_path / file).write_bytes(data)
    with pytest.raises(BadInput) as caught:
        make_player(name, load_game(game))
    assert f"character {character}: " in str(caught.value)
    assert words in str(caught.value)


def test_another_book_is_another_player(tmp_path):
    path = tmp_path / "mine.bin"
    path.write_bytes(bytes(16))
    name = f"engine:time=1,book={path}"
    before = fingerprints([name, "chess", "engine:book=default"])
    assert list(before) == [str(path)]
    path.write_bytes(bytes(32))
    assert fingerprints([name]) != before


# Weights of its own ---------------------------------------------------------------------------------------------------


def light_queens(path):
    """A file of chess weights for which a queen is worth little more than a pawn."""
    weights = load_weights("tuned").copy()
    weights[MATERIAL + 4] = weights[MATERIAL]
    path.write_text(weights_text(weights))
    return path


def test_players_with_weights_of_their_own_compile_nothing(tmp_path):
    chess = load_game("chess")
    file = light_queens(tmp_path / "light.json")
    state = chess.state_from_text("4k3/8/8/3q4/8/2N5/3P4/3RK3 w - - 0 1")
    plain, light = (make_player(name, chess) for name in ("engine:nodes=2000", f"engine:nodes=2000,weights={file}"))
    plain.start(chess, 0, 1)
    compiled = []
    on_compile(compiled.append)
    try:
        light.start(chess, 0, 1)
        found = [player.choose(chess, state, 0).result for player in (plain, light, plain)]
    finally:
        on_compile(None)
        plain.close()
        light.close()
    assert compiled == []
    own = load_game(f"chess:weights={file}")
    engine = Engine(own)
    engine.forget()
    assert found[1].value == engine.search(state, clock=Clock(nodes=2000)).value
    assert found[1].value != found[0].value
    assert chess.weights.tolist() == load_weights("tuned").tolist()  # the game at the table keeps what it has


def test_a_file_of_weights_is_part_of_the_record_of_an_event(tmp_path):
    file = light_queens(tmp_path / "light.json")
    before = fingerprints([f"engine:weights={file}", f"chess:weights={file}", "engine:weights=textbook"])
    assert list(before) == [str(file)]
    file.write_text(file.read_text() + "\n")
    assert fingerprints([f"engine:weights={file}"]) != before


@pytest.mark.parametrize(
    ("game", "name", "character", "words"),
    [
        ("chess", "engine:time=1,weights=missing.json", 23, "'missing.json' cannot be read"),
        ("chess", "engine:weights=noise.json", 16, "'noise.json' is not a file of weights"),
        ("othello", "engine:weights=noise.json", 16, "othello has no weights that could be chosen"),
        ("nim", "alphabeta:weights=noise.json", 11, "nim has no weights"),
    ],
)
def test_weights_that_will_not_do(tmp_path, monkeypatch, game, name, character, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "noise.json").write_text("noise")
    with pytest.raises(BadInput, match=re.escape(words)) as found:
        make_player(name, load_game(game))
    assert f"character {character}:" in str(found.value)
