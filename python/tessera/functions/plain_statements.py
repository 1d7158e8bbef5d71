"""Statements written by simpler ones before a function is compiled: `match` on constants, and the operator `:=`."""

from __future__ import annotations

import ast
from typing import Any

from tessera.errors import UnsupportedError


def plain_statements(definition: ast.FunctionDef, file: str, first: int) -> None:
    """Replaces them in a function's tree, which begins at the line `first` of the file."""
    _Rewriter(definition.name, file, first).visit(definition)
    ast.fix_missing_locations(definition)


class _Rewriter(ast.NodeTransformer):
    def __init__(self, name: str, file: str, first: int) -> None:
        self._name, self._file, self._first = name, file, first

    def _refuse(self, node: Any, what: str, instead: str) -> Any:
        line = node.lineno + self._first - 1
        raise UnsupportedError(
            f"{self._file}:{line}: in {self._name}: {what} is not part of kernels\n  instead: {instead}"
        )

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.stmt) or isinstance(node, (ast.FunctionDef, ast.Match)):
            return super().visit(node)
        if isinstance(node, ast.While):
            return self._while(node)
        before: list[ast.stmt] = []
        for field, value in ast.iter_fields(node):  # the statement's own expressions, not those of its blocks
            if isinstance(value, ast.expr):
                setattr(node, field, self._without_assignments(value, before))
            elif isinstance(value, list) and value and isinstance(value[0], ast.expr):
                setattr(node, field, [self._without_assignments(one, before) for one in value])
        self.generic_visit(node)
        return [*before, node] if before else node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        self._refuse(node, "the operator := here", "an assignment before the statement")

    def _while(self, node: ast.While) -> ast.stmt:
        before: list[ast.stmt] = []
        test = self._without_assignments(node.test, before)
        if before:
            if node.orelse:
                self._refuse(node, "the operator := in the condition of while ... else", "an assignment in the loop")
            stop = ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], [])
            node.body = [*before, ast.copy_location(stop, node.test), *node.body]
            test = ast.copy_location(ast.Constant(True), node.test)
        node.test = test
        self.generic_visit(node)
        return node

    def _without_assignments(self, expression: ast.expr, before: list[ast.stmt]) -> ast.expr:
        """The expression with names in place of `name := value`; the assignments go before the statement."""
        found = [node for node in ast.walk(expression) if isinstance(node, ast.NamedExpr)]
        if not found:
            return expression
        conditional = _evaluated_under_conditions(expression)
        for node in found:
            if node in conditional:
                self._refuse(node, "the operator := where it may not be evaluated", "an assignment in an if")
            place = node.lineno, node.col_offset
            for other in ast.walk(expression):
                if (
                    isinstance(other, ast.Name)
                    and other.id == node.target.id
                    and (other.lineno, other.col_offset) < place
                ):
                    self._refuse(node, f"{other.id} both before and by :=", "an assignment before the statement")
        return _Assignments(before).visit(expression)

    def visit_Match(self, node: ast.Match) -> Any:
        before: list[ast.stmt] = []
        subject = self._without_assignments(node.subject, before)
        made: list[ast.stmt] = before
        if isinstance(subject, ast.Name):
            name = subject.id
        else:
            name = f"subject_of_line_{node.lineno}"
            made.append(_located(ast.Assign([ast.Name(name, ast.Store())], subject), node))
        rest: list[ast.stmt] = []
        for case in reversed(node.cases):
            rest = self._case(case, name, rest)
        for one in rest:
            visited = self.visit(one)
            made += visited if isinstance(visited, list) else [visited]
        return made

    def _case(self, case: Any, subject: str, rest: list[ast.stmt]) -> list[ast.stmt]:
        test, bound = self._test(case.pattern, subject)
        binding: list[ast.stmt] = []
        if bound:
            binding.append(ast.Assign([ast.Name(bound, ast.Store())], ast.Name(subject, ast.Load())))
        if case.guard and test is not None and bound:
            self._refuse(case.pattern, "a guard beside a pattern that binds a name and has values", "an if in the case")
        if case.guard and test is not None:
            test = ast.BoolOp(ast.And(), [test, case.guard])
        elif case.guard:
            made = [*binding, ast.If(case.guard, case.body, rest)]
            return [_located(one, case.pattern) for one in made]
        if test is None:
            return [_located(one, case.pattern) for one in binding] + case.body
        return [_located(ast.If(test, binding + case.body, rest), case.pattern)]

    def _test(self, pattern: Any, subject: str) -> tuple[Any, str | None]:
        """The condition under which a pattern matches, None for always, and the name that it binds."""
        name = ast.Name(subject, ast.Load())
        if isinstance(pattern, ast.MatchValue):
            return ast.Compare(name, [ast.Eq()], [pattern.value]), None
        if isinstance(pattern, ast.MatchSingleton) and pattern.value is None:
            return ast.Compare(name, [ast.Is()], [ast.Constant(None)]), None
        if isinstance(pattern, ast.MatchAs):
            test, inner = (None, None) if pattern.pattern is None else self._test(pattern.pattern, subject)
            if inner and pattern.name:
                self._refuse(pattern, "a pattern with two names", "one name")
            return test, pattern.name or inner
        if isinstance(pattern, ast.MatchOr):
            tests = [self._test(one, subject) for one in pattern.patterns]
            if all(test is not None and bound is None for test, bound in tests):
                return ast.BoolOp(ast.Or(), [test for test, _ in tests]), None
        return self._refuse(pattern, "such a pattern", "values, alternatives of them with |, a name, _ and if")


class _Assignments(ast.NodeTransformer):
    def __init__(self, before: list[ast.stmt]) -> None:
        self._before = before

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        value = self.visit(node.value)
        self._before.append(ast.copy_location(ast.Assign([node.target], value), node))
        return ast.copy_location(ast.Name(node.target.id, ast.Load()), node)


def _located(made: ast.stmt, like: ast.AST) -> ast.stmt:
    return ast.fix_missing_locations(ast.copy_location(made, like))


def _evaluated_under_conditions(expression: ast.expr) -> set[ast.AST]:
    found: set[ast.AST] = set()
    for node in ast.walk(expression):
        parts: list[ast.AST] = []
        if isinstance(node, ast.BoolOp):
            parts = list(node.values[1:])
        elif isinstance(node, ast.IfExp):
            parts = [node.body, node.orelse]
        elif isinstance(node, ast.Compare):
            parts = list(node.comparators[1:])
        elif isinstance(node, (ast.Lambda, ast.GeneratorExp, ast.ListComp)):
            parts = list(ast.iter_child_nodes(node))
        for part in parts:
            found.update(ast.walk(part))
    return found
