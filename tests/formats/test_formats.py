"""Notations: what is written reads back, bad text gets one sentence, and games say what they offer."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gametree import BadInput, Facts, Game, IllegalMove, as_game, load_game
from gametree.core.format import Format, Record, move_format, position_format
from gametree.core.game import CHANCE, SIMULTANEOUS
from gametree.core.verbs import ATTRIBUTES
from gametree.formats import NOTATIONS, format_of_file, recognise, record_format, split, write_file
from gametree.formats.move_lines import split_line, write_line
from gametree.formats.pgn import write_game
from gametree.knowledge.build import BookBuilder
from gametree.knowledge.records import Tally, add_files
from gametree.play.openings import read_openings

NAMES = ("chess", "chess:start=356", "go:size=5,komi=0.5", "go:size=3x4", "othello:size=6", "connect4", "tictactoe")


def random_line(game: Game[Any, Any], rng: random.Random, most: int, start: Any = None) -> tuple[list[str], Any]:
    """Moves at random and the state behind them."""
    state = game.initial() if start is None else start
    moves: list[str] = []
    while not game.is_terminal(state) and len(moves) < most:
        action = rng.choice(list(game.actions(state)))
        moves.append(game.action_text(state, action))
        state = game.result(state, action)
    return moves, state


def random_record(game: Game[Any, Any], rng: random.Random, /, **known: Any) -> Record:
    moves, state = random_line(game, rng, rng.choice((0, 1, 7, 60)))
    ended = game.is_terminal(state)
    utilities = tuple(float(game.utility(state, seat)) for seat in range(game.facts.players)) if ended else None
    return Record(moves=tuple(moves), utilities=utilities, **known)


# What games offer -----------------------------------------------------------------------------------------------------


def test_what_the_games_offer() -> None:
    kinds = {name: found.kind for name, found in load_game("chess").formats.items()}
    assert kinds == {
        "fen": "position", "shredder-fen": "position", "epd": "position",
        "san": "move", "uci": "move", "uci-960": "move", "pgn": "record",
    }  # fmt: skip
    assert set(load_game("go").formats) == set(load_game("othello").formats) == {"sgf"}
    assert load_game("tictactoe").formats == {}
    with pytest.raises(ValueError, match="kind='game' must be one of position, move, record"):
        Format("game", "", str, str)


def test_every_notation_of_positions_and_moves_reads_what_it_writes() -> None:
    rng = random.Random(5)
    for name in ("chess", "chess:start=17"):
        game: Any = load_game(name)
        for _ in range(20):
            _, state = random_line(game, rng, 40)
            for found in game.formats.values():
                if found.kind == "position":
                    back = found.read(found.write(state))
                    assert game.key(back) == game.key(state)
                    assert found.write(back) == found.write(state)
                elif found.kind == "move":
                    for action in game.actions(state):
                        assert found.read(state, found.write(state, action)) == action
    state = game.initial()
    with pytest.raises(IllegalMove, match="'e9'"):
        game.formats["uci"].read(state, "e9")
    with pytest.raises(BadInput, match="FEN field 1"):
        game.formats["fen"].read("8/8/8 w - - 0 1")


def test_a_line_is_read_at_once_as_far_as_it_is_legal() -> None:
    game = load_game("chess")
    san = game.formats["san"]
    assert san.read_line is not None
    moves, _ = random_line(game, random.Random(3), 30)
    actions = san.read_line(game.initial(), [*moves, "Kz9", "e4"])
    state = game.initial()
    for text, action in zip(moves, actions, strict=True):
        assert san.read(state, text) == action
        state = game.result(state, action)


def test_a_game_that_offers_nothing_has_its_own_text() -> None:
    game = load_game("tictactoe")
    state = game.initial()
    assert position_format(game, "fen").write(state) == game.state_text(state)
    assert move_format(game, "uci").write(state, game.actions(state)[0]) == game.action_text(state, 0)
    chess = load_game("chess")
    assert position_format(chess, "none", "fen").title == "FEN"
    assert move_format(chess, "uci-960", "uci").title == "UCI for Chess960"


def test_lenient_rules_go_on_where_a_clock_ended_the_game() -> None:
    chess = load_game("chess")
    drawn = chess.state_from_text("4k3/8/8/8/8/8/4P3/4K3 w - - 100 90")
    assert chess.is_terminal(drawn)
    assert len(chess.lenient_actions(drawn)) == 6
    assert not chess.is_terminal(chess.lenient_state(drawn))
    mated = chess.state_from_text("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    assert not chess.lenient_actions(mated)
    assert chess.is_terminal(chess.lenient_state(mated))
    nim = load_game("nim")
    assert nim.lenient_actions(nim.initial()) == nim.actions(nim.initial())
    assert nim.lenient_state(nim.initial()) == nim.initial()


class Coins:
    """Take one or two of three; a game that does not inherit from Game."""

    facts = Facts()
    name = "coins"
    seat_names = ("Ann", "Bob")
    komi = 0.5
    board_size = 3

    def __init__(self) -> None:
        self.formats = {"text": Format("position", "text", str, int)}

    def initial(self) -> Any:
        return (3, 0)

    def player(self, state: Any) -> int:
        return int(state[1])

    def actions(self, state: Any) -> Sequence[int]:
        return range(1, min(2, state[0]) + 1)

    def result(self, state: Any, action: int) -> Any:
        return (state[0] - action, 1 - state[1])

    def is_terminal(self, state: Any) -> bool:
        return bool(state[0] == 0)

    def utility(self, state: Any, player: int) -> float:
        return -1 if player == state[1] else 1

    def winning_chance(self, value: float) -> float:
        return 0.25

    def phase_text(self, state: Any) -> str:
        return "late"


def test_as_game_passes_on_what_is_declared() -> None:
    rules = Coins()
    game = as_game(rules)
    for name in ATTRIBUTES:
        assert getattr(game, name) is getattr(rules, name)
    assert (game.winning_chance(1), game.phase_text((3, 0))) == (0.25, "late")
    assert game.offers("winning_chance")
    assert not game.offers("tuning")
    plain: Game[Any, Any] = Game()
    assert [plain.seat_names[seat] for seat in range(3)] == ["player 1", "player 2", "player 3"]
    assert (plain.formats, plain.komi, plain.book_keys(), plain.tree_text()) == ({}, None, None, "")
    with pytest.raises(BadInput, match="has no evaluation whose weights could be tuned"):
        plain.tuning()


# Whole games ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["pgn", "sgf", "jsonl", "json", "moves"])
def test_random_games_read_back_as_they_were_written(name: str, kind: str) -> None:
    game = load_game(name)
    rng = random.Random(f"{name} {kind}")
    if kind == "sgf" and "sgf" not in game.formats:
        with pytest.raises(BadInput, match=f"SGF has no words for {name}; expected Go, Othello, Hex or Havannah"):
            record_format(game, kind).write(Record())
        return
    known: dict[str, Any] = {}
    if kind != "moves":
        known = {"game": name, "date": "2026-01-31"}
    if kind in ("pgn", "sgf", "jsonl"):
        known |= {
            "players": ('A "b"\\', "C [d]"),
            "comments": {0: "before", 1: "behind {it}" if kind == "jsonl" else "!]"},
        }
        known["tags"] = {"EV": "x"} if kind == "sgf" else {"Event": "x"}
    if kind == "json":
        known["data"] = {"seat": 1, "against": "best", "seed": 3}
    found = record_format(game, kind)
    records = []
    while len(records) < 8:
        record = random_record(game, rng, **known)
        if record.moves:  # else a comment would stand behind a move that is not there
            records.append(record)
    for record in records:
        (again,) = found.read(found.write(record))
        if kind == "pgn" and "fen" in game.formats and name != "chess":
            record = dataclasses.replace(record, position=game.formats["fen"].write(game.initial()))
        if kind == "sgf":
            record = dataclasses.replace(record, game=again.game, reason=again.reason)
        assert again == record
        assert [game.action_text(s, a) for s, a in states_of(game, again)] == list(record.moves)
    if kind != "json":
        several = list(found.read(write_file(kind, [(game, record) for record in records])))
        assert [each.moves for each in several] == [each.moves for each in records]
        assert len({each.line for each in several}) == len(records)


def states_of(game: Game[Any, Any], record: Record) -> list[tuple[Any, Any]]:
    state = game.initial() if record.position is None else game.state_from_text(record.position)
    found = []
    for action in record.actions:
        found.append((state, action))
        state = game.result(state, action)
    return found


@pytest.mark.parametrize("name", ["kuhn", "tictactoe3", "goofspiel", "harvest", "pig", "einstein"])
def test_games_of_any_kind_are_held_by_json(name: str) -> None:
    game = load_game(name)
    rng = random.Random(name)
    for kind in ("jsonl", "json"):
        record = random_record(
            game, rng, game=name, **({"data": {"seat": 0, "against": "x", "seed": None}} if kind == "json" else {})
        )
        (again,) = record_format(game, kind).read(record_format(game, kind).write(record))
        assert again == record
    if game.facts.players != 2:
        with pytest.raises(BadInput, match=f"no place for the {game.facts.players} players"):
            record_format(game, "pgn").write(record)


@pytest.mark.parametrize("name", ["chess", "go:size=5", "othello:size=4"])
@pytest.mark.parametrize("kind", ["pgn", "sgf", "jsonl", "json", "moves"])
def test_games_from_a_position_read_back(name: str, kind: str) -> None:
    game = load_game(name)
    if kind == "sgf" and "sgf" not in game.formats:
        return
    rng = random.Random(f"{name} {kind}")
    found = record_format(game, kind)
    for plies in (3, 6):
        _, start = random_line(game, rng, plies)
        fen = position_format(game, "fen").write(start)
        position = game.state_text(game.state_from_text(fen.partition(" move ")[0]))
        moves, _ = random_line(game, rng, 4, game.state_from_text(position))
        (again,) = found.read(found.write(Record(position=position, moves=tuple(moves))))
        assert (again.position, again.moves, again.error) == (position, tuple(moves), "")


def test_notations_are_recognised_by_how_they_begin() -> None:
    chess, othello = load_game("chess"), load_game("othello")
    for text, kind in (
        ('\ufeff\n[Event "x"]', "pgn"), ("( ;GM[1])", "sgf"), ('{"moves": []}', "jsonl"), ("f5d6", "moves"),
        ('{\n "format": "gametree game 1",', "json"), ("(1, 2) (3, 4)", "moves"),
    ):  # fmt: skip
        assert recognise(text, othello) == kind
    assert recognise("1. e4 e5", chess) == "pgn"
    suffixes = {".pgn": "PGN", ".EPD": "EPD", ".jsonl": "JSON", ".json": "Saved"}
    for suffix, title in suffixes.items():
        found = format_of_file(chess, suffix)
        assert found is not None
        assert found.title.startswith(title)
    assert format_of_file(chess, ".txt") is format_of_file(othello, ".epd") is None
    with pytest.raises(BadInput, match=r"There is no notation 'pgm'\. Did you mean 'pgn'"):
        record_format(chess, "pgm")
    assert set(NOTATIONS.values()) == {
        file.stem for file in (Path(__file__).parents[2] / "src/gametree/formats").glob("[a-z]*.py")
    } - {"epd"}


def test_a_line_of_moves_may_name_a_position() -> None:
    assert split_line("position 8/8 w - - moves e4  e5") == ("8/8 w - -", ("e4", "e5"))
    assert split_line("position x y") == ("x y", ())
    assert split_line(" a1 b2 ") == (None, ("a1", "b2"))
    for position, moves in ((None, ()), (None, ("a", "b")), ("x y", ()), ("x", ("moves",))):
        assert split_line(write_line(position, moves)) == (position, moves)


def test_a_pgn_says_how_the_game_began() -> None:
    game = load_game("chess:start=356")
    text = record_format(game, "pgn").write(Record(moves=("e4",)))
    assert f'[FEN "{game.formats["fen"].write(game.initial())}"]' in text
    assert '[GametreeGame "chess:start=356"]' in text
    late = record_format(game, "pgn").write(Record(position="4k3/8/8/8/8/8/4P3/4K3 b - - 0 41", moves=("Kd7", "e4")))
    assert "\n41... Kd7 42. e4 *\n" in late
    assert write_game(load_game("tictactoe"), {}, [4]).endswith("\n1. b2 *\n")


# SGF ------------------------------------------------------------------------------------------------------------------


def read_sgf(text: str, name: str = "go:size=5") -> Record:
    return next(record_format(load_game(name), "sgf").read(text.splitlines(keepends=True)))


def test_sgf_of_other_programs() -> None:
    text = (
        "some words of a mail\n(;GM[1]FF[3]SiZe[5]KoMi[6.5]PB[a\\]b]PW[c\\\\]RE[W+Resign]\n"
        "HA[2]AB[aa][bb:cc]AW[ee]AE[cc]PL[W]C[first\nline]"
        ";W[dd]C[good\\\n move](;B[tt](;W[])(;W[ac]))(;B[ae]))\n(;SZ[5];B[ca])"
    )
    first, second = record_format(load_game("go:size=5"), "sgf").read(text)
    assert first.error == second.error == ""
    assert first.game == "go:size=5,komi=6.5"
    assert first.players == ("a]b", "c\\")
    assert first.position == "X..../.XX../.X.../...../....O O"
    assert first.moves == ("D2", "pass", "pass")
    assert second.moves == ("C5",)
    assert (first.line, second.line) == (2, 6)


@pytest.mark.parametrize(
    ("text", "moves", "line", "problem"),
    [
        ("(;SZ[5];B[aa]", 0, 1, "The text ends before the game does; expected ')'."),
        ("(;SZ[5]\n;B[aa]\n;W[aa])", 1, 3, "Move 2: 'A5' is not a legal move here."),
        ("(;SZ[5]\n;B[zz])", 0, 2, "'zz' is no point of a board of 5 × 5."),
        ("(;SZ[5];B[aa]\n;B[bb])", 1, 2, "Move 2: Black moves twice in a row"),
        ("(;SZ[5];B[aa];AB[bb])", 1, 1, "Stones are set up behind the first move"),
        ("(;SZ[5]AB[aa]PL[green];B[bb])", 0, 1, "PL[G] is nobody's turn"),
        ("(;SZ[9];B[aa])", 0, 1, "The board is 9 × 9, but that of go:size=5 is 5 × 5"),
        ("(;SZ[big];B[aa])", 0, 1, "SZ[big] is no size of a board"),
        ("(;SZ[5]KM[much];B[aa])", 0, 1, "KM[much] is no komi"),
        ("(;GM[2]SZ[5])", 0, 1, "GM[2] is not go:size=5; expected GM[1]."),
        ("(;SZ[5]\n[6])", 0, 2, ""),
        ("(;\n=)", 0, 2, "'=)' is no part of an SGF"),
        ("(SZ[5];B[aa])", 0, 1, "'SZ' stands before the first node"),
        ("(;[5])", 0, 1, "'[5]' is the value of nothing"),
        ("()", 0, 1, "This SGF has no nodes"),
        ("hello", 0, 1, "This is no SGF; expected it to begin with '(;'."),
        ("(;SZ[5];B[aa];W[];B[];W[bb])", 3, 1, "Move 4 comes after the end of the game."),
        ("(;SZ[5]AB[aa][ab][ba]AW[bb])", 0, 1, ""),
        ("(;SZ[2]AB[aa][ab][ba][bb];W[aa])", 0, 1, "The board is 2 × 2"),
    ],
)
def test_a_bad_sgf_gets_one_sentence_and_its_line(text: str, moves: int, line: int, problem: str) -> None:
    found = read_sgf(text)
    assert problem in found.error
    assert bool(problem) == bool(found.error)
    assert len(found.moves) == moves
    if problem:
        assert found.line == line
        assert "\n" not in found.error


def test_no_text_upsets_the_readers() -> None:
    rng = random.Random(8)
    games = [load_game("go:size=5"), load_game("tictactoe"), load_game("chess")]
    good = [
        "(;SZ[5]AB[aa];W[bb]C[x\\]y](;B[cc])(;B[dd]))",
        '{"moves": ["b2"], "opening": "a1"}',
        "1. e4 e5 {x} 2. Nf3 *",
    ]
    for _ in range(600):
        text = list(rng.choice(good))
        for _ in range(rng.randrange(1, 5)):
            text[rng.randrange(len(text))] = rng.choice('()[]{};:\\"azBW0. \n☃')
        for game in games:
            for kind in NOTATIONS:
                for found in record_format(game, kind).read("".join(text)):
                    assert "\n" not in found.error
                    assert len(found.moves) == len(found.actions)


@pytest.mark.parametrize(
    ("result", "utilities", "reason"),
    [
        ("B+3.5", (4.0, -4.0), "end"), ("W+R", (-26.0, 26.0), "resigned"), ("B+T", (26.0, -26.0), "time"),
        ("B+", (26.0, -26.0), "end"), ("0", (0.0, 0.0), "end"), ("?", None, ""), ("Void", None, ""),
    ],
)  # fmt: skip
def test_results_of_sgf(result: str, utilities: tuple[float, ...] | None, reason: str) -> None:
    found = read_sgf(f"(;SZ[5]RE[{result}])", "go:size=5,komi=0.5")
    assert (found.utilities, found.reason) == (utilities, reason)
    if utilities is not None and result != "B+":
        game = load_game("go:size=5,komi=0.5")
        written = record_format(game, "sgf").write(found)
        assert f"RE[{result}]" in written


def test_boards_that_are_not_square_are_columns_by_rows_in_sgf() -> None:
    game = load_game("go:size=3x4")  # three rows of four points
    text = record_format(game, "sgf").write(Record(moves=("D3", "A1")))
    assert "SZ[4:3]" in text
    assert ";B[da];W[ac]" in text
    (unread,) = split("sgf", [text])
    assert unread.game == "go:size=3x4,komi=0"


# Who reads them -------------------------------------------------------------------------------------------------------


def test_openings_of_go_may_be_sgf(tmp_path: Path) -> None:
    game = load_game("go:size=5")
    file = tmp_path / "openings.sgf"
    file.write_text("(;SZ[5];B[cc];W[bb])\n(;SZ[5]HA[2]AB[aa][ee];W[cc])\n", encoding="utf-8")
    plain, handicap = read_openings(game, str(file))
    assert (plain.position, plain.moves) == (None, ("C3", "B4"))
    assert handicap.position is not None
    assert handicap.position.endswith("O")
    assert handicap.moves == ("C3",)
    file.write_text("(;SZ[5];B[cc];W[bb])\n(;SZ[5];B[cc]\n;W[cc])\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"openings.sgf', line 3: Move 2: 'C3' is not a legal move here"):
        read_openings(game, str(file))


def test_a_book_of_go_is_built_from_sgf_and_json_lines(tmp_path: Path) -> None:
    game = load_game("go:size=5")
    sgf, lines = tmp_path / "a.sgf", tmp_path / "b.jsonl"
    sgf.write_text("(;SZ[5]RE[B+R];B[cc];W[bb])\n(;SZ[5];B[cc])\n(;SZ[5]RE[W+1];B[cc];W[cc])\n", encoding="utf-8")
    known = {"moves": ["C3", "D4"], "utilities": [-25, 25]}
    lines.write_text(json.dumps(known) + "\n", encoding="utf-8")
    builder = BookBuilder(game)
    tally = add_files(builder, [sgf, lines])
    assert (tally.games, tally.unfinished, tally.broken) == (2, 1, 1)
    assert "Move 2: 'C3' is not a legal move" in tally.example
    table = builder.statistics()
    assert sorted(zip(table["games"].tolist(), table["wins"].tolist(), strict=True)) == [(1, 0), (1, 1), (2, 1)]
    sgf.write_text("(;SZ[5]RE[B+R];B[cc];W[cc])", encoding="utf-8")
    with pytest.raises(BadInput, match=r"holds no finished game of go that can be read; the first that was tried: "):
        add_files(BookBuilder(game), [sgf])
    assert Tally().example == ""


def test_bad_lines_of_json_are_named() -> None:
    game = load_game("tictactoe")
    lines = ['{"moves": ["b2"]}', "", "{", "[]", '{"moves": ["b2", "b2"]}', '{"moves": [], "utilities": [1]}',
             '{"moves": [], "opening": "position nonsense"}']  # fmt: skip
    found = list(record_format(game, "jsonl").read("\n".join(lines)))
    assert [record.line for record in found] == [1, 3, 4, 5, 6, 7]
    expected = ("", "This is no JSON", "This is no record of a game", "Move 2: 'b2'", "one number a seat", "'nonsense'")
    for record, problem in zip(found, expected, strict=True):
        assert problem in record.error
        assert bool(problem) == bool(record.error)


def test_chance_and_joint_moves_stand_in_lines_of_moves() -> None:
    game = load_game("goofspiel")
    moves, _ = random_line(game, random.Random(2), 20)
    record = Record(moves=tuple(moves))
    assert any(game.player(state) in (CHANCE, SIMULTANEOUS) for state, _ in states_of(game, replay(game, record)))
    (again,) = record_format(game, "moves").read(record_format(game, "moves").write(record))
    assert again.moves == record.moves


def replay(game: Game[Any, Any], record: Record) -> Record:
    state, actions = game.initial(), []
    for text in record.moves:
        actions.append(game.action_from_text(state, text))
        state = game.result(state, actions[-1])
    return dataclasses.replace(record, actions=tuple(actions))
