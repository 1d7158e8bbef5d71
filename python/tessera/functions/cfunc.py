"""cfunc: functions in Python that code in C calls."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy

from tessera import _core, types
from tessera.functions import foreign
from tessera.functions import signatures as types_of
from tessera.functions.intrinsic import Intrinsic
from tessera.functions.jit import Dispatcher
from tessera.functions.local_types import check_locals

_OPTIONS = ("nopython", "cache", "error_model", "boundscheck", "fastmath")


# Callbacks whose addresses have been given out.
_given_out: dict[int, Any] = {}


class CFunc(Dispatcher):
    """A compiled function with an address, made by cfunc; called in Python it is the Python function."""

    def __init__(
        self, function: Any, signature: Any, options: dict[str, Any], source: str | None, kinds: dict[str, Any]
    ) -> None:
        super().__init__(function, source, options)
        self._locals = kinds
        signature = types_of.read(signature) if isinstance(signature, str) else signature
        if not isinstance(signature, types.Signature) or signature.result is None:
            raise TypeError(f"cfunc: {signature!r} is no signature of a function in C; write 'float64(float64, int32)'")
        self.signature = signature
        if isinstance(signature.result, types.CPointer):
            raise TypeError(f"cfunc: {self.__name__} returns a pointer; functions return numbers, or nothing")
        self._converts_to = (types_of.parse_of_c(signature),)
        self._why_no_address = self._why_not_of_c()
        if self._why_no_address:
            return
        self._types = [foreign.type_of_c(one, self.__name__) for one in signature.args]
        is_void = isinstance(signature.result, types.Void)
        self._result = None if is_void else foreign.type_of_c(signature.result, self.__name__)
        kinds, result = types_of.parse_of_c(signature)
        self._results[kinds] = result
        compiled = self._compile(kinds, kinds, True)
        if is_void and compiled.result != "None":
            raise TypeError(f"cfunc: {self.__name__} returns {compiled.result}, its signature nothing")
        word = numpy.dtype("int64")
        passed = [one.dtype if isinstance(one, types.Scalar) else word for one in signature.args]
        self._callback = _core.kernels.make_callback(compiled, passed, None if is_void else signature.result.dtype)
        self._compiled_function = compiled

    def _why_not_of_c(self) -> str:
        """Why the function has no address, if it has none: code in C does not have its types. Compiled functions call it all the same."""
        for one in (*self.signature.args, self.signature.result):
            if isinstance(one, (types.Array, types.FunctionType, types.BaseTuple)) or (
                isinstance(one, types.Void) and one is not self.signature.result
            ):
                return f"cfunc: {self.__name__} takes or returns {one}, which functions in C do not have: it has no address, and compiled functions call it"
        return ""

    @property
    def _sig(self) -> Any:
        return self.signature

    @property
    def _pyfunc(self) -> Any:
        return self.py_func

    @property
    def _wrapper_address(self) -> int:
        return self.address

    @property
    def address(self) -> int:
        """The address of the function. Its code stays from then on: nobody knows who has the number."""
        if self._why_no_address:
            raise TypeError(self._why_no_address)
        _given_out[self._callback.address] = self._callback
        return self._callback.address

    @property
    def ctypes(self) -> Any:
        """The function as ctypes and scipy.LowLevelCallable take it."""
        function = ctypes.CFUNCTYPE(self._result, *self._types)(self.address)
        function._keeps = self
        return function

    @property
    def native_name(self) -> str:
        """The function's name."""
        return self.__name__

    def inspect_llvm(self, signature: Any = None) -> Any:
        """LLVM IR."""
        return f"; {self.__name__}: {self.signature}\n{self._compiled_function.llvm()}"

    def inspect_asm(self, signature: Any = None) -> Any:
        """Assembly of this machine's code."""
        return f"# {self.__name__}: {self.signature}\n{self._compiled_function.assembly()}"

    def inspect_ir(self, signature: Any = None) -> Any:
        """The function in tessera's IR."""
        return self._compiled_function.text

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.py_func(*arguments, **named)

    def __repr__(self) -> str:
        return f"<C callback {self.__name__}>"


def cfunc(signature: Any, *, locals: Any = None, source: str | None = None, **options: Any) -> Any:
    """Makes a function that code in C calls: `@cfunc("float64(float64, CPointer(float64))")`.

    Its `address` is a number, `ctypes` an object for ctypes and `scipy.LowLevelCallable`; called in Python, it is the Python function.
    Numbers are passed as C passes those of the signature; a pointer becomes an array by `carray(pointer, shape)` in the function, or by `farray` in
    Fortran's order, `voidptr` with a dtype behind. It is called without Python's lock unless it makes arrays or calls NumPy. What it raises is
    printed, and 0 returned.

    Raises TypeError for signatures that C has not, UnsupportedError or TypingError for what cannot be compiled.

    Examples
    --------
    >>> from tessera import cfunc
    >>> @cfunc("float64(float64, float64)")
    ... def product(x, y):
    ...     return x * y
    >>> product.ctypes(3.0, 4.0)
    12.0
    """
    kinds = check_locals("cfunc", locals)
    for name in options:
        if name not in _OPTIONS:
            raise TypeError(f"cfunc has no option {name}; there are {', '.join(_OPTIONS)}")
    if callable(signature) and not isinstance(signature, (types.Type, types.Signature)):
        raise TypeError("cfunc takes a signature: @cfunc('float64(float64)')")
    return lambda function: CFunc(function, signature, options, source, kinds)


class _ArrayOfPointer(Intrinsic):
    def __init__(self, name: str, doc: str, order: str) -> None:
        super().__init__(name, doc)
        self._order = order

    def __call__(self, pointer: Any, shape: Any, dtype: Any = None) -> Any:  # type: ignore[override]
        is_typed = hasattr(pointer, "contents")
        if not is_typed and not isinstance(pointer, ctypes.c_void_p):
            raise TypeError(f"{self.__name__} takes a pointer of ctypes, not {type(pointer).__name__}")
        if dtype is None and not is_typed:
            raise TypeError(f"{self.__name__}: a pointer without a type needs a dtype")
        given = pointer._type_ if dtype is None else dtype
        wanted = given.dtype if isinstance(given, types.Scalar) else numpy.dtype(given)
        if is_typed and wanted != numpy.dtype(pointer._type_):
            raise TypeError(
                f"{self.__name__}: mismatching dtype '{wanted}' for pointer to {numpy.dtype(pointer._type_)}"
            )
        extents = (shape,) if isinstance(shape, (int, numpy.integer)) else tuple(shape)
        count = int(numpy.prod(extents))
        address = ctypes.cast(pointer, ctypes.c_void_p).value
        if not address:
            raise ValueError(f"{self.__name__}: the pointer is null")
        memory = (ctypes.c_char * (count * wanted.itemsize)).from_address(address)
        return numpy.frombuffer(memory, wanted, count).reshape(extents, order=self._order)


_POINTER = """{name}(pointer, shape, dtype=None): the array in {order} order that begins at a pointer.

Examples
--------
>>> from tessera import {name}, cfunc
>>> @cfunc("float64(CPointer(float64), intc)")
... def last(values, n):
...     return {name}(values, (n,))[n - 1]
>>> import ctypes
>>> last.ctypes((ctypes.c_double * 3)(1.0, 2.0, 5.0), 3)
5.0
"""
carray = _ArrayOfPointer("builtins.carray", _POINTER.format(name="carray", order="C"), "C")
farray = _ArrayOfPointer("builtins.farray", _POINTER.format(name="farray", order="Fortran's"), "F")
