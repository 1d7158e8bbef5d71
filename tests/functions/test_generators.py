"""Generators in compiled functions beside CPython's: the same function, compiled and as it is."""

from __future__ import annotations

import gc
import itertools
import resource
import threading
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tessera import jit


@jit
def count(first, last):
    while first < last:
        yield first
        first += 1


@jit
def primes(n):
    is_prime = np.ones(n + 1, np.bool_)
    for i in range(2, n + 1):
        if is_prime[i]:
            yield i
            is_prime[i * i :: i] = False


@jit
def pairs(n):
    for i in range(n):
        for j in range(i, 0, -2):
            if (i + j) % 3 == 0:
                continue
            yield i, j * 0.5
        else:
            if i == 7:
                return


@jit
def raising(n):
    for i in range(n):
        if i == 3:
            raise ValueError("three", i)
        yield i


@jit
def numbered(x, y):
    for i, (a, b) in enumerate(zip(x, y), 5):
        yield i, a + b
    for v in x:
        yield -1, v


@jit
def delegating(n):
    yield from count(0, n)
    yield 100
    yield from [7, 8, 9]


@jit
def of_lists(n):
    values = [0]
    for k in range(n):
        values.append(k)
        yield len(values) + sum(values)


@jit
def halves(x):
    for k in range(len(x)):
        part = x[k:] * 2.0
        yield part
        part[0] = k
        yield part


@pytest.mark.parametrize(
    "function, arguments",
    [
        (count, (0, 10)),
        (count, (3, 3)),
        (count, (0.5, 4.0)),
        (primes, (100,)),
        (pairs, (12,)),
        (delegating, (4,)),
        (of_lists, (6,)),
    ],
)
def test_a_generator_yields_what_python_yields(function, arguments):
    assert list(function(*arguments)) == list(function.py_func(*arguments))


def test_what_arrays_yield_is_python_s():
    x, y = np.arange(5), np.arange(8) * 10.0
    assert list(numbered(x, y)) == list(numbered.py_func(x, y))


def test_arrays_that_were_yielded_stay_the_generator_s():
    found = list(halves(np.arange(4.0)))
    expected = list(halves.py_func(np.arange(4.0)))
    assert [x.tolist() for x in found] == [x.tolist() for x in expected]


def test_an_exception_ends_a_generator():
    values = raising(10)
    assert [next(values), next(values), next(values)] == [0, 1, 2]
    with pytest.raises(ValueError) as raised:
        next(values)
    assert raised.value.args == ("three", 3)
    assert list(values) == []


def test_generators_are_independent_of_each_other():
    a, b = count(0, 5), count(100, 105)
    assert [value for both in zip(a, b) for value in both] == [0, 100, 1, 101, 2, 102, 3, 103, 4, 104]


def test_a_closed_generator_has_no_further_values():
    values = count(0, 5)
    next(values)
    values.close()
    assert list(values) == []
    assert iter(values) is values


def test_arguments_live_as_long_as_the_generator():
    x = np.arange(4)
    values = numbered(x, x)
    alive = weakref.ref(x)
    del x
    gc.collect()
    assert next(values) == (5, 0) and alive() is not None
    del values
    gc.collect()
    assert alive() is None


