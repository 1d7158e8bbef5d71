"""GPUArray: tessera's array with PyCUDA's methods. Expressions on it are recorded and fused like all others."""

from __future__ import annotations

import builtins
from typing import Any

import numpy

from tessera import numpy as tn
from tessera.cuda._arrays import DeviceArray
from tessera.pycuda import _errors
from tessera.pycuda._memory import DeviceAllocation
from tessera.pycuda._vectors import vec

__all__ = [
    "GPUArray",
    "arange",
    "concatenate",
    "dot",
    "empty",
    "empty_like",
    "if_positive",
    "logical_and",
    "logical_not",
    "logical_or",
    "max",
    "maximum",
    "min",
    "minimum",
    "ones",
    "ones_like",
    "stack",
    "subset_dot",
    "subset_max",
    "subset_min",
    "subset_sum",
    "sum",
    "take",
    "to_gpu",
    "to_gpu_async",
    "transpose",
    "vec",
    "where",
    "zeros",
    "zeros_like",
]


_BLOCK = 256
_MOST_BLOCKS = 1024


class GPUArray(DeviceArray):
    """`get()` and `set()` copy; `gpudata` is the memory, `ptr` its address.

    `GPUArray(shape, dtype)` is a new array, with `gpudata` one over memory that there is: mem_alloc's or an address.
    """

    def __new__(
        cls,
        shape: Any,
        dtype: Any,
        allocator: Any = None,
        base: Any = None,
        gpudata: Any = None,
        strides: Any = None,
        order: str = "C",
    ) -> Any:
        dtype = numpy.dtype(dtype)
        if dtype.names:
            raise NotImplementedError(
                "GPUArray: arrays have no structures for elements; mem_alloc gives memory for them"
            )
        shape = tuple(shape) if hasattr(shape, "__len__") else (int(shape),)
        if gpudata is None:
            return empty(shape, dtype, order=order)
        memory = _memory_of(gpudata, int(numpy.prod(shape, dtype=numpy.int64)) * dtype.itemsize)
        made = memory.view(dtype)
        if strides is not None:
            return _of(tn.lib.stride_tricks.as_strided(made, shape, strides))
        return _of(made.reshape(shape) if order == "C" else made.reshape(shape[::-1]).T)

    def __getitem__(self, index: Any) -> Any:
        """An element is an array without axes, as in PyCUDA."""
        parts = index if isinstance(index, tuple) else (index,)
        if not any(part is Ellipsis for part in parts):
            index = (*parts, Ellipsis)
        return super().__getitem__(index)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {**super().__cuda_array_interface__, "strides": self.strides}

    def get(self, ary: Any = None, stream: Any = None) -> Any:
        """The elements as a NumPy array, a new one or `ary`."""
        return self.copy_to_host(ary, getattr(stream, "_stream", stream))

    def get_async(self, stream: Any = None, ary: Any = None) -> Any:
        return self.get(ary, stream)

    def set(self, ary: Any, stream: Any = None) -> None:
        """Stores the elements of a NumPy array of this shape and dtype."""
        if ary.shape != self.shape or ary.dtype != self.dtype:
            raise _errors.LogicError(f"set: {ary.shape} {ary.dtype} into an array of {self.shape} {self.dtype}")
        self.copy_to_device(ary, getattr(stream, "_stream", stream) or 0)

    set_async = set

    @property
    def gpudata(self) -> DeviceAllocation:
        """The array's memory."""
        if not self.flags.c_contiguous:
            raise _errors.LogicError("gpudata: the array's elements do not follow one another in memory")
        return DeviceAllocation(self.reshape(-1).view(numpy.uint8))

    @property
    def ptr(self) -> int:
        return int(self.gpudata)

    @property
    def mem_size(self) -> int:
        return self.size

    @property
    def _block(self) -> tuple[int, int, int]:
        return _BLOCK, 1, 1

    @property
    def _grid(self) -> tuple[int, int]:
        """Blocks for kernels that go through the elements by steps of the grid."""
        return builtins.min(builtins.max(1, -(-self.size // _BLOCK)), _MOST_BLOCKS), 1

    def bind_to_texref_ext(self, texref: Any, channels: int = 1, **_: Any) -> None:
        """Names this array's number for a kernel of get_linear_combination_kernel."""
        if not hasattr(texref, "bind"):
            raise NotImplementedError("there are no textures here: read the array through a pointer")
        texref.bind(self)

    def fill(self, value: Any, stream: Any = None) -> GPUArray:
        self[...] = value
        return self

    def mul_add(self, selffac: Any, other: Any, otherfac: Any, out: Any = None, stream: Any = None) -> Any:
        """selffac * self + otherfac * other."""
        return _store(selffac * self + otherfac * other, out)

    def copy(self, order: str = "K") -> Any:
        """A new array with the same layout."""
        return super().copy(order)

    def transpose(self, *given: Any, axes: Any = None) -> Any:
        return super().transpose(*(given if axes is None else (axes,)))

    def reverse(self, stream: Any = None) -> Any:
        """The elements from the last to the first."""
        return self[::-1].copy()


def _memory_of(gpudata: Any, nbytes: int) -> Any:
    if isinstance(gpudata, DeviceAllocation):
        return gpudata._array[:nbytes]
    from tessera.cuda import from_cuda_array_interface

    interface = {"shape": (nbytes,), "typestr": "|u1", "data": (int(gpudata), False), "version": 3}
    return from_cuda_array_interface(interface, owner=gpudata)


def _store(value: Any, out: Any) -> Any:
    if out is None:
        return _of(value)
    out[...] = value
    return out


def _of(array: Any) -> Any:
    return array.view(GPUArray)


def to_gpu(ary: Any, allocator: Any = None) -> Any:
    """A copy of a NumPy array on the device.

    >>> import numpy
    >>> from tessera.pycuda import gpuarray
    >>> (gpuarray.to_gpu(numpy.arange(3.0)) * 2).get()
    array([0., 2., 4.])
    """
    return _of(tn.array(ary))


def to_gpu_async(ary: Any, allocator: Any = None, stream: Any = None) -> Any:
    return to_gpu(ary)


def empty(shape: Any, dtype: Any = numpy.float64, allocator: Any = None, order: str = "C") -> Any:
    return _of(tn.empty(shape, dtype=dtype, order=order))


def zeros(shape: Any, dtype: Any = numpy.float64, allocator: Any = None, order: str = "C") -> Any:
    return _of(tn.zeros(shape, dtype=dtype, order=order))


def ones(shape: Any, dtype: Any = numpy.float64, allocator: Any = None, order: str = "C") -> Any:
    return _of(tn.ones(shape, dtype=dtype, order=order))


def empty_like(other: Any, dtype: Any = None, order: str = "K") -> Any:
    return _of(tn.empty_like(other, dtype=dtype, order=order))


def zeros_like(other: Any, dtype: Any = None, order: str = "K") -> Any:
    return _of(tn.zeros_like(other, dtype=dtype, order=order))


def ones_like(other: Any, dtype: Any = None, order: str = "K") -> Any:
    return _of(tn.ones_like(other, dtype=dtype, order=order))


def arange(*args: Any, dtype: Any = None, **_: Any) -> Any:
    return _of(tn.arange(*args, dtype=dtype))


def take(a: Any, indices: Any, out: Any = None, stream: Any = None) -> Any:
    return _of(tn.take(a, indices)) if out is None else tn.take(a, indices, out=out)


def concatenate(arrays: Any, axis: int = 0, allocator: Any = None) -> Any:
    return _of(tn.concatenate(arrays, axis=axis))


def if_positive(criterion: Any, then_: Any, else_: Any, out: Any = None, stream: Any = None) -> Any:
    """`then_` where the criterion is above 0, else `else_`; stored in `out` if one is given."""
    return _store(tn.where(criterion > 0, then_, else_), out)


def where(criterion: Any, then_: Any, else_: Any, out: Any = None, stream: Any = None) -> Any:
    """`then_` where the criterion is not 0, else `else_`."""
    return _store(tn.where(criterion, then_, else_), out)


def stack(arrays: Any, axis: int = 0, allocator: Any = None) -> Any:
    return _of(tn.stack(arrays, axis=axis))


def transpose(a: Any, axes: Any = None, stream: Any = None) -> Any:
    return _of(tn.transpose(a, axes))


def logical_and(x1: Any, x2: Any, out: Any = None, allocator: Any = None) -> Any:
    return _store(tn.logical_and(x1, x2), out)


def logical_or(x1: Any, x2: Any, out: Any = None, allocator: Any = None) -> Any:
    return _store(tn.logical_or(x1, x2), out)


def logical_not(x: Any, out: Any = None, allocator: Any = None) -> Any:
    return _store(tn.logical_not(x), out)


def maximum(a: Any, b: Any, out: Any = None, stream: Any = None) -> Any:
    return _of(tn.maximum(a, b)) if out is None else tn.maximum(a, b, out=out)


def minimum(a: Any, b: Any, out: Any = None, stream: Any = None) -> Any:
    return _of(tn.minimum(a, b)) if out is None else tn.minimum(a, b, out=out)


def sum(a: Any, dtype: Any = None, stream: Any = None, allocator: Any = None) -> Any:
    """The sum, an array without axes, in the dtype of the elements unless one is given."""
    return _of(tn.asarray(tn.sum(a, dtype=a.dtype if dtype is None else dtype)))


def dot(a: Any, b: Any, dtype: Any = None, stream: Any = None, allocator: Any = None) -> Any:
    """The sum of products of all elements."""
    return sum(a * b, dtype)


def max(a: Any, stream: Any = None, allocator: Any = None) -> Any:
    return _of(tn.asarray(tn.max(a)))


def min(a: Any, stream: Any = None, allocator: Any = None) -> Any:
    return _of(tn.asarray(tn.min(a)))


def subset_sum(subset: Any, a: Any, dtype: Any = None, stream: Any = None, allocator: Any = None) -> Any:
    """The sum of the elements at these places."""
    return sum(tn.take(a, subset), dtype)


def subset_dot(subset: Any, a: Any, b: Any, dtype: Any = None, stream: Any = None, allocator: Any = None) -> Any:
    return sum(tn.take(a, subset) * tn.take(b, subset), dtype)


def subset_max(subset: Any, a: Any, stream: Any = None, allocator: Any = None) -> Any:
    return max(tn.take(a, subset))


def subset_min(subset: Any, a: Any, stream: Any = None, allocator: Any = None) -> Any:
    return min(tn.take(a, subset))
