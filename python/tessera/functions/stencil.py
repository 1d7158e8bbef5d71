"""stencil: a function of an element's neighbourhood, for all elements of an array."""

from __future__ import annotations

import ast
import copy
import weakref
from typing import Any

import numpy

from tessera import _core
from tessera.errors import TypingError
from tessera.functions import names
from tessera.functions import source as source_of
from tessera.functions.function import Function
from tessera.functions.jit import Dispatcher
from tessera.functions.shifted_views import LEAST_SIZE, ShiftedViews

MODES = ("constant", "wrap", "nearest", "reflect", "mirror")


class Stencil(Function):
    """A stencil, called with arrays or from functions with @jit; `out=` is an array for the result."""

    _holds_arrays = False

    def __init__(self, function: Any, mode: str, options: dict[str, Any]) -> None:
        super().__init__(function, options.get("source"))
        self.mode = mode
        self.neighborhood = options.get("neighborhood")
        self._cval = options.get("cval")
        standard = options.get("standard_indexing") or ()
        self._standard = (standard,) if isinstance(standard, str) else tuple(standard)
        parameters = set(self._signature().parameters)
        if "out" in parameters:
            raise ValueError(f"stencil {self.__name__}: out names the array for the result, not a parameter")
        unknown = set(self._standard) - parameters
        if unknown:
            raise ValueError(
                f"stencil {self.__name__}: standard_indexing names no parameter: {', '.join(sorted(unknown))}"
            )
        self._description: tuple[Any, ...] | None = None
        self._caller: Any = None
        self._views: ShiftedViews | None = None
        self._views_at = -1  # of the names that the function reads

    def _describe(self) -> tuple[Any, ...]:
        """The stencil as the compiler reads it."""
        if self._description is None:
            rewriter = self._rewriter()
            point = self.kernel_function(rewriter.rewrite("constant"))
            shape = [bound for low, high in rewriter.ranges() for bound in (max(0, -low), max(0, high))]
            outside: list[tuple[Any, ...]] = []
            if self.mode != "constant":
                outside = [("function", self.kernel_function(rewriter.rewrite(self.mode)))]
            elif self._cval is not None:
                outside = [("constant", self._cval)]
            self._description = ("stencil", point, rewriter.relative, shape, *outside)
        return self._description

    def _rewriter(self) -> _Rewriter:
        return _Rewriter(self, source_of.find(self.py_func, self._source)[0])

    def kernel_function(self, tree: ast.FunctionDef) -> Any:
        """The function that a tree made of this one's says, for the compiler."""
        _, file, lines, first = source_of.find(self.py_func, self._source)
        owner = weakref.ref(self)

        def resolve(dotted: str) -> tuple[Any, ...]:
            stencil = owner()
            assert stencil is not None, "a stencil that is compiled is alive"
            return names.describe(names.capture(stencil.py_func, dotted, stencil._captured))

        return _core.kernels.KernelFunction(tree, file, lines, first, resolve, {}, -1, (), [])

    def __call__(self, *arguments: Any, out: Any = None) -> Any:
        """The result for every element of the first array; at borders `cval`, or what the mode says.

        Without a `cval` borders are 0, and those of `out` stay as they are.
        """
        if any(_core.kernels.is_array(value) and value.size >= LEAST_SIZE for value in (*arguments, out)):
            recorded = self._record(arguments, out)
            if recorded is not None:
                return recorded
        if self._caller is None:
            self._caller = _Caller(self)
        return self._caller.dispatcher._function(*arguments) if out is None else self._caller.into(*arguments, out)

    def _record(self, arguments: tuple[Any, ...], out: Any) -> Any:
        """The result as an operation on shifted views, where the stencil is one."""
        if self._captured.refresh() != self._views_at:
            rewriter = self._rewriter()
            self._views = rewriter.views()
            self._ranges = rewriter.ranges()
        parameters = list(self._signature().parameters)
        if self._views is None or len(parameters) != len(arguments):
            return None
        by_name = dict(zip(parameters, arguments))
        result = self._views.call(by_name, self._ranges, self.mode, self._cval, out)
        self._views_at = self._captured.refresh()
        return result

    def __repr__(self) -> str:
        return f"<stencil {self.__name__}>"


