"""Functions in CUDA C++ that kernels call: what is checked, compiled and linked where there is no GPU."""

import io
import re
import struct

import numpy as np
import pytest
import tessera.numpy as tn
from tessera.errors import CudaLinkError, CudaSourceError, CudaSupportError, TypingError, UnsupportedError

import tessera
from tessera import _core, cuda, types

TIMES2 = cuda.CUSource(
    'extern "C" __device__ int times2(int* out, int a) { *out = a * 2; return 0; }', name="times2.cu"
)
TIMES4 = cuda.CUSource(
    """
extern "C" __device__ int times2(int* out, int a);
extern "C" __device__ int times4(int* out, int a) { times2(out, a); *out *= 2; return 0; }
"""
)
NARROW = cuda.CUSource('extern "C" __device__ short narrow(short a, unsigned char b, bool c) { return c ? a : b; }')
SUM = cuda.CUSource(
    'extern "C" __device__ int total(double* out, const double* a, int n) { *out = n ? a[0] : 0; return 0; }'
)
ffi = cuda.ffi


@pytest.fixture
def nvrtc(device):
    """Compilers and no GPU."""
    if _core.devices() or device == "simulated":
        pytest.skip("kernels run on a device")
    try:
        _core.sources.compiler_facts()
    except CudaSupportError as error:
        pytest.skip(f"NVRTC is not found: {error}")


def machine_code(kernel, capability=90):
    (compiled,) = kernel.overloads.values()
    try:
        return compiled.machine_code(capability, 128)
    except CudaSupportError as error:
        pytest.skip(f"nvJitLink is not found: {error}")


def make_kernel(function, **options):
    @cuda.jit("void(int32[:])", **options)
    def kernel(r):
        r[0] = function(r[0])

    return kernel


def test_what_is_declared():
    for sig in ("int32(float32[:])", types.int32(types.float32[:])):
        declared = cuda.declare_device("f1", sig)
        assert declared.name == "f1" and declared.sig.args == (types.float32[:],)
        assert declared.sig.return_type == types.int32
    for sig in ("(float32[:],)", (types.float32[:],)):
        with pytest.raises(TypeError, match="Return type"):
            cuda.declare_device("f1", sig)
    with pytest.raises(NotImplementedError, match="Unsupported ABI: fortran"):
        cuda.declare_device("f1", "int32()", abi="fortran")
    with pytest.raises(RuntimeError, match="f1 is code for a GPU"):
        cuda.declare_device("f1", "int32()")()
    for sig, text in (
        ("int32(float16)", "argument 0 is dtype\\('float16'\\)|argument 0 is float16"),
        ("float16()", "its result is float16"),
        ("int32(CPointer(float32[:]))", "pointers are to numbers"),
        ("float32[:]()", "its result is"),
    ):
        with pytest.raises(TypeError, match=text):
            cuda.declare_device("f1", sig)
    with pytest.raises(TypeError, match="not returned with abi"):
        cuda.declare_device("f1", "complex64()", abi="c")
    with pytest.raises(TypeError, match="argument 0 is .*ffi.from_buffer"):
        make_kernel(cuda.declare_device("f1", "int32(float32[:])"))
    assert types.voidptr == types.CPointer(types.void)


def test_a_call_is_declared_and_made_in_ptx():
    kernel = make_kernel(cuda.declare_device("times2", "int32(int32)"))
    (text,) = kernel.inspect_asm(cc=(9, 0)).values()
    assert ".extern .func  (.param .b32 func_retval0) times2" in text and "call.uni (retval0)" in text
    (ir,) = kernel.inspect_ir().values()
    assert "foreign times2 numba -> int32 (int32)" in ir and "call_foreign.int32 @0" in ir


