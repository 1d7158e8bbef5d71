"""objmode: blocks of a compiled function that Python runs, `with objmode(y="float64"): y = f(x)`."""

from __future__ import annotations

import ast
import types as python_types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from tessera import types
from tessera.errors import UnsupportedError
from tessera.functions import signatures
from tessera.functions.outside import Outside
from tessera.functions.tree_nodes import dotted_name, nodes_of


class PythonBlock:
    """What `objmode` is; in Python itself it is a context that does nothing."""

    _makes_blocks = True

    def __call__(self, *values: Any, **variables: Any) -> PythonBlock:
        return self

    def __enter__(self) -> PythonBlock:
        return self

    def __exit__(self, *raised: object) -> None:
        return None

    def __repr__(self) -> str:
        return "<objmode, in compiled functions>"


objmode = PythonBlock()


def make_blocks(definition: ast.FunctionDef, nodes: list[Any], function: Any, lookup: Any) -> dict[str, Any]:
    """What Python runs, by the names that stand for it in the function's tree from now on; `lookup` finds what a dotted name is.

    Each block becomes `y, z = block(a, b)`: it is given the variables that it reads, and returns those whose types objmode names. Raises
    UnsupportedError for blocks that leave the function or a loop, and for types that functions cannot take from Python.
    """
    contexts = [item.context_expr for node in nodes if isinstance(node, ast.With) for item in node.items]
    named = {dotted_name(one.func if isinstance(one, ast.Call) else one) for one in contexts}
    if not any(name and hasattr(lookup(name), "_makes_blocks") for name in named):
        return {}
    maker = _Maker(definition, function, lookup)
    maker.visit(definition)
    return maker.made


