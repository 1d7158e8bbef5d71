"""Arrays of other libraries, and arguments that say how a kernel uses them: as_cuda_array, In, Out, InOut."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.cuda._arrays import DeviceArray


def is_cuda_array(obj: Any) -> bool:
    """Whether as_cuda_array takes the object: it has __cuda_array_interface__, or is one of tessera's arrays."""
    return isinstance(obj, DeviceArray) or hasattr(obj, "__cuda_array_interface__")


def as_cuda_array(obj: Any, sync: bool = True) -> Any:
    """The object's array for kernels, without a copy: one of CuPy, PyTorch, Numba or any with __cuda_array_interface__.

    Work that the other library has queued on a stream that the interface names is waited for. Raises TypeError for other objects.
    """
    del sync  # tessera's work is ordered behind the interface's stream in any case
    if isinstance(obj, DeviceArray):
        return obj
    if not hasattr(obj, "__cuda_array_interface__"):
        raise TypeError(
            f"as_cuda_array: {type(obj).__name__} has no __cuda_array_interface__; to_device copies NumPy's arrays"
        )
    from tessera import numpy as tessera_numpy

    return tessera_numpy.asarray(obj, copy=False).view(DeviceArray)


def from_cuda_array_interface(desc: dict[str, Any], owner: Any = None, sync: bool = True) -> Any:
    """The array that an interface's dictionary describes; `owner` is kept as long as the array."""

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
    """An array that the kernel only reads: nothing is copied back, whatever it writes."""

    copies_out = False


class Out(_Argument):
    """An array that the kernel only writes: nothing is copied in."""

    copies_in = False


class InOut(_Argument):
    """An array that the kernel reads and writes: what arrays are by default."""
