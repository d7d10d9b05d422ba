"""A lexicon as a graph that compiled code walks: a GADDAG, in which a word can be begun at any of its letters.

Source: Gordon, "A faster Scrabble move generation algorithm" (1994); Daciuk et al., "Incremental construction of
minimal acyclic finite-state automata" (2000), for what minimal means.

For each letter of a word the graph holds a string: the letters up to it, backwards, then a separator, then the rest.
The whole word backwards stands without a separator. So CAT is C>AT, AC>T and TAC, and a play can grow from any square
to the left and then to the right. A word is read forwards by its first letter, the separator and the rest.

The graph is one array of 32-bit words. A node is [letters, ends, child, child, ...]: bit k of `letters` says that an
arc with letter k leaves the node (bit 0: the separator), bit k of `ends` that a string ends with it, and the children
follow in the order of their letters, as places in the array; 0 is a child without arcs. A letter's number is its place
in the alphabet, counted from 1. A file is a header of 512 bytes, one line of text, and the array.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.core.files import write_atomically

__all__ = ["LONGEST_WORD", "MOST_LETTERS", "SHORTEST_WORD", "WordGraph", "build_graph", "open_graph", "write_graph"]

SHORTEST_WORD, LONGEST_WORD = 2, 15
MOST_LETTERS = 31
"""Letters of an alphabet: with the separator they fill the 32 bits of a node's mask."""
_HEADER = 512
_MAGIC = "gametree words 1"
_WIDTH = LONGEST_WORD + 1  # the longest string of a word: all its letters and the separator
_SEPARATOR, _FIRST = 1, 2  # how strings are sorted: nothing, then the separator, then the letters


@dataclass(frozen=True, eq=False)
class WordGraph:
    """A lexicon in memory, or mapped from a file."""

    letters: str
    """The alphabet."""
    words: int
    """How many there are."""
    root: int
    nodes: Any
    """The array of 32-bit words; whoever uses its address keeps it alive."""
    digest: str
    """Stands for the list: equal for equal lists."""

    @property
    def address(self) -> int:
        """Where the array lies."""
        return int(self.nodes.ctypes.data)

    def step(self, node: int, letter: int) -> tuple[int, bool]:
        """Where the arc with this letter leads (0: nowhere), and whether a string ends with it."""
        arcs = int(self.nodes[node])
        if not node or not arcs >> letter & 1:
            return 0, False
        place = (arcs & ((1 << letter) - 1)).bit_count()
        return int(self.nodes[node + 2 + place]), bool(int(self.nodes[node + 1]) >> letter & 1)

    def walk(self, node: int, letters: Any) -> tuple[int, bool]:
        """The same for several letters in a row."""
        ends = False
        for letter in letters:
            if not node:
                return 0, False
            node, ends = self.step(node, letter)
        return node, ends

    def codes(self, word: str) -> list[int] | None:
        """The numbers of a word's letters; None if one of them is not in the alphabet."""
        found = [self.letters.find(letter) + 1 for letter in word.upper()]
        return found if all(found) else None

    def __contains__(self, word: str) -> bool:
        found = self.codes(word)
        return bool(found) and self.walk(self.root, found[::-1])[1]  # type: ignore[index]


def build_graph(words: list[str], letters: str) -> WordGraph:
    """The graph of different words of 2 to 15 letters, all in the alphabet `letters` (at most 31), one at least."""
    ordered = sorted(words)
    digest = f"{zlib.crc32(chr(10).join(ordered).encode()):08x}-{len(ordered)}"
    strings = _sorted_strings(ordered, letters)
    letter, ends, child, sibling = _trie(strings)
    nodes, root = _laid_out(*_minimised(letter, ends, child, sibling))
    return WordGraph(letters, len(ordered), root, nodes, digest)


