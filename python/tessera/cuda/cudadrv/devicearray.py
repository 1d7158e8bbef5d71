"""Arrays of a device under the names that numba.cuda has for them."""

from __future__ import annotations

from typing import Any

import numpy

from tessera import types
from tessera.cuda._arrays import DeviceArray, device_array, device_array_like, to_device
from tessera.cuda._interface import as_cuda_array
from tessera.cuda._records import DeviceRecords
from tessera.functions.records import is_structured

DeviceNDArray = DeviceNDArrayBase = DeviceArray


class DeviceRecord(DeviceRecords):
    """One record for kernels, whose fields are not set."""

    def __init__(self, dtype: Any, stream: Any = 0, gpu_data: Any = None) -> None:
        if gpu_data is not None:
            raise NotImplementedError("DeviceRecord: a record has an array for each field; copy_to_device stores one")
        dtype = numpy.dtype(dtype)
        super().__init__((), dtype, DeviceRecords.make((), dtype, device_array).fields)

    @property
    def gpu_data(self) -> Any:
        """The memory of the first field, as an object with an address."""
        return _first_array(self).gpu_data

    @property
    def device_ctypes_pointer(self) -> Any:
        """The address of the first field."""
        return _first_array(self).device_ctypes_pointer

    @property
    def _numba_type_(self) -> Any:
        return types.from_dtype(self.dtype)


def _first_array(records: DeviceRecords) -> Any:
    first = next(iter(records.fields.values()))
    return _first_array(first) if isinstance(first, DeviceRecords) else first


def from_record_like(rec: Any, stream: Any = 0, gpu_data: Any = None) -> DeviceRecord:
    """A new record of the type of another."""
    return DeviceRecord(rec.dtype, stream=stream, gpu_data=gpu_data)


def from_array_like(ary: Any, stream: Any = 0, gpu_data: Any = None) -> Any:
    """A new array of the shape, dtype and layout of another."""
    if gpu_data is not None:
        raise NotImplementedError("from_array_like: cuda.from_cuda_array_interface makes arrays over memory")
    return device_array_like(ary, stream=stream)


__all__ = [
    "DeviceNDArray",
    "DeviceRecord",
    "DeviceNDArrayBase",
    "array_core",
    "auto_device",
    "from_array_like",
    "from_record_like",
    "is_contiguous",
    "is_cuda_ndarray",
    "require_cuda_ndarray",
    "verify_cuda_ndarray_interface",
]


def is_cuda_ndarray(obj: Any) -> bool:
    """Whether the object is an array for kernels."""
    return isinstance(obj, (DeviceArray, DeviceRecords))


def array_core(ary: Any) -> Any:
    """The array without the axes along which its elements are repeated."""
    if not ary.strides or not ary.size:
        return ary
    return ary[tuple(0 if step == 0 else slice(None) for step in ary.strides)]


def is_contiguous(ary: Any) -> bool:
    """Whether the elements of an array lie in C order without gaps, axes that are repeated or have one element left out."""
    expected = ary.dtype.itemsize
    for step, extent in reversed(list(zip(ary.strides, ary.shape))):
        if extent > 1 and step != 0:
            if step != expected:
                return False
            expected *= extent
    return True


def require_cuda_ndarray(obj: Any) -> None:
    """Raises ValueError for what is no array for kernels."""
    if not is_cuda_ndarray(obj):
        raise ValueError("require a cuda ndarray object: cuda.to_device makes one")


def verify_cuda_ndarray_interface(obj: Any) -> None:
    """Raises for what lacks the attributes of arrays for kernels."""
    require_cuda_ndarray(obj)
    for name, kind in (("shape", tuple), ("strides", tuple), ("dtype", numpy.dtype), ("size", int)):
        value = getattr(obj, name, None)
        if not isinstance(value, kind):
            raise AttributeError(f"{name} must be of type {kind.__name__}, not {type(value).__name__}")


def auto_device(obj: Any, stream: Any = 0, copy: bool = True, user_explicit: bool = False) -> tuple[Any, bool]:
    """The array for kernels of the object, and whether it is a new one."""
    if is_cuda_ndarray(obj):
        return obj, False
    if hasattr(obj, "__cuda_array_interface__"):
        return as_cuda_array(obj), False
    if isinstance(obj, numpy.void):
        record = from_record_like(obj, stream=stream)
        record.copy_to_device(obj, stream=stream)
        return record, True
    host = obj if is_structured(obj) else numpy.asarray(obj)
    return to_device(host, stream=stream, copy=copy), True
