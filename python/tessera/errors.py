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
    """A function cannot become a kernel; the message shows the line, the types and what to write instead."""


class TypingError(CompileError, TypeError):
    """An expression has no type: an operator, a function or an index does not take what it is given."""


class UnsupportedError(CompileError):
    """Something of Python, or of Numba, that kernels do not have."""


class SourceError(CompileError):
    """The source of a function cannot be found."""


class CudaSourceError(CompileError):
    """CUDA C++ that does not compile; the message is the compiler's, with the lines of the source."""

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

    `kernel` is its name, `faults` lists them, each with its threads or iterations and lines."""

    def __init__(self, kernel: str, faults: list[str]) -> None:
        number = "a fault" if len(faults) == 1 else f"{len(faults)} faults"
        super().__init__(f"{kernel}: {number} found\n  " + "\n  ".join(faults))
        self.kernel = kernel
        self.faults = tuple(faults)


class IgnoredOptionWarning(UserWarning):
    """An option of a decorator that has no effect yet; the code is right without it."""


class ParallelRaceWarning(UserWarning):
    """Iterations of a parallel loop write the same elements of an array, so that results depend on which comes first."""
