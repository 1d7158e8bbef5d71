"""Exceptions that kernels and functions raise: their classes, by number, and the objects that the host raises."""

from __future__ import annotations

from typing import Any

# The first are those that the compiler raises by itself (kernel/report.h).
_classes: list[type[BaseException]] = [
    IndexError,
    ZeroDivisionError,
    ValueError,
    MemoryError,
    TypeError,
    RecursionError,
]


def number_of(cls: type[BaseException]) -> int:
    """The class's number in compiled kernels."""
    for number, known in enumerate(_classes):
        if known is cls:
            return number
    _classes.append(cls)
    return len(_classes) - 1


def is_subclass(raised: int, caught: int) -> bool:
    """Whether a handler of the second class catches the first; -1 is a failed assertion."""
    return issubclass(AssertionError if raised < 0 else _classes[raised], _classes[caught])


def make(number: int, where: str, values: list[Any], of_kernel: int) -> BaseException:
    """The exception that was raised; -1 is a failed assertion. Of a kernel the place is part of its first argument, of a
    function a note."""
    cls = AssertionError if number < 0 else _classes[number]
    if not of_kernel:
        exception = cls(*values)
        exception.add_note(where)
        return exception
    if not values:
        return cls(where)
    return cls(f"{where}: {values[0]}", *values[1:])
