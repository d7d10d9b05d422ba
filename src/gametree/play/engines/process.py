"""Another program as a partner in a conversation of lines, which can do us no harm.

The program runs in a process group of its own under a keeper (see `_keeper`), which ends with us. Every wait has an
end, every line a greatest length, every move a greatest amount of output. There are no threads: while nobody listens,
the pipe fills and the program waits.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from gametree.core.errors import BadInput
from gametree.play.players import PlayerFault

__all__ = ["LINE", "OUTPUT", "Conversation", "find_program"]

LINE = 1 << 16
"""The longest line in bytes; a program that writes more without a newline has failed."""
OUTPUT = 1 << 24
"""The most bytes between two of our own lines."""

_KEEPER = Path(__file__).with_name("_keeper.py")


def find_program(command: list[str]) -> list[str]:
    """The command with the program's full path. Raises BadInput if there is no such program.

    Games live in /usr/games on Debian, which is not on everyone's path.
    """
    found = shutil.which(command[0]) or shutil.which(command[0], path="/usr/games:/usr/local/games")
    if found is None:
        raise BadInput(f"There is no program '{command[0]}'; expected one on the path or a path to an executable file.")
    return [os.path.abspath(found), *command[1:]]


class Conversation:
    """A running program. Raises PlayerFault with the reason `crash`, `time` or `flood` where it fails."""

    def __init__(self, command: list[str]) -> None:
        self.command = command
        watched, self._lifeline = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_KEEPER), str(watched), *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=(watched,),
                start_new_session=True,
                bufsize=0,
            )
        finally:
            os.close(watched)
        assert self._process.stdin
        assert self._process.stdout
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._buffer = b""
        self._received = 0
        self.alive = True

    def send(self, line: str, *, within: float = 5.0) -> None:
        """Write a line; the program must take it in time."""
        self._received = 0
        data, end = memoryview(line.encode() + b"\n"), time.monotonic() + within
        with selectors.DefaultSelector() as selector:
            selector.register(self._in, selectors.EVENT_WRITE)
            while data:
                if not selector.select(max(0.0, end - time.monotonic())):
                    raise PlayerFault("time", f"it did not read '{line}' within {within:g} s")
                try:
                    data = data[os.write(self._in, data) :]
                except BlockingIOError:
                    continue
                except OSError:
                    raise self._gone() from None

    def receive(self, deadline: float) -> str:
        """The next line, stripped; `deadline` is a time of the monotonic clock."""
        while b"\n" not in self._buffer:
            if len(self._buffer) > LINE:
                raise PlayerFault("flood", f"it wrote more than {LINE:,} bytes without a newline")
            if self._received > OUTPUT:
                raise PlayerFault("flood", f"it wrote more than {OUTPUT:,} bytes without an answer")
            self._read(deadline)
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("utf-8", "replace").strip()

    def _read(self, deadline: float) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise PlayerFault("time", "it did not answer in time")
        # A program that never stops writing must not keep us beyond the deadline either.
        if time.monotonic() > deadline and self._received:
            raise PlayerFault("time", "it did not answer in time")
        try:
            data = os.read(self._out, 1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            raise self._gone()
        self._received += len(data)
        self._buffer += data

    def _gone(self) -> PlayerFault:
        self.alive = False
        return PlayerFault("crash", "it ended in the middle of the game")

    def close(self, farewell: str = "", *, within: float = 0.5) -> None:
        """End the program: say farewell, wait a moment, then kill its whole group. May be called again."""
        if self._lifeline < 0:
            return
        self.alive = False
        with contextlib.suppress(PlayerFault):
            if farewell:
                self.send(farewell, within=within)
                end = time.monotonic() + within
                while True:
                    self.receive(end)  # until it closes its output or the time is up
        os.close(self._lifeline)
        self._lifeline = -1
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def __del__(self) -> None:
        if getattr(self, "_lifeline", -1) >= 0:
            self.close()
