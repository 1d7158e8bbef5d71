"""What a kernel calls: objects that stand for functions of the device and cannot be used outside."""

from __future__ import annotations

from typing import Any, NoReturn


class Intrinsic:
    """A function or a value that exists in kernels only, under the name by which they know it."""

    def __init__(self, name: str, doc: str) -> None:
        self.path = name
        self.__name__ = name.rpartition(".")[2]
        self.__doc__ = doc

    def _refuse(self) -> NoReturn:
        raise RuntimeError(
            f"{self.path} has a meaning in kernels only: functions with @cuda.jit, launched as f[grid, block](...)"
        )

    def __call__(self, *_: Any, **__: Any) -> Any:
        self._refuse()

    def __int__(self) -> int:
        self._refuse()

    __index__ = __int__

    def __repr__(self) -> str:
        return f"<{self.path}, in kernels>"


class Namespace:
    """Intrinsics under a common name: cuda.atomic, cuda.shared, cuda.threadIdx."""

    def __init__(self, path: str, doc: str, members: dict[str, str]) -> None:
        self._path = path
        self.__doc__ = doc
        for name, text in members.items():
            setattr(self, name, Intrinsic(f"{path}.{name}", text))

    def __repr__(self) -> str:
        return f"<{self._path}, in kernels>"


def _axes(name: str, what: str) -> Namespace:
    return Namespace(f"cuda.{name}", what, {axis: f"{what}, along {axis}." for axis in "xyz"})


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
        "and_": "ary[idx] &= val",
        "or_": "ary[idx] |= val",
        "xor": "ary[idx] ^= val",
        "exch": "ary[idx] = val",
        "cas": "ary[idx] = val if ary[idx] == old",
        "compare_and_swap": "ary[0] = val if ary[0] == old",
    },
)
literal_unroll = Intrinsic(
    "cuda.literal_unroll",
    "A tuple to loop over, whose elements may differ in type; every loop over a tuple is unrolled.",
)
