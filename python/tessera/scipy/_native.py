"""SciPy's functions that consist of operations on arrays, run on tessera's arrays: SciPy's own code, by the array API standard.

SciPy takes arrays of other libraries where SCIPY_ARRAY_API was set before it was imported. The functions listed here ask for that
while they are called from tessera.scipy, in the calling thread only; to all other code SciPy is what it was.
"""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from tessera import _core, _fallback

# Those that neither bring an array to the host nor call a function that the engine has not, as tests check.
FUNCTIONS = {
    "fft": "fft fft2 fftn ifft ifft2 ifftn rfft rfft2 rfftn irfft irfft2 irfftn hfft hfft2 hfftn ihfft ihfft2 ihfftn fftshift ifftshift",
    "integrate": "trapezoid cumulative_trapezoid cumulative_simpson romb",
    "signal": "fftconvolve oaconvolve envelope hilbert resample",
    "stats": "zscore gzscore zmap kurtosis skew moment describe gmean hmean pmean sem tmean tvar tstd tmin tmax tsem iqr "
    "median_abs_deviation kstat kstatvar circmean circvar circstd differential_entropy rankdata",
}
_KINDS = "biufc"
_asked: contextvars.ContextVar[bool] = contextvars.ContextVar("tessera.scipy", default=False)


class _Asked:
    """What SciPy finds in place of its constant: whether the current call asks for arrays of other libraries."""

    def __bool__(self) -> bool:
        return _asked.get()


@functools.cache
def _is_installed() -> bool:
    """Whether SciPy takes arrays of other libraries from now on when it is asked for; versions before 1.17 do in fewer functions."""
    import scipy
    from scipy._lib import _array_api

    if tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 17):
        return False
    find = _array_api.array_namespace
    known = find.__globals__
    if "SCIPY_ARRAY_API" not in find.__code__.co_names or "SCIPY_ARRAY_API" not in known:
        return False
    if not known["SCIPY_ARRAY_API"]:  # the user has not set it
        known["SCIPY_ARRAY_API"] = _Asked()
    return True


def wrap(name: str, function: Callable[..., Any], reason: str) -> Callable[..., Any]:
    """The function, on arrays of the engine; what it cannot take runs on the host, as before."""
    host = _fallback.wrap(name, function, reason)

    @functools.wraps(function, updated=())
    def native(*args: Any, **kwargs: Any) -> Any:
        arrays = [value for value in _values(args, kwargs) if hasattr(value, "dtype")]
        if not arrays:
            return function(*args, **kwargs)
        if (
            kwargs.get("nan_policy", "propagate") != "propagate"
            or not all(map(_is_plain, arrays))
            or not _is_installed()
        ):
            return host(*args, **kwargs)
        token = _asked.set(True)
        try:
            return function(*map(_ours, args), **{key: _ours(value) for key, value in kwargs.items()})
        finally:
            _asked.reset(token)

    return native


def _values(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Any]:
    for value in (*args, *kwargs.values()):
        if isinstance(value, (list, tuple)):
            yield from value
        else:
            yield value


def _is_plain(value: Any) -> bool:
    """Whether it is an array of numbers that becomes the engine's without loss."""
    return getattr(value.dtype, "kind", "") in _KINDS and not isinstance(value, (numpy.ma.MaskedArray, numpy.matrix))


def _ours(value: Any) -> Any:
    """SciPy takes no arrays of two libraries."""
    return _core.asarray(value) if isinstance(value, numpy.ndarray) and not _core.kernels.is_array(value) else value
