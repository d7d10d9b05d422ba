"""What worker processes do for the page Analyse: thinking in slices, judging positions, why not a move, loading."""

from __future__ import annotations

import json
import re
import time
from typing import Any

from gametree.core.clock import Clock
from gametree.core.errors import BadInput, GametreeError, OutOfTime
from gametree.core.game import CHANCE, Game
from gametree.core.result import SearchResult
from gametree.interfaces.web.boards import facts_data, view
from gametree.interfaces.web.engines import chance_of, end_in_words, fitting, search_within
from gametree.interfaces.web.games import open_game
from gametree.interfaces.web.tasks import LONGEST_GAME, line_states
from gametree.interfaces.web.worker import Job
from gametree.kernels.compiled_game import CompiledGame
from gametree.play.explanation import explain

__all__ = ["judge", "load", "look", "shown_lines", "think", "why"]

_SHOWN_PLIES = 24
"""Moves of a line that are sent."""
_MOST_GAMES = 200
"""Games of a file that are offered."""


def look(job: Job, game: str, start: str | None, moves: list[str], ahead: list[str] | None = None) -> dict[str, Any]:
    """A position with the algorithms that can search it, and with the movers of the whole line if `ahead` is given.

    There is no mover for a move ahead that cannot be played, nor for those behind it.
    """
    rules = open_game(game)
    before, last, state = line_states(rules, start, moves)
    shown = view(rules, state, before=before, last=last, whole=True)
    answer: dict[str, Any] = {"view": shown, "facts": facts_data(rules), "algorithms": fitting(rules)}
    if ahead is not None:
        answer["movers"] = _movers(rules, start, moves + ahead)
    return answer


def _movers(game: Game[Any, Any], start: str | None, moves: list[str]) -> list[int]:
    """Who made each move, as far as they can be played."""
    state = game.initial() if start is None else game.state_from_text(start)
    movers: list[int] = []
    for text in moves:
        if game.is_terminal(state):
            break
        mover = game.player(state)
        try:
            state = game.result(state, game.action_from_text(state, text))
        except GametreeError:
            break
        movers.append(mover)
    return movers


# Thinking -----------------------------------------------------------------------------------------------------------


def think(job: Job, game: str, start: str | None, moves: list[str], algorithm: str, lines: int) -> dict[str, Any]:
    """Search until the job's clock expires; the best lines so far. The table stays warm for the next slice."""
    rules = open_game(game)
    _, _, state = line_states(rules, start, moves)
    if rules.is_terminal(state):
        raise BadInput("The game is over here; there is nothing to search.")
    if rules.player(state) == CHANCE:
        raise BadInput("Chance decides here; choose what it brings, and the search goes on from there.")
    seat = max(0, rules.player(state))
    try:
        result = search_within(rules, state, job.clock, algorithm=algorithm, lines=lines)
    except OutOfTime:
        return {"lines": [], "depth": 0, "nodes": 0, "speed": 0, "done": False, "seat": seat, "algorithm": algorithm}
    found = shown_lines(rules, result, seat)
    proven = result.bound == "exact" and result.complete
    if proven and len(found) < min(lines, len(rules.actions(state))):
        others = _all_moves(rules, state, seat, algorithm, job)
        proven = others is None or len(others) > 0
        found = others or found
    return {
        "lines": found[:lines],
        "depth": result.details.get("iteration", result.depth),
        "nodes": result.nodes,
        "speed": round(result.nodes / max(result.seconds, 1e-6)),
        "done": proven,
        "seat": seat,
        "algorithm": result.algorithm,
    }


def shown_lines(game: Game[Any, Any], result: SearchResult, seat: int) -> list[dict[str, Any]]:
    """The lines of a result, best first, each with the winning chance of seat 0."""
    several = result.details.get("lines")
    if several:
        # A depth that was interrupted leaves lines of the last one behind, perhaps with the same move.
        first_of_each = {line["pv"][0]: line for line in reversed(several)}
        shown = []
        for line in several:
            if first_of_each[line["pv"][0]] is not line:
                continue
            # Proven values are facts; of the others only the first line's bound is known.
            part = SearchResult(
                algorithm=result.algorithm, state=result.state, player=seat, move=None, value=line["value"],
                bound=result.bound if line is several[0] else "estimate",
            )  # fmt: skip
            shown.append(_line(game, part, line["pv"], line.get("mate")))
        return shown
    texts, state = [], result.state
    for action in result.pv[:_SHOWN_PLIES]:
        texts.append(game.action_text(state, action))
        state = game.result(state, action)
    if not texts and result.move is not None:
        texts = [game.action_text(result.state, result.move)]
    return [_line(game, result, texts, result.details.get("mate"))] if texts else []


