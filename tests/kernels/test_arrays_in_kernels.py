"""Indices from the end, slices, views, loops over arrays and arrays outside the kernel, against the same function in Python."""

import numpy as np
import pytest
from test_constructs import FLOATS, INTEGERS, SIGNED, check, inputs

from tessera import cuda, types

WIDE = ["int32", "int64", *FLOATS]


@cuda.jit
def negative(a, offsets, out):
    i = cuda.grid(1)
    out[i, 0] = a[i - 16]
    out[i, 1] = a[offsets[i]]
    out[i, 2] = a[-i - 1]
    k = i
    while k > -5:
        k -= 3
    out[i, 3] = a[k]
    for k in range(3, -4, -1):
        out[i, 4] += a[k]
    held = cuda.local.array((2, 3), np.int64)
    held[-1, -2 + i % 2] = i
    out[i, 5] = held[1, 1 + i % 2]
    j = -1
    for _ in range(i % 3):
        j -= 1
    out[i, 6] = a[j]


@pytest.mark.parametrize("dtype", SIGNED)
def test_negative_indices_count_from_the_end(dtype):
    offsets = (np.arange(32) - 16).astype(dtype)
    check(negative, np.arange(32), offsets, np.zeros((32, 7), np.int64))


@cuda.jit
def unsigned(a, offsets, out):
    i = cuda.grid(1)
    out[i] = a[offsets[i]]


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64"])
def test_unsigned_indices(dtype):
    check(unsigned, np.arange(32), np.arange(32)[::-1].astype(dtype), np.zeros(32, np.int64))


def selects(kernel, *kinds):
    """How many choices between values the kernel makes."""
    return kernel.compile(kinds).text.count("select")


