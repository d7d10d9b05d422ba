"""GCG, the notation of Scrabble games: one event a line, with the rack, the play, its points and the running total.

    #character-encoding UTF-8
    #player1 ann Ann Example
    #player2 bob Bob
    >ann: ADEGORZ 8D GRAZED +38 38
    >bob: CELNOOT F2 ECOTON.L +64 64
    >ann: AALNOSW -AAW +0 38

After Quackle's and MAGPIE's files: `.` stands for a letter on the board, a small letter for a blank, `?` for one in a
rack; `-AAW` exchanges, `-` passes, `--` takes a play back that was challenged, `(challenge)` are points for a play that
was challenged wrongly, `(time)` points lost on the clock, and a rack in brackets is counted at the end. A rack may be
written with fewer tiles than the player held; those that are not told are taken from what is left. Points lost on the
clock are told in a comment, since the rules here know no clock. Without an encoding line a file is Latin-1; the reader
gets text, so it is whoever opens the file that must know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from gametree.core.errors import BadInput, GametreeError
from gametree.core.format import Format, Record
from gametree.core.game import CHANCE, Game
from gametree.formats._common import offer_records

__all__ = ["GcgGame", "offer", "split", "write"]

_EVENT = re.compile(r">\s*([^:\s]+)\s*:\s*(.*?)\s+([+-]\d+)\s+(-?\d+)\s*")
_PLACE = re.compile(r"\d{1,2}[A-Za-z]|[A-Za-z]\d{1,2}")


@dataclass(frozen=True)
class GcgGame:
    """One game: the lines of it, with their numbers."""

    lines: tuple[tuple[int, str], ...]
    line: int = 1
    game: str = field(default="scrabble", init=False)

    @property
    def title(self) -> str:
        """Who played."""
        return " – ".join(name for _, name in self._players())

    def _players(self) -> list[tuple[str, str]]:
        """Nick and full name of the players, in order."""
        found = []
        for _, text in self.lines:
            pragma = re.match(r"#player(\d)\s+(\S+)\s*(.*)", text)
            if pragma:
                found.append((pragma[2], pragma[3].strip() or pragma[2]))
        return found

    def record(self, game: Game[Any, Any]) -> Record:
        """Replay the game; where it breaks off, the record has the moves so far and what is wrong."""
        players = self._players()
        replay = _Replay(game)
        error, line = "", self.line
        nicks = [nick for nick, _ in players]
        if "gcg" not in game.formats:
            error = f"GCG is a notation of Scrabble, not of {game.name}."
        elif len(nicks) != game.facts.players:
            error = f"The file has {len(nicks)} players; expected {game.facts.players}."
        elif len(set(nicks)) != len(nicks):
            error = f"Two players are called '{nicks[0]}'; expected names that tell them apart."
        else:
            try:
                replay.upcoming = self._racks(nicks)
                for line, text in self.lines:
                    if text.startswith(">"):
                        replay.event(line, text, nicks)
                    elif text.startswith("#note"):
                        replay.remark(text[5:].strip())
                replay.finish()
            except GametreeError as problem:
                error = f"Line {line}: {problem}"
        over = not error and replay.ended
        return Record(
            game=game.name,
            moves=tuple(replay.moves),
            actions=tuple(replay.actions),
            comments=replay.comments,
            players=tuple(name for _, name in players),
            utilities=tuple(map(float, game.utilities(replay.state))) if over else None,
            reason="end" if over else "",
            tags=self._tags(),
            line=line if error else self.line,
            error=error,
        )

    def _racks(self, nicks: list[str]) -> list[tuple[int, int, str]]:
        """Line, seat and rack wherever the file tells what somebody holds: at turns, and what is counted at the end."""
        racks = []
        for line, text in self.lines:
            found, pragma = _EVENT.fullmatch(text), re.match(r"#rack(\d)\s+(\S+)", text)
            if found and found[1] in nicks:
                seat, words = nicks.index(found[1]), found[2].split()
                counted = re.fullmatch(r"\(([^()]*)\)", words[0])
                if counted and counted[1] not in ("time", "challenge") and len(nicks) == 2:
                    racks.append((line, 1 - seat, counted[1]))
                elif not counted:
                    racks.append((line, seat, words[0]))
            elif pragma and 0 < int(pragma[1]) <= len(nicks):
                racks.append((line, int(pragma[1]) - 1, pragma[2]))
        return racks

    def _tags(self) -> dict[str, str]:
        known = ("title", "description", "lexicon", "id")
        found = (re.match(r"#([a-z-]+)\s+(.*)", text) for _, text in self.lines)
        return {pragma[1]: pragma[2].strip() for pragma in found if pragma and pragma[1] in known}


class _Replay:
    """A game of Scrabble that is played again from its events. Raises GametreeError where one cannot be."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.state = game.initial()
        self.moves: list[str] = []
        self.actions: list[Any] = []
        self.comments: dict[int, str] = {}
        self.totals = [0] * game.facts.players
        self.upcoming: list[tuple[int, int, str]] = []
        self.ended = False
        self._late = 0  # points lost on the clock

    def remark(self, text: str) -> None:
        """Something said behind the last event."""
        if text:
            before = self.comments.get(len(self.moves), "")
            self.comments[len(self.moves)] = f"{before} {text}".strip()

    def event(self, line: int, text: str, nicks: list[str]) -> None:
        """One line that begins with >."""
        found = _EVENT.fullmatch(text)
        if not found:
            raise BadInput(f"'{text[:60]}' is no event; expected >NICK: RACK PLAY +POINTS TOTAL.")
        nick, what, points, total = found.groups()
        if nick not in nicks:
            raise BadInput(f"There is no player '{nick}'; expected {' or '.join(nicks)}.")
        seat = nicks.index(nick)
        words = what.split()
        if words[-1].startswith("("):
            self._bracket(line, words, int(points))
        else:
            self._turn(line, seat, words, int(points))
        self.totals[seat] += int(points)
        if self.totals[seat] != int(total):
            raise BadInput(f"'{text[:60]}' comes to {self.totals[seat]} points, not {total}.")

    def finish(self) -> None:
        """What is left to do behind the last event. Raises BadInput if the game then has another result."""
        if self.ended:
            scores = [int(score) for score in self.game.struct(self.state).scores]
            if sum(scores) + self._late != sum(self.totals):
                told, found = "/".join(map(str, self.totals)), "/".join(map(str, scores))
                raise BadInput(f"the game ends {found} by the rules, not {told}.")

    def _bracket(self, line: int, words: list[str], points: int) -> None:
        """What is no turn: points on the clock, for a challenge, or at the end."""
        if words[-1] == "(time)":
            self._late += points
            self.remark(f"{points} points for time")
        elif words[-1] == "(challenge)":
            if self._asks():
                self._do("challenge")
        else:
            self._accept()
            self._draw(line)
            if not self.game.is_terminal(self.state):
                raise BadInput(f"'{words[-1]}' counts what is left, but the game is not over.")
            self.ended = True

    def _turn(self, line: int, seat: int, words: list[str], points: int) -> None:
        if words[-1] == "--":
            if not self._asks():
                raise BadInput(
                    "'--' takes a play back, but none can be challenged; expected scrabble:challenge=double."
                )
            self._do("challenge")
            return
        self._accept()
        self._draw(line)
        game, rack = self.game, words[0]
        if game.is_terminal(self.state) or game.player(self.state) != seat:
            raise BadInput(f"it is not the turn of player {seat + 1}.")
        if len(rack) > 7:
            raise BadInput(f"the rack {rack} has {len(rack)} tiles; expected at most 7.")
        held = game.rack_of(self.state, seat)
        if _without(held, rack)[1]:
            raise BadInput(f"the rack is {rack}, but player {seat + 1} holds {held}.")
        if len(words) > 1 and _PLACE.fullmatch(words[1]):
            if len(words) < 3:
                raise BadInput(f"the play at {words[1]} has no word.")
            text = f"{words[1]}:{words[2]}"
            scored = game.explain_move(self.state, game.action_from_text(self.state, text))["points"]
            if scored != points:
                raise BadInput(f"the play {words[1]} {words[2]} is worth {scored:g} points, not {points}.")
            self._do(text)
        elif words[-1].startswith("-"):
            self._do("pass" if words[-1] == "-" else self._exchange(seat, words[-1][1:]))
        else:
            raise BadInput(f"'{' '.join(words)}' is no play; expected a place and a word, -, or - and tiles.")

    def _exchange(self, seat: int, tiles: str) -> str:
        """How many tiles are told where they themselves are not known: then the first ones of the rack."""
        if tiles.isdecimal():
            rack = self.game.rack_of(self.state, seat)
            return f"-{rack[: int(tiles)]}"
        return f"-{tiles}"

    def _asks(self) -> bool:
        return not self.game.is_terminal(self.state) and "challenge" in (
            self.game.action_text(self.state, action) for action in self.game.actions(self.state)
        )

    def _draw(self, line: int) -> None:
        """Draw such tiles that all hold what the file says from this line on; where it does not say, any that are left
        over.
        """
        game = self.game
        while not game.is_terminal(self.state) and game.player(self.state) == CHANCE:
            s = game.struct(self.state)
            drawing = int(s.seat)
            wanted = next((rack for at, seat, rack in self.upcoming if seat == drawing and at >= line), "")
            held = game.rack_of(self.state, drawing)
            tiles = _without(wanted, held)[0]
            count = min(7 - len(held), int(s.bag_size))
            if len(tiles) > count:
                raise BadInput(f"player {drawing + 1} cannot hold {wanted} after {held or 'no tile'} and {count} more.")
            bag = "".join(game.tiles.text(tile) * int(s.bag[tile]) for tile in range(len(game.tiles.counts)))
            left, missing = _without(bag, tiles)
            if missing:
                raise BadInput(f"player {drawing + 1} cannot hold {wanted}: no {missing[0]} is left.")
            for _, seat, rack in self.upcoming:  # what others are told to hold is taken last
                if seat != drawing and count > len(tiles):
                    spared = _without(left, rack)[0]
                    left = spared + _without(left, spared)[0]
            self._do("+" + tiles + left[: count - len(tiles)])

    def _accept(self) -> None:
        while self._asks():
            self._do("accept")

    def _do(self, text: str) -> None:
        action = self.game.action_from_text(self.state, text)
        self.moves.append(self.game.action_text(self.state, action))
        self.actions.append(action)
        self.state = self.game.result(self.state, action)


