"""Bad input for chess as a user meets it: one sentence that names the input and the rule, exit code 2."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gametree.interfaces.cli import run
from gametree.knowledge import records

TWO_KNIGHTS = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1"


def sentence(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command says, besides that code is compiled."""
    assert run(list(arguments)) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if "compiling" not in line]
    assert len(lines) == 1, lines
    return lines[0]


@pytest.mark.parametrize("command", [("perft", "chess", "1"), ("analyse", "chess"), ("explain", "chess")])
@pytest.mark.parametrize(
    ("position", "words"),
    [
        (
            "4k3/8/8/8/8/8/8/KK6 w - - 0 1",
            "FEN field 1, pieces, is '4k3/8/8/8/8/8/8/KK6': White has 2 kings; expected 1.",
        ),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "a pawn stands on a8; expected none on ranks 1 and 8."),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "FEN field 2, side to move, is 'w', but Black is in check"),
        ("4k3/8/8/8/8/8/8/4K3 w KQ - 0 1", "FEN field 3, castling, is 'KQ': 'K' needs a rook"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "FEN field 4, en passant, is 'e6': no pawn of Black"),
        (f"4k3/8/8/8/8/8/8/4K3 w - - {'9' * 5000} 1", "FEN field 5, half-move clock, is '999"),
        (f"4k3/8/8/8/8/8/8/4K3 w - - 0 {'9' * 5000}", "FEN field 6, move number, is '999"),
        ("4k3/8/8/8/8/8/8/4K3 w - - ٣ 1", "FEN field 5, half-move clock, is '٣': expected a whole number"),
        ("\x00 \x01", "is not a FEN: it has 2 fields"),
    ],
)
def test_positions_that_break_a_rule(capsys, command, position, words):
    said = sentence(capsys, *command, position)
    assert words in said
    assert len(said) < 300


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--moves", "e4 e5 Ke3"), "'Ke3' is not a legal move here. Did you mean 'Ke2'?"),
        ((TWO_KNIGHTS, "--moves", "Nd2"), "'Nd2' is ambiguous here; expected one of Nbd2, Nfd2."),
        (("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "--moves", "a8"), "'a8' does not say what the pawn becomes"),
        (("--moves", "f3 e5 g4 Qh4# a3"), "The move 'a3' comes after the end of the game."),
    ],
)
def test_moves_that_are_not_legal_or_say_too_little(capsys, arguments, words):
    assert words in sentence(capsys, "analyse", "chess", *arguments)


BOOK = Path(records.__file__).parent / "data" / "chess.bin"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (BOOK.read_bytes()[:1000], "is truncated or no book: it has 1,000 bytes; expected a multiple of the 16"),
        (b"", "is empty; expected a book"),
        (bytes(range(255, -1, -1)), "is no book: its keys are not in order"),
    ],
)
def test_books_that_are_none(capsys, tmp_path, content, words):
    path, whole, output = tmp_path / "a.bin", tmp_path / "whole.bin", tmp_path / "out.bin"
    path.write_bytes(content)
    whole.write_bytes(BOOK.read_bytes())
    for command in (
        ("book", "show", str(path)),
        ("book", "check", str(path)),
        ("book", "merge", str(whole), str(path), "-o", str(output)),
        ("play", "chess", "--against", f"engine:book={path}"),
    ):
        assert f"'{path}' {words}" in sentence(capsys, *command)
    assert not output.exists()


NOISE = bytes((place * place * 31 + place * 7 + place // 50) % 256 for place in range(300_000))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (NOISE, "holds no finished game of chess that can be read; the first that was tried: line 1 is no PGN."),
        (b"", "holds no finished game of chess that can be read."),
        (b"[" * 3_000_000, "holds no finished game of chess that can be read"),
        (
            b'[Event "a"]\n[Result "1-0"]\n\n1. e4 {' + b"a" * 5_000_000,
            "the first that was tried: The game at line 1 has no end within 4,000,000 characters.",
        ),
        (
            b'[Event "a"]\n[Result "1-0"]\n\n' + b"e4 e5 " * 1_000_000,
            "the first that was tried: The game at line 1 has no end within 4,000,000 characters.",
        ),
    ],
    ids=["noise", "empty", "brackets", "comment", "moves"],
)
def test_games_that_are_none(capsys, tmp_path, content, words):
    path, output = tmp_path / "a.pgn", tmp_path / "out.bin"
    path.write_bytes(content)
    said = sentence(capsys, "book", "build", str(path), "-o", str(output))
    assert f"'{path}' " in said
    assert words in said
    assert not output.exists()


def test_a_line_without_end_is_read_in_pieces(tmp_path):
    path = tmp_path / "a.pgn"
    path.write_bytes(b"x" * 5_000_000 + b"\ny\n")
    pieces = list(records._lines(path, 0, 0, None))
    assert max(map(len, pieces)) == 1 << 20
    assert "".join(pieces) == "x" * 5_000_000 + "\ny\n"


MEASURED = """
import resource, sys
from gametree.interfaces.cli import run
code = run(sys.argv[1:])
print(code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def test_memory_does_not_grow_with_the_file(tmp_path):
    """Twenty times the games, broken ones and endless lines among them, take hardly more memory."""
    game = b'[Event "a"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 1-0\n\n'
    part = game * 2_000 + b"1. e4 e4 " * 1_000 + b"\n\n" + b"z" * 1_500_000 + b"\n\n"
    used = []
    for name, times in (("small.pgn", 1), ("large.pgn", 20)):
        (tmp_path / name).write_bytes(part * times)
        command = [sys.executable, "-c", MEASURED, "book", "build", str(tmp_path / name), "-o", str(tmp_path / "o.bin")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        code, mebibytes = map(int, done.stdout.split()[-2:])
        assert code == 0
        used.append(mebibytes)
    assert used[1] < used[0] + 40  # the file has grown by 32 MiB, and its rows are counted in between
