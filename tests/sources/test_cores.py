"""CUDA C++ on the cores: what needs a GPU elsewhere runs here where clang is found."""

import subprocess
import sys

import numpy as np
import pytest
import tessera.numpy as tn
from hypothesis import given, settings
from hypothesis import strategies as st
from tessera.cuda.source import clang
from tessera.errors import CudaSourceError, CudaSupportError

from tessera import _core, cuda

pytestmark = [
    pytest.mark.skipif(clang.find() is None, reason=f"no clang {clang.OLDEST} to {clang.NEWEST} is found"),
    pytest.mark.skipif(bool(_core.devices()), reason="kernels run on the GPU"),
]


def launch(code, name, grid, block, args, **more):
    """Runs a kernel; arrays of NumPy are changed as the kernel does."""
    cuda.RawKernel(code, name)(grid, block, args, **more)


def test_a_thread_for_each_element():
    code = r"""extern "C" __global__ void axpy(int n, float a, const float* x, float* y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] += a * x[i];
    }"""
    x, y = tn.arange(1000, dtype="f4"), tn.ones(1000, dtype="f4")
    launch(code, "axpy", (8,), (128,), (1000, 2.0, x, y))
    np.testing.assert_array_equal(np.asarray(y), 1 + 2 * np.arange(1000, dtype="f4"))


def test_pending_results_are_there_before_a_kernel_and_after_it():
    code = 'extern "C" __global__ void twice(double* a) { a[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }'
    a = tn.arange(256.0) + 1
    b = a * 3
    launch(code, "twice", (2,), (128,), (b,))
    c = b + a
    np.testing.assert_array_equal(np.asarray(c), 7 * (np.arange(256.0) + 1))
    np.testing.assert_array_equal(np.asarray(a), np.arange(256.0) + 1)


def test_shared_arrays_of_complex_numbers():
    code = r"""#include <cupy/complex.cuh>
    extern "C" __global__ void turn(const complex<float>* x, complex<float>* y) {
        __shared__ complex<float> s[64];
        s[threadIdx.x] = x[threadIdx.x] * complex<float>(0, 1);
        __syncthreads();
        y[threadIdx.x] = s[63 - threadIdx.x] + complex<float>();
    }"""
    x, y = tn.asarray((np.arange(64) + 1j).astype("c8")), tn.zeros(64, "c8")
    launch(code, "turn", (1,), (64,), (x, y))
    np.testing.assert_array_equal(np.asarray(y), (np.asarray(x) * 1j)[::-1])


def test_reductions_of_structures_with_constructors():
    span = cuda.ReductionKernel(
        "T x", "T low, T high", "Span(x)", "join(a, b)", "low = a.low; high = a.high", None, "span", reduce_type="Span",
        preamble="struct Span { T low, high; __device__ Span(T x = 0) : low(x), high(x) {} };"
        "__device__ Span join(Span a, Span b) { Span c; c.low = min(a.low, b.low); c.high = max(a.high, b.high); return c; }",
    )  # fmt: skip
    a = np.array([[3, -1, 7], [2, 5, 4]], np.int32)
    low, high = span(tn.asarray(a), axis=1)
    assert low.tolist() == [-1, 2] and high.tolist() == [7, 5]


REVERSE = r"""extern "C" __global__ void turn(const int* a, int* b, int n) {
    __shared__ int t[256];
    int i = threadIdx.x, j = blockIdx.x * blockDim.x + i;
    if (j < n) t[i] = a[j];
    __syncthreads();
    if (j < n) b[j] = t[blockDim.x - 1 - i];
}"""


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 5), st.integers(1, 256))
def test_threads_meet_at_barriers(blocks, threads):
    a, b = tn.arange(blocks * threads, dtype="i4"), tn.zeros(blocks * threads, dtype="i4")
    launch(REVERSE, "turn", (blocks,), (threads,), (a, b, blocks * threads))
    expected = np.arange(blocks * threads, dtype="i4").reshape(blocks, threads)[:, ::-1].ravel()
    np.testing.assert_array_equal(np.asarray(b), expected)


