"""Keeps tessera's arrays in xarray's objects where xarray, or what it calls, would return NumPy's.

xarray speaks to arrays by `__array_function__` and the array API, so most of it keeps their type. What is wrapped here does not:
functions over SciPy, bottleneck or `numpy.vectorize` inside `apply_ufunc` (their results are tessera's again, with one warning a
call site), indexing by arrays along several dimensions, and filled or mapped objects over Dask.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy

import tessera.numpy as np
from tessera import _core as core
from tessera import _fallback
from tessera._wrapping import replace


class Returning:
    """A function whose NumPy results are tessera's where an argument was."""

    def __init__(self, function: Callable) -> None:
        self._function = function
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = self._function(*args, **kwargs)
        if not any(map(core.is_own, args)):
            return result
        if isinstance(result, tuple):
            return tuple(map(self._converted, result))
        return self._converted(result)

    def _converted(self, result: Any) -> Any:
        if type(result) is not numpy.ndarray or not result.ndim:
            return result
        ours = np.asarray(result)
        if core.is_own(ours):
            _fallback.note(f"xarray.apply_ufunc of {self.__name__}", "it returned NumPy's arrays")
        return ours


def _apply_variable_ufunc(original: Callable) -> Callable:
    @functools.wraps(original)
    def apply(function: Callable, *args: Any, **kwargs: Any) -> Any:
        return original(Returning(function), *args, **kwargs)

    return apply


def _vectorize(original: Callable) -> Callable:
    @functools.wraps(original)
    def vectorize(function: Callable, *args: Any, **kwargs: Any) -> Any:
        return Returning(original(function, *args, **kwargs))

    return vectorize


def _as_indexable(original: Callable) -> Callable:
    from xarray.core.indexing import NdArrayLikeIndexingAdapter

    @functools.wraps(original)
    def as_indexable(array: Any) -> Any:
        """The adapter for the array API has no indexing by arrays along several dimensions; ours have NumPy's."""
        return NdArrayLikeIndexingAdapter(array) if core.is_own(array) else original(array)

    return as_indexable


def _is_chunked_tesseras(data: Any) -> bool:
    return core.is_own(getattr(data, "_meta", None))


def _full_like(original: Callable) -> Callable:
    @functools.wraps(original)
    def full_like(other: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(other, *args, **kwargs)
        if _is_chunked_tesseras(other._data):
            _keep_chunks(result)
        return result

    return full_like


def _keep_chunks(variable: Any) -> None:
    from tessera.dask.metas import converted

    if hasattr(variable._data, "_meta"):
        variable._data = converted(variable._data)


def _reduce(original: Callable) -> Callable:
    @functools.wraps(original)
    def reduce(self: Any, *args: Any, **kwargs: Any) -> Any:
        """A whole array's reduction is a scalar of NumPy's, which xarray would keep as NumPy's array."""
        result = original(self, *args, **kwargs)
        data = getattr(result, "_data", None)
        if core.is_own(self._data):
            if type(data) is numpy.ndarray and not data.ndim:
                result._data = np.asarray(data)
        elif _is_chunked_tesseras(self._data) and not data.ndim:
            _keep_chunks(result)
        return result

    return reduce


def _map_blocks(original: Callable) -> Callable:
    @functools.wraps(original)
    def map_blocks(func: Callable, obj: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(func, obj, *args, **kwargs)
        if any(_is_chunked_tesseras(variable._data) for variable in _variables(obj)):
            for variable in _variables(result):
                _keep_chunks(variable)
        return result

    return map_blocks


def _push(original: Callable) -> Callable:
    @functools.wraps(original)
    def push(array: Any, n: int | None = None, axis: int = -1) -> Any:
        """Each NaN takes the last element before it that is none, at most n places away; bottleneck does it for NumPy's arrays."""
        if not core.is_own(array):
            return original(array, n, axis)
        if array.dtype.kind not in "fc":
            return array
        places = np.arange(array.shape[axis]).reshape([-1 if k == axis % array.ndim else 1 for k in range(array.ndim)])
        last = np.maximum.accumulate(np.where(np.isnan(array), -1, places), axis=axis)
        result = np.take_along_axis(array, np.maximum(last, 0), axis=axis)
        return result if n is None else np.where(places - last > n, np.nan, result).astype(array.dtype, copy=False)

    return push


def _add(original: Callable) -> Callable:
    @functools.wraps(original)
    def add(self: Any, source: Any, *args: Any, **kwargs: Any) -> Any:
        """Files are written from NumPy's arrays: some libraries take no others."""
        if core.is_own(source):
            source = numpy.asarray(source)
        elif _is_chunked_tesseras(source):
            source = source.map_blocks(numpy.asarray, meta=numpy.asarray(source._meta))
        return original(self, source, *args, **kwargs)

    return add


def _variables(obj: Any) -> list[Any]:
    """The variables of a DataArray or a Dataset that hold data."""
    if hasattr(obj, "data_vars"):
        return [each.variable for each in obj.data_vars.values()]
    return [obj.variable] if hasattr(obj, "variable") else []


def register() -> None:
    """Wrap what loses the type of arrays in `xarray`."""
    missing = []
    for wrapped, module, name in (
        (_apply_variable_ufunc, "computation.apply_ufunc", "apply_variable_ufunc"),
        (_vectorize, "computation.apply_ufunc", "_vectorize"),
        (_as_indexable, "core.indexing", "as_indexable"),
        (_push, "core.duck_array_ops", "_push"),
        (_full_like, "core.common", "_full_like_variable"),
        (_map_blocks, "core.parallel", "map_blocks"),
    ):
        where = importlib.import_module(f"xarray.{module}")
        if hasattr(where, name):
            replace(where, name, wrapped, "xarray")
        else:
            missing.append(f"{module}.{name}")
    writer = importlib.import_module("xarray.backends.common").ArrayWriter
    writer.add = _add(writer.add)
    variable = importlib.import_module("xarray.core.variable").Variable
    variable.reduce = _reduce(variable.reduce)
    if missing:
        raise AttributeError(
            f"this xarray has no {', '.join(missing)}; results of what used them may be NumPy's arrays"
        )
