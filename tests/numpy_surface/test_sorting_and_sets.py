"""Sorting, searching, sets, bins."""

import numpy
import pytest
import tessera.numpy as tnp
from differential import check, make, samples

rng = numpy.random.default_rng(5)


def from_the_largest(line):
    """Places of a line's elements: the largest first, equals in their order, NaNs last."""
    return sorted(range(len(line)), key=lambda i: (bool(line[i] != line[i]), 0 if line[i] != line[i] else -line[i]))


def test_descending():
    a = rng.integers(-2, 3, (4, 9))
    b = a.astype(float)
    b[a == 1] = numpy.nan
    b[a == 0] *= rng.choice([-1.0, 1.0], (a == 0).sum())
    for x in (a, a.astype("i1"), b, b.astype("f4")):
        order = numpy.array([from_the_largest(line) for line in x.tolist()])
        t = tnp.array(x)
        assert (tnp.argsort(t, descending=True) == order).all()
        assert tnp.sort(t, descending=True, stable=True).tobytes() == numpy.take_along_axis(x, order, -1).tobytes()
        assert (tnp.argsort(t.T, 0, descending=True) == order.T).all()
        flat = t.copy()
        flat.sort(descending=True)
        assert flat.tobytes() == tnp.sort(t, descending=True).tobytes()
    with pytest.raises(ValueError, match="can't be provided at the same time"):
        tnp.sort(tnp.array(a), kind="stable", descending=True)


def test_sorting():
    for a in samples():
        for axis in (-1, 0, None, 1, 5):
            check("sort", a, axis)
            check("argsort", a, axis, kind="stable")
            check("sort", a, axis, stable=True)
        check("sort_complex", a)
    a = rng.normal(size=(6, 7))
    a[2, 3] = numpy.nan
    for x in (a, a.astype("f4"), rng.integers(0, 5, (5, 6)), a + 1j * a[::-1]):
        for kind in (None, "quicksort", "mergesort", "heapsort", "stable", "odd"):
            check("sort", x, 0, kind)
    check("sort", a, stable=True, kind="stable")
    check("sort", a, order="x")
    for kth in (0, 3, [1, 4], -1, 9):
        for axis in (0, 1, None):
            import tessera.numpy as tnp

            try:
                expected = numpy.partition(a, kth, axis)
            except ValueError:
                check("partition", a, kth, axis)
                continue
            where = [kth] if isinstance(kth, int) else kth
            actual = numpy.asarray(tnp.partition(tnp.array(a), kth, axis))
            picked = numpy.asarray(tnp.argpartition(tnp.array(a), kth, axis))
            flat = a.ravel() if axis is None else a
            for x in (actual, numpy.take_along_axis(flat, picked, -1 if axis is None else axis)):
                numpy.testing.assert_array_equal(
                    numpy.take(x, where, -1 if axis is None else axis),
                    numpy.take(expected, where, -1 if axis is None else axis),
                )
                numpy.testing.assert_array_equal(
                    numpy.sort(x, -1 if axis is None else axis), numpy.sort(flat, -1 if axis is None else axis)
                )
    check("lexsort", [[3, 1, 2], [1, 1, 0]])
    check("lexsort", numpy.array([[3, 1, 2], [1, 1, 0]]))
    check("lexsort", [rng.integers(0, 3, (4, 5)), rng.integers(0, 3, (4, 5))], axis=0)
    check("lexsort", [[1, 2], [1]])


def test_searching():
    a = numpy.sort(rng.integers(0, 20, 15))
    for side in ("left", "right", "no"):
        for v in (5, [3, 7, 30], rng.integers(0, 20, (3, 4)), 4.5, numpy.nan):
            check("searchsorted", a, v, side)
            check("searchsorted", a * 1.0, v, side)
    check("searchsorted", a[::-1], [3, 7], sorter=numpy.arange(15)[::-1])
    for bins in ([0, 5, 10], [10, 5, 0], [0, 5, 5, 10], [1, 3, 2]):
        for right in (False, True):
            check("digitize", [1, 5, 10, -3, 7], bins, right)
            check("digitize", rng.normal(size=(2, 3)), bins, right)
    for a in samples("?ild"):
        for axis in (None, 0, 1, -1):
            check("argmax", a, axis)
            check("argmin", a, axis, keepdims=True)
        check("nonzero", a)
        check("flatnonzero", a)
        check("argwhere", a)
        check("count_nonzero", a)
        check("count_nonzero", a, 0)


def test_unique():
    with_nan = numpy.array([1, numpy.nan, 2, numpy.nan, 1])
    for a in (
        rng.integers(0, 5, 20),
        rng.integers(0, 3, (6, 2)),
        with_nan,
        numpy.array([]),
        numpy.array([True, False, True]),
        numpy.array(3),
        rng.integers(0, 3, 9) + 1j,
        with_nan.astype("f4"),
        [3, 1, 3],
        rng.integers(0, 2, (4, 3, 2)),
    ):
        for index in (False, True):
            for inverse in (False, True):
                for counts in (False, True):
                    for axis in (None, 0, 1, -1):
                        check("unique", a, index, inverse, counts, axis)
                    check("unique", a, index, inverse, counts, equal_nan=False)
        for name in ("unique_counts", "unique_inverse", "unique_all"):
            check(name, a)
        import tessera.numpy as tnp

        assert sorted(map(str, tnp.unique_values(tnp.array(a)).tolist())) == sorted(
            map(str, numpy.unique_values(a).tolist())
        )


def test_set_operations():
    pairs = [
        (rng.integers(0, 9, 8), rng.integers(0, 9, 6)),
        ([1.5, 2], [2, 3]),
        ([], [1, 2]),
        ([[1, 2], [2, 3]], [2]),
        (rng.integers(0, 90, 40), rng.integers(0, 99, 30)),
        (rng.normal(size=30), rng.normal(size=20)),
        (numpy.array([True]), numpy.array([False, True])),
        (numpy.arange(5, dtype="u1"), numpy.array([-1, 2, 300])),
    ]
    for a, b in pairs:
        for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d", "isin"):
            check(name, a, b)
        check("isin", a, b, invert=True)
        for kind in ("sort", "table", "x"):
            check("isin", a, b, kind=kind)
        check("intersect1d", a, b, return_indices=True)
        check("intersect1d", numpy.unique(a), numpy.unique(b), assume_unique=True, return_indices=True)
        check("setdiff1d", numpy.unique(a), numpy.unique(b), assume_unique=True)
        check("setxor1d", numpy.unique(a), numpy.unique(b), assume_unique=True)