def _line(game: Game[Any, Any], result: SearchResult, texts: list[str], mate: int | None = None) -> dict[str, Any]:
    chance = chance_of(game, result, 0)
    return {
        "moves": texts[:_SHOWN_PLIES],
        "value": float(result.value),
        "chance": None if chance is None else round(chance, 4),
        "mate": mate,
        "end": end_in_words(game, mate),
    }


def _behind(game: Game[Any, Any], text: str, line: dict[str, Any]) -> dict[str, Any]:
    """The other side's line as the answer to a move of ours: its win in n moves is our loss in n, its loss our win."""
    mate = line["mate"]
    if mate is not None:
        mate = -mate if mate > 0 else 1 - mate
    return {**line, "moves": [text, *line["moves"]], "mate": mate, "end": end_in_words(game, mate)}


def _last_move(game: Game[Any, Any], text: str, end: Any, seat: int) -> dict[str, Any]:
    """The line of a move of the seat that ends the game."""
    value = game.utility(end, seat)
    won = isinstance(game, CompiledGame) and game.rules.constants["SOONER"] and value == game.facts.max_utility
    result = SearchResult(algorithm="", state=end, player=seat, move=None, value=value)
    return _line(game, result, [text], 1 if won else None)


def _all_moves(game: Game[Any, Any], state: Any, seat: int, algorithm: str, job: Job) -> list[dict[str, Any]] | None:
    """Every move with best play behind it, best first; none if the time does not suffice, None if it cannot be done."""
    found = []
    for action in game.actions(state):
        if job.clock.expired():
            return []
        text, child = game.action_text(state, action), game.result(state, action)
        if game.is_terminal(child):
            found.append(_last_move(game, text, child, seat))
            continue
        try:
            result = search_within(game, child, job.clock, algorithm=algorithm)
        except OutOfTime:
            return []
        except GametreeError:  # the search cannot start from there, say at a chance node
            return None
        if not result.complete:
            return []
        line = shown_lines(game, result, seat)[0]
        value = result.value if result.player == seat else (game.facts.utility_sum or 0.0) - result.value
        if result.values is not None:
            value = result.values[seat]
        found.append({**_behind(game, text, line), "value": float(value)})
    return sorted(found, key=lambda line: -line["value"])


def judge(job: Job, game: str, start: str | None, moves: list[str]) -> dict[str, Any]:
    """What the position is worth to seat 0 as a winning chance, and the best move."""
    rules = open_game(game)
    _, _, state = line_states(rules, start, moves)
    if rules.is_terminal(state):
        value = rules.utility(state, 0)
        end = SearchResult(algorithm="", state=state, player=0, move=None, value=value)
        return {"chance": chance_of(rules, end, 0), "best": None, "seat": None}
    seat = max(0, rules.player(state))
    try:
        found = shown_lines(rules, search_within(rules, state, job.clock), seat)
    except OutOfTime:
        found = []
    if not found:
        return {"chance": None, "best": None, "seat": seat}
    return {"chance": found[0]["chance"], "best": found[0]["moves"][0], "seat": seat}


# Why not ------------------------------------------------------------------------------------------------------------


def why(job: Job, game: str, start: str | None, moves: list[str], move: str) -> dict[str, Any]:
    """A move against the best one: both lines, what they are worth, and the terms of the estimate that differ."""
    rules = open_game(game)
    _, _, state = line_states(rules, start, moves)
    if rules.is_terminal(state):
        raise BadInput(f"'{move[:40]}' cannot be played: the game is over.")
    seat = max(0, rules.player(state))
    action = rules.action_from_text(state, move)
    text = rules.action_text(state, action)
    half = Clock(job.seconds / 2)
    best = shown_lines(rules, search_within(rules, state, half), seat)
    if not best:
        raise BadInput("The search found no line to compare with in its time.")
    child = rules.result(state, action)
    if rules.is_terminal(child):
        played = _last_move(rules, text, child, seat)
    else:
        after = shown_lines(rules, search_within(rules, child, job.clock), max(0, rules.player(child)))
        if not after:
            raise BadInput("The search found no answer to this move in its time.")
        played = _behind(rules, text, after[0])
    return {
        "move": text,
        "seat": seat,
        "best": best[0],
        "played": played,
        "terms": _terms(rules, state, seat, best[0]["moves"], played["moves"]),
    }


