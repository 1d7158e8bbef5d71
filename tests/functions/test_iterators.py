"""iter and next in compiled functions, against Python."""

from typing import Any

import numpy as np
import pytest
from tessera.errors import TypingError
from tessera.extending import overload

from tessera import jit


def first_two(values: Any) -> Any:
    it = iter(values)
    other = iter(values)
    return next(it), next(it), next(other)


@pytest.mark.parametrize("values", [np.arange(4.0), (3, 4, 5), [1.5, 2.5], range(2, 9, 3)])
def test_next_gives_elements_in_order(values: Any) -> None:
    if isinstance(values, range):
        assert jit(lambda n: first_jitted(range(2, n, 3)))(9) == first_two(values)
    else:
        assert jit(first_two)(values) == first_two(values)


first_jitted = jit(first_two)


def test_next_gives_rows_of_an_array() -> None:
    grid = np.arange(6).reshape(3, 2)
    for found, expected in zip(jit(first_two)(grid), first_two(grid)):
        np.testing.assert_array_equal(found, expected)


def test_next_at_the_end_raises_or_gives_what_is_said() -> None:
    @jit
    def past(values: Any, count: int) -> Any:
        it = iter(values)
        for _ in range(count):
            next(it)
        return next(it, -1)

    assert [past(np.arange(3), k) for k in range(4)] == [0, 1, 2, -1]
    with pytest.raises(StopIteration):
        past(np.arange(3), 4)


def test_a_loop_goes_on_where_next_has_stopped() -> None:
    def pairs(values: Any) -> Any:
        it = iter(values)
        found = []
        for x in it:
            found.append((x, next(it, 0)))
        return found, list(iter(values)), [x for x in iter(values) if x > 1]

    for values in (np.arange(5), np.arange(4), [7, 8, 9]):
        assert jit(pairs)(values) == pairs(values)


def test_a_loop_that_is_left_takes_no_more() -> None:
    def rest(values: Any) -> Any:
        it = iter(values)
        for x in it:
            if x > 1:
                break
        return [x for x in it]

    assert jit(rest)(np.arange(5)) == rest(np.arange(5))


class Unknown:
    pass


def test_the_length_of_flat() -> None:
    assert jit(lambda a: len(a.flat))(np.ones((2, 3))) == 6

    @overload(len)
    def length(items):
        return (lambda items: 7) if items is Unknown else None

    assert jit(lambda a: len(a.flat) + len(a))(np.ones((2, 4))) == 10


def test_next_of_what_is_no_iterator_is_refused() -> None:
    with pytest.raises(TypingError, match="next of array"):
        jit(lambda a: next(a))(np.arange(3))
