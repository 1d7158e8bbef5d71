"""What a kernel became: PTX, LLVM IR, sizes; options of the decorator."""

import inspect
import io
import math
import shutil
import subprocess
import warnings

import numpy as np
import pytest
from tessera.cuda import _assembler

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


@cuda.jit(device=True)
def walk(a, n, x):
    if n <= 0:
        return x, 1
    y, calls = walk(a, n - 1, x * 0.5)
    a[n] += y
    z, more = walk(a, n - 2, y)
    return z + a[n % 4], calls + more + 1


@cuda.jit
def swapping(a, b, n):
    s = cuda.shared.array(64, np.float32)
    t = cuda.shared.array(64, np.float32)
    i = cuda.threadIdx.x
    s[i] = a[i]
    for _ in range(n):
        cuda.syncthreads()
        t[i] = s[63 - i] + b[i]
        s, t = t, s
        a, b = b, a
    own = cuda.local.array(8, np.float64)
    value, calls = walk(own, 7, s[i])
    a[i] = value * calls


@pytest.mark.parametrize("cc", [(7, 0), (9, 0)])
def test_ptx_of_recursion_and_of_chosen_arrays_assembles(cc):
    text, _ = cuda.compile_ptx(swapping, "void(float64[:], float64[:], int64)", cc=cc)
    assert text.count("call.uni") >= 3
    said = assembled(text, 10 * cc[0] + cc[1])
    assert all("tack size" in line for line in said.splitlines() if line), said


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

    for compile, options in ((cuda.compile, {"device": False, "abi": "numba"}), (cuda.compile_ptx, {})):
        text, result = compile(kernel, (types.float64[:],), cc=(8, 0), launch_bounds=64, **options)
        assert ".target sm_80" in text and ".maxntid 64" in text and result == types.void
    with pytest.raises(NotImplementedError, match="ltoir"):
        cuda.compile(kernel, (types.float64[:],), output="ltoir")
    with pytest.raises(NotImplementedError, match="The C ABI is not supported for kernels"):
        cuda.compile(kernel, (types.float64[:],), device=False)
    with pytest.raises(TypeError, match="must have void return type"):
        cuda.compile_ptx(lambda x: x, (types.int32,))


def test_sizes():
    telling.compile("void(float64[:], int64)")
    assert list(telling.get_shared_mem_per_block().values()) == [512]
    assert telling.get_const_mem_size("void(float64[:], int64)") == 40
    assert telling.get_max_threads_per_block("void(float64[:], int64)") == 1024


def heavy(a):
    held = cuda.local.array(4, np.float64)
    i = cuda.grid(1)
    x = y = z = a[i]
    for k in range(4):
        held[k] = x + k
    for k in range(40):
        held[k % 4] = x
        x, y, z = math.sin(y) + held[(k + i) % 4], math.exp(-z) * x, math.cos(x) + y
    a[i] = x + y + z


needs_assembler = pytest.mark.skipif(_assembler.find("ptxas") is None, reason="needs ptxas")


@needs_assembler
def test_registers():
    kernel = cuda.jit("void(float64[:])")(heavy)
    free = kernel.get_regs_per_thread()
    signature = kernel.signatures[0]
    assert kernel.get_regs_per_thread(signature) == free > 16
    few = cuda.jit("void(float64[:])", max_registers=24)(heavy)
    assert few.get_regs_per_thread() <= 24 and ".maxnreg 24" in few.inspect_asm(signature)


def test_local_memory():
    assert cuda.jit("void(float64[:])")(heavy).get_local_mem_per_thread() >= 32


def test_what_needs_programs_that_are_not_here(monkeypatch):
    monkeypatch.setattr(_assembler, "find", lambda program: None)
    telling.compile("void(float64[:], int64)")
    with pytest.raises(NotImplementedError, match="inspect_sass needs nvdisasm.*the wheel nvidia-cuda-nvdisasm"):
        telling.inspect_sass()
    if cuda.get_current_device().compute_capability == (0, 0):
        with pytest.raises(NotImplementedError, match="get_regs_per_thread needs ptxas"):
            telling.get_regs_per_thread()


def test_types_of_variables():
    text = io.StringIO()
    telling.compile("void(float64[:], int64)")
    telling.inspect_types(file=text)
    lines = text.getvalue().splitlines()
    assert lines[:4] == [
        "telling(a: array(float64, 1d), n: int64) -> None",
        "  held: array(float64, 1d)",
        "  i: int64",
        "  k: int64",
    ]
    at = lines.index("  held[i] = a[i] + TABLE[i % 5]")
    assert lines[at + 1].strip() == "a[i] + TABLE[i % 5]: float64"


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


