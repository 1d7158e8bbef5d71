"""jit: functions in Python at compiled speed, called like any other."""

from __future__ import annotations

import array
import enum
import importlib
import marshal
import warnings
from collections.abc import Iterator
from types import CellType, FunctionType
from typing import Any

import numpy

from tessera import _core, types
from tessera.errors import ParallelRaceWarning, TypingError
from tessera.functions import diagnostics, fast_flags, foreign, function_values, names, numpys_functions
from tessera.functions import signatures as types_of
from tessera.functions.function import Function
from tessera.functions.intrinsic import Intrinsic
from tessera.functions.local_types import check_locals

names.set_written(numpys_functions.description)
_OPTIONS = (
    "nopython",
    "cache",
    "nogil",
    "fastmath",
    "error_model",
    "boundscheck",
    "inline",
    "parallel",
    "debug",
    "forceinline",
)


# Whether decorators return the Python functions: numba.config.DISABLE_JIT.
_is_disabled = False


def set_disabled(is_disabled: bool) -> None:
    """Whether functions that are decorated from now on stay Python's."""
    global _is_disabled
    _is_disabled = is_disabled


def is_disabled() -> bool:
    """Whether decorators return what is Python's."""
    return _is_disabled


class _ValueWanted(Exception):
    """The function is compiled for the values of an argument, the one of this number."""


