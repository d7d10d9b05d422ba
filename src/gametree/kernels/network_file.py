"""Networks as files: one page of header, then the record as it lies in memory, which is mapped and not copied.

    GTNET 1                                  name and version
    {"game": …, "inputs": …, …}              JSON in one line: which game, the shape, the checksum, how it was learned

The header is filled up to 4096 bytes. Nothing in a file is executed, and every number of the header is checked against
the file before the rest is looked at.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gametree.core.errors import BadInput
from gametree.core.files import write_atomically

__all__ = ["read_header", "read_network", "write_network"]

_MAGIC = b"GTNET 1\n"
_PAGE = 4096
_SHAPE = ("inputs", "hidden", "kinds")


def write_network(path: Path, game: str, net: Any, **told: Any) -> None:
    """Write an array of one record of networks; `told` is kept in the header. The old file stays until all is there."""
    payload = net.tobytes()
    header = {
        "game": game,
        **{name: int(net[0][name]) for name in _SHAPE},
        "room": list(net.dtype["first"].shape),
        "checksum": hashlib.sha256(payload).hexdigest(),
        **told,
    }
    head = _MAGIC + json.dumps(header, sort_keys=True).encode() + b"\n"
    if len(head) > _PAGE:
        raise BadInput(f"What should be kept with the network takes {len(head)} bytes; expected at most {_PAGE}.")
    write_atomically(path, head.ljust(_PAGE, b"\0") + payload)


def read_header(path: Path) -> Mapping[str, Any]:
    """What a file says of its network. Raises BadInput."""
    try:
        with path.open("rb") as file:
            head = file.read(_PAGE)
    except OSError as error:
        raise BadInput(f"The network '{path}' cannot be read: {error.strerror or error}.") from None
    if not head.startswith(_MAGIC):
        raise BadInput(f"'{path}' is not a network; expected a file that `gametree train` has written.")
    try:
        header = json.loads(head[len(_MAGIC) :].split(b"\n", 1)[0])
    except ValueError:
        header = None
    if not isinstance(header, dict):
        raise BadInput(f"The network '{path}' has a broken header.")
    return header


def read_network(path: Path, game: str, kind: Any) -> Any:
    """The network of a file as an array with one record of the type `kind`, mapped. Raises BadInput."""
    header = read_header(path)
    if header.get("game") != game:
        raise BadInput(f"The network '{path}' is of {header.get('game')}; expected one of {game}.")
    room = list(kind["first"].shape)
    if header.get("room") != room or path.stat().st_size != _PAGE + kind.itemsize:
        raise BadInput(
            f"The network '{path}' has room for {header.get('room')} kinds, inputs and hidden units in "
            f"{path.stat().st_size:,} bytes; expected {room} in {_PAGE + kind.itemsize:,}."
        )
    mapped = np.memmap(path, dtype=np.uint8, mode="r", offset=_PAGE)
    if hashlib.sha256(mapped.tobytes()).hexdigest() != header.get("checksum"):
        raise BadInput(f"The network '{path}' is damaged: its checksum is not that of its header.")
    net = np.asarray(mapped).view(kind)
    for name, most in zip(("kinds", "inputs", "hidden"), room, strict=True):
        number = int(net[0][name])
        if number != header.get(name) or not 1 <= number <= most:
            raise BadInput(f"The network '{path}' has {number} {name}; expected {header.get(name)}, at most {most}.")
    return net
