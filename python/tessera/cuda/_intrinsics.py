"""What a kernel calls: objects that stand for functions of the device and cannot be used outside."""

from __future__ import annotations

from typing import Any

from tessera import _core
from tessera.functions.intrinsic import Intrinsic, Namespace


class _Axes(Namespace):
    """Three numbers, which are also a tuple with the names x, y and z."""

    def _describe(self) -> tuple[str, str]:
        return ("builtin", self._path)


def _axes(name: str, what: str) -> Namespace:
    return _Axes(f"cuda.{name}", what, {axis: f"{what}, along {axis}." for axis in "xyz"})


threadIdx = _axes("threadIdx", "This thread's place in its block")
blockIdx = _axes("blockIdx", "This block's place in the grid")
blockDim = _axes("blockDim", "The number of threads of a block")
gridDim = _axes("gridDim", "The number of blocks of the grid")

grid = Intrinsic("cuda.grid", "This thread's place among all: grid(1) a number, grid(2) and grid(3) tuples, x first.")
gridsize = Intrinsic("cuda.gridsize", "The number of threads of the whole grid, along as many axes.")
syncthreads = Intrinsic(
    "cuda.syncthreads", "Waits for all threads of the block; they see each other's stores after it."
)
laneid = Intrinsic("cuda.laneid", "This thread's place in its warp.")
warpsize = Intrinsic("cuda.warpsize", "The number of threads of a warp, 32.")
clz = Intrinsic("cuda.clz", "The number of zeros above the highest bit that is set.")
ffs = Intrinsic("cuda.ffs", "The place of the lowest bit that is set, counted from 1; 0 if none is.")
brev = Intrinsic("cuda.brev", "The bits in reverse order, unsigned.")
nanosleep = Intrinsic("cuda.nanosleep", "A hint that this thread may wait for about so many nanoseconds.")
syncwarp = Intrinsic("cuda.syncwarp", "Waits for the threads of the warp in the mask, all by default.")
syncthreads_count = Intrinsic(
    "cuda.syncthreads_count", "A barrier of the block; the number of its threads for which the predicate holds."
)
syncthreads_and = Intrinsic(
    "cuda.syncthreads_and", "A barrier of the block; 1 if the predicate holds for all of its threads, else 0."
)
syncthreads_or = Intrinsic(
    "cuda.syncthreads_or", "A barrier of the block; 1 if the predicate holds for one of its threads, else 0."
)
threadfence = Intrinsic(
    "cuda.threadfence", "This thread's stores before it are seen on the device before those after it."
)
threadfence_block = Intrinsic(
    "cuda.threadfence_block", "This thread's stores before it are seen in the block before those after it."
)
threadfence_system = Intrinsic(
    "cuda.threadfence_system", "This thread's stores before it are seen everywhere before those after it."
)
shfl_sync = Intrinsic("cuda.shfl_sync", "The value of the warp's thread src_lane.")
shfl_up_sync = Intrinsic(
    "cuda.shfl_up_sync", "The value of the thread delta places below; its own where there is none."
)
shfl_down_sync = Intrinsic(
    "cuda.shfl_down_sync", "The value of the thread delta places above; its own where there is none."
)
shfl_xor_sync = Intrinsic("cuda.shfl_xor_sync", "The value of the thread at laneid ^ lane_mask.")
all_sync = Intrinsic("cuda.all_sync", "Whether the predicate holds for all threads of the mask.")
any_sync = Intrinsic("cuda.any_sync", "Whether the predicate holds for one thread of the mask.")
eq_sync = Intrinsic("cuda.eq_sync", "Whether the predicate is the same for all threads of the mask.")
ballot_sync = Intrinsic("cuda.ballot_sync", "The threads of the mask for which the predicate holds, one bit each.")
match_any_sync = Intrinsic("cuda.match_any_sync", "The threads of the mask that have the same value, one bit each.")
match_all_sync = Intrinsic(
    "cuda.match_all_sync", "The mask and True if all of its threads have the same value, else 0 and False."
)
activemask = Intrinsic("cuda.activemask", "The threads of the warp that run this together, one bit each.")
lanemask_lt = Intrinsic("cuda.lanemask_lt", "The threads of the warp below this one, one bit each.")
popc = Intrinsic("cuda.popc", "The number of bits that are set.")
fma = Intrinsic("cuda.fma", "a * b + c, rounded once.")
cbrt = Intrinsic("cuda.cbrt", "The cube root.")
selp = Intrinsic("cuda.selp", "b where a is true, else c.")

shared = Namespace("cuda.shared", "Memory of a block.", {"array": "An array that the threads of a block share."})
const = Namespace("cuda.const", "Memory that no thread writes.", {"array_like": "A NumPy array outside the kernel."})
local = Namespace("cuda.local", "Memory of a thread.", {"array": "An array that each thread has for itself."})
atomic = Namespace(
    "cuda.atomic",
    "Operations on one element that no other thread interrupts. Each returns what was there before.",
    {
        "add": "ary[idx] += val",
        "sub": "ary[idx] -= val",
        "min": "ary[idx] = min(ary[idx], val)",
        "max": "ary[idx] = max(ary[idx], val)",
        "nanmin": "min that leaves NaN out",
        "nanmax": "max that leaves NaN out",
        "inc": "ary[idx] = 0 if ary[idx] >= val else ary[idx] + 1",
        "dec": "ary[idx] = val if ary[idx] == 0 or ary[idx] > val else ary[idx] - 1",
        "and_": "ary[idx] &= val",
        "or_": "ary[idx] |= val",
        "xor": "ary[idx] ^= val",
        "exch": "ary[idx] = val",
        "cas": "ary[idx] = val if ary[idx] == old",
        "compare_and_swap": "ary[0] = val if ary[0] == old",
    },
)
fp16 = Namespace(
    "cuda.fp16",
    "Functions of float16 numbers.",
    {
        name.removeprefix("cuda.fp16."): "A function of float16 numbers, rounded once."
        for name in _core.kernels.builtin_names("cuda.fp16.")
    },
)
ldca = Intrinsic("cuda.ldca", "array[i]; the line may stay in all caches.")
ldcg = Intrinsic("cuda.ldcg", "array[i]; the line may stay in the common cache.")
ldcs = Intrinsic("cuda.ldcs", "array[i], which is likely read once.")
ldlu = Intrinsic("cuda.ldlu", "array[i], which is read for the last time.")
ldcv = Intrinsic("cuda.ldcv", "array[i], from memory.")
stcg = Intrinsic("cuda.stcg", "array[i] = value; the line may stay in the common cache.")
stcs = Intrinsic("cuda.stcs", "array[i] = value, which is likely used once.")
stwb = Intrinsic("cuda.stwb", "array[i] = value, written back when its line leaves the caches.")
stwt = Intrinsic("cuda.stwt", "array[i] = value, through the caches.")
cg = Namespace(
    "cuda.cg",
    "Groups of threads.",
    {
        "this_grid": "All threads of the launch; sync() of it is a barrier of the whole grid, whose blocks then run together."
    },
)


class _Unrolled(Intrinsic):
    def __call__(self, sequence: Any) -> Any:  # type: ignore[override]
        return sequence


literal_unroll = _Unrolled(
    "cuda.literal_unroll",
    "A tuple to loop over, whose elements may differ in type; every loop over a tuple is unrolled.",
)
