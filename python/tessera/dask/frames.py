"""Data frames of Dask from collections of tessera's arrays, and back: pandas' frames hold NumPy's."""

from __future__ import annotations

import functools
from typing import Any

import tessera.numpy as np


def library_of(x: np.ndarray) -> Any:
    """The module whose frames hold such arrays."""
    import pandas

    return pandas


def register() -> None:
    """Register with `dask.dataframe`."""
    from dask.dataframe.dispatch import meta_lib_from_array

    meta_lib_from_array.register(np.ndarray, library_of)


def register_collections() -> None:
    """`values`, and what uses it, gives tessera's chunks where tessera is the array backend."""
    from dask.dataframe.dask_expr._collection import FrameBase

    original = FrameBase.values.fget

    @functools.wraps(original)
    def values(self: Any) -> Any:
        from dask import config

        from tessera.dask.metas import converted, is_chosen

        if not is_chosen():
            return original(self)
        with config.set({"array.backend": "numpy"}):
            result = original(self)
        return converted(result)

    FrameBase.values = property(values)