class _Maker(ast.NodeTransformer):
    def __init__(self, definition: ast.FunctionDef, function: Any, lookup: Any) -> None:
        self._definition, self._function, self._lookup = definition, function, lookup
        self._variables: dict[str, int] = {}
        self.made: dict[str, Any] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """A nested function sees the variables around."""
        around, self._variables = self._variables, {**self._variables, **_variables_of(node)}
        made = self.generic_visit(node)
        self._variables = around
        return made

    def visit_With(self, node: ast.With) -> Any:
        call = node.items[0].context_expr
        name = dotted_name(call.func if isinstance(call, ast.Call) else call)
        if len(node.items) > 1 or name is None or not hasattr(self._lookup(name), "_makes_blocks"):
            return self.generic_visit(node)
        self._check(node)
        given = {one.arg: self._type_of(one) for one in call.keywords} if isinstance(call, ast.Call) else {}
        self._check_changed(node, given)
        read = self._read_by(node)
        name = f"block'{len(self.made) + 1}"
        self.made[name] = Block(self._compiled(node, read, list(given)), given)
        return self._call(node, name, read, given)

    def _check(self, node: ast.With) -> None:
        own = [one for part in node.body for one in _nodes_of_scope(part)]
        loops = [one for one in own if isinstance(one, (ast.For, ast.While))]
        inner = {id(one) for loop in loops for part in loop.body for one in _nodes_of_scope(part)}
        for one in own:
            leaves = isinstance(one, (ast.Break, ast.Continue)) and id(one) not in inner
            if leaves or isinstance(one, (ast.Return, ast.Yield, ast.YieldFrom)):
                what = type(one).__name__.lower()
                self._refuse(one, f"{what} in a block with objmode", "a variable that is read behind the block")

    def _check_changed(self, block: ast.With, given: dict[str, types.Type]) -> None:
        """Refuses variables that the block changes, the function reads elsewhere, and objmode does not name."""
        own = {id(one) for one in nodes_of(block)}
        read = {one.id for one in nodes_of(self._definition) if _is_read(one) and id(one) not in own}
        for one in (one for part in block.body for one in _nodes_of_scope(part)):
            is_changed = isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)
            name = one.id if is_changed else one.name if isinstance(one, (ast.ExceptHandler, ast.FunctionDef)) else None
            if name is not None and name in read and name not in given:
                self._refuse(
                    one,
                    f"{name} is changed in a block with objmode and read outside of it",
                    f"its type, objmode({name}='int64'), or another name in the block",
                )

    def _refuse(self, node: Any, text: str, instead: str) -> None:
        code = self._function.__code__
        where = f"{code.co_filename}:{node.lineno}: in {self._function.__name__}"
        raise UnsupportedError(f"{where}: {text}\n  instead: {instead}")

    def _type_of(self, keyword: ast.keyword) -> types.Type:
        """The type that a keyword of objmode names: a text, or an object of types that the function's module has."""
        names = {one.id for one in ast.walk(keyword.value) if isinstance(one, ast.Name)}
        given = {name: self._lookup(name) for name in names}
        made = eval(ast.unparse(keyword.value), {"__builtins__": {}}, given)
        if isinstance(made, str):
            made = signatures.read(made)
        if not all(map(_is_taken, _parts_of(made))):
            self._refuse(
                keyword, f"objmode({keyword.arg}={made!r})", "numbers, arrays, tuples of them, optional numbers"
            )
        return made

    def _read_by(self, block: ast.With) -> list[str]:
        """The function's variables that the block reads, or may leave as they are, and that have been assigned before."""
        parts = [one for part in block.body for one in ast.walk(part)]
        read = {one.id for one in parts if _is_read(one)}
        read |= {name for one in parts if isinstance(one, ast.AugAssign) and (name := dotted_name(one.target))}
        surely = {
            one.id
            for part in block.body
            if isinstance(part, ast.Assign)
            for one in ast.walk(part)
            if isinstance(one, ast.Name)
        }
        call = block.items[0].context_expr
        if isinstance(call, ast.Call):
            read |= {one.arg for one in call.keywords if one.arg} - surely
        return [name for name, line in self._variables.items() if name in read and line < block.lineno]

    def _compiled(self, block: ast.With, read: list[str], written: list[str]) -> Callable[..., Any]:
        """The block as a function of what it reads that returns what it writes."""
        result = ast.Return(ast.Tuple([ast.Name(name, ast.Load()) for name in written], ast.Load()))
        arguments = ast.arguments(
            posonlyargs=[], args=[ast.arg(name) for name in read], kwonlyargs=[], kw_defaults=[], defaults=[]
        )
        inner = ast.FunctionDef(
            name="objmode'block", args=arguments, body=[*block.body, result], decorator_list=[], type_params=[]
        )
        code = self._function.__code__
        free = [name for name in code.co_freevars if name not in read]
        outer = ast.parse(f"def around({', '.join(free)}): pass")
        outer.body[0].body = [inner]  # type: ignore[attr-defined]
        ast.fix_missing_locations(outer)
        made = compile(outer, code.co_filename, "exec", dont_inherit=True)
        around = next(one for one in made.co_consts if isinstance(one, python_types.CodeType))
        own = next(one for one in around.co_consts if isinstance(one, python_types.CodeType))
        cells = dict(zip(code.co_freevars, self._function.__closure__ or ()))
        closure = tuple(cells[name] for name in own.co_freevars)
        own = own.replace(co_name=code.co_name, co_qualname=code.co_qualname)
        return python_types.FunctionType(own, self._function.__globals__, own.co_name, None, closure)

    def _call(self, node: ast.With, name: str, read: list[str], given: dict[str, types.Type]) -> list[ast.stmt]:
        call = ast.Call(ast.Name(name, ast.Load()), [ast.Name(one, ast.Load()) for one in read], [])
        targets: list[ast.expr] = []
        joined: list[ast.stmt] = []
        for variable, kind in given.items():
            if _parts_of(kind) == [kind]:
                targets.append(ast.Name(variable, ast.Store()))
                continue
            names = [f"{variable}'{k}" for k in range(len(_parts_of(kind)))]
            targets += [ast.Name(name, ast.Store()) for name in names]
            parts: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
            is_tuple = isinstance(kind, types.BaseTuple)
            whole = ast.Tuple(parts, ast.Load()) if is_tuple else ast.IfExp(parts[0], parts[1], ast.Constant(None))
            joined.append(ast.Assign([ast.Name(variable, ast.Store())], whole))
        first: ast.stmt
        if not targets:
            first = ast.Expr(call)
        else:
            first = ast.Assign([targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())], call)
        statements = [first, *joined]
        for one in statements:
            for part in ast.walk(one):
                ast.copy_location(part, node.items[0].context_expr)
        return statements


