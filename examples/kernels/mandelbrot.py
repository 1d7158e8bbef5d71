"""The Mandelbrot set, printed: a device function with a loop that each thread leaves at its own time.

python examples/kernels/mandelbrot.py
"""

import numpy

from tessera import cuda


@cuda.jit(device=True)
def escape_time(c, limit):
    z = 0j
    for k in range(limit):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag >= 4:
            return k
    return limit


@cuda.jit
def mandelbrot(image, limit):
    x, y = cuda.grid(2)
    height, width = image.shape
    if x < width and y < height:
        image[y, x] = escape_time(complex(-2.2 + 3.2 * x / width, -1.2 + 2.4 * y / height), limit)


image = numpy.zeros((24, 72), numpy.int32)
mandelbrot[(9, 3), (8, 8)](image, 60)
for row in image:
    print("".join(" .:-=+*#%@"[min(9, steps * 10 // 60)] for steps in row))
