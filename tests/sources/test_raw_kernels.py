"""Launches of CUDA C++: results, order with other work, memory, streams."""

import pickle

import numpy as np
import pytest
import tessera.numpy as tn

import tessera
from tessera import cuda

AXPY = """extern "C" __global__ void axpy(const int n, const float a, const float* __restrict__ x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] += a * x[i];
}"""


@pytest.fixture
def axpy(device):
    return cuda.RawKernel(AXPY, "axpy")


def test_a_launch_comes_between_what_was_recorded_before_and_after(axpy):
    x = tn.arange(1000, dtype=np.float32) * 2
    y = tn.ones(1000, dtype=np.float32)
    before = y * 10
    axpy((4,), (128,), (1000, 2.0, x, y))
    after = y * 10
    n = np.arange(1000, dtype=np.float32)
    np.testing.assert_array_equal(np.asarray(before), np.full(1000, 10, np.float32))
    np.testing.assert_array_equal(np.asarray(after), (1 + 4 * n) * 10)


def test_a_pointer_to_const_leaves_copies_shared(axpy):
    x = tn.arange(100, dtype=np.float32)
    y, copy = tn.zeros(100, dtype=np.float32), None
    copy = y.copy()
    axpy((1,), (128,), (100, 1.0, x, y))
    assert not np.asarray(copy).any()
    np.testing.assert_array_equal(np.asarray(y), np.arange(100))


def test_one_kernel_runs_on_the_device_that_is_chosen(axpy, device):
    if device != "simulated":
        pytest.skip("needs several devices")
    for where in ("simulated", "simulated@1", "simulated@2", "simulated@1"):
        with tessera.device(where):
            x = tn.arange(1 << 18, dtype=np.float32) * 2
            y = tn.ones(1 << 18, dtype=np.float32)
            axpy((4,), (128,), (1 << 18, 2.0, x, y))
            assert set(tessera.layout(y)) == {where}
            np.testing.assert_array_equal(np.asarray(y), 1 + 4 * np.arange(1 << 18, dtype=np.float32))


def test_brackets_streams_and_dynamic_shared_memory(device):
    code = """extern "C" __global__ void turn(const float* a, float* b) {
      extern __shared__ float s[];
      s[threadIdx.x] = a[threadIdx.x];
      __syncthreads();
      b[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
    }"""
    kernel = cuda.RawKernel(code, "turn")
    a, b = tn.arange(8, dtype=np.float32), tn.zeros(8, dtype=np.float32)
    kernel((1,), (8,), (a, b), shared_mem=32)
    assert np.asarray(b).tolist() == list(range(8))[::-1]
    kernel[1, 8, 32](b, a)
    assert np.asarray(a).tolist() == list(range(8))
    kernel[1, 8, 32](a, b)
    stream = cuda.stream()
    kernel((1,), (8,), (b, a), shared_mem=32, stream=stream)
    a[0] += 10  # behind the stream's work
    kernel[1, 8, stream, 32](a, b)
    stream.synchronize()
    assert np.asarray(a).tolist() == [10, *range(1, 8)] and np.asarray(b).tolist() == [*range(7, 0, -1), 10]


def test_numpys_arrays_are_copied_in_and_back(axpy):
    x, y = np.arange(50, dtype=np.float32), np.ones(50, np.float32)
    axpy((1,), (64,), (50, 3.0, x, y))
    np.testing.assert_array_equal(y, 1 + 3 * np.arange(50, dtype=np.float32))
    axpy((1,), (64,), (50, 3.0, x, cuda.In(y)))
    np.testing.assert_array_equal(y, 1 + 3 * np.arange(50, dtype=np.float32))
    axpy((1,), (64,), (50, 1.0, y, y))  # one array, given twice
    np.testing.assert_array_equal(y, 2 * (1 + 3 * np.arange(50, dtype=np.float32)))


