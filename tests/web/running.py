"""The server as users start it, and a game of their own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

__all__ = ["OWN_GAME", "Server"]

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