def _terms(game: Game[Any, Any], state: Any, seat: int, best: list[str], played: list[str]) -> list[dict[str, Any]]:
    """The estimate at the ends of both lines, term by term, for the seat; the largest differences first."""
    if not game.offers("explain") or game.facts.players != 2:
        return []
    first, second = (_explained(game, state, seat, line) for line in (best, played))
    if first is None or second is None:
        return []
    names = list(dict.fromkeys([*first, *second]))
    rows = [{"name": name, "best": first.get(name, 0.0), "played": second.get(name, 0.0)} for name in names]
    return sorted(rows, key=lambda row: -abs(row["played"] - row["best"]))


def _explained(game: Game[Any, Any], state: Any, seat: int, line: list[str]) -> dict[str, float] | None:
    """The terms at the last position of the line that is not the end of the game."""
    for text in line:
        child = game.result(state, game.action_from_text(state, text))
        if game.is_terminal(child) or game.player(child) < 0:
            break
        state = child
    mover = game.player(state)
    if mover < 0:
        return None
    sign = 1.0 if mover == seat else -1.0
    return {term.name: sign * float(term.total) for term in explain(game, state).terms}


# Loading ------------------------------------------------------------------------------------------------------------

_SGF_PROPERTY = re.compile(r"([A-Za-z]+)\s*((?:\[(?:[^\]\\]|\\.)*\]\s*)+)", re.DOTALL)
_NUMBERS = re.compile(r"\d+\.(?:\.\.)?\s*|[{][^}]*[}]|\$\d+")
_RESULTS = {"1-0", "0-1", "1/2-1/2", "*"}


def load(job: Job, game: str, text: str, number: int) -> dict[str, Any]:
    """A game out of a text: PGN, SGF, a record as `gametree export` writes it, or plain moves of `game`.

    Of several games the one with this number is read. What cannot be played ends the line, and `error` says why.
    """
    began = time.monotonic()
    stripped = text.lstrip("\ufeff \t\r\n")
    if stripped.startswith("("):
        found = _load_sgf(stripped)
    elif stripped.startswith("{"):
        found = _load_json(stripped, game, number)
    elif stripped.startswith("["):
        found = _load_pgn(stripped, game, number, began)
    else:
        words = [word for word in _NUMBERS.sub(" ", stripped).replace(",", " ").split() if word not in _RESULTS]
        found = {"game": game, "start": None, "moves": words, "title": "", "games": []}
    rules = open_game(found["game"])
    legal, error = _legal(rules, found["start"], found["moves"])
    return {**found, "moves": legal, "error": found.get("error") or error}


def _legal(game: Game[Any, Any], start: str | None, moves: list[str]) -> tuple[list[str], str]:
    """The moves as the game writes them, as far as they are legal, and what is wrong with the next one."""
    state = game.initial() if start is None else game.state_from_text(start)
    written: list[str] = []
    for text in moves[:LONGEST_GAME]:
        if game.is_terminal(state):
            return written, f"The move '{text[:40]}' comes after the end of the game."
        try:
            action = game.action_from_text(state, text)
        except GametreeError as error:
            return written, f"Move {len(written) + 1}: {error}"
        written.append(game.action_text(state, action))
        state = game.result(state, action)
    return written, ""


