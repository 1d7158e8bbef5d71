"""overload, overload_method, overload_attribute, register_jitable: what compiled functions do with calls of other functions."""

from __future__ import annotations

import builtins
import inspect
import operator
from collections.abc import Callable, Iterator
from typing import Any

from tessera import _core, types
from tessera.errors import CompileError, SourceError, TypingError
from tessera.functions import generators, names, signatures
from tessera.functions.function import Function

_OPTIONS = ("jit_options", "strict", "inline", "prefer_literal", "target")


class Overloads:
    """The choosers for one function, method or attribute: each gets the arguments' types and returns a function, or None."""

    def __init__(self, name: str, function: Any = None) -> None:
        self.name = name
        self._function = function
        # And whether functions must have their parameters, and whether they are asked for constants' values first.
        self._choosers: list[tuple[Callable[..., Any], bool, bool]] = []
        self._chosen: dict[Any, Any] = {}

    def add(self, chooser: Callable[..., Any], prefers_values: bool = False, is_strict: bool = True) -> None:
        """The first one that was added is asked first."""
        self._choosers.append((chooser, is_strict, prefers_values))
        self._chosen.clear()

    @property
    def parameters(self) -> tuple[list[str], int, bool]:
        """The parameters' names, how many have no default value, and whether the last takes all further arguments."""
        listed = [list(inspect.signature(chooser).parameters.values()) for chooser, *_ in self._choosers]
        if any(one.kind is inspect.Parameter.VAR_KEYWORD for parameters in listed for one in parameters):
            listed = [list(inspect.signature(self._function).parameters.values())] if self._function else listed
        parameters = max(listed, key=len)
        if len({len(one) for one in listed}) > 1:  # chosen by how many arguments there are, which stand by place
            return [one.name for one in parameters], 0, True
        if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters):
            raise TypeError(f"overload of {self.name}: ** is not there; name the parameters")
        rest = any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters)
        needed = sum(one.default is inspect.Parameter.empty for one in parameters)
        return [one.name for one in parameters], needed - rest, rest

    def find(self, listed: tuple[Any, ...], values: tuple[Any, ...] | None = None) -> Any:
        """The compiler's function for arguments of these types, None being those that are left out, or with constants' values in place of their types; None if there is none."""
        key = (listed, values or listed)
        if key not in self._chosen:
            self._chosen[key] = self._choose(*key)
        found = self._chosen[key]
        return None if found is None else found._kernel_function()

    def _choose(self, listed: tuple[Any, ...], values: tuple[Any, ...]) -> Any:
        found, refused = None, None
        for made in self._candidates(listed, values):
            if isinstance(made, TypingError):
                refused = refused or made
            elif found is None:
                found = made
            elif _compiles(*found):
                return found[0]
            else:
                found = made
        if found is None and refused is not None:
            raise refused
        return None if found is None else found[0]

    def _candidates(self, listed: tuple[Any, ...], values: tuple[Any, ...]) -> Iterator[Any]:
        """What the choosers return for these types, with the types for which it is, and the errors by which they refuse them."""
        plain = [None if one is None else types.unliteral(types.of(one)) for one in listed]
        known = [None if one is None else types.of(one) for one in values]
        has_values = any(isinstance(one, types.Literal) for one in known)
        for chooser, is_strict, prefers_values in self._choosers:
            passes = [(plain, listed), (known, values)] if has_values else [(plain, listed)]
            is_served = False
            for given, asked in reversed(passes) if prefers_values else passes:
                try:
                    made = self._ask(chooser, is_strict, given)
                except TypeError:
                    if is_served:  # a chooser that needs the values, and has got them
                        continue
                    raise
                if made is not None:
                    is_served = not isinstance(made, TypingError)
                    yield made if isinstance(made, TypingError) else (made, asked)

    def _ask(self, chooser: Callable[..., Any], is_strict: bool, given: list[Any]) -> Any:
        """The function that a chooser returns for these types, the error by which it refuses them, or None."""
        signature = inspect.signature(chooser)
        names = list(signature.parameters)
        takes_named = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in signature.parameters.values())
        if takes_named:
            names = self.parameters[0]
        elif None not in given and not _takes(signature, len(given)):
            return None
        try:
            if None in given or takes_named:
                made = chooser(**{name: one for name, one in zip(names, given) if one is not None})
            else:
                made = chooser(*given)
        except TypingError as error:
            return error
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            raise TypeError(f"the overload {chooser.__name__} of {self.name} raised {text}") from error
        if made is None:
            return None
        if not callable(made):
            raise TypeError(f"the overload {chooser.__name__} of {self.name} returned {made!r}, not a function")
        function = made if hasattr(made, "_kernel_function") else Function(made, None)
        if is_strict:
            _check_parameters(self.name, signature, function._signature())
        return function


