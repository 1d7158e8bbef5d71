"""Ordinary arrays of NumPy as arguments of CUDA C++: In is copied in, Out back, InOut both; a stream takes them along."""

import numpy
import tessera.pycuda.driver as drv
from tessera.errors import CudaSupportError
from tessera.pycuda.compiler import SourceModule

SOURCE = """
__global__ void moving_average(const float* x, float* average, float* total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[max(i - 1, 0)] + x[i] + x[min(i + 1, n - 1)];
  average[i] = sum / 3;
  atomicAdd(total, x[i]);
}
"""


def main():
    n = 1000
    x = numpy.arange(n, dtype=numpy.float32)
    average = numpy.empty_like(x)
    total = numpy.zeros(1, dtype=numpy.float32)
    moving_average = SourceModule(SOURCE).get_function("moving_average")
    stream = drv.Stream()
    moving_average(
        drv.In(x), drv.Out(average), drv.InOut(total), numpy.int32(n), block=(128, 1, 1), grid=(8, 1), stream=stream
    )
    stream.synchronize()
    print(average[:3], total)


if __name__ == "__main__":
    try:
        main()
    except (CudaSupportError, drv.LaunchError) as error:
        print(error)
