"""Lomb-Scargle periodograms at evenly spaced frequencies, by matrix products.

Frequencies are cut into blocks of 2 h + 1: omega = a + b with a the middle of a block and b = -h d, ..., h d. With
cos(a t) cos(b t) and its like summed over the points by one matrix product, cos((a +- b) t) follows for both signs:
cos((a +- b) t) = cos cos -+ sin sin, sin((a +- b) t) = sin cos +- cos sin. About sqrt(2 m) cosines and sines a point instead
of m, and 4 operations of a matrix product for each point, frequency and sum.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy

from tessera import cuda
from tessera.scipy.signal import _direct, _fit, _frequencies

# So many evenly spaced frequencies, and more, go by matrix products.
FEWEST = 32


def half_width(count: int) -> int:
    """h for this many frequencies: as many rows for a as for b."""
    return max(1, math.isqrt(max(1, count // 2)))


def blocks_of(count: int) -> int:
    """How many blocks so many frequencies make."""
    return -(-count // (2 * half_width(count) + 1))


@functools.cache
def matrices_kernel(kind: str, floating: bool) -> Any:
    """Fills rows of cosines and sines, and those of twice the angle: for middles of blocks times wy (with a floating mean times w,
    too) and w, for distances from them as they are."""
    cos_sin = _direct.FUNCTIONS[kind]
    in_quarters = kind != "wide"
    quarters, radians = _direct.QUARTERS, _direct.RADIANS

    @cuda.jit
    def lombscargle_matrices(t, w, wy, omegas, once, twice, distances_once, distances_twice):
        j = cuda.grid(1)
        row, series = cuda.blockIdx.y, cuda.blockIdx.z
        middles = twice.shape[1] // 2
        omega = omegas[min(series, omegas.shape[0] - 1), row]
        hi, lo = omega, 0.0
        if in_quarters:
            hi = omega * quarters
            lo = cuda.fma(-hi, radians, omega) * quarters
        if j < t.shape[1]:
            c, s = cos_sin(hi, lo, t[series, j])
            c2, s2 = 1.0 - 2.0 * s * s, 2.0 * s * c
            if row < middles:
                by, by_y = w[series, j], wy[series, j]
                once[series, row, j] = by_y * c
                once[series, middles + row, j] = by_y * s
                twice[series, row, j] = by * c2
                twice[series, middles + row, j] = by * s2
                if floating:
                    once[series, 2 * middles + row, j] = by * c
                    once[series, 3 * middles + row, j] = by * s
            else:
                k = row - middles
                distances = omegas.shape[1] - middles
                distances_once[series, k, j] = c
                distances_once[series, distances + k, j] = s
                distances_twice[series, k, j] = c2
                distances_twice[series, distances + k, j] = s2

    return lombscargle_matrices


@functools.cache
def join_kernel(fit: _fit.Fit) -> Any:
    """From the products to the fits, a frequency a thread."""
    floating, store = fit.floating, _fit.store(fit)

    @cuda.jit(device=True)
    def at(product, series, row, middles, column, distances, sign):
        """The sums of the cosines and of the sines: cos cos -+ sin sin, sin cos +- cos sin."""
        cos_cos, cos_sin = product[series, row, column], product[series, row, distances + column]
        sin_cos, sin_sin = product[series, middles + row, column], product[series, middles + row, distances + column]
        return cos_cos - sign * sin_sin, sin_cos + sign * cos_sin

    @cuda.jit
    def lombscargle_join(once, twice, scale, out):
        k = cuda.grid(1)
        row, series = cuda.blockIdx.y, cuda.blockIdx.z
        middles, distances = twice.shape[1] // 2, twice.shape[2] // 2
        width = 2 * distances - 1
        i = row * width + k
        if k < width and i < out.shape[1]:
            from_middle = k - (distances - 1)
            sign = 1.0 if from_middle >= 0 else -1.0
            column = abs(from_middle)
            yc, ys = at(once, series, row, middles, column, distances, sign)
            c2, s2 = at(twice, series, row, middles, column, distances, sign)
            c, s = 0.0, 0.0
            if floating:
                c, s = at(once, series, 2 * middles + row, middles, column, distances, sign)
            store(out, series, i, scale[series], yc, ys, 0.5 + 0.5 * c2, 0.5 * s2, c, s)

    return lombscargle_join


def bytes_a_point(count: int, floating: bool) -> int:
    """What periodogram() stores for a point of a series while it runs."""
    return 8 * ((6 if floating else 4) * blocks_of(count) + 4 * (half_width(count) + 1))


def periodogram(
    t: Any, w: Any, wy: Any, first: numpy.ndarray, step: numpy.ndarray, scale: Any, kind: str, fit: _fit.Fit, out: Any
) -> None:
    """Fills `out` with the fit of each series at frequencies first + step k.

    Shapes: t, w, wy: (series, points); first, step: (1 or series,); scale: (series,); out: (series, m), with a last axis of 2 for
    amplitudes. Dtypes: float64, out any real one. `kind` is "double" or "wide", as in _direct.
    """
    import tessera.numpy as np

    (series, points), count = t.shape, out.shape[1]
    distances, middles = half_width(count) + 1, blocks_of(count)
    offsets = numpy.concatenate(
        [distances - 1.0 + (2 * distances - 1.0) * numpy.arange(middles), numpy.arange(distances)]
    )
    omegas = step[:, None] * offsets
    omegas[:, :middles] += first[:, None]
    omegas = np.asarray(omegas)
    t, w, wy, scale = map(np.asarray, (t, w, wy, scale))
    at_once = max(1, _direct.bytes_at_once() // (series * bytes_a_point(count, fit.floating)))
    products: list[Any] = []
    for begin in range(0, points, at_once):
        part = [values[:, begin : begin + at_once] for values in (t, w, wy)]
        rows = ((4 if fit.floating else 2) * middles, 2 * middles, 2 * distances, 2 * distances)
        filled = [np.empty((series, each, part[0].shape[1])) for each in rows]
        grid = (-(-part[0].shape[1] // _frequencies.BLOCK), middles + distances, series)
        matrices_kernel(kind, fit.floating)[grid, _frequencies.BLOCK](*part, omegas, *filled)
        new = [a @ b.swapaxes(1, 2) for a, b in zip(filled[:2], filled[2:])]
        products = [known + more for known, more in zip(products, new)] if products else new
    join_kernel(fit)[(-(-(2 * distances - 1) // _frequencies.BLOCK), middles, series), _frequencies.BLOCK](
        *products, scale, out
    )
