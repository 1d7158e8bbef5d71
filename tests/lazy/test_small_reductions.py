"""Reductions of small arrays that are computed at once have the bits that they have beside pending work, and on a device."""

from __future__ import annotations

import numpy
import pytest
import tessera.numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import tessera


def reduced(where, make, name, axis):
    with tessera.device(where):
        at_once = getattr(make(np.asarray), name)(axis=axis)
        pending = getattr(make(lambda values: np.asarray(values) + 0), name)(axis=axis)
        return [numpy.asarray(at_once).tobytes(), numpy.asarray(pending).tobytes()]


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_of_views_in_any_order_of_axes(data):
    ndim = data.draw(st.integers(1, 4))
    shape = data.draw(st.tuples(*[st.sampled_from([1, 2, 3, 8, 9, 13])] * ndim))
    values = numpy.random.default_rng(data.draw(st.integers(0, 99))).integers(-99, 99, shape) / 7
    order = data.draw(st.permutations(range(ndim)))
    steps = data.draw(st.tuples(*[st.sampled_from([1, 1, -1, 2])] * ndim))
    axes = sorted(data.draw(st.sets(st.integers(0, ndim - 1), min_size=1)))
    axis = axes[0] if len(axes) == 1 else tuple(axes)

    def make(asarray):
        return asarray(values).transpose(order)[tuple(slice(None, None, step) for step in steps)]

    for name in ("sum", "mean", "prod"):
        first, *others = (each for where in ("cpu", "simulated") for each in reduced(where, make, name, axis))
        assert all(other == first for other in others)


@pytest.mark.parametrize("count", [8, 33, 60])
@pytest.mark.parametrize("axis", [0, 1])
def test_sums_of_a_transposed_matrix_are_numpys(count, axis):
    values = numpy.arange(count * count).reshape(count, count) % 19 / 7
    assert numpy.asarray(np.asarray(values).T.sum(axis=axis)).tobytes() == values.T.sum(axis=axis).tobytes()
