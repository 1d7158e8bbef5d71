"""Numba's names: `tessera run --numba` lets `import numba` in the program's own files mean this module.

What is not there raises ImportError or AttributeError, which say what to use instead.
"""

from __future__ import annotations

import operator
from typing import Any

from tessera import cuda, extending, types
from tessera.cuda import literal_unroll
from tessera.functions import executed
from tessera.functions import settings as config
from tessera.functions.cfunc import carray, cfunc, farray
from tessera.functions.guvectorize import guvectorize
from tessera.functions.jit import jit, literally, njit, pndindex, prange
from tessera.functions.python_blocks import objmode
from tessera.functions.stencil import stencil
from tessera.functions.threads import (
    get_num_threads,
    get_parallel_chunksize,
    get_thread_id,
    parallel_chunksize,
    set_num_threads,
    set_parallel_chunksize,
)
from tessera.functions.vectorize import vectorize
from tessera.numba import core, experimental, np, typed
from tessera.numba.core import errors
from tessera.numba.core.errors import TypingError
from tessera.types import deferred_type, from_dtype, optional, typeof

executed.keep_sources()  # as Numba, which compiles bytecode, needs none

__version__ = "0.68.0"  # whose names these are


class _Version(tuple[int, ...]):
    """The parts of __version__."""

    major, minor, patch = (property(operator.itemgetter(k)) for k in range(3))
    short, full = (property(lambda self, k=k: self[:k]) for k in (2, 3))


version_info = _Version(map(int, __version__.split(".")))


def threading_layer() -> str:
    """The name of the pool of threads, which is one for all."""
    return "tbb"


__all__ = [
    "TypingError",
    "carray",
    "cfunc",
    "config",
    "core",
    "cuda",
    "deferred_type",
    "errors",
    "experimental",
    "extending",
    "farray",
    "from_dtype",
    "get_num_threads",
    "get_parallel_chunksize",
    "get_thread_id",
    "guvectorize",
    "jit",
    "literal_unroll",
    "literally",
    "njit",
    "np",
    "objmode",
    "optional",
    "parallel_chunksize",
    "pndindex",
    "prange",
    "set_num_threads",
    "set_parallel_chunksize",
    "stencil",
    "threading_layer",
    "typed",
    "types",
    "typeof",
    "vectorize",
    "version_info",
    *(name for name in types.__all__ if name[0].islower() and name not in ("typeof", "from_dtype", "as_dtype")),
]

# What programs import that is not there, and what they can write.
_INSTEAD = {
    "gdb": "cuda.jit(debug=True), boundscheck=True, or the Python function `f.py_func` in pdb",
    "generated_jit": "a function with @jit: branches on types of arguments are chosen when it is compiled",
    "parfors": "jit(parallel=True)",
    "pycc": "nothing: machine code is kept on disk between runs",
}


def __getattr__(name: str) -> Any:
    if name in types.__all__:
        return getattr(types, name)
    instead = _INSTEAD.get(name)
    if instead is None:
        raise AttributeError(f"tessera.numba has no {name}: tessera's functions have no such name of Numba's")
    raise AttributeError(f"tessera.numba has no {name}; instead: {instead}")
