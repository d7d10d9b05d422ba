"""General Game Playing: any game whose rules are written in the game description language, GDL.

`ggp:connect-four` plays a sheet that comes with gametree (tic-tac-toe, connect-four, nim, breakthrough); a path to a
file `SHEET.kif` works wherever a game's name does. A position is the set of facts that are true in it, as text such as
`(cell 1 1 x) (control oplayer)`. A move is a term; `(mark 2 2)` is written `mark(2,2)`, and read as `mark 2 2` too.
Where several roles have a choice at once, their moves are joined by `+`, and `-` stands for a role that has none.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from gametree.core.drawing import Drawing
from gametree.core.errors import BadInput, GameError, IllegalMove, UnknownName, suggest
from gametree.core.facts import Facts
from gametree.core.game import SIMULTANEOUS, Game
from gametree.games.ggp._board import find_board
from gametree.games.ggp._kif import LONGEST, Term, read_forms, term_text
from gametree.games.ggp._network import Flow, Network, natural
from gametree.games.ggp._rules import read_sheet

__all__ = ["Position", "SheetGame", "game", "open_sheet", "sheet_names"]

SHEETS = Path(__file__).resolve().parent / "sheets"
TRIAL_STATES = 600
"""So many positions of random games are looked at before the facts are stated."""
TRIAL_GAMES = 12
TRIAL_PLIES = 200
TRIAL_WORK = 1_000_000
"""So many facts may be derived to see all positions of a game, joint moves included."""
KEPT_POSITIONS = 20_000
KEPT_BYTES = 30_000_000
MOST_SHOWN = 6
"""Facts beside the board that a caption tells."""

Position = frozenset[int]
"""The numbers of the facts that are true."""


@dataclass(frozen=True)
class _Seen:
    """What is so in a position: the moves of every role by their text, the end, and goals."""

    moves: tuple[dict[str, int], ...]
    over: bool
    goals: tuple[tuple[str, ...], ...]

    @property
    def choosers(self) -> list[int]:
        """The roles that have more than one move."""
        return [seat for seat, moves in enumerate(self.moves) if len(moves) > 1]


class SheetGame(Game[Position, Any]):
    """A game from the text of a sheet. An action is a move's text, a joint action a tuple of them.

    Whether several roles ever choose at once, and whether goals have a constant sum, is seen from all positions, or
    from random games where they are many. A position that shows otherwise later is refused in a sentence.
    """

    def __init__(self, text: str, name: str) -> None:
        """Raises BadInput with the place if the sheet cannot be read or is too large."""
        self.network = Network(read_sheet(text, name))
        self.name = name
        self.roles = self.network.sheet.roles
        self.seat_names = self.roles
        self._fluents = {number: atom[1] for number, atom in enumerate(self.network.atoms) if atom[0] == "true"}
        self._numbers = {fluent: number for number, fluent in self._fluents.items()}
        self._texts = self._move_texts()
        self._board = find_board(self._fluents.values(), self._terms(self.network.start), self.roles)
        self._remember()
        self.facts = self._try_out()

    def _remember(self) -> None:
        flow_bytes = len(self.network.atoms) + 2 * len(self.network.heads)
        self._flow = lru_cache(max(8, KEPT_BYTES // (flow_bytes + 1000)))(self._look)
        self._seen = lru_cache(KEPT_POSITIONS)(self._see)

    def twin(self) -> SheetGame:
        """The same rules; only what was worked out for positions is not shared."""
        made = copy(self)
        made._remember()
        return made

    def _move_texts(self) -> dict[int, tuple[int, str, int]]:
        """Number of a legal move → the seat, the move's text, the number of the move as done, in order."""
        moves = sorted(
            self.network.legal.items(), key=lambda item: (item[1][0], natural(self.network.atoms[item[0]][2]))
        )
        found, used = {}, set()
        for number, (seat, done) in moves:
            text = _move_text(self.network.atoms[number][2])
            if (seat, text) in used:
                raise BadInput(f"{self.name}: two moves of {self.roles[seat]} would both be written {text}.")
            used.add((seat, text))
            found[number] = (seat, text, done)
        self._rank = {number: rank for rank, number in enumerate(found)}
        return found

    def _look(self, state: Position) -> tuple[Flow, list[int]]:
        return self.network.look(state)

    def _see(self, state: Position) -> _Seen:
        derived = self._flow(state)[1]
        moves: tuple[dict[str, int], ...] = tuple({} for _ in self.roles)
        for number in sorted((fact for fact in derived if fact in self._texts), key=self._rank.__getitem__):
            seat, text, done = self._texts[number]
            moves[seat][text] = done
        goals: tuple[list[str], ...] = tuple([] for _ in self.roles)
        for fact in derived:
            if fact in self.network.goal:
                seat, value = self.network.goal[fact]
                goals[seat].append(value)
        over = self.network.over in derived
        if not over and not all(moves):
            role = self.roles[next(seat for seat, own in enumerate(moves) if not own)]
            raise GameError(f"{self.name}: {role} has no legal move at {self._short(state)}; expected at least one.")
        return _Seen(moves, over, tuple(tuple(sorted(values)) for values in goals))

    def _try_out(self) -> Facts:
        """The facts of the game: of all its positions if they are few, else as far as random games show them."""
        states, after = self._all_states()
        if after is None:
            states = self._random_states()
        seen = [self._seen(state) for state in states]
        sums = {sum(self._goals(state)) for state, at in zip(states, seen, strict=True) if at.over}
        return Facts(
            players=len(self.roles),
            simultaneous=any(len(at.choosers) > 1 for at in seen if not at.over),
            min_utility=0,
            max_utility=100,
            utility_sum=float(sums.pop()) if len(sums) == 1 and len(self.roles) > 1 else None,
            longest_game=None if after is None else _longest(after),
        )

    def _all_states(self) -> tuple[list[Position], list[list[int]] | None]:
        """All positions, and for each the numbers of those that may follow it; None if they are too many to look at."""
        number, states = {self.network.start: 0}, [self.network.start]
        after: list[list[int]] = []
        work = TRIAL_WORK
        for state in states:  # grows while we walk: breadth first
            seen = self._seen(state)
            below = []
            joint = [] if seen.over else [list(moves.values()) for moves in seen.moves]
            work -= len(self._flow(state)[1]) * (1 + math.prod(map(len, joint)))
            if work < 0:
                return [], None
            for done in itertools.product(*joint) if joint else ():
                child = self._go_on(state, done)
                if child not in number:
                    number[child] = len(states)
                    states.append(child)
                below.append(number[child])
            after.append(below)
        return states, after

    def _random_states(self) -> list[Position]:
        """The positions of some random games, the same ones each time."""
        rng = random.Random(0)
        states: list[Position] = []
        for _ in range(TRIAL_GAMES):
            state = self.network.start
            for _ in range(min(TRIAL_PLIES, TRIAL_STATES - len(states))):
                states.append(state)
                if self._seen(state).over:
                    break
                state = self._go_on(state, [rng.choice(list(own.values())) for own in self._seen(state).moves])
        return states

    def _goals(self, state: Position) -> tuple[int, ...]:
        """The goal of every role at the end."""
        goals = self._seen(state).goals
        for role, values in zip(self.roles, goals, strict=True):
            if len(values) != 1:
                found = " and ".join(values) or "none"
                raise GameError(f"{self.name}: the goal of {role} is {found} at {self._short(state)}; expected one.")
            if not re.fullmatch(r"[0-9]{1,3}", values[0]) or int(values[0]) > 100:
                raise GameError(f"{self.name}: the goal of {role} is {values[0]}; expected a number from 0 to 100.")
        return tuple(int(values[0]) for values in goals)

    def _go_on(self, state: Position, done: Iterable[int]) -> Position:
        return self.network.go_on(self._flow(state)[0], done)

    def _terms(self, state: Position) -> list[Term]:
        return sorted((self._fluents[number] for number in state), key=natural)

    def _short(self, state: Position) -> str:
        text = self.state_text(state)
        return text if len(text) <= 200 else text[:200] + " ..."

    # The six verbs ----------------------------------------------------------------------------------------------------

    def initial(self) -> Position:
        """What `init` says."""
        return self.network.start

    def player(self, state: Position) -> int:
        """The only role that has a choice. Where none has one, a role whose move is more than a word."""
        seen = self._seen(state)
        choosers = seen.choosers
        if len(choosers) > 1:
            if not self.facts.simultaneous:
                several = " and ".join(self.roles[seat] for seat in choosers)
                raise GameError(
                    f"{self.name}: {several} choose at once at {self._short(state)}, unlike in trial games."
                )
            return SIMULTANEOUS
        if choosers:
            return choosers[0]
        return next((seat for seat, moves in enumerate(seen.moves) if "(" in next(iter(moves))), 0)

    def actions(self, state: Position) -> Sequence[Any]:
        """The mover's moves in a fixed order, or all joint actions."""
        if self.is_terminal(state):
            return ()
        mover = self.player(state)
        return super().actions(state) if mover == SIMULTANEOUS else tuple(self._seen(state).moves[mover])

    def seat_actions(self, state: Position, player: int) -> Sequence[str]:
        """The moves of a role that has a choice, or of the mover."""
        seen = self._seen(state)
        if seen.over:
            return ()
        mover = self.player(state)
        if mover == player or (mover == SIMULTANEOUS and len(seen.moves[player]) > 1):
            return tuple(seen.moves[player])
        return ()

    def result(self, state: Position, action: Any) -> Position:
        """All facts that `next` derives. A role that has no choice makes its only move."""
        seen, mover = self._seen(state), self.player(state)
        chosen = action if mover == SIMULTANEOUS else {mover: action}
        done = []
        for seat, moves in enumerate(seen.moves):
            text = chosen[seat] if mover == SIMULTANEOUS else chosen.get(seat)
            if text is None and len(moves) == 1:
                text = next(iter(moves))
            if text not in moves:
                raise IllegalMove(f"'{text}' is not a legal move of {self.roles[seat]} at {self._short(state)}.")
            done.append(moves[text])
        return self._go_on(state, done)

    def is_terminal(self, state: Position) -> bool:
        """Whether `terminal` holds."""
        return self._seen(state).over

    def utility(self, state: Position, player: int) -> float:
        """The role's goal, 0 to 100."""
        goals = self._goals(state)
        if self.facts.utility_sum is not None and sum(goals) != self.facts.utility_sum:
            raise GameError(
                f"{self.name}: the goals at {self._short(state)} sum to {sum(goals)}, in trial games always to "
                f"{self.facts.utility_sum:g}."
            )
        return goals[player]

    # Text and drawings ------------------------------------------------------------------------------------------------

    def action_text(self, state: Position, action: Any) -> str:
        """A move such as `mark(2,2)`, or a joint action such as `cooperate+defect`, `-` for a role without choice."""
        return action if isinstance(action, str) else "+".join(part or "-" for part in action)

    def action_from_text(self, state: Position, text: str) -> Any:
        """Read what `action_text` writes, or one move as `mark 2 2` or `(mark 2 2)`. Raises IllegalMove."""
        words = text.strip()
        if "+" not in words and re.search(r"\s", words):
            forms = read_forms(words if words.startswith("(") else f"({words})", f"'{words}'")
            if len(forms) == 1:
                words = _move_text(forms[0].term)
        return super().action_from_text(state, words)

    def state_text(self, state: Position) -> str:
        """The facts in order, such as `(cell 1 1 x) (control oplayer)`; `-` if there are none."""
        return " ".join(map(term_text, self._terms(state))) or "-"

    def state_from_text(self, text: str) -> Position:
        """Read facts in any order. Raises BadInput for one that cannot come up, and where a role could not move."""
        found = set()
        for form in () if text.strip() == "-" else read_forms(text, "the position"):
            if form.term not in self._numbers:
                known = list(map(term_text, itertools.islice(self._fluents.values(), 1000)))
                raise BadInput(
                    f"{form.where}: {term_text(form.term)} cannot be true in {self.name}."
                    f"{suggest(term_text(form.term), known)} Expected facts such as {known[0]}."
                )
            found.add(self._numbers[form.term])
        state = frozenset(found)
        try:
            if self.is_terminal(state):
                self.utilities(state)
            else:
                self.player(state)
        except GameError as error:
            raise BadInput(f"'{text.strip()[:80]}' is no position of this game: {error}") from None
        return state

    def draw(self, state: Position) -> Drawing:
        """A board where the facts make one, else the facts, one in a line."""
        terms = self._terms(state)
        pieces = self._board.pieces(terms) if self._board else None
        if self._board is None or pieces is None:
            return Drawing(layout="text", text="\n".join(map(term_text, terms)) or "-")
        rest = [term_text(term) for term in terms if not self._board.is_part(term)]
        more = f" and {len(rest) - MOST_SHOWN} more" if len(rest) > MOST_SHOWN else ""
        return Drawing(
            layout="square",
            rows=self._board.rows,
            columns=self._board.columns,
            pieces=tuple(pieces),
            cells=self._board.cells,
            caption=", ".join(fact.strip("()") for fact in rest[:MOST_SHOWN]) + more,
        )

    def action_cells(self, state: Position, action: Any) -> Sequence[str]:
        """The cells that a move names, or the one cell that it fills."""
        if self._board is None or not isinstance(action, str):
            return ()
        number = self._seen(state).moves[self.player(state)][action]
        named = self._board.cells_of(self.network.atoms[number][2])
        if named:
            return named
        changed = self._board.changed(self._terms(state), self._terms(self.result(state, action)))
        return changed if len(changed) == 1 else ()


