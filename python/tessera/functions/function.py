"""A function of the user's, as the compiler gets it: its tree, its source, and what its names stand for."""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import textwrap
import weakref
from types import FunctionType
from typing import Any

from tessera import _core
from tessera.functions import foreign, intrinsic, names
from tessera.functions import source as source_of
from tessera.functions.inner_stencils import make_stencils
from tessera.functions.python_blocks import make_blocks
from tessera.functions.tree_nodes import nodes_of

_numbers = itertools.count()
# By the addresses of the compiler's functions.
_owners: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
_TAKES_FURTHER = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class Function:
    """A function that kernels may call; @cuda.jit(device=True) makes it."""

    _is_device = True
    _holds_arrays = True

    # Types of the parameters and of the result, to which calls in compiled code convert numbers.
    _converts_to: tuple[Any, ...] = ()
    # Types of variables, by name.
    _locals: dict[str, Any] = {}
    # What Python has of it where it is returned, if that is another object.
    _stands_for: Any = None
    # The name of the class whose method it is, to which names such as `__x` belong.
    _private_of: str = ""

    def __init__(self, function: Any, source: str | None) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        # The text of what exec made is at hand now, and perhaps not when the function is compiled.
        self._source = source or source_of.executed_source(function)
        self._compiled: Any = None
        self._made: dict[str, Any] = {}  # stencils that it makes, blocks that Python runs, types, by the names for them
        self._number = next(_numbers)  # which no other function has had
        self._captured = _core.kernels.CapturedNames()
        self._parameters: inspect.Signature | None = None

    def _kernel_function(self) -> Any:
        if self._compiled is None:
            tree, file, lines, first = source_of.find(self.py_func, self._source)
            nodes, lookup = nodes_of(tree), functools.partial(names.lookup, self.py_func)
            if self._private_of:
                _mangle(nodes, self._private_of)
            self._made = make_stencils(tree, nodes, self.py_func, lookup)
            for made in self._made.values():
                self._captured.add_function(made._captured)
            self._made |= make_blocks(tree, nodes, self.py_func, lookup)
            self._made |= {f"{name}:type": one for name, one in self._locals.items()}
            # The engine's object must not keep this one alive, which keeps it.
            resolve = functools.partial(_resolve, weakref.ref(self))
            defaults = names.defaults_of(self.py_func)
            rest = source_of.rest_of(tree)
            self._compiled = _core.kernels.KernelFunction(
                tree, file, lines, first, resolve, defaults, rest, self._converts_to, list(self._locals)
            )
            _owners[self._compiled.address] = self
        return self._compiled

    def _text(self) -> str:
        """Its source."""
        return self._source or textwrap.dedent(inspect.getsource(self.py_func))

    def _signature(self) -> inspect.Signature:
        if self._parameters is None:
            self._parameters = inspect.signature(self.py_func)
        return self._parameters

    def positional(self) -> int:
        """How many arguments a call has that names none and leaves none out; -1 where that differs from call to call."""
        if type(self.py_func) is FunctionType and not vars(self.py_func).keys() & {"__wrapped__", "__signature__"}:
            code = self.py_func.__code__
            varies = code.co_posonlyargcount or code.co_kwonlyargcount or code.co_flags & _TAKES_FURTHER
            return -1 if varies else code.co_argcount
        kinds = [parameter.kind for parameter in self._signature().parameters.values()]
        plain = all(kind == inspect.Parameter.POSITIONAL_OR_KEYWORD for kind in kinds)
        return len(kinds) if plain else -1

    def _arrange(self, *arguments: Any, **named: Any) -> tuple[Any, ...]:
        """The arguments by parameter, default values included."""
        try:
            bound = self._signature().bind(*arguments, **named)
        except TypeError as error:
            raise TypeError(f"{self.__name__}() {error}") from None
        if any(
            parameter.kind == inspect.Parameter.VAR_POSITIONAL for parameter in self._signature().parameters.values()
        ):
            if bound.kwargs:
                names = ", ".join(bound.kwargs)
                raise TypeError(
                    f"{self.__name__}(): {names} stands behind *arguments and has its default value in calls"
                )
            return bound.args
        bound.apply_defaults()
        return (*bound.args, *bound.kwargs.values())

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if intrinsic.evaluate is not None:
            return self.py_func(*arguments, **named)
        raise RuntimeError(
            f"{self.__name__} is a device function: kernels call it. `{self.__name__}.py_func` is the Python function"
        )

    def __repr__(self) -> str:
        return f"<device function {self.__name__}>"


def owner_of(address: int) -> Any:
    """The object that a program has of a function that is returned. Raises TypeError for functions that no program has."""
    owner = _owners.get(address)
    if owner is None:
        raise TypeError("a compiled function returns a function that Python does not have any more")
    return getattr(owner, "_function", owner) if owner._stands_for is None else owner._stands_for


def mangled(name: str, private_of: str) -> str:
    """The name as Python has it in a class."""
    is_private = name.startswith("__") and not name.endswith("__") and "." not in name
    return f"_{private_of.lstrip('_')}{name}" if is_private and private_of.lstrip("_") else name


def _mangle(nodes: Any, private_of: str) -> None:
    for node in nodes:
        if isinstance(node, ast.Attribute):
            node.attr = mangled(node.attr, private_of)
        elif isinstance(node, ast.Name):
            node.id = mangled(node.id, private_of)


def _resolve(function: weakref.ref[Function], dotted: str) -> Any:
    """What a name in the function stands for, as the compiler takes it."""
    owner = function()
    assert owner is not None, "a function that is compiled is alive"
    if dotted in owner._made:
        return names.describe(owner._made[dotted])
    value = names.capture(owner.py_func, dotted, owner._captured)
    if value is names.MISSING and dotted == owner.py_func.__name__:
        value = owner  # compiled by its decorator, before it has a name
    return names.describe(value, owner._holds_arrays)


foreign.set_make(Function)
