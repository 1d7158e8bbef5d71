"""Compiled kernels on the cores beside Numba's simulator: python bench/kernel_simulator.py [--blocks 4096]

One source for both. The simulator runs few blocks, the compiled kernels many; times are a block's, the median of rounds, and
the results of a few blocks are compared.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import time

import numpy
from numpy import float32, float64, int32

FEW = 2
cuda = None


def sums(blocks):
    """sums of 256 doubles by a tree"""

    @cuda.jit
    def kernel(x, out):
        s = cuda.shared.array(256, float64)
        t = cuda.threadIdx.x
        s[t] = x[cuda.grid(1)]
        cuda.syncthreads()
        step = 128
        while step > 0:
            if t < step:
                s[t] += s[t + step]
            cuda.syncthreads()
            step //= 2
        if t == 0:
            out[cuda.blockIdx.x] = s[0]

    return kernel, blocks, 256, (numpy.random.default_rng(0).random(256 * blocks), numpy.zeros(blocks))


def product(blocks):
    """product by 16 x 16 tiles, 64 wide"""

    @cuda.jit
    def kernel(a, b, out):
        sa = cuda.shared.array((16, 16), float32)
        sb = cuda.shared.array((16, 16), float32)
        x, y = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        total = float32(0)
        for k in range(4):
            sa[ty, tx] = a[y, 16 * k + tx]
            sb[ty, tx] = b[16 * k + ty, x]
            cuda.syncthreads()
            for j in range(16):
                total += sa[ty, j] * sb[j, tx]
            cuda.syncthreads()
        out[y, x] = total

    rng = numpy.random.default_rng(1)
    a, b = rng.random((16, 64)).astype(float32), rng.random((64, 16 * blocks)).astype(float32)
    return kernel, (blocks, 1), (16, 16), (a, b, numpy.zeros((16, 16 * blocks), float32))


def histogram(blocks):
    """counts of 256 numbers a block by atomics in shared memory"""

    @cuda.jit
    def kernel(x, out):
        s = cuda.shared.array(64, int32)
        t = cuda.threadIdx.x
        if t < 64:
            s[t] = 0
        cuda.syncthreads()
        cuda.atomic.add(s, x[cuda.grid(1)], 1)
        cuda.syncthreads()
        if t < 64:
            cuda.atomic.add(out, t, s[t])

    x = numpy.random.default_rng(2).integers(0, 64, 256 * blocks).astype(int32)
    return kernel, blocks, 256, (x, numpy.zeros(64, int32))


def bitonic(blocks):
    """bitonic sort of 256 float32 a block"""

    @cuda.jit
    def kernel(x, out):
        s = cuda.shared.array(256, float32)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        s[t] = x[i]
        cuda.syncthreads()
        k = 2
        while k <= 256:
            j = k // 2
            while j > 0:
                other = t ^ j
                if other > t and (s[t] > s[other]) == ((t & k) == 0):
                    s[t], s[other] = s[other], s[t]
                cuda.syncthreads()
                j //= 2
            k *= 2
        out[i] = s[t]

    x = numpy.random.default_rng(3).random(256 * blocks).astype(float32)
    return kernel, blocks, 256, (x, numpy.zeros_like(x))


def stencil(blocks):
    """means of three float32 through shared memory"""

    @cuda.jit
    def kernel(x, out):
        s = cuda.shared.array(258, float32)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        s[t + 1] = x[i]
        if t == 0:
            s[0] = x[i - 1] if i > 0 else float32(0)
        if t == 255:
            s[257] = x[i + 1] if i + 1 < x.size else float32(0)
        cuda.syncthreads()
        out[i] = (s[t] + s[t + 1] + s[t + 2]) / float32(3)

    x = numpy.random.default_rng(4).random(256 * blocks).astype(float32)
    return kernel, blocks, 256, (x, numpy.zeros_like(x))


MEASURES = (sums, product, histogram, bitonic, stencil)


def measured(library, blocks, rounds):
    """Seconds a block, and the result of one launch on few blocks, of each measure."""
    global cuda  # the simulator replaces it in the globals of kernels
    cuda = importlib.import_module(library)
    answers = {}
    for measure in MEASURES:
        kernel, grid, block, arguments = measure(FEW)
        kernel[grid, block](*arguments)
        result = arguments[-1].ravel().astype(float).tolist()
        kernel, grid, block, arguments = measure(blocks)
        if hasattr(cuda, "synchronize"):
            arguments = [cuda.to_device(one) for one in arguments]
        kernel[grid, block](*arguments)
        took = []
        for _ in range(rounds):
            start = time.perf_counter()
            kernel[grid, block](*arguments)
            cuda.synchronize()
            took.append((time.perf_counter() - start) / blocks)
        answers[measure.__name__] = {"seconds": statistics.median(took), "result": result}
    return answers


def in_process(library, blocks, rounds, environment):
    code = f"import json, kernel_simulator as k; print(json.dumps(k.measured({library!r}, {blocks}, {rounds})))"
    path = os.pathsep.join([os.path.dirname(os.path.abspath(__file__)), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**os.environ, **environment, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise SystemExit(run.stderr)
    return json.loads(run.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=4096)
    args = parser.parse_args()
    ours = in_process("tessera.cuda", args.blocks, 9, {"TESSERA_DEVICE": "cpu"})
    theirs = in_process("numba.cuda", FEW, 3, {"NUMBA_ENABLE_CUDASIM": "1"})
    print(f"{'microseconds a block':34}{'tessera':>10}{'simulator':>12}{'ratio':>10}")
    ratios = []
    for measure in MEASURES:
        mine, other = ours[measure.__name__], theirs[measure.__name__]
        numpy.testing.assert_allclose(mine["result"], other["result"], rtol=1e-5)
        ratios.append(other["seconds"] / mine["seconds"])
        times = f"{1e6 * mine['seconds']:10.2f}{1e6 * other['seconds']:12.0f}{ratios[-1]:10.0f}"
        print(f"{measure.__doc__:34.34}{times}")
    print(f"geometric mean {statistics.geometric_mean(ratios):.0f}")


if __name__ == "__main__":
    main()
