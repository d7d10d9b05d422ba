"""One fair game: real clocks, given dice, and a result with a reason whatever the players do.

`play_game` changes nothing outside and depends on its arguments alone, as far as the players do.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gametree.core.errors import BadInput, GametreeError, OutOfTime
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.play.clocks import GameClock, TimeControl
from gametree.play.openings import Opening, play_opening, seed_of
from gametree.play.players import RESIGN, Player, PlayerFault
from gametree.play.watch import PATIENCE, SPARE, Overdue, Watch, is_watched

__all__ = ["REASONS", "Adjudication", "GameRecord", "forfeit", "play_game", "sides"]

REASONS = {
    "end": "played to the end",
    "resigned": "a player gave up",
    "time": "a player used up its time",
    "illegal": "a player made an illegal move",
    "crash": "a player failed",
    "flood": "a player wrote without end",
    "start": "a player was not ready for the game",
    "protocol": "a player broke its protocol",
    "limit": "the limit of plies was reached: a draw",
    "drawn": "both players saw a draw for long enough",
    "hopeless": "a player saw itself lost for long enough",
}
"""Why games end."""


@dataclass(frozen=True)
class Adjudication:
    """When a game is ended before its end. Values are utilities, as the players' own searches give them."""

    plies: int | None = None
    """A draw after so many plies."""
    resign: float | None = None
    """Lost for a player whose value is at most this ..."""
    resign_moves: int = 3
    """... for so many of its moves in a row."""
    draw: float | None = None
    """A draw if all values lie this close to the middle of the utilities ..."""
    draw_moves: int = 8
    """... for so many moves in a row."""

    @classmethod
    def parse(cls, plies: int | None, resign: str | None, draw: str | None) -> Adjudication:
        """Read options such as `-0.9,3` and `0.05,8`. Raises BadInput."""

        def pair(option: str, text: str | None, moves: int) -> tuple[float | None, int]:
            if text is None:
                return None, moves
            value, comma, count = text.partition(",")
            try:
                found = float(value), int(count) if comma else moves
            except ValueError:
                found = 0.0, 0
            if found[1] < 1:
                raise BadInput(f"{option} {text} is not VALUE or VALUE,MOVES; expected such as -0.9,3.")
            return found

        if plies is not None and plies < 1:
            raise BadInput(f"A limit of {plies} plies is too small; expected at least 1.")
        resign_value, resign_moves = pair("--resign", resign, 3)
        draw_value, draw_moves = pair("--draw", draw, 8)
        return cls(plies, resign_value, resign_moves, draw_value, draw_moves)


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


def sides(game: Game[Any, Any]) -> list[tuple[int, ...]]:
    """The seats that win and lose together: the teams, or every seat by itself."""
    teams = game.facts.teams
    return [tuple(team) for team in teams] if teams else [(seat,) for seat in range(game.facts.players)]


def forfeit(game: Game[Any, Any], seat: int) -> tuple[float, ...]:
    """Utilities where the seat's side has lost by its own fault: the least for it, equal shares for the others."""
    facts = game.facts
    losers = next(side for side in sides(game) if seat in side)
    others = facts.players - len(losers)
    share = facts.max_utility
    if facts.utility_sum is not None and others:
        share = min(share, (facts.utility_sum - facts.min_utility * len(losers)) / others)
    return tuple(facts.min_utility if place in losers else share for place in range(facts.players))


def _draw(game: Game[Any, Any]) -> tuple[float, ...]:
    facts = game.facts
    middle = (facts.min_utility + facts.max_utility) / 2
    return (middle if facts.utility_sum is None else facts.utility_sum / facts.players,) * facts.players


def play_game(
    game: Game[Any, Any],
    players: Sequence[Player],
    *,
    opening: Opening | None = None,
    seed: int = 0,
    control: TimeControl | None = None,
    margin: float = 0.0,
    adjudication: Adjudication | None = None,
    patience: float = PATIENCE,
    watch: Watch | None = None,
) -> GameRecord:
    """Play one game and return its record; `players` has one entry per seat, and one player may have several.

    Dice and deals come from `seed` and from how often chance has moved before, so games with the same seed have the
    same luck. A player that fails, whatever it does, loses. One that does not answer is interrupted a moment after its
    flag has fallen, or after `patience` seconds where no clock runs, and loses on time; `watch` is how. Raises only for
    mistakes of the caller: BadInput for an opening that is not legal, and whatever a broken game raises.
    """
    referee = _Referee(game, players, opening or Opening(), seed, control or TimeControl(), margin, adjudication)
    referee.patience, referee.watch = patience, watch or Watch()
    return referee.run()


