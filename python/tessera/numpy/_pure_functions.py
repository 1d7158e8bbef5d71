"""Python functions of floats whose results compiled code gives exactly, so that `vectorize` may run it instead.

Such a function computes with its parameters, its own variables and constants by `+ - * /`, comparisons, `abs`, `min`, `max`, `math.sqrt`, branches
and loops, and returns floats, integers or booleans, always the same. Every variable has one type and a value before it is read. Integers
are only counted, so none overflows. Powers and other functions of `math` are left out: the C library rounds them otherwise.
"""

from __future__ import annotations

import ast
import builtins
import math
import types
from typing import Any

_CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau, "inf": math.inf, "nan": math.nan}
_LARGEST = 2**31


class NotPure(Exception):
    """The function does something else."""


class Rewritten:
    """The function's text with constants in place of captured names, `result` its type ("float", "int", "bool"), and what was captured."""

    def __init__(self, function: types.FunctionType, definition: ast.FunctionDef) -> None:
        self._function = function
        self.captured: dict[str, Any] = {}
        self.result = ""
        arguments = definition.args
        if arguments.posonlyargs or arguments.vararg or arguments.kwonlyargs or arguments.kwarg or arguments.defaults:
            raise NotPure
        self.parameters = [each.arg for each in arguments.args]
        if not self.parameters:
            raise NotPure
        self._types = dict.fromkeys(self.parameters, "float")
        self._own = set(self.parameters) | {
            node.id for node in ast.walk(definition) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        body, _, ends = self._block(definition.body, set(self.parameters))
        if not ends or not self.result:
            raise NotPure
        self.body = body

    # Statements: the new ones, what is assigned after them, and whether they always return.

    def _block(self, statements: list[ast.stmt], known: set[str]) -> tuple[list[ast.stmt], set[str], bool]:
        made: list[ast.stmt] = []
        for k, statement in enumerate(statements):
            if k == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue  # a docstring
            new, known, ends = self._statement(statement, set(known))
            made.append(new)
            if ends:
                return made, known, True
        return made, known, False

    def _statement(self, statement: ast.stmt, known: set[str]) -> tuple[ast.stmt, set[str], bool]:
        match statement:
            case ast.Return(value=ast.expr() as value):
                new, kind = self._expression(value, known)
                if self.result not in ("", kind):
                    raise NotPure
                self.result = kind
                return ast.Return(value=new), known, True
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value):
                new, kind = self._expression(value, known)
                self._assign(name, kind)
                return ast.Assign(targets=[target], value=new), known | {name}, False
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                names = [target.id for target in targets if isinstance(target, ast.Name)]
                if not len(names) == len(targets) == len(values):
                    raise NotPure
                new = [self._expression(value, known) for value in values]
                for name, (_, kind) in zip(names, new):
                    self._assign(name, kind)
                together = ast.Tuple(elts=[value for value, _ in new], ctx=ast.Load())
                return ast.Assign(targets=statement.targets, value=together), known | set(names), False
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                read = ast.BinOp(left=ast.Name(id=name, ctx=ast.Load()), op=op, right=value)
                new, kind = self._expression(read, known)
                self._assign(name, kind)
                return ast.Assign(targets=[target], value=new), known, False
            case ast.If(test=test, body=body, orelse=orelse):
                condition = self._condition(test, known)
                yes, after_yes, yes_ends = self._block(body, known)
                no, after_no, no_ends = self._block(orelse, known)
                after = after_no if yes_ends else after_yes if no_ends else after_yes & after_no
                return ast.If(test=condition, body=yes or [ast.Pass()], orelse=no), after, yes_ends and no_ends
            case ast.While(test=test, body=body, orelse=[]):
                condition = self._condition(test, known)
                return ast.While(test=condition, body=self._block(body, known)[0], orelse=[]), known, False
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), keywords=[]), orelse=[]):
                return self._counted(statement, name, known), known, False
            case ast.Pass() | ast.Break() | ast.Continue():
                return statement, known, False
        raise NotPure

    def _counted(self, loop: ast.For, name: str, known: set[str]) -> ast.For:
        call = loop.iter
        assert isinstance(call, ast.Call)
        if not self._is_builtin("range"):
            raise NotPure
        bounds = [self._expression(each, known) for each in call.args]
        if not 1 <= len(bounds) <= 2 or any(kind != "int" for _, kind in bounds):
            raise NotPure
        self._assign(name, "int")
        body, _, _ = self._block(loop.body, known | {name})
        counter = ast.Call(func=ast.Name(id="range", ctx=ast.Load()), args=[each for each, _ in bounds], keywords=[])
        return ast.For(target=loop.target, iter=counter, body=body, orelse=[])

    def _assign(self, name: str, kind: str) -> None:
        if self._types.setdefault(name, kind) != kind:
            raise NotPure

    # Expressions: the new one and its type.

    def _condition(self, node: ast.expr, known: set[str]) -> ast.expr:
        new, kind = self._expression(node, known)
        if kind != "bool":
            raise NotPure
        return new

    def _expression(self, node: ast.expr, known: set[str]) -> tuple[ast.expr, str]:
        match node:
            case ast.Constant(value=value):
                return self._constant(value)
            case ast.Name(id=name) if name in self._own:
                if name not in known:
                    raise NotPure
                return ast.Name(id=name, ctx=ast.Load()), self._types[name]
            case ast.Name(id=name):
                value = self._capture(name)
                return self._constant(value)
            case ast.Attribute(value=ast.Name(id=module), attr=name) if name in _CONSTANTS:
                self._require_math(module)
                return self._constant(_CONSTANTS[name])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ast.UnaryOp(op=ast.Not(), operand=self._condition(operand, known)), "bool"
            case ast.UnaryOp(op=(ast.USub() | ast.UAdd()) as op, operand=operand):
                new, kind = self._expression(operand, known)
                if kind == "bool":
                    raise NotPure
                return ast.UnaryOp(op=op, operand=new), kind
            case ast.BinOp(left=left, op=op, right=right):
                return self._arithmetic(left, op, right, known)
            case ast.BoolOp(op=op, values=values):
                return ast.BoolOp(op=op, values=[self._condition(each, known) for each in values]), "bool"
            case ast.Compare(left=left, ops=ops, comparators=others):
                parts = [self._expression(each, known) for each in (left, *others)]
                if any(kind == "bool" for _, kind in parts) or any(
                    not isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)) for op in ops
                ):
                    raise NotPure
                return ast.Compare(left=parts[0][0], ops=ops, comparators=[each for each, _ in parts[1:]]), "bool"
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self._condition(test, known)
                (yes, kind), (no, other) = self._expression(body, known), self._expression(orelse, known)
                if kind != other:
                    raise NotPure
                return ast.IfExp(test=condition, body=yes, orelse=no), kind
            case ast.Call(func=func, args=args, keywords=[]):
                return self._call(func, [self._expression(each, known) for each in args])
        raise NotPure

    def _arithmetic(self, left: ast.expr, op: ast.operator, right: ast.expr, known: set[str]) -> tuple[ast.expr, str]:
        (a, a_kind), (b, b_kind) = self._expression(left, known), self._expression(right, known)
        if "bool" in (a_kind, b_kind) or not isinstance(op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
            raise NotPure
        if a_kind == b_kind == "int":
            counts = isinstance(op, (ast.Add, ast.Sub)) and (isinstance(a, ast.Constant) or isinstance(b, ast.Constant))
            if not counts:
                raise NotPure
            return ast.BinOp(left=a, op=op, right=b), "int"
        return ast.BinOp(left=a, op=op, right=b), "float"

    def _call(self, func: ast.expr, arguments: list[tuple[ast.expr, str]]) -> tuple[ast.expr, str]:
        kinds = [kind for _, kind in arguments]
        values = [value for value, _ in arguments]
        match func:
            case ast.Attribute(value=ast.Name(id=module), attr="sqrt" | "fabs" as name) if kinds == ["float"]:
                self._require_math(module)
                called = "_square_root" if name == "sqrt" else "abs"
                return ast.Call(func=ast.Name(id=called, ctx=ast.Load()), args=values, keywords=[]), "float"
            case ast.Name(id="abs") if kinds == ["float"] and self._is_builtin("abs"):
                return ast.Call(func=ast.Name(id="abs", ctx=ast.Load()), args=values, keywords=[]), "float"
            case ast.Name(id="float") if kinds in (["float"], ["int"]) and self._is_builtin("float"):
                return ast.Call(func=ast.Name(id="float", ctx=ast.Load()), args=values, keywords=[]), "float"
            case ast.Name(id="min" | "max" as name) if len(kinds) >= 2 and self._is_builtin(name):
                if kinds[0] == "bool" or len(set(kinds)) > 1:
                    raise NotPure
                best = values[0]
                for other in values[1:]:
                    called = ast.Name(id="_least" if name == "min" else "_largest", ctx=ast.Load())
                    best = ast.Call(func=called, args=[best, other], keywords=[])
                return best, kinds[0]
        raise NotPure

    @staticmethod
    def _constant(value: Any) -> tuple[ast.expr, str]:
        if type(value) is bool:
            return ast.Constant(value=value), "bool"
        if type(value) is int and -_LARGEST < value < _LARGEST:
            return ast.Constant(value=value), "int"
        if type(value) is float:
            if math.isfinite(value):
                return ast.Constant(value=value), "float"
            name = "_nan" if math.isnan(value) else "_inf"
            found = ast.Name(id=name, ctx=ast.Load())
            return (ast.UnaryOp(op=ast.USub(), operand=found) if value < 0 else found), "float"
        raise NotPure

    # Names that are not the function's own.

    def _capture(self, name: str) -> Any:
        value = self.captured[name] = captured(self._function, name)
        return value

    def _is_builtin(self, name: str) -> bool:
        return name not in self._own and self._capture(name) is getattr(builtins, name)

    def _require_math(self, name: str) -> None:
        if name in self._own or self._capture(name) is not math:
            raise NotPure


def captured(function: types.FunctionType, name: str) -> Any:
    """What a name that is not the function's own stands for now."""
    free = function.__code__.co_freevars
    if name in free:
        try:
            return (function.__closure__ or ())[free.index(name)].cell_contents
        except ValueError:
            raise NotPure from None
    for names in (function.__globals__, vars(builtins)):
        if name in names:
            return names[name]
    raise NotPure
