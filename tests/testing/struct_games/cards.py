"""Three seats in two teams get one of four cards each and call 0 or 1 in turn; who called high wins a point."""

import numpy as np

from gametree import Facts
from gametree.kernels import CompiledGame, more_bits, struct, u64

State = struct(cards=("u1", 3), calls=("u1", 3), count="u1", dealt="u1")
Weights = struct(bonus="i4")
Note = struct(total="i4", seats=("i2", 3))
UNIT = 10


def initial(s):
    s.count = 0


def player(s):
    return s.count % 3 if s.dealt != 0 else -1


def outcomes(s, out, odds):
    if s.dealt != 0:
        return 0
    for i in range(24):
        out[i] = i
        odds[i] = 1.0 / 24
    return 24


def roll(s, bits):
    return np.int64((u64(bits) >> u64(32)) * u64(24) >> u64(32))


def legal_moves(s, out):
    if s.dealt == 0 or s.count == 3:
        return 0
    out[0] = 0
    out[1] = 1
    return 2


def play(s, m):
    if s.dealt == 0:
        spread(s, m)
        return
    s.calls[s.count] = m + 1
    s.count += 1


def spread(s, m):
    first, second, third = m // 6, m // 2 % 3, m % 2
    s.cards[0] = first + 1
    s.cards[1] = (first + 1 + second) % 4 + 1
    left = 0
    for card in range(1, 5):
        if card != s.cards[0] and card != s.cards[1]:
            if left == third:
                s.cards[2] = card
            left += 1
    s.dealt = 1


def payoffs(s, out):
    points = (1 if s.calls[0] == 2 else 0) + (1 if s.calls[2] == 2 else 0) - (2 if s.calls[1] == 2 else 0)
    out[0] = points
    out[1] = -2 * points
    out[2] = points


def hide(s, seat):
    for other in range(3):
        if other != seat:
            s.cards[other] = 0


def redeal(s, seat, bits):
    if s.dealt == 0:
        return
    for other in range(3):
        if other != seat:
            card = np.int64((more_bits(bits, other) >> u64(32)) * u64(4) >> u64(32))
            while card + 1 == s.cards[0] or card + 1 == s.cards[1] or card + 1 == s.cards[2]:
                card = (card + 1) % 4
            s.cards[other] = card + 1


def heard(s, m, t, seat):
    if s.dealt == 0:
        return np.int64(t.cards[seat]) + 16 if seat >= 0 else np.int64(16)
    return m + 1


def plausibility(s, seat):
    return 1.0 if s.count == 0 else 0.5


def info_key(s, seat):
    return u64(s.cards[seat] * 16 + s.count)


def estimates(s, out, w, note):
    for seat in range(3):
        out[seat] = (note.total - 1 if seat != 1 else 2 - 2 * note.total) + w.bonus


def priors(s, moves, n, out, w):
    for i in range(n):
        out[i] = 1.0 + moves[i] + w.bonus


def note_fresh(s, note):
    note.total = 0
    for seat in range(3):
        note.seats[seat] = s.calls[seat]
        note.total += 1 if s.calls[seat] == 2 and seat != 1 else 0


def note_move(s, m, t, old, new):
    new.total = old.total + (1 if s.dealt != 0 and m == 1 and s.count != 1 else 0)
    for seat in range(3):
        new.seats[seat] = t.calls[seat]


class Cards(CompiledGame):
    facts = Facts(
        players=3,
        teams=((0, 2), (1,)),
        chance=True,
        hidden=True,
        most_moves=24,
        min_utility=-4,
        max_utility=4,
        utility_sum=0,
        longest_game=4,
    )


game = Cards
