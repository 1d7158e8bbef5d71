"""The programs that other compilers fuse, too: python bench/gpu_peers.py [heat black_scholes smooth vectors launches ...]

Beside tessera and CuPy run JAX (`jit`), PyTorch (`torch.compile`), Numba (`numba.cuda`) and CUDA C++ as one would write it by hand
(through CuPy's RawKernel), each where it is installed, in one process and on the same arrays. Times as in gpu.py.
"""

from __future__ import annotations

import argparse
import importlib
import math
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the other libraries need memory, too

import numpy
from gpu import MEASURES
from gpu_measure import CuPy, Library, Tessera, cupy, seconds

import tessera


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


if not hasattr(numpy, "row_stack"):
    numpy.row_stack = numpy.vstack  # Numba asks for a name that NumPy 2.5 dropped
torch, jax, numba = optional("torch"), optional("jax"), optional("numba")
if jax:
    jax.config.update("jax_enable_x64", True)


class Torch(Library):
    name = "torch.compile"

    @staticmethod
    def wait():
        torch.cuda.synchronize()

    @staticmethod
    def array(host):
        return torch.from_numpy(numpy.ascontiguousarray(host)).cuda()


class Jax(Library):
    name = "JAX"
    kept = None

    @staticmethod
    def wait():
        jax.block_until_ready(jax.numpy.zeros(1) + 1)
        torch.cuda.synchronize() if torch else cupy.cuda.runtime.deviceSynchronize()

    @staticmethod
    def array(host):
        return jax.device_put(host)


class Cuda(Library):
    name = "CUDA C++"
    wait = staticmethod(CuPy.wait)

    @staticmethod
    def array(host):
        return cupy.asarray(host)


class Numba(Cuda):
    name = "numba.cuda"


def kernel(source, name):
    return cupy.RawKernel(source, name, options=("-fmad=false",))


