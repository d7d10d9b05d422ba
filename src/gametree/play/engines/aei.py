"""A client of the Arimaa Engine Interface, version 1 (Haskin): programs that play Arimaa.

There a move is a whole turn. The program is asked at the beginning of its turn, and what it answers is played step by
step. Options of the player's name become `setoption name NAME value VALUE`; a program may warn about those that it does
not know, but need not, so that all are sent.
"""

from __future__ import annotations

import time
from typing import Any

from gametree.core.errors import BadInput, GametreeError
from gametree.core.game import Game
from gametree.games.arimaa.notation import read_turn, short_board, turn_text
from gametree.games.arimaa.rules import Arimaa
from gametree.play.clocks import Turn
from gametree.play.engines.client import GRACE, Client
from gametree.play.player_names import PlayerName
from gametree.play.players import PlayerFault

__all__ = ["AeiPlayer"]


class AeiPlayer(Client):
    """A program that speaks AEI."""

    def __init__(self, name: PlayerName, game: Game[Any, Any]) -> None:
        if not isinstance(game, Arimaa):
            raise BadInput(f"AEI has no words for {game.name}; expected arimaa.")
        super().__init__(name, game)
        self._known: tuple[Any, ...] = ()  # the actions that the program has been told
        self._plan: tuple[tuple[Any, ...], tuple[Any, ...]] | None = None  # where its turn began, and its steps

    def greet(self, deadline: float) -> None:
        """`aei` … `aeiok`, then the options."""
        self.talk.send("aei")
        while self.talk.receive(deadline) != "aeiok":
            pass
        for option in self.options.values():
            self.talk.send(f"setoption name {option.key} value {option.value}")
        self._synchronise(deadline)

    def begin(self, game: Game[Any, Any], seat: int, deadline: float) -> None:
        """`newgame`, and wait until it is ready."""
        self.talk.send("newgame")
        self._synchronise(deadline)
        self._known, self._plan = (), None

    def _synchronise(self, deadline: float) -> None:
        self.talk.send("isready")
        while self.talk.receive(deadline) != "readyok":
            pass

    def ask(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn, deadline: float) -> tuple[str, str]:
        """The next step of its turn; at the beginning of a turn `makemove` what it does not know, and `go`."""
        assert isinstance(game, Arimaa)
        actions, note = tuple(turn.actions), ""
        if not self._is_under_way(actions):
            self._tell(game, turn)
            self._clocks(seat, turn)
            self.talk.send("go")
            text, note = self._answer(deadline)
            if text == "resigns":
                return "resign", note
            try:
                self._plan = actions, tuple(read_turn(game, state, text))
            except GametreeError as error:
                raise PlayerFault("illegal", f"it answered '{text[:80]}': {error}") from None
        assert self._plan is not None
        begun, steps = self._plan
        return game.action_text(state, steps[len(actions) - len(begun)]), note

    def _is_under_way(self, actions: tuple[Any, ...]) -> bool:
        """Whether the program has answered already what its next step is."""
        if self._plan is None:
            return False
        begun, steps = self._plan
        made = len(actions) - len(begun)
        return 0 <= made < len(steps) and begun + steps[:made] == actions

    def _tell(self, game: Arimaa, turn: Turn) -> None:
        """Every turn since the program was last told. Raises PlayerFault where the game begins within a turn."""
        state = turn.start
        s = game.struct(state)
        if s.steps or s.placed not in (0, 16):
            raise PlayerFault("start", "AEI cannot set up a position within a turn")
        if not self._known and s.placed == 16:
            self.talk.send(f"setposition {'gs'[s.seat]} {short_board(s)}")
        begun, first = state, 0
        for place, action in enumerate(turn.actions, 1):
            after = game.result(state, action)
            if game.player(after) != game.player(state):
                if place > len(self._known):
                    self.talk.send(f"makemove {turn_text(game, begun, turn.actions[first:place])}")
                begun, first = after, place
            state = after
        if first != len(turn.actions):
            raise PlayerFault("start", "AEI cannot set up a position within a turn")
        self._known = tuple(turn.actions)

    def _clocks(self, seat: int, turn: Turn) -> None:
        control = turn.control
        seconds = self.limits["time"] if self.limits["time"] is not None else control.per_move
        words: dict[str, float] = {}
        if seconds is not None:
            words = {"tcmove": seconds, "tcreserve": 0, "greserve": 0, "sreserve": 0}
        elif turn.remaining:
            words = {"tcmove": control.increment, "greserve": turn.remaining[0], "sreserve": turn.remaining[1]}
        if self.limits["depth"] is not None:
            words["depth"] = self.limits["depth"]
        for name, value in words.items():
            self.talk.send(f"setoption name {name} value {value:g}")

    def _answer(self, deadline: float) -> tuple[str, str]:
        found: dict[str, str] = {}
        while True:
            word, _, rest = self.talk.receive(deadline).strip().partition(" ")
            if word == "bestmove":
                return rest.strip(), " ".join(f"{key} {value}" for key, value in found.items())
            if word == "info":
                key, _, value = rest.partition(" ")
                if key in ("depth", "score", "nodes"):
                    found[key] = value[:20]
            elif word == "log" and rest.startswith("Error"):
                raise PlayerFault("protocol", f"it said '{rest[:80]}'")

    def give_up(self) -> None:
        """`stop`; the late move must not be taken for the answer to a later question."""
        self.talk.send("stop")
        self._answer(time.monotonic() + GRACE)