@pytest.mark.parametrize(
    "options",
    [
        {"fastmath": True, "opt": False, "cache": True, "forceinline": True, "inline": "always", "link": []},
        {"max_registers": 32, "shared_memory_carveout": 50},
        {"opt": 2, "shared_memory_carveout": "MaxShared", "launch_bounds": (64, 2, 1)},
    ],
)
def test_options_do_not_change_results(options):
    plain, asked = np.linspace(0, 1, 32), np.linspace(0, 1, 32)
    cuda.jit(heavy)[1, 32](plain)
    cuda.jit(heavy, **options)[1, 32](asked)
    np.testing.assert_array_equal(asked, plain)


def test_options_are_in_the_code():
    kernel = cuda.jit("void(float64[:])", max_registers=40, launch_bounds=(128, 4, 2))(heavy)
    text = kernel.inspect_asm("void(float64[:])", cc=(9, 0))
    for words in (".maxnreg 40", ".maxntid 128", ".minnctapersm 4", ".maxclusterrank 2"):
        assert words in text
    carved = cuda.jit("void(float64[:])", shared_memory_carveout=25, opt=False)(heavy)
    assert " device 0 0 0 0 26 1 flags" in carved.inspect_ir("void(float64[:])")


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"max_registers": 8}, ValueError, "16 to 255"),
        ({"max_registers": "few"}, TypeError, "give a number"),
        ({"shared_memory_carveout": 0.5}, TypeError, "per cents"),
        ({"opt": "fast"}, ValueError, "levels 0 to 4"),
        ({"inline": "sometimes"}, ValueError, "'always' and 'never'"),
        ({"launch_bounds": 2048}, ValueError, "at most 1024"),
    ],
)
def test_values_of_options_are_checked(options, error, words):
    with pytest.raises(error, match=words):
        cuda.jit(heavy, **options)


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


def test_four_loads_of_a_loop_over_the_grid_are_under_way_together():
    @cuda.jit("void(int32[:], int32[:])")
    def counts(x, bins):
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            cuda.atomic.add(bins, x[i], 1)

    ptx = next(iter(counts.inspect_asm(cc=(9, 0)).values()))
    assert ptx.count("ld.global.nc") == 5 and ptx.count("atom.global.add") == 5  # four, and one of the rest
    assert assembled(ptx, 90) == ""


def test_loops_of_known_length_have_no_branch_and_complex_numbers_are_read_at_once():
    @cuda.jit("void(complex64[:], complex64[:])")
    def stages(x, roots):
        s = cuda.shared.array(64, np.complex64)
        t = cuda.threadIdx.x
        s[t] = x[t]
        cuda.syncthreads()
        p = 1
        while p < 32:
            a = s[t] + s[t + 32] * roots[(t & (p - 1)) * (32 // p)]
            cuda.syncthreads()
            s[2 * t] = a
            cuda.syncthreads()
            p *= 2
        x[t] = s[t]

    ptx = next(iter(stages.inspect_asm(cc=(9, 0)).values()))
    assert "bra" not in ptx and ptx.count("bar.sync") == 1 + 2 * 5
    assert "ld.shared.v2.f32" in ptx and "ld.shared.f32" not in ptx
    assert assembled(ptx, 90) == ""


def test_lines_stand_in_ptx_when_asked_for_alone(device):
    def tripled(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = thrice(x[i])

    signature = "void(float64[:], float64[:])"
    with_lines, without = cuda.jit(signature, lineinfo=True)(tripled), cuda.jit(signature)(tripled)
    text, plain = (next(iter(kernel.inspect_asm(cc=(9, 0)).values())) for kernel in (with_lines, without))
    lines = {int(line.split()[2]) for line in text.splitlines() if line.strip().startswith(".loc")}
    first = inspect.getsourcelines(tripled)[1]
    assert {first + 3, inspect.getsourcelines(thrice.py_func)[1] + 2} <= lines
    assert f'"{__file__}"' in text and ".loc" not in plain and "debug" not in text.partition("{")[0]
    assert instructions(text) == instructions(plain)
    assert assembled(text, 90) == ""
    x, one, other = np.arange(10.0), np.zeros(10), np.zeros(10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with_lines[1, 32](x, one)
    without[1, 32](x, other)
    np.testing.assert_array_equal(one, other)


@cuda.jit(device=True)
def thrice(x):
    return x * 3


def instructions(ptx):
    """What the text has besides lines and labels."""
    lines = [line.strip() for line in ptx.splitlines()]
    return [line for line in lines if line.startswith(("ld.", "st.", "mul.", "add.", "fma.", "setp.", "@", "mov."))]
