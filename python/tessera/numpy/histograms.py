"""Histograms in one and more dimensions, and the rules that choose their bins."""

from __future__ import annotations

import math
import operator

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import as_array, gives_plain, native, ndarray, warn
from tessera.numpy.order_statistics import percentile
from tessera.numpy.products import matmul
from tessera.numpy.ranges import linspace
from tessera.numpy.reductions import mean, ptp, std

__all__ = ["bincount", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]


# --- How wide a bin should be, by each named rule; 0 where the data do not say. ----------------------------------------


def _spread(x):
    """Highest minus lowest element; of integers without overflow."""
    return int(x.max()) - int(x.min()) if x.dtype.kind in "iu" else ptp(x)


def _sturges(x, bounds):
    return _spread(x) / (numpy.log2(x.size) + 1.0)


def _rice(x, bounds):
    return _spread(x) / (2.0 * x.size ** (1.0 / 3))


def _sqrt(x, bounds):
    return _spread(x) / numpy.sqrt(x.size)


def _scott(x, bounds):
    return (24.0 * numpy.pi**0.5 / x.size) ** (1.0 / 3.0) * std(x)


def _freedman_diaconis(x, bounds):
    high, low = percentile(x, [75, 25])
    return 2.0 * (high - low) * x.size ** (-1.0 / 3.0)


def _doane(x, bounds):
    if x.size <= 2:
        return 0.0
    error = numpy.sqrt(6.0 * (x.size - 2) / ((x.size + 1.0) * (x.size + 3)))
    sigma = std(x)
    if not sigma > 0.0:
        return 0.0
    skew = mean(((x - mean(x)) / sigma) ** 3)
    return _spread(x) / (1.0 + numpy.log2(x.size) + numpy.log2(1.0 + numpy.absolute(skew) / error))


def _stone(x, bounds):
    n, span = x.size, _spread(x)
    if n <= 1 or span == 0:
        return 0

    def risk(bins):
        share = histogram(x, bins=bins, range=bounds)[0] / n
        return (2 - (n + 1) * matmul(share, share)) / (span / bins)

    most = max(100, int(numpy.sqrt(n)))
    best = min(range(1, most + 1), key=risk)
    if best == most:
        warn("The number of bins estimated may be suboptimal.", RuntimeWarning)
    return span / best


def _auto(x, bounds):
    # Data with a narrow middle would get far too many bins by the first rule alone; the second bounds them.
    width = max(_freedman_diaconis(x, bounds), _sqrt(x, bounds) / 2)
    return min(width, _sturges(x, bounds))


_rules = {
    "stone": _stone,
    "auto": _auto,
    "doane": _doane,
    "fd": _freedman_diaconis,
    "rice": _rice,
    "scott": _scott,
    "sqrt": _sqrt,
    "sturges": _sturges,
}


def _outer_edges(a, bounds):
    if bounds is not None:
        first, last = bounds
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
        if not (numpy.isfinite(first) and numpy.isfinite(last)):
            raise ValueError(f"supplied range of [{first}, {last}] is not finite")
    elif a.size == 0:
        first, last = 0, 1
    else:
        first, last = a.min(), a.max()
        if not (numpy.isfinite(first) and numpy.isfinite(last)):
            raise ValueError(f"autodetected range of [{first}, {last}] is not finite")
    if first == last:
        first, last = first - 0.5, last + 0.5
    return first, last


def _prepared(a, weights):
    a = as_array(a)
    if a.dtype.char == "?":
        warn(f"Converting input from {a.dtype} to {numpy.uint8} for compatibility.", RuntimeWarning)
        a = a.astype(numpy.uint8)
    if weights is not None:
        weights = as_array(weights)
        if weights.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        weights = weights.ravel()
    return a.ravel(), weights


def _bins(a, bins, bounds, weights):
    """The edges, and (first, last, count) when the bins are of one width."""
    count = edges = None
    if isinstance(bins, str):
        if bins not in _rules:
            raise ValueError(f"{bins!r} is not a valid estimator for `bins`")
        if weights is not None:
            raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
        first, last = _outer_edges(a, bounds)
        if bounds is not None:
            a = a[(a >= first) & (a <= last)]
        count = 1
        if a.size:
            width = _rules[bins](a, (first, last))
            if width and a.dtype.kind in "iu" and width < 1:
                width = 1
            if width:
                span = (
                    int(last) - int(first) if a.dtype.kind in "iu" and bounds is None else numpy.subtract(last, first)
                )
                count = int(numpy.ceil(span / width))
    elif numpy.ndim(bins) == 0:
        try:
            count = operator.index(bins)
        except TypeError as error:
            raise TypeError("`bins` must be an integer, a string, or an array") from error
        if count < 1:
            raise ValueError("`bins` must be positive, when an integer")
        first, last = _outer_edges(a, bounds)
    elif numpy.ndim(bins) == 1:
        edges = as_array(bins)
        if (edges[:-1] > edges[1:]).any():
            raise ValueError("`bins` must increase monotonically, when an array")
    else:
        raise ValueError("`bins` must be 1d, when an array")
    if count is None:
        return edges, None
    kind = numpy.result_type(first, last, a.dtype)
    if kind.kind in "iu":
        kind = numpy.result_type(kind, float)
    edges = linspace(first, last, count + 1, endpoint=True, dtype=kind)
    if (edges[:-1] >= edges[1:]).any():
        raise ValueError(f"Too many bins for data range. Cannot create {count} finite-sized bins.")
    return edges, (first, last, count)


