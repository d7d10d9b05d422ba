"""Lexicons: graphs against plain sets, questions against brute force, files that are damaged, lists that are wrong."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import pytest

from gametree import BadInput
from gametree.games.scrabble.lists import enable_words, read_list
from gametree.kernels.word_graph import build_graph, open_graph, write_graph
from gametree.knowledge.lexicon import anagrams, hooks, matching

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
WORDS = sorted({*random.Random(1).sample(enable_words(), 3000), *(word for word in enable_words() if len(word) < 4)})


@pytest.fixture(scope="module")
def graph():
    return build_graph(WORDS, LETTERS)


def test_a_graph_holds_its_words_from_every_letter(graph):
    known, rng = set(WORDS), random.Random(2)
    for word in rng.sample(WORDS, 500):
        place, letter = rng.randrange(len(word)), rng.choice(LETTERS)
        for text in (word, word[:place] + letter + word[place + 1 :]):
            assert (text in graph) == (text in known)
            codes = graph.codes(text)
            for pivot in range(1, len(text)):
                node, _ = graph.walk(graph.root, codes[:pivot][::-1])
                node, _ = graph.step(node, 0)
                assert graph.walk(node, codes[pivot:])[1] == (text in known)


def test_questions_are_answered_as_by_trying_all_words(graph):
    for rack in ("RETAINS", "CAT", "AB?"):
        fixed = rack.replace("?", "")
        wanted = {
            word
            for word in WORDS
            if len(word) == len(rack)
            and any(
                sorted(word) == sorted(fixed + "".join(more)) for more in itertools.product(LETTERS, repeat="?" in rack)
            )
        }
        assert {word.upper() for word in anagrams(graph, rack)} == wanted
    for pattern in ("Q*", "?A?", "*ING", "C?T"):
        fits = re.compile(pattern.replace("?", ".").replace("*", ".*"))
        assert matching(graph, pattern) == [word for word in WORDS if fits.fullmatch(word)]
    front, behind = hooks(graph, "AR")
    assert set(front) == {letter for letter in LETTERS if letter + "AR" in WORDS}
    assert set(behind) == {letter for letter in LETTERS if "AR" + letter in WORDS}


def test_a_damaged_file_is_refused(graph, tmp_path: Path):
    file = tmp_path / "some.words"
    write_graph(file, graph)
    assert "CAT" in open_graph(file)
    data = bytearray(file.read_bytes())
    data[-5] ^= 1
    file.write_bytes(data)
    with pytest.raises(BadInput, match="do not fit its checksum"):
        open_graph(file)
    file.write_bytes(b"nonsense")
    with pytest.raises(BadInput, match="no word graph"):
        open_graph(file)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("CAT\nCAFÉ\n", "line 2: 'CAFÉ' has the sign 'É'"),
        ("cat1", "line 1: .* has the sign '1'"),
        ("a\n", "no word of 2"),
    ],
)
def test_a_wrong_list_is_refused_with_its_line(tmp_path: Path, text, said):
    (tmp_path / "list.txt").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=said):
        read_list(tmp_path / "list.txt", LETTERS)


def test_too_long_a_list_is_refused(tmp_path: Path):
    (tmp_path / "list.txt").write_text("cat\n" * 600_001)
    with pytest.raises(BadInput, match="goes on after line 600,000"):
        read_list(tmp_path / "list.txt", LETTERS)


def test_commands_build_and_ask(gametree, tmp_path: Path):
    (tmp_path / "list.txt").write_text("\n".join(WORDS))
    code, out, _ = gametree("words", "build", "list.txt", "-o", "my.words")
    assert (code, f"{len(WORDS):,} words" in out) == (0, True)
    code, out, _ = gametree("words", "check", "CAT", "XQZ", "--words", "my.words")
    assert (code, out) == (0, "CAT: yes\nXQZ: no\n")
    code, _, error = gametree("words", "anagrams", "R3T")
    assert code == 2
    assert "has the sign '3'" in error
