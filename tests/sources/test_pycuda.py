"""PyCUDA's names: modules, arguments, memory, streams, errors."""

import gc

import numpy as np
import pytest
from tessera.pycuda import driver as drv
from tessera.pycuda.compiler import SourceModule

TWICE = "__global__ void twice(float *a) { int i = threadIdx.x + threadIdx.y*4; a[i] *= 2; }"


@pytest.fixture
def twice(device):
    return SourceModule(TWICE).get_function("twice")


def test_arguments_that_are_copied(twice):
    a = np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)
    b = a.copy()
    twice(drv.InOut(a), block=(4, 4, 1))
    np.testing.assert_array_equal(a, 2 * b)
    twice(drv.In(a), block=(4, 4, 1))
    np.testing.assert_array_equal(a, 2 * b)
    code = "__global__ void product(float *d, float *a, float *b) { const int i = threadIdx.x; d[i] = a[i]*b[i]; }"
    d, x = np.zeros(40, np.float32), np.arange(40, dtype=np.float32)
    SourceModule(code).get_function("product")(drv.Out(d), drv.In(x), drv.In(x), block=(40, 1, 1), grid=(1, 1))
    np.testing.assert_array_equal(d, x * x)


def test_memory_is_copied_filled_and_given_up(twice):
    a = np.arange(16, dtype=np.float32)
    memory = drv.to_device(a)
    twice(memory, block=(4, 4, 1))
    back = np.empty_like(a)
    drv.memcpy_dtoh(back, memory)
    np.testing.assert_array_equal(back, 2 * a)
    twice(np.intp(int(memory)), block=(4, 4, 1))  # by its address
    np.testing.assert_array_equal(drv.from_device_like(memory, a), 4 * a)
    other = drv.mem_alloc(a.nbytes)
    drv.memcpy_dtod(other, memory, a.nbytes)
    drv.memset_d32(memory, 0, 16)
    assert not drv.from_device(memory, 16, np.float32).any()
    np.testing.assert_array_equal(drv.from_device_like(int(other), a), 4 * a)
    drv.memcpy_htod(int(other) + 8, a[:2])
    np.testing.assert_array_equal(drv.from_device_like(other, a), [*(4 * a[:2]), *a[:2], *(4 * a[4:])])
    twice(other, block=(4, 4, 1))
    del other, memory
    gc.collect()
    with pytest.raises(drv.LogicError):
        drv.mem_alloc(0)
    with pytest.raises(drv.LogicError, match="has 4"):
        drv.memcpy_htod(drv.mem_alloc(4), a)


def test_streams_and_pinned_memory(twice):
    stream = drv.Stream()
    a = drv.pagelocked_zeros(16, np.float32)
    a[:] = 3
    memory = drv.mem_alloc(a.nbytes)
    drv.memcpy_htod_async(memory, a, stream)
    twice(memory, block=(4, 4, 1), stream=stream)
    drv.memcpy_dtoh_async(a, memory, stream)
    stream.synchronize()
    assert (a == 6).all()
    start, end = drv.Event().record(stream), drv.Event().record(stream)
    assert start.time_till(end.synchronize()) >= 0
    assert twice(memory, block=(4, 4, 1), time_kernel=True) >= 0


def test_prepared_calls(device):
    code = "__global__ void add(int n, float *a, double b) { if (threadIdx.x < n) a[threadIdx.x] += b; }"
    function = SourceModule(code).get_function("add").prepare("iPd")
    memory = drv.to_device(np.zeros(4, np.float32))
    function.prepared_call((1, 1), (4, 1, 1), 3, memory, 1.5)
    function.prepared_async_call((1, 1), (4, 1, 1), drv.Stream(), 4, memory, 1)
    assert function.prepared_timed_call((1, 1), (4, 1, 1), 1, memory, 1)() >= 0
    assert drv.from_device(memory, 4, np.float32).tolist() == [3.5, 2.5, 2.5, 1.0]
    with pytest.raises(drv.LogicError, match="prepared for 3"):
        function.prepared_call((1, 1), (4, 1, 1), 3)


def test_what_is_wrong_is_said(twice):
    with pytest.raises(drv.LogicError, match="block="):
        twice(np.zeros(4, np.float32))
    with pytest.raises(drv.LogicError, match="takes 1 argument"):
        twice(block=(1, 1, 1))
    with pytest.raises(drv.LogicError, match="array of float32"):
        twice(np.zeros(4), block=(1, 1, 1))
    with pytest.raises(drv.LogicError, match="no kernel thrice"):
        SourceModule(TWICE).get_function("thrice")