def _load_pgn(text: str, game: str, number: int, began: float) -> dict[str, Any]:
    from gametree.games.chess.pgn import read_games

    titles, chosen = [], None
    for index, found in enumerate(read_games(text.splitlines(keepends=True))):
        tags = found.tags
        if index < _MOST_GAMES:
            titles.append(
                f"{tags.get('White', '?')} – {tags.get('Black', '?')}, {tags.get('Date', '?')}, {found.result}"
            )
        if index == number:
            chosen = found
        if index >= _MOST_GAMES and chosen is not None:
            break
    if chosen is None:
        raise BadInput(f"There is no game number {number + 1} in this text; it has {len(titles)}.")
    variant = chosen.tags.get("Variant", "")
    if variant and variant.partition(":")[0].lower() not in ("chess", "standard", "chess960", "fischerandom"):
        # Another game, as `gametree export` writes it.
        words = [word for word in _NUMBERS.sub(" ", chosen.text).split() if word not in _RESULTS]
        found_moves = [word.replace("_", " ") for word in words]
        return {
            "game": variant, "start": chosen.tags.get("FEN"), "moves": found_moves,
            "title": titles[number] if number < len(titles) else "", "games": titles,
        }  # fmt: skip
    rules: Any = open_game("chess")
    start, state = chosen.tags.get("FEN"), chosen.start(rules)
    written = []
    for action in chosen.main_line(rules)[:LONGEST_GAME]:
        written.append(rules.action_text(state, action))
        state = rules.result(state, action)
    title = titles[number] if number < len(titles) else ""
    return {"game": "chess", "start": start, "moves": written, "title": title, "games": titles, "error": chosen.error}


def _load_sgf(text: str) -> dict[str, Any]:
    """The main line of the first tree of an SGF file (Hollosi 1999): always the first variation."""
    nodes: list[dict[str, str]] = []
    place, depth = 0, 0
    while place < len(text):
        letter = text[place]
        if letter == "(":
            depth += 1
        elif letter == ")":
            break  # the end of the first variation is the end of the main line
        elif letter == ";":
            nodes.append({})
        else:
            found = _SGF_PROPERTY.match(text, place)
            if found and nodes:
                value = re.sub(r"\\(.)", r"\1", found.group(2).strip()[1:].partition("]")[0])
                nodes[-1][found.group(1).upper()] = value
                place = found.end()
                continue
            if not letter.isspace():
                raise BadInput(f"This is no SGF: '{text[place : place + 12]}' stands where a node was expected.")
        place += 1
    if not nodes:
        raise BadInput("This SGF has no nodes.")
    size = nodes[0].get("SZ", "19")
    columns, _, rows = size.partition(":")
    if not columns.isdecimal() or not (rows or columns).isdecimal():
        raise BadInput(f"'{size[:20]}' is no size of a board.")
    height = int(rows or columns)
    shape = f"size={columns}" + (f"x{rows}" if rows else "")
    if "AB" in nodes[0] or "AW" in nodes[0]:
        raise BadInput("This SGF begins with stones on the board (handicap), which the rules here do not set up.")
    moves = []
    for node in nodes:
        point = node.get("B", node.get("W"))
        if point is None:
            continue
        if len(point) != 2 or (point == "tt" and height <= 19):
            moves.append("pass")
            continue
        column, row = ord(point[0]) - 97, ord(point[1]) - 97
        if not 0 <= column < 25 or not 0 <= row < height:
            raise BadInput(f"'{point}' is no point of the board.")
        moves.append("ABCDEFGHJKLMNOPQRSTUVWXYZ"[column] + str(height - row))
    komi = nodes[0].get("KM", "")
    if re.fullmatch(r"\d+(\.5|\.0)?", komi):
        shape += f",komi={float(komi):g}"
    title = f"{nodes[0].get('PB', '?')} – {nodes[0].get('PW', '?')}, {nodes[0].get('RE', '?')}"
    return {"game": f"go:{shape}", "start": None, "moves": moves, "title": title, "games": []}


def _load_json(text: str, game: str, number: int) -> dict[str, Any]:
    """One game of JSON lines as `gametree export --format jsonl` writes them."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not 0 <= number < len(lines):
        raise BadInput(f"There is no game number {number + 1} in this text; it has {len(lines)}.")
    try:
        data = json.loads(lines[number])
    except (ValueError, RecursionError):
        raise BadInput(f"Line {number + 1} is no JSON.") from None
    moves = data.get("moves") if isinstance(data, dict) else None
    if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
        raise BadInput(f"Line {number + 1} is no record of a game; expected an object with a list called moves.")
    from gametree.play.openings import read_opening

    written = data.get("opening")
    opening = read_opening(written if isinstance(written, str) else "")
    name = data.get("game") if isinstance(data.get("game"), str) else game
    players = data.get("players")
    names = [str(player)[:60] for player in players] if isinstance(players, list) else []
    titles = [f"game {place + 1}" for place in range(min(len(lines), _MOST_GAMES))]
    return {
        "game": name, "start": opening.position, "moves": [*opening.moves, *moves],
        "title": " – ".join(names), "games": titles,
    }  # fmt: skip
