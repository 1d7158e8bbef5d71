"""The sum of two vectors, one thread an element.

python examples/kernels/vector_add.py
"""

import numpy

from tessera import cuda


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


n = 1_000_000
a = numpy.arange(n, dtype=numpy.float32)
b = 2 * a
c = numpy.empty_like(a)
add[(n + 255) // 256, 256](a, b, c)
print("all sums are right:", bool((c == a + b).all()))
