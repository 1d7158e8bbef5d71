"""A user's ufunc in an expression, a stencil with a border that wraps, sums over prange, and an integrand for SciPy's code in C.

python examples/kernels/user_functions.py
"""

import math

import numpy
import tessera.numpy as np

from tessera import carray, cfunc, njit, prange, stencil, vectorize


@vectorize
def payoff(price, strike):
    return max(price - strike, 0.0)


@stencil("wrap")
def diffused(x):
    return x[0, 0] + 0.2 * (x[-1, 0] + x[1, 0] + x[0, -1] + x[0, 1] - 4 * x[0, 0])


@njit(parallel=True)
def largest(x):
    total, best = 0.0, (-math.inf, -1)
    for i in prange(x.shape[0]):
        total += x[i]
        best = max(best, (x[i], i))
    return total, best


@cfunc("float64(intc, CPointer(float64))")
def bell(n, values):
    x = carray(values, n)
    return math.exp(-((x[0] / x[1]) ** 2) / 2)


rng = np.random.default_rng(7)
prices = 100 * np.exp(0.2 * rng.standard_normal(1_000_000))
value = float((payoff(prices, 105.0) * 0.97).mean())
wanted = float((numpy.maximum(numpy.asarray(prices) - 105.0, 0.0) * 0.97).mean())
print(f"an option's value: {value:.4f}, by NumPy {wanted:.4f}")
assert math.isclose(value, wanted, rel_tol=1e-12)

heat = np.zeros((400, 400))
heat[200, 0] = 1000.0
for _ in range(50):
    heat = diffused(heat)
print(f"heat after 50 steps: {float(heat.sum()):.6f} in all, {float(heat[200, -1]):.3f} across the border")
assert math.isclose(float(heat.sum()), 1000.0, rel_tol=1e-9)

total, (most, where) = largest(numpy.asarray(prices))
print(f"prices: {total:.2f} in all, the largest {most:.2f} is number {where}")
assert where == int(np.argmax(prices))

try:
    from scipy import LowLevelCallable, integrate
except ImportError:
    print("SciPy is not here: no integral")
else:
    area = integrate.quad(LowLevelCallable(bell.ctypes), -math.inf, math.inf, args=(2.0,))[0]
    print(f"below the bell: {area:.6f}, exactly {2 * math.sqrt(2 * math.pi):.6f}")
    assert math.isclose(area, 2 * math.sqrt(2 * math.pi), rel_tol=1e-8)