def _longest(after: list[list[int]]) -> int | None:
    """The most moves from the first node of a graph; None if it has a circle."""
    open_below = [len(below) for below in after]
    above: list[list[int]] = [[] for _ in after]
    for node, below in enumerate(after):
        for child in below:
            above[child].append(node)
    depth, done = [0] * len(after), [node for node, count in enumerate(open_below) if not count]
    for node in done:  # grows: a node is done when all below it are
        for parent in above[node]:
            depth[parent] = max(depth[parent], depth[node] + 1)
            open_below[parent] -= 1
            if not open_below[parent]:
                done.append(parent)
    return depth[0] if len(done) == len(after) else None


def _move_text(term: Term) -> str:
    """`(mark 2 2)` as `mark(2,2)`, so that moves can stand in one line, separated by spaces."""
    if isinstance(term, str):
        return term
    return f"{term[0]}({','.join(map(_move_text, term[1:]))})"


def sheet_names() -> list[str]:
    """The sheets that come with gametree."""
    return sorted(file.stem for file in SHEETS.glob("*.kif"))


def game(sheet: str = "tic-tac-toe") -> SheetGame:
    """The game of a sheet that comes with gametree, by its name and nothing else. Raises UnknownName."""
    known = sheet_names()
    if sheet not in known:
        raise UnknownName(
            f"There is no sheet called '{sheet}'.{suggest(sheet, known)} Expected one of {', '.join(known)}, or the "
            "path of a file that ends in .kif."
        )
    return open_sheet(str(SHEETS / f"{sheet}.kif"))


def open_sheet(path: str) -> SheetGame:
    """The game whose rules stand in a file. The file is data: nothing in it is run. Raises BadInput."""
    file = Path(path).expanduser()
    if not file.is_file():
        raise BadInput(f"There is no file '{path}'; expected a rule sheet in KIF.")
    try:
        with file.open("rb") as opened:
            data = opened.read(4 * LONGEST + 1)
    except OSError as error:
        raise BadInput(f"'{path}' cannot be read: {error.strerror or error}.") from None
    return SheetGame(data.decode("utf-8", errors="replace"), file.name)
