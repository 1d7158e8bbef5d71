"""What functions that run on the host return: types are found by calling them with small arguments of the same types."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from tessera.functions import printed

# Extents of the arrays, and numbers that are not known at compile time. A function that takes none of them takes none of the types.
_EXTENTS = (3, 4, 2, 6, 1, 0)
_NUMBERS = (1, 2, 0, 3)
# Functions that change their first argument.
_CHANGING = frozenset(
    "copyto fill fill_diagonal partition place put put_along_axis putmask resize shuffle sort at __setitem__".split()
)

Results = tuple[list[tuple[numpy.dtype[Any], int]], bool, list[str], list[int]]


def results(function: Callable[..., Any], arguments: list[tuple[Any, ...]], names: list[str]) -> Results:
    """The dtypes and axes of what a call returns, whether that is a tuple, its fields' names, and which arguments it changes.

    `arguments` are ("scalar", dtype), ("array", dtype, ndim), ("tuple", elements), ("list", elements), ("slice", lower, upper, step), ("constant", value),
    ("none",); the last of them are given by `names`. Raises what the function raises if it takes no such arguments, and TypeError where its results' types depend on
    more than the arguments' types.
    """
    if getattr(function, "__name__", "") == "getrandbits":
        return [(numpy.dtype("uint64"), 0)], False, [], []
    function = getattr(function, "_sample", function)
    found: list[Results] = []
    first: Exception | None = None
    used = 0, 0  # extent and number of the first sample that is taken
    state, pythons_state = numpy.random.get_state(), random.getstate()
    try:
        for extent, number, given in _samples(arguments):
            if found and (extent == used[0] or number == used[1]):
                continue
            by_place = len(given) - len(names)
            try:
                with numpy.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    value = function(*given[:by_place], **dict(zip(names, given[by_place:])))
            except Exception as error:
                first = first or error
                continue
            used = extent, number
            found.append((*_types_of(value), _changed(function, given)))
            if len(found) == 2:
                break
    finally:
        numpy.random.set_state(state)
        random.setstate(pythons_state)
    if not found:
        assert first is not None, "there are samples"
        raise first
    if any(_axes(one) != _axes(found[0]) for one in found):
        raise TypeError("what it returns depends on the values of its arguments: give constants, or call it outside")
    all_types = [one[0] for one in found]
    types = [
        (numpy.result_type(*(one[k][0] for one in all_types)), all_types[0][k][1]) for k in range(len(found[0][0]))
    ]
    return (types, *found[0][1:])


def _axes(found: Results) -> Any:
    """What must not differ between samples; dtypes may: roots are real or complex."""
    return [axes for _, axes in found[0]], found[1:]


def method(name: str) -> Callable[..., Any] | None:
    """The method of NumPy's arrays as a function of its array, or None; `__text__` is what print writes of it."""
    if name == "__text__":
        return printed.keep
    if (
        name.startswith("_")
        and name not in ("__getitem__", "__setitem__")
        or not callable(getattr(numpy.ndarray, name, None))
        or name in ("dump", "tofile", "setflags")
    ):
        return None

    def call(array: Any, *arguments: Any, **named: Any) -> Any:
        return getattr(array, name)(*arguments, **named)

    call.__name__ = name
    return call


def _changed(function: Any, given: list[Any]) -> list[int]:
    """Which arguments a call changes."""
    if hasattr(function, "_changed_arguments"):
        return function._changed_arguments(len(given))
    changes = getattr(function, "__name__", "") in _CHANGING and isinstance(given[0], numpy.ndarray)
    return [0] if changes else []


def _samples(arguments: list[tuple[Any, ...]]) -> Iterator[tuple[int, int, list[Any]]]:
    for spread in (0, 1):  # numbers that grow from argument to argument, for those where one is below the next
        for extent in _EXTENTS:
            for number in _NUMBERS:
                for is_share in (False, True):
                    yield (
                        extent,
                        number,
                        [_sample(one, extent, number + k * spread, is_share) for k, one in enumerate(arguments)],
                    )


def _sample(described: tuple[Any, ...], extent: int, number: int, is_share: bool) -> Any:
    if described[0] == "constant":
        return described[1]
    if described[0] == "scalar":
        return described[1].type(number).item()
    if described[0] in ("tuple", "list"):
        # Numbers differ, as axes do.
        elements = [_sample(one, extent, number + k, is_share) for k, one in enumerate(described[1])]
        return elements if described[0] == "list" else tuple(elements)
    if described[0] == "slice":
        return slice(*(_sample(one, extent, number, is_share) for one in described[1:]))
    if described[0] == "none":
        return None
    return _array(described[1], described[2], extent, is_share)


def _array(dtype: numpy.dtype[Any], ndim: int, extent: int, is_share: bool) -> numpy.ndarray[Any, Any]:
    """Numbers in order, from 0 where they may be indices; a matrix is regular, symmetric and positive; shares add up to 1."""
    shape = (extent,) * ndim
    if is_share:
        return numpy.full(shape, 1 / max(1, extent)).astype(dtype)
    if ndim < 2:
        return numpy.arange(extent if ndim else 1).reshape(shape).astype(dtype)
    return (numpy.ones(shape) + (extent + 1) * numpy.eye(extent)).astype(dtype)


def _types_of(value: Any) -> tuple[list[tuple[numpy.dtype[Any], int]], bool, list[str]]:
    if value is None:
        return [], False, []
    if isinstance(value, (tuple, list)):
        return [_type_of(one) for one in value], True, list(getattr(value, "_fields", ()))
    return [_type_of(value)], False, []


def _type_of(value: Any) -> tuple[numpy.dtype[Any], int]:
    dtype = getattr(value, "dtype", None) or numpy.dtype(type(value))
    if not isinstance(dtype, numpy.dtype) or dtype.kind not in "biufc":
        raise TypeError(f"it returns {type(value).__name__}, which compiled functions do not take")
    return dtype, getattr(value, "ndim", 0)
