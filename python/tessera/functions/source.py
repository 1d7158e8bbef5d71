"""The syntax tree of a function, from its file, a notebook's cell, or source that is given."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from types import CodeType
from typing import Any

from tessera.errors import SourceError, UnsupportedError
from tessera.functions import executed
from tessera.functions.tree_nodes import nodes_of

_TRIES = 100


def parse(text: str, mode: str = "exec") -> Any:
    """The syntax tree. CPython 3.11 counts the depth of the trees of all threads together, and raises SystemError where two parse at once."""
    for _ in range(_TRIES):
        try:
            return ast.parse(text, mode=mode)
        except SystemError:
            continue
    return ast.parse(text, mode=mode)


def find(function: Any, source: str | None = None) -> tuple[ast.FunctionDef, str, list[str], int]:
    """The definition, its file, the file's lines from the definition on and the number of the first of them."""
    file = function.__code__.co_filename
    definition = None
    if source is not None:
        lines, first = source.splitlines(), 1
        if not file.startswith("<"):
            file = "<source>"
    else:
        try:
            if block := _block_of(function):
                definition, lines, first = block
            else:
                lines, first = inspect.getsourcelines(function)
                lines = [line.rstrip("\n") for line in lines]
        except (OSError, TypeError) as error:
            raise SourceError(
                f"{file}: the source of {function.__name__} cannot be found: kernels are compiled from it\n"
                "  instead: define it in a file or a notebook, hand the text over: cuda.jit(source=text), or call cuda.keep_sources() before "
                "exec gets the text"
            ) from error
    if definition is None:
        definition = _definition(lines, function, function.__code__.co_firstlineno - first + 1)
        for node in nodes_of(definition):
            if hasattr(node, "lineno"):
                node.lineno += first - 1
                node.end_lineno += first - 1
    _check_parameters(definition, file)
    return definition, file, lines, first


def _block_of(function: Any) -> tuple[ast.FunctionDef, list[str], int] | None:
    """The definition, its lines and the number of the first: those that its code has, then all that are indented deeper.

    inspect finds the same by taking the text apart into tokens, which takes as long as compiling a short function. None
    where it has to."""
    function = inspect.unwrap(function)
    code = function.__code__
    if code.co_name == "<lambda>":
        return None
    lines = inspect.findsource(function)[0]
    first, last = code.co_firstlineno - 1, _last_line(code)
    if last > len(lines):
        return None
    margin = len(lines[first]) - len(lines[first].lstrip())
    for number in range(last, len(lines)):
        text = lines[number].lstrip()
        if text and text[0] != "#":
            if len(lines[number]) - len(text) <= margin:
                break
            last = number + 1
    block = [line.rstrip("\n") for line in lines[first:last]]
    try:
        tree = _parse(block, first)
    except SyntaxError:  # it ends within brackets or a text
        return None
    definition = tree.body[0]
    is_it = len(tree.body) == 1 and isinstance(definition, ast.FunctionDef) and definition.name == code.co_name
    return (definition, block, first + 1) if is_it else None


def _last_line(code: Any) -> int:
    """The last line in which instructions begin."""
    inner = [_last_line(one) for one in code.co_consts if hasattr(one, "co_lines")]
    return max([line for _, _, line in code.co_lines() if line is not None] + inner, default=code.co_firstlineno)


def _parse(lines: list[str], above: int = 0) -> ast.Module:
    """Positions in it count from the first line, with so many above it, and from the margin of the file, not of the lines."""
    text = "\n".join(lines)
    if not text[:1].isspace():
        return parse("\n" * above + text)
    try:
        module = parse("\n" * (above - 1) + "if True:\n" + text)
        block = module.body[0]
        assert isinstance(block, ast.If)
        module.body = block.body
        return module if above else ast.increment_lineno(module, -1)
    except SyntaxError:
        if above:
            raise
        module = parse(textwrap.dedent(text))
        _indent(module, _margin_of(lines))
        return module


def _margin_of(lines: list[str]) -> int:
    return len(lines[0]) - len(lines[0].lstrip()) if lines else 0


def _indent(tree: ast.AST, margin: int) -> None:
    for node in nodes_of(tree) if margin else ():
        if hasattr(node, "col_offset"):
            node.col_offset += margin
            node.end_col_offset += margin


def executed_source(function: Any) -> str | None:
    """The text of a function that is in no file, if it is known."""
    code = function.__code__
    if linecache.getlines(code.co_filename) and not executed.is_kept_for(code.co_filename):
        return None
    return executed.text_of(code)