def test_a_source_with_an_error(nvrtc):
    with pytest.raises(drv.CompileError) as caught:
        SourceModule("__global__ void k(float *a) {\n  a[0] = undeclared;\n}", options=["-DX=1"])
    error = caught.value
    assert "kernel.cu(2)" in str(error) and "undeclared" in error.stderr and error.command_line == ("nvrtc", "-DX=1")
    from tessera.pycuda.compiler import compile

    assert b".target sm_80" in compile(TWICE, arch="compute_80", target="ptx")
    with pytest.raises(drv.LogicError):
        SourceModule(TWICE, arch="sm_80", code="sm_90")


def test_arrays_elementwise_kernels_and_functions(device):
    from tessera.pycuda import cumath, gpuarray
    from tessera.pycuda.elementwise import ElementwiseKernel

    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    x = gpuarray.to_gpu(a)
    np.testing.assert_array_equal((2 * x + 1).get(), 2 * a + 1)
    np.testing.assert_array_equal(cumath.sqrt(x).get(), np.sqrt(a))
    assert float(gpuarray.sum(x).get()) == a.sum() and float(gpuarray.dot(x, x).get()) == (a * a).sum()
    np.testing.assert_array_equal(gpuarray.if_positive(x - 5, x, -x).get(), np.where(a > 5, a, -a))
    for make, wanted in (
        (lambda out: gpuarray.if_positive(x - 5, x, -x, out), np.where(a > 5, a, -a)),
        (lambda out: gpuarray.maximum(x, 5, out=out), np.maximum(a, 5)),
        (lambda out: gpuarray.minimum(x, 5, out=out), np.minimum(a, 5)),
    ):
        out = gpuarray.zeros_like(x)
        assert make(out) is out
        np.testing.assert_array_equal(out.get(), wanted)
    with pytest.raises(NotImplementedError, match="priorities"):
        drv.Stream(priority=-1)
    x.set(a[::-1].copy())
    np.testing.assert_array_equal(x.get(), a[::-1])
    SourceModule("__global__ void one(float *a) { a[threadIdx.x] += 1; }").get_function("one")(x, block=(12, 1, 1))
    np.testing.assert_array_equal(x.get(), a[::-1] + 1)
    combine = ElementwiseKernel("float a, float *x, float b, float *y, float *z", "z[i] = a*x[i] + b*y[i]", "combine")
    y, z = gpuarray.arange(6, dtype=np.float32), gpuarray.zeros(6, np.float32)
    combine(5, y, 6, y, z)
    np.testing.assert_array_equal(z.get(), 11 * np.arange(6, dtype=np.float32))
    combine(0, y, 0, y, z, slice=slice(1, 6, 2))
    np.testing.assert_array_equal(z.get(), [0, 0, 22, 0, 44, 0])
    with pytest.raises(drv.LogicError, match="elements"):
        combine(5, y, 6, y, gpuarray.zeros(5, np.float32))


def test_more_functions_of_arrays(device):
    from tessera.pycuda import cumath, gpuarray
    from tessera.pycuda.elementwise import ElementwiseKernel

    a, b = np.arange(12, dtype=np.float32).reshape(3, 4), np.arange(12, dtype=np.float32)[::-1].reshape(3, 4)
    x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    out = gpuarray.empty_like(x)
    assert x.mul_add(2, y, 3, out=out) is out and gpuarray.zeros(3).dtype == np.float64
    np.testing.assert_array_equal(out.get(), 2 * a + 3 * b)
    np.testing.assert_array_equal(gpuarray.stack((x, y), axis=1).get(), np.stack((a, b), axis=1))
    np.testing.assert_array_equal(gpuarray.where(x > 3, x, y).get(), np.where(a > 3, a, b))
    np.testing.assert_array_equal(gpuarray.logical_and(x, y).get(), np.logical_and(a, b))
    np.testing.assert_array_equal(gpuarray.transpose(x, (1, 0)).get(), a.T)
    for turned in (x.transpose(), x.transpose(1, 0), x.transpose(axes=(1, 0)), x.T):
        np.testing.assert_array_equal(turned.get(), a.T)
        assert turned.copy().strides == a.T.strides
    flat, places = gpuarray.to_gpu(a.ravel()), gpuarray.to_gpu(np.array([2, 5, 7]))
    assert float(gpuarray.subset_sum(places, flat).get()) == 14 and float(gpuarray.subset_max(places, flat).get()) == 7
    np.testing.assert_array_equal(flat.reverse().get(), a.ravel()[::-1])
    for got, want in zip(cumath.modf(flat / 8), np.modf(a.ravel() / 8)):
        np.testing.assert_array_equal(got.get(), want)
    np.testing.assert_array_equal(
        cumath.ldexp(flat, flat * 0.5).get(), np.ldexp(a.ravel(), (a.ravel() * 0.5).astype(int))
    )
    np.testing.assert_array_equal(cumath.exp(x, out, drv.Stream()).get(), np.asarray(cumath.exp(x).get()))
    seven = ElementwiseKernel("float *z", "z[i] = 7", "seven")
    for chosen in (slice(10, 2, -1), slice(3, -1), slice(1, 11, 4)):
        z, want = gpuarray.zeros(12, np.float32), np.zeros(12, np.float32)
        want[chosen] = 7
        seven(z, slice=chosen)
        np.testing.assert_array_equal(z.get(), want)


