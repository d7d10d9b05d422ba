"""Runs the examples of README.md and docs/, and makes the pictures of the site from them.

    python scripts/pages.py            make every picture of docs/pictures again
    python scripts/pages.py --write    also put what the commands print now into the pages, where it differs

Each page runs in an empty directory of its own, its blocks from top to bottom:

    ```console                        Lines that start with `$ gametree` are run; the lines below are what they print.
                                      `...` stands for any text, on a line of its own for any lines. What a person
                                      types behind a prompt is taken from the page.
    ```python                         Runs as a script; `print(x)  # 3` must print 3.
    ```python title="my_game.py"      Is written to that file, as is `lisp` with the rules of a game.

A picture is what a command of some page writes with `-o NAME.svg`; the page shows it as `pictures/NAME.svg`.
Between `<!-- options: tree -->` and `<!-- end -->` stands the table of a command's arguments and options; between
`<!-- options: others -->` and `<!-- end -->` stand those of all commands that have none elsewhere on the page.
Between `<!-- verbs: game -->` (or `struct`) and `<!-- end -->` stands the table of verbs of `gametree.core.verbs`.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PICTURES = DOCS / "pictures"
WIDTH = 100
"""Columns of the terminal that the pages show."""

_FENCE = re.compile(r"^```(\w*)([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')
_SECONDS = re.compile(r"\d+\.\d+(?= s\b)|(?<=\"seconds\": )[-+.e\d]+")
_CELL = re.compile(r"(?<=│ )\d+\.\d{3}(?= *│)")
_COMPILING = re.compile(r"gametree: compiling .*, once")
_SPEED = re.compile(r"\([\d,]+ nodes/s\)")


_OPTIONS = re.compile(r"<!-- options: ([\w ]+) -->\n(.*?)<!-- end -->", re.DOTALL)
_VERBS = re.compile(r"<!-- verbs: (game|struct) -->\n.*?<!-- end -->", re.DOTALL)


class Mismatch(AssertionError):
    """An example that does not do what its page says; the text names page, line, what was expected and what came."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    title: str
    text: str
    line: int
    """Line of the page on which its text begins."""


@dataclass
class Ran:
    """What came of running a page."""

    commands: int = 0
    scripts: int = 0
    pictures: dict[str, bytes] = field(default_factory=dict)
    printed: list[tuple[str, str]] = field(default_factory=list)
    """(text of a console block as it stands, as it would have to be), for blocks that differ."""


def pages() -> list[Path]:
    """README.md and every page of docs/."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page."""
    found = []
    for match in _FENCE.finditer(text):
        title = _TITLE.search(match[2])
        line = text.count("\n", 0, match.start(3)) + 1
        found.append(Block(match[1], title[1] if title else "", match[3], line))
    return found


def run_page(page: Path, *, lenient: bool = False) -> Ran:
    """Run all examples of a page in a directory of their own.

    Raises Mismatch at the first that differs, or collects the differences of console blocks if `lenient`.
    """
    ran = Ran()
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as directory, contextlib.chdir(directory), _own_data(directory):
        for block in blocks(page.read_text(encoding="utf-8")):
            where = f"{page.relative_to(ROOT) if page.is_relative_to(ROOT) else page.name}, line {block.line}"
            if block.language == "console":
                _run_console(block, where, ran, lenient)
            elif block.language in ("python", "lisp") and block.title:
                Path(block.title).write_text(block.text, encoding="utf-8")
            elif block.language == "python":
                _run_script(block, where, namespace)
                ran.scripts += 1
        for picture in sorted(Path(directory).glob("*.svg")):
            ran.pictures[picture.name] = picture.read_bytes()
    return ran


@contextlib.contextmanager
def _own_data(directory: str) -> Iterator[None]:
    """Inside, nothing of the user's own data is read or written, and matches have the same luck every time."""
    own = {"XDG_DATA_HOME": os.path.join(directory, ".data"), "GAMETREE_SALT": "pages"}
    before = {name: os.environ.get(name) for name in own}
    os.environ.update(own)
    try:
        yield
    finally:
        for name, value in before.items():
            del os.environ[name]
            if value is not None:
                os.environ[name] = value


# Commands ------------------------------------------------------------------------------------------------------------


