"""Records as arguments and results of compiled functions, against Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tessera.errors import TypingError, UnsupportedError

from tessera import cuda, jit

INNER = np.dtype([("x", "f4"), ("y", "i4")])
RECORDS = np.dtype([("a", "f8"), ("s", "U5"), ("b", "i2"), ("n", INNER), ("m", "f8", (2, 3)), ("t", "S3")])


def made(dtype: Any = RECORDS, count: int = 4) -> Any:
    records = np.zeros(count, dtype)
    records["a"] = np.arange(count) + 0.5
    records["s"] = ["ab", "cdefg", "x", ""]
    records["b"] = np.arange(count) * 100
    records["n"]["x"] = np.arange(count) * 2
    records["m"] = np.arange(count * 6).reshape(count, 2, 3)
    records["t"] = b"abc"
    return records


def summed(records: Any) -> Any:
    total = 0.0
    for k in range(len(records)):
        total += records[k].a + records[k]["b"] + records[k].n.x * records[k].m[1, 2]
    return total


def element(records: Any, k: int) -> Any:
    return records[k]


def part(records: Any) -> Any:
    return records[1::2]


def inner(records: Any) -> Any:
    return records["n"]


def matrices(records: Any) -> Any:
    return records["m"]


def swapped(records: Any) -> Any:
    records[0] = records[2]
    records[3]["a"] = -1
    records[2].n.y = 7
    records[1].m[0] = records[2].m[1]


@pytest.mark.parametrize("dtype", [RECORDS, np.dtype(RECORDS.descr, align=True)], ids=["packed", "aligned"])
def test_arrays_of_records_are_used_in_place(dtype: Any) -> None:
    expected = made(dtype).view(np.recarray)
    found = made(dtype)
    assert jit(summed)(found) == pytest.approx(summed(expected))
    swapped(expected)
    jit(swapped)(found)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("function", [part, inner, matrices])
def test_parts_share_the_memory(function: Any) -> None:
    records = made()
    found = jit(function)(records)
    expected = function(records)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    assert np.shares_memory(found, records)


def test_arrays_of_the_class_for_records_stay_such() -> None:
    records = made().view(np.recarray)
    found = jit(part)(records)
    assert type(found) is np.recarray
    assert found.a.tolist() == [1.5, 3.5]


def test_a_record_is_returned_as_a_copy() -> None:
    records = made()
    found = jit(element)(records, 1)
    assert found.a == 1.5 and found.s == "cdefg" and found == records[1]
    found.a = 9
    assert records[1]["a"] == 1.5


def test_a_record_that_is_passed_is_changed() -> None:
    @jit
    def change(record: Any) -> Any:
        record.a += 1
        record["b"] = 7
        record[-2][1, 1] = 3
        record[0] *= 2
        return record.a

    records = made()
    assert change(records[2]) == 7
    assert records[2]["a"] == 7 and records[2]["b"] == 7 and records[2]["m"][1, 1] == 3
    assert records[1]["b"] == 100


def test_records_in_tuples() -> None:
    @jit
    def both(pair: Any) -> Any:
        return pair[0].a + pair[1].n.x

    records = made()
    assert both((records[1], records[3])) == 1.5 + 6


def test_records_that_are_read_only() -> None:
    records = made()
    records.flags.writeable = False
    assert jit(summed)(records) == pytest.approx(summed(records.view(np.recarray)))
    for value in records, records[0]:
        with pytest.raises(ValueError, match="read-only"):
            jit(lambda one: one["a"].fill(1) if False else swapped_first(one))(value)


@jit
def swapped_first(one: Any) -> Any:
    one["b"] = 3


def test_versions_of_equal_fields_with_other_names() -> None:
    @jit
    def first(record: Any) -> Any:
        return record.p

    assert first(np.array((1, 2.5), [("p", "i8"), ("q", "f8")])[()]) == 1
    assert first(np.array((1, 2.5), [("q", "i8"), ("p", "f8")])[()]) == 2.5


def test_text_is_read() -> None:
    assert jit(lambda record: record.s)(made()[1]) == "cdefg"
    with pytest.raises(TypingError, match="Requested index 6 is out of range"):
        jit(lambda record: record[6])(made()[0])


def test_kernels_take_records_with_text() -> None:
    @cuda.jit
    def kernel(records: Any, out: Any) -> None:
        i = cuda.grid(1)
        if i < len(records):
            out[i] = records[i].a * 2
            records[i].b = i

    records, out = made(), np.zeros(4)
    kernel[1, 32](records, out)
    np.testing.assert_array_equal(out, records["a"] * 2)
    assert records["b"].tolist() == [0, 1, 2, 3]
    assert records["s"].tolist() == ["ab", "cdefg", "x", ""]


def test_signatures_of_records() -> None:
    function = jit((cuda_types(RECORDS)[:],))(summed)
    assert function(made()) == pytest.approx(summed(made().view(np.recarray)))


def cuda_types(dtype: Any) -> Any:
    from tessera import types

    return types.from_dtype(dtype)


def test_literal_unroll_in_functions() -> None:
    @jit
    def mixed(value: Any) -> Any:
        numbers = (1, 2.5, value)
        total = 0
        for number in cuda.literal_unroll(numbers):
            total += number
        for k in range(len(cuda.literal_unroll(numbers))):
            total += numbers[k]
        return total

    assert mixed(3) == mixed.py_func(3) == 13


def test_a_number_or_a_tuple_is_stored_in_the_fields():
    dtype = np.dtype([("x", "f8"), ("k", "i4"), ("n", INNER)])

    @jit
    def clear(a, i):
        a[i] = 0

    @jit
    def fill(a, i, v):
        a[i] = v
        a[i + 1] = (1.5, 2, 7)

    plain, compiled = np.ones(4, dtype), np.ones(4, dtype)
    clear(compiled, 1)
    plain[1] = 0
    assert compiled.tolist() == plain.tolist()
    fill(compiled, 2, 3.5)
    assert compiled.tolist() == [(1.0, 1, (1.0, 1)), (0.0, 0, (0.0, 0)), (3.5, 3, (3.5, 3)), (1.5, 2, (7.0, 7))]

    @cuda.jit
    def kernel(a):
        a[0] = 5

    kernel[1, 1](compiled)
    assert compiled[0].tolist() == (5.0, 5, (5.0, 5))
