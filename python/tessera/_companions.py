"""Other packages that tessera's arrays work inside of: what is registered with each once it is imported."""

from __future__ import annotations

import importlib

from tessera._imported import when_imported

# The other package's module -> ours, whose `register()` is called, or the function that is named.
_COMPANIONS = {
    "dask.sizeof": "tessera.dask.sizes",
    "dask.tokenize": "tessera.dask.tokens",
    "dask.array.chunk_types": "tessera.dask.chunk_type",
    "dask.array.backends": "tessera.dask.dispatch",
    "dask.array": "tessera.dask.results",
    "dask.dataframe.dask_expr._backends": "tessera.dask.frames_backend",
    "dask.dataframe.dispatch": "tessera.dask.frames",
    "dask.dataframe.dask_expr._collection": "tessera.dask.frames:register_collections",
    "dask.local": "tessera.dask.threads",
    "dask.threaded": "tessera.dask.threads:register_pools",
    "distributed.protocol": "tessera.dask.serialise",
    "distributed.worker": "tessera.dask.threads:register_workers",
    "einops._backends": "tessera._einops",
    "xarray": "tessera._xarray",
}


def join() -> None:
    """Register with each of them, now or as soon as it is imported."""
    for theirs, ours in _COMPANIONS.items():
        when_imported(theirs, lambda ours=ours: _call(ours))


def _call(ours: str) -> None:
    module, _, name = ours.partition(":")
    getattr(importlib.import_module(module), name or "register")()
