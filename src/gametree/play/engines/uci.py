"""A client of the Universal Chess Interface (Meyer-Kahlen and Huber, 2006), for any game with UCI's kind of text.

The game's `fen` or else its `state_text` is what the program reads after `position fen`; its `uci` or else its
`action_text` is how moves are written, and `action_from_text` reads them. Where castling needs it, the program is told
to play Chess960: it gets a FEN with the files of the rooks, and castling is written as the king takes the rook.
"""

from __future__ import annotations

import re
import time
from typing import Any

from gametree.core.game import Game
from gametree.play.clocks import Turn
from gametree.play.engines.client import GRACE, Client, Declared
from gametree.play.player_names import PlayerName
from gametree.play.players import PlayerFault

__all__ = ["UciPlayer"]

_DECLARATION = re.compile(r"option\s+name\s+(?P<name>.+?)\s+type\s+(?P<kind>\w+)(?P<rest>.*)")


class UciPlayer(Client):
    """A program that speaks UCI. Options that it does not declare are refused."""

    def __init__(self, name: PlayerName, game: Game[Any, Any]) -> None:
        self.check_alternates("UCI", game)
        super().__init__(name, game)
        self.declared: dict[str, Declared] = {}
        """The options that the program has declared, by name."""
        self._chess960 = False
        """What the program has been told to play."""
        self._opening: tuple[Any, str] | None = None  # the start of the game, and the words for it

    def greet(self, deadline: float) -> None:
        """`uci` … `uciok`, then the options. Raises BadInput for an option that the program does not have."""
        self.talk.send("uci")
        self.declared = {}
        while (line := self.talk.receive(deadline)) != "uciok":
            found = _DECLARATION.match(line)
            if found:
                self.declared[found["name"]] = _read_declaration(found["kind"], found["rest"])
        self._chess960 = False
        for name, value in self.settings(self.declared):
            pressed = self.declared[name].kind == "button"
            self.talk.send(f"setoption name {name}" + ("" if pressed else f" value {value}"))
            if name == "UCI_Chess960":
                self._chess960 = value.lower() == "true"
        self._synchronise(deadline)

    def begin(self, game: Game[Any, Any], seat: int, deadline: float) -> None:
        """`ucinewgame`, and wait until it is ready."""
        self.talk.send("ucinewgame")
        self._synchronise(deadline)

    def _synchronise(self, deadline: float) -> None:
        self.talk.send("isready")
        while self.talk.receive(deadline) != "readyok":
            pass

    def ask(self, game: Game[Any, Any], state: Any, seat: int, turn: Turn, deadline: float) -> tuple[str, str]:
        """`position`, `go`, and the move after `bestmove`."""
        shuffled = self.is_shuffled(game, turn.start)
        self._set_chess960(shuffled)
        if self._opening is None or self._opening[0] != turn.start:
            usual = self.is_usual_start(game, turn.start)
            text = "startpos" if usual else f"fen {self.position(game, turn.start, chess960=shuffled)}"
            self._opening = turn.start, text
        start = self._opening[1]
        moves = " ".join(text for _, text in self.texts(game, turn, chess960=shuffled))
        self.talk.send(f"position {start}" + (f" moves {moves}" if moves else ""))
        self.talk.send(self._go(seat, turn))
        note = ""
        while True:
            words = self.talk.receive(deadline).split()
            if words[:1] == ["info"] and "score" in words:
                note = " ".join(_selected(words))
            elif words[:1] == ["bestmove"]:
                if len(words) < 2 or words[1] in ("(none)", "0000"):
                    raise PlayerFault("illegal", "it has no move although the game goes on")
                return words[1], note

    def _set_chess960(self, wanted: bool) -> None:
        if wanted == self._chess960:
            return
        if "UCI_Chess960" not in self.declared:
            raise PlayerFault("start", "it does not play Chess960 (option UCI_Chess960)")
        self.talk.send(f"setoption name UCI_Chess960 value {str(wanted).lower()}")
        self._chess960 = wanted

    def _go(self, seat: int, turn: Turn) -> str:
        """Limits of the player's name come before those of the match."""
        own = self.limits
        words = ["go"]
        for key, word, scale in (("time", "movetime", 1000), ("nodes", "nodes", 1), ("depth", "depth", 1)):
            if own[key] is not None:
                words += [word, str(max(1, round(own[key] * scale)))]
        if len(words) == 1 and turn.control.per_move is not None:
            words += ["movetime", str(max(1, round(1000 * (turn.budget(seat) or 0))))]
        if len(words) == 1 and turn.control.nodes is not None:
            words += ["nodes", str(turn.control.nodes)]
        if turn.remaining:
            for side, left in zip("wb", turn.remaining, strict=True):
                words += [f"{side}time", str(max(1, round(1000 * left)))]
            if turn.control.increment:
                words += [word for side in "wb" for word in (f"{side}inc", str(round(1000 * turn.control.increment)))]
            if turn.moves_left is not None:
                words += ["movestogo", str(turn.moves_left)]
        # With no limit at all a program would think for ever.
        return " ".join(words if len(words) > 1 else ["go", "movetime", "1000"])

    def give_up(self) -> None:
        """`stop` and wait for the late `bestmove`, which must not be taken for the answer to a later question."""
        self.talk.send("stop")
        deadline = time.monotonic() + GRACE
        while self.talk.receive(deadline).split()[:1] != ["bestmove"]:
            pass


def _read_declaration(kind: str, rest: str) -> Declared:
    """An option from its type and what stands behind it: `default 20 min 0 max 20`, `var one var two`."""
    ends = {key: int(number) for key, number in re.findall(r"\b(min|max)\s+([+-]?\d{1,18})\b", rest)}
    choices: tuple[str, ...] = ("true", "false") if kind == "check" else ()
    if kind == "combo":
        words = re.split(r"\s(?:var|default)\s", rest)[1:]
        choices = tuple(dict.fromkeys(word.strip() for word in words))
    return Declared(kind, ends.get("min"), ends.get("max"), choices)


def _selected(words: list[str]) -> list[str]:
    """Depth, score and nodes of an `info` line."""
    found = []
    for key, count in (("depth", 1), ("score", 2), ("nodes", 1)):
        if key in words:
            at = words.index(key)
            found += words[at : at + 1 + count]
    return found
