"""What tessera.cuda and tessera.jit raise and warn of."""

__all__ = [
    "CompileError",
    "CudaLinkError",
    "CudaSourceError",
    "CudaSupportError",
    "IgnoredOptionWarning",
    "KernelFaultError",
    "ParallelRaceWarning",
    "SourceError",
    "TypingError",
    "UnsupportedError",
]


class CompileError(Exception):
    """A function cannot become a kernel; the message shows the line, the types and what to write instead.

    Examples
    --------
    >>> from tessera import errors, jit
    >>> @jit
    ... def f(x):
    ...     return missing(x)
    >>> try:
    ...     f(1)
    ... except errors.CompileError as error:
    ...     print(str(error).splitlines()[0].rpartition(": ")[2])
    there is no missing
    """


class TypingError(CompileError, TypeError):
    """An expression has no type: an operator, a function or an index does not take what it is given.

    Examples
    --------
    >>> from tessera import errors, jit
    >>> @jit
    ... def f(x):
    ...     return x + None
    >>> try:
    ...     f(1)
    ... except errors.TypingError:
    ...     print("no such sum")
    no such sum
    """


class UnsupportedError(CompileError):
    """Something of Python, or of Numba, that kernels do not have.

    Examples
    --------
    >>> from tessera import errors, jit
    >>> @jit
    ... def f(x):
    ...     import math
    ...     return math.sin(x)
    >>> try:
    ...     f(1.0)
    ... except errors.UnsupportedError:
    ...     print("not in compiled functions")
    not in compiled functions
    """


class SourceError(CompileError):
    """The source of a function cannot be found.

    Examples
    --------
    >>> from tessera import errors, jit
    >>> try:
    ...     jit(len)(1)
    ... except (errors.CompileError, TypeError):
    ...     print("no function in Python")
    no function in Python
    """


class CudaSourceError(CompileError):
    """CUDA C++ that does not compile; the message is the compiler's, with the lines of the source.

    Examples
    --------
    >>> from tessera import cuda, errors
    >>> try:
    ...     cuda.RawKernel("int f( {", "f").compile()
    ... except errors.CudaSourceError as error:
    ...     print("error" in str(error))
    True
    """

    source = ""
    name = ""
    options: tuple[str, ...] = ()


class CudaLinkError(CompileError, RuntimeError):
    """A kernel and the code of functions that it calls cannot be joined; the message names both and has the linker's words."""


class CudaSupportError(RuntimeError):
    """Something that needs a GPU, or that this version lacks."""


class KernelFaultError(RuntimeError):
    """What a checked launch has done wrong: races, reads of what was never written, barriers that some threads miss; or a
    parallel loop of a function with boundscheck=True, whose iterations race.

    `kernel` is its name, `faults` lists them, each with its threads or iterations and lines.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda, errors
    >>> @cuda.jit(check=True)
    ... def race(x):
    ...     s = cuda.shared.array(2, "int64")
    ...     s[0] = cuda.threadIdx.x
    ...     cuda.syncthreads()
    ...     x[0] = s[0]
    >>> try:
    ...     race[1, 2](numpy.zeros(1))
    ... except errors.KernelFaultError as error:
    ...     print("race" in str(error))
    True
    """

    def __init__(self, kernel: str, faults: list[str]) -> None:
        number = "a fault" if len(faults) == 1 else f"{len(faults)} faults"
        super().__init__(f"{kernel}: {number} found\n  " + "\n  ".join(faults))
        self.kernel = kernel
        self.faults = tuple(faults)


class IgnoredOptionWarning(UserWarning):
    """An option of a decorator that has no effect yet; the code is right without it."""


class ParallelRaceWarning(UserWarning):
    """Iterations of a parallel loop write the same elements of an array, so that results depend on which comes first.

    Examples
    --------
    >>> import warnings
    >>> import numpy
    >>> from tessera import errors, jit, prange
    >>> @jit(parallel=True)
    ... def shifted(x):
    ...     for i in prange(1, x.size):
    ...         x[i] = x[i - 1]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     shifted(numpy.ones(9))
    >>> caught[0].category is errors.ParallelRaceWarning
    True
    """
