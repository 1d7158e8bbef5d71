# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy as _numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc
from tessera import numpy as numpy
from tessera import scipy as scipy

class CopyError(RuntimeError):
    """A copy between host and device, or between devices, that `copy_guard("error")` forbids."""
class FallbackError(NotImplementedError):
    """A call needed NumPy on the host while TESSERA_FALLBACK=error forbids that."""
class FallbackWarning(UserWarning):
    """A call ran in NumPy on the host because the engine has no native form of it."""
__version__: str
def allow_tf32(allow: Any) -> bool:
    """Whether float32 products on a GPU may round their operands to TF32, of ten bits; off unless TESSERA_TF32=1 is set."""
def asnumpy(array: ArrayLike) -> _numpy.ndarray[Any, Any]:
    """The NumPy array that shares `array`'s memory on the host, copied there if need be; anything else as `numpy.asarray`
    reads it."""
def autotune(*, block: Any, repeat: SupportsIndex = ..., **choices: Any) -> Any:
    """Makes a kernel that is launched with the fastest of several blocks."""
def carray(pointer: Any, shape: SupportsIndex | Sequence[SupportsIndex], dtype: DTypeLike | None = ...) -> NDArray[Any]:
    """Examples -------- >>> from tessera import carray, cfunc >>> @cfunc("float64(CPointer(float64), intc)") ... def
    last(values, n): ... return carray(values, (n,))[n - 1] >>> import ctypes >>> last.ctypes((ctypes.c_double * 3)(1.0,
    2.0, 5.0), 3) 5.0"""
def cfunc(signature: Any, *, locals: Any = ..., source: Any = ..., **options: Any) -> Any:
    """Makes a function that code in C calls: `@cfunc("float64(float64, CPointer(float64))")`."""
class copy_guard:
    """What copies of arrays between host and device, and between devices, do in a `with` block, on this thread: "allow", "log" or "error"."""
    def __init__(self, rule: Any = ..., *, to_device: Any = ..., from_device: Any = ..., between_devices: Any = ...) -> None:
        """Initialize self. See help(type(self)) for accurate signature."""
    def __enter__(self) -> NDArray[Any]: ...
    def __exit__(self, kind: str, *_: Any) -> NDArray[Any]: ...
def counters() -> dict[str, Any]:
    """What the engine did since the last reset, by name: windows, kernels, copies and their bytes."""
class device:
    """Where the work of a `with` block runs: `with tessera.device("gpu:0"): ...`; "cpu", "gpu", "gpu:N", "gpu:0-1" or "auto"."""
    def __init__(self, where: Any) -> None:
        """Initialize self. See help(type(self)) for accurate signature."""
    def __enter__(self) -> NDArray[Any]: ...
    def __exit__(self, *_: Any) -> NDArray[Any]: ...
def device_problem() -> str:
    """Why GPUs do less than they could, or why there are none; empty when all is well."""
def devices() -> list[Any]:
    """Facts about every GPU that can be used, a dict for each: name, capability, memory in bytes, ...; opens them."""
def explain(x: ArrayLike | None = ...) -> Any:
    """Where the work ran that made x, line by line, and why: `print(tessera.explain(x))`; without x that of a block: `with
    tessera.explain() as told: ...`."""
def fallback_mode() -> str:
    """What happens on a fallback: "warn", "silent" or "error"."""
def fallback_statistics() -> dict[str, Any]:
    """Calls, time, reasons and call sites of every name that ran in NumPy so far."""
def farray(pointer: Any, shape: SupportsIndex | Sequence[SupportsIndex], dtype: DTypeLike | None = ...) -> NDArray[Any]:
    """Examples -------- >>> from tessera import farray, cfunc >>> @cfunc("float64(CPointer(float64), intc)") ... def
    last(values, n): ... return farray(values, (n,))[n - 1] >>> import ctypes >>> last.ctypes((ctypes.c_double * 3)(1.0,
    2.0, 5.0), 3) 5.0"""
def get_num_threads() -> int:
    """The number of threads that parallel loops, and all other work on cores, use."""
def get_parallel_chunksize() -> int:
    """The number that `set_parallel_chunksize` set."""
