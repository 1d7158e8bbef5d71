"""Stencils that a function makes, `stencil(lambda x: x[-1] + x[1])(a)`: made when the function is compiled."""

from __future__ import annotations

import ast
import inspect
from typing import Any

from tessera.functions.tree_nodes import dotted_name


def make_stencils(definition: ast.FunctionDef, nodes: list[Any], function: Any, lookup: Any) -> dict[str, Any]:
    """The stencils by the names that stand for them in the function's tree from now on; `lookup` finds what a dotted name is."""
    calls = {dotted_name(node.func) for node in nodes if isinstance(node, ast.Call) and node.args}
    if not any(name and hasattr(lookup(name), "_makes_stencils") for name in calls):
        return {}
    maker = _Maker(function, lookup)
    maker.visit(definition)
    return maker.made


class _Maker(ast.NodeTransformer):
    def __init__(self, function: Any, lookup: Any) -> None:
        self._function, self._lookup = function, lookup
        self.made: dict[str, Any] = {}

    def visit_Call(self, node: ast.Call) -> Any:
        made = self._make(node)
        if made is None:
            return self.generic_visit(node)
        name = f"stencil'{len(self.made) + 1}"
        self.made[name] = made
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def _make(self, node: ast.Call) -> Any:
        """The stencil of a call of tessera.stencil; None for other calls, and where an option is no constant."""
        if not isinstance(node.func, (ast.Name, ast.Attribute)) or not node.args:
            return None
        stencil = self._lookup(ast.unparse(node.func))
        if not hasattr(stencil, "_makes_stencils"):
            return None
        try:
            options = {one.arg: ast.literal_eval(one.value) for one in node.keywords if one.arg}
        except ValueError:
            return None
        kernel = node.args[0]
        if isinstance(kernel, ast.Lambda):
            text = ast.unparse(kernel)
            around = inspect.getclosurevars(self._function).nonlocals
            make = eval(f"lambda {', '.join(around)}: {text}", self._function.__globals__)
            return stencil(make(*around.values()), source=text, **options)
        called = self._lookup(kernel.id) if isinstance(kernel, ast.Name) else None
        return stencil(called, **options) if hasattr(called, "__code__") else None
