"""Sources that NVRTC compiles where there is no GPU: errors, signatures, arguments."""

import io
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import tessera.numpy as tn
from tessera.cuda.source import compiler
from tessera.cuda.source.options import parse
from tessera.errors import CudaSourceError, CudaSupportError

from tessera import cuda

AXPY = """extern "C" __global__
void axpy(const int n, const float a, const float* __restrict__ x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
"""


@pytest.fixture
def axpy(nvrtc):
    return cuda.RawModule(code=AXPY).get_function("axpy")


def arrays(dtype=np.float32, n=8):
    return tn.arange(n, dtype=dtype), tn.ones(n, dtype=dtype)


def refusal(kernel, *arguments, grid=(1,), block=(32,)):
    with pytest.raises(Exception) as caught:
        kernel(grid, block, arguments)
    return f"{type(caught.value).__name__}: {caught.value}"


def test_a_launch_says_that_it_needs_a_gpu(axpy):
    x, y = arrays()
    text = refusal(axpy, 8, 2.0, x, y)
    assert text.startswith("CudaSupportError: axpy: ") and "needs an NVIDIA GPU" in text and "@cuda.jit" in text


def test_wrong_arguments_are_named(axpy):
    x, y = arrays()
    double = tn.ones(8)
    cases = [
        (
            (8, 2.0, x),
            "TypeError: axpy takes 4 arguments (const int n, const float a, const float* x, float* y); 3 are given",
        ),
        ((8, 2.0, x, y, y), "TypeError: axpy takes 4 arguments"),
        ((8.5, 2.0, x, y), "TypeError: axpy: argument 1 (const int n) takes int32, not 8.5"),
        ((2**31, 2.0, x, y), "OverflowError: axpy: argument 1 (const int n): 2147483648 does not fit int32"),
        ((-(2**40), 2.0, x, y), "OverflowError: axpy: argument 1"),
        ((2**70, 2.0, x, y), "OverflowError: axpy: argument 1"),
        ((np.int64(8), 2.0, x, y), "TypeError: axpy: argument 1 (const int n) takes int32, not numpy.int64(8)"),
        ((np.float32(8), 2.0, x, y), "TypeError: axpy: argument 1"),
        ((8, np.float64(2), x, y), "TypeError: axpy: argument 2 (const float a) takes float32, not numpy.float64(2)"),
        ((8, np.int32(2), x, y), "TypeError: axpy: argument 2"),
        ((8, 2j, x, y), "TypeError: axpy: argument 2"),
        ((8, x, x, y), "TypeError: axpy: argument 2 (const float a) takes a number, not an array"),
        ((8, 2.0, double, y), "TypeError: axpy: argument 3 (const float* x) takes an array of float32, not of float64"),
        ((8, 2.0, x, double), "TypeError: axpy: argument 4 (float* y) takes an array of float32, not of float64"),
        ((8, 2.0, x, tn.ones(8, dtype=np.int32)), "TypeError: axpy: argument 4"),
        ((8, 2.0, tn.ones((8, 2), dtype=np.float32)[:, 0], y), "ValueError: axpy: argument 3"),
        ((8, 2.0, x, tn.ones(8, dtype=np.float32)[::-1]), "ValueError: axpy: argument 4"),
        ((8, 2.0, 1.5, y), "TypeError: axpy: argument 3 (const float* x) takes an array, not 1.5"),
        ((8, 2.0, "x", y), "TypeError: axpy: argument 3 (const float* x) takes an array, not str"),
        ((8, 2.0, [1.0], y), "TypeError: axpy: argument 3 (const float* x) takes an array, not list"),
    ]
    assert len(cases) == 20
    for arguments, expected in cases:
        assert refusal(axpy, *arguments).startswith(expected), (arguments, refusal(axpy, *arguments))


