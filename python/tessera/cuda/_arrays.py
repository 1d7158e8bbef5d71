"""Arrays for kernels: tessera's own, with the methods that numba.cuda's have."""

from __future__ import annotations

from typing import Any

import numpy

from tessera import _core, types
from tessera.cuda._streams import in_one_piece, user_stream_of
from tessera.functions.records import DeviceRecords


class DeviceArray(_core.ndarray):
    """A tessera array, which moves to a device by itself where work runs there."""

    def copy_to_host(self, ary: Any = None, stream: Any = 0) -> Any:
        """The elements as a NumPy array, a new one or `ary`."""
        user_stream = user_stream_of(stream)
        if ary is None:
            if user_stream is None:
                return numpy.array(numpy.asarray(self))
            ary = numpy.empty(self.shape, self.dtype)
        if ary.shape != self.shape or ary.dtype != self.dtype:
            raise ValueError(f"copy_to_host: {self.shape} {self.dtype} into an array of {ary.shape} {ary.dtype}")
        if not (user_stream is not None and in_one_piece(ary) and user_stream.copy_out(self, ary)):
            ary[...] = numpy.asarray(self)
        return ary

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Stores the elements of `ary`."""
        user_stream = user_stream_of(stream)
        if numpy.shape(ary) != self.shape:
            raise ValueError(f"copy_to_device: {numpy.shape(ary)} into an array of {self.shape}")
        if user_stream is not None and in_one_piece(ary) and ary.dtype == self.dtype:
            if user_stream.copy_into(self, ary):
                return
        self[...] = ary

    def is_c_contiguous(self) -> bool:
        return bool(self.flags.c_contiguous)

    def is_f_contiguous(self) -> bool:
        return bool(self.flags.f_contiguous)


def to_device(obj: Any, stream: Any = 0, copy: bool = True, to: Any = None) -> Any:
    """A copy of the array for kernels, or in the array `to`."""
    user_stream = user_stream_of(stream)
    if to is not None:
        to.copy_to_device(obj, stream)
        return to
    if user_stream is not None and in_one_piece(obj):
        return user_stream.copy_in(obj.shape, obj.dtype, obj).view(DeviceArray)
    if getattr(getattr(obj, "dtype", None), "names", None):
        records = device_array(obj.shape, obj.dtype)
        records.copy_to_device(obj)
        return records
    from tessera import numpy as tessera_numpy

    return tessera_numpy.array(obj).view(DeviceArray)


def device_array(shape: Any, dtype: Any = numpy.float64, strides: Any = None, order: str = "C", stream: Any = 0) -> Any:
    """A new array whose elements are not set; of records, an array for each field."""
    user_stream_of(stream)
    if strides is not None:
        raise NotImplementedError("cuda.device_array: strides are not taken; give order='C' or 'F'")
    dtype = numpy.dtype(dtype.dtype if isinstance(dtype, types.Number) else dtype)
    if dtype.names:
        return DeviceRecords((shape,) if isinstance(shape, int) else tuple(shape), dtype, device_array)
    from tessera import numpy as tessera_numpy

    return tessera_numpy.empty(shape, dtype=dtype, order=order).view(DeviceArray)


def device_array_like(ary: Any, stream: Any = 0) -> Any:
    """A new array of the shape and dtype of another."""
    if getattr(ary.dtype, "names", None):
        return device_array(ary.shape, ary.dtype)
    order = "F" if ary.flags.f_contiguous and not ary.flags.c_contiguous else "C"
    return device_array(ary.shape, ary.dtype, order=order, stream=stream)


def synchronize() -> None:
    """Waits for all kernels that were launched."""
    _core.synchronize()


def is_available() -> bool:
    """True: kernels run on the GPU if there is one, else compiled on the cores."""
    return True
