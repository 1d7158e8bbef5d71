"""NumPy's functions in loops of compiled functions, by tessera and by Numba: python bench/numpy_in_functions.py [--only REGEXP] [--sizes 3,10,100]

    python bench/numpy_in_functions.py --first      only their first calls
    python bench/numpy_in_functions.py --streaming  only 10^6 elements

For each function a loop of 10^5 calls on arrays of 3, 10 and 100 elements, one call on 10^6 elements of those that stream, and the first call of each. One
source, one process, one thread; the least of rounds that alternate between the two.
"""

from __future__ import annotations

import argparse
import linecache
import math
import os
import re
import statistics
import tempfile
import time
from typing import Any

os.environ.setdefault("TESSERA_CACHE", tempfile.mkdtemp())

import numba
import numpy as np

import tessera

CALLS = 100_000
# What a call adds to a sum, of x, rising s, integers k, a regular matrix m and a vector v as long as its rows, of at most 8.
SMALL = """
np.array((x[0], x[1], x[2]))[0] | np.arange(n)[1] | np.linspace(0.0, 1.0, n)[1] | np.eye(n)[1, 1] | np.diag(x)[0, 0] | np.full(n, x[0])[1]
np.concatenate((x, s))[0] | np.stack((x, s))[0, 0] | np.append(x, 1.0)[0] | np.repeat(x, 2)[1] | np.flip(x)[0] | np.roll(x, 1)[1]
np.delete(x, 1)[0] | np.round(x, 2)[0] | np.clip(x, 0.2, 0.8)[0] | np.where(x > 0.5, x, s)[0] | np.sign(x)[0] | np.diff(x)[0] | np.cumsum(x)[1]
np.cumprod(x)[1] | np.ptp(x) | np.median(x) | np.percentile(x, 30) | np.quantile(x, 0.3) | np.nanmean(x) | np.var(x) | np.std(x)
np.argmin(x) | np.argmax(x) | np.any(x > 2) | np.all(x > -1) | np.count_nonzero(x) | np.nonzero(x)[0][0] | np.unique(x)[0] | np.sort(x)[0]
np.argsort(x)[0] | np.partition(x, 1)[1] | np.searchsorted(s, x[0]) | np.searchsorted(s, x)[0] | np.digitize(x, s)[0] | np.bincount(k)[0]
np.histogram(x, 5)[0][0] | np.interp(x, s, s)[0] | np.trapezoid(x) | np.convolve(x, s)[0] | np.correlate(x, s)[0] | np.cross(x[:3], s[:3])[0]
np.outer(v, v)[0, 0] | np.dot(x, s) | np.vdot(x, s) | np.kron(m, m)[0, 0] | np.triu(m)[0, 0] | np.tril(m)[0, 0] | np.allclose(x, s)
np.isclose(x, s)[0] | np.nan_to_num(x)[0] | np.polyval(s, x[0]) | np.isin(k, k[:2])[0]
np.linalg.norm(x) | np.linalg.solve(m, v)[0] | np.linalg.inv(m)[0, 0] | np.linalg.det(m) | np.linalg.slogdet(m)[1] | np.linalg.cholesky(p)[0, 0]
np.linalg.qr(m)[0][0, 0] | np.linalg.lstsq(m, v)[0][0] | np.linalg.eigh(p)[0][0] | np.linalg.svd(m)[1][0] | (m @ m)[0, 0] | (m @ v)[0] | np.dot(m, v)[0]
np.random.random() | np.random.normal() | np.random.randint(0, 10) | np.random.random(n)[0] | np.random.normal(0.0, 1.0, n)[0]
random.random() | random.randint(0, 9) | random.uniform(0.0, 1.0) | random.gauss(0.0, 1.0)
"""
STREAMING = """
np.concatenate((x, s)) | np.repeat(x, 2) | np.flip(x).copy() | np.roll(x, 1) | np.round(x, 2) | np.clip(x, 0.2, 0.8) | np.where(x > 0.5, x, s) | np.sign(x)
np.diff(x) | np.cumsum(x) | np.cumprod(x) | np.ptp(x) | np.var(x) | np.argmin(x) | np.argmax(x) | np.any(x > 2) | np.count_nonzero(x) | np.nonzero(x)[0]
np.bincount(k) | np.interp(x, s, s) | np.trapezoid(x) | np.dot(x, s) | np.isclose(x, s) | np.nan_to_num(x) | np.linalg.norm(x) | np.sort(x) | np.median(x)
np.searchsorted(s, x) | np.random.random(len(x))
"""


def texts(block: str) -> list[str]:
    return [text.strip() for line in block.strip().splitlines() for text in line.split(" | ")]


def function(text: str, is_loop: bool) -> Any:
    import random

    parameters = "x, s, k, m, p, v, n"
    if is_loop:
        source = f"def f({parameters}, calls):\n    t = 0.0\n    for i in range(calls):\n        x[0] = i * 1e-6\n        t += {text}\n    return t\n"
    else:
        source = f"def f({parameters}):\n    return {text}\n"
    file = f"<{text} {is_loop}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    made: dict[str, Any] = {"np": np, "random": random}
    exec(compile(source, file, "exec"), made)
    return made["f"]


