"""What the tests of ufuncs share: operands that reach the corners of every type, and comparison with NumPy."""

import warnings

import numpy

from tessera import _core

GENERALIZED = {"matmul", "vecdot", "matvec", "vecmat"}
NAMES = sorted({f.__name__ for f in vars(numpy).values() if isinstance(f, numpy.ufunc)} - GENERALIZED - {"isnat"})
CODES = "?bBhHiIlLefdFD"
# Exactly rounded or bit operations; the others may differ from the C library in the last places.
EXACT = set(
    "add subtract multiply divide negative positive absolute fabs sign square floor_divide remainder fmod divmod maximum minimum "
    "fmax fmin equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor logical_not bitwise_and "
    "bitwise_or bitwise_xor invert left_shift right_shift bitwise_count gcd lcm floor ceil trunc rint copysign nextafter spacing "
    "modf frexp ldexp heaviside isnan isinf isfinite signbit conjugate sqrt reciprocal".split()
)
TOLERANCE = {"e": 2e-3, "f": 1e-6, "d": 4e-15, "F": 5e-6, "D": 1e-14}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.5, 7.25, 1e-3, 100.0, numpy.inf, -numpy.inf, numpy.nan, 1e30, -1e-30, 3.0]


def native(name):
    return getattr(_core, name)


def sample(code, size, seed=0):
    """Values that reach the corners of a dtype, repeated to `size`."""
    dtype = numpy.dtype(code)
    rng = numpy.random.default_rng(seed + ord(code))
    if dtype.kind == "b":
        values = rng.integers(0, 2, size)
    elif dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        corners = [0, 1, 2, 3, 5, 7, info.max, info.min, info.max - 1, info.min + 1]
        values = numpy.resize(numpy.array(corners, dtype), size)
        rng.shuffle(values)
    else:
        values = numpy.resize(numpy.array(SPECIAL), size)
        rng.shuffle(values)
        if dtype.kind == "c":
            imaginary = values.copy()
            rng.shuffle(imaginary)
            values = values + 0j
            values.imag = imaginary
    with numpy.errstate(all="ignore"):
        return values.astype(dtype)


def operands(f, loop, size):
    """One array an operand of a loop; exponents and shift counts stay in range."""
    arrays = [sample(code, size, seed) for seed, code in enumerate(loop.split("->")[0])]
    if f.__name__ == "power" and arrays[1].dtype.kind in "iu":
        arrays[1] = (arrays[1] % 5).astype(arrays[1].dtype)
    if f.__name__ == "ldexp":
        arrays[1] = (arrays[1] % 12).astype(arrays[1].dtype)
    return arrays


def check(actual, expected, name, *, loose=False):
    """Same type, dtype, shape and values; NaNs are equal, zeros have signs where the result is exact."""
    actuals = actual if isinstance(actual, tuple) else (actual,)
    expecteds = expected if isinstance(expected, tuple) else (expected,)
    assert len(actuals) == len(expecteds)
    for a, e in zip(actuals, expecteds):
        assert a.dtype == e.dtype, name
        assert a.shape == e.shape, name
        a = numpy.asarray(a)
        code = e.dtype.char
        if name in EXACT - {"absolute"} and not loose and code not in "FD":
            numpy.testing.assert_array_equal(a, e, err_msg=name, strict=False)
        elif code in TOLERANCE:
            rtol = TOLERANCE[code]
            numpy.testing.assert_allclose(a, e, rtol=rtol, atol=rtol * 1e-3, err_msg=name)
        else:
            numpy.testing.assert_array_equal(a, e, err_msg=name)


def loops_of(f):
    texts = [t.replace("q", "l").replace("Q", "L") for t in f.types]
    return list(dict.fromkeys(t for t in texts if all(c in CODES + "->" for c in t)))


def outcome(call):
    """The result, or the exception's type and words."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()
    except Exception as error:
        kind, text = type(error), str(error).strip()
        # NumPy says one or the other, as earlier calls in the process have it.
        if "did not contain a loop with signature matching types" in text or text.startswith("No loop matching"):
            text = "no loop"
        return (TypeError if issubclass(kind, TypeError) else kind, text)


def same_outcome(call):
    """`call(numpy functions, array maker)` does the same with both."""
    expected = outcome(lambda: call(numpy, numpy.array))
    actual = outcome(lambda: call(_core, lambda *a, **k: _core.asarray(numpy.array(*a, **k))))
    if isinstance(expected, tuple) and expected and isinstance(expected[0], type):
        assert actual == expected, (actual, expected)
    elif expected is None:
        assert actual is None
    else:
        check(actual, expected, "call", loose=True)
