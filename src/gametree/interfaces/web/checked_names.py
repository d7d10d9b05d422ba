"""Names that requests give, checked without importing anything heavy into the server's process."""

from __future__ import annotations

from starlette.requests import Request

from gametree.core.errors import UnknownName, suggest
from gametree.core.registry import algorithm_names

__all__ = ["check_algorithm", "client_of", "find_player"]


def client_of(request: Request) -> str:
    """What tells the sender of a request from others, so that they take turns."""
    return f"{request.client.host}:{request.client.port}" if request.client else ""


def check_algorithm(name: str) -> str:
    """An algorithm's name without parameters, as requests give it; nothing for one that fits. Raises UnknownName."""
    if name and name not in algorithm_names():
        raise UnknownName(f"There is no algorithm called '{name[:40]}'.{suggest(name[:40], algorithm_names())}")
    return name


def find_player(name: str, programs: dict[str, str]) -> str:
    """The player behind the name of a program, as a request gives it. Raises UnknownName."""
    if name not in programs:
        raise UnknownName(
            f"There is no program called '{name[:40]}' here.{suggest(name[:40], programs)} "
            "Programs are named when the server is started, with --program."
        )
    return programs[name]
