#!/usr/bin/env python3
"""Writes the type stubs of all public names from what they are at run time: tools/make_stubs.py [--folder python/tessera]

Parameters come from signatures, numbers of operands and boolean results from the op table, the text from docstrings; the types of
parameters and results from tools/stubs/annotations.py. Run it where tools/requirements.txt is installed: names that NumPy or SciPy
add or drop change the stubs.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import re
import sys
import types
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools" / "stubs"), str(ROOT / "python")]
os.environ.setdefault("TESSERA_DEVICE", "cpu")

import annotations as notes  # noqa: E402
import array_class  # noqa: E402
import public_names  # noqa: E402
import signatures  # noqa: E402

HEAD = "# Made by tools/make_stubs.py.\n"
IMPORTS = """import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc
"""


def module_of(value: Any) -> str:
    name = getattr(value, "__module__", None)
    return name if isinstance(name, str) else ""


def ufunc_class_of(value: Any) -> str:
    results = [loop.split("->")[1] for loop in value.types]
    return array_class.ufunc_class(value.nin, value.nout, all(set(each) == {"?"} for each in results))


class Module:
    """The stub of one module."""

    def __init__(self, name: str) -> None:
        import numpy

        self.name = name
        self.module = importlib.import_module(name)
        self.theirs: Any = numpy
        package = name if name in public_names.SURFACES else name.rpartition(".")[0]
        if package.startswith("tessera.numpy."):
            part = package.removeprefix("tessera.numpy.")
            self.theirs = importlib.import_module("numpy.lib.scimath" if part == "emath" else f"numpy.{part}")
        self.short = name.rpartition(".")[2] if not name.endswith("random") else "random"
        self.imports: set[str] = set()
        self.texts: list[str] = []

    def text(self) -> str:
        for name in public_names.names(self.name):
            self.texts.append(self.describe(name))
        text = (
            HEAD
            + IMPORTS
            + "".join(f"{line}\n" for line in sorted(self.imports))
            + "\n"
            + "".join(self.texts)
            + self.listed()
        )
        if "ShapeT" in text:
            text = text.replace("NDArray, ScalarT, ", "NDArray, ScalarT, ShapeT, ", 1)
        if "from tessera import numpy as numpy" in self.imports:  # NumPy itself needs another name then
            text = text.replace("import numpy\n", "import numpy as _numpy\n", 1)
            text = re.sub(r"(?<![\w.])numpy\.(?=ndarray|dtype|bool)", "_numpy.", text)
        return text

    def listed(self) -> str:
        if self.name in public_names.OPEN:
            return "\ndef __getattr__(name: str) -> Any: ...\n"
        names = getattr(self.module, "__all__", None)
        if names is None:
            return ""
        return "\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in sorted(names)) + "]\n"

    def describe(self, name: str) -> str:
        value = getattr(self.module, name)
        part = self.part_with(name, value)
        if part:
            self.imports.add(f"from {self.name}.{part} import {name} as {name}")
            return ""
        if name in notes.VALUES:
            return f"{name}: {notes.VALUES[name]}\n"
        if self.is_numpys(name, value):
            return ""
        if isinstance(value, types.ModuleType):
            return self.submodule(name, value)
        if name in ("ndarray", "ufunc"):
            self.imports.add(f"from tessera._core import {name} as {name}")
            return ""
        if type(value).__name__ == "ufunc":
            kind = ufunc_class_of(value)
            self.imports.add(f"from tessera._core import {kind}")
            return f"{name}: {kind}\n"
        if isinstance(value, type):
            return self.own_class(name, value)
        if callable(value):
            return signatures.function_text(name, value, self.short)
        return f"{name}: {type(value).__name__ if type(value) in (int, str, bool, float) else 'Any'}\n"

    def part_with(self, name: str, value: Any) -> str | None:
        """The package's module that defines the name, which has a stub of its own."""
        for part in public_names.PARTS.get(self.name, ()):
            module = importlib.import_module(f"{self.name}.{part}")
            if name in public_names.names(module.__name__) and getattr(module, name, None) is value:
                return part
        return None

    def is_numpys(self, name: str, value: Any) -> bool:
        """Whether it is NumPy's own object, or one of its functions that runs there; it is imported then."""
        import numpy

        for owner in (self.theirs, numpy):
            theirs = getattr(owner, name, None) if hasattr(owner, "__name__") else None
            own = theirs is value or name == "errstate" or hasattr(value, "__tessera_fallback__")
            if theirs is not None and name != "test" and (own or (self.name.endswith("testing") and callable(value))):
                self.imports.add(f"from {owner.__name__} import {name} as {name}")
                return True
        return False

    def submodule(self, name: str, value: types.ModuleType) -> str:
        if value.__name__.startswith("tessera."):
            self.imports.add(f"from {value.__name__.rpartition('.')[0]} import {name} as {name}")
        elif value.__name__.startswith("numpy."):
            self.imports.add(f"from {value.__name__.rpartition('.')[0]} import {name} as {name}")
        else:
            return f"{name}: ModuleType\n"
        return ""

    def own_class(self, name: str, value: type) -> str:
        home = module_of(value)
        if not home.startswith("tessera") and home.startswith("numpy"):
            self.imports.add(f"from {home} import {name} as {name}")
            return ""
        bases = [base for base in value.__mro__[1:] if issubclass(base, BaseException)]
        base = bases[0].__name__ if bases and bases[0].__module__ == "builtins" else ""
        return signatures.class_text(name, value, self.short, base)


def core_text() -> str:
    """The shared types, the array class and a class for each kind of ufunc."""
    import tessera.numpy as np

    from tessera import _core

    shapes = set()
    for owner in (np, _core.special):
        for name in dir(owner):
            value = getattr(owner, name)
            if type(value).__name__ == "ufunc":
                results = [loop.split("->")[1] for loop in value.types]
                shapes.add((value.nin, value.nout, all(set(each) == {"?"} for each in results)))
    template = (ROOT / "tools" / "stubs" / "core.pyi.in").read_text()
    return (
        HEAD
        + template
        + array_class.ufunc_classes(shapes)
        + array_class.text(np.ndarray)
        + "\ndef __getattr__(name: str) -> Any: ...\n"
    )


def stubs() -> dict[str, str]:
    """The text of every stub by its path inside the package."""
    files = {"_core.pyi": core_text()}
    modules = [f"{package}.{part}" for package, parts in public_names.PARTS.items() for part in parts]
    for name in [*public_names.SURFACES, *modules]:
        module = importlib.import_module(name)
        if (path := Path(inspect.getfile(module))).name == "typing.py":
            continue  # its source has all types
        relative = (
            Path(*name.split(".")[1:]) / "__init__.pyi"
            if path.name == "__init__.py"
            else Path(*name.split(".")[1:]).with_suffix(".pyi")
        )
        files[str(relative)] = Module(name).text()
    return files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "python" / "tessera")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, text in stubs().items():
        path = options.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
