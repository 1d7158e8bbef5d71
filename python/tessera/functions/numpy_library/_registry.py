"""The functions by NumPy's names, and for which arguments they compute what NumPy does."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy

from tessera.functions.function import Function
from tessera.functions.intrinsic import Intrinsic

functions: dict[str, Function] = {}
_conditions: dict[str, tuple[Callable[..., bool], list[inspect.Parameter]]] = {}

# A constant in the language: whether NumPy may be called where the function is compiled to.
has_host = Intrinsic("builtins.has_host", "Whether functions of the host may be called here.")

# The same of the host's routines, which need no Python: everywhere but in kernels and ufuncs.
has_routines = Intrinsic("builtins.has_routines", "Whether routines of the host may be called here.")
# A routine of BLAS or LAPACK, or a sort, by its number in kernel/options.h, for arrays of which it writes the last.
routine = Intrinsic("builtins.linear_algebra", "A routine of BLAS or LAPACK, or a sort.")
# Where the first of the least or greatest elements of an array of one axis is, or the first NaN, by a routine; and whether there is one.
least_place = Intrinsic("builtins.least_place", "The place of the least element, by a routine.")
greatest_place = Intrinsic("builtins.greatest_place", "The place of the greatest element, by a routine.")
has_row_routines = Intrinsic("builtins.has_row_routines", "Whether there are such routines for an array.")


class Argument:
    """What is known of an argument while compiling."""

    def __init__(self, described: tuple[Any, ...]) -> None:
        self._described = described
        kind, *rest = described
        self.is_array = kind == "array"
        self.value = rest[0] if kind == "constant" else None  # of a constant
        self.is_none = kind == "none" or (kind == "constant" and rest[0] is None)
        self.is_text = kind == "constant" and isinstance(rest[0], str)
        self.elements = [Argument(one) for one in rest[0]] if kind in ("tuple", "list") else []
        self.is_tuple = kind == "tuple"
        self.is_slice = kind == "slice"
        self._is_nested = kind in ("tuple", "list")
        self.ndim = rest[1] if self.is_array else 0
        dtype = rest[0] if kind in ("array", "scalar") else None
        if kind == "constant" and isinstance(rest[0], (bool, int, float, complex, numpy.generic)):
            dtype = numpy.asarray(rest[0]).dtype
        self.dtype: Any = dtype
        self.is_number = dtype is not None and not self.is_array

    def as_array(self) -> Argument | None:
        """What `numpy.asarray` makes of numbers, and of tuples of them or of arrays, nested evenly: numbers have no axes; None for others."""
        return self if self.is_array or self.is_number else self._even()[0]

    def _even(self) -> tuple[Argument | None, tuple[int, ...]]:
        """As that, and its shape, in which nothing is known of an array's."""
        if self.is_number:
            return self, ()
        if self.is_array:
            return self, (-1,) * self.ndim
        if not self._is_nested:
            return None, ()
        parts = [one._even() for one in self.elements]
        if any(one is None or shape != parts[0][1] for one, shape in parts):
            return None, ()
        if not self.is_tuple and any(one is not None and one.is_array for one, _ in parts):
            return None, ()  # lists of arrays
        dtypes = [one.dtype for one, _ in parts if one is not None]
        dtype = numpy.result_type(*dtypes) if dtypes else numpy.dtype("f8")
        shape = (len(parts), *(parts[0][1] if parts else ()))
        return Argument(("array", dtype, len(shape))), shape

    def is_of(self, dtypes: str) -> bool:
        """Whether its elements are of one of these dtypes, by their codes with sizes: "f8 i8"."""
        return self.dtype is not None and self.dtype.str[1:] in dtypes.split()

    def is_whole(self) -> bool:
        """A number that is an integer."""
        return self.is_number and self.dtype.kind in "iu"


def in_language(function: Any) -> Function:
    """A function that only these functions call."""
    return Function(function, None)


def stands_for(*names: str, alike: Callable[..., bool] | None = None) -> Callable[[Any], Function]:
    """Puts a function in the place of NumPy's of these names, such as "numpy.sort"; others here call it by its own.

    `alike` says for which arguments its results and errors are NumPy's: it gets an Argument, or None where one is left out, for each parameter. For these it is compiled
    everywhere, for all others only where NumPy cannot be called.
    """

    def add(function: Any) -> Function:
        made = Function(function, None)
        functions.update(dict.fromkeys(names, made))
        if alike is not None:
            parameters = list(inspect.signature(function).parameters.values())
            _conditions.update(dict.fromkeys(names, (alike, parameters)))
        return made

    return add


def computes_alike(name: str, described: list[tuple[Any, ...]], names: list[str]) -> bool:
    """Whether the function of this name computes what NumPy does for such arguments, the last of which are given by these names."""
    known = _conditions.get(name)
    if known is None:
        return False
    alike, parameters = known
    by_place = len(described) - len(names)
    given: dict[str, Argument] = {}
    if parameters and parameters[-1].kind is inspect.Parameter.VAR_POSITIONAL:
        place = len(parameters) - 1
        rest = described[place:by_place]
        described = [*described[:place], *([("tuple", rest)] if by_place >= place else []), *described[by_place:]]
        by_place = len(described) - len(names)
    if by_place > len(parameters) or any(one not in [each.name for each in parameters] for one in names):
        return False
    for k, one in enumerate(described):
        given[parameters[k].name if k < by_place else names[k - by_place]] = Argument(one)
    if any(one.default is inspect.Parameter.empty and one.name not in given for one in parameters):
        return False
    return alike(*(given.get(one.name) for one in parameters))


def is_everywhere(name: str) -> bool:
    """Whether the function of this name is compiled outside of parallel loops, too."""
    return name in _conditions


def on_host(function: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """NumPy's function, which is called although there is one in the language."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        return function(*arguments, **named)

    call.__name__ = name or function.__name__
    call.__module__ = __name__
    call._runs_on_host = True  # type: ignore[attr-defined]
    call._sample = function  # type: ignore[attr-defined]
    return call
