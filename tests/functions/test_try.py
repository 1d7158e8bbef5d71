"""try in functions with @jit: what is caught, what is not, and in which order, as in CPython."""

import numpy
import pytest

import tessera
from tessera import jit, njit


class Custom(ValueError):
    pass


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return type(error), error.args


def check(function, *arguments):
    assert outcome(njit(function), *arguments) == outcome(function, *arguments)


@jit
def fails(n):
    if n == 1:
        raise ValueError("one", n)
    if n == 2:
        raise IndexError("two")
    if n == 3:
        raise Custom("three")
    return n * 10


def catches_all(n):
    x = 0
    try:
        x = 1
        x = fails(n)
    except Exception:
        x += 100
    return x


def by_class(n):
    seen = 0
    try:
        seen = fails(n)
    except ValueError:
        seen = -1
    except (KeyError, LookupError):
        seen = -2
    return seen


def first_that_fits(n):
    try:
        if n == 4:
            assert n != 4, "four"
        fails(n)
    except Custom:
        return 1
    except ValueError:
        return 2
    except AssertionError:
        return 3
    return 4


def not_all(n):
    try:
        fails(n)
    except IndexError:
        return 7
    return 8


def with_else_and_finally(n):
    x = 0
    try:
        x += fails(n)
    except ValueError:
        x += 1
    else:
        x += 2
    finally:
        x += 1000
    return x


def returns_through_finally(n, log):
    for k in range(4):
        try:
            log[0] += 1
            if k == n:
                continue
            if k == n + 1:
                break
            if n == 9:
                return k
        finally:
            log[1] += 1
    return -1


def finally_returns(n):
    try:
        fails(n)
        return 1
    finally:
        if n == 1:
            return 2  # noqa: B012


def raises_from_finally(n):
    try:
        n += 1
    finally:
        if n == 3:
            raise ValueError("finally")
    return n


def nested(n):
    x = 0
    try:
        try:
            x += fails(n)
        except IndexError:
            x += 1
            raise ValueError("again")  # noqa: B904
        finally:
            x += 10
        x += 100
    except ValueError:
        x += 1000
    return x


def in_loops(n):
    caught = 0
    total = 0
    for k in range(n):
        try:
            for j in range(5):
                if j == 3 and k % 2:
                    raise ValueError("odd")
                total += j
            total += fails(k % 4)
        except Exception:
            caught += 1
            if caught > 5:
                break
            continue
        total += 1000
    return caught, total


def in_while(n):
    k = 0
    while True:
        try:
            k += 1
            fails(k % 3)
            if k > n:
                return k
        except ValueError:
            k += 4
        except IndexError:
            k += 7


def raises_in_handler(n):
    try:
        fails(n)
    except ValueError:
        fails(2)
    return 0


def of_division(n):
    try:
        return 10 // n
    except ZeroDivisionError:
        return -1


def of_an_index(n):
    values = [1, 2]
    try:
        return values[n]
    except IndexError:
        return -1


def always():
    try:
        raise ValueError("always")
    except ValueError:
        pass
    return 5


def bare(n):
    try:
        fails(n)
    except:  # noqa: E722
        return 1
    return 0


def assigned_on_both_ways(a, n):
    x = -1.0
    try:
        for k in range(a.size):
            x = a[k]
            if k == n:
                raise ValueError
    except ValueError:
        return x, n
    return x * 2, a.size


@pytest.mark.parametrize(
    "function",
    [
        catches_all,
        by_class,
        first_that_fits,
        not_all,
        with_else_and_finally,
        finally_returns,
        raises_from_finally,
        nested,
        in_loops,
        in_while,
        raises_in_handler,
        of_division,
        of_an_index,
        bare,
    ],
)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 9])
def test_same_as_python(function, n):
    check(function, n)


def test_raised_in_any_case():
    check(always)


