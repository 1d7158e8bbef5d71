"""NumPy's seeded random streams drawn on a GPU, beside NumPy and CuPy's generator of its own stream.

    python bench/gpu_random.py [--size 100000000] [--rounds 5] [--check] [name ...]

`--check` also compares the numbers and the state after them with NumPy's.
"""

import argparse
import statistics
import time

import numpy
import tessera.numpy as np
from gpu_measure import CuPy, Tessera, cupy, seconds

import tessera

GENERATOR = [
    ("random f64", lambda g, n: g.random(n)),
    ("random f32", lambda g, n: g.random(n, dtype="f4")),
    ("integers(0, 10**6)", lambda g, n: g.integers(0, 10**6, n)),
    ("standard_normal f64", lambda g, n: g.standard_normal(n)),
    ("standard_normal f32", lambda g, n: g.standard_normal(n, dtype="f4")),
    ("standard_exponential f64", lambda g, n: g.standard_exponential(n)),
    ("standard_exponential f32", lambda g, n: g.standard_exponential(n, dtype="f4")),
]
LEGACY = [
    ("random_sample", lambda g, n: g.random_sample(n)),
    ("randint(0, 10**6)", lambda g, n: g.randint(0, 10**6, n)),
    ("randn", lambda g, n: g.randn(n)),
]


def on_host(call, runs):
    """Median seconds of NumPy's call, and its last result."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return statistics.median(times), result


def state_of(g):
    return str(g.bit_generator.state if isinstance(g, numpy.random.Generator) else g.get_state(legacy=False))


def check(name, call, make, n):
    ours, theirs = make(np), make(numpy)
    with tessera.device("gpu"):
        got = call(ours, n)
        where = tessera.layout(got)
        same = numpy.array_equal(numpy.asarray(got), call(theirs, n)) and state_of(ours) == state_of(theirs)
    print(f"{name:26} {'equals NumPy' if same else 'DIFFERS FROM NUMPY'}, drawn on {', '.join(where)}", flush=True)


def row(name, call, make, n, options):
    g, there = make(numpy), cupy.random.default_rng(1) if cupy and make is modern else None
    if cupy and make is legacy:
        there = cupy.random.RandomState(1)
    numpys, _ = on_host(lambda: call(g, n), 2)
    ours = make(np)
    with tessera.device("gpu"):
        took = seconds(Tessera, lambda: call(ours, n), 3, options.rounds, 0.2)
    line = f"{name:26} {1e3 * took:9.3f} ms  NumPy {1e3 * numpys:9.1f} ({numpys / took:6.1f}x)"
    try:
        theirs = seconds(CuPy, lambda: call(there, n), 3, options.rounds, 0.2) if cupy else None
    except (TypeError, AttributeError, ValueError) as error:
        theirs, line = None, line + f"  CuPy: {error}"
    if theirs:
        line += f"  CuPy {1e3 * theirs:9.3f} ({theirs / took:5.2f}x its speed)"
    print(line, flush=True)


def modern(module):
    return module.random.default_rng(1)


def legacy(module):
    return module.random.RandomState(1)


def pay(xp, g, n):
    z = g.standard_normal(n)
    return xp.maximum(100 * xp.exp(-0.02 + 0.2 * z) - 100, 0).mean()


def monte_carlo(options, n=10_000_000):
    g = modern(numpy)
    numpys, _ = on_host(lambda: pay(numpy, g, n), 3)
    line = ""
    for name, context in (("gpu", lambda: tessera.device("gpu")), ("auto", lambda: tessera.device("auto"))):
        ours = modern(np)
        with context():
            took = seconds(Tessera, lambda: float(pay(np, ours, n)), 3, options.rounds, 0.3)
        line += f" {name} {1e3 * took:.3f} ms (NumPy {numpys / took:.1f}x)"
    if cupy:
        there = modern(cupy)
        theirs = seconds(CuPy, lambda: float(pay(cupy, there, n)), 3, options.rounds, 0.3)
        line += f" CuPy {1e3 * theirs:.3f} ms"
    print(f"Monte Carlo, {n:.0e} paths: {line}; NumPy {1e3 * numpys:.1f} ms", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=100_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    for make, calls in ((modern, GENERATOR), (legacy, LEGACY)):
        for name, call in calls:
            if options.names and not any(word in name for word in options.names):
                continue
            if options.check:
                check(name, call, make, options.size)
            row(name, call, make, options.size, options)
    if not options.names or "monte" in options.names:
        monte_carlo(options)


if __name__ == "__main__":
    main()