def _run_console(block: Block, where: str, ran: Ran, lenient: bool) -> None:
    wanted: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            wanted.append((line[2:], []))
        elif wanted:
            wanted[-1][1].append(line)
        else:
            raise Mismatch(f"{where}: a console block must begin with a command: '$ gametree ...'.")
    shown = []
    for command, lines in wanted:
        printed, code = run_command(command, lines, where)
        ran.commands += 1
        expected = "\n".join(lines).rstrip()
        fits = matches(expected, printed)
        refused = any(line.startswith("gametree: ") for line in lines)
        if not lenient and not fits:
            raise Mismatch(f"{where}: `{command}`\n--- the page says\n{expected}\n--- it prints\n{printed}")
        if not lenient and (code != 0) != refused:
            raise Mismatch(f"{where}: `{command}` ends with code {code}:\n{printed}")
        shown += [f"$ {command}", *([expected] if fits else [elide(printed)] if printed else [])]
    text = "\n".join(shown).rstrip() + "\n"
    if text != block.text:
        ran.printed.append((block.text, text))


def run_command(command: str, transcript: list[str], where: str) -> tuple[str, int]:
    """Run one `gametree` command inside this process; returns what it printed and its exit code."""
    words = shlex.split(command)
    if words[:1] != ["gametree"]:
        raise Mismatch(f"{where}: `{command}` is not a gametree command; other commands belong in a ```text block.")
    from gametree.interfaces.cli import common, run

    output = io.StringIO()
    before, common.console.width = common.console.width, WIDTH
    try:
        with (
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(output),
            _typing(Person(transcript, output)),
        ):
            code = run(words[1:])
    finally:
        common.console.width = before
    lines = (line.rstrip() for line in output.getvalue().splitlines())
    # Whether code has to be compiled first depends on the machine's cache, not on the example.
    return "\n".join(line for line in lines if not _COMPILING.fullmatch(line)).rstrip(), code


class Person(io.TextIOBase):
    """A standard input that types what the page shows behind the prompt, and echoes it as a terminal does."""

    def __init__(self, transcript: list[str], output: io.StringIO) -> None:
        self._left = list(transcript)
        self._output = output

    def readline(self, size: int | None = -1, /) -> str:
        """The next line that the page shows behind the prompt that was printed last; nothing if there is none."""
        prompt = self._output.getvalue().rpartition("\n")[2]
        while self._left:
            line = self._left.pop(0)
            if prompt.strip() and line.startswith(prompt.rstrip()):
                typed = line[len(prompt.rstrip()) :].strip() + "\n"
                self._output.write(typed)
                return typed
        return ""


@contextlib.contextmanager
def _typing(person: Person) -> Iterator[None]:
    before, sys.stdin = sys.stdin, person  # type: ignore[assignment]
    try:
        yield
    finally:
        sys.stdin = before


def matches(expected: str, printed: str) -> bool:
    """Whether `printed` is what `expected` says, with its wildcards."""
    pattern = []
    for line in expected.splitlines():
        if line.strip() == "...":
            pattern.append(r"(?:.*\n)*?")
        else:
            # Spaces behind the dots pad a column to a width that depends on what the dots stand for.
            pattern.append(".*?".join(re.escape(part) for part in re.split(r"\.\.\. *", line.rstrip())) + r"\n")
    return re.fullmatch("".join(pattern), printed + "\n" if printed else "") is not None


def elide(printed: str) -> str:
    """What a page shows of an output: without the times, which differ from run to run."""
    printed = _CELL.sub(lambda match: "...".ljust(len(match[0])), printed)
    return _SPEED.sub("(... nodes/s)", _SECONDS.sub("...", printed))


# Scripts -------------------------------------------------------------------------------------------------------------


def _run_script(block: Block, where: str, namespace: dict[str, Any]) -> None:
    """Run the block statement by statement; a comment behind a print says what it prints."""
    lines = block.text.splitlines()
    for statement in ast.parse(block.text).body:
        code = compile(ast.Module([statement], []), f"{where}", "exec")
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(code, namespace)
        comment = lines[(statement.end_lineno or 1) - 1].partition("  # ")[2].strip()
        if comment and ast.unparse(statement).startswith("print("):
            printed = " ".join(output.getvalue().split())
            if not matches(comment, printed):
                raise Mismatch(f"{where}: `{ast.unparse(statement)}` prints {printed}, but the page says {comment}.")


# The table of options ------------------------------------------------------------------------------------------------


