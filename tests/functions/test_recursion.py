"""Functions with @jit that call themselves, by way of others or not, as in CPython."""

import numpy
import pytest

from tessera import errors, jit, njit, prange


def plain(function):
    return function


def factorial(decorate):
    @decorate
    def factorial(n):
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    return factorial


def fibonacci(decorate):
    @decorate
    def fibonacci(n):
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    return fibonacci


def greatest_divisor(decorate):
    @decorate
    def divisor(a, b):
        if b == 0:
            return a
        return divisor(b, a % b)

    return divisor


def ackermann(decorate):
    @decorate
    def ackermann(m, n):
        if m == 0:
            return n + 1
        if n == 0:
            return ackermann(m - 1, 1)
        return ackermann(m - 1, ackermann(m, n - 1))

    return ackermann


def power(decorate):
    @decorate
    def power(x, n):
        if n == 0:
            return 1
        half = power(x, n // 2)
        return half * half * x if n % 2 else half * half

    return power


def parity(decorate):
    @decorate
    def is_even(n):
        if n == 0:
            return True
        return is_odd(n - 1)

    @decorate
    def is_odd(n):
        if n == 0:
            return False
        return is_even(n - 1)

    return is_even


def three_in_a_circle(decorate):
    @decorate
    def first(n, x):
        return x if n <= 0 else second(n - 1, x + 1)

    @decorate
    def second(n, x):
        return x if n <= 0 else third(n - 1, x * 2.0)

    @decorate
    def third(n, x):
        return x if n <= 0 else first(n - 2, x - 0.5)

    return first


def pair(decorate):
    @decorate
    def pair(n):
        """Consecutive Fibonacci numbers, and their quotient."""
        if n == 0:
            return 0, 1, 0.0
        a, b, _ = pair(n - 1)
        return b, a + b, b / (a + b)

    return pair


def hanoi(decorate):
    @decorate
    def hanoi(n, source, target, spare):
        if n == 0:
            return 0
        moves = hanoi(n - 1, source, spare, target)
        moves += 1
        moves += hanoi(n - 1, spare, target, source)
        return moves

    return hanoi


def collatz(decorate):
    @decorate
    def collatz(n):
        steps = 0
        while n % 2 == 0:
            n //= 2
            steps += 1
        if n == 1:
            return steps
        for k in range(3):
            if k == 2:
                return steps + 1 + collatz(3 * n + 1)
        return -1

    return collatz


def complex_power(decorate):
    @decorate
    def power(z, n):
        if n == 0:
            return 1.0 + 0.0j
        return z * power(z, n - 1)

    return power


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        (factorial, [(0,), (1,), (5,), (20,)]),
        (fibonacci, [(0,), (1,), (7,), (18,)]),
        (greatest_divisor, [(48, 18), (17, 5), (0, 3), (1071, 462)]),
        (ackermann, [(0, 3), (1, 4), (2, 3), (3, 3)]),
        (power, [(2, 10), (1.5, 7), (3, 0)]),
        (parity, [(0,), (7,), (100,)]),
        (three_in_a_circle, [(0, 1.0), (5, 1.0), (30, 0.25)]),
        (pair, [(0,), (1,), (30,)]),
        (hanoi, [(0, 0, 1, 2), (8, 0, 1, 2)]),
        (collatz, [(6,), (27,), (97,)]),
        (complex_power, [(1.5 - 0.5j, 6)]),
    ],
)
def test_numbers(make, arguments):
    wanted, got = make(plain), make(njit)
    for given in arguments:
        assert got(*given) == wanted(*given), (make.__name__, given)


