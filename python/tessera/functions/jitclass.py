"""jitclass: classes whose objects compiled functions have.

Objects are shared and counted; their fields are of types that the class says. Methods are compiled functions."""

from __future__ import annotations

import inspect
import typing
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy

from tessera import _core, types
from tessera.errors import UnsupportedError
from tessera.functions import jit as jit_of
from tessera.functions.function import mangled

__all__ = ["JitClass", "jitclass"]

_classes: dict[int, type] = {}
_waiting: list[Any] = []  # classes with fields of types that are not known yet
_LEFT_OUT = {"__dict__", "__weakref__", "__annotations__", "__module__", "__doc__", "__qualname__", "__firstlineno__"}
# Methods with these names that Python calls itself.
_SPECIAL = frozenset(
    "init abs bool complex contains float getitem hash index int len setitem str eq ne ge gt le lt add floordiv lshift mod mul neg pos pow "
    "rshift sub truediv and or xor matmul invert call repr round divmod radd rfloordiv rlshift rmod rmul rpow rrshift rsub rtruediv rand ror rxor "
    "rmatmul iadd ifloordiv ilshift imod imul ipow irshift isub itruediv iand ior ixor imatmul".split()
)
_PYTHON: dict[Any, Any] = {
    int: types.int64,
    float: types.float64,
    bool: types.boolean,
    complex: types.complex128,
    str: types.unicode_type,
}


class JitClass(type):
    """The type of classes with @jitclass."""

    class_type: Any
    _make: Any

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        return cls._make(*arguments, **named)

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        if any(isinstance(base, JitClass) for base in bases):
            raise TypeError("cannot subclass from a jitclass")
        return super().__new__(mcs, name, bases, namespace)


class _ClassType:
    """What `class_type` is: the type of the class, and of its objects."""

    def __init__(self, cls: Any, number: int, fields: Any) -> None:
        self.cls = cls
        self.instance_type = types.ClassInstance(number)
        types.note_class(number, self)
        self.struct = fields
        self.name = self.class_name = cls.__name__

    def __repr__(self) -> str:
        return f"class({self.name})"


def find(name: str) -> Any:
    """A member of a class, such as "class.3.method:add", as the compiler takes it; None if it has none."""
    _, number, member = name.split(".", 2)
    known: Any = _classes.get(int(number))
    function = None if known is None else known._members.get(member)
    return None if function is None else function._kernel_function()


def class_of(number: int) -> type:
    """The class of this number."""
    return _classes[number]


def jitclass(class_or_spec: Any = None, spec: Any = None) -> Any:
    """A class whose objects compiled functions have, with fields of the types that `spec` gives, a list of pairs or a dict, or that are
    annotated: `@jitclass`, `@jitclass(spec)`, `jitclass(Class, spec)`.

    Examples
    --------
    >>> from tessera import jitclass
    >>> from tessera.types import float64
    >>> @jitclass([("total", float64)])
    ... class Sum:
    ...     def __init__(self):
    ...         self.total = 0.0
    ...     def add(self, x):
    ...         self.total += x
    >>> s = Sum()
    >>> s.add(2.5)
    >>> s.total
    2.5
    """
    if class_or_spec is not None and spec is None and not isinstance(class_or_spec, type):
        spec, class_or_spec = class_or_spec, None
    if class_or_spec is None:
        return lambda decorated: _made(decorated, spec)
    return _made(class_or_spec, spec)


def _made(cls: type, spec: Any) -> Any:
    """The class, with what the compiler knows of it."""
    if jit_of.is_disabled():
        return cls
    if isinstance(cls, JitClass):
        raise TypeError("cannot subclass from a jitclass")
    fields = _fields_of(cls, spec)
    namespace: dict[str, Any] = {}
    for base in reversed(inspect.getmro(cls)):
        if isinstance(base, JitClass):
            raise TypeError("cannot subclass from a jitclass")
        if base is not object:
            namespace |= vars(base)
    attributes = {name: value for name, value in namespace.items() if name not in _LEFT_OUT}
    _check(cls, attributes, fields)
    number = _core.kernels.add_class(cls.__name__)
    members: dict[str, Any] = {}
    found: dict[str, Any] = {name: _member(name, value, members) for name, value in attributes.items()}
    for function in members.values():
        function._private_of = cls.__name__
    for place, name in enumerate(fields):
        found[name] = _core.kernels.make_field(number, place)
    found |= {
        "__slots__": (),
        "__doc__": cls.__doc__,
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "_members": members,
        "_class_number": number,
    }
    made: Any = JitClass(cls.__name__, (_core.kernels.object,), found)
    made.class_type = _ClassType(made, number, fields)
    made._make = _constructor(made, members["method:__init__"])
    _classes[number] = made
    _core.kernels.set_class(number, made)
    _waiting.append((number, fields))
    define_waiting()
    return made


