"""Timing that the benchmarks share: medians, side by side in one run."""

import statistics
import time

import numpy


def settle(value):
    """Waits until a lazily recorded result is there."""
    if isinstance(value, tuple):
        for part in value:
            settle(part)
    elif hasattr(value, "block_until_ready"):
        value.block_until_ready()
    elif type(value).__module__.startswith("tessera"):
        from tessera import _core

        _core.synchronize()
    return value


def seconds(compute, repeat=5, warm=1):
    """Median seconds of compute(), its result waited for."""
    for _ in range(warm):
        settle(compute())
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        settle(compute())
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def per_call(compute, budget=0.05, rounds=5):
    """Seconds a call of a cheap compute(), the best of the rounds' means, each round at least `budget` seconds long."""
    number = 1
    while True:
        start = time.perf_counter()
        for _ in range(number):
            compute()
        spent = time.perf_counter() - start
        if spent > budget / 4:
            break
        number *= 4
    number = max(1, int(number * budget / spent))
    best = spent / number if number == 1 else float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(number):
            compute()
        best = min(best, (time.perf_counter() - start) / number)
    return best


def copy_bandwidth(nbytes=100_000_000):
    """Bytes per second, read plus written, that numpy.copyto reaches on two threads."""
    import threading

    source = numpy.ones(nbytes // 8)
    target = numpy.zeros_like(source)
    half = source.size // 2

    def copy():
        parts = [
            threading.Thread(target=numpy.copyto, args=(target[part], source[part]))
            for part in (slice(half), slice(half, None))
        ]
        for part in parts:
            part.start()
        for part in parts:
            part.join()

    return 2 * source.nbytes / seconds(copy, repeat=9)