def _variables_of(definition: ast.FunctionDef) -> dict[str, int]:
    """The function's variables, and the lines in which they are first assigned; parameters at its begin."""
    given = definition.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs, *([given.vararg] if given.vararg else [])]
    found = {one.arg: 0 for one in parameters}
    for node in (one for part in definition.body for one in _nodes_of_scope(part)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = min(found.get(node.id, node.lineno), node.lineno)
    return found


def _nodes_of_scope(node: ast.AST) -> Iterator[Any]:
    """The nodes of a statement but those inside functions that it defines."""
    yield node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
        for child in ast.iter_child_nodes(node):
            yield from _nodes_of_scope(child)


def _is_read(node: Any) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def _parts_of(kind: Any) -> list[Any]:
    """What a call returns for a value of this type: elements, or whether there is a value, and it."""
    if isinstance(kind, types.Optional):
        return [types.boolean, kind.type]
    return list(kind) if isinstance(kind, types.BaseTuple) else [kind]


def _is_taken(kind: Any) -> bool:
    return isinstance(kind, types.Scalar) or isinstance(kind, types.Array) and isinstance(kind.dtype, types.Scalar)


class Block:
    """A block as a function of what it reads: what it returns has the types that objmode names."""

    def __init__(self, run: Callable[..., Any], given: dict[str, types.Type]) -> None:
        self._run, self._given = run, given

    def __call__(self, *arguments: Any) -> Any:
        values = zip(self._given.items(), self._run(*arguments))
        return _result([part for (name, kind), value in values for part in _converted(name, kind, value)])

    def _describe(self) -> tuple[Any, ...]:
        """The compiler must not keep alive what the block's module has: the compiler's objects are there, too."""
        name = f"the block with objmode({', '.join(self._given)})"
        block = weakref.ref(self)
        value = _result([_sample(part) for kind in self._given.values() for part in _parts_of(kind)])

        def run(*arguments: Any) -> Any:
            alive = block()
            if alive is None:
                raise ReferenceError(f"{name}: its function is gone; keep a reference to the compiled function")
            return alive(*arguments)

        # A block may change each array that it reads.
        return ("host", name, Outside(name, run, lambda *arguments: value, range))


def _result(values: list[Any]) -> Any:
    return None if not values else values[0] if len(values) == 1 else tuple(values)


def _sample(kind: Any) -> Any:
    return numpy.zeros((2,) * kind.ndim, kind.dtype.dtype) if isinstance(kind, types.Array) else kind.dtype.type()


def _converted(name: str, kind: types.Type, value: Any) -> list[Any]:
    """A value of this type that a block has computed, arrays in C order. Raises TypeError for one of another type."""
    if isinstance(kind, types.BaseTuple):
        if not isinstance(value, tuple) or len(value) != len(kind):
            raise TypeError(f"objmode({name}={kind!r}): the block computed {value!r}")
        return [part for one, own in zip(value, kind) for part in _converted(name, own, one)]
    if isinstance(kind, types.Optional):
        return [False, _sample(kind.type)] if value is None else [True, *_converted(name, kind.type, value)]
    if isinstance(kind, types.Array):
        array = numpy.asarray(value)
        if array.dtype != kind.dtype.dtype or array.ndim != kind.ndim:
            raise TypeError(
                f"objmode({name}={kind!r}): the block computed an array of {array.dtype} of {array.ndim} axes"
            )
        return [numpy.ascontiguousarray(array)]
    dtype = kind.dtype  # type: ignore[attr-defined]
    if not isinstance(value, (int, float, complex, numpy.number, numpy.bool_)):
        raise TypeError(f"objmode({name}={kind!r}): the block computed {value!r}")
    return [dtype.type(int(value) if dtype.kind in "iu" else value)]
