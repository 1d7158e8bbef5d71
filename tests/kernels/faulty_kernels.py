"""Forty kernels with one planted fault each. The lines that a check must name end with a mark, the kind is in the table below."""

import numpy as np

from tessera import cuda

N = 64


def shared_neighbour(x, out):
    s = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    s[t] = x[t]  # <-
    out[t] = s[63 - t]  # <-


def shared_second_phase(x, out):
    s = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    v = s[63 - t]  # <-
    s[t] = v + 1  # <-
    out[t] = s[t]


def tree_without_barrier(x, out):
    s = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    k = 32
    while k > 0:
        if t < k:
            s[t] += s[t + k]  # <-
        k //= 2
    if t == 0:
        out[0] = s[0]


def scan_in_place(x, out):
    s = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    step = 1
    while step < 64:
        if t >= step:
            s[t] += s[t - step]  # <-
        cuda.syncthreads()
        step *= 2
    out[t] = s[t]


def histogram_without_atomic(x, out):
    s = cuda.shared.array(8, np.int64)
    t = cuda.threadIdx.x
    if t < 8:
        s[t] = 0
    cuda.syncthreads()
    s[t % 8] += 1  # <-
    cuda.syncthreads()
    if t < 8:
        out[t] = s[t]


def histogram_not_cleared_in_time(x, out):
    s = cuda.shared.array(8, np.int64)
    t = cuda.threadIdx.x
    if t < 8:
        s[t] = 0  # <-
    cuda.atomic.add(s, t % 8, 1)  # <-
    cuda.syncthreads()
    if t < 8:
        out[t] = s[t]


def atomic_beside_plain(x, out):
    t = cuda.threadIdx.x
    if t % 2:
        cuda.atomic.add(out, 0, 1)  # <-
    else:
        out[0] = t  # <-


def global_sum(x, out):
    i = cuda.grid(1)
    out[0] += x[i]  # <-


def global_neighbour(x, out):
    i = cuda.grid(1)
    out[i] = x[i]  # <-
    out[(i + 1) % out.size] = 2  # <-


def stencil_in_place(x, out):
    i = cuda.grid(1)
    if 0 < i < x.size - 1:
        x[i] = x[i - 1] + x[i + 1]  # <-


def blocks_overlap(x, out):
    i = cuda.blockIdx.x * 16 + cuda.threadIdx.x
    out[i] = cuda.blockIdx.x  # <-


def last_block_without_fence(x, out):
    i = cuda.grid(1)
    out[1 + i] = x[i]  # <-
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        if cuda.atomic.add(out, 0, 1) == cuda.gridDim.x - 1:
            total = 0.0
            for k in range(x.size):
                total += out[1 + k]  # <-
            out[0] = total


def lock_without_fence(x, out):
    if cuda.threadIdx.x == 0:
        while cuda.atomic.cas(out, 0, 0, 1) != 0:
            pass
        out[1] = out[1] + cuda.blockIdx.x  # <-
        cuda.atomic.exch(out, 0, 0)


def transposed_in_place(x, out):
    i = cuda.threadIdx.x // 8
    j = cuda.threadIdx.x % 8
    out[i * 8 + j] = out[j * 8 + i] + 1  # <-


def two_rows_of_shared(x, out):
    s = cuda.shared.array((8, 8), np.int64)
    i = cuda.threadIdx.x // 8
    j = cuda.threadIdx.x % 8
    s[i, j] = i * j  # <-
    out[cuda.threadIdx.x] = s[j, i]  # <-


def one_writes_all_read(x, out):
    s = cuda.shared.array(1, np.float64)
    t = cuda.threadIdx.x
    if t == 5:
        s[0] = x[5]  # <-
    out[t] = s[0]  # <-


def barrier_too_early(x, out):
    s = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    cuda.syncthreads()
    s[t] = x[t]  # <-
    out[t] = s[(t + 1) % 64]  # <-


def different_values(x, out):
    out[0] = cuda.threadIdx.x  # <-


def different_complex_values(x, out):
    s = cuda.shared.array(1, np.complex64)
    s[0] = complex(1.0, cuda.threadIdx.x)  # <-
    cuda.syncthreads()
    out[cuda.threadIdx.x] = s[0].real


def double_buffer_mixed_up(x, out):
    s = cuda.shared.array((2, 64), np.float64)
    t = cuda.threadIdx.x
    s[0, t] = x[t]
    cuda.syncthreads()
    for k in range(3):
        a = s[k % 2, (t + 1) % 64]  # <-
        s[k % 2, t] = a  # <-
        s[1 - k % 2, t] = a
        cuda.syncthreads()
    out[t] = s[1, t]


def warp_without_syncwarp(x, out):
    s = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    s[t] = x[t]  # <-
    if t % 32 < 16:
        out[t] = s[t + 16]  # <-


def syncwarp_across_warps(x, out):
    s = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    s[t] = x[t]  # <-
    cuda.syncwarp()
    out[t] = s[63 - t]  # <-


def device_function_races(x, out):
    s = cuda.shared.array(64, np.float64)
    put(s, x[cuda.threadIdx.x])
    out[cuda.threadIdx.x] = s[0]


@cuda.jit(device=True)
def put(s, value):
    s[cuda.threadIdx.x % 32] = value  # <-


