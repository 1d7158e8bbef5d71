"""numpy.testing: its checks, reading tessera arrays as NumPy reads its own."""

from __future__ import annotations

import functools
from typing import Any

import numpy
import numpy.testing
from numpy.testing import *  # noqa: F401, F403
from numpy.testing import __all__  # noqa: F401

from tessera import _core as core


def to_host(value: Any) -> Any:
    """The value with NumPy arrays for tessera's, inside of lists, tuples and dicts too."""
    if core.is_own(value):
        return numpy.asarray(value)
    kind = type(value)
    if kind is list or kind is tuple:
        return kind([to_host(item) for item in value])
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*[to_host(item) for item in value])
    if kind is dict:
        return {key: to_host(item) for key, item in value.items()}
    return value


def _reading_arrays(check):
    @functools.wraps(check)
    def checked(*args, **kwargs):
        __tracebackhide__ = True
        return check(*to_host(args), **to_host(kwargs))

    return checked


for _name in __all__:
    if _name.startswith("assert_array") or _name in (
        "assert_allclose",
        "assert_almost_equal",
        "assert_approx_equal",
        "assert_equal",
        "print_assert_equal",
    ):
        globals()[_name] = _reading_arrays(getattr(numpy.testing, _name))


def __getattr__(name: str) -> Any:
    return getattr(numpy.testing, name)
