"""Random programs of views, writes and folds, the same for each library of arrays."""

from __future__ import annotations

import random

import numpy


class Program:
    """The program of one seed. A larger `scale` makes longer axes; with `routines` it calls more than elementwise operations and folds."""

    def __init__(self, seed, scale=1, routines=False):
        self.seed, self.scale, self.routines = seed, scale, routines

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

    def call(self, choose, xp, arrays, results, a):
        """Routines whose results have NumPy's bits on every device."""
        last, axis = a.ndim - 1, choose.randint(0, a.ndim - 1)
        whole = xp.floor(a).astype("int64") if a.dtype.kind == "f" else a.astype("int64")
        calls = [
            lambda: xp.sort(a, axis=last),
            lambda: xp.argsort(a, axis=last, kind="stable"),
            lambda: xp.partition(a, choose.randint(0, a.shape[last] - 1), axis=last),
            lambda: xp.cumsum(a, axis=axis),
            lambda: xp.maximum.accumulate(a, axis=axis),
            lambda: xp.cumprod(whole % 3, axis=axis),
            lambda: xp.repeat(a, choose.randint(1, 3), axis=axis),
            lambda: a[a > choose.randint(-5, 5)],
            lambda: a[a[(slice(None),) + (0,) * last] > 0],
            lambda: xp.nonzero(a > 1)[choose.randint(0, last)],
            lambda: xp.count_nonzero(a),
            lambda: xp.bincount(whole.ravel() % choose.randint(2, 30)),
            lambda: xp.searchsorted(xp.arange(-9.0, 9), a.astype("float64")),
            lambda: xp.interp(a.astype("float64"), xp.arange(-9.0, 9), xp.arange(-9.0, 9) ** 2),
            lambda: xp.take(a, [0, -1, a.shape[axis] // 2], axis=axis),
            lambda: whole @ whole.T if a.ndim == 2 else xp.dot(whole.ravel(), whole.ravel()),
            lambda: whole.T @ whole if a.ndim == 2 else xp.vdot(whole, whole),
            lambda: whole @ xp.arange(a.shape[last]),
            lambda: xp.matmul(whole, xp.swapaxes(whole, 1, 2)) if a.ndim == 3 else xp.argmax(a, axis=axis),
            *self.more_calls(choose, xp, a, whole),
        ]
        made = choose.choice(calls)()
        results.append(made)
        if made.ndim and made.size and choose.random() < 0.5:
            results.append(made[1:] * 2 - made[:-1])

    def more_calls(self, choose, xp, a, whole):
        last, number = a.ndim - 1, choose.randint(-5, 5)

        def masked(of, kind):
            changed, flags = of + 0, of > number
            if kind == "rows":
                changed[flags[(slice(None),) + (0,) * last]] = 3
            else:
                changed[flags] = changed[flags] * 2 if kind == "values" else 1
            return changed

        def drawn():
            kind, seed = choose.choice(["PCG64", "Philox", "PCG64DXSM", "MT19937"]), choose.randint(0, 99)
            draws = xp.random.Generator(getattr(xp.random, kind)(seed))
            old = xp.random.RandomState(seed)
            draws.random(choose.randint(0, 3), dtype="f4")
            made = [
                lambda: draws.random(a.shape),
                lambda: draws.random(a.shape, dtype="f4"),
                lambda: draws.uniform(1, 2, a.shape) + draws.random(a.shape),
                lambda: draws.normal(size=a.shape),
                lambda: draws.integers(0, 1000, a.shape),
                lambda: old.rand(*a.shape) - old.randn(*a.shape),
            ]
            return choose.choice(made)() + draws.random() + old.random_sample()

        few = whole.ravel()[:300]
        return [
            lambda: xp.tile(a, choose.choice([2, (2, 1), (1, 3)])),
            lambda: xp.tensordot(whole, whole, axes=([last], [last])) if a.size < 3000 else xp.tensordot(few, few, 0),
            lambda: xp.einsum("...i,...i->...", whole, whole + 1),
            lambda: xp.outer(few, few),
            lambda: masked(a, choose.choice(["number", "values", "rows"])),
            lambda: xp.where(a > number, a, whole.astype(a.dtype) + 1),
            lambda: xp.histogram(a, choose.randint(1, 20), (-9, 9))[0],
            lambda: xp.histogram(a, choose.randint(1, 20), (-9, 9), weights=a)[0],
            lambda: xp.bincount(whole.ravel() % choose.randint(2, 30), weights=a.ravel().astype("float64")),
            lambda: xp.asfortranarray(a) * 2 + 1,
            lambda: (a.T * 2).T[:: choose.choice([1, 2, -1, -3])],
            lambda: xp.cumulative_sum(whole, axis=choose.randint(0, last)),
            lambda: xp.flip(xp.roll(a, choose.randint(-3, 3), axis=0), axis=last),
            lambda: xp.argwhere(a > number),
            drawn,
            drawn,
        ]

    def step(self, choose, xp, arrays, results):
        a, b = choose.choice(arrays), choose.choice(arrays)
        if self.routines and choose.random() < 0.5 and a.size:
            self.call(choose, xp, arrays, results, a)
            return
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