class _Caller:
    """Functions with @jit that do nothing but call a stencil."""

    def __init__(self, stencil: Stencil) -> None:
        parameters = list(stencil._signature().parameters)
        self.dispatcher = self._make(stencil, parameters, "")
        self._into = self._make(stencil, [*parameters, "out"], "out=out")

    def into(self, *arguments: Any) -> Any:
        return self._into._function(*arguments)

    @staticmethod
    def _make(stencil: Stencil, parameters: list[str], out: str) -> Dispatcher:
        given = ", ".join([*(name for name in parameters if name != "out"), *filter(None, [out])])
        name = stencil.__name__ if stencil.__name__.isidentifier() else "called_stencil"
        source = f"def {name}({', '.join(parameters)}):\n    return called({given})\n"
        namespace: dict[str, Any] = {"called": stencil}
        exec(source, namespace)
        dispatcher = Dispatcher(namespace[name], source, {"error_model": "numpy", "parallel": True})
        dispatcher._function = _core.kernels.make_function(dispatcher, len(parameters), dispatcher._captured)
        return dispatcher


def _constants(tree: ast.FunctionDef) -> dict[str, int]:
    """Variables that are assigned an integer once, in the function's own block."""
    stored = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    known = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            try:
                value = ast.literal_eval(statement.value)
            except ValueError:
                continue
            if isinstance(value, int) and len(statement.targets) == 1 and stored.count(name) == 1:
                known[name] = value
    return known


class _Rewriter:
    """Makes relative indices absolute: x[-1, 0] becomes x[i + -1, j + 0], with the indices as further parameters."""

    def __init__(self, stencil: Stencil, tree: ast.FunctionDef) -> None:
        self._stencil = stencil
        self._tree = tree
        parameters = [argument.arg for argument in tree.args.args]
        self._offsets: list[list[int]] = []
        self._is_constant: list[bool] = []
        self.relative: list[str] = []
        self._known = _constants(tree)
        axes = None
        for node in ast.walk(tree):
            if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
                continue
            name = node.value.id
            if name not in parameters or name in stencil._standard:
                continue
            if isinstance(node.ctx, ast.Store):
                raise self._fault(node, f"{name} is assigned; a stencil returns the element's value")
            if name not in self.relative:
                self.relative.append(name)
            indices = _indices(node)
            axes = len(indices) if axes is None else axes
            if len(indices) != axes:
                raise self._fault(node, f"{len(indices)} indices here and {axes} elsewhere")
            offsets = [self._offset(node, index) for index in indices]
            self._offsets.append([offset or 0 for offset in offsets])
            self._replace(node, indices, offsets)
        if axes is None:
            raise self._fault(tree, "it looks into no array by relative indices, such as a[-1, 0]")
        self._places = [f"place_{axis}" for axis in range(axes)]

    def _fault(self, node: Any, text: str) -> TypingError:
        where = f"{self._stencil.py_func.__code__.co_filename}:{node.lineno}"
        return TypingError(f"{where}: in stencil {self._stencil.__name__}: {text}")

    def _constant(self, index: ast.expr) -> int | None:
        """The value of an index of constants, and of names and functions outside of the stencil."""
        function = self._stencil.py_func
        values: dict[str, Any] = {}
        for node in ast.walk(index):
            if isinstance(node, ast.Name) and node.id not in values:
                if node.id in self._known:
                    values[node.id] = self._known[node.id]
                    continue
                if node.id in function.__code__.co_varnames or node.id in function.__code__.co_cellvars:
                    return None
                values[node.id] = names.capture(function, node.id, self._stencil._captured)
        try:
            value = eval(compile(ast.Expression(body=index), "<index>", "eval"), values)
        except Exception:
            return None
        return int(value) if isinstance(value, (int, numpy.integer)) and not isinstance(value, bool) else None

    def _offset(self, node: ast.Subscript, index: ast.expr) -> int | None:  # type: ignore[return]
        value = self._constant(index)
        self._is_constant.append(value is not None)
        if value is not None:
            return value
        if self._stencil.neighborhood is None:
            raise self._fault(
                node, f"the index {ast.unparse(index)} is not constant: give neighborhood=((-1, 1), ...), or constants"
            )
        return None

    @staticmethod
    def _replace(node: ast.Subscript, indices: list[ast.expr], offsets: list[int | None]) -> None:
        """Writes indices that are constants as such."""
        written = [
            index if offset is None else ast.copy_location(ast.Constant(offset), index)
            for index, offset in zip(indices, offsets)
        ]
        if isinstance(node.slice, ast.Tuple):
            node.slice.elts = written
        else:
            node.slice = written[0]

    def views(self) -> ShiftedViews | None:
        """The stencil as an operation on views; None where it uses arrays otherwise than by constant indices."""
        if self._stencil._standard or not all(self._is_constant):
            return None
        reads: dict[tuple[str, tuple[int, ...]], str] = {}
        relative = self.relative

        class Elements(ast.NodeTransformer):
            def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
                if not isinstance(node.value, ast.Name) or node.value.id not in relative:
                    return self.generic_visit(node)
                offsets = tuple(map(ast.literal_eval, _indices(node)))
                name = reads.setdefault((node.value.id, offsets), f"element_{len(reads)}")
                return ast.copy_location(ast.Name(id=name, ctx=ast.Load()), node)

        tree = Elements().visit(copy.deepcopy(self._tree))
        tree.decorator_list = []
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        return ShiftedViews(self._stencil, tree, reads) if used.isdisjoint(relative) else None

    def ranges(self) -> list[tuple[int, int]]:
        """How far the stencil looks below and above, along each axis."""
        given = self._stencil.neighborhood
        if given is None:
            return [(min(0, *column), max(0, *column)) for column in zip(*self._offsets, [0] * len(self._places))]
        if len(given) != len(self._places):
            raise ValueError(
                f"stencil {self._stencil.__name__}: neighborhood has {len(given)} axes, not {len(self._places)}"
            )
        return [(int(low), int(high)) for low, high in given]

    def rewrite(self, mode: str) -> ast.FunctionDef:
        tree = copy.deepcopy(self._tree)
        tree.args.args += [ast.arg(arg=place) for place in self._places]
        tree.args.defaults = []
        tree.decorator_list = []
        for node in ast.walk(tree):
            known = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
            if not known or node.value.id not in self.relative:
                continue
            places = [self._place(node, axis, index, mode) for axis, index in enumerate(_indices(node))]
            node.slice = places[0] if len(places) == 1 else ast.Tuple(elts=places, ctx=ast.Load())
            for new in ast.walk(node.slice):
                if not hasattr(new, "lineno"):
                    ast.copy_location(new, node)
        return tree

    def _place(self, node: ast.Subscript, axis: int, index: ast.expr, mode: str) -> ast.expr:
        at = f"({self._places[axis]} + ({ast.unparse(index)}))"
        extent = f"{node.value.id}.shape[{axis}]"  # type: ignore[attr-defined]
        text = {
            "constant": at,
            "wrap": f"{at} % {extent}",
            "nearest": f"min(max({at}, 0), {extent} - 1)",
            # ... d c b a | a b c d | d c b a ...
            "reflect": f"min({at} % (2 * {extent}), 2 * {extent} - 1 - {at} % (2 * {extent}))",
            # ... d c b | a b c d | c b a ...; one element alone is its own neighbour
            "mirror": f"min({at} % max(2 * {extent} - 2, 1), max(2 * {extent} - 2, 1) - {at} % max(2 * {extent} - 2, 1))"
            f" * min({extent} - 1, 1)",
        }[mode]
        return source_of.parse(text, "eval").body