@pytest.mark.parametrize("n", [0, 1, 2, 9])
def test_finally_is_done_on_all_ways_out(n):
    ours, theirs = numpy.zeros(2, dtype=int), numpy.zeros(2, dtype=int)
    assert njit(returns_through_finally)(n, ours) == returns_through_finally(n, theirs)
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("n", [0, 2, 7])
def test_variables_that_handlers_read(n):
    check(assigned_on_both_ways, numpy.arange(5.0), n)


def test_bounds_are_caught_where_they_are_checked():
    @njit(boundscheck=True)
    def element(a, k):
        try:
            return a[k]
        except IndexError:
            return -1.0

    assert element(numpy.arange(3.0), 2) == 2.0
    assert element(numpy.arange(3.0), 3) == -1.0


def test_one_call_after_another():
    compiled = njit(not_all)
    for _ in range(3):
        assert outcome(compiled, 1) == (ValueError, ("one", 1))
        assert compiled(2) == 7
        assert compiled(0) == 8


def test_not_in_kernels():
    @tessera.cuda.jit
    def kernel(x):
        try:
            x[0] = 1
        except ValueError:
            x[0] = 2

    with pytest.raises(tessera.errors.UnsupportedError, match="try"):
        kernel[1, 1](numpy.zeros(1))


def raised_again(n):
    seen = 0
    try:
        try:
            seen = fails(n)
        except (ValueError, IndexError):
            seen -= 1
            raise
    except Custom:
        return seen - 7
    return seen


def raised_by_name(n):
    try:
        return fails(n)
    except Exception as error:
        if n == 2:
            raise KeyError("other", n)  # noqa: B904
        raise error


def raised_after_another(n):
    try:
        return fails(n)
    except Exception:
        try:
            fails(2)
        except IndexError:
            n += 1
        raise


def raised_in_a_loop(n):
    total = 0
    for k in range(n):
        try:
            total += fails(k)
        except Exception:
            if k == 3:
                raise
            total += 1
    return total


@pytest.mark.parametrize("n", range(6))
@pytest.mark.parametrize("function", [raised_again, raised_by_name, raised_after_another, raised_in_a_loop])
def test_a_handler_raises_again(function, n):
    check(function, n)


def test_raise_alone_outside_of_a_handler_is_refused():
    @jit
    def alone(x):
        if x:
            raise

    @jit
    def calls(x):
        alone(x)

    with pytest.raises(tessera.errors.TypingError, match="outside of except"):
        calls(1)


def test_try_in_iterations_of_prange_runs_in_order():
    def each(values, k):
        out = values.copy()
        for i in tessera.prange(values.size):
            try:
                if i == k:
                    raise ValueError
                out[i] = values[i] + i
            except Exception:
                out[i] = -1
        return out

    values = numpy.arange(10)
    numpy.testing.assert_array_equal(njit(parallel=True)(each)(values, 6), each(values, 6))


def test_an_exception_of_prange_is_caught():
    def whole(values, k):
        try:
            for i in tessera.prange(values.size):
                if i == k:
                    raise ValueError
                values[i] = 1
        except Exception:
            return -1
        return 0

    for k in (6, 20):
        assert njit(parallel=True)(whole)(numpy.arange(10), k) == whole(numpy.arange(10), k)


def catches_in_calls(n):
    if n > 0:
        try:
            catches_in_calls(n - 1)
        except Exception:
            return 12
    if n == 1:
        raise ValueError("one")
    return n


def test_functions_that_call_themselves_catch():
    compiled = jit(catches_in_calls)
    globals()["catches_in_calls"], plain = compiled, catches_in_calls
    try:
        found = [outcome(compiled, n) for n in range(5)]
    finally:
        globals()["catches_in_calls"] = plain
    assert found == [outcome(catches_in_calls, n) for n in range(5)]