def test_code_is_linked(nvrtc):
    times2 = cuda.declare_device("times2", "int32(int32)", link=TIMES2)
    times4 = cuda.declare_device("times4", "int32(int32)", link={TIMES2, TIMES4})

    @cuda.jit(device=True)
    def both(x):
        return times4(x) + times2(x)

    code = machine_code(make_kernel(both))
    assert code.startswith(b"\x7fELF") and b"tessera_kernel" in code
    assert machine_code(make_kernel(both), 100) != code
    # What the options name is linked as well, each text once.
    plain = cuda.declare_device("times2", "int32(int32)")
    assert machine_code(make_kernel(plain, link=[TIMES2, TIMES2])).startswith(b"\x7fELF")
    with pytest.raises(CudaLinkError, match="(?s)linking kernel kernel with no other code failed: .*times2") as caught:
        machine_code(make_kernel(plain))
    assert isinstance(caught.value, RuntimeError)
    wrong = cuda.PTXSource(".version 8.0\n.target sm_70\nnonsense", name="wrong.ptx")
    with pytest.raises(CudaLinkError, match="(?s)linking kernel kernel with times2.cu, wrong.ptx failed: .*wrong.ptx"):
        machine_code(make_kernel(plain, link=[TIMES2, wrong]))


def test_numbers_are_passed_as_c_passes_them(nvrtc):
    narrow = cuda.declare_device("narrow", "int16(int16, uint8, boolean)", link=NARROW, abi="c")

    @cuda.jit("void(int32[:])")
    def kernel(r):
        r[0] = narrow(r[0], r[1], r[2] > 0)

    (text,) = kernel.inspect_asm(cc=(9, 0)).values()
    made = _core.sources.compile("narrow.cu", NARROW.data, [], ["--relocatable-device-code=true"], [], "ptx", 90, "")[
        0
    ].decode()

    def parameters(ptx):
        declaration = ptx[ptx.index(".func") :].partition(")\n;" if ".extern" in ptx else "{")[0]
        return [word for word in declaration.replace("(", " ").split() if word in (".b8", ".b16", ".b32", ".b64")]

    assert parameters(text)[:4] == parameters(made)[:4] == [".b32"] * 4
    assert machine_code(kernel).startswith(b"\x7fELF")


def test_addresses_of_arrays(nvrtc):
    total = cuda.declare_device("total", "float64(CPointer(float64), int32)", link=SUM)

    @cuda.jit("void(float64[:, :], float64[:])")
    def kernel(a, r):
        i = cuda.grid(1)
        own = cuda.local.array(4, np.float64)
        held = cuda.shared.array(4, np.float64)
        own[i % 4] = held[i % 4] = i
        r[0] = total(ffi.from_buffer(a), a.size) + total(ffi.from_buffer(a[i]), a.shape[1])
        r[1] = total(ffi.from_buffer(own), 4) + total(ffi.from_buffer(held), 4)
        chosen = own if i > 3 else held
        r[2] = total(ffi.from_buffer(chosen), 4) + total(ffi.from_buffer(r[1:]), 1)

    assert machine_code(kernel).startswith(b"\x7fELF")
    (compiled,) = kernel.overloads.values()
    assert compiled.reads == [True, True] and compiled.writes == [True, True]


def test_addresses_of_parts_of_arrays(nvrtc):
    total = cuda.declare_device("total", "float64(CPointer(float64), int32)", link=SUM)

    @cuda.jit("void(float64[:, :, :], float64[:])")
    def kernel(a, r):
        i = cuda.grid(1)
        table = cuda.shared.array((4, 8), np.float64)
        r[0] = total(ffi.from_buffer(a[1:3]), 1) + total(ffi.from_buffer(a[i]), 1) + total(ffi.from_buffer(a[i, 1:]), 1)
        r[1] = total(ffi.from_buffer(a[i, 2, 1:4]), 1) + total(ffi.from_buffer(a[i, 0].reshape(2, -1)), 1)
        r[2] = total(ffi.from_buffer(table[1:3]), 1) + total(ffi.from_buffer(r.reshape(-1, 2, 3)), 1)
        r[3] = total(ffi.from_buffer(r[i:].reshape(-1, 2)[1:]), 1)

    assert machine_code(kernel).startswith(b"\x7fELF")


