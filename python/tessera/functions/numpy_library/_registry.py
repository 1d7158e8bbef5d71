"""The functions by NumPy's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tessera.functions.function import Function

functions: dict[str, Function] = {}


def stands_for(*names: str) -> Callable[[Any], Function]:
    """Puts a function in the place of NumPy's of these names, such as "numpy.sort"; the others of a family call it by its own."""

    def add(function: Any) -> Function:
        made = Function(function, None)
        functions.update(dict.fromkeys(names, made))
        return made

    return add
