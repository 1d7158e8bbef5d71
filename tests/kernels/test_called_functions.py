"""Device functions with signatures, types of numbers as arguments, identity, fields by number, threads' places as tuples."""

import cmath
import enum

import numpy as np
import pytest

import tessera
from tessera import cuda, errors, types


class Planet(enum.Enum):
    VENUS = (4.8, 6.0)
    MARS = (6.4, 3.3)


@cuda.jit("int32(int32, int32)", device=True)
def masked(x, y):
    return (x & 0xFF) << (y & 3)


@cuda.jit([types.float32(types.float32), types.int64(types.int64)], device=True)
def half(x):
    return x / 2


def test_calls_convert_numbers_to_the_signatures_types():
    @cuda.jit
    def kernel(a, r):
        r[0] = masked(a[0], a[1])
        r[1] = half(np.float32(a[0])) + half(5) + half(np.int8(7))

    r = np.zeros(2)
    kernel[1, 1](np.array([259.75, 2.5]), r)
    np.testing.assert_array_equal(r, [(3 << 2), 129.875 + 2 + 3])  # an int8 becomes an int64, as Numba has it
    assert masked.signatures == [(types.int32, types.int32)]

    @tessera.jit("int64(int64)")
    def twice(x):
        return 2 * x

    @tessera.jit
    def calling(x):
        return twice(x) + 0.5

    assert calling(2.75) == 4.5

    @cuda.jit
    def wrong(a):
        a[0] = masked(1j, 2)

    with pytest.raises(errors.TypingError, match="complex128 where the signature says int32"):
        wrong[1, 1](np.zeros(1))

    @cuda.jit
    def whole(a):
        a[0] = masked(a, 2)

    with pytest.raises(errors.TypingError, match="the arguments of masked are not what its signature says"):
        whole[1, 1](np.zeros(1))


def test_code_of_device_functions():
    ((types_of, text),) = masked.inspect_asm(cc=(9, 0)).items()
    assert types_of == (types.int32, types.int32) and ".visible .func  (.param .b32 func_retval0) masked" in text
    assert text == masked.inspect_asm("int32(int32, int32)", cc=(9, 0))

    def cosine(x):
        return np.cos(x)

    exact, fast = (
        cuda.jit(device=True, fastmath=fast)(cosine).inspect_asm("float32(float32)", cc=(9, 0))
        for fast in (False, True)
    )
    assert "cos.approx.ftz.f32" in fast and "cos.approx" not in exact
    with pytest.raises(RuntimeError, match="Cannot inspect SASS of a device function"):
        masked.inspect_sass()
    with pytest.raises(RuntimeError, match="Cannot compile a device function as a kernel"):
        masked[1, 1](1, 2)


def test_types_of_numbers_are_arguments():
    def function(a, dtype):
        held = cuda.local.array(2, dtype)
        held[0] = a[0]
        a[1] = held[0] + dtype(0.75)

    kernel = cuda.jit(function)
    for dtype, expected in ((np.float64, 3.25), (np.int32, 2.0), (np.float64, 3.25)):
        a = np.array([2.5, 0])
        kernel[1, 1](a, dtype)
        assert a[1] == expected
    assert len(kernel.signatures) == 2
    compiled = cuda.jit(types.void(types.float64[:], types.typeof(np.int32)))(function)
    assert compiled.signatures == [(types.float64[:], types.typeof(np.int32))]
    assert kernel.specialize(np.zeros(2), np.int8).get_local_mem_per_thread() >= 2

    @tessera.jit
    def convert(x, dtype):
        return dtype(x)

    assert convert(2.75, np.int32) == 2 and convert(2.75, np.float32) == 2.75
    with pytest.raises(errors.TypingError, match="not type"):
        kernel[1, 1](np.zeros(2), str)


def test_identity_of_members_of_enumerations():
    def function(a, b, out):
        out[0] = a is b
        out[1] = a is not b

    for a, b in ((Planet.MARS, Planet.MARS), (Planet.MARS, Planet.VENUS)):
        out, expected = np.zeros((2, 2), dtype=bool)
        cuda.jit(function)[1, 1](a, b, out)
        function(a, b, expected)
        np.testing.assert_array_equal(out, expected)


