"""Functions that are defined in kernels, ufuncs with outputs, rounding, constant records."""

import math

import numpy as np
import pytest

from tessera import cuda, errors

RECORDS = np.array([(1.5, 2, [7, 8]), (3.0, 4, [9, 10])], [("x", "f8"), ("n", "i4"), ("v", "i2", 2)])


def run(kernel, *arguments, count=8):
    out = np.zeros(count)
    cuda.jit(kernel)[1, 32](out, *arguments)
    return out.tolist()


def test_a_nested_function_reads_the_variables_around_it():
    def kernel(out, k):
        i = cuda.grid(1)
        scale = 2.0

        def scaled(x):
            if x > 3:
                return x * scale
            return x + k

        if i < out.size:
            out[i] = scaled(i)
            scale = 3.0
            out[i] += scaled(i)

    expected = [2 * (i + 10) if i <= 3 else 5.0 * i for i in range(8)]
    assert run(kernel, 10) == expected


def test_variables_that_change_in_a_loop():
    def kernel(out):
        i = cuda.grid(1)
        total = 0

        def more():
            return total + i

        for k in range(4):
            total = more() + k
        if i < out.size:
            out[i] = total

    assert run(kernel) == [4.0 * i + 6 for i in range(8)]


def test_functions_call_each_other_and_lambdas():
    @cuda.jit(device=True)
    def applied(function, x):
        return function(function(x))

    def kernel(out):
        i = cuda.grid(1)
        step = i + 1

        def inner(x):
            return x + step

        def outer(x):
            local = inner(x) * 2

            def last(y):
                return y + local + step

            return last(x)

        square = lambda x: x * x  # noqa: E731
        if i < out.size:
            out[i] = outer(i) + square(i) + applied(inner, 1) + (lambda y: y - step)(0)

    def expected(i):
        step = i + 1
        return (i + 2 * (i + step) + step) + i * i + (1 + 2 * step) - step

    assert run(kernel) == [float(expected(i)) for i in range(8)]


def test_a_name_of_one_function_and_then_of_another():
    def kernel(out):
        i = cuda.grid(1)

        def f(x):
            return x + 1

        if i < out.size:
            out[i] = f(i)

        def f(x):
            return x * 10

        if i < out.size:
            out[i] += f(i)

    assert run(kernel) == [float(i + 1 + i * 10) for i in range(8)]


def test_default_values_and_further_arguments():
    def kernel(out):
        def f(x, y=10, *rest):
            total = x + y
            for one in rest:
                total += one
            return total

        if cuda.grid(1) == 0:
            out[0] = f(1)
            out[1] = f(1, 2)
            out[2] = f(1, 2, 3, 4)

    assert run(kernel)[:3] == [11, 3, 10]


def test_default_values_that_are_not_constant_are_refused():
    def kernel(out):
        def f(x, y=out[0]):
            return x + y

        out[1] = f(1)

    with pytest.raises(errors.UnsupportedError, match="default value"):
        run(kernel)


@pytest.mark.parametrize("name", ["sin", "negative", "floor"])
def test_ufuncs_store_their_results(name):
    ufunc = getattr(np, name)

    @cuda.jit
    def kernel(a, b, out):
        ufunc(a, out)
        np.add(out, b, out)
        np.maximum(out, 0.25, out=out)

    a, b = np.linspace(-2, 2, 7), np.arange(7.0)
    out = np.zeros(7)
    kernel[1, 1](a, b, out)
    np.testing.assert_allclose(out, np.maximum(ufunc(a) + b, 0.25), rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_round_to_digits_at_run_time(dtype):
    @cuda.jit
    def kernel(x, digits, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = round(x[i], digits[i])

    values = [-1.2345678, 1.25, 0.125, 2.675, 12345.678, 1e300 if dtype == np.float64 else 1e38, 5e-324, 55.5, math.nan]
    digits = [-300, -5, -2, -1, 0, 1, 2, 3, 5, 23, 300]
    x = np.repeat(np.array(values, dtype), len(digits))
    n = np.tile(digits, len(values))
    out = np.zeros(x.size, dtype)
    kernel[4, 32](x, n, out)
    # Python rounds the decimal text; halves that are none in binary may differ by one last digit.
    for value, places, rounded in zip(x, n, out):
        expected = round(float(value), int(places))
        assert np.isnan(rounded) == np.isnan(expected)
        if not np.isnan(expected):
            allowed = 1.01 * 10.0 ** -int(places) if abs(float(value) - 2.675) < 1e-6 else 0
            close = math.isclose(rounded, expected, rel_tol=4e-16 if dtype == np.float64 else 1e-7, abs_tol=allowed)
            assert close, (value, places, rounded, expected)


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i4", "i8"])
def test_bit_count(dtype):
    values = np.array([0, 1, 100, 127] + ([-1, -100] if dtype[0] == "i" else []), dtype)
    out = np.zeros(values.size, np.int64)

    @cuda.jit
    def kernel(a, out):
        i = cuda.grid(1)
        if i < a.size:
            out[i] = a[i].bit_count()

    kernel[1, 32](values, out)
    assert out.tolist() == [int(value).bit_count() for value in values]


def test_constant_records():
    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        table = cuda.const.array_like(RECORDS)
        if i < table.shape[0]:
            out[i] = table[i].x + table[i]["n"] + table[i].v[1] + RECORDS[0].x

    out = np.zeros(2)
    kernel[1, 32](out)
    assert out.tolist() == [1.5 + 2 + 8 + 1.5, 3.0 + 4 + 10 + 1.5]
