"""Exceptions that kernels raise: their classes, by number, and the objects that the host raises."""

from __future__ import annotations

from typing import Any

_classes: list[type[BaseException]] = []


def number_of(cls: type[BaseException]) -> int:
    """The class's number in compiled kernels."""
    for number, known in enumerate(_classes):
        if known is cls:
            return number
    _classes.append(cls)
    return len(_classes) - 1


def make(number: int, where: str, values: list[Any]) -> BaseException:
    """The exception of a thread; -1 is a failed assertion. The place is part of its first argument."""
    cls = AssertionError if number < 0 else _classes[number]
    if not values:
        return cls(where)
    return cls(f"{where}: {values[0]}", *values[1:])
