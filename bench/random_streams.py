"""Seeded random streams beside NumPy's: long draws and calls of few numbers, the best of several runs.

Beside the clock stands the processor time of all threads, which says how the threads would do with a core each where other
programs keep the cores busy.

    PYTHONPATH=python .venv/bin/python bench/random_streams.py [--size 10000000] [--runs 5] [name ...]
"""

import argparse
import time

import numpy as np
import tessera.numpy as tnp
from measure import per_call, settle

from tessera import _core


def generators(module):
    return {"PCG64": module.random.default_rng(0), "RandomState": module.random.RandomState(0)}


LONG = [
    ("PCG64", "random f64", lambda g, n: g.random(n)),
    ("PCG64", "random f32", lambda g, n: g.random(n, dtype="f4")),
    ("PCG64", "integers(0, 10**6)", lambda g, n: g.integers(0, 10**6, n)),
    ("PCG64", "integers(0, 100) uint8", lambda g, n: g.integers(0, 100, n, dtype="u1")),
    ("PCG64", "standard_normal f64", lambda g, n: g.standard_normal(n)),
    ("PCG64", "standard_normal f32", lambda g, n: g.standard_normal(n, dtype="f4")),
    ("PCG64", "standard_exponential f64", lambda g, n: g.standard_exponential(n)),
    ("PCG64", "standard_exponential f32", lambda g, n: g.standard_exponential(n, dtype="f4")),
    ("RandomState", "random_sample", lambda g, n: g.random_sample(n)),
    ("RandomState", "randint(0, 10**6)", lambda g, n: g.randint(0, 10**6, n)),
    ("RandomState", "randn", lambda g, n: g.randn(n)),
    ("PCG64", "gamma(2.5)", lambda g, n: g.standard_gamma(2.5, n)),
    ("PCG64", "gamma(0.5)", lambda g, n: g.standard_gamma(0.5, n)),
    ("PCG64", "beta(2, 3)", lambda g, n: g.beta(2, 3, n)),
    ("PCG64", "chisquare(3)", lambda g, n: g.chisquare(3, n)),
    ("PCG64", "binomial(100, 0.4)", lambda g, n: g.binomial(100, 0.4, n)),
    ("PCG64", "poisson(4)", lambda g, n: g.poisson(4, n)),
    ("PCG64", "poisson(50)", lambda g, n: g.poisson(50, n)),
]
SHORT = [(kind, name, call) for kind, name, call in LONG if kind == "RandomState" or "f32" not in name]


def best(call, generator, n, runs):
    """Least seconds by the clock and of processor time."""
    clock, processor = [], []
    for _ in range(runs):
        start = time.perf_counter(), time.process_time()
        result = settle(call(generator, n))
        clock.append(time.perf_counter() - start[0])
        processor.append(time.process_time() - start[1])
        del result
    return min(clock), min(processor)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    ours, theirs = generators(tnp), generators(np)
    chosen = [row for row in LONG if not arguments.names or any(name in row[1] for name in arguments.names)]
    threads = _core.cpus()
    print(
        f"{arguments.size} numbers, best of {arguments.runs}: ms by the clock; ns of processor time a number, of {threads} threads"
    )
    for kind, name, call in chosen:
        (a, c), (b, d) = (best(call, g[kind], arguments.size, arguments.runs) for g in (ours, theirs))
        per_number = 1e9 / arguments.size
        print(
            f"{kind:12} {name:26} {a * 1e3:8.1f} {b * 1e3:8.1f} {b / a:6.2f}x   {c * per_number:6.2f} {d * per_number:6.2f} "
            f"{threads * d / c:6.2f}x",
            flush=True,
        )
    print("calls of 1, 10, 1,000 numbers, us (ours / NumPy)")
    for kind, name, call in SHORT:
        if (kind, name, call) not in chosen:
            continue
        cells = []
        for n in (1, 10, 1000):
            a, b = (per_call(lambda g=g: call(g[kind], n), 0.02, 3) for g in (ours, theirs))
            cells.append(f"{a * 1e6:8.2f} /{b * 1e6:8.2f}")
        print(f"{kind:12} {name:26}", *cells, flush=True)


if __name__ == "__main__":
    main()