def test_elements_are_arrays(device):
    from tessera.pycuda import gpuarray
    from tessera.pycuda.reduction import ReductionKernel

    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    x = gpuarray.to_gpu(a)
    assert x[1, 2].shape == () and float(x[1, 2].get()) == 6 and float(x[2, -1]) == 11
    for index in (1, slice(None, None, -1), (..., 1), (slice(1), 2), None, (1, None), np.array([2, 0]), a > 5):
        np.testing.assert_array_equal(x[index].get(), a[index])
    largest = ReductionKernel(np.float32, "0", "max(a, b)", arguments="float *in")
    out = gpuarray.empty(3, np.float32)
    for i in range(3):
        largest(x[i], out=out[i])
    np.testing.assert_array_equal(out.get(), a.max(axis=1))
    x[0, 0] = 5
    assert float(x[0, 0].get()) == 5 and len(list(x)) == 3


def test_arrays_over_memory_that_there_is(device):
    from tessera.pycuda import gpuarray

    a = np.arange(12, dtype=np.float32)
    memory = drv.to_device(a)
    x = gpuarray.GPUArray((3, 4), np.float32, gpudata=memory)
    np.testing.assert_array_equal(x.get(), a.reshape(3, 4))
    np.testing.assert_array_equal(
        gpuarray.GPUArray((4, 3), np.float32, gpudata=memory, order="F").get(), a.reshape(3, 4).T
    )
    x += 1
    np.testing.assert_array_equal(drv.from_device_like(memory, a), a + 1)
    assert gpuarray.GPUArray(5, np.int32).shape == (5,)

    class Holder(drv.PointerHolderBase):
        def get_pointer(self):
            return int(memory)

    SourceModule(TWICE).get_function("twice")(Holder(), block=(4, 3, 1))
    np.testing.assert_array_equal(drv.from_device_like(memory, a), 2 * (a + 1))
    vectors = np.zeros(4, gpuarray.vec.float3)
    code = "__global__ void set(float3 *to, float3 x) { to[threadIdx.x] = x; }"
    set_ = SourceModule(code).get_function("set")
    set_(drv.Out(vectors), gpuarray.vec.make_float3(1, 2, 3), block=(4, 1, 1))
    assert (vectors == gpuarray.vec.make_float3(1, 2, 3)).all()
    set_.prepare(["P", gpuarray.vec.float3])
    set_.prepared_call((1, 1), (4, 1, 1), drv.mem_alloc_like(vectors), gpuarray.vec.make_float3(3, 2, 1))


def test_pycudas_complex_numbers(device):
    from tessera.pycuda import gpuarray
    from tessera.pycuda.elementwise import ElementwiseKernel

    kernel = ElementwiseKernel(
        "pycuda::complex<float> *x, pycuda::complex<float> *y", "y[i] = x[i] * conj(x[i]) + x[i]", "square",
        preamble="#include <pycuda-complex.hpp>",
    )  # fmt: skip
    z = np.array([1 + 2j, -3j, 2], np.complex64)
    y = gpuarray.zeros(3, np.complex64)
    kernel(gpuarray.to_gpu(z), y)
    np.testing.assert_array_equal(y.get(), z * z.conj() + z)


def test_reductions_random_numbers_and_tools(device):
    from tessera.pycuda import curandom, gpuarray, tools
    from tessera.pycuda.reduction import ReductionKernel

    dot = ReductionKernel(np.float32, "0", "a + b", map_expr="x[i]*y[i]", arguments="float *x, float *y")
    for n in (1, 300, 5000):
        a = np.arange(n, dtype=np.float32) % 7
        assert float(dot(gpuarray.to_gpu(a), gpuarray.to_gpu(a)).get()) == (a * a).sum()
    largest = ReductionKernel(np.int32, "-1", "a > b ? a : b")
    assert int(largest(gpuarray.to_gpu(np.array([3, 9, 2], np.int32))).get()) == 9
    with pytest.raises(drv.LogicError, match="elements"):
        dot(gpuarray.zeros(3, np.float32), gpuarray.zeros(4, np.float32))
    u = curandom.rand((1000,), np.float32).get()
    assert u.dtype == np.float32 and 0 <= u.min() and u.max() < 1 and 0.4 < u.mean() < 0.6
    normal = curandom.XORWOWRandomNumberGenerator().gen_normal((1000,), np.float64).get()
    assert abs(normal.mean()) < 0.2
    assert tools.DeviceMemoryPool().allocate(100).nbytes == 100
    assert tools.dtype_to_ctype(np.float64) == "double"


