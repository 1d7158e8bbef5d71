"""Types of a package's own in compiled functions: how values of a class are taken apart and made again.

A function has a value of such a type as a named tuple: a field that says which type it is, then the members of its model. What packages
register with `unbox` and `box` runs in Python, once for each value that goes in or out (tessera.functions.boxing).
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy

from tessera import types
from tessera.functions import boxing, signatures

# What programs cannot write as a field's name.
_MARK = "own'type "

_models: dict[type, Any] = {}
_unboxers: dict[type, Any] = {}
_boxers: dict[type, Any] = {}


class Models:
    """The classes from which models derive: what a type's values are made of."""

    class DataModel:
        """What all have in common."""

        def __init__(self, manager: Any, kind: Any, members: Any = ()) -> None:
            self._members = list(members)

    class StructModel(DataModel):
        """Of several members: pairs of a name and a type."""

    class OpaqueModel(DataModel):
        """Of the address of one of Python's objects."""

        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, [("address", types.pyobject)])

    class PrimitiveModel(DataModel):
        """Of a number, of the type that llvmlite has for it."""

        def __init__(self, manager: Any, kind: Any, number: Any) -> None:
            from tessera.functions.instructions import type_of_kind

            super().__init__(manager, kind, [("value", type_of_kind(number))])


def register_model(kind: Any) -> Any:
    """Says of what values of types of this class are made: stands before a class that derives from one of `models`.

    With `typeof_impl`, `unbox`, `box` and `make_attribute_wrapper` objects of a class of one's own go into compiled functions:

    >>> from tessera import jit, types
    >>> from tessera.extending import NativeValue, make_attribute_wrapper, models, register_model, typeof_impl, unbox
    >>> from tessera.numba.core import cgutils
    >>> class Interval:
    ...     def __init__(self, low, high):
    ...         self.low, self.high = low, high
    >>> class IntervalType(types.Type):
    ...     def __init__(self):
    ...         super().__init__(name="Interval")
    >>> @typeof_impl.register(Interval)
    ... def type_of(value, context):
    ...     return IntervalType()
    >>> @register_model(IntervalType)
    ... class IntervalModel(models.StructModel):
    ...     def __init__(self, manager, kind):
    ...         super().__init__(manager, kind, [("low", types.float64), ("high", types.float64)])
    >>> @unbox(IntervalType)
    ... def take_apart(kind, value, c):
    ...     made = cgutils.create_struct_proxy(kind)(c.context, c.builder)
    ...     for name in ("low", "high"):
    ...         found = c.pyapi.object_getattr_string(value, name)
    ...         setattr(made, name, c.unbox(types.float64, found).value)
    ...         c.pyapi.decref(found)
    ...     return NativeValue(made._getvalue())
    >>> make_attribute_wrapper(IntervalType, "low", "low")
    >>> make_attribute_wrapper(IntervalType, "high", "high")
    >>> @jit
    ... def width(interval):
    ...     return interval.high - interval.low
    >>> width(Interval(1.5, 4.0))
    2.5
    """

    def register(model: Any) -> Any:
        _models[kind] = model
        _form_of.cache_clear()
        return model

    return register


def unbox(kind: Any) -> Any:
    """Says how values of types of this class are taken apart: the function gets the type, the object, and what answers as Numba's unboxing context.

    `register_model` has an example.
    """
    return _registration(_unboxers, kind)


def box(kind: Any) -> Any:
    """Says how objects are made of values of types of this class: the function gets the type, the value and Numba's boxing context."""
    return _registration(_boxers, kind)


def _registration(known: dict[type, Any], kind: Any) -> Any:
    def register(function: Any) -> Any:
        known[kind] = function
        return function

    return register


def _found(known: dict[type, Any], kind: Any) -> Any:
    return next((known[base] for base in type(kind).__mro__ if base in known), None)


