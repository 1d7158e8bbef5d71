"""cuda.libdevice, cuda.fp16, short vectors, cache hints, argmin and argmax."""

import math

import numpy as np
import pytest
from tessera.cuda import libdevice

from tessera import cuda, errors

X = np.array([-2.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0])


def applied(name, dtype, *operands, count=1):
    """libdevice's function of the operands, element by element."""
    function = getattr(libdevice, name)
    results = [np.zeros(len(operands[0]), dtype) for _ in range(count)]
    if count == 2:

        @cuda.jit
        def kernel(x, first, second):
            i = cuda.grid(1)
            if i < x.size:
                first[i], second[i] = function(x[i])

    elif len(operands) == 1:

        @cuda.jit
        def kernel(x, result):
            i = cuda.grid(1)
            if i < x.size:
                result[i] = function(x[i])

    elif len(operands) == 2:

        @cuda.jit
        def kernel(x, y, result):
            i = cuda.grid(1)
            if i < x.size:
                result[i] = function(x[i], y[i])

    else:

        @cuda.jit
        def kernel(x, y, z, result):
            i = cuda.grid(1)
            if i < x.size:
                result[i] = function(x[i], y[i], z[i])

    kernel[1, 32](*operands, *results)
    return results[0] if count == 1 else results


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("sin", np.sin),
        ("cos", np.cos),
        ("atan", np.arctan),
        ("exp", np.exp),
        ("exp10", lambda x: 10.0**x),
        ("floor", np.floor),
        ("rint", np.rint),
        ("fabs", np.abs),
        ("tanh", np.tanh),
        ("expm1", np.expm1),
        ("cbrt", np.cbrt),
        ("sinpi", lambda x: np.sin(np.pi * x)),
        ("cospi", lambda x: np.cos(np.pi * x)),
        ("erf", np.vectorize(math.erf)),
        ("normcdf", np.vectorize(lambda x: 0.5 * math.erfc(-x / math.sqrt(2)))),
    ],
)
def test_functions_of_one_number(name, function):
    np.testing.assert_allclose(applied(name, "f8", X), function(X), rtol=1e-14, atol=1e-15)
    x = X.astype("f4")
    np.testing.assert_allclose(applied(name + "f", "f4", x), function(X), rtol=1e-6, atol=2e-7)


def test_turns_are_exact_at_quarters():
    x = np.arange(-8, 9) / 2
    np.testing.assert_array_equal(applied("sinpi", "f8", x), np.round(np.sin(np.pi * x)))
    np.testing.assert_array_equal(applied("cospi", "f8", x), np.round(np.cos(np.pi * x)))


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("atan2", np.arctan2),
        ("hypot", np.hypot),
        ("fmax", np.fmax),
        ("fdim", lambda x, y: np.maximum(x - y, 0)),
        ("remainder", np.vectorize(math.remainder)),
        ("copysign", np.copysign),
    ],
)
def test_functions_of_two_numbers(name, function):
    y = np.linspace(-1.7, 2, X.size)
    np.testing.assert_allclose(applied(name, "f8", X, y), function(X, y), rtol=1e-14)


def test_round_goes_away_from_zero():
    x = np.array([0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, -0.2, 1e300, np.inf])
    expected = np.array([1, -1, 2, 3, -3, 0, -0.0, 1e300, np.inf])
    result = applied("round", "f8", x)
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))
    np.testing.assert_array_equal(applied("llround", "i8", x[:7]), expected[:7])


def test_roots_and_fused():
    x = np.array([0.25, 4.0, 9.0])
    np.testing.assert_array_equal(applied("rsqrt", "f8", x), [2, 0.5, 1 / 3])
    np.testing.assert_array_equal(applied("rcbrt", "f8", np.array([8.0])), [0.5])
    np.testing.assert_array_equal(applied("fma", "f8", x, x, x), x * x + x)
    np.testing.assert_array_equal(applied("saturatef", "f4", np.array([-1, 0.5, 2, np.nan], "f4")), [0, 0.5, 1, 0])