def _sorted_strings(words: list[str], letters: str) -> Any:
    """One row for every letter of every word, sorted."""
    number = np.zeros(0x110000, np.uint8)
    number[[ord(letter) for letter in letters]] = np.arange(len(letters)) + _FIRST
    by_length: dict[int, list[str]] = {}
    for word in words:
        by_length.setdefault(len(word), []).append(word)
    parts = []
    for length, alike in by_length.items():
        codes = number[np.array(alike).view(np.uint32).reshape(len(alike), length)]
        for pivot in range(1, length + 1):
            rows = np.zeros((len(alike), _WIDTH), np.uint8)
            rows[:, :pivot] = codes[:, :pivot][:, ::-1]
            if pivot < length:
                rows[:, pivot] = _SEPARATOR
                rows[:, pivot + 1 : length + 1] = codes[:, pivot:]
            parts.append(rows)
    rows = np.concatenate(parts)
    keys = []
    for half in (rows[:, : _WIDTH // 2], rows[:, _WIDTH // 2 :]):
        key = np.zeros(len(rows), np.uint64)
        for column in range(_WIDTH // 2):
            key = key << np.uint64(6) | half[:, column].astype(np.uint64)
        keys.append(key)
    return rows[np.lexsort((keys[1], keys[0]))]


def _trie(strings: Any) -> tuple[Any, Any, Any, Any]:
    """Every arc of the tree of the strings: letter, whether one ends here, first arc below, next arc beside (0: none).

    Arc 0 is nobody's. An arc's children come behind it, and so do its siblings.
    """
    count = len(strings)
    length = (strings != 0).sum(axis=1)
    shared = np.zeros(count, np.int64)  # how much of a string the one before it has as well
    shared[1:] = (strings[1:] != strings[:-1]).argmax(axis=1)
    fresh = length - shared
    first = 1 + np.cumsum(fresh) - fresh  # the first arc that a string adds
    columns = np.arange(_WIDTH)
    new = (columns >= shared[:, None]) & (columns < length[:, None])
    total = 1 + int(fresh.sum())
    letter, depth = np.zeros(total, np.uint8), np.zeros(total, np.uint8)
    letter[1:] = strings[new] - _SEPARATOR
    depth[1:] = np.broadcast_to(columns.astype(np.uint8), new.shape)[new]
    owner = np.repeat(np.arange(count), fresh)
    last = first + fresh - 1
    ends = np.zeros(total, bool)
    ends[last] = True
    child = np.arange(1, total + 1, dtype=np.int64)
    goes_on = np.append(shared[1:] == length[:-1], False)  # the next string begins with all of this one
    child[last[~goes_on]] = 0
    child[0] = 0
    sibling = np.zeros(total, np.int64)
    for column in range(_WIDTH):
        arcs = np.flatnonzero(depth[1:] == column) + 1
        leaving = np.flatnonzero(shared <= column)  # strings that leave the path above or at this arc
        after = np.searchsorted(leaving, owner[arcs - 1], side="right")
        found = leaving[np.minimum(after, len(leaving) - 1)]
        beside = (after < len(leaving)) & (shared[found] == column)
        sibling[arcs] = np.where(beside, first[found], 0)
    return letter, ends, child, sibling


def _minimised(letter: Any, ends: Any, child: Any, sibling: Any) -> tuple[Any, Any, Any, Any, int]:
    """The same with equal arcs (same letter, end, arcs below and arcs beside) made one; and the first arc of all."""
    total = len(letter)
    above = np.zeros(total, np.int64)  # of the first child: its parent; of another: the sibling before it
    some = np.flatnonzero(child)
    above[child[some]] = some
    some = np.flatnonzero(sibling)
    above[sibling[some]] = some
    # An arc can be named once those below and beside it are; so arcs are taken by their height over the last ones.
    waits = (child != 0).astype(np.int8) + (sibling != 0).astype(np.int8)
    name = np.zeros(total, np.int64)
    waits[0] = 1
    ready = np.flatnonzero(waits == 0)
    kinds: list[tuple[Any, Any, Any, Any]] = []
    known = 1
    while len(ready):
        key = (letter[ready].astype(np.int64) * 2 + ends[ready]) << 50 | name[child[ready]] << 25 | name[sibling[ready]]
        key, place = np.unique(key, return_inverse=True)
        name[ready] = known + place
        known += len(key)
        below = (1 << 25) - 1
        kinds.append((key >> 51, key >> 50 & 1, key >> 25 & below, key & below))
        above_ready = above[ready]
        above_ready = above_ready[above_ready != 0]
        np.subtract.at(waits, above_ready, 1)
        above_ready = np.unique(above_ready)
        ready = above_ready[waits[above_ready] == 0]
    nobody = np.zeros(1, np.int64)
    columns = [np.concatenate([nobody, *(kind[column] for kind in kinds)]) for column in range(4)]
    return columns[0], columns[1], columns[2], columns[3], int(name[1])


def _laid_out(letter: Any, ends: Any, child: Any, sibling: Any, top: int) -> tuple[Any, int]:
    """The array of nodes, and where the root stands in it."""
    heads = np.unique(np.append(child[child != 0], top))  # a node is named by its first arc
    arcs = np.zeros(len(heads), np.int64)
    size = np.full(len(heads), 2, np.int64)
    at, now = np.arange(len(heads)), heads
    chains = []
    while len(now):
        chains.append((at, now))
        arcs[at] |= 1 << letter[now]
        size[at] += 1
        now = sibling[now]
        at, now = at[now != 0], now[now != 0]
    place = 1 + np.cumsum(size) - size  # place 0 means no node
    where = np.zeros(len(letter), np.int64)
    where[heads] = place
    nodes = np.zeros(1 + int(size.sum()), np.uint32)
    closing = np.zeros(len(heads), np.int64)
    for number, (at, now) in enumerate(chains):
        closing[at] |= ends[now] << letter[now]
        nodes[place[at] + 2 + number] = where[child[now]]
    nodes[place], nodes[place + 1] = arcs, closing
    return nodes, int(where[top])


# Files ----------------------------------------------------------------------------------------------------------------


def write_graph(path: str | Path, graph: WordGraph) -> None:
    """Write the file, whole or not at all. Raises BadInput."""
    data = graph.nodes.astype("<u4").tobytes()
    about = {
        "letters": graph.letters,
        "words": graph.words,
        "root": graph.root,
        "size": len(graph.nodes),
        "crc32": zlib.crc32(data),
        "digest": graph.digest,
    }
    header = f"{_MAGIC} {json.dumps(about)}".encode()
    write_atomically(path, header.ljust(_HEADER - 1) + b"\n" + data)


def open_graph(path: str | Path) -> WordGraph:
    """Map a file into memory and check it. Raises BadInput, naming the file and what is wrong with it."""
    wrong = f"'{path}' is no word graph of gametree"
    try:
        with open(path, "rb") as file:
            header = file.read(_HEADER)
        if not header.startswith(_MAGIC.encode() + b" "):
            raise BadInput(f"{wrong}; expected a file that `gametree words build` has written.")
        about: Any = json.loads(header[len(_MAGIC) :])
        nodes = np.memmap(path, "<u4", "r", _HEADER)
        if len(nodes) != about["size"] or zlib.crc32(nodes.data) != about["crc32"]:
            raise BadInput(f"{wrong} any more: its contents do not fit its checksum; build it again.")
        return WordGraph(about["letters"], about["words"], about["root"], nodes, about["digest"])
    except OSError as error:
        raise BadInput(f"'{path}' cannot be read: {error.strerror or error}.") from None
    except (ValueError, KeyError, TypeError, UnicodeDecodeError):
        raise BadInput(f"{wrong}; its header is damaged.") from None
