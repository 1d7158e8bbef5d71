"""numpy.nditer, ndenumerate and flat in compiled functions, beside NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tessera.errors import TypingError, UnsupportedError

from tessera import njit


def one(a: Any) -> Any:
    made = []
    for u in np.nditer(a):
        made.append(u.item())
    return made


def two(a: Any, b: Any) -> Any:
    made = []
    for u, v in np.nditer((a, b)):
        made.append((u.item(), v.item()))
    return made


def numbered(a: Any) -> Any:
    made = []
    for index, x in np.ndenumerate(a):
        made.append((index, x))
    return made


def flat(a: Any) -> Any:
    made = []
    for x in a.flat:
        made.append(x)
    return made


ONE, TWO, NUMBERED, FLAT = map(njit, (one, two, numbered, flat))


@st.composite
def arrays(draw: Any, shape: tuple[int, ...], dtype: str = "int64") -> Any:
    """Of this shape, with axes in any order, with steps, from their ends or repeated."""
    axes = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 1, 2, -1, -2, 0])) for _ in shape]
    whole = np.arange(int(np.prod([3 * n + 1 for n in shape])), dtype=dtype).reshape([3 * shape[k] + 1 for k in axes])
    array = whole.transpose(np.argsort(axes)) if shape else whole
    for axis, (n, step) in enumerate(zip(shape, steps)):
        index: list[Any] = [slice(None)] * len(shape)
        index[axis] = slice(0, 1) if step == 0 else slice(None, n * step, step) if step > 0 else slice(-1, None, step)
        array = array[tuple(index)]
        index[axis] = slice(0, n)
        array = np.repeat(array, 1, axis)[tuple(index)] if step == 0 and n == 0 else array[tuple(index)]
    return np.broadcast_to(array, shape) if draw(st.booleans()) else array


@st.composite
def pairs(draw: Any) -> Any:
    """Two that are broadcast."""
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=3)))
    own = tuple(draw(st.sampled_from([n, 1])) for n in shape)[draw(st.integers(0, len(shape))) :]
    first, second = draw(arrays(shape)), draw(arrays(own, "float64"))
    return (second, first) if draw(st.booleans()) else (first, second)


def readable(a: Any) -> Any:
    return a if a.flags.writeable else a.copy()


@settings(deadline=None, max_examples=150)
@given(pairs())
def test_the_order_is_numpys(given: Any) -> None:
    a, b = map(readable, given)
    with np.nditer((a, b), flags=["zerosize_ok"]) as it:
        wanted = [(u.item(), v.item()) for u, v in it]
    assert TWO(a, b) == wanted
    with np.nditer(a, flags=["zerosize_ok"]) as it:
        assert ONE(a) == [u.item() for u in it]


@settings(deadline=None, max_examples=60)
@given(pairs())
def test_ndenumerate_and_flat_go_in_c_order(given: Any) -> None:
    a = readable(given[0])
    if a.ndim:
        assert NUMBERED(a) == numbered(a)
        assert FLAT(a) == flat(a)


def test_three_operands_and_numbers() -> None:
    @njit
    def three(a: Any, b: Any, c: Any) -> Any:
        made = []
        for u, v, w in np.nditer((a, b, c)):
            made.append((u.item(), v.item(), w.item()))
        return made

    a, b = np.arange(6).reshape(2, 3), np.arange(3) * 0.5
    assert three(a, b, 7) == [(u.item(), v.item(), w.item()) for u, v, w in np.nditer((a, b, 7))]


def test_elements_are_stored_by_it() -> None:
    @njit
    def double(a: Any) -> Any:
        for u in np.nditer(a):
            u[...] = 2 * u[()] + 1
        return a

    a = np.arange(12.0).reshape(3, 4).T[::-1]
    wanted = 2 * a + 1
    np.testing.assert_array_equal(double(a), wanted)


def test_what_does_not_broadcast_raises() -> None:
    with pytest.raises(ValueError, match="broadcast"):
        TWO(np.arange(3), np.arange(4.0))
    with pytest.raises((TypingError, UnsupportedError)):
        njit(lambda a: [u.item() for u in np.nditer(a, ["multi_index"])])(np.arange(3))


def test_texts_are_enumerated() -> None:
    a = np.array([["ab", "c"], ["", "def"]]).T
    assert NUMBERED(a) == [(index, str(x)) for index, x in np.ndenumerate(a)]
    assert FLAT(a) == [str(x) for x in a.flat]


def test_assignments_by_any_index() -> None:
    def store(a: Any, k: Any, m: Any, v: Any, w: Any) -> Any:
        a[k] = v
        a[m] = 7
        a[:, k, 1] = w
        a[k, :, 0] = v[:, :, 0]
        a[..., k] = 3
        a[m, 0] = a[m, 1]
        a[a > 50] = -1
        return a

    a, k = np.arange(60).reshape(5, 3, 4), np.array([2, 0])
    arguments = k, np.array([True, False, True, False, True]), np.arange(24).reshape(2, 3, 4), np.arange(2)
    wanted = store(a.copy(), *arguments)
    np.testing.assert_array_equal(njit(store)(a.copy(), *arguments), wanted)


def test_assignments_of_another_shape_raise_where_they_run() -> None:
    @njit
    def store(a: Any, k: Any, v: Any) -> None:
        a[k] = v

    with pytest.raises(ValueError):
        store(np.zeros(5), np.array([1, 2]), np.arange(3.0))
    with pytest.raises(IndexError):
        store(np.zeros(5), np.array([1, 9]), np.arange(2.0))