def test_indices_that_are_never_negative_cost_nothing():
    @cuda.jit
    def kernel(a, n, out):
        i = cuda.grid(1)
        stride = cuda.blockDim.x // 2
        total = 0
        last = 0
        while stride > 0:
            if i < stride:
                out[i] = a[i + stride]
            stride //= 2
        for k in range(i, a.size, cuda.gridsize(1)):
            total += a[k]
            last = k
        if i < 1 or i >= a.size - 1:
            return
        out[last] = total
        out[i] = a[i - 1] + a[i + 1] + a[(i * 7) % a.size] + a[i & 15] + a[n % 5] + a[i // 2]
        for k in range(5, -1, -1):
            out[k] = a[k]
        count = 0
        for k in range(3):
            if a[k] > 2:
                count += 1
        out[count] = 1
        if n > 0 and a[0] > 0:
            out[n - 1] = 1

    array = types.int64[:]
    assert selects(kernel, array, types.int64, array) == 0
    kernel[1, 32](np.arange(32), 3, np.zeros(32, np.int64))


@cuda.jit
def views(a, out):
    i = cuda.grid(1)
    row = a[i % a.shape[0]]
    column = a[:, i % a.shape[1]]
    out[i, 0] = row[1] + row[-1] + column[2]
    inner = a[1:-1, ::2]
    out[i, 1] = inner[0, 0] * 10 + inner[-1, -1]
    out[i, 2] = inner.shape[0] * 100 + inner.shape[1] + len(row) + inner.size + row.ndim
    back = row[::-1]
    out[i, 3] = back[0] * 10 + back[1]
    deep = inner[0][1:]
    out[i, 4] = deep[0] + a[..., 0][1] + a[1, ...][2]
    some = row[i % 5 : i % 9 : 1 + i % 3]
    out[i, 5] = some[0] if len(some) else -7
    down = row[i % 5 - 2 : i % 7 - 4 : -1 - i % 2]
    out[i, 6] = down[-1] + 1000 * len(down) if down.size else -9
    wide = a[i % 3][None, :, None]
    out[i, 7] = wide[0, 2, 0] + wide.ndim
    out[i, 8] = a.T[3, 1] + a.T.shape[0]
    window = a[1:3, 1:3]
    window = window[:, 1:]
    out[i, 9] = window[1, 0]


@pytest.mark.parametrize("dtype", WIDE)
def test_slices_and_views(dtype):
    check(views, inputs(dtype, 40).reshape(5, 8), np.zeros((32, 10)))


@cuda.jit(device=True)
def total(values, scale=1):
    result = 0.0
    for value in values:
        result += value * scale
    return result


@cuda.jit(device=True)
def halves(values):
    middle = values.size // 2
    return values[:middle], values[middle:]


@cuda.jit
def views_in_functions(a, out):
    i = cuda.grid(1)
    out[i, 0] = total(a[i])
    out[i, 1] = total(a[:, i % 4], 2)
    first, second = halves(a[i])
    out[i, 2] = total(first, scale=3) - total(second)
    held = cuda.local.array((2, 4), np.float64)
    held[:] = 1.5
    held[1] = a[i]
    held[1, 1:3] *= 2
    held[0] += held[1]
    out[i, 3] = total(held[0]) + total(held[1, ::-1][:2])
    for k in range(1, 3):
        part = a[i, k:]
        if k == 2:
            part = a[i, :k]
        out[i, 4] += part[0] * len(part)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_views_are_passed_to_and_returned_by_functions(dtype):
    a = inputs(dtype, 128).reshape(32, 4)
    out = np.zeros((32, 5))
    views_in_functions[2, 16](a, out)
    wanted = np.zeros((32, 5))
    for i, row in enumerate(a.astype(float)):
        wanted[i, 0] = row.sum()
        wanted[i, 1] = a[:, i % 4].astype(float).sum() * 2
        wanted[i, 2] = row[:2].sum() * 3 - row[2:].sum()
        one = row * [1, 2, 2, 1]
        wanted[i, 3] = (one + 1.5).sum() + one[::-1][:2].sum()
        wanted[i, 4] = row[1] * 3 + row[0] * 2
    np.testing.assert_array_equal(out, wanted)


@cuda.jit
def assigned_slices(a, out):
    i = cuda.grid(1)
    out[i] = a[i, 0]
    out[i, 1:3] = a[i, 2:4]
    out[i, 5:2:-1] = a[i, :3]
    out[i, ::4] = 7
    out[i, 6:8] = a[i, 0:1]
    out[i, 8:] -= a[i]


@pytest.mark.parametrize("dtype", [*SIGNED, *FLOATS])
def test_slices_are_assigned(dtype):
    check(assigned_slices, inputs(dtype, 128).reshape(32, 4), np.zeros((32, 12)))


@cuda.jit
def iteration(a, out):
    i = cuda.grid(1)
    result = 0
    for value in a[i]:
        if value == 3:
            continue
        result += value
        if result > 20:
            break
    else:
        result -= 1000
    out[i, 0] = result
    result = 0
    for row in a:
        result += row[i % 4]
    out[i, 1] = result
    for k, value in enumerate(a[i]):
        result += k * value
    for k, value in enumerate(a[i, 1:], 5):
        result -= k * value
    out[i, 2] = result
    for x, y in zip(a[i], a[i, ::-1]):
        result += x * y
    for k, (x, y) in enumerate(zip(range(i, 2, -2), a[0])):
        result += x * y - k
    for k in reversed(range(1, i, 3)):
        result = result * 3 % 1001 + k
    for value in reversed(a[i]):
        result = result * 5 % 1001 + value
    out[i, 3] = result


@pytest.mark.parametrize("dtype", WIDE)
def test_loops_over_arrays(dtype):
    check(iteration, inputs(dtype, 128).reshape(32, 4), np.zeros((32, 4)))


@cuda.jit
def joined(a, out):
    i = cuda.grid(1)
    out[i, 0] = sum(a[i])
    out[i, 1] = sum((i, 2.5, a[0, 0]), 10)
    out[i, 2] = any(a[i]) + 2 * all(a[i])
    out[i, 3] = any((i > 3, i == 1)) + 2 * all((i > 3, i < 9))


@pytest.mark.parametrize("dtype", WIDE)
def test_elements_are_joined(dtype):
    check(joined, inputs(dtype, 128).reshape(32, 4), np.zeros((32, 4)))


TABLE = np.arange(12).reshape(3, 4) ** 2
PRIMES = np.array([2, 3, 5, 7], np.float32)


@cuda.jit
def constants(out):
    i = cuda.grid(1)
    table = cuda.const.array_like(TABLE)
    out[i, 0] = table[i % 3, i % 4] + table[1, 2]
    out[i, 1] = PRIMES[i % 4] * PRIMES[-1] + len(PRIMES)
    row = TABLE[i % 3]
    result = 0
    for value in row[1:]:
        result += value
    out[i, 2] = result + TABLE.shape[1]


def test_arrays_outside_the_kernel_are_constants():
    out = np.zeros((32, 3))
    constants[2, 16](out)
    i = np.arange(32)
    wanted = [TABLE[i % 3, i % 4] + TABLE[1, 2], PRIMES[i % 4] * 7 + 4, TABLE[i % 3, 1:].sum(axis=1) + 4]
    np.testing.assert_array_equal(out, np.stack(wanted, axis=1))


@pytest.mark.parametrize("dtype", [*INTEGERS, "uint64", *FLOATS, "complex64", "bool"])
def test_constants_of_a_closure(dtype):
    table = np.arange(32).astype(dtype)[::-1]

    @cuda.jit
    def kernel(a, out):
        i = cuda.grid(1)
        out[i] = table[i] + a[i]

    a = np.ones(32, dtype)
    out = np.zeros(32, dtype)
    kernel[2, 16](a, out)
    np.testing.assert_array_equal(out, (table + a).astype(dtype))
    table[:] = 2  # seen by the next launch
    kernel[2, 16](a, out)
    np.testing.assert_array_equal(out, (table + a).astype(dtype))


@cuda.jit
def unpacked(a, out):
    place = cuda.grid(2)
    x, y = place
    rows, columns = a.shape
    if y < rows and x < columns:
        out[y, x] = a[place[::-1]] * columns + place[0] + (rows, columns)[x % 2]


def test_shapes_and_places_are_tuples():
    check(unpacked, inputs("int32").reshape(4, 8), np.zeros((4, 8), np.int64), grid=(1, 2), block=(8, 2))
