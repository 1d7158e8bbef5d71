"""jit against CPython and NumPy: the same function, compiled and not."""

import math
import pickle
import threading

import numpy as np
import pytest
import tessera.numpy as tnp

import tessera
from tessera import errors, jit, njit, prange


def same(got, expected):
    if isinstance(expected, tuple):
        return isinstance(got, tuple) and len(got) == len(expected) and all(map(same, got, expected))
    if isinstance(expected, np.ndarray):
        return isinstance(got, np.ndarray) and got.dtype == expected.dtype and np.array_equal(got, expected)
    if isinstance(expected, np.generic):
        expected = expected.item()
    if isinstance(expected, float) and math.isnan(expected):
        return math.isnan(got)
    return type(got) is type(expected) and got == expected


def check(function, *arguments):
    expected = function(*arguments)
    got = jit(function)(*arguments)
    assert same(got, expected), (got, expected)


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def sieve(n):
    flags = np.ones(n, dtype=np.bool_)
    flags[:2] = False
    for i in range(2, n):
        if flags[i]:
            for j in range(i * i, n, i):
                flags[j] = False
    count = 0
    for i in range(n):
        if flags[i]:
            count += 1
    return count


def first_above(x, limit):
    for i in range(x.size):
        if x[i] > limit:
            return i
    return -1


def polynomial(coefficients, x):
    total = 0.0
    for c in coefficients:
        total = total * x + c
    return total


def both(x):
    return x.sum(), x.max(), (x.size, x.shape[0] > 2)


def levenshtein(a, b):
    row = np.arange(b.size + 1)
    next_row = np.zeros(b.size + 1, dtype=np.int64)
    for i in range(a.size):
        next_row[0] = i + 1
        for j in range(b.size):
            cost = 0 if a[i] == b[j] else 1
            next_row[j + 1] = min(next_row[j] + 1, row[j + 1] + 1, row[j] + cost)
        row, next_row = next_row, row
    return row[b.size]


def life(grid):
    n, m = grid.shape
    out = np.zeros_like(grid)
    for i in range(n):
        for j in range(m):
            around = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di != 0 or dj != 0:
                        around += grid[(i + di) % n, (j + dj) % m]
            out[i, j] = 1 if around == 3 or (around == 2 and grid[i, j] == 1) else 0
    return out


def cholesky(a):
    n = a.shape[0]
    low = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = 0.0
            for k in range(j):
                s += low[i, k] * low[j, k]
            low[i, j] = math.sqrt(a[i, i] - s) if i == j else (a[i, j] - s) / low[j, j]
    return low


RNG = np.random.default_rng(3)
SQUARE = RNG.random((7, 7))


@pytest.mark.parametrize(
    "function, arguments",
    [
        (collatz, (27,)),
        (gcd, (1071, 462)),
        (sieve, (1000,)),
        (first_above, (np.arange(10.0), 4.5)),
        (first_above, (np.arange(10.0), 99.0)),
        (polynomial, ((1.0, -2.0, 3.0), 0.5)),
        (polynomial, (np.array([1.0, -2.0, 3.0]), 0.5)),
        (both, (np.array([3, 1, 2]),)),
        (levenshtein, (np.array([1, 2, 3, 4]), np.array([2, 3, 5, 4, 4]))),
        (life, (RNG.integers(0, 2, (9, 8)),)),
        (cholesky, (SQUARE @ SQUARE.T + np.eye(7),)),
    ],
)
def test_programs(function, arguments):
    check(function, *arguments)


@pytest.mark.parametrize("a, b", [(7, 3), (-7, 3), (7, -3), (7.5, 2), (-7.5, 2.0), (True, 2)])
@pytest.mark.parametrize("op", ["+", "-", "*", "/", "//", "%", "<", ">=", "==", "!="])
def test_operators(a, b, op):
    source = f"def f(a, b):\n    return a {op} b\n"
    names = {}
    exec(source, names)
    got = jit(names["f"], source=source)(a, b)
    assert got == names["f"](a, b)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "float32", "float64", "complex128", "bool"])
def test_arrays_of_each_dtype_come_and_go(dtype):
    def copied(x):
        out = np.empty_like(x)
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                out[i, j] = x[i, j]
        return out

    x = (RNG.random((3, 4)) * 100).astype(dtype)
    for view in (x, x.T, x[::-1, ::2], x[:, 1:]):
        got = jit(copied)(view)
        assert got.dtype == x.dtype and np.array_equal(got, view)


