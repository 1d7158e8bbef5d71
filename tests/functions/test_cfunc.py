"""cfunc: functions that code in C calls, by ctypes and by SciPy's integrators and filters."""

import ctypes
import math
import sys
import threading

import numpy
import pytest
from tessera.errors import TypingError

import tessera
from tessera import carray, cfunc, farray, njit, types


@cfunc("float64(float64, float64)")
def plus_half(x, y):
    return x + y / 2


def test_called_from_c_and_python():
    assert plus_half.ctypes(3.0, 5.0) == 5.5 and plus_half(3.0, 5.0) == 5.5
    assert plus_half.address == ctypes.cast(plus_half.ctypes, ctypes.c_void_p).value
    assert plus_half.signature == types.float64(types.float64, types.float64)


def test_all_numbers_of_c():
    names = "boolean int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split()
    values = [True, -100, -30_000, -(2**31), -(2**62), 200, 60_000, 2**32 - 1, 2**63 + 5, 1.5, 0.1]

    for name, value in zip(names, values):
        same = cfunc(f"{name}({name})")(lambda x: x)
        assert same.ctypes(value) == value, name


def test_more_arguments_than_registers():
    @cfunc(
        "float64(int32, float64, float32, int64, int8, uint16, int32, int64, int32, "
        + ", ".join(["float64"] * 9)
        + ", boolean)"
    )
    def weighted(a, b, c, d, e, f, g, h, i, p, q, r, s, t, u, v, w, x, z):
        total = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i
        total += 10 * p + 11 * q + 12 * r + 13 * s + 14 * t + 15 * u + 16 * v + 17 * w + 18 * x
        return total if z else -total

    numbers = [-1, 0.5, 1.25, -7, 3, 9, -11, 13, 17, *[k / 8 for k in range(9)]]
    assert weighted.ctypes(*numbers, True) == weighted(*numbers, True)
    assert weighted.ctypes(*numbers, False) == weighted(*numbers, False)


def test_pointers_are_arrays():
    @cfunc("float64(CPointer(float64), intc, voidptr, CPointer(int32))")
    def dot(x, n, other, counts):
        a = carray(x, n)
        b = carray(other, (n,), numpy.float32)
        c = carray(counts, (2, 3))
        f = farray(counts, (2, 3))
        total = 0.0
        for k in range(n):
            total += a[k] * b[k]
            a[k] = k
        assert c.strides == (12, 4) and f.strides == (4, 8)
        return total + 100 * c[1, 0] + 1000 * f[1, 0]

    x = numpy.arange(1.0, 5.0)
    other = numpy.full(4, 0.5, dtype=numpy.float32)
    counts = numpy.arange(6, dtype=numpy.int32)
    double, whole = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int32)
    arguments = (x.ctypes.data_as(double), 4, other.ctypes.data, counts.ctypes.data_as(whole))
    assert dot.ctypes(*arguments) == 5.0 + 300 + 1000
    numpy.testing.assert_array_equal(x, [0, 1, 2, 3])
    assert carray(arguments[0], 4).tolist() == [0, 1, 2, 3]
    assert farray(arguments[3], (2, 3)).tolist() == [[0, 2, 4], [1, 3, 5]]
    assert carray(ctypes.c_void_p(other.ctypes.data), 4, numpy.float32).tolist() == [0.5] * 4
    assert carray(ctypes.c_void_p(other.ctypes.data), (2, 2), types.float32).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_results_by_pointer():
    @cfunc(types.void(types.CPointer(types.float64), types.int64))
    def squares(out, n):
        a = carray(out, n)
        for k in range(n):
            a[k] = k * k

    out = numpy.zeros(5)
    assert squares.ctypes(out.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), 5) is None
    numpy.testing.assert_array_equal(out, [0, 1, 4, 9, 16])


@pytest.mark.parametrize("raises", [1.0, 0.0])
def test_what_is_raised_is_printed(raises, monkeypatch):
    caught = []
    monkeypatch.setattr(sys, "unraisablehook", caught.append)

    @cfunc("float64(float64)")
    def inverse(x):
        if x == 1.0:
            raise ValueError("one")
        return 1.0 / x

    assert inverse.ctypes(2.0) == 0.5 and inverse.ctypes(raises) == 0.0
    types_seen = [one.exc_type for one in caught]
    caught.clear()  # tracebacks hold what they went through
    assert types_seen == [ValueError if raises else ZeroDivisionError]


