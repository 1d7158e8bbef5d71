"""The host routines of the core against NumPy: every dtype, layout and axis."""

import numpy
import pytest
import tessera.numpy as np

from tessera import _core as core

DTYPES = "?bBhHiIlLefdFD"
rng = numpy.random.default_rng(3)


def sample(shape, char, specials=True):
    a = rng.integers(-20, 20, shape)
    if char in "efd":
        a = a / 2
        if specials:
            a = numpy.where(rng.random(shape) < 0.1, rng.choice([numpy.nan, numpy.inf, -0.0], shape), a)
    if char in "FD":
        a = a + 1j * rng.integers(-2, 2, shape)
        if specials:
            a = numpy.where(rng.random(shape) < 0.1, complex(numpy.nan, 1), a)
    with numpy.errstate(invalid="ignore"):
        return a.astype(char)


def layouts(char, specials=True):
    """The same kind of data dense, transposed, reversed and strided."""
    a = sample((6, 5, 7), char, specials)
    yield a
    yield a.T
    yield a[::-1, :, ::-2]
    yield a[:, 1:4]
    yield sample(23, char, specials)
    yield sample((3, 0, 4), char, specials)


def check(actual, expected):
    if isinstance(expected, tuple):
        assert len(actual) == len(expected)
        for x, y in zip(actual, expected):
            check(x, y)
        return
    assert numpy.asarray(actual).dtype == numpy.asarray(expected).dtype
    numpy.testing.assert_array_equal(numpy.asarray(actual), expected)


