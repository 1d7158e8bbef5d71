"""Globals, closures and arrays that change between calls: the next call sees what they are then."""

import gc
import weakref

import numpy as np

from tessera import cuda, jit

FACTOR = 2
TABLE = np.arange(4.0)


class Settings:
    limit = 10


@cuda.jit(device=True)
def scaled(x):
    return x * FACTOR


@cuda.jit
def scale(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = scaled(i) + TABLE[i]


@jit
def within(x):
    return min(x, Settings.limit) + FACTOR


def launched():
    a = np.zeros(4)
    scale[1, 4](a)
    return a.tolist()


def test_globals_of_device_functions(monkeypatch):
    assert launched() == [0, 3, 6, 9]
    monkeypatch.setitem(globals(), "FACTOR", 3)
    assert launched() == [0, 4, 8, 12]
    monkeypatch.setitem(globals(), "FACTOR", 2.5)
    assert launched() == [0, 3.5, 7, 10.5]


def test_elements_of_arrays():
    first = launched()
    TABLE[1] += 10
    try:
        assert launched()[1] == first[1] + 10
    finally:
        TABLE[1] -= 10
    assert launched() == first


def test_attributes(monkeypatch):
    assert within(50) == 12
    monkeypatch.setattr(Settings, "limit", 20)
    assert within(50) == 22


def test_none_is_a_value(monkeypatch):
    weight = None

    @jit
    def weighted(x):
        return x if weight is None else x * weight

    assert weighted(3) == 3
    weight = 4
    assert weighted(3) == 12


def test_device_arrays_see_it_too(monkeypatch):
    a = cuda.to_device(np.zeros(4))
    scale[1, 4](a)
    monkeypatch.setitem(globals(), "FACTOR", 5)
    scale[1, 4](a)
    assert a.copy_to_host().tolist() == [0, 6, 12, 18]


def test_cells_of_closures():
    step = 1

    @jit
    def next_of(x):
        return x + step

    assert next_of(1) == 2
    step = 5
    assert next_of(1) == 6


def test_a_function_that_is_called_is_defined_anew():
    names = {"jit": jit}
    for body, wanted in (("x + 1", 3), ("x * 10", 20)):
        source = f"def inner(x):\n    return {body}\n"
        exec(source, names)
        names["inner"] = jit(names["inner"], source=source)
        if "outer" not in names:
            outer = "def outer(x):\n    return inner(x)\n"
            exec(outer, names)
            names["outer"] = jit(names["outer"], source=outer)
        assert names["outer"](2) == wanted


def test_functions_are_collected():
    def make():
        offset = 3

        @jit
        def add(x):
            return x + offset

        @cuda.jit
        def store(a):
            a[0] = offset

        assert add(1) == 4
        store[1, 1](np.zeros(1))
        return weakref.ref(add), weakref.ref(store)

    references = make()
    gc.collect()
    assert [reference() for reference in references] == [None, None]


NUMBERS = [1, 20, 300]
MIXED = [1.5, (2, [3, 4]), "text"]
LONG = list(range(1000))


def test_lists_outside_are_constants_that_may_change():
    @jit
    def pick(i):
        return NUMBERS[i], len(NUMBERS), 20 in NUMBERS

    @jit
    def total():
        s = 0
        for x in NUMBERS:
            s += x
        return s + MIXED[1][1][1]

    @jit
    def of_long(i):
        return LONG[i] + len(LONG)

    assert pick(2) == (300, 3, True)
    assert total() == 325
    assert of_long(999) == 1999
    try:
        NUMBERS[2] = 7
        MIXED[1][1][1] = 5
        assert pick(2) == (7, 3, True)
        assert total() == 33
        NUMBERS.append(8)
        assert pick(3) == (8, 4, True)
    finally:
        NUMBERS[:] = [1, 20, 300]
        MIXED[1][1][1] = 4


def test_kernels_read_lists_outside():
    @cuda.jit
    def pick(out):
        out[0] = NUMBERS[1]

    out = np.zeros(1)
    pick[1, 1](out)
    assert out[0] == 20