def is_own(kind: Any) -> bool:
    """Whether it is a type of a package's own, of which it is said what its values are made of."""
    return _found(_models, kind) is not None


def field_of(member: str) -> str:
    """The field that holds a member, no attribute: those are what `make_attribute_wrapper` names."""
    return f"{member}'"


class Form(types.NamedTuple):
    """What the compiler has in an own type's place: the tuple of its members."""

    _fields = ("own",)

    def __init__(self, own: Any) -> None:
        self.own = own
        self.members = [(name, _plain(one)) for name, one in _found(_models, own)(None, own)._members]
        self.number = _number_of(own)
        listed = (types.int64, *(form_of(one) for _, one in self.members))
        self.raw = type(
            type(own).__name__, (tuple,), {"_fields": (f"{_MARK}{self.number}", *self._names()), "_field_defaults": {}}
        )
        super().__init__(listed, self.raw._fields)  # type: ignore[attr-defined]
        signatures.note_maker(self.fields, functools.partial(_boxed, self))

    def _names(self) -> list[str]:
        return [field_of(name) for name, _ in self.members]

    def make(self, members: Any) -> Any:
        """The tuple that functions take, of members that are as they are in functions."""
        return self.raw((self.number, *members))

    def __repr__(self) -> str:
        return repr(self.own)


_listed: list[Any] = []


def _key(own: Any) -> Any:
    return type(own), own.key


def _number_of(own: Any) -> int:
    key = _key(own)
    for number, one in enumerate(_listed):
        if _key(one) == key:
            return number
    _listed.append(own)
    return len(_listed) - 1


_address = types.Integer("int64")


def _plain(one: Any) -> Any:
    """Pointers are numbers, which compiled functions pass on."""
    return _address if isinstance(one, types.CPointer) or one is types.pyobject else one


@functools.cache
def _form_of(key: Any, number: int) -> Form:
    return Form(_listed[number])


def form_of(kind: Any) -> Any:
    """The type as the compiler has it."""
    if not is_own(kind):
        return kind
    number = _number_of(kind)
    return _form_of(_key(kind), number)


def own_of_fields(fields: tuple[str, ...]) -> Any:
    """The own type whose form has these fields, None for others."""
    is_one = bool(fields) and fields[0].startswith(_MARK)
    return _listed[int(fields[0].removeprefix(_MARK))] if is_one else None


class _Typeof:
    """`typeof_impl`: registrations of functions that say of which type an object is."""

    def __init__(self) -> None:
        self._known: dict[type, Any] = {}

    def register(self, kind: Any, function: Any = None) -> Any:
        """For objects of a class."""

        def note(function: Any) -> Any:
            self._known[kind] = function
            return function

        return note if function is None else note(function)

    def find(self, value: Any) -> Any:
        """The own type of an object, None where nothing is registered for its class."""
        kind = getattr(type(value), "_numba_type_", None)
        if kind is not None and not isinstance(value, type):
            return value._numba_type_
        if not self._known:
            return None
        found = next((self._known[base] for base in type(value).__mro__ if base in self._known), None)
        return None if found is None else found(value, boxing.TypeofContext())

    def __call__(self, value: Any, context: Any = None) -> Any:
        return types.typeof(value)


typeof_impl = _Typeof()


def type_of(value: Any) -> Any:
    """The type as the compiler has it, of an object for whose class `typeof_impl` has something; None for others."""
    kind = typeof_impl.find(value)
    if kind is None:
        return None
    if isinstance(kind, types.Type) and type(kind) is not types.Type and (is_own(kind) or not _is_users(kind)):
        return form_of(kind)
    raise TypeError(f"no model is registered for {kind}: extending.register_model says what its values are made of")


def _is_users(kind: Any) -> bool:
    return type(kind).__module__ != types.__name__


def native_of(value: Any) -> Any:
    """What functions take in the object's place; the object itself where nothing is registered for its class."""
    kind = typeof_impl.find(value)
    return value if kind is None or not is_own(kind) else unboxed(kind, value)


