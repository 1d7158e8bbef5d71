"""`tessera doctor`: what this installation consists of and what is wrong with it."""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from tessera import _fallback
from tessera.cli import cuda_libraries


def examine() -> dict[str, Any]:
    """Facts by section, and the list of problems. A section that fails is a problem, too, and the others go on."""
    problems: list[str] = []
    facts: dict[str, Any] = {"versions": _versions(), "problems": problems}
    try:
        import tessera._core  # noqa: F401

        _fallback.require_known_mode()
    except ModuleNotFoundError as error:
        problems.append(f"the engine is not there: {error}. Build it with `make build` or `pip install .`")
        return facts
    except ImportError as error:
        problems.append(f"the engine does not load: {error}")
        return facts
    sections: dict[str, Callable[[list[str]], Any]] = {
        "settings": _settings,
        "processor": _processor,
        "cache": _cache,
        "compiler": _compiler,
        "clang": _clang,
        "libraries": _libraries,
        "gpu": _gpus,
        "cuda": _cuda,
        "check": _computes,
    }
    for name, look in sections.items():
        try:
            found = look(problems)
        except Exception as error:
            found, problem = "failed", f"{type(error).__name__}: {error}"
            if problem not in problems:
                problems.append(problem)
        if found is not None:
            facts[name] = found
    return facts


def _versions() -> dict[str, str | None]:
    import numpy

    from tessera import __version__

    return {
        "tessera": __version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": _version("scipy"),
        "ml_dtypes": _version("ml_dtypes"),
        "system": platform.platform(),
    }


def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def cpu_level() -> str:
    """The x86-64 level this processor has, as TESSERA_CPU_LEVEL counts them."""
    try:
        with open("/proc/cpuinfo") as file:
            flags = next((set(line.split(":")[1].split()) for line in file if line.startswith("flags")), set())
    except OSError:
        return "unknown"
    if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags:
        return "x86-64-v4"
    if {"avx2", "fma", "bmi2", "f16c"} <= flags:
        return "x86-64-v3"
    return "x86-64-v2"


def _settings(_: list[str]) -> dict[str, str] | None:
    """What is set by the environment. The engine reads some of it late, and then says what it does not understand."""
    from tessera import _core

    _core.copy_guard()
    return {name: value for name, value in sorted(os.environ.items()) if name.startswith("TESSERA_")} or None


def _processor(_: list[str]) -> dict[str, Any]:
    from tessera import _core

    return {"machine": platform.machine(), "level": cpu_level(), "threads": _core.cpus(), "cores": os.cpu_count()}


def _cache(problems: list[str]) -> dict[str, Any]:
    """The folder of compiled kernels, and whether it, or the one that it would be made in, takes files."""
    from tessera import _core

    folder = _core.options()["cache_folder"]
    if not folder:
        return {"folder": None, "state": "off"}
    if problem := _core.cache_problem():
        problems.append(problem)
        return {"folder": folder, "state": "not used: others may write it"}
    there = folder
    while not os.path.exists(there):
        there = os.path.dirname(there) or "."
    state = "writable" if there == folder else "not made yet"
    try:
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(bytes(1 << 16))  # what several kernels take: a full disk has room for a few bytes
    except OSError as error:
        state = f"cannot be written ({error.strerror})"
        problems.append(
            f"the cache folder {folder} cannot be written: {error.strerror}. Kernels are compiled anew in every process"
        )
    sizes = []
    for root, _, files in os.walk(folder):
        for name in files:
            try:
                sizes.append(os.path.getsize(os.path.join(root, name)))
            except OSError:
                pass  # another process removed it
    return {"folder": folder, "state": state, "files": len(sizes), "bytes": sum(sizes)}


def _clang(_: list[str]) -> str:
    """What compiles CUDA C++ for the cores."""
    from tessera.cuda.source import clang

    found = clang.find()
    if found is None:
        return f"none (CUDA C++ runs on a GPU alone; on the cores with {clang.INSTALL})"
    return f"{' '.join(found.command)} ({found.origin})"


def _compiler(problems: list[str]) -> str:
    from tessera import _core

    trouble = _core.compiler_problem()
    if trouble:
        problems.append(f"no native code, everything is interpreted: {trouble}")
    return trouble or "loaded"


