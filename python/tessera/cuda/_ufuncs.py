"""cuda.vectorize and cuda.guvectorize: ufuncs that take arrays for kernels, of other libraries too, and give such arrays."""

from __future__ import annotations

from typing import Any

from tessera import _core, types
from tessera.cuda._arrays import DeviceArray
from tessera.cuda._interface import adopt, is_cuda_array
from tessera.cuda._streams import user_stream_of
from tessera.functions import guvectorize as _gufuncs
from tessera.functions import vectorize as _ufuncs


def _as_device_array(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(map(_as_device_array, result))
    if _core.kernels.is_array(result) and not isinstance(result, DeviceArray):
        return result.view(DeviceArray)
    return result


class _Calls:
    """The ufunc, called with any arrays on a device; its other attributes are the ufunc's."""

    def __init__(self, ufunc: Any) -> None:
        self._ufunc = ufunc
        self.__name__ = ufunc.__name__
        self.__doc__ = ufunc.__doc__

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ufunc, name)

    def __call__(self, *arguments: Any, out: Any = None, stream: Any = 0, **named: Any) -> Any:
        """Work without a stream waits for all streams, and they for it, so that `stream` orders nothing more."""
        user_stream_of(stream)
        on_device = any(map(is_cuda_array, (*arguments, out)))
        given = [adopt(value) for value in arguments]
        if out is not None:
            named["out"] = adopt(out)
        result = self._ufunc(*given, **named)
        return _as_device_array(result) if on_device else result

    def __repr__(self) -> str:
        return repr(self._ufunc)


class Ufunc(_Calls):
    """What cuda.vectorize makes."""

    def reduce(self, array: Any, axis: Any = 0, stream: Any = 0, **named: Any) -> Any:
        """The elements joined along an axis; a number where one is left."""
        user_stream_of(stream)
        return self._ufunc.reduce(adopt(array), axis=axis, **named)


def vectorize(signatures_or_function: Any = None, **options: Any) -> Any:
    """tessera.vectorize for target="cuda": its ufuncs take other libraries' arrays on a device, and a stream.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> @cuda.vectorize(["float32(float32, float32)"])
    ... def product(x, y):
    ...     return x * y
    >>> product(numpy.arange(3, dtype="f4"), numpy.float32(2))
    array([0., 2., 4.], dtype=float32)
    """
    options.setdefault("target", "cuda")
    if callable(signatures_or_function) and not isinstance(signatures_or_function, (types.Type, types.Signature)):
        return Ufunc(_ufuncs.vectorize(signatures_or_function, **options))
    make = _ufuncs.vectorize(signatures_or_function, **options)
    return lambda function: Ufunc(make(function))


def guvectorize(signatures: Any, layout: str | None = None, **options: Any) -> Any:
    """tessera.guvectorize for target="cuda": its ufuncs take other libraries' arrays on a device, and a stream.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> @cuda.guvectorize(["void(float32[:], float32[:])"], "(n)->()")
    ... def total(x, out):
    ...     out[0] = x.sum()
    >>> total(numpy.ones((2, 3), "f4"))
    array([3., 3.], dtype=float32)
    """
    options.setdefault("target", "cuda")
    make = _gufuncs.guvectorize(signatures, layout, **options)
    return lambda function: _Calls(make(function))
