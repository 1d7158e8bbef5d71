"""A function in CUDA C++ that a kernel in Python calls: numbers and the address of an array go in, a number comes out."""

import tessera.numpy as np
from tessera.errors import CudaSupportError

from tessera import cuda

HORNER = cuda.CUSource(
    """
extern "C" __device__ int horner(double* result, double x, const double* coefficients, int n) {
  double sum = 0;
  for (int k = n - 1; k >= 0; --k) sum = sum * x + coefficients[k];
  *result = sum;
  return 0;
}
""",
    name="horner.cu",
)
horner = cuda.declare_device("horner", "float64(float64, CPointer(float64), int32)", link=HORNER)


@cuda.jit
def evaluate(x, coefficients, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = horner(x[i], cuda.ffi.from_buffer(coefficients), coefficients.size)


def main():
    x = np.linspace(0, 1, 5)
    y = np.zeros(5)
    evaluate[1, 32](x, np.array([1, 0, -3, 0.5]), y)
    print(y)


if __name__ == "__main__":
    try:
        main()
    except CudaSupportError as error:
        print(error)
