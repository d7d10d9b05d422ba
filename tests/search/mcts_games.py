"""Small compiled games for the tests of fast-mcts, each one sort of game at its smallest."""

from __future__ import annotations

from pathlib import Path

from gametree.core.registry import load_game

HEAD = """
import numpy as np
from gametree.core.facts import Facts
from gametree.kernels import UNLISTED, CompiledGame, more_bits, struct, u64
"""

PILE = """
# Nim with one pile for any number of seats: take 1 to 3; after taking 1 from an even pile the same seat goes on.
# Who takes the last one wins a point from every other seat, or from the other team.
State = struct(left="i4", seat="i4", last="i4")
SEATS_HERE = 3
PILE = 9
TEAMS = False

def initial(s):
    s.left = PILE

def player(s):
    return np.int64(s.seat)

def legal_moves(s, out):
    n = min(3, np.int64(s.left))
    for i in range(n):
        out[i] = i + 1
    return n

def play(s, m):
    again = m == 1 and s.left % 2 == 0
    s.left -= m
    s.last = s.seat
    if not again:
        s.seat = (s.seat + 1) % SEATS_HERE

def payoffs(s, out):
    for seat in range(SEATS_HERE):
        if TEAMS:
            out[seat] = 1 if seat % 2 == s.last % 2 else -1
        else:
            out[seat] = SEATS_HERE - 1 if seat == s.last else -1

class Pile(CompiledGame):
    def __init__(self, seats: int = 3, pile: int = 9, teams: bool = False) -> None:
        self.facts = Facts(
            players=seats,
            teams=(tuple(range(0, seats, 2)), tuple(range(1, seats, 2))) if teams else None,
            most_moves=3,
            longest_game=pile,
            min_utility=-1,
            max_utility=1 if teams else seats - 1,
        )
        super().__init__(SEATS_HERE=seats, PILE=pile, TEAMS=teams)

game = Pile
"""

GAMBLE = """
# Seat 0 keeps what it has, or lets chance draw a number that seat 1 sees and wins by naming its parity.
State = struct(ply="i4", number="i8", named="i4")

def initial(s):
    pass

def player(s):
    return np.int64(0) if s.ply == 0 else np.int64(-1) if s.ply == 1 else np.int64(1)

def outcomes(s, out, odds):
    return UNLISTED if s.ply == 1 else 0

def legal_moves(s, out):
    if s.ply == 1 or s.ply > 2:
        return 0
    out[0], out[1] = 0, 1
    return 2

def play(s, m):
    if s.ply == 0:
        s.ply = 1 if m == 1 else 4
    elif s.ply == 1:
        s.number = m
        s.ply = 2
    else:
        s.named = m
        s.ply = 3

def payoffs(s, out):
    lost = s.ply == 3 and s.number % 2 == s.named
    out[0] = 0 if s.ply == 4 else -1 if lost else 1
    out[1] = -out[0]

class Gamble(CompiledGame):
    facts = Facts(chance=True, unlisted=True, most_moves=2, longest_game=3)

game = Gamble
"""

RING = """
# Two men on a ring of CELLS cells; the first player's moves from 0, the second's from the cell opposite. A man steps
# one or two cells. Who lands on the other wins. What happens to a position that comes back is REPETITION.
State = struct(first="i4", second="i4", seat="i4", over="i4")
CELLS = 7
REPETITION = "draw"

def initial(s):
    s.second = CELLS // 2

def player(s):
    return np.int64(s.seat)

def legal_moves(s, out):
    if s.over != 0:
        return 0
    n = 0
    for step in (1, 2, CELLS - 1, CELLS - 2):
        out[n] = step
        n += 1
    return n

def play(s, m):
    if s.seat == 0:
        s.first = (s.first + m) % CELLS
    else:
        s.second = (s.second + m) % CELLS
    if s.first == s.second:
        s.over = 1
    s.seat = 1 - s.seat

def utility(s):
    return -1 if s.over != 0 else 0

def repetition_key(s):
    return u64(1 + s.first + CELLS * (s.second + CELLS * s.seat))

def reversible_plies(s):
    return 1000

class Ring(CompiledGame):
    def __init__(self, repetition: str = "draw", cells: int = 7) -> None:
        self.facts = Facts(most_moves=4, longest_game=2 * 3 * cells * cells)
        super().__init__(CELLS=cells, REPETITION=repetition)

game = Ring
"""

