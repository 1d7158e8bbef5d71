"""Threads whose first operations, at once, use a device's libraries and compilers; each process begins anew.

    PYTHONPATH=python .venv/bin/python tests/process/first_uses.py --device gpu:0 --runs 30

starts 30 processes of 8 threads, two at a time, and says how many hung, failed or computed something else than NumPy. On
`simulated` and `simulated:2`, which take the libraries of build/release/simulated (make build-tests), no GPU is needed;
TESSERA_BUILD names another build. A process in which no operation has ended for 20 s prints where each of its threads is.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

THREADS = 8
SECONDS = 20  # until an operation ends
SIDE = 96  # large enough that a matrix of doubles is worth a device
POINTS = 40_000
CODE = """
extern "C" __global__ void combine(const double* x, double* y, int count, double factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = factor * x[i] + 1;
}
"""


def begin(device):
    """What a program does before its threads; the folders of libraries are read slowly, so that all threads search at once."""
    from tessera import _toolkit

    folders = _toolkit.folders
    if "simulated" in device:
        libraries = Path(os.environ.get("TESSERA_BUILD", "build/release")).resolve() / "simulated"
        if not (libraries / "libsimulated_cufft.so").exists():
            sys.exit(f"first_uses.py: no simulated libraries in {libraries}: make build-tests")
        folders = lambda: [str(libraries)]  # noqa: E731

    def slowly():
        time.sleep(0.02)
        return folders()

    _toolkit.folders = slowly
    sys.setswitchinterval(1e-4)


def operations():
    """Name -> function of a thread's number that computes and compares."""
    import numpy
    import tessera.numpy as np

    import tessera
    from tessera import cuda

    def numbers(seed, *shape):
        return numpy.random.default_rng(seed).standard_normal(shape)

    def equal(actual, expected):
        numpy.testing.assert_allclose(numpy.asarray(actual), expected, rtol=1e-9, atol=1e-9)

    def transform(seed):
        x = numbers(seed, 48, 128)
        equal(np.fft.ifft(np.fft.fft(np.array(x) * 2)), x * 2)

    def product(seed):
        x, y = numbers(seed, 2, SIDE, SIDE)
        equal(np.array(x) @ np.array(y), x @ y)

    def solution(seed):
        x, y = numbers(seed, SIDE, SIDE) + SIDE * numpy.eye(SIDE), numbers(seed + 1, SIDE)
        equal(np.linalg.solve(np.array(x), np.array(y)), numpy.linalg.solve(x, y))

    def order(seed):
        x = numbers(seed, POINTS)
        equal(np.sort(np.array(x) + 1), numpy.sort(x + 1))

    def python_kernel(seed):
        @cuda.jit
        def double(x, y):
            i = cuda.grid(1)
            if i < x.size:
                y[i] = 2 * x[i] + seed

        x = numbers(seed, POINTS)
        y = cuda.device_array(POINTS)
        double[-(-POINTS // 128), 128](cuda.to_device(x), y)
        equal(y.copy_to_host(), 2 * x + seed)

    def cuda_source(seed):
        x = numbers(seed, 2000)
        y = np.zeros(2000)
        cuda.RawKernel(CODE, "combine")((16,), (128,), (np.array(x), y, numpy.int32(2000), float(seed)))
        equal(y, seed * x + 1)

    def compiled(seed):
        @tessera.njit
        def total(x):
            found = 0.0
            for i in range(x.size):
                found += x[i] * x[i]
            return found

        x = numbers(seed, POINTS)
        equal(total(x), (x * x).sum())

    def expression(seed):
        x = numbers(seed, POINTS)
        equal((np.sqrt(np.array(x) ** 2 + seed)).sum(), numpy.sqrt(x**2 + seed).sum())

    return [transform, product, solution, order, python_kernel, cuda_source, compiled, expression]


def run_one(device, seed):
    """The threads of one process; each begins with another operation than the one before it, or all with the same."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    begin(device)
    import tessera

    all_operations = operations()
    shuffled = random.Random(seed)
    together = seed % 4 == 0
    orders = []
    first = shuffled.sample(all_operations, len(all_operations))
    for k in range(THREADS):
        turn = 0 if together else k
        orders.append(first[turn:] + first[:turn])
    barrier = threading.Barrier(THREADS)

    def work(k):
        with tessera.device(device):
            barrier.wait()
            for operation in orders[k]:
                operation(seed + k)
                faulthandler.dump_traceback_later(SECONDS, exit=True)

    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(work, k) for k in range(THREADS)]:
            done.result()
    faulthandler.cancel_dump_traceback_later()


def run_process(device, seed):
    """None where the process ended well, else what it says."""
    command = [sys.executable, __file__, "--device", device, "--one", str(seed)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20 * SECONDS)
    except subprocess.TimeoutExpired:  # it holds the GIL where no other thread could print
        return f"{device}, process {seed}: hangs, and prints nothing"
    if done.returncode == 0:
        return None
    return f"{device}, process {seed}: {'hangs' if 'Timeout (' in done.stderr else 'fails'}\n{done.stderr}"


def run_many(device, runs, jobs=2, first=0, tell=None):
    """What went wrong in each process; `tell` hears of every one that ended, in order."""
    problems = []
    with ThreadPoolExecutor(jobs) as pool:
        for done, text in enumerate(pool.map(lambda seed: run_process(device, seed), range(first, first + runs)), 1):
            problems += [text] if text else []
            if tell:
                tell(done, text)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", nargs="+", default=["simulated", "simulated:2"])
    parser.add_argument("--runs", type=int, default=300, help="how many processes, for each device")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--jobs", type=int, default=2, help="how many run at a time")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        return run_one(options.device[0], options.one)
    failed = 0
    for device in options.device:
        begun = time.monotonic()

        def tell(done, text):
            if text or done % 10 == 0:
                print(text or f"{device}: {done} have ended", flush=True)  # noqa: B023

        problems = run_many(device, options.runs, options.jobs, options.first, tell)
        failed += len(problems)
        seconds = time.monotonic() - begun
        print(
            f"{device}: {options.runs} processes of {THREADS} threads, {len(problems)} failed, {seconds:.0f} s",
            flush=True,
        )
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
