"""ReductionKernel: CuPy's kernels that reduce what an expression makes of each element."""

from __future__ import annotations

from typing import Any

import numpy

from tessera import _core
from tessera.cuda import _streams
from tessera.cuda.source import generated
from tessera.cuda.source.elementwise import _broadcast_strides, _is_array
from tessera.cuda.source.generated import Generated
from tessera.cuda.source.parameters import C_TYPES, c_type, parse, resolve

_BLOCK = 256
_PARTS = 1024  # blocks that share a long reduction of which there are few
_LONG = 1 << 15
_MOST_BLOCKS = 1 << 20
_MOST_PLANS = 256
_TAKEN = ("a", "b", "i", "_ind")

_TEXT = """
typedef {reduce_type} _type_reduce;
__device__ inline _type_reduce _join(_type_reduce a, _type_reduce b) {{ return ({reduce}); }}
__device__ inline _type_reduce _of_block(_type_reduce sum, long long count) {{
  // Bytes, for a shared variable has no constructor.
  alignas(16) __shared__ unsigned char _bytes[{block} * sizeof(_type_reduce)];
  _type_reduce* const _values = (_type_reduce*)_bytes;
  const int t = threadIdx.x, threads = blockDim.x;
  const int used = count < threads ? (int)count : threads;
  _values[t] = sum;
  __syncthreads();
  for (int half = {block} / 2; half > 0; half /= 2) {{
    if (t < half && t + half < used) _values[t] = _join(_values[t], _values[t + half]);
    __syncthreads();
  }}
  const _type_reduce result = _values[0];
  __syncthreads();
  return result;
}}
"""


