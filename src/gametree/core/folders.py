"""Where a user's files are kept: one place for what is the user's own, one for what can be made again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["cache_folder", "data_folder"]


def data_folder() -> Path:
    """The folder of saved games, of the workbench's games and its settings. It may not exist yet.

    It is `gametree` in $XDG_DATA_HOME, in $LOCALAPPDATA (Windows), or in ~/.local/share.
    """
    base = os.environ.get("XDG_DATA_HOME") or os.environ.get("LOCALAPPDATA") or "~/.local/share"
    return Path(base).expanduser() / "gametree"


def cache_folder() -> Path:
    """The folder of compiled code: $GAMETREE_CACHE_DIR, or the platform's folder for caches. It may not exist yet."""
    override = os.environ.get("GAMETREE_CACHE_DIR")
    if override:
        return Path(override).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "gametree"
