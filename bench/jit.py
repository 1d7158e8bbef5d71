"""Loops in Python by tessera.jit and by Numba, one source, one process: python bench/jit.py [--only REGEXP]

Medians of rounds, single-threaded; first calls include compilation, with tessera's caches in an empty folder. Results are compared with each other.
First calls from disk are the least of four more processes with the same caches, after a function that opens the library; what a later call takes is subtracted,
and the time is the thread's, which other work on the machine does not lengthen.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("TESSERA_CACHE", tempfile.mkdtemp())
os.environ.setdefault("NUMBA_CACHE_DIR", tempfile.mkdtemp())

import numpy as np


def total(x):
    t = 0
    for i in range(x.shape[0]):
        t += x[i]
    return t


def total_of_floats(x):
    t = 0.0
    for i in range(x.shape[0]):
        t += x[i]
    return t


def smooth(x):
    out = np.zeros_like(x)
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            out[i, j] = (
                x[i - 1, j - 1]
                + x[i - 1, j]
                + x[i - 1, j + 1]
                + x[i, j - 1]
                + x[i, j]
                + x[i, j + 1]
                + x[i + 1, j - 1]
                + x[i + 1, j]
                + x[i + 1, j + 1]
            ) // 9
    return out


def product(a, b):
    n, m, depth = a.shape[0], b.shape[1], a.shape[1]
    c = np.zeros((n, m))
    for i in range(n):
        for k in range(depth):
            for j in range(m):
                c[i, j] += a[i, k] * b[k, j]
    return c


def mandelbrot(n, iterations):
    out = np.zeros((n, n), dtype=np.int64)
    for i in range(n):
        for j in range(n):
            c = complex(-2.0 + 2.5 * j / n, -1.25 + 2.5 * i / n)
            z = 0j
            count = 0
            while count < iterations and z.real * z.real + z.imag * z.imag < 4.0:
                z = z * z + c
                count += 1
            out[i, j] = count
    return out


def floyd_warshall(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                other = d[i, k] + d[k, j]
                if other < d[i, j]:
                    d[i, j] = other
    return d


def life(grid):
    n, m = grid.shape
    out = np.zeros_like(grid)
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            around = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    around += grid[i + di, j + dj]
            around -= grid[i, j]
            out[i, j] = 1 if around == 3 or (around == 2 and grid[i, j] == 1) else 0
    return out


def levenshtein(a, b):
    row = np.arange(b.size + 1)
    after = np.zeros(b.size + 1, dtype=np.int64)
    for i in range(a.size):
        after[0] = i + 1
        for j in range(b.size):
            cost = 0 if a[i] == b[j] else 1
            after[j + 1] = min(after[j] + 1, row[j + 1] + 1, row[j] + cost)
        row, after = after, row
    return row[b.size]


def sieve(n):
    flags = np.ones(n, dtype=np.bool_)
    for i in range(2, int(math.sqrt(n)) + 1):
        if flags[i]:
            for j in range(i * i, n, i):
                flags[j] = False
    count = 0
    for i in range(2, n):
        if flags[i]:
            count += 1
    return count


def n_body(x, v, steps):
    n = x.shape[0]
    for _ in range(steps):
        for i in range(n):
            ax, ay, az = 0.0, 0.0, 0.0
            for j in range(n):
                dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
                inverse = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz + 0.01)
                f = inverse * inverse * inverse
                ax += f * dx
                ay += f * dy
                az += f * dz
            v[i, 0] += 0.01 * ax
            v[i, 1] += 0.01 * ay
            v[i, 2] += 0.01 * az
        for i in range(n):
            for k in range(3):
                x[i, k] += 0.01 * v[i, k]
    return x


def sparse_times_vector(starts, columns, values, x):
    out = np.zeros(starts.size - 1)
    for i in range(starts.size - 1):
        s = 0.0
        for k in range(starts[i], starts[i + 1]):
            s += values[k] * x[columns[k]]
        out[i] = s
    return out


def black_scholes(spot, strike, years, rate, volatility):
    def cumulative(d):
        k = 1.0 / (1.0 + 0.2316419 * math.fabs(d))
        tail = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        tail *= 0.3989422804014327 * math.exp(-0.5 * d * d)
        return 1.0 - tail if d > 0 else tail

    call = np.empty_like(spot)
    put = np.empty_like(spot)
    for i in range(spot.size):
        root = math.sqrt(years[i])
        d1 = (math.log(spot[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / (volatility * root)
        d2 = d1 - volatility * root
        n1, n2 = cumulative(d1), cumulative(d2)
        discounted = strike[i] * math.exp(-rate * years[i])
        call[i] = spot[i] * n1 - discounted * n2
        put[i] = discounted * (1.0 - n2) - spot[i] * (1.0 - n1)
    return call + put


def cholesky(a):
    n = a.shape[0]
    lower = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= lower[i, k] * lower[j, k]
            if i == j:
                lower[i, j] = math.sqrt(s)
            else:
                lower[i, j] = s / lower[j, j]
    return lower


def metropolis(spins, sweeps, beta, seed):
    np.random.seed(seed)
    n, m = spins.shape
    for _ in range(sweeps):
        for i in range(n):
            for j in range(m):
                around = spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % m] + spins[i, j - 1]
                change = 2 * spins[i, j] * around
                if change <= 0 or np.random.random() < math.exp(-beta * change):
                    spins[i, j] = -spins[i, j]
    return spins


def programs(divisor=1):
    """Functions and their arguments, whose extents are divided by this."""
    rng = np.random.default_rng(0)
    n, thousand, hundreds = 20000 // divisor, 1000 // divisor, 200 // divisor
    starts = np.arange(0, 16 * n + 1, 16)
    yield total, (np.arange(100_000 // divisor),)
    yield total_of_floats, (rng.random(100_000 // divisor),)
    yield smooth, (rng.integers(0, 12, (thousand, thousand)).astype(np.int8),)
    yield product, (rng.random((hundreds, hundreds)), rng.random((hundreds, hundreds)))
    yield mandelbrot, (hundreds, 100)
    yield floyd_warshall, (rng.random((hundreds, hundreds)),)
    yield life, (rng.integers(0, 2, (thousand, thousand)),)
    yield levenshtein, (rng.integers(0, 4, thousand), rng.integers(0, 4, thousand))
    yield sieve, (1_000_000 // divisor,)
    yield n_body, (rng.random((500 // divisor, 3)), np.zeros((500 // divisor, 3)), 2)
    many = 100_000 // divisor
    yield black_scholes, (rng.uniform(10, 50, many), rng.uniform(10, 50, many), rng.uniform(0.1, 2, many), 0.02, 0.3)
    factor = rng.random((hundreds, hundreds))
    yield cholesky, (factor @ factor.T + hundreds * np.eye(hundreds),)
    yield metropolis, (2 * rng.integers(0, 2, (hundreds, hundreds)) - 1, 10, 0.44, 1)
    yield sparse_times_vector, (starts, rng.integers(0, n, 16 * n), rng.random(16 * n), rng.random(n))


def timed(function, arguments, rounds=7, clock=time.perf_counter):
    seconds = []
    for _ in range(rounds):
        given = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in arguments)
        start = clock()
        result = function(*given)
        seconds.append(clock() - start)
    return seconds[0], statistics.median(seconds[1:]), result


def one_more(x):
    return x + 1


def first_calls(decorate):
    """Milliseconds of each program's first call, by name, without what a later one takes."""
    decorate(one_more)(1)  # opens what all of them use
    times = {}
    for function, arguments in programs(50):  # memory that is new to the process takes time, too
        first, later, _ = timed(decorate(function), arguments, clock=time.thread_time)
        times[function.__name__] = (first - later) * 1e3
    return times


