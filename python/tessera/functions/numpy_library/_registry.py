"""The functions by NumPy's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tessera.functions.function import Function

functions: dict[str, Function] = {}


def in_language(function: Any) -> Function:
    """A function that only these functions call."""
    return Function(function, None)


def stands_for(*names: str) -> Callable[[Any], Function]:
    """Puts a function in the place of NumPy's of these names, such as "numpy.sort"; others here call it by its own."""

    def add(function: Any) -> Function:
        made = Function(function, None)
        functions.update(dict.fromkeys(names, made))
        return made

    return add
