"""Lists in functions with @jit: the same as in CPython, errors and changed arguments included."""

import copy

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tessera.errors import TypingError

import tessera
from tessera import njit


def same(x, y):
    if isinstance(x, (list, tuple)):
        return type(x) is type(y) and len(x) == len(y) and all(map(same, x, y))
    if isinstance(x, numpy.ndarray):
        return isinstance(y, numpy.ndarray) and x.dtype == y.dtype and numpy.array_equal(x, y)
    if isinstance(x, numpy.generic):
        x = x.item()
    return isinstance(y, type(x)) and x == y


def outcome(function, arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)


def check(function, *arguments):
    ours, theirs = copy.deepcopy(arguments), copy.deepcopy(arguments)
    result, expected = outcome(njit(function), ours), outcome(function, theirs)
    assert same(expected, result), (expected, result)
    assert same(theirs, ours), (theirs, ours)


def appended(n):
    made = []
    for i in range(n):
        made.append(i * 2.0)
    return made


def of_lists(n):
    return [[i, j] for i in range(n) for j in range(i) if (i + j) % 2]


def of_tuples(n):
    made = [(i, i * 0.5, i > 1) for i in range(n)]
    a, b, c = made[2]
    return made, a, b, c


def of_arrays(n):
    made = [numpy.arange(i) * 2 for i in range(n)]
    total = 0
    for x in made:
        total += len(x)
    return made, total, made[2][1]


def of_complex(n):
    return [complex(i, -i) for i in range(n)], [i % 2 == 0 for i in range(n)]


