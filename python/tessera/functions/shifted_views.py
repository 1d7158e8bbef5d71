"""Stencils of tessera's arrays: an operation on shifted views, which is recorded and fuses like any other."""

from __future__ import annotations

import ast
import copy
import itertools
from typing import Any

import numpy

from tessera import _core, types
from tessera.errors import TypingError, UnsupportedError
from tessera.functions import signatures as types_of

# Fewer elements are computed at once by a loop before they would be recorded.
LEAST_SIZE = 4096
_MOST_BOXES = 125


class ShiftedViews:
    """A stencil whose relative indices are constants, as an operation on the elements that it reads and its numbers."""

    def __init__(self, stencil: Any, tree: ast.FunctionDef, reads: dict[tuple[str, tuple[int, ...]], str]) -> None:
        self._stencil = stencil
        self._reads = list(reads)
        self._arrays = {name for name, _ in reads}
        self._numbers = [argument.arg for argument in tree.args.args if argument.arg not in self._arrays]
        self._tree = copy.deepcopy(tree)
        self._tree.args.args = [ast.arg(arg=name) for name in (*reads.values(), *self._numbers)]
        self._tree.args.defaults = []
        self._steps: dict[tuple[Any, ...], list[tuple[list[int], Any]] | None] = {}

    def call(self, arguments: dict[str, Any], ranges: list[tuple[int, int]], mode: str, outside: Any, out: Any) -> Any:
        """The result, recorded; None where the stencil cannot be an operation on these arguments."""
        from tessera import numpy as tessera_numpy

        shape = next(value.shape for name, value in arguments.items() if name in self._arrays)
        if out is not None and out.shape != shape:
            return None  # the loop says what is wrong
        kinds = [types_of.type_of(arguments[name]) for name in self._numbers]
        if not all(isinstance(one, types.Scalar) for one in kinds):
            return None
        numbers = [kind.dtype.type(arguments[name]) for kind, name in zip(kinds, self._numbers)]
        arrays = {name: tessera_numpy.asarray(arguments[name]) for name in self._arrays}
        for array in arrays.values():
            if array.ndim != len(ranges) or any(own < least for own, least in zip(array.shape, shape)):
                return None
        dtypes = (*(arrays[name].dtype for name, _ in self._reads), *(number.dtype for number in numbers))
        if dtypes not in self._steps:
            self._steps[dtypes] = self._compile(dtypes)
        steps = self._steps[dtypes]
        boxes = _boxes(shape, ranges, mode)
        if steps is None or boxes is None:
            return None
        results = [(tuple(map(_view, box)), self._compute(steps, arrays, numbers, box, shape, mode)) for box in boxes]
        # Elements are stored when all are recorded: `out` may be one of the arrays.
        if out is None:
            dtype = results[0][1].dtype
            is_empty = mode != "constant"
            fill = numpy.zeros((), dtype)[()] if outside is None else outside
            out = tessera_numpy.empty(shape, dtype) if is_empty else tessera_numpy.full(shape, fill, dtype)
        elif mode == "constant" and outside is not None:
            out[...] = outside
        for box, values in results:
            out[box] = values
        return out

    def _compute(
        self, steps: Any, arrays: dict[str, Any], numbers: list[Any], box: Any, shape: tuple[int, ...], mode: str
    ) -> Any:
        values = [
            arrays[name][tuple(map(_moved, box, offsets, shape, itertools.repeat(mode)))]
            for name, offsets in self._reads
        ]
        values += numbers
        for operands, ufunc in steps:
            values.append(ufunc(*(values[operand] for operand in operands)))
        return values[-1]

    def _compile(self, dtypes: tuple[Any, ...]) -> list[tuple[list[int], Any]] | None:
        try:
            body = self._stencil.kernel_function(self._tree).compile_body(dtypes, ())
        except (TypingError, UnsupportedError):
            return None  # it raises, prints or returns no number: the loop does, or says so
        steps = _core.kernels.split_body(body, len(dtypes))
        if not all(operands for operands, _ in steps):
            return None  # a constant
        return [(operands, self._ufunc(operands, step)) for operands, step in steps] or None

    def _ufunc(self, operands: list[int], body: Any) -> Any:
        op = _core.kernels.make_op(
            self._stencil.__name__, "", len(operands), [body], identity=None, reorderable=False, grows=False
        )
        return _core.kernels.make_ufunc(self, op, _core.kernels.CapturedNames(), False)


def _boxes(shape: tuple[int, ...], ranges: list[tuple[int, int]], mode: str) -> list[tuple[Any, ...]] | None:
    """Disjoint boxes in each of which all reads are views: the inside, and with a border mode each place at a border by itself."""
    along: list[list[Any]] = []
    for extent, (low, high) in zip(shape, ranges):
        first = min(max(0, -low), extent)
        last = max(extent - max(0, high), first)
        inside: list[Any] = [slice(first, last)] if last > first else []
        if mode == "constant":
            if not inside:
                return None
            along.append(inside)
        else:
            along.append([*range(first), *inside, *range(last, extent)])
    boxes = list(itertools.product(*along))
    return boxes if 0 < len(boxes) <= _MOST_BOXES else None


def _view(place: int | slice) -> slice:
    return place if isinstance(place, slice) else slice(place, place + 1)


def _moved(place: int | slice, offset: int, extent: int, mode: str) -> slice:
    if isinstance(place, slice):
        return slice(place.start + offset, place.stop + offset)
    at = place + offset
    if mode == "wrap":
        return _view(at % extent)
    if mode == "nearest":
        return _view(min(max(at, 0), extent - 1))
    # ... d c b a | a b c d | d c b a ... and ... d c b | a b c d | c b a ...
    period = 2 * extent if mode == "reflect" else max(2 * extent - 2, 1)
    mirrored = (2 * extent - 1 if mode == "reflect" else period) - at % period
    return _view(min(at % period, mirrored) if extent > 1 else 0)