def test_creation():
    def made(n):
        a = np.zeros(n)
        b = np.ones((2, n), dtype=np.int32)
        c = np.full(n, 2.5)
        d = np.arange(n)
        e = np.arange(1, n, 2)
        f = np.linspace(0.0, 1.0, n)
        g = np.eye(n)
        h = np.array([[1.0, 2.0], [3.0, 4.0]])
        return a, b, c, d, e, f, g, h

    check(made, 5)


def test_array_expressions():
    def expression(x, y):
        z = 2.0 * x + np.sqrt(y) - x / (y + 1.0)
        return z, (x * y).sum(), np.where(x > 0.5, x, y)

    x, y = RNG.random(50), RNG.random(50)
    got = jit(expression)(x, y)
    for one, other in zip(got, expression(x, y)):
        np.testing.assert_allclose(one, other, rtol=1e-15)


def shift(a):
    a[1:] = a[:-1]


def reverse(a):
    a[:] = a[::-1]


def accumulate(a):
    a[1:] += a[:-1]


def interleave(a):
    a[::2] = a[1::2] * 2
    a[1::2] = a[::-2]


def own_array(a):
    x = np.zeros(a.shape[0])
    x[:] = a
    x[2:] = x[:-2] * a[2:]
    a[:] = x


@pytest.mark.parametrize("function", [shift, reverse, accumulate, interleave, own_array])
@pytest.mark.parametrize("parallel", [False, True])
def test_elements_are_read_before_they_are_changed(function, parallel):
    got, wanted = np.arange(1.0, 13), np.arange(1.0, 13)
    jit(function, parallel=parallel)(got)
    function(wanted)
    assert np.array_equal(got, wanted)


@pytest.mark.parametrize("parallel", [False, True])
def test_arguments_that_share_memory(parallel):
    def combine(a, b, out):
        out[:] = a * 2 + b[::-1]
        out[1:] -= b[:-1]

    compiled = jit(combine, parallel=parallel)
    memory, same = np.arange(30.0), np.arange(30.0)
    for one in (slice(0, 10), slice(3, 13), slice(12, 22)):
        for other in (slice(1, 11), slice(0, 10), slice(20, 30)):
            for to in (slice(0, 10), slice(2, 12), slice(20, 30)):
                compiled(memory[one], memory[other], memory[to])
                combine(same[one], same[other], same[to])
                assert np.array_equal(memory, same)


def test_broadcasting():
    def table(x, y):
        return x[:, None] * y[None, :] + 1

    def added(a, b):
        return a + b

    x, y = np.arange(3.0), np.arange(4.0)
    check(table, x, y)
    with pytest.raises(ValueError, match="broadcast"):
        jit(added)(x, y)


def test_matrix_products():
    def products(a, b, v):
        return a @ b, a @ v, v @ v

    a, b, v = RNG.random((4, 5)), RNG.random((5, 3)), RNG.random(5)
    for got, expected in zip(jit(products)(a, b, v), products(a, b, v)):
        np.testing.assert_allclose(got, expected, rtol=1e-14)


def test_arguments_are_used_in_place():
    @jit
    def scale(x, by):
        for i in range(x.size):
            x[i] *= by
        return x

    x = np.arange(6.0)
    assert scale(x[::2], 10.0).base is x
    assert x.tolist() == [0, 1, 20, 3, 40, 5]
    t = tnp.arange(6.0) + 1
    result = scale(t, 2.0)
    assert "tessera" in type(result).__module__ and t.tolist() == [2, 4, 6, 8, 10, 12]


def test_results_are_arrays_of_the_arguments_kind():
    @jit
    def doubled(x):
        return x * 2

    assert type(doubled(np.ones(3))) is np.ndarray
    assert "tessera" in type(doubled(tnp.ones(3))).__module__


def test_views_are_views():
    @jit
    def middle(x):
        return x[1:-1, ::2]

    x = np.arange(20).reshape(4, 5)
    view = middle(x)
    assert np.array_equal(view, x[1:-1, ::2]) and np.shares_memory(view, x)


def test_exceptions_are_those_of_python():
    @jit
    def checked(x, n):
        for i in range(n):
            if x[i] < 0:
                raise ValueError("negative value at", i)
        return n / (x.size - 3)

    assert checked(np.ones(4), 4) == 4.0
    with pytest.raises(ValueError) as caught:
        checked(np.array([1.0, -1.0]), 2)
    assert caught.value.args == ("negative value at", 1)
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        checked(np.ones(3), 3)
    assert checked(np.ones(5), 5) == 2.5


def test_error_model_of_numpy():
    def quotient(a, b):
        return a / b

    assert jit(quotient, error_model="numpy")(1.0, 0.0) == math.inf
    with pytest.raises(ZeroDivisionError):
        jit(quotient)(1.0, 0.0)