def test_complex_numbers_and_untyped_addresses(nvrtc):
    source = cuda.CUSource(
        """
#include <cuda/std/complex>
extern "C" __device__ int turned(float2* out, float2 z, cuda::std::complex<double> w, const void* p) {
  *out = make_float2(-z.y + w.real(), z.x + w.imag()); return 0;
}"""
    )
    turned = cuda.declare_device("turned", "complex64(complex64, complex128, voidptr)", link=source)

    @cuda.jit("void(complex64[:], float32[:, :])")
    def kernel(z, p):
        z[0] = turned(z[0], z[1], ffi.from_buffer(p))

    (text,) = kernel.inspect_asm(cc=(9, 0)).values()
    made = source._part(False)[2].decode()

    parameters = re.findall(r"\.param [^,)]*turned_param_\d[^,\n]*", text)
    assert len(parameters) == 4
    assert parameters == re.findall(r"\.param [^,)]*turned_param_\d[^,\n]*", made)
    assert machine_code(kernel).startswith(b"\x7fELF")


def registers_of(code):
    """The most of a function in linked machine code, as its attributes for the driver say."""
    return max(struct.unpack_from("<II", code, found.end())[1] for found in re.finditer(rb"\x04\x2f\x08\x00", code))


def test_options_reach_what_is_linked(nvrtc):
    busy = cuda.CUSource(
        """
extern "C" __device__ __noinline__ int busy(float* out, const float* p) {
  float v[96];
  for (int k = 0; k < 96; ++k) v[k] = p[k];
  __syncthreads();
  float s = 0;
  for (int k = 0; k < 96; ++k) s += v[k] * v[95 - k] / (v[k] + 1);
  *out = s; return 0;
}""",
        name="busy.cu",
    )
    declared = cuda.declare_device("busy", "float32(CPointer(float32))", link=busy)

    def make(**options):
        @cuda.jit("void(float32[:])", **options)
        def kernel(r):
            r[0] = declared(ffi.from_buffer(r))

        return machine_code(kernel)

    plain = registers_of(make())
    assert plain > 64
    assert registers_of(make(max_registers=40)) <= 40
    assert registers_of(make(launch_bounds=(512, 2))) <= 64
    assert registers_of(make(lto=True, max_registers=40)) <= 40
    assert b"busy.cu" not in make() and b"busy.cu" in make(lineinfo=True)
    assert b".debug_info" in make(debug=True, opt=False)


def test_all_code_of_a_kernel(nvrtc):
    archive = cuda.Archive(b"!<arch>\n")
    times2 = cuda.declare_device("times2", "int32(int32)", link=[TIMES2, archive])

    def kernel(r):
        r[0] = times2(r[0]) + times2(1)

    codes, result = cuda.compile_all(kernel, (types.int32[:],), device=False, abi="numba", cc=(8, 0))
    assert result == types.void and "times2" in codes[0] and codes[2:] == [archive]
    assert ".visible .func" in codes[1] and ".target sm_80" in codes[1]
    codes, result = cuda.compile_all(lambda x: x + 1, types.int32(types.int32), abi_info={"abi_name": "f"})
    assert len(codes) == 1 and result == types.int32


@pytest.mark.parametrize("lto", ["yes", 1, 2.5])
def test_values_of_lto(lto):
    with pytest.raises(TypeError, match="lto is"):
        cuda.jit("void(int32[:])", lto=lto)


def test_cffi_itself():
    cffi = pytest.importorskip("cffi")
    total, library = cuda.declare_device("total", "float64(CPointer(float64), int32)"), cffi.FFI()

    @cuda.jit("void(float64[:])")
    def kernel(a):
        a[0] = total(library.from_buffer(a), a.size)

    (ir,) = kernel.inspect_ir().values()
    assert "address.int64" in ir


