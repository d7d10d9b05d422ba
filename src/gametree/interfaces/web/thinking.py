"""Engines of the page Play: a process that thinks keeps the player of a seat, and is told nothing but the seat's View.

What a player learns at one move it still knows at the next. A process that was lost, or that has too many players to
keep, costs only that: the next View says all that a player has to know.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from gametree.core.errors import OutOfTime
from gametree.core.game import SIMULTANEOUS
from gametree.interfaces.web.engines import chance_of, end_in_words
from gametree.interfaces.web.games import open_game
from gametree.interfaces.web.worker import Job
from gametree.kernels.waiting import NotCompiled
from gametree.play.plain import from_plain
from gametree.play.players import Choice, make_player
from gametree.play.seated import Seated
from gametree.play.table import View

__all__ = ["choose"]

_MOST_PLAYERS = 6
"""Players with their tables and trees that a process keeps."""

_players: OrderedDict[tuple[str, int, str], Seated] = OrderedDict()


def choose(job: Job, name: str, player: str, seed: int, view: str, keep: bool = True) -> dict[str, Any]:
    """The player's move as text (empty if it resigns), what it is worth to the seat as a winning chance, and whether an
    end is in sight. Without `keep` the player goes when it has moved: a program must not wait for a year.
    """
    seen = View.from_text(view)
    key = (name, seen.seat, player)
    seated = _players.pop(key, None)
    if seated is None:
        rules = open_game(seen.game).twin()
        seated = Seated(make_player(player, rules), rules)
        try:
            seated.start(seen.seat, seed)
        except NotCompiled:
            return _substitute(seated, seen, job)
    try:
        return _answer(seated, seen, job)
    finally:
        if keep:
            _players[key] = seated
            while len(_players) > _MOST_PLAYERS:
                _players.popitem(last=False)[1].close()
        else:
            seated.close()


def _substitute(seated: Seated, view: View, job: Job) -> dict[str, Any]:
    """The move of a simple search, because the player is not compiled yet; `note` says so."""
    from gametree.play.substitute import choose_without_compiling

    rules, state = seated.rules, from_plain(view.position)
    action, result = choose_without_compiling(rules, state, view.seat, seconds=job.seconds)
    return {
        "text": seated.text(view, Choice(action)),
        "chance": None if result is None else chance_of(rules, result, view.seat),
        "end": "",
        "note": "A simple search moved, while the engine is still being compiled. Go on.",
    }


def _answer(seated: Seated, view: View, job: Job) -> dict[str, Any]:
    rules, state = seated.rules, from_plain(view.position)
    try:
        choice = seated.choose(view, clock=job.clock)
    except NotCompiled:
        return _substitute(seated, view, job)
    except OutOfTime:  # an algorithm that answers only when it is done
        first = rules.seat_actions(state, view.seat)[0]
        text = str(first) if rules.player(state) == SIMULTANEOUS else rules.action_text(state, first)
        return {"text": text, "chance": None, "end": ""}
    found = choice.result
    return {
        "text": seated.text(view, choice),
        "chance": None if found is None else chance_of(rules, found, view.seat),
        "end": "" if found is None else end_in_words(rules, found.details.get("mate")),
    }
