"""Random programs of views, writes and folds, the same for each library of arrays."""

from __future__ import annotations

import random

import numpy


class Program:
    """The program of one seed. A larger `scale` makes longer axes."""

    def __init__(self, seed, scale=1):
        self.seed, self.scale = seed, scale

    def view(self, choose, a):
        index = []
        for extent in a.shape:
            kind = choose.randint(0, 5)
            low, high = sorted((choose.randint(0, extent), choose.randint(0, extent)))
            whole, step = slice(None), slice(None, None, choose.choice([2, -1, 3]))
            index.append([whole, whole, slice(1, None), slice(None, -1), step, slice(low, high)][kind])
        return a[tuple(index)]

    def run(self, xp):
        choose, values = random.Random(self.seed), numpy.random.default_rng(self.seed)
        self.folds = random.Random(self.seed + 1)
        shape = tuple(
            choose.choice([1, 2, 3, 5, 7, 16, 33, 70]) * self.scale for _ in range(choose.choice([1, 1, 2, 2, 3]))
        )
        if len(shape) == 1 and choose.random() < 0.3:
            shape = (choose.choice([1000, 9000, 20000]),)
        dtype = choose.choice(["float64", "float64", "float32", "int64", "int8"])
        arrays, results = [], []
        for _ in range(choose.randint(1, 3)):
            known = values.integers(-9, 9, shape).astype(dtype)
            if dtype.startswith("float"):
                known /= 7  # so that sums round
            kind = choose.randint(0, 2)
            arrays.append([xp.zeros(shape, dtype), xp.asarray(known), xp.ones(shape, dtype) * 3][kind])
        for _ in range(choose.randint(2, 10)):
            self.step(choose, xp, arrays, results)
            del arrays[:-6]
        return [numpy.asarray(value) for value in results + arrays]

    def fold(self, a, axis):
        names = ["sum", "sum", "mean", "std", "prod", "any"] + (["min", "max", "argmax"] if a.shape[axis] else [])
        with numpy.errstate(all="ignore"):
            return getattr(a, self.folds.choice(names))(axis=axis)

    def step(self, choose, xp, arrays, results):
        a, b = choose.choice(arrays), choose.choice(arrays)
        kind = choose.randint(0, 11)
        if kind == 0:
            arrays.append(a + choose.choice([1, 2]))
        elif kind == 1 and a.shape == b.shape:
            arrays.append(a * b - 1)
        elif kind == 2:
            to, source = self.view(choose, a), self.view(choose, b)
            to[...] = source * 2 if to.shape == source.shape else choose.randint(-3, 3)
        elif kind == 3:
            results.append(a.sum())
        elif kind == 4:
            results.append(self.fold(a, choose.randint(0, a.ndim - 1)))
        elif kind == 5 and a.size:
            results.append(a.max() if self.folds.random() < 0.5 else self.fold(a * 2, 0))
        elif kind == 6:
            arrays.append(self.view(choose, a) + 0)
        elif kind == 7:
            arrays.append(a.T.copy() if choose.random() < 0.5 else a.T)
        elif kind == 8:
            a += 1
        elif kind == 9 and a.shape[0] > 2:
            a[1:-1] = a[2:] + a[:-2]
        elif kind == 10 and a.size:
            results.append(xp.cumsum(a) if choose.random() < 0.3 else a.mean())
        else:
            arrays.append(xp.concatenate([a, a]) if choose.random() < 0.5 else xp.where(a > 0, a, -a))