class Dispatcher(Function):
    """A function that is compiled for the types of its arguments when it is first called with them.

    The object that the decorator returns has the attributes of this one: `py_func` is the Python function, `signatures` lists the
    types for which it has been compiled.
    """

    _holds_arrays = False

    def __init__(self, function: Any, source: str | None, options: dict[str, Any]) -> None:
        super().__init__(function, source)
        self.targetoptions = options
        self._versions: dict[tuple[Any, ...], Any] = {}
        self._overlapping: dict[tuple[Any, ...], Any] = {}  # for arrays that share memory
        self._results: dict[tuple[Any, ...], Any] = {}  # the types of results that signatures name
        self._converting: dict[tuple[Any, ...], Any] = {}  # for other arguments than a signature's, which become those
        self._typed: dict[tuple[Any, ...], Any] = {}  # signatures to whose types functions that got this one convert
        self._of_functions: list[function_values.Parsed] = []  # signatures with types of functions
        self._is_closed = False
        self._literals: set[int] = set()  # the arguments for whose values it is compiled

    def compile(self, signature: Any) -> Any:
        """The version for a signature, such as "float64(float64[:])" or a tuple of types; compiled unless it is there."""
        kinds, result = types_of.parse_with_result(signature)
        if self._is_closed and kinds not in self._versions:
            raise RuntimeError(
                f"{self.__name__}.compile: compilation is disabled, by disable_compile() or by signatures in the decorator"
            )
        if result is not None:
            self._results[kinds] = result
        try:
            return self._version(kinds)
        except _ValueWanted:
            raise TypingError(
                f"{self.__name__} asks for an argument's value by literally, which signatures have not; call it without one"
            ) from None

    def _version(self, kinds: tuple[Any, ...]) -> Any:
        known = self._versions.get(kinds)
        if known is None:
            if self._is_closed:
                return self._conversion(kinds)
            known = self._versions[kinds] = self._compile(kinds, kinds, False)
        return known

    def _conversion(self, kinds: tuple[Any, ...]) -> Any:
        """The version for arguments of these types that makes them those of the signature which they fit best."""
        if kinds not in self._converting:
            given, declared = self._with_functions(kinds) or (kinds, self._signature_for(kinds))
            self._converting[kinds] = self._compile(given, declared, False)
        return self._converting[kinds]

    def _with_functions(self, kinds: tuple[Any, ...]) -> tuple[Any, Any] | None:
        """For arguments among which there are functions: their types and those of the signature that has types of functions for them."""
        resolved = function_values.resolve(kinds, self._of_functions)
        if resolved is None:
            return None
        given, (declared, result) = resolved
        if result is not None:
            self._results[declared] = result
        return given, declared

    def _signature_for(self, kinds: tuple[Any, ...]) -> tuple[Any, ...]:
        if kinds in self._versions:
            return kinds
        known = list(self._versions)
        found = [known[k] for k in _core.types.choose(kinds, known)]
        there = ", ".join(f"({types_of.write_all(one)})" for one in found or self._versions)
        given = f"{self.__name__}: arguments of types ({types_of.write_all(kinds)})"
        if not found:
            raise TypeError(
                f"{given} match no signature in the decorator; there are {there or self._of_functions}. Without signatures a version is compiled for each list of "
                "types"
            )
        if len(found) > 1:
            raise TypeError(
                f"{given} match several signatures in the decorator as well: {there}. Convert the arguments"
            )
        return found[0]

    def _compile(self, kinds: tuple[Any, ...], declared: tuple[Any, ...], may_overlap: bool) -> Any:
        given = self.targetoptions
        types_of.note_functions(kinds, self._captured)
        reassociates = fast_flags.reassociates(given.get("fastmath"))
        options = _core.kernels.CompileOptions(
            is_function=True,
            is_parallel=bool(given.get("parallel")),
            may_overlap=may_overlap,
            checks_bounds=bool(given.get("boundscheck")),
            raises_on_zero=given.get("error_model", "python") == "python",
            fast_math=reassociates,
            contracts=fast_flags.contracts(given.get("fastmath")) and not reassociates,
        )
        compiled = self._kernel_function().compile_function(
            kinds, declared, self._results.get(declared), options, bool(given.get("nogil"))
        )
        if isinstance(compiled, int):
            raise _ValueWanted(compiled)
        for kind, _, text, _ in compiled.parallel_notes:
            if kind == "race":
                warnings.warn(text, ParallelRaceWarning, stacklevel=2)
        return compiled

    def _compile_for(self, arguments: tuple[Any, ...], may_overlap: int) -> Any:
        """The version; None where the call's arguments are looked at anew, with the value of one."""
        kinds = tuple(
            types_of.literal_type_of(value) if k in self._literals else types_of.type_of(value)
            for k, value in enumerate(arguments)
        )
        try:
            if not may_overlap:
                return self._version(kinds)
            if kinds not in self._overlapping:
                self._overlapping[kinds] = self._compile(kinds, self._signature_for(kinds), True)
            return self._overlapping[kinds]
        except _ValueWanted as wanted:
            self._literals.add(wanted.args[0])
            _core.kernels.set_literal(self._function, wanted.args[0])
            return None

    def _call_converted(self, arguments: tuple[Any, ...]) -> Any:
        """Calls with arguments of which one is not taken as it is."""
        converted = tuple(map(_converted, arguments))
        if all(new is old for new, old in zip(converted, arguments)):
            for value in arguments:
                types_of.type_of(value)  # raises for what functions do not take
            given = ", ".join(map(types_of.name_of, arguments))
            raise TypingError(
                f"{self.__name__}: arguments of types {given}; compiled functions take numbers and arrays of bools, integers, floats and "
                "complex numbers of at most 128 bits: convert others, as in x.astype(float) or x.view('int64')"
            )
        try:
            return self._function(*converted)
        finally:
            # All comparisons come first: one array may have been passed twice.
            for old, new, changed in list(_stored(converted, arguments)):
                numpy.copyto(old, new, where=changed)

    @property
    def signatures(self) -> list[tuple[Any, ...]]:
        """The types of arguments for which the function has been compiled."""
        return list(self._versions)

    @property
    def overloads(self) -> dict[tuple[Any, ...], Any]:
        """The versions, by the types of their arguments."""
        return {kinds: types_of.Overload(version, kinds) for kinds, version in self._versions.items()}

    @property
    def nopython_signatures(self) -> list[Any]:
        """The versions' signatures, with the types of their results."""
        known = {
            kinds: types.Signature(types.of(version.result_type), kinds) for kinds, version in self._versions.items()
        }
        return list((self._typed | known).values())

    def inspect_types(self, file: Any = None, signature: Any = None, pretty: bool = False) -> None:
        """Prints the versions, or that of a signature: variables, and below each statement its expressions, with their types."""
        if pretty:
            raise NotImplementedError("inspect_types: pretty=True makes pages of HTML; pretty=False prints text")
        wanted = None if signature is None else types_of.parse(signature)
        if wanted is not None and wanted not in self._versions:
            raise KeyError(f"{self.__name__} has not been compiled for ({types_of.write_all(wanted)})")
        for kinds in self._versions:
            if wanted is None or kinds == wanted:
                print(self._typed_text(kinds), file=file)

    def _typed_text(self, kinds: Any) -> str:
        checks = bool(self.targetoptions.get("boundscheck"))
        options = _core.kernels.CompileOptions(is_function=True, checks_bounds=checks)
        text: str = self._kernel_function().typed_text(kinds, self._results.get(kinds), options)
        return text

    def parallel_diagnostics(self, signature: Any = None, level: int = 1) -> None:
        """Prints, for one version or each, what runs on several threads: at level 1 the loops, at 2 what they join, at 3 whole
        arrays, too, at 4 the function in tessera's IR."""
        diagnostics.check(self, level)
        for kinds in self._versions if signature is None else [types_of.parse(signature)]:
            print(diagnostics.text(self, types_of.write_all(kinds), self._versions[kinds], level))

    def inspect_ir(self, signature: Any = None) -> Any:
        """The function in tessera's IR, of one version or as a dict of all."""
        return self._of_each(signature, lambda version: version.text)

    def inspect_llvm(self, signature: Any = None) -> Any:
        """LLVM IR, of one version or as a dict of all."""
        return self._of_each(signature, lambda version: version.llvm(), ";")

    def inspect_asm(self, signature: Any = None) -> Any:
        """Assembly of this machine's code, of one version or as a dict of all."""
        return self._of_each(signature, lambda version: version.assembly(), "#")

    def _of_each(self, signature: Any, text_of: Any, comment: str = "") -> Any:
        def text(kinds: tuple[Any, ...]) -> str:
            own: str = text_of(self._versions[kinds])
            if not comment:
                return own
            names = self._signature().parameters
            given = ", ".join(f"{name}: {types_of.write(kind)}" for name, kind in zip(names, kinds))
            return f"{comment} {self.__name__}({given})\n{own}"

        if signature is None:
            return {key: text(kinds) for key, kinds in zip(self.signatures, self._versions)}
        return text(types_of.parse(signature))

    def recompile(self) -> None:
        """Compiles all versions anew, with the values that global names have now."""
        kinds = list(self._versions)
        self._clear()
        is_closed, self._is_closed = self._is_closed, False
        try:
            for one in kinds:
                self._version(one)
        finally:
            self._is_closed = is_closed

    def _clear(self) -> None:
        self._versions.clear()
        self._overlapping.clear()
        self._converting.clear()
        self._compiled = None
        _core.kernels.forget_versions(self._function)

    def _forget(self) -> None:
        """A name that the function reads has another value now."""
        if self._is_closed:
            self.recompile()
        else:
            self._clear()

    def disable_compile(self, value: bool = True) -> None:
        """Whether calls with other types than those compiled raise TypeError."""
        self._is_closed = value

    def __repr__(self) -> str:
        return f"<compiled function {self.__name__}>"

    def __reduce__(self) -> Any:
        name = self.py_func.__qualname__
        if "<" not in name:
            return rebuild, (self.py_func.__module__, name)
        source = self._text()
        signatures = tuple(kinds for kinds in self._versions) if self._is_closed else None
        return rebuild_local, (parts_of(self.py_func), source, self.targetoptions, self._locals, signatures)


