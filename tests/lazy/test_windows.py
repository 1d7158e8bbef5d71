"""Where windows of large arrays are cut, and what their kernels compute for each other."""

import numpy
import pytest
import tessera.numpy as np

import tessera
from tessera import _core


def settled(n, seed):
    a = np.asarray(numpy.random.default_rng(seed).random((n, n))) * 1.0
    _core.flush()
    return a


@pytest.mark.parametrize("device", ["cpu", "simulated"])
def test_windows_that_hold_much_end_behind_a_write(device):
    n = 2100  # 35 MB
    with tessera.device(device):
        a, b, c = (settled(n, k) for k in range(3))
        want = [numpy.array(x) for x in (a, b, c)]
        _core.reset_counters()
        a[1:-1, 1:-1] = b[1:-1, :-2] + b[1:-1, 2:]
        b[0, :] = 0  # the pending write alone holds what b was before
        b[1:-1] = b[1:-1] * 2
        c = ((c * 0.5 + a) * b - a) * c
        _core.flush()
        counters = _core.counters()
    ra, rb, rc = want
    ra[1:-1, 1:-1] = rb[1:-1, :-2] + rb[1:-1, 2:]
    rb[0, :] = 0
    rb[1:-1] = rb[1:-1] * 2
    rc = ((rc * 0.5 + ra) * rb - ra) * rc
    assert counters["windows"] <= 3  # the last statement is whole
    for got, expected in zip((a, b, c), (ra, rb, rc)):
        assert numpy.array_equal(numpy.asarray(got), expected)


def test_a_kernel_computes_nothing_that_only_a_later_one_reads():
    n = 500
    with tessera.device("cpu"):
        u, v, p, b = (settled(n, k) for k in range(4))
        want = [numpy.array(x) for x in (u, v, p, b)]

        def step(u, v, p, b):
            p[1:-1, 1:-1] = (p[1:-1, 2:] + p[:-2, 1:-1]) * 0.25 - b[1:-1, 1:-1]
            # All but the last operand could be computed beside p, were it not for two arrays more to store and load.
            u[1:-1, 1:-1] = (u[1:-1, 2:] * v[1:-1, 1:-1] - u[1:-1, :-2]) * 0.5 - (p[1:-1, 2:] - p[1:-1, :-2])
            v[1:-1, 1:-1] = (v[2:, 1:-1] * v[1:-1, 1:-1] - v[:-2, 1:-1]) * 0.5 - (p[2:, 1:-1] - p[:-2, 1:-1])

        step(u, v, p, b)
        plan = _core.explain()
        _core.flush()
        step(*want)
    made = [line for line in plan.splitlines() if line.startswith("memory") and "block" in line]
    assert len(made) == 3 and all("kept" in line for line in made), plan  # the new u, v and p
    for got, expected in zip((u, v, p, b), want):
        assert numpy.array_equal(numpy.asarray(got), expected)


def test_explain_says_why_two_kernels_are_not_one():
    with tessera.device("cpu"):
        a, b = settled(100, 1), settled(100, 2)
        product = a * b
        rows = product.sum(axis=1)
        text = _core.explain()
        assert "node 1 is not in the kernel of node 0: the kernel stores a result that is needed afterwards" in text
        assert "%0 = multiply %a0, %a1 : float64[100,100]" in text and "%1 = reduce add %0 along 1" in text
        assert numpy.array_equal(numpy.asarray(rows), numpy.asarray(product).sum(axis=1))
        rows = (a * b).sum(axis=1)
        assert "is not in the kernel" not in _core.explain()
        _core.flush()