CARDS = """
# Each of SEATS_HERE seats is dealt one of the cards 0 to SEATS_HERE, which it alone sees. In turn, seat 0 first, each
# says 0 (out) or 1 (in for one chip). The highest card that is in takes the chips of the others that are in.
# With TELLS, seat 0 is known never to go in with less than TELLS.
State = struct(cards=("i1", 4), said=("i1", 4), count="i4", dealt="i4")
SEATS_HERE = 2
TELLS = 0
BLANK = 9

def initial(s):
    pass

def player(s):
    return np.int64(s.count % SEATS_HERE) if s.dealt != 0 else np.int64(-1)

def outcomes(s, out, odds):
    return UNLISTED if s.dealt == 0 else 0

def deal(s, bits):
    # The blanks are filled with the cards that are not seen, each equally likely.
    for seat in range(SEATS_HERE):
        if s.cards[seat] == BLANK:
            left = 0
            for card in range(SEATS_HERE + 1):
                seen = False
                for other in range(SEATS_HERE):
                    if s.cards[other] == card:
                        seen = True
                if not seen:
                    left += 1
            place = np.int64((more_bits(bits, seat) >> u64(32)) * u64(left) >> u64(32))
            for card in range(SEATS_HERE + 1):
                seen = False
                for other in range(SEATS_HERE):
                    if s.cards[other] == card:
                        seen = True
                if not seen:
                    if place == 0:
                        s.cards[seat] = card
                        break
                    place -= 1

def legal_moves(s, out):
    if s.dealt == 0 or s.count == SEATS_HERE:
        return 0
    out[0], out[1] = 0, 1
    # The lowest card has no choice but to go out, so that moves depend on the world.
    return 1 if s.cards[s.count] == 0 else 2

def play(s, m):
    if s.dealt == 0:
        for seat in range(SEATS_HERE):
            s.cards[seat] = BLANK
        deal(s, u64(m))
        s.dealt = 1
    else:
        s.said[s.count] = m
        s.count += 1

def payoffs(s, out):
    best = -1
    for seat in range(SEATS_HERE):
        if s.said[seat] == 1 and (best < 0 or s.cards[seat] > s.cards[best]):
            best = seat
    total = 0
    for seat in range(SEATS_HERE):
        out[seat] = 0
        if s.said[seat] == 1 and seat != best:
            out[seat] = -1
            total += 1
    if best >= 0:
        out[best] = total

def hide(s, seat):
    for other in range(SEATS_HERE):
        if other != seat and s.dealt != 0:
            s.cards[other] = BLANK

def redeal(s, seat, bits):
    if s.dealt != 0:
        deal(s, bits)

def heard(s, m, t, seat):
    return 10 + np.int64(t.cards[seat]) if s.dealt == 0 else m + 1

def plausibility(s, seat):
    if TELLS > 0 and seat != 0 and s.count > 0 and s.said[0] == 1 and s.cards[0] < TELLS:
        return 0.0
    return 1.0 if TELLS < 9 or seat == 0 else 0.0

class Cards(CompiledGame):
    def __init__(self, seats: int = 2, tells: int = 0) -> None:
        self.facts = Facts(
            players=seats, chance=True, unlisted=True, hidden=True, most_moves=2, longest_game=seats + 1,
            min_utility=-1, max_utility=seats - 1,
        )
        super().__init__(SEATS_HERE=seats, TELLS=tells)

game = Cards
"""

WIDE = """
# MOVES moves at the start, one of which wins: WINNER. Random games need no list, and nothing else may ask for one.
State = struct(ply="i4", good="i4", seat="i4")
MOVES = 20_000
WINNER = 123
PRIORS_HERE = False

def initial(s):
    pass

def player(s):
    return np.int64(s.seat)

def is_over(s, out):
    return s.ply == 3

def legal_moves(s, out):
    if s.ply > 0:
        return 0
    for i in range(MOVES):
        out[i] = i
    return MOVES

def playout_move(s, bits, out):
    return np.int64(0)

def play(s, m):
    if s.ply == 0 and m == WINNER:
        s.good = 1
    s.ply += 1
    s.seat = 1 - s.seat

def utility(s):
    value = 1 if s.good != 0 else -1
    return value if s.seat == 0 else -value

def priors(s, moves, n, out):
    for i in range(n):
        out[i] = 5.0 if moves[i] == WINNER else 1.0 + moves[i] % 3

class Wide(CompiledGame):
    facts = Facts(most_moves=20_000, longest_game=3)

game = Wide
"""

SUMS = """
# Seats add 1 to 4 to a sum until PLIES moves are made; the first wins if it is divisible by 5. The
# evaluation reads the sum from notes.
State = struct(total="i8", ply="i4")
Note = struct(total="i8", moves="i8")
PLIES = 6
UNIT = 10

def initial(s):
    pass

def legal_moves(s, out):
    if s.ply == PLIES:
        return 0
    for i in range(4):
        out[i] = i + 1
    return 4

def play(s, m):
    s.total += m
    s.ply += 1

def utility(s):
    value = 1 if s.total % 5 == 0 else -1
    return value if s.ply % 2 == 0 else -value

def priors(s, moves, n, out, w, note):
    for i in range(n):
        out[i] = 1.0 + (note.total + moves[i]) % 5

def evaluate(s, w, note):
    value = 5 - note.total % 5 - note.moves % 2
    return value if s.ply % 2 == 0 else -value

def note_fresh(s, note):
    note.total = s.total
    note.moves = s.ply

class Sums(CompiledGame):
    facts = Facts(most_moves=4, longest_game=6)

game = Sums
"""


NOTE_MOVE = """
def note_move(s, m, t, old, new):
    new.total = old.total + m
    new.moves = old.moves + 1

game = Sums
"""


def make(folder: Path, name: str, body: str, parameters: str = ""):
    """The game of this source, loaded as a user's file."""
    file = folder / f"{name}.py"
    file.write_text(HEAD + body, encoding="utf-8")
    return load_game(str(file) + (f":{parameters}" if parameters else ""))
