"""What functions that run on the host return: types are found by calling them with small arguments of the same types."""

from __future__ import annotations

import copy
import functools
import inspect
import random
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from tessera.errors import CompileError, TypingError
from tessera.functions import printed
from tessera.functions.signatures import is_generator

_failed = threading.local()
# Extents of the arrays, and numbers that are not known at compile time. A function that takes none of them takes none of the types.
_EXTENTS = (3, 4, 2, 6, 1, 0)
_NUMBERS = (1, 2, 0, 3)
_MOST_ELEMENTS = 1_000_000
# Functions that change their first argument, and methods that do.
_CHANGING = frozenset("copyto fill_diagonal place put put_along_axis putmask shuffle at".split())
_CHANGING_METHODS = frozenset("fill partition put resize sort __setitem__".split())

# A result's dtype and axes, whether its strides are its own, and the argument of which it may be a view, or -1.
Result = tuple[numpy.dtype[Any], int, bool, int]
Results = tuple[list[Result], bool, list[str], list[int]]

# Parameters of NumPy's functions that are one integer, that are integers, and that may be texts.
_COUNTS = frozenset("k kth num N M minlength".split())
_INTEGERS = _COUNTS | frozenset("axis axis1 axis2 shift repeats source destination obj".split())
_TEXTS = frozenset("casting kind method mode order side subscripts trim UPLO ord p indexing dtype bins".split())
# The same of single functions, functions that take any object, and those that take no number for their first argument.
_COUNTS_OF = {"tril_indices": "n m", "triu_indices": "n m", "diff": "n"}
_OF_ANY_OBJECT = frozenset("isscalar iscomplexobj isrealobj".split())
_OF_ARRAYS = frozenset(
    "argpartition asarray_chkfinite delete diff insert partition take_along_axis trim_zeros unwrap".split()
)
# Extents of arrays on which the axes of a result depend: the first that is taken tells them.
_EXTENTS_OF = {"cross": (3, 2)}


def results(function: Callable[..., Any], arguments: list[tuple[Any, ...]], names: list[str]) -> Results:
    """What a call returns, whether that is a tuple, its fields' names, and which arguments it changes.

    `arguments` are ("scalar", dtype), ("array", dtype, ndim), ("tuple", elements), ("list", elements), ("slice", lower, upper, step), ("constant", value),
    ("none",); the last of them are given by `names`. Raises what the function raises if it takes no such arguments, and TypeError where its results' types depend on
    more than the arguments' types.
    """
    if function in (numpy.datetime64, numpy.timedelta64) and all(one[0] == "constant" for one in arguments):
        return _known_date(function(*(one[1] for one in arguments)))  # type: ignore[return-value]
    if getattr(function, "__name__", "") == "getrandbits":
        return [(numpy.dtype("uint64"), 0, False, -1)], False, [], []
    if getattr(function, "__name__", "") == "__setitem__":  # whether it takes the arguments shows when it runs
        return [], False, [], [0]
    function = _sampled(function)
    if getattr(function, "__name__", "") == "squeeze" and len(arguments) == 1:
        raise TypeError("which axes it leaves depends on their extents: name them, as in numpy.squeeze(a, axis=0)")
    check(function, arguments, names)
    _failed.kind = TypeError
    found: list[Results] = []
    first: Exception | None = None
    used = 0, 0  # extent and number of the first sample that is taken
    state, pythons_state = numpy.random.get_state(), random.getstate()
    try:
        extents = _extents_of(function, arguments)
        for extent, number, given in _samples(extents, arguments):
            if found and (extent == used[0] or number == used[1]):
                continue
            by_place = len(given) - len(names)
            try:
                with numpy.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    value = function(*given[:by_place], **dict(zip(names, given[by_place:])))
            except Exception as error:
                # What an ufunc says of types holds for all values.
                if any(kind.__name__ == "UFuncTypeError" for kind in type(error).__mro__):
                    raise
                first = first or error
                continue
            used = extent, number
            found.append((*_types_of(value, given), _changed(function, given, names)))
            if len(found) == 2 or extents is _EXTENTS_OF.get(getattr(function, "__name__", "")):
                break
    finally:
        numpy.random.set_state(state)
        random.setstate(pythons_state)
    if not found:
        assert first is not None, "there are samples"
        _failed.kind = type(first)
        raise first
    if any(_axes(one) != _axes(found[0]) for one in found):
        raise TypeError("what it returns depends on the values of its arguments: give constants, or call it outside")
    all_types = [one[0] for one in found]
    types = [
        (
            numpy.result_type(*(one[k][0] for one in all_types)),
            all_types[0][k][1],
            any(one[k][2] for one in all_types),
            max(one[k][3] for one in all_types),
        )
        for k in range(len(found[0][0]))
    ]
    return (types, *found[0][1:])


