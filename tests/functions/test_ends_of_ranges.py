"""Ranges whose last index plus their step is no int64 end there, as Python's do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tessera import cuda, jit, prange

MOST, LEAST = 2**63 - 1, -(2**63)

RANGES = [
    (3, MOST, MOST),
    (MOST - 10, MOST, 3),
    (MOST - 10, MOST, 5),
    (LEAST, MOST, MOST),
    (LEAST, MOST, 2**62),
    (-5, LEAST, -MOST),
    (-5, LEAST, LEAST),
    (LEAST + 7, LEAST, -3),
    (MOST, LEAST, LEAST),
    (MOST, MOST, 2),
    (5, 4, MOST),
    (4, 5, LEAST),
]


def visit(seen, begin, end, step):
    count = 0
    for i in range(begin, end, step):
        seen[count] = i
        count += 1
    return count


def visit_until(seen, begin, end, step):
    count = 0
    for i in range(begin, end, step):
        if count == 20:
            break
        seen[count] = i
        count += 1
    else:
        return count
    return -1


def visit_from_inside(seen, begin, end, step):
    for i in range(begin, end, step):
        for k in range(seen.size):
            if seen[k] == 7:
                seen[k] = i
                break
        else:
            return -1
    return 0


def visit_counted(seen, begin, end, step):
    for k, i in enumerate(range(begin, end, step)):
        seen[k] = i
    return len(range(begin, end, step))


def visit_in_parallel(seen, begin, end, step):
    for i in prange(begin, end, step):
        seen[i % 19] += 1
    return 0


def store_at_low_bits(seen, begin, end, step):
    """Bytes at unknown steps, which are stored four at a time."""
    count = 0
    for i in range(begin, end, step):
        seen[i & 15] = i >> 56
        count += 1
    return count


@pytest.mark.parametrize(
    "function", [visit, visit_until, visit_from_inside, visit_counted, visit_in_parallel, store_at_low_bits]
)
def test_ranges_end_at_the_ends_of_int64(function):
    compiled = jit(function)
    dtype = np.int8 if function is store_at_low_bits else np.int64
    for bounds in RANGES:
        got, wanted = np.full(20, 7, dtype), np.full(20, 7, dtype)
        assert compiled(got, *bounds) == function(wanted, *bounds), bounds
        np.testing.assert_array_equal(got, wanted, str(bounds))


def by_threes(seen, begin, end):
    count = 0
    for i in range(begin, end, 3):
        seen[count] = i
        count += 1
    return count


def down_by_threes(seen, begin, end):
    count = 0
    for i in range(begin, end, -3):
        if count < seen.size:
            seen[count] = i
        count += 1
    return count


@pytest.mark.parametrize("left", range(8))
def test_constant_steps_end_there_too(left):
    for function, sign in ((by_threes, 1), (down_by_threes, -1)):
        compiled = jit(function)
        for first in range(12):
            bounds = (MOST - first, MOST - left) if sign > 0 else (LEAST + first, LEAST + left)
            got, wanted = np.zeros(8, np.int64), np.zeros(8, np.int64)
            assert compiled(got, *bounds) == function(wanted, *bounds)
            np.testing.assert_array_equal(got, wanted)


def test_bytes_four_at_a_time_end_there():
    compiled = jit(store_at_low_bits)
    for step in (2**60, 2**60 - 1, 2**59, 2**59 + 3, 2**58 + 1):
        for begin in (0, 1, 5, 2**61):
            for end in (MOST, MOST - 1, MOST - step, MOST - step + 1):
                got, wanted = np.zeros(16, np.int8), np.zeros(16, np.int8)
                assert compiled(got, begin, end, step) == store_at_low_bits(wanted, begin, end, step)
                np.testing.assert_array_equal(got, wanted)


@cuda.jit
def visit_in_threads(seen, begin, end, step):
    t = cuda.threadIdx.x
    for i in range(begin, end - t, step):
        seen[t, 0] += 1
        seen[t, 1] = i


@cuda.jit
def visit_with_barriers(seen, begin, end, step):
    t = cuda.threadIdx.x
    for i in range(begin, end - t, step):
        cuda.syncthreads()
        seen[t, 0] += 1
        seen[t, 1] = i


@pytest.mark.parametrize("kernel", [visit_in_threads, visit_with_barriers])
def test_ranges_of_threads_end_there(kernel):
    for begin, end, step in RANGES:
        if end < begin or end - 3 < LEAST:
            continue
        seen = np.zeros((4, 2), np.int64)
        kernel[1, 4](seen, begin, end, step)
        for t in range(4):
            wanted = range(begin, end - t, step)
            assert seen[t].tolist() == [len(wanted), wanted[-1] if wanted else 0], (begin, end, step)


@jit
def _range(start, stop, step):
    return np.arange(start, stop, step)


@jit
def _range_of_doubles(start, stop, step):
    return np.arange(start, stop, step, dtype=np.float64)


@jit
def _range_of_singles(start, stop, step):
    return np.arange(start, stop, step, dtype=np.float32)


@jit
def _range_of_integers(start, stop, step):
    return np.arange(start, stop, step, dtype=np.int64)


@jit
def _range_of_halves(start, stop, step):
    return np.arange(start, stop, step, dtype=np.float16)


@jit
def _range_of_booleans(start, stop, step):
    return np.arange(start, stop, step, dtype=np.bool_)


_RANGES = {
    None: _range,
    "f8": _range_of_doubles,
    "f4": _range_of_singles,
    "f2": _range_of_halves,
    "i8": _range_of_integers,
}
_ENDS = [
    (np.nan, 1.0, 1.0),
    (0.0, np.nan, 1.0),
    (0.0, 1.0, np.nan),
    (0.0, np.inf, 1.0),
    (0.0, -np.inf, 1.0),
    (0.0, np.inf, -1.0),
    (0.0, 1.0, np.inf),
    (0.0, 1e300, 1e-300),
    (0.0, -1.0, np.inf),
    (np.inf, np.inf, 1.0),
]


@pytest.mark.parametrize("ends", _ENDS)
def test_ranges_of_numbers_that_are_not_finite(ends):
    try:
        wanted = np.arange(*ends)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)):
            _range(*ends)
    else:
        np.testing.assert_array_equal(_range(*ends), wanted)


@given(
    start=st.floats(-1e6, 1e6),
    step=st.floats(1e-3, 1e3),
    count=st.floats(0.0, 40.0),
    is_down=st.booleans(),
    dtype=st.sampled_from([None, "f8", "f4", "f2", "i8"]),
)
@settings(deadline=None)
def test_ranges_of_floats_have_numpys_bits(start, step, count, is_down, dtype):
    by = -step if is_down else step
    ends = (start / 100, (start + by * count) / 100, by / 100) if dtype == "f2" else (start, start + by * count, by)
    np.testing.assert_array_equal(_RANGES[dtype](*ends), np.arange(*ends, dtype=dtype))


def test_ranges_of_booleans_have_two_elements_at_most():
    for ends in ((0.0, 2.0, 1.0), (0, 2, 1), (0, 1, 1)):
        np.testing.assert_array_equal(_range_of_booleans(*ends), np.arange(*ends, dtype=bool))
    for ends in ((0.0, 10.0, 0.5), (0, 10, 3)):
        with pytest.raises(TypeError, match="booleans"):
            _range_of_booleans(*ends)
