"""numpy.random.Generator and RandomState in compiled functions, as arguments and as names from outside.

A function has one as a named tuple of its address, which its caller keeps valid; draws are calls of NumPy's own methods, so that numbers and states
are NumPy's."""

from __future__ import annotations

import _ctypes
import functools
import inspect
from types import SimpleNamespace
from typing import Any

import numpy

from tessera.functions import signatures
from tessera.functions.outside import Outside

# Whose results, or needed arguments, are no numbers and arrays of them.
_LEFT_OUT = frozenset("bytes get_state set_state seed spawn".split())


_MOST_DRAWN = 2  # numbers along an axis, to find types
_NUMBERS = (0.5, 1, 2, 3)  # one of them is in the domain of each distribution


def _draw_of(kind: Any, name: str) -> Outside:
    """A method, as the compiler calls functions outside."""
    made = kind(0) if kind is numpy.random.RandomState else numpy.random.default_rng(0)
    method = getattr(made, name)

    def draw(address: int, *arguments: Any, **named: Any) -> Any:
        return getattr(_ctypes.PyObj_FromPtr(int(address)), name)(*arguments, **named)

    def sample(address: Any, *arguments: Any, **named: Any) -> Any:
        """A few numbers; where those that the call has are refused, which is for the call to say, others of their types."""
        given = {key: _few(value) if key == "size" else value for key, value in named.items()}
        try:
            return method(*map(_few, arguments) if name in _OF_SIZES else arguments, **given)
        except ValueError:
            for number in _NUMBERS:
                try:
                    others = {
                        key: value if key == "size" else _number_like(value, number) for key, value in given.items()
                    }
                    return method(*(_number_like(one, number) for one in arguments), **others)
                except ValueError:
                    continue
            raise

    return Outside(f"{kind.__name__}.{name}", draw, sample, lambda count: [1] if name == "shuffle" else [])


# Whose arguments by place are all sizes.
_OF_SIZES = frozenset("rand randn".split())


def _few(size: Any) -> Any:
    if isinstance(size, tuple):
        return tuple(map(_few, size))
    return min(size, _MOST_DRAWN) if isinstance(size, (int, numpy.integer)) else size


def _number_like(value: Any, number: float) -> Any:
    is_number = isinstance(value, (int, float, numpy.number)) and not isinstance(value, bool)
    return type(value)(number) if is_number else value


class _Method:
    """What serves calls of a method: a function for each set of optional arguments, which passes on those that a call has."""

    def __init__(self, kind: Any, name: str, make: Any) -> None:
        parameters = list(inspect.signature(getattr(kind, name)).parameters.values())[1:]
        self._name, self._kind, self._make = name, kind, make
        self._names = {kind.__name__: SimpleNamespace(**{name: _draw_of(kind, name)})}
        self._takes_rest = any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters)
        self._needed = [
            one.name for one in parameters if one.default is one.empty and one.kind is not one.VAR_POSITIONAL
        ]
        self._optional = [one.name for one in parameters if one.default is not inspect.Parameter.empty]
        self._made: dict[tuple[str, ...], Any] = {}
        names = ["generator", *self._needed, *self._optional, *(["rest"] if self._takes_rest else [])]
        self.parameters = names, 1 + len(self._needed), self._takes_rest

    def find(self, listed: tuple[Any, ...], values: Any = None) -> Any:
        """The compiler's function for arguments of these types, None being those that are left out."""
        given = listed[1 + len(self._needed) :]
        there = tuple(name for name, kind in zip(self._optional, given) if kind is not None)
        if there not in self._made:
            rest = ["*rest"] if self._takes_rest else []
            passed = ", ".join(["generator[0]", *self._needed, *(f"{one}={one}" for one in there), *rest])
            taken = ", ".join(["generator", *self._needed, *(f"{one}=None" for one in self._optional), *rest])
            text = f"def {self._name}({taken}):\n    return {self._kind.__name__}.{self._name}({passed})\n"
            names: dict[str, Any] = dict(self._names)
            exec(text, names)
            self._made[there] = self._make(names[self._name], text)
        return self._made[there]._kernel_function()


@functools.cache
def method(field: str, name: str, make: Any) -> _Method | None:
    """What serves a method of generators whose tuples have this field; None for what functions do not have. `make` makes a compiler's function of one in
    Python and its text."""
    kind = signatures.generators()[field]
    is_there = name not in _LEFT_OUT and not name.startswith("_") and callable(getattr(kind, name, None))
    return _Method(kind, name, make) if is_there else None