def _without(tiles: str, some: str) -> tuple[str, str]:
    """The tiles without some of them, and which of those were not there."""
    left, missing = list(tiles), ""
    for tile in some:
        if tile in left:
            left.remove(tile)
        else:
            missing += tile
    return "".join(left), missing


def split(lines: Iterable[str]) -> Iterator[GcgGame]:
    """The games of a text; a new one begins with a line of a header behind events."""
    block: list[tuple[int, str]] = []
    seen_event = False
    for number, line in enumerate(lines, 1):
        text = line.strip().lstrip("\ufeff")
        if not text:
            continue
        if seen_event and re.match(r"#(character-encoding|player1)\b", text):
            yield GcgGame(tuple(block), block[0][0])
            block, seen_event = [], False
        seen_event = seen_event or text.startswith(">")
        block.append((number, text))
    if block:
        yield GcgGame(tuple(block), block[0][0])


# Writing --------------------------------------------------------------------------------------------------------------


def write(game: Game[Any, Any], record: Record) -> str:
    """One game. Raises BadInput for another game than Scrabble, and where the record does not begin at the start."""
    if "gcg" not in game.formats:
        raise BadInput(f"GCG is a notation of Scrabble and cannot hold {game.name}.")
    if record.position is not None:
        raise BadInput("A GCG file holds whole games, so one from a position cannot be written; use jsonl.")
    lines = ["#character-encoding UTF-8"]
    nicks = []
    for seat in range(game.facts.players):
        name = record.players[seat] if seat < len(record.players) else game.seat_names[seat]
        nick = re.sub(r"[\s:>]+", "_", name)
        nicks.append(nick if nick not in nicks else f"{nick}-{seat + 1}")
        lines.append(f"#player{seat + 1} {nicks[-1]} {name}")
    lines += [f"#{key} {value}" for key, value in record.tags.items() if re.fullmatch("title|description|lexicon", key)]
    return "\n".join([*lines, *_event_lines(game, record, nicks)]) + "\n"


