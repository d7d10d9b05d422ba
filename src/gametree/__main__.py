"""The command `gametree`, also as `python -m gametree`."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit: 0 if all went well, 2 for a mistake in the input, 130 for Ctrl-C at any time."""
    try:
        from gametree.interfaces.cli import run

        code = run()
    except KeyboardInterrupt:  # while the commands were still being imported, or a second time
        print("gametree: Stopped.", file=sys.stderr)
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
