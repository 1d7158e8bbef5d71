"""Memory of the device under PyCUDA's names: allocations, copies, fills, pinned memory."""

from __future__ import annotations

import bisect
import weakref
from typing import Any

import numpy

from tessera import _core
from tessera.cuda import _pinned, _streams
from tessera.pycuda import _errors

_copies: Any = None  # a stream for copies without one


class DeviceAllocation:
    """Bytes on the device, freed with the last reference; work that uses them goes on."""

    def __init__(self, array: Any) -> None:
        self._array = array  # of bytes
        self._address: int | None = None
        self._seen: Any = None

    @property
    def nbytes(self) -> int:
        return self._array.nbytes

    size = nbytes

    def __int__(self) -> int:
        if self._address is None:
            interface = getattr(self._array, "__cuda_array_interface__", None)
            if interface is None:  # on the cores: memory that other code sees stays where it is
                self._seen = numpy.asarray(self._array)
                interface = self._seen.__array_interface__
            self._address = interface["data"][0]
            _known.add(self)
        return self._address

    __index__ = __int__

    def __add__(self, offset: int) -> int:
        return int(self) + offset

    def as_buffer(self, size: int, offset: int = 0) -> Any:
        raise NotImplementedError("as_buffer: the host does not see the device's memory; memcpy_dtoh copies it")

    def free(self) -> None:
        """Gives the memory up."""
        _known.remove(self)
        self._array = _core.empty((0,), dtype=numpy.uint8)

    def _kernel_argument(self) -> Any:
        return _core.sources.Memory(self._array)


class _Known:
    """Allocations whose addresses have been told, so that copies find them."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._allocations: dict[int, weakref.ref[DeviceAllocation]] = {}

    def add(self, allocation: DeviceAllocation) -> None:
        start = allocation._address
        assert start is not None
        if start not in self._allocations:
            bisect.insort(self._starts, start)
        self._allocations[start] = weakref.ref(allocation)

    def remove(self, allocation: DeviceAllocation) -> None:
        start = allocation._address
        if start in self._allocations:
            del self._allocations[start]
            self._starts.remove(start)

    def find(self, address: int) -> tuple[Any, int]:
        place = bisect.bisect_right(self._starts, address) - 1
        known = self._allocations[self._starts[place]]() if place >= 0 else None
        if known is None or address - self._starts[place] >= known.nbytes:
            raise _errors.LogicError(f"the address {address:#x} is in no memory that mem_alloc gave")
        return known._array, address - self._starts[place]


_known = _Known()


def mem_alloc(nbytes: int) -> DeviceAllocation:
    """So many bytes."""
    if nbytes <= 0:
        raise _errors.LogicError(f"mem_alloc: {nbytes} bytes")
    with _errors.of_launches():
        return DeviceAllocation(_core.empty((int(nbytes),), dtype=numpy.uint8))


def mem_alloc_like(ary: Any) -> DeviceAllocation:
    """As many bytes as the array has."""
    return mem_alloc(ary.nbytes)


def mem_alloc_pitch(width: int, height: int, access_size: int) -> tuple[DeviceAllocation, int]:
    """Rows of `width` bytes, each beginning at a multiple of the returned pitch."""
    pitch = -(-width // 512) * 512
    return mem_alloc(pitch * height), pitch


def to_device(buffer: Any) -> DeviceAllocation:
    """A copy of an array's memory."""
    source = _bytes_of(buffer)
    made = mem_alloc(max(1, source.nbytes))
    memcpy_htod(made, buffer)
    return made


def from_device(devptr: Any, shape: Any, dtype: Any, order: str = "C") -> Any:
    """A NumPy array of the device's memory."""
    made = numpy.empty(shape, dtype, order)
    memcpy_dtoh(made, devptr)
    return made


def from_device_like(devptr: Any, other: Any) -> Any:
    made = numpy.empty_like(other)
    memcpy_dtoh(made, devptr)
    return made


def memcpy_htod(dest: Any, src: Any) -> None:
    """Host to device; `src` may change afterwards."""
    _copy_in(dest, src, _own_stream())


def memcpy_htod_async(dest: Any, src: Any, stream: Any = None) -> None:
    """The same on a stream: pinned memory stays as it is until that is done."""
    _copy_in(dest, src, _engine_stream(stream))


def memcpy_dtoh(dest: Any, src: Any) -> None:
    """Device to host, when the work so far is done."""
    _copy_out(dest, src, _own_stream())
    _core.kernels.check_launches()


def memcpy_dtoh_async(dest: Any, src: Any, stream: Any = None) -> None:
    """The same on a stream; into pinned memory it returns at once."""
    _copy_out(dest, src, _engine_stream(stream))


def memcpy_dtod(dest: Any, src: Any, size: int) -> None:
    """Between two places of the device."""
    with _errors.of_launches():
        to, from_ = _region(dest, size), _region(src, size)
        to[...] = from_


