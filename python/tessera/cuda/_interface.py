"""Arrays of other libraries, and arguments that say how a kernel uses them: as_cuda_array, In, Out, InOut."""

from __future__ import annotations

import enum
from typing import Any

import numpy

from tessera import _core
from tessera.cuda import config
from tessera.cuda._arrays import DeviceArray, has_gpu
from tessera.cuda._streams import external_stream
from tessera.functions import names


def is_cuda_array(obj: Any) -> bool:
    """Whether as_cuda_array takes the object: it has __cuda_array_interface__, or is one of tessera's arrays.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> cuda.is_cuda_array(cuda.to_device(numpy.ones(3))), cuda.is_cuda_array(numpy.ones(3))
    (True, False)
    """
    return isinstance(obj, DeviceArray) or hasattr(obj, "__cuda_array_interface__")


def as_cuda_array(obj: Any, sync: bool = True) -> Any:
    """The object's array for kernels, without a copy: one of CuPy, PyTorch, Numba or any with __cuda_array_interface__.

    Work that the other library has queued on a stream that the interface names is waited for, on a GPU by the device alone. Raises TypeError for other objects.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> d = cuda.to_device(numpy.ones(3))
    >>> cuda.as_cuda_array(d).shape
    (3,)
    """
    if isinstance(obj, DeviceArray):
        return obj
    if not hasattr(obj, "__cuda_array_interface__"):
        raise TypeError(
            f"as_cuda_array: {type(obj).__name__} has no __cuda_array_interface__; to_device copies NumPy's arrays"
        )
    from tessera import numpy as tessera_numpy

    if not has_gpu() and "simulated" not in _core.device():
        return _array_of_host(obj, sync)
    return tessera_numpy.asarray(obj, copy=False).view(DeviceArray)


class _HostMemory:
    """What NumPy's array over an interface's memory keeps."""

    def __init__(self, described: dict[str, Any], owner: Any) -> None:
        self.__array_interface__ = {**described, "version": 3}
        self.owner = owner


def _array_of_host(obj: Any, sync: bool) -> Any:
    """Without a GPU addresses are the host's, as those that tessera's own arrays give."""
    from tessera import numpy as tessera_numpy

    interface = obj.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise NotImplementedError("Masked arrays are not supported: as_cuda_array takes arrays without a mask")
    if 0 in interface["shape"]:
        return tessera_numpy.empty(interface["shape"], interface["typestr"]).view(DeviceArray)
    described = {name: interface.get(name) for name in ("shape", "typestr", "data", "strides")}
    array = tessera_numpy.asarray(numpy.asarray(_HostMemory(described, obj)), copy=False).view(DeviceArray)
    handle = interface.get("stream")
    if handle:
        stream = external_stream(handle)
        if sync and config.CUDA_ARRAY_INTERFACE_SYNC:
            stream.synchronize()
        array.__dict__["_stream"] = stream
    return array


def adopt(value: Any) -> Any:
    """A launch's argument; another library's array on the device as one of tessera's, a member of an enumeration as its value."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (numpy.ndarray, numpy.generic, DeviceArray, tuple, int, float, complex)):
        return value
    if hasattr(value, "__cuda_array_interface__") and not _core.kernels.is_array(value):
        return as_cuda_array(value)
    return value


def from_cuda_array_interface(desc: dict[str, Any], owner: Any = None, sync: bool = True) -> Any:
    """The array that an interface's dictionary describes; `owner` is kept as long as the array.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> d = cuda.to_device(numpy.arange(3.0))
    >>> cuda.from_cuda_array_interface(d.__cuda_array_interface__, owner=d).copy_to_host()
    array([0., 1., 2.])
    """

    class _Described:
        __cuda_array_interface__ = desc

    described = _Described()
    described.owner = owner  # type: ignore[attr-defined]
    return as_cuda_array(described, sync)


class _Argument:
    """A NumPy array with what a kernel does to it; see cuda.In."""

    copies_in = True
    copies_out = True

    def __init__(self, value: Any) -> None:
        self.value = value
        if not isinstance(value, numpy.ndarray) and not isinstance(value, DeviceArray):
            raise TypeError(f"cuda.{type(self).__name__} takes an array, not {type(value).__name__}")


class In(_Argument):
    """An array that the kernel only reads: nothing is copied back, whatever it writes.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> a = cuda.In(numpy.ones(3))  # an argument of a launch
    """

    copies_out = False


class Out(_Argument):
    """An array that the kernel only writes: nothing is copied in.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> a = cuda.Out(numpy.empty(3))  # an argument of a launch
    """

    copies_in = False


class InOut(_Argument):
    """An array that the kernel reads and writes: what arrays are by default.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> @cuda.jit
    ... def double(x):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         x[i] *= 2
    >>> x = numpy.ones(3)
    >>> double[1, 32](cuda.InOut(x))
    >>> x
    array([2., 2., 2.])
    """


names.set_adopt(as_cuda_array)
