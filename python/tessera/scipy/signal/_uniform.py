"""Lomb-Scargle sums at evenly spaced frequencies, by matrix products.

Frequencies are cut into blocks of 2 h + 1: omega = a + b with a the middle of a block and b = -h d, ..., h d. With
cos(a t) cos(b t) and its like summed over the points by one matrix product, cos((a +- b) t) follows for both signs:
cos((a +- b) t) = cos cos -+ sin sin, sin((a +- b) t) = sin cos +- cos sin. About 2 sqrt(m) cosines a point instead of m,
and 4 operations of a matrix product for each point, frequency and sum.
"""

from __future__ import annotations

import math
from typing import Any


def half_width(count: int) -> int:
    """h for this many frequencies: as many products for a as for b."""
    return max(1, math.isqrt(max(1, count // 2)))


def sums(t: Any, w: Any, wy: Any, first: Any, step: Any, count: int, floating: bool) -> tuple[Any, Any, int]:
    """The sums at frequencies first + step k, k < count: for those above the middles of blocks, and for those below.

    Shapes: t, w, wy: (series, points); first, step: (1 or series,). Result: two arrays (4 or 6, series, blocks, h + 1), of
    frequency a + b and a - b at [..., b]; wy cos, wy sin, w cos 2, w sin 2 (of twice the angle) and, with a floating mean,
    w cos, w sin; and h.
    Dtypes: float64.
    """
    import tessera.numpy as np

    h = half_width(count)
    blocks = -(-count // (2 * h + 1))
    middles = first[:, None] + step[:, None] * (h + (2 * h + 1) * np.arange(blocks, dtype=float))
    offsets = step[:, None] * np.arange(h + 1, dtype=float)
    a = middles[:, :, None] * t[:, None, :]  # series, blocks, points
    b = t[:, :, None] * offsets[:, None, :]  # series, points, h + 1
    weighted = [(1, wy[:, None, :]), (2, w[:, None, :])] + ([(1, w[:, None, :])] if floating else [])
    right: dict[int, Any] = {}
    above, below = [], []
    for factor, weight in weighted:
        if factor not in right:
            right[factor] = np.concatenate([np.cos(factor * b), np.sin(factor * b)], axis=2)
        left = np.concatenate([weight * np.cos(factor * a), weight * np.sin(factor * a)], axis=1)
        product = left @ right[factor]
        cos_cos, cos_sin = product[:, :blocks, : h + 1], product[:, :blocks, h + 1 :]
        sin_cos, sin_sin = product[:, blocks:, : h + 1], product[:, blocks:, h + 1 :]
        above += [cos_cos - sin_sin, sin_cos + cos_sin]
        below += [cos_cos + sin_sin, sin_cos - cos_sin]
    return above, below, h
