"""`gametree play`: a game in the terminal against any player, with its search explained, saved after every move."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from gametree.core.drawing import cells_in_move
from gametree.core.errors import BadInput, GametreeError, IllegalMove
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.core.result import SearchResult
from gametree.interfaces.cli.common import GameName, Moves, board, console, number, open_game, set_up
from gametree.interfaces.cli.saved_games import SavedGame, new_path, read_game, unfinished_game, write_game

__all__ = ["register"]

HELP = """Type a move, or one of these words:
  moves   the legal moves            hint    what a good player would play
  undo    take your last move back   why     how the computer chose its last move
  board   draw the position again    flip    look at the board from the other side
  level   the computer's strength    fen     the position in one line
  draw    offer a draw               resign  give the game up
  save    write a copy to a file     quit    stop; the game can go on another day"""

_DRAW_CHANCE = 0.5
"""The computer accepts a draw if it thinks that its chances are at most this."""
_QUIT, _UNDO, _OVER = object(), object(), object()


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("play")(play)


def play(
    game: GameName,
    seat: Annotated[int | None, typer.Option("--seat", "-s", help="Your seat, counted from 1; 0 to watch.")] = None,
    against: Annotated[
        str | None,
        typer.Option("--against", "-a", help="The other players: best, random, alphabeta:depth=4, mcts:time=1."),
    ] = None,
    level: Annotated[
        str | None,
        typer.Option("--level", "-l", help="Strength: beginner, casual, club, expert, master, full, or an Elo rating."),
    ] = None,
    position: Annotated[str | None, typer.Option(help="Start from this position, as the game writes it.")] = None,
    moves: Moves = "",
    explain: Annotated[bool, typer.Option(help="Explain every move of the computer.")] = True,
    plain: Annotated[bool, typer.Option("--ascii", help="Draw the board with plain letters.")] = False,
    resume: Annotated[bool, typer.Option("--resume", "-r", help="Go on with the game that was cut off.")] = False,
    save: Annotated[Path | None, typer.Option(help="Keep the game in this file, not in your folder of games.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed for dice and cards.")] = None,
) -> None:
    """Play a game in the terminal. It is saved after every move: PGN for chess, JSON for other games."""
    rules = open_game(game)
    seats = rules.facts.players
    if seat is not None and not 0 <= seat <= seats:
        raise BadInput(f"There is no seat {seat} in {rules.name}; expected 1 to {seats}, or 0 to watch.")
    if against is not None and level is not None:
        raise BadInput(f"--against {against} and --level {level} both name the other player; expected one of them.")
    if level is not None:
        against = f"engine:level={level}"
    if resume and (position is not None or moves):
        raise BadInput("--resume goes on with a game as it stands; leave --position and --moves out.")
    found = _to_resume(rules, save, resume, asked=not any((seat, against, position, moves, save)))
    if found is None:
        set_up(rules, position, moves)  # complains in the words of the command line
        person = 0 if seat is None else seat - 1
        played = tuple(moves.split())
        found = SavedGame(rules.name, person, against or "best", position, played, seed=seed, path=save)
    else:
        found = replace(
            found,
            seat=found.seat if seat is None else seat - 1,
            against=against or found.against,
            seed=found.seed if seed is None else seed,
        )
    Session(rules, found, explain=explain, plain=plain).run()


def _to_resume(game: Game[Any, Any], save: Path | None, resume: bool, *, asked: bool) -> SavedGame | None:
    """The game to go on with: the one that was asked for, or one that was cut off if the person says yes."""
    if save is not None and resume:
        return read_game(save, game)
    if resume:
        found = unfinished_game(game)
        if found is None:
            raise BadInput(f"There is no game of {game.name} that was cut off; leave --resume out to begin one.")
        return found
    if not asked or not sys.stdin.isatty():
        return None
    found = unfinished_game(game)
    if found is None:
        return None
    console.print(f"A game of {found.date} against {found.against} was cut off after {len(found.moves)} moves.")
    try:
        answer = console.input("Go on with it? [y/n] ").strip().lower()
    except EOFError:
        return None
    return found if answer in ("", "y", "yes") else None


class Session:
    """One game at the terminal: whose turn it is, what was played, and what the computer thought.

    Raises BadInput, IllegalMove, UnknownName, UnfitGame if the saved game does not fit.
    """

    def __init__(self, game: Game[Any, Any], saved: SavedGame, *, explain: bool, plain: bool = False) -> None:
        self.game, self.saved, self.seat, self.explain, self.plain = game, saved, saved.seat, explain, plain
        if saved.utilities is not None:
            raise BadInput(f"The game in '{saved.path}' is over; leave --resume out to begin another.")
        self.states = [game.initial() if saved.position is None else game.state_from_text(saved.position)]
        self.actions: list[Any] = []
        for word in saved.moves:
            self._play(game.action_from_text(self.states[-1], word))
        self.path = saved.path
        self.turned = self.seat == 1 and game.draw(self.states[0]).checkered
        self.last: SearchResult | None = None
        self.from_book = False  # whether the computer's last move was known beforehand
        self.value: float | None = None  # what the computer thinks that its position is worth
        self._advisers: dict[str, Any] = {}
        self._meet(saved.against)

    def _meet(self, against: str) -> None:
        """Let the computer play as this player. Raises BadInput, UnknownName, UnfitGame."""
        from gametree.play.players import make_player

        self.player = make_player(against, self.game)
        seed = self.saved.seed
        lots = random.Random(None if seed is None else f"{seed} {len(self.actions)}")
        self.player.start(self.game, 1 if self.seat == 0 else 0, lots.getrandbits(30))
        self.saved = replace(self.saved, against=against)

    def _adviser(self, name: str) -> Any:
        """A player for questions, so that the one at the table is not disturbed in its memory."""
        from gametree.play.players import make_player

        if name not in self._advisers:
            self._advisers[name] = make_player(name, self.game)
        return self._advisers[name]

    # The game ---------------------------------------------------------------------------------------------------------

    @property
    def state(self) -> Any:
        """The position."""
        return self.states[-1]

    def run(self) -> None:
        """Play to the end, or until the person or the input stops."""
        game = self.game
        if self.seat >= 0:
            console.print(f"You are player {self.seat + 1} of {game.facts.players}. Type help for help.", style="dim")
        try:
            self._loop()
        except KeyboardInterrupt:
            self._tell_where()
            raise
        finally:
            self.player.close()

    def _loop(self) -> None:
        game = self.game
        while not game.is_terminal(self.state):
            state = self.state
            mover = game.player(state)
            action: Any
            if mover == CHANCE:
                action = self._roll(state)
            elif mover == SIMULTANEOUS:
                joint = tuple(
                    (self._choose(state, seat) if game.seat_actions(state, seat) else None)
                    for seat in range(game.facts.players)
                )
                if joint.count(_QUIT) or joint.count(_OVER):
                    return
                console.print(f"Played at once: {game.action_text(state, joint)}", markup=False)
                action = joint
            else:
                action = self._choose(state, mover)
            if action is _QUIT or action is _OVER:
                return
            if action is _UNDO:
                continue
            self._play(action)
            self._keep()
        self._end(tuple(game.utility(self.state, seat) for seat in range(game.facts.players)))

    def _play(self, action: Any) -> None:
        self.actions.append(action)
        self.states.append(self.game.result(self.state, action))

    def _roll(self, state: Any) -> Any:
        outcomes = self.game.outcomes(state)
        seed = self.saved.seed
        # With a seed every throw depends on it and on its place in the game, so that a game that goes on is the same.
        lots = random.Random(None if seed is None else f"{seed} {len(self.actions)}")
        [(action, _)] = lots.choices(outcomes, weights=[p for _, p in outcomes])
        if not self.game.facts.hidden:
            console.print(f"Chance: {self.game.action_text(state, action)}", style="magenta", markup=False)
        return action

    def _choose(self, state: Any, seat: int) -> Any:
        from gametree.play.clocks import Turn
        from gametree.play.players import RESIGN

        game = self.game
        if seat == self.seat:
            return self._ask(state)
        if self.seat < 0:
            self._show(seat)
        choice = self.player.choose(game, state, seat, Turn(self.states[0], tuple(self.actions)))
        if choice.action is RESIGN:
            from gametree.play.referee import forfeit

            console.print(f"Player {seat + 1} resigns.", style="bold")
            self._end(forfeit(game, seat))
            return _OVER
        self.last, self.from_book = choice.result, choice.note == "book"
        self.value = choice.value if choice.result is None else choice.result.value
        if game.player(state) != SIMULTANEOUS:
            console.print(
                f"Player {seat + 1} plays {game.action_text(state, choice.action)}.", style="bold", markup=False
            )
            if self.explain:
                self._why()
        return choice.action

    # The person -------------------------------------------------------------------------------------------------------

    def _ask(self, state: Any) -> Any:
        """The person's move, or _UNDO, _OVER or _QUIT."""
        self._show(self.seat)
        while True:
            try:
                text = console.input("Your move: ").strip()
            except EOFError:
                console.print("\nThe input ended before the game did.")
                self._tell_where()
                return _QUIT
            word, _, rest = text.partition(" ")
            word = word.lower()
            if not text:
                continue
            if word in ("quit", "exit", "q"):
                self._tell_where()
                console.print("Goodbye.")
                return _QUIT
            if word == "undo":
                if self._undo(state):
                    return _UNDO
            elif word == "resign":
                return self._resign()
            elif word == "draw":
                if self._offer_draw():
                    return _OVER
            elif word in _WORDS:
                _WORDS[word](self, rest.strip())
            else:
                try:
                    return self._read(state, text)
                except IllegalMove as error:
                    console.print(str(error), style="red", markup=False)

    def _show(self, seat: int) -> None:
        console.print()
        console.print(
            board(self.game, self.state, seat, marked=self._last_cells(), plain=self.plain, turned=self.turned),
            markup=False,
        )
        console.print()

    def _last_cells(self) -> tuple[str, ...]:
        """The cells of the last move, where the game says which they are and there is no secret about it."""
        game = self.game
        if not self.actions or game.facts.hidden or game.facts.simultaneous:
            return ()
        before, action = self.states[-2], self.actions[-1]
        cells = game.draw(before).cells
        if len(cells) <= 16 or game.player(before) < 0:
            return ()
        return tuple(game.action_cells(before, action)) or cells_in_move(game.action_text(before, action), cells)

    def _read(self, state: Any, text: str) -> Any:
        if self.game.player(state) != SIMULTANEOUS:
            return self.game.action_from_text(state, text)
        texts = {str(action): action for action in self.game.seat_actions(state, self.seat)}
        if text not in texts:
            raise IllegalMove(f"'{text}' is not a legal move here. Legal moves: {', '.join(texts)}.")
        return texts[text]

    def _undo(self, state: Any) -> bool:
        """Go back to the person's last decision; whether there was one."""
        game = self.game
        own = [i for i in range(len(self.actions)) if game.player(self.states[i]) == self.seat]
        if not own or game.player(state) == SIMULTANEOUS:
            console.print("There is no move to take back.")
            return False
        del self.actions[own[-1] :], self.states[own[-1] + 1 :]
        self._keep()
        return True

    def _resign(self) -> Any:
        from gametree.play.referee import forfeit

        self._end(forfeit(self.game, self.seat))
        return _OVER

    def _offer_draw(self) -> bool:
        """Whether the computer accepts; it does if it does not think that it is better."""
        from gametree.play.strength import winning_chance

        facts = self.game.facts
        if facts.players != 2 or facts.utility_sum is None:
            console.print("There are no draws to agree on in this game.")
            return False
        if self.value is None or winning_chance(self.game, self.value) > _DRAW_CHANCE:
            console.print("The other player declines.")
            return False
        console.print("The other player accepts.")
        self._end((facts.utility_sum / 2,) * 2)
        return True

    def _tell_moves(self, rest: str) -> None:
        state, game = self.state, self.game
        if game.player(state) == SIMULTANEOUS:
            texts = [str(action) for action in game.seat_actions(state, self.seat)]
        else:
            texts = [game.action_text(state, action) for action in game.actions(state)]
        console.print(" ".join(texts), markup=False)

    def _tell_hint(self, rest: str) -> None:
        state, game = self.state, self.game
        choice = self._adviser("best").choose(game, state, self.seat)
        text = str(choice.action)
        if game.player(state) != SIMULTANEOUS:
            text = game.action_text(state, choice.action)
        worth = f", worth {self._words(choice.result)}" if choice.result else ""
        console.print(f"I would play {text}{worth}.", markup=False)

    def _tell_position(self, rest: str) -> None:
        if self.game.facts.hidden:
            console.print("Not everything about this position is yours to know.")
            return
        write = getattr(self.game, "fen", self.game.state_text)
        console.print(write(self.state), markup=False, soft_wrap=True)

    def _change_level(self, rest: str) -> None:
        from gametree.play.strength import LEVELS

        if not rest:
            names = ", ".join(f"{name} ({elo})" for name, elo in LEVELS.items())
            console.print(f"You play against {self.saved.against}. `level NAME` changes that: {names}, or any Elo.")
            return
        try:
            self._meet(f"engine:level={rest}")
        except GametreeError as error:
            console.print(str(error), style="red", markup=False)
            return
        console.print(f"From now on you play against {self.saved.against}.", markup=False)
        self._keep()

    def _flip(self, rest: str) -> None:
        self.turned = not self.turned
        self._show(self.seat)

    # The file ---------------------------------------------------------------------------------------------------------

    def _now(self, utilities: tuple[float, ...] | None = None) -> SavedGame:
        texts = tuple(
            self.game.action_text(state, action) for state, action in zip(self.states, self.actions, strict=False)
        )
        return replace(self.saved, moves=texts, utilities=utilities, path=self.path)

    def _keep(self, utilities: tuple[float, ...] | None = None) -> None:
        """Write the game as it stands, from the person's first move on, or if the person has named a file."""
        if self.path is None:
            if all(self.game.player(state) not in (self.seat, SIMULTANEOUS) for state in self.states[:-1]):
                return
            self.path = new_path(self.game)
        write_game(self.path, self.game, self._now(utilities), self.actions)

    def _save_copy(self, rest: str) -> None:
        if not rest:
            console.print("Where to? Expected save FILE.")
            return
        try:
            write_game(Path(rest).expanduser(), self.game, self._now(), self.actions)
        except BadInput as error:
            console.print(str(error), style="red", markup=False)
            return
        console.print(f"Wrote {rest}.", markup=False, soft_wrap=True)

    def _tell_where(self) -> None:
        if self.path is not None:
            how = "--resume" if self.saved.path is None else f"--save {self.path} --resume"
            console.print(f"The game is kept; `gametree play {self.game.name} {how}` goes on with it.", markup=False)

    # What the computer thought ----------------------------------------------------------------------------------------

    def _why(self, rest: str = "") -> None:
        """Say how the last search came to its move: what it looked at, and what the other moves are worth."""
        result = self.last
        if result is None:
            console.print("I know that move from my book." if self.from_book else "I have not searched yet.")
            return
        console.print(
            f"I looked at {result.nodes:,} positions with {result.algorithm} in {result.seconds:.2f} s: "
            f"for me this is worth {self._words(result)}.",
            style="dim",
            markup=False,
        )
        limited = "level=" in self.saved.against or "elo=" in self.saved.against
        if not self.game.facts.hidden and not self.game.facts.simultaneous and result.seconds < 1 and not limited:
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
        from gametree.play.players import BookPlayer

        game = self.game
        if game.is_terminal(child):
            return game.utility(child, seat), ""
        adviser = self._adviser(self.saved.against)
        searcher = adviser.player if isinstance(adviser, BookPlayer) else adviser
        found = searcher.choose(game, child, max(0, game.player(child))).result
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

    def _end(self, utilities: tuple[float, ...]) -> None:
        """Show the last position and the result, and write it down."""
        console.print()
        shown = board(self.game, self.state, marked=self._last_cells(), plain=self.plain, turned=self.turned)
        console.print(shown, markup=False)
        console.print()
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
        if self.actions:
            self._keep(utilities)
        if self.path is not None:
            console.print(f"The game is in {self.path}.", style="dim", markup=False, soft_wrap=True)


_WORDS: dict[str, Any] = {
    "help": lambda session, rest: console.print(HELP),
    "?": lambda session, rest: console.print(HELP),
    "board": lambda session, rest: session._show(session.seat),
    "moves": Session._tell_moves,
    "why": Session._why,
    "hint": Session._tell_hint,
    "fen": Session._tell_position,
    "level": Session._change_level,
    "flip": Session._flip,
    "save": Session._save_copy,
}
"""What the person may type besides a move, and that does not change the game."""
