"""
Mandelbrot's set by four ways
=============================

The same picture by array expressions, by a compiled loop, by a ufunc and by a GPU kernel, beside NumPy's array expressions. Arrays have to do all
iterations for all points; loops stop where a point has escaped. Without a GPU the kernel is compiled for the cores.
"""

import time

import matplotlib.pyplot as plt
import numpy
import tessera.numpy as np

from tessera import cuda, jit, prange, vectorize

HEIGHT, WIDTH, LIMIT = 480, 640, 60


def plane(xp):
    """The points of the picture."""
    return xp.linspace(-2.2, 0.8, WIDTH)[None, :] + 1j * xp.linspace(-1.2, 1.2, HEIGHT)[:, None]


def by_arrays(xp):
    """Iterations of all points together."""
    c = plane(xp)
    z, count = xp.zeros_like(c), xp.zeros(c.shape, "int32")
    for _ in range(LIMIT):
        inside = z.real**2 + z.imag**2 <= 4
        count = count + inside
        z = xp.where(inside, z * z + c, z)
    return numpy.asarray(count)


@jit
def escape(c, limit):
    z = 0j
    for k in range(limit):
        if z.real * z.real + z.imag * z.imag > 4:
            return k
        z = z * z + c
    return limit


@jit(parallel=True)
def loop(c, count, limit):
    for i in prange(c.shape[0]):
        for j in range(c.shape[1]):
            count[i, j] = escape(c[i, j], limit)


def by_loop():
    """A loop over pixels, the rows on all cores."""
    count = numpy.empty((HEIGHT, WIDTH), "int32")
    loop(plane(numpy), count, LIMIT)
    return count


@vectorize
def escape_ufunc(c):
    z = 0j
    for k in range(LIMIT):
        if z.real * z.real + z.imag * z.imag > 4:
            return k
        z = z * z + c
    return LIMIT


def by_ufunc():
    """A ufunc of one point; broadcasting does the rest."""
    return numpy.asarray(escape_ufunc(plane(np)))


@cuda.jit
def kernel(c, count, limit):
    i, j = cuda.grid(2)
    if i < count.shape[0] and j < count.shape[1]:
        count[i, j] = escape(c[i, j], limit)


def by_kernel():
    """A thread a pixel."""
    count = np.empty((HEIGHT, WIDTH), "int32")
    kernel[(HEIGHT // 8, WIDTH // 32), (8, 32)](plane(np), count, LIMIT)
    return numpy.asarray(count)


def timed(compute, *arguments):
    """The least time of three calls, and the result."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        result = compute(*arguments)
        times.append(time.perf_counter() - start)
    return min(times), result


ways = {
    "NumPy's arrays": (by_arrays, numpy),
    "arrays": (by_arrays, np),
    "@jit, prange": (by_loop,),
    "@vectorize": (by_ufunc,),
    "@cuda.jit": (by_kernel,),
}
results = {name: timed(*call) for name, call in ways.items()}
for name, (seconds, count) in results.items():
    assert (count == results["@jit, prange"][1]).mean() > 0.999  # points on the edge of a rounding may differ
    print(f"{name:15} {seconds * 1e3:8.1f} ms")

# %%

figure, axes = plt.subplots(figsize=(6, 4.5), layout="constrained")
axes.imshow(numpy.log(results["@cuda.jit"][1] + 1), cmap="twilight_shifted", extent=(-2.2, 0.8, -1.2, 1.2))
axes.axis("off")
plt.show()