def add_fields(number: int, fields: dict[str, Any]) -> None:
    """Tells the compiler the fields of a class without functions, once their types are known."""
    for name, one in fields.items():
        _check_type(name, one)
    _waiting.append((number, fields))
    define_waiting()


def define_waiting() -> None:
    """Tells the compiler the fields of classes whose types are all known by now."""
    for waiting in list(_waiting):
        number, fields = waiting
        listed = [_known(one) for one in fields.values()]
        if all(one is not None for one in listed):
            _core.kernels.define_class(number, list(fields), listed)
            _waiting.remove(waiting)


def _known(one: Any) -> Any:
    """The type with what deferred ones in it have become; None where one is not known."""
    if isinstance(one, types.DeferredType):
        return one._type
    if isinstance(one, types.Optional):
        inner = _known(one.type)
        return None if inner is None else types.Optional(inner)
    if isinstance(one, types.BaseTuple):
        elements = [_known(element) for element in one.types]
        if any(element is None for element in elements):
            return None
        return types.NamedTuple(elements, one.fields) if isinstance(one, types.NamedTuple) else types.Tuple(elements)
    if isinstance(one, (types.List, types.Set)):
        inner = _known(one.dtype)
        if inner is None or isinstance(one, types.ListType):
            return None if inner is None else types.ListType(inner)
        return types.List(inner, True) if isinstance(one, types.List) else types.Set(inner, frozen=one.frozen)
    if isinstance(one, types.DictType):
        key, value = _known(one.key_type), _known(one.value_type)
        return None if key is None or value is None else types.DictType(key, value)
    return one


def _fields_of(cls: type, spec: Any) -> OrderedDict[str, Any]:
    if spec is None:
        spec = OrderedDict()
    elif isinstance(spec, Sequence) and not isinstance(spec, str):
        spec = OrderedDict(spec)
    if not isinstance(spec, Mapping):
        raise TypeError(f"jitclass: spec is {spec!r}; write a list of pairs of names and types, or a dict")
    fields = OrderedDict(spec)
    for base in reversed(inspect.getmro(cls)):
        for name, annotation in typing.get_type_hints(base).items() if "__annotations__" in vars(base) else ():
            fields.setdefault(name, _type_of_annotation(annotation))
    for name, one in fields.items():
        if not isinstance(name, str):
            raise TypeError(f"spec keys should be strings, got {name!r}")
        if not isinstance(one, types.Type) or type(one) is types.Type:
            raise TypeError(f"spec values should be Numba type instances, got {one!r}")
        _check_type(name, one)
    return OrderedDict((mangled(name, cls.__name__), one) for name, one in fields.items())


def _type_of_annotation(annotation: Any) -> Any:
    if isinstance(annotation, types.Type):
        return annotation
    if annotation in _PYTHON:
        return _PYTHON[annotation]
    if isinstance(annotation, JitClass):
        return annotation.class_type.instance_type
    if isinstance(annotation, type) and issubclass(annotation, numpy.generic):
        return types.from_dtype(annotation)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if type(None) in arguments and len(arguments) == 2:
        return types.Optional(_type_of_annotation(next(one for one in arguments if one is not type(None))))
    if origin is tuple and arguments and ... not in arguments:
        return types.Tuple(map(_type_of_annotation, arguments))
    if origin is list and arguments:
        return types.ListType(_type_of_annotation(arguments[0]))
    if origin is dict and arguments:
        return types.DictType(*map(_type_of_annotation, arguments))
    if origin is set and arguments:
        return types.Set(_type_of_annotation(arguments[0]))
    raise TypeError(f"jitclass: an annotation is {annotation!r}, which says no type of a field: give it in spec")


