"""What the engine lacks runs in NumPy on the host: warned about once a call site, counted, timed, or forbidden."""

from __future__ import annotations

import functools
import importlib
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy


class FallbackWarning(UserWarning):
    """A call ran in NumPy on the host because the engine has no native form of it.

    Examples
    --------
    >>> import warnings
    >>> import tessera
    >>> import tessera.numpy as np
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", tessera.FallbackWarning)
    ...     upper = np.char.upper(["a"])
    >>> str(upper[0])
    'A'
    """

    __module__ = "tessera"


class FallbackError(NotImplementedError):
    """A call needed NumPy on the host while TESSERA_FALLBACK=error forbids that.

    Examples
    --------
    >>> import tessera
    >>> import tessera.numpy as np
    >>> before = tessera.set_fallback_mode("error")
    >>> try:
    ...     np.char.upper(["a"])
    ... except tessera.FallbackError:
    ...     print("this would run in NumPy")
    this would run in NumPy
    >>> before = tessera.set_fallback_mode(before)
    """

    __module__ = "tessera"


@dataclass
class FallbackRecord:
    """How often and how long one name ran in NumPy, why, and from where."""

    calls: int = 0
    seconds: float = 0.0
    reasons: dict[str, int] = field(default_factory=dict)
    sites: dict[tuple[str, int], int] = field(default_factory=dict)


MODES = ("warn", "silent", "error")
_asked = os.environ.get("TESSERA_FALLBACK", "").lower() or "warn"
_mode = _asked if _asked in MODES else "warn"


def require_known_mode() -> None:
    """Raise ImportError where TESSERA_FALLBACK is none of the modes: programs do not start, the doctor says why."""
    if _asked not in MODES:
        raise ImportError(f"TESSERA_FALLBACK must be one of {', '.join(MODES)}, not {_asked!r}")


# Called after the mode changed.
on_change: list[Callable[[], None]] = []
_records: dict[str, FallbackRecord] = {}
_warned: set[tuple[str, Any, int]] = set()
_lock = threading.Lock()


def fallback_mode() -> str:
    """What happens on a fallback: "warn", "silent" or "error".

    Examples
    --------
    >>> import tessera
    >>> tessera.fallback_mode()
    'warn'
    """
    return _mode


def set_fallback_mode(mode: str) -> str:
    """Set what happens on a fallback; returns the previous mode. TESSERA_FALLBACK sets the first one.

    Examples
    --------
    >>> import tessera
    >>> before = tessera.set_fallback_mode("silent")
    >>> tessera.set_fallback_mode(before)
    'silent'
    """
    global _mode
    if mode not in MODES:
        raise ValueError(f"fallback mode must be one of {', '.join(MODES)}, not {mode!r}")
    previous, _mode = _mode, mode
    for notice in on_change:
        notice()
    return previous


def fallback_statistics() -> dict[str, FallbackRecord]:
    """Calls, time, reasons and call sites of every name that ran in NumPy so far.

    Examples
    --------
    >>> import tessera
    >>> isinstance(tessera.fallback_statistics(), dict)
    True
    """
    with _lock:
        return dict(_records)


def reset_fallback_statistics() -> None:
    """Forget what was counted and which sites were warned."""
    with _lock:
        _records.clear()
        _warned.clear()


def call(name: str, args: tuple, kwargs: dict[str, Any] | None, reason: str) -> Any:
    """Run NumPy's `name` on the host with these arguments; arrays come back as tessera arrays."""
    return call_function(resolve(name), name, args, kwargs or {}, reason)


def call_function(function: Callable, name: str, args: tuple, kwargs: dict[str, Any], reason: str) -> Any:
    """The same for a function that is already at hand; `name` is what warnings and counts call it."""
    site = _call_site()
    if _mode == "error":
        raise FallbackError(f"{display_name(name)} would run in NumPy: {reason}; TESSERA_FALLBACK=error forbids it")
    if _mode == "warn":
        _warn_once(name, reason, site)
    start = time.perf_counter()
    exchange = _Exchange()
    try:
        try:
            result = function(*exchange.to_host(args), **exchange.to_host(kwargs))
        except ValueError as error:
            if "__array__ method not producing an array" not in str(error):
                raise
            from tessera._array_likes import on_host

            result = function(*on_host(args), **{key: on_host(value) for key, value in kwargs.items()})
        return exchange.from_host(result)
    finally:
        _count(name, reason, site, time.perf_counter() - start)


