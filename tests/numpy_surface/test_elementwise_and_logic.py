"""Rounding, clipping, comparing, bits, indexing helpers, calculus."""

import numpy
import pytest
from differential import check, make, samples

rng = numpy.random.default_rng(7)
special = numpy.array([1.5, numpy.nan, numpy.inf, -numpy.inf, -0.0, 0, 2.5])


def test_rounding_and_clipping():
    for a in samples("?bilefdFD"):
        for decimals in (0, 1, 2, -1):
            check("round", a, decimals)
        check("around", a)
        check("fix", a)
        if a.dtype.kind in "iuf":
            for bounds in (
                (1, 3),
                (None, 2),
                (0, None),
                (None, None),
                (2.5, 3.5),
                ([1] * (a.shape[-1] if a.ndim else 1), 4),
            ):
                check("clip", a, *bounds)
            check("clip", a, min=1, max=2)
            check("clip", a, min=1)
            check("clip", a, -1000, 1000)
            check("clip", a, 1, 3, dtype=float)
    check("round", special, 1)
    check("round", 2.567, 2)
    check("round", [1.5, 2.5])
    check("clip", special, 0, 1)
    check("clip", [1, 5], 2, 3, min=1)
    check("clip", [1, 5], 2)
    check("clip", numpy.arange(4.0), 1, 2, out=numpy.zeros(4))


def test_parts():
    for a in samples("?ilfdFD"):
        for name in (
            "real",
            "imag",
            "angle",
            "real_if_close",
            "isreal",
            "iscomplex",
            "isrealobj",
            "iscomplexobj",
            "nan_to_num",
        ):
            check(name, a)
        if a.dtype.kind in "ifd":
            check("sinc", a, rtol=1e-12)
            check("i0", a, rtol=1e-12)
        check("isposinf", a)
        check("isneginf", a)
    for a in (special, special.astype("f4"), special + 1j * special, numpy.float64(numpy.nan), [1, numpy.inf]):
        check("nan_to_num", a)
        check("nan_to_num", a, nan=7, posinf=1.5, neginf=-2)
        check("isposinf", a) if not numpy.iscomplexobj(a) else None
    check("angle", 1 + 1j, True)
    check("real_if_close", numpy.array([1 + 1e-15j]))
    check("real_if_close", numpy.array([1 + 1e-3j]))
    check("sinc", 0.0)
    check("sinc", 0.5)


def test_comparing():
    for a, b in (
        (special, special),
        (1.0, 1 + 1e-9),
        ([1, 2], [1, 2.1]),
        (numpy.arange(3), numpy.arange(3)),
        (special, 1.5),
        (1, 1),
        (numpy.float32(1), numpy.float64(1 + 1e-7)),
        ([1, 2], [1, 2, 3]),
        (1j, 1j + 1e-9),
        ([[1], [2]], [1, 2]),
        ([True], [True]),
        (numpy.inf, numpy.inf),
    ):
        for name in ("isclose", "allclose", "array_equal", "array_equiv"):
            check(name, a, b)
        check("isclose", a, b, equal_nan=True)
        check("allclose", a, b, rtol=0, atol=1)
        check("array_equal", a, b, equal_nan=True)
    check("isfortran", numpy.ones((2, 3), order="F"))
    check("may_share_memory", numpy.arange(3), numpy.arange(3))


def test_bits():
    for a in (
        numpy.array([1, 0, 1, 1, 0, 0, 0, 1, 1], bool),
        rng.integers(0, 2, (3, 11)),
        numpy.array([], bool),
        numpy.array([1.5]),
    ):
        for order in ("big", "little", "x"):
            for axis in (None, 0, -1):
                check("packbits", a, axis, order)
    for a in (numpy.array([1, 130, 255], "u1"), rng.integers(0, 256, (2, 3)).astype("u1"), numpy.array([1])):
        for order in ("big", "little"):
            for axis in (None, 0, -1):
                for count in (None, 5, -3, 40):
                    check("unpackbits", a, axis, count, order)


def test_indexing_helpers():
    a = rng.integers(0, 9, (3, 4))
    for mode in ("raise", "wrap", "clip"):
        for indices in (1, [0, 2], [[1], [5]], -1, -5):
            check("take", a, indices, mode=mode)
            for axis in (0, 1, -1):
                check("take", a, indices, axis, mode=mode)
        check("choose", [0, 1, 2], [[1, 2, 3], [4, 5, 6], [7, 8, 9.5]], mode=mode)
        check("choose", [0, 1, 7], [[1, 2, 3], [4, 5, 6], 10], mode=mode)
        check("ravel_multi_index", ([0, 1], [3, 1]), (2, 4), mode)
        check("ravel_multi_index", ([0, 5], [3, 1]), (2, 4), mode)
    check("choose", a % 2, (a, -a))
    check("choose", 1, [3, 4])
    check("ravel_multi_index", ([0, 1], [3, 1]), (2, 4), order="F")
    check("ravel_multi_index", (1, 2), (2, 4))
    for index in (5, [5, 7], 99, -1, [[1], [2]], 2.5, []):
        check("unravel_index", index, (3, 4))
        check("unravel_index", index, (3, 4), "F")
    check("compress", [True, False, True], a, 0)
    check("compress", [0, 1], a)
    check("compress", [False, True, True, False, True], a, 1)
    check("extract", a > 3, a)
    check("where", a > 3)
    check("where", a > 3, a, -a)
    check("where", a > 3, 1, 0.5)
    check("where", a > 3, numpy.float32(2), a.astype("f4"))
    check("where", True, 1, 2)
    check("where", a, 1)
    check("select", [a > 5, a > 2], [a, -a])
    check("select", [a > 5, a > 2], [a, -a], 1.5)
    check("select", [a > 5], [1], 2)
    check("select", [a > 5], [a, a])
    check("select", [a], [a])
    check("piecewise", a * 1.0, [a < 3, a > 5], [lambda x: -x, 7])
    check("piecewise", a * 1.0, [a < 3, a > 5], [lambda x: -x, 7, lambda x: x * x])
    check("piecewise", 2.0, [True], [lambda x: x * 2])
    check("piecewise", a * 1.0, [a < 3], [1, 2, 3])
    order = numpy.argsort(a, 1)
    check("take_along_axis", a, order, 1)
    check("take_along_axis", a, order[:, :1], 1)
    check("take_along_axis", a, numpy.arange(4), None)
    check("take_along_axis", a, order * 1.5, 1)


