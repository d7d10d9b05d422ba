"""What worker processes do for the page Analyse: thinking in slices, judging positions, why not a move, loading."""

from __future__ import annotations

from typing import Any

from gametree.core.clock import Clock
from gametree.core.errors import BadInput, GametreeError, OutOfTime
from gametree.core.game import CHANCE, Game
from gametree.core.result import SearchResult
from gametree.formats import Unread, recognise, split
from gametree.interfaces.web.boards import facts_data, view
from gametree.interfaces.web.engines import chance_of, end_in_words, fitting, search_within
from gametree.interfaces.web.games import open_game
from gametree.interfaces.web.tasks import LONGEST_GAME, line_states
from gametree.interfaces.web.worker import Job
from gametree.kernels.waiting import use_policy
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
        nothing = dict.fromkeys(("depth", "selective", "nodes", "speed"), 0)
        return {"lines": [], **nothing, "done": False, "seat": seat, "algorithm": algorithm}
    found = shown_lines(rules, result, seat)
    proven = result.bound == "exact" and result.complete
    if proven and len(found) < min(lines, len(rules.actions(state))):
        others = _all_moves(rules, state, seat, algorithm, job)
        proven = others is None or len(others) > 0
        found = others or found
    return {
        "lines": found[:lines],
        "depth": result.depth,
        "selective": result.selective,
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
    sooner = game.facts.compiled and game.rules.constants["SOONER"]  # type: ignore[attr-defined]
    won = sooner and value == game.facts.max_utility
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


def load(job: Job, game: str, text: str, number: int) -> dict[str, Any]:
    """A game out of a text: PGN, SGF, a record as `gametree export` or `play` writes it, or plain moves of `game`.

    Of several games the one with this number is read. What cannot be played ends the line, and `error` says why.
    Raises BadInput if there is no such game.
    """
    stripped = text.lstrip("\ufeff \t\r\n")
    kind = recognise(stripped)
    lines: list[str] = stripped.splitlines(keepends=True)
    if kind == "moves":
        offered = [name for name in ("pgn", "pdn") if name in open_game(game).formats]
        if offered:
            kind = offered[0]
        else:
            lines = [stripped.replace("\n", " ")]  # one game, however many lines it takes
    titles: list[str] = []
    chosen: Unread | None = None
    for index, found in enumerate(split(kind, lines)):
        titles.append(found.title or f"game {index + 1}")
        if index == number:
            chosen = found
        if len(titles) >= _MOST_GAMES and chosen is not None:
            break
    if chosen is None:
        raise BadInput(f"There is no game number {number + 1} in this text; it has {len(titles)}.")
    rules = open_game(chosen.game or game)
    with use_policy("compile"):  # a whole game goes through the rules
        record = chosen.record(rules)
    if record.error and not record.moves:
        raise BadInput(f"Line {record.line}: {record.error}")
    return {
        "game": chosen.game or game,
        "start": record.position,
        "moves": list(record.moves[:LONGEST_GAME]),
        "title": titles[number] if chosen.title else "",
        "games": titles[:_MOST_GAMES] if kind in ("pgn", "pdn", "jsonl") or len(titles) > 1 else [],
        "error": record.error,
    }