class _Over(Exception):
    """The game has ended."""

    def __init__(self, utilities: tuple[float, ...], reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.utilities, self.reason, self.detail = utilities, reason, detail


class _Referee:
    def __init__(
        self,
        game: Game[Any, Any],
        players: Sequence[Player],
        opening: Opening,
        seed: int,
        control: TimeControl,
        margin: float,
        adjudication: Adjudication | None,
    ) -> None:
        if len(players) != game.facts.players:
            raise BadInput(f"{game.name} has {game.facts.players} seats, but {len(players)} players were given.")
        self.game, self.players, self.opening, self.seed = game, players, opening, seed
        self.clock = GameClock(control, len(players), margin=margin)
        self.rules = adjudication or Adjudication()
        self.patience = PATIENCE
        self.watch = Watch()
        self.start, self.actions = play_opening(game, opening)
        self.opened = len(self.actions)
        self.moves: list[str] = []
        self.movers: list[int] = []
        self.times: list[float] = []
        self.notes: list[str] = []
        self.chances = 0
        self.hopeless = [0] * len(players)
        self.level = 0

    def run(self) -> GameRecord:
        began = time.perf_counter()
        game, state = self.game, self.start
        for action in self.actions:
            state = game.result(state, action)
        try:
            for seat, player in enumerate(self.players):
                self._guard(seat, self.patience, lambda p=player, s=seat: p.start(game, s, seed_of(self.seed, s)))
            while not game.is_terminal(state):
                if self.rules.plies is not None and len(self.actions) >= self.rules.plies:
                    raise _Over(_draw(game), "limit")
                state = self._step(state)
            raise _Over(tuple(game.utility(state, seat) for seat in range(len(self.players))), "end")
        except _Over as over:
            return GameRecord(
                game=game.name,
                players=tuple(player.name for player in self.players),
                opening=str(self.opening),
                moves=tuple(self.moves),
                movers=tuple(self.movers),
                times=tuple(self.times),
                notes=tuple(self.notes),
                utilities=over.utilities,
                reason=over.reason,
                detail=over.detail,
                seed=self.seed,
                seconds=time.perf_counter() - began,
            )

    def _step(self, state: Any) -> Any:
        game, mover = self.game, self.game.player(state)
        if mover == CHANCE:
            return self._play(state, self._roll(state), mover, 0.0, "")
        if mover != SIMULTANEOUS:
            action, elapsed, note = self._ask(state, mover)
            return self._play(state, action, mover, elapsed, note)
        joint: list[Any] = []
        longest, notes = 0.0, []
        for seat in range(len(self.players)):
            if not game.seat_actions(state, seat):
                joint.append(None)
                continue
            action, elapsed, note = self._ask(state, seat)
            joint.append(action)
            longest = max(longest, elapsed)
            notes.append(note)
        return self._play(state, tuple(joint), mover, longest, "; ".join(filter(None, notes)))

    def _roll(self, state: Any) -> Any:
        """The outcome that the seed gives to this throw, whatever was played in between."""
        outcomes = self.game.outcomes(state)
        drawn = random.Random(seed_of(self.seed, "chance", self.chances)).random()
        self.chances += 1
        for outcome, probability in outcomes:
            drawn -= probability
            if drawn < 0:
                return outcome
        return outcomes[-1][0]

    def _play(self, state: Any, action: Any, mover: int, elapsed: float, note: str) -> Any:
        self.moves.append(self.game.action_text(state, action))
        self.movers.append(mover)
        self.times.append(round(elapsed, 6))
        self.notes.append(note)
        self.actions.append(action)
        return self.game.result(state, action)

    def _ask(self, state: Any, seat: int) -> tuple[Any, float, str]:
        """The seat's legal action, the time it took, and what the player said. Raises _Over."""
        game, player = self.game, self.players[seat]
        turn = self.clock.turn(seat, self.start, tuple(self.actions))
        allowed = turn.deadline(seat)
        seconds = self.patience if allowed is None else allowed + turn.margin + SPARE
        began = time.perf_counter()
        choice = self._guard(seat, seconds, lambda: player.choose(game, state, seat, turn))
        elapsed = time.perf_counter() - began
        if not self.clock.spend(seat, elapsed):
            raise _Over(forfeit(game, seat), "time", f"{self._who(seat)} took {elapsed:.2f} s")
        if choice.action is RESIGN:
            raise _Over(forfeit(game, seat), "resigned", f"{self._who(seat)} resigned")
        try:
            legal = choice.action in game.seat_actions(state, seat)
        except TypeError:
            legal = False
        if not legal:
            raise _Over(forfeit(game, seat), "illegal", f"{self._who(seat)} played {str(choice.action)[:60]!r}")
        value = choice.value
        if value is None and choice.result is not None:
            value = choice.result.value
        self._adjudicate(seat, value)
        if choice.result is None:
            return choice.action, elapsed, choice.note
        found = choice.result
        return choice.action, elapsed, f"value {found.value:.4g} nodes {found.nodes} depth {found.depth}"

    def _adjudicate(self, seat: int, value: float | None) -> None:
        rules, facts = self.rules, self.game.facts
        if value is None:
            self.hopeless[seat] = self.level = 0
            return
        if rules.resign is not None:
            self.hopeless[seat] = self.hopeless[seat] + 1 if value <= rules.resign else 0
            if self.hopeless[seat] >= rules.resign_moves:
                raise _Over(forfeit(self.game, seat), "hopeless", f"{self._who(seat)} saw no hope")
        if rules.draw is not None:
            middle = _draw(self.game)[seat] if facts.utility_sum is not None else None
            near = middle is not None and abs(value - middle) <= rules.draw
            self.level = self.level + 1 if near else 0
            if self.level >= rules.draw_moves:
                raise _Over(_draw(self.game), "drawn")

    def _guard(self, seat: int, seconds: float, call: Any) -> Any:
        """What the player answers in time; its failures end the game. A mistake in a name or option is passed on."""
        try:
            return self.watch.call(seat, seconds, call) if is_watched(self.players[seat]) else call()
        except Overdue:
            who = self._who(seat)
            raise _Over(forfeit(self.game, seat), "time", f"{who} did not answer within {seconds:.4g} s") from None
        except PlayerFault as fault:
            raise _Over(forfeit(self.game, seat), fault.reason, f"{self._who(seat)}: {fault}") from None
        except OutOfTime as error:
            raise _Over(forfeit(self.game, seat), "time", f"{self._who(seat)}: {error}") from None
        except BadInput:
            raise
        except GametreeError as error:
            raise _Over(forfeit(self.game, seat), "crash", f"{self._who(seat)}: {error}") from None

    def _who(self, seat: int) -> str:
        return f"player {seat + 1} ({self.players[seat].name})"
