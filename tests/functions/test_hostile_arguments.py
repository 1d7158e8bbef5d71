"""Arguments that could lose writes, memory or meaning: read-only and odd arrays, nested lists, large integers, None in comparisons."""

from __future__ import annotations

import ctypes
import gc
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tessera
from tessera import jit, prange

LINE = np.arange(4.0)


@jit
def rest(x: Any) -> Any:
    return x[1:]


@jit
def mark(x: Any) -> Any:
    x[0] = 5
    return x[1]


@pytest.mark.parametrize(
    "array",
    [np.frombuffer(b"abcdefgh", "u1"), np.broadcast_to(np.arange(3.0), (4, 3)), np.broadcast_to(LINE, (4,))],
    ids=["bytes", "rows", "line"],
)
def test_views_of_what_is_read_only(array: Any) -> None:
    assert not rest(array).flags.writeable
    records = np.zeros(3, [("a", "i4"), ("b", "f8")])
    records.flags.writeable = False
    assert not rest(records).flags.writeable
    assert not jit(lambda r: r.b)(records).flags.writeable


def test_odd_arrays_get_what_is_stored(tmp_path: Path) -> None:
    class Own(np.ndarray):
        pass

    mapped = np.memmap(tmp_path / "m", dtype="f8", mode="w+", shape=(4,))
    for array in (mapped, np.zeros(33, "u1")[1:].view("f8"), np.zeros(3, ">f8"), np.zeros(3).view(Own)):
        assert mark(array) == 0
        assert array[0] == 5 and array[1] == 0
    assert jit(lambda pair: mark(pair[0]))((np.zeros(3, ">i4"), 1)) == 0
    twice = np.zeros(3, ">f8")
    jit(lambda x, y: mark(x))(twice, twice)
    assert twice.tolist() == [5, 0, 0]
    raises = np.zeros(3, ">f8")
    with pytest.raises(ZeroDivisionError):
        jit(lambda x, k: mark(x) / k)(raises, 0)
    assert raises.tolist() == [5, 0, 0]
    with pytest.raises(TypeError, match="masked array"):
        mark(np.ma.masked_array([1.0, 2.0], [True, False]))


def test_records_that_are_refused() -> None:
    first = jit(lambda r: r[0])
    for dtype in (np.dtype([("x", "f8"), ("o", "O")]), np.dtype([]), np.dtype([("a", [])])):
        with pytest.raises(TypeError):
            first(np.zeros(2, dtype))
    with pytest.raises(UnicodeEncodeError):
        first(np.zeros(2, np.dtype([("\ud800", "i4")])))


def test_arguments_without_end() -> None:
    length = jit(lambda x: 1)
    endless: list[Any] = []
    endless.append(endless)
    deep: Any = (1,)
    for _ in range(100 * sys.getrecursionlimit()):
        deep = (deep,)
    for value in (endless, deep):
        with pytest.raises(RecursionError):
            length(value)


def test_one_list_in_two_places() -> None:
    @jit
    def both(a: Any, b: Any) -> Any:
        a.append(5)
        return len(b)

    numbers = [1, 2]
    assert both(numbers, numbers) == 3 and numbers == [1, 2, 5]


def test_what_was_done_before_numpy_raised(capsys: pytest.CaptureFixture[str]) -> None:
    @jit
    def work(numbers: Any, x: Any) -> Any:
        numbers.append(5)
        print("before")
        return np.linalg.inv(x)

    numbers = [1, 2]
    with pytest.raises(np.linalg.LinAlgError):
        work(numbers, np.zeros((2, 2)))
    assert numbers == [1, 2, 5]
    assert capsys.readouterr().out == "before\n"


def test_integers_of_64_bits_without_sign() -> None:
    add = jit(lambda a, b: a + b)
    assert add(np.uint64(2**63), np.uint64(1)) == 2**63 + 1
    assert jit(lambda a: a)(2**63 + 5) == 2**63 + 5
    with pytest.raises(OverflowError, match="64 bits"):
        add(2**64, 1)


