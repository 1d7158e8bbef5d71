"""Lomb-Scargle sums at evenly spaced frequencies, by matrix products.

Frequencies are cut into blocks of 2 h + 1: omega = a + b with a the middle of a block and b = -h d, ..., h d. With
cos(a t) cos(b t) and its like summed over the points by one matrix product, cos((a +- b) t) follows for both signs:
cos((a +- b) t) = cos cos -+ sin sin, sin((a +- b) t) = sin cos +- cos sin. About sqrt(2 m) cosines and sines a point instead
of m, and 4 operations of a matrix product for each point, frequency and sum.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from tessera import cuda
from tessera.scipy.signal import _direct


def half_width(count: int) -> int:
    """h for this many frequencies: as many rows for a as for b."""
    return max(1, math.isqrt(max(1, count // 2)))


@functools.cache
def _kernel(kind: str, weighted: bool, floating: bool) -> Any:
    """Fills rows of cosines and sines, and those of twice the angle, by w; the former by wy and, with a floating mean, by w, too."""
    cos_sin = _direct.FUNCTIONS[kind]
    in_quarters = kind != "wide"
    quarters, radians = _direct.QUARTERS, _direct.RADIANS

    @cuda.jit
    def lombscargle_matrices(t, w, wy, omegas, once, twice):
        j = cuda.grid(1)
        row, series = cuda.blockIdx.y, cuda.blockIdx.z
        rows = omegas.shape[1]
        omega = omegas[min(series, omegas.shape[0] - 1), row]
        hi, lo = omega, 0.0
        if in_quarters:
            hi = omega * quarters
            lo = cuda.fma(-hi, radians, omega) * quarters
        if j < t.shape[1]:
            c, s = cos_sin(hi, lo, t[series, j])
            c2, s2 = 1.0 - 2.0 * s * s, 2.0 * s * c
            if weighted:
                by, by_y = w[series, j], wy[series, j]
                once[series, row, j] = by_y * c
                once[series, rows + row, j] = by_y * s
                twice[series, row, j] = by * c2
                twice[series, rows + row, j] = by * s2
                if floating:
                    once[series, 2 * rows + row, j] = by * c
                    once[series, 3 * rows + row, j] = by * s
            else:
                once[series, row, j] = c
                once[series, rows + row, j] = s
                twice[series, row, j] = c2
                twice[series, rows + row, j] = s2

    return lombscargle_matrices


def _matrices(t: Any, w: Any, wy: Any, omegas: Any, kind: str, weighted: bool, floating: bool) -> tuple[Any, Any]:
    """(series, 2 or 4 times rows, points) of the angle and (series, 2 times rows, points) of twice the angle."""
    import tessera.numpy as np

    (series, points), rows = t.shape, omegas.shape[1]
    once = np.empty((series, (4 if weighted and floating else 2) * rows, points))
    twice = np.empty((series, 2 * rows, points))
    blocks = (-(-points // 128), rows, series)
    _kernel(kind, weighted, floating)[blocks, 128](t, w, wy, omegas, once, twice)
    return once, twice


def bytes_a_point(count: int, floating: bool) -> int:
    """What sums() stores for a point of a series while it runs."""
    h = half_width(count)
    blocks = -(-count // (2 * h + 1))
    return 8 * ((6 if floating else 4) * blocks + 4 * (h + 1))


def sums(
    t: Any, w: Any, wy: Any, first: Any, step: Any, count: int, kind: str, floating: bool
) -> tuple[list[Any], list[Any], int]:
    """The sums at frequencies first + step k, k < count: for those above the middles of blocks, and for those below.

    Shapes: t, w, wy: (series, points); first, step: (1 or series,). Result: two lists of 4 or 6 arrays (series, blocks, h + 1), of
    frequency a + b and a - b at [..., b]: of wy cos, wy sin, w cos and w sin of twice the angle and, with a floating mean,
    w cos, w sin; and h.
    Dtypes: float64. `kind` is "double" or "wide", as in _direct.
    """
    import tessera.numpy as np

    h = half_width(count)
    blocks = -(-count // (2 * h + 1))
    middles = first[:, None] + step[:, None] * (h + (2 * h + 1) * np.arange(blocks, dtype=float))
    offsets = step[:, None] * np.arange(h + 1, dtype=float)
    at_once = max(1, _direct.bytes_at_once() // (t.shape[0] * bytes_a_point(count, floating)))
    products: list[Any] = []
    for begin in range(0, t.shape[1], at_once):
        part = [values[:, begin : begin + at_once] for values in (t, w, wy)]
        left = _matrices(*part, middles, kind, True, floating)
        right = _matrices(*part, offsets, kind, False, floating)
        new = [a @ b.swapaxes(1, 2) for a, b in zip(left, right)]
        products = [known + more for known, more in zip(products, new)] if products else new
    once, twice = products
    above, below = [], []
    for product in (once[:, : 2 * blocks], twice) + ((once[:, 2 * blocks :],) if floating else ()):
        cos_cos, cos_sin = product[:, :blocks, : h + 1], product[:, :blocks, h + 1 :]
        sin_cos, sin_sin = product[:, blocks:, : h + 1], product[:, blocks:, h + 1 :]
        above += [cos_cos - sin_sin, sin_cos + cos_sin]
        below += [cos_cos + sin_sin, sin_cos - cos_sin]
    return above, below, h