def parts_of(function: Any) -> tuple[Any, ...]:
    """What makes a function that is defined in another: its code, and the values that it sees of that one."""
    values = tuple(cell.cell_contents for cell in function.__closure__ or ())
    kept = (function.__defaults__, function.__kwdefaults__, values)
    return (function.__module__, function.__qualname__, marshal.dumps(function.__code__), *kept)


def local_function(parts: tuple[Any, ...]) -> Any:
    """The function that was defined in another, as pickles of the same version of Python's say it."""
    module, name, code, defaults, named, values = parts
    cells = tuple(map(CellType, values))
    function = FunctionType(
        marshal.loads(code), vars(importlib.import_module(module)), name.rpartition(".")[2], defaults, cells
    )
    function.__kwdefaults__, function.__qualname__ = named, name
    return function


def rebuild_local(
    parts: tuple[Any, ...], source: str, options: dict[str, Any], kinds: dict[str, Any], signatures: Any
) -> Any:
    """The compiled function that was defined in another."""
    return _make(local_function(parts), None if signatures is None else list(signatures), source, options, kinds)


def rebuild(module: str, name: str) -> Any:
    """The compiled function of this name, as pickles say it."""
    value: Any = importlib.import_module(module)
    for part in name.split("."):
        value = getattr(value, part)
    return value


