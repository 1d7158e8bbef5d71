"""bfloat16 numbers in kernels, against ml_dtypes and exact arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest

from tessera import cuda, types

ml_dtypes = pytest.importorskip("ml_dtypes")
BF16 = ml_dtypes.bfloat16
bf16 = cuda.bf16
bfloat16 = bf16.bfloat16

VALUES = np.array([0, -0.0, 1, -1.5, 3.14, 1e-40, 65000, -3e38, np.inf, -np.inf, np.nan, 0.1, -7, 255], BF16)
NEAREST = {
    "hadd": np.add, "hadd_rn": np.add, "hsub": np.subtract, "hmul": np.multiply, "hdiv": np.divide,
    "hmax_nan": np.maximum, "hmin_nan": np.minimum, "hmax": np.fmax, "hmin": np.fmin,
}  # fmt: skip


def same(a, b):
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return np.array_equal(a, b, equal_nan=True)


@pytest.mark.parametrize("name", NEAREST)
def test_functions_of_two_round_once(name):
    function = getattr(bf16, name)

    @cuda.jit
    def kernel(x, y, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = function(x[i], y[i])

    x, y = (a.ravel() for a in np.meshgrid(VALUES, VALUES))
    out = np.zeros(x.size, BF16)
    kernel.forall(x.size)(x, y, out)
    with np.errstate(all="ignore"):
        expected = NEAREST[name](x.astype(np.float32), y.astype(np.float32)).astype(BF16)
    assert same(out, expected)


def test_the_type_is_a_cast_a_dtype_and_a_signature():
    @cuda.jit(types.void(bfloat16[:], types.float32[:]))
    def kernel(x, out):
        held = cuda.shared.array(4, bfloat16)
        t = cuda.threadIdx.x
        held[t] = x[t] * bfloat16(2)
        cuda.syncthreads()
        out[t] = held[3 - t] + math.exp(bfloat16(0.5))

    out = np.zeros(4, np.float32)
    kernel[1, 4](np.array([1, 2, 3, 4], BF16), out)
    assert same(out, (np.array([8, 6, 4, 2], BF16) + np.exp(BF16(0.5))).astype(np.float32))
    assert cuda.is_bfloat16_supported() and ".b16" in kernel.inspect_asm(kernel.signatures[0])


def test_saturated_and_special_functions():
    @cuda.jit
    def kernel(x, y, out, said):
        out[0] = bf16.hadd_sat(x, y)
        out[1] = bf16.hsub_sat(y, x)
        out[2] = bf16.hfma_sat(x, y, x)
        out[3] = bf16.hfma_relu(x, bfloat16(-2), y)
        out[4] = bf16.hrsqrt(bfloat16(4))
        out[5] = bf16.htanh(y)
        said[0] = bf16.hisnan(bfloat16(math.nan))
        said[1] = bf16.hisinf(bfloat16(-math.inf)) != 0
        said[2] = bf16.hge(x, y) and not bf16.hlt(x, y)

    out, said = np.zeros(6, np.float32), np.zeros(3, np.bool_)
    kernel[1, 1](BF16(1.5), BF16(0.75), out, said)
    assert same(out, [1, 0, 1, 0, 0.5, np.tanh(BF16(0.75))]) and said.all()


def exact(number):
    """Infinities lie beyond all numbers."""
    value = float(number)
    return Fraction(value) if math.isfinite(value) else Fraction(2) ** 200 * (1 if value > 0 else -1)


def directed(value, mode):
    """The bfloat16 next to a number in one direction, by exact comparison."""
    nearest = BF16(np.float32(value))
    down, up = mode == "rd" or (mode == "rz" and value > 0), mode == "ru" or (mode == "rz" and value < 0)
    if down and exact(nearest) > Fraction(value):
        nearest = np.nextafter(nearest, BF16(-np.inf))
    if up and exact(nearest) < Fraction(value):
        nearest = np.nextafter(nearest, BF16(np.inf))
    return nearest


SAMPLES = {
    "int16": [0, 1, -1, 257, -257, 32767, -32768, 12345],
    "uint32": [0, 1, 2**32 - 1, 2**31 + 1, 1000003],
    "int64": [0, 2**60 + 1, 2**60 - 1, -(2**60) - 1, 2**63 - 1, -(2**63), 123456789012345],
    "uint64": [2**64 - 1, 2**63 + 1, 3],
    "float32": [0.1, -0.1, 3.3e38, -3.39e38, 1e-41, -1e-45, 1.0, 65535.5],
}


@pytest.mark.parametrize("mode", ["rz", "rd", "ru"])
@pytest.mark.parametrize("name", SAMPLES)
def test_directed_rounding(name, mode):
    function = getattr(bf16, f"{name}_to_bfloat16_{mode}")

    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = function(x[i])

    x = np.array(SAMPLES[name], name)
    out = np.zeros(x.size, BF16)
    kernel.forall(x.size)(x, out)
    expected = [directed(float(v) if name == "float32" else int(v), mode) for v in x]
    assert same(out, expected), (out, expected)


@pytest.mark.parametrize(("mode", "rounded"), [("rn", np.rint), ("rz", np.trunc), ("rd", np.floor), ("ru", np.ceil)])
def test_to_integers_and_bits(mode, rounded):
    to_int, to_long = getattr(bf16, f"bfloat16_to_int32_{mode}"), getattr(bf16, f"bfloat16_to_uint64_{mode}")

    @cuda.jit
    def kernel(x, a, b, bits):
        i = cuda.grid(1)
        if i < x.size:
            a[i] = to_int(x[i])
            b[i] = to_long(abs(x[i]))
            bits[i] = bf16.bfloat16_as_uint16(bf16.int16_as_bfloat16(bf16.bfloat16_as_int16(x[i])))

    x = np.array([0.5, 1.5, -2.5, 100.5, -0.75, 3e9], BF16)
    a, b, bits = np.zeros(6, np.int32), np.zeros(6, np.uint64), np.zeros(6, np.uint16)
    kernel.forall(6)(x, a, b, bits)
    wide = x.astype(np.float64)
    np.testing.assert_array_equal(a[:5], rounded(wide[:5]).astype(np.int32))
    np.testing.assert_array_equal(b, rounded(np.abs(wide)).astype(np.uint64))
    np.testing.assert_array_equal(bits, x.view(np.uint16))
