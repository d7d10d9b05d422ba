"""The report of matches and tournaments: one HTML file that needs nothing else, with every game to click through."""

from __future__ import annotations

import html
import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gametree.core.drawing import Drawing, cells_in_move
from gametree.core.drawing_text import drawing_text
from gametree.core.errors import GametreeError
from gametree.core.game import Game
from gametree.core.registry import load_game
from gametree.core.scene import scene
from gametree.interfaces.arena_view import elo_text
from gametree.play.endings import REASONS
from gametree.play.events import Event
from gametree.play.openings import read_opening
from gametree.play.referee import GameRecord
from gametree.play.summary import rate_events, summarise

__all__ = ["report"]

_PAGE = Path(__file__).with_name("report_page")
"""The style and the script of the page, which are written into it."""


def report(store: Any, events: Sequence[Event]) -> str:
    """The page for the events: cross tables, Elo plot, lengths, how games ended, and every game replayable."""
    sections, games, looks = [], [], []
    played = []
    for event in events:
        results = store.results(event)
        played.append((event, list(results.values())))
        summary = summarise(event, results)
        sections.append(_section(summary, [result.plies for result in results.values()]))
        game = load_game(event.game)
        looks.append(_look(game))
        games += [_replay(game, event, number, record, len(looks) - 1) for number, record in store.records(event)]
    total = ""
    if len(events) > 1:
        total = "<h2>All games together</h2>" + _ratings(rate_events(played).to_data()["ratings"])
    # A closing tag inside the data would end the script element.
    data = json.dumps({"games": games, "looks": looks}).replace("<", "\\u003c")
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>gametree report</title>
<style>{(_PAGE / "style.css").read_text("utf-8")}</style></head>
<body>
<h1>gametree report</h1>
{total}
{"".join(sections)}
<h2>Games</h2>
<p><select id="pick" aria-label="game"></select></p>
<p class="steps"><button id="first" aria-label="to the start">«</button>
<button id="back" aria-label="one move back">‹</button> <button id="next" aria-label="one move on">›</button>
<button id="last" aria-label="to the end">»</button> <span class="note">or the arrow keys</span></p>
<p id="what"></p>
<div id="player"><div id="board"></div><div id="moves"></div></div>
<p id="said" aria-live="polite"></p>
<script type="application/json" id="data">{data}</script>
<script>{(_PAGE / "script.js").read_text("utf-8")}</script>
</body>
</html>
"""


def _section(summary: dict[str, Any], plies: list[int]) -> str:
    names = [row["player"] for row in summary["standings"]]
    head = "".join(f"<th>{place + 1}</th>" for place in range(len(names)))
    rows = []
    for place, row in enumerate(summary["standings"]):
        points = summary["cross_table"][row["player"]]
        cells = "".join(f"<td>{'·' if o == row['player'] else format(points.get(o, 0), 'g')}</td>" for o in names)
        counts = "".join(f"<td>{row[key]}</td>" for key in ("games", "wins", "draws", "losses"))
        rows.append(
            f"<tr><td>{place + 1}</td><td class=name>{html.escape(row['player'])}</td>{cells}{counts}"
            f"<td>{row['points']:g}</td><td>{row['utility']:.4g}</td></tr>"
        )
    pairings = "".join(_pairing(pairing) for pairing in summary["pairings"])
    ends = "".join(f"<li>{count} × {html.escape(REASONS[key])}</li>" for key, count in summary["reasons"].items())
    return f"""<h2>{html.escape(summary["game"])}: {summary["kind"]}, {summary["games"]} games</h2>
