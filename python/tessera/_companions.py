"""Other packages that tessera's arrays work inside of: what is registered with each once it is imported."""

from __future__ import annotations

import importlib

from tessera._imported import when_imported

# The other package's module -> ours, whose `register()` is called.
_COMPANIONS = {
    "dask.sizeof": "tessera.dask.sizes",
    "dask.tokenize": "tessera.dask.tokens",
    "dask.array.chunk_types": "tessera.dask.chunk_type",
    "dask.array.backends": "tessera.dask.dispatch",
    "dask.array": "tessera.dask.metas",
}


def join() -> None:
    """Register with each of them, now or as soon as it is imported."""
    for theirs, ours in _COMPANIONS.items():
        when_imported(theirs, lambda ours=ours: importlib.import_module(ours).register())