def _known_date(value: Any) -> Any:
    """As `results`, with the value."""
    return [(value.dtype, 0, False, -1)], False, [], [], int(value.view(numpy.int64))


def _sampled(function: Callable[..., Any]) -> Callable[..., Any]:
    """What is called in its place: methods of random generators are those of a copy, which keeps its state to itself."""
    owner = getattr(function, "__self__", None)
    if is_generator(owner):
        return getattr(copy.deepcopy(owner), function.__name__)  # type: ignore[no-any-return]
    return getattr(function, "_sample", function)


def error_class() -> type[Exception]:
    """What is raised for the last call that was refused: TypingError, and what NumPy raises for all values of these types."""
    return _error_class(getattr(_failed, "kind", TypeError))


@functools.lru_cache(maxsize=64)
def _error_class(kind: type[Exception]) -> type[Exception]:
    bases = kind.__bases__ if {"__init__", "__str__"} & set(vars(kind)) and kind.__module__ != "builtins" else (kind,)
    if any(issubclass(base, (TypeError, CompileError)) or base is Exception for base in bases):
        return TypingError
    try:
        return type("TypingError", (TypingError, *bases), {"__module__": TypingError.__module__})
    except TypeError:  # one of them has other fields
        return TypingError


def check(function: Callable[..., Any], arguments: list[tuple[Any, ...]], names: list[str]) -> None:
    """Raises TypeError for arguments of types that are plainly wrong, some of which NumPy takes and makes something else of."""
    known = _parameters(function)
    called = getattr(function, "__name__", "")
    if not known or called in _OF_ANY_OBJECT:
        return
    counts = _COUNTS | frozenset(_COUNTS_OF.get(called, "").split())
    by_place = len(arguments) - len(names)
    for k, described in enumerate(arguments):
        name = names[k - by_place] if k >= by_place else known[k].name if k < len(known) else ""
        parameter = next((one for one in known if one.name == name), None)
        if parameter is None or parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            return
        if described[0] == "constant" and isinstance(described[1], str) and name not in _TEXTS:
            raise TypeError(f"its argument {name} is the text {described[1]!r}")
        if described[0] == "none" and parameter.default is inspect.Parameter.empty and called != "clip":
            raise TypeError(f"its argument {name} is None")
        is_number = described[0] in ("scalar", "constant") or described[0] == "array" and described[2] == 0
        if k == 0 and called in _OF_ARRAYS and is_number:
            raise TypeError(f"its argument {name} is a number: it takes an array")
        if name in _INTEGERS or name in counts:
            _check_integers(name, described, name in counts and name != "kth")


def _check_integers(name: str, described: tuple[Any, ...], is_count: bool) -> None:
    """`is_count`: it is one integer, not an array, and no bool."""
    kind = described[0]
    if is_count and (kind in ("tuple", "list") or kind == "array" and described[2] > 0):
        raise TypeError(f"its argument {name} is {'an' if kind == 'array' else 'a'} {kind}: it takes one integer")
    if kind in ("tuple", "list"):
        for one in described[1]:
            _check_integers(name, one, is_count)
    elif kind in ("scalar", "array", "constant") and described[1] is not None:
        dtype = described[1] if isinstance(described[1], numpy.dtype) else numpy.asarray(described[1]).dtype
        if dtype.kind in "fc" or (dtype.kind == "b" and (is_count or name == "kth")):
            raise TypeError(f"its argument {name} is {dtype}: it takes integers")


