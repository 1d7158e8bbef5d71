"""cuda.reduce: a function of two numbers joins the elements of an array."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.cuda._arrays import DeviceArray, device_array, to_device
from tessera.cuda._intrinsics import blockDim, blockIdx, gridDim, shared, syncthreads, threadIdx  # noqa: F401
from tessera.cuda._jit import jit

_THREADS = 128
_MOST_BLOCKS = 256

_SOURCE = """
def join(source, partial):
    kept = shared.array({threads}, dtype)
    thread = threadIdx.x
    first = blockIdx.x * blockDim.x + thread
    step = gridDim.x * blockDim.x
    count = source.shape[0]
    if first < count:
        value = source[first]
        at = first + step
        while at < count:
            value = function(value, source[at])
            at += step
        kept[thread] = value
    syncthreads()
    alive = count - blockIdx.x * blockDim.x
    if alive > blockDim.x:
        alive = blockDim.x
    width = {threads} // 2
    while width > 0:
        if thread < width and thread + width < alive:
            kept[thread] = function(kept[thread], kept[thread + width])
        syncthreads()
        width //= 2
    if thread == 0:
        partial[blockIdx.x] = kept[0]
"""


class Reduce:
    """A reduction by a function of two numbers, which is associative and commutative: `total = cuda.reduce(lambda a, b: a + b)` does not
    have the text of its function; write it with `def`.

    `total(array, size=None, res=None, init=0, stream=0)` joins the first `size` elements and `init`; the result is a number, or stored
    in `res[0]`. The order of joining depends on the size alone.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> largest = cuda.Reduce(lambda x, y: max(x, y))
    >>> float(largest(numpy.array([3.0, 5.0, 1.0])))
    5.0
    """

    def __init__(self, functor: Any) -> None:
        self._function = functor if hasattr(functor, "_kernel_function") else jit(device=True)(functor)
        self._kernels: dict[numpy.dtype[Any], Any] = {}

    def _kernel(self, dtype: numpy.dtype[Any]) -> Any:
        if dtype not in self._kernels:
            source = _SOURCE.format(threads=_THREADS)
            names = {**globals(), "function": self._function, "dtype": dtype.type}
            exec(source, names)
            self._kernels[dtype] = jit(source=source)(names["join"])
        return self._kernels[dtype]

    def __call__(self, arr: Any, size: int | None = None, res: Any = None, init: Any = 0, stream: Any = 0) -> Any:
        if arr.ndim != 1:
            raise TypeError(f"reduce: an array of {arr.ndim} axes; only arrays of one axis are reduced")
        count = arr.shape[0] if size is None else int(size)
        if not 0 <= count <= arr.shape[0]:
            raise ValueError(f"reduce: size is {size} for an array of {arr.shape[0]} elements")
        if res is not None and res.dtype != arr.dtype:
            raise TypeError(f"reduce: res has elements of {res.dtype}, the array of {arr.dtype}")
        value = numpy.asarray(init, arr.dtype)[()]
        if count:
            joined = self._join(arr[:count], stream)
            value = self._function.py_func(value, joined) if init is not None else joined
            value = numpy.asarray(value).astype(arr.dtype)[()]
        if res is None:
            return value
        res[0] = value
        return None

    def _join(self, array: Any, stream: Any) -> Any:
        kernel = self._kernel(numpy.dtype(array.dtype))
        source = array if isinstance(array, DeviceArray) else to_device(numpy.asarray(array), stream)
        while source.shape[0] > 1:
            blocks = min(_MOST_BLOCKS, -(-source.shape[0] // _THREADS))
            partial = device_array(blocks, source.dtype, stream=stream)
            kernel[blocks, _THREADS, stream](source, partial)
            source = partial
        return source.copy_to_host(stream=stream)[0]


def reduce(functor: Any) -> Reduce:
    """A reduction by a function of two numbers; see Reduce.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> total = cuda.reduce(lambda x, y: x + y)
    >>> float(total(numpy.arange(5.0)))
    10.0
    """
    return Reduce(functor)
