"""Single operations that bench/placement.py measures, and what its programs are made of, for any NumPy-like module.

`make(np, scale)` makes the arrays, on the host from NumPy's as users' arrays are, and `step(np, state)` is what is timed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace as State
from typing import NamedTuple

import numpy


class Program(NamedTuple):
    make: Callable
    step: Callable


PROGRAMS: dict[str, Program] = {}


def program(make):
    """Names the decorated step() as a program whose arrays make() makes."""

    def add(step):
        PROGRAMS[step.__name__] = Program(make, step)
        return step

    return add


def size(n, scale):
    """A length at this scale: even, at least 8."""
    return max(8, int(n * scale) // 2 * 2)


@functools.lru_cache(maxsize=4)
def _tiled(shape, dtype):
    """A large array of random numbers, made by repeating a block whose length fits no row."""
    block = numpy.random.default_rng(1).standard_normal(1_000_003).astype(dtype)
    return numpy.resize(block, shape)


def tiled(np, *shape, dtype="f8"):
    return np.array(_tiled(shape, dtype))


def normal(np, *shape, dtype="f8", seed=2):
    return np.array(numpy.random.default_rng(seed).standard_normal(shape).astype(dtype, copy=False))


def integers(np, high, *shape, seed=3):
    return np.array(numpy.random.default_rng(seed).integers(0, high, shape))


def square(np, scale):
    n = size(20000, scale)
    return State(a=tiled(np, n, n), x=normal(np, n))


def table(np, scale):
    return State(a=tiled(np, size(10**6, scale), 100))


def long(np, scale, n=10**7):
    return State(x=normal(np, size(n, scale)))


def image(np, scale, dtype="f8"):
    n = size(4096, scale)
    return State(a=normal(np, n, n, dtype=dtype))


@program(square)
def transpose_copy(np, s):
    return np.ascontiguousarray(s.a.T)


@program(square)
def sum_axis_0(np, s):
    return s.a.sum(0)


@program(square)
def cumsum_axis_1(np, s):
    return s.a.cumsum(1)


@program(square)
def matrix_times_vector(np, s):
    return s.a @ s.x


@program(table)
def thin_svd(np, s):
    return tuple(np.linalg.svd(s.a, full_matrices=False))


@program(lambda np, scale: State(a=np.array(_tiled((size(4096, scale),) * 2, "c16"))))
def fft2_complex(np, s):
    return np.fft.fft2(s.a)


@program(
    lambda np, scale: State(a=normal(np, size(512, scale), 128, 128), b=normal(np, size(512, scale), 128, 128, seed=4))
)
def batched_matmul(np, s):
    return s.a @ s.b


def make_systems(np, scale):
    n = size(4096, scale)
    a = numpy.random.default_rng(4).standard_normal((n, 32, 32)) + 32 * numpy.eye(32)
    return State(a=np.array(a), b=normal(np, n, 32, 1))


@program(make_systems)
def batched_solve(np, s):
    return np.linalg.solve(s.a, s.b)


def make_positive(np, scale):
    n = size(4000, scale)
    b = numpy.random.default_rng(5).random((n, n))
    return State(a=np.array(b + b.T + 2 * n * numpy.eye(n)))


@program(make_positive)
def cholesky(np, s):
    return np.linalg.cholesky(s.a)


@program(lambda np, scale: State(x=normal(np, size(3 * 10**7, scale), dtype="f4")))
def sort_f32(np, s):
    return np.sort(s.x)


@program(lambda np, scale: State(x=integers(np, size(10**6, scale), size(10**7, scale))))
def unique_inverse_counts(np, s):
    return tuple(np.unique(s.x, return_inverse=True, return_counts=True))


@program(lambda np, scale: State(x=integers(np, size(10**6, scale), size(10**7, scale)), n=size(10**6, scale)))
def bincount(np, s):
    return np.bincount(s.x, minlength=s.n)


def make_taken(np, scale):
    n = size(10**8, scale)
    return State(x=tiled(np, n, dtype="f4"), places=integers(np, n, size(10**7, scale)))


@program(make_taken)
def take_random(np, s):
    return np.take(s.x, s.places)


@program(long)
def histogram(np, s):
    return tuple(np.histogram(s.x, bins=100))


@program(long)
def partition(np, s):
    return np.partition(s.x, s.x.size // 2)


@program(long)
def percentile(np, s):
    return np.percentile(s.x, [5, 50, 95])


@program(long)
def mask_sum(np, s):
    return s.x[s.x > 0].sum()


@program(long)
def where_chain(np, s):
    return np.where(s.x < -1, -1.0, np.where(s.x > 1, np.sqrt(abs(s.x)), np.where(s.x < 0, s.x * s.x, 2.0 * s.x)))


@program(lambda np, scale: long(np, scale, 10**6))
def argsort_take(np, s):
    return np.take(s.x, np.argsort(s.x))


def make_curve(np, scale):
    places = numpy.sort(numpy.random.default_rng(10).standard_normal(size(10**4, scale)))
    return State(x=normal(np, size(10**6, scale)), places=np.array(places), values=np.array(numpy.sin(places)))


@program(make_curve)
def interpolate(np, s):
    return np.interp(s.x, s.places, s.values)


def make_factors(np, scale):
    n = size(2000, scale)
    return State(a=normal(np, n, n), b=normal(np, n, n, seed=11))


@program(make_factors)
def einsum_product(np, s):
    return np.einsum("ij,jk->ik", s.a, s.b)


@program(lambda np, scale: State(x=normal(np, size(5000, scale)), y=normal(np, size(5000, scale), seed=11)))
def outer_product(np, s):
    return np.outer(s.x, s.y) + np.outer(s.y, s.x)


@program(lambda np, scale: State(a=normal(np, size(10**6, scale), 16)))
def norm_axis(np, s):
    return np.linalg.norm(s.a, axis=1)
