"""Sequences as NumPy reads them: objects in them whose `__array__` gives one of tessera's arrays give NumPy's instead."""

from __future__ import annotations

from typing import Any

import numpy

from tessera import _core as core


def on_host(value: Any) -> Any:
    """The object, or what stands for it where NumPy would refuse the array it gives."""
    if isinstance(value, (list, tuple)):
        return [on_host(item) for item in value]
    if core.is_own(value):
        return numpy.asarray(value)
    if isinstance(value, (numpy.ndarray, numpy.generic)) or not hasattr(type(value), "__array__"):
        return value
    given = value.__array__()
    return numpy.asarray(given) if core.is_own(given) else value
