"""How arguments become tessera arrays, and how a call that cannot be native reaches NumPy."""

from __future__ import annotations

import functools
import inspect
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from tessera import _core as core
from tessera import _fallback

ndarray = core.ndarray
_NoValue = numpy._NoValue
numpy_version = tuple(int(part) for part in numpy.__version__.split(".")[:2])

_native_chars = frozenset("?bBhHiIlLqQefdFD")


class Foreign(Exception):
    """Raised on the way to native code by an argument that only NumPy can handle; says why."""


core.set_foreign_type(Foreign)


def show_signature_of(original: Callable) -> Callable[[Callable], Callable]:
    """A decorator: the function shows what NumPy's shows. Before 2.4 its compiled functions show nothing; then it is the function's own."""

    def decorate(function: Callable) -> Callable:
        try:
            function.__signature__ = inspect.signature(original)
        except ValueError:
            pass
        return function

    return decorate


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
    name = frame.f_globals.get("__name__") or "<unknown>"  # a None would silence it
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno, name, registry)


def foreign_reason(dtype: numpy.dtype) -> str:
    """Why an array of this dtype stays NumPy's."""
    kinds = {
        "O": "object",
        "U": "string",
        "S": "bytes",
        "T": "string",
        "M": "datetime",
        "m": "timedelta",
        "V": "structured",
    }
    what = kinds.get(dtype.kind, f"{dtype.name if dtype.isnative else dtype.str}")
    return f"{what} arrays stay NumPy arrays"


def as_array(a: Any) -> ndarray:
    """`a` as a tessera array; raises Foreign for what the engine does not compute with."""
    if core.is_own(a):
        return a
    if isinstance(a, numpy.ndarray):
        if type(a) is not numpy.ndarray and type(a) is not numpy.memmap:
            raise Foreign(f"{type(a).__name__} is a subclass of NumPy's array")
        if not a.dtype.isnative:
            raise Foreign(foreign_reason(a.dtype))
    elif hasattr(type(a), "__array_function__"):
        raise Foreign(f"{type(a).__name__} brings its own __array_function__")
    result = core.asarray(a)
    if core.is_own(result):
        return result
    raise Foreign(foreign_reason(result.dtype))


def as_target(a: Any) -> ndarray:
    """An array to be written in place; a NumPy array shares its memory, for others NumPy has to do it."""
    if core.is_own(a):
        return a
    if type(a) is numpy.ndarray and is_native_dtype(a.dtype) and a.flags.aligned:
        return core.asarray(a, copy=False)
    raise Foreign("the target is a NumPy array of its own kind")


def as_any_array(a: Any) -> ndarray | numpy.ndarray:
    """The object as a tessera array, or as a NumPy array where the engine does not know its elements."""
    if core.is_own(a):
        return a
    if isinstance(a, numpy.ndarray) or hasattr(type(a), "__array_function__"):
        try:
            return as_array(a)
        except Foreign:
            return numpy.asarray(a)
    return core.asarray(a)


def in_class(model: Any, result: Any) -> Any:
    """The result as an instance of the model's class, when that is a subclass of ndarray."""
    return core.in_class_of(model, result) if core.is_own(model) else result


def in_foremost_class(arrays: Any, result: Any) -> Any:
    """The result in the class of highest priority, as NumPy joins; a class that names none has ndarray's."""
    named = [a for a in arrays if core.is_own(a) and type(a).__array_priority__ is not ndarray.__array_priority__]
    foremost = max(named, key=lambda a: a.__array_priority__, default=None)
    return in_class(foremost, result) if foremost is not None and foremost.__array_priority__ > 0 else result


def cast_source(value: Any, dtype: numpy.dtype) -> Any:
    """What a cast to the dtype reads: an array, or a Python number that may be stored as it is."""
    kind = type(value)
    is_stored = (
        kind is int or kind is bool or kind is float and dtype.kind not in "iu" or kind is complex and dtype.kind == "c"
    )
    return value if is_stored else as_array(value)


def normalize_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """One axis or several, checked and counted from the front; quick for the one that is a plain int."""
    if type(axis) is int:
        return (normalize_axis_index(axis, ndim),)
    return normalize_axis_tuple(axis, ndim)


def native(function: Callable) -> Callable:
    """The public function: a Foreign argument sends the whole call to NumPy's function of the same name."""
    return _wrapped(function, 0)


def keeps_class(function: Callable) -> Callable:
    """The same of a function whose result has its first argument's class: NumPy's ends in a method of it, or allocates like it."""
    return _wrapped(function, 1)


def keeps_array_class(function: Callable) -> Callable:
    """The same where only arrays take on the first argument's class, not scalars."""
    return _wrapped(function, 2)


def keeps_any_class(function: Callable) -> Callable:
    """The same where arrays take on the class of whichever argument has one."""
    return _wrapped(function, 3)


