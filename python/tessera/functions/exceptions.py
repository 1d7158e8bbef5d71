"""Exceptions that kernels and functions raise: their classes, by number, and the objects that the host raises."""

from __future__ import annotations

import ast
import functools
import sys
import types
from collections.abc import Callable
from typing import Any

_ACTIVE = -2  # what Python is handling where the function is called
# The first are those that the compiler raises by itself (kernel/report.h).
_classes: list[type[BaseException]] = [
    IndexError,
    ZeroDivisionError,
    ValueError,
    MemoryError,
    TypeError,
    RecursionError,
    RuntimeError,
    KeyError,
]


def number_of(cls: type[BaseException]) -> int:
    """The class's number in compiled kernels."""
    for number, known in enumerate(_classes):
        if known is cls:
            return number
    _classes.append(cls)
    return len(_classes) - 1


def is_subclass(raised: int, caught: int) -> bool:
    """Whether a handler of the second class catches the first; -1 is a failed assertion, -2 what is not known while compiling."""
    return raised != _ACTIVE and issubclass(AssertionError if raised < 0 else _classes[raised], _classes[caught])


def is_of(exception: BaseException, caught: int) -> bool:
    """Whether an exception is of the class of this number."""
    return isinstance(exception, _classes[caught])


def make(
    number: int, where: str, values: list[Any], of_kernel: int, function: str, file: str, line: int
) -> BaseException:
    """The exception that was raised; -1 is a failed assertion. Of a kernel the place is part of its first argument, of a
    function the last one of its traceback."""
    if number == _ACTIVE:
        active = sys.exc_info()[1]
        return active or at_place(RuntimeError("No active exception to reraise"), function, file, line)
    cls = AssertionError if number < 0 else _classes[number]
    if not of_kernel:
        try:
            exception = cls(*values)
        except Exception as error:  # what is raised where the exception is made
            exception = error
        return at_place(exception, function, file, line)
    if not values:
        return cls(where)
    return cls(f"{where}: {values[0]}", *values[1:])


def at_place(exception: BaseException, function: str, file: str, line: int) -> BaseException:
    """The exception with a traceback that ends at this line."""
    code = _raiser().replace(co_filename=file, co_name=function, co_qualname=function, co_firstlineno=line)
    try:
        types.FunctionType(code, {})(exception.with_traceback(None))
    except BaseException as raised:
        assert raised is exception and raised.__traceback__ is not None
        return exception.with_traceback(raised.__traceback__.tb_next)
    raise AssertionError("a function that raises has returned")


@functools.cache
def _raiser() -> types.CodeType:
    """The code of a function that raises its argument, all of it on its first line and at no column."""
    tree = ast.parse("def raises(exception): raise exception")
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.col_offset = node.end_col_offset = -1  # type: ignore[attr-defined]
    names: dict[str, Callable[..., None]] = {}
    exec(compile(tree, "<tessera>", "exec"), names)
    return names["raises"].__code__
