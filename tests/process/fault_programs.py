"""Small programs for test_faults.py: each takes NumPy or tessera.numpy and gives arrays, most of them not computed yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

PROGRAMS: dict[str, Callable[[Any], list[Any]]] = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def line(xp, n=3000):
    return xp.arange(float(n)) / 7


def grid(xp, rows=60, columns=50):
    return (xp.arange(float(rows * columns)) / 11).reshape(rows, columns)


EXPRESSIONS = {
    "sum_of_two": lambda xp, x: x + x[::-1],
    "chain": lambda xp, x: (x * 2 + 1) / (x + 3) - x,
    "square_root": lambda xp, x: xp.sqrt(x * x + 1),
    "exponential": lambda xp, x: xp.floor(xp.exp(-x / 100) * 1000),
    "comparison": lambda xp, x: x > 100,
    "where": lambda xp, x: xp.where(x > 100, x, -x),
    "cast": lambda xp, x: (x * 3).astype("i4"),
    "integers": lambda xp, x: x.astype("i8") // 3 % 5,
    "complex": lambda xp, x: (xp.floor(x) + 1j) * (xp.floor(x) - 2j),
    "halves": lambda xp, x: x.astype("f2") + 1,
    "logical": lambda xp, x: xp.logical_and(x > 3, x < 300),
    "clip": lambda xp, x: xp.clip(x, 10, 200) * 2,
    "maximum": lambda xp, x: xp.maximum(x, 200 - x),
    "outer": lambda xp, x: x[:50, None] * x[None, :70],
    "total": lambda xp, x: xp.floor(x).sum(),
    "total_of_product": lambda xp, x: (xp.floor(x) * 2).sum(),
    "mean": lambda xp, x: xp.floor(x).mean(),
    "extremes": lambda xp, x: x.max() - x.min(),
    "any": lambda xp, x: (x > 400).any(),
    "cumsum": lambda xp, x: xp.cumsum(xp.floor(x)),
    "sort": lambda xp, x: xp.sort(x * ((xp.arange(len(x)) % 3) - 1)),
    "argsort": lambda xp, x: xp.argsort(-x),
    "argmax": lambda xp, x: xp.argmax(x * -1 + 5),
    "searchsorted": lambda xp, x: xp.searchsorted(x, x[::7] + 0.1),
    "take": lambda xp, x: x[xp.arange(0, 3000, 3)],
    "reversed": lambda xp, x: x[::-1] * 1.0,
    "mask": lambda xp, x: x[x > 100] + 1,
    "nonzero": lambda xp, x: xp.nonzero(xp.floor(x) % 2)[0],
    "unique": lambda xp, x: xp.unique(xp.floor(x)),
    "bincount": lambda xp, x: xp.bincount(x.astype("i8")),
    "concatenate": lambda xp, x: xp.concatenate([x, x * 2]),
    "stack": lambda xp, x: xp.stack([x, -x]),
    "repeat": lambda xp, x: xp.repeat(x, 2) + 1,
    "tile": lambda xp, x: xp.tile(x, 3) - 1,
    "roll": lambda xp, x: xp.roll(x, 5) + x,
    "diff": lambda xp, x: xp.floor(xp.diff(xp.floor(x))),
    "pad": lambda xp, x: xp.pad(x, 10) * 2,
    "add_at": lambda xp, x: added(xp, x),
    "histogram": lambda xp, x: xp.histogram(x, 20)[0],
}
for _name, _body in EXPRESSIONS.items():
    PROGRAMS[_name] = lambda xp, body=_body: [body(xp, line(xp))]

MATRICES = {
    "sum_of_rows": lambda xp, a: xp.floor(a).sum(axis=1),
    "sum_of_columns": lambda xp, a: xp.floor(a).sum(axis=0),
    "transpose": lambda xp, a: a.T + 1,
    "transposed_copy": lambda xp, a: xp.ascontiguousarray(a.T),
    "row_extremes": lambda xp, a: a.max(axis=1) - a.min(axis=1),
    "normalised": lambda xp, a: xp.floor((a - a.min(axis=0)) * 2),
    "product": lambda xp, a: xp.floor(a) @ xp.floor(a.T[:, :40]),
    "matrix_vector": lambda xp, a: xp.floor(a) @ xp.floor(a[0]),
    "triangle": lambda xp, a: xp.tril(a) + xp.triu(a),
    "flip": lambda xp, a: xp.flip(a) * 2,
    "diagonal": lambda xp, a: xp.diagonal(a) + 1,
    "trace": lambda xp, a: xp.trace(xp.floor(a)),
    "sorted_rows": lambda xp, a: xp.sort(a[:, ::-1] * 1.0, axis=1),
}
for _name, _body in MATRICES.items():
    PROGRAMS[_name] = lambda xp, body=_body: [body(xp, grid(xp))]


def added(xp, x):
    counts = xp.zeros(100)
    xp.add.at(counts, x.astype("i8") % 100, 1.0)
    return counts


@program
def write_in_place(xp):
    x = line(xp)
    x[10:2000] += 1
    x[::3] = x[::3] * 2
    return [x]


@program
def write_over_itself(xp):
    x = line(xp)
    x[1:] = x[:-1] + x[1:]
    return [x]


@program
def known_loop(xp):
    x, y = line(xp), line(xp) + 1
    for _ in range(40):
        x = xp.floor(x * 0.5 + y)
        y = y - 1
    return [x, y]


@program
def stencil(xp):
    a = grid(xp)
    for _ in range(12):
        a[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
    return [a]


@program
def several_results(xp):
    x = line(xp)
    return [x + 1, x * 2, xp.floor(x).sum(), xp.sort(-x), x[::-1] * 1.0]


@program
def results_of_each_other(xp):
    x = line(xp)
    y = x + 1
    z = y * y
    return [x, y, z, z - y, xp.floor(z).sum()]


@program
def many_operations(xp):
    x = line(xp)
    kept = [x * k + 1 for k in range(30)]
    return [kept[3], kept[29], sum(kept[1:], kept[0])]


@program
def draws(xp):
    random = xp.random.default_rng(7)
    return [random.random(2500), random.integers(0, 9, 2000), random.random(1500) * 2]


@program
def several_writes_in_place(xp):
    x = line(xp)
    first = float(x[1])  # x has its memory, which the writes go into
    y = x * 3
    x[10:2000] += first
    x[::3] *= 2
    z = x[:1000] - 1
    x[5:] = x[:-5] + 1
    x[:50] = xp.sort(x[50:100])
    return [x, y, z, x + y]


@program
def matrix_in_place(xp):
    a = grid(xp)
    corner = float(a[0, 1])
    for k in range(4):
        a[k] -= a[k + 1] + corner
        a[:, k] *= 2
    return [a, a.sum(axis=0) * 0 + 1]


def unrelated(xp) -> Iterator[Any]:
    """Work that is pending while a program runs, and has nothing to do with it."""
    yield xp.arange(5000.0) * 2 + 1
    yield xp.sort((xp.arange(4000) * 7 % 1000) * 1.0)
