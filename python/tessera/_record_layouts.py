"""How records lie in memory: their dtypes, by the numbers by which the compiler knows them."""

from __future__ import annotations

from typing import Any

import numpy

_layouts: list[numpy.dtype[Any]] = []  # from 1 on
_numbers: dict[numpy.dtype[Any], int] = {}


def layout_number(dtype: numpy.dtype[Any]) -> int:
    """The number of the dtype of records."""
    number = _numbers.get(dtype)
    if number is None:
        _layouts.append(dtype)
        number = _numbers[dtype] = len(_layouts)
    return number


def layout_of(number: int) -> numpy.dtype[Any] | None:
    """The dtype of this number; None of 0."""
    return _layouts[number - 1] if number else None
