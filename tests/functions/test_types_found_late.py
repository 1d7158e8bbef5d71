"""Types that only later statements tell, and functions whose types never settle."""

import numpy
import pytest

from tessera import errors, njit


def halves(n):
    made, halved = [], []
    for i in range(n):
        if len(made) > 2:
            halved.append(made[-1] * 0.5)
        made.append(i)
    return made, halved


def leaves_before_it_appends(n):
    made = []
    for i in range(n):
        if made and made[-1] == (i // 2, 0.5):
            continue
        made.append((i // 2, 0.5))
    return made


def handed_down(n):
    a = b = c = d = 0
    for _ in range(n):
        a = b
        b = c
        c = d
        d = d + 0.25
    return a, b, c, d


def array_or_none(n):
    x = None
    for i in range(n):
        if x is not None:
            x = x + 1
        else:
            x = numpy.ones(i + 2)
    return x


def widened_by_what_follows(n):
    total = 0

    def add(k):
        nonlocal total
        total = total + k * 0.5

    for i in range(n):
        add(i)
    return total


def only_in_a_loop_over_itself(n):
    made = []
    for x in made:
        made.append(x + 1)
    return len(made) + n


@pytest.mark.parametrize(
    "function",
    [
        halves,
        leaves_before_it_appends,
        handed_down,
        array_or_none,
        widened_by_what_follows,
        only_in_a_loop_over_itself,
    ],
)
def test_later_statements_tell_types(function):
    numpy.testing.assert_equal(njit(function)(5), function(5))


@njit
def grows(t, n):
    if n == 0:
        return 0
    return grows((t,), n - 1) + grows((t, t), n - 1)


def test_a_function_that_calls_itself_twice_with_ever_other_types_is_refused():
    with pytest.raises(errors.UnsupportedError, match="with arguments of ever other types"):
        grows(1, 3)


@njit
def nested(n):
    if n == 0:
        return (0,)
    return (nested(n - 1),)


def test_a_result_that_contains_itself_is_refused():
    with pytest.raises(errors.TypingError, match="Return type of recursive function does not converge"):
        nested(3)


def test_the_first_statement_that_stays_wrong_is_told():
    @njit
    def wrong(a):
        for i in range(3):
            b = a[i]
            c = b[0]
            d = c + "text"
        return d

    with pytest.raises(errors.TypingError, match="float64 has no elements"):
        wrong(numpy.arange(3.0))


def test_a_variable_of_a_loops_body_may_change_its_type():
    @njit
    def function(rows, n):
        total = 0.0
        for i in range(n):
            part = rows[i]
            part = part / 2.0
            count, part = 3, part.astype(numpy.float32)
            if i % 2:
                continue
            for k in range(count):
                value = part[0]
                value = value > 0
                total += part[k] if value else 0.0
        return total

    rows = numpy.arange(12, dtype=numpy.float32).reshape(4, 3)
    assert function(rows, 4) == function.py_func(rows, 4)

    @njit
    def carried(n):
        last = 0
        for i in range(n):
            step = i
            step = step * 2
            if i == 2:
                break
            last = step
        return last

    assert [carried(k) for k in range(5)] == [carried.py_func(k) for k in range(5)]