def memcpy_dtod_async(dest: Any, src: Any, size: int, stream: Any = None) -> None:
    memcpy_dtod(dest, src, size)


def memset_d8(dest: Any, data: int, count: int) -> None:
    """Fills bytes."""
    _fill(dest, data, count, "uint8")


def memset_d16(dest: Any, data: int, count: int) -> None:
    _fill(dest, data, count, "uint16")


def memset_d32(dest: Any, data: int, count: int) -> None:
    _fill(dest, data, count, "uint32")


def memset_d8_async(dest: Any, data: int, count: int, stream: Any = None) -> None:
    _fill(dest, data, count, "uint8")


def memset_d16_async(dest: Any, data: int, count: int, stream: Any = None) -> None:
    _fill(dest, data, count, "uint16")


def memset_d32_async(dest: Any, data: int, count: int, stream: Any = None) -> None:
    _fill(dest, data, count, "uint32")


def pagelocked_empty(shape: Any, dtype: Any, order: str = "C", mem_flags: int = 0) -> Any:
    """An array in pinned memory."""
    return _pinned.pinned_array(shape, dtype=dtype, order=order)


def pagelocked_zeros(shape: Any, dtype: Any, order: str = "C", mem_flags: int = 0) -> Any:
    made = pagelocked_empty(shape, dtype, order, mem_flags)
    made[...] = 0
    return made


def pagelocked_empty_like(array: Any, mem_flags: int = 0) -> Any:
    return pagelocked_empty(array.shape, array.dtype, _order(array), mem_flags)


def pagelocked_zeros_like(array: Any, mem_flags: int = 0) -> Any:
    return pagelocked_zeros(array.shape, array.dtype, _order(array), mem_flags)


def managed_empty(shape: Any, dtype: Any, order: str = "C", mem_flags: int = 0) -> Any:
    return _pinned.managed_array(shape, dtype=dtype, order=order)


def managed_zeros(shape: Any, dtype: Any, order: str = "C", mem_flags: int = 0) -> Any:
    made = managed_empty(shape, dtype, order, mem_flags)
    made[...] = 0
    return made


class RegisteredHostMemory:
    """A pinned array; `unregister()` ends it."""

    def __init__(self, array: Any) -> None:
        self._block = _pinned.pinned(array)
        self._block.__enter__()

    def unregister(self) -> None:
        if self._block is not None:
            self._block.__exit__(None, None, None)
            self._block = None

    def __del__(self) -> None:
        self.unregister()


class _Registered(numpy.ndarray):
    """A view of an array that is pinned as long as the view lives."""

    registration: RegisteredHostMemory


def register_host_memory(ary: Any, flags: int = 0) -> Any:
    """The array, pinned where it is until `.registration.unregister()` or the view's end."""
    view = ary.view(_Registered)
    view.registration = RegisteredHostMemory(ary)
    return view


def _order(array: Any) -> str:
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def _bytes_of(buffer: Any) -> Any:
    array = numpy.asarray(buffer) if not isinstance(buffer, numpy.ndarray) else buffer
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise _errors.LogicError("the array's elements do not follow one another in memory: copy it first")
    return array.ravel(order="K").view(numpy.uint8)


def _own_stream() -> Any:
    global _copies
    if _copies is None:
        _copies = _streams.stream()
    return _copies._user_stream


def _engine_stream(stream: Any) -> Any:
    if stream is None:
        return _own_stream()
    return _streams.user_stream_of(getattr(stream, "_stream", stream))


def _region(place: Any, nbytes: int) -> Any:
    """So many bytes of the device's memory as an array."""
    if isinstance(place, DeviceAllocation):
        array, offset = place._array, 0
    elif hasattr(place, "_bytes"):
        array, offset = place._bytes(), 0
    else:
        array, offset = _known.find(int(place))
    if offset + nbytes > array.nbytes:
        raise _errors.LogicError(f"{nbytes} bytes from byte {offset} on of memory that has {array.nbytes}")
    return array[offset : offset + nbytes] if offset or nbytes != array.nbytes else array


def _copy_in(dest: Any, src: Any, stream: Any) -> None:
    source = _bytes_of(src)
    with _errors.of_launches():
        region = _region(dest, source.nbytes)
        if stream is None or not stream.copy_into(region, source):
            region[...] = source


def _copy_out(dest: Any, src: Any, stream: Any) -> None:
    target = _bytes_of(dest)
    if not numpy.shares_memory(target, dest):
        raise _errors.LogicError("the array's elements do not follow one another in memory")
    with _errors.of_launches():
        region = _region(src, target.nbytes)
        if stream is None or not stream.copy_out(region, target):
            target[...] = numpy.asarray(region)


def _fill(dest: Any, value: int, count: int, dtype: str) -> None:
    with _errors.of_launches():
        region = _region(dest, count * numpy.dtype(dtype).itemsize)
        region.view(dtype)[...] = value
