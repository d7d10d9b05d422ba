"""How a server was started."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gametree.core.folders import data_folder

__all__ = ["LOOPBACK", "Settings", "data_file"]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Names by which this machine calls itself; nobody else can reach a server behind them."""


@dataclass(frozen=True)
class Settings:
    """Everything that the command line decides."""

    host: str = "127.0.0.1"
    port: int = 8137
    token: str = ""
    """What a browser must know once; empty on loopback."""
    files: dict[str, str] = field(default_factory=dict)
    """File name → absolute path of the users' games."""
    programs: dict[str, str] = field(default_factory=dict)
    """Name → player, such as `uci:stockfish`: other programs that may play here."""
    data: Path = Path(":memory:")
    """The SQLite file of the games."""
    engines: int | None = None
    """Processes for searches; None for one per core."""
    memory_mib: int = 3072
    """What one process may allocate."""
    requests_per_second: float = 100.0
    """Of one address, in the long run; three times as many may come at once."""
    messages_per_second: float = 30.0
    """The same for the messages of one WebSocket."""
    most_sockets: int = 600
    """Open WebSockets of all clients together."""


def data_file() -> Path:
    """Where the user's games are kept: `web.sqlite3` in the user's data folder, which is made if need be."""
    folder = data_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "web.sqlite3"
