"""Reads KIF, the notation of rule sheets: symbols and lists in parentheses, `;` begins a comment.

Letters are folded to lower case, because KIF does not tell `Cell` from `cell`. A term is a string (a symbol, or a
variable, which begins with `?`) or a tuple of terms. Reading takes one pass and no recursion, whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gametree.core.errors import BadInput

__all__ = ["Form", "Term", "is_variable", "read_forms", "term_text", "variables"]

Term = str | tuple["Term", ...]

DEEPEST = 60
"""Lists may be nested so deep; rules of games need less than ten. Whatever walks a term may then use recursion."""
LONGEST = 2_000_000
"""Characters of a sheet; the largest public one has 69,000."""
_TOKEN = re.compile(r"[()]|[^\s();]+|;[^\n]*|\n")


@dataclass(frozen=True)
class Form:
    """A term at the top of a sheet, and where it begins; lines and columns count from 1."""

    term: Term
    where: str


def is_variable(term: Term) -> bool:
    """Whether the term is a variable."""
    return isinstance(term, str) and term.startswith("?")


def variables(term: Term) -> Iterator[str]:
    """All variables of a term, each as often as it occurs."""
    if isinstance(term, tuple):
        for part in term:
            yield from variables(part)
    elif term.startswith("?"):
        yield term


def term_text(term: Term) -> str:
    """The term as KIF."""
    return term if isinstance(term, str) else f"({' '.join(map(term_text, term))})"


def read_forms(text: str, name: str) -> list[Form]:
    """All terms of a text. `name` is what errors call it. Raises BadInput with line and column."""
    if len(text) > LONGEST:
        raise BadInput(f"{name} has {len(text)} characters; expected at most {LONGEST}.")
    forms: list[Form] = []
    opened: list[tuple[list[Term], int, int]] = []
    line, line_start = 1, 0
    for token in _TOKEN.finditer(text):
        word = token[0]
        column = token.start() - line_start + 1
        if word == "\n":
            line, line_start = line + 1, token.end()
        elif word == "(":
            if len(opened) == DEEPEST:
                raise BadInput(f"{name}, line {line}, column {column}: more than {DEEPEST} lists are nested here.")
            opened.append(([], line, column))
        elif word == ")":
            if not opened:
                raise BadInput(f"{name}, line {line}, column {column}: this ')' closes no '('.")
            parts, at_line, at_column = opened.pop()
            if not parts:
                raise BadInput(f"{name}, line {at_line}, column {at_column}: '()' is empty; expected a name in it.")
            if opened:
                opened[-1][0].append(tuple(parts))
            else:
                forms.append(Form(tuple(parts), f"{name}, line {at_line}, column {at_column}"))
        elif not word.startswith(";"):
            if opened:
                opened[-1][0].append(word.lower())
            else:
                forms.append(Form(word.lower(), f"{name}, line {line}, column {column}"))
    if opened:
        _, line, column = opened[-1]
        raise BadInput(f"{name}, line {line}, column {column}: this '(' is never closed.")
    return forms
