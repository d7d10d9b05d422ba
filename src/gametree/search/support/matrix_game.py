"""Games of one choice each: a matrix says what the row player gets; both choose at once.

Von Neumann (1928): there are mixed strategies such that the row player gets at least v whatever the other does, and the
column player pays at most v. They are the two sides of one linear program (Dantzig 1951), which is solved here by the
simplex method with Bland's rule, which never goes round in circles: with fractions exactly, with floats to about 1e-9.

    with every entry made positive: maximise Σ y  such that  A·y ≤ 1, y ≥ 0
    value = 1 / Σ y; the column player plays y · value, the row player the prices of the rows · value
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from gametree.core.errors import BadInput

__all__ = ["MatrixSolution", "regret_matching", "solve_matrix"]

_NEARLY = 1e-12
"""Floats that are no further from 0 than this are taken for 0."""


class MatrixSolution(NamedTuple):
    """What the row player gets, and a strategy of each that holds it there."""

    value: Any
    row: tuple[Any, ...]
    column: tuple[Any, ...]


def solve_matrix(matrix: Sequence[Sequence[Any]]) -> MatrixSolution:
    """The value and an optimal strategy of each; exact fractions if all entries are whole numbers or fractions.

    Raises BadInput if the matrix is empty, not rectangular or holds something that is no finite number.
    """
    rows = [list(row) for row in matrix]
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise BadInput("The matrix is not rectangular; expected rows of the same length, at least 1 × 1.")
    if not all(isinstance(x, int | float | Fraction) and x - x == 0 for row in rows for x in row):
        raise BadInput("The matrix holds something that is no finite number.")
    exact = all(isinstance(x, int | Fraction) for row in rows for x in row)
    number = Fraction if exact else float
    # 1. Make all entries positive, so that the value is, too.
    least = min(x for row in rows for x in row)
    shift = number(1 - least)
    # 2. The tableau: a row for every constraint with its slack, its right side last; then the prices.
    height, width = len(rows), len(rows[0])
    table = [
        [number(x) + shift for x in row] + [number(i == j) for j in range(height)] + [number(1)]
        for i, row in enumerate(rows)
    ]
    prices = [number(-1)] * width + [number(0)] * (height + 1)
    basis = [width + i for i in range(height)]
    zero = 0 if exact else _NEARLY
    # 3. While some variable would raise the sum, take the first such in (Bland), and out what is used up first.
    while True:
        enters = next((j for j in range(width + height) if prices[j] < -zero), None)
        if enters is None:
            break
        found = [(row[-1] / row[enters], basis[i], i) for i, row in enumerate(table) if row[enters] > zero]
        _, _, leaves = min(found)
        _pivot(table, prices, leaves, enters)
        basis[leaves] = enters
    # 4. Read the answers off.
    total = prices[-1]
    column = [number(0)] * (width + height)
    for i, variable in enumerate(basis):
        column[variable] = table[i][-1]
    return MatrixSolution(
        1 / total - shift,
        tuple(max(price, number(0)) / total for price in prices[width:-1]),
        tuple(share / total for share in column[:width]),
    )


def _pivot(table: list[list[Any]], prices: list[Any], leaves: int, enters: int) -> None:
    """Make the column `enters` a unit vector with its one in row `leaves`."""
    pivot = table[leaves][enters]
    table[leaves] = chosen = [x / pivot for x in table[leaves]]
    for i, row in enumerate(table):
        if i != leaves and row[enters] != 0:
            share = row[enters]
            table[i] = [x - share * y for x, y in zip(row, chosen, strict=True)]
    share = prices[enters]
    prices[:] = [x - share * y for x, y in zip(prices, chosen, strict=True)]


def regret_matching(matrix: Sequence[Sequence[float]], iterations: int = 10_000) -> MatrixSolution:
    """The same by learning (Hart and Mas-Colell 2000), with later rounds weighing more: to about 1/iterations."""
    height, width = len(matrix), len(matrix[0])
    regret = [[0.0] * height, [0.0] * width]
    total = [[0.0] * height, [0.0] * width]
    for t in range(1, iterations + 1):
        for player in (0, 1):  # in turns: each answers what the other has become
            row, column = _shares(regret[0]), _shares(regret[1])
            if player == 0:
                worth = [sum(map(float.__mul__, map(float, matrix[i]), column)) for i in range(height)]
            else:
                worth = [-sum(row[i] * matrix[i][j] for i in range(height)) for j in range(width)]
            mine = (row, column)[player]
            mean = sum(map(float.__mul__, worth, mine))
            for i, value in enumerate(worth):
                regret[player][i] = max(0.0, regret[player][i] + value - mean)
                total[player][i] += t * mine[i]
    first, second = _shares(total[0]), _shares(total[1])
    value = sum(first[i] * second[j] * matrix[i][j] for i in range(height) for j in range(width))
    return MatrixSolution(value, tuple(first), tuple(second))


def _shares(weights: list[float]) -> list[float]:
    total = sum(weights)
    return [weight / total for weight in weights] if total > 0 else [1.0 / len(weights)] * len(weights)
