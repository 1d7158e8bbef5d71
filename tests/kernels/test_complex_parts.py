"""Real and imaginary parts of complex arrays in kernels: read, assigned, and changed by atomics."""

import re

import numpy as np
import pytest
import tessera.numpy as tn
from tessera.errors import TypingError

import tessera
from tessera import cuda

THREADS, BLOCKS = 64, 40
VALUES = np.random.default_rng(3).permutation(THREADS * BLOCKS).astype(np.float64) - 1000
JOINED = {"add": np.add.reduce, "min": np.minimum.reduce, "max": np.maximum.reduce}
JOINED |= {"nanmin": np.fmin.reduce, "nanmax": np.fmax.reduce, "sub": lambda x: -np.add.reduce(x)}


def make(operation, part, space):
    declared = "cuda.shared.array(2, x.dtype)" if space == "shared" else "x"
    text = f"""
def kernel(x, values):
    s = {declared}
    if {space == "shared"} and cuda.threadIdx.x == 0:
        s[1] = {"0" if operation == "add" else "x[1]"}
    cuda.syncthreads()
    cuda.atomic.{operation}(s.{part}, 1, values[cuda.grid(1)])
    cuda.syncthreads()
    if {space == "shared"} and cuda.threadIdx.x == 0:
        cuda.atomic.{operation}(x.{part}, 1, s[1].{part})
"""
    names = {"cuda": cuda}
    exec(text, names)
    return cuda.jit(source=text)(names["kernel"])


@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize("part", ["real", "imag"])
@pytest.mark.parametrize("operation", ["add", "sub", "min", "max", "nanmin", "nanmax"])
def test_atomics(operation, part, space):
    if operation == "sub" and space == "shared":
        pytest.skip("differences of differences")
    kernel = make(operation, part, space)
    for dtype in (np.complex64, np.complex128):
        start = 0 if operation in ("add", "sub") else VALUES[0]
        x = np.full(4, complex(7, 9), dtype)
        setattr(x[1:2], part, start)
        expected = x.copy()
        setattr(expected[1:2], part, JOINED[operation](VALUES))
        held = tn.array(x)
        kernel[BLOCKS, THREADS](held, tn.array(VALUES.astype(x.real.dtype)))
        np.testing.assert_array_equal(np.asarray(held), expected)


def test_exchanges_and_their_results():
    @cuda.jit
    def kernel(x, before):
        t = cuda.threadIdx.x
        before[t, 0] = cuda.atomic.exch(x.imag, (t, 1), t)
        before[t, 1] = cuda.atomic.cas(x.real, (t, 1), 5, t)
        before[t, 2] = cuda.atomic.cas(x.real, (t, 0), 6, t)

    x = tn.array(np.full((8, 2), 5 + 3j))
    before = tn.zeros((8, 3))
    kernel[1, 8](x, before)
    t = np.arange(8)
    np.testing.assert_array_equal(np.asarray(before), [[3, 5, 5]] * 8)
    np.testing.assert_array_equal(np.asarray(x), np.stack([np.full(8, 5 + 3j), t + 1j * t], axis=1))


def test_compiled_code_has_the_parts_address():
    kernel = cuda.jit("void(complex64[:])")(_add_to_both)
    (text,) = kernel.inspect_asm(cc=(9, 0)).values()
    lines = [line for line in text.splitlines() if "add.f32" in line and "global" in line]
    assert len(lines) == 2 and ("+4]" in lines[1] or re.search(r"add\.s64\s+%rd\d+, %rd\d+, 4;", text)), text
    (ir,) = kernel.inspect_ir().values()
    assert "atomic.float32 @0 add imag %" in ir


def _add_to_both(x):
    cuda.atomic.add(x.real, 0, 1)
    cuda.atomic.add(x.imag, 0, 2)


def test_native_code_counts_as_the_interpreter():
    kernel = cuda.jit(_add_to_both)
    x = tn.zeros(1, np.complex128)
    for _ in range(40):
        kernel[256, 128](x)
    assert complex(np.asarray(x)[0]) == 40 * 256 * 128 * (1 + 2j)


def test_parts_are_read_and_assigned():
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        own = cuda.local.array(2, np.complex64)
        own[0] = own[1] = x[i]
        own.real[0] = 3
        own.imag[1] += 4
        out[i, 0], out[i, 1] = x.real[i], x[i:].imag[0]
        out[i, 2], out[i, 3] = own[0].real + own[0].imag, own.imag[1]
        x.imag[i] = i

    x = np.arange(4) - 2j
    held, out = tn.array(x), tn.zeros((4, 4))
    kernel[1, 4](held, out)
    np.testing.assert_array_equal(np.asarray(out), np.stack([x.real, x.imag, [1] * 4, [2] * 4], axis=1))
    np.testing.assert_array_equal(np.asarray(held), np.arange(4) * (1 + 1j))


def test_parts_of_arrays_in_functions():
    @tessera.jit
    def total(z):
        z.imag[0] = 7
        return z.real.sum() + z.imag[:2].max()

    z = np.array([1 + 2j, 3 + 4j, 5])
    assert total(z) == 9 + 7 and z[0] == 1 + 7j


def test_fields_of_records():
    kind = np.dtype([("count", np.int32), ("sum", np.float64), ("z", np.complex64)])

    @cuda.jit
    def kernel(records, shared_too):
        i = cuda.threadIdx.x
        cuda.atomic.add(records["count"], i % 3, 1)
        cuda.atomic.add(records["sum"], i % 3, i)
        cuda.atomic.max(records["z"].imag, i % 3, i)

    records = np.zeros(3, kind)
    kernel[1, 32](records, 0)
    np.testing.assert_array_equal(records["count"], [11, 11, 10])
    np.testing.assert_array_equal(records["sum"], [sum(range(k, 32, 3)) for k in range(3)])
    np.testing.assert_array_equal(records["z"], [30j, 31j, 29j])


def test_whole_complex_numbers_are_refused():
    with pytest.raises(TypingError, match=r"(?s)complex64.*array\.real and array\.imag"):

        @cuda.jit("void(complex64[:])")
        def kernel(x):
            cuda.atomic.add(x, 0, 1)