def test_numpy_and_new_arrays_inside():
    @cfunc("float64(int64)")
    def middle(n):
        x = numpy.arange(n) * 1.5
        return numpy.median(x)

    assert middle.ctypes(5) == 3.0
    results = []
    threads = [threading.Thread(target=lambda: results.append(middle.ctypes(9))) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert results == [6.0] * 4


def test_other_functions_and_constants():
    weights = numpy.array([1.0, 10.0, 100.0])

    @njit
    def helper(k):
        return weights[k]

    @cfunc("float64(int64)")
    def f(k):
        return helper(k) + math.sqrt(4.0)

    @njit
    def g(k):
        return f(k) + 1

    assert f.ctypes(2) == 102.0 and g(1) == 13.0


@pytest.mark.parametrize("name", ["exp", "log", "sin", "erf", "atan2"])
def test_bits_are_those_of_arrays(name):
    x = numpy.concatenate([numpy.random.default_rng(4).random(200) * 20, [0.0, 1e-310, 1e300, math.inf, math.nan]])
    function = getattr(math, name)
    two = name == "atan2"
    body = (lambda v: function(v, 0.7)) if two else (lambda v: function(v))
    alone = cfunc("float64(float64)", error_model="numpy")(body)
    ours = {"atan2": "arctan2"}.get(name, name)
    whole = tessera.scipy.special.erf if name == "erf" else getattr(tessera.numpy, ours)
    with numpy.errstate(all="ignore"), tessera.numpy.errstate(all="ignore"):
        wanted = numpy.asarray(whole(tessera.numpy.asarray(x), 0.7) if two else whole(tessera.numpy.asarray(x)))
    got = numpy.array([alone.ctypes(one) for one in x])
    finite = numpy.isfinite(wanted)
    numpy.testing.assert_array_equal(got[finite], wanted[finite])


def test_integrals_by_scipy():
    scipy = pytest.importorskip("scipy")
    integrate = pytest.importorskip("scipy.integrate")

    @cfunc("float64(float64)")
    def bell(x):
        return math.exp(-x * x / 2)

    got = integrate.quad(scipy.LowLevelCallable(bell.ctypes), -math.inf, math.inf)[0]
    numpy.testing.assert_allclose(got, math.sqrt(2 * math.pi))

    @cfunc("float64(intc, CPointer(float64))")
    def power(n, values):
        x = carray(values, n)
        return x[0] ** x[1]

    got = integrate.quad(scipy.LowLevelCallable(power.ctypes), 0, 1, args=(3.0,))[0]
    numpy.testing.assert_allclose(got, 0.25)

    @cfunc(types.double(types.double, types.voidptr))
    def scaled(x, data):
        return x * carray(data, 1, types.double)[0]

    factor = ctypes.c_double(3.0)
    data = ctypes.cast(ctypes.pointer(factor), ctypes.c_void_p)
    got = integrate.quad(scipy.LowLevelCallable(scaled.ctypes, data), 0, 2)[0]
    numpy.testing.assert_allclose(got, 6.0)
    got = integrate.nquad(scipy.LowLevelCallable(power.ctypes), [(0, 1), (1, 2)])[0]
    numpy.testing.assert_allclose(got, math.log(1.5))


def test_filters_by_scipy():
    scipy = pytest.importorskip("scipy")
    ndimage = pytest.importorskip("scipy.ndimage")

    @cfunc("intc(CPointer(float64), intp, CPointer(float64), voidptr)")
    def largest(values, size, result, data):
        window = carray(values, size)
        best = window[0]
        for k in range(size):
            best = max(best, window[k])
        carray(result, 1)[0] = best
        return 1

    x = numpy.random.default_rng(2).random((20, 30))
    got = ndimage.generic_filter(x, scipy.LowLevelCallable(largest.ctypes), size=3)
    numpy.testing.assert_array_equal(got, ndimage.maximum_filter(x, 3))


def test_what_is_refused():
    with pytest.raises(TypeError, match="takes a signature"):
        cfunc(lambda x: x)
    with pytest.raises(TypeError, match="functions in C take"):
        cfunc("complex128(float64)")(lambda x: x)
    with pytest.raises(TypeError, match="functions in C do not have: it has no address"):
        cfunc("float64(float64[:])")(lambda x: x[0]).address  # noqa: B018
    with pytest.raises(TypeError, match="returns a pointer"):
        cfunc("CPointer(float64)(int64)")(lambda x: x)
    with pytest.raises(TypeError, match="no option inlin"):
        cfunc("float64(float64)", inlin=True)
    with pytest.raises(TypingError):
        cfunc("float64(voidptr)")(lambda p: carray(p, 3)[0])
    with pytest.raises(TypingError):
        cfunc("float64(CPointer(float64))")(lambda p: p[0])
    with pytest.raises(NotImplementedError, match="locals has"):
        cfunc("float64(float64)", locals={"x": types.voidptr})
    with pytest.raises(NotImplementedError, match="locals has"):
        njit(locals={"x": "int64"})(lambda x: x)
    assert tessera.numba.cfunc is cfunc


def test_arrays_of_pointers_in_python():
    base = numpy.arange(6, dtype=numpy.float32)
    typed = base.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
    numpy.testing.assert_array_equal(tessera.carray(typed, (2, 3)), base.reshape(2, 3))
    with pytest.raises(TypeError, match="mismatching dtype 'int32'"):
        tessera.carray(typed, 6, numpy.int32)
    with pytest.raises(TypeError, match="not int"):
        tessera.carray(base.ctypes.data, 6, numpy.float32)


def test_types_of_variables():
    @cfunc("float64(int64, int64)", locals={"c": types.int64})
    def divided(a, b):
        c = a / b
        return c

    assert divided.ctypes(8, 3) == 2.0

    @njit(locals={"a": types.float32, "k": types.int8, "total": types.int32, "left": types.uint8})
    def converted(a, n):
        total = 0.75
        for k in range(n):
            total += a + k
        left, right = -1, 2.5
        if n > 2:
            total = 2.9
        return a, total, left, right, k

    assert converted(0.1, 2) == (float(numpy.float32(0.1)), 1, 255, 2.5, 1)
    assert converted(0.1, 3)[1] == 2
    assert converted(1, 130)[4] == -127


def test_dtypes_that_are_not_the_pointers():
    with pytest.raises(TypingError, match="mismatching dtype"):

        @cfunc("float64(CPointer(float64))")
        def wrong(pointer):
            return carray(pointer, 3, numpy.int32)[0]
