"""Files of tables: blocks, each compressed by itself and with a checksum, behind a header that says where they lie.

    magic       "gametree table" and the number of the version, 16 bytes
    header      its length and its CRC-32, 4 bytes each, and JSON: the game, what the bytes tell (`kind`), whether
                positions with compulsory captures are left out (`quiet`), the bytes of a block before compression,
                and for each class its name, number and size, and of each block where it begins, its length and CRC-32
    blocks      LZMA (raw LZMA2)

`kind` is "distance" (see `table_bytes`), or "outcome": bytes 1, 0, −1. The file is mapped into memory; a block is
unpacked when it is first asked about, or all of a class at once for a search. A file is written whole or not at all.
"""

from __future__ import annotations

import json
import lzma
import mmap
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.core.files import write_atomically

__all__ = ["SUFFIX", "TableFile", "write_tables"]

MAGIC = b"gametree table 1"
SUFFIX = ".gtt"
BLOCK = 1 << 16
# Neither text nor numbers of several bytes: a literal depends on no position and on no bits of the one before.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 0, "lp": 0, "pb": 0, "dict_size": BLOCK}]
_HEAD = struct.Struct("<II")


def write_tables(
    path: Path,
    game: str,
    tables: Mapping[int, Any],
    names: Mapping[int, str],
    *,
    kind: str = "distance",
    quiet: bool = False,
    block: int = BLOCK,
) -> None:
    """Write tables of some classes into one file. Raises BadInput, for example where no space is left."""
    filters = [{**_FILTERS[0], "dict_size": max(block, 4096)}]
    classes, parts, at = [], [], 0
    for c, table in tables.items():
        data = np.ascontiguousarray(table, np.int8).tobytes()
        blocks = []
        for start in range(0, len(data), block):
            packed = lzma.compress(data[start : start + block], lzma.FORMAT_RAW, filters=filters)
            blocks.append((at, len(packed), zlib.crc32(packed)))
            parts.append(packed)
            at += len(packed)
        classes.append({"name": names[c], "number": c, "size": len(data), "blocks": blocks})
    about = {"game": game, "kind": kind, "quiet": quiet, "block": block, "classes": classes}
    header = json.dumps(about, separators=(",", ":")).encode()
    write_atomically(path, MAGIC + _HEAD.pack(len(header), zlib.crc32(header)) + header + b"".join(parts))


class TableFile:
    """A file of tables, mapped into memory. Raises BadInput if it is no such file, cut short or damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self._map: Any = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise BadInput(f"'{path}' cannot be read: {error.strerror or error}.") from None
        except ValueError:  # an empty file cannot be mapped
            raise BadInput(f"'{path}' is empty; expected a file as `gametree tables build` writes it.") from None
        start = len(MAGIC) + _HEAD.size
        if self._map[: len(MAGIC)] != MAGIC:
            version = bytes(self._map[: len(MAGIC)]).startswith(MAGIC[:-1])
            what = f"is of another version than {MAGIC[-1:].decode()}" if version else "is no file of tables"
            raise BadInput(f"'{path}' {what}; build it again with `gametree tables build`.")
        if len(self._map) < start:
            self._refuse("is cut short")
        length, sum_ = _HEAD.unpack(self._map[len(MAGIC) : start])
        header = self._map[start : start + length]
        if len(header) < length:
            self._refuse("is cut short")
        if zlib.crc32(header) != sum_:
            self._refuse("is damaged in its header")
        about = json.loads(header)
        self.game: str = about["game"]
        self.kind: str = about["kind"]
        self.quiet: bool = about["quiet"]
        self._block: int = about["block"]
        self._filters = [{**_FILTERS[0], "dict_size": max(self._block, 4096)}]
        self._start = start + length
        self._classes = {entry["number"]: entry for entry in about["classes"]}
        self._unpacked: dict[tuple[int, int], bytes] = {}
        ends = [at + length for entry in about["classes"] for at, length, _ in entry["blocks"]]
        if len(self._map) < self._start + max(ends, default=0):
            self._refuse("is cut short")

    def _refuse(self, what: str) -> None:
        raise BadInput(f"'{self.path}' {what}; build it again with `gametree tables build`.")

    @property
    def classes(self) -> list[int]:
        """The classes that it holds."""
        return list(self._classes)

    def size(self, c: int) -> int:
        """How many positions the class has a byte for."""
        return int(self._classes[c]["size"])

    def packed_size(self, c: int) -> int:
        """How many bytes they take in the file."""
        return sum(length for _, length, _ in self._classes[c]["blocks"])

    def _unpack(self, c: int, number: int) -> bytes:
        entry = self._classes[c]
        at, length, sum_ = entry["blocks"][number]
        packed = self._map[self._start + at : self._start + at + length]
        size = min(self._block, entry["size"] - number * self._block)
        try:
            data = (
                lzma.decompress(packed, lzma.FORMAT_RAW, filters=self._filters) if zlib.crc32(packed) == sum_ else b""
            )
        except lzma.LZMAError:
            data = b""
        if len(data) != size:
            self._refuse(f"is damaged in block {number + 1} of {entry['name']}")
        return data

    def byte(self, c: int, index: int) -> int:
        """What one position is worth. Raises BadInput if its block is damaged."""
        place, number = c, index // self._block
        if (place, number) not in self._unpacked:
            self._unpacked[place, number] = self._unpack(c, number)
        value = self._unpacked[place, number][index % self._block]
        return value - 256 if value > 127 else value

    def load(self, c: int) -> Any:
        """All bytes of a class as an array. Raises BadInput if a block is damaged."""
        blocks = range(len(self._classes[c]["blocks"]))
        return np.frombuffer(b"".join(self._unpack(c, number) for number in blocks), np.int8)
