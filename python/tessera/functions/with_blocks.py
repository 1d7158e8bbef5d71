"""`with parallel_chunksize(n):` in a function, written by try and finally before it is compiled."""

from __future__ import annotations

import ast
from typing import Any

from tessera.functions.threads import parallel_chunksize


def plain_with(definition: ast.FunctionDef, lookup: Any) -> None:
    """Replaces such blocks in a function's tree; `lookup` finds what a dotted name stands for."""
    _Rewriter(lookup).visit(definition)
    ast.fix_missing_locations(definition)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, lookup: Any) -> None:
        self._lookup = lookup
        self._count = 0

    def visit_With(self, node: ast.With) -> Any:
        self.generic_visit(node)
        body: list[ast.stmt] = node.body
        for item in reversed(node.items):
            call = item.context_expr
            if item.optional_vars or not isinstance(call, ast.Call) or not self._is_chunk_size(call.func):
                return node
            body = self._within(call, body)
        for made in body:
            for part in ast.walk(made):
                if not hasattr(part, "lineno"):
                    ast.copy_location(part, node.items[0].context_expr)
        return body

    def _is_chunk_size(self, function: ast.expr) -> bool:
        return (
            isinstance(function, (ast.Name, ast.Attribute))
            and self._lookup(ast.unparse(function)) is parallel_chunksize
        )

    def _within(self, call: ast.Call, body: list[ast.stmt]) -> list[ast.stmt]:
        self._count += 1
        before = f"chunk_size_before_{self._count}"
        set_size = ast.Attribute(call.func, "set", ast.Load())
        back = ast.Call(set_size, [ast.Name(before, ast.Load())], [])
        return [
            ast.Assign([ast.Name(before, ast.Store())], ast.Call(set_size, call.args, call.keywords)),
            ast.Try(body=body, handlers=[], orelse=[], finalbody=[ast.Expr(back)]),
        ]
