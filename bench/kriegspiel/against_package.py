"""Compares the umpire with the one of the package `kriegspiel` (1.7.3), try by try, over random games.

    pip install --target FOLDER kriegspiel
    python bench/kriegspiel/against_package.py FOLDER --rules wild16 --games 100 --plies 100

Two habits of the package are allowed for: it strikes a refused promotion for one kind only (here for all four), and it
offers a capture in passing that the umpire must refuse although he has said that there is no pawn capture.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
from collections import Counter
from typing import Any

from gametree import load_game
from gametree.games.kriegspiel import umpire, words
from gametree.games.kriegspiel.rules import RULES


def compare(package: Any, chess: Any, rules: str, plies: int, rng: random.Random) -> tuple[int, int]:
    """Play a random game on both sides. Returns how many questions were asked, and the verdict."""
    special, pieces = package.move.SpecialCaseAnnouncement, package.move.CapturedPieceAnnouncement
    checks = {
        special.CHECK_RANK: umpire.RANK,
        special.CHECK_FILE: umpire.FILE,
        special.CHECK_LONG_DIAGONAL: umpire.LONG,
        special.CHECK_SHORT_DIAGONAL: umpire.SHORT,
        special.CHECK_KNIGHT: umpire.KNIGHT_CHECK,
    }
    ends = {
        special.CHECKMATE_WHITE_WINS: umpire.MATE,
        special.CHECKMATE_BLACK_WINS: umpire.MATE,
        special.DRAW_STALEMATE: umpire.STALEMATE,
        special.STALEMATE_WHITE_WINS: umpire.STALEMATE,
        special.STALEMATE_BLACK_WINS: umpire.STALEMATE,
        special.DRAW_INSUFFICIENT: umpire.DEAD,
        special.DRAW_TOOMANYREVERSIBLEMOVES: umpire.FIFTY,
    }
    game = load_game(f"kriegspiel:rules={rules},draws=long")
    other, state, refused, asked = package.KriegspielGame(ruleset=rules.replace("-", "_")), game.initial(), set(), 0
    while game.struct(state).plies < plies:
        theirs = {question.chess_move.uci() if question.chess_move else "any?" for question in other.possible_to_ask}
        ours = {words.uci_text(action): action for action in game.actions(state)}
        passed = other._board.ep_square
        extra = {
            text
            for text in theirs - set(ours)
            if text[:4] not in refused and (passed is None or text[2:4] != chess.square_name(passed))
        }
        assert (extra, ours.keys() - theirs) == (set(), set()), game.state_text(state)
        if not ours:
            assert (other.game_over, game.is_terminal(state)) == (True, True), game.state_text(state)
            break
        text = rng.choice(sorted(ours))
        after = game.result(state, ours[text])
        t, asked = game.struct(after), asked + 1
        if text == "any?":
            question = package.KriegspielMove(package.QuestionAnnouncement.ASK_ANY)
        else:
            question = package.KriegspielMove(package.QuestionAnnouncement.COMMON, chess.Move.from_uci(text))
        answer = other.ask_for(question)
        if text == "any?":
            told = [("any", answer.main_announcement.name == "HAS_ANY", t.asked == umpire.MUST)]
        elif not answer.move_done:
            refused.add(text[:4])
            told = [("refused", True, game.is_refusal(state, after))]
        else:
            refused.clear()
            said = answer.special_announcement
            double = said == special.CHECK_DOUBLE
            way = umpire.TWO | checks[answer.check_1] | checks[answer.check_2] if double else checks.get(said, 0)
            square = answer.capture_at_square
            told = [
                ("refused", False, game.is_refusal(state, after)),
                ("square", -1 if square is None else square, int(t.taken) - 1),
                ("kind", {None: 0, pieces.PAWN: 1, pieces.PIECE: 2}[answer.captured_piece_announcement], t.taken_kind),
                ("in passing", bool(answer.en_passant_announced), bool(t.passing)),
                ("promotion", bool(answer.promotion_announced), bool(t.promoted)),
                ("check", way, t.checks),
                ("end", ends.get(said, umpire.PLAYING), t.verdict),
                ("tries", int(answer.next_turn_pawn_tries or answer.next_turn_has_pawn_capture or 0), t.tries),
                ("pawns", sum(1 << place for place in answer.next_turn_pawn_try_squares or ()), int(t.sources)),
            ]
        for what, there, here in told:
            assert there == here, (game.state_text(state), text, what, there, here)
        state = after
    return asked, int(game.struct(state).verdict)


def main() -> None:
    """Compare, and print how much agreed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where the package was installed")
    parser.add_argument("--rules", choices=sorted(RULES), default="wild16")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--plies", type=int, default=100, help="cut games here")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    sys.path.insert(0, options.folder)
    package, chess = importlib.import_module("kriegspiel"), importlib.import_module("chess")
    importlib.import_module("kriegspiel.move")
    rng, asked, ends = random.Random(options.seed), 0, Counter[int]()
    for _ in range(options.games):
        questions, verdict = compare(package, chess, options.rules, options.plies, rng)
        asked += questions
        ends[verdict] += 1
    names = {0: "cut", 1: "mate", 2: "stalemate", 3: "dead", 4: "moves"}
    shown = ", ".join(f"{count} {names[verdict]}" for verdict, count in sorted(ends.items()))
    print(f"{options.rules}: {options.games} games, {asked:,} questions, all answers agree; ends: {shown}")


if __name__ == "__main__":
    main()
