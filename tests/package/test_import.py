"""Importing tessera is quick, and lives with other libraries that bring LLVM or threads of their own."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import tessera


def run(program):
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_import_loads_nothing_but_tessera_and_a_few_standard_modules():
    # What importing costs in milliseconds is for bench/run.py to say; what it costs is what it loads.
    program = """
        import sys
        import numpy
        before = set(sys.modules)
        import tessera.numpy
        print(*(name for name in sorted(set(sys.modules) - before) if not name.startswith("tessera")))
    """
    loaded = set(run(program).split())
    assert not {name for name in loaded if name.split(".")[0] not in sys.stdlib_module_names}
    assert not loaded & {"unittest", "subprocess", "argparse", "logging", "importlib.metadata"}
    assert len(loaded) <= 16


def test_libraries_say_nothing_of_where_their_sources_lay():
    sources = Path(__file__).parents[2] / "src"
    libraries = list(Path(tessera.__file__).parent.glob("*.so"))
    assert len(libraries) >= 3
    assert not [library.name for library in libraries if f"{sources}/".encode() in library.read_bytes()]


# The other library's own compiled code, before and after ours.
OTHERS = {
    "llvmlite": """
        import llvmlite.binding as llvm
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        def other():
            module = llvm.parse_assembly("define i32 @f(i32 %x) { %y = add i32 %x, 41 ret i32 %y }")
            machine = llvm.Target.from_default_triple().create_target_machine()
            engine = llvm.create_mcjit_compiler(module, machine)
            engine.finalize_object()
            import ctypes
            return ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(engine.get_function_address("f"))(1)
    """,
    "numba": """
        import numba
        def other():
            return numba.njit(lambda x: x + 41)(1)
    """,
    "torch": """
        import torch
        def other():
            return int((torch.ones(200_000, dtype=torch.float64) + 41).sum() / 200_000)
    """,
    "triton": """
        from triton._C import libtriton
        def other():
            context = libtriton.ir.context()
            libtriton.ir.load_dialects(context)
            module = libtriton.ir.builder(context).create_module()
            return 42 if "module" in str(module) else str(module)
    """,
    "scipy": """
        import numpy, scipy.linalg, scipy.special
        def other():
            solved = scipy.linalg.solve(numpy.eye(300) * 2, numpy.full(300, 42.0))
            return round(float(scipy.special.gammaln(solved).sum() * 0 + solved[7] * 2))
    """,
    "mkl": """
        import ctypes, importlib.metadata, numpy
        (file,) = [file for file in importlib.metadata.files("mkl") if "libmkl_rt" in file.name]
        mkl = ctypes.CDLL(str(file.locate()))
        mkl.cblas_ddot.restype = ctypes.c_double
        def other():
            x, y = numpy.full(300_000, 6.0), numpy.full(300_000, 7.0)
            address = [array.ctypes.data_as(ctypes.c_void_p) for array in (x, y)]
            return mkl.cblas_ddot(x.size, address[0], 1, address[1], 1) / x.size
    """,
}

OURS = """
    import tessera.numpy as np
    from tessera import _core
    _core.options(compile="before_full", cache_folder="")
    assert not _core.compiler_problem()
    def ours():
        assert float((np.ones((300, 300)) @ np.ones((300, 300)))[2, 3]) == 300
        return float((np.exp(np.zeros(300_000)) * 2).sum())
"""


def is_installed(name):
    try:
        return bool(importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return False


@pytest.mark.parametrize("order", ["before", "after"])
@pytest.mark.parametrize("name", OTHERS)
def test_compiled_code_beside_another_library(name, order):
    if not is_installed(name):
        pytest.skip(f"{name} is not installed")
    parts = [textwrap.dedent(OTHERS[name]), textwrap.dedent(OURS)]
    calls = "\nfor _ in range(2):\n    assert other() == 42\n    assert ours() == 600_000\n"
    run("".join(parts if order == "before" else reversed(parts)) + calls)


@pytest.mark.parametrize("order", ["before", "after", "among"])
def test_compiled_code_beside_all_other_libraries_that_are_installed(order):
    parts = [textwrap.dedent(code) + "\nothers.append(other)\n" for name, code in OTHERS.items() if is_installed(name)]
    parts.insert({"before": 0, "after": len(parts), "among": len(parts) // 2}[order], textwrap.dedent(OURS))
    calls = (
        "\nfor _ in range(2):\n    for other in others:\n        assert other() == 42\n    assert ours() == 600_000\n"
    )
    run("others = []\n" + "".join(parts) + calls)
