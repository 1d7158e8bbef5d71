"""Kernels in CUDA C++ with one fault each, in the line that is marked with <-. They get `const float* x, float* out, int n`: x has n elements, out
n + 1; 64 threads a block."""

INDEX, RACE, UNWRITTEN, BARRIER, DIVISOR = "out of bounds", "race on", "never written", "barrier", "division by zero"
N = 64
HEAD = '#include <cooperative_groups.h>\nextern "C" __global__ void faulty(const float* x, float* out, int n) {\n'

# What is found, the number of blocks, and the kernel's body.
FAULTS = {
    "reads_behind_the_end": (INDEX, 2, "int i = blockIdx.x * blockDim.x + threadIdx.x;\nout[i] = x[i + 1]; // <-\n"),
    "writes_behind_the_end": (INDEX, 3, "int i = blockIdx.x * blockDim.x + threadIdx.x;\nout[i + 1] = 1; // <-\n"),
    "reads_before_the_beginning": (INDEX, 1, "int i = threadIdx.x;\nout[i] = x[i]\n  + x[i - 1]; // <-\n"),
    "reads_a_wider_word": (
        INDEX,
        1,
        "const float4* v = (const float4*)x;\nfloat4 w = v[threadIdx.x]; // <-\nout[0] = w.x;\n",
    ),
    "counts_behind_the_end": (INDEX, 1, "atomicAdd(&out[threadIdx.x + 2], 1.f); // <-\n"),
    "writes_behind_shared": (
        INDEX,
        1,
        "__shared__ float s[63];\ns[threadIdx.x] = x[threadIdx.x]; // <-\n__syncthreads();\nout[threadIdx.x] = s[0];\n",
    ),
    "writes_into_the_next_shared_array": (
        INDEX,
        1,
        "__shared__ float a[32]; __shared__ float b[64];\nb[threadIdx.x] = 0;\n__syncthreads();\na[threadIdx.x] = x[threadIdx.x]; // <-\n"
        "__syncthreads();\nout[threadIdx.x] = a[0] + b[0];\n",
    ),
    "reads_behind_a_local_array": (
        INDEX,
        1,
        "float t[8];\nfor (int k = 0; k < 8; ++k) t[k] = x[k];\nout[threadIdx.x] = t[threadIdx.x]; // <-\n",
    ),
    "reads_behind_a_constant": (
        INDEX,
        1,
        "static __constant__ float c[16] = {1};\nout[threadIdx.x] = c[threadIdx.x]; // <-\n",
    ),
    "misses_the_edge_in_a_loop": (
        INDEX,
        1,
        "for (int k = threadIdx.x; k <= n; k += 32)\n  out[k] = x[k]; // <-\n",
    ),
    "walks_too_far": (
        INDEX,
        1,
        "const float* p = x;\nfloat sum = 0;\nwhile (p <= x + n)\n  sum += *p++; // <-\nout[0] = sum;\n",
    ),
    "follows_null": (
        "null pointer",
        1,
        "float* p = threadIdx.x < 8 ? nullptr : out;\nif (threadIdx.x < 4) p[threadIdx.x] = 1; // <-\n",
    ),
    "uses_dynamic_memory_that_is_not_there": (
        INDEX,
        1,
        "extern __shared__ float d[];\nd[threadIdx.x] = x[threadIdx.x]; // <-\n__syncthreads();\nout[threadIdx.x] = d[0];\n",
    ),
    "shifts_in_place": (
        RACE,
        1,
        "__shared__ float s[64];\ns[threadIdx.x] = x[threadIdx.x];\n__syncthreads();\nif (threadIdx.x < 63) s[threadIdx.x] = s[threadIdx.x + 1]; // <-\n"
        "__syncthreads();\nout[threadIdx.x] = s[threadIdx.x];\n",
    ),
    "forgets_the_barrier_after_writes": (
        RACE,
        1,
        "__shared__ float s[64];\ns[threadIdx.x] = x[threadIdx.x];\nout[threadIdx.x] = s[63 - threadIdx.x]; // <-\n",
    ),
    "forgets_the_barrier_before_writes": (
        RACE,
        1,
        "__shared__ float s[64];\nfor (int k = 0; k < 2; ++k) {\n  s[threadIdx.x] = x[threadIdx.x] + k; // <-\n  __syncthreads();\n"
        "  out[threadIdx.x] = s[63 - threadIdx.x];\n}\n",
    ),
    "reduces_without_a_barrier": (
        RACE,
        1,
        "__shared__ float s[64];\ns[threadIdx.x] = x[threadIdx.x];\n__syncthreads();\nfor (int k = 32; k > 0; k /= 2)\n"
        "  if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; // <-\nif (threadIdx.x == 0) out[0] = s[0];\n",
    ),
    "relies_on_warps_in_step": (
        RACE,
        1,
        "__shared__ volatile float s[64];\ns[threadIdx.x] = x[threadIdx.x];\n__syncthreads();\nif (threadIdx.x < 32) {\n"
        "  s[threadIdx.x] += s[threadIdx.x + 16]; // <-\n}\nif (threadIdx.x == 0) out[0] = s[0];\n",
    ),
    "counts_without_atomics": (
        RACE,
        1,
        "__shared__ int count;\nif (threadIdx.x == 0) count = 0;\n__syncthreads();\ncount += threadIdx.x; // <-\n__syncthreads();\nout[0] = count;\n",
    ),
    "reads_while_others_count": (
        RACE,
        1,
        "__shared__ int count;\nif (threadIdx.x == 0) count = 0;\n__syncthreads();\natomicAdd(&count, 1);\nout[threadIdx.x] = count; // <-\n",
    ),
    "different_values_at_once": (
        RACE,
        1,
        "__shared__ int last;\nlast = threadIdx.x; // <-\n__syncthreads();\nout[threadIdx.x] = last;\n",
    ),
    "races_of_bytes": (
        RACE,
        1,
        "__shared__ int words[16];\nchar* bytes = (char*)words;\nbytes[threadIdx.x] = threadIdx.x;\nout[threadIdx.x] = words[threadIdx.x / 4]; // <-\n",
    ),
    "syncs_the_wrong_half": (
        RACE,
        1,
        "__shared__ float s[64];\ns[threadIdx.x] = x[threadIdx.x];\n__syncwarp();\nout[threadIdx.x] = s[threadIdx.x ^ 32]; // <-\n",
    ),
    "reads_what_nobody_wrote": (
        UNWRITTEN,
        1,
        "__shared__ float s[64];\nif (threadIdx.x < 32) s[threadIdx.x] = x[threadIdx.x];\n__syncthreads();\nout[threadIdx.x] = s[threadIdx.x]; // <-\n",
    ),
    "counts_from_nothing": (
        UNWRITTEN,
        1,
        "__shared__ int bins[4];\natomicAdd(&bins[threadIdx.x % 4], 1); // <-\n__syncthreads();\nout[threadIdx.x] = bins[0];\n",
    ),
    "expects_the_last_block_memory": (
        UNWRITTEN,
        2,
        "__shared__ float s[64];\nif (blockIdx.x == 0) s[threadIdx.x] = x[threadIdx.x];\n__syncthreads();\n"
        "if (blockIdx.x < 2) out[threadIdx.x] = s[threadIdx.x]; // <-\n",
    ),
    "barrier_in_a_branch": (
        BARRIER,
        1,
        "out[threadIdx.x] = 0;\nif (threadIdx.x < 16) {\n  out[threadIdx.x] = 1;\n  __syncthreads(); // <-\n}\n",
    ),
    "barrier_in_the_other_branch": (
        BARRIER,
        1,
        "if (threadIdx.x < 16) {\n  out[threadIdx.x] = 0;\n} else {\n  __syncthreads(); // <-\n}\nout[threadIdx.x] = 2;\n",
    ),
    "barrier_in_a_case": (
        BARRIER,
        1,
        "switch (threadIdx.x % 4) {\n  case 1:\n    __syncthreads(); // <-\n    break;\n  default: break;\n}\n",
    ),
    "shuffle_that_others_pass_by": (
        BARRIER,
        1,
        "float v = x[threadIdx.x];\nif (threadIdx.x % 32 < 16) {\n  out[threadIdx.x] = 0;\n} else {\n"
        "  v = __shfl_xor_sync(0xffffffff, v, 1); // <-\n  out[threadIdx.x] = v;\n}\n",
    ),
    "syncs_a_tile_of_eight": (
        RACE,
        1,
        "__shared__ float s[64];\nauto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());\n"
        "s[threadIdx.x] = x[threadIdx.x];\ntile.sync();\nout[threadIdx.x] = s[threadIdx.x ^ 16]; // <-\n",
    ),
    "reads_pairs_that_nobody_wrote": (
        UNWRITTEN,
        1,
        "__shared__ float2 s[64];\nif (threadIdx.x > 99) s[0] = make_float2(1, 2);\n__syncthreads();\nfloat2 v = s[threadIdx.x]; // <-\nout[threadIdx.x] = v.x;\n",
    ),
    "writes_by_a_reference": (
        INDEX,
        1,
        "struct Span { float* p; __device__ float& operator[](int i) { return p[i]; } };\nSpan span{out};\nspan[threadIdx.x + 2] = 1; // <-\n",
    ),
    "copies_a_negative_length": (INDEX, 1, "if (threadIdx.x == 0)\n  memcpy(out, x, (long long)(n - 65)); // <-\n"),
    "divides_by_a_constant_zero": (DIVISOR, 1, "int z = 0;\nout[threadIdx.x] = n / z; // <-\n"),
    "two_barriers_for_one": (
        BARRIER,
        1,
        "if (threadIdx.x < 16)\n  __syncthreads(); // <-\nelse\n  __syncthreads(); // <-\nout[threadIdx.x] = 1;\n",
    ),
    "barrier_in_a_loop_of_different_lengths": (
        BARRIER,
        1,
        "for (int k = 0; k < threadIdx.x / 32 + 1; ++k)\n  __syncthreads(); // <-\nout[threadIdx.x] = 1;\n",
    ),
    "shuffle_for_all_in_half_a_warp": (
        BARRIER,
        1,
        "float v = x[threadIdx.x];\nif (threadIdx.x % 32 < 16)\n  v += __shfl_down_sync(0xffffffff, v, 8); // <-\n__syncthreads();\nout[threadIdx.x] = v;\n",
    ),
    "divides_by_a_counter": (DIVISOR, 1, "int k = threadIdx.x;\nout[k] = n / k; // <-\n"),
    "remainder_of_nothing": (DIVISOR, 1, "int k = threadIdx.x % 2;\nout[threadIdx.x] = n % k; // <-\n"),
}