def _indices(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def stencil(func_or_mode: Any = None, **options: Any) -> Any:
    """Makes a stencil of a function whose arrays are indexed relative to an element.

    `@stencil`, `@stencil("wrap")`, `@stencil(cval=1.0)`. The function returns the element's value; it is called with arrays, and gives an
    array of the shape of the first. Modes say what lies outside of an array: "constant" (elements at borders are `cval`, 0 by default),
    and, which Numba lacks, "wrap", "nearest", "reflect" (d c b a | a b c d | d c b a) and "mirror" (d c b | a b c d | c b a).

    `neighborhood=((-1, 1), (0, 2))` says how far indices reach that are not constant; `standard_indexing=("weights",)` names arrays that are
    indexed as always; `source=` is the text of a function that `exec` made.

    Raises TypingError for relative indices that differ in number, and ValueError for modes and names that are not there.

    Examples
    --------
    >>> import numpy
    >>> from tessera import stencil
    >>> @stencil
    ... def slope(x):
    ...     return (x[1] - x[-1]) / 2
    >>> slope(numpy.arange(5.0) ** 2)
    array([0., 2., 4., 6., 0.])
    """
    mode = func_or_mode if isinstance(func_or_mode, str) else options.pop("func_or_mode", None)
    function = func_or_mode if callable(func_or_mode) else None
    if callable(mode):
        function, mode = mode, None
    mode = mode or "constant"
    if mode not in MODES:
        raise ValueError(f"stencil: the mode is {mode!r}; there are {', '.join(MODES)}")
    for name in options:
        if name not in ("neighborhood", "cval", "standard_indexing", "source"):
            raise TypeError(f"stencil has no option {name}; there are neighborhood, cval, standard_indexing, source")
    if function is not None:
        return Stencil(function, mode, options)
    return lambda made: Stencil(made, mode, options)


stencil._makes_stencils = True  # type: ignore[attr-defined]
