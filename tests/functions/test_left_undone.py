"""What an exception leaves undone: nothing of a statement runs behind the place where it raises."""

from __future__ import annotations

import linecache
import textwrap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tessera import cuda, jit, njit, prange


def outcome(function, *arguments):
    """What it returns or raises, and what its arguments are then."""
    arguments = [np.array(argument) if isinstance(argument, np.ndarray) else argument for argument in arguments]
    try:
        result = function(*arguments)
    except (ZeroDivisionError, IndexError, ValueError) as error:
        result = type(error).__name__
    return repr((result, [np.asarray(argument).tolist() for argument in arguments]))


class Floats(np.ndarray):
    """An array whose elements are Python's numbers, which raise where NumPy's warn."""

    def __getitem__(self, index):
        found = super().__getitem__(index)
        return found if isinstance(found, np.ndarray) else found.item()


def check(source, *arguments):
    """The same by Python and compiled. `source` defines f."""
    source = textwrap.dedent(source)
    file = f"<left undone {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    plain, compiled = {"jit": lambda f: f, "np": np}, {"jit": jit, "np": np}
    for space in (plain, compiled):
        exec(compile(source, file, "exec"), space)
    function = jit(compiled["f"])

    def in_python(*given):
        return plain["f"](*[a.view(Floats) if isinstance(a, np.ndarray) else a for a in given])

    expected = outcome(in_python, *arguments)
    assert outcome(function, *arguments) == expected, source
    return expected


X = np.array([1.0, 2.0, 0.0, 4.0, 1.0, 0.0])
FIVE = np.full(6, -5.0)


@pytest.mark.parametrize(
    "statement",
    [
        "o[int(7 / x[2])] = 1",
        "o[int(7 / x[2])] += 1",
        "o[int(7 / x[2]) * 1000000007] = 1",
        "return o[int(7 / x[2])]",
        "return o[int(7 / x[2]) * 1000000007] + o[1]",
        "o[0] = 7 / x[2]",
        "o[0], o[1] = 1.0, 7 // x[2]",
        "o[1] -= 7 % x[2]",
        "o[0] = o[int(7 / x[2])] if x[1] > 0 else 3.0",
        "o[0] = 1.0 if x[0] > 2 and 7 / x[2] > 1 else 2.0",
        "o[0] = 1.0 if x[0] > 0 and 7 / x[2] > 1 else 2.0",
        "o[int(x[1])] = o[int(x[int(6 / x[2])])]",
        "x[2] %= x[2]",
        "o[1:4] = 7 / x[2]",
        "o[int(7 / x[2]):] = 3.0",
        "o += x[:int(x[1])]",
        "o[:2] *= x / x[0]",
        "o += x[:1]",
        "o[0] = max(o[1], 7 / x[2])",
        "o[2] = int(7 / x[1]) // int(x[2])",
        "o[0] = sum([7 / x[k] for k in range(3)])",
        "v = [1.0, 2.0]; v[int(7 / x[2])] = 3.0; o[0] = v[0]",
        "v = [1.0, 2.0]; v.append(7 / x[2]); o[0] = len(v)",
        "v = [1.0]; o[0] = v[int(x[1])]; o[1] = 9",
        "v = [[1.0]]; v[int(x[1])][0] = 8.0; o[1] = 9",
        "a = np.zeros(int(x[0])); a[int(6 / x[2])] = 2; o[0] = a[0]",
        "while 7 / x[2] > 1: o[0] += 1",
        "if 7 / x[2] > 1: o[0] = 1",
        "for i in range(int(7 / x[2])): o[i] = 1",
        "for i in range(0, 3, int(x[2])): o[i] = 1",
        "return 7 / x[2]",
        "return 7 / x[1]",
    ],
)
def test_statements(statement):
    check(f"def f(x, o):\n {statement}\n o[5] = 8\n return -1.0", X, FIVE)
    check(f"def f(x, o):\n for j in range(1):\n  {statement}\n  o[5] = 8\n return -1.0", X, FIVE)
    inside = f"""
    def f(x, o):
        seen = 0.0
        try:
            seen = 1.0
            {statement}
            seen = 2.0
        except ZeroDivisionError:
            o[4] = seen
            return -3.0
        except IndexError:
            o[4] = 10 + seen
        except ValueError:
            o[4] = 20 + seen
        finally:
            o[3] = 6
        o[5] = 8
        return -1.0
    """
    check(inside, X, FIVE)


