"""Scalars that a device is still to give: they are NumPy's to a program, and nothing waits for them before somebody looks."""

from __future__ import annotations

import copy
import decimal
import fractions
import json
import math
import numbers
import operator
import pickle
import statistics
import struct
import threading
import warnings
import weakref

import numpy
import pytest

import tessera
import tessera.numpy as np
from tessera import _core
from device_bits import SIZE, home_again, on_cpu, same_bits, where  # noqa: F401

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
FOLDS = ["sum", "prod", "mean", "std", "var", "max", "min", "any", "all", "argmax", "argmin", "ptp"]


def on_device(values):
    """An array that the device alone has."""
    array = np.array(values)
    return array & True if array.dtype == bool else array * array.dtype.type(1)


@pytest.mark.parametrize("dtype", VALUES)
@pytest.mark.parametrize("fold", FOLDS)
def test_folds_give_the_scalars_of_the_host(where, fold, dtype):
    if fold == "ptp" and dtype == "bool":
        return
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
    return types.FunctionType(call.__code__, call.__globals__, closure=tuple(types.CellType(values[name]) for name in names))()


def test_scalars_of_0d_arrays_do_not_wait(where):
    a, half = on_device(VALUES["float64"]), on_device(VALUES["float16"])
    for call in (lambda: half.mean(), lambda: a.max(keepdims=True).reshape(())[()], lambda: np.asarray(a.sum())[()],
                 lambda: np.where(True, a.sum(), 1)[()]):
        result, counters = home_again(call)
        assert _core.is_lazy(result) and counters["copies_from_device"] == 0
        float(result)


def lazy(value, dtype="float64"):
    """The value as a lazy scalar."""
    array = np.zeros(SIZE, dtype)
    array[7] = value
    scalar = (array + 0).sum(dtype=dtype)
    assert _core.is_lazy(scalar)
    return scalar


