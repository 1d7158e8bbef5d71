"""The table of which module has which of NumPy's functions, by which the compiler imports only what a program calls."""

from __future__ import annotations

import importlib
import subprocess
import sys

from tessera.functions.numpy_library import _names, _registry


def test_the_table_has_what_modules_register_and_where():
    for family in _names.FAMILIES:
        importlib.import_module(f"tessera.functions.numpy_library.{family}")
    listed = {name: family for family, names in _names.FAMILIES.items() for name in names.split()}
    found = {name: one.py_func.__module__.rpartition(".")[2] for name, one in _registry.functions.items()}
    assert listed == found
    assert sum(len(names.split()) for names in _names.FAMILIES.values()) == len(listed)


def test_a_function_that_calls_one_of_them_imports_few_modules(tmp_path):
    program = tmp_path / "prog.py"
    program.write_text(
        "import sys, numpy\n"
        "from tessera import jit\n"
        "@jit\n"
        "def f(x): return numpy.sqrt(x) + numpy.sinc(x)\n"
        "f(1.5)\n"
        "print(*sorted(m.rpartition('.')[2] for m in sys.modules if m.startswith('tessera.functions.numpy_library.')))\n"
    )
    ended = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    assert "elements" in ended.stdout and "linear_algebra" not in ended.stdout and "signals" not in ended.stdout
