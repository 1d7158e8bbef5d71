"""Host cost of kernels of ten elements: tessera's parts one by one, beside CuPy, microseconds a call (least of 9 rounds of 1,000).

`queued`: calls one after another; `waited`: the same with one synchronise at the end, divided. `burst`: 100 calls after a synchronise,
which no full queue holds up."""

import ctypes
import time

import cupy
import numpy
import tessera.numpy as np

import tessera
from tessera import cuda

BODY = ("float32 x, float32 y", "float32 z", "z = x * y + 1")
RAW = 'extern "C" __global__ void f(const float* x, const float* y, float* z, long long n) { int i = threadIdx.x; if (i < n) z[i] = x[i] * y[i] + 1; }'


def measure(work, wait):
    for _ in range(300):
        work()
    wait()
    queued, waited, burst = [], [], []
    for _ in range(9):
        begin = time.perf_counter()
        for _ in range(1000):
            work()
        queued.append((time.perf_counter() - begin) / 1000)
        wait()
        waited.append((time.perf_counter() - begin) / 1000)
        begin = time.perf_counter()
        for _ in range(100):
            work()
        burst.append((time.perf_counter() - begin) / 100)
        wait()
    return [round(min(times) * 1e6, 2) for times in (queued, waited, burst)]


def main():
    x, y, z = (np.ones(10, "f4") * k for k in (1, 2, 3))
    cx, cy, cz = (cupy.ones(10, "f4") * k for k in (1, 2, 3))
    raw, their_raw = cuda.RawKernel(RAW, "f"), cupy.RawKernel(RAW, "f")
    ours = cuda.ElementwiseKernel(*BODY, "ours")
    theirs = cupy.ElementwiseKernel(*BODY, "theirs")
    total = cuda.ReductionKernel("float32 x", "float32 y", "x", "a + b", "y = a", "0", "total")
    their_total = cupy.ReductionKernel("float32 x", "float32 y", "x", "a + b", "y = a", "0", "their_total")
    numpy.testing.assert_array_equal(numpy.asarray(ours(x, y)), theirs(cx, cy).get())
    numpy.testing.assert_array_equal(float(total(x)), float(their_total(cx)))
    n = numpy.int64(10)
    device = cupy.cuda.runtime
    rows = {
        "raw launch, 4 arguments": (
            lambda: raw((1,), (256,), (x, y, z, n)),
            lambda: their_raw((1,), (256,), (cx, cy, cz, n)),
        ),
        "elementwise, output given": (lambda: ours(x, y, z), lambda: theirs(cx, cy, cz)),
        "elementwise": (lambda: ours(x, y), lambda: theirs(cx, cy)),
        "reduction, output given": (lambda: total(x, z[:1].reshape(())), lambda: their_total(cx, cz[:1].reshape(()))),
        "reduction": (lambda: total(x), lambda: their_total(cx)),
        "empty(10)": (lambda: np.empty(10, "f4"), lambda: cupy.empty(10, "f4")),
    }
    print(
        cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(),
        "tessera",
        tessera.__version__,
        "cupy",
        cupy.__version__,
    )
    driver = ctypes.CDLL("libcuda.so.1")
    stream = cupy.cuda.Stream(non_blocking=True)
    print(
        "cuStreamQuery through ctypes",
        measure(lambda: driver.cuStreamQuery(ctypes.c_void_p(stream.ptr)), device.deviceSynchronize),
    )
    for name, (own, other) in rows.items():
        try:
            mine = measure(own, cuda.synchronize)
        except Exception as error:
            mine = f"{type(error).__name__}: {error}"
        its = measure(other, device.deviceSynchronize)
        ratio = [round(a / b, 2) for a, b in zip(mine, its)] if isinstance(mine, list) else ""
        print(f"{name:28} tessera {mine}  cupy {its}  ratio {ratio}   [queued, waited, burst]")


main()
