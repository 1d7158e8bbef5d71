"""The k-th allocation, launch, copy or compilation fails while user kernels are launched and numbers drawn: what has not begun changes
nothing and works when it is asked for again, what has begun to write says so."""

from __future__ import annotations

import gc
import warnings

import numpy as np
import pytest
import tessera.numpy as tnp

import tessera
from tessera import _core, cuda

MEBIBYTE = 1 << 20


def axpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


def totals(x, sums):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(sums, i % 10, x[i])


AXPY, TOTALS = cuda.jit(axpy), cuda.jit(totals)


def text_of(error):
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


class Again:
    """Does what failed again, once, where it had not begun."""

    def __init__(self):
        self.has_begun = False

    def __call__(self, work):
        try:
            return work()
        except (MemoryError, RuntimeError) as error:
            _core.end_faults()
            if "not tried again" in text_of(error):
                self.has_begun = True
                return None
            return work()


def read(again, array):
    return again(lambda: np.array(array))


def launches():
    x = tnp.arange(3000) * 3 % 7
    y = tnp.arange(3000) + 1
    return (
        [y, x * 2],
        [lambda: AXPY[12, 256](2, x, y), lambda: AXPY[12, 256](3, x, y)],
        [
            np.arange(3000) + 1 + 5 * (np.arange(3000) * 3 % 7),
            np.arange(3000) * 3 % 7 * 2,
        ],
    )


def atomics():
    x = tnp.arange(3000) * 3 % 7
    sums = tnp.zeros(10, dtype="i8")
    wanted = np.bincount(np.arange(3000) % 10, weights=np.arange(3000) * 3 % 7).astype("i8")
    return [sums, sums + 1], [lambda: TOTALS[12, 256](x, sums)], [wanted, None]


def run(make, is_pending, kind, number, lasting):
    """Returns how many faults there could have been. `is_pending`: operands are not computed yet."""
    again = Again()
    arrays, works, expected = make()
    if not is_pending:
        _core.synchronize()
    _core.inject_fault(kind, number, lasting)
    try:
        for work in works:
            again(work)
        found = [read(again, each) for each in arrays]
    finally:
        count = _core.end_faults()
    for value, wanted in zip(found, expected, strict=True):
        if value is not None and wanted is not None and not again.has_begun:
            np.testing.assert_array_equal(value, wanted, err_msg=str((kind, number, lasting)))
    return count


@pytest.fixture(params=["cpu", "simulated"])
def device(request):
    with tessera.device(request.param):
        yield request.param


KINDS = {"cpu": ("allocation", "compilation"), "simulated": ("allocation", "launch", "copy", "compilation")}


@pytest.mark.parametrize("is_pending", [True, False])
@pytest.mark.parametrize("make", [launches, atomics])
def test_user_kernels(make, is_pending, device):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in KINDS[device]:
            run(make, is_pending, kind, 0, False)
            count = run(make, is_pending, kind, 0, False)
            _core.synchronize()
            gc.collect()
            before = _core.memory_statistics()["bytes_in_use"]
            for number in range(1, count + 1):
                run(make, is_pending, kind, number, False)
                run(make, is_pending, kind, number, True)
            _core.synchronize()
            gc.collect()
            assert _core.memory_statistics()["bytes_in_use"] <= before + MEBIBYTE, kind


DRAWS = {
    "random": lambda random: random.random(2500),
    "integers": lambda random: random.integers(0, 9, 2000),
    "normal": lambda random: random.standard_normal(3000),
    "shuffled": lambda random: random.permutation(1500),
    "gamma": lambda random: random.standard_gamma(2.0, 500),
    "choice": lambda random: random.choice(1000, 400, replace=False),
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws(name, device):
    draw = DRAWS[name]
    numbers = np.random.default_rng(7)
    expected = [draw(numbers) for _ in range(3)]
    for kind in KINDS[device]:
        number, count = 0, 1
        while number <= count:
            for lasting in (False, True):
                again = Again()
                random = tnp.random.default_rng(7)
                found = [read(again, draw(random))]
                _core.inject_fault(kind, number, lasting)
                try:
                    drawn = again(lambda: draw(random))  # noqa: B023
                    found.append(read(again, drawn) if drawn is not None else None)
                finally:
                    ended = _core.end_faults()
                count = max(count, ended) if number == 0 else count
                found.append(read(again, draw(random)))
                if not again.has_begun:
                    for value, wanted in zip(found, expected, strict=True):
                        np.testing.assert_array_equal(value, wanted, err_msg=str((kind, number, lasting)))
            number += 1
