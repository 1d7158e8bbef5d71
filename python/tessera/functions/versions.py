"""Variables that a function's own block assigns anew get a name of their own from there on, so that each may have another type."""

from __future__ import annotations

import ast

from tessera.functions.tree_nodes import nodes_of

MARK = "'"  # between a variable's name and the number of its version


def name_versions(definition: ast.FunctionDef) -> None:
    """Renames them in the function's tree."""
    assigned: dict[str, int] = {argument.arg: 1 for argument in _parameters(definition)}
    for statement in definition.body:
        for name in _stored(statement) if isinstance(statement, ast.Assign) else _stored_within(statement):
            assigned[name] = assigned.get(name, 0) + 1
    if all(count < 2 for count in assigned.values()):
        return
    renamer = _Renamer(_fixed(definition))
    renamer.seen.update(argument.arg for argument in _parameters(definition))
    for statement in definition.body:
        renamer.rename(statement)


def _parameters(definition: ast.FunctionDef) -> list[ast.arg]:
    arguments = definition.args
    rest = [one for one in (arguments.vararg, arguments.kwarg) if one]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *rest]


def _stored(statement: ast.Assign) -> set[str]:
    return {
        node.id
        for target in statement.targets
        for node in nodes_of(target)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _stored_within(statement: ast.stmt) -> set[str]:
    return {node.id for node in nodes_of(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _fixed(definition: ast.FunctionDef) -> set[str]:
    """Names that functions inside know, or that are another scope's."""
    fixed: set[str] = set()
    for node in nodes_of(definition):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            fixed.update(node.names)
        elif isinstance(node, ast.comprehension):
            fixed.update(part.id for part in nodes_of(node.target) if isinstance(part, ast.Name))
        elif node is not definition and isinstance(node, (ast.FunctionDef, ast.Lambda, ast.GeneratorExp)):
            fixed.update(part.id for part in nodes_of(node) if isinstance(part, ast.Name))
            fixed.update(part.arg for part in nodes_of(node) if isinstance(part, ast.arg))
            if isinstance(node, ast.FunctionDef):
                fixed.add(node.name)
    return fixed


class _Renamer:
    def __init__(self, fixed: set[str]) -> None:
        self._fixed = fixed
        self._versions: dict[str, int] = {}
        self.seen: set[str] = set()

    def rename(self, statement: ast.stmt) -> None:
        stored: set[str] = set()
        if isinstance(statement, ast.Assign):
            stored = _stored(statement) - self._fixed
        before = dict(self._versions)
        for name in stored & self.seen:
            self._versions[name] = self._versions.get(name, 1) + 1
        for node in nodes_of(statement):
            if not isinstance(node, ast.Name):
                continue
            self.seen.add(node.id)
            is_new = node.id in stored and isinstance(node.ctx, ast.Store)
            version = (self._versions if is_new or node.id not in stored else before).get(node.id, 1)
            if version > 1:
                node.id = f"{node.id}{MARK}{version}"
