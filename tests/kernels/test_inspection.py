"""What a kernel became: PTX, LLVM IR, sizes; options of the decorator."""

import io
import shutil
import subprocess

import numpy as np
import pytest

from tessera import cuda, types

TABLE = np.arange(5.0)


@cuda.jit("void(float32[:], float32[:], float32)")
def scale(a, b, x):
    i = cuda.grid(1)
    if i < a.size:
        b[i] = a[i] * x


@cuda.jit(device=True)
def checked(x):
    assert x >= 0, "negative"
    return x


@cuda.jit
def telling(a, n):
    held = cuda.shared.array(64, np.float64)
    i = cuda.grid(1)
    for k in range(n):
        if a[i] > k:
            print("a[i] is", a[i], k, a[i] > 3)
        a[i] += checked(a[i])
        if k > 7:
            raise IndexError("far", k, a[i])
    held[i] = a[i] + TABLE[i % 5]
    cuda.syncthreads()
    a[i] = held[63 - i]


def assembled(ptx, capability):
    """What ptxas says of the text; nothing is good."""
    ptxas = shutil.which("ptxas")
    if not ptxas:
        pytest.skip("no ptxas on the path")
    # PTX for a capability can be assembled for all later ones; an assembler may know only those.
    for machine in [sm for sm in (70, 75, 80, 90) if sm >= capability]:
        command = [ptxas, f"-arch=sm_{machine}", "-O1", "-o", "/dev/null", "-"]
        said = subprocess.run(command, input=ptx, capture_output=True, text=True)
        if "is not defined for option 'gpu-name'" not in said.stderr:
            return said.stderr
    pytest.skip(f"this ptxas knows nothing from sm_{capability} on")


@pytest.mark.parametrize("cc", [(7, 0), (7, 5), (9, 0)])
def test_ptx_assembles(cc):
    capability = 10 * cc[0] + cc[1]
    text = scale.inspect_asm("void(float32[:], float32[:], float32)", cc)
    assert f".target sm_{capability}" in text and "mul.f32" in text.replace(".rn", "")
    assert assembled(text, capability) == ""


@pytest.mark.parametrize("cc", [(7, 0), (7, 5), (9, 0)])
def test_ptx_of_kernels_that_fail_and_print_assembles(cc):
    text, result = cuda.compile_ptx(telling, "void(float64[:], int64)", cc=cc)
    assert result is types.void
    assert "atom" in text
    assert assembled(text, 10 * cc[0] + cc[1]) == ""


def test_texts_of_all_versions():
    signature = (types.float32[:], types.float32[:], types.float32)
    assert scale.signatures == list(scale.overloads) == [signature]
    assert list(scale.inspect_asm()) == list(scale.inspect_llvm()) == [signature]
    assert list(cuda.jit(scale.py_func).inspect_asm()) == []
    assert "define" in scale.inspect_llvm(signature)
    assert scale.inspect_ir(signature) == scale.overloads[signature].text
    with pytest.raises(KeyError, match="has not been compiled"):
        scale.inspect_asm("void(float64[:])")


def test_functions_are_compiled_without_a_launch():
    def kernel(a):
        a[0] = 1

    for compile in (cuda.compile, cuda.compile_ptx):
        text, _ = compile(kernel, (types.float64[:],), cc=(8, 0))
        assert ".target sm_80" in text
    with pytest.raises(NotImplementedError, match="inlined"):
        cuda.compile(kernel, (types.float64[:],), device=True)
    with pytest.raises(NotImplementedError, match="ltoir"):
        cuda.compile(kernel, (types.float64[:],), output="ltoir")


def test_sizes():
    telling.compile("void(float64[:], int64)")
    assert list(telling.get_shared_mem_per_block().values()) == [512]
    assert telling.get_const_mem_size("void(float64[:], int64)") == 40
    assert telling.get_max_threads_per_block("void(float64[:], int64)") == 1024


@pytest.mark.parametrize("name", ["inspect_sass", "get_regs_per_thread", "get_local_mem_per_thread"])
def test_what_cannot_be_inspected(name):
    with pytest.raises(NotImplementedError, match=name):
        getattr(scale, name)()


def test_types_of_variables():
    text = io.StringIO()
    telling.compile("void(float64[:], int64)")
    telling.inspect_types(file=text)
    lines = text.getvalue().splitlines()
    assert lines[0].startswith(f"{__file__}:")
    assert "    held[i] = a[i] + TABLE[i % 5]" in lines
    assert lines[lines.index("telling: void(float64[:], int64)") + 1 :] == [
        "  a: array(float64, 1d)",
        "  held: array(float64, 1d)",
        "  i: int64",
        "  k: int64",
        "  n: int64",
    ]


def test_specialize():
    @cuda.jit
    def kernel(a, x):
        a[0] = x

    a = np.zeros(1)
    special = kernel.specialize(a, 3)
    assert special.specialized and not kernel.specialized
    assert special.signatures == [(types.float64[:], types.int64)] and kernel.signatures == []
    special[1, 1](a, 3)
    assert a[0] == 3


def test_configure():
    a, b = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    scale.configure(1, 4)(a, b, np.float32(2))
    np.testing.assert_array_equal(b, [0, 2, 4, 6])


def test_options_that_change_nothing():
    @cuda.jit(
        fastmath=True, opt=False, lineinfo=True, inline=True, forceinline=True, cache=True, max_registers=32, link=[]
    )
    def kernel(a):
        a[0] = 1

    a = np.zeros(1)
    kernel[1, 1](a)
    assert a[0] == 1


@pytest.mark.parametrize("bounds", [64, (64,), (64, 2)])
def test_launch_bounds(bounds):
    @cuda.jit(launch_bounds=bounds)
    def kernel(a):
        a[0] = cuda.blockDim.x

    a = np.zeros(1)
    kernel[1, 64](a)
    assert a[0] == 64
    with pytest.raises(ValueError, match="blocks of 72 threads; its launch_bounds are"):
        kernel[1, (9, 8)](a)
