"""What names outside a kernel stand for: constants, types, arrays, functions of math and numpy, device functions."""

from __future__ import annotations

import builtins
import cmath
import dataclasses
import enum
import importlib
import math
import operator
import random
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tessera import _core, types
from tessera._numbers import is_of_time
from tessera._record_layouts import layout_number
from tessera.errors import TypingError
from tessera.functions import enums, exceptions, foreign, records
from tessera.functions.intrinsic import Intrinsic
from tessera.functions.signatures import (
    is_frozen,
    is_function,
    is_generator,
    note_frozen,
    note_named,
    tuple_of_frozen,
    tuple_of_generator,
)

_PYTHON = (
    *(
        "abs",
        "all",
        "any",
        "bool",
        "bytearray",
        "bytes",
        "chr",
        "complex",
        "dict",
        "divmod",
        "enumerate",
        "filter",
        "float",
        "frozenset",
        "getattr",
        "hasattr",
        "hash",
        "int",
        "isinstance",
        "iter",
        "len",
        "list",
        "map",
        "max",
        "min",
        "next",
        "ord",
        "pow",
        "print",
    ),
    *("range", "repr", "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple", "type", "zip"),
)
# Their attributes do not change.
_KNOWN_MODULES = ("builtins", "cmath", "math", "numba", "numpy", "operator", "scipy", "tessera")
_OF_FILES = frozenset("fromfile genfromtxt load loadtxt memmap save savetxt savez savez_compressed".split())
_MOST_LISTED = 256  # of numbers in a list; longer ones are arrays
MISSING = object()
# Makes an array of the engine of one on a device, as tessera.cuda does.
_adopt: Callable[[Any], Any] | None = None


def set_adopt(adopt: Callable[[Any], Any]) -> None:
    """How kernels take arrays on a device that are global names."""
    global _adopt
    _adopt = adopt


def _known_functions() -> dict[int, str]:
    known = {}
    for path in _core.kernels.builtin_names("numpy."):
        value: Any = numpy
        for attribute in path.removeprefix("numpy.").split("."):
            value = getattr(value, attribute, None)
        if value is not None and type(value).__name__ != "ufunc":
            known[id(value)] = path
    for module in (math, cmath, operator):
        names = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
        known |= {id(getattr(module, name)): f"{module.__name__}.{name}" for name in names}
    return known | {id(getattr(builtins, name)): f"builtins.{name}" for name in _PYTHON}


_FUNCTIONS = _known_functions()


def lookup(function: Any, dotted: str) -> Any:
    """The value of a dotted name as the function sees it, or MISSING."""
    root, *attributes = dotted.split(".")
    code = function.__code__
    value: Any = MISSING
    if root in code.co_freevars:
        try:
            value = function.__closure__[code.co_freevars.index(root)].cell_contents
        except ValueError:
            return MISSING
    elif root in function.__globals__:
        value = function.__globals__[root]
    else:
        value = getattr(builtins, root, MISSING)
    for attribute in attributes:
        value = getattr(value, attribute, MISSING)
    return value


def capture(function: Any, dotted: str, captured: Any) -> Any:
    """The value of a dotted name; what it came from is noted, so that a change of it is seen."""
    value = lookup(function, dotted)
    root, *attributes = dotted.split(".")
    code = function.__code__
    if root in code.co_freevars:
        cell = function.__closure__[code.co_freevars.index(root)]
        owner = lookup(function, root)
        if owner is not MISSING:
            captured.add_cell(cell, owner)
    elif root in function.__globals__:
        owner = function.__globals__[root]
        captured.add_global(function.__globals__, sys.intern(root), owner)
    else:
        return value
    is_known = isinstance(owner, type(sys)) and owner.__name__.partition(".")[0] in _KNOWN_MODULES
    if not (is_known or _is_cffis(owner)):
        for attribute in attributes:
            found = getattr(owner, attribute, MISSING)
            if found is MISSING:
                break
            captured.add_attribute(owner, sys.intern(attribute), found)
            owner = found
    _capture_elements(value, captured)
    return value


