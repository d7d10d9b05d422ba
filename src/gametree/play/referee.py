"""One fair game at the table: real clocks, given dice, and a result with a reason whatever the players do.

`play_game` changes nothing outside and depends on its arguments alone, as far as the players do.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from gametree.core.dice import new_secret, seed_for
from gametree.core.errors import BadInput, GametreeError, IllegalMove, OutOfTime
from gametree.core.game import Game
from gametree.play.clocks import TimeControl
from gametree.play.endings import Adjudication
from gametree.play.openings import Opening
from gametree.play.players import RESIGN, Player, PlayerFault
from gametree.play.seated import Seated
from gametree.play.table import Table
from gametree.play.watch import PATIENCE, SPARE, Overdue, Watch, is_watched

__all__ = ["GameRecord", "play_game"]


@dataclass(frozen=True)
class GameRecord:
    """A finished game: enough to play it again and to judge it."""

    game: str
    players: tuple[str, ...]
    """Name of the player in each seat."""
    opening: str
    moves: tuple[str, ...]
    """All actions after the opening, those of chance included."""
    movers: tuple[int, ...]
    """Who made each of them: a seat, CHANCE or SIMULTANEOUS."""
    times: tuple[float, ...]
    """Seconds that each took."""
    notes: tuple[str, ...]
    """What the player said about each: value, nodes, depth."""
    utilities: tuple[float, ...]
    reason: str
    """A key of REASONS."""
    detail: str
    """For people: who failed and how."""
    seed: int
    seconds: float

    def to_data(self) -> dict[str, Any]:
        """As JSON-ready data."""
        return asdict(self)


def play_game(
    game: Game[Any, Any],
    players: Sequence[Player | Seated],
    *,
    opening: Opening | None = None,
    seed: int = 0,
    salt: bytes = b"",
    control: TimeControl | None = None,
    margin: float = 0.0,
    adjudication: Adjudication | None = None,
    patience: float = PATIENCE,
    watch: Watch | None = None,
) -> GameRecord:
    """Play one game and return its record; `players` has one entry per seat, and one player may have several.

    Everything random comes from `seed` and `salt`: dice from how often chance has moved before, so that games with the
    same two have the same luck. Who knows neither foresees nothing, and players are told neither. A player that fails,
    whatever it does, loses. One that does not answer is interrupted a moment after its flag has fallen, or after
    `patience` seconds where no clock runs, and loses on time; `watch` is how. Raises only for mistakes of the caller:
    BadInput for an opening that is not legal, and whatever a broken game raises.
    """
    if len(players) != game.facts.players:
        raise BadInput(f"{game.name} has {game.facts.players} seats, but {len(players)} players were given.")
    secret = new_secret(seed, salt)
    table = Table(game, control=control, secret=secret, opening=opening, adjudication=adjudication, margin=margin)
    own: dict[int, Seated] = {}
    for player in players:
        if not isinstance(player, Seated) and id(player) not in own:
            own[id(player)] = Seated(player, game.twin())
    seated = [player if isinstance(player, Seated) else own[id(player)] for player in players]
    referee = _Referee(table, seated, patience, watch or Watch())
    began = time.perf_counter()
    referee.run([seed_for(secret, "player", seat) for seat in table.seats])
    result = table.result
    assert result is not None
    return GameRecord(
        game=game.name,
        players=tuple(player.name for player in players),
        opening=str(table.opening),
        moves=tuple(table.moves[table.opened :]),
        movers=tuple(table.movers[table.opened :]),
        times=tuple(table.times[table.opened :]),
        notes=tuple(table.notes[table.opened :]),
        utilities=result.utilities,
        reason=result.reason,
        detail=result.detail,
        seed=seed,
        seconds=time.perf_counter() - began,
    )


class _Referee:
    """Asks whoever is to choose, and turns whatever goes wrong into a result."""

    def __init__(self, table: Table, players: Sequence[Seated], patience: float, watch: Watch) -> None:
        self.table, self.players, self.patience, self.watch = table, players, patience, watch

    def run(self, seeds: Sequence[int]) -> None:
        """Play to the end."""
        table = self.table
        for seat, player in enumerate(self.players):
            self._guard(seat, self.patience, lambda p=player, s=seat: p.start(s, seeds[s]))
            if table.result is not None:
                return
        while table.result is None:
            for seat in table.waiting():
                self._ask(seat)
                if table.result is not None:
                    break

    def _ask(self, seat: int) -> None:
        table, player = self.table, self.players[seat]
        view = table.view(seat, moves=False)
        allowed = table.deadline(seat)
        seconds = self.patience if allowed is None else allowed + view.margin + SPARE
        began = time.perf_counter()
        table.start_clocks(began, (seat,))
        choice = self._guard(seat, seconds, lambda: player.choose(view))
        now = time.perf_counter()
        if table.result is not None:
            return
        if table.tick(now):
            self._blame(f"took {now - began:.2f} s")
            return
        if choice.action is RESIGN:
            table.resign(seat, now)
            self._blame("resigned")
            return
        found = choice.result
        value = found.value if choice.value is None and found is not None else choice.value
        note = choice.note if found is None else f"value {found.value:.4g} nodes {found.nodes} depth {found.depth}"
        try:
            table.act(seat, choice.action, now, value=value, note=note)
        except IllegalMove:
            self._lose(seat, "illegal", f"{self._who(seat)} played {str(choice.action)[:60]!r}")
        if table.result is not None and table.result.reason == "hopeless":
            self._blame("saw no hope")

    def _guard(self, seat: int, seconds: float, call: Any) -> Any:
        """What the player answers in time; its failures end the game. A mistake in a name or option is passed on."""
        try:
            return self.watch.call(seat, seconds, call) if is_watched(self.players[seat].player) else call()
        except Overdue:
            self._lose(seat, "time", f"{self._who(seat)} did not answer within {seconds:.4g} s")
        except PlayerFault as fault:
            self._lose(seat, fault.reason, f"{self._who(seat)}: {fault}")
        except OutOfTime as error:
            self._lose(seat, "time", f"{self._who(seat)}: {error}")
        except BadInput:
            raise
        except GametreeError as error:
            self._lose(seat, "crash", f"{self._who(seat)}: {error}")

    def _lose(self, seat: int, reason: str, detail: str) -> None:
        self.table.forfeit(seat, reason, detail)

    def _blame(self, what: str) -> None:
        """Say who lost by its own fault, with the player's name, which the table does not know."""
        result = self.table.result
        assert result is not None
        assert result.seat is not None
        self.table.result = replace(result, detail=f"{self._who(result.seat)} {what}")

    def _who(self, seat: int) -> str:
        return f"player {seat + 1} ({self.players[seat].name})"
