"""numba.experimental: classes of compiled functions, by Numba's names. They are not there: making an object raises."""

from __future__ import annotations

from typing import Any

from tessera.functions.unavailable import Unavailable

__all__ = ["jitclass", "structref"]


def jitclass(class_or_spec: Any = None, spec: Any = None) -> Any:
    """A class whose objects compiled functions have; one with this decorator raises NotImplementedError where an object is made."""
    if isinstance(class_or_spec, type):
        instead = "named tuples and arrays, or the class without the decorator in Python's own code"
        return Unavailable(f"jitclass {class_or_spec.__name__}", instead)
    return lambda decorated: jitclass(decorated)


structref = Unavailable("numba.experimental.structref", "named tuples and records")
