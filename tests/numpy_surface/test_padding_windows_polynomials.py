"""pad, windows, polynomials, and functions that apply functions."""

import numpy
import pytest
import tessera.numpy as tnp
from differential import check, same

rng = numpy.random.default_rng(13)


@pytest.mark.parametrize(
    "a",
    [
        numpy.arange(5),
        numpy.arange(12.0).reshape(3, 4),
        numpy.array([3]),
        numpy.arange(8).reshape(2, 2, 2),
        numpy.zeros((0, 2)),
        numpy.arange(1, 7, dtype="u1"),
    ],
    ids=lambda a: str(a.shape),
)
def test_pad(a):
    for width in (0, 1, 2, 7, (1, 3), ((2, 1),) * a.ndim, {0: 2}, {-1: (1, 2)}, -1, 1.5):
        for mode in (
            "constant",
            "edge",
            "wrap",
            "reflect",
            "symmetric",
            "linear_ramp",
            "maximum",
            "minimum",
            "mean",
            "median",
            "odd",
        ):
            check("pad", a, width, mode, rtol=1e-12)
        for reflect_type in ("odd", "even"):
            check("pad", a, width, "reflect", reflect_type=reflect_type)
            check("pad", a, width, "symmetric", reflect_type=reflect_type)
        check("pad", a, width, constant_values=7)
        check("pad", a, width, constant_values=(1, 2))
        check("pad", a, width, "linear_ramp", end_values=9)
        for mode in ("maximum", "minimum", "mean", "median"):
            check("pad", a, width, mode, stat_length=2)
            check("pad", a, width, mode, stat_length=0) if mode in ("maximum", "minimum") else None
        check("pad", a, width, "edge", constant_values=1)

    def fill(vector, pads, axis, kwargs):
        vector[: pads[0]] = kwargs.get("value", 5)
        if pads[1]:
            vector[-pads[1] :] = axis

    check("pad", a, 2, fill)
    check("pad", a, 2, fill, value=1)


def test_windows():
    for m in (0, 1, 2, 5, 12, -1, 7.0):
        for name in ("bartlett", "blackman", "hamming", "hanning"):
            check(name, m)
        for beta in (0, 5, 14.0):
            check("kaiser", m, beta, rtol=1e-12)
    check("i0", numpy.linspace(-30, 30, 101), rtol=1e-13)


def test_polynomials():
    ps = ([1, 2, 3], [1.5, -2], [0, 0, 1], [4], [1j, 2], [0], [2, 0, -3, 0, 0])
    for p in ps:
        check("roots", p, rtol=1e-9, may_fall_back=True)
        check("polyval", p, 2.5)
        check("polyval", p, [1, 2, 3])
        check("polyval", p, 3)
        check("poly", p, rtol=1e-9, may_fall_back=True)
        for m in (0, 1, 2, 5, -1):
            check("polyder", p, m)
            check("polyint", p, m)
        check("polyint", p, 2, [1, 2])
        check("polyint", p, 2, 5)
        for q in ps:
            for name in ("polyadd", "polysub", "polymul", "polydiv"):
                if name == "polydiv" and q[0] == 0:
                    continue
                check(name, p, q)
    check("poly", [[1.0, 2], [3, 4]], rtol=1e-9, may_fall_back=True)
    x = numpy.linspace(0, 1, 9)
    y = rng.normal(size=9)
    for degree in (0, 1, 3):
        check("polyfit", x, y, degree, rtol=1e-8, may_fall_back=True)
        check("polyfit", x, y, degree, full=True, rtol=1e-8, may_fall_back=True)
        check("polyfit", x, y, degree, cov=True, rtol=1e-8, may_fall_back=True)
        check("polyfit", x, y, degree, w=numpy.arange(1, 10), rtol=1e-8, may_fall_back=True)
    check("polyfit", x, numpy.stack([y, y * 2], 1), 2, rtol=1e-8, may_fall_back=True)
    check("polyfit", x, y[:3], 2)


def test_poly1d():
    p, q = numpy.poly1d([1, 2, 3]), tnp.poly1d([1, 2, 3])
    assert str(p) == str(q) and repr(p) == repr(q) and p.order == q.order and len(p) == len(q)
    for f in (
        lambda x: x + 1,
        lambda x: x * x,
        lambda x: x - x,
        lambda x: x**3,
        lambda x: -x,
        lambda x: 2 * x,
        lambda x: x.deriv(),
        lambda x: x.integ(),
        lambda x: x / 2.0,
        lambda x: 3 - x,
    ):
        same(numpy.asarray(f(p)), tnp.asarray(f(q).coeffs), 1e-12, "poly1d")
    assert q(2) == p(2) and q[1] == p[1] and q[9] == 0 and isinstance(q, numpy.poly1d) and q == tnp.poly1d([1, 2, 3])
    same(p([1, 2]), q([1, 2]), 0, "a polynomial's values")
    same([x.coeffs for x in p / numpy.poly1d([1, 1])], [x.coeffs for x in q / tnp.poly1d([1, 1])], 1e-12, "division")
    q[4] = 5
    same(numpy.array([5, 0, 1, 2, 3]), q.coeffs, 0, "setting a coefficient")


def test_functional():
    a = numpy.arange(24.0).reshape(2, 3, 4)
    for axis in (0, 1, -1, 3):
        check("apply_along_axis", lambda v: v.sum(), axis, a)
        check("apply_along_axis", lambda v: v[:2] * 2, axis, a)
        check("apply_along_axis", lambda v: v[:, None] * v, axis, a)
    check("apply_along_axis", lambda v: v.sum(), 0, numpy.arange(3))
    check("apply_over_axes", lambda x, k: x.sum(k), a, [0, 2])
    check("apply_over_axes", lambda x, k: x.sum(k, keepdims=True), a, -1)
    for f in (numpy, tnp):
        v = f.vectorize(lambda x, y=2: x * y if x > 1 else -x)
        assert v([1, 2, 3]).tolist() == [-1, 4, 6] and isinstance(v([1.5]), f.ndarray)
        assert v(f.arange(3), y=3).tolist() == [0, -1, 6]
        w = f.vectorize(lambda u, k: u[k], signature="(n),()->()")
        assert w(f.arange(6).reshape(2, 3), [0, 2]).tolist() == [0, 5]
    assert tnp.vectorize(abs, otypes=[float])([-1, 2]).dtype == float


def test_sliding_windows():
    from numpy.lib import stride_tricks as theirs
    from tessera.numpy.lib import stride_tricks as ours

    a = numpy.arange(20).reshape(4, 5)
    for arguments in (((2, 3),), (3, 1), ((2,), 0), (2, (0, 1)), ((9, 9),), (-1, 0)):
        try:
            expected = theirs.sliding_window_view(a, *arguments)
        except ValueError:
            with pytest.raises(ValueError):
                ours.sliding_window_view(tnp.array(a), *arguments)
            continue
        same(expected, ours.sliding_window_view(tnp.array(a), *arguments), 0, f"sliding_window_view{arguments}")
    same(theirs.as_strided(a, (2, 2), (40, 8)), ours.as_strided(tnp.array(a), (2, 2), (40, 8)), 0, "as_strided")


def test_emath():
    for name in ("sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh"):
        for x in ([-1, 0.5], [0.5, 0.25], -2, numpy.float32(-2), [1j]):
            check(f"emath.{name}", x, rtol=1e-12)
    check("emath.power", [2, 4], -2)
    check("emath.power", [-2, 4], 0.5)
    check("emath.logn", 2, [4, -8])