def note(name: str, reason: str) -> None:
    """Warn of, count or forbid what ran in NumPy on the host without being called from here."""
    site = _call_site()
    if _mode == "error":
        raise FallbackError(f"{display_name(name)} ran in NumPy: {reason}; TESSERA_FALLBACK=error forbids it")
    if _mode == "warn":
        _warn_once(name, reason, site)
    _count(name, reason, site, 0.0)


def resolve(name: str) -> Any:
    """The host object a dotted name stands for: "sort", "linalg.inv", "ndarray.dump", "scipy.special.jv"."""
    if name.startswith("scipy."):
        module, _, attribute = name.rpartition(".")
        return getattr(importlib.import_module(module), attribute)
    return functools.reduce(getattr, name.split("."), numpy)


def display_name(name: str) -> str:
    """The name as a user writes it."""
    return name if name.startswith(("scipy.", "xarray.")) else f"numpy.{name}"


def wrap(name: str, function: Callable, reason: str) -> Callable:
    """A function that always runs on the host, with NumPy's signature and documentation."""

    @functools.wraps(function, updated=())
    def fallback(*args, **kwargs):
        return call_function(function, name, args, kwargs, reason)

    fallback.__tessera_fallback__ = reason
    for attribute in ("__signature__", "__text_signature__"):
        if hasattr(function, attribute):
            setattr(fallback, attribute, getattr(function, attribute))
    return fallback


def _call_site() -> FrameType:
    frame = sys._getframe(1)
    while frame.f_back is not None:
        root = frame.f_globals.get("__name__", "").partition(".")[0]
        if root != "tessera" and root != "numpy":
            break
        frame = frame.f_back
    return frame


def _warn_once(name: str, reason: str, site: FrameType) -> None:
    key = (name, site.f_code, site.f_lasti)
    if key in _warned:
        return
    with _lock:
        _warned.add(key)
    warnings.warn_explicit(
        f"{display_name(name)} ran in NumPy on the host: {reason}. "
        "TESSERA_FALLBACK=silent hides this warning, TESSERA_FALLBACK=error forbids such calls.",
        FallbackWarning,
        site.f_code.co_filename,
        site.f_lineno,
    )


def _count(name: str, reason: str, site: FrameType, seconds: float) -> None:
    where = (site.f_code.co_filename, site.f_lineno)
    with _lock:
        record = _records.setdefault(name, FallbackRecord())
        record.calls += 1
        record.seconds += seconds
        record.reasons[reason] = record.reasons.get(reason, 0) + 1
        record.sites[where] = record.sites.get(where, 0) + 1


class _Exchange:
    """Converts one call's arguments to the host and its results back, keeping identity and shared memory."""

    def __init__(self) -> None:
        from tessera import _core

        self._core = _core
        self._originals: dict[int, Any] = {}
        self._views: list[numpy.ndarray] = []

    def to_host(self, value: Any) -> Any:
        if self._core.is_own(value):
            view = numpy.asarray(value)
            self._originals[id(view)] = value
            self._views.append(view)
            return view
        kind = type(value)
        if kind is numpy.ndarray:
            self._originals[id(value)] = value
            self._views.append(value)
        if kind is tuple or kind is list:
            return kind([self.to_host(item) for item in value])
        if kind is dict:
            return {key: self.to_host(item) for key, item in value.items()}
        if isinstance(value, self._core.ufunc):
            return getattr(numpy, value.__name__, value)
        if isinstance(value, numpy.generic) and not issubclass(kind, numpy.generic):
            return value[()]  # a lazy scalar's value: NumPy would ask our ufunc again
        return value

    def from_host(self, value: Any) -> Any:
        kind = type(value)
        if kind is numpy.ndarray:
            original = self._originals.get(id(value))
            return self._adopt(value) if original is None else original
        if isinstance(value, tuple):
            items = [self.from_host(item) for item in value]
            return kind(items) if kind is tuple else kind(*items) if hasattr(kind, "_fields") else value
        if kind is list:
            return [self.from_host(item) for item in value]
        if kind is dict:
            return {key: self.from_host(item) for key, item in value.items()}
        return value

    def _adopt(self, array: numpy.ndarray) -> Any:
        """The tessera array for a result; a view of an argument stays one. Dtypes the engine lacks stay NumPy's."""
        dtype = array.dtype
        if dtype.kind not in "biufc" or not dtype.isnative or dtype.itemsize > 8 * (1 + (dtype.kind == "c")):
            return array
        shares = array.base is not None and any(numpy.may_share_memory(array, view) for view in self._views)
        return self._core.asarray(array, copy=False if shares else None) if array.flags.aligned else array
