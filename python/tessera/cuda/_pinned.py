"""Memory of the host from which a device copies without staging, so that streams do it beside other work."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy

from tessera import _core, types
from tessera.cuda import _layout, _memory


def pinned_array(shape: Any, dtype: Any = numpy.float64, strides: Any = None, order: str = "C") -> Any:
    """A NumPy array in pinned memory, whose elements are not set.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> cuda.pinned_array((2, 3), numpy.float32).shape
    (2, 3)
    """
    dtype = numpy.dtype(dtype.dtype if isinstance(dtype, types.Scalar) else dtype)
    if strides is not None:
        shape, strides = _layout.shape_and_strides(shape, strides, "cuda.pinned_array")
        nbytes = _layout.extent_in_bytes(shape, strides, dtype.itemsize)
        return numpy.ndarray(shape, dtype, _memory.allocate_on_host(nbytes), 0, strides)
    plain = numpy.empty(shape, dtype, order)
    if not plain.nbytes:
        return plain
    return _memory.allocate_on_host(plain.nbytes).view(dtype).reshape(plain.shape, order=order)


def pinned_array_like(ary: Any) -> Any:
    """A NumPy array in pinned memory of the shape, dtype and layout of another.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> cuda.pinned_array_like(numpy.ones((2, 3))).dtype
    dtype('float64')
    """
    return pinned_array(ary.shape, ary.dtype, **_layout.like(ary))


def mapped_array(
    shape: Any,
    dtype: Any = numpy.float64,
    strides: Any = None,
    order: str = "C",
    stream: Any = 0,
    portable: bool = False,
    wc: bool = False,
) -> Any:
    """As pinned_array: launches copy the elements to the device, and back if the kernel writes them; other libraries' kernels
    reach the memory by `__cuda_array_interface__`. Memory of every device is portable; `wc` changes nothing but speed.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> cuda.mapped_array(3).shape
    (3,)
    """
    return _memory.with_stream(pinned_array(shape, dtype, strides, order), stream)


def mapped_array_like(ary: Any, stream: Any = 0, portable: bool = False, wc: bool = False) -> Any:
    """As pinned_array_like, with what mapped_array has.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> cuda.mapped_array_like(numpy.ones(3)).shape
    (3,)
    """
    return _memory.with_stream(pinned_array_like(ary), stream)


def managed_array(
    shape: Any,
    dtype: Any = numpy.float64,
    strides: Any = None,
    order: str = "C",
    stream: Any = 0,
    attach_global: bool = True,
) -> Any:
    """As mapped_array: memory that host and device reach.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> cuda.managed_array(3).shape
    (3,)
    """
    return mapped_array(shape, dtype, strides, order, stream)


@contextlib.contextmanager
def pinned(*arylist: Any) -> Iterator[None]:
    """Pins the memory of NumPy arrays for the block; waits for all streams at its end.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> x = numpy.ones(3)
    >>> with cuda.pinned(x):
    ...     d = cuda.to_device(x)
    """
    for array in arylist:
        if not array.flags.forc:
            raise ValueError("cuda.pinned: the memory of an array is not in one piece; pin a copy")
    with contextlib.ExitStack() as stack:
        for array in {id(array): array for array in arylist}.values():
            address = array.__array_interface__["data"][0]
            if array.nbytes and _core.kernels.pin(address, array.nbytes):
                stack.callback(_core.kernels.unpin, address)
        yield
