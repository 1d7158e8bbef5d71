"""Runs random programs in NumPy and in tessera and compares every bit: python tests/fuzz/run.py --programs 20000"""

from __future__ import annotations

import argparse
import random
import sys
import warnings

import numpy as np
import tessera.numpy as tnp
from programs import Generator, make_namespace, numpy_namespace, run_line

from tessera import _core

COMPILE = ["never"] * 12 + ["when_hot"] * 3 + ["before_baseline", "before_quick", "before_full"]


def tessera_namespace():
    return make_namespace(tnp, np.asarray, lambda x: tnp.asarray(x, copy=False), lambda x: x)


def equal(expected, actual):
    """The same shape, type and bits; NaNs are equal as a class."""
    actual = np.asarray(actual)
    if expected.shape != actual.shape or expected.dtype != actual.dtype:
        return False
    return not np.any(differing(expected, actual))


def differing(expected, actual):
    """Which elements are others; zeros of different signs are, NaNs are not."""
    same = expected == actual
    if expected.dtype.kind in "fc":
        for part in ("real", "imag") if expected.dtype.kind == "c" else ("real",):
            same &= np.signbit(getattr(expected, part)) == np.signbit(getattr(actual, part))
        same |= (expected != expected) & (actual != actual)
    return ~same


def difference(lines):
    """What tessera does otherwise than NumPy in this program, or None."""
    spaces = numpy_namespace(), tessera_namespace()
    with warnings.catch_warnings(), np.errstate(all="ignore"), tnp.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for line in lines:
            raised = [run_line(line, space) for space in spaces]
            if (raised[0] is None) != (raised[1] is None):
                return f"`{line}` raised {raised[0]} in NumPy and {raised[1]} in tessera"
        expected, actual = spaces
        for k, (one, other) in enumerate(zip(expected["seen"], actual["seen"], strict=True)):
            if not equal(one, other):
                return f"look {k}: {one.dtype}{one.shape} {one.ravel()[:8]} but {other.dtype}{other.shape} {other.ravel()[:8]}"
        for name, value in expected.items():
            if isinstance(value, np.ndarray) and not equal(value, actual[name]):
                other = np.asarray(actual[name])
                where = ""
                if value.shape == other.shape:
                    at = np.flatnonzero(differing(value, other).ravel())
                    where = f"at {at[:4]}: {value.ravel()[at[:4]]} but {other.ravel()[at[:4]]}"
                return f"{name}: {value.dtype}{value.shape} against {other.dtype}{other.shape} {where}"
    return None


def shrink(lines):
    """A program with as few lines as can be that still differs."""
    step = max(1, len(lines) // 2)
    while True:
        at = 0
        while at < len(lines):
            fewer = lines[:at] + lines[at + step :]
            if difference(fewer):
                lines = fewer
            else:
                at += step
        if step == 1:
            return lines
        step //= 2


def set_engine(seed):
    """Window size, tier and threads of the programs that follow."""
    choice = random.Random(seed)
    options = {
        "window_limit": choice.choice([512, 512, 40, 5, 2]),
        "compile": choice.choice(COMPILE),
        "wave_bytes": choice.choice([1 << 20, 8192, 2048, 512]),
    }
    _core.options(**options)
    _core.set_cpus(choice.choice([1, 2, 3]))
    return options | {"cpus": _core.cpus()}


def run(programs, seed=0, report=print, verbose=False, batch=50):
    """Runs that many programs; returns those that differ, shortened, with what they did."""
    failures = []
    before = _core.options(), _core.cpus()
    try:
        for number in range(seed, seed + programs):
            if number == seed or number % batch == 0:
                options = set_engine(number // batch)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                lines = Generator(number).program()
            if verbose:
                report(f"# seed {number}, {options}\n" + "\n".join(lines))
            if difference(lines):
                lines = shrink(lines)
                failures.append((number, options, lines, difference(lines)))
                report(f"seed {number}, {options}: {failures[-1][3]}\n" + "\n".join(lines) + "\n")
    finally:
        _core.options(**before[0])
        _core.set_cpus(before[1])
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true", help="name each program before it runs, for crashes")
    arguments = parser.parse_args()
    failures = run(arguments.programs, arguments.seed, lambda text: print(text, flush=True), arguments.verbose)
    print(f"{arguments.programs} programs from seed {arguments.seed}, {len(failures)} differ")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
