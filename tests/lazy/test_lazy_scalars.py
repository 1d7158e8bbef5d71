"""Scalars that a device is still to give: they are NumPy's to a program, and nothing waits for them before somebody looks."""

from __future__ import annotations

import operator
import os
import subprocess
import sys
import threading
import warnings

import numpy
import pytest
import tessera.numpy as np
from device_bits import SIZE, home_again, on_cpu, same_bits, where  # noqa: F401
from lazy_scalars import RNG, VALUES, lazy, on_device

import tessera
from tessera import _core

FOLDS = ["sum", "prod", "mean", "std", "var", "max", "min", "any", "all", "argmax", "argmin", "ptp"]


@pytest.mark.parametrize(
    "fold, dtype",  # NumPy has no ptp of booleans
    [(fold, dtype) for fold in FOLDS for dtype in VALUES if (fold, dtype) != ("ptp", "bool")],
)
def test_folds_give_the_scalars_of_the_host(where, fold, dtype):
    array = on_device(VALUES[dtype])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got, expected = getattr(np, fold)(array), on_cpu(lambda: getattr(np, fold)(np.array(VALUES[dtype])))[()]
        assert got.dtype == expected.dtype and got.shape == () and got.ndim == 0 and got.size == 1
        assert got.itemsize == got.nbytes == expected.itemsize and got.__class__ is type(expected)
        same_bits(got, expected)


@pytest.mark.parametrize("fold", ["sum", "prod", "mean", "max", "min", "any", "all", "argmax", "argmin", "ptp"])
def test_folds_do_not_wait(where, fold):
    array = on_device(VALUES["float64"])
    result, counters = home_again(lambda: getattr(array, fold)() if fold != "ptp" else np.ptp(array))
    assert _core.is_lazy(result) and counters["copies_from_device"] == 0
    before = _core.counters()
    first, again = float(result), float(result)
    assert not _core.is_lazy(result) and first == again
    assert _core.counters()["copies_from_device"] == 1 + before["copies_from_device"]


def test_what_is_made_of_them_does_not_wait(where):
    a, b = on_device(VALUES["float64"]), on_device(VALUES["float64"][::-1])
    for call in (lambda: np.sqrt((a * b).sum() ** 2 + 1) / a.size, lambda: -abs(a.sum()) + a.max() * 2.0):
        result, counters = home_again(call)
        assert _core.is_lazy(result) and counters["copies_from_device"] == 0
        same_bits(result, on_cpu(lambda: eval_on_host(call)))


def eval_on_host(call):
    """The call on arrays of the host: its closure's arrays are copied there."""
    cells = {name: cell.cell_contents for name, cell in zip(call.__code__.co_freevars, call.__closure__)}
    values = {name: np.array(numpy.array(value)) for name, value in cells.items()}
    return eval_closure(call, values)


def eval_closure(call, values):
    import types

    names = call.__code__.co_freevars
    return types.FunctionType(
        call.__code__, call.__globals__, closure=tuple(types.CellType(values[name]) for name in names)
    )()


def test_scalars_of_0d_arrays_do_not_wait(where):
    a, half = on_device(VALUES["float64"]), on_device(VALUES["float16"])
    for call in (
        lambda: half.mean(),
        lambda: a.max(keepdims=True).reshape(())[()],
        lambda: np.asarray(a.sum())[()],
        lambda: np.where(True, a.sum(), 1)[()],
    ):
        result, counters = home_again(call)
        assert _core.is_lazy(result) and counters["copies_from_device"] == 0
        float(result)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_arithmetic_stays_lazy(where, dtype):
    x, y = numpy.dtype(dtype).type(3), numpy.dtype(dtype).type(5)
    ops = [operator.add, operator.sub, operator.mul, operator.truediv]
    for op in ops:
        for other in (y, 2, 2.5, True, numpy.float32(7), numpy.float64(0.1), numpy.int64(3)):
            for swap in (False, True):

                def compute(a, b):
                    return op(b, a) if swap else op(a, b)

                result = compute(lazy(3, dtype), lazy(5, dtype) if other is y else other)
                assert _core.is_lazy(result), (op, other)
                same_bits(result, compute(x, other))
    for unary in (operator.neg, operator.pos, abs, lambda v: v**2, lambda v: v * v - v):
        result = unary(lazy(3, dtype))
        assert _core.is_lazy(result)
        same_bits(result, unary(x))
    assert type(lazy(3, dtype) * 2**80) is type(x * 2**80)  # looks: no loop has such integers


def test_rebinding_leaves_the_old_one(where):
    s = t = lazy(3.0)
    s += 1
    assert t == 3.0 and s == 4.0
    with pytest.raises(TypeError):
        t[...] = 1
    with pytest.raises((AttributeError, TypeError)):
        t.real = 1.0
    array = np.asarray(t)
    array += 5
    assert t == 3.0 and float(array) == 8.0


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("exponent", [-1, 0.5, 2, 1])
def test_powers_of_complex_numbers_round_as_numpys(where, dtype, exponent):
    for value in RNG.standard_normal(20) + 1j * RNG.standard_normal(20):
        scalar = numpy.dtype(dtype).type(value)
        if exponent == 0.5:
            numpy.testing.assert_allclose(
                complex(lazy(scalar, dtype) ** exponent), complex(scalar**exponent), rtol=1e-6
            )
        else:
            same_bits(lazy(scalar, dtype) ** exponent, scalar**exponent)


