"""Sums, extremes, means, variances, and their nan forms."""

import numpy
from differential import check, make, samples

rng = numpy.random.default_rng(3)


def axes_of(a):
    return [None, *range(-a.ndim, a.ndim), a.ndim] + ([(0, 1), (0, -1), ()] if a.ndim > 1 else [])


def test_reductions():
    for a in samples():
        for name in (
            "sum",
            "prod",
            "max",
            "min",
            "amax",
            "amin",
            "all",
            "any",
            "ptp",
            "mean",
            "std",
            "var",
            "count_nonzero",
            "nansum",
            "nanprod",
            "nanmax",
            "nanmin",
            "nanmean",
            "nanstd",
            "nanvar",
        ):
            for axis in axes_of(a):
                # Where a product of halves overflows, NumPy's warning depends on the order of its loops.
                quiet = a.dtype.char == "e" and "prod" in name
                check(name, a, axis, rtol=1e-10, same_warnings=not quiet)
                check(name, a, axis, keepdims=True, rtol=1e-10, same_warnings=not quiet)
        for name in ("cumsum", "cumprod", "nancumsum", "nancumprod", "argmax", "argmin", "nanargmax", "nanargmin"):
            for axis in axes_of(a):
                if not isinstance(axis, tuple):
                    check(name, a, axis, rtol=1e-10, same_warnings=a.dtype.char != "e")


def test_options():
    a = rng.normal(size=(4, 5))
    where = a > 0
    for name in ("sum", "prod", "max", "min", "nansum", "nanmax", "nanmin", "nanprod"):
        for axis in (None, 0, 1, (0, 1)):
            check(name, a, axis, initial=3.0)
            check(name, a, axis, initial=3.0, where=where)
            check(name, a, axis, where=where)
        check(name, a, 0, out=numpy.zeros(5))
        check(name, a, 0, out=numpy.zeros(4))
        check(name, [1, 2, 3])
        check(name, 5)
    for name in ("mean", "std", "var", "all", "any", "nanmean", "nanstd", "nanvar"):
        for axis in (None, 0, 1, (0, 1)):
            check(name, a, axis, where=where)
            check(name, a, axis, where=where, keepdims=True)
            check(name, a, axis, where=False)
        check(name, a, 0, out=numpy.zeros(5, bool if name in ("all", "any") else float))
    for name in ("std", "var", "nanstd", "nanvar"):
        for ddof in (0, 1, 2.5, 4, 5, 30):
            for axis in (None, 0, 1):
                check(name, a, axis, ddof=ddof)
        check(name, a, 0, correction=1)
        check(name, a, 0, ddof=1, correction=1)
        check(name, a, 0, mean=a.mean(0, keepdims=True))
        check(name, a, 0, dtype="f4")
        check(name, a.astype("f4"), 0, dtype="f8", rtol=1e-6)
        check(name, a + 1j, 0)
        check(name, a.astype("e"), 0)
    for name in ("sum", "prod", "mean", "nansum", "nanmean", "cumsum", "cumprod"):
        for dtype in ("f4", "f8", "i8", "c8"):
            check(name, numpy.arange(6).reshape(2, 3), 0, dtype=dtype)
            check(name, numpy.arange(6.0).reshape(2, 3), 0, dtype=dtype)
            check(name, numpy.arange(6.0).reshape(2, 3), dtype=dtype) if name[:3] != "cum" else None
    for name in ("cumulative_sum", "cumulative_prod"):
        check(name, numpy.arange(1, 5))
        check(name, numpy.arange(1, 7).reshape(2, 3))
        for axis in (0, 1, -1, 2):
            check(name, numpy.arange(1, 7).reshape(2, 3), axis=axis)
            check(name, numpy.arange(1, 7).reshape(2, 3), axis=axis, include_initial=True)
            check(name, numpy.arange(1, 7.0).reshape(2, 3), axis=axis, include_initial=True, dtype="f4")
        check(name, 3)
    check("max", [])
    check("max", numpy.zeros((0, 3)), 0)
    check("max", numpy.zeros((0, 3)), 1)
    check("sum", (i for i in range(3)))