def commands() -> dict[str, Any]:
    """Every command by its words, such as "experiment ordering", as Typer knows it."""
    from typer.main import get_command

    from gametree.interfaces.cli import app

    found = {}
    todo: list[tuple[str, Any]] = [("", get_command(app))]
    while todo:
        name, command = todo.pop()
        below = getattr(command, "commands", None)
        if below is None:
            found[name] = command
        else:
            todo += [(f"{name} {word}".strip(), child) for word, child in below.items()]
    return dict(sorted(found.items()))


def options_table(command: Any) -> str:
    """The arguments and options of a command as a table in Markdown."""
    lines = ["| argument or option | meaning |", "|---|---|"]
    for parameter in command.params:
        names = [f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts] if name.startswith("-")]
        if parameter.param_type_name == "argument":
            shown = parameter.metavar or parameter.name.upper()
            names = [f"`{shown}`" if parameter.required or shown.startswith("[") else f"`[{shown}]`"]
        default = parameter.default
        meaning = (parameter.help or "").rstrip(".").replace("|", "\\|")
        if isinstance(default, str | int | float) and not isinstance(default, bool) and str(default):
            meaning += f"; by default {default}"
        lines.append(f"| {', '.join(names)} | {meaning} |")
    return "\n".join(lines) + "\n" if len(lines) > 2 else ""


def fill_options(text: str) -> str:
    """The page with the tables of options as they should be; `others` stands for all commands without a table.

    Raises Mismatch if the page names an unknown command.
    """
    known = commands()
    placed = set(re.findall(r"<!-- options: ([\w ]+) -->", text)) - {"others"}

    def table(match: re.Match[str]) -> str:
        if match[1] == "others":
            rest = {name: command for name, command in known.items() if name not in placed}
            filling = "".join(
                f"### {name}\n\n{(command.help or '').strip()}\n\n{options_table(command)}\n"
                for name, command in rest.items()
            )
        elif match[1] in known:
            filling = options_table(known[match[1]])
        else:
            raise Mismatch(f"The page has a table of options for '{match[1]}', which is no command of gametree.")
        return f"<!-- options: {match[1]} -->\n{filling}<!-- end -->"

    return _OPTIONS.sub(table, text)


def fill_verbs(text: str) -> str:
    """The page with the tables of verbs as they should be."""
    from gametree.core.verbs import GAME_VERBS, STRUCT_VERBS, Verb

    def row(verb: Verb) -> str:
        inside = ", ".join([*verb.parameters.split(), *(f"[{extra}]" for extra in verb.extras)])
        meaning = verb.meaning.replace("|", "\\|")
        return f"| `{verb.name}({inside})` | {'yes' if verb.required else ''} | {meaning} |"

    def table(match: re.Match[str]) -> str:
        rows = "\n".join(row(verb) for verb in (GAME_VERBS if match[1] == "game" else STRUCT_VERBS))
        head = "| verb | required | meaning |\n|---|---|---|"
        return f"<!-- verbs: {match[1]} -->\n{head}\n{rows}\n<!-- end -->"

    return _VERBS.sub(table, text)


# Pictures ------------------------------------------------------------------------------------------------------------


def main(arguments: list[str]) -> int:
    """Make the pictures; with --write also bring the pages up to date."""
    if arguments not in ([], ["--write"]):
        print(__doc__)
        return 2
    os.environ.pop("COLUMNS", None)
    pictures: dict[str, bytes] = {}
    for page in pages():
        old = text = page.read_text(encoding="utf-8")
        try:
            ran = run_page(page, lenient=bool(arguments))
            if arguments:
                text = fill_verbs(fill_options(text))
        except Mismatch as mismatch:
            print(mismatch, file=sys.stderr)
            return 1
        pictures |= ran.pictures
        if arguments:
            for before, after in ran.printed:
                text = text.replace(f"```console\n{before}```", f"```console\n{after}```", 1)
        if text != old:
            page.write_text(text, encoding="utf-8")
            print(f"{page.relative_to(ROOT)} was brought up to date")
    PICTURES.mkdir(exist_ok=True)
    for stale in PICTURES.glob("*.svg"):
        if stale.name not in pictures:
            stale.unlink()
    for name, content in pictures.items():
        (PICTURES / name).write_bytes(content)
    print(f"{len(pictures)} pictures in {PICTURES.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