def test_arrays_take_them_without_waiting(where):
    x, y = on_device(VALUES["float64"]), on_device(VALUES["float64"][::-1])
    z = np.zeros(SIZE)

    def program(x, y, z):
        norm = np.sqrt((x * x).sum())
        scaled = x / norm
        scaled += y.max() * x
        scaled *= 2 - norm
        z[5] = norm
        z[6:9] = -norm
        return np.where(scaled > y.mean(), scaled, norm) + np.add(norm, x) - np.maximum(x, norm), z

    results, counters = home_again(lambda: program(x, y, z))
    assert counters["copies_from_device"] == 0
    for got, expected in zip(
        results, program(np.array(VALUES["float64"]), np.array(VALUES["float64"][::-1]), np.zeros(SIZE))
    ):
        same_bits(got, expected)


def conjugate_gradients(b, turns, look_every):
    """For the matrix 2.5 on the diagonal and -1 beside it."""
    x, r = np.zeros(b.shape), b.copy()
    p, rs, looks = r.copy(), np.sum(r * r), []
    for k in range(turns):
        q = 2.5 * p
        q[1:] -= p[:-1]
        q[:-1] -= p[1:]
        alpha = rs / np.sum(p * q)
        x += alpha * p
        r -= alpha * q
        new = np.sum(r * r)
        p = r + (new / rs) * p
        rs = new
        if k % look_every == 0:
            looks.append(float(rs))
    return x, looks


def test_conjugate_gradients_bring_home_what_is_looked_at(where):
    b = numpy.random.default_rng(2).random(SIZE)
    mine = np.array(b) * 1.0
    (x, looks), counters = home_again(lambda: conjugate_gradients(mine, 100, 10))
    assert counters["copies_from_device"] == len(looks) == 10 and counters["bytes_from_device"] == 80
    assert looks[-1] < 1e-9 * looks[0]
    with tessera.device("cpu"):
        expected, same_looks = conjugate_gradients(np.array(b), 100, 10)
    assert looks == same_looks
    same_bits(x, expected)


def test_one_that_dies_unread_costs_nothing(where):
    x = on_device(VALUES["float64"])

    def program():
        for _ in range(5):
            x.sum(), x.max() * 2.0
        return None

    _, counters = home_again(program)
    assert counters["device_launches"] == 0 and counters["copies_from_device"] == 0
    kept, counters = home_again(lambda: [x.sum() for _ in range(5)])
    assert counters["device_launches"] > 0 and counters["copies_from_device"] == 0
    assert len({float(total) for total in kept}) == 1


def test_threads_look_at_one(where):
    x = on_device(VALUES["float64"])
    total, seen = x.sum(), []
    threads = [threading.Thread(target=lambda: seen.append(total + 0.0)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {float(s) for s in seen} == {float(total)} and len(seen) == 4


@pytest.mark.parametrize(
    "device, choosing", [("simulated", "auto:simulated"), *([("gpu:0", "auto")] if _core.devices() else [])]
)
def test_each_plan_that_may_choose_waits_for_no_scalar(device, choosing):
    # In a process of its own: what placement has learned from other tests decides here, too.
    program = f"""
import numpy, tessera, tessera.numpy as np
from lazy_scalars import VALUES, on_device
from tessera import _core
with tessera.device({device!r}):
    x = on_device(VALUES["float64"])
    tessera.synchronize()
with tessera.device({choosing!r}):
    assert _core.is_lazy((x * 2.0 + x).sum())  # a device alone has x
    here = np.array(VALUES["float64"])
    print(type(here.sum()) is numpy.float64, type((here + 1.0).sum()) is numpy.float64)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.stdout == "True True\n", done.stderr


def test_what_is_small_and_on_the_host_gives_numpys_scalars(where):
    for value in (2.5, True, 3, numpy.float32(2.5), np.array(2.5), np.arange(5)):
        for fold in (np.sum, np.prod, np.max, np.min, np.any, np.all):
            result = fold(value)
            assert type(result) is type(fold(numpy.asarray(value))) and not _core.is_lazy(result)
            assert result == getattr(numpy, fold.__name__)(numpy.asarray(value))


@pytest.mark.parametrize("value", [2.5, 1 + 2j, complex(numpy.nan, -numpy.inf), numpy.float32(1), numpy.complex64(2j)])
def test_elements_of_the_host_give_numpys_scalars(where, value):
    calls = [
        np.nan_to_num,
        np.round,
        np.sinc,
        np.nansum,
        np.nanprod,
        np.median,
        lambda x: np.where(np.isnan(x), x, 1)[()],
    ]
    for call in calls:
        for given in (lambda: value, lambda: np.array(value)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                (result, counters), expected = home_again(lambda: call(given())), on_cpu(lambda: call(given()))[()]
            assert type(result) is type(expected) and counters["device_windows"] == 0
            same_bits(result, expected)


def test_nan_to_num_of_numbers_gives_numpys_scalars_beside_work_of_the_device(where):
    x = np.array(RNG.random(3000))
    for value in (2.5, numpy.nan, 1 + 2j, complex(numpy.nan, -numpy.inf)):
        kept = x * 2 + 1
        result = np.nan_to_num(value)
        assert type(result) is type(numpy.nan_to_num(value)) and result == numpy.nan_to_num(value)
        del kept


def test_the_host_gives_numpys_scalars_at_once():
    with tessera.device("cpu"):
        for fold in FOLDS:
            assert type(getattr(np, fold)(np.array(VALUES["float64"]))).__module__ == "numpy"
