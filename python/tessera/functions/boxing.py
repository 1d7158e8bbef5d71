"""What a package's `unbox` and `box` functions get: names of Numba's, behind which Python's objects are at hand.

Numba's functions write code that runs later. Here they run themselves, for one object: the builder's conditions are known, what stands in a branch that
is not taken has no effect, and what fails raises at once.
"""

from __future__ import annotations

import _ctypes
import contextlib
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from tessera import types
from tessera.errors import UnsupportedError
from tessera.functions.instructions import Counts, Value, value_of


def refuse(what: str) -> Any:
    """Raises for what is not there."""
    raise UnsupportedError(
        f"boxing uses {what}, which is not there\n  instead: attributes, members and calls of Python"
    )


class _Null:
    """The null pointer."""

    def __repr__(self) -> str:
        return "NULL"


NULL = _Null()


class _Object:
    """A number as one of Python's objects, which is no null pointer where it is zero."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _as_object(value: Any) -> Any:
    return _Object(value) if isinstance(value, (bool, int, float, complex, numpy.generic)) else value


# What gives numbers, no objects.
_GIVE_NUMBERS = ("_as_", "_size", "_istrue", "_hasattr")


def plain(value: Any) -> Any:
    """A value of Python's, also of a constant of the builder's."""
    if isinstance(value, _Object):
        return value.value
    if isinstance(value, Value):
        return value_of(value)
    return value.constant if type(value).__name__ == "Constant" and hasattr(value, "constant") else value


def is_set(value: Any) -> bool:
    """Whether it is a number that is not zero, or an object."""
    if isinstance(value, _Object):
        return True
    value = plain(value)
    if value is NULL:
        return False
    return bool(value) if isinstance(value, (bool, int, float, numpy.generic)) else True


def address_of(value: Any) -> int:
    """The number that stands for an object, which its caller keeps alive."""
    value = plain(value)
    if value is NULL:
        return 0
    return value if isinstance(value, (int, float, numpy.generic)) else id(value)  # type: ignore[return-value]


class NativeValue:
    """A value taken apart, and whether that failed."""

    def __init__(self, value: Any, is_error: Any = None, cleanup: Any = None) -> None:
        self.value = value
        self.is_error = False if is_error is None else is_error
        self.cleanup = cleanup


class Struct:
    """The members of a value of an own type, which are set and read by name."""

    def __init__(self, builder: Any, kind: Any, value: Any = None) -> None:
        self.__dict__["_builder"] = builder
        self.__dict__["_kind"] = kind
        self.__dict__["_members"] = {}
        if isinstance(value, tuple):
            self._members.update(zip((name for name, _ in types.form_of(kind).members), value[1:]))
        elif isinstance(value, Struct):
            self._members.update(value._members)

    def get(self, name: str) -> Any:
        """A member; numbers that were not set are zero."""
        if name not in self._members:
            kind = dict(types.form_of(self._kind).members)[name]
            return (
                0
                if isinstance(kind, types.Scalar)
                else refuse(f"the member {name} of {self._kind.name}, which is not set,")
            )
        found = self._members[name]
        return found._getvalue() if isinstance(found, Struct) else found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in dict(types.form_of(self._kind).members):
            raise AttributeError(f"{self._kind.name} has no member {name}")
        if self._builder.runs:
            self._members[name] = plain(value)

    def _getvalue(self) -> Any:
        return self


class _Cell:
    """A variable in memory."""

    def __init__(self, value: Any = NULL) -> None:
        self.value = value


class Evaluation:
    """The builder: what it is told happens at once, unless it stands in a branch that is not taken."""

    def __init__(self) -> None:
        self._skipped = 0
        self._target: Any = None  # of a jump: what stands before it is skipped

    @property
    def runs(self) -> bool:
        """Whether the branch is taken in which the next instruction stands."""
        return not self._skipped and self._target is None

    @contextlib.contextmanager
    def _where(self, condition: bool) -> Iterator[None]:
        self._skipped += not condition
        try:
            yield
        finally:
            self._skipped -= not condition

    def if_then(self, condition: Any, likely: Any = None) -> Any:
        """A branch."""
        return self._where(is_set(condition))

    @contextlib.contextmanager
    def if_else(self, condition: Any, likely: Any = None) -> Any:
        """Two branches."""
        holds = is_set(condition)
        yield self._where(holds), self._where(not holds)

    def goto_block(self, block: Any) -> Any:
        """Code elsewhere, to which only failures lead: they raise."""
        return self._where(False)

    goto_entry_block = goto_block

    def append_basic_block(self, name: str = "") -> Any:
        """A place to which jumps lead."""
        return _Cell(name)

    def branch(self, block: Any) -> None:
        """A jump."""
        if self.runs:
            self._target = block

    def position_at_end(self, block: Any) -> None:
        """What follows stands there."""
        if block is self._target:
            self._target = None

    def alloca(self, kind: Any, size: Any = None, name: str = "") -> Any:
        """A variable in memory."""
        return _Cell()

    def store(self, value: Any, cell: Any) -> None:
        """Sets it."""
        if self.runs:
            cell.value = plain(value)

    def load(self, cell: Any, name: str = "") -> Any:
        """Reads it."""
        return cell.value

    def bitcast(self, value: Any, kind: Any, name: str = "") -> Any:
        """Pointers stay what they are."""
        return value

    zext = sext = trunc = inttoptr = ptrtoint = bitcast

    def extract_value(self, value: Any, place: Any, name: str = "") -> Any:
        """An element of a tuple."""
        for k in place if isinstance(place, (tuple, list)) else (place,):
            value = value[k]
        return value

    def not_(self, x: Any, name: str = "") -> Any:
        """Whether it is false."""
        return not is_set(x)

    def and_(self, x: Any, y: Any, name: str = "") -> Any:
        """Bits of both, or whether both are true."""
        return operator.and_(plain(x), plain(y))

    def or_(self, x: Any, y: Any, name: str = "") -> Any:
        """Bits of one, or whether one is true."""
        return operator.or_(plain(x), plain(y))

    def icmp_signed(self, order: str, x: Any, y: Any, name: str = "") -> Any:
        """Compares."""
        compare = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}[order]
        return getattr(operator, compare)(plain(x), plain(y))

    icmp_unsigned = icmp_signed

    def select(self, condition: Any, x: Any, y: Any, name: str = "") -> Any:
        """One of two."""
        return x if is_set(condition) else y

    def __getattr__(self, name: str) -> Any:
        return refuse(f"builder.{name}")


def _unwrapped(value: Any) -> Any:
    """The Python object of a number."""
    value = plain(value)
    return value.item() if isinstance(value, numpy.generic) else value


def _compiled(function: Any) -> Any:
    from tessera.functions.jit import jit

    return jit(function)


# How the names of CPython's functions are followed; arguments are objects and numbers.
_CALLS: dict[str, Callable[..., Any]] = {
    "object_getattr_string": getattr,
    "object_getattr": getattr,
    "object_setattr_string": setattr,
    "object_setattr": setattr,
    "object_getitem": operator.getitem,
    "object_setitem": operator.setitem,
    "object_str": str,
    "object_repr": repr,
    "object_type": type,
    "object_istrue": bool,
    "object_hasattr_string": hasattr,
    "call_function_objargs": lambda function, arguments: function(*arguments),
    "call": lambda function, arguments=(), named=None: function(*(arguments or ()), **(named or {})),
    "call_method": lambda one, name, arguments=(): getattr(one, name)(*arguments),
    "call_jit_code": lambda function, signature, arguments: (False, _compiled(function)(*arguments)),
    "serialize_object": lambda one: one,
    "unserialize": lambda one: one,
    "import_module": lambda name: __import__(name, fromlist=["*"]),
    "import_module_noblock": lambda name: __import__(name, fromlist=["*"]),
    "print_object": print,
    "tuple_pack": tuple,
    "tuple_getitem": operator.getitem,
    "tuple_size": len,
    "list_pack": list,
    "list_getitem": operator.getitem,
    "list_size": len,
    "sequence_getitem": operator.getitem,
    "sequence_tuple": tuple,
    "dict_getitem": operator.getitem,
    "dict_getitem_string": operator.getitem,
    "string_from_constant_string": str,
    "make_none": lambda: None,
    "borrow_none": lambda: None,
    "get_null_object": lambda: NULL,
    "err_occurred": lambda: NULL,
    "err_clear": lambda: None,
    "number_float": float,
    "number_long": int,
    "float_as_double": float,
    "float_from_double": float,
    "complex_from_doubles": complex,
    "bool_from_bool": bool,
    "bool_from_long": bool,
    **{f"long_as_{kind}": operator.index for kind in ("longlong", "ulonglong", "ssize_t", "voidptr")},
    **{
        f"long_from_{kind}": int
        for kind in ("longlong", "ulonglong", "ssize_t", "signed_int", "unsigned_int", "long", "ulong")
    },
    **{f"number_as_{kind}": operator.index for kind in ("ssize_t", "longlong", "ulonglong")},
}


class _PythonApi:
    """CPython's functions by Numba's names for them."""

    pyobj = None

    def __init__(self, builder: Evaluation) -> None:
        self._builder = builder

    def incref(self, one: Any) -> None:
        """Objects are counted by Python."""

    decref = incref

    def to_native_value(self, kind: Any, one: Any) -> NativeValue:
        """An object taken apart."""
        return NativeValue(types.own_types().unboxed(kind, plain(one))) if self._builder.runs else NativeValue(NULL)

    def from_native_value(self, kind: Any, value: Any, manager: Any = None) -> Any:
        """The object of a value."""
        return _as_object(_object_of(kind, value)) if self._builder.runs else NULL

    def err_set_string(self, kind: Any, text: str) -> None:
        """Raises, since an error that is set is what a call of Python raises."""
        if self._builder.runs:
            raise (
                getattr(__import__("builtins"), kind.removeprefix("PyExc_"), RuntimeError)(text)
                if isinstance(kind, str)
                else kind(text)
            )

    def err_format(self, kind: Any, text: str, *parts: Any) -> None:
        """The same with values in it."""
        self.err_set_string(kind, text.replace("%S", "{}").replace("%R", "{!r}").format(*parts))

    def __getattr__(self, name: str) -> Any:
        function = _CALLS.get(name)
        if function is None:
            return refuse(f"pyapi.{name}")

        def call(*given: Any) -> Any:
            if not self._builder.runs:
                return (NULL, NULL) if name == "call_jit_code" else NULL
            made = function(*map(_argument, given))
            return made if any(part in name for part in _GIVE_NUMBERS) else _as_object(made)

        return call


def _argument(one: Any) -> Any:
    return type(one)(map(_argument, one)) if type(one) in (tuple, list) else _unwrapped(one)


def _object_of(kind: Any, value: Any) -> Any:
    if isinstance(value, Struct):
        value = value._getvalue()
    if not types.own_types().is_own(kind):
        return _unwrapped(value)
    form = types.form_of(kind)
    if isinstance(value, Struct):
        value = form.make(value.get(name) for name, _ in form.members)
    if isinstance(value, form.raw):
        return types.own_types().boxed(form, *value)
    # Members of results are objects already, numbers those that stand for them.
    return (
        types.own_types().boxed(form, form.number, value) if isinstance(value, (int, float, numpy.generic)) else value
    )


class _Context:
    """Numba's code generator's context."""

    nrt = Counts()

    def get_value_type(self, kind: Any) -> Any:
        """Variables have no types here."""
        return kind

    get_data_type = get_argument_type = get_value_type

    def get_dummy_value(self) -> int:
        """What stands for objects without contents."""
        return 0

    def get_constant(self, kind: Any, value: Any) -> Any:
        """A number, or a tuple of numbers."""
        return value

    def get_constant_generic(self, builder: Any, kind: Any, value: Any) -> Any:
        """Any value."""
        return value

    def get_constant_null(self, kind: Any) -> Any:
        """Nothing."""
        return NULL

    def add_dynamic_addr(self, builder: Any, address: int, info: str = "") -> Any:
        """The object at an address."""
        return _ctypes.PyObj_FromPtr(address)

    def get_constant_undef(self, kind: Any) -> Any:
        """Nothing."""
        return NULL

    def make_helper(self, builder: Any, kind: Any, value: Any = None, ref: Any = None) -> Struct:
        """The members of a value."""
        return Struct(builder, kind, value)

    def get_python_api(self, builder: Any) -> _PythonApi:
        """CPython's functions."""
        return _PythonApi(builder)

    def __getattr__(self, name: str) -> Any:
        return refuse(f"context.{name}")


