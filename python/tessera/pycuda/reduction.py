"""ReductionKernel: an expression of `x[i]` for each i, reduced to one value, with arguments in C."""

from __future__ import annotations

from typing import Any

import numpy

from tessera import _core
from tessera.cuda.source.module import RawModule
from tessera.errors import CudaSourceError
from tessera.pycuda import _errors, _memory
from tessera.pycuda._types import declarations, dtype_to_ctype
from tessera.pycuda.gpuarray import GPUArray

_BLOCK = 256
_MOST_BLOCKS = 1024

_TEXT = """{headers}
{preamble}
typedef {out} out_type;
__device__ inline out_type _join(out_type a, out_type b) {{ return ({reduce}); }}
__device__ inline void _reduce_block(out_type sum, out_type* to) {{
  __shared__ out_type values[{block}];
  values[threadIdx.x] = sum;
  __syncthreads();
  for (int half = {block} / 2; half > 0; half /= 2) {{
    if (threadIdx.x < half) values[threadIdx.x] = _join(values[threadIdx.x], values[threadIdx.x + half]);
    __syncthreads();
  }}
  if (threadIdx.x == 0) to[blockIdx.x] = values[0];
}}
extern "C" __global__ void {name}_parts({arguments}, const long long n, out_type* _to) {{
  out_type _sum = {neutral};
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
    _sum = _join(_sum, (out_type)({map}));
  _reduce_block(_sum, _to);
}}
extern "C" __global__ void {name}_join(const out_type* _parts, const int n, out_type* _to) {{
  out_type _sum = {neutral};
  for (int i = threadIdx.x; i < n; i += blockDim.x) _sum = _join(_sum, _parts[i]);
  _reduce_block(_sum, _to);
}}
"""


class _Structure:
    """A reduction's result that is a structure."""

    shape = ()

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        self.gpudata = _memory.mem_alloc(dtype.itemsize)

    def get(self) -> Any:
        """The structure as a NumPy array without axes."""
        return _memory.from_device(self.gpudata, (), self.dtype)

    def _kernel_argument(self) -> Any:
        return self.gpudata._kernel_argument()


class ReductionKernel:
    """An expression of `x[i]` for each i, reduced by an expression of `a` and `b`.

    >>> import numpy
    >>> from tessera.pycuda import gpuarray
    >>> from tessera.pycuda.reduction import ReductionKernel
    >>> dot = ReductionKernel(numpy.float32, "0", "a + b", map_expr="x[i] * y[i]", arguments="float *x, float *y")
    >>> x = gpuarray.to_gpu(numpy.arange(4, dtype="f4"))
    >>> float(dot(x, x).get())
    14.0
    """

    def __init__(
        self,
        dtype_out: Any,
        neutral: str,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: Any = None,
        name: str = "reduce_kernel",
        keep: bool = False,
        options: Any = None,
        preamble: str = "",
        allocator: Any = None,
    ) -> None:
        self.dtype_out = numpy.dtype(dtype_out)
        out = dtype_to_ctype(self.dtype_out)
        self._name = name
        headers = "#include <cupy/complex.cuh>" if self.dtype_out.kind == "c" else ""
        self.source = _TEXT.format(
            headers=headers,
            out=out,
            preamble=preamble,
            reduce=reduce_expr,
            block=_BLOCK,
            name=name,
            arguments=declarations(arguments) if arguments else f"const {out}* in",
            neutral=f"out_type({neutral})",
            map=map_expr or "in[i]",
        )
        module = RawModule(code=self.source, options=tuple(options or ()), name=f"{name}.cu")
        try:
            self._parts = module.get_function(f"{name}_parts")
            self._join = module.get_function(f"{name}_join")
        except CudaSourceError as error:
            raise _errors.of_source(error, tuple(options or ())) from None

    def __call__(self, *args: Any, stream: Any = None, out: Any = None, range: Any = None) -> Any:
        """The value, an array without axes; `range=slice(0, n)` is for arguments that are no arrays."""
        arrays = [arg for arg in args if _core.kernels.is_array(arg)]
        if range is not None and (range.start or 0, range.step or 1) != (0, 1):
            raise _errors.LogicError(f"{self._name}: range= begins at 0 and has steps of 1")
        if range is None and not arrays:
            raise _errors.LogicError(f"{self._name}: no argument is an array: give range=")
        if range is None and len({array.size for array in arrays}) > 1:
            raise _errors.LogicError(f"{self._name}: arrays of {sorted({array.size for array in arrays})} elements")
        size = range.stop if range is not None else arrays[0].size
        blocks = min(max(1, -(-size // (8 * _BLOCK))), _MOST_BLOCKS)
        if self.dtype_out.names:
            if out is not None:
                raise NotImplementedError(f"{self._name}: out= takes arrays, which have no structures for elements")
            out = _Structure(self.dtype_out)
            parts: Any = _memory.mem_alloc(blocks * self.dtype_out.itemsize)
        else:
            parts = _core.empty((blocks,), dtype=self.dtype_out)
            out = _core.empty((), dtype=self.dtype_out).view(GPUArray) if out is None else out
        given = getattr(stream, "_stream", stream)
        with _errors.of_launches():
            self._parts((blocks,), (_BLOCK,), (*args, size, parts), stream=given)
            self._join((1,), (_BLOCK,), (parts, blocks, out), stream=given)
        return out
