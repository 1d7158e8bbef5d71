"""Which of NumPy's names a program's source uses, and in which lines."""

from __future__ import annotations

import ast

# Modules with NumPy's names.
_NUMPYS = ("numpy", "cupy", "cunumeric", "cupynumeric", "tessera.numpy")


class _Names(ast.NodeVisitor):
    def __init__(self) -> None:
        self.modules: dict[str, str] = {}  # local name -> "" for NumPy itself, "linalg." for a submodule
        self.direct: dict[str, str] = {}  # local name -> NumPy's
        self.found: dict[str, set[int]] = {}

    def add(self, name: str, line: int) -> None:
        self.found.setdefault(name, set()).add(line)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            module, inner = _split(alias.name)
            if module is None:
                continue
            if alias.asname:
                self.modules[alias.asname] = inner
            elif module != "tessera.numpy":  # `import numpy.linalg` binds numpy
                self.modules[module] = ""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level:
            return
        if node.module == "tessera":
            self.modules.update({alias.asname or alias.name: "" for alias in node.names if alias.name == "numpy"})
            return
        module, inner = _split(node.module or "")
        if module is None:
            return
        for alias in node.names:
            name = alias.asname or alias.name
            if not inner and alias.name in ("linalg", "fft", "random"):
                self.modules[name] = f"{alias.name}."
            elif alias.name != "*":
                self.direct[name] = inner + alias.name

    def visit_Attribute(self, node: ast.Attribute) -> None:
        parts = [node.attr]
        value: ast.expr = node.value
        while isinstance(value, ast.Attribute):
            parts.append(value.attr)
            value = value.value
        if isinstance(value, ast.Name) and value.id in self.modules:
            parts.reverse()
            depth = 2 if parts[0] in ("linalg", "fft", "random") else 1
            name = ".".join(parts[:depth])
            if name not in ("linalg", "fft", "random"):
                self.add(self.modules[value.id] + name, node.lineno)
        else:
            self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and node.id in self.direct:
            self.add(self.direct[node.id], node.lineno)


def _split(module: str) -> tuple[str | None, str]:
    """The NumPy that a module is or belongs to, and what comes before its names."""
    for numpy in _NUMPYS:
        if module == numpy:
            return numpy, ""
        if module.startswith(numpy + "."):
            return numpy, module[len(numpy) + 1 :] + "."
    return None, ""


def used(source: str) -> dict[str, list[int]]:
    """Names, such as "linalg.solve", and their lines; methods of arrays are not among them. Raises SyntaxError."""
    names = _Names()
    names.visit(ast.parse(source))
    return {name: sorted(lines) for name, lines in sorted(names.found.items())}
