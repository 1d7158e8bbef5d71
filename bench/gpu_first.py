"""How long the first result of an expression takes on one GPU."""

from __future__ import annotations

import statistics
import time

import numpy
import tessera.numpy as np

import tessera


def compile_times():
    """First results on 10^7 elements, with the driver's cache as the environment says; what was computed before is no first."""
    a = np.array(numpy.random.default_rng(7).random(10**7))
    b = a * 1.0
    tessera.synchronize()

    def first(call):
        start = time.perf_counter()
        result = call()
        tessera.synchronize()
        return 1e3 * (time.perf_counter() - start), result

    def chain(k):
        c = np.sqrt(b * b + float(k)) / (b + 2.0)
        for _ in range(k + 1):
            c = c * b + b
        return c

    yield "first result of a new expression", statistics.median(first(lambda k=k: chain(k))[0] for k in range(5)), "ms"
    yield "first sum of all", first(lambda: float(np.sum(b)))[0], "ms"
    sums = (
        lambda: np.sum(b * b),
        lambda: np.sum(np.sqrt(b) + 1.0),
        lambda: np.sum(abs(b - 0.5)),
        lambda: np.sum(b / (b + 2.0)),
        lambda: np.sum((b - 1.0) * b * b),
    )
    yield (
        "first sum of a new expression",
        statistics.median(first(lambda call=call: float(call()))[0] for call in sums),
        "ms",
    )
    yield "first max of all", first(lambda: float(np.max(b)))[0], "ms"
    yield (
        "first sum, max along rows, columns",
        statistics.median(
            first(lambda f=f, axis=axis: f(b.reshape(2500, 4000), axis=axis))[0]
            for f in (np.sum, np.max)
            for axis in (0, 1)
        ),
        "ms",
    )
    yield "first cumsum", first(lambda: np.cumsum(b))[0], "ms"
    yield "first sort", first(lambda: np.sort(b))[0], "ms"
    yield "first argmax", first(lambda: int(np.argmax(b)))[0], "ms"
