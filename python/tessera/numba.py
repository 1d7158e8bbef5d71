"""Numba's names: `tessera run --numba` lets `import numba` in the program's own files mean this module.

What is not there raises ImportError or AttributeError, which say what to use instead.
"""

from __future__ import annotations

from typing import Any

from tessera import cuda, errors, extending, types
from tessera.cuda import literal_unroll
from tessera.functions import executed
from tessera.functions.cfunc import carray, cfunc, farray
from tessera.functions.guvectorize import guvectorize
from tessera.functions.jit import jit, literally, njit, pndindex, prange
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
from tessera.types import from_dtype, typeof

executed.keep_sources()  # as Numba, which compiles bytecode, needs none

__version__ = "0.68.0"  # whose names these are

__all__ = [
    "carray",
    "cfunc",
    "cuda",
    "errors",
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
    "parallel_chunksize",
    "pndindex",
    "prange",
    "set_num_threads",
    "set_parallel_chunksize",
    "stencil",
    "types",
    "typeof",
    "vectorize",
    *(name for name in types.__all__ if name[0].islower() and name not in ("typeof", "from_dtype", "as_dtype")),
]

# What programs import that is not there, and what they can write.
_INSTEAD = {
    "deferred_type": "arrays, tuples and numbers",
    "experimental": "functions of arrays and tuples; classes are not compiled",
    "gdb": "cuda.jit(debug=True), boundscheck=True, or the Python function `f.py_func` in pdb",
    "generated_jit": "a function with @jit: branches on types of arguments are chosen when it is compiled",
    "objmode": "the Python call before or after the compiled function",
    "parfors": "jit(parallel=True)",
    "pycc": "nothing: machine code is kept on disk between runs",
    "typed": "arrays and tuples; lists and dictionaries of compiled functions are not there",
}


def __getattr__(name: str) -> Any:
    if name in types.__all__:
        return getattr(types, name)
    instead = _INSTEAD.get(name)
    if instead is None:
        raise AttributeError(f"tessera.numba has no {name}: tessera's functions have no such name of Numba's")
    raise AttributeError(f"tessera.numba has no {name}; instead: {instead}")
