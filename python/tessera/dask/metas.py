"""Keeps the type of chunks where Dask would assume NumPy's: metas that it cannot infer, creation that it asks no backend for.

Dask carries an empty array beside each collection, its meta, and takes NumPy's type where a function fails on the metas of its
arguments, where a dimension is reduced to a scalar, and in functions of creation that have no backend (`linspace`, `eye`, ...).
The functions that decide this are wrapped here. For collections without tessera's arrays, and under another backend, they do what
they did.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import uuid
from collections.abc import Callable
from typing import Any

import numpy
from dask.base import tokenize

import tessera.numpy as np
from tessera import _core as core
from tessera._wrapping import replace
from tessera.dask.dispatch import to_tessera


def is_tesseras(x: Any) -> bool:
    """Whether it is a tessera array, the class, or a collection of such."""
    return core.is_own(x) or core.is_own(getattr(x, "_meta", None)) or (isinstance(x, type) and x is np.ndarray)


def is_chosen() -> bool:
    """Whether Dask's array backend is tessera now."""
    from dask import config

    return config.get("array.backend", "numpy") == "tessera"


def _meta_from_array(original: Callable) -> Callable:
    @functools.wraps(original)
    def meta_from_array(x: Any, ndim: int | None = None, dtype: Any = None) -> Any:
        meta = original(x, ndim=ndim, dtype=dtype)
        if type(meta) is numpy.ndarray and (is_tesseras(x) or x is None and is_chosen()):
            return to_tessera(meta)  # of functions that nothing is known of, the backend's
        return meta

    return meta_from_array


def _compute_meta(original: Callable) -> Callable:
    @functools.wraps(original)
    def compute_meta(func: Callable, _dtype: Any, *args: Any, **kwargs: Any) -> Any:
        meta = original(func, _dtype, *args, **kwargs)
        if (meta is None or type(meta) is numpy.ndarray) and any(map(is_tesseras, (*args, *kwargs.values()))):
            if type(meta) is numpy.ndarray and not meta.ndim:
                return to_tessera(meta)
            if meta is None and _dtype is not None:
                return to_tessera(numpy.empty(0, dtype=_dtype))
        return meta

    return compute_meta


def converted(result: Any, name: str | None = None) -> Any:
    """Collections of NumPy chunks that the engine knows, in a tuple or list or alone, as collections of tessera's."""
    from dask.array.core import Array

    if isinstance(result, (tuple, list)):
        return type(result)(map(converted, result))
    if isinstance(result, Array) and type(result._meta) is numpy.ndarray:
        if core.is_own(to_tessera(result._meta)):
            return result.map_blocks(to_tessera, meta=to_tessera(result._meta), name=name)
    return result


def _created(original: Callable) -> Callable:
    """Its results have tessera chunks where tessera is the backend; a collection that is there already stays as it is."""

    @functools.wraps(original)
    def create(*args: Any, **kwargs: Any) -> Any:
        if not is_chosen():
            return original(*args, **kwargs)
        from dask import config

        name = kwargs.get("name")
        with config.set({"array.backend": "numpy"}):
            result = original(*args, **kwargs | ({"name": f"{name}-host"} if isinstance(name, str) else {}))
        if any(result is each for each in args):
            return result
        return converted(result, name if isinstance(name, str) else None)

    return create


def _from_array(original: Callable) -> Callable:
    """A tessera array is cut into views at once, as NumPy's are, so that each task takes its chunk along and no other."""

    @functools.wraps(original)
    def from_array(
        x: Any, chunks: Any = "auto", name: Any = None, lock: Any = False, asarray: Any = None, fancy: bool = True,
        getitem: Any = None, meta: Any = None, inline_array: bool = False,
    ) -> Any:  # fmt: skip
        if isinstance(x, (bool, int, float, complex, numpy.generic, list, tuple)) and is_chosen():
            x = to_tessera(numpy.asarray(x)) if asarray is not False else x
        if not core.is_own(x) or lock or getitem is not None:
            from dask import config

            with config.set({"array.backend": "numpy"} if is_chosen() else {}):
                result = original(x, chunks, name, lock, asarray, fancy, getitem, meta, inline_array)
            is_array = hasattr(x, "__array_function__") or hasattr(x, "__array_ufunc__")
            return converted(result) if is_chosen() and not is_array else result  # what a file holds, for one
        from dask.array.core import Array, normalize_chunks, slices_from_chunks

        x = x.copy()  # later writes to it do not reach the collection
        chunks = normalize_chunks(chunks, x.shape, dtype=x.dtype)
        if name in (None, True):
            name = f"array-{tokenize(x, chunks)}"
        elif name is False:
            name = f"array-{uuid.uuid1()}"
        keys = itertools.product([name], *(range(len(each)) for each in chunks))
        single = all(len(each) == 1 for each in chunks)
        blocks = [x] if single else [x[where] for where in slices_from_chunks(chunks)]
        return Array(dict(zip(keys, blocks)), name, chunks, meta=x if meta is None else meta, dtype=x.dtype)

    return from_array