def _compiles(function: Any, listed: tuple[Any, ...]) -> bool:
    """Whether the function can be compiled for these types, where another would be taken that cannot fail worse."""
    options = _core.kernels.CompileOptions(is_function=True)
    try:
        function._kernel_function().typed_text(tuple(one for one in listed if one is not None), None, options)
    except SourceError:  # which says nothing about the types
        raise
    except (CompileError, TypeError):  # a TypeError is the function's wish for an argument's value
        return False
    return True


def _check_parameters(name: str, wanted: inspect.Signature, made: inspect.Signature) -> None:
    """The function that a chooser returns has the chooser's parameters; `*` may stand for the last ones."""
    asked, has = list(wanted.parameters.values()), list(made.parameters.values())
    for one in (*asked, *has):
        if one.kind is inspect.Parameter.VAR_KEYWORD:
            raise TypingError(
                f"{name}: use of VAR_KEYWORD (e.g. **kwargs) is unsupported; offending argument name is '**{one.name}'"
            )
    rest = next((k for k, one in enumerate(has) if one.kind is inspect.Parameter.VAR_POSITIONAL), None)
    takes_rest = any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in asked)
    if rest is not None and not takes_rest:
        asked = asked[:rest] + [has[rest]] + [one for one in asked[rest:] if one.default is not one.empty]
        asked, has = asked[: rest + 1], has[: rest + 1]
    if [(one.name, one.kind, _shown(one)) for one in asked] != [(one.name, one.kind, _shown(one)) for one in has]:
        raise TypingError(
            f"{name}: the chooser's parameters are {wanted}, those of the function that it returned {made}"
        )


def _shown(parameter: inspect.Parameter) -> str:
    return repr(parameter.default)


def _takes(signature: inspect.Signature, count: int) -> bool:
    """Whether so many arguments by place are enough, and not too many."""
    try:
        signature.bind(*(None,) * count)
    except TypeError:
        return False
    return True


# By the function's identity; the function is kept, so that the number stays its own.
_OF_FUNCTIONS: dict[int, tuple[Any, Overloads]] = {}
# What is asked of values of packages' own types beside calls of functions: "own.number", "own.array", "own.print".
_OF_OWN: dict[str, Overloads] = {}
_OF_MEMBERS: dict[tuple[str, bool], list[tuple[Any, Overloads]]] = {}


def overloads_of(function: Any) -> Overloads | None:
    """What serves calls of a function."""
    found = _OF_FUNCTIONS.get(id(function))
    return None if found is None else found[1]


def _overloads_for(function: Any) -> Overloads:
    name = getattr(function, "__name__", type(function).__name__)
    return _OF_FUNCTIONS.setdefault(id(function), (function, Overloads(name, function)))[1]


def same_overloads(function: Any, other: Any) -> None:
    """What serves calls of `other`, now and later, serves those of the function, too."""
    _OF_FUNCTIONS[id(function)] = (function, _overloads_for(other))


def serve_own(name: str, chooser: Callable[..., Any]) -> None:
    """Says by which function a value of a package's own type becomes a number, an array or a text that is printed."""
    _OF_OWN.setdefault(name, Overloads(name)).add(chooser)


def overloads_of_member(made: Any, name: str, is_attribute: bool) -> Any:
    """What serves a method or an attribute of objects of this type, or a function of a module, as in "operator.add", of them."""
    if name == "__delitem__":  # `del` of an element is a call of it
        return overloads_of(operator.delitem)
    if name.startswith("own."):
        return _OF_OWN.get(name)
    if "." in name:
        module = builtins if name.startswith("builtins.") else operator
        return overloads_of(getattr(module, name.rpartition(".")[2], None))
    known = _OF_MEMBERS.get((name, is_attribute), ())
    for type_ in dict.fromkeys((types.of(made), types.unliteral(types.of(made)))) if known else ():
        for wanted, overloads in known:
            if isinstance(type_, wanted) if isinstance(wanted, type) else type_ == wanted:
                return overloads
    field = None if is_attribute else signatures.field_of_generator(types.of(made))
    return None if field is None else generators.method(field, name, Function)


