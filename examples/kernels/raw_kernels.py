"""CUDA C++ three ways: a raw kernel, a template by its instances, PyCUDA's arguments. Without a GPU the sources are compiled and checked."""

import numpy
import tessera.numpy as np
import tessera.pycuda.driver as drv
from tessera.errors import CudaSupportError
from tessera.pycuda.compiler import SourceModule

from tessera import cuda

AXPY = r"""
extern "C" __global__ void axpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
"""
SCALE = """
template <typename T> __global__ void scale(T* x, T by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}
"""
TWICE = "__global__ void twice(float* a) { a[threadIdx.x] *= 2; }"


def main():
    n = 1000
    x, y = np.arange(n, dtype="f4"), np.ones(n, dtype="f4")
    cuda.RawKernel(AXPY, "axpy")((8,), (128,), (n, 2.0, x, y))
    print("axpy", y[:4])

    module = cuda.RawModule(code=SCALE, name_expressions=["scale<float>", "scale<long long>"])
    module.get_function("scale<float>")[8, 128](y, 0.5, n)
    print("scale", y[:4])

    a = numpy.arange(8, dtype=numpy.float32)
    SourceModule(TWICE).get_function("twice")(drv.InOut(a), block=(8, 1, 1))
    print("twice", a)


if __name__ == "__main__":
    try:
        main()
    except (CudaSupportError, drv.LaunchError) as error:
        print(error)
