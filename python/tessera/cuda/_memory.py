"""Memory without a type: what numba.cuda's contexts allocate."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
from typing import Any

import numpy

from tessera import _core


class MemoryPointer:
    """Memory of a device; views of it share it. `finalizer` is called once nothing refers to it any more."""

    __cuda_memory__ = True

    def __init__(
        self,
        context: Any,
        pointer: Any,
        size: int,
        owner: Any = None,
        finalizer: Callable[[], None] | None = None,
        memory: Any = None,
    ) -> None:
        self.context = context
        self.size = size
        self._bytes = memory
        self._owner = owner
        self._address = int(getattr(pointer, "value", pointer) or 0)
        self._references = [0] if owner is None else owner._references
        self._references[0] += 1
        weakref.finalize(self, _forget, self._references)
        if finalizer is not None:
            weakref.finalize(self, finalizer)

    @property
    def handle(self) -> int:
        """The address."""
        return self._address

    @property
    def owner(self) -> Any:
        """The memory of which this is a part."""
        return self if self._owner is None else self._owner

    @property
    def refct(self) -> int:
        """How many objects refer to the memory."""
        return self._references[0]

    @property
    def device_pointer(self) -> int:
        return self._address

    @property
    def device_ctypes_pointer(self) -> ctypes.c_size_t:
        return ctypes.c_size_t(self._address)

    def __int__(self) -> int:
        return self._address

    def own(self) -> MemoryPointer:
        """The same memory, which lives as long as either."""
        return self.view(0)

    def view(self, start: int, stop: int | None = None) -> MemoryPointer:
        """The bytes from start, to stop or to the end."""
        end = self.size if stop is None else min(stop, self.size)
        if not 0 <= start <= end:
            raise RuntimeError(f"MemoryPointer.view: bytes {start} to {end} of {self.size}")
        part = None if self._bytes is None else self._bytes[start:end]
        return MemoryPointer(self.context, self._address + start, end - start, self.owner, memory=part)


def memory_of(array: Any, context: Any = None) -> MemoryPointer:
    """The memory of an array of a device; without a type it is that of its elements in a row."""
    address = array.__cuda_array_interface__["data"][0]
    in_row = array.flags.c_contiguous
    return MemoryPointer(context, address, array.nbytes, memory=array.reshape(-1).view(numpy.uint8) if in_row else None)


def _forget(references: list[int]) -> None:
    references[0] -= 1


class HostMemory(numpy.ndarray):
    """Memory of the host that a device reaches, too, as a NumPy array; the address is the same on both."""

    __cuda_memory__ = True
    _stream: Any = None

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The CUDA array interface, for other libraries' kernels: whoever reads on the host synchronises first."""
        described = dict(self.__array_interface__)
        return {
            "shape": self.shape,
            "typestr": described["typestr"],
            "descr": described["descr"],
            "data": (described["data"][0] if self.size else 0, described["data"][1]),
            "strides": None if self.flags.c_contiguous else self.strides,
            "stream": getattr(self._stream, "handle", None) or None,
            "version": 3,
        }

    @property
    def handle(self) -> int:
        """The address."""
        return int(self.__array_interface__["data"][0])

    device_pointer = host_pointer = handle

    @property
    def device_ctypes_pointer(self) -> ctypes.c_size_t:
        """The address of the first element."""
        return ctypes.c_size_t(self.handle)


def with_stream(array: Any, stream: Any) -> HostMemory:
    """The array as memory of host and device, with the stream that its interface names."""
    memory = array.view(HostMemory)
    memory._stream = stream
    return memory


class _Pinned:
    """What NumPy's arrays over pinned memory keep."""

    def __init__(self, memory: Any, nbytes: int) -> None:
        self._memory = memory
        self.__array_interface__ = {
            "data": (memory.address, False),
            "shape": (nbytes,),
            "typestr": "|u1",
            "version": 3,
        }


def allocate_on_host(nbytes: int) -> Any:
    """New bytes of pinned memory as a NumPy array, of plain memory where there is no device."""
    memory = _core.kernels.allocate_pinned(nbytes) if nbytes else None
    return numpy.empty(nbytes, numpy.uint8) if memory is None else numpy.asarray(_Pinned(memory, nbytes))


def pin(owner: Any, pointer: int, nbytes: int) -> HostMemory:
    """The bytes at an address, pinned as long as the result lives, which keeps the owner."""
    held = (ctypes.c_char * nbytes).from_address(pointer)
    held._owner = owner  # type: ignore[attr-defined]
    memory = numpy.frombuffer(held, numpy.uint8).view(HostMemory)
    if nbytes and _core.kernels.pin(pointer, nbytes):
        weakref.finalize(held, _core.kernels.unpin, pointer)
    return memory