def tile_loaded_late(x, out):
    s = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    total = 0.0
    for tile in range(2):
        s[t] = x[t] + tile  # <-
        cuda.syncthreads()
        for k in range(64):
            total += s[k]  # <-
    out[t] = total


def grid_without_sync(x, out):
    i = cuda.grid(1)
    out[i] = x[i]  # <-
    if i == 0:
        out[0] = out[x.size - 1]  # <-


def never_written_shared(x, out):
    s = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    if t < 32:
        s[t] = x[t]
    cuda.syncthreads()
    out[t] = s[t]  # <-


def never_cleared_counter(x, out):
    s = cuda.shared.array(4, np.int64)
    cuda.atomic.add(s, cuda.threadIdx.x % 4, 1)  # <-
    cuda.syncthreads()
    out[cuda.threadIdx.x] = 1


def never_written_local(x, out):
    a = cuda.local.array(4, np.float64)
    t = cuda.threadIdx.x
    for k in range(3):
        a[k] = x[t]
    out[t] = a[0] + a[3]  # <-


def never_written_local_of_some(x, out):
    a = cuda.local.array(2, np.float64)
    t = cuda.threadIdx.x
    if t < 60:
        a[0] = x[t]
    out[t] = a[0]  # <-


def halo_left_out(x, out):
    s = cuda.shared.array(66, np.float64)
    t = cuda.threadIdx.x
    s[t + 1] = x[t]
    if t == 0:
        s[0] = 0.0
    cuda.syncthreads()
    out[t] = s[t] + s[t + 2]  # <-


def sum_of_more_than_written(x, out):
    s = cuda.shared.array(128, np.float64)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    if t == 0:
        total = 0.0
        for k in range(128):
            total += s[k]  # <-
        out[0] = total


def barrier_in_branch(x, out):
    t = cuda.threadIdx.x
    if t < 16:
        cuda.syncthreads()  # <-
    out[t] = x[t]


def barrier_in_one_warp(x, out):
    s = cuda.shared.array(64, np.float64)
    t = cuda.threadIdx.x
    if t // 32 == 0:
        s[t] = x[t]
        cuda.syncthreads()  # <-
        out[t] = s[31 - t]
    else:
        out[t] = x[t]


def different_barriers(x, out):
    t = cuda.threadIdx.x
    if t % 2:
        cuda.syncthreads()  # <-
    else:
        cuda.syncthreads()  # <-
    out[t] = x[t]


def barriers_of_own_loop(x, out):
    t = cuda.threadIdx.x
    for k in range(t % 3):
        out[t] += k
        cuda.syncthreads()  # <-


def barrier_left_by_break(x, out):
    t = cuda.threadIdx.x
    for k in range(4):
        if k == t % 4:
            break
        cuda.syncthreads()  # <-
    out[t] = 1


def count_in_branch(x, out):
    t = cuda.threadIdx.x
    if x[t] > 30:
        out[t] = cuda.syncthreads_count(True)  # <-
    else:
        out[t] = 0


def barrier_skipped_by_continue(x, out):
    t = cuda.threadIdx.x
    for k in range(2):
        if k == 1 and t == 7:
            continue
        cuda.syncthreads()  # <-
    out[t] = 1


def outside(x, out):
    i = cuda.grid(1)
    out[i] = x[i + 1]  # <-


def shared_outside(x, out):
    s = cuda.shared.array(32, np.float64)
    t = cuda.threadIdx.x
    s[t] = x[t]  # <-
    cuda.syncthreads()
    out[t] = s[t % 32]


RACE = "race on"
UNWRITTEN = "is read before anything is written to it"
MISSED = "is not reached by all threads"
DIFFER = "different barriers"
INDEX = "out of bounds"

# Of each: what is said, and the blocks.
FAULTS = {
    **dict.fromkeys(
        (
            shared_neighbour,
            shared_second_phase,
            tree_without_barrier,
            scan_in_place,
            histogram_without_atomic,
            histogram_not_cleared_in_time,
            atomic_beside_plain,
            global_neighbour,
            stencil_in_place,
            transposed_in_place,
            two_rows_of_shared,
            one_writes_all_read,
            barrier_too_early,
            different_values,
            different_complex_values,
            double_buffer_mixed_up,
            warp_without_syncwarp,
            syncwarp_across_warps,
            device_function_races,
            tile_loaded_late,
        ),
        (RACE, 1),
    ),
    **dict.fromkeys(
        (global_sum, blocks_overlap, last_block_without_fence, lock_without_fence, grid_without_sync), (RACE, 2)
    ),
    **dict.fromkeys(
        (
            never_written_shared,
            never_cleared_counter,
            never_written_local,
            never_written_local_of_some,
            halo_left_out,
            sum_of_more_than_written,
        ),
        (UNWRITTEN, 1),
    ),
    **dict.fromkeys(
        (barrier_in_branch, barrier_in_one_warp, barrier_left_by_break, count_in_branch, barrier_skipped_by_continue),
        (MISSED, 1),
    ),
    barriers_of_own_loop: (MISSED, 1),
    different_barriers: (DIFFER, 1),
    outside: (INDEX, 1),
    shared_outside: (INDEX, 1),
}