def test_two_results():
    sine, cosine = applied("sincos", "f8", X, count=2)
    np.testing.assert_array_equal(sine, applied("sin", "f8", X))
    np.testing.assert_array_equal(cosine, applied("cos", "f8", X))
    fraction, whole = applied("modf", "f8", X, count=2)
    np.testing.assert_array_equal([fraction, whole], np.modf(X))
    mantissa, exponent = applied("frexpf", "f4", X.astype("f4"), count=2)
    np.testing.assert_array_equal([mantissa, exponent], np.frexp(X.astype("f4")))


def test_conversions():
    x = np.array([-2.5, -0.5, 0.5, 1.5, 2.5, 3e9, -3e9, np.nan])
    low, high = -(2**31), 2**31 - 1
    np.testing.assert_array_equal(applied("double2int_rn", "i4", x), [-2, 0, 0, 2, 2, high, low, 0])
    np.testing.assert_array_equal(applied("double2int_rz", "i4", x), [-2, 0, 0, 1, 2, high, low, 0])
    np.testing.assert_array_equal(applied("float2int_rd", "i4", x[:5].astype("f4")), [-3, -1, 0, 1, 2])
    np.testing.assert_array_equal(applied("double2uint_ru", "u4", x), [0, 0, 1, 2, 3, 3 * 10**9, 0, 0])
    np.testing.assert_array_equal(applied("double_as_longlong", "i8", X), X.view("i8"))
    np.testing.assert_array_equal(applied("int_as_float", "f4", np.array([0x3F800000], "i4")), [1])
    np.testing.assert_array_equal(applied("ll2double_rn", "f8", np.array([-(2**40)])), [-(2.0**40)])


def test_integers():
    x, y = np.array([-7, 5, 2**31 - 1], "i4"), np.array([3, -9, 2**31 - 1], "i4")
    np.testing.assert_array_equal(applied("min", "i4", x, y), np.minimum(x, y))
    np.testing.assert_array_equal(applied("abs", "i4", x), np.abs(x))
    np.testing.assert_array_equal(applied("mulhi", "i4", x, y), (x.astype("i8") * y) >> 32)
    np.testing.assert_array_equal(applied("popcll", "i4", np.array([-1, 7])), [64, 3])
    np.testing.assert_array_equal(applied("clz", "i4", np.array([1, 0], "i4")), [31, 32])


def test_unknown_names():
    with pytest.raises(AttributeError, match="libdevice has no function sine"):
        libdevice.sine  # noqa: B018
    assert "sinf" in dir(libdevice)


def test_halves():
    @cuda.jit
    def kernel(x, y, r, c):
        i = cuda.grid(1)
        a, b = x[i], y[i]
        r[0, i] = cuda.fp16.hadd(a, b)
        r[1, i] = cuda.fp16.hsub(a, b)
        r[2, i] = cuda.fp16.hmul(a, b)
        r[3, i] = cuda.fp16.hdiv(a, b)
        r[4, i] = cuda.fp16.hfma(a, b, a)
        r[5, i] = cuda.fp16.hneg(a)
        r[6, i] = cuda.fp16.habs(a)
        r[7, i] = cuda.fp16.hsin(a)
        r[8, i] = cuda.fp16.hmax(a, b)
        r[9, i] = cuda.fp16.hmin(a, b)
        r[10, i] = cuda.fp16.hrsqrt(b)
        r[11, i] = cuda.fp16.hexp10(a)
        r[12, i] = cuda.fp16.hfloor(a)
        c[0, i] = cuda.fp16.heq(a, b)
        c[1, i] = cuda.fp16.hne(a, b)
        c[2, i] = cuda.fp16.hlt(a, b)
        c[3, i] = cuda.fp16.hge(a, b)

    x = np.array([-1.5, 0.1, 2, 3.25], "f2")
    y = np.array([0.25, 0.3, 2, 7], "f2")
    r, c = np.zeros((13, 4), "f2"), np.zeros((4, 4), bool)
    kernel[1, 4](x, y, r, c)
    wide, other = x.astype("f8"), y.astype("f8")
    expected = [wide + other, wide - other, wide * other, wide / other, wide * other + wide, -wide, abs(wide)]
    expected += [np.sin(wide), np.fmax(wide, other), np.fmin(wide, other), other**-0.5, 10**wide, np.floor(wide)]
    np.testing.assert_array_equal(r, np.array(expected).astype("f2"))
    np.testing.assert_array_equal(c, [x == y, x != y, x < y, x >= y])


