"""Keeps chunks what their collection says they are: NumPy's arrays that programs' functions return become tessera's where the
collection is.

A function's results are known from its call on empty arrays, or are assumed where that fails; a program may say what they are, too.
Functions of Dask, NumPy and tessera do what Dask expects of them and are left alone.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy

import tessera.numpy as np
from tessera import _core as core
from tessera._wrapping import replace
from tessera.dask.dispatch import to_tessera
from tessera.dask.metas import is_chosen, is_tesseras
from tessera.dask.metas import register as register_metas

_KNOWN = frozenset({"dask", "numpy", "tessera", "operator", "_operator", "builtins", "toolz", "cytoolz"})


class ToTessera:
    """A function whose results are tessera's where they would be NumPy's."""

    def __init__(self, function: Callable) -> None:
        self.__wrapped__ = function  # for `inspect.signature`
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = self.__wrapped__(*args, **kwargs)
        if isinstance(result, (tuple, list)):
            return type(result)(map(_converted, result)) if type(result) in (tuple, list) else result
        return _converted(result)

    def __dask_tokenize__(self) -> Any:
        from dask.tokenize import normalize_token

        return "to_tessera", normalize_token(self.__wrapped__)

    def __reduce__(self) -> Any:
        return ToTessera, (self.__wrapped__,)


def _converted(x: Any) -> Any:
    return to_tessera(x) if type(x) is numpy.ndarray else x


def _is_the_programs(function: Any) -> bool:
    if isinstance(function, numpy.vectorize):
        return True
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, (numpy.ufunc, np.ufunc, ToTessera)):
        return False
    return (getattr(function, "__module__", None) or "").partition(".")[0] not in _KNOWN


def _ensured(function: Any) -> Any:
    return ToTessera(function) if callable(function) and _is_the_programs(function) else function


def _blockwise(original: Callable) -> Callable:
    @functools.wraps(original)
    def blockwise(func: Callable, *args: Any, **kwargs: Any) -> Any:
        result = original(func, *args, **kwargs)
        if not _is_the_programs(func) or not core.is_own(getattr(result, "_meta", None)):
            return result
        return original(ToTessera(func), *args, **kwargs | {"meta": result._meta})

    return blockwise


def _map_blocks(original: Callable) -> Callable:
    """`blockwise` sees Dask's function instead of the program's where that is told of its block."""

    @functools.wraps(original)
    def map_blocks(func: Callable, *args: Any, **kwargs: Any) -> Any:
        from dask.utils import has_keyword

        result = original(func, *args, **kwargs)
        if not _is_the_programs(func) or not core.is_own(getattr(result, "_meta", None)):
            return result
        if kwargs.get("enforce_ndim") or any(has_keyword(func, each) for each in ("block_id", "block_info")):
            return original(ToTessera(func), *args, **kwargs | {"meta": result._meta})
        return result

    return map_blocks


def _apply_gufunc(original: Callable) -> Callable:
    @functools.wraps(original)
    def apply_gufunc(func: Callable, signature: str, *args: Any, **kwargs: Any) -> Any:
        return original(_ensured(func) if any(map(is_tesseras, args)) else func, signature, *args, **kwargs)

    return apply_gufunc


def _reduction(original: Callable) -> Callable:
    @functools.wraps(original)
    def reduction(x: Any, chunk: Any, aggregate: Any, *args: Any, **kwargs: Any) -> Any:
        if is_tesseras(x):
            chunk, aggregate = _ensured(chunk), _ensured(aggregate)
            kwargs = {key: _ensured(each) if key == "combine" else each for key, each in kwargs.items()}
        return original(x, chunk, aggregate, *args, **kwargs)

    return reduction


def _from_delayed(original: Callable) -> Callable:
    @functools.wraps(original)
    def from_delayed(value: Any, shape: Any, dtype: Any = None, meta: Any = None, name: str | None = None) -> Any:
        if not (is_chosen() if meta is None else core.is_own(meta)):
            return original(value, shape, dtype, meta, name)
        result = original(value, shape, dtype, meta, f"{name}-delayed" if name else None)
        return result.map_blocks(to_tessera, meta=to_tessera(result._meta), name=name)

    return from_delayed


def _array(original: Callable) -> Callable:
    @functools.wraps(original)
    def new(
        cls: type, dask: Any, name: str, chunks: Any, dtype: Any = None, meta: Any = None, shape: Any = None
    ) -> Any:
        """Of a program's own graph nothing is known; Dask's own know what theirs hold."""
        result = original(cls, dask, name, chunks, dtype, meta, shape)
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if meta is not None or f"{caller}.".startswith(("dask.", "tessera.")) or not core.is_own(result._meta):
            return result
        return result.map_blocks(to_tessera, meta=result._meta)

    return new


def register() -> None:
    """Wrap what decides the type of chunks and what calls programs' functions in `dask.array`."""
    import dask.array as da

    register_metas()
    if da._array_expr_enabled():
        return
    for wrapped, module, name in (
        (_blockwise, "blockwise", "blockwise"),
        (_map_blocks, "core", "map_blocks"),
        (_apply_gufunc, "gufunc", "apply_gufunc"),
        (_reduction, "reductions", "reduction"),
        (_from_delayed, "core", "from_delayed"),
    ):
        replace(importlib.import_module(f"dask.array.{module}"), name, wrapped, "dask.array")
    da.Array.__new__ = _array(da.Array.__new__)