LOOKS = {
    "float": float,
    "int": int,
    "bool": bool,
    "complex": complex,
    "str": str,
    "repr": repr,
    "hash": hash,
    "item": lambda x: x.item(),
    "format": lambda x: f"{x:.3f}|{x}|{x!r}|{x:>12}",
    "percent": lambda x: "%d %s %.2f %r" % (x, x, x, x),
    "round": lambda x: (round(x), round(x, 1)),
    "trunc": math.trunc,
    "floor": math.floor,
    "ceil": math.ceil,
    "isnan": math.isnan,
    "exp": math.exp,
    "fsum": lambda x: math.fsum([x, x]),
    "sqrt": math.sqrt,
    "isclose": lambda x: math.isclose(x, x),
    "struct": lambda x: struct.pack("d", x),
    "divmod": lambda x: divmod(x, 2),
    "pow": lambda x: pow(x, 2),
    "floor division": lambda x: x // 2,
    "remainder": lambda x: x % 2,
    "reflected": lambda x: (1 + x, 1 - x, 2 * x, 2 / x, 2**x, 7 // x, 7 % x),
    "with a number of NumPy's": lambda x: (numpy.float32(2) * x, x * numpy.float32(2), x + numpy.int64(1)),
    "compared": lambda x: (x == 3, x < 3, x <= 3, x > 3, x >= 3, x != 3, 3 < x),
    "sorted": lambda x: sorted([x, 5.0, x, -1.0]),
    "max": lambda x: max(x, 1.0),
    "sum": lambda x: sum([x, x]),
    "dict": lambda x: {x: 1}[x],
    "in": lambda x: x in [x.item()],
    "mean": lambda x: statistics.mean([x, x]),
    "stdev": lambda x: statistics.stdev([x, x, x + 1]),
    "fraction": fractions.Fraction,
    "isscalar": numpy.isscalar,
    "isscalar here": np.isscalar,
    "result_type": lambda x: (numpy.result_type(x, numpy.float32), np.result_type(x, numpy.float32), np.promote_types(x.dtype, "f4")),
    "asarray": numpy.asarray,
    "asarray here": lambda x: numpy.asarray(np.asarray(x)),
    "list of them": lambda x: numpy.array([x, x]),
    "list of them here": lambda x: numpy.asarray(np.array([x, x])),
    "stacked": lambda x: numpy.asarray(np.stack([x, x])),
    "full": lambda x: numpy.asarray(np.full(3, x)),
    "full of NumPy's": lambda x: numpy.full(3, x),
    "linspace": lambda x: numpy.asarray(np.linspace(0, x, 4)),
    "where": lambda x: numpy.asarray(np.where(np.array([True, False]), x, 1)),
    "clip": lambda x: numpy.asarray(np.clip(np.array([0.0, 1.0, 9.0]), 1, x)),
    "numpy ufunc": lambda x: (numpy.sqrt(x), numpy.add(x, 1)),
    "ufunc": lambda x: (np.sqrt(x), np.add(x, 1), np.maximum(x, x)),
    "isclose here": lambda x: np.isclose(x, 3.0),
    "allclose": lambda x: np.allclose(x, [3.0, 3.0]),
    "with NumPy's array": lambda x: (numpy.arange(3.0) * x, x * numpy.arange(3.0), numpy.arange(3) < x),
    "with NumPy's array in place": lambda x: operator.iadd(numpy.zeros(3), x),
    "stored in NumPy's array": lambda x: stored(numpy.zeros(3), x),
    "stored": lambda x: numpy.asarray(stored(np.zeros(3), x)),
    "stored in a large array": lambda x: numpy.asarray(stored(np.zeros(SIZE), x)),
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "astype": lambda x: x.astype("f4"),
    "dtype.type": lambda x: (numpy.float32(x), numpy.int8(x), numpy.float64(x)),
    "methods": lambda x: (x.real, x.imag, x.conjugate(), x.sum(), x.max(), x.round(1), x.T, x.tolist(), x.tobytes(), x.is_integer()),
    "indexed": lambda x: (x[()], x[...]),
    "memoryview": lambda x: memoryview(x).tobytes(),
    "instances": lambda x: [isinstance(x, kind) for kind in (numpy.float64, numpy.floating, numpy.generic, float, int, numbers.Real, numbers.Integral)],
    "dir": lambda x: "as_integer_ratio" in dir(x) and hasattr(x, "as_integer_ratio") and not hasattr(x, "nonsense"),
    "class": lambda x: (x.__class__, x.__class__.__name__, x.__class__(2)),
    "random": lambda x: numpy.random.default_rng(3).normal(x),
    "random here": lambda x: np.random.default_rng(3).normal(x),
    "arange": lambda x: numpy.asarray(np.arange(x)),
    "nan_to_num": np.nan_to_num,
    "fold of it": lambda x: (np.sum(x), np.max(x), np.mean(x)),
    "array of NumPy's function": lambda x: numpy.mean([x, x]),
}


def stored(array, value):
    array[1] = value
    array[2:] = value
    return array


def equal(got, expected):
    if isinstance(expected, (tuple, list)):
        return type(got) is type(expected) and len(got) == len(expected) and all(map(equal, got, expected))
    if isinstance(expected, numpy.ndarray):
        return isinstance(got, numpy.ndarray) and got.dtype == expected.dtype and got.shape == expected.shape and bool((got == expected).all())
    if isinstance(expected, numpy.generic):
        return got.__class__ is type(expected) and got.dtype == expected.dtype and got.item() == expected.item()
    return type(got) is type(expected) and got == expected


@pytest.mark.parametrize("name", LOOKS)
def test_looks_see_numpys_scalar(where, name):
    for dtype in ("float64", "float32") if name not in ("trunc", "pickle", "memoryview", "methods", "fraction", "instances", "class", "hash", "dir") else ("float64",):
        with tessera.device("cpu"):
            expected = LOOKS[name](numpy.dtype(dtype).type(3.0))
        assert equal(LOOKS[name](lazy(3.0, dtype)), expected), (name, dtype)


INTEGER_LOOKS = {
    "range": range,
    "index": operator.index,
    "list index": lambda x: [1, 2, 3, 4, 5][x],
    "slice": lambda x: list("abcdef")[:x],
    "repeat": lambda x: [0] * x,
    "hex": hex,
    "percent": lambda x: "%d %x" % (x, x),
    "format": lambda x: f"{x:05d} {x:,}",
    "struct": lambda x: struct.pack("i", x),
    "arithmetic": lambda x: (x + 1, x - 1, x * 2, x // 2, x % 2, x / 2, x**2, x << 1, x >> 1, x & 1, x | 8, x ^ 1, ~x, -x, abs(x)),
    "with floats": lambda x: (x * 2.5, 1.0 / x, x + numpy.float64(1)),
    "zeros": lambda x: numpy.asarray(np.zeros(x)),
    "an element": lambda x: np.arange(9)[x],
    "a row": lambda x: numpy.asarray(np.arange(90).reshape(9, 10)[x]),
    "a slice of an array": lambda x: numpy.asarray(np.arange(9)[x:]),
    "an element of NumPy's": lambda x: numpy.arange(9)[x],
    "reshaped": lambda x: numpy.asarray(np.arange(8).reshape(x, -1)),
    "unravelled": lambda x: np.unravel_index(x, (3, 4)),
    "choice": lambda x: chr(x + 64),
    "instances": lambda x: [isinstance(x, kind) for kind in (numpy.int64, numpy.integer, numbers.Integral, int, float)],
    "exact": lambda x: (math.gcd(x, 12), x.bit_count(), round(x), math.factorial(x)),
    "overflow": lambda x: overflows(x),
}


def overflows(x):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = x * numpy.int64(2**62)
    return result, [str(w.message) for w in caught]


@pytest.mark.parametrize("name", INTEGER_LOOKS)
def test_looks_see_numpys_integer(where, name):
    with tessera.device("cpu"):
        expected = INTEGER_LOOKS[name](numpy.int64(4))
    assert equal(INTEGER_LOOKS[name](lazy(4, "int64")), expected), name


def test_booleans_decide(where):
    yes, no = (on_device(VALUES["float64"]) > -99).all(), (on_device(VALUES["float64"]) > 99).any()
    assert _core.is_lazy(yes) and _core.is_lazy(no)
    assert yes and not no and isinstance(yes, numpy.bool) and (yes == True) and (yes & True) and not (yes and no)  # noqa: E712
    assert [1, 2][bool(no)] == 1 and str(yes) == "True" and numpy.logical_not(no) and np.logical_not(no)


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
            numpy.testing.assert_allclose(complex(lazy(scalar, dtype) ** exponent), complex(scalar**exponent), rtol=1e-6)
        else:
            same_bits(lazy(scalar, dtype) ** exponent, scalar**exponent)


@pytest.mark.parametrize("dtype", VALUES)
def test_their_types_have_a_dtype(where, dtype):
    scalar = on_device(VALUES[dtype]).max()
    assert _core.is_lazy(scalar) and scalar.dtype == dtype
    assert numpy.dtype(type(scalar)) == np.zeros(2, type(scalar)).dtype == numpy.zeros(2, type(scalar)).dtype == dtype


def test_numpys_ufuncs_give_the_array_they_wrote(where):
    for call in (lambda out: numpy.add(lazy(3.0), 1, out=out), lambda out: numpy.add(numpy.ones(3), lazy(3.0), out=out)):
        out = np.zeros(3)
        assert call(out) is out and out.tolist() == [4, 4, 4]


@pytest.mark.filterwarnings("ignore::tessera.FallbackWarning")
def test_numpys_other_scalars_take_them(where):
    assert numpy.longdouble(1) + lazy(3.0) == 4 and lazy(3.0) + numpy.longdouble(1) == 4
    assert numpy.timedelta64(2, "s") * lazy(3.0) == numpy.timedelta64(6, "s")
    assert numpy.datetime64("2020-01-01") + lazy(3, "int64") == numpy.datetime64("2020-01-04")
    seen = lazy(3.0)
    assert seen == 3.0 and numpy.longdouble(1) + seen == 4
    with pytest.raises(TypeError):
        numpy.datetime64("2020-01-01") + lazy(3.0)


@pytest.mark.parametrize("size", [12, SIZE])
def test_integers_refuse_what_numpys_scalars_may_not_become(where, size):
    array = np.arange(size)
    for value, error in ((numpy.inf, OverflowError), (numpy.nan, ValueError)):
        for key in (slice(1, None), 3, slice(None)):
            with pytest.raises(error):
                array[key] = lazy(value)
    array[1:4] = lazy(7.5)
    assert array[:5].tolist() == [0, 7, 7, 7, 4]


def test_errors_are_those_of_the_scalar(where):
    for wrong in (lambda x: x + "a", lambda x: x @ x, lambda x: x[0], lambda x: len(x), lambda x: list(x), lambda x: x(), lambda x: x << 1,
                  lambda x: [1, 2][x], lambda x: range(x), lambda x: x.nonsense, lambda x: operator.index(x), lambda x: weakref.ref(x)):
        with pytest.raises(Exception) as expected:
            wrong(numpy.float64(3))
        with pytest.raises(expected.type):
            wrong(lazy(3.0))
    for wrong in (float, int, round, math.floor):
        scalar = lazy(3, "complex128")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(Exception) as expected:
                wrong(numpy.complex128(3))
            with pytest.raises(expected.type):
                wrong(scalar)


def test_what_reads_the_layout_of_floats_refuses(where):
    """docs/differences.md lists it."""
    assert type(lazy(3.0)) is not numpy.float64
    for refused in (json.dumps, decimal.Decimal):
        with pytest.raises(TypeError):
            refused(lazy(3.0))
        assert refused(lazy(3.0).item()) == refused(3.0)


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
    for got, expected in zip(results, program(np.array(VALUES["float64"]), np.array(VALUES["float64"][::-1]), np.zeros(SIZE))):
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


def caught_by(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    return result, [(str(w.message), w.lineno) for w in caught if w.category is RuntimeWarning]


def test_the_look_tells_what_happened_in_the_fold(where):
    line = test_the_look_tells_what_happened_in_the_fold.__code__.co_firstlineno
    for values, words in (([1e308] * 9, "overflow"), ([numpy.inf, -numpy.inf], "invalid value"), ([numpy.inf], None), ([numpy.nan, 1.0], None)):
        host = numpy.zeros(SIZE)
        host[: len(values)] = values
        array = on_device(host)
        view = array[::1]

        def program():
            total = array.sum()  # nine lines below the first
            part = view.sum()
            return float(total), float(part)

        _, told = caught_by(program)
        expected = [(f"{words} encountered in reduce", line + 9), (f"{words} encountered in reduce", line + 10)] if words else []
        assert told == expected, (values, told)


def overwritten(array, times):
    for k in range(times):
        array[:] = np.full(SIZE, float(k))
        tessera.synchronize()


def changed_at_home(array, _):
    assert array[:2].tolist() == [0, 0] and float(array[0]) == 0
    numpy.asarray(array)
    array[3] = 0.0


@pytest.mark.parametrize("change", [overwritten, changed_at_home])
def test_a_total_asks_only_what_it_was_made_of(where, change):
    host = numpy.zeros(SIZE)
    host[3] = numpy.inf
    for times in range(1, 8):
        array = on_device(host)
        tessera.synchronize()
        total = array.sum()
        tessera.synchronize()
        change(array, times)
        # Not in a block, which would ask at its beginning.
        assert caught_by_filters(lambda: float(total)) == [], times


def caught_by_filters(call):
    told = []
    show, warnings.showwarning = warnings.showwarning, lambda message, *_, **__: told.append(str(message))
    try:
        call()
    finally:
        warnings.showwarning = show
    return told


def test_events_follow_the_errstate(where):
    array = on_device(numpy.full(SIZE, 1e308))
    with np.errstate(over="ignore"):
        total = array.sum()
    assert caught_by(lambda: float(total)) == (numpy.inf, [])
    with pytest.raises(FloatingPointError), np.errstate(over="raise"):
        array.sum()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            array.sum()
    assert caught_by(lambda: float(lazy(3.0) / 0.0))[1][0][0] == "divide by zero encountered in divide"


def test_a_block_hears_of_its_own_totals(where):
    array = on_device(numpy.full(SIZE, 1e308))
    total, told = caught_by(array.sum)
    assert [text for text, _ in told] == ["overflow encountered in reduce"] and total == numpy.inf
    kept = [array.sum() for _ in range(200)]
    with np.errstate(over="ignore"):
        kept += [array.prod() for _ in range(3)]
    assert caught_by(lambda: [float(k) for k in kept])[1][0][0] == "overflow encountered in reduce"


def test_threads_look_at_one(where):
    x = on_device(VALUES["float64"])
    total, seen = x.sum(), []
    threads = [threading.Thread(target=lambda: seen.append(total + 0.0)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {float(s) for s in seen} == {float(total)} and len(seen) == 4


def test_each_plan_that_may_choose_waits_for_no_scalar():
    with tessera.device("simulated"):
        x = on_device(VALUES["float64"])
        tessera.synchronize()
    with tessera.device("auto:simulated"):
        assert _core.is_lazy((x * 2.0 + x).sum())  # a device alone has x
        assert type(np.array(VALUES["float64"]).sum()) is numpy.float64
        here = np.array(VALUES["float64"])
        assert type((here + 1.0).sum()) is numpy.float64


def test_what_is_small_and_on_the_host_gives_numpys_scalars(where):
    for value in (2.5, True, 3, numpy.float32(2.5), np.array(2.5), np.arange(5)):
        for fold in (np.sum, np.prod, np.max, np.min, np.any, np.all):
            result = fold(value)
            assert type(result) is type(fold(numpy.asarray(value))) and not _core.is_lazy(result)
            assert result == getattr(numpy, fold.__name__)(numpy.asarray(value))


def test_the_host_gives_numpys_scalars_at_once():
    with tessera.device("cpu"):
        for fold in FOLDS:
            assert type(getattr(np, fold)(np.array(VALUES["float64"]))).__module__ == "numpy"