@native
def bincount(x, /, weights=None, minlength=0):
    """How often, or with how much weight, each non-negative integer occurs.

    Shapes: (largest + 1,), at least `minlength`. Dtypes: int64, float64 with weights. Errors: ValueError for negative
    numbers, more than one dimension or weights of another length; TypeError where `x` is not of integers.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.bincount([0, 2, 2, 3])
    array([1, 0, 2, 1])
    """
    if type(x) is ndarray and weights is None and x.size and x.dtype.char != "L":
        return core.bincount(x, None, minlength)
    if isinstance(x, (list, tuple)) and not numpy.size(x):
        x = core.empty((0,), numpy.intp)
    x, minlength = as_array(x), operator.index(minlength)
    if x.dtype.kind == "u":
        x = x.astype(numpy.intp)
    if x.size == 0 and x.ndim == 1 and minlength >= 0 and x.dtype.kind in "biu":
        return core.full((minlength,), 0, numpy.intp)
    return core.bincount(x, None if weights is None else as_array(weights), minlength)


@native
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of the bins that `histogram` would use.

    Shapes: (bins + 1,). Dtypes: at least float64, or those of edges given. Errors: ValueError for a number of bins below 1,
    edges that fall, a range that is not finite or falls, or weights of another shape; TypeError for a named estimator beside
    weights. Source: estimators of widths by Sturges 1926, Doane 1976, Scott 1979, Freedman and Diaconis 1981, Stone 1984 and
    others, by name.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.histogram_bin_edges([0, 4], bins=2)
    array([0., 2., 4.])
    """
    a, weights = _prepared(a, weights)
    return _bins(a, bins, range, weights)[0]


@gives_plain
def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many elements, or how much weight, each bin holds; and the bins' edges.

    Shapes: (bins,) and (bins + 1,). Dtypes: int64 counts, float64 densities, sums in the weights' dtype; edges at least
    float64. Errors: ValueError for a number of bins below 1, edges that fall, a range that is not finite or falls, or weights
    of another shape; TypeError for a named estimator beside weights. Source: estimators of widths by Sturges 1926, Doane
    1976, Scott 1979, Freedman and Diaconis 1981, Stone 1984 and others, by name.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.histogram([1, 2, 2, 5], bins=2)
    (array([3, 1]), array([1., 3., 5.]))
    """
    a, weights = _prepared(a, weights)
    edges, uniform = _bins(a, bins, range, weights)
    if uniform is not None and (
        weights is None or numpy.can_cast(weights.dtype, numpy.double) or weights.dtype.kind == "c"
    ):
        counts = _count_uniform(a, weights, edges, *uniform, may_lie_outside=range is not None)
    else:
        counts = _count_sorted(a, weights, edges)
    if density:
        widths = (edges[1:] - edges[:-1]).astype(float)
        return counts / widths / counts.sum(), edges
    return counts, edges


def _edge_finder(edges, first, last, count):
    """A function of positions that gives the edges there but for the last: by linspace's own arithmetic, where that is all it does,
    so that nothing is looked up."""
    if edges.dtype == numpy.double and count <= 100_000:
        first, last = numpy.double(first), numpy.double(last)
        step = (last - first) / count
        if numpy.array_equal(numpy.arange(count) * step + first, numpy.linspace(first, last, count + 1)[:-1]):
            return lambda at: at * step + first
    return lambda at: core.take(edges, at)


def _count_uniform(a, weights, edges, first, last, count, may_lie_outside):
    kind = edges.dtype
    inside = (a >= first) & (a <= last) if may_lie_outside else None
    if may_lie_outside and not inside.all():
        a = a[inside]
        weights = None if weights is None else weights[inside]
    x = a.astype(kind, copy=False)
    span = numpy.subtract(kind.type(last), kind.type(first))
    at = (core.subtract(x, kind.type(first)) / span * count).astype(numpy.intp)
    at = core.minimum(at, count - 1)
    # Rounding may have put an element next to an edge into the wrong bin.
    edge = _edge_finder(edges, first, last, count)
    at = at - (x < edge(at))
    at = at + ((x >= edge(at + 1)) & (at != count - 1))
    if weights is None:
        return core.bincount(at, None, count)
    if weights.dtype.kind == "c":
        counts = core.empty((count,), weights.dtype)
        counts.real = core.bincount(at, weights.real, count)
        counts.imag = core.bincount(at, weights.imag, count)
        return counts
    return core.bincount(at, weights, count).astype(weights.dtype)


