"""Random loops of stencils, edges and reversed views, the same for each library of arrays."""

from __future__ import annotations

import random

import numpy


class Loop:
    """The loop of one seed, which every now and then looks at a sum."""

    def __init__(self, seed):
        self.choose, self.values = random.Random(seed), numpy.random.default_rng(seed)
        choose = self.choose
        self.reach = choose.choice([1, 1, 2])
        self.shape = choose.choice([40, 97, 200, 333]), choose.choice([8, 31, 120, 400])
        if choose.random() < 0.2:
            self.shape = (choose.choice([3000, 20000, 40001]),)
        elif choose.random() < 0.2:
            self.shape = choose.choice([20, 61]), 12, 40
        self.inner = tuple(slice(self.reach, n - self.reach) for n in self.shape)
        count = choose.randint(1, 3)
        self.known = [self.values.standard_normal(self.shape) for _ in range(count)]
        self.body = [
            (choose.randint(0, 6), choose.randrange(count), choose.randrange(count), choose.getrandbits(30))
            for _ in range(choose.randint(1, 4))
        ]
        self.turns, self.look = choose.choice([3, 12, 40]), choose.choice([7, 100])

    def shifted(self, choose, a):
        """Of the extents of the inside, up to `reach` beside it."""
        by = [choose.randint(-self.reach, self.reach) for _ in a.shape]
        return a[tuple(slice(self.reach + s, n - self.reach + s) for s, n in zip(by, a.shape))]

    def run(self, xp):
        arrays, results = [xp.asarray(a) for a in self.known], []
        for turn in range(self.turns):
            for step in self.body:
                self.step(xp, arrays, *step)
            if turn % self.look == self.look - 1:
                results.append(float(arrays[0].sum()))
        return [numpy.asarray(value) for value in results + arrays]

    def step(self, xp, arrays, kind, i, j, bits):
        choose, a, b = random.Random(bits), arrays[i], arrays[j]
        if kind == 0:
            a[self.inner] = 0.3 * (self.shifted(choose, b) + self.shifted(choose, b) + self.shifted(choose, a))
        elif kind == 1:
            arrays[i] = a + 0
            arrays[i][self.inner] = 0.5 * (self.shifted(choose, a) - self.shifted(choose, b))
        elif kind == 2:
            a[0], a[-1] = a[1], b[-2]
        elif kind == 3:
            arrays[i] = 0.5 * a + 0.25 * b[::-1]
        elif kind == 4:
            a[self.inner] = self.shifted(choose, a[::-1]) * 0.7 + 0.1
        elif kind == 5:
            product = self.shifted(choose, a) * self.shifted(choose, b)
            a[self.inner] = xp.tanh(product) * 0.5 + self.shifted(choose, b) * 0.2
        elif a.ndim > 1:
            a[:, 0], b[:, -1] = a[:, 1], 0.5