def test_nans():
    a = rng.normal(size=(4, 6))
    a[1, 2] = a[0, 0] = numpy.nan
    b = a.copy()
    b[2] = numpy.nan
    c = numpy.array([numpy.nan, numpy.nan])
    d = (a + 1j).astype(complex)
    for x in (
        a,
        b,
        c,
        a.astype("f4"),
        a.T,
        d,
        numpy.array(numpy.nan),
        numpy.array([]),
        numpy.array([numpy.inf, 1, numpy.nan]),
    ):
        for name in (
            "nansum",
            "nanprod",
            "nanmax",
            "nanmin",
            "nanmean",
            "nanstd",
            "nanvar",
            "nanmedian",
            "nancumsum",
            "nancumprod",
            "sum",
            "mean",
            "max",
            "min",
            "std",
            "median",
            "argmax",
            "argmin",
            "nanargmax",
            "nanargmin",
            "ptp",
        ):
            if x.dtype.kind == "c" and "median" in name:
                continue
            for axis in (None, 0, 1):
                check(name, x, axis, rtol=1e-10, same_warnings=x.dtype.kind != "c")
        for name in ("nanmedian", "nanmean", "nanmax"):
            check(name, x, keepdims=True) if x.dtype.kind != "c" else None
    for x in (a, b):
        for name in ("nanpercentile", "nanquantile", "percentile", "quantile"):
            scale = 100 if "percentile" in name else 1
            for q in (0.3, [0.1, 0.5], numpy.array([[0.2], [0.9]]), 0, 1, 1.2):
                for axis in (None, 0, 1, (0, 1)):
                    check(name, x, numpy.multiply(q, scale) if not isinstance(q, (int, float)) else q * scale, axis)
                    check(
                        name,
                        x,
                        numpy.multiply(q, scale) if not isinstance(q, (int, float)) else q * scale,
                        axis,
                        keepdims=True,
                    )


METHODS = (
    "inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear median_unbiased "
    "normal_unbiased lower higher midpoint nearest nonsense"
).split()


def test_order_statistics():
    for a in (
        rng.normal(size=11),
        rng.normal(size=(5, 4)),
        rng.integers(0, 9, (6, 3)),
        rng.normal(size=(4, 3, 2)).astype("f4"),
        numpy.array([5]),
        numpy.array([True, False, True]),
        numpy.array([]),
        numpy.array(3.0),
        rng.integers(0, 9, 7).astype("u1"),
    ):
        for axis in (None, 0, 1, -1, (0, 1)):
            check("median", a, axis)
            check("median", a, axis, keepdims=True)
            for method in METHODS:
                for q in (0.25, 0, 1, [0.1, 0.5, 0.93], numpy.float32(0.4)):
                    check("quantile", a, q, axis, method=method)
            check("percentile", a, [25, 50], axis, keepdims=True)
    a, w = rng.normal(size=(5, 4)), rng.integers(0, 4, (5, 4)) + 0.0
    w[0] = 1
    for axis in (None, 0, 1, (0, 1)):
        for q in (0.25, [0.0, 0.5, 1]):
            check("quantile", a, q, axis, method="inverted_cdf", weights=w)
            check("nanquantile", a, q, axis, method="inverted_cdf", weights=w)
            check("percentile", a, q, axis, method="inverted_cdf", weights=w, keepdims=True)
    check("quantile", a, 0.5, 1, method="inverted_cdf", weights=numpy.array([1.0, 2, 1, 0]))
    check("quantile", a, 0.5, 0, method="linear", weights=w)
    check("quantile", a, 0.5, 0, method="inverted_cdf", weights=-w)
    check("quantile", a + 1j, 0.5)
    check("median", a, 0, out=numpy.zeros(4))
    check("percentile", a, 30, 0, out=numpy.zeros(4))


def test_averages():
    a = rng.normal(size=(4, 3))
    for weights in (None, rng.random((4, 3)), numpy.arange(4), numpy.arange(3.0), [1, 2, 3], numpy.zeros(4)):
        for axis in (None, 0, 1, (0, 1)):
            check("average", a, axis, weights)
            check("average", a, axis, weights, returned=True)
            check("average", a, axis, weights, keepdims=True)
            check("average", numpy.arange(12).reshape(4, 3), axis, weights)