def test_fields_by_their_numbers():
    @cuda.jit
    def kernel(records, out):
        one = records[1]
        out[0], out[1], out[2] = one[0], one[1][1], one[-1][0]

    records = np.array([(1, (2, 3)), (4, (5, 6))], dtype=[("a", "i4"), ("b", "f4", 2)])
    out = np.zeros(3)
    kernel[1, 1](records, out)
    np.testing.assert_array_equal(out, [4, 6, 5])

    @cuda.jit
    def too_far(records):
        records[0].a = records[0][2]

    with pytest.raises(errors.TypingError, match="Requested index 2 is out of range"):
        too_far[1, 1](records)


def test_places_are_tuples():
    @cuda.jit
    def kernel(out):
        here, block = cuda.threadIdx, cuda.blockIdx
        x, y, z = here
        out[block.x, here.z, here.y, here.x] = x + 10 * y + 100 * z + 1000 * block[0] + 10000 * cuda.blockDim[1]

    out = np.zeros((2, 2, 3, 4), dtype=np.int64)
    kernel[2, (4, 3, 2)](out)
    b, z, y, x = np.indices(out.shape)
    np.testing.assert_array_equal(out, x + 10 * y + 100 * z + 1000 * b + 30000)


def test_complex_functions_at_infinity():
    @tessera.jit
    def function(z, r, phi):
        return cmath.exp(z), cmath.rect(r, phi)

    infinite = float("inf")
    for imag in (1.0, infinite, -infinite, float("nan")):
        for real in (0.0, -infinite):
            given = complex(real, imag)
            try:
                expected = cmath.exp(given)
            except ValueError:
                continue  # where compiled functions give NaN
            assert str(function(given, 0.0, 1.0)[0]) == str(expected)
    for r in (2.0, -2.0, infinite, -infinite, 0.0, -0.0):
        for phi in (0.0, -0.0):
            assert str(function(0j, r, phi)[1]) == str(cmath.rect(r, phi))
    assert function(0j, 0.0, -infinite)[1] == 0 and function(0j, 0.0, 2.0)[1] == cmath.rect(0.0, 2.0)


def test_tuples_are_left_in_debug_kernels():
    def function(a, k):
        a[0, 0] = a.shape[k]

    checked = cuda.jit(function, debug=True)
    a = np.zeros((2, 3))
    for k in (2, -3):
        with pytest.raises(IndexError, match="tuple index out of range"):
            checked[1, 1](a, k)
    checked[1, 1](a, -2)
    assert a[0, 0] == 2


def test_floats_of_strings():
    @cuda.jit
    def kernel(out):
        out[0], out[1], out[2] = float("inf"), float("-Infinity"), float("nan")
        out[3], out[4] = float(" +1_000.5 "), float("-2e-3")

    out = np.zeros(5)
    kernel[1, 1](out)
    np.testing.assert_array_equal(out, [np.inf, -np.inf, np.nan, 1000.5, -2e-3])
    for text in ("", "x", "1__0", "_1", "+-1", "1 2"):

        @cuda.jit
        def wrong(out):
            out[0] = float(text)

        with pytest.raises(errors.TypingError, match="could not convert string to float"):
            wrong[1, 1](out)


@cuda.jit(device=True)
def endless(x):
    return endless(x)


@cuda.jit(device=True)
def growing(n):
    if n <= 0:
        return None
    return (n, growing(n - 1))


def test_recursion_without_a_type():
    @cuda.jit
    def first(a):
        a[0] = endless(1)

    @cuda.jit
    def second(a):
        growing(100)

    with pytest.raises(errors.TypingError, match="cannot type infer runaway recursion: endless"):
        first[1, 1](np.zeros(1))
    with pytest.raises(errors.TypingError, match="Return type of recursive function does not converge: growing"):
        second[1, 1](np.zeros(1))