<div class="wide"><table><tr><th></th><th class=name>player</th>{head}<th>games</th><th>won</th><th>drawn</th>
<th>lost</th><th>points</th><th>mean utility</th></tr>{"".join(rows)}</table></div>
{_ratings(summary["ratings"])}
<div class="wide"><table><tr><th class=name>pairing</th><th>Elo, 95 %</th><th>superiority</th><th>draws</th>
<th>pairs 0 ½ 1 1½ 2</th></tr>
{pairings}</table></div>
{_lengths_plot(plies)}
<ul>{ends}</ul>
"""


def _pairing(pairing: dict[str, Any]) -> str:
    name = html.escape(f"{pairing['first']} − {pairing['second']}")
    elo = elo_text(pairing["elo"], pairing["elo_low"], pairing["elo_high"])
    counts = " ".join(map(str, pairing["pentanomial"] or []))
    return (
        f"<tr><td class=name>{name}</td><td>{elo}</td><td>{100 * pairing['superiority']:.1f} %</td>"
        f"<td>{100 * pairing['draw_rate']:.0f} %</td><td>{counts}</td></tr>"
    )


def _ratings(ratings: list[dict[str, Any]]) -> str:
    """Ratings as dots with their error bars, on one scale; a dotted line is 0."""
    if not ratings:
        return ""
    low: float = min(row["elo"] - row["error"] for row in ratings) - 10
    high: float = max(row["elo"] + row["error"] for row in ratings) + 10

    def share(elo: float) -> str:
        return f"{100 * (elo - low) / (high - low):.2f}%"

    zero = f'<u style="left:{share(0)}"></u>' if low < 0 < high else ""
    parts = []
    for row in ratings:
        wide = f"{100 * 2 * row['error'] / (high - low):.2f}%"
        parts.append(
            f"<span>{html.escape(row['player'])}</span>"
            f'<span class="range">{zero}<i style="left:{share(row["elo"] - row["error"])};width:{wide}"></i>'
            f'<b style="left:{share(row["elo"])}"></b></span><span>{row["elo"]:+.0f} ± {row["error"]:.0f}</span>'
        )
    return f'<div class="elo" role="group" aria-label="Elo with 95 % error bars">{"".join(parts)}</div>'


def _lengths_plot(plies: list[int]) -> str:
    """How long the games were, as a histogram of at most 40 bars."""
    if not plies:
        return ""
    size = max(1, math.ceil((max(plies) - min(plies) + 1) / 40))
    bars = Counter((length - min(plies)) // size for length in plies)
    most, width = max(bars.values()), 14
    parts = []
    for place in range(max(bars) + 1):
        tall = 80 * bars[place] / most
        first = min(plies) + place * size
        label = f"{first}" if size == 1 else f"{first} to {first + size - 1}"
        parts.append(
            f'<rect x="{place * width}" y="{90 - tall:.1f}" width="{width - 2}" height="{tall:.1f}">'
            f"<title>{label} plies: {bars[place]} games</title></rect>"
        )
    lengths = f"{min(plies)}" if min(plies) == max(plies) else f"{min(plies)} to {max(plies)}"
    text = f'<text x="0" y="108">{lengths} plies, mean {sum(plies) / len(plies):.1f}</text>'
    wide = max(240, (max(bars) + 1) * width)
    frame = f'class="lengths" width="{wide}" height="114" viewBox="0 0 {wide} 114"'
    return f'<svg {frame} role="img" aria-label="lengths of the games">{"".join(parts)}{text}</svg>'


def _look(game: Game[Any, Any]) -> dict[str, Any]:
    """What all positions of a game have in common."""
    drawing = game.draw(game.initial())
    shown = scene(drawing)
    return {
        "layout": drawing.layout,
        "rows": drawing.rows,
        "columns": drawing.columns,
        "checkered": drawing.checkered,
        "stones": drawing.stones or drawing.layout == "points",
        "left": shown.left,
        "below": shown.below,
    }


def _replay(game: Game[Any, Any], event: Event, number: int, record: GameRecord, look: int) -> dict[str, Any]:
    """Everything to click through one game."""
    opening = read_opening(record.opening)
    words = [*opening.moves, *record.moves]
    frames: list[Any] = []
    marks: list[list[int]] = []
    try:
        state = game.initial() if opening.position is None else game.state_from_text(opening.position)
        drawing = game.draw(state)
        frames.append(_frame(None, drawing))
        for word in words:
            action = game.action_from_text(state, word)
            marks.append(_places(game, state, action, drawing))
            state = game.result(state, action)
            before, drawing = drawing, game.draw(state)
            frames.append(_frame(before, drawing))
            if not marks[-1] and isinstance(frames[-1], dict):
                marks[-1] = [place for place, piece in frames[-1].items() if piece]
    except GametreeError as error:  # the rules have changed since the game was played
        frames.append(f"This game cannot be replayed: {error}")
    shares = ", ".join(f"{utility:g}" for utility in record.utilities)
    what = f"{REASONS[record.reason].capitalize()}{': ' + record.detail if record.detail else ''}. "
    what += f"Utilities: {shares}. {record.seconds:.2f} s, seed {record.seed}"
    what += f", opening {record.opening}." if record.opening else "."
    times = zip(record.times, record.notes, strict=True)
    said = [f"{seconds:.3f} s" + (f", {note}" if note else "") if seconds or note else "" for seconds, note in times]
    return {
        "group": f"{event.game}: {event.kind}",
        "title": f"{event.game} {number + 1}: {' – '.join(record.players)} ({_score(record)})",
        "what": what,
        "moves": words,
        "said": [*("opening" for _ in opening.moves), *said],
        "frames": frames,
        "marks": marks,
        "look": look,
    }


def _score(record: GameRecord) -> str:
    """Who won, as two players write it; the utilities of more players."""
    if len(record.utilities) != 2:
        return ", ".join(f"{utility:g}" for utility in record.utilities)
    one, other = record.utilities
    return "1–0" if one > other else "0–1" if one < other else "½–½"


def _places(game: Game[Any, Any], state: Any, action: Any, drawing: Drawing) -> list[int]:
    """The cells that a move touches, by number."""
    cells = scene(drawing).names
    names = game.action_cells(state, action) or cells_in_move(game.action_text(state, action), cells)
    return [cells.index(name) for name in names if cells.count(name) == 1]


def _frame(before: Drawing | None, after: Drawing) -> Any:
    """What has changed on a board of pieces (place → [text, player], None where nothing is left); else a text."""
    if after.layout in ("square", "points", "hex") and after.rows and not (after.places or after.items or after.racks):
        old, new = _pieces(before), _pieces(after)
        return {place: new.get(place) for place in sorted(old | new) if old.get(place) != new.get(place)}
    return drawing_text(after)


def _pieces(drawing: Drawing | None) -> dict[int, list[Any]]:
    pieces = drawing.pieces if drawing is not None else ()
    columns = drawing.columns if drawing is not None else 0
    return {piece.row * columns + piece.column: [piece.text, piece.player] for piece in pieces}