class BoxContext:
    """What `unbox` and `box` functions get beside the type and the value."""

    def __init__(self) -> None:
        self.builder = Evaluation()
        self.context = _Context()
        self.pyapi = _PythonApi(self.builder)
        self.env_manager = None

    def unbox(self, kind: Any, one: Any) -> NativeValue:
        """An object taken apart."""
        return self.pyapi.to_native_value(kind, one)

    def box(self, kind: Any, value: Any) -> Any:
        """The object of a value."""
        return self.pyapi.from_native_value(kind, value)


class TypeofContext:
    """What functions with `typeof_impl.register` get beside the value: that it is an argument."""

    purpose = 1


def unbox_with(function: Any, kind: Any, one: Any) -> Any:
    """What the function makes of an object."""
    native = function(kind, one, BoxContext())
    if is_set(native.is_error):
        raise TypeError(f"can't unbox {type(one).__name__} as {kind.name}")
    return plain(native.value)


def box_with(function: Any, kind: Any, value: Any) -> Any:
    """The object that the function makes of a value."""
    context = BoxContext()
    given = function(kind, value, context)
    made = plain(given)
    if made is NULL:
        raise TypeError(f"the box function of {kind.name} gave no object")
    if given is value and isinstance(made, (int, numpy.integer)) and made:
        return _ctypes.PyObj_FromPtr(int(made))  # the address that unboxing kept
    return made