def mutated(name, target, *args, **kwargs):
    import tessera.numpy as tnp
    from differential import to_tessera

    ours, theirs = tnp.array(target), target.copy()
    try:
        getattr(numpy, name)(theirs, *args, **kwargs)
    except Exception as error:  # noqa: BLE001
        with pytest.raises(type(error)):
            getattr(tnp, name)(ours, *to_tessera(args), **kwargs)
        return
    getattr(tnp, name)(ours, *to_tessera(args), **kwargs)
    numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


def test_writing_helpers():
    a = rng.integers(0, 9, (3, 4))
    for values in (5, [1, 2], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], [], 2.7, numpy.array([], int)):
        for mask in (a > 4, a > 100, [True], a):
            mutated("place", a, mask, values)
            mutated("putmask", a, mask, values)
            mutated("place", a * 1.0, mask, values)
            mutated("putmask", a * 1.0, mask, values)
    for mode in ("raise", "wrap", "clip"):
        mutated("put", a, [0, 5, 17], [1, 2], mode=mode)
        mutated("put", a, [0, -1], 7, mode=mode)
    mutated("put_along_axis", a, numpy.argmax(a, 1, keepdims=True), 99, 1)
    mutated("put_along_axis", a, numpy.array([1, 2]), 99, None)
    for x in (
        numpy.zeros((3, 3)),
        numpy.zeros((5, 3)),
        numpy.zeros((3, 5)),
        numpy.zeros((2, 2, 2)),
        numpy.zeros(3),
        numpy.zeros((2, 3, 4)),
    ):
        for wrap in (False, True):
            mutated("fill_diagonal", x, 4, wrap=wrap)
            mutated("fill_diagonal", x, [1, 2], wrap=wrap)


def test_calculus():
    a = rng.normal(size=(4, 5))
    for x in (
        a,
        a[0],
        numpy.arange(5),
        numpy.array([True, False, True]),
        numpy.arange(5, dtype="u1"),
        numpy.array(3),
        a.astype("f4"),
    ):
        for n in (0, 1, 2, 7, -1):
            for axis in (-1, 0):
                check("diff", x, n, axis)
        check("diff", x, prepend=0)
        check("diff", x, append=1, prepend=0)
        check("diff", x, axis=0, prepend=x[:1] if x.ndim else 0)
        check("ediff1d", x)
        check("ediff1d", x, to_begin=9, to_end=[1, 2])
        check("gradient", x)
        check("gradient", x, 2.0)
        check("gradient", x, edge_order=2)
        check("gradient", x, axis=0)
        check("trapezoid", x)
        check("trapezoid", x, dx=0.5)
        check("trapezoid", x, axis=0)
    check("gradient", a, 1.0, 2.0)
    check("gradient", a, numpy.arange(4) ** 2.0, numpy.arange(5.0))
    check("gradient", a, numpy.arange(4) ** 2.0, numpy.arange(5.0) ** 1.5, edge_order=2)
    check("gradient", a, numpy.arange(3), axis=0)
    check("gradient", a, 1.0, 2.0, 3.0)
    check("trapezoid", a, numpy.arange(5) ** 2)
    check("trapezoid", a, numpy.arange(20.0).reshape(4, 5) ** 2)
    x = numpy.linspace(-1, 6, 20)
    for period in (None, 3, -2.5, 0):
        check("interp", x, [0, 1, 3, 5], [1, 2, 0, 4.0], period=period)
    check("interp", x, [0, 1, 3], [1j, 2, 0])
    check("interp", x, [0, 1, 3], [1, 2, 0], left=-9, right=9)
    check("interp", 0.5, [0, 1], [1, 2])
    check("interp", x, [0, 1], [1, 2, 3])
    check("interp", x, [], [])
    phase = numpy.cumsum(rng.normal(size=(3, 20)), 1) * 3
    for axis in (0, 1, -1):
        check("unwrap", numpy.angle(numpy.exp(1j * phase)), axis=axis)
        check("unwrap", phase % 4, period=4, axis=axis)
    check("unwrap", numpy.array([0, 1, 2, -1, 0]), period=4)
    check("unwrap", phase, discont=4)
    for u, v in (
        (a[:, :3], a[:, 1:4]),
        (a[0, :3], a[:, :3]),
        ([1, 2, 3], [4, 5, 6]),
        (a[:, :2], a[:, :3]),
        (a[:, :2], a[:, 2:4]),
        (a[:, :3], a[:, :2]),
        (a, a),
        (numpy.int8([1, 2, 3]), [1, 2, 3]),
    ):
        check("cross", u, v)
    check("cross", a[:3], a[:3], axis=0)
    check("cross", a[:3], a[1:], axisa=0, axisb=0, axisc=0)