def unboxed(kind: Any, value: Any) -> Any:
    """The object taken apart, as an argument of the type."""
    if not is_own(kind):
        return _as(kind, value)
    form = form_of(kind)
    unboxer = _found(_unboxers, kind)
    if unboxer is None:
        raise TypeError(f"can't unbox {kind.name} type")
    native = boxing.unbox_with(unboxer, kind, value)
    if isinstance(native, boxing.Struct):
        members = [native.get(name) for name, _ in form.members]
    elif isinstance(native, form.raw):
        members = list(native[1:])
    else:
        members = (
            [id(value) if native is value else boxing.address_of(native)]
            if len(form.members) == 1
            else boxing.refuse(f"a value of {kind.name}")
        )
    return form.make(
        member if isinstance(member, tuple) and isinstance(form_of(one), Form) else _as(one, member)
        for member, (_, one) in zip(members, form.members)
    )


def _number(kind: Any, value: Any) -> Any:
    """An object as CPython converts it for code in C."""
    if isinstance(kind, types.Integer):
        return operator.index(value)
    if isinstance(kind, types.Boolean):
        return bool(value)
    if isinstance(kind, types.Float) and not isinstance(value, (int, float, numpy.generic)):
        if not hasattr(value, "__float__"):
            raise TypeError(f"must be real number, not {type(value).__name__}")
        return float(value)
    return value


def _as(kind: Any, value: Any) -> Any:
    """A member as an argument of its type."""
    if kind is _address:
        return boxing.address_of(value)
    if isinstance(kind, types.Scalar):
        return kind.dtype.type(_number(kind, boxing.plain(value)))
    if is_own(kind):
        return unboxed(kind, value)
    if isinstance(kind, types.Array):
        if not isinstance(value, numpy.ndarray) or value.ndim != kind.ndim or value.dtype != kind.dtype.dtype:
            raise TypeError(f"can't unbox array from PyObject into native value: {kind!r} is wanted")
        return value
    if isinstance(kind, types.BaseTuple):
        if len(value) != len(kind.types):
            raise ValueError(f"size mismatch for tuple, expected {len(kind.types)} element(s) but got {len(value)}")
        return tuple(_as(one, element) for one, element in zip(kind.types, value))
    return value


def _boxed(form: Form, *elements: Any) -> Any:
    """The object of a tuple that a function returned."""
    boxer = _found(_boxers, form.own)
    if boxer is None:
        raise TypeError(f"cannot convert native {form.own.name} to Python object")
    if issubclass(_found(_models, form.own), Models.StructModel):
        return boxing.box_with(boxer, form.own, form.raw(elements))
    return boxing.box_with(boxer, form.own, elements[1])


def members_of(kind: Any) -> list[tuple[str, Any]]:
    """The members of an own type, by name."""
    members: list[tuple[str, Any]] = form_of(kind).members
    return members


def make_attribute_wrapper(kind: Any, member: str, attribute: str) -> None:
    """Gives compiled functions a member of an own type as an attribute. `register_model` has an example."""
    from tessera.functions.extending import overload_attribute
    from tessera.functions.function import Function

    text = f"def get(value):\n    return value[{field_of(member)!r}]\n"
    made: dict[str, Any] = {}
    exec(text, made)

    def choose(value: Any) -> Any:
        return Function(made["get"], text)

    overload_attribute(kind, attribute)(choose)


class _Known(types.OwnTypes):
    """The types of which packages have said something here."""

    is_own = staticmethod(is_own)
    form_of = staticmethod(form_of)
    of_fields = staticmethod(own_of_fields)
    type_of = staticmethod(type_of)
    native_of = staticmethod(native_of)
    unboxed = staticmethod(unboxed)
    boxed = staticmethod(_boxed)

    def has_type(self, value: Any) -> bool:
        return typeof_impl.find(value) is not None


types.set_own(_Known())
