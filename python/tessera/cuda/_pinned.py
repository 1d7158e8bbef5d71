"""Memory of the host from which a device copies without staging, so that streams do it beside other work."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy

from tessera import _core, types


class _Memory:
    """What NumPy's arrays over pinned memory keep."""

    def __init__(self, memory: Any, nbytes: int) -> None:
        self._memory = memory
        self.__array_interface__ = {
            "data": (memory.address, False),
            "shape": (nbytes,),
            "typestr": "|u1",
            "version": 3,
        }


def pinned_array(shape: Any, dtype: Any = numpy.float64, strides: Any = None, order: str = "C") -> Any:
    """A NumPy array in pinned memory, whose elements are not set."""
    if strides is not None:
        raise NotImplementedError("cuda.pinned_array: strides are not taken; give order='C' or 'F'")
    dtype = numpy.dtype(dtype.dtype if isinstance(dtype, types.Number) else dtype)
    plain = numpy.empty(shape, dtype, order)
    memory = _core.kernels.allocate_pinned(plain.nbytes) if plain.nbytes else None
    if memory is None:
        return plain
    return numpy.asarray(_Memory(memory, plain.nbytes)).view(dtype).reshape(plain.shape, order=order)


def pinned_array_like(ary: Any) -> Any:
    """A NumPy array in pinned memory of the shape and dtype of another."""
    order = "F" if ary.flags.f_contiguous and not ary.flags.c_contiguous else "C"
    return pinned_array(ary.shape, ary.dtype, order=order)


def mapped_array(
    shape: Any,
    dtype: Any = numpy.float64,
    strides: Any = None,
    order: str = "C",
    stream: Any = 0,
    portable: bool = False,
    wc: bool = False,
) -> Any:
    """As pinned_array: launches copy the elements to the device, and back if the kernel writes them."""
    return pinned_array(shape, dtype, strides, order)


def mapped_array_like(ary: Any, stream: Any = 0, portable: bool = False, wc: bool = False) -> Any:
    """As pinned_array_like."""
    return pinned_array_like(ary)


def managed_array(
    shape: Any,
    dtype: Any = numpy.float64,
    strides: Any = None,
    order: str = "C",
    stream: Any = 0,
    attach_global: bool = True,
) -> Any:
    """As pinned_array: launches copy the elements to the device, and back if the kernel writes them."""
    return pinned_array(shape, dtype, strides, order)


@contextlib.contextmanager
def pinned(*arylist: Any) -> Iterator[None]:
    """Pins the memory of NumPy arrays for the block; waits for all streams at its end."""
    for array in arylist:
        if not array.flags.forc:
            raise ValueError("cuda.pinned: the memory of an array is not in one piece; pin a copy")
    with contextlib.ExitStack() as stack:
        for array in {id(array): array for array in arylist}.values():
            address = array.__array_interface__["data"][0]
            if array.nbytes and _core.kernels.pin(address, array.nbytes):
                stack.callback(_core.kernels.unpin, address)
        yield
