"""Compiling CUDA C++ for the device of this thread's kernels, or for the cores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tessera import _core
from tessera.cuda._options import CHECKS_ALL
from tessera.cuda.source import clang, headers
from tessera.cuda.source.options import Options
from tessera.errors import CudaSourceError, CudaSupportError

NEEDS_GPU = (
    "a launch of CUDA C++ needs an NVIDIA GPU, or clang to run on the cores, and there is neither: its source and arguments were only "
    f"checked. {clang.INSTALL} brings clang ({clang.OLDEST} to {clang.NEWEST} of any origin will do). A kernel in Python (@cuda.jit) runs without either"
)


@dataclass
class Compiled:
    """What a source became."""

    code: bytes
    is_ptx: bool
    log: str
    symbols: dict[str, str] = field(default_factory=dict)  # of the names of instances of templates
    is_for_cores: bool = False


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
    """Machine code for the device; PTX where the options name a virtual architecture. Where there is no device, LLVM's code for the
    cores by clang, or PTX, as a check, by NVRTC.

    Raises CudaSourceError with the compiler's text, and CudaSupportError where no compiler is found.
    """
    here = _core.sources.capability()
    if kind is None and runs_on_cores():
        if found := clang.find():
            return _compile_for_cores(found, text, name, options, expressions, translates_complex)
        _require_checker()
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
        raise _with_source(error, text, name, options) from None
    return Compiled(code, kind == "ptx", log, dict(zip(expressions, lowered)))


def runs_on_cores() -> bool:
    """Whether kernels run on the cores: without a device, and where all of them are checked (TESSERA_CUDA_CHECK)."""
    return CHECKS_ALL or not _core.sources.capability()


def _require_checker() -> None:
    """Without a device and clang a source can be checked where NVRTC is found."""
    if CHECKS_ALL:
        raise CudaSupportError(
            f"TESSERA_CUDA_CHECK: kernels in CUDA C++ are checked on the cores, for which clang is needed: {clang.INSTALL} brings it "
            f"({clang.OLDEST} to {clang.NEWEST} of any origin will do)"
        )
    try:
        _core.sources.compiler_facts()
    except CudaSupportError:
        raise CudaSupportError(
            f"CUDA C++ needs an NVIDIA GPU, or clang to run on the cores, and there is neither: {clang.INSTALL} brings clang "
            f"({clang.OLDEST} to {clang.NEWEST} of any origin will do)"
        ) from None


def _compile_for_cores(
    found: clang.Clang, text: str, name: str, options: Options, expressions: tuple[str, ...], translates_complex: bool
) -> Compiled:
    passed = [*options.passed, *(["-DTESSERA_TRANSLATES_COMPLEX"] if translates_complex else [])]
    try:
        code, log, lowered = _core.sources.compile_for_cores(
            name, text, passed, list(expressions), list(found.command), found.version, clang.HEADERS, CHECKS_ALL
        )
    except CudaSourceError as error:
        raise _with_source(error, text, name, options) from None
    return Compiled(code, False, log, dict(zip(expressions, lowered)), True)


def _with_source(error: CudaSourceError, text: str, name: str, options: Options) -> CudaSourceError:
    made = CudaSourceError(str(error))
    made.source, made.name, made.options = text, name, tuple(options.passed)
    return made


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