@pytest.mark.parametrize("char", DTYPES)
def test_sorting(char):
    for a in layouts(char):
        t = np.asarray(a)
        for axis in range(-a.ndim, a.ndim):
            check(core.sort(t, axis, None), numpy.sort(a, axis))
            check(core.argsort(t, axis, "stable"), numpy.argsort(a, axis, kind="stable"))
            n = a.shape[axis]
            if n > 2:
                for kth in (0, n // 2, [1, n - 1, -2]):
                    part = numpy.asarray(core.partition(t, kth, axis))
                    ordered = numpy.sort(a, axis)
                    check(numpy.sort(part, axis), ordered)
                    check(numpy.take(part, kth, axis), numpy.take(ordered, kth, axis))
                    order = numpy.asarray(core.argpartition(t, kth, axis))
                    check(numpy.take(numpy.take_along_axis(a, order, axis), kth, axis), numpy.take(ordered, kth, axis))


@pytest.mark.parametrize("n", [100, 5000, 200000])
@pytest.mark.parametrize("char", "hild")
def test_partition_of_long_rows(char, n):
    for a in (rng.integers(-30000, 30000, n).astype(char), rng.integers(0, 3, n).astype(char), numpy.zeros(n, char)):
        for kth in (0, n // 3, n - 1, [n // 4, n // 2]):
            part = numpy.asarray(core.partition(np.asarray(a), kth, -1))
            for k in numpy.atleast_1d(kth):
                pivot = numpy.partition(a, k)[k]
                assert part[k] == pivot and (part[:k] <= pivot).all() and (part[k:] >= pivot).all()
            order = numpy.asarray(core.argpartition(np.asarray(a), kth, -1))
            check(a[order], part)


def test_partition_of_nothing():
    check(core.partition(np.empty((3, 0)), 5, 0), numpy.partition(numpy.empty((3, 0)), 5, 0))
    with pytest.raises(ValueError, match=r"kth\(=3\) out of bounds \(3\)"):
        core.partition(np.arange(0, 3), 3, 0)


def test_sorting_long_rows():
    a = rng.standard_normal(400000)
    check(core.sort(np.asarray(a), -1, None), numpy.sort(a))
    check(core.argsort(np.asarray(a), -1, None), numpy.argsort(a, kind="stable"))


def test_lexsort():
    keys = rng.integers(0, 4, (3, 5, 40))
    check(core.lexsort(np.asarray(keys), -1), numpy.lexsort(keys))
    check(core.lexsort([np.asarray(k) for k in keys], 0), numpy.lexsort(list(keys), 0))
    with pytest.raises(TypeError, match="need sequence of keys"):
        core.lexsort([], -1)


@pytest.mark.parametrize("char", DTYPES)
def test_selection(char):
    for a in layouts(char):
        t = np.asarray(a)
        assert core.count_nonzero(t) == numpy.count_nonzero(a)
        check(core.nonzero(t), numpy.nonzero(a))
        mask = rng.random(a.shape) < 0.4
        check(core.mask_select(t, np.asarray(mask)), a[mask])
        rows = rng.random(a.shape[:1]) < 0.5
        check(core.mask_select(t, np.asarray(rows)), a[rows])
        x, y = a.copy(), np.asarray(a.copy())
        x[mask] = x[mask][::-1]
        core.mask_assign(y, np.asarray(mask), np.asarray(a[mask][::-1]))
        check(y, x)
        x[rows] = 1
        core.mask_assign(y, np.asarray(rows), 1)
        check(y, x)


@pytest.mark.parametrize("char", DTYPES)
def test_picking(char):
    for a in layouts(char):
        t = np.asarray(a)
        if a.size == 0:
            with pytest.raises(IndexError):
                core.take(t, [0], 1)
            continue
        for axis in (None, *range(a.ndim)):
            n = a.size if axis is None else a.shape[axis]
            for index in (rng.integers(-n, n, 4), rng.integers(-n, n, (2, 3)), 0, [], n - 1):
                check(core.take(t, index, axis), numpy.take(a, index, axis))
            wild = rng.integers(-3 * n, 3 * n, 9)
            for mode in ("wrap", "clip"):
                check(core.take(t, wild, axis, None, mode), numpy.take(a, wild, axis, mode=mode))
            with pytest.raises(IndexError, match=f"index {n} is out of bounds for axis {axis or 0} with size {n}"):
                core.take(t, [0, n], axis)
        for axis in range(-a.ndim, a.ndim):
            order = numpy.argsort(a, axis, kind="stable")
            check(core.take_along_axis(t, np.asarray(order), axis), numpy.take_along_axis(a, order, axis))
            some = numpy.take(order, [0, -1], axis)
            x, y = a.copy(), np.asarray(a.copy())
            values = numpy.take(a, [-1, 0], axis)
            numpy.put_along_axis(x, some, values, axis)
            core.put_along_axis(y, np.asarray(some), np.asarray(values), axis)
            check(y, x)
        x, y = a.copy(), np.asarray(a.copy())
        index = rng.integers(-a.size, a.size, 11)
        numpy.put(x, index, [3, 4, 5])
        core.put(y, index, [3, 4, 5])
        check(y, x)
        numpy.put(x, index * 5, 7, mode="wrap")
        core.put(y, index * 5, 7, "wrap")
        check(y, x)


def test_writes_through_views():
    base = np.arange(0, 40).reshape(5, 8)
    twin = numpy.arange(40).reshape(5, 8)
    core.put(base[::2, ::-3], [0, 4, -1], [100, 200, 300], "raise")
    part = twin[::2, ::-3]
    numpy.put(part, [0, 4, -1], [100, 200, 300])
    check(base, twin)
    core.mask_assign(base[1:, 2:5], np.asarray(twin[1:, 2:5] % 2 == 0), 9)
    twin[1:, 2:5][twin[1:, 2:5] % 2 == 0] = 9
    check(base, twin)


@pytest.mark.parametrize("char", DTYPES)
def test_searching(char):
    a = numpy.sort(sample(50, char))
    v = sample((4, 9), char)
    for side in ("left", "right"):
        check(core.searchsorted(np.asarray(a), np.asarray(v), side, None), numpy.searchsorted(a, v, side))
        shuffled = rng.permutation(a)
        order = numpy.argsort(shuffled, kind="stable")
        check(
            core.searchsorted(np.asarray(shuffled), np.asarray(v), side, np.asarray(order)),
            numpy.searchsorted(shuffled, v, side, order),
        )
    assert type(core.searchsorted(np.asarray(a), a[3], "left", None)) is numpy.int64


def test_searching_errors():
    t = np.arange(0, 5)
    with pytest.raises(ValueError, match="object too deep"):
        core.searchsorted(np.asarray([[1]]), 1, "left", None)
    with pytest.raises(ValueError, match="Sorter index out of range"):
        core.searchsorted(t, 1, "left", np.asarray([0, 1, 2, 3, 9]))
    with pytest.raises(ValueError, match="side must be one of"):
        core.searchsorted(t, 1, "middle", None)


def test_bincount():
    x = rng.integers(0, 12, 1000)
    w = rng.random(1000)
    check(core.bincount(np.asarray(x), None, 0), numpy.bincount(x))
    check(core.bincount(np.asarray(x), None, 20), numpy.bincount(x, minlength=20))
    check(core.bincount(np.asarray(x), np.asarray(w), 3), numpy.bincount(x, w, 3))
    check(core.bincount([], None, 3), numpy.bincount([], minlength=3))
    for bad, error in (([-1], ValueError), (numpy.array([1.5]), TypeError), (numpy.array([[1]]), ValueError)):
        with pytest.raises(error) as ours:
            core.bincount(bad, None, 0)
        with pytest.raises(error) as theirs:
            numpy.bincount(bad)
        assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("char", DTYPES)
def test_arg_extremes(char):
    for specials in (False, True):
        for a in layouts(char, specials):
            t = np.asarray(a)
            for axis in (None, *range(-a.ndim, a.ndim)):
                n = a.size if axis is None else a.shape[axis]
                for keepdims in (False, True):
                    if n == 0:
                        with pytest.raises(ValueError, match="attempt to get argmax of an empty sequence"):
                            core.argmax(t, axis, None, keepdims=keepdims)
                        continue
                    check(core.argmax(t, axis, None, keepdims=keepdims), numpy.argmax(a, axis, keepdims=keepdims))
                    check(core.argmin(t, axis, None, keepdims=keepdims), numpy.argmin(a, axis, keepdims=keepdims))


@pytest.mark.parametrize("char", DTYPES)
def test_running_folds(char):
    with numpy.errstate(all="ignore"):
        for a in layouts(char):
            t = np.asarray(a)
            for axis in (None, *range(-a.ndim, a.ndim)):
                check(core.cumsum(t, axis), numpy.cumsum(a, axis))
                check(core.cumprod(t, axis), numpy.cumprod(a, axis))
                if axis is None:
                    continue
                for name in (
                    "minimum",
                    "maximum",
                    "fmin",
                    "fmax",
                    "bitwise_and",
                    "bitwise_or",
                    "bitwise_xor",
                    "subtract",
                ):
                    try:
                        expected = getattr(numpy, name).accumulate(a, axis)
                    except TypeError:
                        with pytest.raises(TypeError):
                            core.cumulative(t, name, axis)
                        continue
                    check(core.cumulative(t, name, axis), expected)


@pytest.mark.parametrize("name", ["minimum", "maximum", "fmin", "fmax"])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_running_extremes_of_complex_numbers_where_one_part_is_nan(name, dtype):
    draws = numpy.random.default_rng(12)
    parts = numpy.array([0, 1, 2, numpy.nan])
    for size in (3, 50):
        for _ in range(100):
            a = numpy.empty(size, dtype)
            a.real, a.imag = draws.choice(parts, (2, size), p=[0.32, 0.32, 0.32, 0.04])
            expected = getattr(numpy, name).accumulate(a)
            got = numpy.asarray(core.cumulative(np.asarray(a), name, 0))
            numpy.testing.assert_array_equal(numpy.isnan(got), numpy.isnan(expected))
            number = ~numpy.isnan(expected)
            numpy.testing.assert_array_equal(got[number], expected[number])


def test_running_sums_into_out():
    a = rng.integers(0, 9, (4, 5))
    out = np.empty((4, 5), "f4")
    assert core.cumsum(np.asarray(a), 1, None, out) is out
    check(out, numpy.cumsum(a, 1, out=numpy.empty((4, 5), "f4")))
    check(core.cumsum(np.asarray(a), 0, "i2"), numpy.cumsum(a, 0, "i2"))


def test_interp():
    xp = numpy.array([0.0, 1, 2, 2, 4])
    fp = numpy.array([1.0, numpy.nan, 3, numpy.inf, -1])
    x = numpy.array([[-1, 0, 0.5, 2], [3, 4, 5, numpy.nan]])
    check(core.interp(np.asarray(x), np.asarray(xp), np.asarray(fp), None, None), numpy.interp(x, xp, fp))
    check(core.interp(np.asarray(x), np.asarray(xp), np.asarray(fp), -9, 9), numpy.interp(x, xp, fp, -9, 9))
    z = fp + 1j * xp
    check(core.interp(np.asarray(x), np.asarray(xp), np.asarray(z), None, 2j), numpy.interp(x, xp, z, None, 2j))
    x, xp = rng.random(5000) * 12 - 1, numpy.sort(rng.random(200) * 10)
    check(core.interp(np.asarray(x), np.asarray(xp), np.asarray(xp**2), None, None), numpy.interp(x, xp, xp**2))
    assert type(core.interp(0.5, [0, 1], [0, 1], None, None)) is numpy.float64


@pytest.mark.parametrize("char", DTYPES)
def test_joining(char):
    for a in layouts(char):
        t = np.asarray(a)
        for axis in (None, *range(-a.ndim, a.ndim)):
            check(core.concatenate((t, t[:], t), axis), numpy.concatenate((a, a[:], a), axis))
            n = a.size if axis is None else a.shape[axis]
            check(core.repeat(t, 3, axis), numpy.repeat(a, 3, axis))
            counts = rng.integers(0, 4, n)
            check(core.repeat(t, counts, axis), numpy.repeat(a, counts, axis))
        b = a.real.astype("f4")
        check(core.concatenate((t, np.asarray(b)), 0), numpy.concatenate((a, b), 0))


def test_joining_errors():
    for arrays, axis in (([], 0), ([1, 2], 0), ([[1], [[1]]], 0), ([[[1, 2]], [[1]]], 0), ([[1]], 3)):
        with pytest.raises(Exception) as theirs:
            numpy.concatenate(arrays, axis)
        with pytest.raises(type(theirs.value)) as ours:
            core.concatenate([np.asarray(a) for a in arrays], axis)
        assert str(ours.value) == str(theirs.value)
    with pytest.raises(ValueError, match="repeats may not contain negative values."):
        core.repeat(np.arange(0, 3), -1, 0)
    with pytest.raises(ValueError, match="operands could not be broadcast together with shape"):
        core.repeat(np.arange(0, 3), [1, 2], 0)


def test_where():
    c = rng.random((4, 5)) < 0.5
    x, y = sample((4, 1), "h"), sample(5, "f")
    check(core.where(np.asarray(c), np.asarray(x), np.asarray(y)), numpy.where(c, x, y))
    check(core.where(np.asarray(c), np.asarray(y), 2), numpy.where(c, y, 2))
    check(core.where(np.asarray(c), 1, 2.5), numpy.where(c, 1, 2.5))
    check(core.where(np.asarray(y), np.asarray(x), 1j), numpy.where(y, x, 1j))
    check(core.where(True, 1, 2), numpy.where(True, 1, 2))
    with pytest.raises(OverflowError, match="Python integer 300 out of bounds for uint8"):
        core.where(np.asarray(c), np.asarray(c.astype("u1")), 300)


def test_sharing():
    a = np.arange(0, 24).reshape(4, 6)
    assert core.shares_memory(a, a.T) and core.may_share_memory(a[:2], a[1:])
    assert not core.shares_memory(a[:, ::2], a[:, 1::2]) and core.may_share_memory(a[:, ::2], a[:, 1::2])
    assert not core.may_share_memory(a[:2], a[2:]) and not core.shares_memory(a, a.copy())
    b = numpy.asarray(a)
    assert core.shares_memory(b, a[1:]) and not core.shares_memory(numpy.zeros(3), a)
