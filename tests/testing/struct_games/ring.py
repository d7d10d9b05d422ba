"""A token on a ring of four goes left or right, twelve plies long; positions repeat."""

import numpy as np

from gametree import Facts
from gametree.kernels import CompiledGame, struct, u64

State = struct(place="u1", seat="u1", plies="u1")


def initial(s):
    s.place = 0


def player(s):
    return np.int64(s.seat)


def legal_moves(s, out):
    if s.plies >= 12:
        return 0
    out[0] = 0
    out[1] = 1
    if s.place == 0:
        return 1
    return 2


def play(s, m):
    s.place = (s.place + (1 if m == 0 else 3)) % 4
    s.seat = 1 - s.seat
    s.plies += 1


def utility(s):
    return 0


def repetition_key(s):
    return u64(s.place * 2 + s.seat)


def reversible_plies(s):
    return np.int64(s.plies)


def key_after(s, m):
    return u64((s.place + (1 if m == 0 else 3)) % 4 * 2 + 1 - s.seat)


class Ring(CompiledGame):
    facts = Facts(most_moves=2, longest_game=12)


game = Ring