@pytest.mark.parametrize(
    "body",
    [
        "o[i] = 7 / x[i]",
        "o[0] = o[0] + 7 / x[i]",
        "o[i] = i; o[5] = 7 / x[i]",
        "o[int(7 // x[i]) % 6] = i",
        "k = int(7 / x[i]); o[k % 6] = k",
        "s = s + 7 / x[i]; o[i] = s",
        "o[i] = g(x, o, i) + 1",
        "o[int(g(x, o, i)) % 6] = 1",
        "o[i] = g(x, o, i) + g(x, o, 2)",
        "o[i] = h(x, o, i)",
        "o[i] = down(x, i) + 1; o[0] += 1",
        "v.append(7 / x[i]); o[i] = len(v)",
        "s = g(x, o, i) if i > 1 else s; o[i] = s",
    ],
)
def test_loops_and_calls(body):
    functions = """
    @jit
    def g(x, o, i):
        o[i] = i
        r = 7 / x[i]
        o[5] = r
        return r
    @jit
    def h(x, o, i):
        for k in range(i + 1):
            o[k] = 7 / x[k]
        return o[i]
    @jit
    def down(x, n):
        if n == 0:
            return 7 / x[0]
        return 7 / x[n] + down(x, n - 1)
    """
    loop = f"""
    def f(x, o):
        s = 0.0
        v = [0.0]
        for i in range(x.shape[0]):
            {body}
        return s + len(v)
    """
    check(functions + loop, X, FIVE)
    handled = f"""
    def f(x, o):
        s = 0.0
        v = [0.0]
        for i in range(x.shape[0]):
            try:
                {body}
            except ZeroDivisionError:
                o[i] = -100 + s
        return s + len(v)
    """
    if "down" not in body:  # a function that calls itself in an iteration is refused inside try
        check(functions + handled, X, FIVE)


def test_what_is_assigned_is_kept_for_handlers():
    check(
        """
        def f(x, o):
            a, n = 1.0, 3
            for i in range(x.shape[0]):
                try:
                    n = i
                    a = o[i] + 7 / x[i]
                    n = i + 10
                except ZeroDivisionError:
                    o[i] = a * 1000 + n
            return a
        """,
        X,
        FIVE,
    )


@pytest.mark.parametrize(
    "statement",
    [
        "return 0.0 if n == 0 else 7 / n",
        "return 7 / n if n else 0.0",
        "o[0] = n != 0 and 7 / n > 2",
        "o[0] = n == 0 or 7 / n > 2",
        "if n == 0 or 7 / n > 2: o[0] = 1",
        "if 1 < n < 3 < 7 / n: o[0] = 1",
        "if 1 < n < 3 < 7 / x[2]: o[0] = 1",
        "while 7 / n > 1:\n   n -= 1\n   if n == 0: break",
        "while 7 / n > 1:\n   n -= 1\n   if n == 0: return 5.0",
    ],
)
@pytest.mark.parametrize("n", [3.0, 0.0])
def test_what_is_not_evaluated_does_not_raise(statement, n):
    check(f"def f(x, o, n):\n for j in range(1):\n  {statement}\n o[5] = 8\n return n", X, FIVE, n)


def test_a_loop_whose_condition_raises_has_not_ended():
    check(
        """
        def f(x, o):
            n = x[2]
            while 7 / n > 1:
                o[1] = 1
            else:
                o[0] = 1
            return n
        """,
        X,
        FIVE,
    )


@pytest.mark.parametrize("last", ["7 / x[2]", "x[0] / x[1]", "try: 1 / x[2]\n   except Exception: s = 1.5", "break"])
@pytest.mark.parametrize(
    "body", ["raise ValueError('a', x[1])", "v = [1.0]; s = v[5]", "s = x[0]", "return 3.0", "continue"]
)
def test_what_is_raised_finally_takes_its_place(body, last):
    source = f"""
def f(x, o):
 s = 0.0
 for i in range(2):
  try:
   {body}
  finally:
   {last}
   o[i] = s
  o[2] = 2
 return s
"""
    check(source, X, FIVE)