@functools.lru_cache(maxsize=512)
def _parameters(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """Of NumPy's functions, and of methods of arrays as of the functions of their names; else none."""
    if not (getattr(function, "__module__", None) or "").startswith(("numpy", __name__)):
        return ()
    if function.__module__ == __name__:
        function = getattr(numpy, function.__name__, function)
    try:
        return tuple(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ()


def _axes(found: Results) -> Any:
    """What must not differ between samples; dtypes may: roots are real or complex."""
    return [one[1] for one in found[0]], found[1:]


def method(name: str) -> Callable[..., Any] | None:
    """The method of NumPy's arrays as a function of its array, or a function of NumPy's by its name with dots; None if there is none.

    `__text__` is what print writes of it.
    """
    if name == "__text__":
        return printed.keep
    if "." in name:
        value: Any = numpy
        for attribute in name.split(".")[1:]:
            value = getattr(value, attribute, None)
        return value if callable(value) else None
    if (
        name.startswith("_")
        and name not in ("__getitem__", "__setitem__")
        or not callable(getattr(numpy.ndarray, name, None))
        or name in ("dump", "tofile", "setflags")
    ):
        return None

    def call(array: Any, *arguments: Any, **named: Any) -> Any:
        return getattr(array, name)(*arguments, **named)

    call.__name__ = name
    return call


def _changed(function: Any, given: list[Any], names: list[str]) -> list[int]:
    """Which arguments a call changes."""
    if hasattr(function, "_changed_arguments"):
        return [k for k in function._changed_arguments(len(given)) if isinstance(given[k], numpy.ndarray)]
    is_method = getattr(function, "__module__", None) == __name__
    called = getattr(function, "__name__", "")
    if called in (_CHANGING_METHODS if is_method else _CHANGING) and isinstance(given[0], numpy.ndarray):
        return [0]
    by_place = len(given) - len(names)
    by_position = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    known = [one.name for one in _parameters(function) if one.kind in by_position][:by_place]
    known += [""] * (by_place - len(known)) + names
    return [k for k, name in enumerate(known) if name == "out" and isinstance(given[k], numpy.ndarray)]


def _extents_of(function: Any, arguments: list[tuple[Any, ...]]) -> tuple[int, ...]:
    name = getattr(function, "__name__", "")
    if name in ("__getitem__", "__setitem__"):  # constant indices are inside
        most = max((4, *_constants(("tuple", arguments))))  # those of a tuple grow up to that
        axes = max((one[2] for one in arguments if one[0] == "array"), default=1)
        return (most + 2, most + 3, *_EXTENTS) if (most + 3) ** axes < _MOST_ELEMENTS else _EXTENTS
    return _EXTENTS_OF.get(name, _EXTENTS)


def _constants(described: tuple[Any, ...]) -> Iterator[int]:
    """The absolute values of integers that are known."""
    if described[0] in ("tuple", "list"):
        for one in described[1]:
            yield from _constants(one)
    elif described[0] == "constant" and isinstance(described[1], int):
        yield abs(described[1])


def _samples(extents: tuple[int, ...], arguments: list[tuple[Any, ...]]) -> Iterator[tuple[int, int, list[Any]]]:
    for spread in (0, 1):  # numbers that grow from argument to argument, for those where one is below the next
        for extent in extents:
            for number in _NUMBERS:
                for is_share in (False, True):
                    yield (
                        extent,
                        number,
                        [_sample(one, extent, number + k * spread, is_share) for k, one in enumerate(arguments)],
                    )


def _sample(described: tuple[Any, ...], extent: int, number: int, is_share: bool) -> Any:
    if described[0] == "constant":
        return described[1]
    if described[0] == "scalar":
        if described[1].kind in "mM":
            return numpy.array(number).astype(described[1])[()]
        value = described[1].type(number)
        return value.item() if described[1].char in "?ldD" else value  # as bind/kernel's make_host_number
    if described[0] in ("tuple", "list"):
        # Numbers differ, as axes do; shares are all one or none.
        elements = [_sample(one, extent, number + k * (not is_share), is_share) for k, one in enumerate(described[1])]
        return elements if described[0] == "list" else tuple(elements)
    if described[0] == "slice":
        return slice(*(_sample(one, extent, number, is_share) for one in described[1:]))
    if described[0] == "none":
        return None
    return _array(described[1], described[2], extent, is_share)


def _array(dtype: numpy.dtype[Any], ndim: int, extent: int, is_share: bool) -> numpy.ndarray[Any, Any]:
    """Numbers in order, from 0 where they may be indices; a matrix is regular, symmetric and positive; shares add up to 1."""
    shape = (extent,) * ndim
    if is_share:
        return numpy.full(shape, 1 / max(1, extent)).astype(dtype)
    if ndim < 2:
        return numpy.arange(extent if ndim else 1).reshape(shape).astype(dtype)
    return (numpy.ones(shape) + (extent + 1) * numpy.eye(extent)).astype(dtype)


def _types_of(value: Any, given: list[Any]) -> tuple[list[Result], bool, list[str]]:
    if value is None:
        return [], False, []
    if isinstance(value, (tuple, list)):
        return [_type_of(one, given) for one in value], True, list(getattr(value, "_fields", ()))
    return [_type_of(value, given)], False, []


def _type_of(value: Any, given: list[Any]) -> Result:
    dtype = getattr(value, "dtype", None) or numpy.dtype(type(value))
    if not isinstance(dtype, numpy.dtype) or dtype.kind not in "biufcmM":
        raise TypeError(f"it returns {type(value).__name__}, which compiled functions do not take")
    if not isinstance(value, numpy.ndarray) or value.ndim == 0:
        return dtype, getattr(value, "ndim", 0), False, -1
    shares = [k for k, one in enumerate(given) if isinstance(one, numpy.ndarray) and numpy.may_share_memory(one, value)]
    return dtype, value.ndim, bool(shares) or not value.flags.c_contiguous, shares[0] if shares else -1
