"""Standard input and output for conversations: lines of whatever bytes come in, whole lines out."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TextIO

__all__ = ["LONGEST", "Speaker", "one_line", "read_lines"]

LONGEST = 1 << 20
"""The longest line in characters that makes sense."""
_MOST_BYTES = 4 * (LONGEST + 1)  # which is more than LONGEST characters, whatever they are


def read_lines(stream: TextIO) -> Iterator[str]:
    """The lines of the stream. Bytes that are no UTF-8 become U+FFFD; a line beyond LONGEST characters may be cut, but
    not to LONGEST, so that its reader can tell.
    """
    source = getattr(stream, "buffer", None)
    if source is None:  # a stream of text alone
        yield from stream
        return
    while raw := source.readline(_MOST_BYTES):
        rest = raw
        while len(rest) == _MOST_BYTES and not rest.endswith(b"\n"):
            rest = source.readline(_MOST_BYTES)
        yield raw.decode("utf-8", errors="replace")


def one_line(text: str, most: int = 60) -> str:
    """Foreign text for a message: the beginning of it, in plain characters."""
    short = text[:most] + ("..." if len(text) > most else "")
    return ascii(short)[1:-1]


class Speaker:
    """Writes whole lines, from any thread. When nobody reads any more, `alone` becomes true and nothing is written."""

    def __init__(self, output: TextIO) -> None:
        self._output = output
        self._lock = threading.Lock()
        self.alone = False

    def __call__(self, *lines: str) -> None:
        """Write the lines at once."""
        with self._lock:
            try:
                self._output.write("".join(f"{line}\n" for line in lines))
                self._output.flush()
            except (BrokenPipeError, ValueError):  # closed by the other side, or by ourselves
                self.alone = True