def test_what_is_done_finally_reads_what_a_handler_has_assigned():
    check(
        """
        def f(x, o):
            t = 0.0
            try:
                o[0] = 1 / x[2]
            except ZeroDivisionError:
                t += 2
            finally:
                o[1] += t
            return 1.0
        """,
        X,
        FIVE,
    )


def test_what_is_done_finally_reads_what_was_assigned_before_another_raised():
    check(
        """
        def f(x, o):
            s, t = 1.0, 0.0
            try:
                try:
                    o[0], s = x[0], 2.0
                finally:
                    s, t = 3.0 / x[2], 4.0
            finally:
                o[1] = s
            return t
        """,
        X,
        FIVE,
    )


numbers = st.sampled_from(["x[0]", "x[1]", "x[i]", "x[2]", "o[i]", "o[0]", "s", "t", "2.0", "float(i)"])
values = st.recursive(
    numbers,
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/", "//", "%", "/", "/"]), inner)
        | st.builds("({} if {} > {} else {})".format, inner, inner, inner, inner)
        | st.builds("({} if {} > {} > {} else {})".format, inner, inner, inner, inner, inner)
        | st.builds("o[int(abs({})) % 6]".format, inner)
        | st.builds("g({}, {})".format, inner, inner)
        | st.builds("max({}, {})".format, inner, inner)
    ),
    max_leaves=6,
)
places = st.sampled_from(["s", "t", "o[i]", "o[0]", "o[5]"]) | st.builds("o[int(abs({})) % 6]".format, values)
simple = st.builds("{} {} {}".format, places, st.sampled_from(["=", "=", "+=", "-="]), values)


def indented(lines):
    return [" " + line for line in lines]


def block(inner):
    return st.lists(inner, min_size=1, max_size=3).map(lambda blocks: [line for lines in blocks for line in lines])


statements = st.recursive(
    simple.map(lambda line: [line]),
    lambda inner: (
        st.builds(
            lambda c, d, a, e: [f"if {c} > {d}:", *indented(a), "else:", *indented(e)],
            values,
            values,
            block(inner),
            block(inner),
        )
        | st.builds(lambda a: ["for i in range(4):", *indented(a)], block(inner))
        | st.builds(
            lambda a, h: ["try:", *indented(a), "except ZeroDivisionError:", *indented(h)], block(inner), block(inner)
        )
        | st.builds(lambda a, h: ["try:", *indented(a), "finally:", *indented(h)], block(inner), block(inner))
    ),
    max_leaves=5,
)


@settings(max_examples=100, deadline=None)
@given(block(statements))
def test_random_programs(lines):
    body = "\n".join("    " + line for line in lines)
    source = f"""
@jit
def g(a, b):
    if a > b:
        return a / b
    return a // (b + 1.0)

def f(x, o):
    s, t, i = 1.0, 0.0, 1
{body}
    return s + t
"""
    check(source, X, FIVE)


def test_parallel_iterations_store_nothing_behind_it():
    @njit(parallel=True)
    def fill(x, o):
        for i in prange(x.shape[0]):
            o[int(7 / x[i]) * 1000003 % 6] = 1

    o = np.zeros(6)
    with pytest.raises(ZeroDivisionError):
        fill(np.zeros(1000), o)
    assert o.tolist() == [0.0] * 6


@pytest.mark.parametrize("device", ["cpu", "simulated"])
def test_checked_kernels_store_nothing_behind_it(device):
    import tessera

    @cuda.jit(debug=True, opt=False)
    def kernel(x, o):
        i = cuda.grid(1)
        o[i] = 1
        o[x[i]] = o[x[i] + 1] + 5

    with tessera.device(device):
        o = cuda.to_device(np.zeros(4))
        with pytest.raises(IndexError):
            kernel[1, 4](cuda.to_device(np.array([0, 100, -100, 3])), o)
            cuda.synchronize()
        assert set(o.copy_to_host().tolist()) <= {1.0, 5.0, 6.0, 11.0}
