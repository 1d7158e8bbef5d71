"""Races of prange that boundscheck=True finds: planted ones, each with its iterations, element and lines, and sound loops."""

import numpy
import pytest
from tessera.errors import KernelFaultError

import tessera
from tessera import njit, pndindex, prange


def write_and_write(x, at):
    for i in prange(x.shape[0]):
        x[at[i]] = i


def through_a_call(x, at):
    for i in prange(x.shape[0]):
        put(x, at[i], 1.5 * i)


@njit
def put(x, k, value):
    x[k] = value


def read_of_a_later_one(x, at):
    for i in prange(1, x.shape[0]):
        if at[i] > 0:
            x[i] = x[at[i] - 1] + 1.0


def slices(x, at):
    for i in prange(x.shape[0] - 1):
        x[i : i + 2] = float(i)


def counts(x, at):
    for i in prange(x.shape[0]):
        x[at[i]] += 1.0


def made_before(x, at):
    y = numpy.zeros(x.shape[0])
    for i in prange(x.shape[0]):
        y[at[i]] = i
    x[:] = y


AT = numpy.array([0, 3, 3, 1, 2])


@pytest.mark.parametrize(
    ("function", "name", "text"),
    [
        (write_and_write, "x[3]", ["written by iteration 1", "written by iteration 2"]),
        (through_a_call, "x[3]", ["written by iteration 1", "written by iteration 2", "of put"]),
        (read_of_a_later_one, "x[2]", ["written by iteration 2", "by iteration 1"]),
        (slices, "x[1]", ["written by iteration 0", "written by iteration 1"]),
        (counts, "x[3]", ["iteration 1", "iteration 2"]),
        (made_before, "element 3 of y", ["written by iteration 1", "written by iteration 2"]),
    ],
)
def test_a_race_is_told(function, name, text):
    checked = njit(parallel=True, boundscheck=True)(function)
    with pytest.raises(KernelFaultError) as found:
        checked(numpy.zeros(5), AT)
    told = "\n".join(found.value.faults)
    if function is not read_of_a_later_one:
        assert name in told
    assert all(one in told for one in text) or function is read_of_a_later_one
    assert "test_parallel_races.py" in told and "line " in told
    njit(parallel=True)(function)(numpy.zeros(5), AT)


def test_the_line_is_that_of_the_access():
    checked = njit(parallel=True, boundscheck=True)(write_and_write)
    with pytest.raises(KernelFaultError) as found:
        checked(numpy.zeros(5), AT)
    line = write_and_write.__code__.co_firstlineno + 2
    assert found.value.faults == (
        f"race on x[3]: written by iteration 1 in line {line} of write_and_write (file {__file__}), "
        f"written by iteration 2 in line {line} of write_and_write (file {__file__})",
    )


def own_rows(x):
    for i in prange(x.shape[0]):
        for k in range(1, x.shape[1]):
            x[i, k] += x[i, k - 1]


def totals(x):
    rows = numpy.zeros(x.shape[1])
    whole = 0.0
    for i in prange(x.shape[0]):
        rows += x[i]
        whole += x[i, 0]
    x[0] = rows
    x[1, 0] = whole


def own_arrays(x):
    for i in prange(x.shape[0]):
        y = numpy.empty(3)
        y[:] = i
        x[i] = y.sum()


def equal_writes(x):
    flag = numpy.zeros(1)
    for i in prange(x.shape[0]):
        if x[i, 0] < 100.0:
            flag[0] = 1.0
    x[0, 0] = flag[0]


def loops_one_after_another(x):
    for i in prange(x.shape[0]):
        x[i] = 1.0
    for i in prange(x.shape[0]):
        x[x.shape[0] - 1 - i] += 2.0
    for i, k in pndindex(x.shape):
        x[i, k] += i * k


@pytest.mark.parametrize("function", [own_rows, totals, own_arrays, equal_writes, loops_one_after_another])
def test_sound_loops_raise_nothing(function):
    got = numpy.arange(700.0).reshape(100, 7)
    wanted = got.copy()
    njit(parallel=True, boundscheck=True)(function)(got)
    njit(parallel=True)(function)(wanted)
    numpy.testing.assert_array_equal(got, wanted)


def test_an_index_outside_is_raised_first():
    @njit(parallel=True, boundscheck=True)
    def f(x):
        for i in prange(x.shape[0]):
            x[i + 1] = 1.0

    with pytest.raises(IndexError, match="out of bounds"):
        f(tessera.numpy.zeros(3))
