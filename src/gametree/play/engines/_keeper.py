"""Runs a program and makes sure that neither it nor its children outlive whoever started it.

Started by path, without gametree, as the leader of a new session: `_keeper.py LIFELINE PROGRAM ARGUMENT...`. LIFELINE
is the number of a pipe whose other end only the starter holds. When that end closes, because the starter closed it or
died (even by `kill -9`), the whole process group is killed; when the program ends, what it has left behind is.
"""

import os
import select
import signal
import subprocess
import sys


def main() -> None:
    """Wait for the program or the lifeline, then kill the group, this process included."""
    lifeline = int(sys.argv[1])
    ended, wake = os.pipe()
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(_not_blocking(wake))
    try:
        subprocess.Popen(sys.argv[2:], close_fds=True)
    except OSError:
        os._exit(127)
    # The program alone holds its pipes now, so that their ends tell when it is gone.
    for number in (0, 1):
        os.close(number)
    select.select([lifeline, ended], [], [])
    os.killpg(0, signal.SIGKILL)


def _not_blocking(number: int) -> int:
    os.set_blocking(number, False)
    return number


if __name__ == "__main__":
    main()
