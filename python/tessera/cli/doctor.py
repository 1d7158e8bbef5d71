"""`tessera doctor`: what this installation consists of and what is wrong with it."""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from typing import Any


def examine() -> dict[str, Any]:
    """Facts by section, and the list of problems."""
    facts: dict[str, Any] = {"versions": _versions(), "problems": []}
    problems = facts["problems"]
    try:
        from tessera import _core
    except ImportError as error:
        problems.append(f"the engine does not load: {error}. Build it with `make build` or `pip install .`")
        return facts
    facts["processor"] = {"machine": platform.machine(), "level": cpu_level(), "threads": _core.cpus(), "cores": os.cpu_count()}
    options = _core.options()
    facts["cache"] = _cache(options["cache_folder"], problems)
    trouble = _core.compiler_problem()
    facts["compiler"] = trouble or "loaded"
    if trouble:
        problems.append(f"no native code, everything is interpreted: {trouble}")
    facts["libraries"] = _libraries()
    if facts["libraries"]["BLAS"] is None:
        problems.append("no OpenBLAS found: matrix products and linalg are slow. NumPy's wheel from PyPI brings one")
    facts["gpu"] = _gpus(problems)
    if isinstance(facts["gpu"], dict):
        facts["cuda"] = _cuda(problems)
    facts["check"] = _computes(problems)
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


def _cache(folder: str, problems: list[str]) -> dict[str, Any]:
    if not folder:
        return {"folder": None, "state": "off"}
    if not os.path.isdir(folder):
        parent = folder
        while not os.path.exists(parent):
            parent = os.path.dirname(parent) or "."
        state = "not made yet" if os.path.isdir(parent) and os.access(parent, os.W_OK) else "cannot be made"
        if state == "cannot be made":
            problems.append(f"the cache folder {folder} cannot be made: kernels are compiled anew in every process")
        return {"folder": folder, "state": state, "files": 0, "bytes": 0}
    sizes = []
    for root, _, files in os.walk(folder):
        for name in files:
            try:
                sizes.append(os.path.getsize(os.path.join(root, name)))
            except OSError:
                pass  # another process removed it
    state = "writable"
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except OSError as error:
        state = f"read-only ({error.strerror})"
        problems.append(f"the cache folder {folder} cannot be written: {error.strerror}")
    return {"folder": folder, "state": state, "files": len(sizes), "bytes": sum(sizes)}


def _libraries() -> dict[str, str | None]:
    """Shared libraries that the process has loaded, after one product has asked for them."""
    import tessera.numpy as np

    np.asarray(np.matmul(np.ones((64, 64)), np.ones((64, 64))))
    loaded = set()
    try:
        with open("/proc/self/maps") as file:
            loaded = {line.split()[-1] for line in file if ".so" in line}
    except OSError:
        pass

    def find(*names: str) -> str | None:
        return next((path for path in sorted(loaded) if any(name in os.path.basename(path) for name in names)), None)

    return {"BLAS": find("openblas", "libblas", "mkl_rt"), "TBB": find("libtbb"), "engine": find("libtessera.so"), "codegen": find("libtessera_codegen")}


def _gpus(problems: list[str]) -> dict[str, str] | str:
    """What each GPU is; a machine without a driver is no problem, a driver without a working GPU is one."""
    from tessera import _core

    try:
        devices = _core.devices()
    except Exception as error:
        problems.append(f"the GPU does not open: {error}")
        return "does not open"
    if not devices:
        reason = _core.device_problem()
        if "no NVIDIA driver" not in reason:
            problems.append(reason)
        return reason
    found = {}
    for number, gpu in enumerate(devices):
        driver = f"{gpu['driver_version'] // 1000}.{gpu['driver_version'] % 1000 // 10}"
        found[f"gpu:{number}"] = (
            f"{gpu['name']}, sm_{gpu['capability']}, {gpu['multiprocessors']} multiprocessors, {gpu['memory'] / 2**30:.0f} GiB, "
            f"driver for CUDA {driver}"
        )
        if gpu["capability"] < 70:
            problems.append(f"gpu:{number} ({gpu['name']}) is older than sm_70: kernels for it are not made")
    if problem := _gpu_computes():
        problems.append(problem)
    return found


def _cuda(problems: list[str]) -> dict[str, str | None]:
    """The driver's own version, and which of CUDA's libraries came from where."""
    from tessera import _core

    found = {"driver": _kernel_driver()}
    for library in _core.device_libraries(0):
        if library["problem"]:
            problems.append(f"{library['problem']}. Until then its operations run on the host")
        found[library["title"]] = f"{library['version']}, {library['origin']}: {library['path']}" if library["path"] else None
    for number in range(1, len(_core.devices())):
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
