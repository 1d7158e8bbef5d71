"""Whoever looks at a lazy scalar sees NumPy's."""

from __future__ import annotations

import copy
import decimal
import fractions
import json
import math
import numbers
import operator
import pickle
import sqlite3
import statistics
import struct
import warnings
import weakref

import numpy
import pytest
import tessera.numpy as np
from device_bits import SIZE, where  # noqa: F401
from lazy_scalars import VALUES, lazy, on_device

import tessera
from tessera import _core

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
    "result_type": lambda x: (
        numpy.result_type(x, numpy.float32),
        np.result_type(x, numpy.float32),
        np.promote_types(x.dtype, "f4"),
    ),
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
    "methods": lambda x: (
        x.real,
        x.imag,
        x.conjugate(),
        x.sum(),
        x.max(),
        x.round(1),
        x.T,
        x.tolist(),
        x.tobytes(),
        x.is_integer(),
    ),
    "indexed": lambda x: (x[()], x[...]),
    "memoryview": lambda x: memoryview(x).tobytes(),
    "instances": lambda x: [
        isinstance(x, kind)
        for kind in (numpy.float64, numpy.floating, numpy.generic, float, int, numbers.Real, numbers.Integral)
    ],
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
        return (
            isinstance(got, numpy.ndarray)
            and got.dtype == expected.dtype
            and got.shape == expected.shape
            and bool((got == expected).all())
        )
    if isinstance(expected, numpy.generic):
        return got.__class__ is type(expected) and got.dtype == expected.dtype and got.item() == expected.item()
    return type(got) is type(expected) and got == expected


@pytest.mark.parametrize("name", LOOKS)
def test_looks_see_numpys_scalar(where, name):
    for dtype in (
        ("float64", "float32")
        if name not in ("trunc", "pickle", "memoryview", "methods", "fraction", "instances", "class", "hash", "dir")
        else ("float64",)
    ):
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
    "arithmetic": lambda x: (
        x + 1,
        x - 1,
        x * 2,
        x // 2,
        x % 2,
        x / 2,
        x**2,
        x << 1,
        x >> 1,
        x & 1,
        x | 8,
        x ^ 1,
        ~x,
        -x,
        abs(x),
    ),
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


@pytest.mark.parametrize("dtype", VALUES)
def test_their_types_have_a_dtype(where, dtype):
    scalar = on_device(VALUES[dtype]).max()
    assert _core.is_lazy(scalar) and scalar.dtype == dtype
    assert numpy.dtype(type(scalar)) == np.zeros(2, type(scalar)).dtype == numpy.zeros(2, type(scalar)).dtype == dtype


def test_numpys_ufuncs_give_the_array_they_wrote(where):
    for call in (
        lambda out: numpy.add(lazy(3.0), 1, out=out),
        lambda out: numpy.add(numpy.ones(3), lazy(3.0), out=out),
    ):
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
    for wrong in (
        lambda x: x + "a",
        lambda x: x @ x,
        lambda x: x[0],
        lambda x: len(x),
        lambda x: list(x),
        lambda x: x(),
        lambda x: x << 1,
        lambda x: [1, 2][x],
        lambda x: range(x),
        lambda x: x.nonsense,
        lambda x: operator.index(x),
        lambda x: weakref.ref(x),
    ):
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


def test_databases_take_the_value(where):
    scalars = (lazy(2.5), lazy(2.5, "float32"), lazy(3, "int64"))
    [row] = sqlite3.connect(":memory:").execute("select ?, ?, ?", scalars).fetchall()
    assert (
        row
        == sqlite3.connect(":memory:")
        .execute("select ?, ?, ?", (numpy.float64(2.5), numpy.float32(2.5), numpy.int64(3)))
        .fetchone()
    )
