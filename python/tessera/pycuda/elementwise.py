"""ElementwiseKernel: an operation on `x[i]` for each i, with arguments in C."""

from __future__ import annotations

from typing import Any

from tessera import _core
from tessera.cuda.source.module import RawKernel
from tessera.errors import CudaSourceError
from tessera.pycuda import _errors

_BLOCK = 256
_MOST_BLOCKS = 1 << 16


class ElementwiseKernel:
    """`ElementwiseKernel("float a, float *x, float *z", "z[i] = a * x[i]", "scale")(2, x, z)`.

    `range=slice(start, stop, step)` and `slice=` of the first array's elements choose values of i.
    """

    def __init__(
        self,
        arguments: str,
        operation: str,
        name: str = "kernel",
        keep: bool = False,
        options: Any = (),
        preamble: str = "",
        loop_prep: str = "",
        after_loop: str = "",
    ) -> None:
        self._name = name
        self.source = f"""{preamble}
extern "C" __global__ void {name}({arguments}, const long long _start, const long long n, const long long _step, const long long _count) {{
  {loop_prep};
  for (long long _k = (long long)blockIdx.x * blockDim.x + threadIdx.x; _k < _count; _k += (long long)gridDim.x * blockDim.x) {{
    const long long i = _start + _k * _step;
#line 1 "operation of {name}"
    {operation};
  }}
  {after_loop};
}}
"""
        self._kernel = RawKernel(self.source, name, tuple(options or ()))
        try:
            self._kernel._module._compile()
        except CudaSourceError as error:
            raise _errors.of_source(error, tuple(options or ())) from None

    def __call__(self, *args: Any, range: Any = None, slice: Any = None, stream: Any = None) -> None:
        arrays = [arg for arg in args if _core.kernels.is_array(arg)]
        if range is not None and slice is not None:
            raise TypeError("give range= or slice=, not both")
        if not arrays and range is None:
            raise _errors.LogicError(f"{self._name}: no argument is an array: give range=")
        start, stop, step = 0, arrays[0].size if arrays else 0, 1
        if range is not None:
            start, stop, step = range.start or 0, range.stop, range.step or 1
        elif slice is not None:
            start, stop, step = slice.indices(arrays[0].size)
        sizes = {array.size for array in arrays}
        if range is None and len(sizes) > 1:
            raise _errors.LogicError(f"{self._name}: arrays of {sorted(sizes)} elements")
        count = -(-(stop - start) // step)
        if count < 1:
            return
        blocks = min(-(-count // _BLOCK), _MOST_BLOCKS)
        with _errors.of_launches():
            self._kernel(
                (blocks,), (_BLOCK,), (*args, start, stop, step, count), stream=getattr(stream, "_stream", stream)
            )