def test_errors_show_the_users_line(nvrtc):
    with pytest.raises(CudaSourceError) as caught:
        cuda.RawKernel('extern "C" __global__ void k(float* a) {\n  a[0] = undeclared;\n}', "k").compile()
    assert "k.cu(2)" in str(caught.value) and "a[0] = undeclared;" in str(caught.value)
    assert caught.value.name == "k.cu" and "undeclared" in caught.value.source


def test_a_missing_header_is_named(nvrtc):
    with pytest.raises(CudaSourceError, match="nowhere/to_be_found.h"):
        cuda.RawModule(code='#include "nowhere/to_be_found.h"\n').compile()


def test_warnings_go_to_the_log(nvrtc):
    log = io.StringIO()
    code = 'extern "C" __global__ void k(int* a) { int unused; a[0] = 1; }'
    cuda.RawModule(code=code).compile(log_stream=log)
    assert "unused" in log.getvalue()


def test_kernels_and_symbols_that_are_not_there(nvrtc):
    module = cuda.RawModule(code=AXPY + "__global__ void mangled() {}")
    with pytest.raises(AttributeError, match="no kernel nothing; its text declares axpy, mangled"):
        module.get_function("nothing")
    with pytest.raises(AttributeError, match='extern "C"'):
        module.get_function("mangled")
    with pytest.raises(CudaSupportError, match="GPU"):
        module.get_global("w")


def test_name_expressions_find_instances_of_templates(nvrtc):
    code = """
    template<typename T> __global__ void set(T* a, T value) { a[threadIdx.x] = value; }
    namespace inner { template<class T, int N> __global__ void put(const T* from, T* to) { to[N] = from[0]; } }
    """
    module = cuda.RawModule(code=code, name_expressions=("set<double>", "set<int>", "inner::put<float, 3>"))
    assert "float64" in refusal(module.get_function("set<double>"), *arrays(), block=(1,))
    assert "OverflowError" in refusal(module.get_function("set<int>"), tn.ones(4, dtype=np.int32), 2**40)
    put = module.get_function("inner::put<float, 3>")
    assert refusal(put, *arrays()).startswith("CudaSupportError")
    assert "float32, not of float64" in refusal(put, *arrays(np.float64))
    single = cuda.RawKernel(code, "set<unsigned char>")
    assert "takes an array of uint8" in refusal(single, tn.ones(3), 1)


def test_two_kernels_of_one_name_are_checked_by_their_sizes(nvrtc):
    code = "__global__ void k(float* a, int n) { a[n] = 1; }\n__global__ void k(double* a, double b) { a[0] = b; }"
    kernel = cuda.RawModule(code=code, name_expressions=["(void(*)(float*, int))k"]).get_function(
        "(void(*)(float*, int))k"
    )
    x, _ = arrays()
    assert refusal(kernel, x, 3).startswith("CudaSupportError")
    assert "has 4 bytes" in refusal(kernel, x, np.float64(2))


def test_structures_are_passed_by_their_bytes(nvrtc):
    code = 'struct P { float x; double y; int n; };\nextern "C" __global__ void k(P p, P* out) { out[0] = p; }'
    kernel = cuda.RawKernel(code, "k")
    structure = np.dtype([("x", "f4"), ("y", "f8"), ("n", "i4")], align=True)
    out = tn.zeros(24, dtype=np.uint8)
    assert refusal(kernel, np.zeros((), structure)[()], out).startswith("CudaSupportError")
    packed = np.dtype([("x", "f4"), ("y", "f8"), ("n", "i4")])
    assert "has 24 bytes, and numpy.void has 16" in refusal(kernel, np.zeros((), packed)[()], out)


def test_complex_numbers_and_vectors(nvrtc):
    code = """#include <cupy/complex.cuh>
    extern "C" __global__ void k(complex<float>* z, const float4* v, complex<double> c) {
      z[0] = conj(z[1]) * 2.0f + exp(z[2]) / pow(z[3], 2.0f) + complex<float>(c) * v[0].x;
    }"""
    kernel = cuda.RawKernel(code, "k")
    z, v = tn.zeros(4, dtype=np.complex64), tn.zeros(4, dtype=np.float32)
    assert refusal(kernel, z, v, 1j).startswith("CudaSupportError")  # four floats are one float4
    assert "argument 2 (const float4* v) takes an array of float32" in refusal(kernel, z, tn.zeros(4), 1j)


