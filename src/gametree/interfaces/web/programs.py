"""Other people's programs that play here: those that the command line names, and no others.

A request names one of them by the word that it was given there; the server puts the player behind it in its place. No
command ever comes from a request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gametree.core.errors import BadInput
from gametree.core.registry import algorithm_names
from gametree.interfaces.web.games import open_game
from gametree.interfaces.web.worker import Job
from gametree.play.engines.process import find_program
from gametree.play.player_names import PROTOCOLS, parse_player
from gametree.play.players import make_player

__all__ = ["read_programs", "try_program"]

_TAKEN = ("random", "best", "human", "person")


def read_programs(given: Iterable[str]) -> dict[str, str]:
    """Programs as the command line gives them, `stockfish=uci:stockfish`, as a mapping from names to players.

    Raises BadInput if one is written in another way, or if there is no such program.
    """
    found: dict[str, str] = {}
    for text in given:
        name, equals, player = text.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z][\w-]{0,39}", name):
            raise BadInput(f"'{text}' names no program; expected NAME=PROTOCOL:COMMAND, as in stockfish=uci:stockfish.")
        if name in (*_TAKEN, *algorithm_names()):
            raise BadInput(f"A program cannot be called '{name}', which is a player already; choose another name.")
        if name in found:
            raise BadInput(f"Two programs are called '{name}'; choose another name for one of them.")
        parsed = parse_player(player)
        if parsed.kind not in PROTOCOLS:
            ways = ", ".join(f"{kind}:COMMAND" for kind in PROTOCOLS)
            raise BadInput(f"'{player}' is no program; expected one of {ways}.")
        find_program(parsed.command)
        found[name] = player
    return found


def try_program(job: Job, game: str, player: str) -> None:
    """Find out whether the program can play the game. Raises BadInput if it cannot."""
    make_player(player, open_game(game)).close()
