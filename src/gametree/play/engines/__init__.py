"""Other people's programs as players: clients of UCI, XBoard's protocol, GTP and AEI."""

from __future__ import annotations

from typing import Any

from gametree.core.game import Game
from gametree.play.engines.client import Client
from gametree.play.player_names import PlayerName

__all__ = ["Client", "make_engine"]


def make_engine(name: PlayerName, game: Game[Any, Any]) -> Client:
    """The client for a name such as `uci:stockfish`. Raises BadInput if the program or the game will not do."""
    if name.kind == "uci":
        from gametree.play.engines.uci import UciPlayer

        return UciPlayer(name, game)
    if name.kind == "xboard":
        from gametree.play.engines.xboard import XboardPlayer

        return XboardPlayer(name, game)
    if name.kind == "aei":
        from gametree.play.engines.aei import AeiPlayer

        return AeiPlayer(name, game)
    from gametree.play.engines.gtp import GtpPlayer

    return GtpPlayer(name, game)
