"""What notations of bridge boards share: the board as plain data, and how it is told to the game and read off it.

A board names what its file says: hands, dealer, vulnerability, calls and cards. The game itself plays it through, so
that a wrong call or a revoke is found where it stands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gametree.core.errors import BadInput, GametreeError
from gametree.core.format import Record
from gametree.core.game import Game
from gametree.formats._common import play_moves, start_of
from gametree.games.bridge.text import struct_of

__all__ = ["SEATS", "VULNERABLE", "Board", "board_of", "record_of"]

SEATS = "NESW"
VULNERABLE = ("none", "NS", "EW", "both")
_DEAL, _OVER, _CONTRACT = 0, 4, 5


@dataclass
class Board:
    """One deal of a file."""

    line: int = 1
    deal: str = ""
    """As PBN writes it."""
    dealer: str = "N"
    vulnerable: str = "none"
    calls: list[str] = field(default_factory=list)
    contract: tuple[str, str] | None = None
    """Contract and declarer, where the file has no auction."""
    cards: list[str] = field(default_factory=list)
    tricks: int | None = None
    """What the declarer's side took in all, also if the cards end before."""
    players: tuple[str, ...] = ()
    comments: dict[int, str] = field(default_factory=dict)
    """What is said of a call: behind so many moves."""
    date: str = ""
    tags: dict[str, str] = field(default_factory=dict)
    error: str = ""

    @property
    def game(self) -> str:
        """The game that a board belongs to."""
        return "bridge"

    @property
    def title(self) -> str:
        """Who played, and the number of the board."""
        number = self.tags.get("Board", "")
        return " ".join([f"board {number}"] * bool(number) + [" – ".join(self.players)] * bool(self.players))

    def record(self, game: Game[Any, Any]) -> Record:
        """Played through by the rules of the game."""
        return record_of(game, self)


def record_of(game: Game[Any, Any], board: Board) -> Record:
    """A record of the board. What is wrong is in its `error`; moves up to there are given."""
    known: dict[str, Any] = {
        "game": board.game,
        "players": board.players,
        "date": board.date,
        "tags": dict(board.tags),
        "line": board.line,
    }
    if board.error:
        return Record(error=board.error, **known)
    position = f"{board.deal} | {board.dealer} {board.vulnerable}"
    moves: list[str] = []
    actions: list[Any] = []
    try:
        state = game.state_from_text(position)
        position = game.state_text(state)
        words = board.calls or _calls_for(board)
        moves, actions, error = play_moves(game, state, [*words, *board.cards])
        for action in actions:
            state = game.result(state, action)
        if not error and board.tricks is not None and not game.is_terminal(state):
            more, last, _ = play_moves(game, state, _claim(game, state, board.tricks))
            if len(more) < 3:  # a claim in the middle of a trick, or by a defender, which the rules here do not know
                known["tags"]["Result"] = str(board.tricks)
            else:
                moves, actions = [*moves, *more], [*actions, *last]
                for action in last:
                    state = game.result(state, action)
    except GametreeError as problem:
        return Record(error=" ".join(str(problem).split()), **known)
    over = game.is_terminal(state)
    return Record(
        position=position,
        moves=tuple(moves),
        actions=tuple(actions),
        comments=dict(board.comments),
        utilities=game.utilities(state) if over else None,
        reason="end" if over else "",
        error=error,
        **known,
    )


def _calls_for(board: Board) -> list[str]:
    """The shortest auction to the contract."""
    if board.contract is None:
        return []
    contract, declarer = board.contract
    if contract.upper() in ("PASS", ""):
        return ["P"] * 4
    bid = contract.upper().rstrip("X")
    doubles = contract.upper()[len(bid) :]
    if declarer not in SEATS or not declarer:
        raise BadInput(f"The declarer '{declarer}' of {contract} is no seat; expected N, E, S or W.")
    calls = ["P"] * ((SEATS.index(declarer) - SEATS.index(board.dealer)) % 4) + [bid]
    if doubles:
        calls.append("X")
    if doubles == "XX":
        calls.append("XX")
    return [*calls, "P", "P", "P"]


def _claim(game: Game[Any, Any], state: Any, tricks: int) -> list[str]:
    s = struct_of(game, state)  # type: ignore[arg-type]
    return [f"claim{tricks - int(s.won[int(s.declarer) % 2])}", "accept", "accept"] if s.level else []


def board_of(game: Game[Any, Any], record: Record, notation: str) -> tuple[Board, Any]:
    """The board that a record tells of, and the struct at its end. Raises BadInput, IllegalMove."""
    if "pbn" not in game.formats:
        raise BadInput(f"{notation} has no words for {game.name}; expected bridge.")
    state = start_of(game, record.position)
    before = len(game.state_text(state).partition(" | ")[2].partition(" | ")[2].split()) if record.position else 0
    for move in record.moves:
        state = game.result(state, game.action_from_text(state, move))
    s = struct_of(game, state)  # type: ignore[arg-type]
    parts = game.state_text(state).split(" | ")
    if s.phase in (_DEAL, _CONTRACT) or len(parts) < 2 or parts[-1].startswith("rubber"):
        raise BadInput(f"{notation} holds one deal with its dealer; this record of {game.name} is none.")
    board = Board(players=record.players, date=record.date, tags=dict(record.tags), deal=parts[0])
    board.dealer, board.vulnerable = parts[1].split()
    words = " ".join(parts[2:]).split()
    board.calls = words[: int(s.call_count)]
    board.cards = [word for word in words[int(s.call_count) :] if len(word) == 2]
    dealt = 0 if record.position else 1  # the deal itself is a move where the record begins before it
    board.comments = {place - dealt + before: said for place, said in record.comments.items() if place > dealt and said}
    if s.phase == _OVER and s.level:
        board.tricks = int(s.won[int(s.declarer) % 2])
    return board, s
