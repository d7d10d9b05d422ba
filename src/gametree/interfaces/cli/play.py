"""`gametree play`: a game in the terminal against any player, with its search explained."""

from __future__ import annotations

import random
from typing import Annotated, Any

import typer
from rich.table import Table

from gametree.core.errors import BadInput, GametreeError, IllegalMove
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.core.result import SearchResult
from gametree.interfaces.cli.common import GameName, Moves, board, console, number, open_game, set_up

__all__ = ["register"]

HELP = """Type a move, or one of these words:
  moves  the legal moves          hint  what the computer would play
  undo   take your last move back  why   how the computer chose its last move
  board  draw the position again   quit  stop playing"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("play")(play)


def play(
    game: GameName,
    seat: Annotated[int, typer.Option("--seat", "-s", help="Your seat, counted from 1; 0 to watch.")] = 1,
    against: Annotated[
        str, typer.Option("--against", "-a", help="The other players: best, random, alphabeta:depth=4, mcts:time=1.")
    ] = "best",
    position: Annotated[str | None, typer.Option(help="Start from this position, as the game writes it.")] = None,
    moves: Moves = "",
    explain: Annotated[bool, typer.Option(help="Explain every move of the computer.")] = True,
    seed: Annotated[int | None, typer.Option(help="Seed for dice and cards.")] = None,
) -> None:
    """Play a game in the terminal."""
    rules = open_game(game)
    seats = rules.facts.players
    if not 0 <= seat <= seats:
        raise BadInput(f"There is no seat {seat} in {rules.name}; expected 1 to {seats}, or 0 to watch.")
    Session(rules, seat - 1, against, explain, seed).run(set_up(rules, position, moves))


class Session:
    """One game at the terminal: whose turn it is, what was played, and what the computer thought."""

    def __init__(self, game: Game[Any, Any], seat: int, against: str, explain: bool, seed: int | None) -> None:
        from gametree.play.players import make_player

        self.game, self.seat, self.explain = game, seat, explain
        self.player = make_player(against, game)
        self.rng = random.Random(seed)
        self.past: list[Any] = []  # the positions in which the person moved
        self.last: SearchResult | None = None

    def run(self, state: Any) -> None:
        """Play to the end, or until the person or the input stops."""
        game = self.game
        if self.seat >= 0:
            console.print(f"You are player {self.seat + 1} of {game.facts.players}. Type help for help.", style="dim")
        while not game.is_terminal(state):
            mover = game.player(state)
            if mover == CHANCE:
                state = self._chance(state)
            elif mover == SIMULTANEOUS:
                joint = tuple(
                    (self._choose(state, seat) if game.seat_actions(state, seat) else None)
                    for seat in range(game.facts.players)
                )
                if joint.count(_QUIT):
                    return
                console.print(f"Played at once: {game.action_text(state, joint)}", markup=False)
                state = game.result(state, joint)
            else:
                action = self._choose(state, mover)
                if action is _QUIT:
                    return
                if action is _UNDO:
                    state = self.past.pop()
                    continue
                state = game.result(state, action)
        self._end(state)

    def _chance(self, state: Any) -> Any:
        outcomes = self.game.outcomes(state)
        [(action, _)] = self.rng.choices(outcomes, weights=[p for _, p in outcomes])
        if not self.game.facts.hidden:
            console.print(f"Chance: {self.game.action_text(state, action)}", style="magenta", markup=False)
        return self.game.result(state, action)

    def _choose(self, state: Any, seat: int) -> Any:
        if seat == self.seat:
            return self._ask(state)
        if self.seat < 0:
            self._show(state, seat)
        choice = self.player.choose(self.game, state, seat)
        self.last = choice.result
        if self.game.player(state) != SIMULTANEOUS:
            console.print(
                f"Player {seat + 1} plays {self.game.action_text(state, choice.action)}.", style="bold", markup=False
            )
            if self.explain:
                self._why()
        return choice.action

    def _show(self, state: Any, seat: int) -> None:
        console.print()
        console.print(board(self.game, state, seat), markup=False)
        console.print()

    def _ask(self, state: Any) -> Any:
        """The person's move, or _UNDO or _QUIT."""
        game, seat = self.game, self.seat
        self._show(state, seat)
        while True:
            try:
                text = console.input("Your move: ").strip()
            except EOFError:
                console.print("\nThe input ended before the game did.")
                return _QUIT
            if not text:
                continue
            word = text.lower()
            if word in ("quit", "exit", "q"):
                console.print("Goodbye.")
                return _QUIT
            if word in ("help", "?"):
                console.print(HELP)
            elif word == "board":
                self._show(state, seat)
            elif word == "moves":
                console.print(" ".join(self._texts(state)), markup=False)
            elif word == "why":
                self._why()
            elif word == "hint":
                self._hint(state)
            elif word == "undo":
                if self.past and game.player(state) != SIMULTANEOUS:
                    return _UNDO
                console.print("There is no move to take back.")
            else:
                try:
                    action = self._read(state, text)
                except IllegalMove as error:
                    console.print(str(error), style="red", markup=False)
                    continue
                self.past.append(state)
                return action

    def _read(self, state: Any, text: str) -> Any:
        if self.game.player(state) != SIMULTANEOUS:
            return self.game.action_from_text(state, text)
        texts = {str(action): action for action in self.game.seat_actions(state, self.seat)}
        if text not in texts:
            raise IllegalMove(f"'{text}' is not a legal move here. Legal moves: {', '.join(texts)}.")
        return texts[text]

    def _texts(self, state: Any) -> list[str]:
        if self.game.player(state) == SIMULTANEOUS:
            return [str(action) for action in self.game.seat_actions(state, self.seat)]
        return [self.game.action_text(state, action) for action in self.game.actions(state)]

    def _hint(self, state: Any) -> None:
        choice = self.player.choose(self.game, state, self.seat)
        text = str(choice.action)
        if self.game.player(state) != SIMULTANEOUS:
            text = self.game.action_text(state, choice.action)
        worth = f", worth {self._words(choice.result)}" if choice.result else ""
        console.print(f"I would play {text}{worth}.", markup=False)

    def _why(self) -> None:
        """Say how the last search came to its move: what it looked at, and what the other moves are worth."""
        result = self.last
        if result is None:
            console.print("I have not searched yet.")
            return
        console.print(
            f"I looked at {result.nodes:,} positions with {result.algorithm} in {result.seconds:.2f} s: "
            f"for me this is worth {self._words(result)}.",
            style="dim",
            markup=False,
        )
        if not self.game.facts.hidden and not self.game.facts.simultaneous and result.seconds < 1:
            self._alternatives(result)

    def _alternatives(self, result: SearchResult) -> None:
        """A table of all moves with the value that the same search gives them."""
        game, table = self.game, Table(box=None, pad_edge=False, header_style="dim", style="dim")
        for heading in ("move", "worth to me", "then best play"):
            table.add_column(heading)
        rows = []
        for action in game.actions(result.state):
            child = game.result(result.state, action)
            try:
                worth, line = self._worth(child, result.player)
            except GametreeError:  # the search cannot start from there, say at a chance node
                return
            rows.append((worth, game.action_text(result.state, action), line, action == result.move))
        rows.sort(key=lambda row: (-row[0], not row[3]))
        for worth, text, line, chosen in rows[:9]:
            table.add_row(f"{'→ ' if chosen else '  '}{text}", number(worth), line)
        if len(rows) > 9:
            table.add_row(f"  and {len(rows) - 9} more", "", "")
        console.print(table)

    def _worth(self, child: Any, seat: int) -> tuple[float, str]:
        """What `child` is worth to `seat`, by the same player, and best play from there."""
        game = self.game
        if game.is_terminal(child):
            return game.utility(child, seat), ""
        found = self.player.choose(game, child, max(0, game.player(child))).result
        if found is None:
            return 0.0, ""
        value = found.value
        if found.values is not None:
            value = found.values[seat]
        elif found.player != seat:
            value = (game.facts.utility_sum or 0) - value
        return value, " ".join(found.to_data(game)["pv"][:6])

    def _words(self, result: SearchResult) -> str:
        facts = self.game.facts
        plain = number(result.value)
        if result.bound != "exact" or facts.players != 2:
            return plain
        if result.value == facts.max_utility:
            return f"{plain}, a win"
        if result.value == facts.min_utility:
            return f"{plain}, a loss"
        return f"{plain}, a draw" if result.value == (facts.max_utility + facts.min_utility) / 2 else plain

    def _end(self, state: Any) -> None:
        console.print()
        console.print(board(self.game, state), markup=False)
        console.print()
        utilities = [self.game.utility(state, seat) for seat in range(self.game.facts.players)]
        best = max(utilities)
        winners = [seat for seat, utility in enumerate(utilities) if utility == best]
        if len(winners) == len(utilities):
            verdict = "A draw."
        elif self.seat in winners and len(winners) == 1:
            verdict = "You win."
        else:
            verdict = " and ".join(f"Player {seat + 1}" for seat in winners) + (
                " wins." if len(winners) == 1 else " win."
            )
        shares = ", ".join(f"player {seat + 1}: {number(utility)}" for seat, utility in enumerate(utilities))
        console.print(f"{verdict} ({shares})", style="bold green", markup=False)


_QUIT, _UNDO = object(), object()
