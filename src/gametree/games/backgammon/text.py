"""Plays as people write them: `8/5 6/5`, `24/18*/13`, `bar/22 6/off`, `13/11(2) 6/4(2)`."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from gametree.core.errors import IllegalMove
from gametree.games.backgammon.board import ANSWER, BAR, CUBE, OFF, PLAY
from gametree.games.backgammon.plays import steps_of

__all__ = ["action_text", "find_play", "play_text"]

NO_MOVE = "no move"
WORDS = {CUBE: ("throw", "double"), ANSWER: ("drop", "take", "beaver")}
_OTHER_WORDS = {"roll": "throw", "pass": "drop", "drops": "drop", "takes": "take", "doubles": "double"}
_PART = re.compile(r"(bar|\d{1,2})((?:/(?:off|bar|\d{1,2})\*?)+)(?:\((\d)\))?", re.IGNORECASE)


def _name(point: int) -> str:
    return "bar" if point == BAR else "off" if point == OFF else str(point)


def _hits(s: Any, steps: Sequence[tuple[int, int]]) -> list[bool]:
    """For each step whether it hits; what was hit once is no longer there."""
    found, met = [], set()
    for _, target in steps:
        hit = target > OFF and int(s.men[1 - s.seat, BAR - target]) == 1 and target not in met
        met.add(target)
        found.append(hit)
    return found


def _points_hit(s: Any, steps: Sequence[tuple[int, int]]) -> set[int]:
    """The points on which steps hit."""
    return {target for (_, target), hit in zip(steps, _hits(s, steps), strict=True) if hit}


def play_text(s: Any, action: int) -> str:
    """A play: steps of one checker joined unless it hits on the way, equal ones counted, the highest point first."""
    steps = steps_of((int(s.dice[0]), int(s.dice[1])), action)
    if not steps:
        return NO_MOVE
    ways: list[list[tuple[int, bool]]] = []
    for (source, target), hit in zip(steps, _hits(s, steps), strict=True):
        way = next((way for way in ways if way[-1][0] == source and len(way) > 1), None)
        if way is None:
            ways.append([(source, False), (target, hit)])
        else:
            way.append((target, hit))
    written = []
    for way in sorted(ways, key=lambda way: [-point for point, _ in way]):
        kept = [part for place, part in enumerate(way) if place in (0, len(way) - 1) or part[1]]
        written.append("/".join(_name(point) + "*" * hit for point, hit in kept))
    return " ".join(part + (f"({count})" if count > 1 else "") for part, count in Counter(written).items())


def action_text(s: Any, action: int) -> str:
    """A play, a throw such as `31`, or a word about the cube."""
    phase = int(s.phase)
    if phase == PLAY:
        return play_text(s, action)
    return WORDS[phase][action] if phase in WORDS else f"{action // 6 + 1}{action % 6 + 1}"


def _change(steps: Sequence[tuple[int, int]]) -> dict[int, int]:
    """By how many the checkers of each point change."""
    change: Counter[int] = Counter()
    for source, target in steps:
        change[source] -= 1
        change[target] += 1
    return {point: count for point, count in change.items() if count}


def _read_steps(text: str) -> tuple[list[tuple[int, int]], list[int]] | None:
    """The steps of a text and the points behind which a star stands; None if it is not a play at all."""
    steps: list[tuple[int, int]] = []
    stars: list[int] = []
    for part in text.replace(",", " ").split():
        found = _PART.fullmatch(part)
        if found is None:
            return None
        names = [found[1], *found[2].lstrip("/").split("/")]
        points = []
        for place, name in enumerate(names):
            word = name.rstrip("*").casefold()
            point = BAR if word == "bar" else OFF if word == "off" else int(word)
            if point > BAR:
                return None
            points.append(point)
            if place and name.endswith("*"):
                stars.append(point)
        for _ in range(int(found[3] or 1)):
            steps += itertools.pairwise(points)
    return steps, stars


def find_play(s: Any, text: str, actions: Sequence[int]) -> int | None:
    """The action that a text means, in whatever order and detail it is written; None if another reader should try.

    Raises IllegalMove for a play that is not legal, or one that may hit on its way and does not say whether it does.
    """
    word = " ".join(text.casefold().split())
    phase = int(s.phase)
    if phase in WORDS:
        word = _OTHER_WORDS.get(word, word)
        return next((action for action in actions if WORDS[phase][action] == word), None)
    if phase != PLAY:
        swapped = word[::-1] if re.fullmatch("[1-6][1-6]", word) and s.phase and word[0] < word[1] else word
        return next((action for action in actions if action_text(s, action) == swapped), None)
    read = _read_steps(word)
    if read is None or not read[0]:
        return None
    wanted, stars = _change(read[0]), set(read[1])
    dice = (int(s.dice[0]), int(s.dice[1]))
    ways = {action: steps_of(dice, action) for action in actions}
    fitting = [action for action, steps in ways.items() if steps and _change(steps) == wanted]
    if not fitting:
        return None
    if len(fitting) > 1:
        hits = {action: _points_hit(s, ways[action]) for action in fitting}
        # A point that the text names is landed on, whether a star says so or not.
        named = _points_hit(s, read[0]) | stars
        exact = [action for action in fitting if hits[action] == named]
        if len(exact) == 1:
            return exact[0]
        shown = " or ".join(play_text(s, action) for action in fitting)
        raise IllegalMove(f"'{text.strip()}' may mean {shown}; expected one of them.")
    return fitting[0]
