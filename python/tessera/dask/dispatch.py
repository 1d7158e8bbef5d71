"""The functions that Dask chooses by the type of a chunk, for tessera's arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy

import tessera.numpy as np


def to_tessera(chunk: Any, **kwargs: Any) -> Any:
    """The chunk as a tessera array; a NumPy array where the engine does not know its elements.

    Shapes: kept. Dtypes: kept. Errors: what `numpy.asarray` raises for the object.
    """
    if type(chunk) in (np.ndarray, numpy.ma.MaskedArray):
        return chunk
    return np.asarray(chunk, **kwargs)


def to_numpy(chunk: np.ndarray, **kwargs: Any) -> numpy.ndarray:
    """The chunk as a NumPy array: of memory that it shares where that is on the host."""
    return numpy.asarray(chunk, **kwargs)


def percentile(a: np.ndarray, q: Any, method: str = "linear") -> tuple[np.ndarray | None, int]:
    """A chunk's percentiles and its length, which Dask merges by weight."""
    count = len(a)
    if not count:
        return None, count
    if a.dtype == bool:
        method = "nearest"
    return np.percentile(a, q, method=method), count


def numel(x: np.ndarray, axis: Any = None, keepdims: bool = False, dtype: Any = numpy.float64, **kwargs: Any) -> Any:
    """How many elements a reduction over these axes joins, in the shape of its result."""
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    reduced = {each % x.ndim for each in axes}
    count = math.prod(x.shape[each] for each in reduced)
    if axis is None and not keepdims:
        return numpy.dtype(dtype).type(count)
    shape = [1 if each in reduced else extent for each, extent in enumerate(x.shape) if keepdims or each not in reduced]
    return np.full(tuple(shape), count, dtype=dtype)


def nannumel(x: np.ndarray, **kwargs: Any) -> Any:
    """The same without NaNs."""
    return np.sum(~np.isnan(x), **kwargs)


def divide(a: Any, b: Any, dtype: Any = None) -> Any:
    """The quotient, cast to this dtype, which may be an integer one."""
    result = np.divide(a, b)
    return result if dtype is None else result.astype(dtype, copy=False)


def register() -> None:
    """Register with `dask.array`."""
    from dask.array import dispatch

    own = np.ndarray
    dispatch.concatenate_lookup.register(own, np.concatenate)
    dispatch.tensordot_lookup.register(own, np.tensordot)
    dispatch.einsum_lookup.register(own, np.einsum)
    dispatch.take_lookup.register(own, np.take)
    dispatch.percentile_lookup.register(own, percentile)
    dispatch.empty_lookup.register(own, np.empty)
    dispatch.divide_lookup.register(own, divide)
    dispatch.numel_lookup.register(own, numel)
    dispatch.nannumel_lookup.register(own, nannumel)
    dispatch.to_numpy_dispatch.register(own, to_numpy)
