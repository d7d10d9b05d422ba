"""What goes wrong inside a verb, compiled or not, in words for the author of a game."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from typing import Any

from gametree.kernels.jit import Linked

__all__ = ["all_parts", "explain", "float_stores", "function_at", "line_with", "reason"]


def reason(error: Exception) -> str:
    """An error of uncompiled code, with the usual cause where the message alone does not help."""
    text = " ".join(str(error).split()).rstrip(".")
    if isinstance(error, IndexError | OverflowError) or (isinstance(error, TypeError) and "holds whole" in text):
        return text
    if isinstance(error, ZeroDivisionError | FloatingPointError):
        return "divides by zero, which compiled code would not notice"
    if "ufunc" in text and "not supported for the input types" in text:
        return "an np.uint64 meets a signed number or a float there; write u64(...) around it, and // for /"
    if "unsupported operand type(s)" in text and "float" in text:
        return f"{text}; a whole number became a float there: write // for /"
    return f"{type(error).__name__}: {text}"


EXPLANATIONS = (
    (r"Cannot unify (.+?) and (.+?) for '([a-zA-Z_]\w*)", "the variable {2} is {0} here and {1} there"),
    (r"Cannot unify (.+?) and (.+?) for '\$", "a value is {0} in one case and {1} in another"),
    (r"Unknown attribute '(\w+)' of type Record", "State has no field '{0}'"),
    (r"Unknown attribute '(\w+)' of type (\S+)", "{1} has no attribute '{0}'"),
    (r"Untyped global name '(\w+)'.*?: [Cc]annot determine Numba type of <", "compiled code cannot use {0}"),
    (r"(name '\w+' is not defined)", "{0}"),
    (r"Can't unify return type from the following types: (.*)", "it returns different types: {0}"),
    (r"Use of unsupported opcode \((\w+)\)", "compiled code has no {0}"),
    (r"(format spec in f-strings)", "compiled code has no {0}"),
    (
        r"too many positional arguments|missing a required argument",
        "a function is called with too many or few arguments",
    ),
)
"""What numba says, and what it means to the author of a game."""


def explain(text: str) -> str:
    """The heart of a numba error in a few words."""
    no_match = re.search(
        r"No implementation of function Function\((.*?)\) found for signature:\s*>>> (\w+)\((.*?)\)\n", text, re.S
    )
    if no_match:
        operation, types = no_match.group(2), " ".join(no_match.group(3).split())
        types = re.sub(r"Record\(.*?\)(?=,|$)", "State", types)
        hint = (
            "; a whole number became a float there: write // for /, u64(...) around what meets a bitboard"
            if "float64" in types
            else ""
        )
        return f"`{operation}` does not work on ({types}){hint}"
    for pattern, sentence in EXPLANATIONS:
        found = re.search(pattern, text)
        if found:
            return sentence.format(*(group or "" for group in found.groups()))
    lines = [line.strip(" -*>") for line in text.splitlines()]
    useful = [
        line
        for line in lines
        if line
        and not line.startswith(("Failed in", "During", "File ", "This error", "The signature"))
        and "^" not in line
    ]
    return " ".join((useful or ["for a reason that numba does not tell"])[0].split())[:200].rstrip(".")


def all_parts(linked: Linked) -> Iterator[Linked]:
    """The function and all that it calls."""
    yield linked
    for part in linked.parts:
        yield from all_parts(part)


def float_stores(dispatcher: Any, file: str) -> Iterator[int]:
    """Lines of the user's file where compiled code puts a float into an array or field of whole numbers."""
    from numba import types
    from numba.core import ir

    if dispatcher.py_func.__code__.co_filename != file:
        return
    for compiled in dispatcher.overloads.values():
        notes = compiled.type_annotation
        if isinstance(notes, str):  # it came from a cache, which keeps no types
            continue
        for block in notes.blocks.values():
            for step in block.body:
                if not isinstance(step, ir.SetItem | ir.StaticSetItem | ir.SetAttr):
                    continue
                target, value = notes.typemap.get(step.target.name), notes.typemap.get(step.value.name)
                if isinstance(target, types.Record) and isinstance(step, ir.SetAttr):
                    target = target.typeof(step.attr)
                elif isinstance(target, types.Record) and isinstance(step, ir.StaticSetItem):
                    target = target.typeof(step.index)
                target = getattr(target, "dtype", target)
                if isinstance(target, types.Integer) and isinstance(value, types.Float):
                    yield step.loc.line


def line_with(file: str, name: str) -> int:
    """The first line that uses the variable or attribute; 0 if there is none."""
    nodes = ast.walk(ast.parse("".join(linecache.getlines(file))))
    lines = [
        node.lineno
        for node in nodes
        if (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.Attribute) and node.attr == name)
    ]
    return min(lines, default=0)


def function_at(file: str, line: int) -> str:
    """The name of the function that the line belongs to."""
    tree = ast.parse("".join(linecache.getlines(file)))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or node.lineno):
            return node.name
    return ""
