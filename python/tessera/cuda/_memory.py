"""Memory without a type: what numba.cuda's contexts allocate."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
from typing import Any

import numpy

from tessera.cuda._arrays import device_array


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


def _forget(references: list[int]) -> None:
    references[0] -= 1


def allocate(context: Any, size: int) -> MemoryPointer:
    """New memory of that many bytes."""
    memory = device_array(size, numpy.uint8)
    return MemoryPointer(context, memory.__cuda_array_interface__["data"][0], size, memory=memory)
