"""What tests of lazy scalars share: values a device has, and scalars of them that wait."""

from __future__ import annotations

import numpy
import tessera.numpy as np
from device_bits import SIZE

from tessera import _core

RNG = numpy.random.default_rng(11)
VALUES = {
    "bool": RNG.random(SIZE) < 0.5,
    "int8": RNG.integers(-3, 4, SIZE).astype("i1"),
    "uint16": RNG.integers(0, 9, SIZE).astype("u2"),
    "int64": RNG.integers(-9, 9, SIZE),
    "uint64": RNG.integers(0, 9, SIZE).astype("u8"),
    "float16": (RNG.random(SIZE) / 64 + 0.5).astype("f2"),
    "float32": RNG.standard_normal(SIZE).astype("f4"),
    "float64": RNG.standard_normal(SIZE),
    "complex64": (RNG.standard_normal(SIZE) + 1j).astype("F"),
    "complex128": RNG.standard_normal(SIZE) + 1j,
}


def on_device(values):
    """An array that the device alone has."""
    array = np.array(values)
    return array & True if array.dtype == bool else array * array.dtype.type(1)


def lazy(value, dtype="float64"):
    """The value as a lazy scalar."""
    array = np.zeros(SIZE, dtype)
    array[7] = value
    scalar = (array + 0).sum(dtype=dtype)
    assert _core.is_lazy(scalar)
    return scalar
