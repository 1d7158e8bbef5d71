"""A Lomb-Scargle periodogram for both widths of floats, with what a GPU may approximate and how many registers it may use.

python examples/kernels/lomb_scargle.py
"""

import math

import numpy

from tessera import cuda, types


def make_kernel(dtype, **options):
    number = types.from_dtype(dtype)
    signature = types.void(number[:], number[:], number[:], number[:])

    @cuda.jit(signature, **options)
    def periodogram(times, values, frequencies, power):
        for i in range(cuda.grid(1), frequencies.size, cuda.gridsize(1)):
            w = frequencies[i]
            xc = xs = cc = ss = cs = dtype(0)
            for k in range(times.size):
                c, s = math.cos(w * times[k]), math.sin(w * times[k])
                xc += values[k] * c
                xs += values[k] * s
                cc += c * c
                ss += s * s
                cs += c * s
            delay = math.atan2(dtype(2) * cs, cc - ss) / (dtype(2) * w)
            ct, st = math.cos(w * delay), math.sin(w * delay)
            first = (ct * xc + st * xs) ** 2 / (ct * ct * cc + dtype(2) * ct * st * cs + st * st * ss)
            second = (ct * xs - st * xc) ** 2 / (ct * ct * ss - dtype(2) * ct * st * cs + st * st * cc)
            power[i] = dtype(0.5) * (first + second)

    return periodogram


rng = numpy.random.default_rng(1)
times = numpy.sort(rng.uniform(0, 100, 500))
values = numpy.sin(1.7 * times) + 0.5 * rng.standard_normal(500)
frequencies = numpy.linspace(0.1, 4, 1000)
for dtype, options in ((numpy.float64, {}), (numpy.float32, {"fastmath": True, "max_registers": 32})):
    power = cuda.device_array(1000, dtype)
    make_kernel(dtype, **options)[20, 128](*(a.astype(dtype) for a in (times, values, frequencies)), power)
    print(
        f"{numpy.dtype(dtype).name}: the strongest frequency is {frequencies[int(power.argmax())]:.3f}; the signal's is 1.7"
    )
