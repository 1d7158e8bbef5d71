"""SciPy's functions that consist of operations on arrays, run on tessera's arrays: SciPy's own code, by the array API standard.

SciPy takes arrays of other libraries where SCIPY_ARRAY_API was set before it was imported. The functions listed here ask for that
while they are called from tessera.scipy, in the calling thread only; to all other code SciPy is what it was.
"""

from __future__ import annotations

import contextvars
import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy

from tessera import _core, _fallback

# Those that neither bring an array to the host nor call a function that the engine has not, as tests check.
FUNCTIONS = {
    "fft": "fft fft2 fftn ifft ifft2 ifftn rfft rfft2 rfftn irfft irfft2 irfftn hfft hfft2 hfftn ihfft ihfft2 ihfftn fftshift ifftshift",
    "integrate": "trapezoid cumulative_trapezoid cumulative_simpson romb",
    "signal": "fftconvolve oaconvolve envelope hilbert resample",
    "stats": "zscore gzscore zmap kurtosis skew describe gmean hmean pmean sem tmean tmin tmax iqr kstat kstatvar circmean circvar circstd "
    "differential_entropy rankdata",
}
_KINDS = "biufc"
# Parameters that are arrays, of which one may be a list: SciPy takes no lists beside arrays of other libraries.
_ARRAYS = frozenset("a x y in1 in2 scores weights w".split())
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
    signature = inspect.signature(function)

    @functools.wraps(function, updated=())
    def native(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return function(*args, **kwargs)  # SciPy says what is wrong
        given = bound.arguments
        arrays = [value for key, value in given.items() if hasattr(value, "dtype")]
        if not arrays:
            return function(*args, **kwargs)
        if not _is_installed() or not _takes(name, given, arrays):
            return host(*args, **kwargs)
        for key, value in given.items():
            if isinstance(value, numpy.ndarray) or (key in _ARRAYS and isinstance(value, (list, tuple))):
                given[key] = value if _core.kernels.is_array(value) else _core.asarray(numpy.asarray(value))
        token = _asked.set(True)
        try:
            return function(*bound.args, **bound.kwargs)
        finally:
            _asked.reset(token)

    return native


def _takes(name: str, given: dict[str, Any], arrays: list[Any]) -> bool:
    """Whether SciPy's code for other libraries does with these arguments what it does with NumPy's arrays."""
    if given.get("nan_policy", "propagate") != "propagate" or not all(map(_is_plain, arrays)):
        return False
    _, module, function = name.split(".")
    if module != "fft":
        return True
    axes = given.get("axes")
    repeats = axes is not None and len(set(axes)) < len(tuple(axes))
    of_reals = function.startswith(("rfft", "ihfft")) and any(one.dtype.kind == "c" for one in arrays)
    half = any(one.dtype == numpy.float16 for one in arrays)
    return not (repeats or of_reals or half or given.get("workers") is not None or given.get("plan") is not None)


def _is_plain(value: Any) -> bool:
    """Whether it is an array of numbers that becomes the engine's without loss."""
    return getattr(value.dtype, "kind", "") in _KINDS and not isinstance(value, (numpy.ma.MaskedArray, numpy.matrix))
