"""GCG: games are read and written, and what is wrong with a file is told with its line."""

from __future__ import annotations

from typing import Any

import pytest

from gametree import load_game

SAMPLE = """#character-encoding UTF-8
#player1 a Ann
#player2 b Bob
>a: ADEGORZ 8D GRAZED +38 38
>b: CELNOOT F2 ECOTON.L +64 64
>a: AALNOSW -AAW +0 38
>b: EENNRU? - +0 64
"""


@pytest.fixture(scope="module")
def gcg() -> Any:
    return load_game("scrabble").formats["gcg"]


def test_a_game_is_read_and_written(gcg):
    record = next(gcg.read(SAMPLE))
    assert record.error == ""
    assert record.players == ("Ann", "Bob")
    assert [move for move in record.moves if not move.startswith("+")] == ["8D:GRAZED", "F2:ECOTON(A)L", "-AAW", "pass"]
    written = gcg.write(record)
    assert [line.split(":")[1] for line in written.splitlines()[3:]] == [
        line.split(":")[1] for line in SAMPLE.splitlines()[3:]
    ]
    assert next(gcg.read(written)).moves == record.moves


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("+38 38", "+39 39", "Line 4: the play 8D GRAZED is worth 38 points, not 39"),
        ("+64 64", "+64 65", "Line 5: .* comes to 64 points, not 65"),
        ("8D GRAZED", "8D GRAZEX", "Line 4: .*is not a legal move here"),
        (">b: CELNOOT", ">c: CELNOOT", "Line 5: There is no player 'c'"),
        (">b: CELNOOT", ">a: CELNOOT", "Line 5: "),
        ("ADEGORZ", "ADEGORZS", "Line 4: .* cannot hold ADEGORZS"),
        ("ADEGORZ 8D", "ADEGOZZ 8D", "Line 4: .* cannot hold ADEGOZZ: no Z is left"),
        ("#player2 b Bob\n", "", "1 players; expected 2"),
        ("#player2 b", "#player2 a", "Two players are called 'a'"),
        ("+38 38", "38", "Line 4: .* is no event"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(gcg, old, new, said):
    record = next(gcg.read(SAMPLE.replace(old, new, 1)))
    assert record.error
    import re

    assert re.search(said, record.error), record.error


def test_dos_line_ends_and_another_game(gcg):
    assert next(gcg.read(SAMPLE.replace("\n", "\r\n"))).error == ""
    from gametree.formats import record_format

    assert "GCG is a notation of Scrabble" in next(record_format(load_game("nim"), "gcg").read(SAMPLE)).error
