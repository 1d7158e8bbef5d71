"""ElementwiseKernel: CuPy's kernels of one expression an element."""

from __future__ import annotations

from typing import Any

import numpy

from tessera import _core
from tessera.cuda import _streams
from tessera.cuda.source import generated
from tessera.cuda.source.generated import BLOCK, Generated
from tessera.cuda.source.parameters import Parameter, c_type, parse, resolve

_MOST_BLOCKS = 1 << 20


class ElementwiseKernel(Generated):
    """`ElementwiseKernel("float32 x, T y", "T z", "z = x * y", "product")(a, b)` computes each element by C++.

    Arrays broadcast; `raw` ones are indexed by the operation. It may use `i`, the number of the element, `n`, their number, `_ind`.
    A capital letter is the type of the arrays given for it. With `size=` no array but raw ones is needed.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> from tessera import cuda
    >>> add = cuda.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add")
    >>> add(np.arange(3, dtype="f4"), np.ones(3, "f4"))
    array([1., 2., 3.], dtype=float32)
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        doc: str = "",
        options: tuple[str, ...] = (),
        loop_prep: str = "",
        after_loop: str = "",
    ) -> None:
        super().__init__(name, preamble, options)
        self.in_params, self.out_params = parse(in_params, name), parse(out_params, name)
        self.params = self.in_params + self.out_params
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        self.operation = operation
        self.reduce_dims = reduce_dims
        self.no_return = no_return
        self.return_tuple = return_tuple
        self.__doc__ = doc or type(self).__doc__
        self._loop_prep, self._after_loop = loop_prep, after_loop
        self._forget()

    def _forget(self) -> None:
        super()._forget()
        self._planned = _core.sources.PlannedCalls(self.nin, self.no_return, self.return_tuple)
        self._set_plans(self._planned)

    def _call(self, *args: Any, size: int | None = None, block_size: int = BLOCK, stream: Any = None) -> Any:
        """The outputs, new arrays unless they are given behind the inputs."""
        if stream is None and _streams.is_any_in_use:
            stream = _streams.current_stream()
        made = self._planned.call(args, size, block_size, stream)
        if made is NotImplemented:
            args = tuple(generated.as_operand(arg, self.name) for arg in args)
            size, block_size = None if size is None else int(size), int(block_size)
            if block_size < 1:
                raise ValueError(f"{self.name}: a block of {block_size} threads")
            made = self._planned.call(args, size, block_size, stream)
        if made is NotImplemented:
            self._plan(args, size, block_size)
            made = self._planned.call(args, size, block_size, stream)
        return made

    def _plan(self, args: tuple[Any, ...], size: int | None, block_size: int) -> None:
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                f"{self.name} takes {self.nin} argument{'s' * (self.nin != 1)}, or {self.nargs} with outputs; {len(args)} are given"
            )
        given: list[Any] = list(args) + [None] * (self.nargs - len(args))
        types = resolve(self.params, given, self.name)
        shape = self._shape(given, size)
        dtypes = [self._dtype(parameter, types) for parameter in self.params]
        outputs = []
        views = given[:]
        for k, parameter in enumerate(self.params):
            if given[k] is None:
                if parameter.is_raw and size is None:
                    raise ValueError(f"{self.name}: the raw output {parameter.name} has no shape: give an array for it")
                outputs.append((shape, dtypes[k]))
            elif k >= self.nin and not parameter.is_raw and tuple(given[k].shape) != shape:
                raise ValueError(
                    f"Out shape is mismatched: the output {parameter.name} of {self.name} has the shape {given[k].shape}, not {shape}"
                )
        total = int(numpy.prod(shape, dtype=numpy.int64)) if size is None else size
        text, arguments, free = self._text(views, shape, total, dtypes, types)
        blocks = min(-(-total // block_size), _MOST_BLOCKS)
        kernel = self._kernel(text, f"{self.name}_kernel")
        self._planned.add(args, size, block_size, kernel, blocks, outputs, free, arguments)

    def _shape(self, given: list[Any], size: int | None) -> tuple[int, ...]:
        def shapes_of(first: int, end: int) -> list[tuple[int, ...]]:
            return [
                value.shape
                for parameter, value in zip(self.params[first:end], given[first:end])
                if not parameter.is_raw and value is not None and _is_array(value)
            ]

        shapes, outputs = shapes_of(0, self.nin), shapes_of(self.nin, self.nargs)
        if size is not None:
            if shapes or outputs:
                raise ValueError(f"Specified 'size' can go with raw arrays only, and {self.name} has others")
            return (int(size),)
        if not shapes and not outputs:
            if any(value is not None and _is_array(value) for value in given):
                raise ValueError(f"Loop size is undecided. {self.name} has raw arrays only: give size=")
            return ()
        shape = numpy.broadcast_shapes(*shapes)
        try:
            return numpy.broadcast_shapes(shape, *outputs)
        except ValueError:
            raise ValueError(
                f"Out shape is mismatched: the outputs of {self.name} have the shapes {outputs}, its inputs {shape}"
            ) from None

    def _dtype(self, parameter: Parameter, types: dict[str, Any]) -> Any:
        if parameter.dtype is not None:
            return parameter.dtype
        if parameter.letter not in types:
            raise TypeError(f"{self.name}: no argument says what {parameter.letter} of {parameter.name} is")
        return types[parameter.letter]

    def _text(
        self, given: list[Any], shape: tuple[int, ...], size: int, dtypes: list[Any], types: dict[str, Any]
    ) -> tuple[str, tuple[Any, ...], list[bool]]:
        """The kernel, the arguments behind the user's, and which of the user's are passed whatever their layout."""
        body = (self.operation, self._loop_prep, self._after_loop)
        declared, behind, before, loads = [], ["const long long _n"], [], []
        arguments: list[Any] = [size]
        free = []
        ndim = len(shape)
        needs_index = generated.mentions("_ind", *body)
        for k, parameter in enumerate(self.params):
            value, kind, name = given[k], c_type(dtypes[k]), parameter.name
            const = "const " if k < self.nin else ""
            is_array = value is None or _is_array(value)
            if not is_array:
                declared.append(f"const {kind} {name}")
                free.append(False)
                continue
            declared.append(f"{const}{kind}* _p_{name}")
            dense = value is None or bool(value.flags.c_contiguous)
            free.append(not dense)
            if parameter.is_raw:
                extents = (size,) if value is None else value.shape
                strides = (numpy.dtype(dtypes[k]).itemsize,) if value is None else value.strides
                axes = len(extents)
                behind += [
                    f"const long long _n_{name}",
                    f"const tessera::Extents<{axes}> _e_{name}",
                    f"const tessera::Extents<{axes}> _s_{name}",
                ]
                count = size if value is None else value.size
                arguments += [count, generated.extents(extents), generated.extents(strides)]
                flag = "true" if dense else "false"
                before.append(
                    f"  tessera::RawArray<{const}{kind}, {axes}, {flag}> {name}(_p_{name}, _n_{name}, _e_{name}, _s_{name});"
                )
            elif dense and (value is None or tuple(value.shape) == shape):
                loads.append(f"    {const}{kind}& {name} = _p_{name}[i];")
            else:
                needs_index = True
                strides = _broadcast_strides(value, shape)
                behind.append(f"const tessera::Extents<{ndim}> _s_{name}")
                arguments.append(generated.extents(strides))
                loads.append(f"    {const}{kind}& {name} = tessera::at_byte(_p_{name}, _ind.offset(_s_{name}));")
        if needs_index:
            behind.append(f"const tessera::Extents<{ndim}> _shape")
            arguments.append(generated.extents(shape))
            before.insert(0, f"  tessera::Indexer<{ndim}> _ind(_n, _shape);")
            loads.insert(0, "    _ind.set(i);")
        typedefs = "\n".join(f"typedef {c_type(dtype)} {letter};" for letter, dtype in types.items())
        lines = [
            generated.headers(self._preamble + "".join(body), dtypes),
            typedefs,
            self._preamble,
            f'extern "C" __global__ void {self.name}_kernel({", ".join(declared + behind)}) {{',
            "  const ptrdiff_t n = _n;",
            *before,
            f"  {self._loop_prep};",
            "  for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (ptrdiff_t)gridDim.x * blockDim.x) {",
            *loads,
            f'#line 1 "operation of {self.name}"',
            f"{self.operation};",
            f'#line 1 "{self.name}.cu"',
            "  }",
            f"  {self._after_loop};",
            "}",
        ]
        return "\n".join(lines) + "\n", tuple(arguments), free

    def __repr__(self) -> str:
        return f"<ElementwiseKernel {self.name}>"


_is_array = _core.kernels.is_array


def _broadcast_strides(array: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    missing = len(shape) - array.ndim
    own = [stride if extent != 1 else 0 for stride, extent in zip(array.strides, array.shape)]
    return (0,) * missing + tuple(own)
