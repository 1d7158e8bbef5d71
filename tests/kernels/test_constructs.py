"""Every construct of the language against the same function run by Python, over several types."""

import math
import warnings

import numpy as np
import pytest
from plain import both

from tessera import cuda, errors

SIGNED = ["int8", "int16", "int32", "int64"]
INTEGERS = [*SIGNED, "uint8", "uint16", "uint32"]
FLOATS = ["float32", "float64"]


def check(kernel, *arguments, grid=2, block=16, exact=True):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got, wanted = both(kernel, grid, block, *arguments)
    for a, b in zip(got, wanted):
        if isinstance(a, np.ndarray):
            if exact:
                np.testing.assert_array_equal(a, b)
            else:
                np.testing.assert_allclose(a, b, rtol=1e-6)


def inputs(dtype, n=32):
    values = np.arange(n) - (0 if dtype.startswith("u") else n // 2)
    return values.astype(dtype)


@cuda.jit
def arithmetic(a, out):
    i = cuda.grid(1)
    if i < a.size:
        x = int(a[i])
        out[i, 0] = x + 3
        out[i, 1] = 7 - x
        out[i, 2] = x * x
        out[i, 3] = x // 3
        out[i, 4] = x % 5
        out[i, 5] = -x
        out[i, 6] = x**3
        out[i, 7] = x // -4
        out[i, 8] = x % -4
        out[i, 9] = (x & 12) | (x ^ 5)
        out[i, 10] = (x << 3) + (x >> 1)
        out[i, 11] = ~x
        out[i, 12] = abs(x)


@pytest.mark.parametrize("dtype", SIGNED)
def test_integer_arithmetic_is_pythons(dtype):
    check(arithmetic, inputs(dtype), np.zeros((32, 13), np.int64))


@cuda.jit
def float_arithmetic(a, out):
    i = cuda.grid(1)
    if i < a.size:
        x = float(a[i])
        out[i, 0] = x + 0.5
        out[i, 1] = 1.5 - x
        out[i, 2] = x * 0.3
        out[i, 3] = x / 3.0
        out[i, 4] = x // 0.7
        out[i, 5] = x % 0.7
        out[i, 6] = x**2
        out[i, 7] = 5 / (x + 100)
        out[i, 8] = min(x, 2.5, -1.0) + max(x, 0.25)
        out[i, 9] = round(x * 0.3)


@pytest.mark.parametrize("dtype", [*INTEGERS, "float64"])
def test_float_arithmetic_is_pythons(dtype):
    check(float_arithmetic, inputs(dtype), np.zeros((32, 10)))


@cuda.jit
def compare(a, out):
    i = cuda.grid(1)
    x = a[i]
    out[i, 0] = x < 3
    out[i, 1] = -4 <= x <= 4
    out[i, 2] = x == 2 or x == 5
    out[i, 3] = x > 0 and x != 7
    out[i, 4] = not x
    out[i, 5] = 1 < x < 9 > 3
    out[i, 6] = x in (1, 2, 3)
    out[i, 7] = x not in (4, 5)
    out[i, 8] = (x > 2) == (x > 3)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_comparisons_and_logic(dtype):
    check(compare, inputs(dtype), np.zeros((32, 9), bool))


@cuda.jit
def values_of_logic(a, out):
    i = cuda.grid(1)
    x = a[i]
    out[i, 0] = x or 7
    out[i, 1] = x and 9
    out[i, 2] = 5 if x > 2 else 2
    out[i, 3] = x if x < 0 else -x
    out[i, 4] = 1 if x > 5 else 2.5 if x > 0 else 3


@pytest.mark.parametrize("dtype", SIGNED + FLOATS)
def test_logic_and_conditionals_give_values(dtype):
    check(values_of_logic, inputs(dtype), np.zeros((32, 5)))


@cuda.jit
def guarded(a, out):
    i = cuda.grid(1)
    if i < a.size and a[i] > 3:
        out[i] = a[i]
    elif i < a.size and (a[i] < -3 or a[i] == 1):
        out[i] = 100
    elif i < out.size:
        out[i] = -1


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_what_follows_and_is_evaluated_only_if_needed(dtype):
    check(guarded, inputs(dtype, 20), np.zeros(32))


@cuda.jit
def loops(a, out):
    i = cuda.grid(1)
    total = 0
    for k in range(i):
        total += k
    out[i, 0] = total
    for k in range(3, i):
        total -= k
    out[i, 1] = total
    for k in range(i, -1, -2):
        total += k * k
    out[i, 2] = total
    n = int(a[i])
    steps = 0
    while n != 0 and steps < 50:
        n = n // 2 if n > 0 else n + 1
        steps += 1
    out[i, 3] = steps
    last = -1
    for last in range(i):
        pass
    out[i, 4] = last


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_loops(dtype):
    check(loops, inputs(dtype), np.zeros((32, 5), np.int64))


@cuda.jit
def jumps(a, out):
    i = cuda.grid(1)
    found = -1
    for k in range(a.size):
        if k < i:
            continue
        if a[k] > 4:
            found = k
            break
    out[i, 0] = found
    total = 0
    k = 0
    while True:
        k += 1
        if k % 3 == 0:
            if k % 2:
                total += 100
                continue
            total += 1
        if k > i:
            break
        total += 10
    out[i, 1] = total
    for k in range(5):
        for m in range(5):
            if m > k:
                break
            if (k + m) % 2:
                continue
            total += m
        else:
            total += 1000
    out[i, 2] = total


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_break_and_continue(dtype):
    check(jumps, inputs(dtype), np.zeros((32, 3), np.int64))


@cuda.jit
def early(a, out):
    i = cuda.grid(1)
    if i >= a.size:
        return
    if a[i] == 0:
        out[i] = 1
        return
    for k in range(i):
        if a[k] == a[i] - 3:
            out[i] = k
            return
        if k > 20:
            out[i] = -5
            return
    out[i] += 7


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_early_return(dtype):
    check(early, inputs(dtype, 29), np.zeros(32, np.int64))


@cuda.jit
def tuples(a, out):
    i = cuda.grid(1)
    x, y = i, i + 1
    x, y = y, x
    pair = (x, y * 0.5)
    (p, q), r = pair, 3
    whole = pair + (7,)
    out[i, 0] = x - y
    out[i, 1] = pair[0] + pair[-1]
    out[i, 2] = p * q * r
    out[i, 3] = len(whole) + whole[2]
    total = 0.0
    for value in whole:
        total += value
    out[i, 4] = total
    position = (i, 5)
    out[position] = a[-1]
    q = s = i
    out[i, 6] = q + s


def test_tuples():
    check(tuples, np.arange(32.0), np.zeros((32, 7)))


@cuda.jit
def in_place(a, b):
    i = cuda.grid(1)
    a[i] += 2
    a[i] *= 3
    a[i] -= 1
    b[i] /= 4
    b[i] **= 2
    a[i] //= 2
    x = i
    x <<= 2
    x |= 1
    a[i] %= 7
    a[i] ^= x


def test_augmented_assignment():
    check(in_place, np.arange(32), np.arange(32.0))


@cuda.jit
def widening(a, out):
    i = cuda.grid(1)
    x = 0
    for k in range(4):
        x = x + a[i] * 0.5
    if i > 3:
        z = 1
    else:
        z = 2.5
    out[i, 0] = x
    out[i, 1] = z


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_a_variables_type_holds_all_its_assignments(dtype):
    check(widening, inputs(dtype), np.zeros((32, 2)))


@cuda.jit(device=True)
def clamp(x, low, high):
    if x < low:
        return low
    if x > high:
        return high
    return x


@cuda.jit(device=True)
def sum_and_product(x, y):
    return x + y, x * y


@cuda.jit(device=True)
def twice_clamped(x):
    s, p = sum_and_product(clamp(x, -2, 2), x)
    return clamp(s, 0, 10) + p


@cuda.jit
def calls(a, out):
    i = cuda.grid(1)
    out[i] = twice_clamped(a[i]) + clamp(i, 3.5, 9)


@pytest.mark.parametrize("dtype", ["int32", "int64", *FLOATS])
def test_device_functions_have_types_of_their_own(dtype):
    check(calls, inputs(dtype), np.zeros(32))


@cuda.jit
def functions(a, out):
    i = cuda.grid(1)
    x = a[i]
    out[i, 0] = math.sqrt(abs(x)) + math.floor(x / 3) + math.ceil(x / 3)
    out[i, 1] = math.sin(x) * math.cos(x) - math.tan(x / 10)
    out[i, 2] = math.exp(x / 8) + math.log(x * x + 1.0) + math.log10(x * x + 1.0)
    out[i, 3] = math.atan2(x, 2.0) + math.hypot(x, 3.0) + math.erf(x)
    out[i, 4] = math.pow(abs(x) + 0.5, 1.5) + math.fmod(x, 3.0) + math.copysign(2.0, x)
    out[i, 5] = np.sqrt(abs(x) + 1.0) + np.maximum(x, 2) + math.pi
    out[i, 6] = math.degrees(x) + math.radians(x) + math.isnan(x) + math.tanh(x)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float64"])
def test_functions_of_math_and_numpy(dtype):
    check(functions, inputs(dtype), np.zeros((32, 7)), exact=False)


@cuda.jit
def cast(a, out):
    i = cuda.grid(1)
    out[i, 0] = np.int8(a[i] * 9)
    out[i, 1] = np.uint8(a[i])
    out[i, 2] = np.float32(a[i]) / np.float32(3)
    out[i, 3] = int(a[i] / 3)
    out[i, 4] = bool(a[i])
    out[i, 5] = float(a[i])


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_casts(dtype):
    a = inputs(dtype)
    out = np.zeros((32, 6))
    cast[2, 16](a, out)
    wide = a.astype("float64")
    wrapped = (np.arange(32) - (0 if dtype.startswith("u") else 16)).astype(dtype).astype("int64")
    wanted = [(wrapped * 9).astype("int8"), wrapped.astype("uint8"), a.astype("float32") / np.float32(3)]
    wanted += [np.trunc(wide / 3), wide != 0, wide]
    np.testing.assert_array_equal(out, np.stack([w.astype("float64") for w in wanted], axis=1))


@cuda.jit
def complex_numbers(a, out):
    i = cuda.grid(1)
    z = complex(a[i], 1.0) * 2j + 1
    w = z * z - z / 3.0
    out[i, 0] = w.real
    out[i, 1] = w.imag
    out[i, 2] = abs(w)


@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_complex_numbers(dtype):
    check(complex_numbers, inputs(dtype), np.zeros((32, 3)), exact=False)


@cuda.jit
def attributes(a, out):
    x, y, z = cuda.grid(3)
    out[z, y, x] = a.shape[0] + 10 * a.shape[1] + 100 * a.ndim + 1000 * a.size + 7 * len(a)
    out[z, y, x] += cuda.blockIdx.z * cuda.gridDim.x + cuda.threadIdx.y * cuda.blockDim.y
    out[z, y, x] += cuda.gridsize(3)[2] + cuda.gridsize(1)


def test_three_axes_and_attributes_of_arrays():
    check(attributes, np.zeros((4, 3)), np.zeros((6, 4, 4), np.int64), grid=(2, 2, 3), block=(2, 2, 2))


@cuda.jit
def count(a, counts):
    i = cuda.grid(1)
    cuda.atomic.add(counts, 0, a[i])
    cuda.atomic.sub(counts, 1, 2)
    cuda.atomic.max(counts, 2, a[i])
    cuda.atomic.min(counts, 3, a[i])
    cuda.atomic.and_(counts, 4, i)
    cuda.atomic.or_(counts, 5, i)
    cuda.atomic.xor(counts, 6, i)
    cuda.atomic.cas(counts, 7, 0, i + 1)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32"])
def test_atomic_operations(dtype):
    counts = np.zeros(8, dtype)
    counts[4] = 31
    check(count, np.arange(32).astype(dtype), counts)


SCALE = 3
WEIGHTS = (0.25, 0.5, 0.25)


def test_globals_and_closures_are_constants():
    shift = np.float32(2)

    @cuda.jit
    def kernel(a, out):
        i = cuda.grid(1)
        out[i] = a[i] * SCALE + shift + WEIGHTS[1]

    check(kernel, np.arange(32.0), np.zeros(32))


def test_scalars_and_tuples_as_arguments():
    @cuda.jit
    def kernel(out, n, x, flag, pair, none):
        i = cuda.grid(1)
        if flag and none is None:
            out[i] = n * x + pair[0] - pair[1]

    check(kernel, np.zeros(32), 5, 0.25, True, (3, 0.5), None)
    check(kernel, np.zeros(32), np.int32(5), np.float32(0.25), np.bool_(True), (3, 4), None)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "uint64", "float16", *FLOATS, "complex64", "complex128"])
def test_elements_of_every_type(dtype):
    @cuda.jit
    def copy(a, out):
        i = cuda.grid(1)
        held = cuda.local.array(4, a.dtype)
        held[i % 4] = a[i]
        out[out.size - 1 - i] = held[i % 4]

    a = np.arange(32).astype(dtype)
    out = np.zeros_like(a)
    copy[2, 16](a, out)
    np.testing.assert_array_equal(out, a[::-1])


@pytest.mark.parametrize("dtype", ["int32", "u1", "f8", "complex128", "c16"])
def test_arrays_of_kernels_by_a_dtypes_name(dtype):
    @cuda.jit
    def kernel(out):
        own = cuda.local.array(4, dtype=dtype)
        shared = cuda.shared.array((2, 2), dtype)
        own[1] = 3
        shared[1, 0] = 4
        out[0] = own[1] * shared[1, 0]

    out = np.zeros(1, dtype)
    kernel[1, 1](out)
    assert out[0] == 12


def test_a_name_that_is_no_dtype():
    @cuda.jit
    def kernel(out):
        out[0] = cuda.local.array(4, "int33")[0]

    with pytest.raises(errors.TypingError, match="Invalid NumPy dtype specified: 'int33'"):
        kernel[1, 1](np.zeros(1))
