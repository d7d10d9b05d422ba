"""AND-OR search over sets of states: what `guaranteed` and the belief search ask for wins that are certain."""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.core.clock import Clock
from gametree.core.errors import UnfitGame
from gametree.kernels.hashing import mix_in
from gametree.kernels.verbs import (
    MOST_MOVES,
    SIDE_OF,
    State,
    hash_state,
    heard,
    is_over,
    legal_moves,
    play,
    player,
    side_to_move,
    utility,
)
from gametree.search.hidden.belief.worlds import pick

__all__ = ["Prover"]

PLAYED, STAYED, WON, FAILED = range(4)
"""What becomes of a try on one state."""
MOST_STATES = 4000


def is_won(s: Any, seat: Any, w: Any) -> Any:
    """Whether the seat's side has won a game that is over."""
    value = np.int64(utility(s, w))
    return value > 0 if np.int64(side_to_move(s, w)) == SIDE_OF[seat] else value < 0


def list_own(states: Any, out: Any, weights: Any) -> Any:
    """The tries of the first state, which are those of all."""
    return legal_moves(states[0], out, weights[0])


def try_all(states: Any, m: Any, seat: Any, out: Any, fates: Any, told: Any, weights: Any) -> Any:
    """Play a try on all states: what it leads to, its fate and the word that the seat hears. The number that failed."""
    w = weights[0]
    scratch = np.empty(MOST_MOVES, np.int64)
    failed = np.int64(0)
    for i in range(states.shape[0]):
        out[i] = states[i]
        play(out[i], m, w)
        told[i] = np.int64(heard(states[i], m, out[i], seat, w))
        if is_over(out[i], scratch, w):
            fates[i] = WON if is_won(out[i], seat, w) else FAILED
            failed += np.int64(fates[i] == FAILED)
        else:
            fates[i] = STAYED if np.int64(player(out[i], w)) == seat else PLAYED
    return failed


def answer_all(states: Any, seat: Any, out: Any, told: Any, keys: Any, weights: Any) -> Any:
    """All states behind the other's moves, each once for what the seat hears. Returns how many, −1 if one of them is
    over and not won, −2 if there is no room.
    """
    w = weights[0]
    moves = np.empty(MOST_MOVES, np.int64)
    scratch = np.empty(MOST_MOVES, np.int64)
    after = np.zeros(1, State)
    t = after[0]
    mask = keys.shape[0] - 1
    keys[:] = np.uint64(0)
    count = np.int64(0)
    for i in range(states.shape[0]):
        s = states[i]
        mover = np.int64(player(s, w))
        for k in range(np.int64(legal_moves(s, moves, w))):
            after[0] = s
            play(t, moves[k], w)
            if is_over(t, scratch, w):
                if is_won(t, seat, w):
                    continue
                return np.int64(-1)
            if np.int64(player(t, w)) == mover:
                continue  # refused, and nothing gained for the other
            word = np.int64(heard(s, moves[k], t, seat, w))
            key = mix_in(np.uint64(hash_state(t, w)), np.uint64(word)) | np.uint64(1)
            place = np.int64(key >> np.uint64(20)) & mask
            while keys[place] != np.uint64(0) and keys[place] != key:
                place = (place + 1) & mask
            if keys[place] == key:
                continue
            if count >= out.shape[0]:
                return np.int64(-2)
            keys[place] = key
            out[count] = t
            told[count] = word
            count += 1
    return count


def win_now(states: Any, seat: Any, weights: Any) -> Any:
    """Whether the seat wins with its next move for sure: by an order of tries that win wherever they are played."""
    w = weights[0]
    n = states.shape[0]
    left = np.ones(n, np.int64)
    rest = n
    moves = np.empty(MOST_MOVES, np.int64)
    scratch = np.empty(MOST_MOVES, np.int64)
    after = np.zeros(1, State)
    t = after[0]
    count = np.int64(legal_moves(states[0], moves, w))
    found = True
    while rest > 0 and found:
        found = False
        for k in range(count):
            wins = 0
            fails = False
            for i in range(n):
                if left[i] == 0:
                    continue
                after[0] = states[i]
                play(t, moves[k], w)
                if is_over(t, scratch, w):
                    if not is_won(t, seat, w):
                        fails = True
                        break
                    wins += 1
                    left[i] = 2
                elif np.int64(player(t, w)) != seat:
                    fails = True
                    break
            for i in range(n):
                if left[i] == 2:
                    left[i] = 1 if fails else 0
            if not fails and wins > 0:
                rest -= wins
                found = True
    return rest == 0


