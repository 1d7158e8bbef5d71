"""numba.typed's List and Dict: what functions make, and what Python and functions share."""

from __future__ import annotations

from typing import Any

import pytest
from tessera.functions.typed_containers import List

from tessera import njit


def test_a_typed_list_that_a_function_makes_is_one_of_pythons() -> None:
    @njit
    def made() -> Any:
        values = List()
        values.append(1)
        return values, values[0:1], values.copy(), values + values, [1]

    *typed, plain = made()
    assert [type(one) for one in typed] == [List] * 4
    assert typed == [[1], [1], [1], [1, 1]]
    assert type(plain) is list
    assert repr(typed[0]) == "ListType[int64]([1])"


def test_lists_of_none() -> None:
    @njit
    def nothing(values: Any) -> Any:
        one = List()
        one.append(None)
        one[0] = None
        one.append(None)
        found = one[1]
        return one, len(one), found, one == one, [None] * 3, values

    one, count, found, same, several, _ = nothing(1)
    assert list(one) == [None, None] and count == 2 and found is None and same
    assert several == [None, None, None]


def test_lists_of_numbers_and_none() -> None:
    @njit
    def total() -> Any:
        values = [1, None, 3]
        found = 0
        for one in values:
            if one is not None:
                found += one
        return found, values

    assert total() == total.py_func()


@pytest.mark.parametrize("given", [3, -3])
def test_a_function_that_may_raise_and_returns_nothing_is_assigned(given: int) -> None:
    @njit
    def check(x: Any) -> None:
        if x < 0:
            raise ValueError("negative")

    @njit
    def asks(x: Any) -> Any:
        nothing = check(x)
        return 5 if nothing is None else 6

    if given < 0:
        with pytest.raises(ValueError, match="negative"):
            asks(given)
    else:
        assert asks(given) == 5
