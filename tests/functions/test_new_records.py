"""Records that compiled functions make: new arrays, copies, masks and arrays of indices, against NumPy."""

from typing import Any

import numpy as np
import pytest
from tessera.errors import TypingError, UnsupportedError

from tessera import jit

PACKED = np.dtype([("a", "i2"), ("b", "f4")])
ALIGNED = np.dtype([("a", "i2"), ("b", "f8")], align=True)
INNER = np.dtype([("x", "f4"), ("y", "i4")])
NESTED = np.dtype([("n", INNER), ("m", "f8", (2, 3)), ("b", "?"), ("s", "U3")])


def filled(dtype: Any, shape: Any) -> Any:
    records = np.zeros(shape, dtype)
    raw = records.reshape(-1)
    for name in dtype.names:
        field = raw[name]
        if field.dtype.names:
            field["x"], field["y"] = np.arange(field.size), -np.arange(field.size)
        elif field.dtype.kind == "U":
            field[:] = [f"t{k}" for k in range(field.size)]
        else:
            field[...] = np.arange(field.size).reshape(field.shape) % 7
    return records


def check(function: Any, *arguments: Any) -> None:
    """Dtype, shape and values are those of the Python function; arguments stay what they are."""
    expected, found = function(*arguments), jit(function)(*arguments)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(found, expected)
    assert not any(np.shares_memory(found, one) for one in arguments if isinstance(one, np.ndarray))


@pytest.mark.parametrize("dtype", [PACKED, ALIGNED])
def test_new_arrays_of_records(dtype: Any) -> None:
    def made(n: int) -> Any:
        records = np.empty(n, dtype)
        for k in range(n):
            records[k]["a"] = k
            records[k]["b"] = 2.5 * k
        return records

    check(made, 4)
    check(lambda n: np.zeros((n, 2), dtype=dtype), 3)
    check(lambda n: np.zeros((0, n), dtype=dtype), 3)


@pytest.mark.parametrize("dtype", [PACKED, ALIGNED])
@pytest.mark.parametrize("shape", [3, (2, 3)])
def test_arrays_like_records(dtype: Any, shape: Any) -> None:
    records = filled(dtype, shape)
    check(lambda r: np.zeros_like(r), records)
    check(lambda a: np.zeros_like(a, dtype), np.ones(shape))
    assert jit(lambda r: np.empty_like(r))(records).dtype == dtype


@pytest.mark.parametrize("dtype", [PACKED, ALIGNED, NESTED])
@pytest.mark.parametrize("shape", [5, (2, 3)])
def test_copies_of_records(dtype: Any, shape: Any) -> None:
    records = filled(dtype, shape)
    check(lambda r: r.copy(), records)
    check(lambda r: np.copy(r), records)
    check(lambda r: r[::2].copy(), records)


@pytest.mark.parametrize("dtype", [PACKED, ALIGNED, NESTED])
def test_masks_and_arrays_of_indices(dtype: Any) -> None:
    records = filled(dtype, 6)
    mask = np.array([True, False, True, True, False, True])
    check(lambda r, i: r[i], records, mask)
    check(lambda r, i: r[i], records, np.array([5, 0, 0, -2]))
    check(lambda r, i: r[i][1:], records, [1, 2, 3])


def test_a_mask_of_a_field() -> None:
    check(lambda r: r[r["b"] > 2], filled(PACKED, 6))
    check(lambda r: r[np.argsort(-r["b"])], filled(PACKED, 6))


def test_a_new_record_is_stored_and_returned() -> None:
    def moved(records: Any) -> Any:
        sorted_ = np.empty_like(records)
        for k in range(len(records)):
            sorted_[k] = records[len(records) - 1 - k]
        records[:] = sorted_
        return sorted_[0]

    ours, pythons = filled(PACKED, 5), filled(PACKED, 5)
    assert jit(moved)(ours) == moved(pythons)
    np.testing.assert_array_equal(ours, pythons)


@pytest.mark.parametrize("dtype", [PACKED, NESTED])
def test_transposed_records_are_a_view(dtype: Any) -> None:
    records = filled(dtype, (2, 3))
    found = jit(lambda r: r.T)(records)
    assert (found.dtype, found.strides) == (dtype, records.T.strides) and np.shares_memory(found, records)
    np.testing.assert_array_equal(found, records.T)
    check(lambda r: r.T.copy(), records)
    check(lambda r: np.zeros_like(r).T, records)


def test_a_mask_that_is_too_short_raises() -> None:
    with pytest.raises(IndexError, match="boolean"):
        jit(lambda r, i: r[i])(filled(PACKED, 4), np.array([True, False]))


def test_records_with_text_are_made() -> None:
    made = jit(lambda n: np.zeros(n, NESTED))(3)
    assert made.dtype == NESTED and made.tobytes() == np.zeros(3, NESTED).tobytes()