def test_cache_hints():
    @cuda.jit
    def kernel(a, b):
        i = cuda.grid(1)
        x = cuda.ldca(a, i) + cuda.ldcg(a, i) + cuda.ldcs(a, i) + cuda.ldlu(a, i) + cuda.ldcv(a, i)
        cuda.stcg(b, (0, i), x)
        cuda.stcs(b, (1, i), x + 1)
        cuda.stwb(b, (2, i), x + 2)
        cuda.stwt(b, (3, i), x + 3)

    a, b = np.arange(4.0), np.zeros((4, 4))
    kernel[1, 4](a, b)
    np.testing.assert_array_equal(b, 5 * a + np.arange(4)[:, None])


@pytest.mark.parametrize(
    "array",
    [
        np.array([3.0, 1, 5, 1, 5]),
        np.array([3, np.nan, 1, np.nan, 9]),
        np.array([[3, 1], [7, 7]], "i4"),
        np.array([False, True, True]),
        np.array([-np.inf, np.inf]),
        np.array([5], "u1"),
    ],
)
def test_places_of_extremes(array):
    @cuda.jit
    def kernel(a, places):
        places[0] = a.argmin()
        places[1] = np.argmin(a)
        places[2] = a.argmax()
        places[3] = np.argmax(a)

    places = np.zeros(4, int)
    kernel[1, 1](array, places)
    np.testing.assert_array_equal(places, [array.argmin(), array.argmin(), array.argmax(), array.argmax()])


@cuda.jit(device=True)
def scaled(v, by):
    return cuda.float32x3(v.x * by, v.y * by, v.z * by)


def test_vectors():
    @cuda.jit
    def kernel(a):
        v = cuda.float32x4(1, 2.5, 3, 0.1)
        w = cuda.float4(cuda.float2(v.y, v.x), cuda.float32x2(v.w, 7))
        if a.size > 100:
            w = v
        s = scaled(cuda.float32x3(w.x, w.y, w.z), 2)
        n = cuda.int32x2(3.7, -1)
        for k in range(4):
            w = cuda.float32x4(w.y, w.z, w.w, w.x)
        a[0] = v.w
        a[1], a[2], a[3], a[4] = w.x, w.y, w.z, w.w
        a[5], a[6], a[7] = s.x, s.y, s.z
        a[8], a[9] = n.x, n.y

    a = np.zeros(10)
    kernel[1, 1](a)
    tenth = np.float32(0.1)
    np.testing.assert_array_equal(a, [tenth, 2.5, 1, tenth, 7, 5, 2, 2 * tenth, 3, -1])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("v = cuda.float32x4(1, 2, 3)", "takes 4 numbers, not 3"),
        ("v = cuda.float32x2(1j, 2)", "real numbers"),
        ("v = cuda.float32x2(1, 2) + 1", "+ is not defined"),
        ("v = cuda.float32x2(1, 2).z", "has no attribute z"),
    ],
)
def test_what_vectors_lack(body, words):
    source = f"def kernel(a):\n    {body}\n"
    names = {"cuda": cuda}
    exec(source, names)
    with pytest.raises(errors.TypingError) as caught:
        cuda.jit(source=source)(names["kernel"])[1, 1](np.zeros(3))
    assert words in str(caught.value)