def _capture_elements(value: Any, captured: Any) -> None:
    """Notes what may change within the value of a name."""
    if isinstance(value, (list, tuple)):
        if isinstance(value, list):
            captured.add_list(value)
        for element in value:
            _capture_elements(element, captured)
    elif isinstance(getattr(value, "_captured", None), _core.kernels.CapturedNames):
        captured.add_function(value._captured)
    elif (
        not is_on_device(value)
        and hasattr(value, "__array_interface__")
        and isinstance(value.ndim, int)
        and value.ndim > 0
    ):
        captured.add_array(value)


def defaults_of(function: Any) -> dict[str, tuple[Any, ...]]:
    """The values of parameters that a call may leave out."""
    code = function.__code__
    values = function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    return {name: describe(value) for name, value in [*zip(names, values), *(function.__kwdefaults__ or {}).items()]}


def is_on_device(value: Any) -> bool:
    """Whether kernels use the array where it is; others are constants."""
    return _adopt is not None and hasattr(value, "__cuda_array_interface__") and not isinstance(value, type)


_written: Callable[[Any], tuple[Any, ...] | None] = lambda function: None


def set_written(written: Callable[[Any], tuple[Any, ...] | None]) -> None:
    """How the compiler gets what stands for functions outside that are written in Python for it."""
    global _written
    _written = written


# What serves calls of a function, and methods and attributes of a type, once `tessera.extending` is there.
_overloads_of: Callable[[Any], Any] = lambda function: None
_overloads_of_member: Callable[[Any, str, bool], Any] = lambda made, name, is_attribute: None


def set_overloads(of_function: Callable[[Any], Any], of_member: Callable[[Any, str, bool], Any]) -> None:
    """How the compiler finds them."""
    global _overloads_of, _overloads_of_member
    _overloads_of, _overloads_of_member = of_function, of_member


def overloads_of_member(made: Any, name: str, is_attribute: bool) -> Any:
    """What serves a method or an attribute of objects of this type, None if nothing does."""
    return _overloads_of_member(made, name, is_attribute)


_CLASSES = {
    types.Array: numpy.ndarray,
    types.BaseTuple: tuple,
    types.List: list,
    types.StringLiteral: str,
    types.UnicodeType: str,
    types.Void: type(None),
}


def has_member(made: Any, name: str) -> bool:
    """Whether objects of this type have a method or an attribute of this name in Python."""
    one = types.of(made)
    if isinstance(one, types.Scalar):
        python = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
        return hasattr(python.get(one.dtype.kind, one.dtype.type), name)
    return any(isinstance(one, of) and hasattr(python, name) for of, python in _CLASSES.items())


def describe(value: Any, holds: bool = False) -> tuple[Any, ...]:
    """The same as the compiler reads it; `holds`: arrays on a device are used where they are."""
    plain = _describe(value, holds)
    if getattr(value, "__module__", None) in ("_heapq", "heapq"):
        importlib.import_module("tessera.functions.heaps")  # which says what they mean
    overloads = _overloads_of(value)
    return plain if overloads is None else ("overloaded", plain, overloads)


