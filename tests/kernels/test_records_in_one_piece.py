"""NumPy's arrays of records that a device gets and gives back as they lie."""

import numpy as np
import pytest

import tessera
from tessera import cuda

EVEN = np.dtype([("x", "f4"), ("n", "i4"), ("m", "f8", (2,))], align=True)
NESTED = np.dtype([("n", "i8"), ("x", "f8"), ("m", [("u", "f4"), ("v", "i4")])], align=True)
UNEVEN = np.dtype([("flag", "i1"), ("x", "f4"), ("n", "i4"), ("m", "f8", (2,))])
SIZE = 20_000


@cuda.jit
def step(records, k):
    i = cuda.grid(1)
    if i < records.size:
        records[i].x += k * records[i].n
        records[i].m[1] = records[i].x


@cuda.jit
def step_nested(records, k):
    i = cuda.grid(1)
    if i < records.size:
        records[i].x += k * records[i].n
        records[i].m.v = records[i].n


def records_of(dtype):
    made = np.zeros(SIZE, dtype)
    made["x"], made["n"] = np.arange(SIZE), np.arange(SIZE) % 7
    return made


def expected(dtype):
    made = records_of(dtype)
    made["x"] += (2.0 * made["n"]).astype(made["x"].dtype)
    if dtype is NESTED:
        made["m"]["v"] = made["n"]
    else:
        made["m"][:, 1] = made["x"]
    return made


def copies():
    counted = tessera.counters()
    return np.array([counted["copies_to_device"], counted["copies_from_device"]])


GRID = (-(-SIZE // 128), 128)


@pytest.mark.parametrize(("dtype", "kernel"), [(EVEN, step), (NESTED, step_nested)], ids=["arrays", "nested"])
def test_a_launch_copies_records_once_each_way(device, dtype, kernel):
    records = records_of(dtype)
    before = copies()
    kernel[GRID](records, 2.0)
    assert list(copies() - before) == ([0, 0] if device == "cpu" else [1, 1])
    np.testing.assert_array_equal(records, expected(dtype))


def test_records_that_do_not_lie_evenly_are_copied_field_by_field(device):
    records = records_of(UNEVEN)
    step[GRID](records, 2.0)
    np.testing.assert_array_equal(records, expected(UNEVEN))


@pytest.mark.parametrize("in_stream", [False, True])
@pytest.mark.parametrize(("dtype", "kernel"), [(EVEN, step), (NESTED, step_nested)], ids=["arrays", "nested"])
def test_records_of_a_device_are_copied_in_one_piece(device, dtype, kernel, in_stream):
    stream = cuda.stream() if in_stream else 0
    records = records_of(dtype)
    before = copies()
    there = cuda.to_device(records, stream=stream)
    kernel[(*GRID, stream)](there, 2.0)
    back = there.copy_to_host(stream=stream)
    cuda.synchronize()
    if device != "cpu":
        assert list(copies() - before) == [1, 1]
    np.testing.assert_array_equal(back, expected(dtype))
    there[2:5].copy_to_device(records[:3])
    np.testing.assert_array_equal(there.copy_to_host()[2:5], records[:3])


def test_a_launch_on_a_stream_brings_records_back(device):
    stream = cuda.stream()
    records = records_of(EVEN)
    step[(*GRID, stream)](records, 2.0)
    stream.synchronize()
    np.testing.assert_array_equal(records, expected(EVEN))


def test_records_that_are_passed_twice_are_the_same_records(device):
    @cuda.jit
    def shift(a, b):
        i = cuda.grid(1)
        if i < a.size:
            a[i].x = b[i].x + 1

    records = records_of(EVEN)
    shift[GRID](records, records)
    np.testing.assert_array_equal(records["x"], np.arange(SIZE) + 1)
