"""PyCUDA's tools: pools, which all memory comes from here, types, occupancy."""

from __future__ import annotations

from typing import Any

from tessera import _core
from tessera.pycuda import _memory, driver
from tessera.pycuda._occupancy import DeviceData, OccupancyRecord
from tessera.pycuda._types import ScalarArg, VectorArg, dtype_to_ctype, get_or_register_dtype, register_dtype

__all__ = [
    "DeviceData",
    "DeviceMemoryPool",
    "OccupancyRecord",
    "PageLockedMemoryPool",
    "ScalarArg",
    "VectorArg",
    "bitlog2",
    "clear_context_caches",
    "context_dependent_memoize",
    "dtype_to_ctype",
    "get_default_device",
    "get_or_register_dtype",
    "make_default_context",
    "register_dtype",
]


class DeviceMemoryPool:
    """All memory is pooled; `allocate` is mem_alloc."""

    def allocate(self, size: int) -> Any:
        return _memory.mem_alloc(size)

    __call__ = allocate

    def free_held(self) -> None:
        """Gives what nobody uses back to the device."""
        _core.trim_memory()

    stop_holding = free_held


class PageLockedMemoryPool:
    """Pinned arrays."""

    def allocate(self, shape: Any, dtype: Any, order: str = "C") -> Any:
        return _memory.pagelocked_empty(shape, dtype, order)

    def free_held(self) -> None:
        """Nothing is held."""

    stop_holding = free_held


def make_default_context(ctx_maker: Any = None) -> Any:
    device = driver.Device(0)
    return device.make_context() if ctx_maker is None else ctx_maker(device)


def get_default_device(default: int = 0) -> Any:
    return driver.Device(default)


def clear_context_caches() -> None:
    _core.trim_memory()


def bitlog2(n: int) -> int:
    """The place of the highest bit."""
    return n.bit_length() - 1


def context_dependent_memoize(function: Any) -> Any:
    import functools

    return functools.cache(function)