def test_what_is_wrong_is_said():
    total = cuda.declare_device("total", "float64(CPointer(float64), int32)")
    other = cuda.declare_device("total", "float64(int32)")
    constants = np.ones(3)

    def refused(function, error, text):
        with pytest.raises(error) as caught:
            cuda.jit("void(float64[:, :], float32[:])", source=None)(function)
        assert text in str(caught.value), str(caught.value)

    def array(a, b):
        total(a, 1)

    def another_type(a, b):
        total(ffi.from_buffer(b), 1)

    def too_few(a, b):
        total(ffi.from_buffer(a))

    def complex_number(a, b):
        total(ffi.from_buffer(a), 1j)

    def column(a, b):
        total(ffi.from_buffer(a[:, 0]), 1)

    def steps(a, b):
        total(ffi.from_buffer(a[0, ::2]), 1)

    def transposed(a, b):
        total(ffi.from_buffer(a.T), 1)

    def part_of_rows(a, b):
        total(ffi.from_buffer(a[:, 1:]), 1)

    def wide_steps(a, b):
        total(ffi.from_buffer(a[0, ::2].reshape(2, -1)), 1)

    def outside(a, b):
        total(ffi.from_buffer(constants), 1)

    def two_signatures(a, b):
        total(ffi.from_buffer(a), 1)
        other(1)

    refused(array, TypingError, "argument 0 is array(float64, 2d), not the address of float64")
    refused(array, TypingError, "ffi.from_buffer(array)")
    refused(another_type, TypingError, "argument 0 is address of float32, not the address of float64")
    refused(too_few, TypingError, "total lacks argument 1")
    refused(complex_number, TypingError, "argument 1 is complex128, not int32")
    refused(column, TypingError, "elements may lie apart: it is indexed along an axis behind one that is left")
    refused(steps, TypingError, "elements may lie apart: it has a step")
    refused(transposed, TypingError, "elements may lie apart: it is transposed")
    refused(part_of_rows, TypingError, "elements may lie apart: it has a part of each row")
    refused(wide_steps, TypingError, "elements may lie apart: it has a step")
    refused(outside, TypingError, "an array outside the kernel")
    refused(two_signatures, TypingError, "two signatures")

    @tessera.jit
    def on_the_host(x):
        return other(x)

    with pytest.raises(UnsupportedError, match="which only kernels call"):
        on_the_host(1)


@pytest.mark.parametrize("name", ["my func", "a::b", "f;", "", 5, "1f", "shared", "dynamic", "tessera_kernel"])
def test_names_that_cannot_be_linked(name):
    with pytest.raises(ValueError, match="declare_device: "):
        cuda.declare_device(name, "int32(int32)")


