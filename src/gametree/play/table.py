"""The one table at which every game of the house is played: it alone knows the truth, throws the dice and runs clocks.

A `Table` does nothing by itself: whoever drives it (arena, terminal, page, protocols) tells it what was done and when,
and it says who is to choose. It runs no thread, reads no clock and writes no file.

What leaves it is a `View` for each seat: plain data, made from what the game says that the seat sees and hears. A
refusal is worded from the view as well. So nobody can be told what the seat must not know, by whatever way:

    act(seat, action, at)      1  is it the seat's turn, and is its time left?
                               2  is the action allowed in the seat's view? no: a refusal, for this seat only
                               3  where several choose at once, the choice lies sealed until all are there
                               4  the state changes; chance moves by the next throw of the secret's dice
                               5  every seat hears what the game lets it hear: a word, or nothing at all
                               6  the game is over, or the next seats are to choose
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

from gametree.core.dice import new_secret, random_at, roll_at
from gametree.core.errors import BadInput, GameError, IllegalMove
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.core.hearing import SILENCE, listen
from gametree.play.clocks import GameClock, TimeControl
from gametree.play.endings import Adjudication, Result, drawn, forfeit
from gametree.play.openings import Opening, play_opening, read_opening
from gametree.play.plain import to_plain

__all__ = ["SPECTATOR", "Table", "View"]

SPECTATOR = -1
"""The seat of those who only look on and see what everyone sees."""


@dataclass(frozen=True)
class View:
    """All that a seat knows, as plain data: numbers, text, bytes and tuples, and nothing that leads anywhere else."""

    game: str
    seat: int
    position: Any
    """The state as the seat sees it, for `from_plain`; None where there is nothing to see."""
    start: Any
    """The same of the state that the game began with, before the opening was played."""
    before: Any
    """In an open game the state before the last action; else None."""
    moves: tuple[str, ...]
    """What the seat may choose now, as text; empty where it has no choice, or if it was not asked for."""
    heard: tuple[tuple[int, str, Any], ...]
    """All that the seat has heard, in its own numbering: who moved, the text of it, and the word, for `from_plain`."""
    ear: int
    """The words as one number, the key of the seat's information set."""
    waiting: tuple[int, ...]
    """The seats that are to choose, as far as this seat can tell."""
    chosen: tuple[int, ...]
    """Where several choose at once: the seats whose choice lies there already."""
    control: tuple[Any, ...]
    """The fields of the TimeControl."""
    left: tuple[float, ...]
    """Seconds on each seat's clock; empty if no such clock runs."""
    running: tuple[int, ...]
    """The seats whose clocks run."""
    moves_left: int | None
    """Moves until the seat gets new time."""
    margin: float
    """Seconds beyond the clock that are forgiven."""
    offers: tuple[tuple[str, int, tuple[int, ...]], ...]
    """What is offered (`draw`, `take-back`), by whom, and the seats that have agreed."""
    result: tuple[tuple[float, ...], str, int | None] | None
    """Utilities, reason and whose fault it was; None while the game goes on."""

    def to_text(self) -> str:
        """As text, for another process."""
        return repr(astuple(self))

    @classmethod
    def from_text(cls, text: str) -> View:
        """The view that `to_text` wrote."""
        return cls(*ast.literal_eval(text))


@dataclass(frozen=True)
class _Before:
    """How things stood before a ply, so that it can be taken back."""

    lengths: tuple[int, ...]
    """Of all logs."""
    clocks: Any