def test_slices_begin_where_they_do(axpy):
    x, y = tn.arange(20, dtype=np.float32), tn.zeros(20, dtype=np.float32)
    axpy((1,), (32,), (5, 1.0, x[10:], y[3:8]))
    np.testing.assert_array_equal(np.asarray(y)[3:8], np.arange(10, 15))
    assert np.asarray(y)[8:].sum() == 0


def test_launches_that_the_device_would_refuse(axpy):
    x = tn.ones(4, dtype=np.float32)
    for grid, block, text in (
        ((1,), (2048,), "block x is 2048; the limit is 1024"),
        ((0,), (32,), "grid x is 0"),
        ((1, 70000), (32,), "grid y is 70000"),
        ((1,), (32, 64), "threads a block"),
    ):
        with pytest.raises(ValueError, match=text):
            axpy(grid, block, (4, 1.0, x, x))
    with pytest.raises(ValueError, match="dynamic shared memory"):
        axpy((1,), (32,), (4, 1.0, x, x), shared_mem=1 << 20)
    with pytest.raises(TypeError, match="the grid is"):
        axpy(("one",), (32,), (4, 1.0, x, x))
    with pytest.raises(TypeError, match="no stream"):
        axpy((1,), (32,), (4, 1.0, x, x), stream="s")


def test_cooperative_grids_are_no_larger_than_the_device(device):
    kernel = cuda.RawKernel('extern "C" __global__ void k(int* a) { a[0] = 1; }', "k", enable_cooperative_groups=True)
    a = tn.zeros(1, dtype=np.int32)
    kernel((1,), (1,), (a,))
    assert int(a[0]) == 1
    with pytest.raises(ValueError, match="cooperative launch of k"):
        kernel((100000,), (1024,), (a,))


def test_read_only_arrays_are_not_written(axpy):
    x = tn.ones(4, dtype=np.float32)
    x.flags.writeable = False
    with pytest.raises(ValueError, match=r"argument 4 \(float\* y\) is a read-only array"):
        axpy((1,), (32,), (4, 1.0, x, x))
    axpy((1,), (32,), (4, 1.0, x, tn.ones(4, dtype=np.float32)))


def test_variables_are_arrays_as_they_are_declared(device):
    module = cuda.RawModule(
        code='extern "C" { __constant__ float weights[2][3]; __device__ int counter;\n'
        "__global__ void k(float* y) { y[threadIdx.x] = weights[1][threadIdx.x]; if (threadIdx.x == 0) counter += 1; } }"
    )
    weights, counter = module.get_global("weights"), module.get_global("counter")
    assert (weights.shape, weights.dtype) == ((2, 3), np.float32) and counter.dtype == np.int32
    weights[...] = np.arange(6).reshape(2, 3)
    counter[...] = 0
    y = tn.zeros(3, dtype=np.float32)
    for _ in range(2):
        module.get_function("k")((1,), (3,), (y,))
    assert np.asarray(y).tolist() == [3, 4, 5] and int(np.asarray(counter)) == 2
    with pytest.raises(KeyError, match="no variable nothing"):
        module.get_global("nothing")


def test_arrays_are_given_up_while_kernels_use_them(axpy):
    y = tn.zeros(1000, dtype=np.float32)
    stream = cuda.stream()
    for k in range(20):
        axpy((4,), (256,), (1000, 1.0, tn.full(1000, k, dtype=np.float32), y), stream=stream)
    stream.synchronize()
    assert (np.asarray(y) == sum(range(20))).all()


def test_attributes_and_pickling(axpy):
    assert axpy.max_threads_per_block == 1024 and axpy.attributes["max_threads_per_block"] == 1024
    axpy.max_dynamic_shared_size_bytes = 50000
    assert axpy.max_dynamic_shared_size_bytes == 50000
    for kernel in (axpy, cuda.RawModule(code=AXPY).get_function("axpy")):
        again = pickle.loads(pickle.dumps(kernel))
        y = tn.zeros(4, dtype=np.float32)
        again((1,), (4,), (4, 1.0, tn.ones(4, dtype=np.float32), y))
        assert np.asarray(y).tolist() == [1, 1, 1, 1] and not again.enable_cooperative_groups


