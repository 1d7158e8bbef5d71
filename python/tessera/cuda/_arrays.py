"""Arrays for kernels: tessera's own, with the methods that numba.cuda's have."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from typing import Any

import numpy

from tessera import _core, _devices, types
from tessera.cuda import _layout, _options
from tessera.cuda._records import DeviceRecords
from tessera.cuda._streams import in_one_piece, user_stream_of

# Copies to the host of so many bytes go straight to where they are asked for.
_MANY_BYTES = 1 << 18

# Where numba.cuda finds the types of dtypes: numba-cuda, and Numba before it.
_NUMBA_TYPES = ("numba.cuda.np.numpy_support", "numba.np.numpy_support")


class DeviceArray(_core.ndarray):
    """A tessera array, which moves to a device by itself where work runs there.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> isinstance(cuda.to_device(numpy.ones(3)), cuda.DeviceArray)
    True
    """

    def __new__(
        cls, shape: Any, strides: Any = None, dtype: Any = numpy.float64, stream: Any = 0, gpu_data: Any = None
    ) -> DeviceArray:
        """A new array whose elements are not set."""
        if gpu_data is not None:
            raise NotImplementedError("DeviceNDArray: cuda.from_cuda_array_interface makes arrays over memory")
        return device_array(shape, dtype, strides, stream=stream)

    def copy_to_host(self, ary: Any = None, stream: Any = 0) -> Any:
        """The elements as a NumPy array, a new one or `ary`."""
        user_stream = user_stream_of(stream)
        if ary is None:
            if user_stream is None and not (self.flags.c_contiguous and self.nbytes >= _MANY_BYTES):
                return numpy.array(numpy.asarray(self))
            ary = numpy.empty(self.shape, self.dtype)
        if ary.shape != self.shape or ary.dtype != self.dtype:
            raise ValueError(f"copy_to_host: {self.shape} {self.dtype} into an array of {ary.shape} {ary.dtype}")
        copies = _core.kernels if user_stream is None else user_stream
        if not (in_one_piece(ary) and copies.copy_out(self, ary)):
            ary[...] = numpy.asarray(self)
        return ary

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Stores the elements of `ary`."""
        user_stream = user_stream_of(stream)
        if numpy.shape(ary) != self.shape:
            raise ValueError(f"copy_to_device: {numpy.shape(ary)} into an array of {self.shape}")
        copies = _core.kernels if user_stream is None else user_stream
        target, source = self, ary
        if self.flags.f_contiguous and isinstance(ary, numpy.ndarray):  # the axes in the order of memory
            target, source = self.T, ary.T
        if user_stream is None and isinstance(ary, numpy.ndarray) and target.flags.c_contiguous:
            source = numpy.ascontiguousarray(source, self.dtype)
        if in_one_piece(source) and source.dtype == self.dtype and self.flags.writeable:
            if copies.copy_into(target, source):
                return
        self[...] = ary

    def setitem(self, key: Any, value: Any, stream: Any = 0) -> None:
        """`self[key] = value`, in the order of the stream's work."""
        user_stream_of(stream)
        self[key] = value

    @property
    def stream(self) -> Any:
        """The stream with which the array was made; 0 is the default one."""
        return self.__dict__.get("_stream", 0)

    def bind(self, stream: Any = 0) -> DeviceArray:
        """The same elements as an array of another stream."""
        return _with_stream(self[...], stream)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The CUDA array interface; elements that are on the host are copied to the GPU. Without a GPU the addresses are the host's, where the cores run kernels."""
        try:
            described = super().__cuda_array_interface__
        except AttributeError:
            if not has_gpu():
                described = self._describe_on_host()
            elif _core.device() == "auto":  # the placement has kept it on the host
                with _devices.device("gpu"):
                    described = super().__cuda_array_interface__
            else:
                raise
        handle = getattr(self.stream, "handle", 0)
        return described | {"stream": handle} if handle else described

    def _describe_on_host(self) -> dict[str, Any]:
        # Who has the address does not say when it is done: the memory stays where it is as long as this array.
        exported = self.__dict__.setdefault("_exported", numpy.asarray(self))
        described = dict(exported.__array_interface__)
        address, read_only = described["data"]
        strides = None if exported.flags.c_contiguous else exported.strides
        return {
            "shape": exported.shape,
            "typestr": described["typestr"],
            "descr": described["descr"],
            "data": (address if exported.size else 0, read_only),
            "strides": strides,
            "stream": None,
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        """DLPack's device: the GPU, to which elements that are on the host are copied, where work runs there."""
        self._bring_to_gpu()
        return super().__dlpack_device__()

    def __dlpack__(self, **wanted: Any) -> Any:
        """DLPack's capsule, of memory of that device."""
        if wanted.get("dl_device") is None:
            self._bring_to_gpu()
        return super().__dlpack__(**wanted)

    def _bring_to_gpu(self) -> None:
        if has_gpu() and self.size:
            with contextlib.suppress(AttributeError):  # work runs on the cores, or the type has no interface
                _ = self.__cuda_array_interface__

    @property
    def device_ctypes_pointer(self) -> ctypes.c_size_t:
        """The address of the first element, when the work that makes it is done.

        Who takes the address alone, as the launches of Numba's kernels do, waits for no stream.
        """
        address = self.__cuda_array_interface__["data"][0]
        _core.synchronize()
        return ctypes.c_size_t(address)

    @property
    def gpu_data(self) -> Any:
        """The memory, as an object with an address."""
        from tessera.cuda import _memory

        return _memory.memory_of(self)

    @property
    def _numba_type_(self) -> Any:
        """The array's type, Numba's own where that is imported: its kernels take the array by it."""
        layout = "C" if self.flags.c_contiguous else "F" if self.flags.f_contiguous else "A"
        for name in _NUMBA_TYPES:
            numba = sys.modules.get(name)
            if hasattr(numba, "types") and hasattr(numba, "from_dtype"):
                return numba.types.Array(numba.from_dtype(self.dtype), self.ndim, layout)
        return types.Array(types.from_dtype(self.dtype), self.ndim, layout)

    @property
    def alloc_size(self) -> int:
        """Bytes from the first element to the end of the last."""
        if self.size == 0:
            return 0
        return self.itemsize + sum((extent - 1) * abs(step) for extent, step in zip(self.shape, self.strides))

    def split(self, section: int, stream: Any = 0) -> Any:
        """Parts of `section` elements of an array of one axis, the last of them what remains."""
        if self.ndim != 1:
            raise ValueError(f"split: an array of {self.ndim} axes; only arrays of one axis are split")
        if stream:
            user_stream_of(stream)
        for first in range(0, self.size, section):
            yield self[first : first + section]

    def is_c_contiguous(self) -> bool:
        return bool(self.flags.c_contiguous)

    def is_f_contiguous(self) -> bool:
        return bool(self.flags.f_contiguous)


def has_gpu() -> bool:
    """Whether there is a GPU, on which addresses of the host would mean nothing to other libraries."""
    return any("problem" not in facts for facts in _core.devices())


def _with_stream(array: DeviceArray, stream: Any) -> DeviceArray:
    if stream:
        array.__dict__["_stream"] = stream
    return array


def to_device(obj: Any, stream: Any = 0, copy: bool = True, to: Any = None) -> Any:
    """A copy of the array for kernels, or in the array `to`.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> d = cuda.to_device(numpy.arange(3.0))
    >>> d.copy_to_host()
    array([0., 1., 2.])
    """
    user_stream = user_stream_of(stream)
    if to is not None:
        to.copy_to_device(obj, stream)
        return to
    if user_stream is not None and in_one_piece(obj):
        return _with_stream(user_stream.copy_in(obj.shape, obj.dtype, obj).view(DeviceArray), stream)
    if getattr(getattr(obj, "dtype", None), "names", None):
        records = device_array(obj.shape, obj.dtype)
        records.copy_to_device(obj, stream)
        return records
    if in_one_piece(obj) and (there := _core.kernels.copy_in(obj.shape, obj.dtype, obj)) is not None:
        return _with_stream(there.view(DeviceArray), stream)
    from tessera import numpy as tessera_numpy

    array = tessera_numpy.array(obj).view(DeviceArray)
    if not _core.kernels.runs_on_host():
        _devices.to_device(array)
    return _with_stream(array, stream)


def device_array(shape: Any, dtype: Any = numpy.float64, strides: Any = None, order: str = "C", stream: Any = 0) -> Any:
    """A new array whose elements are not set; of records, an array for each field.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> cuda.device_array((2, 3), numpy.float32).shape
    (2, 3)
    """
    user_stream_of(stream)
    dtype = numpy.dtype(dtype.dtype if isinstance(dtype, types.Scalar) else dtype)
    if strides is not None:
        return _with_stream(_strided(shape, dtype, strides), stream)
    if dtype.names:
        return DeviceRecords.make((shape,) if isinstance(shape, int) else tuple(shape), dtype, device_array)
    from tessera import numpy as tessera_numpy

    array = _core.kernels.empty(shape, dtype, order == "F")
    if array is None:
        array = tessera_numpy.empty(shape, dtype=dtype, order=order)
    if _options.CHECKS_ALL and dtype.kind != "b":  # bytes of booleans are 0 or 1
        _core.kernels.set_unwritten(array)
    return _with_stream(array.view(DeviceArray), stream)


def _strided(shape: Any, dtype: numpy.dtype[Any], strides: Any) -> DeviceArray:
    from tessera import numpy as tessera_numpy

    shape, strides = _layout.shape_and_strides(shape, strides, "cuda.device_array")
    if dtype.names or any(step % dtype.itemsize for step in strides):
        raise ValueError(f"cuda.device_array: strides are {strides}; they count whole elements of {dtype}")
    count = _layout.extent_in_bytes(shape, strides, dtype.itemsize) // dtype.itemsize
    flat = device_array(count, dtype)
    return tessera_numpy.lib.stride_tricks.as_strided(flat, shape, strides).view(DeviceArray)


def device_array_like(ary: Any, stream: Any = 0) -> Any:
    """A new array of the shape, dtype and layout of another, without its gaps.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> cuda.device_array_like(numpy.ones((2, 3))).dtype
    dtype('float64')
    """
    if getattr(ary.dtype, "names", None):
        return device_array(ary.shape, ary.dtype)
    return device_array(ary.shape, ary.dtype, stream=stream, **_layout.like(ary))


def synchronize() -> None:
    """Waits for all kernels that were launched.

    Examples
    --------
    >>> from tessera import cuda
    >>> cuda.synchronize()
    """
    _core.synchronize()


def is_available() -> bool:
    """True: kernels run on the GPU if there is one, else compiled on the cores.

    Examples
    --------
    >>> from tessera import cuda
    >>> cuda.is_available()
    True
    """
    return True