class Table:
    """One game of `game`, a Game object that nobody else is given. Time is in seconds, counted from anywhere.

    `secret` is 16 bytes from which all dice come; by default nobody can guess it. `past` is what `record`
    wrote, or at least its `moves`. Raises
    BadInput and IllegalMove for an opening that is not legal, GameError for hidden information that the game cannot
    keep.
    """

    def __init__(
        self,
        game: Game[Any, Any],
        *,
        control: TimeControl | None = None,
        secret: bytes | None = None,
        opening: Opening | None = None,
        adjudication: Adjudication | None = None,
        margin: float = 0.0,
        past: dict[str, Any] | None = None,
    ) -> None:
        facts = game.facts
        if facts.hidden and not (game.offers("view") or game.offers("resample")):
            raise GameError(f"{game.name} hides something, but neither view() nor resample() says what a seat sees.")
        self.game = game
        self.seats = range(facts.players)
        self.opening = opening or Opening()
        self.result: Result | None = None
        self._hidden = facts.hidden
        self._blind = facts.hidden and not game.offers("view")
        self._secret = secret or new_secret()
        self._rules = adjudication or Adjudication()
        self._clock = GameClock(control or TimeControl(), facts.players, margin=margin)
        self._since: dict[int, float] = {}  # seat → when its clock began to run
        self._clocks_before: Any = None  # how they stood before the choices that are not played yet
        self._throws = 0  # how often chance has moved
        self._used = [0.0] * facts.players  # seconds of the present move that ran before a pause
        self._sealed: dict[int, tuple[Any, float, str]] = {}
        self._offers: dict[str, tuple[int, int, set[int]]] = {}
        self._hopeless = [0] * facts.players
        self._level = 0
        start, actions = play_opening(game, self.opening)
        self._states = [start]
        self._actions: list[Any] = []
        self.moves: list[str] = []
        """The truth as text: all actions since the start, those of chance included."""
        self.movers: list[int] = []
        """Who made each of them: a seat, CHANCE or SIMULTANEOUS."""
        self.times: list[float] = []
        self.notes: list[str] = []
        self._before: list[_Before] = []
        # What each seat has heard. In an open game all hear the same, so there is one list for everybody.
        listeners = (SPECTATOR, *self.seats)
        shared: list[tuple[int, str, Any]] = []
        self._logs = {seat: [] if self._hidden else shared for seat in listeners}
        self._ears = dict.fromkeys(listeners, (0, SILENCE))
        for action in actions:
            self._play(action, game.player(self.state), 0.0, "")
        self.opened = len(actions)
        """How many plies the opening took."""
        if past is not None:
            self._replay(past)
        self._go_on()
        if past is not None:
            for seat, text, spent, note in past.get("sealed", ()):
                self._sealed[seat] = (self.read(seat, text), spent, note)
            if past.get("result") is not None:
                utilities, *rest = past["result"]
                self.result = Result(tuple(utilities), *rest)

    # What everybody may ask -------------------------------------------------------------------------------------------

    @property
    def state(self) -> Any:
        """The truth, for whoever drives the table; players get a `view`."""
        return self._states[-1]

    @property
    def control(self) -> TimeControl:
        """How long everyone may think."""
        return self._clock.control

    @property
    def actions(self) -> Sequence[Any]:
        """The truth as actions of the table's game."""
        return self._actions

    @property
    def plies(self) -> int:
        """Actions so far, the opening included."""
        return len(self._actions)

    def waiting(self) -> tuple[int, ...]:
        """The seats that are to choose now; none when the game is over."""
        if self.result is not None:
            return ()
        mover = self.game.player(self.state)
        if mover >= 0:
            return (mover,)
        choosing = (seat for seat in self.seats if seat not in self._sealed)
        return tuple(seat for seat in choosing if self.game.seat_actions(self.state, seat))

    def view(self, seat: int, at: float = 0.0, *, moves: bool = True) -> View:
        """All that the seat (or SPECTATOR) knows at this time; `moves=False` leaves the list of its moves out."""
        log, seen = self._logs[seat], self._seen(self.state, seat)
        waiting = self._known_waiting(seat, seen)
        own = tuple(text for text, _ in self._choices(seen, seat)) if moves and seat in waiting else ()
        result = None
        if self.result is not None:
            result = (tuple(map(float, self.result.utilities)), self.result.reason, self.result.seat)
        clock = self._clock
        return View(
            game=self.game.name,
            seat=seat,
            position=to_plain(seen),
            start=to_plain(self._seen(self._states[0], seat, first=True)),
            before=None if self._hidden or len(self._states) < 2 else to_plain(self._states[-2]),
            moves=own,
            heard=tuple(log),
            ear=self._ear(seat),
            waiting=waiting,
            chosen=tuple(sorted(self._sealed)),
            control=astuple(clock.control),
            left=tuple(max(0.0, left - self._spent(place, at)) for place, left in enumerate(clock.left)),
            running=tuple(sorted(self._since)),
            moves_left=clock.moves_left(seat) if seat >= 0 else None,
            margin=clock.margin,
            offers=tuple((what, by, tuple(sorted(yes))) for what, (by, _, yes) in self._offers.items()),
            result=result,
        )

    # What seats do ----------------------------------------------------------------------------------------------------

    def read(self, seat: int, text: str) -> Any:
        """The action that the seat's text means, read in its view. Raises IllegalMove, which tells no more than it."""
        self._check_turn(seat)
        game, seen = self.game, self._seen(self.state, seat)
        if game.player(seen) != SIMULTANEOUS:
            return game.action_from_text(seen, text)
        own = dict(self._choices(seen, seat))
        if text.strip() not in own:
            raise IllegalMove(f"'{text[:40]}' is not a legal move here. Legal moves: {', '.join(own) or 'none'}.")
        return own[text.strip()]

    def act(
        self, seat: int, action: Any, at: float = 0.0, *, value: float | None = None, note: str = ""
    ) -> tuple[int, ...]:
        """The seat chooses the action; the seats that have news are returned.

        `value` is what the seat thinks that its position is worth, for adjudication; `note` is for the record. A flag
        that has fallen meanwhile ends the game instead. Raises IllegalMove, and nothing has happened.
        """
        if self.tick(at):
            return self._everyone()
        self._check_turn(seat)
        game, seen = self.game, self._seen(self.state, seat)
        try:
            legal = action in game.seat_actions(seen, seat)
        except TypeError:  # it cannot even be compared
            legal = False
        if not legal:
            raise IllegalMove(f"{str(action)[:60]!r} is not a legal move here.")
        elapsed = self._stop_clock(seat, at)
        self._clocks_before = self._clocks_before or self._clock.save()
        self._clock.spend(seat, elapsed)
        self._offers = {}
        self._adjudicate(seat, value)
        if self.result is not None:
            return self._everyone()
        if game.player(self.state) != SIMULTANEOUS:
            return self._done(self._play(action, seat, elapsed, note))
        self._sealed[seat] = (action, elapsed, note)
        if self.waiting():
            return self._everyone()
        sealed, self._sealed = self._sealed, {}
        joint = tuple(sealed[place][0] if place in sealed else None for place in self.seats)
        notes = "; ".join(note for _, _, note in sealed.values() if note)
        return self._done(self._play(joint, SIMULTANEOUS, max(spent for _, spent, _ in sealed.values()), notes))

    def resign(self, seat: int, at: float = 0.0) -> None:
        """The seat gives the game up, whoever is to move. Raises BadInput once the game is over."""
        self._check_goes_on()
        self.forfeit(seat, "resigned", f"player {seat + 1} resigned", at)

    def forfeit(self, seat: int, reason: str, detail: str, at: float = 0.0) -> None:
        """The seat's side has lost by its own fault; `reason` is one of REASONS."""
        self._end(Result(forfeit(self.game, seat), reason, detail, seat), at)

    def offer(self, seat: int, what: str, plies: int = 0) -> None:
        """Offer a `draw`, or ask for a `take-back` of this many plies; the others `answer`. Raises BadInput."""
        if what == "draw":
            self._check_goes_on()
        elif what != "take-back":
            raise BadInput(f"There is no offer of a {what}; expected draw or take-back.")
        elif not 0 < plies <= self.plies - self.opened:
            raise BadInput("There is no move to take back.")
        self._offers = {what: (seat, plies, {seat})}

    def answer(self, seat: int, yes: bool) -> None:
        """Agree to what is offered, or not. When all have agreed, it is done. Raises BadInput if nothing is offered."""
        if not self._offers:
            raise BadInput("Nothing is offered.")
        ((what, (_, plies, agreed)),) = self._offers.items()
        if yes:
            agreed.add(seat)
        if not yes or len(agreed) == len(self.seats):
            self._offers = {}
        if len(agreed) == len(self.seats):
            if what == "draw":
                self._end(Result(drawn(self.game), "agreed"))
            else:
                self.take_back(plies, agreed=True)

    # Taking back ------------------------------------------------------------------------------------------------------

    def last_decision(self, seats: Sequence[int]) -> int:
        """How many plies lie behind the last choice of one of the seats, that choice included; 0 if there is none."""
        for back in range(1, self.plies - self.opened + 1):
            mover, action = self.movers[-back], self._actions[-back]
            if mover in seats or (mover == SIMULTANEOUS and any(action[seat] is not None for seat in seats)):
                return back
        return 0

    def withdraw(self, seat: int) -> bool:
        """The seat takes back the choice that lies sealed; whether there was one."""
        return self._sealed.pop(seat, None) is not None

    def take_back(self, plies: int, *, agreed: bool = False) -> None:
        """Go back this many plies; chance will throw what it has thrown. A game that was over goes on.

        What was seen stays seen: in a game with hidden information everyone has to agree. Raises BadInput.
        """
        if not 0 < plies <= self.plies - self.opened:
            raise BadInput("There is no move to take back.")
        if self._hidden and not agreed:
            raise BadInput("What was seen stays seen: in this game all players must agree to take a move back.")
        keep = self.plies - plies
        before = self._before[keep]
        self._throws -= self.movers[keep:].count(CHANCE)
        del self._states[keep + 1 :], self._actions[keep:], self._before[keep:]
        del self.moves[keep:], self.movers[keep:], self.times[keep:], self.notes[keep:]
        for log, length in zip(self._logs.values(), before.lengths, strict=True):
            del log[length:]
        for seat, (heard, _) in self._ears.items():
            if heard > len(self._logs[seat]):
                self._ears[seat] = (0, SILENCE)
        self._clock.restore(before.clocks)
        self._since, self._used = {}, [0.0] * len(self.seats)
        self._sealed, self._offers, self.result, self._clocks_before = {}, {}, None, None
        self._hopeless, self._level = [0] * len(self.seats), 0
        self._go_on()

    # Clocks -----------------------------------------------------------------------------------------------------------

    def start_clocks(self, at: float, seats: Sequence[int] | None = None) -> None:
        """Let the clocks of those who are to choose run from now on, or of those of them in `seats`."""
        for seat in self.waiting():
            if seats is None or seat in seats:
                self._since.setdefault(seat, at)

    def stop_clocks(self, at: float) -> None:
        """Let all clocks stand; what they have run counts."""
        for seat in list(self._since):
            self._used[seat] = self._spent(seat, at)
            del self._since[seat]

    def tick(self, at: float) -> bool:
        """Whether the game is over; it is lost for a seat whose flag has fallen by now."""
        if self.result is None:
            for seat in sorted(self._since):
                spent, allowed = self._spent(seat, at), self._clock.deadline(seat)
                if allowed is not None and spent > allowed + self._clock.margin:
                    self.forfeit(seat, "time", f"player {seat + 1} took {spent:.2f} s", at)
                    break
        return self.result is not None

    def deadline(self, seat: int) -> float | None:
        """Seconds that the seat may think about a move, if it has not begun yet; None without a clock."""
        return self._clock.deadline(seat)

    def seconds_to_flag(self, at: float) -> float | None:
        """How long until the first flag falls if nobody moves; None if no clock runs."""
        left = []
        for seat in self._since:
            allowed = self._clock.deadline(seat)
            if allowed is not None:
                left.append(max(0.0, allowed + self._clock.margin - self._spent(seat, at)))
        return min(left, default=None)

    def _spent(self, seat: int, at: float) -> float:
        """Seconds that the seat has thought about its present move."""
        return self._used[seat] + (max(0.0, at - self._since[seat]) if seat in self._since else 0.0)

    def _stop_clock(self, seat: int, at: float) -> float:
        spent = self._spent(seat, at)
        self._used[seat] = 0.0
        self._since.pop(seat, None)
        return spent

    # The record -------------------------------------------------------------------------------------------------------

    def record(self, seat: int | None = None, at: float = 0.0) -> dict[str, Any]:
        """The game as JSON-ready data: with a seat, what that seat may keep; without, everything, the secret included,
        from which `restore` goes on.
        """
        if seat is not None:
            view = self.view(seat, at)
            return {
                "game": view.game,
                "seat": seat,
                "moves": [text for _, text, _ in view.heard],
                "movers": [mover for mover, _, _ in view.heard],
                "result": None if view.result is None else list(view.result[0]),
                "reason": "" if view.result is None else view.result[1],
            }
        result = self.result
        return {
            "game": self.game.name,
            "secret": self._secret.hex(),
            "opening": str(self.opening),
            "control": list(astuple(self._clock.control)),
            "moves": self.moves[self.opened :],
            "movers": self.movers[self.opened :],
            "times": self.times[self.opened :],
            "notes": self.notes[self.opened :],
            "clocks": [*(before.clocks for before in self._before[self.opened :]), self._clock.save()],
            "used": [self._spent(seat, at) for seat in self.seats],
            "sealed": [
                [seat, self._text_of(seat, action), spent, note] for seat, (action, spent, note) in self._sealed.items()
            ],
            "result": None if result is None else list(astuple(result)),
        }

    @classmethod
    def restore(
        cls,
        game: Game[Any, Any],
        data: dict[str, Any],
        *,
        adjudication: Adjudication | None = None,
        margin: float = 0.0,
    ) -> Table:
        """The table that `record` described; its clocks stand. Raises BadInput, IllegalMove."""
        return cls(
            game,
            control=TimeControl(*data["control"]),
            secret=bytes.fromhex(data["secret"]),
            opening=read_opening(data["opening"]),
            adjudication=adjudication,
            margin=margin,
            past=data,
        )

    def _replay(self, past: dict[str, Any]) -> None:
        """Play what a record says, chance included."""
        game, count = self.game, len(past["moves"])
        clocks = past.get("clocks") or [self._clock.save()] * (count + 1)
        times, notes = past.get("times") or [0.0] * count, past.get("notes") or [""] * count
        for place, text in enumerate(past["moves"]):
            if game.is_terminal(self.state):
                raise BadInput(f"The move '{text}' comes after the end of the game.")
            self._clock.restore(clocks[place])
            action = game.action_from_text(self.state, text)
            self._play(action, game.player(self.state), times[place], notes[place])
        self._clock.restore(clocks[-1])
        self._used = list(past.get("used") or self._used)

    # Inside -----------------------------------------------------------------------------------------------------------

    def _seen(self, state: Any, seat: int, *, first: bool = False) -> Any:
        """The state as the seat sees it. Where the game only says how to deal anew, a state that looks alike."""
        if not self._hidden:
            return state
        if not self._blind:
            return self.game.view(state, seat)
        if seat < 0:
            return None
        if first and self.game.player(state) == CHANCE:
            return state  # nothing is dealt yet
        if self.game.is_terminal(state):
            return None  # such a game says how to deal anew only where a seat is to move
        number = 0 if first else len(self._logs[seat]) + 1
        return self.game.resample(state, seat, random_at(self._secret, f"what seat {seat} sees", number))

    def _choices(self, seen: Any, seat: int) -> list[tuple[str, Any]]:
        """Text and action of all that the seat may choose, from its view."""
        game, actions = self.game, self.game.seat_actions(seen, seat)
        if game.player(seen) == SIMULTANEOUS:
            return [(str(action), action) for action in actions]
        return [(game.action_text(seen, action), action) for action in actions]

    def _text_of(self, seat: int, action: Any) -> str:
        choices = self._choices(self._seen(self.state, seat), seat)
        return next(text for text, choice in choices if choice == action)

    def _known_waiting(self, seat: int, seen: Any) -> tuple[int, ...]:
        """Who is to choose, as far as the seat can tell."""
        waiting = self.waiting()
        if not self._hidden or not waiting:
            return waiting
        if seat in waiting and self.game.player(self.state) >= 0:
            return (seat,)
        mover = SPECTATOR if seen is None else self.game.player(seen)
        if mover == SIMULTANEOUS:
            return tuple(place for place in self.seats if place not in self._sealed)
        return (mover,) if mover >= 0 else ()

    def _check_goes_on(self) -> None:
        if self.result is not None:
            raise BadInput("The game is over.")

    def _check_turn(self, seat: int) -> None:
        if self.result is not None:
            raise IllegalMove("The game is over.")
        if seat in self._sealed:
            raise IllegalMove(f"Player {seat + 1} has chosen already.")
        if seat not in self.waiting():
            raise IllegalMove(f"It is not player {seat + 1}'s turn.")

    def _play(self, action: Any, mover: int, elapsed: float, note: str) -> tuple[int, ...]:
        """Change the state and let everyone hear of it; the seats that heard something."""
        game, state = self.game, self.state
        after = self._after(state, action)
        text = game.action_text(state, action)
        self._before.append(_Before(tuple(map(len, self._logs.values())), self._clocks_before or self._clock.save()))
        self._clocks_before = None
        if not self._hidden:
            self._logs[SPECTATOR].append((mover, text, to_plain(action)))
            news = tuple(self._logs)
        else:
            news = tuple(seat for seat in self._logs if self._tell(seat, state, action, after))
        self._throws += mover == CHANCE
        self._actions.append(action)
        self._states.append(after)
        self.moves.append(text)
        self.movers.append(mover)
        self.times.append(round(elapsed, 6))
        self.notes.append(note)
        return news

    def _after(self, state: Any, action: Any) -> Any:
        return self.game.result(state, action)

    def _tell(self, seat: int, state: Any, action: Any, after: Any) -> bool:
        """Let the seat hear of a move of a hidden game; whether it hears anything."""
        game = self.game
        if seat < 0 and self._blind:
            return False
        word = game.hear(state, action, after, seat)
        if word is None:
            return False
        # Who moved is what the seat saw before: it hears no more than the word says.
        mover = game.player(state if self._blind else game.view(state, seat))
        self._logs[seat].append((mover, game.hear_text(state, action, after, seat), to_plain(word)))
        return True

    def _ear(self, seat: int) -> int:
        heard, ear = self._ears[seat]
        for _, _, word in self._logs[seat][heard:]:
            ear = listen(ear, word)
        self._ears[seat] = (len(self._logs[seat]), ear)
        return ear

    def _go_on(self) -> tuple[int, ...]:
        """Play on while no seat has a choice; the seats that heard something meanwhile."""
        game = self.game
        news: set[int] = set()
        while self.result is None:
            state = self.state
            if game.is_terminal(state):
                self._end(Result(tuple(game.utilities(state)), "end"))
            elif self._rules.plies is not None and self.plies >= self._rules.plies:
                self._end(Result(drawn(game), "limit"))
            elif game.player(state) == CHANCE:
                action = roll_at(game, state, self._secret, self._throws)
                news.update(self._play(action, CHANCE, 0.0, ""))
            elif game.player(state) == SIMULTANEOUS and not self.waiting() and not self._sealed:
                news.update(self._play((None,) * len(self.seats), SIMULTANEOUS, 0.0, ""))  # all are busy
            else:
                break
        return tuple(news)

    def _done(self, news: tuple[int, ...]) -> tuple[int, ...]:
        more = self._go_on()
        return self._everyone() if self.result is not None else tuple(sorted({*news, *more}))

    def _everyone(self) -> tuple[int, ...]:
        return tuple(self._logs)

    def _adjudicate(self, seat: int, value: float | None) -> None:
        rules, facts = self._rules, self.game.facts
        if value is None:
            self._hopeless[seat] = self._level = 0
            return
        if rules.resign is not None:
            self._hopeless[seat] = self._hopeless[seat] + 1 if value <= rules.resign else 0
            if self._hopeless[seat] >= rules.resign_moves:
                self.forfeit(seat, "hopeless", f"player {seat + 1} saw no hope")
                return
        if rules.draw is not None:
            middle = drawn(self.game)[seat] if facts.utility_sum is not None else None
            near = middle is not None and abs(value - middle) <= rules.draw
            self._level = self._level + 1 if near else 0
            if self._level >= rules.draw_moves:
                self._end(Result(drawn(self.game), "drawn"))

    def _end(self, result: Result, at: float | None = None) -> None:
        if at is not None:
            self.stop_clocks(at)
        self._since, self._sealed, self._offers = {}, {}, {}
        self.result = result
