"""The report of matches and tournaments: one HTML file that needs nothing else, with every game to click through."""

from __future__ import annotations

import html
import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from gametree.core.errors import GametreeError
from gametree.core.game import Game
from gametree.core.registry import load_game
from gametree.play.events import Event
from gametree.play.openings import read_opening
from gametree.play.referee import REASONS, GameRecord
from gametree.play.summary import rate_events, summarise

__all__ = ["report"]

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --bar: #3f51b5; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; }
td, th { padding: .15rem .6rem; border-bottom: 1px solid var(--line); }
td { text-align: right; } td.name, th { text-align: left; } svg text { fill: currentColor; font-size: 12px; }
#player { display: flex; gap: 1.5rem; flex-wrap: wrap; } #board { min-height: 12rem; } #board pre { font-size: 15px; }
#moves { max-width: 26rem; max-height: 20rem; overflow: auto; }
#moves button { all: unset; cursor: pointer; padding: 0 .25rem; }
#moves button[aria-current] { background: var(--bar); color: white; border-radius: .2rem; }
select { max-width: 100%; } .note { opacity: .7; }
"""

_SCRIPT = """
const data = JSON.parse(document.getElementById("data").textContent);
const [pick, board, list] = ["pick", "board", "moves"].map(name => document.getElementById(name));
let game = 0, ply = 0;
const node = (name, attributes, text) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
};
function draw(frame, look) {
  board.replaceChildren();
  if (typeof frame === "string") {
    const text = document.createElement("pre");
    text.textContent = frame;
    board.append(text);
    return;
  }
  const cell = 36, points = look.layout === "points", hex = look.layout === "hex";
  const width = look.columns * cell + (hex ? look.rows * cell / 2 : 0), height = look.rows * cell;
  const svg = node("svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "position"});
  const x = (r, c) => (c + .5) * cell + (hex ? r * cell / 2 : 0), y = r => (r + .5) * cell;
  const line = {stroke: "currentColor", "stroke-opacity": .4, fill: "none"};
  if (points) {
    const rows = Array.from({length: look.rows}, (_, r) => `M${x(r, 0)} ${y(r)}H${x(r, look.columns - 1)}`);
    const columns = Array.from({length: look.columns}, (_, c) => `M${x(0, c)} ${y(0)}V${y(look.rows - 1)}`);
    svg.append(node("path", {d: rows.concat(columns).join(""), ...line}));
  } else {
    for (let r = 0; r < look.rows; r++) for (let c = 0; c < look.columns; c++)
      svg.append(node("rect", {x: x(r, c) - cell / 2, y: r * cell, width: cell, height: cell, ...line}));
  }
  for (const [place, text, player] of frame) {
    const r = Math.floor(place / look.columns), c = place % look.columns;
    const fill = ["#222", "#fff", "#c62828", "#2e7d32"][player] ?? "#888";
    svg.append(node("circle", {cx: x(r, c), cy: y(r), r: cell * .42, fill, stroke: "#888"}));
    const style = `fill: ${player === 1 ? "#000" : "#fff"}`;
    svg.append(node("text", {x: x(r, c), y: y(r) + 5, "text-anchor": "middle", style}, text));
  }
  board.append(svg);
}
function show() {
  const record = data.games[game];
  ply = Math.max(0, Math.min(ply, record.frames.length - 1));
  draw(record.frames[ply], data.looks[record.look]);
  list.replaceChildren(...record.moves.map((move, place) => {
    const button = document.createElement("button");
    button.textContent = move;
    if (place + 1 === ply) button.setAttribute("aria-current", "true");
    button.onclick = () => { ply = place + 1; show(); };
    return button;
  }));
  document.getElementById("what").textContent = record.what;
}
data.games.forEach((record, place) => pick.add(new Option(record.title, place)));
pick.onchange = () => { game = Number(pick.value); ply = 0; show(); };
document.getElementById("back").onclick = () => { ply--; show(); };
document.getElementById("next").onclick = () => { ply++; show(); };
document.getElementById("first").onclick = () => { ply = 0; show(); };
document.getElementById("last").onclick = () => { ply = Infinity; show(); };
document.addEventListener("keydown", event => {
  if (event.target === pick) return;
  if (event.key === "ArrowLeft") { ply--; show(); }
  if (event.key === "ArrowRight") { ply++; show(); }
});
if (data.games.length) show();
"""


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
        total = "<h2>All games together</h2>" + _elo_plot(rate_events(played).to_data()["ratings"])
    # A closing tag inside the data would end the script element.
    data = json.dumps({"games": games, "looks": looks}).replace("<", "\\u003c")
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>gametree report</title>
<style>{_STYLE}</style></head>
<body>
<h1>gametree report</h1>
{total}
{"".join(sections)}
<h2>Games</h2>
<p><select id="pick" aria-label="game"></select></p>
<p><button id="first">⏮</button> <button id="back">◀</button> <button id="next">▶</button> <button id="last">⏭</button>
<span class="note">or the arrow keys</span></p>
<p id="what"></p>
<div id="player"><div id="board"></div><div id="moves"></div></div>
<script type="application/json" id="data">{data}</script>
<script>{_SCRIPT}</script>
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
            f"<td>{row['points']:g}</td><td>{row['utility']:.3f}</td></tr>"
        )
    pairings = "".join(_pairing(pairing) for pairing in summary["pairings"])
    ends = "".join(f"<li>{count} × {html.escape(REASONS[key])}</li>" for key, count in summary["reasons"].items())
    return f"""<h2>{html.escape(summary["game"])}: {summary["kind"]}, {summary["games"]} games</h2>
<table><tr><th></th><th>player</th>{head}<th>games</th><th>won</th><th>drawn</th><th>lost</th><th>points</th>
<th>mean utility</th></tr>{"".join(rows)}</table>
{_elo_plot(summary["ratings"])}
<table><tr><th>pairing</th><th>Elo</th><th>95 %</th><th>superiority</th><th>draws</th><th>pairs 0 ½ 1 1½ 2</th></tr>
{pairings}</table>
{_lengths_plot(plies)}
<ul>{ends}</ul>
"""


def _pairing(pairing: dict[str, Any]) -> str:
    def elo(value: float | None) -> str:
        return "∞" if value is None else f"{value:+.0f}"

    name = html.escape(f"{pairing['first']} − {pairing['second']}")
    counts = " ".join(map(str, pairing["pentanomial"] or []))
    return (
        f"<tr><td class=name>{name}</td><td>{elo(pairing['elo'])}</td>"
        f"<td>{elo(pairing['elo_low'])} to {elo(pairing['elo_high'])}</td><td>{100 * pairing['superiority']:.1f} %</td>"
        f"<td>{100 * pairing['draw_rate']:.0f} %</td><td>{counts}</td></tr>"
    )


def _elo_plot(ratings: list[dict[str, Any]]) -> str:
    """Ratings as dots with their error bars."""
    if not ratings:
        return ""
    low: float = min(row["elo"] - row["error"] for row in ratings) - 10
    high: float = max(row["elo"] + row["error"] for row in ratings) + 10
    left, width, step = 240, 480, 24

    def x(elo: float) -> float:
        return left + (elo - low) / (high - low) * width

    parts = []
    for place, row in enumerate(ratings):
        y = step * (place + 1)
        name = row["player"] if len(row["player"]) <= 34 else row["player"][:33] + "…"
        parts.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{html.escape(name)}</text>')
        begin, end = x(row["elo"] - row["error"]), x(row["elo"] + row["error"])
        parts.append(f'<path d="M{begin:.1f} {y}H{end:.1f}" stroke="currentColor"/>')
        parts.append(f'<circle cx="{x(row["elo"]):.1f}" cy="{y}" r="4" fill="#3f51b5"/>')
        parts.append(f'<text x="{left + width + 10}" y="{y + 4}">{row["elo"]:+.0f} ± {row["error"]:.0f}</text>')
    height = step * (len(ratings) + 1)
    return f'<svg width="820" height="{height}" role="img" aria-label="Elo with error bars">{"".join(parts)}</svg>'


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
            f'<rect x="{place * width}" y="{90 - tall:.1f}" width="{width - 2}" height="{tall:.1f}" fill="#3f51b5">'
            f"<title>{label} plies: {bars[place]} games</title></rect>"
        )
    text = f'<text x="0" y="108">{min(plies)} to {max(plies)} plies, mean {sum(plies) / len(plies):.1f}</text>'
    wide = max(240, (max(bars) + 1) * width)
    return f'<svg width="{wide}" height="114" role="img" aria-label="lengths of the games">{"".join(parts)}{text}</svg>'


def _look(game: Game[Any, Any]) -> dict[str, Any]:
    drawing = game.draw(game.initial())
    return {"layout": drawing.layout, "rows": drawing.rows, "columns": drawing.columns}


def _replay(game: Game[Any, Any], event: Event, number: int, record: GameRecord, look: int) -> dict[str, Any]:
    """Everything to click through one game."""
    opening = read_opening(record.opening)
    words = [*opening.moves, *record.moves]
    frames: list[Any] = []
    try:
        state = game.initial() if opening.position is None else game.state_from_text(opening.position)
        frames.append(_frame(game, state))
        for word in words:
            state = game.result(state, game.action_from_text(state, word))
            frames.append(_frame(game, state))
    except GametreeError as error:  # the rules have changed since the game was played
        frames.append(f"This game cannot be replayed: {error}")
    shares = ", ".join(f"{utility:g}" for utility in record.utilities)
    what = f"{REASONS[record.reason]}{': ' + record.detail if record.detail else ''}. Utilities: {shares}. "
    what += f"{record.seconds:.2f} s, seed {record.seed}" + (f", opening {record.opening}." if record.opening else ".")
    title = f"{event.game} {number + 1}: {' – '.join(record.players)} ({shares})"
    return {"title": title, "what": what, "moves": words, "frames": frames, "look": look}


def _frame(game: Game[Any, Any], state: Any) -> Any:
    """The position as text, or as (place, text, player) for every piece."""
    drawing = game.draw(state)
    if drawing.layout in ("square", "points", "hex") and drawing.rows:
        return [[piece.row * drawing.columns + piece.column, piece.text, piece.player] for piece in drawing.pieces]
    hands = "\n".join(f"{owner}: {' '.join(cards)}" for owner, cards in drawing.hands)
    return "\n".join(filter(None, (hands, drawing.text, drawing.caption)))
