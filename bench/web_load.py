"""Load on the workbench: 200 open WebSockets, 50 of which ask for analysis at once, while others click moves.

    python bench/web_load.py [--sockets 200] [--analysts 50] [--seconds 30]

Starts a server of its own and prints how long a click takes from the message to the new position (without an engine),
how often each analyst was given a turn, what the processes use of memory, and whether anything was dropped. Exits with
1 if a click of the 95th percentile took 50 ms or more, an analyst got nothing, or a socket was lost.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect

LIMIT = 0.050
# Knights that go out and home again: moves without end.
ROUND = ("Nf3", "Nf6", "Ng1", "Ng8")


def new_game(address: str, game: str) -> str:
    body = json.dumps({"game": game}).encode()
    request = urllib.request.Request(
        f"{address}/api/play/games", body, {"Content-Type": "application/json", "Origin": address}
    )
    return str(json.load(urllib.request.urlopen(request))["id"])


def memory(process: int) -> tuple[int, int]:
    """Resident MiB of a process and of all its children together, and how many there are."""
    total, count, queue = 0, 0, [process]
    while queue:
        number = queue.pop()
        try:
            status = Path(f"/proc/{number}/status").read_text()
            queue += [int(word) for word in Path(f"/proc/{number}/task/{number}/children").read_text().split()]
        except OSError:
            continue
        found = re.search(r"VmRSS:\s+(\d+)", status)
        if found:  # not so for a process that is just ending
            total += int(found[1])
            count += 1
    return total >> 10, count


class Clicker:
    """A page with a game of two persons, where a move is made now and then."""

    def __init__(self, address: str, game: str) -> None:
        self.address = address
        self.name = new_game(address, game)
        self.latencies: list[float] = []

    async def open(self) -> None:
        place = f"{self.address.replace('http', 'ws')}/api/play/games/{self.name}/socket"
        self.socket = await connect(place, origin=self.address, max_size=1 << 22)  # type: ignore[arg-type]
        self.ply = len(json.loads(await self.socket.recv())["game"]["moves"])

    async def click(self) -> None:
        text = ROUND[self.ply % 4]
        began = time.perf_counter()
        await self.socket.send(json.dumps({"do": "move", "text": text, "ply": self.ply}))
        answer = json.loads(await self.socket.recv())
        self.latencies.append(time.perf_counter() - began)
        if answer["type"] != "game" or answer["game"]["result"]:
            # The third repetition ends the game: take it back to where it began.
            await self.socket.send(json.dumps({"do": "undo"}))
            answer = json.loads(await self.socket.recv())
        self.ply = len(answer["game"]["moves"])
        if self.ply >= 7:
            while self.ply:
                await self.socket.send(json.dumps({"do": "undo"}))
                self.ply = len(json.loads(await self.socket.recv())["game"]["moves"])


class Analyst:
    """A page that lets the engine think."""

    def __init__(self, address: str, number: int) -> None:
        self.address, self.number = address, number
        self.turns = 0
        self.first: float | None = None
        self.deepest = 0
        self.finished = False

    async def run(self, began: float) -> None:
        place = f"{self.address.replace('http', 'ws')}/api/analyse/socket"
        async with connect(place, origin=self.address, max_size=1 << 22) as socket:  # type: ignore[arg-type]
            moves = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"][: self.number % 7]
            await socket.send(json.dumps({"do": "analyse", "game": "chess", "moves": moves, "lines": 3}))
            async for text in socket:
                message = json.loads(text)
                if message["type"] == "lines":
                    self.turns += 1
                    self.deepest = max(self.deepest, message["depth"])
                    if self.first is None:
                        self.first = time.perf_counter() - began
                elif message["type"] == "error":
                    raise RuntimeError(message["error"])
                elif message["type"] == "thought":
                    self.finished = True
                    return


async def measure(address: str, process: int, options: argparse.Namespace) -> dict[str, Any]:
    clickers = [Clicker(address, "chess") for _ in range(8)]
    waiting = [Clicker(address, "chess") for _ in range(4)]
    for clicker in clickers + waiting:
        await clicker.open()
    before, _ = memory(process)
    # The rest only watches: several pages on one game.
    watchers = []
    for number in range(options.sockets - options.analysts - len(clickers) - len(waiting)):
        place = f"{address.replace('http', 'ws')}/api/play/games/{waiting[number % 4].name}/socket"
        socket = await connect(place, origin=address, max_size=1 << 22)  # type: ignore[arg-type]
        await socket.recv()
        watchers.append(socket)
    for clicker in clickers:  # without load
        for _ in range(10):
            await clicker.click()
    quiet = sorted(latency for clicker in clickers for latency in clicker.latencies)
    for clicker in clickers:
        clicker.latencies.clear()
    began = time.perf_counter()
    analysts = [Analyst(address, number) for number in range(options.analysts)]
    tasks = [asyncio.create_task(analyst.run(began)) for analyst in analysts]
    most = 0
    while time.perf_counter() - began < options.seconds:
        for clicker in clickers:
            await clicker.click()
            await asyncio.sleep(0.02)
        most = max(most, memory(process)[0])
    lost = [task for task in tasks if task.done() and task.exception() is not None]
    lost_watchers = [socket for socket in watchers if socket.close_code is not None]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.sleep(3)  # clients that left are let go of
    after, processes = memory(process)
    latencies = sorted(latency for clicker in clickers for latency in clicker.latencies)
    for socket in [*watchers, *(clicker.socket for clicker in clickers + waiting)]:
        await socket.close()
    turns = [analyst.turns for analyst in analysts]
    return {
        "sockets": options.sockets,
        "analysts": options.analysts,
        "clicks": len(latencies),
        "quiet_p95_ms": round(1000 * quiet[int(0.95 * len(quiet))], 1),
        "click_median_ms": round(1000 * statistics.median(latencies), 1),
        "click_p95_ms": round(1000 * latencies[int(0.95 * len(latencies))], 1),
        "click_worst_ms": round(1000 * latencies[-1], 1),
        "turns_least": min(turns),
        "turns_most": max(turns),
        "first_lines_worst_s": round(max(analyst.first or float("inf") for analyst in analysts), 2),
        "depth_least": min(analyst.deepest for analyst in analysts),
        "memory_before_mib": before,
        "memory_most_mib": most,
        "memory_after_mib": after,
        "processes": processes,
        "lost": len(lost) + len(lost_watchers),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sockets", type=int, default=200)
    parser.add_argument("--analysts", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "gametree", "web", "--no-browser", "--port", "0", "--data", f"{folder}/games"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            assert server.stderr is not None
            address = re.search(r"http://\S+?(?=/)", server.stderr.readline())
            assert address
            try:
                found = asyncio.run(measure(address.group(), server.pid, options))
            finally:
                server.terminate()
    print(json.dumps(found, indent=1))
    good = found["click_p95_ms"] < 1000 * LIMIT and found["turns_least"] > 0 and not found["lost"]
    print("as promised" if good else "NOT as promised")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
