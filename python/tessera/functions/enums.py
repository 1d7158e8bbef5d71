"""Members of enumerations in compiled functions: their values, with a mark that says of which class they are."""

from __future__ import annotations

import enum
from typing import Any

import numpy

_classes: list[Any] = []
_numbers: dict[Any, int] = {}


def number_of(kind: Any) -> int | None:
    """The number of a class whose members' values are all integers, or all floats; None for others."""
    known = _numbers.get(kind)
    if known is None and kind not in _numbers:
        values = [member.value for member in kind]
        is_plain = bool(values) and len({type(value) for value in values}) == 1 and type(values[0]) in (int, float)
        if not is_plain or any(type(value) is int and not -(2**63) <= value < 2**63 for value in values):
            _numbers[kind] = None  # type: ignore[assignment]
            return None
        known = _numbers[kind] = len(_classes)
        _classes.append(kind)
    return known


def mark_of(kind: Any) -> str | None:
    """What marks values of its members: those of an integer's class are compared with numbers."""
    number = number_of(kind)
    if number is None:
        return None
    return f"{'int_enum' if issubclass(kind, (int, float)) else 'enum'}#{number}"


def dtype_of(kind: Any) -> Any:
    """The dtype of its members' values."""
    return numpy.dtype(type(next(iter(kind)).value))


def class_of(mark: str) -> Any:
    """The class that the mark says."""
    return _classes[int(mark.partition("#")[2])]


def member_of(mark: str, value: Any) -> enum.Enum:
    """The member with this value."""
    member: enum.Enum = class_of(mark)(value)
    return member