@pytest.mark.parametrize("n", [1, 63, 1000, 10_001])
def test_scans(device, n):
    from tessera.pycuda import gpuarray
    from tessera.pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

    a = np.random.default_rng(n).integers(0, 9, n).astype(np.int32)
    total = InclusiveScanKernel(np.int32, "a + b")
    x = gpuarray.to_gpu(a)
    np.testing.assert_array_equal(total(x).get(), np.cumsum(a))
    y = gpuarray.zeros(n, np.int32)
    ExclusiveScanKernel(np.int32, "max(a, b)", "-1")(gpuarray.to_gpu(a), y)
    np.testing.assert_array_equal(y.get(), np.concatenate([[-1], np.maximum.accumulate(a)[:-1]]))
    with pytest.raises(drv.LogicError):
        total(gpuarray.zeros(3, np.float32))


def test_structures_are_reduced_by_their_names(device):
    from tessera.pycuda import gpuarray, tools
    from tessera.pycuda.reduction import ReductionKernel

    dtype = tools.register_dtype(np.dtype([("low", "f4"), ("high", "f4")]), "Span")
    with pytest.raises(drv.RuntimeError, match="registered as Span"):
        tools.register_dtype(dtype, "Other")
    assert tools.dtype_to_ctype(dtype) == "Span" and tools.get_or_register_dtype("Span") == dtype
    with pytest.raises(drv.LogicError, match="register_dtype"):
        tools.dtype_to_ctype(np.dtype([("x", "i4")]))
    preamble = """struct Span {
  float low, high;
  __device__ Span() {}
  __device__ Span(float l, float h) : low(l), high(h) {}
  __device__ Span& operator=(const Span& other) = default;
  __device__ Span(const Span& other) = default;
};
__device__ Span join(Span a, Span b) { return Span(fminf(a.low, b.low), fmaxf(a.high, b.high)); }"""
    reduce = ReductionKernel(dtype, "Span(1e30f, -1e30f)", "join(a, b)", map_expr="Span(x[i], x[i])",
                             arguments=[tools.VectorArg(np.float32, "x")], preamble=preamble)  # fmt: skip
    a = np.random.default_rng(1).normal(size=3000).astype(np.float32)
    span = reduce(gpuarray.to_gpu(a)).get()
    assert span.dtype == dtype and (span["low"], span["high"]) == (a.min(), a.max())


def test_generated_modules_and_linear_combinations(device):
    from tessera.pycuda import elementwise, gpuarray, tools

    x, y = np.arange(700, dtype=np.float32), np.ones(700, dtype=np.float32)
    given, other, z = gpuarray.to_gpu(x), gpuarray.to_gpu(y), gpuarray.zeros(700, np.float32)
    names = [tools.ScalarArg(np.float32, "a"), tools.VectorArg(np.float32, "x"), tools.VectorArg(np.float32, "z")]
    kernel = elementwise.get_elwise_kernel([*names, tools.ScalarArg(np.uint64, "n")], "z[i] = a * x[i]", "scale")
    kernel.prepared_call(given._grid, given._block, 3.0, given.gpudata, z.gpudata, given.mem_size)
    assert np.array_equal(z.get(), 3 * x)
    summands = ((True, np.float32, np.float32), (False, np.float32, np.float32))
    combine, references = elementwise.get_linear_combination_kernel(summands, np.float32)
    arguments = (given.gpudata, -2.0, other.gpudata, z.gpudata, given.mem_size)
    with pytest.raises(drv.LogicError, match="bind_to_texref_ext"):
        combine.prepared_call(given._grid, given._block, *arguments)
    gpuarray.to_gpu(np.array(5, np.float32)).bind_to_texref_ext(references[0], allow_double_hack=True)
    combine.prepared_call(given._grid, given._block, *arguments)
    assert np.array_equal(z.get(), 5 * x - 2)


def test_types_of_the_hosts_headers_are_known(nvrtc):
    f = SourceModule("#include <stdio.h>\n__global__ void f(uint* a, ushort b) { a[0] = (ulong)b; }").get_function("f")
    with pytest.raises(drv.LogicError, match="array of uint32"):
        f(np.zeros(1), np.uint16(1), block=(1, 1, 1))
    with pytest.raises(drv.LogicError, match=r"argument 2 \(ushort b\)"):
        f(np.zeros(1, np.uint32), np.uint32(1), block=(1, 1, 1))
