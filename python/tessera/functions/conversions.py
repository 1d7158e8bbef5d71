"""What it costs to convert arguments to the types of a signature."""

from __future__ import annotations

from typing import Any

import numpy

Kind = tuple[Any, ...]
# Conversions that lose more count more, whatever their number: (unsafe, safe, promoting).
Cost = tuple[int, int, int]


def cost(given: tuple[Kind, ...], wanted: tuple[Kind, ...]) -> Cost | None:
    """How far these types are from those; nothing where a value cannot be converted at all."""
    if len(given) != len(wanted):
        return None
    total = [0, 0, 0]
    for one, other in zip(given, wanted):
        if one == other:
            continue
        if one[0] == "named" and other[0] == "tuple" and one[1] == other[1]:
            continue
        if one[0] != "scalar" or other[0] != "scalar":
            return None
        level = _level(one[1], other[1])
        if level is None:
            return None
        total[level] += 1
    return total[0], total[1], total[2]


def _level(given: numpy.dtype[Any], wanted: numpy.dtype[Any]) -> int | None:
    """The place in a cost; nothing where a part of the number would be dropped."""
    order = "buifc"
    if order.index(given.kind) > order.index(wanted.kind) and not (given.kind == "i" and wanted.kind == "u"):
        return None
    if given.kind == wanted.kind:
        return 2 if given.itemsize <= wanted.itemsize else 0
    return 1 if numpy.can_cast(given, wanted) else 0