def graph(x: ArrayLike | None = ...) -> Any:
    """What ran to make x, as a graph; without x the work of a block: `with tessera.graph() as g: ...`."""
def guvectorize(signatures: Any, layout: Any = ..., *, target: str = ..., nopython: bool = ..., cache: bool = ..., writable_args: Any = ..., identity: Any = ..., fastmath: Any = ..., source: Any = ...) -> Any:
    """Makes a generalised ufunc of a function that reads arrays of a few axes and writes its results into others."""
def is_leader() -> bool:
    """Whether this process is rank 0, which prints and writes files; True where there is one process."""
def jit(signature_or_function: Any = ..., *, locals: Any = ..., source: Any = ..., **options: Any) -> Any:
    """Compiles a function for the types of its arguments, when it is first called with them."""
def jitclass(class_or_spec: Any = ..., spec: Any = ...) -> Any:
    """A class whose objects compiled functions have, with fields of the types that `spec` gives, a list of pairs or a dict,
    or that are annotated: `@jitclass`, `@jitclass(spec)`, `jitclass(Class, spec)`."""
def largest_arrays(count: SupportsIndex = ...) -> list[Any]:
    """The largest arrays that live, but for those under 256 KiB: shape, dtype, nbytes, the place and the line that made
    them."""
def layout(array: ArrayLike) -> dict[str, int]:
    """Where an array's memory is valid: the bytes at each place, "cpu", "gpu:0", ..."""
def memory_statistics(where: str = ...) -> dict[str, Any]:
    """What a memory pool holds and handed out, in bytes: of the host, or of a device ("gpu", "gpu:1")."""
def njit(*arguments: Any, **options: Any) -> Any:
    """The same as jit."""
def parallel_chunksize(size: SupportsIndex) -> Any:
    """Sets that number for a block: `with parallel_chunksize(64): f(x)`."""
def pndindex(*shape: Any) -> Any:
    """numpy.ndindex, of indices that are independent: with parallel=True they run on all cores."""
def prange(*bounds: Any) -> Any:
    """range, of iterations that are independent: with parallel=True they run on all cores."""
def progress(after: float = ..., *, every: float = ...) -> Any:
    """Show a bar while the cores compute for longer than `after` seconds, in a terminal or a notebook."""
def rank() -> int:
    """The number of this process among those that run the program, from 0."""
def reset_counters() -> None:
    """Sets every counter to zero."""
def set_fallback_mode(mode: Any) -> None:
    """Set what happens on a fallback; returns the previous mode. TESSERA_FALLBACK sets the first one."""
def set_memory_limit(bytes: Any, where: str = ...) -> NDArray[Any]:
    """The most bytes a memory pool may hand out; 0 lifts the limit. What exceeds it raises MemoryError."""
def set_num_threads(count: SupportsIndex) -> None:
    """Sets that number, at least 1, for this process; results do not depend on it. Raises ValueError below 1."""
def set_parallel_chunksize(size: SupportsIndex) -> int:
    """The number of iterations of prange that a thread takes at once, at least, of functions that this thread calls; 0, as
    at first, for as many as there are in the loop's 128th part. Returns what it was. Floating-point totals are those of
    the chunks, so they depend on it."""
def size() -> int:
    """How many processes run the program."""
def stencil(func_or_mode: Any = ..., **options: Any) -> Any:
    """Makes a stencil of a function whose arrays are indexed relative to an element."""
def synchronize() -> None:
    """Run everything this thread has recorded and wait for it."""
def to_device(array: ArrayLike) -> NDArray[Any]:
    """The array itself, after its elements were copied to the device where this thread's work runs, if it runs on one."""
def trim_memory(where: str = ...) -> None:
    """Returns memory that a pool keeps for later to the system or the GPU's driver."""
def vectorize(signatures_or_function: Any = ..., *, identity: Any = ..., target: str = ..., nopython: bool = ..., cache: bool = ..., fastmath: Any = ..., source: Any = ...) -> Any:
    """Makes a ufunc of a function of numbers: it is called with arrays, broadcasts, and has `reduce`, `accumulate`, `outer`,
    `at`."""

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
    "get_num_threads",
    "get_parallel_chunksize",
    "graph",
    "guvectorize",
    "is_leader",
    "jit",
    "jitclass",
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
