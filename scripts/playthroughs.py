"""Records one random game of every game of the package, with all that it tells on the way.

    python scripts/playthroughs.py            say which recorded games are no longer what the game tells
    python scripts/playthroughs.py --write    record them again; read the difference before you keep it

A record begins with the facts. At every ply it has the position as text, the mover, the legal moves, what the position
is worth, how it is drawn, what each seat sees and hears, and the move. It is the same in every process and on every
machine: moves are drawn by a generator that is seeded by the game's name, and nothing is taken from Python's hash().
The records stand in tests/golden/playthroughs and are compared in the tests.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from gametree import CHANCE, SIMULTANEOUS, Drawing, Facts, Game, game_names, load_game

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "golden" / "playthroughs"
MORE = ("kuhn:players=3", "goofspiel:cards=3,prizes=up", "go:size=5", "nim:1-2-3", "chess:start=5", "ggp:connect-four")
"""Recorded besides the games as they are by default."""
DETAILED_PLIES = 40
"""Of a longer game only the moves are recorded in between, and then its end."""
MOST_PLIES = 600
SHOWN_MOVES = 20
MOVERS = {CHANCE: "chance", SIMULTANEOUS: "several"}


def playthrough(name: str) -> str:
    """The record of one random game as text."""
    game = load_game(name)
    return "\n".join(line.rstrip() for line in _lines(game, name)) + "\n"


def _lines(game: Game[Any, Any], name: str) -> Iterator[str]:
    yield f"game {name}"
    plain = asdict(Facts())
    for key, value in asdict(game.facts).items():
        if value != plain[key] or key in ("players", "min_utility", "max_utility"):
            yield f"facts {key}={value}"
    rng = random.Random(f"playthrough {name}")
    state, skipped = game.initial(), []
    for ply in range(MOST_PLIES):
        over = bool(game.is_terminal(state))
        if ply >= DETAILED_PLIES and not over:
            action = _choose(game, state, rng)
            skipped.append(game.action_text(state, action))
            state = game.result(state, action)
            continue
        if skipped:
            yield ""
            yield f"moves {' '.join(skipped)}"
        yield ""
        yield f"ply {ply}: {game.state_text(state)}"
        yield from _position(game, state, over)
        if over:
            return
        action = _choose(game, state, rng)
        after = game.result(state, action)
        yield f"  action {game.action_text(state, action)}"
        if game.facts.hidden:
            for seat in range(-1, game.facts.players):
                text, word = (verb(state, action, after, seat) for verb in (game.hear_text, game.hear))
                yield f"    seat {seat} hears {f'{text} {_digest(word)}' if word is not None else 'nothing'}"
        state = after
    yield ""
    yield f"moves {' '.join(skipped)}"
    yield f"left after {MOST_PLIES} plies: {game.state_text(state)}"


def _position(game: Game[Any, Any], state: Any, over: bool) -> Iterator[str]:
    """What the game tells of one position."""
    seats = range(game.facts.players)
    if over:
        yield f"  over, utilities {_numbers(game.utilities(state))}"
    else:
        mover = game.player(state)
        yield f"  mover {MOVERS.get(mover, mover)}"
        actions = game.actions(state)
        texts = [game.action_text(state, action) for action in actions[:SHOWN_MOVES]]
        if mover == CHANCE and actions:
            odds = dict(game.outcomes(state))
            texts = [f"{text}={odds[action]:.6g}" for text, action in zip(texts, actions, strict=False)]
        yield f"  {len(actions)} moves: {' '.join(texts)}{' ...' if len(actions) > SHOWN_MOVES else ''}"
        if game.offers("evaluate"):
            yield f"  estimates {_numbers(game.evaluate(state, seat) for seat in seats)}"
    yield f"  drawn {drawing_text(game.draw(state))}"
    if game.facts.hidden:
        for seat in range(-1, game.facts.players):
            view = game.view(state, seat)
            known = "" if seat < 0 else f" {_digest(game.observation(state, seat))}"
            yield f"    seat {seat} sees {game.state_text(view)}{known}; {drawing_text(game.draw_for(state, seat))}"


def _choose(game: Game[Any, Any], state: Any, rng: random.Random) -> Any:
    return game.roll(state, rng) if game.player(state) == CHANCE else rng.choice(list(game.actions(state)))


def _numbers(values: Any) -> str:
    return " ".join(f"{value:.6g}" for value in values)


def _digest(value: Any) -> str:
    return hashlib.blake2b(repr(value).encode(), digest_size=5).hexdigest()


def drawing_text(drawing: Drawing) -> str:
    """A drawing in one line: its board or hands, its caption, and a digest of all that it holds."""
    data = drawing.to_data()
    plain = {field.name: field.default for field in fields(Drawing)}
    told = {key: value for key, value in data.items() if value != plain.get(key) and value not in ((), [], None)}
    parts = [drawing.layout]
    if drawing.pieces or drawing.rows:
        board = [["."] * drawing.columns for _ in range(drawing.rows)]
        for piece in drawing.pieces:
            board[piece.row][piece.column] = piece.text or "*"
        wide = any(len(cell) > 1 for row in board for cell in row)
        parts.append("/".join((" " if wide else "").join(row) for row in board))
    parts += [f"{name}: {' '.join(cards) or '-'}" for name, cards in drawing.hands]
    parts += [part for part in (" ".join(drawing.text.split()), drawing.caption) if part]
    return f"{', '.join(parts)} [{_digest(json.dumps(told, sort_keys=True))}]"


def names() -> list[str]:
    """The games that are recorded: all of the package, and some with parameters."""
    return [*game_names(), *MORE]


def file_of(name: str) -> Path:
    """Where the record of a game stands."""
    return FOLDER / f"{''.join(c if c.isalnum() else '-' for c in name)}.txt"


def main(arguments: list[str]) -> int:
    """Compare or write the records; 1 if some differ."""
    if arguments not in ([], ["--write"]):
        print(__doc__)
        return 2
    differing = []
    for name in names():
        file, text = file_of(name), playthrough(name)
        if file.is_file() and file.read_text(encoding="utf-8") == text:
            continue
        differing.append(name)
        if arguments:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        print(f"{name}: {'recorded again' if arguments else 'differs'}", flush=True)
    return 1 if differing and not arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
