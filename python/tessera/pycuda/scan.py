"""Scan kernels: running results of an expression of `a` and `b`, in order."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tessera import _core
from tessera.cuda.source.module import RawModule
from tessera.cuda.source.parameters import c_type
from tessera.errors import CudaSourceError
from tessera.pycuda import _errors

_BLOCK = 128
_LEAST = 64  # elements that a thread scans

_TEXT = """{headers}
typedef {kind} scan_type;
{preamble}
__device__ inline scan_type _join(scan_type a, scan_type b) {{ return ({scan}); }}
extern "C" __global__ void {name}_pieces(const scan_type* from, scan_type* to, const long long n, scan_type* totals, const long long piece) {{
  const long long first = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * piece;
  if (first >= n) return;
  const long long end = first + piece < n ? first + piece : n;
  scan_type sum = from[first];
  to[first] = sum;
  for (long long i = first + 1; i < end; ++i) to[i] = sum = _join(sum, from[i]);
  totals[first / piece] = sum;
}}
extern "C" __global__ void {name}_totals(scan_type* totals, const long long count) {{
  for (long long k = 1; k < count; ++k) totals[k] = _join(totals[k - 1], totals[k]);
}}
extern "C" __global__ void {name}_finish(const scan_type* from, scan_type* to, const long long n, const scan_type* totals, const long long piece) {{
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long at = i - {shift};
  {edge}
  to[i] = at >= piece ? _join(totals[at / piece - 1], from[at]) : from[at];
}}
"""


class _ScanKernel:
    _shift = 0

    def __init__(
        self,
        dtype: Any,
        scan_expr: str,
        neutral: str | None = None,
        name_prefix: str = "scan",
        options: Any = (),
        preamble: str = "",
        devices: Any = None,
    ) -> None:
        self.dtype = numpy.dtype(dtype)
        if self._shift and neutral is None:
            raise _errors.LogicError("an exclusive scan needs neutral=, its first element")
        self._text = _TEXT.format(
            headers="#include <cupy/complex.cuh>" if self.dtype.kind == "c" else "",
            kind=c_type(self.dtype),
            preamble=preamble,
            scan=scan_expr,
            name=name_prefix,
            shift=self._shift,
            edge=f"if (at < 0) {{ to[i] = scan_type({neutral}); return; }}" if self._shift else "",
        )
        module = RawModule(code=self._text, options=tuple(options or ()), name=f"{name_prefix}.cu")
        try:
            self._steps = [module.get_function(f"{name_prefix}_{step}") for step in ("pieces", "totals", "finish")]
        except CudaSourceError as error:
            raise _errors.of_source(error, tuple(options or ())) from None

    def __call__(
        self, input_ary: Any, output_ary: Any = None, allocator: Any = None, queue: Any = None, stream: Any = None
    ) -> Any:
        """Scans into `output_ary`, else in place."""
        output = input_ary if output_ary is None else output_ary
        if input_ary.dtype != self.dtype or output.dtype != self.dtype or output.shape != input_ary.shape:
            raise _errors.LogicError(
                f"a scan of {self.dtype} got {input_ary.dtype} for {output.dtype}, or other shapes"
            )
        n = input_ary.size
        if n == 0:
            return output
        piece = max(_LEAST, math.isqrt(n))
        count = -(-n // piece)
        totals, partial = _core.empty((count,), dtype=self.dtype), _core.empty((n,), dtype=self.dtype)
        pieces, join, finish = self._steps
        given = getattr(stream, "_stream", stream)
        with _errors.of_launches():
            pieces((-(-count // _BLOCK),), (_BLOCK,), (input_ary, partial, n, totals, piece), stream=given)
            join((1,), (1,), (totals, count), stream=given)
            finish((-(-n // _BLOCK),), (_BLOCK,), (partial, output, n, totals, piece), stream=given)
        return output


class InclusiveScanKernel(_ScanKernel):
    """Element i becomes the result of those to i.

    >>> import numpy
    >>> from tessera.pycuda import gpuarray
    >>> from tessera.pycuda.scan import InclusiveScanKernel
    >>> x = gpuarray.to_gpu(numpy.arange(4, dtype="i4"))
    >>> InclusiveScanKernel(numpy.int32, "a + b")(x).get()
    array([0, 1, 3, 6], dtype=int32)
    """


class ExclusiveScanKernel(_ScanKernel):
    """Element i becomes the result of those before i; the first is `neutral`.

    >>> import numpy
    >>> from tessera.pycuda import gpuarray
    >>> from tessera.pycuda.scan import ExclusiveScanKernel
    >>> x = gpuarray.to_gpu(numpy.arange(1, 5, dtype="i4"))
    >>> ExclusiveScanKernel(numpy.int32, "a + b", neutral="0")(x).get()
    array([0, 1, 3, 6], dtype=int32)
    """

    _shift = 1