def test_textures_are_refused_by_name(nvrtc):
    code = 'extern "C" __global__ void k(cudaTextureObject_t t, float* a) { a[0] = tex1Dfetch<float>(t, 0); }'
    assert "texture" in refusal(cuda.RawKernel(code, "k"), 5, arrays()[0])


def test_options_have_nvccs_spellings():
    options = parse(
        (
            "-std=c++17",
            "-use_fast_math",
            "-I /usr/x",
            "-D",
            "N=4",
            "-maxrregcount",
            "32",
            "-O3",
            "-arch=sm_90a",
            "-lineinfo",
        )
    )
    assert options.passed == ["--std=c++17", "-use_fast_math", "-I/usr/x", "-DN=4", "--maxrregcount=32", "-lineinfo"]
    assert (options.capability, options.suffix, options.max_registers, options.defines) == (90, "a", 32, ["N=4"])
    for wrong in (("-gencode", "arch=compute_90,code=sm_90"), ("-arch=fast",), ("-o", "x"), ("-I",)):
        with pytest.raises(ValueError):
            parse(wrong)
    with pytest.raises(TypeError):
        cuda.RawModule(code=AXPY, options="-O3")


def test_defines_of_options_are_types(nvrtc):
    kernel = cuda.RawModule(
        code='extern "C" __global__ void k(REAL* a) { a[0] = 1; }', options=("-DREAL=short",)
    ).get_function("k")
    assert "takes an array of int16" in refusal(kernel, tn.ones(3))


def test_modules_and_kernels_are_pickled(nvrtc):
    kernel = pickle.loads(pickle.dumps(cuda.RawKernel(AXPY, "axpy", ("-DX",))))
    assert (
        kernel.options == ("-DX",) and kernel.name == "axpy" and refusal(kernel).startswith("TypeError: axpy takes 4")
    )
    module = pickle.loads(pickle.dumps(cuda.RawModule(code=AXPY, name_expressions=("axpy",))))
    assert module.code == AXPY and module.name_expressions == ("axpy",)


def test_the_cache_sees_source_options_and_headers(nvrtc, tmp_path):
    """A header's content is part of the key; what is in the folder is not compiled again."""
    (tmp_path / "cache").mkdir(mode=0o700)
    header = tmp_path / "value.h"
    script = f"""
import os, time
from tessera.cuda.source import compiler
from tessera.cuda.source.options import parse
made = compiler.compile_source('#include "value.h"\\nextern "C" __global__ void k(int* a) {{ a[0] = VALUE; }}', "k.cu", parse(["-I{tmp_path}"]))
print("1234567" in made.code.decode(), "7654321" in made.code.decode())
"""

    def run():
        environment = {**os.environ, "TESSERA_CACHE": str(tmp_path / "cache")}
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip(), sorted(p.name for p in (tmp_path / "cache").iterdir() if p.suffix == ".tessera")

    header.write_text("#define VALUE 1234567\n")
    first, files = run()
    again, same = run()
    assert first == again == "True False" and files == same and len(files) == 1
    # A damaged file is removed and made anew.
    damaged = tmp_path / "cache" / files[0]
    damaged.write_bytes(damaged.read_bytes()[:100] + b"damaged")
    assert run()[0] == "True False"
    header.write_text("#define VALUE 7654321\n")
    changed, more = run()
    assert changed == "False True" and len(more) == 2
    # A file of another source in this one's place is not taken for its own.
    (other,) = set(more) - set(files)
    damaged.write_bytes((tmp_path / "cache" / other).read_bytes())
    header.write_text("#define VALUE 1234567\n")
    assert run()[0] == "True False"