def test_lists_are_lists() -> None:
    @jit
    def which(x: Any) -> Any:
        made = [x]
        return isinstance(made, list), isinstance(made, np.ndarray)

    assert which(1) == (True, False)
    assert jit(lambda x: isinstance(x, list))([1, 2])


@pytest.mark.parametrize("x", [0, 1, 4])
def test_none_compared(x: int) -> None:
    def compare(x: Any) -> Any:
        value = None
        if x > 0:
            value = x
        pair = (1, value)
        other = (1, None)
        return value == 4, value != 4, pair == (1, 4), pair == other, pair == (1, None), value == None  # noqa: E711

    assert jit(compare)(x) == compare(x)


def test_pairs_that_may_be_none_are_unpacked() -> None:
    @jit
    def total(x: Any) -> Any:
        pair = None
        if x > 0:
            pair = (x, x * 2)
        if pair is None:
            return -1
        a, b = pair
        return a + b

    assert [total(0), total(3)] == [-1, 9]


def test_steps_of_zero() -> None:
    @jit
    def cut(x: Any, k: int) -> Any:
        return x[::k]

    with pytest.raises(ValueError, match="slice step cannot be zero"):
        cut(LINE, 0)
    np.testing.assert_array_equal(cut(LINE, -1), LINE[::-1])


def test_global_arrays_are_returned_as_copies() -> None:
    for function in (lambda: LINE, lambda: LINE.T, lambda: (LINE, 1)[0]):
        found = jit(function)()
        np.testing.assert_array_equal(found, function())
        assert not np.shares_memory(found, LINE)


def test_addresses_stay() -> None:
    address = tessera.cfunc("float64(float64)")(lambda x: x + 1).address
    gc.collect()
    assert ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(address)(1.0) == 2.0


def test_functions_in_parallel_loops() -> None:
    @jit(parallel=True)
    def clipped(x: Any) -> Any:
        out = np.zeros(6)
        for i in prange(6):

            def positive(v: Any) -> Any:
                if v > 2:
                    return v
                return 0.0

            out[i] = positive(x[i])
        return out

    np.testing.assert_array_equal(clipped(np.arange(6.0)), [0, 0, 0, 3, 4, 5])


class Answers:
    """Has every attribute that it is asked for."""

    def __getattr__(self, name: str) -> Any:
        return self if not name.startswith("__") else object.__getattribute__(self, name)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self


ANSWERS = Answers()


def test_what_is_not_taken_is_named_with_its_class():
    @jit
    def outside(x):
        return x + ANSWERS

    @jit
    def argument(x):
        return x

    @tessera.cuda.jit
    def kernel(x):
        x[0] = 1

    for call in (
        lambda: outside(1.0),
        lambda: argument(ANSWERS),
        lambda: argument((ANSWERS, 1)),
        lambda: argument([ANSWERS]),
        lambda: kernel[1, 1](ANSWERS),
        lambda: kernel[1, 1, ANSWERS](np.zeros(1)),
        lambda: tessera.vectorize(ANSWERS),
    ):
        with pytest.raises(Exception, match="Answers") as caught:
            call()
        assert isinstance(caught.value, (TypeError, tessera.errors.CompileError))


def test_texts_without_utf8_are_taken_and_refused_as_constants():
    @jit
    def same(x):
        return x

    lone = "a" + chr(0xD800)

    @jit
    def outside(x):
        return x if lone == "b" else 0

    assert same(lone) == lone
    with pytest.raises(UnicodeEncodeError):
        outside(1)


def test_results_of_ufuncs_are_arrays():
    @tessera.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
    def copy(x, y):
        y[:] = x

    with pytest.raises(TypeError, match="not list"):
        copy(np.ones(3), [1.0, 2.0, 3.0])
