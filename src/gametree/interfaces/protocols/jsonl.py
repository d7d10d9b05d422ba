"""Every game for programs in any language: one JSON object a line in, one a line out.

A request names a `command` and its arguments; its `id`, if it has one, comes back with the answer. An answer has `ok`;
if it is false, `error` is one sentence. `schema()` describes both, made from the same table that checks requests.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple, TextIO

from gametree import __version__
from gametree.core.dice import new_secret, roll_at
from gametree.core.errors import BadInput, GametreeError, UnknownName, suggest
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.core.registry import load_game
from gametree.interfaces.protocols._lines import LONGEST
from gametree.play.clocks import TimeControl
from gametree.play.openings import Opening
from gametree.play.players import RESIGN, make_player
from gametree.play.seated import Seated
from gametree.play.table import Table, View

__all__ = ["COMMANDS", "PROTOCOL", "JsonlEngine", "schema"]

PROTOCOL = 1
"""Version of the protocol; it grows when an answer or an argument changes its meaning."""


class _Argument(NamedTuple):
    kind: str
    meaning: str
    required: bool = False


COMMANDS: dict[str, tuple[str, dict[str, _Argument]]] = {
    "hello": ("Name, version and protocol of this program.", {}),
    "games": ("The names of all games.", {}),
    "new": (
        "Begin a game and answer with its state.",
        {
            "game": _Argument("string", "A game's name with parameters, or a path to a Python file.", True),
            "position": _Argument("string", "The position to start from, as the game writes it."),
            "moves": _Argument("array", "Moves to play first."),
        },
    ),
    "state": ("The state of the game.", {"seat": _Argument("integer", "Draw the position as this seat sees it.")}),
    "play": ("Play moves, all or none, and answer with the state.", {"moves": _Argument("array", "The moves.", True)}),
    "undo": ("Take moves back and answer with the state.", {"count": _Argument("integer", "How many; by default 1.")}),
    "roll": (
        "Let chance move, at random, and answer with the state.",
        {"seed": _Argument("integer", "The lot follows from it; otherwise it is any.")},
    ),
    "choose": (
        "Ask a player for a move, which is not played yet.",
        {
            "player": _Argument("string", "The player, named as for `gametree match`; by default best."),
            "seat": _Argument("integer", "The seat to choose for, where several choose at once."),
            "time": _Argument("number", "Seconds for the move."),
            "nodes": _Argument("integer", "Nodes for the move."),
        },
    ),
    "quit": ("End the conversation.", {}),
}
"""Command → what it does, and its arguments."""

_TYPES: dict[str, Any] = {"string": str, "integer": int, "number": (int, float), "array": list}


def schema() -> dict[str, Any]:
    """The requests and answers as a JSON schema (draft 2020-12)."""
    requests = []
    for name, (meaning, arguments) in COMMANDS.items():
        properties: dict[str, Any] = {"command": {"const": name}, "id": {"type": ["integer", "string"]}}
        for key, argument in arguments.items():
            properties[key] = {"type": argument.kind, "description": argument.meaning}
            if argument.kind == "array":
                properties[key]["items"] = {"type": "string"}
        required = ["command", *(key for key, argument in arguments.items() if argument.required)]
        requests.append(
            {
                "title": name,
                "description": meaning,
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": False,
            }
        )
    answer = {
        "type": "object",
        "properties": {
            "id": {"type": ["integer", "string"]},
            "ok": {"type": "boolean"},
            "error": {"type": "string"},
            "game": {"type": "string"},
            "position": {"type": "string", "description": "The position as the game writes it; empty if it is hidden."},
            "moves": {"type": "array", "items": {"type": "string"}, "description": "All moves so far."},
            "player": {"type": ["integer", "string", "null"], "description": "A seat, chance, simultaneous, or null."},
            "legal": {"type": "array", "items": {"type": "string"}},
            "terminal": {"type": "boolean"},
            "utilities": {"type": ["array", "null"], "items": {"type": "number"}},
            "drawing": {"type": "object"},
            "move": {"type": ["string", "null"], "description": "The chosen move; null if the player resigns."},
            "value": {"type": ["number", "null"]},
            "nodes": {"type": ["integer", "null"]},
            "depth": {"type": ["integer", "null"]},
            "pv": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["ok"],
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"gametree engine jsonl, protocol {PROTOCOL}",
        "$defs": {"request": {"oneOf": requests}, "answer": answer},
        "oneOf": [{"$ref": "#/$defs/request"}, {"$ref": "#/$defs/answer"}],
    }


class JsonlEngine:
    """A conversation: one game at a time, and the players that were asked in it."""

    def __init__(self) -> None:
        self._game: Game[Any, Any] | None = None
        self._states: list[Any] = []
        self._actions: list[Any] = []
        self._position: str | None = None
        self._players: dict[str, Seated] = {}

    def serve(self, lines: Iterable[str], output: TextIO) -> None:
        """Answer every line until `quit` or the end of the input."""
        try:
            for line in lines:
                if not line.strip():
                    continue
                answer = self.answer(line)
                output.write(json.dumps(answer, allow_nan=False) + "\n")
                output.flush()
                if answer.get("bye"):
                    break
        finally:
            self._dismiss()

    def answer(self, line: str) -> dict[str, Any]:
        """The answer to one line."""
        identity: dict[str, Any] = {}
        try:
            if len(line) > LONGEST:
                raise BadInput(f"A line of {len(line):,} characters is too long; expected at most {LONGEST:,}.")
            try:
                request = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise BadInput(f"This line is not JSON: {error}.") from None
            if not isinstance(request, dict):
                raise BadInput(f'Expected an object such as {{"command": "hello"}}, got {type(request).__name__}.')
            if isinstance(request.get("id"), int | str):
                identity = {"id": request["id"]}
            return identity | {"ok": True} | self._run(request)
        except GametreeError as error:
            return identity | {"ok": False, "error": str(error)}
        except Exception as error:  # a user's own game or player may raise anything
            return identity | {"ok": False, "error": f"The game failed: {type(error).__name__}: {error}."}

    def _run(self, request: dict[str, Any]) -> dict[str, Any]:
        name = request.get("command")
        if not isinstance(name, str) or name not in COMMANDS:
            close = suggest(str(name), COMMANDS)
            raise UnknownName(f"There is no command '{name}'.{close} Expected one of {', '.join(COMMANDS)}.")
        arguments = {key: value for key, value in request.items() if key not in ("command", "id")}
        known = COMMANDS[name][1]
        for key, value in arguments.items():
            if key not in known:
                raise UnknownName(f"{name} has no argument '{key}'.{suggest(key, known)}")
            kind = known[key].kind
            fits = isinstance(value, _TYPES[kind]) and not isinstance(value, bool)
            if not fits or (kind == "array" and not all(isinstance(item, str) for item in value)):
                expected = "an array of strings" if kind == "array" else f"a value of type {kind}"
                raise BadInput(f"{name}: '{key}' should be {expected}, got {json.dumps(value)[:60]}.")
        for key, argument in known.items():
            if argument.required and key not in arguments:
                raise BadInput(f"{name} needs the argument '{key}': {argument.meaning}")
        answer: dict[str, Any] = getattr(self, f"_{name}")(**arguments)
        return answer

    # Commands ---------------------------------------------------------------------------------------------------------

    def _hello(self) -> dict[str, Any]:
        return {"name": "gametree", "version": __version__, "protocol": PROTOCOL}

    def _games(self) -> dict[str, Any]:
        from gametree.core.registry import game_names

        return {"games": game_names()}

    def _quit(self) -> dict[str, Any]:
        return {"bye": True}

    def _new(self, game: str, position: str | None = None, moves: list[str] | None = None) -> dict[str, Any]:
        rules = load_game(game)
        states = [rules.initial() if position is None else rules.state_from_text(position)]
        actions: list[Any] = []
        _play(rules, states, actions, moves or [])
        self._dismiss()
        self._game, self._states, self._actions, self._position = rules, states, actions, position
        return self._state()

    def _rules(self) -> Game[Any, Any]:
        if self._game is None:
            raise BadInput('There is no game yet; begin one with {"command": "new", "game": "tictactoe"}.')
        return self._game

    def _state(self, seat: int | None = None) -> dict[str, Any]:
        game, state = self._rules(), self._states[-1]
        over = game.is_terminal(state)
        seats = range(game.facts.players)
        mover: int | str | None = None
        if not over:
            mover = {CHANCE: "chance", SIMULTANEOUS: "simultaneous"}.get(game.player(state), game.player(state))
        if seat is not None and seat not in seats:
            raise BadInput(f"There is no seat {seat} in {game.name}; expected 0 to {game.facts.players - 1}.")
        secret = seat is not None and game.facts.hidden
        seen = state if seat is None else game.view(state, seat)
        texts = zip(self._states, self._actions, strict=False)
        # A seat that is not to move must not learn what another may play.
        legal = [] if over or (secret and seat != mover) else [game.action_text(seen, a) for a in game.actions(seen)]
        return {
            "game": game.name,
            "position": "" if secret else game.state_text(state),
            "moves": [] if secret else [game.action_text(before, action) for before, action in texts],
            "player": mover,
            "legal": legal,
            "terminal": over,
            "utilities": list(game.utilities(state)) if over else None,
            "drawing": (game.draw(state) if seat is None else game.draw_for(state, seat)).to_data(),
        }

    def _play(self, moves: list[str]) -> dict[str, Any]:
        states, actions = list(self._states), list(self._actions)
        _play(self._rules(), states, actions, moves)
        self._states, self._actions = states, actions
        return self._state()

    def _undo(self, count: int = 1) -> dict[str, Any]:
        self._rules()
        if not 0 <= count <= len(self._actions):
            raise BadInput(f"{count} moves cannot be taken back; {len(self._actions)} were played.")
        if count:
            del self._states[-count:], self._actions[-count:]
        return self._state()

    def _roll(self, seed: int | None = None) -> dict[str, Any]:
        game, state = self._rules(), self._states[-1]
        if game.is_terminal(state) or game.player(state) != CHANCE:
            raise BadInput("Chance is not to move here.")
        action = roll_at(game, state, new_secret(seed), len(self._actions))
        self._actions.append(action)
        self._states.append(game.result(state, action))
        return self._state()

    def _choose(
        self, player: str = "best", seat: int | None = None, time: float | None = None, nodes: int | None = None
    ) -> dict[str, Any]:
        game, state = self._rules(), self._states[-1]
        if game.is_terminal(state):
            raise BadInput("The game is over; there is nothing to choose.")
        mover = game.player(state)
        if mover == CHANCE:
            raise BadInput('Chance is to move here; use {"command": "roll"}.')
        if mover == SIMULTANEOUS:
            if seat is None or not game.seat_actions(state, seat):
                raise BadInput("Several choose at once here: name a seat that has a choice.")
            mover = seat
        elif seat not in (None, mover):
            raise BadInput(f"Seat {seat} is not to move here; seat {mover} is.")
        if (time is not None and not time > 0) or (nodes is not None and nodes < 1):
            raise BadInput("time and nodes should be above 0.")
        asked = f"{player} {mover}"
        if player == "human":
            raise BadInput("A person cannot be asked here; name another player.")
        if asked not in self._players:
            rules = game.twin()
            self._players[asked] = Seated(make_player(player, rules), rules)
            self._players[asked].start(mover, 1)
        choice = self._players[asked].choose(self._view(mover, TimeControl(per_move=time, nodes=nodes)))
        if choice.action is RESIGN:
            return {"move": None, "value": None, "nodes": None, "depth": None, "pv": []}
        simultaneous = game.player(state) == SIMULTANEOUS
        text = str(choice.action) if simultaneous else game.action_text(state, choice.action)
        found = choice.result
        if found is None:
            return {"move": text, "value": None, "nodes": None, "depth": None, "pv": []}
        line = [] if simultaneous else found.to_data(game)["pv"]
        return {"move": text, "value": found.value, "nodes": found.nodes, "depth": found.depth, "pv": line}

    def _view(self, seat: int, control: TimeControl) -> View:
        """What a player on the seat is told, as at every table."""
        texts = [self._rules().action_text(*pair) for pair in zip(self._states, self._actions, strict=False)]
        table = Table(self._rules(), control=control, opening=Opening(self._position), past={"moves": texts})
        return table.view(seat, moves=False)

    def _dismiss(self) -> None:
        for player in self._players.values():
            player.close()
        self._players = {}


def _play(game: Game[Any, Any], states: list[Any], actions: list[Any], moves: list[str]) -> None:
    """Play the moves at the end of the lists. Raises IllegalMove, BadInput."""
    for word in moves:
        if game.is_terminal(states[-1]):
            raise BadInput(f"The move '{word}' comes after the end of the game.")
        action = game.action_from_text(states[-1], word)
        actions.append(action)
        states.append(game.result(states[-1], action))