def test_elementwise_and_reduction_kernels_are_compiled_where_no_gpu_runs_them(nvrtc):
    square = cuda.ElementwiseKernel("T x", "T y", "y = x * x", "square")
    with pytest.raises(CudaSupportError, match="square: .*GPU"):
        square(tn.ones(3))
    with pytest.raises(CudaSourceError, match=r"operation of wrong\(1\)"):
        cuda.ElementwiseKernel("T x", "T y", "y = undeclared", "wrong")(tn.ones(3))
    norm = cuda.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    with pytest.raises(CudaSupportError, match="norm: .*GPU"):
        norm(tn.ones(3))
    half = cuda.ElementwiseKernel("float16 x", "float16 y", "y = x * x", "square_of_half")
    with pytest.raises(CudaSupportError):
        half(tn.ones(3, dtype=np.float16))


def test_code_for_an_architecture_and_ptx(nvrtc):
    assert b".target sm_80" in compiler.compile_source(AXPY, "k.cu", parse(["-arch=compute_80"])).code
    assert compiler.compile_source(AXPY, "k.cu", parse(["-arch=sm_80"]), kind="cubin").code.startswith(b"\x7fELF")


def test_two_processes_compile_one_kernel(nvrtc, tmp_path):
    script = """
from tessera.cuda.source import compiler
from tessera.cuda.source.options import parse
made = compiler.compile_source('extern "C" __global__ void k(int* a) { a[0] = 42; }', "k.cu", parse(()))
print(len(made.code), ".entry k(" in made.code.decode())
"""
    environment = {**os.environ, "TESSERA_CACHE": str(tmp_path / "shared")}
    runs = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(3)
    ]
    said = {run.communicate()[0].strip() for run in runs}
    assert len(said) == 1 and said.pop().endswith("True") and all(run.returncode == 0 for run in runs)
    assert len([path for path in (tmp_path / "shared").iterdir() if path.suffix == ".tessera"]) == 1


def test_headers_of_c_are_there_in_name(nvrtc):
    code = r"""
#include <stdio.h>
#include <math.h>
#include <cstdlib>
#include <float.h>
#include <limits.h>
#include <assert.h>
extern "C" __global__ void area(const double* r, double* a) {
  assert(r[0] < DBL_MAX && INT_MAX > 0);
  if (r[threadIdx.x] == INFINITY) printf("%d\n", (int)threadIdx.x);
  a[threadIdx.x] = M_PI * pow(r[threadIdx.x], 2.0);
}"""
    area = cuda.RawModule(code=code).get_function("area")
    assert "argument 2 (double* a) takes an array of float64" in refusal(area, tn.ones(3), arrays()[0])
    assert refusal(area, tn.ones(3), tn.ones(3)).startswith("CudaSupportError")  # all but the GPU is there


def test_translated_complex_numbers_have_operators(nvrtc):
    code = """#include <cuComplex.h>
extern "C" __global__ void f(const cuFloatComplex* a, cuDoubleComplex* b, double* c) {
  cuDoubleComplex z = cuComplexFloatToDouble(a[0]) * b[0] + make_cuDoubleComplex(1, 2);
  b[0] = cuCfma(cuCdiv(z, b[0]), cuConj(z), cuCsub(z, b[0]));
  c[0] = cuCabs(z) + cuCabsf(cuCadd(a[0], a[1])) + cuCrealf(a[0]);
}"""
    translated = cuda.RawModule(code=code, translate_cucomplex=True).get_function("f")
    a, b, c = tn.ones(2, dtype=np.complex64), tn.ones(1, dtype=np.complex128), tn.ones(1)
    assert refusal(translated, a, b, c).startswith("CudaSupportError")  # all but the GPU is there
    assert "argument 1" in refusal(translated, b, b, c)
    with pytest.raises(CudaSourceError, match="no operator"):
        cuda.RawModule(code=code).get_function("f")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="CUDA_ERROR_FILE_NOT_FOUND.*gone.cubin"):
        cuda.RawModule(path=tmp_path / "gone.cubin").get_function("f")
