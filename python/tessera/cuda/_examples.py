"""Examples for the docstrings of what kernels call: each is a kernel of a block of threads that stores a result a thread."""

from __future__ import annotations

from typing import Any

# name: (the kernel's body, the number of threads, what is in `out` then)
_BODIES = {
    "threadIdx": ("out[i] = cuda.threadIdx.x", 4, "[0 1 2 3]"),
    "blockIdx": ("out[i] = cuda.blockIdx.x", 4, "[0 0 0 0]"),
    "blockDim": ("out[i] = cuda.blockDim.x", 4, "[4 4 4 4]"),
    "gridDim": ("out[i] = cuda.gridDim.x", 4, "[1 1 1 1]"),
    "grid": ("out[i] = cuda.grid(1)", 4, "[0 1 2 3]"),
    "gridsize": ("out[i] = cuda.gridsize(1)", 4, "[4 4 4 4]"),
    "syncthreads": (
        's = cuda.shared.array(4, "int64")\ns[i] = i * i\ncuda.syncthreads()\nout[i] = s[3 - i]',
        4,
        "[9 4 1 0]",
    ),
    "laneid": ("out[i] = cuda.laneid", 4, "[0 1 2 3]"),
    "warpsize": ("out[i] = cuda.warpsize", 4, "[32 32 32 32]"),
    "clz": ("out[i] = cuda.clz(numpy.int32(i))", 4, "[32 31 30 30]"),
    "ffs": ("out[i] = cuda.ffs(i)", 4, "[0 1 2 1]"),
    "brev": ("out[i] = cuda.brev(numpy.uint32(i)) >> 28", 4, "[ 0  8  4 12]"),
    "popc": ("out[i] = cuda.popc(i)", 4, "[0 1 1 2]"),
    "nanosleep": ("cuda.nanosleep(10)\nout[i] = i", 4, "[0 1 2 3]"),
    "syncwarp": ("cuda.syncwarp()\nout[i] = i", 4, "[0 1 2 3]"),
    "syncthreads_count": ("out[i] = cuda.syncthreads_count(i % 2)", 4, "[2 2 2 2]"),
    "syncthreads_and": ("out[i] = cuda.syncthreads_and(i < 4)", 4, "[1 1 1 1]"),
    "syncthreads_or": ("out[i] = cuda.syncthreads_or(i == 9)", 4, "[0 0 0 0]"),
    "threadfence": ("out[i] = i\ncuda.threadfence()", 4, "[0 1 2 3]"),
    "threadfence_block": ("out[i] = i\ncuda.threadfence_block()", 4, "[0 1 2 3]"),
    "threadfence_system": ("out[i] = i\ncuda.threadfence_system()", 4, "[0 1 2 3]"),
    "shfl_sync": ("out[i] = cuda.shfl_sync(0xFFFFFFFF, i, 5)", 32, "[5 5 5 5]"),
    "shfl_up_sync": ("out[i] = cuda.shfl_up_sync(0xFFFFFFFF, i, 1)", 32, "[0 0 1 2]"),
    "shfl_down_sync": ("out[i] = cuda.shfl_down_sync(0xFFFFFFFF, i, 1)", 32, "[1 2 3 4]"),
    "shfl_xor_sync": ("out[i] = cuda.shfl_xor_sync(0xFFFFFFFF, i, 1)", 32, "[1 0 3 2]"),
    "all_sync": ("out[i] = cuda.all_sync(0xFFFFFFFF, i < 32)", 32, "[1 1 1 1]"),
    "any_sync": ("out[i] = cuda.any_sync(0xFFFFFFFF, i == 40)", 32, "[0 0 0 0]"),
    "eq_sync": ("out[i] = cuda.eq_sync(0xFFFFFFFF, i < 32)", 32, "[1 1 1 1]"),
    "ballot_sync": ("out[i] = cuda.ballot_sync(0xFFFFFFFF, i < 3)", 32, "[7 7 7 7]"),
    "match_any_sync": ("out[i] = cuda.popc(cuda.match_any_sync(0xFFFFFFFF, i % 4))", 32, "[8 8 8 8]"),
    "match_all_sync": ("mask, same = cuda.match_all_sync(0xFFFFFFFF, i // 32)\nout[i] = same", 32, "[1 1 1 1]"),
    "activemask": ("out[i] = cuda.popc(cuda.activemask())", 32, "[32 32 32 32]"),
    "lanemask_lt": ("out[i] = cuda.lanemask_lt()", 32, "[0 1 3 7]"),
    "fma": ("out[i] = int(cuda.fma(2.0, float(i), 1.0))", 4, "[1 3 5 7]"),
    "cbrt": ("out[i] = int(round(cuda.cbrt(float(i**3))))", 4, "[0 1 2 3]"),
    "selp": ("out[i] = cuda.selp(i > 1, 10, 20)", 4, "[20 20 10 10]"),
    "shared": ('s = cuda.shared.array(4, "int64")\ns[i] = i + 1\ncuda.syncthreads()\nout[i] = s[0]', 4, "[1 1 1 1]"),
    "local": (
        'mine = cuda.local.array(2, "int64")\nmine[0], mine[1] = i, 10\nout[i] = mine[0] + mine[1]',
        4,
        "[10 11 12 13]",
    ),
    "atomic": ("cuda.atomic.add(out, i % 2, 1)", 4, "[2 2 0 0]"),
    "fp16": ("out[i] = int(cuda.fp16.hadd(numpy.float16(i), numpy.float16(1)))", 4, "[1 2 3 4]"),
    "cg": ("g = cuda.cg.this_grid()\ng.sync()\nout[i] = i", 4, "[0 1 2 3]"),
    "ldca": ("out[i] = i\nout[i] += cuda.ldca(out, i)", 4, "[0 2 4 6]"),
    "ldcg": ("out[i] = i\nout[i] += cuda.ldcg(out, i)", 4, "[0 2 4 6]"),
    "ldcs": ("out[i] = i\nout[i] += cuda.ldcs(out, i)", 4, "[0 2 4 6]"),
    "ldlu": ("out[i] = i\nout[i] += cuda.ldlu(out, i)", 4, "[0 2 4 6]"),
    "ldcv": ("out[i] = i\nout[i] += cuda.ldcv(out, i)", 4, "[0 2 4 6]"),
    "stcg": ("cuda.stcg(out, i, 7)", 4, "[7 7 7 7]"),
    "stcs": ("cuda.stcs(out, i, 7)", 4, "[7 7 7 7]"),
    "stwb": ("cuda.stwb(out, i, 7)", 4, "[7 7 7 7]"),
    "stwt": ("cuda.stwt(out, i, 7)", 4, "[7 7 7 7]"),
    "literal_unroll": ("for x in cuda.literal_unroll((1, 2.5)):\n    out[i] += int(x)", 4, "[3 3 3 3]"),
}
_TEXT = """

Examples
--------
>>> import numpy
>>> from tessera import cuda
>>> @cuda.jit
... def kernel(out):
...     i = cuda.grid(1)
{body}
>>> out = numpy.zeros({threads}, "int64")
>>> kernel[1, {threads}](out)
>>> print(out[:4])
{result}
"""

# An array outside of the kernel.
_CONST = """

Examples
--------
>>> import numpy
>>> from tessera import cuda
>>> table = numpy.arange(4)
>>> @cuda.jit
... def kernel(out):
...     i = cuda.grid(1)
...     out[i] = cuda.const.array_like(table)[3 - i]
>>> out = numpy.zeros(4, "int64")
>>> kernel[1, 4](out)
>>> print(out)
[3 2 1 0]
"""


def text(body: str, threads: int, result: str) -> str:
    """The section of a docstring."""
    lines = "\n".join(f"...     {line}" for line in body.splitlines())
    return _TEXT.format(body=lines, threads=threads, result=result)


def add_to(names: dict[str, Any]) -> None:
    """Adds the examples to the docstrings of the objects of these names."""
    names["const"].__doc__ += _CONST
    for name, example in _BODIES.items():
        names[name].__doc__ = names[name].__doc__.rstrip() + text(*example)
