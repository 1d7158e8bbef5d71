"""tessera: array programs, lazily recorded, fused and compiled. `import tessera.numpy as np` is where to start."""

from __future__ import annotations

import importlib
from typing import Any

from tessera._devices import CopyError, asnumpy, copy_guard, device, to_device
from tessera._fallback import FallbackError, FallbackWarning, fallback_mode, fallback_statistics, set_fallback_mode

__version__ = "0.1.0"

__all__ = [
    "CopyError",
    "FallbackError",
    "FallbackWarning",
    "__version__",
    "allow_tf32",
    "asnumpy",
    "autotune",
    "carray",
    "cfunc",
    "copy_guard",
    "counters",
    "device",
    "device_problem",
    "devices",
    "explain",
    "fallback_mode",
    "fallback_statistics",
    "farray",
    "jit",
    "jitclass",
    "get_num_threads",
    "get_parallel_chunksize",
    "graph",
    "guvectorize",
    "is_leader",
    "largest_arrays",
    "layout",
    "memory_statistics",
    "njit",
    "numpy",
    "parallel_chunksize",
    "pndindex",
    "prange",
    "progress",
    "rank",
    "reset_counters",
    "scipy",
    "set_fallback_mode",
    "set_memory_limit",
    "set_num_threads",
    "set_parallel_chunksize",
    "size",
    "stencil",
    "synchronize",
    "to_device",
    "trim_memory",
    "vectorize",
]

_SUBMODULES = (
    "numpy",
    "routines",
    "scipy",
    "cli",
    "cuda",
    "dask",
    "errors",
    "extending",
    "graphs",
    "legate",
    "networkx",
    "notebook",
    "numba",
    "pandas",
    "prof",
    "types",
)
# Names of `tessera.numpy` that Dask looks for in the root package of a bit generator.
_NUMPYS = ("arange", "array", "random")
# Names of the compiler, from the module that has them.
_COMPILER = {
    "autotune": "tessera.functions.tuning",
    "carray": "tessera.functions.cfunc",
    "cfunc": "tessera.functions.cfunc",
    "farray": "tessera.functions.cfunc",
    "jit": "tessera.functions.jit",
    "jitclass": "tessera.functions.jitclass",
    "njit": "tessera.functions.jit",
    "pndindex": "tessera.functions.jit",
    "prange": "tessera.functions.jit",
    "stencil": "tessera.functions.stencil",
    "guvectorize": "tessera.functions.guvectorize",
    "vectorize": "tessera.functions.vectorize",
    "get_num_threads": "tessera.functions.threads",
    "set_num_threads": "tessera.functions.threads",
    "get_parallel_chunksize": "tessera.functions.threads",
    "parallel_chunksize": "tessera.functions.threads",
    "set_parallel_chunksize": "tessera.functions.threads",
}
# What the engine itself answers.
_ENGINE = (
    "allow_tf32",
    "counters",
    "device_problem",
    "devices",
    "is_leader",
    "largest_arrays",
    "layout",
    "memory_statistics",
    "rank",
    "reset_counters",
    "set_memory_limit",
    "size",
    "trim_memory",
)


def synchronize() -> None:
    """Run everything this thread has recorded and wait for it.

    Examples
    --------
    >>> import tessera
    >>> import tessera.numpy as np
    >>> x = np.arange(5000.0) * 2
    >>> tessera.synchronize()  # x is computed
    """
    from tessera import _core

    _core.synchronize()


def __getattr__(name: str) -> Any:
    if name in ("explain", "graph"):
        return getattr(importlib.import_module("tessera.graphs"), name)
    if name == "progress":
        return importlib.import_module("tessera._progress").progress
    if name in ("load_ipython_extension", "unload_ipython_extension"):
        return getattr(importlib.import_module("tessera.notebook.magics"), name)
    if name in _SUBMODULES:
        return importlib.import_module(f"tessera.{name}")
    if name in _ENGINE:
        return getattr(importlib.import_module("tessera._engine"), name)
    if name in _NUMPYS:
        return getattr(importlib.import_module("tessera.numpy"), name)
    if name in _COMPILER:
        return getattr(importlib.import_module(_COMPILER[name]), name)
    # Types in signatures, as Numba's programs import them: float64, void, Tuple...
    if not name.startswith("_") and name in (kinds := importlib.import_module("tessera.types")).__all__:
        return getattr(kinds, name)
    raise AttributeError(f"module 'tessera' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_SUBMODULES) | set(_ENGINE) | set(_COMPILER))
