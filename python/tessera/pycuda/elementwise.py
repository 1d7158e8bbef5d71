"""ElementwiseKernel: an operation on `x[i]` for each i, with arguments in C."""

from __future__ import annotations

from typing import Any

from tessera import _core
from tessera.cuda.source.module import RawKernel
from tessera.errors import CudaSourceError
from tessera.pycuda import _errors
from tessera.pycuda._types import ScalarArg, VectorArg, declarations, dtype_to_ctype
from tessera.pycuda.compiler import SourceModule

__all__ = [
    "ElementwiseKernel",
    "ScalarArg",
    "VectorArg",
    "get_elwise_kernel",
    "get_elwise_module",
    "get_linear_combination_kernel",
]

_BLOCK = 256
_MOST_BLOCKS = 1 << 16


class ElementwiseKernel:
    """`ElementwiseKernel("float a, float *x, float *z", "z[i] = a * x[i]", "scale")(2, x, z)`.

    `range=slice(start, stop, step)` and `slice=` of the first array's elements choose values of i.

    >>> import numpy
    >>> from tessera.pycuda import gpuarray
    >>> from tessera.pycuda.elementwise import ElementwiseKernel
    >>> scale = ElementwiseKernel("float a, float *x, float *z", "z[i] = a * x[i]", "scale")
    >>> x = gpuarray.to_gpu(numpy.arange(3, dtype="f4"))
    >>> z = gpuarray.empty_like(x)
    >>> scale(2, x, z)
    >>> z.get()
    array([0., 2., 4.], dtype=float32)
    """

    def __init__(
        self,
        arguments: Any,
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
extern "C" __global__ void {name}({declarations(arguments)}, const long long _start, const long long n, const long long _step, const long long _count) {{
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


def get_elwise_module(
    arguments: Any,
    operation: str,
    name: str = "kernel",
    keep: bool = False,
    options: Any = None,
    preamble: str = "",
    loop_prep: str = "",
    after_loop: str = "",
) -> SourceModule:
    """The module of a kernel that does the operation for each i below its last argument, `n`."""
    types = [one.dtype.kind for one in arguments] if not isinstance(arguments, str) else []
    text = f"""{"#include <pycuda-complex.hpp>" if "c" in types else ""}
{preamble}
extern "C" __global__ void {name}({declarations(arguments)}) {{
  unsigned tid = threadIdx.x;
  unsigned total_threads = gridDim.x * blockDim.x;
  unsigned cta_start = blockDim.x * blockIdx.x;
  unsigned i;
  {loop_prep};
  for (i = cta_start + tid; i < n; i += total_threads) {{
#line 1 "operation of {name}"
    {operation};
  }}
  {after_loop};
}}
"""
    return SourceModule(text, options=options, keep=keep, no_extern_c=True)


def get_elwise_kernel(arguments: Any, operation: str, name: str = "kernel", **options: Any) -> Any:
    """The kernel of get_elwise_module, prepared for its arguments."""
    function = get_elwise_module(arguments, operation, name, **options).get_function(name)
    return function.prepare("".join(one.struct_char for one in arguments))


class ScalarReference:
    """A number in an array without axes, which `array.bind_to_texref_ext` names. It is read when a kernel is launched."""

    def __init__(self) -> None:
        self.array: Any = None

    def bind(self, array: Any) -> None:
        self.array = array


class _LinearCombination:
    """The kernel, and the references that come before each operand."""

    def __init__(self, function: Any, references: list[Any]) -> None:
        self._function, self._references = function, references

    def _whole(self, args: tuple[Any, ...]) -> list[Any]:
        given, whole = list(args), []
        for reference in self._references:
            if reference is None:
                whole.append(given.pop(0))
            elif reference.array is None:
                raise _errors.LogicError("a scalar's reference is not bound: bind_to_texref_ext does it")
            else:
                whole.append(reference.array.gpudata)
            whole.append(given.pop(0))
        return whole + given

    def prepared_call(self, grid: Any, block: Any, *args: Any) -> None:
        self._function.prepared_call(grid, block, *self._whole(args))

    def prepared_async_call(self, grid: Any, block: Any, stream: Any, *args: Any) -> None:
        self._function.prepared_async_call(grid, block, stream, *self._whole(args))


def get_linear_combination_kernel(summand_descriptors: Any, dtype_z: Any) -> tuple[Any, list[ScalarReference]]:
    """A kernel of z = a0 * x0 + a1 * x1 + …, and what names the numbers that are in arrays.

    A summand is (is_in_an_array, dtype of the number, dtype of the array). There are no textures: the references are pointers.
    """
    arguments: list[Any] = []
    prepare, summands, references = [], [], []
    for k, (is_in_array, scalar, vector) in enumerate(summand_descriptors):
        if is_in_array:
            arguments.append(VectorArg(scalar, f"global_a{k}"))
            prepare.append(f"{dtype_to_ctype(scalar)} a{k} = *global_a{k}")
        else:
            arguments.append(ScalarArg(scalar, f"a{k}"))
        references.append(ScalarReference() if is_in_array else None)
        arguments.append(VectorArg(vector, f"x{k}"))
        summands.append(f"a{k} * x{k}[i]")
    arguments += [VectorArg(dtype_z, "z"), ScalarArg("uint64", "n")]
    kernel = get_elwise_kernel(
        arguments, f"z[i] = {' + '.join(summands)}", "linear_combination", loop_prep=";\n".join(prepare)
    )
    return _LinearCombination(kernel, references), [one for one in references if one is not None]