def _event_lines(game: Any, record: Record, nicks: list[str]) -> Iterator[str]:
    state = game.initial()
    totals = [0] * len(nicks)
    rack, last = "", 0

    def line(seat: int, what: str, points: int) -> str:
        totals[seat] += points
        return f">{nicks[seat]}: {what} {points:+d} {totals[seat]}"

    for ply, text in enumerate(record.moves):
        seat = int(game.struct(state).seat)
        action = game.action_from_text(state, text)
        scores = game.struct(state).scores
        after = game.result(state, action)
        if text == "challenge":
            changed = int(game.struct(after).scores[seat]) - int(scores[seat])
            back = not game.struct(after).last and int(game.struct(state).wrong)
            if back:
                yield line(seat, f"{rack} --", -last)
            elif changed > 0 and not game.is_terminal(after):
                yield line(seat, f"{rack} (challenge)", changed)
        elif text != "accept" and not text.startswith("+"):
            rack, last = game.rack_of(state, seat), 0
            if text == "pass":
                yield line(seat, f"{rack} -", 0)
            elif text.startswith("-"):
                yield line(seat, f"{rack} {text}", 0)
            else:
                last = int(game.explain_move(state, action)["points"])
                place, _, word = text.partition(":")
                dots = re.sub(r"\(([^()]*)\)", lambda found: "." * len(found[1]), word)
                yield line(seat, f"{rack} {place} {dots}", last)
        state = after
        if ply + 1 in record.comments:
            yield f"#note {' '.join(record.comments[ply + 1].split())}"
    if game.is_terminal(state):
        yield from _end_lines(game, state, totals, line)


def _end_lines(game: Any, state: Any, totals: list[int], line: Any) -> Iterator[str]:
    """What the tiles that are left change."""
    scores = [int(score) for score in game.struct(state).scores]
    racks = [game.rack_of(state, seat) for seat in range(len(totals))]
    for seat, rack in enumerate(racks):
        change = scores[seat] - totals[seat]
        if not rack and change >= 0:
            yield line(seat, f"({''.join(racks)})", change)
        elif rack and (change or (len(racks) == 2 and all(racks))):
            yield line(seat, f"{rack} ({rack})", change)


def offer(game: Game[Any, Any]) -> Format:
    """The notation for this game."""
    return offer_records(game, "GCG", ".gcg", split, write)