def test_iterations_run_in_order_where_a_handler_is_around():
    def filled(values, k):
        out = values.copy()
        try:
            for i in tessera.prange(values.size):
                if i == k:
                    raise ValueError
                out[i] = values[i] + i
        except Exception:
            out[k] = -1
        return out

    values = numpy.arange(10)
    numpy.testing.assert_array_equal(njit(parallel=True)(filled)(values, 6), filled(values, 6))


def caught_of_numpy(values, how):
    result = 1.0
    try:
        result = numpy.linalg.inv(values)[0, 0]
        result += 1
    except numpy.linalg.LinAlgError:
        result = -1.0
        if how == 1:
            raise
    except (IndexError, ValueError):
        result = -2.0
    return result


def caught_of_numpy_by_all(values, how):
    try:
        if how == 1:
            raise KeyError("own", how)
        found = numpy.linalg.cholesky(values)
        values[0, 0] = 7
        return found[0, 0]
    except Exception:
        if how == 2:
            raise
        return -3.0


@pytest.mark.parametrize("how", range(3))
@pytest.mark.parametrize("function", [caught_of_numpy, caught_of_numpy_by_all])
def test_what_numpy_raises_is_caught(function, how):
    for values in (numpy.zeros((2, 2)), numpy.eye(2) * 4):
        expected, found = values.copy(), values.copy()
        assert outcome(njit(function), found, how) == outcome(function, expected, how)
        numpy.testing.assert_array_equal(found, expected)


def test_what_numpy_raises_passes_handlers_of_others():
    @njit
    def inverse(values):
        try:
            return numpy.linalg.inv(values)
        except ZeroDivisionError:
            return values

    with pytest.raises(numpy.linalg.LinAlgError, match="Singular"):
        inverse(numpy.zeros((2, 2)))


def test_raise_alone_raises_what_python_handles():
    @njit
    def again():
        raise

    with pytest.raises(KeyError, match="first"):
        try:
            raise KeyError("first")
        except KeyError:
            again()
    with pytest.raises(RuntimeError, match="No active exception"):
        again()


def test_an_array_that_no_assignment_has_reached_is_empty():
    @njit
    def root(values):
        try:
            found = numpy.linalg.cholesky(values)
        except Exception:
            return found
        return found

    assert root(numpy.zeros((2, 2))).size == 0 and root(numpy.eye(2)).shape == (2, 2)


@jit
def is_positive(n):
    if n <= 0:
        raise KeyError(n)
    return n


@jit
def counted_down(n):
    if n > 6:
        raise KeyError("down", n)
    if n > 4:
        return n
    return counted_down(n + 1)


@jit
def kept_in_else(n):
    c = n
    try:
        pass
    except ValueError:
        pass
    else:
        c = is_positive(n - 2)
    finally:
        c = is_positive(c - 2)
    return c


@jit
def kept_in_a_handler(n):
    c = n
    try:
        if n < 3:
            raise ValueError(n)
    except ValueError:
        c = is_positive(n - 1)
    finally:
        c += is_positive(c)
    return c


@jit
def caught_inside_again(n):
    y = 0
    try:
        if n > 2:
            raise ValueError(n)
        if n > 1:
            raise KeyError(n)
    except (ValueError, KeyError) as error:
        try:
            y = 1
            raise error
        except ValueError:
            y += 5
        finally:
            y *= 2
    return y


@jit
def caught_from_a_second_call(n):
    y = counted_down(4)
    try:
        y += counted_down(n + 4)
    except KeyError:
        y = -1
    return y


@jit
def passed_on_from_a_second_call(n):
    v = counted_down(4)
    try:
        v += 1
    finally:
        values = [n for _ in range(counted_down(n + 4))]
        v += len(values)
    return v


@pytest.mark.parametrize("n", range(5))
@pytest.mark.parametrize(
    "function",
    [kept_in_else, kept_in_a_handler, caught_inside_again, caught_from_a_second_call, passed_on_from_a_second_call],
)
def test_ways_out_of_parts_of_a_try(function, n):
    assert outcome(function, n) == outcome(function.py_func, n)