def _describe(value: Any, holds: bool) -> tuple[Any, ...]:
    if holds and is_on_device(value):
        assert _adopt is not None, "tessera.cuda is there where arrays on a device are"
        return ("held", _adopt(value), value)
    if isinstance(value, enum.EnumMeta):
        return ("tuple", list(map(describe, value.__members__.values())), list(value.__members__))
    if value is MISSING:
        return ("missing",)
    if value is None:
        return ("nothing",)
    if value is ...:
        return ("ellipsis",)
    if isinstance(value, Intrinsic):
        return ("builtin", value.path)
    if isinstance(value, types.Scalar):
        return ("dtype", value.dtype)
    if isinstance(value, types.Type):
        return ("typed", value)
    # Objects that answer to any name, such as mocks, have neither.
    if isinstance(described := _called(value, "_describe"), tuple):
        return described
    if isinstance(value, type) and "_compiled_as" in vars(value):
        return ("builtin", value._compiled_as)
    if is_function(value):
        return ("function", value._kernel_function())
    if isinstance(value, type) and "_class_number" in vars(value):
        return ("class", value.__name__, value._class_number)
    if isinstance(value, enum.Enum):
        mark = enums.mark_of(type(value))
        return describe(value.value) if mark is None else ("member", value.value, mark)
    if isinstance(value, str):
        return ("text", str(value))
    if isinstance(value, bytes):
        return ("bytes", bytes(value))
    if isinstance(value, (bool, int, float, complex, numpy.generic)) and not isinstance(value, numpy.void):
        return ("constant", value.value if isinstance(value, enum.Enum) else value)
    if isinstance(value, slice):
        return ("slice", [describe(bound) for bound in (value.start, value.stop, value.step)])
    if "_compiled_as" in vars(type(value)):
        raise TypingError(
            f"a typed {'list' if isinstance(value, Sequence) else 'dict'} from outside of the function: pass it as an argument"
        )
    if isinstance(value, list) and len(value) > _MOST_LISTED and len({type(one) for one in value}) == 1:
        if type(value[0]) in (bool, int, float, complex) and (array := numpy.array(value)).dtype.kind in "bifc":
            return _describe_array(array)
    if isinstance(value, (list, tuple)):
        return ("tuple", [describe(element) for element in value], list(getattr(value, "_fields", ())))
    return _describe_object(value)


def _called(value: Any, name: str) -> Any:
    method = None if isinstance(value, type) else getattr(value, name, None)
    return None if method is None else method()


def _describe_object(value: Any) -> tuple[Any, ...]:
    written = _written(_numpys_twin(value))
    if written is not None:
        return written
    if getattr(value, "__name__", "") == "from_buffer" and _is_cffis(getattr(value, "__self__", None)):
        return ("builtin", "cffi.from_buffer")
    try:
        known = _FUNCTIONS.get(id(value)) or _of_tessera(value)
        if known is not None:
            return ("builtin", known, value) if known.startswith("numpy.") else ("builtin", known)
        if isinstance(value, numpy.dtype) or (isinstance(value, type) and issubclass(value, numpy.generic)):
            described = _describe_dtype(numpy.dtype(value))
            is_object = described[0] == "dtype" and isinstance(value, numpy.dtype)
            return (*described, "object") if is_object else described
    except TypeError:
        pass
    if type(value).__name__ == "ufunc":
        scipy = "special" in getattr(type(value), "__module__", "") or _is_special(value)
        return ("builtin", f"{'special' if scipy else 'numpy'}.{value.__name__}")
    if hasattr(value, "__array_interface__") and hasattr(value, "dtype"):
        return _describe_array(numpy.asarray(value))
    if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
        note_named(value)
        return ("named", list(map(describe, value._field_defaults.values())), list(value._fields))
    if is_frozen(value) and isinstance(value, type):
        given = [one.default for one in dataclasses.fields(value) if one.default is not dataclasses.MISSING]
        return ("named", list(map(describe, given)), list(note_frozen(value)))
    if is_frozen(value):
        return _describe(tuple_of_frozen(value), False)
    if is_generator(value):
        return _describe(tuple_of_generator(value), False)
    if types.own_types().has_type(value):
        return _describe(types.own_types().native_of(value), False)
    function = foreign.function_of(value)
    if function is not None and (called := foreign.direct(function, value)) is not None:
        return ("function", called._kernel_function())
    if function is not None:
        return ("host", foreign.name_of(value), foreign.called(function, foreign.name_of(value)))
    value = _numpys_twin(value)
    if isinstance(value, type(numpy)):
        return ("other", f"the module {value.__name__}")
    if _runs_on_host(value):
        return ("host", value.__name__, value)
    if isinstance(value, type) and issubclass(value, BaseException):
        return ("exception", value.__name__, exceptions.number_of(value))
    name = getattr(value, "__name__", None)
    return ("other", f"the function {name}" if name and callable(value) else f"an object of {type(value).__name__}")