class Prover:
    """Whether a seat of a compiled game wins for sure, and by which first tries. Raises OutOfTime by its clock."""

    def __init__(self, game: Any, seat: int, clock: Clock | None = None) -> None:
        rules = game.rules
        self._game, self._seat, self._clock, self._w = game, seat, clock, game.w
        self._type, self._most = rules.state_type, game.facts.most_moves
        self._list, self._try, self._now = (rules.kernel(kernel) for kernel in (list_own, try_all, win_now))
        self._answer = rules.kernel(answer_all)
        self._room = np.zeros(MOST_STATES, self._type)
        self._told = np.zeros(MOST_STATES, np.int64)
        self._slots = np.zeros(1 << (4 * MOST_STATES).bit_length(), np.uint64)
        self._known: dict[tuple[bytes, int], bool] = {}
        self.nodes = 0
        """Sets of states that were looked at."""

    def keys(self, states: Any, moves: int) -> list[int]:
        """All first tries that win for sure within this many moves."""
        return [m for m in self._tries(states) if self._is_key(states, m, moves)]

    def wins(self, states: Any, moves: int, *, told: bool = False) -> bool:
        """WIN(B, n); `told` where the seat has just been told something and not moved."""
        self.nodes += 1
        if self._clock is not None:
            self._clock.check(self.nodes)
        if moves == 1:
            # Where it does not, a question may help that is no move of the board, or a try that was owed after one.
            wins = bool(self._now(states, self._seat, self._w))
            return wins or ((told or len(states) > 1) and self._find(states, 1))
        size = self._type.itemsize
        data = states.tobytes()
        known = (b"".join(sorted(data[size * i : size * (i + 1)] for i in range(len(states)))), moves)
        if known not in self._known:
            self._known[known] = self._find(states, moves)
        return self._known[known]

    def _find(self, states: Any, moves: int) -> bool:
        return any(self._is_key(states, m, moves) for m in self._tries(states))

    def _tries(self, states: Any) -> list[int]:
        out = np.empty(self._most, np.int64)
        found: list[int] = out[: self._list(states, out, self._w)].tolist()
        return found

    def _is_key(self, states: Any, m: int, moves: int) -> bool:
        """Whether the try begins a way to win for sure."""
        count = len(states)
        after = np.zeros(count, self._type)
        fates, told = np.zeros(count, np.int64), np.zeros(count, np.int64)
        if self._try(states, m, self._seat, after, fates, told, self._w):
            return False
        stayed, played = fates == STAYED, fates == PLAYED
        if stayed.all() and len(set(told.tolist())) == 1 and not set(self._tries(after)) - set(self._tries(states)):
            return False  # it tells nothing and allows nothing new
        if played.any() and moves == 1:
            return False
        for word in np.unique(told[played]):
            if not self._wins_after(pick(after, played & (told == word)), moves):
                return False
        parts = [pick(after, stayed & (told == word)) for word in np.unique(told[stayed])]
        return all(self.wins(part, moves, told=True) for part in parts)

    def _wins_after(self, states: Any, moves: int) -> bool:
        """Whether all that the other can do leads to sets that can be won in a move less."""
        count = self._answer(states, self._seat, self._room, self._told, self._slots, self._w)
        if count == -2:
            raise UnfitGame(f"guaranteed gives up: more than {MOST_STATES:,} boards would have to be held possible.")
        if count < 0:
            return False
        boards, told = pick(self._room, slice(count)), self._told[:count].copy()
        parts = [pick(boards, told == word) for word in np.unique(told)]
        return all(self.wins(part, moves - 1) for part in sorted(parts, key=len, reverse=True))
