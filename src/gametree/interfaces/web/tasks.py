"""What worker processes do for the pages Play and Analyse. A game is its name, a start and the texts of its moves."""

from __future__ import annotations

import random
from collections import OrderedDict
from typing import Any

from gametree.core.errors import BadInput, IllegalMove
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.interfaces.web.boards import facts_data, view
from gametree.interfaces.web.games import open_game
from gametree.interfaces.web.worker import Job

__all__ = ["LONGEST_GAME", "about", "check_part", "choose", "line_actions", "line_states", "play", "position"]

LONGEST_GAME = 5000
"""Plies after which a game ends without a result, so that none grows for ever."""

_lines: OrderedDict[tuple[str, str | None, tuple[str, ...]], tuple[Any, Any, Any]] = OrderedDict()
"""(game, start, moves) → (state before the last move, the last move, state): most requests go one move further."""
_lots = random.SystemRandom()


def about(job: Job, game: str) -> dict[str, Any]:
    """The facts of a game and how it begins."""
    rules = open_game(game)
    return {"facts": facts_data(rules), "view": view(rules, rules.initial())}


def line_states(game: Game[Any, Any], start: str | None, moves: list[str]) -> tuple[Any, Any, Any]:
    """The position before the last move, the last move, and the position now. Raises BadInput, IllegalMove."""
    key = (game.name, start, tuple(moves))
    if key in _lines:
        _lines.move_to_end(key)
        return _lines[key]
    if len(moves) > LONGEST_GAME:
        raise BadInput(f"A game of {len(moves)} plies is too long; expected at most {LONGEST_GAME}.")
    known = next((n for n in range(len(moves), 0, -1) if (game.name, start, tuple(moves[:n])) in _lines), 0)
    if known:
        before, last, state = _lines[game.name, start, tuple(moves[:known])]
    else:
        before, last, state = None, None, game.initial() if start is None else game.state_from_text(start)
    for text in moves[known:]:
        if game.is_terminal(state):
            raise BadInput(f"The move '{text}' comes after the end of the game.")
        before, last = state, game.action_from_text(state, text)
        state = game.result(state, last)
    _lines[key] = (before, last, state)
    while len(_lines) > 512:
        _lines.popitem(last=False)
    return before, last, state


def line_actions(game: Game[Any, Any], start: str | None, moves: list[str]) -> tuple[Any, tuple[Any, ...], Any]:
    """The position that the game began with, all actions, and the position now. Raises BadInput, IllegalMove."""
    first = state = game.initial() if start is None else game.state_from_text(start)
    actions = []
    for text in moves:
        actions.append(game.action_from_text(state, text))
        state = game.result(state, actions[-1])
    return first, tuple(actions), state


def position(
    job: Job, game: str, start: str | None, moves: list[str], people: list[int], chosen: list[int]
) -> dict[str, Any]:
    """What to show after these moves. Chance is played as far as it decides at once."""
    return _advance(open_game(game), start, list(moves), people, chosen, played=[])


def play(
    job: Job,
    game: str,
    start: str | None,
    moves: list[str],
    people: list[int],
    text: str,
    joint: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Play a move, or the joint move of all seats, and whatever chance decides behind it. Raises IllegalMove."""
    rules = open_game(game)
    _, _, state = line_states(rules, start, moves)
    if rules.is_terminal(state):
        raise IllegalMove(f"'{text}' cannot be played: the game is over.")
    mover = rules.player(state)
    if joint is not None:
        action = tuple(
            _own_part(rules, state, seat, joint[str(seat)]) if str(seat) in joint else None
            for seat in range(rules.facts.players)
        )
    elif mover == SIMULTANEOUS:
        raise IllegalMove("Several players choose at once here.")
    else:
        action = rules.action_from_text(state, text)
    written = rules.action_text(state, action)
    return _advance(rules, start, list(moves), people, [], played=[[written, mover]])


def check_part(job: Job, game: str, start: str | None, moves: list[str], seat: int, text: str) -> str:
    """The text of the seat's part of a joint move. Raises IllegalMove."""
    rules = open_game(game)
    _, _, state = line_states(rules, start, moves)
    return str(_own_part(rules, state, seat, text))


def _own_part(game: Game[Any, Any], state: Any, seat: int, text: str) -> Any:
    known = {str(action): action for action in game.seat_actions(state, seat)}
    if text not in known:
        raise IllegalMove(f"'{text[:40]}' is not a legal move here. Legal moves: {', '.join(known) or 'none'}.")
    return known[text]


def _advance(
    game: Game[Any, Any], start: str | None, moves: list[str], people: list[int], chosen: list[int], played: list[Any]
) -> dict[str, Any]:
    """Play on while nobody has a choice: chance decides, or all are busy. `played` collects [text, mover]."""
    line = moves + [text for text, _ in played]
    before, last, state = line_states(game, start, line)
    shown = (before, last)
    while (idle := _idle(game, state)) is not None and len(line) < LONGEST_GAME:
        outcomes = game.outcomes(state) if idle == CHANCE else [(game.actions(state)[0], 1.0)]
        [(action, _)] = _lots.choices(outcomes, weights=[chance for _, chance in outcomes])
        text = game.action_text(state, action)
        played.append([text, idle])
        line.append(text)
        before, last, state = line_states(game, start, line)
        if shown[0] is None:
            shown = (before, last)
    data = view(game, state, people=people, before=shown[0], last=shown[1], chosen=chosen)
    return {"played": played, "view": data, "facts": facts_data(game)}


def _idle(game: Game[Any, Any], state: Any) -> int | None:
    """CHANCE, or SIMULTANEOUS while moves that take time keep all seats busy; None where a seat has a choice."""
    if game.is_terminal(state):
        return None
    mover = game.player(state)
    if mover == SIMULTANEOUS and any(game.seat_actions(state, seat) for seat in range(game.facts.players)):
        return None
    return mover if mover < 0 else None


def choose(
    job: Job,
    game: str,
    start: str | None,
    moves: list[str],
    seat: int,
    algorithm: str,
    level: str,
) -> dict[str, Any]:
    """The move of an engine for the seat within the job's time: its text and, where there is one, its value."""
    from gametree.interfaces.web.engines import choose_move

    rules = open_game(game)
    _, _, state = line_states(rules, start, moves)
    return choose_move(rules, state, seat, algorithm=algorithm, level=level, clock=job.clock)