def _is_cffis(owner: Any) -> bool:
    return str(type(owner).__module__).partition(".")[0] == "cffi"


def _runs_on_host(value: Any) -> bool:
    """Whether it is a function of numbers and arrays of NumPy, or a method of a ufunc."""
    if not callable(value) or isinstance(value, type) or not hasattr(value, "__name__"):
        return False
    owner = getattr(value, "__self__", None)
    if hasattr(value, "_runs_on_host"):
        return True
    if type(owner).__name__ == "ufunc" or hasattr(owner, "_is_ufunc") or hasattr(value, "_is_ufunc"):
        return True
    if type(owner).__module__ == "numpy.random.mtrand" or isinstance(owner, random.Random):
        return True
    module = getattr(value, "__module__", None) or ""
    return module.partition(".")[0] == "numpy" and value.__name__ not in _OF_FILES


def _of_tessera(value: Any) -> str | None:
    """The name of a function of tessera.numpy that functions may call, as NumPy's of that name."""
    name = getattr(value, "__name__", None)
    for module in ("numpy", "numpy.linalg", "numpy.fft"):
        found = sys.modules.get(f"tessera.{module}")
        if found is not None and isinstance(name, str) and found.__dict__.get(name) is value:
            path = f"{module}.{name}"
            return path if path in _core.kernels.builtin_names(path) else None
    return None


def _numpys_twin(value: Any) -> Any:
    """NumPy's function of the name of one of tessera.numpy, which functions call in its place."""
    module, name = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if not isinstance(module, str) or not module.startswith("tessera.numpy") or not isinstance(name, str):
        return value
    for path in ("numpy", "numpy.linalg", "numpy.fft"):
        found = sys.modules.get(f"tessera.{path}")
        if found is not None and found.__dict__.get(name) is value:
            return getattr(importlib.import_module(path), name, value)
    return value


def _describe_dtype(dtype: numpy.dtype[Any]) -> tuple[Any, ...]:
    if dtype.subdtype is not None:
        return ("shaped", _describe_dtype(dtype.subdtype[0]), list(dtype.subdtype[1]))
    if dtype.kind in "SU" and dtype.itemsize:
        return ("characters", dtype.str)
    if dtype.names is None:
        return ("dtype", dtype)
    records.note(dtype)
    fields = [_describe_dtype(dtype[name]) for name in dtype.names]
    return ("record", fields, list(dtype.names), layout_number(dtype))


def _describe_field(array: numpy.ndarray[Any, Any]) -> tuple[Any, ...]:
    """Of texts the bytes, along one axis more."""
    if array.dtype.kind not in "SU" or not array.dtype.itemsize:
        return _describe_array(array)
    return ("array", numpy.dtype("uint8"), [*array.shape, array.dtype.itemsize], array.tobytes(), array.dtype.str)


def _describe_array(array: numpy.ndarray[Any, Any]) -> tuple[Any, ...]:
    if array.dtype.names is not None:
        fields = [_describe_field(array[name]) for name in array.dtype.names]
        return ("records", fields, list(array.dtype.names), array.ndim, layout_number(array.dtype))
    if array.dtype.kind in "SU" and array.dtype.itemsize:
        return ("records", [_describe_field(array)], ["characters'"], array.ndim)
    if array.dtype.kind not in "biufc" and not is_of_time(array.dtype):
        return ("other", f"an array of {array.dtype} outside the kernel")
    return ("array", array.dtype, list(array.shape), array.tobytes())


def _is_special(value: Any) -> bool:
    from tessera.scipy import special

    return vars(special).get(value.__name__) is value  # asking the module would import SciPy for a name it lacks
