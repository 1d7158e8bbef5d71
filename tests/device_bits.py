"""What tests of devices share: where they run, and comparison with the host's bits."""

from __future__ import annotations

import numpy
import pytest

import tessera
from tessera import _core

DEVICES = ["simulated"] + (["gpu"] if _core.devices() else [])
SIZE = 40_000  # above what runs at once on the host


@pytest.fixture(params=DEVICES)
def where(request):
    with tessera.device(request.param):
        yield request.param


def on_cpu(function, *args):
    with tessera.device("cpu"):
        return numpy.asarray(function(*args)).copy()


def same_bits(got, expected):
    got, expected = numpy.asarray(got), numpy.asarray(expected)
    assert got.dtype == expected.dtype and got.shape == expected.shape
    if got.dtype.kind in "fc":
        real = got.dtype.char.lower() if got.dtype.kind == "c" else got.dtype
        a, b = numpy.ascontiguousarray(got).view(real), numpy.ascontiguousarray(expected).view(real)
        nan = numpy.isnan(a)
        numpy.testing.assert_array_equal(nan, numpy.isnan(b))
        got, expected = numpy.where(nan, 0, a), numpy.where(nan, 0, b)
    assert got.tobytes() == expected.tobytes()


def home_again(function):
    """The counters of copies while the function runs on settled arrays."""
    tessera.synchronize()
    _core.reset_counters()
    result = function()
    tessera.synchronize()
    return result, _core.counters()
