"""Kriegspiel: an umpire written down once more with lists, what each side hears, texts, and games read back."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from gametree import BadInput, IllegalMove, load_game
from gametree.core.format import Record
from gametree.games.kriegspiel import words
from gametree.games.kriegspiel.rules import RULES
from gametree.games.kriegspiel.umpire import (
    ASK,
    FILE,
    KNIGHT_CHECK,
    LONG,
    MATE,
    MUST,
    NO,
    PLAYING,
    RANK,
    SHORT,
    STALEMATE,
    TRIES,
    TWO,
)

LINES = {"R": [(0, 1), (1, 0), (0, -1), (-1, 0)], "B": [(1, 1), (1, -1), (-1, 1), (-1, -1)]}
LINES["Q"] = LINES["R"] + LINES["B"]


def square(file: int, rank: int) -> str:
    return "abcdefgh"[file] + str(rank + 1)


def on_board(file: int, rank: int) -> bool:
    return 0 <= file < 8 and 0 <= rank < 8


def men_of(fen: str) -> dict[tuple[int, int], str]:
    men = {}
    for row, line in enumerate(fen.split()[0].split("/")):
        file = 0
        for mark in line:
            if mark.isdigit():
                file += int(mark)
            else:
                men[file, 7 - row] = mark
                file += 1
    return men


def plain_tries(fen: str, takers: Any) -> set[str]:
    """What one's own men allow, from the FEN alone; `takers` says of a pawn's square whether it may try to take."""
    white, castling = fen.split()[1] == "w", fen.split()[2]
    own = {place: mark.upper() for place, mark in men_of(fen).items() if mark.isupper() == white}
    tries = set()

    def add(file: int, rank: int, to: tuple[int, int], kind: str) -> bool:
        if not on_board(*to) or to in own:
            return False
        turned = "qrbn" if kind == "P" and to[1] in (0, 7) else [""]
        tries.update(square(file, rank) + square(*to) + letter for letter in turned)
        return True

    for (file, rank), kind in own.items():
        if kind == "P":
            up = 1 if white else -1
            if add(file, rank, (file, rank + up), kind) and rank == (1 if white else 6):
                add(file, rank, (file, rank + 2 * up), kind)
            if takers(square(file, rank)):
                add(file, rank, (file - 1, rank + up), kind)
                add(file, rank, (file + 1, rank + up), kind)
        elif kind == "N":
            for right, ahead in itertools.product((-2, -1, 1, 2), repeat=2):
                if abs(right) != abs(ahead):
                    add(file, rank, (file + right, rank + ahead), kind)
        elif kind == "K":
            for right, ahead in itertools.product((-1, 0, 1), repeat=2):
                add(file, rank, (file + right, rank + ahead), kind)
            for right, files in (("K", (5, 6)), ("Q", (3, 2, 1))):
                if (right if white else right.lower()) in castling and not any((f, rank) in own for f in files):
                    tries.add(square(file, rank) + square(files[1], rank))
        else:
            for right, ahead in LINES[kind]:
                step = 1
                while add(file, rank, (file + step * right, rank + step * ahead), kind):
                    step += 1
    return tries


def plain_checks(fen: str) -> int:
    """The directions from which the side to move is in check."""
    men, white = men_of(fen), fen.split()[1] == "w"
    king = next(place for place, mark in men.items() if mark == ("K" if white else "k"))
    found = []
    for (file, rank), mark in men.items():
        if mark.isupper() == white:
            continue
        right, up = king[0] - file, king[1] - rank
        kind = mark.upper()
        if kind == "N" and sorted((abs(right), abs(up))) == [1, 2]:
            found.append(KNIGHT_CHECK)
        elif kind == "P" and abs(right) == 1 and up == (-1 if white else 1):
            found.append("diagonal")
        elif kind in LINES and max(abs(right), abs(up)) and (not right or not up or abs(right) == abs(up)):
            far = max(abs(right), abs(up))
            step = (right // far, up // far)
            between = [(file + n * step[0], rank + n * step[1]) for n in range(1, far)]
            if step in LINES[kind] and not any(place in men for place in between):
                found.append("diagonal" if right and up else FILE if not right else RANK)
        if found and found[-1] == "diagonal":
            # The diagonal with more squares through the king is the long one.
            rising = min(king) + 7 - max(king)
            falling = min(king[0], 7 - king[1]) + min(king[1], 7 - king[0])
            found[-1] = LONG if (right * up > 0) == (rising > falling) else SHORT
    return sum(set(found)) | (TWO if len(found) == 2 else 0)


@pytest.mark.parametrize("rules", sorted(RULES))
def test_the_umpire_agrees_with_a_plain_one(rules: str) -> None:
    game, rng = load_game(f"kriegspiel:rules={rules}"), random.Random(rules)
    state = game.initial()
    told = RULES[rules].get(TRIES, 0)
    checks = kinds = 0
    for _ in range(400):
        if game.is_terminal(state):
            break
        s = game.struct(state)
        chess, board = game.opened(state)
        fen = chess.fen(board)
        legal = {chess.uci(board, move) for move in chess.actions(board)}
        men = men_of(fen)
        pawns = {square(*place) for place, mark in men.items() if mark in "Pp"}
        captures = {move[:4] for move in legal if move[:2] in pawns and move[0] != move[2]}
        # What was told before the move.
        assert s.tries == {0: 0, 1: min(1, len(captures)), 2: len(captures), 3: 0}[told]
        assert s.checks == plain_checks(fen)
        if told == 3:
            assert {n for n in range(64) if int(s.sources) >> n & 1} == {
                "abcdefgh".index(move[0]) + 8 * (int(move[1]) - 1) for move in captures
            }
        refused = {
            square(start % 8, start // 8) + square(to % 8, to // 8)
            for start in range(64)
            for to in range(64)
            if int(s.refused[start]) >> to & 1
        }
        sources = {move[:2] for move in captures}
        may_take = {
            0: lambda pawn: s.asked != NO,  # noqa: B023
            1: lambda pawn: bool(captures),  # noqa: B023
            2: lambda pawn: bool(captures),  # noqa: B023
            3: sources.__contains__,
        }[told]
        expected = {move for move in plain_tries(fen, may_take) if move[:4] not in refused}
        if s.asked == MUST:
            expected = {move for move in expected if move[:2] in pawns and move[0] != move[2]}
        elif rules in ("english", "berkeley-any") and not s.asked:
            expected.add("any?")
        tries = {words.uci_text(action): action for action in game.actions(state)}
        assert set(tries) == expected
        assert legal - refused <= set(tries) or s.asked == MUST
        # What becomes of a try.
        text = rng.choice(sorted(tries))
        after = game.result(state, tries[text])
        t = game.struct(after)
        if text == "any?":
            assert t.asked == (MUST if captures else NO)
            assert game.opened(after)[1] == board
        elif text not in legal:
            assert game.is_refusal(state, after)
            assert game.opened(after)[1] == board
            assert tries[text] not in game.actions(after)
        else:
            move = chess.action_from_text(board, text)
            assert chess.state_text(game.opened(after)[1]).split(" seen")[0] == chess.fen(chess.result(board, move))
            taken = len(men) - len(men_of(chess.fen(chess.result(board, move))))
            assert (t.taken > 0) == (taken > 0)
            if taken and RULES[rules].get(0):
                victim = men.get(((t.taken - 1) % 8, (t.taken - 1) // 8))
                assert (t.taken_kind == 1) == (victim in ("P", "p"))
                kinds += 1
            checks += t.checks > 0
        state = after
    assert checks
    assert kinds or not RULES[rules].get(0)


def play(game: Any, line: str) -> tuple[Any, list[tuple[str, str]]]:
    """The state behind the tries, and what White and Black heard of each."""
    state, heard = game.initial(), []
    for text in line.split():
        action = game.action_from_text(state, text)
        after = game.result(state, action)
        heard.append((game.hear_text(state, action, after, 0), game.hear_text(state, action, after, 1)))
        state = after
    return state, heard


def test_who_hears_what() -> None:
    game = load_game("kriegspiel")
    state, heard = play(game, "e4 f5 exd5 exf5 Nf6 Qh5")
    assert heard == [
        ("e4", "a move"),
        ("a move; White has 1 pawn try", "f5; White has 1 pawn try"),
        ("exd5 refused", ""),
        ("exf5; pawn on f5 taken", "a move; pawn on f5 taken"),
        ("a move", "Nf6"),
        ("Qh5; Black is in check on the short diagonal", "a move; Black is in check on the short diagonal"),
    ]
    assert game.state_text(game.view(state, 0)).startswith("8/8/8/5P1Q/8/8/PPPP1PPP/RNB1KBNR b KQ - 0 3; moved")
    assert game.draw_for(state, 1).caption == "Black to move; Black is in check on the short diagonal"
    assert play(load_game("kriegspiel:rules=berkeley"), "e4 f5 exf5")[1][1:] == [
        ("a move", "f5"),
        ("exf5; man on f5 taken", "a move; man on f5 taken"),
    ]
    public = play(load_game("kriegspiel:rules=cincinnati"), "e4 f5 exd5")[1][1:]
    assert public == [
        ("a move; White has pawn tries", "f5; White has pawn tries"),
        ("exd5 refused", "a try was refused"),
    ]
    english = play(load_game("kriegspiel:rules=english"), "e4 any? d5 any? exf5")[1]
    assert [english[number] for number in (1, 3, 4)] == [
        ("any pawn captures? no", "any pawn captures? no"),
        ("any pawn captures? yes", "any pawn captures? yes"),
        ("exf5 refused", "a try was refused"),
    ]


def test_asking_for_pawn_captures() -> None:
    for rules, free in (("english", True), ("berkeley-any", False)):
        game = load_game(f"kriegspiel:rules={rules}")
        state, _ = play(game, "e4 d5 any?")
        assert {game.action_text(state, action)[1] for action in game.actions(state)} == {"x"}
        state = game.result(state, game.action_from_text(state, "exf5"))
        others = {game.action_text(state, action) for action in game.actions(state)}
        assert ("Nf3" in others) == free
        assert "exd5" in others
        assert "any?" not in others
        state, _ = play(game, "e4 e5 any?")
        assert not any("x" in game.action_text(state, action) for action in game.actions(state))


def test_a_silent_refusal_changes_nothing_for_the_other() -> None:
    game, rng = load_game("kriegspiel"), random.Random(5)
    state, silent = game.initial(), 0
    for _ in range(300):
        if game.is_terminal(state):
            break
        mover, action = game.player(state), rng.choice(game.actions(state))
        after = game.result(state, action)
        if game.is_refusal(state, after):
            silent += 1
            for seat in (1 - mover, -1):
                assert game.hear(state, action, after, seat) is None
                assert game.view(state, seat) == game.view(after, seat)
            assert game.hear(state, action, after, mover) is not None
            with pytest.raises(IllegalMove, match="refused in this turn already"):
                game.action_from_text(after, game.action_text(state, action))
        state = after
    assert silent > 20


def test_ends() -> None:
    game = load_game("kriegspiel")
    state, _ = play(game, "f3 e5 g4 Qh4")
    assert (game.is_terminal(state), game.utility(state, 1), game.struct(state).verdict) == (True, 300, MATE)
    assert game.view(state, 0) == game.view(state, 1), "the board is shown at the end"
    assert "rnb1kbnr/pppp1ppp" in game.state_text(game.view(state, 0))
    assert game.draw(state).caption == "White is mated"
    stalemate = "k7/2Q5/8/8/8/8/8/K7 b - - 0 1"
    for rules, value in (("wild16", 0), ("rand", 300)):
        game = load_game(f"kriegspiel:rules={rules}")
        state = game.state_from_text(stalemate)
        assert (game.struct(state).verdict, game.utility(state, 0)) == (STALEMATE, value)
    for draws, over in (("fifty", True), ("long", False)):
        game = load_game(f"kriegspiel:draws={draws}")
        state = game.state_from_text("7k/8/8/8/8/8/R7/K7 w - - 99 80")
        assert game.struct(state).verdict == PLAYING
        assert game.is_terminal(game.result(state, game.action_from_text(state, "Ra3"))) == over


def test_texts() -> None:
    game = load_game("kriegspiel:rules=english")
    state = game.state_from_text("r3k2r/1P6/8/3pP3/8/2N1N3/8/R3K2R w KQkq d6 0 9")
    texts = [game.action_text(state, action) for action in game.actions(state)]
    assert {"O-O", "O-O-O", "b8=Q", "bxa8=N", "exd6", "Ncd5", "Ned5", "any?"} <= set(texts)
    assert len(set(texts)) == len(texts)
    for action, text in zip(game.actions(state), texts, strict=True):
        assert game.action_from_text(state, text) == action
        assert game.action_from_text(state, words.uci_text(action)) == action
    passing = game.result(state, game.action_from_text(state, "exd6"))
    assert game.state_text(passing).endswith("; moved; taken d6 passing")
    asked = game.result(state, ASK)
    assert game.state_text(asked).endswith("; any yes")
    refused = game.result(asked, game.action_from_text(asked, "exf6"))
    assert game.state_text(refused).endswith("; any tried; refused e5f6")
    for one in (state, passing, asked, refused):
        assert game.state_from_text(game.state_text(one)) == one
    for text, wrong in (
        ("8/8 w - - 0 1", "ranks"),
        ("k7/8/8/8/8/8/8/K7 w - - 0 1; sneezed", "nothing that the umpire says"),
        ("k7/8/8/8/8/8/8/K7 w - - 0 1; refused e9e4", "nothing that the umpire says"),
        ("4k3/8/8/8/8/8/8/1R2K3 w Q - 0 1", "classical set-up"),
        ("startpos seen 0123456789abcdef", "expected moves"),
    ):
        with pytest.raises(BadInput, match=wrong):
            game.state_from_text(text)
    with pytest.raises(BadInput, match="expected one of wild16, berkeley"):
        load_game("kriegspiel:rules=chess")
    with pytest.raises(BadInput, match="expected fifty or long"):
        load_game("kriegspiel:draws=never")
    with pytest.raises(IllegalMove, match="not a legal move"):
        game.action_from_text(state, "Qh5")


def test_pgn_keeps_the_tries_and_is_chess_to_others() -> None:
    game = load_game("kriegspiel")
    line = "e4 f5 exd5 exf5 Nf6 Qh5 g6 fxg6 Bg7 gxh7 Nxh5".replace("Nxh5", "Nh5")
    state, moves = game.initial(), []
    for text in line.split():
        action = game.action_from_text(state, text)
        moves.append(game.action_text(state, action))
        state = game.result(state, action)
    record = Record(game="kriegspiel", moves=tuple(moves), comments={2: "bold"}, players=("a", "b"))
    text = game.formats["pgn"].write(record)
    assert "{bold tried exd5}" in text
    assert "Qh5+" in text
    (found,) = game.formats["pgn"].read(text)
    assert found.error == ""
    assert found.moves == record.moves
    assert found.comments == {2: "bold"}
    assert found.game == "kriegspiel"
    (chess,) = load_game("chess").formats["pgn"].read(text)
    assert (chess.error, len(chess.moves)) == ("", len(moves) - 1)
    (broken,) = game.formats["pgn"].read(text.replace("tried exd5", "tried exf5"))
    assert "so it was not refused" in broken.error


def test_the_boards_that_white_must_hold_possible() -> None:
    game = load_game("kriegspiel")
    start = game.initial()
    for text, counts in (("a3", {0: 20}), ("a4", {0: 19, 1: 1}), ("e4", {0: 18, 1: 2}), ("Nf3", {0: 20})):
        state = game.result(start, game.action_from_text(start, text))
        found: dict[int, int] = {}
        for action in game.actions(state):
            tries = int(game.struct(game.result(state, action)).tries)
            found[tries] = found.get(tries, 0) + 1
        assert found == counts
