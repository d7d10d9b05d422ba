"""The verbs of Scrabble on a struct, and the formal game; see the folder for the rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.core.facts import Facts
from gametree.core.format import shared_format
from gametree.games.scrabble.lists import graph_of
from gametree.games.scrabble.plays import (
    TAKEN,
    best_play,
    kind_of,
    list_plays,
    move_points,
    square_of,
    tile_in,
    word_holds,
)
from gametree.games.scrabble.sets import read_board, tile_set
from gametree.games.scrabble.text import ScrabbleText
from gametree.games.scrabble.weights import (
    ACCEPT,
    BLANK_BIT,
    CHALLENGE,
    DOWN_SHIFT,
    EXCHANGE,
    KIND_SHIFT,
    NO_LEAVES,
    PASS,
    RACK,
    TAKE,
    TILE_BITS,
    TILES,
    Weights,
    fill_leaves,
    fill_weights,
    leave_value,
    read_leaves,
    shipped_leaves,
)
from gametree.kernels import UNLISTED, CompiledGame, more_bits, plain_at_first, struct, u64

__all__ = ["Scrabble", "State", "Weights"]

MOST_MOVES = 500_000
"""Moves of a position: far more than any list of words gives (240,000 are known); a play beyond would be left out."""
CHALLENGES = {"void": (0, 0), "single": (1, 0), "double": (2, 0), "five": (1, 5), "ten": (1, 10)}
"""What may be done about wrong words → Weights.challenge and challenge_points."""

UNIT = 1000
SEATS = 2
LIMIT = 6
"""So many turns without points, one after the other, end the game."""
DRAW, TURN, ASK, OVER = 0, 1, 2, 3  # phases: chance draws, a turn, may the last play be challenged, the end
CHALLENGED_KIND, ACCEPTED_KIND = CHALLENGE >> KIND_SHIFT, ACCEPT >> KIND_SHIFT


def state_type(seats: int, squares: int) -> Any:
    """The struct of a game of so many seats on so many squares."""
    return struct(
        last="u8",  # the play that may be challenged
        fresh="u4",  # where along its line it laid tiles, as bits
        bag_size="i2",
        last_points="i2",
        scores=("i2", seats),
        board=("u1", squares),  # letters; TAKEN is added for a blank
        racks=("u1", (seats, TILES)),  # how many of each tile; none at all if a seat does not know
        bag=("u1", TILES),
        aside=("u1", TILES),  # exchanged, and not yet back in the bag
        held=("u1", seats),  # tiles of everybody
        aside_size="u1",
        seat="u1",  # whose turn it is
        phase="u1",
        zeros="u1",  # turns without points, one after the other
        zeros_before="u1",  # the last play
        asked="u1",  # who has been asked about it
        wrong="u1",  # 1 if it has a wrong word
        skips="u1",  # seats that lose their next turn, as bits
    )


State = state_type(SEATS, 225)


# Rules ----------------------------------------------------------------------------------------------------------------


def initial(s: Any, w: Any) -> None:
    """All tiles in the bag, nothing drawn."""
    for tile in range(TILES):
        s.bag[tile] = w.counts[tile]
        s.bag_size += w.counts[tile]


def player(s: Any) -> Any:
    """Chance draws tiles; whoever is asked about a play comes after the one who made it."""
    if s.phase == DRAW:
        return -1
    return (s.seat + 1 + s.asked) % SEATS if s.phase == ASK else np.int64(s.seat)


def outcomes(s: Any, out: Any, odds: Any) -> Any:
    """The ways to draw are too many for a list."""
    return UNLISTED if s.phase == DRAW else 0


def is_over(s: Any, out: Any) -> Any:
    """Whether the game has ended."""
    return s.phase == OVER


def legal_moves(s: Any, out: Any, w: Any) -> Any:
    """The pass, exchanges, and plays; where wrong words may be challenged, only those without."""
    if s.phase == DRAW or s.phase == OVER:
        return 0
    if s.phase == ASK:
        out[0], out[1] = ACCEPT, CHALLENGE
        return 2
    out[0] = PASS
    n = np.int64(1)
    if s.bag_size >= w.exchange_least:
        n += list_exchanges(s, out[1:])
    return n + list_plays(s, np.int64(s.seat), out[n:], w)


def list_exchanges(s: Any, out: Any) -> Any:
    """Every set of tiles of the rack but the empty one."""
    seat = np.int64(s.seat)
    kinds = np.zeros(RACK + 1, np.int64)
    kind_count, sets = 0, np.int64(1)
    for tile in range(TILES):
        if s.racks[seat, tile] > 0:
            kinds[kind_count] = tile
            kind_count += 1
            sets *= np.int64(s.racks[seat, tile]) + 1
    for number in range(1, sets):
        rest, tiles, shift = np.int64(number), np.int64(0), np.int64(0)
        for i in range(kind_count):
            most = np.int64(s.racks[seat, kinds[i]]) + 1
            for _ in range(rest % most):
                tiles |= (kinds[i] if kinds[i] > 0 else np.int64(BLANK_BIT)) << shift
                shift += TILE_BITS
            rest //= most
        out[number - 1] = tiles | EXCHANGE
    return sets - 1


def play(s: Any, m: Any, w: Any) -> None:
    """Draw tiles, make a turn, or settle a challenge."""
    if s.phase == DRAW:
        draw(s, m, w)
        return
    kind = kind_of(m)
    if s.phase == ASK:
        settle(s, kind == CHALLENGED_KIND, w)
        return
    if kind == 0:
        lay(s, m, w)
        return
    s.zeros += 1
    if kind_of(EXCHANGE) == kind:
        for place in range(RACK):
            code = tile_in(m, place)
            if code == 0:
                break
            tile = 0 if code == BLANK_BIT else code
            take_from_rack(s, tile)
            s.aside[tile] += 1
            s.aside_size += 1
    finish_turn(s, w)


def take_from_rack(s: Any, tile: Any) -> None:
    """A tile leaves the mover's rack; nothing is counted where a view does not know it."""
    if s.racks[s.seat, tile] > 0:
        s.racks[s.seat, tile] -= 1
    s.held[s.seat] -= 1


