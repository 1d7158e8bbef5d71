"""Streams, events, devices and functions of memory under the names of numba.cuda.cudadrv.driver."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy

from tessera import _core
from tessera.cuda._arrays import DeviceArray, has_gpu
from tessera.cuda._devices import Context, Device, current_context, gpus
from tessera.cuda._devices import MemoryInfo as MemoryInfo
from tessera.cuda._memory import MemoryPointer
from tessera.cuda._streams import Event, Stream
from tessera.cuda.cudadrv.runtime import get_version

__all__ = [
    "Context",
    "CudaAPIError",
    "Device",
    "Driver",
    "Event",
    "MemoryPointer",
    "Stream",
    "device_memory_size",
    "device_memset",
    "device_pointer",
    "device_to_device",
    "device_to_host",
    "driver",
    "host_memory_extents",
    "host_memory_size",
    "host_pointer",
    "host_to_device",
    "is_device_memory",
    "require_device_memory",
]

# What a driver's function says is the engine's message; there is no code of it.
CudaAPIError = RuntimeError


class Driver:
    """What programs ask of the driver itself."""

    @property
    def is_available(self) -> bool:
        """Whether there is a GPU."""
        return has_gpu()

    @property
    def initialization_error(self) -> str | None:
        """Why there is none, if the driver says so."""
        return _core.device_problem() or None

    def get_device_count(self) -> int:
        """How many devices there are: the cores are one where there is no GPU."""
        return len(gpus)

    def cuMemGetInfo(self) -> MemoryInfo:
        """Free and total bytes of the device's memory."""
        return current_context().get_memory_info()

    def get_version(self) -> tuple[int, int]:
        """The newest CUDA that the driver supports."""
        return get_version()


driver = Driver()


def is_device_memory(obj: Any) -> bool:
    """Whether the object is an array or memory of a device."""
    return isinstance(obj, (DeviceArray, MemoryPointer)) or hasattr(obj, "__cuda_memory__")


def require_device_memory(obj: Any) -> None:
    """Raises TypeError for what is no memory of a device."""
    if not is_device_memory(obj):
        raise TypeError("not a CUDA memory object: cuda.to_device makes arrays, context.memalloc memory")


def _bytes_of_device(obj: Any) -> Any:
    """The elements as an array of bytes that shares their memory."""
    require_device_memory(obj)
    memory = obj._bytes if isinstance(obj, MemoryPointer) else obj
    return memory.reshape(-1).view(numpy.uint8)


def _bytes_of_host(obj: Any, size: int) -> Any:
    return numpy.frombuffer((ctypes.c_char * size).from_address(host_pointer(obj)), numpy.uint8)


def host_pointer(obj: Any, readonly: bool = False) -> int:
    """The address of the memory of a NumPy array, a ctypes object, or a number that is one."""
    if isinstance(obj, int):
        return obj
    if isinstance(obj, (numpy.ndarray, numpy.generic)):
        return numpy.asarray(obj).ctypes.data
    return ctypes.addressof(obj)


def host_memory_extents(obj: Any) -> tuple[int, int]:
    """Where the memory of an array begins and ends."""
    return numpy.lib.array_utils.byte_bounds(obj)


def host_memory_size(obj: Any) -> int:
    """Bytes of an array or of a ctypes object."""
    if isinstance(obj, (numpy.ndarray, numpy.generic)):
        begin, end = host_memory_extents(numpy.asarray(obj))
        return end - begin
    return ctypes.sizeof(obj)


def device_pointer(obj: Any) -> int:
    """The address of an array's first element, or of memory."""
    return obj.handle if isinstance(obj, MemoryPointer) else obj.__cuda_array_interface__["data"][0]


def device_memory_size(obj: Any) -> int:
    """Bytes of an array or of memory."""
    require_device_memory(obj)
    return obj.size if isinstance(obj, MemoryPointer) else obj.nbytes


def host_to_device(dst: Any, src: Any, size: int, stream: Any = 0) -> None:
    """Copies bytes to a device."""
    _bytes_of_device(dst)[:size] = _bytes_of_host(src, size)


def device_to_host(dst: Any, src: Any, size: int, stream: Any = 0) -> None:
    """Copies bytes from a device."""
    _bytes_of_host(dst, size)[:] = numpy.asarray(_bytes_of_device(src)[:size])


def device_to_device(dst: Any, src: Any, size: int, stream: Any = 0) -> None:
    """Copies bytes on a device."""
    _bytes_of_device(dst)[:size] = _bytes_of_device(src)[:size]


def device_memset(dst: Any, val: int, size: int, stream: Any = 0) -> None:
    """Stores one value in bytes."""
    _bytes_of_device(dst)[:size] = val