def with_a_stack(n):
    stack, seen = [n], []
    while stack:
        x = stack.pop()
        seen.append(x)
        if x > 0:
            stack.append(x - 1)
            if x % 2:
                stack.append(x // 2)
    return seen


def reads_before_it_appends(n):
    made = []
    for i in range(n):
        if made and made[-1] == (i // 2, 0.5):
            continue
        made.append((i // 2, 0.5))
    return made


def own_variables(x):
    squares = [x * x for x in range(x)]
    nested = [[x + y for x in range(y)] for y in range(x)]
    return x, squares, nested


def joins_branches(c):
    if c:
        made = [1.5]
    else:
        made = [2.5, 3.5]
    other = made
    other.append(4.0)
    return made, other is made, other == [1.5, 4.0]


def returned_by_others(n):
    def pair(m):
        return [m, m + 1]

    both = pair(n)
    both.append(pair(7)[1])
    return both, pair(n)[0]


@pytest.mark.parametrize(
    "function", [appended, of_lists, of_tuples, of_arrays, of_complex, with_a_stack, reads_before_it_appends]
)
@pytest.mark.parametrize("n", [3, 5, 40])
def test_made_inside(function, n):
    check(function, n)


@pytest.mark.parametrize("function, n", [(appended, 0), (own_variables, 3), (joins_branches, 0), (joins_branches, 1)])
def test_scopes_and_branches(function, n):
    check(function, n)


def test_returned_by_other_functions():
    check(returned_by_others, 3)


def literals():
    a = [1, 2] + [3]
    return a, [0] * 3, 2 * [1.5], [1, 2] == [1, 2], [1, 2] < [1, 3], [2] >= [1, 5], not [], [3, 4][a[0]]


def test_literals():
    check(literals)


def test_list_of_sequences():
    def empty_has_integers():
        made = list()
        made.append(3)
        return made

    check(empty_has_integers)
    assert njit(lambda: (list(range(2, 9, 3)), list((1, 2))))() == ([2, 5, 8], [1, 2])
    assert njit(lambda: (list(zip([1, 2], [3.0, 4.0])), list(enumerate([5, 6]))))() == (
        [(1, 3.0), (2, 4.0)],
        [(0, 5), (1, 6)],
    )


def as_indices(a, where):
    b = a.copy()
    b[where] = 0
    return a[where], b


def test_as_array_and_as_index():
    check(as_indices, numpy.arange(6.0), [1, 3])
    check(lambda n: numpy.array([[i * j for j in range(3)] for i in range(n)]), 4)
    check(lambda n: numpy.array([i + 0.5 for i in range(n)]) + numpy.arange(n), 4)
    assert njit(lambda values: numpy.sum(numpy.array(values)))([1.0, 2.5]) == 3.5
    assert njit(lambda values: (numpy.median(values), sum(values)))([1.0, 2.5, 4.0]) == (2.5, 7.5)


def test_arrays_of_lists_have_one_length():
    with pytest.raises(ValueError, match="different lengths"):
        njit(lambda n: numpy.array([[0] * i for i in range(n)]))(3)


def test_methods_with_key():
    check(lambda values: values.sort(key=lambda x: -x), [3, 1, 2])
    check(lambda values: sorted(values, key=lambda x: x % 3, reverse=True), [5, 1, 3, 4, 2, 6])


def unpacked(values):
    a, b, c = values
    return a + b * c


def test_unpacking():
    check(unpacked, [1, 2, 3])
    with pytest.raises(ValueError, match="as many elements"):
        njit(unpacked)([1, 2])


@pytest.mark.parametrize(
    "function",
    [
        lambda v: v[10],
        lambda v: v[-10],
        lambda v: v.pop(7),
        lambda v: v.remove(99),
        lambda v: v[::0],
    ],
)
def test_errors(function):
    check(function, [1, 2])


def emptied(values):
    values.clear()
    return values.pop()


def test_pop_from_an_empty_list():
    check(emptied, [1])
    with pytest.raises(IndexError):
        njit(lambda n: [[1] * k for k in range(n)][5][0])(0)
    with pytest.raises(IndexError):
        njit(lambda n: [numpy.ones(k) for k in range(n)][5][3])(1)


def nested_change(values):
    for i in range(len(values)):
        values[i][0] = i
        values[i].append(7)
    values.append([9])
    return values[1]


def grows_while_it_runs(values):
    for k, x in enumerate(values):
        if x < 10:
            values.append(x + 1)
        if x == 7:
            values.remove(1)
    for x in values:
        values.pop()
    return values


def of_expressions(a):
    return [a, a * 2, a[::2]]


def test_lists_that_change_in_a_loop_over_them():
    check(grows_while_it_runs, [1, 5, 2])


def test_arrays_that_are_passed_beside_new_ones():
    check(of_expressions, numpy.arange(5.0))


def test_lists_that_are_passed_are_changed():
    check(nested_change, [[1], [2]])
    values = [[1], [2]]
    first = values[0]
    njit(nested_change)(values)
    assert values[0] is first
    assert njit(lambda v: v)(values) is values


def test_tuples_in_lists_that_are_passed():
    def moved(values, pair):
        values.append(pair)
        values[0] = (values[0][0] + 1, 2j)
        return values[-1][1]

    check(moved, [(1, 1j), (2, 0j)], (5, 5j))


def test_what_lists_do_not_hold():
    with pytest.raises(ValueError, match="empty list"):
        njit(unpacked)([])
    with pytest.raises(TypeError, match="several types"):
        njit(unpacked)([1, 2.0])
    with pytest.raises(TypeError, match="a list of elements of type object"):
        njit(unpacked)([object()])
    with pytest.raises(tessera.errors.TypingError, match="one type for all elements"):
        njit(lambda n: [1, (n, n)][n])(0)

    def adds_a_float(values):
        values.append(1.5)

    with pytest.raises(tessera.errors.TypingError, match="float64 here"):
        njit(adds_a_float)([1])


def test_not_in_prange():
    @njit(parallel=True)
    def gathered(n):
        made = [0]
        for i in tessera.prange(n):
            made.append(i)
        return made

    with pytest.raises(tessera.errors.UnsupportedError, match="prange"):
        gathered(4)


indices = st.integers(-7, 7)
bounds = st.none() | indices
operations = st.lists(
    st.tuples(
        st.sampled_from(
            "append insert pop set delete extend remove index count reverse sort slice cut replace repeat".split()
        ),
        indices,
        indices,
    ),
    max_size=12,
)


def run(values, kinds, first, second):
    seen = []
    for k in range(len(kinds)):
        kind, i, j = kinds[k], first[k], second[k]
        if kind == 0:
            values.append(i)
        elif kind == 1:
            values.insert(i, j)
        elif kind == 2:
            seen.append(values.pop(i))
        elif kind == 3:
            values[i] = j
        elif kind == 4:
            del values[i]
        elif kind == 5:
            values.extend([i, j])
        elif kind == 6:
            values.remove(i)
        elif kind == 7:
            seen.append(values.index(i))
        elif kind == 8:
            seen.append(values.count(i))
        elif kind == 9:
            values.reverse()
        elif kind == 10:
            values.sort()
        elif kind == 11:
            seen += values[i:j]
        elif kind == 12:
            del values[i:j]
        elif kind == 13:
            values[i:j] = [i, j, 1]
        else:
            values *= min(i, 2)
        seen.append(len(values))
        if i in values:
            seen.append(-1)
    return seen


compiled_run = njit(run)
names = "append insert pop set delete extend remove index count reverse sort slice cut replace repeat".split()


@settings(max_examples=150, deadline=None)
@given(st.lists(indices, min_size=1, max_size=6), operations)
def test_random_histories(values, history):
    kinds = numpy.array([names.index(name) for name, _, _ in history], dtype=numpy.int64)
    first = numpy.array([i for _, i, _ in history], dtype=numpy.int64)
    second = numpy.array([j for _, _, j in history], dtype=numpy.int64)
    ours, theirs = list(values), list(values)
    result = outcome(compiled_run, (ours, kinds, first, second))
    expected = outcome(run, (theirs, kinds.tolist(), first.tolist(), second.tolist()))
    if isinstance(expected, tuple):
        assert result[0] == expected[0]
        return
    assert result == expected
    assert ours == theirs


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=9), bounds, bounds, st.none() | st.integers(-3, 3))
def test_random_slices(values, lower, upper, step):
    def sliced(v):
        return v[lower:upper:step]

    def cut(v):
        del v[lower:upper:step]

    def replaced(v):
        v[lower:upper:step] = v[lower:upper:step]
        return len(v)

    for function in (sliced, cut, replaced):
        check(function, values)


def test_reduce_of_functools():
    import functools

    def f(x, start):
        total = functools.reduce(lambda a, b: a * 2 + b, x)
        values = [3, 1, 2]
        return total, functools.reduce(lambda a, b: min(a, b), x, start), functools.reduce(max, values, 0)

    x = numpy.arange(1.0, 6.0)
    assert njit(f)(x, 10) == f(x, 10)
    assert njit(f)(x, -1.5) == f(x, -1.5)

    @njit
    def empty(x):
        return functools.reduce(lambda a, b: a + b, x)

    with pytest.raises(TypeError, match="empty iterable"):
        empty(numpy.zeros(0))


def test_lists_of_arrays_are_passed():
    def total(arrays):
        result = 0.0
        for one in arrays:
            result += one.sum()
            one[0] = 7
        return result, len(arrays), arrays[-1].shape

    for made in (
        lambda: [numpy.arange(4.0), numpy.ones(3), numpy.zeros(5)[::2]],
        lambda: [numpy.ones((2, 3)), numpy.arange(6.0).reshape(3, 2).T],
        lambda: [numpy.arange(3)],
    ):
        given, expected = made(), made()
        assert njit(total)(given) == total(expected)
        for one, other in zip(given, expected):
            numpy.testing.assert_array_equal(one, other)


def test_arrays_of_lists_come_back_as_they_are():
    @njit
    def picked(arrays, k):
        return arrays[k], arrays[k][1:], arrays

    given = [numpy.arange(4.0), numpy.ones(3)]
    one, part, all_ = picked(given, 1)
    assert one is given[1] and all_ is given and numpy.shares_memory(part, given[1])

    @njit
    def swapped(arrays):
        first = arrays[0]
        arrays[0] = arrays[1]
        arrays[1] = first

    swapped(given)
    assert given[0].size == 3 and given[1].size == 4 and given[0] is one


def test_arrays_in_lists_may_be_arguments_too():
    def mixed(arrays, x):
        total = 0.0
        for i in range(x.size):
            x[i] = arrays[0][i] + 1
            total += arrays[0][i]
        return total

    x, y = numpy.arange(5.0), numpy.arange(5.0)
    assert njit(mixed)([x], x) == mixed([y], y)
    numpy.testing.assert_array_equal(x, y)
    assert njit(mixed)([numpy.arange(5.0)], x) == mixed([numpy.arange(5.0)], y)


def test_tuples_and_lists_of_arrays_in_lists():
    def nested(pairs):
        total = 0.0
        for x, y in pairs:
            for i in range(len(x)):
                total += x[i] * y
        return total

    assert njit(nested)([(numpy.arange(3.0), 2), (numpy.ones(4), 3)]) == nested(
        [(numpy.arange(3.0), 2), (numpy.ones(4), 3)]
    )

    def deeper(lists):
        total = 0.0
        for arrays in lists:
            for one in arrays:
                total += one.sum()
        return total

    given = [[numpy.arange(3.0)], [numpy.ones(2), numpy.ones(4)]]
    assert njit(deeper)(given) == deeper(given)


def test_read_only_arrays_in_lists_are_refused():
    x = numpy.arange(3.0)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        njit(lambda arrays: arrays[0][0])([x])


def test_lists_of_several_types_that_are_only_read():
    def mixed(n):
        values = [1, "a", 2.5, (n, "b")]
        total = 0.0
        for one in tessera.numba.literal_unroll([n, 2.5, 3j]):
            total += one.real
        copied = values.copy()
        return len(values), values[0], copied[1], values[-1], total, "a" in values, values.count("a"), values

    check(mixed, 3)


def test_lists_of_arrays_become_arrays():
    def stacked(n):
        rows = [numpy.arange(n) + k for k in range(3)]
        return numpy.array(rows), numpy.array([numpy.ones((2, n)) * k for k in range(2)])

    check(stacked, 4)
    check(stacked, 0)

    @njit
    def ragged(n):
        return numpy.array([numpy.ones(k) for k in range(n)])

    with pytest.raises(ValueError, match="not of one shape"):
        ragged(3)


def test_a_list_that_no_memory_holds():
    def repeated(n):
        return len([1] * n)

    with pytest.raises(MemoryError):
        njit(repeated)(2**58)


def test_extremes_of_ranges():
    def extremes(n):
        return min(range(2, n)), max(range(2, n)), max(range(n, 2, -1))

    check(extremes, 7)


def test_one_of_two_lists_of_other_elements_is_refused():
    @njit
    def either(first, second, chooses):
        chosen = first if chooses else second
        return chosen[0]

    for first, second in (([1.5], [2]), ([2], [1.5])):
        with pytest.raises(TypingError):
            either(first, second, False)
    assert either([1.5], [2.5], False) == 2.5


def popped_at(place):
    values = [1, 2, 3]
    return values.pop(place), values


@pytest.mark.parametrize("place", ["x", 1.0, 1j])
def test_places_that_are_no_integers_are_errors(place):
    with pytest.raises(TypeError):
        popped_at(place)
    with pytest.raises(TypingError):
        njit(popped_at)(place)
    assert njit(popped_at)(True) == popped_at(True)
