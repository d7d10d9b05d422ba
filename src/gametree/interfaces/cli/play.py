"""`gametree play`: a game in the terminal against any player, with its search explained, saved after every move."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from gametree.core.dice import new_secret, seed_for
from gametree.core.drawing import cells_in_move
from gametree.core.errors import BadInput, GametreeError, IllegalMove
from gametree.core.format import position_format
from gametree.core.game import CHANCE, SIMULTANEOUS, Game
from gametree.core.result import SearchResult
from gametree.core.scene import scene
from gametree.interfaces.cli.common import GameName, Moves, board, console, is_compiled, number, open_game, set_up
from gametree.interfaces.cli.saved_games import SavedGame, house_salt, new_path, read_game, unfinished_game, write_game
from gametree.play.table import Table as GameTable
from gametree.play.table import View

if TYPE_CHECKING:
    from gametree.play.seated import Seated

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
_QUIT, _DONE = object(), object()
"""The person stops; something was done that is no move."""


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
    rules = open_game(game, plain=True)
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
        answer = console.input("Go on with it? \\[y/n] ").strip().lower()
    except EOFError:
        return None
    return found if answer in ("", "y", "yes") else None


class Session:
    """One game at the terminal: it drives a table, asks the person and the computer, and tells what the person hears.

    Raises BadInput, IllegalMove, UnknownName, UnfitGame if the saved game does not fit.
    """

    def __init__(self, game: Game[Any, Any], saved: SavedGame, *, explain: bool, plain: bool = False) -> None:
        from gametree.play.openings import Opening

        self.game, self.saved, self.seat, self.explain, self.plain = game, saved, saved.seat, explain, plain
        if saved.utilities is not None:
            raise BadInput(f"The game in '{saved.path}' is over; leave --resume out to begin another.")
        secret = bytes.fromhex(saved.secret) or new_secret(saved.seed, house_salt() if saved.seed is not None else b"")
        self.saved = replace(saved, secret=secret.hex())
        opening, past = Opening(saved.position), {"moves": saved.moves}
        self.table = GameTable(game, secret=secret, opening=opening, past=past)
        self.path = saved.path
        self.turned = self.seat == 1 and game.draw(game.initial()).checkered
        self.last: SearchResult | None = None
        self.from_book = False  # whether the computer's last move was known beforehand
        self.value: float | None = None  # what the computer thinks that its position is worth
        self._told = len(self._heard())
        self._remark = ""  # what the computer says besides its move
        self._players: dict[int, Seated] = {}
        self._advisers: dict[str, Seated] = {}
        self._meet(saved.against)

    def _meet(self, against: str) -> None:
        """Let the computer play as this player. Raises BadInput, UnknownName, UnfitGame."""
        first = next((seat for seat in self.table.seats if seat != self.seat), 0)
        met = self._sit(against)
        met.start(first, self._seed(first))
        self._dismiss()
        self._players = {first: met}
        self.saved = replace(self.saved, against=against)

    def _sit(self, name: str) -> Seated:
        """The player of this name; while its code is compiled, a substitute plays with a person at the terminal."""
        from gametree.play.players import make_player
        from gametree.play.seated import Seated

        rules = self.game.twin()
        player = make_player(name, rules)
        if is_compiled(self.game) and self.seat >= 0 and sys.stdin.isatty() and console.is_terminal:
            from gametree.play.substitute import SubstitutePlayer

            player = SubstitutePlayer(player)
        return Seated(player, rules)

    def _seed(self, seat: int) -> int:
        return seed_for(bytes.fromhex(self.saved.secret), "player", seat)

    def _player(self, seat: int) -> Seated:
        """The computer on this seat; on every seat it is another one, so that partners do not share what they see."""
        if seat not in self._players:
            self._players[seat] = self._sit(self.saved.against)
            self._players[seat].start(seat, self._seed(seat))
        return self._players[seat]

    def _adviser(self, name: str) -> Seated:
        """A player for questions, so that the one at the table is not disturbed in its memory."""
        if name not in self._advisers:
            self._advisers[name] = self._sit(name)
        return self._advisers[name]

    def _dismiss(self) -> None:
        for player in self._players.values():
            player.close()
        self._players = {}

    # The game ---------------------------------------------------------------------------------------------------------

    def _view(self, seat: int) -> View:
        return self.table.view(seat, moves=False)

    def _seen(self, seat: int) -> Any:
        """The position as the seat sees it."""
        from gametree.play.plain import from_plain

        return from_plain(self._view(seat).position)

    def _heard(self) -> tuple[tuple[int, str, Any], ...]:
        """What the person has heard, or who looks on."""
        return self._view(self.seat).heard

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
            self._dismiss()
            for adviser in self._advisers.values():
                adviser.close()

    def _loop(self) -> None:
        table = self.table
        while table.result is None:
            seat = table.waiting()[0]
            action = self._ask() if seat == self.seat else self._choose(seat)
            if action is _QUIT:
                return
            if action is not _DONE:
                table.act(seat, action)
                self._tell_news()
                self._keep()
        self._end()

    def _tell_news(self) -> None:
        """Say what the person has heard since the last time: what others played, and what chance brought."""
        heard = self._heard()
        for mover, text, _ in heard[self._told :]:
            if mover == CHANCE and not self.game.facts.hidden:
                console.print(f"Chance: {text}", style="magenta", markup=False)
            elif mover == SIMULTANEOUS:
                console.print(f"Played at once: {text}", markup=False)
            elif mover >= 0 and mover != self.seat:
                console.print(f"Player {mover + 1} plays {text}.", style="bold", markup=False)
                if self.explain:
                    self._why()
                if self._remark:
                    console.print(self._remark, style="dim", markup=False)
        self._told, self._remark = len(heard), ""

    def _choose(self, seat: int) -> Any:
        """The computer's choice, or _DONE if it has resigned."""
        from gametree.play.players import RESIGN

        if self.seat < 0:
            self._show(seat)
        seated = self._player(seat)
        choice = seated.choose(self._view(seat))
        self._remark = choice.note if getattr(seated.player, "stands_in", False) else ""
        if choice.action is RESIGN:
            console.print(f"Player {seat + 1} resigns.", style="bold")
            self.table.resign(seat)
            return _DONE
        self.last, self.from_book = choice.result, choice.note == "book"
        self.value = choice.value if choice.result is None else choice.result.value
        return choice.action

    # The person -------------------------------------------------------------------------------------------------------

    def _ask(self) -> Any:
        """The person's move; _DONE if something else has happened, or _QUIT."""
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
                if self._undo():
                    return _DONE
            elif word == "resign":
                self.table.resign(self.seat)
                return _DONE
            elif word == "draw":
                if self._offer_draw():
                    return _DONE
            elif word in _WORDS:
                _WORDS[word](self, rest.strip())
            else:
                try:
                    return self.table.read(self.seat, text)
                except IllegalMove as error:
                    console.print(str(error), style="red", markup=False)

    def _show(self, seat: int) -> None:
        """Draw the position as the seat sees it."""
        seen, marked = self._seen(seat), self._last_cells()
        console.print()
        console.print(board(self.game, seen, seat, marked=marked, plain=self.plain, turned=self.turned), markup=False)
        console.print()

    def _last_cells(self) -> tuple[str, ...]:
        """The cells of the last move, where the game says which they are and there is no secret about it."""
        from gametree.play.plain import from_plain

        game, view = self.game, self._view(self.seat)
        if view.before is None or game.facts.simultaneous:
            return ()
        before, action = from_plain(view.before), from_plain(view.heard[-1][2])
        cells = scene(game.draw(before)).names
        if len(cells) <= 16 or game.player(before) < 0:
            return ()
        return tuple(game.action_cells(before, action)) or cells_in_move(game.action_text(before, action), cells)

    def _undo(self) -> bool:
        """Go back to the person's last decision; whether there was one."""
        try:
            self.table.take_back(self.table.last_decision((self.seat,)))
        except BadInput as error:
            console.print(str(error))
            return False
        self._told = len(self._heard())
        self._keep()
        return True

    def _offer_draw(self) -> bool:
        """Whether the computer accepts; it does if it does not think that it is better."""
        facts = self.game.facts
        if facts.players != 2 or facts.utility_sum is None:
            console.print("There are no draws to agree on in this game.")
            return False
        accepts = self.value is not None and self.game.winning_chance(self.value) <= _DRAW_CHANCE
        console.print(f"The other player {'accepts' if accepts else 'declines'}.")
        self.table.offer(self.seat, "draw")
        self.table.answer(1 - self.seat, accepts)
        return accepts

    def _tell_moves(self, rest: str) -> None:
        console.print(" ".join(self.table.view(self.seat).moves), markup=False)

    def _tell_hint(self, rest: str) -> None:
        view = self._view(self.seat)
        adviser = self._adviser("best")
        choice = adviser.choose(view)
        worth = f", worth {self._words(choice.result)}" if choice.result else ""
        console.print(f"I would play {adviser.text(view, choice)}{worth}.", markup=False)

    def _tell_position(self, rest: str) -> None:
        if self.game.facts.hidden:
            console.print("Not everything about this position is yours to know.")
            return
        console.print(position_format(self.game, "fen").write(self.table.state), markup=False, soft_wrap=True)

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

    def _now(self) -> SavedGame:
        result = self.table.result
        utilities = None if result is None else result.utilities
        return replace(self.saved, moves=tuple(self.table.moves), utilities=utilities, path=self.path)

    def _keep(self) -> None:
        """Write the game as it stands, from the person's first move on, or if the person has named a file."""
        if self.path is None:
            if not {self.seat, SIMULTANEOUS} & set(self.table.movers):
                return
            self.path = new_path(self.game)
        write_game(self.path, self.game, self._now(), self.table.actions)

    def _save_copy(self, rest: str) -> None:
        if not rest:
            console.print("Where to? Expected save FILE.")
            return
        try:
            write_game(Path(rest).expanduser(), self.game, self._now(), self.table.actions)
        except BadInput as error:
            console.print(str(error), style="red", markup=False)
            return
        console.print(f"Wrote {rest}.", markup=False, soft_wrap=True)

    def _tell_where(self) -> None:
        if self.path is not None:
            how = "--resume" if self.saved.path is None else f"--save {self.path} --resume"
            console.print(f"The game is kept; `gametree play {self.game.name} {how}` goes on with it.", markup=False)

    # What the computer thought ----------------------------------------------------------------------------------------

    def _why(self, rest: str | None = None) -> None:
        """Say how the last search came to its move: what it looked at, and what the other moves are worth."""
        result = self.last
        if self.game.facts.hidden and self.seat >= 0:
            if rest is not None:
                console.print("What I think of my position would tell you what I hold.")
            return
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
        searcher = adviser.player.player if isinstance(adviser.player, BookPlayer) else adviser.player
        found = searcher.choose(adviser.rules, child, max(0, game.player(child))).result
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

    def _end(self) -> None:
        """Show the last position, as the person sees it, and the result, and write it down."""
        assert self.table.result is not None
        utilities = self.table.result.utilities
        shown = self.table.state if self.seat < 0 else self._seen(self.seat)
        console.print()
        drawn = board(self.game, shown, marked=self._last_cells(), plain=self.plain, turned=self.turned)
        console.print(drawn, markup=False)
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
        if self.table.plies:
            self._keep()
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