def test_assertions():
    @jit
    def positive(x):
        assert x > 0, "not positive"
        return x

    assert positive(2) == 2
    with pytest.raises(AssertionError, match="not positive"):
        positive(-2)


def test_functions_call_functions():
    @jit
    def square(x):
        return x * x

    @njit
    def sum_of_squares(x):
        total = 0.0
        for i in range(x.size):
            total += square(x[i])
        return total

    assert sum_of_squares(np.arange(4.0)) == 14.0


def test_default_values_and_names():
    @jit
    def line(x, slope=2, offset=1.5):
        return slope * x + offset

    assert line(3) == 7.5 and line(3, offset=0.5) == 6.5 and line(offset=0.0, slope=1, x=4) == 4.0
    with pytest.raises(TypeError, match="line"):
        line()


def test_nothing_is_returned():
    @jit
    def nothing(x):
        x[0] = 1

    x = np.zeros(2)
    assert nothing(x) is None and x[0] == 1


def test_signatures_compile_at_once():
    @jit("float64(float64, float64)")
    def add(a, b):
        return a + b

    assert len(add.signatures) == 1 and add(1.5, 2.0) == 3.5
    with pytest.raises(TypeError, match="match no signature"):
        add(np.ones(2), 1.0)


def test_printing(capsys):
    @jit
    def shows(n):
        for i in range(n):
            print("line", i)

    shows(2)
    assert capsys.readouterr().out == "line 0\nline 1\n"


def test_memory_of_many_arrays():
    @jit
    def many(n):
        total = 0.0
        for i in range(n):
            a = np.full(10, float(i))
            total += a[3]
        return total

    assert many(1000) == 499500.0


def test_no_memory():
    @jit
    def huge(n):
        a = np.zeros(n)
        return a.size

    with pytest.raises(MemoryError):
        huge(1 << 50)
    with pytest.raises(ValueError, match="negative dimensions"):
        huge(-1)
    assert huge(10) == 10


def test_read_only_arguments():
    @jit
    def fill(x):
        x[:] = 1

    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        fill(x)


def test_prange_is_range_for_one_thread():
    @njit
    def total(n):
        s = 0
        for i in prange(n):
            s += i
        return s

    assert total(10) == 45


def test_threads_call_one_function():
    @jit
    def total(x):
        s = 0.0
        for i in range(x.size):
            s += x[i]
        return s

    results = {}
    threads = [
        threading.Thread(target=lambda k=k: results.update({k: total(np.full(100, float(k)))})) for k in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {k: 100.0 * k for k in range(8)}


@jit
def module_function(x):
    return x + 1


def test_pickling():
    assert pickle.loads(pickle.dumps(module_function))(2) == 3


@pytest.mark.parametrize(
    "body, words",
    [
        ("import math", "import"),
        ("x = nowhere", "there is no nowhere"),
        ("x = a[1.5]", "an index is float64"),
    ],
)
def test_what_is_not_there(body, words):
    source = f"def f(a):\n    {body}\n"
    names = {}
    exec(source, names)
    with pytest.raises((errors.UnsupportedError, errors.TypingError), match=words):
        jit(names["f"], source=source)(np.zeros(3))


def test_object_mode_is_refused():
    with pytest.raises(NotImplementedError, match="object mode"):
        jit(forceobj=True)(collatz)
    with pytest.raises(TypeError, match="no option"):
        jit(speed=True)(collatz)


def test_tessera_numpy_functions_are_numpys():
    @jit
    def made(n):
        return tnp.zeros(n).size

    assert made(4) == 4 and tessera.jit is jit


def test_texts_choose_branches_when_the_function_is_compiled():
    @jit
    def measure(x, mode="mean", scale=None):
        if mode == "mean":
            value = x.mean()
        elif mode in ("max", "top"):
            value = x.max()
        else:
            value = np.array([x[0], x[-1]])  # of another type
        return value if scale is None else value * scale

    x = np.arange(4.0)
    assert (measure(x), measure(x, "max"), measure(x, mode="top", scale=2)) == (1.5, 3.0, 6.0)
    assert measure(x, "ends").tolist() == [0.0, 3.0]
    assert len(measure.signatures) == 4


def test_tuples_are_compared_in_order():
    @jit
    def compare(a, b):
        return a < b, a <= b, a > b, a >= b, a == b, a == None, a != None  # noqa: E711

    for a, b in [((1, 2), (1, 3)), ((1, 2), (1, 2)), ((2,), (1, 5)), ((1, 2), (1,)), ((), (1,)), (3, 4)]:
        assert compare(a, b) == compare.py_func(a, b)