def black_scholes_price(m, erf, spot, strike, years):
    rate, volatility = 0.02, 0.3
    spread = volatility * m.sqrt(years)
    d1 = (m.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
    d2 = d1 - spread
    discounted = strike * m.exp(-rate * years)
    c1, c2 = 0.5 + 0.5 * erf(d1 / math.sqrt(2)), 0.5 + 0.5 * erf(d2 / math.sqrt(2))
    return spot * c1 - discounted * c2, discounted * (1.0 - c2) - spot * (1.0 - c1)


BLACK_SCHOLES = r"""extern "C" __global__ void price(const double* spot, const double* strike, const double* years, double* call,
                                                   double* put, long n) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  double spread = 0.3 * sqrt(years[i]), d1 = (log(spot[i] / strike[i]) + (0.02 + 0.5 * 0.3 * 0.3) * years[i]) / spread, d2 = d1 - spread;
  double discounted = strike[i] * exp(-0.02 * years[i]);
  double c1 = 0.5 + 0.5 * erf(d1 / 1.4142135623730951), c2 = 0.5 + 0.5 * erf(d2 / 1.4142135623730951);
  call[i] = spot[i] * c1 - discounted * c2;
  put[i] = discounted * (1.0 - c2) - spot[i] * (1.0 - c1);
}"""


def black_scholes(library, n=2**26):
    rng = numpy.random.default_rng(3)
    operands = [library.array(rng.uniform(low, high, n)) for low, high in ((5, 30), (1, 100), (0.25, 10))]
    if library is Torch:
        price = torch.compile(lambda *x: black_scholes_price(torch, torch.erf, *x))
        return 1e3 * seconds(library, lambda: price(*operands), 5), "ms"
    if library is Jax:
        price = jax.jit(lambda *x: black_scholes_price(jax.numpy, jax.scipy.special.erf, *x))
        return 1e3 * seconds(library, lambda: price(*operands), 5), "ms"
    if library is Cuda:
        price = kernel(BLACK_SCHOLES, "price")

        def run():
            results = cupy.empty(n), cupy.empty(n)
            price((n // 256,), (256,), (*operands, *results, n))
            return results

        return 1e3 * seconds(library, run, 5), "ms"


HEAT = r"""extern "C" __global__ void step(const double* a, double* b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1, row = n + 2;
  if (x > n || y > n) return;
  const double* c = a + (long)y * row + x;
  b[(long)y * row + x] = 0.2 * (c[0] + c[-row] + c[1] + c[-1] + c[row]);
}"""


def heat(library, n=16384):
    host = numpy.zeros((n + 2, n + 2))
    host[:, 0] = host[:, -1] = host[-1, :] = -273.15
    host[0, :] = 40.0
    grid = library.array(host)

    def average(g):
        return 0.2 * (g[1:-1, 1:-1] + g[:-2, 1:-1] + g[1:-1, 2:] + g[1:-1, :-2] + g[2:, 1:-1])

    if library is Torch:
        compiled = torch.compile(average)

        def step():
            grid[1:-1, 1:-1] = compiled(grid)

    elif library is Jax:
        update = jax.jit(lambda g: g.at[1:-1, 1:-1].set(average(g)), donate_argnums=0)

        def step():
            nonlocal grid
            grid = update(grid)

    elif library is Cuda:
        grids = [grid, grid.copy()]
        update = kernel(HEAT, "step")

        def step():
            update(((n + 127) // 128, (n + 3) // 4), (128, 4), (*grids, n))
            grids.reverse()

    else:
        return None
    return n * n / seconds(library, step, 20, 5) / 1e9, "Gpoint/s"


SMOOTH = r"""extern "C" __global__ void smooth(const signed char* a, signed char* b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n - 2 || y >= n - 2) return;
  signed char total = 0;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) total += a[(long)(y + i) * n + x + k];
  b[(long)y * (n - 2) + x] = total / 9;  // no total is negative here
}"""


def smooth(library, n=10000):
    host = numpy.random.default_rng(5).integers(0, 14, (n, n)).astype("i1")
    a = library.array(host)

    def by_slices(a):
        total = (
            a[:-2, :-2]
            + a[:-2, 1:-1]
            + a[:-2, 2:]
            + a[1:-1, :-2]
            + a[1:-1, 1:-1]
            + a[1:-1, 2:]
            + a[2:, :-2]
            + a[2:, 1:-1]
            + a[2:, 2:]
        )
        return total // 9

    if library is Torch:
        step = torch.compile(by_slices)
    elif library is Jax:
        step = jax.jit(by_slices)
    elif library is Cuda:
        compiled = kernel(SMOOTH, "smooth")

        def step(a):
            out = cupy.empty((n - 2, n - 2), "i1")
            compiled(((n + 127) // 128, (n + 3) // 4), (128, 4), (a, out, n))
            return out

    else:
        from numba import cuda

        @cuda.jit
        def compiled(a, out):
            y, x = cuda.grid(2)
            if y < out.shape[0] and x < out.shape[1]:
                total = 0
                for i in range(3):
                    for k in range(3):
                        total += a[y + i, x + k]
                out[y, x] = total // 9

        def step(a):
            out = cupy.empty((n - 2, n - 2), "i1")
            compiled[((n + 7) // 8, (n + 127) // 128), (8, 128)](a, out)
            return out

    return 1e3 * seconds(library, lambda: step(a)), "ms"


def vectors(library, n=10**8):
    """Single routines that the compilers hand to their libraries."""
    if library not in (Torch, Jax, Tessera, CuPy):
        return
    line = numpy.random.default_rng(8).standard_normal(n, dtype="f4")
    square = numpy.random.default_rng(4).random((20000, 20000))
    if library is Torch:
        a, m = library.array(line), library.array(square)
        calls = {
            "cumsum": lambda: torch.cumsum(a, 0),
            "sort": lambda: torch.sort(a),
            "argmax": lambda: torch.argmax(a),
            "std, axis 0": lambda: torch.std(m, 0, correction=0),
            "sum, axis 0": lambda: torch.sum(m, 0),
            "transpose": lambda: m.t().contiguous(),
            "normal": lambda: torch.randn(n, device="cuda"),
        }
    elif library is Jax:
        a, m, key = library.array(line), library.array(square), jax.random.key(3)
        jit = jax.jit
        normal = jit(lambda k: jax.random.normal(k, (n,), dtype="float32"))
        functions = {"cumsum": jit(jax.numpy.cumsum), "sort": jit(jax.numpy.sort), "argmax": jit(jax.numpy.argmax)}
        folds = {
            "std, axis 0": jit(lambda x: x.std(0)),
            "sum, axis 0": jit(lambda x: x.sum(0)),
            "transpose": jit(lambda x: x.T.copy()),
        }
        calls = {k: lambda f=f: f(a) for k, f in functions.items()} | {k: lambda f=f: f(m) for k, f in folds.items()}
        calls["normal"] = lambda: normal(key)
    else:
        xp = library.xp
        a, m = xp.asarray(line), xp.asarray(square)
        normal = (
            xp.random.index_generator(3).normal if library is Tessera else cupy.random.default_rng(3).standard_normal
        )
        calls = {
            "cumsum": lambda: xp.cumsum(a),
            "sort": lambda: xp.sort(a),
            "argmax": lambda: a.argmax(),
            "std, axis 0": lambda: m.std(axis=0),
            "sum, axis 0": lambda: m.sum(axis=0),
            "transpose": lambda: xp.ascontiguousarray(m.T),
            "normal": lambda: normal(n, dtype="f4"),
        }
    for name, call in calls.items():
        yield name, 1e3 * seconds(library, call, 3, 5, 0.1), "ms"


def launches(library):
    """Host time of a + b by itself, kept on the device."""
    if library is Numba or library is Cuda:
        return
    for n in (10, 100_000):
        if library in (Tessera, CuPy):
            a = library.xp.asarray(numpy.ones(n)) * 1.0
            call = lambda: a + a  # noqa: E731
        elif library is Torch:
            a = library.array(numpy.ones(n))
            call = lambda: a + a  # noqa: E731
        else:
            a, add = library.array(numpy.ones(n)), jax.jit(lambda x: x + x)
            call = lambda: add(a)  # noqa: E731
        yield f"a + b of {n}", 1e6 * seconds(library, call, 500), "us"


OWN = {"heat": heat, "black_scholes": black_scholes, "smooth": smooth, "vectors": vectors, "launches": launches}


def rows(name, library):
    """(label, value, unit) of one measure, none where the library has no such program."""
    shared = library in (Tessera, CuPy) and name in MEASURES and name != "launches"
    result = (MEASURES if shared else OWN)[name](library)
    if isinstance(result, tuple):
        yield name, *result
    elif result is not None:
        yield from result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(OWN))
    args = parser.parse_args()
    libraries = [Tessera] + [
        library
        for library, there in ((CuPy, cupy), (Torch, torch), (Jax, jax), (Cuda, cupy), (Numba, numba and cupy))
        if there
    ]
    with tessera.device("gpu:0"):
        for name in args.names:
            table = {}
            for library in libraries:
                try:
                    for label, value, unit in rows(name, library):
                        table.setdefault((label, unit), {})[library.name] = value
                except Exception as error:
                    print(f"{name} with {library.name}: {type(error).__name__}: {str(error)[:300]}")
                if cupy:
                    cupy.get_default_memory_pool().free_all_blocks()
                if torch:
                    torch.cuda.empty_cache()
            for (label, unit), values in table.items():
                print(
                    f"{label:22} {unit:9}" + "".join(f" {library} {value:9.3f}" for library, value in values.items()),
                    flush=True,
                )


if __name__ == "__main__":
    main()