def gives_plain(function: Callable) -> Callable:
    """The same of a function that sees subclasses as plain arrays."""
    return _wrapped(function, 4)


def _wrapped(function: Callable, result_class: int, dispatches: bool = True) -> Callable:
    return functools.update_wrapper(core.native(function, _public_name(function), dispatches, result_class), function)


def creates(function: Callable) -> Callable:
    """The public function that makes arrays: the same, but only `like=` gives way to another library (NEP 35)."""
    return _wrapped(function, 0, dispatches=False)


def _public_name(function: Callable) -> str:
    for family in ("linalg", "fft", "random"):
        if f".numpy.{family}." in function.__module__:
            return f"{family}.{function.__name__}"
    return function.__name__


def create_like(function: Callable, args: tuple, kwargs: dict) -> Any:
    """What a call with `like=` returns: another library's array, by its type's `__array_function__`, makes the result (NEP 35)."""
    like = kwargs.pop("like")
    public = getattr(sys.modules["tessera.numpy"], function.__name__)
    if like is None or type(like) in (ndarray, numpy.ndarray):
        return public(*args, **kwargs)  # not the function itself: NumPy may have to do it
    handler = getattr(type(like), "__array_function__", None)
    if handler is None:
        raise TypeError("The `like` argument must be an array-like that implements the `__array_function__` protocol.")
    result = handler(like, public, (type(like),), args, kwargs)
    if result is NotImplemented:
        raise TypeError(
            f"no implementation found for 'numpy.{function.__name__}' on types that implement __array_function__: [{type(like)}]"
        )
    return result


def call_overridden(name: str, args: tuple, kwargs: dict) -> Any:
    """A function called with an argument whose type brings its own `__array_function__` (NEP 18)."""
    given = [item for a in (*args, *kwargs.values()) for item in (a if type(a) in (list, tuple) else (a,))]
    overriding = {type(a): a for a in given if hasattr(type(a), "__array_function__")}
    if any([ndarray in kind.__mro__[1:] for kind in overriding]):
        result = _ask_for_own(name, overriding, args, kwargs)
        if result is NotImplemented:
            raise TypeError(
                f"no implementation found for 'numpy.{name}' on types that implement __array_function__: {list(overriding)}"
            )
        return result
    for kind in overriding:
        if kind.__array_function__ is numpy.ndarray.__array_function__ and kind is not numpy.ndarray:
            return _fallback.call(name, args, kwargs, f"{kind.__name__} is a subclass of NumPy's array")
    try:
        return _fallback.resolve(name)(*args, **kwargs)
    except TypeError as error:
        if not str(error).startswith("no implementation found"):
            raise
        result = _ask_for_own(name, overriding, args, kwargs)
        if result is NotImplemented:
            raise
        return result


def _ask_for_own(name: str, overriding: dict[type, Any], args: tuple, kwargs: dict) -> Any:
    """What a type makes of tessera's function, for one that does not know NumPy's; or NotImplemented."""
    public = functools.reduce(getattr, name.split("."), sys.modules["tessera.numpy"])
    results = (a.__array_function__(public, tuple(overriding), args, kwargs) for a in overriding.values())
    return next((result for result in results if result is not NotImplemented), NotImplemented)


def array_function(func: Callable, types: Any, args: tuple, kwargs: dict) -> Any:
    """What `ndarray.__array_function__` does: NumPy's function `func` was called with a tessera array."""
    if not isinstance(args, tuple):
        raise TypeError("args must be a tuple.")
    if not isinstance(kwargs, dict):
        raise TypeError("kwargs must be a dict.")
    for kind in types:
        if not issubclass(kind, (ndarray, numpy.ndarray)):
            return NotImplemented
    own = find_own(func)
    reason = "the engine has no native form of it"
    if own is not None:
        try:
            return getattr(own, "_implementation", own)(*args, **kwargs)
        except Foreign as foreign:
            reason = str(foreign)
            func = getattr(numpy, func.__name__, func) if func is own else func
    name = f"{func.__module__}.{func.__name__}".removeprefix("numpy.")
    return _fallback.call_function(func, name, args, kwargs, reason)


_own_functions: dict[Any, Callable | None] = {}


def find_own(func: Callable) -> Callable | None:
    """tessera's own form of a NumPy function, or None."""
    try:
        return _own_functions[func]
    except KeyError:
        pass
    path = (getattr(func, "__module__", None) or "").split(".")
    if path[0] != "numpy":
        return func
    own: Any = sys.modules.get("tessera.numpy")
    for part in path[1:] + [func.__name__]:
        own = getattr(own, part, None) if own is not None else None
    if own is None or hasattr(own, "__tessera_fallback__"):
        own = None
    _own_functions[func] = own
    return own
