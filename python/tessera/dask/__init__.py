"""Dask over tessera's arrays: `dask.config.set({"array.backend": "tessera"})` is all a program writes.

`import tessera.numpy` registers everything with the parts of Dask that are imported, before or after it; the entry point
`dask.array.backends: tessera` brings it to programs that do not import tessera themselves.
"""

from __future__ import annotations

from typing import Any

__all__ = ["TesseraBackend"]


def __getattr__(name: str) -> Any:
    if name == "TesseraBackend":  # it imports dask.array, which not all of Dask's parts need
        from tessera.dask.backend import TesseraBackend

        return TesseraBackend
    raise AttributeError(f"module 'tessera.dask' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
