"""What is sent of a position after a move, as small as it can be: the board once, then what has changed.

A drawing has a part that stays while a game goes on (places, regions, what they are called) and one that changes. The
first is sent to a page once and kept there by its key. Pieces that look alike are listed together, and legal moves by
the numbers of their cells. `static/scene.js` undoes it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection
from typing import Any

__all__ = ["pack"]

_STILL = ("layout", "rows", "columns", "left", "below", "surface", "checkered", "regions", "labels", "lines", "seats")
_FEWEST_AMOUNTS = 8
"""Moves that differ in a number only and become one slider."""


def pack(view: dict[str, Any], known: Collection[str]) -> tuple[dict[str, Any], str]:
    """The view with its drawing and moves packed, and the key of its board; `known` are the keys that the page has."""
    drawing = view["drawing"]
    first = drawing["racks"][0]["first"] if drawing["racks"] else len(drawing["places"])
    still = {name: drawing[name] for name in _STILL} | {"places": drawing["places"][:first]}
    text = json.dumps(still, sort_keys=True)
    key = hashlib.blake2b(text.encode(), digest_size=9).hexdigest()
    changing = {name: value for name, value in drawing.items() if name not in still and value not in ("", [], None)}
    packed = {
        **changing,
        "slots": drawing["places"][first:],
        "items": _alike(drawing["items"]),
        "board": {"key": key} | ({} if key in known else {"still": still}),
    }
    rest = {name: value for name, value in view.items() if name != "text"}  # which no page that draws it needs
    return {**rest, "drawing": packed, "moves": _moves(view["moves"], drawing)}, key


def _alike(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Items that differ in their place only, listed together in the order of the first of each."""
    groups: dict[str, dict[str, Any]] = {}
    single = [json.dumps({name: value for name, value in item.items() if name != "place"}) for item in items]
    counts = Counter(item["place"] for item in items)
    made = []
    for item, look in zip(items, single, strict=True):
        if counts[item["place"]] > 1:  # what lies upon each other must not change places
            made.append({**json.loads(look), "at": [item["place"]]})
        elif look in groups:
            groups[look]["at"].append(item["place"])
        else:
            groups[look] = {**json.loads(look), "at": [item["place"]]}
            made.append(groups[look])
    return made


def _moves(moves: list[dict[str, Any]], drawing: dict[str, Any]) -> dict[str, Any]:
    clicks, paths, plain = [], [], []
    for move in moves:
        if not move["path"]:
            plain.append(move["text"])
        elif move["path"] == [[move["mark"]]] and drawing["places"][move["mark"]].get("name") == move["text"]:
            clicks.append(move["mark"])
        else:
            path = [step[0] if len(step) == 1 else step for step in move["path"]]
            paths.append([move["text"], path, move["mark"], *([move["picture"]] if "picture" in move else [])])
    amounts, rest = _amounts(plain)
    found = {"clicks": clicks, "paths": paths, "amounts": amounts, "plain": rest}
    return {name: value for name, value in found.items() if value}


def _amounts(texts: list[str]) -> tuple[list[list[Any]], list[str]]:
    """Moves that differ in one number only, in equal steps, as [before, after, least, count, step]; and the rest."""
    groups: dict[tuple[str, str], list[int]] = {}
    for text in texts:
        found = re.fullmatch(r"(\D*)(0|[1-9]\d{0,8})(\D*)", text)
        if found:
            groups.setdefault((found[1], found[3]), []).append(int(found[2]))
    amounts: list[list[Any]] = []
    packed: set[str] = set()
    for (before, after), numbers in groups.items():
        step = numbers[1] - numbers[0] if len(numbers) > 1 else 0
        even = step > 0 and numbers == list(range(numbers[0], numbers[-1] + step, step))
        if even and len(numbers) >= _FEWEST_AMOUNTS:
            amounts.append([before, after, numbers[0], len(numbers), step])
            packed.update(f"{before}{number}{after}" for number in numbers)
    return amounts, [text for text in texts if text not in packed]
