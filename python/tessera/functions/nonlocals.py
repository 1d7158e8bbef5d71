"""`nonlocal` written by parameters and results: a function inside gets the variables around that it assigns, and returns them."""

from __future__ import annotations

import ast
from typing import Any

from tessera.errors import UnsupportedError

Scope = ast.FunctionDef


def plain_nonlocals(definition: ast.FunctionDef, file: str, first: int) -> None:
    """Replaces them in a function's tree, which begins at the line `first` of the file."""
    made = _Nonlocals(file, first)
    made.functions = {node.name for node in ast.walk(definition) if isinstance(node, ast.FunctionDef)} - {
        definition.name
    }
    made.rewrite(definition)
    ast.fix_missing_locations(definition)


def _own_nodes(scope: ast.AST) -> list[ast.AST]:
    """The nodes of a function without those of the functions in it, which are there themselves."""
    nodes: list[ast.AST] = []
    rest = list(ast.iter_child_nodes(scope))
    while rest:
        node = rest.pop()
        nodes.append(node)
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            rest += ast.iter_child_nodes(node)
    return nodes


def _inner(scope: ast.AST) -> list[ast.FunctionDef]:
    return [node for node in _own_nodes(scope) if isinstance(node, ast.FunctionDef)]


def _assigned(scope: Scope) -> set[str]:
    """The names of the function's own variables."""
    arguments = scope.args
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg]
    names = {one.arg for one in given if one is not None} | {one.name for one in _inner(scope)}
    names |= {node.id for node in _own_nodes(scope) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return names - _declared(scope)


def _declared(scope: Scope) -> set[str]:
    return {name for node in _own_nodes(scope) if isinstance(node, ast.Nonlocal) for name in node.names}


class _Nonlocals:
    def __init__(self, file: str, first: int) -> None:
        self._file, self._first = file, first
        self._made = 0
        self.functions: set[str] = set()

    def refuse(self, node: Any, name: str, what: str, instead: str) -> Any:
        line = node.lineno + self._first - 1
        raise UnsupportedError(f"{self._file}:{line}: in {name}: {what} is not part of kernels\n  instead: {instead}")

    def rewrite(self, scope: Scope) -> None:
        """Functions inside first: what they assign of variables further out, the functions between pass on."""
        passed = {inner.name: self._passed_by(inner) for inner in _inner(scope)}
        # A function that calls one of its neighbours assigns what that one does.
        for _ in passed:
            for inner in _inner(scope):
                own = _assigned(inner)
                called = {
                    name
                    for node in ast.walk(inner)
                    if isinstance(node, ast.Name)
                    for name in [node.id]
                    if name not in own
                }
                for name in called & passed.keys():
                    passed[inner.name] |= passed[name] - own
        names = {name: sorted(variables) for name, variables in passed.items() if variables}
        if not names:
            for inner in _inner(scope):
                self.rewrite(inner)
            return
        for inner in _inner(scope):
            self._rewrite_inner(inner, names)
        scope.body = _Calls(self, scope.name, names).block(scope.body)

    def _passed_by(self, inner: Scope) -> set[str]:
        own = _assigned(inner)
        return _declared(inner).union(*(self._passed_by(one) - own for one in _inner(inner)))

    def _rewrite_inner(self, inner: Scope, names: dict[str, list[str]]) -> None:
        own = _assigned(inner)
        visible = {name: variables for name, variables in names.items() if name not in own}
        self._mark(inner, set(names.get(inner.name, ())))
        self.rewrite(inner)
        if visible:
            inner.body = _Calls(self, inner.name, visible).block(inner.body)
        variables = names.get(inner.name)
        if not variables:
            return
        inner.args.args = [*(ast.arg(name) for name in variables), *inner.args.args]
        inner.body = _Results(variables).block(_without_declarations(inner.body))
        inner.body.append(_located(ast.Return(_with_result(ast.Constant(None), variables)), inner.body[-1]))

    def _mark(self, inner: Scope, variables: set[str]) -> None:
        """What it passes on it assigns, too."""
        missing = sorted(variables - _declared(inner))
        if missing:
            inner.body.insert(0, _located(ast.Nonlocal(missing), inner.body[0]))

    def new_name(self) -> str:
        self._made += 1
        return f"result_{self._made}_of_nonlocal"


def _without_declarations(body: list[ast.stmt]) -> list[ast.stmt]:
    kept: list[ast.stmt] = []
    for one in body:
        if isinstance(one, ast.Nonlocal):
            continue
        for field in ("body", "orelse", "finalbody"):
            if isinstance(getattr(one, field, None), list) and not isinstance(one, ast.FunctionDef):
                setattr(one, field, _without_declarations(getattr(one, field)))
        kept.append(one)
    return kept or [ast.Pass()]


def _with_result(value: ast.expr, variables: list[str]) -> ast.expr:
    return ast.Tuple([value, *(ast.Name(name, ast.Load()) for name in variables)], ast.Load())


def _located(made: Any, like: ast.AST) -> Any:
    return ast.fix_missing_locations(ast.copy_location(made, like))


class _Blocks(ast.NodeTransformer):
    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for one in body:
            visited = self.visit(one)
            made += visited if isinstance(visited, list) else [visited]
        return made

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return node


class _Results(_Blocks):
    """Returns give the variables, too."""

    def __init__(self, variables: list[str]) -> None:
        self._variables = variables

    def visit_Return(self, node: ast.Return) -> Any:
        value = node.value or ast.copy_location(ast.Constant(None), node)
        return _located(ast.Return(_with_result(value, self._variables)), node)


class _Calls(_Blocks):
    """Calls pass the variables, and assign them."""

    def __init__(self, owner: _Nonlocals, name: str, names: dict[str, list[str]]) -> None:
        self._owner, self._name, self._names = owner, name, names
        self._before: list[ast.stmt] = []

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.stmt) or isinstance(node, ast.FunctionDef):
            return super().visit(node)
        if isinstance(node, ast.While) and self._has_call(node.test):
            return self._while(node)
        before: list[ast.stmt] = []
        earlier = [node.target] if isinstance(node, ast.AugAssign) else []
        # The value of an assignment is computed before its targets.
        fields = sorted(ast.iter_fields(node), key=lambda field: isinstance(node, ast.Assign) and field[0] == "targets")
        for field, value in fields:  # the statement's own expressions, not those of its blocks
            if isinstance(value, ast.expr):
                setattr(node, field, self._hoisted(value, before, earlier))
            elif isinstance(value, list) and value and isinstance(value[0], ast.expr):
                setattr(node, field, [self._hoisted(one, before, []) for one in value])
        self.generic_visit(node)
        return [*before, node] if before else node

    def _has_call(self, expression: ast.expr) -> bool:
        return any(isinstance(node, ast.Name) and node.id in self._names for node in ast.walk(expression))

    def _while(self, node: ast.While) -> ast.stmt:
        if node.orelse:
            self._owner.refuse(
                node, self._name, "a function with nonlocal in the condition of while ... else", "a call in the loop"
            )
        before: list[ast.stmt] = []
        test = self._hoisted(node.test, before, [])
        stop = _located(ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], []), node.test)
        node.body = [*before, stop, *self.block(node.body)]
        node.test = _located(ast.Constant(True), node.test)
        return node

    def _hoisted(self, expression: ast.expr, before: list[ast.stmt], earlier: list[ast.expr]) -> ast.expr:
        """The expression, with calls made before the statement, in their order; `earlier`: what is read before it."""
        if not self._has_call(expression):
            return expression
        reads = [node for one in [*earlier, expression] for node in ast.walk(one) if isinstance(node, ast.Name)]
        for call in reads:
            if call.id not in self._names:
                continue
            place = call.lineno, call.col_offset
            for other in reads:
                changes = other.id in self._names[call.id] or other.id in self._owner.functions - self._names.keys()
                if changes and (other.lineno, other.col_offset) < place:
                    what = f"{other.id} before {call.id}, which may change it, in one expression"
                    self._owner.refuse(other, self._name, what, "the value in a variable, in a statement before")
        return _Hoisting(self._owner, self._name, self._names, before).visit(expression)


