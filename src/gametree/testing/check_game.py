"""The conformance kit: holds a game to every line of the formal game's contract and to its own facts.

    check_game("nim:3-4-5")        a name, with parameters
    check_game("my_game.py")       a file
    check_game(MyGame())           a game object

A small game is checked in every state that can be reached, a larger one along seeded random games. The first fault
ends the check with a GameError: one sentence that says which verb, at which position, what was found and what was
expected. Hidden information is checked for leaks from four sides: states that look alike to a seat must offer it the
same moves, must be drawn alike for it, must be what `resample` mixes up, and must exist at all.
"""

from __future__ import annotations

import copy
import inspect
import itertools
import json
import math
import random
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass
from numbers import Integral, Real
from typing import Any, NoReturn

from gametree.core.drawing import Drawing
from gametree.core.errors import BadInput, GameError, GametreeError
from gametree.core.facts import Facts
from gametree.core.game import CHANCE, OPTIONAL, REQUIRED, SIMULTANEOUS, Game, as_game
from gametree.core.registry import load_game
from gametree.testing._watch import Stopped, Watch

__all__ = ["Report", "check_game"]

MOVES_PER_STATE = 5
"""A game with more moves than this in a state, on average, is sampled if it is near the limit of states."""
MOST_SECONDS = 2.0
"""So is one whose states cannot all be listed in so much processor time."""
CLOSE_LOOKS = 600
"""In so many states, evenly spread, the costly verbs are checked too: drawings, symmetries, reading of text."""
SAMPLED_STATES = 2_000
"""Random games stop when they have met so many different states."""
SAMPLED_ACTIONS = 8
"""In each state of a random game so many moves are tried."""
RESAMPLES = 3
"""So often each seat's view of a state is dealt anew; more often in a tiny game."""
ENOUGH_RESAMPLES = 20
"""After so many it is no accident that none gave another state."""
MOST_PLIES = 1_000
"""A random game that has not ended by then is left, unless `longest_game` says that it should have ended."""
ROUNDING = 1e-9
NONSENSE = "☃ no such thing"
LAYOUTS = ("square", "hex", "points", "cards", "text")


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a check that found no fault has looked at."""

    game: str
    exhaustive: bool
    """True if every state that can be reached was checked."""
    states: int
    """Different states that were checked."""
    ends: int
    """Terminal states among them."""
    games: int
    """Random games that were played; 0 in an exhaustive check."""
    checks: tuple[str, ...]
    """The verbs and facts that the game was held to."""
    hidden_from: tuple[int, ...]
    """Seats that were seen not to know the whole state."""

    def to_data(self) -> dict[str, Any]:
        """The report as JSON-ready data."""
        return asdict(self)

    def __str__(self) -> str:
        if self.exhaustive:
            seen = f"all {self.states} states that can be reached, {self.ends} of them terminal"
        else:
            seen = f"{self.states} states in {self.games} random games, {self.ends} of them terminal"
        return f"{self.game} passed: {seen}; checked {', '.join(self.checks)}."


def check_game(
    game: Game[Any, Any] | str | object,
    *,
    playouts: int = 50,
    seed: int = 0,
    verb_seconds: float = 5.0,
    most_states: int = 6_000,
) -> Report:
    """Check a game against the contract of `gametree.core.game` and against its facts.

    `game` is a game, any object with the verbs, or text as for `load_game`. If it has more than `most_states` states,
    `playouts` random games are played, the same ones for the same `seed`. A verb that takes longer than `verb_seconds`
    is stopped where the system can do so (on the main thread of Unix).
    Raises GameError at the first fault, and what `load_game` raises.
    """
    if playouts < 1:
        raise BadInput(f"{playouts} playouts are too few; expected at least 1.")
    if most_states < 1:
        raise BadInput(f"most_states={most_states} is too small; expected at least 1.")
    if not verb_seconds > 0:
        raise BadInput(f"A limit of {verb_seconds:g} s for a verb is too short; expected more than 0.")
    with Watch(verb_seconds) as watch:
        try:
            loaded = watch.run(load_game, game) if isinstance(game, str) else as_game(game)
        except Stopped as stop:
            raise GameError(f"{game}: loading the game {stop.reason}.") from None
        except GametreeError:
            raise
        except Exception as error:
            raise GameError(f"{game}: {type(error).__name__} while the game was made: {error}.") from error
        try:
            return _Check(loaded, watch, random.Random(seed)).run(playouts, most_states)
        except GametreeError:
            raise
        except Exception as error:  # verbs are guarded one by one; what is left is what states and moves do themselves
            what = " ".join(str(error).split()).rstrip(".")
            raise GameError(
                f"{loaded.name}: {type(error).__name__} when states or moves were compared, hashed or printed: {what}."
            ) from error


class _Check:
    """One run of the kit over one game."""

    def __init__(self, game: Game[Any, Any], watch: Watch, rng: random.Random) -> None:
        self.game = game
        self.facts = game.facts
        self.watch = watch
        self.rng = rng
        self.checks: dict[str, None] = {}  # a set that keeps its order
        self.by_text: dict[str, Any] = {}
        self.ends = 0
        # Per seat: what it saw → the first state that looked so, its moves there and its drawing.
        self.seen: list[dict[Hashable, tuple[Any, frozenset[Any] | None, object]]] = []
        self.alike: list[bool] = []  # whether a seat was ever seen to confuse two states
        self.sees_state: list[bool] = []  # whether a seat's observation was always the state itself
        self.redealt: list[tuple[int, int]] = []  # resamples asked for a seat, and how many gave another state

    # The order of the check ------------------------------------------------------------------------------------------

    def run(self, playouts: int, most_states: int) -> Report:
        """Everything, in the order in which a fault is best explained."""
        self.check_verbs()
        self.check_facts()
        seats = range(self.facts.players)
        self.seen = [{} for _ in seats]
        self.alike, self.sees_state = [False for _ in seats], [True for _ in seats]
        self.redealt = [(0, 0) for _ in seats]
        start = self.check_initial()
        found = self.list_states(start, most_states)
        games = 0
        if found is not None:
            states, moves = found
            self.check_longest_path(states, moves)
            self.reachable: dict[Any, None] | None = dict.fromkeys(states)
            every = max(1, len(states) // CLOSE_LOOKS)
            for number, state in enumerate(states):
                self.inspect(state, closely=number % every == 0)
            if not self.ends:
                self.fail(
                    "is_terminal", None, f"is False in all {len(states)} states that can be reached", "a game that ends"
                )
            count = len(states)
        else:
            self.reachable = None
            met: dict[Any, None] = {}
            while games < playouts and len(met) < min(most_states, SAMPLED_STATES):
                self.play(start, met)
                games += 1
            count = len(met)
        self.check_hidden(exhaustive=found is not None)
        return Report(
            game=self.game.name,
            exhaustive=found is not None,
            states=count,
            ends=self.ends,
            games=games,
            checks=tuple(self.checks),
            hidden_from=tuple(seat for seat in seats if self.alike[seat]),
        )

    def list_states(self, start: Any, most: int) -> tuple[list[Any], list[list[int]]] | None:
        """All states that can be reached, and for each the numbers of its successors; None if they are too many."""
        number = {start: 0}
        states, moves, results = [start], [], 0
        started = time.process_time()
        for state in states:  # grows while we walk: breadth first
            below = []
            for _, child in self.expand(state):
                if child not in number:
                    number[child] = len(states)
                    states.append(child)
                below.append(number[child])
            results += len(below)
            moves.append(below)
            too_many = len(states) > most or results > MOVES_PER_STATE * most
            if too_many or time.process_time() - started > MOST_SECONDS:
                return None
        return states, moves

    def play(self, start: Any, met: dict[Any, None]) -> None:
        """One random game, checked at every state that was not met before."""
        state, plies, longest = start, 0, self.facts.longest_game
        while True:
            new = state not in met
            met[state] = None
            followed = self.expand(state, sample=SAMPLED_ACTIONS if new else 1)
            if new:
                self.inspect(state, closely=True)
            if not followed:
                return
            if plies == longest:
                self.fail(
                    "is_terminal",
                    state,
                    f"is False after {plies} plies",
                    f"the end by then, since facts.longest_game is {longest}",
                )
            if longest is None and plies >= MOST_PLIES:
                return
            state = self.rng.choice(followed)[1]
            plies += 1

    # Calling the game -------------------------------------------------------------------------------------------------

    def call(self, verb: str, *arguments: Any) -> Any:
        """The verb's answer. An error or an endless loop inside it becomes a GameError that names verb and line."""
        return self.guard(getattr(self.game, verb), verb, *arguments)

    def guard(self, function: Callable[..., Any], verb: str, *arguments: Any) -> Any:
        """Call any function on behalf of a verb, with the same promise as `call`."""
        state = arguments[0] if arguments else None
        try:
            return self.watch.run(function, *arguments)
        except Stopped as stop:
            line = self.line_of(verb, stop)
            raise GameError(f"{self.game.name}: {verb}() {stop.reason}{self.place(state)}{line}.") from None
        except Exception as error:
            line, what = self.line_of(verb, error), " ".join(str(error).split()).rstrip(".")
            raise GameError(
                f"{self.game.name}: {type(error).__name__} in {verb}(){line}: {what}{self.place(state)}."
            ) from error

    def line_of(self, verb: str, error: BaseException) -> str:
        """`" at line 12"`: the innermost line of the file that defines the verb, or where the verb begins."""
        function = inspect.unwrap(getattr(self.game, verb))
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        if code is None:
            return ""
        line, trace = code.co_firstlineno, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == code.co_filename:
                line = trace.tb_lineno
            trace = trace.tb_next
        return f" at line {line}"

    def place(self, state: Any) -> str:
        """`" at 'X.O/...'"`, or nothing without a state."""
        if state is None:
            return ""
        try:
            text = str(self.watch.run(self.game.state_text, state))
        except (Exception, Stopped):
            text = repr(state)
        text = " ".join(text.split())
        return f" at '{text if len(text) <= 200 else text[:197] + '...'}'"

    def fail(self, verb: str, state: Any, found: str, expected: str) -> NoReturn:
        """Raise the GameError that ends the check."""
        raise GameError(f"{self.game.name}: {verb}() {found}{self.place(state)}; expected {expected}.")

    def ask(self, verb: str, state: Any, *more: Any) -> Any:
        """The verb's answer about a state, which must come out of it unchanged."""
        self.checks[verb] = None
        if state is not self.watched:
            self.watched, self.watched_hash = state, hash(state)
            try:
                self.snapshot = copy.deepcopy(state)
            except Exception:
                self.snapshot = state
            if self.snapshot != state:  # equality by identity, which `follow` refuses in its own words
                self.snapshot = state
        answer = self.call(verb, state, *more)
        # deepcopy gives an immutable value back itself, so that most games pay for no comparison.
        if hash(state) != self.watched_hash or (self.snapshot is not state and state != self.snapshot):
            changed, self.watched = self.place(self.snapshot), None
            raise GameError(
                f"{self.game.name}: {verb}() changed the state that it was given{changed}; expected a new state and "
                "the old one as it was."
            )
        return answer

    watched: Any = None
    watched_hash: int = 0
    snapshot: Any = None

    def hashed(self, verb: str, state: Any, value: Any, what: str) -> None:
        """Fail if `value`, which the verb gave at `state`, cannot be hashed."""
        try:
            hash(value)
        except TypeError as error:
            self.fail(verb, state, f"gave {what} that cannot be hashed ({error})", "tuples, numbers or text inside")

    def sequence(self, verb: str, state: Any, value: Any) -> Sequence[Any]:
        """`value` itself, which must be a list or the like."""
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            self.fail(verb, state, f"returned {_kind(value)}", "a list or tuple")
        return value

    def number(self, verb: str, state: Any, value: Any, whose: str) -> float:
        """`value` itself, which must be a finite number."""
        if not isinstance(value, Real) or not math.isfinite(value):
            self.fail(verb, state, f"gave {value!r} {whose}", "a finite number")
        return float(value)

    # The game as a whole ----------------------------------------------------------------------------------------------

    def check_verbs(self) -> None:
        """The six verbs are there, and whatever is there can be called."""
        for verb in REQUIRED:
            if not self.game.offers(verb) and not (verb == "actions" and self.game.offers("seat_actions")):
                raise GameError(f"{self.game.name} does not define {verb}(); expected all of {', '.join(REQUIRED)}.")
        for verb in (*REQUIRED, *OPTIONAL):
            if not callable(getattr(self.game, verb)):
                raise GameError(
                    f"{self.game.name}: {verb} is {_kind(getattr(self.game, verb))}; expected a function {verb}()."
                )

    def check_facts(self) -> None:
        """The facts are possible, and the verbs that they call for are there."""
        facts = self.facts
        if not isinstance(facts, Facts):
            raise GameError(f"{self.game.name}: facts is {_kind(facts)}; expected gametree.Facts(...).")
        self.checks["facts"] = None

        def fail(fact: str, expected: str) -> NoReturn:
            raise GameError(f"{self.game.name}: facts.{fact} is {getattr(facts, fact)!r}; expected {expected}.")

        if not isinstance(facts.players, int) or facts.players < 1:
            fail("players", "a whole number from 1 up")
        for fact in ("min_utility", "max_utility"):
            if not isinstance(getattr(facts, fact), Real) or not math.isfinite(getattr(facts, fact)):
                fail(fact, "a finite number")
        for fact, least in (("most_moves", 1), ("longest_game", 0)):
            value = getattr(facts, fact)
            if value is not None and (not isinstance(value, int) or value < least):
                fail(fact, f"None or a whole number from {least} up")
        if facts.utility_sum is not None:
            low, high = facts.players * facts.min_utility, facts.players * facts.max_utility
            if not low - ROUNDING <= facts.utility_sum <= high + ROUNDING:
                fail(
                    "utility_sum",
                    f"a number from {low:g} to {high:g}, as the range of {facts.players} utilities allows",
                )
        if facts.teams is not None:
            seats = [seat for team in facts.teams for seat in team]
            if sorted(seats) != list(range(facts.players)):
                fail("teams", f"each of the seats 0 to {facts.players - 1} in exactly one team")
        for fact, verb in (("chance", "outcomes"), ("hidden", "observation")):
            if getattr(facts, fact) and not self.game.offers(verb):
                fail(fact, f"False, or a game that defines {verb}()")

    def check_initial(self) -> Any:
        """The initial state, which must be the same each time."""
        self.checks["initial"] = None
        start, again = self.call("initial"), self.call("initial")
        self.hashed("initial", None, start, "a state")
        if start != again or hash(start) != hash(again):
            self.fail(
                "initial",
                None,
                "gave two states that are not equal when asked twice",
                "the same state (does its class define __eq__ and __hash__?)",
            )
        if self.game.offers("state_from_text"):
            self.refuses("state_from_text", NONSENSE)
        return start

    def refuses(self, verb: str, *arguments: Any) -> None:
        """Nonsense must be refused with BadInput."""
        try:
            answer = self.watch.run(getattr(self.game, verb), *arguments)
        except BadInput:
            return
        except (Exception, Stopped) as error:
            line = self.line_of(verb, error)
            raise GameError(
                f"{self.game.name}: {verb}() raised {type(error).__name__}{line} for the text '{arguments[-1]}'; "
                "expected BadInput."
            ) from None
        raise GameError(
            f"{self.game.name}: {verb}() read the text '{arguments[-1]}' as {answer!r}; expected it to raise BadInput."
        )

    def check_longest_path(self, states: list[Any], moves: list[list[int]]) -> None:
        """No line of play is longer than `longest_game`; in particular no position repeats."""
        longest = self.facts.longest_game
        if longest is None:
            return
        # Kahn's algorithm: a state is taken up when all its predecessors have been, with the longest way to it.
        waiting, ply = [0] * len(states), [0] * len(states)
        for child in itertools.chain.from_iterable(moves):
            waiting[child] += 1
        ready = [] if waiting[0] else [0]
        for node in ready:
            if ply[node] > longest:
                self.fail("result", states[node], f"leads to ply {ply[node]}", f"facts.longest_game={longest} at most")
            for child in moves[node]:
                ply[child] = max(ply[child], ply[node] + 1)
                waiting[child] -= 1
                if not waiting[child]:
                    ready.append(child)
        if len(ready) < len(states):
            node = next(node for node in range(len(states)) if waiting[node])
            self.fail(
                "result",
                states[node],
                "leads back to an earlier position",
                f"none to repeat, since facts.longest_game is {longest}, not None",
            )

    # One state: the core of the contract ------------------------------------------------------------------------------

    def expand(self, state: Any, *, sample: int | None = None) -> list[tuple[Any, Any]]:
        """The moves of a state and where they lead, all of them or a random sample, with every promise checked."""
        terminal = self.ask("is_terminal", state)
        if str(terminal) not in ("True", "False", "1", "0"):  # as text, since an array answers `==` with an array
            self.fail("is_terminal", state, f"returned {terminal!r}", "True or False")
        actions = self.sequence("actions", state, self.ask("actions", state))
        if terminal:
            if len(actions):
                self.fail("actions", state, f"lists {len(actions)} moves, though is_terminal() is True", "none")
            return []
        if not len(actions):
            self.fail("actions", state, "lists no moves, though is_terminal() is False", "at least one")
        most = self.facts.most_moves
        if most is not None and len(actions) > most:
            self.fail("actions", state, f"lists {len(actions)} moves", f"facts.most_moves={most} at most")
        for action in actions:
            self.hashed("actions", state, action, f"the move {action!r}")
        if len(set(actions)) < len(actions):
            double = next(action for index, action in enumerate(actions) if action in actions[:index])
            self.fail("actions", state, f"lists the move {double!r} twice", "each move once")
        self.check_player(state, actions)
        chosen = list(actions)
        if sample is not None and len(chosen) > sample:
            chosen = self.rng.sample(chosen, sample)
        followed = [(action, self.follow(state, action)) for action in chosen]
        if list(self.ask("actions", state)) != list(actions):
            self.fail("actions", state, "gave different moves when asked twice", "the same moves in the same order")
        return followed

    def check_player(self, state: Any, actions: Sequence[Any]) -> None:
        """The mover is a seat, or chance or all at once as the facts allow; the moves are of the kind that fits."""
        mover, facts = self.ask("player", state), self.facts
        seats = "0" if facts.players == 1 else f"0 to {facts.players - 1}"
        whole = isinstance(mover, Integral) and not isinstance(mover, bool)
        if not whole or not SIMULTANEOUS <= mover < facts.players:
            self.fail("player", state, f"returned {mover!r}", f"a seat from {seats}, CHANCE or SIMULTANEOUS")
        if mover == CHANCE:
            if not facts.chance:
                self.fail("player", state, "returned CHANCE, though facts.chance is False", f"a seat from {seats}")
            self.check_outcomes(state, actions)
        if mover == SIMULTANEOUS:
            if not facts.simultaneous:
                self.fail(
                    "player", state, "returned SIMULTANEOUS, though facts.simultaneous is False", f"a seat from {seats}"
                )
            for action in actions:
                if not isinstance(action, tuple) or len(action) != facts.players:
                    self.fail(
                        "actions", state, f"lists {action!r}", f"joint actions: tuples with {facts.players} entries"
                    )
        if self.game.offers("seat_actions"):
            self.check_seat_actions(state, mover, actions)

    def check_outcomes(self, state: Any, actions: Sequence[Any]) -> None:
        """Probabilities are positive, sum to 1 and belong to the actions."""
        outcomes = self.sequence("outcomes", state, self.ask("outcomes", state))
        for pair in outcomes:
            if not isinstance(pair, tuple) or len(pair) != 2:
                self.fail("outcomes", state, f"lists {pair!r}", "pairs of an outcome and its probability")
            probability = self.number("outcomes", state, pair[1], f"as the probability of {pair[0]!r}")
            if not 0 < probability <= 1 + ROUNDING:
                self.fail(
                    "outcomes", state, f"gives {pair[0]!r} the probability {probability:g}", "more than 0, at most 1"
                )
        total = math.fsum(probability for _, probability in outcomes)
        if abs(total - 1) > ROUNDING:
            self.fail("outcomes", state, f"gives probabilities that sum to {total:.12g}", "1")
        names = [outcome for outcome, _ in outcomes]
        if len(names) != len(actions) or set(names) != set(actions):
            self.fail(
                "outcomes",
                state,
                f"lists {_some(names)}, but actions() lists {_some(actions)}",
                "the same outcomes, each once",
            )

    def check_seat_actions(self, state: Any, mover: int, actions: Sequence[Any]) -> None:
        """Each seat's choices are its part of the joint actions, or the actions if it alone is to move."""
        choices = []
        for seat in range(self.facts.players):
            own = self.sequence("seat_actions", state, self.ask("seat_actions", state, seat))
            choices.append(tuple(own))
            expected = tuple(actions) if mover == seat else ()
            if mover != SIMULTANEOUS and set(own) != set(expected):
                self.fail(
                    "seat_actions",
                    state,
                    f"gives seat {seat} the moves {_some(own)}",
                    _some(expected) + (", the same as actions()" if expected else " while it is not to move"),
                )
        if mover == SIMULTANEOUS:
            joint = set(itertools.product(*(own or (None,) for own in choices)))
            if joint != set(actions):
                self.fail(
                    "actions",
                    state,
                    f"lists {len(actions)} joint actions that are not the {len(joint)} which seat_actions() makes up",
                    "every combination of the seats' choices, with None for a seat without a choice",
                )

    def follow(self, state: Any, action: Any) -> Any:
        """The state that the action leads to: a new one, hashable, and the same each time."""
        child = self.ask("result", state, action)
        if child is None:
            self.fail("result", state, f"returned None for the move {action!r}", "a state")
        self.hashed("result", state, child, f"a state for the move {action!r}")
        again = self.ask("result", state, action)
        if child != again or hash(child) != hash(again):
            how = "are not equal" if child != again else "are equal but hash differently"
            self.fail(
                "result",
                state,
                f"gave two states that {how} for the move {action!r}",
                "the same state each time (does its class define __eq__ and __hash__ by value?)",
            )
        return child

    # One state: all that is optional ----------------------------------------------------------------------------------

    def inspect(self, state: Any, *, closely: bool) -> None:
        """Everything beyond `expand`; the costly part only if `closely`."""
        game = self.game
        terminal = self.ask("is_terminal", state)
        actions = () if terminal else self.ask("actions", state)
        mover = None if terminal else self.ask("player", state)
        if terminal:
            self.ends += 1
            self.utilities(state)
        elif game.offers("evaluate"):
            self.check_evaluate(state, mover)
        self.check_state_text(state)
        if closely:
            self.check_action_text(state, actions)
            self.check_drawing("draw", state, self.ask("draw", state))
            if game.offers("label") and not isinstance(label := self.ask("label", state), str):
                self.fail("label", state, f"returned {_kind(label)}", "text")
            if game.offers("symmetries") or game.offers("canonical"):
                self.check_symmetries(state, terminal, mover, actions)
            if mover is not None and mover >= 0:
                self.check_subsets(state, actions)
        if self.facts.hidden or game.offers("observation"):
            for seat in range(self.facts.players):
                self.check_observation(state, seat, mover, actions, closely)

    def utilities(self, state: Any) -> list[float]:
        """Every seat's utility at a terminal state: finite, in range, with the right sum, alike within a team."""
        facts, values = self.facts, []
        for seat in range(facts.players):
            value = self.number("utility", state, self.ask("utility", state, seat), f"for seat {seat}")
            if not facts.min_utility - ROUNDING <= value <= facts.max_utility + ROUNDING:
                self.fail(
                    "utility",
                    state,
                    f"gave {value:g} for seat {seat}",
                    f"facts.min_utility={facts.min_utility:g} to facts.max_utility={facts.max_utility:g}",
                )
            values.append(value)
        total = math.fsum(values)
        if facts.utility_sum is not None and abs(total - facts.utility_sum) > ROUNDING * max(1, abs(total)):
            self.fail("utility", state, f"sums to {total:g} over all seats", f"facts.utility_sum={facts.utility_sum:g}")
        for team in facts.teams or ():
            if len({values[seat] for seat in team}) > 1:
                self.fail("utility", state, f"differs within the team {team}", "the same for all seats of a team")
        return values

    def check_evaluate(self, state: Any, mover: int | None) -> None:
        """Estimates are finite, in range and, with two players who see everything, add up as utilities do."""
        facts, values = self.facts, []
        for seat in range(facts.players):
            value = self.number("evaluate", state, self.ask("evaluate", state, seat), f"for seat {seat}")
            if not facts.min_utility - ROUNDING <= value <= facts.max_utility + ROUNDING:
                self.fail(
                    "evaluate",
                    state,
                    f"gave {value:g} for seat {seat}",
                    f"facts.min_utility={facts.min_utility:g} to facts.max_utility={facts.max_utility:g}",
                )
            values.append(value)
        # A search may ask either seat; if the answers did not mirror each other, negamax and minimax would differ.
        if facts.players == 2 and facts.utility_sum is not None and not facts.hidden:
            total = math.fsum(values)
            if abs(total - facts.utility_sum) > 1e-6 * max(1, *map(abs, values)):
                self.fail(
                    "evaluate", state, f"sums to {total:g} over both seats", f"facts.utility_sum={facts.utility_sum:g}"
                )
        if self.game.offers("explain") and mover is not None and mover >= 0:
            terms = self.sequence("explain", state, self.ask("explain", state))
            for term in terms:
                if not isinstance(term, tuple) or len(term) != 2 or not isinstance(term[0], str):
                    self.fail("explain", state, f"lists {term!r}", "pairs of a name and a number")
            total = math.fsum(self.number("explain", state, worth, f"for '{name}'") for name, worth in terms)
            if abs(total - values[mover]) > 1e-6 * max(1, abs(total)):
                self.fail(
                    "explain", state, f"gives terms that sum to {total:g}", f"evaluate(), which is {values[mover]:g}"
                )

    def check_state_text(self, state: Any) -> None:
        """The text is one line; where the game reads positions, equal texts mean equal states and it reads its own."""
        text = self.ask("state_text", state)
        if not isinstance(text, str) or "\n" in text:
            self.fail("state_text", state, f"returned {text!r}", "text in one line")
        if not self.game.offers("state_from_text"):
            return
        self.checks["state_from_text"] = None
        other = self.by_text.setdefault(text, state)
        if other != state:
            self.fail("state_text", state, "describes two different states alike", "a text of its own for each state")
        if hash(other) != hash(state):
            self.fail("result", state, "reached equal states that hash differently", "equal hashes for equal states")
        back = self.guard(lambda _state: self.game.state_from_text(text), "state_from_text", state)
        if back != state:
            self.fail("state_from_text", state, f"read the text back as {_short(back)}", f"{_short(state)}")
        if hash(back) != hash(state):
            self.fail("state_from_text", state, "gave an equal state that hashes differently", "the same hash")

    def check_action_text(self, state: Any, actions: Sequence[Any]) -> None:
        """Each move has a text of its own, which reads back as the move; nonsense is refused."""
        texts: dict[str, Any] = {}
        for action in actions:
            text = self.ask("action_text", state, action)
            if not isinstance(text, str) or not text or "\n" in text:
                self.fail("action_text", state, f"returned {text!r} for the move {action!r}", "text in one line")
            if text in texts:
                self.fail(
                    "action_text", state, f"calls both {texts[text]!r} and {action!r} '{text}'", "different texts"
                )
            texts[text] = action
        chosen = list(texts.items())
        if len(chosen) > SAMPLED_ACTIONS:
            chosen = self.rng.sample(chosen, SAMPLED_ACTIONS)
        for text, action in chosen:
            back = self.ask("action_from_text", state, text)
            if back != action:
                self.fail("action_from_text", state, f"read '{text}' as {back!r}", f"{action!r}")
        if actions:
            self.refuses("action_from_text", state, NONSENSE)

    def check_drawing(self, verb: str, state: Any, drawing: Any) -> Drawing:
        """The drawing is plain data with everything on the board."""
        if not isinstance(drawing, Drawing):
            self.fail(verb, state, f"returned {_kind(drawing)}", "a gametree.Drawing")
        if drawing.layout not in LAYOUTS:
            self.fail(verb, state, f"has the layout {drawing.layout!r}", f"one of {', '.join(LAYOUTS)}")
        for piece in drawing.pieces:
            if not (0 <= piece.row < drawing.rows and 0 <= piece.column < drawing.columns):
                self.fail(
                    verb,
                    state,
                    f"puts '{piece.text}' on row {piece.row}, column {piece.column}",
                    f"a cell of the {drawing.rows} × {drawing.columns} board, counted from 0",
                )
            if piece.player is not None and not 0 <= piece.player < self.facts.players:
                self.fail(verb, state, f"gives '{piece.text}' to player {piece.player}", "a seat of the game, or None")
        if drawing.cells and len(drawing.cells) != drawing.rows * drawing.columns:
            self.fail(verb, state, f"names {len(drawing.cells)} cells", f"{drawing.rows * drawing.columns}, or none")
        try:
            json.dumps(drawing.to_data(), allow_nan=False)
        except (TypeError, ValueError) as error:
            self.fail(verb, state, f"holds data that JSON cannot carry ({error})", "text and numbers only")
        return drawing

    def check_symmetries(self, state: Any, terminal: bool, mover: int | None, actions: Sequence[Any]) -> None:
        """Equivalent states are equivalent, and have one representative."""
        game = self.game
        images = list(self.sequence("symmetries", state, self.ask("symmetries", state)))
        one = self.ask("canonical", state)
        if game.offers("symmetries"):
            if state not in images:
                self.fail("symmetries", state, "leaves out the state itself", "all equivalent states, itself included")
            if one not in images:
                self.fail("canonical", state, f"gave {_short(one)}", "one of the states that symmetries() lists")
        if len(images) > SAMPLED_ACTIONS:
            images = self.rng.sample(images, SAMPLED_ACTIONS)
        verb = "symmetries" if game.offers("symmetries") else "canonical"
        for image in [one, *images]:
            self.hashed(verb, state, image, "a state")
            if self.call("canonical", image) != one:
                self.fail("canonical", state, f"differs from that of the equivalent {_short(image)}", "one for all")
            pairs: list[tuple[str, Any, Any]] = [
                ("is_terminal", terminal, self.call("is_terminal", image)),
                ("actions", len(actions), len(self.call("actions", image))),
            ]
            if terminal:
                for seat in range(self.facts.players):
                    pairs.append(("utility", self.call("utility", state, seat), self.call("utility", image, seat)))
            else:
                pairs.append(("player", mover, self.call("player", image)))
            for what, mine, other in pairs:
                if mine != other:
                    noun = "the number of actions()" if what == "actions" else f"{what}()"
                    self.fail(
                        verb,
                        state,
                        f"gave {_short(image)}, where {noun} is {other!r}",
                        f"{mine!r}, as in an equivalent state",
                    )

    def check_subsets(self, state: Any, actions: Sequence[Any]) -> None:
        """Noisy and plausible actions are actions."""
        for verb in ("noisy_actions", "plausible_actions"):
            if not self.game.offers(verb):
                continue
            some = self.sequence(verb, state, self.ask(verb, state))
            strange = [action for action in some if action not in actions]
            if strange:
                self.fail(verb, state, f"lists {strange[0]!r}", "only moves that actions() lists too")
            if len(set(some)) < len(some):
                self.fail(verb, state, "lists a move twice", "each move once")
            if verb == "plausible_actions" and not some:
                self.fail(verb, state, "lists no moves", "at least one, or a search would have no choice")

    # Hidden information -----------------------------------------------------------------------------------------------

    def own_moves(self, state: Any, seat: int, mover: int | None, actions: Sequence[Any]) -> frozenset[Any] | None:
        """What the seat may choose here, None if it does not move."""
        if mover == seat:
            return frozenset(actions)
        if mover == SIMULTANEOUS:
            return frozenset(self.call("seat_actions", state, seat))
        return None

    def check_observation(
        self, state: Any, seat: int, mover: int | None, actions: Sequence[Any], closely: bool
    ) -> None:
        """What looks alike to the seat offers it the same moves and is drawn alike for it."""
        seen = self.ask("observation", state, seat)
        self.hashed("observation", state, seen, f"what seat {seat} sees")
        if seen is not state:
            self.sees_state[seat] = False
        own = self.own_moves(state, seat, mover, actions)
        drawing = None
        if closely and self.facts.hidden:
            drawing = self.check_drawing("draw_for", state, self.ask("draw_for", state, seat))
        if seen not in self.seen[seat]:
            self.seen[seat][seen] = (state, own, drawing)
        else:
            self.compare(state, own, drawing, seat, seen, "observation")
        if closely and mover is not None and mover != CHANCE and self.game.offers("resample"):
            for _ in range(RESAMPLES if self.reachable is None else max(RESAMPLES, 200 // len(self.reachable))):
                self.check_resample(state, seat, seen)

    def compare(
        self, state: Any, own: frozenset[Any] | None, drawing: object, seat: int, seen: Hashable, verb: str
    ) -> None:
        """`state` against the first state that looked like it to the seat."""
        first, first_own, first_drawing = self.seen[seat][seen]
        if first == state:
            return
        if not self.facts.hidden:
            self.fail(
                verb,
                state,
                f"shows seat {seat} the same as{self.place(first)}, though facts.hidden is False",
                "different observations of different states",
            )
        self.alike[seat] = True
        if own != first_own:
            moves, others = (
                "not to move" if m is None else f"to choose from {_some(sorted(map(str, m)))}" for m in (own, first_own)
            )
            self.fail(
                verb,
                state,
                f"shows seat {seat} the same as{self.place(first)}, where it is {others}, but here it is {moves}",
                "the same moves wherever the seat sees the same",
            )
        if drawing is not None and first_drawing is None:
            self.seen[seat][seen] = (first, first_own, self.call("draw_for", first, seat))
            first_drawing = self.seen[seat][seen][2]
        if drawing is not None and drawing != first_drawing:
            self.fail(
                "draw_for",
                state,
                f"lets seat {seat} tell it from{self.place(first)}, which it cannot by observation()",
                "the same drawing wherever the seat sees the same",
            )

    def check_resample(self, state: Any, seat: int, seen: Hashable) -> None:
        """Resampled states look the same to the seat, can come about and depend on nothing but the generator."""
        number = self.rng.randrange(1 << 30)
        other = self.ask("resample", state, seat, random.Random(number))
        self.hashed("resample", state, other, "a state")
        if other != self.ask("resample", state, seat, random.Random(number)):
            self.fail(
                "resample", state, "gave two different states with the same generator", "no randomness except from rng"
            )
        if self.call("observation", other, seat) != seen:
            self.fail(
                "resample",
                state,
                f"gave seat {seat} the state{self.place(other)}, which it can tell from this one by observation()",
                "a state that looks the same to the seat",
            )
        if self.reachable is not None and other not in self.reachable:
            self.fail("resample", state, f"gave the state{self.place(other)}", "one that can be reached")
        asked, changed = self.redealt[seat]
        self.redealt[seat] = asked + 1, changed + (other != state)
        if other == state:
            return
        self.alike[seat] = True
        terminal = self.call("is_terminal", other)
        mover = None if terminal else self.call("player", other)
        own = self.own_moves(other, seat, mover, () if terminal else self.call("actions", other))
        self.compare(other, own, None, seat, seen, "observation")

    def check_hidden(self, *, exhaustive: bool) -> None:
        """In a game with hidden information every seat confuses some states, unless it is shown the state itself."""
        if not self.facts.hidden:
            return
        for seat, asked in enumerate(self.redealt):
            if self.alike[seat]:
                if asked[0] >= ENOUGH_RESAMPLES and not asked[1]:
                    self.fail(
                        "resample",
                        None,
                        f"gave seat {seat} the very state that it was given, {asked[0]} times out of {asked[0]}",
                        "other states that look the same to the seat, too",
                    )
            elif (not self.sees_state[seat] or not any(self.alike)) and (exhaustive or asked[0] >= ENOUGH_RESAMPLES):
                self.fail(
                    "observation",
                    None,
                    f"tells seat {seat} all of the {len(self.seen[seat])} states apart that were met, though "
                    "facts.hidden is True",
                    "some that it cannot tell apart (return the state itself for a seat that sees everything)",
                )


def _kind(value: object) -> str:
    """A noun for a value of the wrong type: `None`, `a generator`."""
    return "None" if value is None else f"a value of type {type(value).__name__}"


def _some(values: Sequence[Any]) -> str:
    """The first few of a list, for a sentence."""
    shown = ", ".join(str(value) for value in values[:6])
    return f"[{shown}, ...]" if len(values) > 6 else f"[{shown}]"


def _short(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 120 else text[:117] + "..."
