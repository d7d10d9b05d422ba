"""What the benchmarks share: the machine, the C++ twins, and how results are told."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

__all__ = ["DATA", "FLAGS", "TWINS", "build_twin", "machine", "run_twin", "standstills", "tell", "verdict"]

HERE = Path(__file__).resolve().parent
TWINS = HERE / "twins"
DATA = HERE.parent.parent / "shared" / "data"
FLAGS = ("-std=c++17", "-O3", "-march=native")


def machine() -> dict[str, Any]:
    """What the benchmark ran on."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        cpu = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        cpu = platform.processor() or platform.machine()
    compiler = shutil.which("g++")
    version = ""
    if compiler:
        asked = subprocess.run([compiler, "-dumpfullversion"], capture_output=True, text=True, check=False)
        version = asked.stdout.strip()
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "numba": importlib.metadata.version("numba"),
        "gametree": importlib.metadata.version("gametree"),
        "g++": version or "missing",
    }


STANDSTILL = 0.1
"""Seconds that a core must be out of service to be told."""
_WATCH = """
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
last = time.monotonic()
while True:
    time.sleep(0.005)
    now = time.monotonic()
    if now - last > float(sys.argv[2]):
        print(now - last, flush=True)
    last = now
"""


@contextlib.contextmanager
def standstills() -> Iterator[list[float]]:
    """How long cores of the machine did nothing at all meanwhile: seconds of each time, known when the block is left.

    A virtual machine's cores may be taken away for longer than a move may take; whoever runs on one loses on time.
    """
    found: list[float] = []
    cores = sorted(os.sched_getaffinity(0))
    watchers = [
        subprocess.Popen([sys.executable, "-c", _WATCH, str(core), str(STANDSTILL)], stdout=subprocess.PIPE, text=True)
        for core in cores
    ]
    try:
        yield found
    finally:
        for watcher in watchers:
            watcher.terminate()
            found.extend(float(line) for line in watcher.communicate()[0].splitlines())


def build_twin(name: str) -> Path:
    """The program made from `twins/name.cpp`, kept in the user's cache until the sources or the compiler change.

    Ends the process with code 2 where it cannot be built.
    """
    sources = sorted([*TWINS.glob("*.hpp"), TWINS / f"{name}.cpp"])
    version = machine()["g++"]
    digest = hashlib.sha256(repr((version, FLAGS)).encode())
    for source in sources:
        digest.update(source.read_bytes())
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gametree-bench"
    program = home / f"{name}-{digest.hexdigest()[:16]}"
    if not program.exists():
        home.mkdir(parents=True, exist_ok=True)
        aside = program.with_suffix(".part")
        try:
            subprocess.run(["g++", *FLAGS, "-o", str(aside), str(TWINS / f"{name}.cpp")], check=True, timeout=300)
            aside.replace(program)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"The twin {name}.cpp cannot be built: {error}.", file=sys.stderr)
            raise SystemExit(2) from None
    return program


def run_twin(program: Path, lines: Sequence[str], *arguments: object) -> list[list[str]]:
    """What the program prints for the lines, one answer a line, as words."""
    command = [str(program), *map(str, arguments)]
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines()]


def tell(report: dict[str, Any], *, as_json: bool) -> None:
    """Print a report: its title, the machine, a table of its rows, and each figure against what is needed."""
    if as_json:
        print(json.dumps(report, indent=2))
        return
    print(report["title"])
    print(", ".join(f"{name} {value}" for name, value in report["machine"].items()))
    rows = report["rows"]
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = [names, *([_show(row.get(name, "")) for name in names] for row in rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(names))]
    for line in table:
        cells = (
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        print("  ".join(cells))
    for figure in report["figures"]:
        word = "at most" if figure.get("at_most") else "at least"
        print(f"{figure['name']}: {figure['value']:.2f} (needed: {word} {figure['needed']:g})")


def _show(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.3f}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def verdict(report: dict[str, Any]) -> int:
    """0 if every figure is as good as needed, else 1."""
    good = [
        figure["value"] <= figure["needed"] if figure.get("at_most") else figure["value"] >= figure["needed"]
        for figure in report["figures"]
    ]
    return 0 if all(good) else 1