class _Hoisting(ast.NodeTransformer):
    def __init__(self, owner: _Nonlocals, name: str, names: dict[str, list[str]], before: list[ast.stmt]) -> None:
        self._owner, self._name, self._names, self._before = owner, name, names, before

    def generic_visit(self, node: ast.AST) -> Any:
        if isinstance(node, (ast.BoolOp, ast.IfExp, ast.Lambda, ast.ListComp, ast.GeneratorExp)) or (
            isinstance(node, ast.Compare) and len(node.comparators) > 1
        ):
            if any(isinstance(one, ast.Name) and one.id in self._names for one in ast.walk(node)):
                what = "a call of a function with nonlocal where it may not be evaluated, or several times,"
                self._owner.refuse(node, self._name, what, "a call in a statement of its own")
        return super().generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id in self._names:
            what = "a function with nonlocal as a value"
            self._owner.refuse(node, self._name, what, "calls of it where it is defined")
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        if not (isinstance(node.func, ast.Name) and node.func.id in self._names):
            return self.generic_visit(node)
        variables = self._names[node.func.id]
        node.args = [self.visit(one) for one in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        passed = [ast.Name(name, ast.Load()) for name in variables]
        call = ast.Call(node.func, [*passed, *node.args], node.keywords)
        result = self._owner.new_name()
        targets = ast.Tuple([ast.Name(name, ast.Store()) for name in [result, *variables]], ast.Store())
        self._before.append(_located(ast.Assign([targets], call), node))
        return _located(ast.Name(result, ast.Load()), node)
