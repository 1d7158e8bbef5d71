"""Two builds of tessera on this machine, taking turns: what changed in the times of bench/README.md.

python bench/compare_builds.py BEFORE AFTER    folders that hold a built package `tessera`

Each round starts a process a build; a figure is the least of its rounds, ratios are after / before.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import time

os.environ.setdefault("TESSERA_CPUS", "2")
sys.path.insert(0, str(pathlib.Path(__file__).parent))


def small_calls(np):
    """Calls on arrays of ten elements and on a small matrix, as (name, function)."""
    import numpy

    rng = numpy.random.default_rng(3)
    a, b = (np.asarray(rng.random(10)) for _ in range(2))
    big, rows = np.asarray(rng.random((100, 100))), np.asarray(rng.random((5, 2)))
    k, picks = np.asarray(rng.permutation(10)), [1, 3, 5]

    def store():
        big[3, 4] = 1.5

    def add_in_place():
        nonlocal a
        a += 1.0

    return [
        ("a+b", lambda: a + b),
        ("a += 1", add_in_place),
        ("A[i, j]", lambda: big[3, 4]),
        ("A[i, j] = x", store),
        ("slice", lambda: big[1:-1, 2:]),
        ("a[list]", lambda: a[picks]),
        ("take", lambda: np.take(a, k)),
        ("take axis 1", lambda: np.take(rows, [1, 0], axis=1)),
        ("argmax", lambda: a.argmax()),
        ("argsort", lambda: np.argsort(a)),
        ("searchsorted", lambda: np.searchsorted(a, b)),
        ("bincount", lambda: np.bincount(k)),
        ("matmul", lambda: rows.T @ rows),
        ("sum, read", lambda: float(a.sum())),
    ]


def measure_build():
    """Seconds a figure of the build that is imported here."""
    import common_ops
    import measure
    import numpy
    import programs
    import tessera.numpy as np
    from tessera.scipy import special as ours_special

    from tessera import _core

    def settled(function, *operands):
        return lambda: (function(np, *operands), _core.synchronize())

    times = {name: measure.per_call(call, 0.03) for name, call in small_calls(np)}
    for size in (10, 1000, 100_000, 10_000_000):
        rng = numpy.random.default_rng(5)
        data = [rng.random(size) + 0.1, rng.random(size) + 0.1, rng.integers(0, size, size), rng.random(size) < 0.5]
        mine = [np.asarray(x) for x in data]
        for _, name, function in common_ops.OPS:
            rounds = 5 if size < 10_000_000 else 3
            times[f"{name} {size}"] = measure.per_call(settled(function, *mine), 0.01, rounds)
    times["heat 3502^2"] = measure.seconds(lambda: programs.heat(np, 3502, 100), repeat=3)
    for dtype in ("float64", "float32"):
        mine = [np.asarray(x) for x in programs.black_scholes_inputs(10_000_000, dtype)]
        times[f"Black-Scholes {dtype}"] = measure.seconds(
            lambda inputs=mine: programs.black_scholes(np, ours_special.erf, *inputs, 0.02, 0.3)
        )
    times["cavity 41^2"] = measure.seconds(lambda: programs.cavity(np, 41, 700, 50), repeat=3)
    times["cavity 1000^2"] = measure.seconds(lambda: programs.cavity(np, 1000, 4, 50), repeat=3)
    matrix = np.asarray(numpy.random.default_rng(4).random((300, 300)) + 300 * numpy.eye(300))
    times["LU by rows 300^2"] = measure.seconds(lambda: programs.lu_by_rows(np, matrix))
    times |= recording_times(np, _core)
    return times


def recording_times(np, core):
    """Seconds a recorded operation, planning and running outside, and of np.sort of settled arrays too large to run at once."""
    import numpy

    rng = numpy.random.default_rng(6)
    a, b = (np.asarray(rng.random((60, 60))) for _ in range(2))
    names = {}
    steps = rng.choice(["+ a", "- b", "* 0.5", "+ 1.5", "/ 2.0"], 400)
    exec("\n".join(["def run(a, b):", "  t = a * b", *(f"  t = t {step}" for step in steps), "  return t"]), names)

    def spent(record, count):
        core.synchronize()
        start = time.perf_counter()
        kept = record()
        seconds = (time.perf_counter() - start) / count
        core.synchronize()
        del kept
        return seconds

    big = np.asarray(rng.random((200, 200)))
    return {
        "record a binary op": min(spent(lambda: names["run"](a, b), 401) for _ in range(30)),
        "record np.sort": min(spent(lambda: [np.sort(big) for _ in range(20)], 20) for _ in range(30)),
    }


def run_build(folder):
    """The times of the build in `folder`, measured in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    out = subprocess.run(
        [sys.executable, __file__, "--measure"], env=environment, check=True, capture_output=True, text=True
    )
    return json.loads(out.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builds", nargs="*", metavar="folder", help="before, after")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(measure_build()))
        return
    if len(args.builds) != 2:
        parser.error("give two folders, before and after")
    rounds = [[run_build(folder) for folder in args.builds] for _ in range(args.rounds)]
    before, after = ({name: min(r[k][name] for r in rounds) for name in rounds[0][k]} for k in (0, 1))
    for name, seconds in before.items():
        spread = [r[1][name] / r[0][name] for r in rounds]
        print(
            f"{name:28} {seconds * 1e6:12.3f} us {after[name] * 1e6:12.3f} us  {after[name] / seconds:5.2f}"
            f"   ({min(spread):.2f} to {max(spread):.2f})"
        )
    mean = math.exp(sum(math.log(after[name] / before[name]) for name in before) / len(before))
    print(f"geometric mean of {len(before)} ratios: {mean:.3f}")


if __name__ == "__main__":
    main()