def _count_sorted(a, weights, edges):
    if weights is None:
        ordered = core.sort(a, -1, None)
        below = core.searchsorted(ordered, edges[:-1], "left", None)
        through = core.searchsorted(ordered, edges[-1:], "right", None)
        bounds = core.concatenate((below, through))
        return bounds[1:] - bounds[:-1]
    order = core.argsort(a, -1, None)
    ordered, weights = core.take(a, order), core.take(weights, order)
    sums = core.concatenate((core.full((1,), 0, weights.dtype), core.cumsum(weights)))
    below = core.searchsorted(ordered, edges[:-1], "left", None)
    through = core.searchsorted(ordered, edges[-1:], "right", None)
    bounds = core.take(sums, core.concatenate((below, through)))
    return bounds[1:] - bounds[:-1]


@native
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """Counts on a grid of bins over points of several coordinates; and the edges along each.

    Shapes: bins along each coordinate and a list of edges'. Dtypes: float64. Errors: ValueError for a number of bins below 1,
    edges that fall, a range that is not finite or falls, or weights of another shape, or as many bins as there are not
    coordinates.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.histogramdd(np.array([[0, 0], [1, 1]]), bins=2)[0]
    array([[1., 0.],
           [0., 1.]])
    """
    try:
        count, dims = sample.shape
    except (AttributeError, ValueError):
        columns = [as_array(column) for column in sample] if isinstance(sample, (list, tuple)) else None
        from tessera.numpy.joining import stack
        from tessera.numpy.manipulation import atleast_2d

        sample = atleast_2d(sample if columns is None or columns[0].ndim == 0 else stack(columns)).T
        count, dims = sample.shape
    sample = as_array(sample)
    weights = None if weights is None else as_array(weights)
    try:
        if len(bins) != dims:
            raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    except TypeError:
        bins = dims * [bins]
    if range is None:
        range = (None,) * dims
    elif len(range) != dims:
        raise ValueError("range argument must have one entry per dimension")
    edges = [_edges_along(sample[:, k], bins[k], range[k], k) for k in numpy.arange(dims).tolist()]
    shape = tuple([edge.size + 1 for edge in edges])
    if math.prod(shape) > numpy.iinfo(numpy.intp).max:
        raise ValueError("invalid dims: array size defined by dims is larger than the maximum possible size.")
    flat = None
    for k, edge in enumerate(edges):
        column = sample[:, k]
        at = core.searchsorted(edge, column, "right", None)
        # The last bin has both its edges.
        at = at - (column == edge[-1])
        flat = at if flat is None else flat * shape[k] + at
    grid = core.bincount(flat, weights, math.prod(shape)).reshape(shape).astype(float, copy=False)
    grid = grid[(slice(1, -1),) * dims]
    if density:
        total = grid.sum()
        for k, edge in enumerate(edges):
            widths = (edge[1:] - edge[:-1]).reshape((1,) * k + (-1,) + (1,) * (dims - k - 1))
            grid = grid / widths
        grid = grid / total
    return grid, tuple(edges)


def _edges_along(column, bins, bounds, axis):
    if numpy.ndim(bins) == 0:
        if bins < 1:
            raise ValueError(f"`bins[{axis}]` must be positive, when an integer")
        first, last = _outer_edges(column, bounds)
        try:
            count = operator.index(bins)
        except TypeError as error:
            raise TypeError(f"`bins[{axis}]` must be an integer, when a scalar") from error
        return linspace(first, last, count + 1)
    if numpy.ndim(bins) == 1:
        edges = as_array(bins)
        if (edges[:-1] > edges[1:]).any():
            raise ValueError(f"`bins[{axis}]` must be monotonically increasing, when an array")
        return edges
    raise ValueError(f"`bins[{axis}]` must be a scalar or 1d array")


@native
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """Counts on a grid of bins over pairs; and the edges along x and y.

    Shapes: (bins along x, bins along y) and both edges'. Dtypes: float64. Errors: ValueError for a number of bins below 1,
    edges that fall, a range that is not finite or falls, or weights of another shape, or where x and y differ in length.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.histogram2d([0, 1], [0, 1], bins=2)[0]
    array([[1., 0.],
           [0., 1.]])
    """
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    try:
        given = len(bins)
    except TypeError:
        given = 1
    if given not in (1, 2):
        bins = [as_array(bins)] * 2
    x, y = as_array(x), as_array(y)
    sample = core.empty((len(x), 2), numpy.result_type(x.dtype, y.dtype))
    sample[:, 0] = x
    sample[:, 1] = y
    counts, edges = histogramdd(sample, bins, range, density, weights)
    return counts, edges[0], edges[1]