def arguments(n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(3)
    order = min(n, 8)
    m = rng.random((order, order)) + 3 * np.eye(order)
    return rng.random(n), np.sort(rng.random(n)), rng.integers(0, 10, n), m, m @ m.T, rng.random(order), n


def timed(call: Any, clock: Any = time.perf_counter) -> float:
    begin = clock()
    call()
    return clock() - begin  # type: ignore[no-any-return]


# The functions by their texts, with the seconds of their first calls; None for one that is refused.
_compiled: dict[tuple[str, bool], list[tuple[Any, float] | None]] = {}


def compiled(text: str, is_loop: bool, given: tuple[Any, ...]) -> list[tuple[Any, float] | None]:
    if (text, is_loop) not in _compiled:
        found: list[tuple[Any, float] | None] = []
        for compiler in (tessera.jit, numba.njit):
            run = compiler(function(text, is_loop))
            try:
                found.append((run, timed(lambda run=run: run(*given, *((10,) if is_loop else ())), time.process_time)))
            except Exception as error:
                print(f"  {text}: {compiler.__module__}: {str(error).strip().splitlines()[0][:110]}", flush=True)
                found.append(None)
        _compiled[text, is_loop] = found
    return _compiled[text, is_loop]


def measure(text: str, n: int, is_loop: bool, rounds: int) -> list[tuple[float, float] | None]:
    """First and least seconds of both; None for one that refuses the function."""
    given = arguments(n)
    both = compiled(text, is_loop, given)
    found = [None if one is None else (one[1], math.inf) for one in both]
    shares = []
    for one in both:
        # What takes long is measured by fewer calls.
        once = math.inf if one is None else timed(lambda run=one[0]: run(*given, *((1000,) if is_loop else ())))
        shares.append(CALLS if once < 0.01 else 1000)
    for _ in range(rounds):
        for which, one in enumerate(both):
            if one is None:
                continue
            took = timed(lambda run=one[0], share=shares[which]: run(*given, *((share,) if is_loop else ())))
            first, least = found[which]  # type: ignore[misc]
            found[which] = first, min(least, took * CALLS / shares[which] if is_loop else took)
    return found


def print_first_calls() -> None:
    """Processor time, which other work on the machine changes least."""
    both = [(text, one[1], other[1]) for (text, _), (one, other) in _compiled.items() if one and other]
    within = sum(first <= 0.010 for _, first, _ in both)
    shares = [first / peer for _, first, peer in both]
    print(
        f"first calls: {within} of {len(both)} within 10 ms, median {statistics.median(one[1] for one in both) * 1e3:.1f} ms, "
        f"{sum(share <= 0.1 for share in shares)} within 0.1 of Numba's, geometric mean {statistics.geometric_mean(shares):.3f}; the longest:"
    )
    for text, first, peer in sorted(both, key=lambda one: -one[1])[:30]:
        print(f"  {text} {first * 1e3:.1f} of Numba's {peer * 1e3:.0f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--sizes", default="3,10,100")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--first", action="store_true", help="only first calls of loops, in processor time")
    parser.add_argument("--streaming", action="store_true", help="only one call each on 10^6 elements")
    options = parser.parse_args()
    tessera.set_num_threads(1)
    # The compilers themselves are open, and the library is read.
    for compiler in (tessera.jit, numba.njit):
        for text in ("np.sqrt(x)[0]", "np.fliplr(m)[0, 0]"):
            compiler(function(text, True))(*arguments(3), 10)
    ratios = []
    plan = (
        [] if options.streaming else [(text, int(n), True) for text in texts(SMALL) for n in options.sizes.split(",")]
    )
    plan += [(text, 1_000_000, False) for text in texts(STREAMING)]
    if options.first:
        for text in texts(SMALL):
            if re.search(options.only, text):
                compiled(text, True, arguments(10))
        return print_first_calls()
    for text, n, is_loop in plan:
        if not re.search(options.only, text):
            continue
        own, peer = measure(text, n, is_loop, options.rounds)
        if own is None or peer is None:
            print(
                f"{text} | {n} | {'refused' if own is None else f'{own[1] * 1e3:.2f}'} | {'refused' if peer is None else ''}",
                flush=True,
            )
            continue
        ratios.append(peer[1] / own[1])
        print(
            f"{text} | {n} | {own[1] * 1e3:.2f} | {peer[1] * 1e3:.2f} | {ratios[-1]:.2f} | first {own[0] * 1e3:.1f} | {peer[0] * 1e3:.0f}",
            flush=True,
        )
    print_first_calls()
    print(
        f"geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}, {sum(r < 0.7 for r in ratios)} below 0.7 of {len(ratios)}"
    )


if __name__ == "__main__":
    main()
