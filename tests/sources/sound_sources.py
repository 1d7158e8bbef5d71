"""Kernels in CUDA C++ without faults, some of which look as if they had one: bodies of `sound(const float* x, float* out, int n)`, where x has n
elements and out n + 1; blocks have 64 threads."""

HEAD = """#include <cooperative_groups.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
__constant__ float coefficients[4] = {1, 2, 3, 4};
__device__ int arrived;
struct Pair { float a; char tag; double b; };
struct Options { float scale; int first; const float* from; };
template <class T> __device__ T twice(T v) { return v + v; }
__device__ float sum_of_warp(float v) {
    for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffff, v, k);
    return v;
}
__device__ float gather(const float* from, int i, int n) { return i < n ? from[i] : 0; }
__device__ float fold(const float* v, int n) { return n == 1 ? v[0] : fold(v, n / 2) + fold(v + n / 2, n - n / 2); }
extern "C" __global__ void sound(const float* x, float* out, int n) {
int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
"""

KERNELS = {
    "guards_its_end": "if (i < n) out[i] = x[i];\n",
    "returns_before_a_barrier": "__shared__ float s[64];\nif (t >= 40) return;\ns[t] = x[t];\n__syncthreads();\nout[t] = s[39 - t];\n",
    "returns_between_barriers": (
        "__shared__ float s[64];\ns[t] = x[t];\n__syncthreads();\nif (t % 2) { out[t] = s[t]; return; }\n__syncthreads();\nout[t] = s[63 - t];\n"
    ),
    "strides_over_the_grid": "for (int k = i; k < n; k += gridDim.x * blockDim.x) out[k] = x[k] * 2;\n",
    "reduces_by_a_tree": (
        "__shared__ float s[64];\ns[t] = x[t];\n__syncthreads();\nfor (int k = 32; k > 0; k /= 2) {\n"
        "  if (t < k) s[t] += s[t + k];\n  __syncthreads();\n}\nif (t == 0) out[0] = s[0];\n"
    ),
    "reduces_by_shuffles": (
        "__shared__ float s[2];\nfloat v = sum_of_warp(x[t]);\nif (t % 32 == 0) s[t / 32] = v;\n__syncthreads();\nif (t == 0) out[0] = s[0] + s[1];\n"
    ),
    "shuffles_a_part_of_a_warp": "float v = x[t];\nif (t % 32 < 16) v += __shfl_xor_sync(0x0000ffff, v, 8, 16);\nout[t] = v;\n",
    "shuffles_halves_apart": (
        "float v = x[t];\nif (t % 32 < 16) v = __shfl_down_sync(0x0000ffff, v, 1);\nelse v = __shfl_up_sync(0xffff0000, v, 1);\nout[t] = v;\n"
    ),
    "scans_in_two_buffers": (
        "__shared__ float s[2][64];\nint from = 0;\ns[0][t] = x[t];\n__syncthreads();\nfor (int k = 1; k < 64; k *= 2) {\n"
        "  s[1 - from][t] = s[from][t] + (t >= k ? s[from][t - k] : 0);\n  from = 1 - from;\n  __syncthreads();\n}\nout[t] = s[from][t];\n"
    ),
    "counts_by_atomics": (
        "__shared__ int bins[8];\nif (t < 8) bins[t] = 0;\n__syncthreads();\natomicAdd(&bins[t % 8], 1);\n__syncthreads();\nif (t < 8) out[t] = bins[t];\n"
    ),
    "adds_by_comparing_and_exchanging": (
        "__shared__ double sum;\nif (t == 0) sum = 0;\n__syncthreads();\nunsigned long long* at = (unsigned long long*)&sum;\n"
        "unsigned long long old = *at, seen;\ndo {\n  seen = old;\n  old = atomicCAS(at, seen, __double_as_longlong(x[t] + __longlong_as_double(seen)));\n"
        "} while (seen != old);\n__syncthreads();\nout[t] = sum;\n"
    ),
    "finds_a_maximum_by_atomics": (
        "__shared__ float most; __shared__ double sum;\nif (t == 0) most = -1, sum = 0;\n__syncthreads();\natomicMax((int*)&most, __float_as_int(x[t]));\n"
        "atomicAdd(&sum, (double)x[t]);\n__syncthreads();\nout[t] = most + sum;\n"
    ),
    "returns_past_a_destructor": "struct Guard { float* o; __device__ ~Guard() { *o = 1; } };\nGuard g{out + t};\nif (t > 3) return;\n__syncthreads();\n",
    "returns_in_the_other_branch": "if (t < 16) { out[t] = 1; } else { return; }\n__syncthreads();\nout[t] = 2;\n",
    "writes_one_pair_together": (
        "__shared__ float2 p;\n__shared__ int q[8];\np = make_float2(x[3], 2);\nmemset(q, 0, sizeof q);\n__syncthreads();\nout[t] = p.x + q[t % 8];\n"
    ),
    "exchanges_an_element": (
        "__shared__ int b[8];\nif (t < 8) b[t] = 0;\n__syncthreads();\nint old = b[t % 8], seen;\ndo {\n  seen = old;\n"
        "  old = atomicCAS(&b[t % 8], seen, seen + 1);\n} while (seen != old);\n__syncthreads();\nout[t] = b[t % 8];\n"
    ),
    "the_last_thread_goes_on": (
        "__shared__ float s[64]; __shared__ int count;\nif (t == 0) count = 0;\n__syncthreads();\ns[t] = x[t];\n__threadfence_block();\n"
        "if (atomicAdd(&count, 1) == 63) { float v = 0; for (int k = 0; k < 64; ++k) v += s[k]; out[0] = v; }\n"
    ),
    "raises_one_flag_together": (
        "__shared__ int any;\nif (t == 0) any = 0;\n__syncthreads();\nif (x[t] > 3) any = 1;\n__syncthreads();\nout[t] = any;\n"
    ),
    "votes": "int many = __syncthreads_count(x[t] > 3);\nunsigned low = __ballot_sync(0xffffffff, x[t] < 9);\nout[t] = many + __popc(low);\n",
    "keeps_numbers_of_its_own": "float v[8];\nfor (int k = 0; k < 8; ++k) v[k] = x[k] * t;\nfloat s = 0;\nfor (int k = t % 8; k >= 0; --k) s += v[k];\nout[t] = s;\n",
    "reads_constants": "out[t] = coefficients[t & 3];\n",
    "loads_four_at_once": (
        "const float4* v = (const float4*)x;\nif (t < n / 4) { float4 w = v[t]; out[t] = w.x + w.y + w.z + w.w; }\n"
    ),
    "walks_a_pointer": "float s = 0;\nfor (const float* p = x; p != x + n; ++p) s += *p;\nout[t] = s;\n",
    "chooses_a_pointer": "const float* p = t % 2 ? x : coefficients;\nout[t] = p[t & 3];\n",
    "keeps_pairs_in_shared_memory": (
        "__shared__ Pair pairs[64];\npairs[t] = Pair{x[t], 'a', 2.0};\n__syncthreads();\nPair p = pairs[63 - t];\nout[t] = p.a + p.b;\n"
    ),
    "transposes_by_tiles": (
        "__shared__ float s[8][9];\ns[t / 8][t % 8] = x[t];\n__syncthreads();\nout[t] = s[t % 8][t / 8];\n"
    ),
    "reads_its_halo": (
        "__shared__ float s[66];\ns[t + 1] = x[t];\nif (t == 0) s[0] = 0;\nif (t == 63) s[65] = 0;\n__syncthreads();\nout[t] = s[t] + s[t + 1] + s[t + 2];\n"
    ),
    "uses_one_memory_twice": (
        "__shared__ float s[64];\nfor (int k = 0; k < 3; ++k) {\n  s[t] = x[t] + k;\n  __syncthreads();\n  out[t] = s[63 - t];\n  __syncthreads();\n}\n"
    ),
    "syncs_its_warp": (
        "__shared__ float s[64];\ns[t] = x[t];\n__syncwarp();\nfloat v = s[t ^ 1];\n__syncwarp();\ns[t] = v * 2;\n__syncwarp();\nout[t] = s[t ^ 3];\n"
    ),
    "syncs_tiles": (
        "__shared__ float s[64];\ncg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());\ns[t] = x[t];\ntile.sync();\n"
        "float v = s[t ^ 7];\ntile.sync();\ns[t] = v;\ncg::sync(cg::this_thread_block());\nout[t] = s[63 - t];\n"
    ),
    "the_last_block_goes_on": (
        "__shared__ bool is_last;\nout[t] = x[t];\n__threadfence();\n__syncthreads();\nif (t == 0) is_last = atomicAdd(&arrived, 1) == gridDim.x - 1;\n"
        "__syncthreads();\nif (is_last && t == 0) arrived = 0;\n"
    ),
    "calls_itself": "if (t == 0) out[0] = fold(x, n);\n",
    "takes_options": "Options options{2, 1, x};\nout[t] = t + options.first < n ? options.scale * options.from[t + options.first] : 0;\n",
    "uses_halves": "__half h = __float2half(x[t]);\nout[t] = __half2float(__hadd(h, h));\n",
    "gathers_in_a_function": "out[t] = gather(x, t * 3, n) + twice(x[t]);\n",
    "loops_while_the_block_does": (
        "__shared__ int left;\nif (t == 0) left = 3;\n__syncthreads();\nwhile (true) {\n  int now = left;\n  __syncthreads();\n  if (now == 0) break;\n"
        "  if (t == 0) left = now - 1;\n  __syncthreads();\n}\nout[t] = left;\n"
    ),
    "switches_by_blocks": (
        "__shared__ float s[64];\nswitch (blockIdx.x % 2) {\n  case 0: s[t] = x[t]; __syncthreads(); out[t] = s[63 - t]; break;\n  default: __syncthreads();\n}\n"
    ),
    "divides_where_it_may": "int d = t % 4;\nif (d) out[t] = n / d + n % d;\nelse out[t] = 0;\n",
    "fills_and_copies": "char b[16];\nmemset(b, 1, 16);\nchar c[16];\nmemcpy(c, b, 16);\nout[t] = c[t % 16];\n",
    "writes_behind_its_view": "float* middle = out + 8;\nmiddle[-8 + t] = x[t];\n",
}