def _libraries(problems: list[str]) -> dict[str, str | None]:
    """Shared libraries that the process has loaded, after one product has asked for them."""
    import tessera
    import tessera.numpy as np
    from tessera import _core

    with tessera.device("cpu"):
        np.asarray(np.matmul(np.ones((64, 64)), np.ones((64, 64))))
    loaded = set()
    try:
        with open("/proc/self/maps") as file:
            loaded = {line.split()[-1] for line in file if ".so" in line}
    except OSError:
        pass

    def find(*names: str) -> str | None:
        return next((path for path in sorted(loaded) if any(name in os.path.basename(path) for name in names)), None)

    blas = find("openblas", "libblas", "mkl_rt")
    if blas is None:
        problems.append("no OpenBLAS found: matrix products and linalg are slow. NumPy's wheel from PyPI brings one")
    version, file, is_linked_in = _core.task_library()
    tbb = f"{version}, linked into the engine" if is_linked_in else f"{version}: {file}"
    return {"BLAS": blas, "TBB": tbb, "engine": find("libtessera.so"), "codegen": find("libtessera_codegen")}


def _gpus(problems: list[str]) -> dict[str, str] | str:
    """What each GPU is; a machine without a driver is no problem, a driver without a working GPU is one."""
    from tessera import _core

    devices = _core.devices()
    if not devices:
        reason = _core.device_problem()
        if "no NVIDIA driver" not in reason:
            problems.append(reason)
        return reason
    found = {}
    for number, gpu in enumerate(devices):
        if "problem" in gpu:
            name, problem = f"gpu:{number}", gpu["problem"]
            problems.append(problem if name in problem else f"{name}: {problem}")
            found[name] = "does not open"
            continue
        driver = f"{gpu['driver_version'] // 1000}.{gpu['driver_version'] % 1000 // 10}"
        found[f"gpu:{number}"] = (
            f"GPU {gpu['name']}, sm_{gpu['capability']}, {gpu['multiprocessors']} multiprocessors, {gpu['memory'] / 2**30:.0f} GiB, "
            f"driver for CUDA {driver}"
        )
    if "problem" not in devices[0] and (problem := _gpu_computes()):
        problems.append(problem)
    return found


def _cuda(problems: list[str]) -> dict[str, str | None] | None:
    """The driver's own version, and which of CUDA's libraries came from where and whether they start; None without a GPU."""
    from tessera import _core

    devices = _core.devices()
    if not devices or "problem" in devices[0]:
        return None
    found = {"driver": _kernel_driver()}
    libraries = _core.device_libraries(0)
    wrong = cuda_libraries.problems_of(libraries, devices[0]["driver_version"], devices[0]["capability"])
    problems += [f"{problem}. Until then its operations run on the host" for problem in wrong]
    for library in libraries:
        found[library["title"]] = (
            f"{library['version']}, {library['origin']}: {library['path']}" if library["path"] else None
        )
    for number in range(1, len(devices)):
        found[f"0 to {number}"] = _core.peer_link(0, number)
    return found


def _kernel_driver() -> str | None:
    try:
        with open("/proc/driver/nvidia/version") as file:
            words = file.readline().split()
    except OSError:
        return None
    return next((word for word in words if word[:1].isdigit() and "." in word), None)


def _gpu_computes() -> str | None:
    """What goes wrong when a small program runs on the first GPU."""
    import tessera
    import tessera.numpy as np
    from tessera import _core

    try:
        with tessera.device("gpu:0"):
            total = float((np.arange(100_000.0) * 2 + 1).sum())
    except Exception as error:
        return f"a sum on gpu:0 failed: {error}"
    if total != 1e10:
        return f"a sum on gpu:0 that is 10000000000 came out as {total}"
    problem = _core.device_problem()
    return f"a kernel could not be made for gpu:0: {problem}" if problem else None


def _computes(problems: list[str]) -> str:
    import tessera.numpy as np

    total = float((np.arange(1000.0) * 2 + 1).sum())
    if total != 1e6:
        problems.append(f"a sum that is 1000000 came out as {total}")
        return "wrong"
    return "right"


def doctor(as_json: bool = False) -> int:
    """Prints the findings; 1 when there are problems, else 0."""
    facts = examine()
    if as_json:
        json.dump(facts, sys.stdout, indent=2)
        print()
    else:
        for section, content in facts.items():
            if section == "problems":
                continue
            if isinstance(content, dict):
                print(section)
                for name, value in content.items():
                    print(f"  {name:10} {value if value is not None else 'not found'}")
            else:
                print(f"{section:12} {content}")
        for problem in facts["problems"]:
            print(f"problem: {problem}")
        if not facts["problems"]:
            print("no problems")
    return 1 if facts["problems"] else 0