def _lambda(text: str, function: Any, line: int) -> ast.FunctionDef:
    """The one lambda in the lines that compiles to the function's code, as a function that returns its value; those in the line come first."""
    found = []
    start = text.find("lambda")
    while start >= 0:
        # The lines around it may be part of a statement: the longest text from here that is an expression.
        for end in range(len(text), start, -1):
            try:
                tree = parse(text[start:end], "eval").body
            except (SyntaxError, ValueError):
                continue
            if isinstance(tree, ast.Tuple):  # arguments behind the lambda
                tree = tree.elts[0]
            if isinstance(tree, ast.Lambda):
                found.append(ast.increment_lineno(tree, text.count("\n", 0, start)))
            break
        start = text.find("lambda", start + 1)
    code = function.__code__
    named = code.co_varnames, code.co_names, code.co_freevars
    made = [(one, _code_of(one, code.co_freevars)) for one in found]
    same = [(one, of) for one, of in made if (of.co_varnames, of.co_names, of.co_freevars) == named]
    if _differ(same):
        same = [(one, of) for one, of in same if _constants_of(of) == _constants_of(code)]
    if _differ(same):  # the instructions tell only then: those of calls depend on what the module imports
        same = [(one, of) for one, of in same if of.co_code == code.co_code]
    if _differ(same):
        same = [(one, of) for one, of in same if one.lineno == line] or same
    if not same or _differ(same):
        raise SourceError(
            f"{code.co_filename}:{code.co_firstlineno}: the lambda cannot be told from others in its line\n  instead: def f(...):"
        )
    value = same[0][0]
    definition = ast.FunctionDef(
        name=function.__name__, args=value.args, body=[ast.Return(value=value.body)], decorator_list=[], type_params=[]
    )
    for node in (definition, definition.body[0]):
        ast.copy_location(node, value)
    return definition


def _differ(lambdas: list[tuple[ast.Lambda, CodeType]]) -> bool:
    return len({ast.dump(one) for one, _ in lambdas}) > 1


def _constants_of(code: CodeType) -> list[str]:
    """As text, since 1, 1.0 and True are equal; of functions inside, theirs."""
    return [str(_constants_of(one)) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]


def _code_of(tree: ast.Lambda, free: tuple[str, ...]) -> CodeType:
    """What Python makes of it inside a function that has these variables."""
    around = parse(f"def around({', '.join(free)}):\n    return 0")
    definition = around.body[0]
    assert isinstance(definition, ast.FunctionDef)
    # Default values are computed where the lambda is made, and are no part of its code.
    given = tree.args
    without = ast.arguments(
        posonlyargs=given.posonlyargs,
        args=given.args,
        vararg=given.vararg,
        kwonlyargs=given.kwonlyargs,
        kw_defaults=[one and ast.copy_location(ast.Constant(None), one) for one in given.kw_defaults],
        kwarg=given.kwarg,
        defaults=[ast.copy_location(ast.Constant(None), one) for one in given.defaults],
    )
    plain = ast.copy_location(ast.Lambda(args=without, body=tree.body), tree)
    definition.body = [ast.copy_location(ast.Return(value=plain), tree)]
    names: dict[str, Any] = {}
    exec(compile(around, "<lambda>", "exec"), names)
    made: CodeType = names["around"](*free).__code__
    return made


def _definition(lines: list[str], function: Any, line: int) -> ast.FunctionDef:
    """The one in the lines, of several of its name the one that begins in the line, counted from 1."""
    if function.__code__.co_name == "<lambda>":
        definition = _lambda(textwrap.dedent("\n".join(lines)), function, line)
        _indent(definition, _margin_of(lines))
        return definition
    try:
        module = _parse(lines)
    except SyntaxError as error:
        raise SourceError(f"the source of {function.__name__} cannot be parsed alone: {error}") from error
    named = [
        node
        for node in nodes_of(module)
        if isinstance(node, ast.FunctionDef) and node.name == function.__code__.co_name
    ]
    if named:
        return next((node for node in named if line in (node.lineno, _first_line(node))), named[0])
    raise SourceError(
        f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}: no `def {function.__code__.co_name}` in the source; "
        "a lambda is no kernel\n  instead: def f(...):"
    )


def _first_line(node: ast.FunctionDef) -> int:
    return min([one.lineno for one in node.decorator_list], default=node.lineno)


def rest_of(definition: ast.FunctionDef) -> int:
    """The place of `*args` among the parameters, or -1."""
    arguments = definition.args
    return len(arguments.posonlyargs) + len(arguments.args) if arguments.vararg else -1


def _check_parameters(definition: ast.FunctionDef, file: str) -> None:
    if definition.args.kwarg:
        line = definition.lineno
        raise UnsupportedError(
            f"{file}:{line}: in {definition.name}: **{definition.args.kwarg.arg} is not part of kernels\n"
            "  instead: parameters with names"
        )