def _setitem(original: Callable) -> Callable:
    @functools.wraps(original)
    def setitem(x: Any, v: Any, indices: Any) -> Any:
        """Dask marks places that are none of the chunk's, and knows them in NumPy's arrays only."""
        return original(x, v, [numpy.asarray(each) if core.is_own(each) else each for each in indices])

    return setitem


def _with_host_index(original: Callable) -> Callable:
    @functools.wraps(original)
    def getitem(self: Any, index: Any) -> Any:
        """Dask counts the lists in an index, and knows NumPy's arrays as such only."""
        parts = index if isinstance(index, tuple) else (index,)
        return original(self, tuple(numpy.asarray(each) if core.is_own(each) else each for each in parts))

    return getitem


def _with_lists(original: Callable) -> Callable:
    """It takes tessera arrays of extents: a shape, the sizes of chunks."""

    def plain(x: Any) -> Any:
        return x.tolist() if core.is_own(x) else x

    @functools.wraps(original)
    def take(*args: Any, **kwargs: Any) -> Any:
        return original(*map(plain, args), **{key: plain(value) for key, value in kwargs.items()})

    return take


def _kept(original: Callable) -> Callable:
    """Its results have the type of the collections that it is given."""

    @functools.wraps(original)
    def keep(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        if any(map(is_tesseras, args)):
            for each in result if isinstance(result, tuple) else (result,):
                if type(getattr(each, "_meta", None)) is numpy.ndarray:
                    each._meta = to_tessera(each._meta)
        return result

    return keep


def _converting(original: Callable) -> Callable:
    """Its results are NumPy's whatever it is given, and tessera's again where an argument was."""

    @functools.wraps(original)
    def convert(*args: Any, **kwargs: Any) -> Any:
        from dask import config

        with config.set({"array.backend": "numpy"} if is_chosen() else {}):
            result = original(*args, **kwargs)
        return converted(result) if any(map(is_tesseras, args)) else result

    return convert


class _Loop:
    """numpy.vectorize over a function, with tessera's arrays for those of its results that are NumPy's."""

    def __init__(self, function: Callable, signature: str, otypes: Any) -> None:
        self._loop = numpy.vectorize(function, signature=signature, otypes=otypes)
        self.__name__ = getattr(function, "__name__", "function")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = self._loop(*args, **kwargs)
        return tuple(map(to_tessera, result)) if isinstance(result, tuple) else to_tessera(result)


def _forced(original: Callable) -> Callable:
    """Its results have NumPy chunks whatever their metas say."""

    @functools.wraps(original)
    def convert(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        return tuple(map(_as_tesseras, result)) if any(map(is_tesseras, args)) else result

    return convert


def _as_tesseras(x: Any) -> Any:
    return x.map_blocks(to_tessera, meta=to_tessera(x._meta))


def _diagonal(original: Callable) -> Callable:
    @functools.wraps(original)
    def diagonal(a: Any, *args: Any, **kwargs: Any) -> Any:
        """A diagonal without elements is an array of NumPy's."""
        result = original(a, *args, **kwargs)
        return _as_tesseras(result) if is_tesseras(a) and not result.size else result

    return diagonal


def _apply_gufunc(original: Callable) -> Callable:
    kept = _kept(original)

    @functools.wraps(original)
    def apply_gufunc(func: Callable, signature: str, *args: Any, vectorize: Any = None, **kwargs: Any) -> Any:
        if vectorize and any(map(is_tesseras, args)):
            types = kwargs.get("output_dtypes") or None
            otypes = list(types) if isinstance(types, (tuple, list)) else types if types is None else [types]
            return kept(_Loop(func, signature, otypes), signature, *args, **kwargs)
        return kept(func, signature, *args, vectorize=vectorize, **kwargs)

    return apply_gufunc


def _on_chunks(original: Callable) -> Callable:
    """The same for a function of chunks."""

    @functools.wraps(original)
    def convert(name: str, *args: Any, **kwargs: Any) -> Any:
        result = original(name, *args, **kwargs)
        if not any(map(core.is_own, args)):
            return result
        return tuple(map(to_tessera, result)) if isinstance(result, tuple) else to_tessera(result)

    return convert


def _of_collections(original: Callable) -> Callable:
    """It takes Dask's arrays and NumPy's: tessera's become one-chunk collections."""

    @functools.wraps(original)
    def take(x: Any, *args: Any, **kwargs: Any) -> Any:
        from dask.array.core import from_array

        return original(from_array(x, chunks=-1) if core.is_own(x) else x, *args, **kwargs)

    return take


def _of_numpys(original: Callable) -> Callable:
    """It takes parameters in NumPy's arrays only, which are small: they go along in the graph."""

    def host(x: Any) -> Any:
        return numpy.asarray(x) if core.is_own(x) else x

    @functools.wraps(original)
    def take(*args: Any, **kwargs: Any) -> Any:
        return original(*map(host, args), **{key: host(value) for key, value in kwargs.items()})

    return take


def _fft_wrap(original: Callable) -> Callable:
    """SciPy's transforms return NumPy's arrays."""

    @functools.wraps(original)
    def fft_wrap(fft_func: Callable, *args: Any, **kwargs: Any) -> Callable:
        if not fft_func.__module__.startswith("scipy"):
            return original(fft_func, *args, **kwargs)

        @functools.wraps(fft_func)
        def transform(x: Any, *rest: Any, **options: Any) -> Any:
            result = fft_func(x, *rest, **options)
            return to_tessera(result) if core.is_own(x) else result

        return original(transform, *args, **kwargs)

    return fft_wrap


def _arg_chunk(original: Callable) -> Callable:
    @functools.wraps(original)
    def arg_chunk(func: Callable, argfunc: Callable, x: Any, axis: Any, offset_info: Any) -> Any:
        """A chunk's extreme values and where they are in the whole array, as two arrays instead of one of pairs."""
        if not core.is_own(x):
            return original(func, argfunc, x, axis, offset_info)
        along = None if len(axis) == x.ndim or x.ndim == 1 else axis[0]
        values, places = (function(x, axis=along, keepdims=True) for function in (func, argfunc))
        if x.ndim and along is None:
            begin, extents = offset_info
            inside = numpy.unravel_index(int(places.ravel()[0]), x.shape)
            whole = numpy.ravel_multi_index(tuple(i + j for i, j in zip(begin, inside)), extents)
            places = np.full(places.shape, whole, dtype=places.dtype)
        elif x.ndim:
            places = places + offset_info
        return {"vals": values, "arg": places}

    return arg_chunk


def _arg_combine(original: Callable) -> Callable:
    @functools.wraps(original)
    def arg_combine(argfunc: Callable, data: Any, axis: Any = None, **kwargs: Any) -> Any:
        if not isinstance(data, dict):
            return original(argfunc, data, axis=axis, **kwargs)
        from dask.array import reductions

        places, values = reductions._arg_combine(data, axis, argfunc, keepdims=True)
        return {"vals": values, "arg": places}

    return arg_combine


def register() -> None:
    """Wrap what decides the type of chunks in `dask.array`; with its query planning on, which decides otherwise, nothing."""
    import dask.array as da

    if da._array_expr_enabled():
        return
    missing = []
    for wrapped, module, names in (
        (_meta_from_array, "utils", ("meta_from_array",)),
        (_compute_meta, "utils", ("compute_meta",)),
        (_on_chunks, "utils", ("scipy_linalg_safe",)),
        (_arg_chunk, "reductions", ("arg_chunk",)),
        (_arg_combine, "reductions", ("arg_combine",)),
        (_kept, "reductions", ("arg_reduction", "cumreduction", "prefixscan_blelloch")),
        (_kept, "routines", ("coarsen",)),
        (
            _converting,
            "routines",
            ("histogram", "histogram2d", "histogramdd", "isnull", "notnull", "union1d", "unique"),
        ),
        (_fft_wrap, "fft", ("fft_wrap",)),
        (_created, "ma", ("count", "filled", "getdata", "getmaskarray")),
        (_setitem, "slicing", ("setitem",)),
        (_kept, "slicing", ("slice_with_bool_dask_array", "slice_with_int_dask_array")),
        (_apply_gufunc, "gufunc", ("apply_gufunc",)),
        (_forced, "linalg", ("lu",)),
        (_of_numpys, "random", ("_wrap_func",)),
        (_with_lists, "core", ("normalize_chunks",)),
        (_from_array, "core", ("from_array",)),
        (_of_collections, "creation", ("diag",)),
        (_diagonal, "creation", ("diagonal",)),
        (_created, "core", ("asanyarray", "asarray", "from_npy_stack", "from_zarr")),
        (_created, "creation", ("diag", "eye", "fromfunction", "indices", "linspace", "tri")),
        (_created, "routines", ("array", "tril_indices", "triu_indices")),
    ):
        where = importlib.import_module(f"dask.array.{module}")
        for name in names:
            if hasattr(where, name):
                replace(where, name, wrapped, "dask.array")
            else:
                missing.append(f"{module}.{name}")
    blocks = importlib.import_module("dask.array.core").BlockView
    blocks.__getitem__ = _with_host_index(blocks.__getitem__)
    if missing:
        raise AttributeError(f"this Dask has no {', '.join(missing)}; the chunks of what used them may be NumPy's")