def test_generators_that_are_dropped_half_way_free_their_memory():
    for _ in range(200):
        next(halves(np.ones(100_000)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(2000):
        values = halves(np.ones(100_000))
        next(values), next(values), next(values)
    for _ in range(100_000):
        next(count(0, 3))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


def test_memory_of_arrays_that_are_gone_is_given_back_between_values():
    x = np.ones(20_000)
    values = halves(x)
    for _ in range(200):
        next(values)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(20_000):
        next(values)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


@jit
def total_of_primes(n):
    total = 0
    for p in primes(n):
        total += p
    return total


@jit
def left_early(n):
    total = 0
    for x in count(0, n):
        if x == 2:
            continue
        if x > 6:
            break
        total += x
    else:
        total = -total
    return total


@jit
def interleaved(n):
    a, b = count(0, n), count(10, 10 + n)
    first = next(a) * 1000 + next(b)
    total = 0
    for x in a:
        total += x * next(b, -5)
    return first, total, next(a, -1), list(b)


@jit
def as_arguments(n):
    return (
        sum(count(0, n)),
        list(count(1, n)),
        max(count(0, n)),
        min(count(-n, 1)),
        any(count(0, 1)),
        all(count(1, n)),
        sorted(count(0, n), reverse=True),
    )


@jit
def of_several(n):
    return [(i, a, b[1]) for i, (a, b) in enumerate(zip(count(0, n), pairs(9)))]


@jit
def caught(n):
    total = 0
    try:
        for x in raising(n):
            total += x
    except ValueError:
        total += 100
    return total


@jit
def returned_from(n):
    for p in primes(n):
        if p > 10:
            return p
    return -1


@jit
def of_expressions(x):
    values = (v * v for v in x if v % 2 == 0)
    first = next(values)
    return first, sum(values), sum(i * j for i in range(4) for j in range(i)), max(abs(v) for v in x)


@jit
def of_functions(x):
    return (
        list(filter(lambda v: v > 2, x)),
        list(map(lambda v, w: v * w, x, count(0, 100))),
        sum(map(lambda v: v + 1, filter(None, x))),
    )


@pytest.mark.parametrize(
    "function, arguments",
    [
        (total_of_primes, (500,)),
        (left_early, (5,)),
        (left_early, (50,)),
        (interleaved, (5,)),
        (as_arguments, (7,)),
        (of_several, (20,)),
        (caught, (3,)),
        (caught, (7,)),
        (returned_from, (30,)),
        (returned_from, (8,)),
        (of_expressions, (np.arange(7),)),
        (of_functions, (np.arange(7),)),
    ],
)
def test_functions_that_ask_generators_give_what_python_gives(function, arguments):
    assert function(*arguments) == function.py_func(*arguments)


def test_next_of_a_generator_that_has_ended_raises():
    @jit
    def after_the_last(n):
        values = count(0, n)
        for _ in range(5):
            next(values)

    with pytest.raises(StopIteration):
        after_the_last(3)


def trying(values, limit):
    for k in range(len(values)):
        try:
            yield k
            if values[k] < 0:
                raise ValueError("negative")
            if values[k] > limit:
                raise KeyError("large")
            yield values[k]
        except ValueError:
            yield -100
            values[k] = 0
            yield -200
        except KeyError:
            values[k] = limit
        else:
            yield 1000 + k
            if values[k] == 3:
                break
        values[k] += 1
    yield -1


def nested(n):
    for k in range(n):
        try:
            try:
                yield k
                if k % 3 == 1:
                    raise ValueError("inner")
                if k % 3 == 2:
                    raise KeyError("outer")
            except ValueError:
                yield 10 * k
                raise IndexError("from the handler")  # noqa: B904
            yield 100 * k
        except (KeyError, IndexError):
            yield 1000 * k


def ending_in_handler(n):
    try:
        for k in range(n):
            if k == 2:
                raise ValueError("two")
            yield k
    except ValueError:
        return
    yield -1


def going_through(n):
    try:
        yield n
        raise KeyError("goes on")
    except ValueError:
        yield -1


def test_yields_within_try():
    values = [np.array(given) for given in ([5, -1, 3, 7], [1, 2, 9, -3, 4], [])]
    for given in values:
        ours, plain = given.copy(), given.copy()
        assert list(jit(trying)(ours, 6)) == list(trying(plain, 6))
        assert (ours == plain).all()

    run, within = jit(trying), jit(nested)

    @jit
    def inside(values, n):
        found = []
        for v in run(values, 6):
            found.append(v)
        for v in within(n):
            if v == 7:
                break
            found.append(v)
        return found

    expected = list(nested(9))
    expected = [*trying(values[0].copy(), 6), *expected[: expected.index(7)]]
    assert list(inside(values[0].copy(), 9)) == expected
    assert list(jit(nested)(7)) == list(nested(7))
    assert [list(jit(ending_in_handler)(n)) for n in range(4)] == [list(ending_in_handler(n)) for n in range(4)]
    going = jit(going_through)(4)
    assert next(going) == 4
    with pytest.raises(KeyError, match="goes on"):
        next(going)
    with pytest.raises(StopIteration):
        next(going)


def test_yields_in_handlers_that_raise_again_are_refused_by_name():
    @jit
    def again(n):
        try:
            raise ValueError("first")
        except ValueError:
            yield n
            raise

    with pytest.raises(Exception, match="yield in except that raises again"):
        again(1)


@jit
def cleaning(n, log):
    try:
        for i in range(n):
            yield i
            log[0] += 1
    finally:
        log[1] += 10


@jit
def cleaning_inside(n, log):
    k = 5
    try:
        try:
            for i in range(n):
                k = i
                yield i
                if i == 3:
                    raise ValueError(i)
        except ValueError:
            yield 100
            log[2] += 1
        finally:
            log[1] += k
            k = 50
        yield 200
    finally:
        log[3] += k + 1
    yield 300


@jit
def cleaning_often(n, log):
    while n > 0:
        try:
            n -= 1
            if n % 2:
                continue
            yield n
            if n == 4:
                break
            if n == 2:
                return
        finally:
            log[1] += n
    yield -1


@jit
def cleaning_badly(n, log):
    try:
        yield 1
        yield 2
    finally:
        log[0] += 1
        if n > 1:
            raise KeyError(n)


def to_the_end(generator, found):
    found.extend(generator)


def up_to_close(generator, found):
    found.extend(itertools.islice(generator, 2))
    generator.close()
    found.extend(generator)


def until_dropped(generator, found):
    found.extend(itertools.islice(generator, 1))


def never_begun(generator, found):
    generator.close()


def result_and_log(function, n, use):
    log, found = np.zeros(5, np.int64), []
    try:
        use(function(n, log), found)
    except (KeyError, ValueError) as error:
        found.append(repr(error))
    return found, log.tolist()


@pytest.mark.parametrize("use", [to_the_end, up_to_close, until_dropped, never_begun])
@pytest.mark.parametrize("function", [cleaning, cleaning_inside, cleaning_often])
def test_finally_runs_at_the_end_of_a_generator(function, use):
    for n in (2, 4, 6, 7):
        assert result_and_log(function, n, use) == result_and_log(function.py_func, n, use)


@pytest.mark.parametrize("n", [1, 2])
def test_what_finally_raises_at_the_end_of_a_generator_is_raised(n):
    for use in (to_the_end, up_to_close):
        assert result_and_log(cleaning_badly, n, use) == result_and_log(cleaning_badly.py_func, n, use)


@jit
def left_by_break(n, log):
    total = 0
    for v in cleaning(n, log):
        total += v
        if v == 2:
            break
    log[4] += total


@jit
def left_by_return(n, log):
    for v in cleaning_inside(n, log):
        if v == 2:
            return
    log[4] = 1


@jit
def left_by_an_exception(n, log):
    try:
        for v in cleaning(n, log):
            if v == 3:
                raise ValueError(v)
    except ValueError:
        log[4] = log[1] * 1000


@jit
def passing_an_exception_on(n, log):
    for v in cleaning(n, log):
        if v == 3:
            raise ValueError(v)


@jit
def left_by_zip(n, log):
    for k, (v, w) in enumerate(zip(cleaning(n, log), range(3))):
        log[4] += v * w + k


@jit
def one_after_another(n, log):
    for k in range(3):
        for v in cleaning_often(n, log):
            if v == 2:
                break
            log[4] += v
        else:
            log[4] += 1000
        if k == 1:
            continue
        for v in cleaning_inside(n, log):
            if v < 3:
                break


@jit
def summed(n, log):
    log[4] = sum(cleaning(n, log)) + len(list(cleaning(n, log))) + len([v for v in cleaning(n, log) if v > 2])
    if any(cleaning(n, log)):
        log[4] += 100


@pytest.mark.parametrize(
    "function",
    [
        left_by_break,
        left_by_return,
        left_by_an_exception,
        passing_an_exception_on,
        left_by_zip,
        one_after_another,
        summed,
    ],
)
def test_finally_of_a_generator_runs_where_a_loop_over_it_ends_early(function):
    def use(nothing, found):
        assert nothing is None

    for n in (1, 2, 5, 6):
        assert result_and_log(function, n, use) == result_and_log(function.py_func, n, use)


def test_generators_with_finally_are_no_values():
    @jit
    def asked(n, log):
        values = cleaning(n, log)
        return next(values)

    with pytest.raises(Exception, match="yields within try with finally, as a value"):
        asked(1, np.zeros(5, np.int64))


def test_yields_within_finally_are_refused_by_name():
    @jit
    def late(n):
        try:
            yield n
        finally:
            yield 2

    with pytest.raises(Exception, match="yield within finally"):
        late(1)


def test_values_that_are_sent_are_refused_by_name():
    @jit
    def answered(n):
        x = yield n
        yield x

    with pytest.raises(Exception, match="the value of yield.*\n(.*\n)*.*an array that is written to"):
        answered(1)
    values = count(0, 5)
    assert [values.send(None), values.send(None)] == [0, 1]
    with pytest.raises(TypeError, match="takes no values by send"):
        values.send(1)
    values.close()
    with pytest.raises(StopIteration):
        values.send(None)


@jit(nogil=True)
def slow(n):
    value = 1
    for _ in range(n):
        for _ in range(1000):
            value = (value * 48271) % 2147483647
        yield value


def test_threads_have_generators_of_their_own():
    expected = list(slow(20))
    found = [None] * 8

    def run(k):
        found[k] = list(slow(20))

    threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


# Random programs: blocks of statements over a few integers, with yields anywhere.
_VARIABLES = ("a", "b", "c")


def _expressions():
    leaf = st.sampled_from(_VARIABLES) | st.integers(-3, 9).map(str)
    operator = st.sampled_from(["+", "-", "*"])
    return st.builds(lambda x, op, y: f"({x} {op} {y}) % 1000", leaf, operator, leaf)


def _conditions():
    return st.builds(
        lambda x, op, n: f"{x} {op} {n}",
        st.sampled_from(_VARIABLES),
        st.sampled_from(["<", ">", "==", "!="]),
        st.integers(-2, 20),
    )


def _simple():
    return st.one_of(
        st.builds(lambda v, e: [f"{v} = {e}"], st.sampled_from(_VARIABLES), _expressions()),
        st.builds(lambda v, e: [f"{v} += {e}"], st.sampled_from(_VARIABLES), _expressions()),
        st.builds(lambda e: [f"yield {e}"], _expressions()),
        st.builds(lambda c: [f"if {c}:", "    return"], _conditions()),
    )


def _indent(block):
    return [f"    {line}" for line in block]


def _compound(blocks):
    block = st.lists(blocks, min_size=1, max_size=3).map(lambda parts: [line for part in parts for line in part])
    jump = st.builds(lambda c, j: [f"if {c}:", f"    {j}"], _conditions(), st.sampled_from(["break", "continue"]))
    inner = st.builds(lambda x, j, y: x + j + y, block, jump, block) | block
    return st.one_of(
        st.builds(lambda c, x, y: [f"if {c}:", *_indent(x), "else:", *_indent(y)], _conditions(), block, block),
        st.builds(lambda n, x: [f"for k in range({n}):", *_indent(x)], st.integers(0, 4), inner),
        st.builds(
            lambda n, x, y: [f"for a, b in enumerate(values[:{n}]):", *_indent(x), "else:", *_indent(y)],
            st.integers(0, 3),
            inner,
            st.lists(st.sampled_from(["a = 5", "b += 1"]), min_size=1, max_size=2),
        ),
        st.builds(
            lambda n, x: ["c = 0", f"while c < {n}:", "    c += 1", *_indent(x)],
            st.integers(0, 4),
            inner,
        ),
    )


_programs = st.lists(st.recursive(_simple(), _compound, max_leaves=12), min_size=1, max_size=5)


@settings(deadline=None, max_examples=60)
@given(_programs)
def test_random_programs_yield_what_python_s_do(parts):
    lines = [line for part in parts for line in part]
    text = "\n".join(["def program(a, b, c, values):", "    yield a", *_indent(lines), "    yield a + b * 7 + c", ""])
    names: dict[str, object] = {}
    exec(text, names)
    plain = names["program"]
    compiled = jit(source=text)(plain)
    summed = jit(
        source="def summed(a, b, c, values):\n    made = []\n    for x in compiled(a, b, c, values):\n        made.append(x)\n        if len(made) == 200:\n            break\n    return made\n"
    )(_with(compiled))
    values = np.array([4, -2, 7])
    expected = _first(plain(3, 5, 0, values))
    assert _first(compiled(3, 5, 0, values)) == expected
    assert summed(3, 5, 0, values) == expected


def _with(compiled):
    text = "def summed(a, b, c, values):\n    return [0]\n"
    names = {"compiled": compiled}
    exec(text, names)
    return names["summed"]


def _first(values):
    return [int(x) for _, x in zip(range(200), values)]


@jit
def in_order(x):
    for i, v in np.ndenumerate(x):
        yield i, v
    for i in np.ndindex(x.shape):
        yield i, x[i]
    for v in x.flat:
        yield (0, 0), v


def test_loops_over_elements_in_order_yield():
    x = np.arange(6).reshape(2, 3)
    assert list(in_order(x)) == list(in_order.py_func(x))


def test_a_generator_is_no_result():
    @jit
    def returned(n):
        values = count(0, n)
        return values

    with pytest.raises(Exception, match="returns generator"):
        returned(3)


@jit
def of_variables(n):
    first = count(0, n)
    again = first
    total = next(first) + next(again)
    for x in first:
        total += 10 * x
        if x > 3:
            break
    other = count(5, 9)
    for _ in range(2):
        other = count(next(other), 20)
    return total, sum(again), next(other)


def test_variables_share_a_generator():
    assert of_variables(9) == of_variables.py_func(9)
