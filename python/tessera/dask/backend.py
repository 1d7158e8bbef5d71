"""The array backend that Dask finds by its entry point: creation, random numbers, conversion."""

from __future__ import annotations

from typing import Any

import dask.array as da
from dask import config
from dask.array.backends import ArrayBackendEntrypoint
from dask.array.core import Array

import tessera.numpy as np
from tessera import _core as core
from tessera.dask.dispatch import to_tessera


def _created(name: str, /, *args: Any, meta: Any = None, **kwargs: Any) -> Array:
    """Dask's own creation of this name, with chunks like `meta`."""
    if args and core.is_own(args[0]):  # a shape in an array
        args = (args[0].tolist(), *args[1:])
    for key in ("shape", "chunks"):
        if core.is_own(kwargs.get(key)):
            kwargs[key] = kwargs[key].tolist()
    with config.set({"array.backend": "numpy"}):
        return getattr(da, name)(*args, meta=np.empty(0) if meta is None else meta, **kwargs)


class TesseraBackend(ArrayBackendEntrypoint):
    """What `dask.config.set({"array.backend": "tessera"})` chooses.

    Chunks are tessera arrays where the engine knows the dtype; of others (object, string, datetime, structured) they stay
    NumPy's, as everywhere in tessera.
    """

    @classmethod
    def to_backend_dispatch(cls) -> Any:
        """The function that makes a chunk tessera's."""
        return to_tessera

    @classmethod
    def to_backend(cls, data: Array, **kwargs: Any) -> Array:
        """The same collection with tessera chunks."""
        if type(data._meta) is np.ndarray:
            return data
        return data.map_blocks(to_tessera, **kwargs)

    @property
    def RandomState(self) -> type:
        """The generator behind `da.random.RandomState`: NumPy's numbers for the same seed, drawn natively."""
        return np.random.RandomState

    @property
    def default_bit_generator(self) -> type:
        """The bit generator behind `da.random.default_rng`."""
        return np.random.PCG64

    @staticmethod
    def ones(*args: Any, **kwargs: Any) -> Array:
        """An array of ones; each chunk holds one element that is broadcast."""
        return _created("ones", *args, **kwargs)

    @staticmethod
    def zeros(*args: Any, **kwargs: Any) -> Array:
        """An array of zeros; each chunk holds one element that is broadcast."""
        return _created("zeros", *args, **kwargs)

    @staticmethod
    def empty(*args: Any, **kwargs: Any) -> Array:
        """An array of undefined elements; each chunk holds one element that is broadcast."""
        return _created("empty", *args, **kwargs)

    @staticmethod
    def full(*args: Any, **kwargs: Any) -> Array:
        """An array of one value; each chunk holds one element that is broadcast."""
        return _created("full", *args, **kwargs)

    @staticmethod
    def arange(*args: Any, like: Any = None, **kwargs: Any) -> Array:
        """Evenly spaced values."""
        with config.set({"array.backend": "numpy"}):
            return da.arange(*args, like=np.empty(0) if like is None else like, **kwargs)
