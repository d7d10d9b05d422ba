"""Finished games in the formats of other programs: PGN, SGF, JSON lines and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from gametree.core.errors import BadInput
from gametree.core.game import Game
from gametree.play.events import Event
from gametree.play.openings import read_opening
from gametree.play.referee import REASONS, GameRecord

__all__ = ["FORMATS", "SGF_GAMES", "export_events", "export_games", "to_pgn", "to_sgf"]

FORMATS = ("pgn", "sgf", "jsonl", "csv")
SGF_GAMES = {"go": 1, "othello": 2}
"""The games that can be written as SGF, with the numbers that the format gives them (property GM)."""

_TERMINATION = {"end": "normal", "time": "time forfeit", "limit": "adjudication", "drawn": "adjudication"}


Part = tuple[Event, Game[Any, Any], Iterable[tuple[int, GameRecord]]]
"""An event, its game, and its finished games with their numbers."""


def export_games(kind: str, event: Event, game: Game[Any, Any], records: Iterable[tuple[int, GameRecord]]) -> str:
    """All games of one event as text in the format `kind`. Raises BadInput if the format cannot hold this game."""
    return export_events(kind, [(event, game, records)])


def export_events(kind: str, parts: Sequence[Part]) -> str:
    """All games of several events as one text in the format `kind`. Raises BadInput if it cannot hold one of them."""
    if kind == "csv":
        return _csv(parts)
    write = {"pgn": to_pgn, "sgf": to_sgf, "jsonl": _to_json}.get(kind)
    if write is None:
        raise BadInput(f"There is no format '{kind}'; expected one of {', '.join(FORMATS)}.")
    between = "\n" if kind == "pgn" else ""
    return between.join(
        write(event, game, number, record) for event, game, records in parts for number, record in records
    )


def _to_json(event: Event, game: Game[Any, Any], number: int, record: GameRecord) -> str:
    return json.dumps({"event": event.key, "number": number, **record.to_data()}) + "\n"


def _result(record: GameRecord) -> str:
    first, second = record.utilities[:2]
    return "1-0" if first > second else "0-1" if first < second else "1/2-1/2"


def to_pgn(event: Event, game: Game[Any, Any], number: int, record: GameRecord) -> str:
    """One game in Portable Game Notation (Edwards 1994); moves as the game writes them, the opening included."""
    if game.facts.players != 2:
        raise BadInput(f"PGN has no place for the {game.facts.players} players of {game.name}; use jsonl.")
    opening = read_opening(record.opening)
    tags = {
        "Event": f"{event.kind} {event.key}",
        "Site": "?",
        "Date": "????.??.??",
        "Round": str(number + 1),
        "White": record.players[0],
        "Black": record.players[1],
        "Result": _result(record),
        "Variant": event.game,
        "TimeControl": _pgn_time(event.control),
        "Termination": _TERMINATION.get(record.reason, "rules infraction"),
    }
    if event.game == "chess":
        del tags["Variant"]
    if record.reason in ("resigned", "hopeless"):
        tags["Termination"] = "normal"
    if record.detail:
        tags["Annotator"] = record.detail
    if opening.position is not None:
        tags |= {"SetUp": "1", "FEN": opening.position}
    lines = [f'[{key} "{_quoted(value)}"]' for key, value in tags.items()]
    state = game.initial() if opening.position is None else game.state_from_text(opening.position)
    first = 0 if game.is_terminal(state) else max(0, game.player(state))
    if event.game == "chess" and opening.position is not None:
        first += 2 * (int(game.fen(state).split()[5]) - 1)  # type: ignore[attr-defined]
    words = []
    for ply, move in enumerate([*opening.moves, *record.moves]):
        place = ply + first
        if place % 2 == 0:
            words.append(f"{place // 2 + 1}.")
        elif ply == 0:
            words.append(f"{place // 2 + 1}...")
        words.append(move.replace(" ", "_"))
    words.append(tags["Result"])
    return "\n".join([*lines, "", *_wrapped(words), ""])


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _wrapped(words: list[str]) -> list[str]:
    """Lines of at most 80 columns."""
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > 79:
            lines.append(line)
            line = ""
        line = f"{line} {word}" if line else word
    return [*lines, line]


def _pgn_time(control: str) -> str:
    if control == "none" or "=" in control:
        return "?"
    return control


def to_sgf(event: Event, game: Game[Any, Any], number: int, record: GameRecord) -> str:
    """One game of Go or Othello in the Smart Game Format (Hollosi 1999), the opening included; Black is seat 0."""
    kind = event.game.partition(":")[0]
    if kind not in SGF_GAMES:
        raise BadInput(f"SGF has no words for {game.name}; expected Go or Othello, or another format for this game.")
    opening = read_opening(record.opening)
    state = game.initial() if opening.position is None else game.state_from_text(opening.position)
    drawing = game.draw(state)
    rows, columns = drawing.rows, drawing.columns
    # A point is two letters: its column from the left and its row from the top.
    points = {cell: chr(97 + at % columns) + chr(97 + at // columns) for at, cell in enumerate(drawing.cells)}
    header = {
        "FF": "4",
        "GM": str(SGF_GAMES[kind]),
        "CA": "UTF-8",
        "AP": "gametree",
        "SZ": str(rows) if rows == columns else f"{columns}:{rows}",
        "PB": record.players[0],
        "PW": record.players[1],
        "RE": _sgf_result(game, record),
    }
    komi = getattr(game, "komi", None)
    if kind == "go":
        header |= {"RU": "Chinese", "KM": f"{komi:g}"} if komi is not None else {"RU": "Chinese"}
    header["C"] = record.detail or REASONS[record.reason]
    text = "".join(f"{key}[{_escaped(value)}]" for key, value in header.items())
    if opening.position is not None:
        for seat, color in enumerate("BW"):
            stones = [chr(97 + p.column) + chr(97 + p.row) for p in drawing.pieces if p.player == seat]
            text += f"A{color}" + "".join(f"[{stone}]" for stone in stones) if stones else ""
        text += f"PL[{'BW'[game.player(state)]}]" if not game.is_terminal(state) else ""
    nodes = []
    for move in [*opening.moves, *record.moves]:
        action = game.action_from_text(state, move)
        said = game.action_text(state, action)
        nodes.append(f";{'BW'[game.player(state)]}[{'' if said.lower() == 'pass' else points[said]}]")
        state = game.result(state, action)
    return f"(;{text}\n{''.join(nodes)})\n"


def _sgf_result(game: Game[Any, Any], record: GameRecord) -> str:
    lead = record.utilities[0] - record.utilities[1]
    if lead == 0:
        return "0"
    half = 0.5 if (getattr(game, "komi", None) or 0) % 1 else 0.0  # which the utility has rounded away
    margin = {"end": f"{abs(lead) / 2 - half:g}", "time": "T", "resigned": "R", "hopeless": "R"}.get(record.reason, "F")
    if record.reason == "end" and game.facts.max_utility <= 1:
        margin = ""  # only who won is known
    return f"{'B' if lead > 0 else 'W'}+{margin}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")


def _csv(parts: Sequence[Part]) -> str:
    """One table; a game of fewer players than another leaves the places behind its own empty."""
    seats = range(max((game.facts.players for _, game, _ in parts), default=2))
    output = io.StringIO()
    table = csv.writer(output, lineterminator="\n")
    columns = ["event", "game", "number", *(f"player_{s + 1}" for s in seats), *(f"utility_{s + 1}" for s in seats)]
    table.writerow([*columns, "reason", "detail", "plies", "seconds", "seed", "opening", "moves"])
    for event, game, records in parts:
        empty = [""] * (len(seats) - game.facts.players)
        for number, record in records:
            results = [*record.players, *empty, *(f"{utility:g}" for utility in record.utilities), *empty]
            rest = [record.reason, record.detail, len(record.moves), f"{record.seconds:.4f}", record.seed]
            known = [event.key, event.game, number + 1]
            table.writerow([*known, *results, *rest, record.opening, " ".join(record.moves)])
    return output.getvalue()
