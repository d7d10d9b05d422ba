"""The server as users start it, and a game of their own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

__all__ = ["HEX_GAME", "OWN_GAME", "PROGRAM", "Server"]

OWN_GAME = '''"""Take one or two coins; who takes the last one wins."""

from gametree import Facts, Game


class Coins(Game):
    """A state is (coins, seat)."""

    facts = Facts(most_moves=2, longest_game=7)

    def initial(self):
        return (7, 0)

    def player(self, state):
        return state[1]

    def actions(self, state):
        return [n for n in (1, 2) if n <= state[0]]

    def result(self, state, action):
        return (state[0] - action, 1 - state[1])

    def is_terminal(self, state):
        return state[0] == 0

    def utility(self, state, player):
        return -1 if state[1] == player else 1


game = Coins
'''


HEX_GAME = '''"""Hex on 3 × 3 cells: player 1 joins left and right, player 2 top and bottom."""

from gametree import Drawing, Facts, Game, Piece

CELLS = tuple(f"{letter}{number}" for number in (1, 2, 3) for letter in "abc")


class Hex(Game):
    """A state is the stones on the nine cells, row by row: 1, 2 or a dot."""

    facts = Facts(most_moves=9, longest_game=9)

    def initial(self):
        return "." * 9

    def player(self, state):
        return (9 - state.count(".")) % 2

    def actions(self, state):
        return [] if self.is_terminal(state) else [name for name, stone in zip(CELLS, state) if stone == "."]

    def result(self, state, action):
        place = CELLS.index(action)
        return state[:place] + "12"[self.player(state)] + state[place + 1 :]

    def is_terminal(self, state):
        return self.joins(state, 0) or self.joins(state, 1)

    def utility(self, state, player):
        return 1 if self.joins(state, player) else -1

    def joins(self, state, seat):
        own = {(place // 3, place % 3) for place in range(9) if state[place] == "12"[seat]}
        reached = {cell for cell in own if cell[1 - seat] == 0}
        while True:
            steps = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))
            more = {(row + down, column + right) for row, column in reached for down, right in steps} & own - reached
            if not more:
                return any(cell[1 - seat] == 2 for cell in reached)
            reached |= more

    def draw(self, state):
        pieces = tuple(Piece(n // 3, n % 3, state[n], int(state[n]) - 1) for n in range(9) if state[n] != ".")
        return Drawing(layout="hex", rows=3, columns=3, cells=CELLS, pieces=pieces, stones=True)


game = Hex
'''

PROGRAM = """# Speaks UCI and plays tic-tac-toe: always the first free cell.
import sys

taken = []
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["uci"]:
        print("id name firstcell\\nuciok", flush=True)
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["position"]:
        taken = words[words.index("moves") + 1 :] if "moves" in words else []
    elif words[:1] == ["go"]:
        cells = [letter + number for number in "123" for letter in "abc"]
        print("bestmove", next(cell for cell in cells if cell not in taken), flush=True)
    elif words[:1] == ["quit"]:
        break
"""


class Server:
    """`gametree web` in a process of its own."""

    def __init__(self, data: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "gametree", "web", "--no-browser", "--port", "0", "--data", str(data)]
        self.data = data
        self.process = subprocess.Popen([*command, *arguments], stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + self.process.stderr.read()
        self.address = found.group().rstrip("/")

    def stop(self) -> str:
        """End it as Ctrl-C does; returns what else it said."""
        self.process.terminate()
        return self.process.communicate(timeout=20)[1]