def lay(s: Any, m: Any, w: Any) -> None:
    """Lay tiles on the board."""
    size = np.int64(w.width)
    seat = np.int64(s.seat)
    points = move_points(s, m, w)
    down = np.int64(m) >> DOWN_SHIFT & 1
    step, aside = (size, np.int64(1)) if down == 1 else (np.int64(1), size)
    squares = np.zeros(RACK, np.int64)
    fresh = np.int64(0)
    square, count = square_of(m), 0
    while count < RACK and tile_in(m, count) != 0:
        if s.board[square] == 0:
            code = tile_in(m, count)
            s.board[square] = (code & 31) | (TAKEN if code & BLANK_BIT != 0 else 0)
            take_from_rack(s, 0 if code & BLANK_BIT != 0 else code)
            squares[count] = square
            fresh |= np.int64(1) << (square // size if down == 1 else square % size)
            count += 1
        square += step
    s.scores[seat] += points
    before = s.zeros
    s.zeros = 0 if points != 0 else s.zeros + 1
    if w.challenge == 0:
        finish_turn(s, w)
        return
    holds = word_holds(s, squares[0], step, w)
    for i in range(count):
        holds = holds and word_holds(s, squares[i], aside, w)
    s.wrong = 0 if holds else 1
    s.zeros_before = before
    s.last = u64(m)
    s.fresh = fresh
    s.last_points = points
    s.asked = 0
    s.phase = ASK


def settle(s: Any, challenged: Any, w: Any) -> None:
    """Somebody has accepted or challenged the last play."""
    if not challenged and s.asked + 2 < SEATS:
        s.asked += 1
        return
    if challenged and s.wrong == 1:
        take_back(s, w)
    elif challenged:
        s.scores[s.seat] += w.challenge_points
        if w.challenge == 2:
            s.skips |= 1 << ((np.int64(s.seat) + 1 + s.asked) % SEATS)
    s.last = u64(0)
    s.fresh = 0
    s.last_points = 0
    s.zeros_before = s.asked = s.wrong = 0
    finish_turn(s, w)


def take_back(s: Any, w: Any) -> None:
    """The last play was wrong: its tiles go back to the rack, its points are lost."""
    m = np.int64(s.last)
    seat = np.int64(s.seat)
    step = np.int64(w.width) if m >> DOWN_SHIFT & 1 == 1 else np.int64(1)
    size = np.int64(w.width)
    start = square_of(m)
    start -= step * (start // size if step == size else start % size)
    for place in range(size):
        if np.int64(s.fresh) >> place & 1 == 1:
            tile = np.int64(s.board[start + place * step])
            s.racks[seat, 0 if tile & TAKEN != 0 else tile] += 1
            s.held[seat] += 1
            s.board[start + place * step] = 0
    s.scores[seat] -= s.last_points
    s.zeros = s.zeros_before + 1


def roll(s: Any, bits: Any, w: Any) -> Any:
    """Tiles from the bag that fill the mover's rack, all being equally likely; as a move, in order of their numbers."""
    left = np.zeros(TILES, np.int64)
    drawn = np.zeros(TILES, np.int64)
    for tile in range(TILES):
        left[tile] = s.bag[tile]
    for i in range(min(np.int64(w.rack_size) - np.int64(s.held[s.seat]), np.int64(s.bag_size))):
        drawn[pick(left, more_bits(bits, i))] += 1
    tiles, shift = np.int64(0), np.int64(0)
    for tile in range(TILES):
        for _ in range(drawn[tile]):
            tiles |= (np.int64(tile) if tile > 0 else np.int64(BLANK_BIT)) << shift
            shift += TILE_BITS
    return tiles | TAKE


def draw(s: Any, m: Any, w: Any) -> None:
    """Tiles go from the bag to the mover's rack, then what was exchanged into the bag. At the start all draw."""
    for place in range(RACK):
        code = tile_in(m, place)
        if code == 0:
            break
        tile = 0 if code == BLANK_BIT else code
        if s.bag[tile] > 0:
            s.bag[tile] -= 1
        s.racks[s.seat, tile] += 1
        s.held[s.seat] += 1
        s.bag_size -= 1
    for tile in range(TILES):
        s.bag[tile] += s.aside[tile]
        s.aside[tile] = 0
    s.bag_size += s.aside_size
    s.aside_size = 0
    if s.zeros >= LIMIT:
        end_stuck(s, w)
        return
    next_turn(s, w)
    if s.phase == TURN and s.held[s.seat] == 0 and s.bag_size > 0:
        s.phase = DRAW


def pick(tiles: Any, bits: Any) -> Any:
    """Take one of the tiles away, all being equally likely, and return which it was."""
    total = np.int64(0)
    for tile in range(TILES):
        total += tiles[tile]
    if total == 0:
        return np.int64(0)
    place = np.int64((u64(bits) >> u64(32)) * u64(total) >> u64(32))
    for tile in range(TILES):
        place -= tiles[tile]
        if place < 0:
            tiles[tile] -= 1
            return np.int64(tile)
    return np.int64(0)


def finish_turn(s: Any, w: Any) -> None:
    """After a turn: the end, drawing, or the next turn."""
    seat = np.int64(s.seat)
    if s.held[seat] == 0 and s.bag_size == 0:
        end_out(s, w)
    elif s.aside_size > 0 or (s.held[seat] < w.rack_size and s.bag_size > 0):
        s.phase = DRAW
    elif s.zeros >= LIMIT:
        end_stuck(s, w)
    else:
        next_turn(s, w)


def next_turn(s: Any, w: Any) -> None:
    """The next seat's turn, unless it has lost it."""
    s.phase = TURN
    s.seat = (s.seat + 1) % SEATS
    while s.skips >> np.int64(s.seat) & 1 == 1:
        s.skips &= ~(1 << np.int64(s.seat)) & 255
        s.zeros += 1
        if s.zeros >= LIMIT:
            end_stuck(s, w)
            return
        s.seat = (s.seat + 1) % SEATS


def rack_points(s: Any, seat: Any, w: Any) -> Any:
    """The points of the tiles that a seat still holds."""
    points = np.int64(0)
    for tile in range(TILES):
        points += np.int64(s.racks[seat, tile]) * np.int64(w.points[tile])
    return points


def end_out(s: Any, w: Any) -> None:
    """The mover has played its last tile: of two, it gets what the other holds twice; of more, all lose what they hold
    and it gets that."""
    s.phase = OVER
    for seat in range(SEATS):
        if seat != s.seat:
            points = rack_points(s, seat, w)
            s.scores[s.seat] += 2 * points if SEATS == 2 else points
            if SEATS > 2:
                s.scores[seat] -= points


def end_stuck(s: Any, w: Any) -> None:
    """Nobody has scored for too long: all lose what they hold."""
    s.phase = OVER
    for seat in range(SEATS):
        s.scores[seat] -= rack_points(s, seat, w)


def payoffs(s: Any, out: Any) -> None:
    """How far a score is above the mean, times the number of seats: between two, the difference."""
    total = np.int64(0)
    for seat in range(SEATS):
        total += np.int64(s.scores[seat])
    for seat in range(SEATS):
        out[seat] = SEATS * np.int64(s.scores[seat]) - total


# Who knows what -------------------------------------------------------------------------------------------------------


def hide(s: Any, seat: Any) -> None:
    """Racks of others, the bag, and what others have exchanged, until the game is over."""
    if s.phase == OVER:
        return
    for tile in range(TILES):
        s.bag[tile] = 0
        if seat != s.seat:
            s.aside[tile] = 0
        for other in range(SEATS):
            if other != seat:
                s.racks[other, tile] = 0


def redeal(s: Any, seat: Any, bits: Any, w: Any) -> None:
    """Deal the tiles that are not seen to the racks and the bag, all ways being equally likely."""
    if s.phase == OVER:
        return
    unseen = np.zeros(TILES, np.int64)
    for tile in range(TILES):
        unseen[tile] = w.counts[tile]
        s.bag[tile] = 0
        unseen[tile] -= s.aside[tile]
        for other in range(SEATS):
            unseen[tile] -= s.racks[other, tile]
    for square in range(np.int64(w.width) * np.int64(w.width)):
        there = np.int64(s.board[square])
        if there != 0:
            unseen[0 if there & TAKEN != 0 else there] -= 1
    drawn = 0
    for other in range(SEATS):
        known = np.int64(0)
        for tile in range(TILES):
            known += s.racks[other, tile]
        for _ in range(np.int64(s.held[other]) - known):
            s.racks[other, pick(unseen, more_bits(bits, drawn))] += 1
            drawn += 1
    known = np.int64(0)
    for tile in range(TILES):
        known += s.aside[tile]
    for _ in range(np.int64(s.aside_size) - known):
        s.aside[pick(unseen, more_bits(bits, drawn))] += 1
        drawn += 1
    for tile in range(TILES):
        s.bag[tile] = unseen[tile]


def heard(s: Any, m: Any, t: Any, seat: Any) -> Any:
    """Plays are heard by all, of an exchange others hear how many tiles; a seat hears what it draws."""
    if s.phase == DRAW:
        return np.int64(m) + 1 if seat == s.seat else np.int64(1)
    if s.phase == TURN and seat != s.seat and kind_of(m) == kind_of(EXCHANGE):
        count = np.int64(0)
        while count < RACK and tile_in(m, count) != 0:
            count += 1
        return np.int64(EXCHANGE) + count
    return np.int64(m) + 1


# Knowledge ------------------------------------------------------------------------------------------------------------


def rack_value(s: Any, seat: Any, w: Any) -> Any:
    """What the tiles of a seat promise, in thousandths of a point; nothing once the bag is empty."""
    if s.bag_size == 0:
        return np.int64(0)
    kinds, counts = np.zeros(TILES, np.int64), np.zeros(TILES, np.int64)
    n = 0
    for tile in range(TILES):
        if s.racks[seat, tile] > 0:
            kinds[n], counts[n] = tile, s.racks[seat, tile]
            n += 1
    return leave_value(kinds, counts, n, np.int64(s.bag_size), w)


def estimates(s: Any, out: Any, w: Any) -> None:
    """Points so far and what the tiles in hand promise, for every seat."""
    total = np.int64(0)
    for seat in range(SEATS):
        value = np.int64(1000) * np.int64(s.scores[seat])
        if s.phase != OVER:
            value += rack_value(s, seat, w)
        out[seat] = value
        total += value
    for seat in range(SEATS):
        out[seat] = SEATS * out[seat] - total


def move_key(s: Any, m: Any, w: Any) -> Any:
    """The points of a move and the value of the tiles that stay, in thousandths: what people call its equity."""
    kind = kind_of(m)
    if s.phase != TURN:
        return np.int64(1) if (kind == CHALLENGED_KIND) == (s.wrong == 1) else np.int64(0)
    rest = np.zeros(TILES, np.int64)
    seat = np.int64(s.seat)
    for tile in range(TILES):
        rest[tile] = s.racks[seat, tile]
    if kind < 2:
        for place in range(RACK):
            code = tile_in(m, place)
            if code == 0:
                break
            rest[0 if code & BLANK_BIT != 0 else code] -= 1
    kinds, counts = np.zeros(TILES, np.int64), np.zeros(TILES, np.int64)
    n = 0
    for tile in range(TILES):
        if rest[tile] > 0:
            kinds[n], counts[n] = tile, rest[tile]
            n += 1
    value = leave_value(kinds, counts, n, np.int64(s.bag_size), w)
    return value + 1000 * move_points(s, m, w) if kind == 0 else value


def playout_move(s: Any, bits: Any, out: Any, w: Any) -> Any:
    """The move with the highest key."""
    if s.phase == ASK:
        return np.int64(CHALLENGE) if s.wrong == 1 else np.int64(ACCEPT)
    return best_play(s, np.int64(s.seat), w)


@plain_at_first
def count_move(states: Any, move: Any, out: Any, weights: Any) -> None:
    """The points of a move, and its key."""
    out[0] = move_points(states[0], move, weights[0]) if kind_of(move) == 0 else 0
    out[1] = move_key(states[0], move, weights[0])


# The formal game ------------------------------------------------------------------------------------------------------


class Scrabble(ScrabbleText, CompiledGame):
    """Scrabble for two to four; see the folder for the parameters."""

    def __init__(
        self,
        players: int = 2,
        words: str = "enable",
        language: str = "english",
        board: str = "standard",
        challenge: str = "void",
    ) -> None:
        if not 2 <= players <= 4:
            raise BadInput(f"scrabble:players={players} is not possible; expected 2, 3 or 4.")
        if challenge not in CHALLENGES:
            known = ", ".join(CHALLENGES)
            raise BadInput(f"scrabble:challenge={challenge} is not possible; expected one of {known}.")
        self.tiles = tile_set(language)
        if words == "enable" and language != "english":
            raise BadInput(
                f"No word list comes with the {language} tiles; expected scrabble:language={language},words=FILE, "
                "a file with one word a line."
            )
        self.board = read_board(board)
        self.width = len(self.board)
        self.challenge = challenge
        self.graph = graph_of(words, self.tiles.letters)
        limit = max(LIMIT, 2 * players)
        most = 20_000 * players
        self.facts = Facts(
            players=players,
            chance=True,
            unlisted=True,
            hidden=True,
            min_utility=-most,
            max_utility=most,
            most_moves=MOST_MOVES,
            wide_moves=True,
            # Somebody lays a tile at least once in so many turns, each of which may be followed by a draw.
            longest_game=(self.tiles.total + 1) * limit * (2 if challenge == "void" else 1 + players) + 1,
        )
        squares = self.width * self.width
        super().__init__(State=state_type(players, squares), SEATS=players, LIMIT=limit)
        record = self.w[0]
        fill_weights(record, self.graph, self.tiles, self.board)
        record["challenge"], record["challenge_points"] = CHALLENGES[challenge]
        self.set_leaves(shipped_leaves(language))
        self.formats = {"gcg": shared_format(self, "gcg")}

    def set_leaves(self, leaves: dict[str, Any]) -> None:
        """Let players value the tiles that stay so, from now on."""
        fill_leaves(self.w[0], self.tiles, leaves)

    def load_weights(self, name: str) -> Any:
        """Players with other leave values: `learned`, as they come, `none`, or a file that training has written."""
        record = self.w.copy()
        if name == "none":
            leaves = NO_LEAVES
        else:
            leaves = shipped_leaves(self.tiles.name) if name == "learned" else read_leaves(name, self.tiles)
        fill_leaves(record[0], self.tiles, leaves)
        return record

    def explain_move(self, state: Any, action: int) -> dict[str, float]:
        """Points, what the tiles that stay are worth, and both together, the equity."""
        structs = self.structs(state)
        if structs[0].phase != TURN:
            return {}
        out = np.zeros(2, np.int64)
        self.rules.kernel(count_move)(structs, action, out, self.w)
        points, equity = int(out[0]), int(out[1]) / 1000
        return {"points": points, "leave": round(equity - points, 3), "equity": equity}

    def actions(self, state: Any) -> Sequence[Any]:
        """The right plays, exchanges and the pass; where words may be challenged, any other play is in it as well."""
        found = super().actions(state)
        if self.challenge == "void" or int(self.struct(state).phase) != TURN:
            return found
        return Listed(found, lambda action: self.can_lay(state, action))

    def winning_chance(self, value: float) -> float:
        """By a curve that is 0.73 at 50 points ahead."""
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, value / self.facts.players * 2 / 50))))


class Listed(tuple[int, ...]):
    """Actions with others that are as legal, but too many to list: they are `in` it all the same."""

    _allows: Callable[[int], bool]

    def __new__(cls, found: Sequence[int], allows: Callable[[int], bool]) -> Listed:
        made = super().__new__(cls, found)
        made._allows = allows
        return made

    def __contains__(self, action: object) -> bool:
        return super().__contains__(action) or (isinstance(action, int) and self._allows(action))
