"""Chance that cannot be listed begins; then both show one or two fingers at once, in two rounds."""

import numpy as np

from gametree import Facts
from gametree.kernels import UNLISTED, CompiledGame, struct

State = struct(rounds="u1", lead="i1", stake="u1")


def initial(s):
    s.rounds = 0


def player(s):
    return -1 if s.stake == 0 else -2 if s.rounds < 2 else 0


def outcomes(s, out, odds):
    return UNLISTED if s.stake == 0 else 0


def legal_moves(s, out):
    return 0


def play(s, m):
    s.stake = m % 5 + 1


def seat_moves(s, seat, out):
    if s.stake == 0 or s.rounds >= 2:
        return 0
    out[0] = 1
    out[1] = 2
    return 2


def play_joint(s, moves):
    s.lead += 1 if (moves[0] + moves[1]) % 2 == 0 else -1
    s.rounds += 1


def utility(s):
    return np.int64(s.lead)


class Fingers(CompiledGame):
    facts = Facts(
        chance=True, unlisted=True, simultaneous=True, most_moves=4, longest_game=3, min_utility=-2, max_utility=2
    )


game = Fingers
