"""The nodes of syntax trees, found quickly: functions are compiled while their callers wait."""

from __future__ import annotations

import ast
from typing import Any

_LEAVES = frozenset("arg attr ctx id kind op ops type_comment".split())  # names, contexts, operators


class _Children(dict[type, tuple[str, ...]]):
    """Fields that may hold nodes, by the type of the node."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        self[kind] = tuple(field for field in kind._fields if field not in _LEAVES and kind is not ast.Constant)
        return self[kind]


_children = _Children()


def nodes_of(tree: ast.AST) -> list[Any]:
    """What ast.walk yields but for contexts and operators, in a third of its time; parents come first."""
    nodes: list[Any] = [tree]
    for node in nodes:  # those that are appended meanwhile included
        for field in _children[node.__class__]:
            value = getattr(node, field, None)
            if value.__class__ is list:
                nodes += [one for one in value if isinstance(one, ast.AST)]
            elif isinstance(value, ast.AST):
                nodes.append(value)
    return nodes


def dotted_name(node: ast.AST) -> str | None:
    """A name or an attribute of one as it is written, None for other expressions."""
    attributes = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(attributes)]) if isinstance(node, ast.Name) else None
