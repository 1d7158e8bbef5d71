"""Arrays for kernels: tessera's own, with the methods that numba.cuda's have."""

from __future__ import annotations

from typing import Any

import numpy

from tessera import _core, types


class DeviceArray(_core.ndarray):
    """A tessera array, which moves to a device by itself where work runs there."""

    def copy_to_host(self, ary: Any = None, stream: Any = 0) -> Any:
        """The elements as a NumPy array, a new one or `ary`."""
        _refuse_stream(stream)
        if ary is None:
            return numpy.array(numpy.asarray(self))
        if ary.shape != self.shape or ary.dtype != self.dtype:
            raise ValueError(f"copy_to_host: {self.shape} {self.dtype} into an array of {ary.shape} {ary.dtype}")
        ary[...] = numpy.asarray(self)
        return ary

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Stores the elements of `ary`."""
        _refuse_stream(stream)
        if numpy.shape(ary) != self.shape:
            raise ValueError(f"copy_to_device: {numpy.shape(ary)} into an array of {self.shape}")
        self[...] = ary

    def is_c_contiguous(self) -> bool:
        return bool(self.flags.c_contiguous)

    def is_f_contiguous(self) -> bool:
        return bool(self.flags.f_contiguous)


def _refuse_stream(stream: Any) -> None:
    if stream not in (0, None):
        raise NotImplementedError("cuda: streams are not there yet; leave the stream out, or pass 0")


def to_device(obj: Any, stream: Any = 0, copy: bool = True, to: Any = None) -> Any:
    """A copy of the array for kernels, or in the array `to`."""
    _refuse_stream(stream)
    if to is not None:
        to.copy_to_device(obj)
        return to
    from tessera import numpy as tessera_numpy

    return tessera_numpy.array(obj).view(DeviceArray)


def device_array(shape: Any, dtype: Any = numpy.float64, strides: Any = None, order: str = "C", stream: Any = 0) -> Any:
    """A new array whose elements are not set."""
    _refuse_stream(stream)
    if strides is not None:
        raise NotImplementedError("cuda.device_array: strides are not taken; give order='C' or 'F'")
    from tessera import numpy as tessera_numpy

    return tessera_numpy.empty(
        shape, dtype=dtype.dtype if isinstance(dtype, types.Number) else dtype, order=order
    ).view(DeviceArray)


def device_array_like(ary: Any, stream: Any = 0) -> Any:
    """A new array of the shape and dtype of another."""
    order = "F" if ary.flags.f_contiguous and not ary.flags.c_contiguous else "C"
    return device_array(ary.shape, ary.dtype, order=order, stream=stream)


def synchronize() -> None:
    """Waits for all kernels that were launched."""
    _core.synchronize()


def is_available() -> bool:
    """True: kernels run on the GPU if there is one, else compiled on the cores."""
    return True