TILES = r"""#define T 16
extern "C" __global__ void product(const float* a, const float* b, float* c, int n) {
    __shared__ float x[T][T], y[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += T) {
        x[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
        __syncthreads();
        for (int i = 0; i < T; ++i) sum += x[threadIdx.y][i] * y[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}"""


def test_barriers_in_a_loop():
    n, rng = 64, np.random.default_rng(0)
    a, b, c = rng.integers(0, 9, (n, n)).astype("f4"), rng.integers(0, 9, (n, n)).astype("f4"), np.zeros((n, n), "f4")
    launch(TILES, "product", (n // 16, n // 16), (16, 16), (a, b, c, n))
    np.testing.assert_array_equal(c, a @ b)


SUM = r"""extern "C" __global__ void total(const double* a, double* b, int n) {
    extern __shared__ double s[];
    int t = threadIdx.x;
    s[t] = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) s[t] += a[i];
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) b[blockIdx.x] = s[0];
}"""


@pytest.mark.parametrize("threads", [1, 2, 32, 64, 256, 1024])
def test_dynamic_shared_memory_and_a_tree(threads):
    a, b = np.arange(5000.0), np.zeros(3)
    launch(SUM, "total", (3,), (threads,), (a, b, 5000), shared_mem=8 * threads)
    assert b.sum() == a.sum()


def test_threads_that_return_before_a_barrier():
    code = r"""extern "C" __global__ void early(int* a, int n) {
        __shared__ int count;
        if (threadIdx.x == 0) count = 0;
        __syncthreads();
        if (threadIdx.x >= n) return;
        atomicAdd(&count, 1);
        __syncthreads();
        a[blockIdx.x * blockDim.x + threadIdx.x] = count;
    }"""
    a = np.zeros((3, 100), "i4")
    launch(code, "early", (3,), (100,), (a, 37))
    np.testing.assert_array_equal(a, np.where(np.arange(100) < 37, 37, 0) * np.ones((3, 1), int))


def test_loops_that_end_at_different_times_between_barriers():
    code = r"""extern "C" __global__ void steps(const int* n, int* out) {
        int t = threadIdx.x, total = 0;
        for (int k = 0; k < n[t]; ++k) total += k;
        __syncthreads();
        for (int k = 0; k < n[t]; ++k) total += 1;
        out[t] = total;
    }"""
    n = np.random.default_rng(1).integers(0, 50, 90).astype("i4")
    out = np.zeros(90, "i4")
    launch(code, "steps", (1,), (90,), (n, out))
    np.testing.assert_array_equal(out, n * (n - 1) // 2 + n)


def test_votes_of_a_block():
    code = r"""extern "C" __global__ void votes(const int* a, int* b) {
        int n = __syncthreads_count(a[threadIdx.x]);
        int any = __syncthreads_or(a[threadIdx.x] > 8), all = __syncthreads_and(a[threadIdx.x] < 10);
        if (threadIdx.x == 0) b[0] = n, b[1] = any, b[2] = all;
    }"""
    a, b = (np.arange(100) % 10).astype("i4"), np.zeros(3, "i4")
    launch(code, "votes", (1,), (100,), (a, b))
    assert b.tolist() == [90, 1, 1]


def test_shuffles():
    code = r"""extern "C" __global__ void sums(const float* a, float* b, int* c) {
        int t = threadIdx.x;
        float v = a[t];
        for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffff, v, k);
        if (t % 32 == 0) b[t / 32] = v;
        c[t] = __shfl_xor_sync(0xffffffff, t, 1);
        c[t] += 1000 * __shfl_sync(0xffffffff, t, 3, 8) + 1000000 * __shfl_up_sync(0xffffffff, t % 32, 1);
    }"""
    a, b, c = np.arange(96, dtype="f4"), np.zeros(3, "f4"), np.zeros(96, "i4")
    launch(code, "sums", (1,), (96,), (a, b, c))
    np.testing.assert_array_equal(b, a.reshape(3, 32).sum(axis=1))
    t = np.arange(96)
    np.testing.assert_array_equal(c, (t ^ 1) + 1000 * (t // 8 * 8 + 3) + 1000000 * np.maximum(t % 32 - 1, 0))


def test_warps_that_go_different_ways():
    code = r"""extern "C" __global__ void ways(int* out) {
        __shared__ int part[32];
        int t = threadIdx.x, lane = t % 32, warp = t / 32, v = t;
        for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(0xffffffff, v, k);
        if (lane == 0) part[warp] = v;
        __syncthreads();
        if (warp == 0) {
            v = lane < blockDim.x / 32 ? part[lane] : 0;
            for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffff, v, k);
            if (lane == 0) out[blockIdx.x] = v;
        }
        unsigned low = lane < 7 ? __ballot_sync(0x7f, t & 1) : __ballot_sync(0xffffff80u, lane == 31);
        out[2 + blockIdx.x * blockDim.x + t] = low;
    }"""
    out = np.zeros(2 + 2 * 128, "i4")
    launch(code, "ways", (2,), (128,), (out,))
    assert out[:2].tolist() == [128 * 127 // 2] * 2
    lane = np.arange(256) % 32
    np.testing.assert_array_equal(out[2:].view("u4"), np.where(lane < 7, 0b0101010, 0x80000000).astype("u4"))


def test_groups_at_different_barriers_keep_their_own_numbers():
    code = r"""
    __device__ int red(int *s, int t, int v) {
      s[t] = v; __syncthreads(); int r = 0;
      for (int i = 0; i < 64; i++) r += s[i];
      __syncthreads(); return r;
    }
    extern "C" __global__ void k(int *o, int n) {
      __shared__ int s[64]; int t = threadIdx.x, r = 0, q = 0;
      for (int i = 1; i <= n; i++) {
        int v; if (t < 32) v = red(s, t, i); else v = red(s, t, 2 * i);
        r += v * i;
        if (t < 32) { __syncthreads(); q += i; } else { __syncthreads(); q += 2 * i; }
      }
      o[t] = r; o[64 + t] = q;
    }"""
    o = np.zeros(128, dtype="i4")
    launch(code, "k", (1,), (64,), (o, 4))
    assert (o[:64] == sum(i * 96 * i for i in range(1, 5))).all()
    assert (o[64:96] == 10).all() and (o[96:] == 20).all()


@pytest.mark.parametrize(
    "who, shuffle",
    [("w", ""), ("w", "o[64 + t] = __shfl_sync(~0u, t, 3);"), ("t", "o[64 + t] = __shfl_sync(~0u, t, 3);")],
)
def test_who_arrives_at_a_barrier_waits_for_the_others(who, shuffle):
    code = r"""
    extern "C" __global__ void k(int *o, const int *z, int n) {
      __shared__ int s[2][64]; int t = threadIdx.x, w = t / 32;
      s[0][t] = t; SHUFFLE __syncthreads();
      for (int i = z[t]; i < n; i++) {
        int v = s[i & 1][t ^ 32]; s[(i + 1) & 1][t] = v * 2 % 1009 + 1;
        if ((i + WHO) & 1) { __syncthreads(); v = 3; } else { __syncthreads(); v = 5; }
        o[64 + t] += v;
      }
      o[t] = s[n & 1][t];
    }""".replace("WHO", who).replace("SHUFFLE", shuffle)
    o, threads = np.zeros(128, dtype="i4"), np.arange(64)
    launch(code, "k", (1,), (64,), (o, np.zeros(64, dtype="i4"), 5))
    wanted = threads
    for _ in range(5):
        wanted = wanted[threads ^ 32] * 2 % 1009 + 1
    assert (o[:64] == wanted).all()


@pytest.mark.parametrize("a, b", [(-(2**31), -1), (5, 0), (7, 2), (-7, 2)])
def test_integer_divisions_end_no_process(a, b):
    code = r"""extern "C" __global__ void k(int *o, int a, int b) {
        o[0] = a % b; o[1] = a / b; o[2] = (unsigned)a / (unsigned)b; o[3] = (unsigned)a % (unsigned)b;
    }"""
    o = np.zeros(4, dtype="i4")
    launch(code, "k", (1,), (1,), (o, a, b))
    unsigned = [a % 2**32 // (b % 2**32), a % 2**32 % (b % 2**32)] if b else [0, 0]
    signed = [0, a] if b == -1 else [a - int(a / b) * b, int(a / b)] if b else [0, 0]
    assert o.tolist() == signed + np.array(unsigned, dtype="u4").astype("i4").tolist()


def test_an_elements_number_or_its_positions_index_a_raw_array():
    x = tn.arange(6, dtype="f4").reshape(2, 3) + 1
    first = cuda.ElementwiseKernel("raw T x", "T y", "y = x[0] + i", "first_of_raw")(x, size=3)
    assert np.asarray(first).tolist() == [1, 2, 3]
    body = "int at[] = {1, 2}; ptrdiff_t other[] = {0, 1}; y = x[at] + x[other]"
    assert np.asarray(cuda.ElementwiseKernel("raw T x", "T y", body, "positions_of_raw")(x, size=2)).tolist() == [8, 8]


def test_threads_that_are_here():
    code = r"""extern "C" __global__ void count(int* total, int* places) {
        int t = threadIdx.x;
        if (t % 3 == 0) {
            unsigned here = __activemask();
            int leader = __ffs(here) - 1, before = 0;
            if (t % 32 == leader) before = atomicAdd(total, __popc(here));
            before = __shfl_sync(here, before, leader);
            places[before + __popc(here & ((1u << (t % 32)) - 1))] = t;
        }
    }"""
    total, places = np.zeros(1, "i4"), np.full(22, -1, "i4")
    launch(code, "count", (1,), (64,), (total, places))
    assert total[0] == 22
    assert sorted(places.tolist()) == list(range(0, 64, 3))


def test_blocks_that_wait_for_each_other():
    code = r"""#include <cooperative_groups.h>
    extern "C" __global__ void phases(int* a, int* b) {
        cooperative_groups::grid_group grid = cooperative_groups::this_grid();
        int i = grid.thread_rank(), n = grid.size();
        a[i] = i;
        grid.sync();
        b[i] = a[n - 1 - i];
        grid.sync();
        a[i] = b[(i + 1) % n];
    }"""
    a, b = np.zeros(640, "i4"), np.zeros(640, "i4")
    cuda.RawKernel(code, "phases", enable_cooperative_groups=True)((10,), (64,), (a, b))
    np.testing.assert_array_equal(b, np.arange(640)[::-1])
    np.testing.assert_array_equal(a, np.roll(b, -1))


def test_atomics_of_blocks():
    code = r"""extern "C" __global__ void bins(const unsigned char* a, int* h, double* s, float* m, int n) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            atomicAdd(&h[a[i]], 1);
            atomicAdd(s, (double)a[i]);
            atomicMax((int*)m, __float_as_int((float)a[i]));
        }
    }"""
    a = np.random.default_rng(2).integers(0, 200, 20000).astype("u1")
    h, s, m = np.zeros(256, "i4"), np.zeros(1), np.zeros(1, "f4")
    launch(code, "bins", (40,), (128,), (a, h, s, m, a.size))
    np.testing.assert_array_equal(h, np.bincount(a, minlength=256))
    assert s[0] == a.sum(dtype=float) and m[0] == a.max()


def test_templates_and_variables():
    code = r"""__constant__ float scale[4];
    __device__ int calls;
    template <class T, int k> __global__ void apply(T* a, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) a[i] = a[i] * scale[k] + k;
        if (i == 0) ++calls;
    }"""
    names = ["apply<double, 2>", "apply<float, 1>"]
    module = cuda.RawModule(code=code, name_expressions=names)
    module.get_global("scale")[...] = np.array([1, 10, 100, 1000], "f4")
    for name, dtype, k in zip(names, ("f8", "f4"), (2, 1)):
        a = tn.arange(10, dtype=dtype)
        module.get_function(name)((1,), (32,), (a, 10))
        np.testing.assert_array_equal(np.asarray(a), np.arange(10) * 10**k + k)
    assert int(np.asarray(module.get_global("calls")).reshape(())) == 2


def test_structures_and_local_arrays():
    code = r"""struct Box { float low[2]; double high; int n; };
    extern "C" __global__ void fill(Box box, double* out) {
        double local[8];
        for (int k = 0; k < 8; ++k) local[(k * 3) % 8] = k + box.low[k % 2];
        box.n += threadIdx.x;
        __syncthreads();
        out[threadIdx.x] = local[threadIdx.x % 8] + box.high * box.n;
    }"""
    box = np.zeros(1, np.dtype([("low", "f4", 2), ("high", "f8"), ("n", "i4")], align=True))
    box["low"], box["high"], box["n"] = [0.5, 0.25], 2.0, 3
    out = np.zeros(20)
    launch(code, "fill", (1,), (20,), (box[0], out))
    local = np.zeros(8)
    for k in range(8):
        local[k * 3 % 8] = k + (0.5, 0.25)[k % 2]
    np.testing.assert_array_equal(out, local[np.arange(20) % 8] + 2.0 * (3 + np.arange(20)))


def test_functions_of_mathematics():
    code = r"""extern "C" __global__ void all(const double* x, double* y, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        double v = x[i];
        y[i] = sin(v) + exp(-v) + log(v) + pow(v, 1.5) + sqrt(v) + tanh(v) + atan2(v, 2.0) + erf(v) + cbrt(v) + fma(v, v, 1.0) + rsqrt(v);
    }"""
    from scipy.special import erf

    x = np.linspace(0.1, 5, 777)
    y = np.zeros_like(x)
    launch(code, "all", (7,), (128,), (x, y, x.size))
    expected = (np.sin(x) + np.exp(-x) + np.log(x) + x**1.5 + np.sqrt(x) + np.tanh(x) + np.arctan2(x, 2.0) + erf(x) + np.cbrt(x)
                + x * x + 1 + 1 / np.sqrt(x))  # fmt: skip
    np.testing.assert_allclose(y, expected, rtol=1e-14)


def test_halves():
    code = r"""#include <cuda_fp16.h>
    extern "C" __global__ void halves(const __half* a, __half* b, float* c, int n) {
        int i = threadIdx.x;
        if (i < n) { b[i] = __hfma(a[i], a[i], __float2half(1.0f)); c[i] = __half2float(a[i] / b[i]); }
    }"""
    a = np.random.default_rng(3).random(100).astype("f2")
    b, c = np.zeros(100, "f2"), np.zeros(100, "f4")
    launch(code, "halves", (1,), (128,), (a, b, c, 100))
    expected = (a.astype(float) ** 2 + 1).astype("f2")
    np.testing.assert_array_equal(b, expected)
    np.testing.assert_array_equal(c, (a.astype("f4") / expected.astype("f4")).astype("f2").astype("f4"))


def test_complex_numbers():
    code = r"""#include <cupy/complex.cuh>
    extern "C" __global__ void turn(const complex<float>* a, complex<float>* b, complex<double> by, int n) {
        int i = threadIdx.x;
        if (i < n) b[i] = a[i] * complex<float>(by) + conj(a[i]);
    }"""
    a = (np.arange(20) + 1j * np.arange(20)[::-1]).astype("c8")
    b = np.zeros(20, "c8")
    launch(code, "turn", (1,), (32,), (a, b, np.complex128(2 - 1j), 20))
    np.testing.assert_allclose(b, a * (2 - 1j) + a.conj(), rtol=1e-6)


def test_random_numbers_are_curands():
    code = r"""#include <curand_kernel.h>
    extern "C" __global__ void draw(unsigned* a, unsigned* b, float* c) {
        int i = threadIdx.x;
        curandState x; curand_init(1234, i, 0, &x);
        a[2 * i] = curand(&x), a[2 * i + 1] = curand(&x);
        curandStatePhilox4_32_10_t p; curand_init(1234, i, 0, &p);
        b[2 * i] = curand(&p), b[2 * i + 1] = curand(&p);
        c[i] = curand_uniform(&x);
        curandState y, z; curand_init(5, 3, 1000, &y); curand_init(5, 3, 0, &z);
        for (int k = 0; k < 1000; ++k) curand(&z);
        if (curand(&y) != curand(&z)) c[i] = -1;
    }"""
    a, b, c = np.zeros(8, "u4"), np.zeros(8, "u4"), np.zeros(4, "f4")
    launch(code, "draw", (1,), (4,), (a, b, c))
    assert ((c > 0) & (c <= 1)).all() and len(set(a.tolist())) == 8
    np.testing.assert_array_equal(b, np.concatenate([philox(1234, i)[:2] for i in range(4)]))


def philox(seed, sequence):
    c, k = [0, 0, sequence, 0], [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(q >> 32) ^ c[1] ^ k[0], q & 0xFFFFFFFF, (p >> 32) ^ c[3] ^ k[1], p & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.array(c, "u4")


def test_printed_lines():
    program = """if True:
        from tessera import cuda
        k = cuda.RawKernel(r'extern "C" __global__ void say(float x) { printf("%d of %u: %5.2f %s %c %lld\\n", threadIdx.x, blockDim.x, x, "word", 65, 1ll << 40); }', "say")
        print("first"); k((1,), (2,), (1.5,)); cuda.synchronize(); print("last")"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    lines = ["first", "0 of 2:  1.50 word A 1099511627776", "1 of 2:  1.50 word A 1099511627776", "last"]
    assert done.stdout.splitlines() == lines, done.stderr


def test_an_assertion_names_its_line_block_and_thread():
    code = """extern "C" __global__ void check(int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        assert(i < n);
    }"""
    with pytest.raises(RuntimeError, match=r"check.cu:3: block: \[1,0,0\], thread: \[3,0,0\] Assertion `i < n` failed"):
        launch(code, "check", (2,), (8,), (11,))
    launch(code, "check", (2,), (8,), (16,))


def test_errors_have_the_users_lines():
    code = 'extern "C" __global__ void k(float* a) {\n  a[0] = undeclared;\n}'
    with pytest.raises(CudaSourceError, match=r"k.cu:2:10: error: use of undeclared identifier 'undeclared'"):
        cuda.RawKernel(code, "k").compile()


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('int x; asm("mov.u32 %0, %%laneid;" : "=r"(x)); a[0] = x;', r"k.cu\(2\): inline PTX runs on a GPU alone"),
        ("a[0] = tex2D<float>(1ull, 0.f, 0.f);", "read the array through a pointer"),
        ("a[0] = __fadd_rz(a[0], 1.f);", "use __fadd_rn"),
    ],
)
def test_what_only_a_gpu_has(body, says):
    code = f'extern "C" __global__ void k(float* a) {{\n  {body}\n}}'
    with pytest.raises((CudaSourceError, NotImplementedError), match=says):
        cuda.RawKernel(code, "k")((1,), (1,), (np.zeros(1, "f4"),))


RECURSION = r"""__device__ int steps(int n) { return n < 2 ? n : steps(n - 1) + steps(n - 2)%s; }
extern "C" __global__ void f(int* a) { a[threadIdx.x] = steps(threadIdx.x); }"""


def test_functions_that_call_themselves():
    a = np.zeros(12, "i4")
    launch(RECURSION % "", "f", (1,), (12,), (a,))
    assert a.tolist() == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
    with pytest.raises(NotImplementedError, match=r"f.cu\(1\): a function that calls itself"):
        launch(RECURSION % " + threadIdx.x", "f", (1,), (12,), (a,))


def test_values_of_sixteen_bytes_are_shuffled():
    code = r"""#include <cooperative_groups.h>
    extern "C" __global__ void turn(const float4* a, float4* b) {
        auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
        b[threadIdx.x] = tile.shfl_xor(a[threadIdx.x], 5);
    }"""
    a = np.arange(4 * 40, dtype="f4")
    b = np.zeros_like(a)
    launch(code, "turn", (1,), (40,), (a, b))
    np.testing.assert_array_equal(b.reshape(40, 4), a.reshape(40, 4)[np.arange(40) ^ 5])


LOOPS = r"""extern "C" __global__ void loops(const float* a, const int* n, float* out, int count) {
    __shared__ float s[64];
    int t = threadIdx.x + blockDim.x * threadIdx.y, m = n[0];
    float total = 0;
    for (int k = 0; k < count; k += 64) {
        if (t < 64) s[t] = a[k + t];
        __syncthreads();
        if (t >= n[1] && k + 64 == count) return;
        for (int q = 0; q < 64; ++q) total += s[q] * (t + 1);
        for (int q = 0; q < m; ++q) total += s[q];
        if (t < 40)
            for (int q = 0; q < m; ++q) total -= s[q] * q;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x * blockDim.y + t] = total;
}"""


@settings(deadline=None, max_examples=15)
@given(st.integers(1, 40), st.integers(1, 8), st.integers(0, 64), st.integers(0, 200))
def test_loops_that_all_threads_leave_together(x, y, m, leave):
    threads = max(x * y, 64) if x * y < 64 else x * y
    x, y = (64, 1) if x * y < 64 else (x, y)
    a = np.random.default_rng(5).integers(0, 9, 192).astype("f4")
    out = np.zeros((2, threads), "f4")
    launch(LOOPS, "loops", (2,), (x, y), (a, np.array([m, leave], "i4"), out, 192))
    t = np.arange(threads)
    each = sum(part.sum() * (t + 1) + part[:m].sum() - np.where(t < 40, (part[:m] * np.arange(m)).sum(), 0)
               for part in a.reshape(3, 64))  # fmt: skip
    np.testing.assert_array_equal(out, np.where(t < leave, each, 0) * np.ones((2, 1)))


def test_elementwise_and_reduction_kernels():
    square = cuda.ElementwiseKernel("float64 x, float64 y", "float64 z", "z = (x - y) * (x - y)", "square")
    np.testing.assert_array_equal(np.asarray(square(tn.arange(10.0), 2.0)), (np.arange(10.0) - 2) ** 2)
    norm = cuda.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    a = np.random.default_rng(4).random((7, 1000))
    np.testing.assert_allclose(np.asarray(norm(tn.asarray(a), axis=1)), np.sqrt((a * a).sum(axis=1)), rtol=1e-13)


def test_without_clang_the_error_names_the_command(monkeypatch):
    monkeypatch.setattr(clang, "find", lambda: None)
    with pytest.raises(CudaSupportError, match=r"pip install"):
        cuda.RawKernel('extern "C" __global__ void k(float* a) { a[0] = 1; }', "k")(
            (1,), (1,), (tn.zeros(1, dtype="f4"),)
        )


def test_without_any_compiler_the_error_names_the_same_command(monkeypatch):
    def missing():
        raise CudaSupportError("NVRTC was not found")

    monkeypatch.setattr(clang, "find", lambda: None)
    monkeypatch.setattr(_core.sources, "compiler_facts", missing)
    with pytest.raises(CudaSupportError, match=r"pip install tessera\[cpp\]"):
        cuda.RawKernel('extern "C" __global__ void k() {}', "k").compile()


def test_code_is_found_again():
    code = 'extern "C" __global__ void k(float* a) { a[threadIdx.x] = %d; }'
    a = tn.zeros(4, dtype="f4")
    for value in (7, 7, 8):
        cuda.RawKernel(code % value, "k")((1,), (4,), (a,))
        assert np.asarray(a).tolist() == [value] * 4
