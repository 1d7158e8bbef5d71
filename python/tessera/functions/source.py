"""The syntax tree of a function, from its file, a notebook's cell, or source that is given."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

from tessera.errors import SourceError, UnsupportedError


def find(function: Any, source: str | None = None) -> tuple[ast.FunctionDef, str, list[str], int]:
    """The definition, its file, the file's lines from the definition on and the number of the first of them."""
    file = function.__code__.co_filename
    if source is not None:
        lines, first = source.splitlines(), 1
        file = "<source>"
    else:
        try:
            lines, first = inspect.getsourcelines(function)
            lines = [line.rstrip("\n") for line in lines]
        except (OSError, TypeError) as error:
            raise SourceError(
                f"{file}: the source of {function.__name__} cannot be found: kernels are compiled from it\n"
                "  instead: define it in a file or a notebook, or hand the text over: cuda.jit(source=text)"
            ) from error
    definition = _definition(textwrap.dedent("\n".join(lines)), function)
    _check_parameters(definition, file, first)
    # Columns count from the file's own margin, lines from its beginning.
    margin = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    for node in ast.walk(definition):
        if hasattr(node, "lineno"):
            node.lineno += first - 1
            node.end_lineno += first - 1
            node.col_offset += margin
            node.end_col_offset += margin
    return definition, file, lines, first


def _definition(text: str, function: Any) -> ast.FunctionDef:
    try:
        module = ast.parse(text)
    except SyntaxError as error:
        raise SourceError(f"the source of {function.__name__} cannot be parsed alone: {error}") from error
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            return node
    raise SourceError(
        f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}: no `def {function.__name__}` in the source; "
        "a lambda is no kernel\n  instead: def f(...):"
    )


def rest_of(definition: ast.FunctionDef) -> int:
    """The place of `*args` among the parameters, or -1."""
    arguments = definition.args
    return len(arguments.posonlyargs) + len(arguments.args) if arguments.vararg else -1


def _check_parameters(definition: ast.FunctionDef, file: str, first: int) -> None:
    if definition.args.kwarg:
        line = definition.lineno + first - 1
        raise UnsupportedError(
            f"{file}:{line}: in {definition.name}: **{definition.args.kwarg.arg} is not part of kernels\n"
            "  instead: parameters with names"
        )
