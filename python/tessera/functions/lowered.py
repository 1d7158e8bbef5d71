"""Calls that packages describe in two steps: `type_callable` says of which type the result is, `lower_builtin` what the call does.

As with an intrinsic, what the code asks of the builder becomes a function in Python, which is compiled in the call's place.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tessera import types
from tessera.functions import boxing
from tessera.functions.extending import overload, same_overloads, serve_own
from tessera.functions.function import Function
from tessera.functions.instructions import (
    Builder,
    Context,
    Kind,
    Value,
    _needed_kind,
    _received,
    function_of,
    signed_text,
)
from tessera.functions.own_types import field_of, members_of

# By the function's identity; the function is kept, so that the number stays its own.
_codes: dict[int, tuple[Any, list[tuple[tuple[Any, ...], Any]]]] = {}


def lower_builtin(function: Any, *kinds: Any) -> Any:
    """Says what a call with arguments of these types does: the code gets Numba's contexts, the signature and the arguments."""

    def register(code: Any) -> Any:
        if function == "print_item":
            serve_own(
                "own.print", lambda value: _printed(code, value) if _distance(kinds[0], value) is not None else None
            )
        elif function == "__array__":
            serve_own(
                "own.array", lambda value: _array_of(code, value) if _distance(kinds[0], value) is not None else None
            )
        elif function == "__array_wrap__":
            serve_own("own.wrap", lambda value, result: _wrapped(code, kinds, value, result))
        else:
            _codes.setdefault(id(function), (function, []))[1].insert(0, (kinds, code))
        return code

    return register


def lower_cast(of: Any, to: Any) -> Any:
    """Says how values of an own type become numbers, where operators ask for those."""

    def register(code: Any) -> Any:
        target = to if isinstance(to, types.Type) else types.float64 if to is types.Float else types.int64
        if isinstance(target, types.Scalar):
            serve_own(
                "own.number", lambda value: _cast(code, value, target) if _distance(of, value) is not None else None
            )
        return code

    return register


