"""Launches of CUDA C++ beside CuPy's, on a machine with an NVIDIA GPU: microseconds on the host a call, and with a synchronise, divided.

PYTHONPATH=python python bench/cuda_cpp.py
"""

import time

import cupy
import numpy
import tessera.numpy as np
import tessera.pycuda.driver as drv
from tessera.pycuda.compiler import SourceModule

from tessera import _core, cuda

AXPY = """extern "C" __global__ void axpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}"""
TWICE = "__global__ void twice(float* a) { a[blockIdx.x * 256 + threadIdx.x] *= 2; }"
ELEMENTWISE = ("float32 x, float32 y", "float32 z", "z = x * y + 1", "product")
REDUCTION = ("float32 x", "float32 y", "x * x", "a + b", "y = a", "0", "squares")


def synchronize():
    _core.synchronize()
    cupy.cuda.Device().synchronize()


def microseconds(call, times):
    """A call on the host, and with the wait at the end."""
    for _ in range(20):
        call()
    synchronize()
    start = time.perf_counter()
    for _ in range(times):
        call()
    queued = time.perf_counter()
    synchronize()
    return (queued - start) / times * 1e6, (time.perf_counter() - start) / times * 1e6


def row(name, ours, theirs, times=2000):
    mine, other = microseconds(ours, times), microseconds(theirs, times)
    print(f"{name:28s} tessera {mine[0]:9.2f} {mine[1]:9.2f}   CuPy {other[0]:9.2f} {other[1]:9.2f}", flush=True)


def main():
    n, factor = numpy.int32(1024), numpy.float32(2)
    x, y = np.ones(1024, dtype="f4"), np.ones(1024, dtype="f4")
    cx, cy = cupy.ones(1024, "f4"), cupy.ones(1024, "f4")
    kernel, theirs = cuda.RawKernel(AXPY, "axpy"), cupy.RawKernel(AXPY, "axpy")
    row(
        "RawKernel, 4 arguments",
        lambda: kernel((8,), (128,), (n, factor, x, y)),
        lambda: theirs((8,), (128,), (n, factor, cx, cy)),
    )
    e, ce = cuda.ElementwiseKernel(*ELEMENTWISE), cupy.ElementwiseKernel(*ELEMENTWISE)
    r, cr = cuda.ReductionKernel(*REDUCTION), cupy.ReductionKernel(*REDUCTION)
    for size, times in ((10, 2000), (1 << 26, 100)):
        a, ca = np.ones(size, dtype="f4") * 2, cupy.ones(size, "f4")
        row(f"ElementwiseKernel, {size}", lambda: e(a, a), lambda: ce(ca, ca), times)
        row(f"ReductionKernel, {size}", lambda: r(a), lambda: cr(ca), times)
    host, stream = numpy.ones(25_000_000, numpy.float32), drv.Stream()
    grid = (host.size // 256, 1)
    twice = SourceModule(TWICE).get_function("twice")
    raw = cupy.RawKernel('extern "C" ' + TWICE, "twice")

    def in_out():
        twice(drv.InOut(host), block=(256, 1, 1), grid=grid, stream=stream)
        stream.synchronize()

    def set_and_get():
        array = cupy.empty(host.size, "f4")
        array.set(host)
        raw(grid, (256,), (array,))
        array.get(out=host)

    row("InOut of 100 MB, a stream", in_out, set_and_get, 10)


if __name__ == "__main__":
    main()
