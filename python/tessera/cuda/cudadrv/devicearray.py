"""Arrays of a device under the names that numba.cuda has for them."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.cuda._arrays import DeviceArray, to_device
from tessera.cuda._interface import as_cuda_array
from tessera.functions.records import DeviceRecords, is_structured

DeviceNDArray = DeviceNDArrayBase = DeviceArray
__all__ = [
    "DeviceNDArray",
    "DeviceNDArrayBase",
    "array_core",
    "auto_device",
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
    """Whether the elements of an array lie without gaps in some order of its axes, those that are repeated left out."""
    expected = ary.dtype.itemsize
    for step, extent in sorted(zip(ary.strides, ary.shape)):
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
    host = obj if is_structured(obj) else numpy.asarray(obj)
    return to_device(host, stream=stream, copy=copy), True
