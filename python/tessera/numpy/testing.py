"""numpy.testing: its checks, which see tessera arrays as the NumPy arrays over the same memory."""

from __future__ import annotations

import functools
from typing import Any, Callable

import numpy
import numpy.testing
from numpy.testing import *  # noqa: F401, F403
from numpy.testing import __all__  # noqa: F401

from tessera import _core


def _on_host(value: Any) -> Any:
    kind = type(value)
    if isinstance(value, _core.ndarray):
        return numpy.asarray(value)
    if kind is list or kind is tuple:
        return kind([_on_host(item) for item in value])
    if kind is dict:
        return {key: _on_host(item) for key, item in value.items()}
    return value


def _checking(check: Callable) -> Callable:
    @functools.wraps(check)
    def wrapped(*args, **kwargs):
        __tracebackhide__ = True
        return check(*_on_host(args), **_on_host(kwargs))

    return wrapped


for _name in (
    "assert_",
    "assert_allclose",
    "assert_almost_equal",
    "assert_approx_equal",
    "assert_array_almost_equal",
    "assert_array_almost_equal_nulp",
    "assert_array_compare",
    "assert_array_equal",
    "assert_array_less",
    "assert_array_max_ulp",
    "assert_equal",
):
    if hasattr(numpy.testing, _name):
        globals()[_name] = _checking(getattr(numpy.testing, _name))


def __getattr__(name: str) -> Any:
    return getattr(numpy.testing, name)