def _check(what: str, options: dict[str, Any]) -> None:
    for name in options:
        if name not in _OPTIONS:
            raise TypeError(f"{what} has no option {name}; there are {', '.join(_OPTIONS)}")
    if options.get("target", "generic") not in ("generic", "cpu"):
        raise NotImplementedError(f"{what}: target {options['target']!r} is not there; functions serve all of them")


def overload(function: Any, **options: Any) -> Any:
    """Says what calls of a function mean in compiled functions: `@overload(function)` on a chooser.

    The chooser has the function's parameters, gets the types of the arguments (objects of `tessera.types`), and returns a function of the
    same parameters that is compiled in the call's place, or None, where another chooser or the function's own meaning is next. Options are
    those of Numba: with `prefer_literal` constants are asked for by their values first, with `strict` the function must have the chooser's parameters; functions are inlined always, whatever `inline` and `jit_options` say.
    A chooser that raises TypingError refuses the types, and so does one whose function does not compile where another chooser takes them.

    >>> from tessera import jit, types
    >>> from tessera.extending import overload
    >>> def clamp(x, limit):
    ...     return min(x, limit)
    >>> @overload(clamp)
    ... def choose(x, limit):
    ...     if isinstance(x, types.Float):
    ...         return lambda x, limit: x if x < limit else limit
    >>> @jit
    ... def twice(x):
    ...     return 2 * clamp(x, 3.0)
    >>> twice(5.0)
    6.0
    """
    _check("overload", options)
    if not callable(function):
        raise TypeError(f"overload: {function!r} is no function")

    def register(chooser: Any) -> Any:
        _overloads_for(function).add(chooser, bool(options.get("prefer_literal")), options.get("strict", True))
        return chooser

    return register


def _member(kind: Any, name: str, is_attribute: bool, what: str, options: dict[str, Any]) -> Any:
    _check(what, options)
    if not isinstance(kind, types.Type) and not (
        isinstance(kind, type) and issubclass(kind, (types.Type, types.Literal))
    ):
        raise TypeError(f"{what}: {kind!r} is no type of tessera.types, nor a class of them, such as types.Array")

    def register(chooser: Any) -> Any:
        known = _OF_MEMBERS.setdefault((name, is_attribute), [])
        for wanted, overloads in known:
            if wanted == kind:
                overloads.add(chooser, bool(options.get("prefer_literal")), options.get("strict", True))
                return chooser
        overloads = Overloads(name)
        overloads.add(chooser, bool(options.get("prefer_literal")), options.get("strict", True))
        known.insert(0, (kind, overloads))
        return chooser

    return register


def overload_method(kind: Any, name: str, **options: Any) -> Any:
    """As `overload`, for a method of objects of a type, such as `types.Array`; the object is the first argument.

    >>> import numpy
    >>> from tessera import jit, types
    >>> from tessera.extending import overload_method
    >>> @overload_method(types.Array, "span")
    ... def choose(array):
    ...     return lambda array: array.max() - array.min()
    >>> @jit
    ... def half_span(x):
    ...     return x.span() / 2
    >>> half_span(numpy.array([1.0, 4.0, 2.0]))
    1.5
    """
    return _member(kind, name, False, "overload_method", options)


def overload_attribute(kind: Any, name: str, **options: Any) -> Any:
    """As `overload`, for an attribute; the object is the one argument.

    >>> import numpy
    >>> from tessera import jit, types
    >>> from tessera.extending import overload_attribute
    >>> @overload_attribute(types.Array, "last")
    ... def choose(array):
    ...     return lambda array: array[array.size - 1]
    >>> @jit
    ... def last_of(x):
    ...     return x.last
    >>> last_of(numpy.array([1.0, 4.0, 2.0]))
    2.0
    """
    return _member(kind, name, True, "overload_attribute", options)


