"""build_kernels: a text of CUDA C++ ahead of time, for many architectures in one file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tessera import _core
from tessera.cuda.source import compiler
from tessera.cuda.source.options import parse

# Behind the code, where the driver does not look: what names of instances of templates became.
_MARK = b"\ntessera symbols "


def build_kernels(
    code: str,
    path: Any,
    *,
    architectures: Iterable[str] = (),
    options: Sequence[str] = (),
    name_expressions: Sequence[str] = (),
    name: str = "source.cu",
) -> list[str]:
    """Writes machine code and PTX that `RawModule(path=)` loads; returns the architectures.

    `architectures` are "sm_90" for machine code and "compute_90" for PTX, which newer GPUs assemble. Without any: machine code for all that
    the compiler knows, and PTX for the newest. The file is a fatbin, which CUDA's driver and other libraries load, too.

    Examples
    --------
    >>> import os, tempfile
    >>> from tessera import cuda
    >>> code = 'extern "C" __global__ void fill(float* x) { x[threadIdx.x] = 1; }'
    >>> path = os.path.join(tempfile.mkdtemp(), "fill.fatbin")
    >>> cuda.build_kernels(code, path, architectures=["sm_80"])
    ['sm_80']
    """
    chosen = list(dict.fromkeys(architectures)) or _all_architectures()
    jobs = [(architecture, parse((*options, f"-arch={architecture}"))) for architecture in chosen]
    if parse(options).capability:
        raise ValueError("build_kernels: the architectures are given by architectures=, not by -arch")

    def compile_for(job: tuple[str, Any]) -> compiler.Compiled:
        architecture, parsed = job
        kind = "ptx" if architecture.startswith("compute_") else "cubin"
        return compiler.compile_source(code, name, parsed, tuple(name_expressions), kind=kind, is_loaded=False)

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        made = list(threads.map(compile_for, jobs))
    whole = _core.sources.bundle([(one.code, architecture) for one, architecture in zip(made, chosen)])
    if name_expressions:
        whole += _MARK + json.dumps(made[0].symbols).encode()
    beside = f"{os.fspath(path)}.{os.getpid()}"
    with open(beside, "wb") as file:
        file.write(whole)
    os.replace(beside, path)
    return chosen


def _all_architectures() -> list[str]:
    known = _core.sources.compiler_facts()["capabilities"]
    return [*(f"sm_{number}" for number in known), f"compute_{known[-1]}"]


def symbols_in(code: bytes) -> dict[str, str]:
    """The symbols of the name expressions that a file was built with."""
    _, mark, text = code.rpartition(_MARK)
    if not mark:
        return {}
    try:
        symbols = json.loads(text)
    except ValueError:
        return {}
    return symbols if isinstance(symbols, dict) else {}