@njit
def quicksort(a, low, high):
    if low >= high:
        return
    pivot = a[(low + high) // 2]
    i = low
    j = high
    while i <= j:
        while a[i] < pivot:
            i += 1
        while a[j] > pivot:
            j -= 1
        if i <= j:
            a[i], a[j] = a[j], a[i]
            i += 1
            j -= 1
    quicksort(a, low, j)
    quicksort(a, i, high)


@njit
def sort_view(a):
    """Sorts a view of the array by merging its halves."""
    if a.size < 2:
        return
    half = a.size // 2
    sort_view(a[:half])
    sort_view(a[half:])
    merged = numpy.empty(a.size, a.dtype)
    i = 0
    j = half
    for k in range(a.size):
        if j >= a.size or (i < half and a[i] <= a[j]):
            merged[k] = a[i]
            i += 1
        else:
            merged[k] = a[j]
            j += 1
    for k in range(a.size):
        a[k] = merged[k]


@njit
def total(a):
    """As arrays are summed by halves."""
    if a.size <= 4:
        s = 0.0
        for x in a:
            s += x
        return s
    return total(a[: a.size // 2]) + total(a[a.size // 2 :])


@njit
def flood(grid, i, j):
    if i < 0 or j < 0 or i >= grid.shape[0] or j >= grid.shape[1] or grid[i, j] != 0:
        return 0
    grid[i, j] = 2
    return 1 + flood(grid, i + 1, j) + flood(grid, i - 1, j) + flood(grid, i, j + 1) + flood(grid, i, j - 1)


def test_arrays():
    rng = numpy.random.default_rng(1)
    for n in (0, 1, 2, 3, 10, 500):
        a = rng.integers(0, 100, n)
        b = a.astype(float)
        quicksort(a, 0, n - 1)
        assert (numpy.diff(a) >= 0).all()
        sort_view(b)
        assert (b == a).all()
        assert total(b) == b.sum()
    grid = numpy.zeros((12, 15), numpy.int64)
    grid[:, 7] = grid[5, :7] = 1
    assert flood(grid, 0, 0) == 5 * 7
    assert (grid[:5, :7] == 2).all()
    assert grid[6:, :7].sum() == 0


@njit
def permutations(a, k, out, count):
    if k == a.size:
        for j in range(a.size):
            out[count, j] = a[j]
        return count + 1
    for i in range(k, a.size):
        a[k], a[i] = a[i], a[k]
        count = permutations(a, k + 1, out, count)
        a[k], a[i] = a[i], a[k]
    return count


@njit
def queens(columns, row):
    n = columns.size
    if row == n:
        return 1
    found = 0
    for column in range(n):
        free = True
        for r in range(row):
            c = columns[r]
            if c == column or abs(c - column) == row - r:
                free = False
                break
        if free:
            columns[row] = column
            found += queens(columns, row + 1)
    return found


def test_searches():
    out = numpy.zeros((24, 4), numpy.int64)
    assert permutations(numpy.arange(4), 0, out, 0) == 24
    assert len({tuple(row) for row in out.tolist()}) == 24
    assert queens(numpy.zeros(6, numpy.int64), 0) == 4


@njit
def endless(n):
    if n < 0:
        return n
    return endless(n + 1) + 1


@njit
def asks(n):
    try:
        return endless(n)
    except RecursionError:
        return -1


def test_too_deep():
    for _ in range(2):
        with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
            endless(0)
        assert endless(-3) == -3
        assert asks(0) == -1
        assert asks(-5) == -5


@njit
def checked(n):
    if n == 3:
        raise ValueError("three", n)
    return 0 if n == 0 else 1 + checked(n - 1)


@njit
def through(a, k):
    number = checked(k)
    a[k] = number
    return number


def test_exceptions_end_all_calls():
    a = numpy.full(6, -1)
    assert through(a, 2) == 2
    with pytest.raises(ValueError, match="three") as raised:
        through(a, 5)
    assert raised.value.args == ("three", 3)
    assert a.tolist() == [-1, -1, 2, -1, -1, -1]
    assert checked(1) == 1


@jit("int64(int64)", nopython=True)
def declared(n):
    return declared(n - 1) + 2 if n > 0 else 0


@njit
def calls_declared(n):
    return declared(n) * 0.5


def test_signatures():
    assert declared(10) == 20
    assert calls_declared(7) == 7.0


@njit
def runaway(n):
    return runaway(n - 1)


@njit
def widened(n):
    if n == 0:
        return 1
    if n == 1:
        return 0.5
    return widened(n - 2)


def test_types():
    with pytest.raises(errors.TypingError, match="cannot type infer runaway recursion"):
        runaway(3)
    assert widened(4) == 1.0
    assert widened(5) == 0.5


@njit
def depth_of(n, x):
    return x if n == 0 else depth_of(n - 1, x + 1)


@njit
def of_both(n):
    return depth_of(n, 1), depth_of(n, 0.5), depth_of(n, 2)


def test_one_function_for_each_type():
    assert of_both(3) == (4, 3.5, 5)
    assert isinstance(of_both(3)[0], int)


@njit(parallel=True)
def in_parallel(out):
    for i in prange(out.size):
        out[i] = tree(i % 12)


@njit
def tree(n):
    return 1 if n == 0 else 2 * tree(n - 1) + 1


def test_in_parallel_loops():
    out = numpy.zeros(100, numpy.int64)
    in_parallel(out)
    assert out.tolist() == [2 ** (i % 12 + 1) - 1 for i in range(100)]
