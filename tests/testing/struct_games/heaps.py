"""Two heaps of four; one takes 1 or 2 from either, and who takes the last one wins. The heaps may be swapped."""

import numpy as np

from gametree import Facts
from gametree.kernels import CompiledGame, struct, u64

State = struct(heaps=("u1", 2), seat="u1")
SYMMETRIES = 2
MOVE_CLASSES = 2
UNIT = 100
ALTERNATE = True


def initial(s):
    s.heaps[0] = 4
    s.heaps[1] = 4


def player(s):
    return np.int64(s.seat)


def legal_moves(s, out):
    n = 0
    for heap in range(2):
        for take in range(1, 3):
            if take <= s.heaps[heap]:
                out[n] = 2 * heap + take - 1
                n += 1
    return n


def play(s, m):
    s.heaps[m // 2] -= m % 2 + 1
    s.seat = 1 - s.seat


def utility(s):
    return -1


def is_over(s, out):
    return s.heaps[0] + s.heaps[1] == 0


def evaluate(s):
    return 10 if (s.heaps[0] + s.heaps[1]) % 3 != 0 else -10


def move_key(s, m):
    return m


def child_key(s):
    return -np.int64(s.heaps[0] + s.heaps[1])


def noisy_moves(s, out):
    n = 0
    for heap in range(2):
        if s.heaps[heap] >= 2:
            out[n] = 2 * heap + 1
            n += 1
    return n


def forcing_moves(s, out):
    if s.heaps[0] == 0:
        return 0
    out[0] = 0
    return 1


def is_noisy(s, m):
    return m % 2 == 1


def gains(s, m, units):
    return m % 2 * 50 >= units


def is_urgent(s):
    return s.heaps[0] + s.heaps[1] == 1


def move_class(m):
    return m // 2


def structure_key(s):
    return u64(s.heaps[0])


def pass_turn(s):
    if s.heaps[0] < 2:
        return False
    s.seat = 1 - s.seat
    return True


def playout_move(s, bits, out):
    n = legal_moves(s, out)
    return out[np.int64((u64(bits) >> u64(32)) * u64(n) >> u64(32))]


def hash_state(s):
    return u64(s.heaps[0]) * u64(32) + u64(s.heaps[1]) * u64(2) + u64(s.seat)


def mirror(s, k):
    first = s.heaps[0]
    s.heaps[0] = s.heaps[1]
    s.heaps[1] = first


def mirror_move(m, k):
    return (m + 2) % 4


def solver_moves(s, out):
    n = legal_moves(s, out)
    if n == 0:
        out[0] = -1
    return n


def solver_bounds(s):
    return -1, 1


def plies_left(s):
    return s.heaps[0] + s.heaps[1]


def table_class(s):
    return s.heaps[0] + s.heaps[1]


def class_size(c):
    return 2 * c + 2


def index_of(s, c):
    return 2 * min(s.heaps[0], s.heaps[1]) + s.seat


def set_index(s, c, i):
    first = i // 2
    if first > c - first or c - first > 4:
        return False
    s.heaps[0] = first
    s.heaps[1] = c - first
    s.seat = i % 2
    return True


def class_after(c, out):
    n = 0
    for less in range(1, 3):
        if c >= less:
            out[n] = c - less
            n += 1
    return n


class Heaps(CompiledGame):
    facts = Facts(most_moves=4, longest_game=8)


game = Heaps