def print_first_calls():
    """Of the processes that this starts, the first compiles and the others find what it has compiled."""
    for peer in ("tessera", "numba"):
        runs = []
        for _ in range(5):
            done = subprocess.run([sys.executable, __file__, "--first-calls", peer], capture_output=True, text=True)
            runs.append(json.loads(done.stdout) if done.returncode == 0 else None)
        if all(runs):
            print(f"first calls of {peer}, ms, compiling and from disk:")
            for name in runs[0]:
                print(f"  {name:20} {runs[0][name]:8.1f} {min(run[name] for run in runs[1:]):8.2f}", flush=True)


def nothing():
    return 1


def two_numbers(a, b):
    return a + b


def one_array(x):
    return x[0]


def four_arrays(x, y, z, w):
    return x[0] + y[0] + z[0] + w[0]


def calls():
    """Calls and the values that they are given."""
    arrays = [np.ones(4) for _ in range(4)]
    return (nothing, ()), (two_numbers, (1.0, 2.0)), (one_array, arrays[:1]), (four_arrays, arrays)


def time_of_call(function, arguments):
    """Nanoseconds, the loop included: the least of rounds, which other programs disturb least."""
    function(*arguments)
    count, times = 20_000, []
    for _ in range(25):
        begin = time.perf_counter()
        for _ in range(count):
            function(*arguments)
        times.append((time.perf_counter() - begin) / count * 1e9)
    return min(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument(
        "--first-calls", choices=["tessera", "numba", "both"], help="nothing but these, as JSON for one of the two"
    )
    options = parser.parse_args()
    if options.first_calls == "both":
        return print_first_calls()
    import tessera

    if options.first_calls == "tessera":
        return print(json.dumps(first_calls(tessera.jit)))
    try:
        import numba
    except ImportError:
        numba = None
    if options.first_calls == "numba":
        return print(json.dumps(first_calls(numba.njit(cache=True))))
    print(f"{'':20} {'tessera first':>14} {'tessera ms':>11} {'numba first':>12} {'numba ms':>9} {'ratio':>6}")
    ratios = []
    for function, arguments in programs():
        if not re.search(options.only, function.__name__):
            continue
        first, own, result = timed(tessera.jit(function), arguments)
        line = f"{function.__name__:20} {first * 1e3:11.1f} ms {own * 1e3:11.3f}"
        if numba:
            theirs_first, theirs, expected = timed(numba.njit(function), arguments)
            assert np.allclose(result, expected), function.__name__
            ratios.append(theirs / own)
            line += f" {theirs_first * 1e3:9.1f} ms {theirs * 1e3:9.3f} {theirs / own:6.2f}"
        print(line, flush=True)
    if ratios:
        print(f"geometric mean of numba / tessera: {statistics.geometric_mean(ratios):.2f}")
    for function, arguments in calls():
        if re.search(options.only, function.__name__):
            line = f"call of {function.__name__:12} {time_of_call(tessera.jit(function), arguments):6.0f} ns"
            print(line + (f", Numba {time_of_call(numba.njit(function), arguments):.0f}" if numba else ""))


if __name__ == "__main__":
    main()
