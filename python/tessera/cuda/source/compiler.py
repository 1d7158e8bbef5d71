"""Compiling CUDA C++ for the device of this thread's kernels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tessera import _core
from tessera.cuda.source import headers
from tessera.cuda.source.options import Options
from tessera.errors import CudaSourceError, CudaSupportError

NEEDS_GPU = (
    "a launch of CUDA C++ needs an NVIDIA GPU, and there is none here: its source and arguments were only checked. "
    "A kernel in Python (@cuda.jit) runs without one"
)


@dataclass
class Compiled:
    """What a source became."""

    code: bytes
    is_ptx: bool
    log: str
    symbols: dict[str, str] = field(default_factory=dict)  # of the names of instances of templates


def compile_source(
    text: str,
    name: str,
    options: Options,
    expressions: tuple[str, ...] = (),
    *,
    kind: str | None = None,
    is_loaded: bool = True,
    translates_complex: bool = False,
) -> Compiled:
    """Machine code for the device; PTX where there is none, or where the options name a virtual architecture.

    Raises CudaSourceError with the compiler's text, and CudaSupportError where NVRTC is not found.
    """
    here = _core.sources.capability()
    capability = options.capability or here or _default_capability()
    if kind is None:
        kind = "ptx" if options.is_virtual or not here else "cubin"
    if kind == "cubin" and is_loaded:
        _check_loadable(options, capability, here)
    try:
        code, log, lowered = _core.sources.compile(
            name,
            text,
            headers.included_by(text, translates_complex),
            options.passed,
            list(expressions),
            kind,
            capability,
            options.suffix,
        )
    except CudaSourceError as error:
        made = CudaSourceError(str(error))
        made.source, made.name, made.options = text, name, tuple(options.passed)
        raise made from None
    return Compiled(code, kind == "ptx", log, dict(zip(expressions, lowered)))


def _default_capability() -> int:
    """Without a GPU: of the architectures that the compiler knows, the one that most of today's code is written for."""
    known = _core.sources.compiler_facts()["capabilities"]
    return 90 if 90 in known else known[-1]


def _check_loadable(options: Options, capability: int, here: int) -> None:
    if options.capability and here and (capability > here or capability // 10 != here // 10):
        raise CudaSupportError(
            f"code for sm_{capability} does not run on this GPU, which is sm_{here}: leave -arch out, or give compute_{capability}"
        )


def find_kernel(compiled: Compiled, loaded: Any, symbol: str, name: str, declared: Any) -> Any:
    """The kernel of a symbol; None if there is none. Without a GPU its arguments can be checked."""
    if loaded is not None:
        return loaded.kernel(symbol, name, declared)
    return _core.sources.kernel_in_ptx(compiled.code, symbol, name, declared)
