"""Scrabble as text: moves, positions, and what a seat hears."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from gametree.core.drawing import Drawing
from gametree.core.errors import BadInput, IllegalMove
from gametree.games.scrabble.picture import position_drawing, square_name
from gametree.games.scrabble.sets import BLANK, TileSet
from gametree.games.scrabble.weights import (
    ACCEPT,
    BLANK_BIT,
    CHALLENGE,
    DOWN_SHIFT,
    EXCHANGE,
    KIND_SHIFT,
    PASS,
    RACK,
    SQUARE_SHIFT,
    TAKE,
    TILE_BITS,
)
from gametree.kernels.word_graph import WordGraph

__all__ = ["ScrabbleText"]

UNKNOWN = "_"
EMPTY = "-"  # a rack
DRAW, TURN, ASK, OVER = 0, 1, 2, 3
TAKEN = 64
_PLACE = re.compile(r"(?:(\d{1,2})([A-Za-z])|([A-Za-z])(\d{1,2}))[ :]+(\S+)")
_WORDS = {PASS: "pass", ACCEPT: "accept", CHALLENGE: "challenge"}


class ScrabbleText:
    """What the formal game says in text and pictures."""

    tiles: TileSet
    graph: WordGraph
    width: int
    challenge: str
    facts: Any
    rules: Any
    w: Any

    # Moves ------------------------------------------------------------------------------------------------------------

    def rack_of(self, state: Any, seat: int) -> str:
        """The tiles of a seat, `_` for each that is not known."""
        s = self.struct(state)  # type: ignore[attr-defined]
        known = self.tiles.rack_text(s.racks[seat])
        return known + UNKNOWN * (int(s.held[seat]) - len(known))

    def move_tiles(self, action: int) -> list[int]:
        """The tiles of a move, each with BLANK_BIT if it is a blank."""
        found = (action >> TILE_BITS * place & 63 for place in range(RACK))
        return [tile for tile in found if tile]

    def _letter(self, tile: int, blank: bool) -> str:
        letter = self.tiles.letters[tile - 1]
        return letter.lower() if blank else letter

    def laid_squares(self, board: Any, action: int) -> list[tuple[int, str]]:
        """The squares that a play lays tiles on, in order, and the letters, small for blanks."""
        step = self.width if action >> DOWN_SHIFT & 1 else 1
        square = action >> SQUARE_SHIFT & 511
        found = []
        for tile in self.move_tiles(action):
            while board[square]:
                square += step
            found.append((square, self._letter(tile & 31, bool(tile & BLANK_BIT))))
            square += step
        return found

    def word_of(self, board: Any, action: int) -> tuple[int, str]:
        """Where the word of a play begins, and its letters; those that lie there already in brackets."""
        laid = dict(self.laid_squares(board, action))
        step = self.width if action >> DOWN_SHIFT & 1 else 1
        first = min(laid)
        begin = first % step if step > 1 else first // self.width * self.width
        line = range(begin, begin + step * self.width, step)
        place = line.index(first)
        while place > 0 and board[line[place - 1]]:
            place -= 1
        start, word = line[place], ""
        for square in line[place:]:
            there = int(board[square])
            if square not in laid and not there:
                break
            word += laid.get(square) or f"({self._letter(there & 31, bool(there & TAKEN))})"
        return start, word.replace(")(", "")

    def play_text(self, board: Any, action: int) -> str:
        """A play as it is written."""
        start, word = self.word_of(board, action)
        name = square_name(start, self.width)
        return f"{name}:{word}" if action >> DOWN_SHIFT & 1 else f"{name[1:]}{name[0]}:{word}"

    def tiles_text(self, action: int) -> str:
        """The tiles that a move exchanges or draws."""
        counts = np.zeros(32, np.int64)
        for tile in self.move_tiles(action):
            counts[0 if tile == BLANK_BIT else tile] += 1
        return self.tiles.rack_text(counts)

    def action_text(self, state: Any, action: int) -> str:
        """The move as people write it; tiles that are drawn begin with +."""
        s = self.struct(state)  # type: ignore[attr-defined]
        if s.phase == DRAW:
            return f"+{self.tiles_text(action)}"
        if action in _WORDS:
            return _WORDS[action]
        return f"-{self.tiles_text(action)}" if action >> KIND_SHIFT else self.play_text(s.board, action)

    def hear_text(self, state: Any, action: int, after: Any, player: int) -> str:
        """The move; of what others exchange or draw how many tiles."""
        s = self.struct(state)  # type: ignore[attr-defined]
        if s.phase == DRAW and s.seat != player:
            return f"+{len(self.move_tiles(action))}"
        if s.seat != player and action >> KIND_SHIFT == EXCHANGE >> KIND_SHIFT:
            return f"-{len(self.move_tiles(action))}"
        return self.action_text(state, action)

    def action_from_text(self, state: Any, text: str) -> Any:
        """The move that the text means: also `8D WORD`, with or without brackets, or points for letters that lie there.

        Raises IllegalMove, which says why it is none.
        """
        s = self.struct(state)  # type: ignore[attr-defined]
        wanted = text.strip()
        if s.phase == DRAW:
            return self._draw_from_text(s, wanted)
        if s.phase != TURN:
            return super().action_from_text(state, text)  # type: ignore[misc]
        if wanted.casefold() in ("pass", "-"):
            return PASS
        if wanted.startswith("-"):
            return self._exchange_from_text(s, wanted)
        found = _PLACE.fullmatch(wanted)
        if not found:
            raise IllegalMove(
                f"'{wanted[:40]}' is not a legal move here; expected a play such as 8D:WORD (across) or D8:WORD "
                "(down), an exchange such as -ABC, or pass."
            )
        row, column, down_column, down_row, word = found.groups()
        across = row is not None
        square = self._square(column if across else down_column, row if across else down_row, wanted)
        actions = self.actions(state)  # type: ignore[attr-defined]
        # Who writes the column small does not mean blanks by small letters, unless nothing else fits.
        readings = [word.upper(), word] if word.islower() and (column or down_column).islower() else [word]
        action = self._read_play(s, square, across, readings[0], wanted)
        if action not in actions and len(readings) > 1:
            blank = self._read_play(s, square, across, readings[1], wanted)
            action = blank if blank in actions else action
        if action not in actions:
            raise IllegalMove(f"'{wanted[:40]}' is not a legal move here: {self.why_not(state, action)}.")
        return action

    def _square(self, column: str, row: str, wanted: str) -> int:
        x, y = ord(column.upper()) - ord("A"), int(row) - 1
        if not (0 <= x < self.width and 0 <= y < self.width):
            last = chr(ord("A") + self.width - 1)
            raise IllegalMove(
                f"'{wanted[:40]}' is not on the board; expected rows 1 to {self.width}, columns A to {last}."
            )
        return y * self.width + x

    def _draw_from_text(self, s: Any, wanted: str) -> int:
        count = min(RACK - int(s.held[s.seat]), int(s.bag_size))
        numbers = [self.tiles.number(letter) for letter in wanted.lstrip("+")]
        if len(numbers) != count or None in numbers:
            raise IllegalMove(f"'{wanted[:40]}' is no draw here; expected + and {count} tiles, such as +{'A' * count}.")
        if any(numbers.count(tile) > s.bag[tile] for tile in numbers):
            raise IllegalMove(f"'{wanted[:40]}' is no draw here; not all of these tiles are in the bag.")
        return self._packed(TAKE, [tile or 0 for tile in numbers])

    def _packed(self, kind: int, tiles: list[int]) -> int:
        """The number of a move that only names tiles."""
        action = kind
        for place, tile in enumerate(sorted(tiles)):
            action |= (tile or BLANK_BIT) << TILE_BITS * place
        return action

    def _exchange_from_text(self, s: Any, wanted: str) -> int:
        seat = int(s.seat)
        numbers = [self.tiles.number(letter) for letter in wanted[1:]]
        least = int(self.w[0]["exchange_least"])
        if s.bag_size < least:
            raise IllegalMove(f"'{wanted[:40]}' is not a legal move here: {s.bag_size} tiles are in the bag, and an "
                              f"exchange needs {least}.")  # fmt: skip
        if None in numbers or any(numbers.count(tile) > s.racks[seat, tile] for tile in numbers):
            rack = self.tiles.rack_text(s.racks[seat])
            raise IllegalMove(f"'{wanted[:40]}' is not a legal move here: the rack is {rack}.")
        return self._packed(EXCHANGE, [tile or 0 for tile in numbers])

    def _read_play(self, s: Any, square: int, across: bool, word: str, wanted: str) -> int:
        """The number of a play. Raises IllegalMove where letters and board do not fit."""
        step, here, inside = 1 if across else self.width, square, False
        action, count, first = 0, 0, -1
        for number, letter in enumerate(re.sub(r"[()]", "", word)):
            off = here >= self.width**2 or (across and here // self.width != square // self.width)
            if off:
                raise IllegalMove(f"'{wanted[:40]}' goes beyond the edge of the board.")
            there = int(s.board[here])
            tile = self.tiles.number(letter) or 0
            if there:
                if letter != "." and tile != there & 31:
                    lies = self._letter(there & 31, bool(there & TAKEN))
                    raise IllegalMove(
                        f"'{wanted[:40]}' is not a legal move here: {lies} lies where letter {number + 1} would be."
                    )
            else:
                if not tile:
                    raise IllegalMove(f"'{wanted[:40]}' is not a legal move here: '{letter}' is no letter to be laid.")
                if count == RACK:
                    raise IllegalMove(f"'{wanted[:40]}' is not a legal move here: a rack has {RACK} tiles.")
                first = here if first < 0 else first
                action |= (tile | (BLANK_BIT if letter.islower() else 0)) << TILE_BITS * count
                count += 1
            here, inside = here + step, True
        if first < 0 or not inside:
            raise IllegalMove(f"'{wanted[:40]}' is not a legal move here: it lays no tile.")
        down = not across
        if count == 1:  # one tile is written across if it makes a word across
            x = first % self.width
            beside = (x > 0 and s.board[first - 1]) or (x + 1 < self.width and s.board[first + 1])
            down = down and not beside
            above = (first >= self.width and s.board[first - self.width]) or (
                first + self.width < self.width**2 and s.board[first + self.width]
            )
            down = down or bool(above and not beside)
        return action | first << SQUARE_SHIFT | int(down) << DOWN_SHIFT

    def why_not(self, state: Any, action: int) -> str:
        """Why a play is not legal, in words."""
        s = self.struct(state)  # type: ignore[attr-defined]
        missing = self._missing(s, action)
        if missing:
            return missing
        wrong = [word for word in self.words_of(s.board, action) if word.upper() not in self.graph]
        return f"{wrong[0].upper()} is not in the word list" if wrong else "it fits nowhere"

    def _missing(self, s: Any, action: int) -> str:
        """What keeps a play from being laid, whatever its words are; nothing if it can be laid."""
        tiles = [0 if tile & BLANK_BIT else tile for tile in self.move_tiles(action)]
        if any(tiles.count(tile) > s.racks[int(s.seat), tile] for tile in tiles):
            return f"the rack is {self.tiles.rack_text(s.racks[int(s.seat)])}"
        try:
            laid = [square for square, _ in self.laid_squares(s.board, action)]
        except IndexError:
            return "it goes beyond the edge of the board"
        if not action >> DOWN_SHIFT & 1 and laid[0] // self.width != laid[-1] // self.width:
            return "it goes beyond the edge of the board"
        middle = self.width**2 // 2
        if not any(s.board):
            if middle not in laid:
                return f"the first play must cover {square_name(middle, self.width)}"
            return "" if len(laid) > 1 else "one letter is no word"
        if not any(s.board[beside] for square in laid for beside in self._beside(square)):
            return "it touches no tile"
        return ""

    def _beside(self, square: int) -> list[int]:
        row, column = divmod(square, self.width)
        around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        return [r * self.width + c for r, c in around if 0 <= r < self.width and 0 <= c < self.width]

    def can_lay(self, state: Any, action: int) -> bool:
        """Whether the tiles of a play can be laid, whatever its words are; one tile only as `action_text` writes it."""
        s = self.struct(state)  # type: ignore[attr-defined]
        if action >> KIND_SHIFT or not self.move_tiles(action) or action < 0 or self._missing(s, action):
            return False
        if len(self.move_tiles(action)) > 1:
            return True
        square = action >> SQUARE_SHIFT & 511
        row = [beside for beside in self._beside(square) if beside // self.width == square // self.width]
        return bool(action >> DOWN_SHIFT & 1) != any(s.board[beside] for beside in row)

    def words_of(self, board: Any, action: int) -> list[str]:
        """All words that a play makes or extends, its own first."""
        after = [int(tile) for tile in board]
        laid = self.laid_squares(board, action)
        for square, letter in laid:
            after[square] = (self.tiles.number(letter) or 0) | (TAKEN if letter.islower() else 0)
        down = bool(action >> DOWN_SHIFT & 1)
        words = [self._word_through(after, laid[0][0], self.width if down else 1)]
        words += [self._word_through(after, square, 1 if down else self.width) for square, _ in laid]
        return [word for word in words if len(word) > 1]

    def _word_through(self, board: list[int], square: int, step: int) -> str:
        first = square
        while first - step >= 0 and (step > 1 or first % self.width) and board[first - step]:
            first -= step
        word, here = "", first
        while here < len(board) and board[here] and (step > 1 or here // self.width == first // self.width):
            word += self._letter(board[here] & 31, bool(board[here] & TAKEN))
            here += step
        return word

    def action_cells(self, state: Any, action: int) -> Sequence[str]:
        """The first and the last square that a play lays a tile on."""
        s = self.struct(state)  # type: ignore[attr-defined]
        if s.phase != TURN or action >> KIND_SHIFT:
            return ()
        laid = [square for square, _ in self.laid_squares(s.board, action)]
        return (square_name(laid[0], self.width), square_name(laid[-1], self.width))

    # Positions --------------------------------------------------------------------------------------------------------

    def board_text(self, board: Any) -> str:
        """The rows of the board, numbers for empty squares."""
        rows = []
        for row in range(self.width):
            text, gap = "", 0
            for tile in board[row * self.width : (row + 1) * self.width]:
                if tile:
                    text += (str(gap) if gap else "") + self._letter(int(tile) & 31, bool(int(tile) & TAKEN))
                    gap = 0
                else:
                    gap += 1
            rows.append(text + (str(gap) if gap else ""))
        return "/".join(rows)

    def state_text(self, state: Any) -> str:
        """Board, racks, scores, turns without points; then what else must be known."""
        s = self.struct(state)  # type: ignore[attr-defined]
        seats = range(self.facts.players)
        words = [
            self.board_text(s.board),
            "/".join(self.rack_of(state, seat) or EMPTY for seat in seats),
            "/".join(str(int(score)) for score in s.scores),
            str(int(s.zeros)),
        ]
        if s.seat:
            words.append(f"turn={int(s.seat) + 1}")
        if s.phase != TURN:
            words.append({DRAW: "draw", ASK: "asked", OVER: "over"}[int(s.phase)])
        if s.aside_size:
            known = self.tiles.rack_text(s.aside)
            words.append(f"aside={known + UNKNOWN * (int(s.aside_size) - len(known))}")
        if s.skips:
            words.append(f"skips={int(s.skips)}")
        if s.phase == ASK:
            numbers = (s.last, s.fresh, s.last_points, s.zeros_before, s.asked, s.wrong)
            words.append(f"last={','.join(str(int(number)) for number in numbers)}")
        return " ".join(words)

    def state_from_text(self, text: str) -> Any:
        """The position that the text describes. Raises BadInput.

        Only the board must be there. A rack that is not given is not known; a rack alone is the mover's, also behind
        everything else. The bag holds what is left.
        """
        words = text.split()
        if not words:
            raise BadInput(f"'' is no position of scrabble; expected {self._expected()}.")
        structs = np.zeros(1, self.rules.state_type)
        s = structs[0]
        s.phase = TURN
        self._read_board(s, words[0], text)
        racks: list[str | None] = [None] * self.facts.players
        aside: str | None = None
        plain = []
        mover_rack = None
        for word in words[1:]:
            key, equals, value = word.partition("=")
            if equals and key in ("turn", "skips") and value.isdecimal():
                number = int(value) - (key == "turn")
                if not 0 <= number < (self.facts.players if key == "turn" else 1 << self.facts.players):
                    raise BadInput(f"'{word}' is not possible in scrabble for {self.facts.players}.")
                setattr(s, "seat" if key == "turn" else key, number)
            elif equals and key == "aside":
                aside = value
            elif equals and key == "last":
                self._read_last(s, value, word)
            elif word in ("draw", "asked", "over"):
                s.phase = {"draw": DRAW, "asked": ASK, "over": OVER}[word]
            elif re.fullmatch(r"-?\d+(/-?\d+)*", word):
                plain.append(word)
            elif "/" in word:
                given = word.split("/")
                if len(given) != self.facts.players:
                    raise BadInput(f"'{word}' holds {len(given)} racks; expected {self.facts.players}.")
                racks = [rack or None for rack in given]
            else:
                mover_rack = word
        if mover_rack is not None:
            racks[int(s.seat)] = mover_rack
        self._read_scores(s, plain)
        self._fill(s, racks, aside, text)
        return self.pack(structs)  # type: ignore[attr-defined]

    def _expected(self) -> str:
        return f"{self.width} rows such as 4WORD{self.width - 8}, then racks, scores and turns without points"

    def _read_board(self, s: Any, board: str, text: str) -> None:
        rows = board.split("/")
        if len(rows) != self.width:
            raise BadInput(f"'{board[:60]}' has {len(rows)} rows; expected {self._expected()}.")
        for y, row in enumerate(rows):
            x = 0
            for part in re.findall(r"\d+|.", row):
                if part.isdecimal():
                    x += int(part)
                    continue
                tile = self.tiles.number(part)
                if not tile:
                    raise BadInput(f"Row {y + 1}, '{row}', has the sign '{part}'; expected letters and numbers.")
                if x < self.width:
                    s.board[y * self.width + x] = tile | (TAKEN if part.islower() else 0)
                x += 1
            if x != self.width:
                raise BadInput(f"Row {y + 1}, '{row}', has {x} squares; expected {self.width}.")

    def _read_last(self, s: Any, value: str, word: str) -> None:
        numbers = value.split(",")
        if len(numbers) != 6 or not all(re.fullmatch(r"\d{1,19}", number) for number in numbers):
            raise BadInput(f"'{word}' says nothing of the last play; expected six numbers.")
        last, fresh, points, before, asked, wrong = map(int, numbers)
        if last >> KIND_SHIFT or fresh >= 1 << self.width or max(before, asked, wrong) > 20 or points > 5000:
            raise BadInput(f"'{word}' is not a play of this game.")
        s.last, s.fresh, s.last_points = last, fresh, points
        s.zeros_before, s.asked, s.wrong = before, asked, wrong

    def _read_scores(self, s: Any, plain: list[str]) -> None:
        players = self.facts.players
        scores = plain[0].split("/") if plain else ["0"] * players
        if len(scores) != players or not all(abs(int(score)) < 10_000 for score in scores):
            raise BadInput(f"'{plain[0]}' are not the scores of {players} players; expected numbers below 10,000.")
        for seat, score in enumerate(scores):
            s.scores[seat] = int(score)
        zeros = plain[1] if len(plain) > 1 else "0"
        if not zeros.isdecimal() or int(zeros) > 20 or len(plain) > 2:
            raise BadInput(f"'{' '.join(plain[1:])}' are not turns without points; expected a number from 0 to 20.")
        s.zeros = int(zeros)

    def _fill(self, s: Any, racks: list[str | None], aside: str | None, text: str) -> None:
        """Racks, what is aside, and the bag."""
        left = [*self.tiles.counts] + [0] * (32 - len(self.tiles.counts))
        for tile in s.board:
            left[0 if tile & TAKEN else int(tile)] -= bool(tile)
        if min(left) < 0:
            short = self.tiles.text(left.index(min(left)))
            raise BadInput(f"The board has more tiles {short} than there are in the {self.tiles.name} set.")
        racks = ["" if rack == EMPTY else rack for rack in racks]
        unseen = sum(left)
        for seat, rack in enumerate(racks):
            if rack is not None:
                self._take(s.racks[seat], rack, left, f"The rack {rack}")
                s.held[seat] = len(rack)
                unseen -= len(rack)
                if len(rack) > RACK:
                    raise BadInput(f"The rack {rack} has {len(rack)} tiles; expected at most {RACK}.")
        if aside:
            self._take(s.aside, aside, left, f"What is aside, {aside},")
            s.aside_size = len(aside)
            unseen -= len(aside)
        for seat, rack in enumerate(racks):
            if rack is None and s.phase != OVER:
                s.held[seat] = min(RACK, max(0, unseen))
                unseen -= int(s.held[seat])
        if unseen < 0:
            raise BadInput(f"'{text[:60]}…' has more tiles than the {self.tiles.name} set.")
        s.bag_size = unseen
        hidden = any(rack is None or UNKNOWN in rack for rack in racks) and sum(s.held) > int(s.racks.sum())
        if not hidden and UNKNOWN not in (aside or ""):
            s.bag[:] = left

    def _take(self, counts: Any, rack: str, left: list[int], what: str) -> None:
        for letter in rack:
            if letter == UNKNOWN:
                continue
            tile = self.tiles.number(letter)
            if tile is None:
                raise BadInput(f"{what} has the sign '{letter}'; expected letters, {BLANK} for a blank.")
            counts[tile] += 1
            left[tile] -= 1
            if left[tile] < 0:
                raise BadInput(
                    f"{what} cannot be: no {self.tiles.text(tile)} is left for it in the {self.tiles.name} set."
                )

    def draw(self, state: Any) -> Drawing:
        """The board with its premium squares, the racks and the bag."""
        return position_drawing(self, state)
