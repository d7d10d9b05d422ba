"""Word lists: ENABLE, which comes with the package, the user's own, and the graphs that are made of them.

ENABLE (Enhanced North American Benchmark Lexicon, by Alan Beale and M. Cooper) is in the public domain: 168,551 words
of 2 to 15 letters. It lies here packed: each word as the number of letters that it shares with the one before it, and
the rest. Its graph takes some seconds to build, so graphs are kept in the folder for what can be made again.
"""

from __future__ import annotations

import bz2
import contextlib
import hashlib
import re
from functools import cache
from pathlib import Path

from gametree.core.errors import BadInput, GametreeError
from gametree.core.files import read_text
from gametree.core.folders import cache_folder
from gametree.kernels.word_graph import (
    LONGEST_WORD,
    SHORTEST_WORD,
    WordGraph,
    build_graph,
    open_graph,
    write_graph,
)

__all__ = ["MOST_WORDS", "enable_words", "graph_of", "read_list"]

MOST_WORDS = 600_000
"""No list may have more: its graph would take too much memory to build."""
_VERSION = 1  # of what is kept: another number, and graphs are built anew


@cache
def enable_words() -> tuple[str, ...]:
    """The list that comes with the package, in order."""
    packed = bz2.decompress(Path(__file__).with_name("enable.bz2").read_bytes())
    words, last = [], ""
    for shared, rest in re.findall(rb"([\x00-\x0f])([A-Z]*)", packed):
        last = last[: shared[0]] + rest.decode()
        words.append(last)
    return tuple(words)


def read_list(path: str | Path, letters: str) -> list[str]:
    """The different words of a file that can be played, one a line; capitals and small letters are the same.

    Words of other lengths than 2 to 15 are left out. Raises BadInput, naming the line.
    """
    return sorted(_words(read_text(path), str(path), letters))


def _words(text: str, path: str, letters: str) -> set[str]:
    words, known = set(), set(letters)
    for number, line in enumerate(text.splitlines(), 1):
        word = line.strip().upper()
        if not word:
            continue
        if number > MOST_WORDS:
            raise BadInput(f"'{path}' goes on after line {MOST_WORDS:,}; expected at most so many words.")
        strange = set(word) - known
        if strange:
            first = next(letter for letter in word if letter in strange)
            raise BadInput(
                f"'{path}', line {number}: '{word[:40]}' has the sign '{first}'; expected one word a line, "
                f"with the letters {letters}."
            )
        if SHORTEST_WORD <= len(word) <= LONGEST_WORD:
            words.add(word)
    if not words:
        raise BadInput(f"'{path}' has no word of {SHORTEST_WORD} to {LONGEST_WORD} letters.")
    return words


def graph_of(name: str, letters: str) -> WordGraph:
    """The graph of `enable`, of a list, or of a file that holds a graph already. Raises BadInput.

    What is built is kept, so that the next call maps it in a moment.
    """
    if name == "enable":
        content = Path(__file__).with_name("enable.bz2").read_bytes()
    else:
        file = Path(name).expanduser()
        if not file.is_file():
            raise BadInput(f"There is no word list '{name}'; expected enable, or a file with one word a line.")
        with file.open("rb") as opened:
            if opened.read(8) == b"gametree":
                graph = open_graph(file)
                if graph.letters != letters:
                    raise BadInput(f"'{name}' is of the alphabet {graph.letters}; expected {letters}.")
                return graph
        content = file.read_bytes()
    known = hashlib.sha256(b"%d %s " % (_VERSION, letters.encode()) + content).hexdigest()[:24]
    kept = cache_folder() / "words" / f"{known}.words"
    if kept.is_file():
        with contextlib.suppress(GametreeError):  # damaged: built again
            return open_graph(kept)
    words = list(enable_words()) if name == "enable" else read_list(name, letters)
    graph = build_graph(words, letters)
    with contextlib.suppress(GametreeError, OSError):  # where nothing can be kept, the next process builds it again
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_graph(kept, graph)
        return open_graph(kept)
    return graph
