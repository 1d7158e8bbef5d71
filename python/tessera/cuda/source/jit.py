"""fuse and rawkernel: CuPy's decorators, on what tessera has of its own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tessera import prof
from tessera.cuda._jit import jit


def fuse(*args: Any, **options: Any) -> Any:
    """A function of array expressions; they fuse without it, too.

    `@cuda.fuse` or `@cuda.fuse(kernel_name="name")`: a profiler shows the calls under that name.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> @cuda.fuse()
    ... def shifted(x):
    ...     return x * 2 + 1
    >>> shifted(numpy.arange(3.0))
    array([1., 3., 5.])
    """
    name = options.pop("kernel_name", None)
    if options:
        raise TypeError(f"fuse has no option {next(iter(options))}; there is kernel_name")
    if len(args) == 1 and callable(args[0]) and name is None:
        return _fused(args[0], None)
    if args:
        raise TypeError("fuse takes a function, or kernel_name=")
    return lambda function: _fused(function, name)


def _fused(function: Callable[..., Any], name: str | None) -> Callable[..., Any]:
    message = name or function.__name__

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        with prof.time_range(message):
            return function(*args, **named)

    return call


class JitRawKernel:
    """A kernel in Python that is launched as a raw one: `kernel(grid, block, args)` and `kernel[grid, block](*args)`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._kernel = jit(function)
        functools.update_wrapper(self, function)

    def __call__(self, grid: Any, block: Any, args: Any, shared_mem: int = 0, stream: Any = None) -> None:
        self._kernel[grid, block, stream, shared_mem](*args)

    def __getitem__(self, configuration: Any) -> Callable[..., None]:
        grid, block = configuration
        return lambda *args: self(grid, block, args)


def rawkernel(*, device: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """`@cuda.rawkernel()` makes a kernel of a function in Python, with device=True a function that kernels call.

    What cupyx.jit calls threadIdx, grid, syncthreads and the like are those of tessera.cuda.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> @cuda.rawkernel()
    ... def fill(x):
    ...     x[cuda.grid(1)] = 1
    >>> x = numpy.zeros(3)
    >>> fill((1,), (3,), (x,))
    >>> x
    array([1., 1., 1.])
    """
    return lambda function: jit(device=True)(function) if device else JitRawKernel(function)