def _stored(copies: tuple[Any, ...], arguments: tuple[Any, ...]) -> Iterator[tuple[Any, Any, Any]]:
    """The arrays that were copied, their copies, and where a function has stored something in these."""
    for new, old in zip(copies, arguments):
        if isinstance(old, tuple):
            yield from _stored(new, old)
        elif isinstance(old, numpy.ndarray) and old.flags.writeable and not numpy.may_share_memory(new, old):
            yield old, new, new != old


def _converted(value: Any) -> Any:
    import numpy

    from tessera import numpy as tessera_numpy

    if isinstance(value, numpy.ndarray) and value.dtype.names is None:
        if isinstance(value, numpy.ma.MaskedArray):
            raise TypeError("a masked array is passed, whose mask compiled functions do not see; pass its .data")
        # Other byte orders and elements that are not aligned are copied, and what is stored in the copy goes back.
        if value.dtype.kind in "biufcmM" and not (value.dtype.isnative and value.flags.aligned):
            return numpy.array(value, dtype=value.dtype.newbyteorder("="), subok=False)
        return value if type(value) is numpy.ndarray else value.view(numpy.ndarray)
    if isinstance(value, (memoryview, bytearray, array.array)):
        return numpy.asarray(value)
    if hasattr(value, "__cuda_array_interface__"):
        return tessera_numpy.asarray(value)
    if isinstance(value, tuple):
        elements = tuple(map(_converted, value))
        if all(new is old for new, old in zip(elements, value)):
            return value
        is_named = hasattr(value, "_fields") and type(value).__new__ is not tuple.__new__
        return type(value)(*elements) if is_named else type(value)(elements) if hasattr(value, "_fields") else elements
    if types_of.is_generator(value):
        return types_of.tuple_of_generator(value)
    if types_of.is_frozen(value) and not isinstance(value, type):
        return _converted(types_of.tuple_of_frozen(value))
    if isinstance(value, enum.Enum):
        return value.value
    native = types.own_types().native_of(value)
    return native if native is not value or foreign.function_of(value) is None else _calling(value)


# Compiled functions that call functions in C, which are kept so that their identities stay their own.
_callers: dict[int, tuple[Any, Any]] = {}


def _calling(value: Any) -> Any:
    """The compiled function that a function of ctypes is as an argument. Raises TypingError where its types are not declared."""
    known = _callers.get(id(value))
    if known is None:
        function = foreign.function_of(value)
        if foreign.is_null(function):
            raise ValueError(f"wrapper address of {type(value)} instance must be a positive number, not 0")
        declared = function.argtypes
        if declared is None:
            raise TypingError(f"{foreign.name_of(value)} is passed, whose argtypes are not declared")
        names = ", ".join(f"x{k}" for k in range(len(declared)))
        text = f"def calling({names}):\n    return called({names})\n"
        written: dict[str, Any] = {"called": value}
        exec(text, written)
        made = Dispatcher(written["calling"], text, {})
        made._stands_for = value
        known = _callers[id(value)] = value, _core.kernels.make_function(made, made.positional(), made._captured)
        made._function = known[1]
    return known[1]


def jit(signature_or_function: Any = None, *, locals: Any = None, source: str | None = None, **options: Any) -> Any:
    """Compiles a function for the types of its arguments, when it is first called with them.

    `@jit`, `@jit("float64(float64[:])")`, `@jit(nopython=True)`. Arguments and results are numbers, arrays and tuples of these. NumPy's
    arrays are used in place, and so are tessera's; results are tessera's arrays where an argument is one, else NumPy's. There is no
    object mode: what cannot be compiled raises UnsupportedError or TypingError, which say what to write instead.

    Options: `boundscheck=True` makes an index outside of an array raise IndexError, and iterations of `prange` that race KernelFaultError; `error_model="numpy"` makes divisions by zero give
    inf, NaN or 0 instead of ZeroDivisionError; `fastmath=True` lets products and sums be one operation and sums in loops be computed in any order; `nogil=True` lets other threads
    run meanwhile, unless the function makes arrays; `locals={"x": float32}` says of which types of numbers variables are; `parallel=True` runs the iterations of `prange` on all cores: what they add up to, with
    += *= |= &= ^= min or max, is joined in an order that their number alone decides. `nopython` is always on, `cache` too (machine code is kept on disk), and functions that are called are inlined unless they call themselves.

    Examples
    --------
    >>> import numpy
    >>> from tessera import jit
    >>> @jit
    ... def total(x):
    ...     result = 0.0
    ...     for value in x:
    ...         result += value
    ...     return result
    >>> total(numpy.arange(5.0))
    10.0
    """
    _check(options)
    kinds = check_locals("jit", locals)
    if callable(signature_or_function) and not isinstance(
        signature_or_function, (types.Signature, types.Scalar, types.Array)
    ):
        return _make(signature_or_function, None, source, options, kinds)
    if not isinstance(signature_or_function, (type(None), str, tuple, list, types.Type, types.Signature)):
        raise TypeError(
            f"jit: {signature_or_function!r} is neither a function nor a signature; write @jit or @jit('float64(float64[:])')"
        )
    return lambda function: _make(function, signature_or_function, source, options, kinds)


