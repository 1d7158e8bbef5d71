"""Views that lie at any byte, which the host reads and a GPU does not; and the signs that conversions keep."""

from __future__ import annotations

import numpy
import pytest
import tessera.numpy as np

import tessera
from tessera import _core

DEVICES = ["simulated", *(["gpu"] if _core.devices() else [])]
SIZE = 40_000


@pytest.fixture(params=DEVICES)
def where(request):
    with tessera.device(request.param):
        yield request.param


def at_byte(xp, start, dtype):
    """Elements of `dtype` that begin at an odd byte of an array."""
    item = numpy.dtype(dtype).itemsize
    whole = xp.array(numpy.random.default_rng(1).integers(0, 60, (SIZE + 1) * item, dtype="u1")) + xp.uint8(0)
    return whole[start : start + SIZE * item].view(dtype)


@pytest.mark.parametrize("dtype,start", [("i2", 1), ("f4", 2), ("f8", 4), ("c8", 1), ("c8", 4), ("c16", 8), ("f8", 8)])
def test_views_at_odd_bytes(where, dtype, start):
    for function in (
        lambda xp, x: x + x,
        lambda xp, x: xp.sort(x.real),
        lambda xp, x: x[::-1].copy(),
        lambda xp, x: xp.take(x, [3, 5]),
        lambda xp, x: xp.maximum(x, x[::-1]),
        lambda xp, x: x.max(),
        lambda xp, x: x[x.real > 0.001],
        lambda xp, x: x.real.argmax(),
    ):
        expected = function(numpy, at_byte(numpy, start, dtype))
        assert numpy.array_equal(numpy.asarray(function(np, at_byte(np, start, dtype))), expected, equal_nan=True)


def test_writes_to_views_at_odd_bytes(where):
    def written(xp):
        x = at_byte(xp, 1, "i2")
        x[::3] = 7
        x[1:] += x[:-1]
        return x.base if xp is numpy else x

    assert numpy.array_equal(
        numpy.asarray(written(np)), numpy.asarray(written(numpy)).view("u1")[1 : 1 + 2 * SIZE].view("i2")
    )


def test_steps_of_odd_bytes(where):
    def inverted(xp):
        x = xp.arange(SIZE, dtype="i2") ^ xp.int16(3)
        steps = xp.lib.stride_tricks.as_strided(x, (SIZE,), (1,))
        return ~steps

    assert numpy.array_equal(numpy.asarray(inverted(np)), inverted(numpy))


@pytest.mark.parametrize("dtype,start", [("f4", 2), ("f8", 4), ("c8", 4), ("c16", 8)])
def test_products_of_matrices_at_odd_bytes(where, dtype, start):
    own, expected = (at_byte(xp, start, dtype)[: 150 * 200].reshape(150, 200) for xp in (np, numpy))
    product = expected @ expected.T
    assert numpy.abs(numpy.asarray(own @ own.T) - product).max() <= 1e-5 * numpy.abs(product).max()


@pytest.mark.parametrize("start", ["f2", "f4", "f8"])
@pytest.mark.parametrize("end", ["f2", "f4", "f8"])
def test_conversions_keep_the_signs_of_nan(where, start, end):
    values = numpy.tile(numpy.array([numpy.nan, 1.0, -0.0, -numpy.inf], start), SIZE // 4)
    values = numpy.copysign(values, numpy.tile(numpy.array([1, -1], start), SIZE // 2))
    own = np.array(values).astype(end)
    assert numpy.array_equal(numpy.signbit(numpy.asarray(own)), numpy.signbit(values.astype(end)))
