"""Files that are never half-written."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from gametree.core.errors import BadInput

__all__ = ["read_text", "write_atomically"]


def write_atomically(path: str | Path, content: str | bytes, *, overwrite: bool = True) -> None:
    """Write `content` so that the file is either whole or as it was before, whatever happens meanwhile.

    Raises BadInput, naming the path and the reason.
    """
    target = Path(path)
    if not overwrite and target.exists():
        raise BadInput(f"'{path}' exists already; choose another name or remove it first.")
    data = content.encode("utf-8") if isinstance(content, str) else content
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files that only their owner may read; give this one the usual rights.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, target)
    except OSError as error:
        raise BadInput(f"'{path}' cannot be written: {error.strerror or error}.") from None
    finally:
        if temporary:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)


def read_text(path: str | Path) -> str:
    """The file's text. Raises BadInput, naming the path and the reason."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"'{path}' cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise BadInput(f"'{path}' is not a text file; expected UTF-8.") from None
