"""Questions to a lexicon: what do these letters make, what fits a pattern, what may stand in front of a word or behind.

A lexicon is a word graph (`gametree.kernels.word_graph`); lists and tile sets are those of Scrabble.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gametree.core.errors import BadInput
from gametree.kernels.word_graph import WordGraph

__all__ = ["anagrams", "hooks", "matching", "read_letters"]

BLANK = "?"


def read_letters(text: str, graph: WordGraph, extra: str = BLANK) -> str:
    """The text in capitals. Raises BadInput if it has another sign than the alphabet's letters and `extra`."""
    found = text.strip().upper()
    strange = next((letter for letter in found if letter not in graph.letters and letter not in extra), None)
    if strange or not found:
        what = f"has the sign '{strange}'" if strange else "has no letters"
        raise BadInput(f"'{text[:40]}' {what}; expected letters of {graph.letters}{' and ' + extra if extra else ''}.")
    return found


def anagrams(graph: WordGraph, letters: str, *, shortest: int = 0) -> list[str]:
    """The words that the letters make, `?` being any: those of all letters, or of `shortest` letters at least.

    Longer ones first, then in the order of the alphabet; letters that a `?` stands for are small.
    """
    left = Counter(letters)
    least = shortest or len(letters)

    def extend(node: int, word: str) -> Iterator[str]:
        for letter in sorted(set(graph.letters)):
            blank = not left[letter]
            if blank and not left[BLANK]:
                continue
            child, ends = _after(graph, node, word, letter)
            taken = BLANK if blank else letter
            left[taken] -= 1
            longer = word + (letter.lower() if blank else letter)
            if ends and len(longer) >= least:
                yield longer
            if child:
                yield from extend(child, longer)
            left[taken] += 1

    found = {word.upper(): word for word in extend(graph.root, "")}
    return sorted(found.values(), key=lambda word: (-len(word), word.upper()))


def _after(graph: WordGraph, node: int, word: str, letter: str) -> tuple[int, bool]:
    """One letter further in a word that is read forwards: the first one is followed by the separator."""
    node, ends = graph.step(node, graph.letters.index(letter) + 1)
    return (graph.step(node, 0)[0], False) if not word else (node, ends)


def matching(graph: WordGraph, pattern: str) -> list[str]:
    """The words that fit a pattern: letters, `?` for any one, `*` for any number of letters."""

    def fits(word: str, place: int, node: int, ends: bool) -> Iterator[str]:
        if place == len(pattern):
            if ends:
                yield word
            return
        sign = pattern[place]
        if sign == "*":
            yield from fits(word, place + 1, node, ends)
        if not node:
            return
        for letter in graph.letters if sign in "?*" else sign:
            child, ended = _after(graph, node, word, letter)
            if child or ended:
                yield from fits(word + letter, place if sign == "*" else place + 1, child, ended)

    return sorted(set(fits("", 0, graph.root, False)))


def hooks(graph: WordGraph, word: str) -> tuple[str, str]:
    """The letters that make a word when they stand in front of it, and behind it."""
    front = "".join(letter for letter in graph.letters if letter + word in graph)
    return front, "".join(letter for letter in graph.letters if word + letter in graph)