class ReductionKernel(Generated):
    """`ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")(array, axis=0)`.

    The map expression is computed for each element, `a` and `b` are reduced to one value by the second, and the third makes the output of
    `a`. `identity` is what a reduction of nothing gives. `reduce_type` is the type of `a` and `b`, that of the output unless given.
    The order of a reduction depends on its shape alone.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> from tessera import cuda
    >>> length = cuda.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "length")
    >>> float(length(np.array([3, 4], dtype="f4")))
    5.0
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: Any,
        name: str = "reduce_kernel",
        reduce_type: str | None = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: tuple[str, ...] = (),
    ) -> None:
        super().__init__(name, preamble, options)
        self.in_params, self.out_params = parse(in_params, name, _TAKEN), parse(out_params, name, _TAKEN)
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        if not self.out_params:
            raise ValueError(f"{name}: a reduction has an output")
        self.identity = "" if identity is None else str(identity)
        self.reduce_type, self.reduce_dims = reduce_type, reduce_dims
        self.map_expr, self.reduce_expr, self.post_map_expr = map_expr, reduce_expr, post_map_expr
        self._forget()

    def _forget(self) -> None:
        super()._forget()
        self._plans: dict[Any, _Plan] = {}  # of reductions that take two launches
        self._planned: dict[Any, Any] = {}  # of all others, by axis and keepdims

    def _call(self, *args: Any, out: Any = None, axis: Any = None, keepdims: bool = False, stream: Any = None) -> Any:
        """The reduction over all axes, or over `axis`."""
        if type(axis) is list:
            axis = tuple(axis)
        if stream is None and _streams.is_any_in_use:
            stream = _streams.current_stream()
        planned = self._planned.get((axis, keepdims))
        if planned is not None:
            made = planned.call(args if out is None else (*args, out), None, _BLOCK, stream)
            if made is not NotImplemented:
                return made
        args = tuple(generated.as_operand(arg, self.name) for arg in args)
        given = args if out is None else (*args, out)
        forms = ((arg.dtype, arg.shape, arg.strides) if hasattr(arg, "strides") else type(arg) for arg in given)
        key = (axis, keepdims, *forms)
        plan = self._plans.get(key) or _Plan(self, args, out, axis, keepdims)
        if plan.second is None:
            planned = self._planned.setdefault((axis, keepdims), _core.sources.PlannedCalls(self.nin, False, False))
            plan.add_to(planned, given)
            if axis is None and not keepdims:
                self._set_plans(planned)
            return planned.call(given, None, _BLOCK, stream)
        if key not in self._plans and len(self._plans) >= _MOST_PLANS:
            self._plans.clear()
        self._plans[key] = plan
        return plan.run(given, stream)


class _Plan:
    """A call for arguments of these dtypes and layouts."""

    def __init__(self, kernel: ReductionKernel, args: tuple[Any, ...], out: Any, axis: Any, keepdims: bool) -> None:
        self._kernel_of = kernel
        name = kernel.name
        if out is not None and kernel.nout != 1:
            raise NotImplementedError(
                f"{name}: out= is for reductions with one output; give the {kernel.nout} behind the inputs"
            )
        if out is not None and len(args) == kernel.nargs:
            raise ValueError(f"{name}: the output is given twice, as an argument and by out=")
        given = args if out is None else (*args, out)
        if len(given) not in (kernel.nin, kernel.nargs):
            raise TypeError(f"{name} takes {kernel.nin} argument{'s' * (kernel.nin != 1)}; {len(args)} are given")
        inputs, outs = list(given[: kernel.nin]), list(given[kernel.nin :]) or [None] * kernel.nout
        arrays = [value for value, p in zip(inputs, kernel.in_params) if _is_array(value) and not p.is_raw]
        if not arrays:
            raise ValueError(f"{name}: no argument is an array over which to reduce")
        params = kernel.in_params + kernel.out_params
        self._types = resolve(params, [*inputs, *outs], name)
        shape = numpy.broadcast_shapes(*(value.shape for value in arrays))
        axes = _axes(axis, len(shape))
        kept = [k for k in range(len(shape)) if k not in axes]
        self._order = kept + sorted(axes)
        self._shape = tuple(shape[k] for k in self._order)
        self._kept = len(kept)
        self.outputs = int(numpy.prod([shape[k] for k in kept], dtype=numpy.int64))
        self.count = int(numpy.prod([shape[k] for k in axes], dtype=numpy.int64))
        result = (
            tuple(1 if k in axes else extent for k, extent in enumerate(shape))
            if keepdims
            else tuple(shape[k] for k in kept)
        )
        self.result_shape = result
        for parameter, out in zip(kernel.out_params, outs):
            if parameter.dtype is None and parameter.letter not in self._types:
                raise TypeError(f"{name}: no argument says what {parameter.letter} of {parameter.name} is")
            if out is not None and (tuple(out.shape) != result or not out.flags.c_contiguous):
                raise ValueError(f"{name}: out has the shape {out.shape}; a contiguous array of {result} is wanted")
        self.dtypes = [p.dtype if p.dtype is not None else self._types[p.letter] for p in kernel.out_params]
        if self.count == 0 and not kernel.identity:
            raise ValueError(f"{name}: a reduction of nothing has no value, as the kernel has no identity")
        self._prepare(inputs, shape)

    def _prepare(self, inputs: list[Any], shape: tuple[int, ...]) -> None:
        kernel = self._kernel_of
        reduce_type = kernel.reduce_type or c_type(self.dtypes[0])
        reduce_type = C_TYPES.get(reduce_type, reduce_type)
        size = next((numpy.dtype(name).itemsize for name, known in C_TYPES.items() if known == reduce_type), None)
        if size is None and reduce_type in self._types:
            size = self._types[reduce_type].itemsize
        self._parts = (
            min(_PARTS, -(-self.count // (8 * _BLOCK))) if self.count >= _LONG and self.outputs <= 64 and size else 1
        )
        self._partial_bytes = size or 0
        self._is_row = self.outputs >= 4096 and self._innermost_is_kept(inputs, shape)
        text, self._arguments, self.memory = self._text(inputs, shape, reduce_type)
        self._first = kernel._kernel(text, f"{kernel.name}_parts" if self._parts > 1 else f"{kernel.name}_kernel")
        self.second = kernel._kernel(text, f"{kernel.name}_join") if self._parts > 1 else None

    def _innermost_is_kept(self, inputs: list[Any], shape: tuple[int, ...]) -> bool:
        """Whether neighbours in memory belong to different outputs, so that a thread reduces one of them."""
        return bool(shape) and self._kept > 0 and (len(shape) - 1) in self._order[: self._kept]

    @property
    def _made(self) -> list[tuple[Any, Any]]:
        """Shapes and dtypes of the outputs."""
        return [(self.result_shape, dtype) for dtype in self.dtypes]

    def add_to(self, planned: Any, given: tuple[Any, ...]) -> None:
        """Lets calls with such arguments be made at once."""
        blocks = -(-self.outputs // _BLOCK) if self._is_row else self.outputs
        made = self._made if len(given) == self._kernel_of.nin else []
        free = self.memory + [False] * self._kernel_of.nout
        planned.add(given, None, _BLOCK, self._first, min(blocks, _MOST_BLOCKS), made, free, self._arguments)

    def run(self, given: tuple[Any, ...], stream: Any) -> Any:
        """In two launches."""
        nin = self._kernel_of.nin
        inputs, outs = given[:nin], given[nin:]
        if not outs:
            outs = tuple(_core.empty(shape, dtype=dtype) for shape, dtype in self._made)
        values = tuple(generated.memory(value) if free else value for value, free in zip(inputs, self.memory))
        partial = _core.empty(self.outputs * self._parts * self._partial_bytes, dtype=numpy.uint8)
        held = generated.memory(partial)
        self._launch(self._first, self.outputs * self._parts, (*values, held, self._parts, *self._arguments), stream)
        self._launch(self.second, self.outputs, (*values, held, self._parts, *outs, *self._arguments), stream)
        return outs[0] if len(outs) == 1 else outs

    def _launch(self, kernel: Any, blocks: int, arguments: tuple[Any, ...], stream: Any) -> None:
        if kernel.launch((blocks,), (_BLOCK,), arguments, 0, stream, False) != 0:
            raise RuntimeError(
                f"{self._kernel_of.name}: the device has changed since the kernel was made: make it anew"
            )

    def _text(
        self, inputs: list[Any], shape: tuple[int, ...], reduce_type: str
    ) -> tuple[str, tuple[Any, ...], list[bool]]:
        kernel = self._kernel_of
        name, ndim = kernel.name, len(shape)
        dtypes = [*(p.dtype if p.dtype is not None else self._types[p.letter] for p in kernel.in_params), *self.dtypes]
        declared, behind, loads, before, free = [], [], [], [], []
        arguments: list[Any] = [self.outputs, self.count]
        needs_index = generated.mentions("_ind", kernel.map_expr)
        whole = self._kept == 0 or self._order == list(range(ndim))
        for parameter, value, dtype in zip(kernel.in_params, inputs, dtypes):
            kind, p = c_type(dtype), parameter.name
            if not _is_array(value):
                declared.append(f"const {kind} {p}")
                free.append(False)
                continue
            declared.append(f"const {kind}* _p_{p}")
            dense = bool(value.flags.c_contiguous)
            free.append(not dense)
            if parameter.is_raw:
                behind += [
                    f"const long long _n_{p}",
                    f"const tessera::Extents<{value.ndim}> _e_{p}",
                    f"const tessera::Extents<{value.ndim}> _s_{p}",
                ]
                arguments += [value.size, generated.extents(value.shape), generated.extents(value.strides)]
                flag = "true" if dense else "false"
                before.append(
                    f"  tessera::RawArray<const {kind}, {value.ndim}, {flag}> {p}(_p_{p}, _n_{p}, _e_{p}, _s_{p});"
                )
            elif dense and tuple(value.shape) == shape and whole:
                loads.append(f"const {kind}& {p} = _p_{p}[i];")
            else:
                needs_index = True
                strides = _broadcast_strides(value, shape)
                behind.append(f"const tessera::Extents<{ndim}> _s_{p}")
                arguments.append(generated.extents(strides[k] for k in self._order))
                loads.append(f"const {kind}& {p} = tessera::at_byte(_p_{p}, _ind.offset(_s_{p}));")
        if needs_index:
            behind.append(f"const tessera::Extents<{ndim}> _shape")
            arguments.append(generated.extents(self._shape))
            before.insert(0, f"  tessera::Indexer<{ndim}> _ind(_outputs * _count, _shape);")
            loads.insert(0, "_ind.set(i);")
        sizes = ["const long long _outputs", "const long long _count"]
        output = ", ".join(f"{c_type(dtype)}* _p_{p.name}" for p, dtype in zip(kernel.out_params, self.dtypes))
        texts = kernel._preamble + kernel.map_expr + kernel.post_map_expr + reduce_type
        lines = [
            generated.headers(texts, [*dtypes, *self._types.values()]),
            *(f"typedef {c_type(dtype)} {letter};" for letter, dtype in self._types.items()),
            kernel._preamble,
            _TEXT.format(reduce_type=reduce_type, reduce=kernel.reduce_expr, block=_BLOCK),
            self._kernels(name, declared, behind, sizes, output, before, loads),
        ]
        return "\n".join(lines) + "\n", tuple(arguments), free

    def _kernels(
        self,
        name: str,
        declared: list[str],
        behind: list[str],
        sizes: list[str],
        output: str,
        before: list[str],
        loads: list[str],
    ) -> str:
        kernel = self._kernel_of
        load = "\n      ".join(loads)
        mapped = f"""{load}
      const _type_reduce _mapped = (_type_reduce)({kernel.map_expr});"""
        start = f"_type_reduce({kernel.identity})" if kernel.identity else "_type_reduce()"
        first = "false" if not kernel.identity else "true"
        references = [
            f"{c_type(dtype)}& {p.name} = _p_{p.name}[_o];" for p, dtype in zip(kernel.out_params, self.dtypes)
        ]
        post = f"""{" ".join(references)}
      const _type_reduce a = _sum;
      {kernel.post_map_expr};"""
        setup = "\n".join(before)
        if self._is_row:
            return f"""