class _ClassMethod:
    """A method of a class of types, which compiled functions call by the class."""

    def __init__(self, kind: Any, name: str) -> None:
        self.__name__ = f"{kind.__name__}.{name}"
        self._kind = kind
        self._overloads = Overloads(self.__name__)

    def _describe(self) -> tuple[Any, ...]:
        return ("overloaded", ("other", f"the class method {self.__name__}"), self._overloads)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        raise NotImplementedError(f"{self.__name__} is called in compiled functions")

    def add(self, chooser: Any, options: dict[str, Any]) -> None:
        """The chooser gets the class first, and so does the function that it returns."""
        signature = inspect.signature(chooser)

        def choose(*given: Any, **named: Any) -> Any:
            made = chooser(types.TypeRef(self._kind), *given, **named)
            return None if made is None else _bound(made, self._kind.__name__)  # all that functions have of a class

        choose.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])  # type: ignore[attr-defined]
        self._overloads.add(choose, bool(options.get("prefer_literal")), options.get("strict", True))


def _bound(made: Any, first: Any) -> Function:
    """The function with its first argument given, as one that is compiled."""
    function = made if hasattr(made, "_kernel_function") else Function(made, None)
    parameters = list(function._signature().parameters.values())[1:]
    written = [
        one.name
        if one.default is one.empty
        else f"{one.name}=_defaults[{k}]"
        if one.kind is not one.VAR_POSITIONAL
        else f"*{one.name}"
        for k, one in enumerate(parameters)
    ]
    passed = [f"*{one.name}" if one.kind is one.VAR_POSITIONAL else one.name for one in parameters]
    text = f"def bound({', '.join(written)}):\n    return _called(_first, {', '.join(passed)})\n"
    outside = {"_called": function, "_first": first, "_defaults": [one.default for one in parameters]}
    exec(text, outside)
    return Function(outside["bound"], text)


def overload_classmethod(kind: Any, name: str, **options: Any) -> Any:
    """As `overload`, for a method of a class of types, `MyArray.make(n)`: what it stands before gets the class first, as `types.TypeRef`.

    Classes that derive from it have the method, too. Raises TypeError where the class has another attribute of this name.

    >>> import numpy
    >>> from tessera import jit, types
    >>> from tessera.extending import overload_classmethod
    >>> class Squares(types.Array):
    ...     pass
    >>> @overload_classmethod(Squares, "make")
    ... def choose(kind, n):
    ...     return lambda kind, n: numpy.arange(n) ** 2
    >>> @jit
    ... def squares(n):
    ...     return Squares.make(n)
    >>> squares(4)
    array([0, 1, 4, 9])
    """
    _check("overload_classmethod", options)
    if not isinstance(kind, type) or not issubclass(kind, types.Type):
        raise TypeError(f"overload_classmethod: {kind!r} is no class of types, such as types.Array")
    found = vars(kind).get(name)
    if found is None and not hasattr(kind, name):
        found = _ClassMethod(kind, name)
        setattr(kind, name, found)
    if not isinstance(found, _ClassMethod):
        raise TypeError(f"overload_classmethod: {kind.__name__} has a {name} of its own")

    def register(chooser: Any) -> Any:
        found.add(chooser, options)
        return chooser

    return register


class Jitable(Function):
    """A function that Python and compiled functions call."""

    _holds_arrays = False

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.py_func(*arguments, **named)

    def __repr__(self) -> str:
        return f"<function {self.__name__} for compiled functions, too>"


def register_jitable(function: Any = None, **options: Any) -> Any:
    """Lets compiled functions call a function that stays Python's elsewhere.

    >>> from tessera import jit
    >>> from tessera.extending import register_jitable
    >>> @register_jitable
    ... def square(x):
    ...     return x * x
    >>> square(3)  # Python's function
    9
    >>> @jit
    ... def distance(x, y):
    ...     return (square(x) + square(y)) ** 0.5
    >>> distance(3.0, 4.0)
    5.0
    """
    for name in options:
        if name not in ("inline", "boundscheck", "error_model", "fastmath", "nogil", "nopython", "cache"):
            raise TypeError(f"register_jitable has no option {name}")
    if function is None:
        return lambda made: Jitable(made, None)
    return Jitable(function, None)


names.set_overloads(overloads_of, overloads_of_member)
