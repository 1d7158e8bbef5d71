"""Whether frequencies are evenly spaced: first, step and how far they are from a line."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy

from tessera import _core, cuda

BLOCK = 128
_MOST_ROWS = 65535  # of a launch
# Threads that look for the largest distance on a device.
_THREADS = 1 << 14


class Frequencies(NamedTuple):
    """Rows of frequencies beside first + step k."""

    first: numpy.ndarray  # (rows,)
    step: numpy.ndarray
    largest: float  # bound of the absolute values
    deviation: float  # NaN where there is one


@functools.cache
def distances_kernel() -> Any:
    """Writes first and last of each row and each thread's largest distance from the line between them, NaN if it met one."""

    @cuda.jit
    def lombscargle_distances(freqs, scale, out):
        i = cuda.grid(1)
        row = cuda.blockIdx.y
        count, lanes = freqs.shape[1], out.shape[1] - 2
        first, last = freqs[row, 0], freqs[row, count - 1]
        step = (last - first) * scale
        worst = 0.0
        for k in range(i, count, lanes):
            distance = abs(freqs[row, k] - cuda.fma(step, float(k), first))
            worst = worst if distance <= worst or worst != worst else distance
        out[row, 2 + i] = worst
        if i == 0:
            out[row, 0] = first
            out[row, 1] = last

    return lombscargle_distances


def lanes_for(rows: int) -> int:
    """How many threads look through a row."""
    return BLOCK * max(1, _THREADS // (BLOCK * rows))


def examine(freqs: Any) -> Frequencies:
    """Of (rows, m) frequencies. Waits for them."""
    import tessera.numpy as np

    rows, count = freqs.shape
    scale = 1.0 / max(1, count - 1)
    if _core.kernels.runs_on_host():
        first, last = freqs[:, 0], freqs[:, -1]
        line = first[:, None] + ((last - first) * scale)[:, None] * np.arange(count, dtype=float)
        found = np.stack([first, last, np.max(np.abs(freqs - line), axis=1)], axis=1)
    else:
        lanes = lanes_for(rows)
        found = np.empty((rows, 2 + lanes))
        for begin in range(0, rows, _MOST_ROWS):
            some = slice(begin, begin + _MOST_ROWS)
            grid = (lanes // BLOCK, min(_MOST_ROWS, rows - begin))
            distances_kernel()[grid, BLOCK](freqs[some], scale, found[some])
    found = numpy.asarray(found)
    first, last, deviation = found[:, 0], found[:, 1], float(numpy.max(found[:, 2:]))
    with numpy.errstate(invalid="ignore", over="ignore"):
        step = (last - first) * scale
    return Frequencies(first, step, float(numpy.max(numpy.abs(found[:, :2]))) + deviation, deviation)