def test_covariances():
    a, b = rng.normal(size=(3, 8)), rng.normal(size=(3, 8))
    for m in (
        a,
        a[0],
        a.astype("f4"),
        a + 1j * b,
        numpy.arange(12).reshape(3, 4),
        a[:, :1],
        numpy.zeros((0, 3)),
        a.reshape(2, 3, 4),
    ):
        for kwargs in ({}, {"rowvar": False}, {"bias": True}, {"ddof": 2}, {"dtype": "f4"}, {"ddof": 1.5}):
            check("cov", m, **kwargs, rtol=1e-10, same_warnings=not numpy.iscomplexobj(m))
        check("corrcoef", m, rtol=1e-10)
    check("cov", a, b)
    check("cov", a[0], b[0])
    check("corrcoef", a, b)
    check("cov", a, fweights=numpy.arange(8))
    check("cov", a, aweights=numpy.arange(8.0))
    check("cov", a, fweights=numpy.arange(8), aweights=numpy.arange(8.0), ddof=0)
    check("cov", a, fweights=numpy.arange(8), aweights=numpy.arange(8.0))
    check("cov", a, fweights=numpy.arange(8) + 0.5)
    check("cov", a, fweights=numpy.arange(7))
    check("cov", a, aweights=-numpy.arange(8))


def test_sliding_sums():
    for x, y in (
        (rng.normal(size=9), rng.normal(size=4)),
        (numpy.arange(5), numpy.arange(3)),
        (rng.normal(size=60), rng.normal(size=33)),
        (numpy.arange(3), numpy.arange(6.0)),
        (rng.normal(size=4) + 1j, rng.normal(size=3) - 1j),
        (numpy.array([True, False, True]), numpy.array([True, True])),
        (numpy.arange(4, dtype="u1"), numpy.arange(2, dtype="i1")),
        (numpy.arange(3), numpy.array([])),
        (numpy.ones((2, 2)), numpy.ones(2)),
        ([1, 2], 3),
    ):
        for mode in ("valid", "same", "full", 1, "other"):
            check("convolve", x, y, mode)
            check("correlate", x, y, mode)


def test_histograms():
    for a in (
        rng.normal(size=100),
        rng.integers(0, 50, 80),
        rng.normal(size=(4, 5)).astype("f4"),
        numpy.array([1.0]),
        numpy.array([]),
        numpy.array([True, False, True]),
        numpy.array([1, 2, numpy.nan]),
    ):
        for bins in (
            10,
            3,
            [0, 1, 2.5],
            numpy.linspace(-2, 2, 9),
            "auto",
            "fd",
            "doane",
            "scott",
            "stone",
            "rice",
            "sturges",
            "sqrt",
            "none",
            0,
            [3, 1],
            2.5,
        ):
            check("histogram", a, bins)
            check("histogram_bin_edges", a, bins)
            check("histogram", a, bins, range=(-1, 1.5))
            if not isinstance(bins, str):
                check("histogram", a, bins, density=True)
                check("histogram", a, bins, weights=numpy.ones(a.shape) * 0.5)
                check("histogram", a, bins, weights=numpy.arange(a.size).reshape(a.shape))
    check("histogram", [1, 2, 3], 3, weights=[1j, 2, 3])
    check("histogram", [1, 2, 3], [0, 2, 4], weights=[1j, 2, 3])
    check("histogram", [1, 2], range=(2, 1))
    check("histogram", [1, 2], range=(0, numpy.inf))
    x, y = rng.normal(size=50), rng.normal(size=50)
    for bins in (5, (3, 4), [0, 1, 2, 3], ([0, 1, 2], [0.0, 2]), (3, [0, 1, 2])):
        check("histogram2d", x, y, bins)
        check("histogram2d", x, y, bins, density=True)
        check("histogram2d", x, y, bins, weights=numpy.arange(50.0))
        check("histogram2d", x, y, bins, range=[[-1, 1], [0, 2]])
    check("histogramdd", rng.normal(size=(40, 3)), 4)
    check("histogramdd", rng.normal(size=(40, 3)), (2, 3, 4))
    check("histogramdd", [x, y], 4)
    check("histogramdd", rng.normal(size=(40, 3)), (2, 3))
    for values in ([1, 2, 2, 5], [], numpy.array([3, 1], "u1"), [-1, 2], [[1]]):
        check("bincount", values)
        check("bincount", values, minlength=8)
        check("bincount", values, numpy.arange(len(values)) * 0.5)