def test_templates_by_name_expressions(device):
    code = "template<typename T> __global__ void scale(T* a, T by) { a[threadIdx.x] *= by; }"
    module = cuda.RawModule(code=code, name_expressions=["scale<int>", "scale<double>"])
    i, d = tn.arange(4, dtype=np.int32), tn.arange(4.0)
    module.get_function("scale<int>")((1,), (4,), (i, 3))
    module.get_function("scale<double>")((1,), (4,), (d, 0.5))
    assert np.asarray(i).tolist() == [0, 3, 6, 9] and np.asarray(d).tolist() == [0, 0.5, 1, 1.5]


def test_structures_by_value_and_arrays_of_them(device):
    code = """struct P { float x; double y; int n; };
    extern "C" __global__ void k(P p, P* out) { out[threadIdx.x].x = p.x + threadIdx.x; out[threadIdx.x].y = p.y; out[threadIdx.x].n += p.n; }"""
    structure = np.dtype([("x", "f4"), ("y", "f8"), ("n", "i4")], align=True)
    p, out = np.array((1.5, 2.5, 3), structure), np.zeros(4, structure)
    out["n"] = [0, 1, 2, 3]
    cuda.RawKernel(code, "k")((1,), (4,), (p[()], out))
    assert out["x"].tolist() == [1.5, 2.5, 3.5, 4.5] and (out["y"] == 2.5).all() and out["n"].tolist() == [3, 4, 5, 6]


def test_translated_complex_numbers_have_the_bits_of_arrays(device):
    code = """#include <cuComplex.h>
#define BOTH(T, R, add, mul, div, abs, tag)                                                  \\
  extern "C" __global__ void f##tag(const T* a, const T* b, T* out, R* size) {               \\
    const int i = threadIdx.x;                                                               \\
    out[i] = add(div(a[i], b[i]), mul(a[i], b[i]));                                          \\
    size[i] = abs(a[i]);                                                                     \\
  }
BOTH(cuDoubleComplex, double, cuCadd, cuCmul, cuCdiv, cuCabs, 128)
BOTH(cuComplex, float, cuCaddf, cuCmulf, cuCdivf, cuCabsf, 64)
extern "C" __global__ void f128(const cuDoubleComplex*, const cuDoubleComplex*, cuDoubleComplex*, double*);
extern "C" __global__ void f64(const cuComplex*, const cuComplex*, cuComplex*, float*);
"""
    module = cuda.RawModule(code=code, translate_cucomplex=True)
    rng = np.random.default_rng(7)
    for name, dtype, real in (("f128", "c16", "f8"), ("f64", "c8", "f4")):
        a, b = (tn.asarray((rng.normal(size=64) + 1j * rng.normal(size=64)).astype(dtype)) for _ in range(2))
        out, size = tn.zeros(64, dtype=dtype), tn.zeros(64, dtype=real)
        module.get_function(name)((1,), (64,), (a, b, out, size))
        assert np.array_equal(np.asarray(out), np.asarray(a / b + a * b))
        assert np.array_equal(np.asarray(size), np.asarray(abs(a)))


def test_a_stream_in_use_takes_launches_that_name_none(axpy):
    stream = cuda.stream()
    assert cuda.current_stream() is cuda.default_stream()
    try:
        assert stream.use() is stream and cuda.current_stream() is stream
        x, y = tn.arange(8, dtype=np.float32), tn.ones(8, dtype=np.float32)
        axpy((1,), (32,), (8, 2.0, x, y))
        doubled = cuda.ElementwiseKernel("float32 x", "float32 y", "y = 2 * x", "doubled")(y)
        stream.synchronize()
        assert np.array_equal(np.asarray(doubled), 2 * (1 + 2 * np.arange(8, dtype=np.float32)))
    finally:
        cuda.default_stream().use()
    assert cuda.current_stream() is cuda.default_stream()
