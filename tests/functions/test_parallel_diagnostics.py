"""What a parallel function says of its loops, and races that its compiler sees."""

import warnings

import numpy
import pytest
from tessera.errors import ParallelRaceWarning
from tessera.numba import get_thread_id

from tessera import get_num_threads, jit, prange

N = 64


@jit(parallel=True)
def smooth(x, weights):
    scaled = x * 2 + 1
    total = 0.0
    norm = numpy.zeros(3)
    for i in prange(1, x.shape[0] - 1):
        for k in prange(3):
            total += weights[k] * scaled[i + k - 1]
        norm += weights
    return total / scaled.max(), norm


def test_the_levels_say_more_and_more(capsys):
    with pytest.raises(ValueError, match="1 to 4"):
        smooth.parallel_diagnostics(level=5)
    smooth(numpy.ones(30), numpy.ones(3))
    texts = []
    for level in (1, 2, 3, 4):
        smooth.parallel_diagnostics(level=level)
        texts.append(capsys.readouterr().out)
    assert "smooth(float64[::1], float64[::1])" in texts[0] or "smooth(" in texts[0]
    assert "1 parallel loop\n" in texts[0] and "in order" in texts[0] and "joined" not in texts[0]
    assert "total (float64) by +" in texts[1] and "norm (" in texts[1] and "array expression" not in texts[1]
    assert "array expression" in texts[2] and "total of an array" in texts[2]
    assert texts[3].startswith(texts[2].rstrip("\n")) and len(texts[3]) > 2 * len(texts[2])
    smooth.parallel_diagnostics(smooth.signatures[0])
    assert capsys.readouterr().out == texts[0]


def test_functions_that_are_not_parallel_say_so():
    @jit
    def plain(x):
        return x

    plain(1)
    with pytest.raises(RuntimeError, match="without parallel=True"):
        plain.parallel_diagnostics()


def same_element(x, out):
    for i in prange(x.shape[0]):
        out[0] += x[i]


def same_row(x, out):
    for i in prange(x.shape[0]):
        out[:] += x[i]


def last_value(x, out):
    for i in prange(x.shape[0]):
        value = x[i] * 2
        out[N - 1] = value


def neighbour(x, out):
    for i in prange(1, x.shape[0]):
        out[i] = out[i - 1] + x[i]


def two_places(x, out):
    for i in prange(x.shape[0] - 1):
        out[i] = x[i]
        out[i + 1] = x[i]


def columns(x, out):
    for i in prange(1, 8):
        y[i, 0] = y[i - 1, 0] + x[i]


y = numpy.zeros((8, 2))


@pytest.mark.parametrize(
    "function", [same_element, same_row, last_value, neighbour, two_places], ids=lambda f: f.__name__
)
def test_races_are_told_when_the_function_is_compiled(function):
    x = numpy.ones(N)
    with pytest.warns(ParallelRaceWarning, match="out") as told:
        jit(parallel=True)(function)(x, numpy.zeros(N))
    assert len(told) == 1 and function.__name__ in str(told[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jit(function)(x, numpy.zeros(N))  # in order


def own_element(x, out):
    for i in prange(x.shape[0]):
        out[i] += x[i]
        out[i] = out[i] * 2


def by_thread(x, out):
    for i in prange(x.shape[0]):
        out[get_thread_id()] += x[i]


def every_second(x, out):
    for i in prange(0, x.shape[0] - 1, 2):
        out[i] = x[i]
        out[i + 1] = x[i]


def guarded(x, out):
    for i in prange(x.shape[0]):
        if i == 5:
            out[0] = x[i]


def skipping(x, out):
    for i in prange(x.shape[0]):
        if i != 5:
            continue
        out[0] = x[i]


def same_value(x, out):
    for i in prange(x.shape[0]):
        out[3] = 1.0
        x[i] = 2.0


def diagonal(x, out):
    square = x.reshape(8, 8)
    for i in prange(1, 8):
        j = i
        square[i, j] = square[i - 1, j] + 1


def local_array(x, out):
    for i in prange(x.shape[0]):
        own = numpy.zeros(3)
        own[0] += x[i]
        out[i] = own.sum()


def computed_place(x, out):
    places = numpy.arange(x.shape[0])
    for i in prange(x.shape[0]):
        k = places[i]
        out[k] += x[i]


@pytest.mark.parametrize(
    "function",
    [own_element, by_thread, every_second, guarded, skipping, same_value, diagonal, local_array, computed_place],
    ids=lambda f: f.__name__,
)
def test_what_may_be_right_is_not_told(function):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jit(parallel=True)(function)(numpy.ones(N), numpy.zeros(max(N, get_num_threads())))