def _cast(code: Any, value: Any, target: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return code(context, builder, value, target, arguments[0])

    return function_of("convert", ["value"], types.Signature(target, (value,)), build)


# Of which types own values are that wrap arrays.
_typers: list[Callable[..., Any]] = []


def _wrapped(code: Any, kinds: tuple[Any, ...], value: Any, result: Any) -> Any:
    if None in [_distance(wanted, one) for wanted, one in zip(kinds, (value, result))]:
        return None
    for typer in _typers:
        made = typer(value, result)
        if made is not None:
            return function_of("wrap", ["value", "result"], types.Signature(made, (value, result)), code)
    return None


def _array_of(code: Any, value: Any) -> Any:
    return function_of("array", ["value"], types.Signature(value.as_array, (value,)), code)


class _PrintingContext(Context):
    """Notes what is printed."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def get_python_api(self, builder: Any) -> Any:
        """Of CPython's functions those that print constants."""
        return self

    def serialize_object(self, one: Any) -> Any:
        """An object of the code's."""
        return one

    unserialize = serialize_object

    def print_object(self, one: Any) -> None:
        """Prints it."""
        self.texts.append(str(one))

    def decref(self, one: Any) -> None:
        """Objects are counted by Python."""


def _printed(code: Any, value: Any) -> Any:
    context, builder = _PrintingContext(), Builder()
    code(context, builder, types.Signature(types.none, (value,)), (Value(Kind("value"), "value"),))
    text = f"def printed(value):\n    return {''.join(context.texts)!r}\n"
    made: dict[str, Any] = {}
    exec(text, made)
    return Function(made["printed"], text)


def _distance(wanted: Any, kind: Any) -> int | None:
    """How far a type is from one that is listed; None where it is not of it."""
    if wanted is Any:
        return 100
    if isinstance(wanted, type):
        return type(kind).__mro__.index(wanted) + 1 if isinstance(kind, wanted) else None
    if wanted == kind:
        return 0
    return 2 if isinstance(wanted, types.Scalar) and isinstance(kind, types.Scalar) else None


def _code_for(function: Any, kinds: tuple[Any, ...]) -> Any:
    """The code that is registered for arguments of these types, the nearest of several; None if there is none."""
    best, found = None, None
    for wanted, code in _codes.get(id(function), (None, []))[1]:
        listed = list(wanted)
        if listed and isinstance(listed[-1], types.VarArg):
            listed[-1:] = [listed[-1].dtype] * (len(kinds) - len(listed) + 1)
        far = [_distance(one, kind) for one, kind in zip(listed, kinds)]
        if len(listed) != len(kinds) or None in far:
            continue
        total = sum(far)  # type: ignore[arg-type]
        if best is None or total < best:
            best, found = total, code
    return found


def type_callable(function: Any) -> Any:
    """Says of which type a call's result is: what it stands before gets Numba's typing context and returns a function of the arguments' types, which
    returns a type or None."""

    def register(factory: Any) -> Any:
        typer = factory(Context())
        if function == "__array_wrap__":
            _typers.append(typer)
        elif callable(function):  # else it is the name of something of Numba's own
            _serve(function, inspect.signature(typer), typer)
        return factory

    return register


def infer_global(function: Any, kind: Any = None) -> Any:
    """Says of which type a call's result is: stands before a class whose `generic` gets the arguments' types, or whose `cases` list signatures.
    With a type of a package's own that derives from `types.Callable`, calls of the function are what overloads of the type's class say."""

    def register(template: Any) -> Any:
        if callable(function):
            arity = {len(one.args) for one in getattr(template, "cases", ())}
            made = template() if not arity else None
            parameters = [
                inspect.Parameter(f"a{k}", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
                for k in range(max(arity, default=8))
            ]

            def typer(*given: Any) -> Any:
                if made is not None:
                    return made.generic(given, {})
                return next((one for one in template.cases if tuple(one.args) == given), None)

            _serve(function, inspect.Signature(parameters), typer)
        return template

    if isinstance(kind, types.Callable):
        same_overloads(function, type(kind))
    return register if kind is None else None


def _serve(function: Any, signature: inspect.Signature, typer: Callable[..., Any]) -> None:
    """Lets calls of the function mean the code that is registered for them."""
    name = getattr(function, "__name__", "called")
    parameters = list(signature.parameters)
    taken = ", ".join(
        name if one.default is one.empty else f"{name}=None" for name, one in signature.parameters.items()
    )

    def choose(*given: Any, **named: Any) -> Any:
        kinds = (*given, *named.values())
        result = typer(*given, **named)
        if result is None:
            return None
        whole = result if isinstance(result, types.Signature) else types.Signature(result, kinds)
        code = _code_for(function, tuple(whole.args))
        return None if code is None else function_of(name, parameters, whole, code, taken=taken)

    choose.__signature__ = signature  # type: ignore[attr-defined]
    overload(function)(choose)


class Members:
    """The members of a value of an own type in code: set and read by name."""

    def __init__(self, builder: Builder, kind: Any, value: Any = None) -> None:
        self.__dict__.update(_builder=builder, _kind=kind, _value=value, _set={})

    def _type(self, name: str) -> Any:
        found = dict(members_of(self._kind)).get(name)
        if found is None:
            raise AttributeError(f"{self._kind.name} has no member {name}")
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        kind = self._type(name)
        if name in self._set:
            return self._set[name]
        if self._value is None:
            raise AttributeError(f"the member {name} of {self._kind.name} is not set")
        return self._builder._put(_needed_kind(kind), _received(kind, f"{self._value.text}[{field_of(name)!r}]"))

    def __setattr__(self, name: str, value: Any) -> None:
        self._type(name)
        self._set[name] = self._builder.of(value)

    def _get_ptr_by_name(self, name: str) -> Any:
        return getattr(self, name)

    def _getvalue(self) -> Value:
        form = types.form_of(self._kind)
        parts = [str(form.number)]
        for name, kind in members_of(self._kind):
            is_zero = name not in self._set and self._value is None and isinstance(kind, types.Scalar)
            parts.append("0" if is_zero else signed_text(kind, getattr(self, name).text))
        raw = self._builder.name_for(form.raw)
        return self._builder._put(Kind("value"), f"{raw}({', '.join(parts)})")


def create_struct_proxy(kind: Any, what: str = "value") -> Any:
    """What makes the members of a value of an own type, of contexts and a builder."""

    def make(context: Any, builder: Any, value: Any = None, ref: Any = None) -> Any:
        if isinstance(builder, boxing.Evaluation):
            return boxing.Struct(builder, kind, value)
        given = ref if value is None else value
        return Members(builder, kind, None if given is None else builder.of(given))

    return make
