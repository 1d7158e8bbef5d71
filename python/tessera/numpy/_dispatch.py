"""How arguments become tessera arrays, and how a call that cannot be native reaches NumPy."""

from __future__ import annotations

import functools
import sys
import warnings
from typing import Any, Callable

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from tessera import _core as core
from tessera import _fallback

ndarray = core.ndarray
_NoValue = numpy._NoValue

_native_chars = frozenset("?bBhHiIlLqQefdFD")


class Foreign(Exception):
    """Raised on the way to native code by an argument that only NumPy can handle; says why."""


core.set_foreign_type(Foreign)


def is_native_dtype(dtype: numpy.dtype) -> bool:
    """Whether the engine computes with this dtype."""
    if dtype.char in _native_chars:
        return dtype.isnative
    return dtype.kind == "V" and dtype.name == "bfloat16"


def warn(message: str, category: type[Warning] = RuntimeWarning) -> None:
    """A warning that points at the caller's line, however deep inside the package it is given."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("tessera."):
        frame = frame.f_back
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    name = frame.f_globals.get("__name__")
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno, name, registry)


def foreign_reason(dtype: numpy.dtype) -> str:
    """Why an array of this dtype stays NumPy's."""
    kinds = {"O": "object", "U": "string", "S": "bytes", "T": "string", "M": "datetime", "m": "timedelta", "V": "structured"}
    what = kinds.get(dtype.kind, f"{dtype.name if dtype.isnative else dtype.str}")
    return f"{what} arrays stay NumPy arrays"


def as_array(a: Any) -> ndarray:
    """`a` as a tessera array; raises Foreign for what the engine does not compute with."""
    if type(a) is ndarray:
        return a
    if isinstance(a, numpy.ndarray) and type(a) is not numpy.ndarray and type(a) is not numpy.memmap:
        raise Foreign(f"{type(a).__name__} is a subclass of NumPy's array")
    if isinstance(a, numpy.ndarray) and not a.dtype.isnative:
        raise Foreign(foreign_reason(a.dtype))
    result = core.asarray(a)
    if isinstance(result, ndarray):
        return result
    raise Foreign(foreign_reason(result.dtype))


def as_target(a: Any) -> ndarray:
    """An array to be written in place; a NumPy array shares its memory, for others NumPy has to do it."""
    if isinstance(a, ndarray):
        return a
    if type(a) is numpy.ndarray and is_native_dtype(a.dtype) and a.flags.aligned:
        return core.asarray(a, copy=False)
    raise Foreign("the target is a NumPy array of its own kind")


def as_any_array(a: Any) -> ndarray | numpy.ndarray:
    """The object as a tessera array, or as a NumPy array where the engine does not know its elements."""
    try:
        return as_array(a)
    except Foreign:
        return numpy.asarray(a)


def normalize_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """One axis or several, checked and counted from the front; quick for the one that is a plain int."""
    if type(axis) is int:
        return (normalize_axis_index(axis, ndim),)
    return normalize_axis_tuple(axis, ndim)


def as_floating(a: Any) -> ndarray:
    """The same, with bool and integer elements converted to float64."""
    a = as_array(a)
    return a if a.dtype.kind in "fcV" else a.astype(numpy.float64)


def native(function: Callable) -> Callable:
    """The public function: a Foreign argument sends the whole call to NumPy's function of the same name."""
    return functools.update_wrapper(core.native(function, _public_name(function)), function)


def _public_name(function: Callable) -> str:
    for family in ("linalg", "fft", "random"):
        if f".numpy.{family}." in function.__module__:
            return f"{family}.{function.__name__}"
    return function.__name__


def array_function(func: Callable, types: Any, args: tuple, kwargs: dict) -> Any:
    """What `ndarray.__array_function__` does: NumPy's function `func` was called with a tessera array."""
    for kind in types:
        if not issubclass(kind, (ndarray, numpy.ndarray)):
            return NotImplemented
    own = find_own(func)
    if own is not None:
        return own(*args, **kwargs)
    name = f"{func.__module__}.{func.__name__}".removeprefix("numpy.")
    return _fallback.call_function(func, name, args, kwargs, "the engine has no native form of it")


_own_functions: dict[Any, Callable | None] = {}


def find_own(func: Callable) -> Callable | None:
    """tessera's own form of a NumPy function, or None."""
    try:
        return _own_functions[func]
    except KeyError:
        pass
    path = func.__module__.split(".")
    own = sys.modules.get("tessera.numpy") if path[0] == "numpy" else None
    for part in path[1:] + [func.__name__]:
        own = getattr(own, part, None) if own is not None else None
    if own is None or hasattr(own, "__tessera_fallback__"):
        own = None
    _own_functions[func] = own
    return own
