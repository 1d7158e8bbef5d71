"""What := and calls of functions with nonlocal assign is assigned in Python's order, or refused; names that desugaring makes are its own."""

import numpy as np
import pytest
from tessera.errors import UnsupportedError

from tessera import jit


def lambdas_in_comprehensions(n):
    return [(lambda x: x * 2)(x + 1) for x in range(n)]


def defaults_in_comprehensions(n):
    return [(lambda k=2: k)() for k in range(n)]


def an_index_that_was_just_assigned(n):
    a = [0, 0, 0]
    x = 0
    x, a[x] = 1, n
    return a


def an_index_in_a_chain(n):
    a = [0, 0, 0]
    i = 0
    i = a[i] = n
    return a[2], i


def an_index_in_a_list_of_targets(n):
    a = [0, 0, 0]
    j = 0
    (j, a[j]), k = (n, 5), 7
    return a, j, k


def before_an_effect(n):
    a = [1, 2, 3]
    return a.pop() * 10 - (y := a.pop() + n) + y


def elements_before_a_call(n):
    a = [1, 10]

    def change(a):
        a[0] = 50
        return 1

    return a[0] + (z := change(a)) + a[0] + z + n


def the_value_is_computed_before_the_target(n):
    a = [0, 0, 0]
    i = n
    a[(i := 2)] = i
    return a, i


def an_element_is_read_before_it_is_updated(n):
    a = [5, 6, 7]
    i = 0
    a[i] += (i := n)
    return a, i


def a_message_that_is_not_needed(n):
    assert n > 0, f"{n}"
    return n


def a_subject_that_a_guard_changes(n):
    x = n
    match x:
        case v if (x := x + 10) > 100:
            return 1, v
        case 11:
            return 2, x
        case _:
            return 3, x


def elements_before_a_nonlocal_call(n):
    a = [1, 10]
    s = n

    def g():
        nonlocal s
        a[0] = 50
        s += 1
        return s

    return a[0] + g(), s, a[0]


def pops_before_a_nonlocal_call(n):
    a = [1, 2, 3]
    s = n

    def g():
        nonlocal s
        s += 1
        return a.pop() + s

    return a.pop() * 10 + g()


def an_index_by_a_nonlocal_call(n):
    a = [0, 0, 0]
    s = n

    def g():
        nonlocal s
        s = 2
        return 1

    a[g()] = s
    return a, s


def an_update_by_a_nonlocal_call(n):
    a = [1, 2, 3]
    i = 0
    s = n

    def g():
        nonlocal i, s
        i = 2
        a[0] = 100
        s += 1
        return s

    a[i] += g()
    return a, i


def a_guard_that_calls(n):
    s = n

    def g():
        nonlocal s
        s += 1
        return s > 2

    match n:
        case v if g():
            return v, s
        case _:
            return -1, s


def caught_before_a_call_of_the_host(n):
    a = np.arange(4.0)
    try:
        if n != 2:
            raise ValueError("a")
        a[0] = np.partition(a, 2)[3]
    except ValueError:
        a[1] = 7.0
    return a[0] + a[1]


def a_text_under_a_name_of_its_own(n):
    str = 3
    return f"{n}", str


FUNCTIONS = [value for name, value in list(globals().items()) if getattr(value, "__module__", "") == __name__]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("n", [1, 2])
def test_it_is_as_in_python(function, n):
    assert jit(function)(n) == function(n)


def an_update_of_what_it_names(n):
    s = 5
    s += (s := n)
    return s


def a_message_with_an_assignment(n):
    y = 1
    assert n > 0, f"{(y := 5)}"
    return y


def lost_by_an_exception(n):
    s = n

    def g():
        nonlocal s
        s = 5
        raise ValueError("x")

    try:
        g()
    except ValueError:
        pass
    return s


@pytest.mark.parametrize("function", [an_update_of_what_it_names, a_message_with_an_assignment, lost_by_an_exception])
def test_what_would_differ_is_refused(function):
    with pytest.raises(UnsupportedError, match="instead"):
        jit(function)(1)
