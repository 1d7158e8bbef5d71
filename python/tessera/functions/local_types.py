"""`locals=` of decorators: variables are numbers of the types that it names, to which what is assigned is converted."""

from __future__ import annotations

import ast
from typing import Any

from tessera import types


def check_locals(decorator: str, given: Any) -> dict[str, Any]:
    """The types by variable; raises for what is no number's type."""
    kinds = dict(given or {})
    for name, kind in kinds.items():
        if not isinstance(kind, types.Number):
            raise NotImplementedError(
                f"{decorator}: locals has {kind!r} for {name}: it names types of numbers; other variables have the types of their values"
            )
    return kinds


def convert_locals(definition: ast.FunctionDef, kinds: dict[str, Any]) -> dict[str, Any]:
    """Adds conversions to the function's tree. Returns what the names in them stand for."""
    arguments = definition.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    first = [_converted(one.arg, one) for one in parameters if one.arg in kinds]
    definition.body = [*first, *_converting(definition.body, kinds)]
    ast.fix_missing_locations(definition)
    return {_name_of(name): kind for name, kind in kinds.items()}


def _name_of(variable: str) -> str:
    return f"{variable}:type"


def _call(variable: str, value: ast.expr) -> ast.expr:
    callee = ast.copy_location(ast.Name(_name_of(variable), ast.Load()), value)
    return ast.copy_location(ast.Call(callee, [value], []), value)


def _converted(variable: str, at: Any) -> ast.stmt:
    """An assignment of the variable's own value."""
    value = ast.copy_location(ast.Name(variable, ast.Load()), at)
    target = ast.copy_location(ast.Name(variable, ast.Store()), at)
    return ast.copy_location(ast.Assign([target], _call(variable, value)), at)


def _as_assignment(statement: ast.AugAssign) -> ast.stmt:
    assert isinstance(statement.target, ast.Name)
    value = ast.copy_location(ast.Name(statement.target.id, ast.Load()), statement.target)
    result = ast.copy_location(ast.BinOp(value, statement.op, statement.value), statement)
    return ast.copy_location(ast.Assign([statement.target], result), statement)


def _converting(block: list[ast.stmt], kinds: dict[str, Any]) -> list[ast.stmt]:
    converted: list[ast.stmt] = []
    for statement in block:
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            statement = _as_assignment(statement) if statement.target.id in kinds else statement
        converted.append(statement)
        if isinstance(statement, ast.FunctionDef):
            continue
        stored = [name for name in _stored(statement) if name in kinds]
        for field in ("body", "orelse", "finalbody"):
            if getattr(statement, field, None):
                setattr(statement, field, _converting(getattr(statement, field), kinds))
        for handler in getattr(statement, "handlers", ()):
            handler.body = _converting(handler.body, kinds)
        if (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
        ):
            for name in stored:
                statement.value = _call(name, statement.value)
        elif isinstance(statement, ast.For):
            statement.body[:0] = [_converted(name, statement) for name in stored]
        else:
            converted += [_converted(name, statement) for name in stored]
    return converted


def _stored(statement: ast.stmt) -> list[str]:
    """The variables that the statement assigns by itself, not in its blocks."""
    targets: list[ast.AST] = [*getattr(statement, "targets", ())]
    if isinstance(statement, ast.For) or isinstance(statement, ast.AnnAssign) and statement.value:
        targets.append(statement.target)
    found = [node for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
    return list(dict.fromkeys(node.id for node in found if isinstance(node.ctx, ast.Store)))
