"""Compiled loops in place of NumPy's loop over a Python function, where no result tells them apart."""

from __future__ import annotations

import ast
import math
import types
import weakref
from typing import Any

import numpy

from tessera import _core as core
from tessera.numpy import _pure_functions as pure

_WORTH_COMPILING = 20_000  # elements, of all calls
_DTYPES = {"float": numpy.dtype(float), "int": numpy.dtype(int), "bool": numpy.dtype(bool)}
_HELPERS = """
def _square_root(x):
    if x < 0.0:
        raise ValueError("math domain error")
    return math.sqrt(x)


def _least(a, b):
    return b if b < a else a


def _largest(a, b):
    return b if b > a else a
"""


class _Loop:
    """The loop over one function; raises pure.NotPure where there is none."""

    def __init__(self, function: types.FunctionType) -> None:
        from tessera.functions import jit as functions
        from tessera.functions import source

        text = source.executed_source(function)
        self.rewritten = rewritten = pure.Rewritten(function, source.find(function, text)[0])
        names = {"math": math, "prange": functions.prange, "_inf": math.inf, "_nan": math.nan}
        exec(_HELPERS, names)
        for helper in ("_square_root", "_least", "_largest"):
            names[helper] = functions.jit(names[helper], source=_HELPERS)
        parameters = ", ".join(rewritten.parameters)
        body = ast.unparse(ast.fix_missing_locations(ast.Module(body=rewritten.body, type_ignores=[])))
        own = f"def _own({parameters}):\n" + "\n".join(f"    {line}" for line in body.splitlines()) + "\n"
        exec(own, names)
        names["_own"] = functions.jit(names["_own"], source=own)
        given = [f"_x{k}" for k in range(len(rewritten.parameters))]
        elements = ", ".join(f"{name}[k if {name}.size > 1 else 0]" for name in given)
        loop = f"def _loop(_out, {', '.join(given)}):\n    for k in prange(_out.shape[0]):\n        _out[k] = _own({elements})\n"
        exec(loop, names)
        self.run = functions.jit(names["_loop"], source=loop, parallel=True)

    def is_current(self, function: types.FunctionType) -> bool:
        """Whether captured names still stand for what they did."""
        for name, value in self.rewritten.captured.items():
            now = pure.captured(function, name)
            if now is not value and not (type(now) is type(value) is float and repr(now) == repr(value)):
                return False
        return True


class _Known:
    """What is known of a function: how many elements went through it, its loop, and that there is none."""

    def __init__(self) -> None:
        self.elements = 0
        self.loop: _Loop | None = None
        self.refused = False


_known: weakref.WeakKeyDictionary[types.FunctionType, _Known] = weakref.WeakKeyDictionary()


def _operands(arguments: tuple[Any, ...]) -> tuple[list[Any], tuple[int, ...]] | None:
    """The arguments as float64 arrays in C order, each with one element or all of them; nothing for others."""
    arrays = []
    for argument in arguments:
        if type(argument) is not float and type(argument) is not numpy.float64:
            if type(argument) is not numpy.ndarray and type(argument) is not core.ndarray:
                return None
            if argument.dtype != _DTYPES["float"] or not argument.flags.c_contiguous:
                return None
        arrays.append(numpy.asarray(argument))
    try:
        shape = numpy.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        return None
    return [
        array.reshape(-1) if array.size == 1 or array.shape == shape else numpy.broadcast_to(array, shape).reshape(-1)
        for array in arrays
    ], shape


def try_loop(function: Any, arguments: tuple[Any, ...], otypes: Any) -> Any:
    """The results as an array of NumPy's, or None where NumPy has to call the function for each element."""
    if type(function) is not types.FunctionType or not arguments:
        return None
    known = _known.setdefault(function, _Known())
    if known.refused or (found := _operands(arguments)) is None:
        return None
    operands, shape = found
    known.elements += math.prod(shape)
    if known.elements < _WORTH_COMPILING or 0 in shape:
        return None
    try:
        if known.loop is None or not known.loop.is_current(function):
            known.loop = _Loop(function)
        loop = known.loop
        if len(arguments) != len(loop.rewritten.parameters):
            return None
        dtype = _DTYPES[loop.rewritten.result]
        if otypes is not None and [numpy.dtype(each) for each in otypes] != [dtype]:
            return None
        results = numpy.empty(math.prod(shape), dtype)
        loop.run(results, *operands)
    except Exception:
        known.refused = known.loop is None
        return None  # what the function raises, NumPy's loop raises again
    if otypes is None and numpy.asarray(function(*(operand[0] for operand in operands))).dtype != dtype:
        return None
    return results.reshape(shape)