def test_calls_beside_divisions_in_fewer_bits():
    times2 = cuda.declare_device("times2", "int32(int32)")
    read = cuda.declare_device("read", "int32(CPointer(int32))")

    @cuda.jit("void(int32[:])")
    def kernel(r):
        first, second = cuda.local.array(4, np.int32), cuda.local.array(8, np.int32)
        second[r[1] // 4 % 8] = 1
        first[r[2] % 4] = 2
        r[0] = times2(r[1] // 4) + read(ffi.from_buffer(first)) + second[0]

    text = next(iter(kernel.inspect_asm(cc=(9, 0)).values()))
    assert "times2" in text and "read" in text


def test_a_header_that_changes_is_seen(nvrtc, tmp_path, monkeypatch):
    monkeypatch.setattr(cuda.config, "CUDA_NVRTC_EXTRA_SEARCH_PATHS", str(tmp_path))
    source = cuda.CUSource(
        b'#include "by.h"\nextern "C" __device__ int times(int* out, int a) { *out = a * BY; return 0; }'
    )
    made = []
    for by in (3, 5):
        (tmp_path / "by.h").write_text(f"#define BY {by}\n")
        made.append(source._part(False)[2])
    assert made[0] != made[1]


@pytest.mark.parametrize("data", [5, None])
def test_what_is_no_code(data):
    with pytest.raises(TypeError, match="text, bytes or an io object"):
        cuda.Cubin(data)


def test_device_functions_link_nothing():
    with pytest.raises(ValueError, match="link= belongs"):
        cuda.jit(lambda x: x, device=True, link=["nowhere.cu"])


def test_a_launch_without_a_gpu_says_so():
    kernel = make_kernel(cuda.declare_device("times2", "int32(int32)"))
    if _core.devices():
        pytest.skip("there is a GPU")
    r = tn.ones(1, dtype=np.int32)
    with pytest.raises(CudaSupportError, match="launch of kernel: times2 is code for a GPU alone"):
        kernel[1, 1](r)
    assert int(r[0]) == 1


def test_an_array_whose_elements_lie_apart_is_refused():
    total = cuda.declare_device("total", "float64(CPointer(float64), int32)")

    @cuda.jit
    def kernel(a, r):
        r[0] = total(ffi.from_buffer(a), a.size)

    with pytest.raises(ValueError, match="launch of kernel: a goes to other code by its address"):
        kernel[1, 1](tn.ones(8)[::2], tn.zeros(1))


def test_faults_of_sources(nvrtc, tmp_path):
    wrong = cuda.CUSource('extern "C" __device__ int times2(int* out, int a) { SYNTAX; }', name="error.cu")
    with pytest.raises(CudaSourceError, match=r"error.cu.*\n?.*SYNTAX"):
        make_kernel(cuda.declare_device("times2", "int32(int32)", link=wrong))
    warns = cuda.CUSource(
        'extern "C" __device__ int times2(int* out, int a) { int unused; *out = a; return 0; }', name="warn.cu"
    )
    with pytest.warns(UserWarning, match=r"NVRTC log messages whilst compiling warn.cu(.|\n)*never referenced"):
        make_kernel(cuda.declare_device("times2", "int32(int32)", link=warns))


def test_files_and_their_headers(nvrtc, tmp_path, monkeypatch):
    (tmp_path / "more").mkdir()
    (tmp_path / "factor.h").write_text("#define FACTOR 2\n")
    (tmp_path / "more" / "offset.h").write_text("#define OFFSET 5\n")
    source = tmp_path / "times2.cu"
    source.write_text(
        '#include "factor.h"\n#include <offset.h>\n'
        'extern "C" __device__ int times2(int* out, int a) { *out = a * FACTOR + OFFSET; return 0; }'
    )
    times2 = cuda.declare_device("times2", "int32(int32)", link=str(source))
    with pytest.raises(CudaSourceError, match="offset.h"):
        make_kernel(times2)
    monkeypatch.setattr(cuda.config, "CUDA_NVRTC_EXTRA_SEARCH_PATHS", str(tmp_path / "more"))
    assert machine_code(make_kernel(times2)).startswith(b"\x7fELF")
    made = _core.sources.compile("t.cu", TIMES2.data, [], ["--relocatable-device-code=true"], [], "ptx", 75, "")[0]
    text = tmp_path / "times2.ptx"
    text.write_bytes(made.rstrip(b"\0"))
    assert machine_code(make_kernel(cuda.declare_device("times2", "int32(int32)"), link=[text])).startswith(b"\x7fELF")
    by_lto = make_kernel(cuda.declare_device("times2", "int32(int32)", link=TIMES2), lto=True)
    assert machine_code(by_lto).startswith(b"\x7fELF")


def test_kinds_of_code(tmp_path):
    kinds = {
        "a": cuda.Archive,
        "cubin": cuda.Cubin,
        "cu": cuda.CUSource,
        "fatbin": cuda.Fatbin,
        "o": cuda.Object,
        "ptx": cuda.PTXSource,
        "ltoir": cuda.LTOIR,
    }
    for extension, kind in kinds.items():
        path = tmp_path / f"code.{extension}"
        path.write_bytes(b"text")
        made = cuda.LinkableCode.from_path_or_obj(str(path))
        assert type(made) is kind and cuda.LinkableCode.from_path_or_obj(made) is made
        assert made.name == path.name and made.data in (b"text", "text")
    assert cuda.CUSource(io.StringIO("int x;")).data == "int x;" and cuda.PTXSource("").name == "<unnamed-ptx>"
    kernel = cuda.jit("void(int32[:])", link=["header.cuh"])
    with pytest.raises(RuntimeError, match="Don't know how to link file with extension .cuh"):
        kernel(lambda r: None)
    for path, text in (("data", "no extension"), ("nonexistent.a", "nonexistent.a not found")):
        with pytest.raises((RuntimeError, FileNotFoundError), match=text):
            cuda.LinkableCode.from_path(path)
    with pytest.raises(TypeError, match="setup_callback must be callable"):
        cuda.CUSource("", setup_callback=1)
    with pytest.raises(NotImplementedError, match="teardown_callback"):
        cuda.CUSource("", teardown_callback=print)
