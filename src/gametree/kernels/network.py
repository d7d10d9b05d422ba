"""Small networks that a game reads as its weights: inputs → one hidden layer → a few outputs between 0 and 1.

A game makes its type of weights with `network_struct` and calls the functions below from its verbs; a file of weights
(`gametree.kernels.network_file`) holds such a record as it lies in memory. There may be several networks in one record,
one for each kind of position. Hidden units are x / (1 + |x|), which costs a third of a logistic function; outputs are
logistic. Sums of the hidden layer can be brought up to date from the inputs that changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gametree.kernels.verbs import struct

__all__ = ["LANES", "add_inputs", "change_inputs", "network_struct", "outputs_of"]

LANES = 8
"""Outputs that are worked out together; a network has at most so many."""


def network_struct(inputs: int, hidden: int, kinds: int) -> Any:
    """The type of a record of networks with at most so many inputs and hidden units, one for each kind of position."""
    return struct(
        inputs="i8",  # how many are in use: the first ones; the same holds for the next two
        hidden="i8",
        kinds="i8",
        first=("f4", (kinds, inputs, hidden)),
        bias=("f4", (kinds, hidden)),
        second=("f4", (kinds, hidden, LANES)),
        last=("f4", (kinds, LANES)),
    )


def add_inputs(net: Any, kind: Any, x: Any, sums: Any) -> None:
    """Write the sums of the hidden layer for the inputs x."""
    count, hidden = np.int64(net.inputs), np.int64(net.hidden)
    bias = net.bias[kind]
    for j in range(hidden):
        sums[j] = bias[j]
    rows = net.first[kind]
    for i in range(count):
        value = x[i]
        if value != 0:
            row = rows[i]
            for j in range(hidden):
                sums[j] += value * row[j]


def change_inputs(net: Any, kind: Any, old: Any, new: Any, sums: Any) -> None:
    """Turn the sums for the inputs `old` into those for `new`."""
    count, hidden = np.int64(net.inputs), np.int64(net.hidden)
    rows = net.first[kind]
    for i in range(count):
        value = new[i] - old[i]
        if value != 0:
            row = rows[i]
            for j in range(hidden):
                sums[j] += value * row[j]


def outputs_of(net: Any, kind: Any, sums: Any, out: Any) -> None:
    """Write all outputs for the sums of the hidden layer."""
    second, last = net.second[kind], net.last[kind]
    for o in range(LANES):
        out[o] = last[o]
    for j in range(np.int64(net.hidden)):
        h = sums[j] / (np.float32(1) + abs(sums[j]))
        row = second[j]
        for o in range(LANES):
            out[o] += h * row[o]
    for o in range(LANES):
        out[o] = np.float32(1 / (1 + np.exp(-np.float64(out[o]))))  # so exact that it is the same compiled or not