def _check_type(name: str, one: Any) -> None:
    if isinstance(one, types.Optional):
        return _check_type(name, one.type)
    if isinstance(one, types.BaseTuple):
        for element in one.types:
            _check_type(name, element)
        return None
    if isinstance(one, types.DictType):
        _check_type(name, one.key_type)
        return _check_type(name, one.value_type)
    if isinstance(one, (types.List, types.Set)):
        return _check_type(name, one.dtype)
    is_plain_array = isinstance(one, types.Array) and isinstance(one.dtype, types.Scalar)
    plain = (types.Scalar, types.UnicodeType, types.ClassInstance, types.StructRef, types.DeferredType, types.Void)
    if not (is_plain_array or isinstance(one, plain)):
        raise UnsupportedError(
            f"jitclass: the field {name} is of type {one!r}\n  instead: numbers, arrays, texts, tuples, lists, dicts, sets, objects of other "
            "classes with @jitclass, and optional ones"
        )
    return None


def _check(cls: type, attributes: dict[str, Any], fields: Any) -> None:
    for name, value in attributes.items():
        is_code = isinstance(value, (FunctionType, property, staticmethod)) or hasattr(value, "_kernel_function")
        if name in fields and not is_code:
            raise TypeError(f"class members are not yet supported: {name}")
        if name in fields:
            raise NameError(f"name shadowing: {name}")
        if not is_code and not (name.startswith("__") and name.endswith("__")):
            raise TypeError(f"class members are not yet supported: {name}")
    for name, value in attributes.items():
        if (
            name.startswith("__")
            and name.endswith("__")
            and isinstance(value, FunctionType)
            and name[2:-2] not in _SPECIAL
        ):
            raise TypeError(f"Method '{name}' is not supported.")
        if isinstance(value, property) and value.fdel is not None:
            raise TypeError(f"deleter is not supported: {name}")
    if not isinstance(attributes.get("__init__"), FunctionType):
        raise TypeError("must have a __init__" if "__init__" not in attributes else "__init__ is not a function")


def _member(name: str, value: Any, members: dict[str, Any]) -> Any:
    """The attribute of the class, for which the compiler finds the function among the members."""
    if isinstance(value, staticmethod):
        compiled = members[f"static:{name}"] = jit_of.jit(value.__func__)
        return staticmethod(compiled)
    if isinstance(value, property):
        functions: list[Any] = []
        for kind, function in (("get", value.fget), ("set", value.fset)):
            functions.append(None if function is None else jit_of.jit(function))
            if function is not None:
                members[f"{kind}:{name}"] = functions[-1]
        return property(*functions, doc=value.__doc__)
    if isinstance(value, FunctionType) or hasattr(value, "_kernel_function"):
        compiled = members[f"method:{name}"] = jit_of.jit(value)
        return compiled
    return value


def _constructor(made: Any, init: Any) -> Any:
    """A compiled function that makes an object."""
    listed = list(inspect.signature(init.py_func).parameters.values())[1:]
    taken: list[str] = []
    passed: list[str] = []
    for one in listed:
        starred = "*" * (one.kind is one.VAR_POSITIONAL) + one.name
        if one.kind is one.KEYWORD_ONLY and not any(name.startswith("*") for name in taken):
            taken.append("*")
        taken.append(starred)
        passed.append(f"{one.name}={one.name}" if one.kind is one.KEYWORD_ONLY else starred)
    text = f"def make({', '.join(taken)}):\n    return Class_of_{id(made)}({', '.join(passed)})\n"
    namespace: dict[str, Any] = {f"Class_of_{id(made)}": made, "__name__": made.__module__}
    exec(text, namespace)
    function = namespace["make"]
    function.__defaults__ = init.py_func.__defaults__
    function.__kwdefaults__ = init.py_func.__kwdefaults__
    function.__name__ = function.__qualname__ = made.__name__
    return jit_of.jit(function, source=text)


types._noted.append(define_waiting)
