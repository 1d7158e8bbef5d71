"""What graphs, explanations and progress cost, and that they cost nothing while they are off: python bench/tracing.py

Loops of small and middle work, microseconds an iteration, best of interleaved rounds: before anything was traced, after a trace has
ended, while progress is counted, and within a trace, where each window is waited for.
"""

import argparse
import time

import tessera.numpy as np

import tessera
from tessera import _core


def small(n):
    a = np.arange(4000.0)
    for _ in range(n):
        a = np.sqrt(a * a + 1.0)
        a[0] = a[-1]
    return a


def middle(n):
    a = np.arange(200_000.0)
    for _ in range(n):
        a = a * 0.999 + 0.5
    return float(a[3])


def at_once(n):
    a = np.arange(10.0)
    for _ in range(n):
        a = a + 1.0
    return a


def microseconds(program, n):
    start = time.perf_counter()
    program(n)
    tessera.synchronize()
    return 1e6 * (time.perf_counter() - start) / n


def counted(program, n):
    _core.count_progress(True)
    try:
        return microseconds(program, n)
    finally:
        _core.count_progress(False)


def traced(program, n):
    with tessera.graph():
        return microseconds(program, n)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    programs = {
        "4,000 elements": (small, 2000),
        "200,000 elements": (middle, 300),
        "10 elements, at once": (at_once, 20_000),
    }
    print(
        f"{_core.cpus()} threads\n{'microseconds an iteration':26}{'off':>9}{'off again':>11}{'progress':>10}{'traced':>9}"
    )
    before = {name: min(microseconds(*program) for _ in range(options.rounds)) for name, program in programs.items()}
    for name, program in programs.items():
        rounds = [(traced(*program), microseconds(*program), counted(*program)) for _ in range(options.rounds)]
        on, off, progress = (min(times) for times in zip(*rounds, strict=True))
        print(f"{name:26}{before[name]:9.2f}{off:11.2f}{progress:10.2f}{on:9.2f}")


if __name__ == "__main__":
    main()
