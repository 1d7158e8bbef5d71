"""Tells Dask that its arrays may hold tessera's: operators between the two are Dask's."""

from __future__ import annotations

import tessera.numpy as np


def register() -> None:
    """Register with `dask.array.chunk_types`."""
    from dask.array.chunk_types import register_chunk_type

    register_chunk_type(np.ndarray)