def njit(*arguments: Any, **options: Any) -> Any:
    """The same as jit.

    Examples
    --------
    >>> from tessera import njit
    >>> @njit
    ... def twice(x):
    ...     return 2 * x
    >>> twice(21)
    42
    """
    return jit(*arguments, **options)


def _check(options: dict[str, Any]) -> None:
    for name in options:
        if name == "forceobj" or name == "looplift":
            raise NotImplementedError(f"jit: {name} is not there: there is no object mode; leave it out")
        if name not in _OPTIONS:
            raise TypeError(f"jit has no option {name}; there are {', '.join(_OPTIONS)}")
    if options.get("nopython") is False:
        raise NotImplementedError("jit: nopython=False asks for object mode, which is not there; leave it out")
    fast_flags.check("jit", options.get("fastmath", False))
    model = options.get("error_model", "python")
    if model not in ("python", "numpy"):
        raise ValueError(f"jit: error_model is {model!r}; it is 'python' or 'numpy'")


def _make(function: Any, signature: Any, source: str | None, options: dict[str, Any], kinds: dict[str, Any]) -> Any:
    if isinstance(function, Function) or hasattr(function, "_kernel_function"):
        function = function.py_func
    if not hasattr(function, "__code__"):
        raise TypeError(f"jit compiles functions, not {type(function).__name__}")
    if _is_disabled:
        return function
    dispatcher = Dispatcher(function, source, options)
    dispatcher._locals = kinds
    dispatcher._function = _core.kernels.make_function(dispatcher, dispatcher.positional(), dispatcher._captured)
    if signature is not None:
        listed = signature if isinstance(signature, list) else [signature]
        dispatcher._converts_to = tuple(map(types_of.parse_with_result, listed))
        for one, parsed in zip(listed, dispatcher._converts_to):
            if any(map(function_values.has_function_type, parsed[0])):
                dispatcher._of_functions.append(parsed)
            else:
                dispatcher.compile(one)
        dispatcher.disable_compile()
    return dispatcher._function


class _Literally(Intrinsic):
    def __call__(self, value: Any) -> Any:  # type: ignore[override]
        return value


literally = _Literally(
    "builtins.literally",
    "Its argument, as a constant: a function that passes one of its own arguments is compiled for each value of it.",
)


class _ParallelRange(Intrinsic):
    def __call__(self, *bounds: int) -> range:  # type: ignore[override]
        return range(*bounds)


class _ParallelIndices(Intrinsic):
    def __call__(self, *shape: Any) -> Any:  # type: ignore[override]
        return numpy.ndindex(*shape)


pndindex = _ParallelIndices(
    "builtins.pndindex",
    """numpy.ndindex, of indices that are independent: with parallel=True they run on all cores.

Examples
--------
>>> import numpy
>>> from tessera import jit, pndindex
>>> @jit(parallel=True)
... def sums(out):
...     for i, j in pndindex(out.shape):
...         out[i, j] = i + j
...     return out
>>> sums(numpy.zeros((2, 2)))
array([[0., 1.],
       [1., 2.]])
""",
)
prange = _ParallelRange(
    "builtins.prange",
    """range, of iterations that are independent: with parallel=True they run on all cores.

Examples
--------
>>> from tessera import jit, prange
>>> @jit(parallel=True)
... def squares(n):
...     total = 0
...     for i in prange(n):
...         total += i * i
...     return total
>>> squares(10)
285
""",
)