extern "C" __global__ void {name}_kernel({", ".join([*declared, output, *sizes, *behind])}) {{
{setup}
  for (long long _o = (long long)blockIdx.x * blockDim.x + threadIdx.x; _o < _outputs; _o += (long long)gridDim.x * blockDim.x) {{
    _type_reduce _sum = {start};
    bool _has = {first};
    for (long long _j = 0; _j < _count; ++_j) {{
      const ptrdiff_t i = _o * _count + _j;
      {mapped}
      _sum = _has ? _join(_sum, _mapped) : _mapped;
      _has = true;
    }}
    {{
      {post}
    }}
  }}
}}
"""
        loop = f"""
    _type_reduce _sum = {start};
    bool _has = {first};
    for (long long _j = _begin + threadIdx.x; _j < _end; _j += blockDim.x) {{
      const ptrdiff_t i = _o * _count + _j;
      {mapped}
      _sum = _has ? _join(_sum, _mapped) : _mapped;
      _has = true;
    }}
    _sum = _of_block(_sum, _end - _begin);"""
        if self._parts == 1:
            return f"""
extern "C" __global__ void {name}_kernel({", ".join([*declared, output, *sizes, *behind])}) {{
{setup}
  for (long long _o = blockIdx.x; _o < _outputs; _o += gridDim.x) {{
    const long long _begin = 0, _end = _count;{loop}
    if (threadIdx.x == 0) {{
      {post}
    }}
  }}
}}
"""
        return f"""
extern "C" __global__ void {name}_parts({", ".join([*declared, "_type_reduce* _partial", "const int _parts", *sizes, *behind])}) {{
{setup}
  {{
    const long long _o = blockIdx.x / _parts, _part = blockIdx.x % _parts;
    const long long _begin = _count * _part / _parts, _end = _count * (_part + 1) / _parts;{loop}
    if (threadIdx.x == 0) _partial[blockIdx.x] = _sum;
  }}
}}
extern "C" __global__ void {name}_join({", ".join([*declared, "const _type_reduce* _partial", "const int _parts", output, *sizes, *behind])}) {{
  const long long _o = blockIdx.x;
  _type_reduce _sum = threadIdx.x < _parts ? _partial[_o * _parts + threadIdx.x] : {start};
  for (int _j = threadIdx.x + blockDim.x; _j < _parts; _j += blockDim.x) _sum = _join(_sum, _partial[_o * _parts + _j]);
  _sum = _of_block(_sum, _parts);
  if (threadIdx.x == 0) {{
      {post}
  }}
}}
"""


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    from numpy.lib.array_utils import normalize_axis_tuple

    return tuple(range(ndim)) if axis is None else normalize_axis_tuple(axis, ndim)
