"""Ufuncs of functions that do what bodies of operations do not: raise, print, make arrays. They run in loops on the host.

All elements are computed; then the first exception in the order of the elements is raised, by calling the function with its operands.
"""

from __future__ import annotations

from typing import Any

import numpy

from tessera import _core, errors, types
from tessera.functions.jit import jit

Loop = tuple[tuple[numpy.dtype[Any], ...], tuple[numpy.dtype[Any], ...]]

# Of Python's numbers: the dtype beside nothing else, and the narrowest of their kind.
_WEAK = ((bool, "bool"), (int, "uint8"), (float, "float16"), (complex, "complex64"))
_KINDS = ((bool, "bool"), (int, "int64"), (float, "float64"), (complex, "complex128"))


class LoopedUfunc:
    """The loops of such a ufunc, and its calls and methods with NumPy's arguments."""

    def __init__(self, function: Any, source: str | None, operands: int) -> None:
        self.__name__ = function.__name__
        self._nin = operands
        self._core = jit(function, source=source, error_model="numpy")
        self._loops: list[Loop] = []
        self._made: dict[Any, Any] = {}

    def add(self, operands: tuple[Any, ...], results: tuple[Any, ...] = ()) -> None:
        """Compiles the function for operands of these dtypes; raises CompileError where that cannot be."""
        kinds = tuple(types.Scalar(one) for one in operands)
        made = types.of(self._core._version(kinds).result_type)
        listed = tuple(made.types) if isinstance(made, types.BaseTuple) else (made,)
        if not all(isinstance(one, types.Scalar) for one in listed):
            raise errors.TypingError(f"{self.__name__} returns {made!r}: ufuncs return numbers or tuples of them")
        named = tuple(map(numpy.dtype, results)) or tuple(one.dtype for one in listed)
        if len(named) != len(listed):
            raise errors.TypingError(f"{self.__name__} returns {len(listed)} numbers, its signature {len(named)}")
        self._loops.append((tuple(map(numpy.dtype, operands)), named))

    @property
    def nout(self) -> int:
        """The number of results."""
        return len(self._loops[0][1])

    @property
    def types(self) -> list[str]:
        """The loops, as NumPy writes them."""
        return ["->".join("".join(one.char for one in side) for side in loop) for loop in self._loops]

    def _dtypes_of(self, operands: list[Any]) -> list[numpy.dtype[Any]]:
        """Those of operands; Python's numbers have a kind only."""
        strong = [one.dtype for one in operands if hasattr(one, "dtype")]
        listed = []
        for one in operands:
            if hasattr(one, "dtype"):
                listed.append(one.dtype)
            elif strong:
                listed.append(numpy.result_type(*strong, one))
            else:
                listed.append(numpy.dtype(next(name for kind, name in _KINDS if isinstance(one, kind))))
        return listed

    def _loop_for(self, operands: list[Any], casting: str, dtype: Any, grow: Any) -> Loop:
        given = self._dtypes_of(operands)
        if dtype is not None:
            given = [numpy.dtype(dtype)] * len(given)
        for loop in self._loops:
            if list(loop[0]) == given:
                return loop
        if grow is not None:
            grow(tuple(given))
            return self._loops[-1]
        for loop in self._loops:
            if all(numpy.can_cast(one, to, "safe") for one, to in zip(given, loop[0])):
                return loop
        raise TypeError(
            f"ufunc {self.__name__!r} not supported for the input types, and the inputs could not be safely coerced to any supported types "
            f"according to the casting rule '{casting!s}'"
        )

    def _function(self, name: str, results: int) -> Any:
        key = (name, results)
        if key not in self._made:
            operands = [f"a{k}" for k in range(self._nin)]
            taken = ", ".join(f"{one}[k]" for one in operands)
            stored = ", ".join(f"r{k}[k]" for k in range(results))
            text = _TEXTS[name].format(
                operands=", ".join(operands),
                results=", ".join(f"r{k}" for k in range(results)),
                call=f"{stored} = core({taken})",
                second=", a1" if self._nin == 2 else "",
                value=", a1[k]" if self._nin == 2 else "",
            )
            made = {"core": self._core}
            exec(text, made)
            self._made[key] = jit(made["loop"], source=text, error_model="numpy")
        return self._made[key]

    def call(
        self,
        grow: Any,
        *arguments: Any,
        out: Any = None,
        where: Any = True,
        casting: str = "same_kind",
        dtype: Any = None,
        order: str = "K",
        subok: bool = True,
    ) -> Any:
        """The ufunc of arrays and numbers."""
        if not self._nin <= len(arguments) <= self._nin + (self.nout if self._loops else 4):
            raise TypeError(f"{self.__name__}() takes {self._nin} operands, not {len(arguments)}")
        given, outs = arguments[: self._nin], arguments[self._nin :]
        if outs and out is not None:
            raise TypeError("cannot specify 'out' as both a positional and keyword argument")
        outs = outs or (() if out is None else out if isinstance(out, tuple) else (out,))
        operands = [_operand(one) for one in given]
        loop = self._loop_for(operands, casting, dtype, grow)
        outs = (*outs, *(None,) * (len(loop[1]) - len(outs)))
        arrays = [_cast(one, to, casting if dtype is not None else "same_kind") for one, to in zip(operands, loop[0])]
        mask = None if where is True else numpy.asarray(where, dtype=bool)
        shape = numpy.broadcast_shapes(*(one.shape for one in arrays), *(() if mask is None else (mask.shape,)))
        for one in outs:
            if one is not None and numpy.ndim(one) >= len(shape):
                shape = _joined(shape, tuple(one.shape))
        for one, kind in zip(outs, loop[1]):
            if one is not None:
                _check_result(self.__name__, one, kind, shape, casting)
        flat = [numpy.broadcast_to(one, shape).reshape(-1) for one in arrays]
        made = [
            numpy.zeros(shape, kind) if one is None else numpy.asarray(one).astype(kind, order="C")
            for one, kind in zip(outs, loop[1])
        ]
        chosen = None if mask is None else numpy.flatnonzero(numpy.broadcast_to(mask, shape))
        failed, done = self._run([one if chosen is None else one[chosen] for one in flat], made, chosen)
        for one, computed in zip(outs, made):
            if one is not None and done.all():
                one[...] = computed
            elif one is not None:
                one[done.reshape(shape)] = computed[done.reshape(shape)]
        if failed is not None:
            self._core(*failed)
            raise RuntimeError(f"{self.__name__} raised for the operands {failed} and did not when it was asked again")
        return _delivered(arguments, outs, made)

    def _run(self, operands: list[Any], made: list[Any], chosen: Any) -> Any:
        """Computes the chosen elements; the operands of the first that raises, None where none does, and which were computed."""
        results = [one.reshape(-1) for one in made] if chosen is None else [one.reshape(-1)[chosen] for one in made]
        operands = [numpy.ascontiguousarray(one) for one in operands]
        done = numpy.zeros(len(operands[0]), bool)
        first = self._function("elements", len(made))(*operands, *results, done)
        if chosen is not None:
            for one, part in zip(made, results):
                one.reshape(-1)[chosen] = part
            everywhere = numpy.zeros(made[0].size, bool)
            everywhere[chosen] = done
            done = everywhere
        return (None if first < 0 else [one[first] for one in operands]), done

    def _binary_loop(self, array: Any, method: str, dtype: Any, grow: Any) -> Loop:
        if self._nin != 2 or (self._loops and self.nout != 1):
            raise ValueError(f"{method} only supported for binary functions")
        return self._loop_for([array, array], "same_kind", dtype, grow)

    def accumulate(self, grow: Any, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """Of one axis the results after each element."""
        given = numpy.asarray(array)
        loop = self._binary_loop(given, "accumulate", dtype, grow)
        made = numpy.moveaxis(given, axis, -1).astype(loop[1][0])
        rows = made.reshape(-1, made.shape[-1]) if made.size else made.reshape(0, 0)
        self._function("accumulate", 1)(rows)
        return _given_back(array, out, numpy.moveaxis(rows.reshape(made.shape), -1, axis))

    def reduce(
        self,
        grow: Any,
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
        identity: Any = None,
        is_reorderable: bool = False,
    ) -> Any:
        """Of one axis, or of several, the result of all elements in order."""
        given = numpy.asarray(array)
        loop = self._binary_loop(given, "reduce", dtype, grow)
        axes = range(given.ndim) if axis is None else [axis] if not isinstance(axis, tuple) else axis
        axes = tuple(one + given.ndim if one < 0 else one for one in axes)
        for one in axes:
            if not 0 <= one < given.ndim:
                raise numpy.exceptions.AxisError(one, given.ndim)
        if len(axes) > 1 and not is_reorderable:
            raise ValueError(
                f"reduction operation {self.__name__!r} is not reorderable, so at most one axis may be specified"
            )
        kept = [k for k in range(given.ndim) if k not in axes]
        start = identity if initial is None else initial
        moved = given.transpose(*kept, *axes)
        shape = tuple(given.shape[k] for k in kept)
        count = int(numpy.prod([given.shape[k] for k in axes], dtype=int))
        if start is None and (count == 0 or where is not True) and moved.size == 0 and numpy.prod(shape):
            raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
        if start is None and where is not True:
            raise ValueError(
                f"reduction operation '{self.__name__}' does not have an identity, so to use a where mask one has to specify 'initial'"
            )
        rows = numpy.ascontiguousarray(moved.astype(loop[0][1])).reshape(-1, count) if moved.size else None
        made = numpy.zeros(shape, loop[1][0])
        if start is not None:
            made[...] = start
        if rows is not None:
            mask = numpy.broadcast_to(numpy.asarray(where, dtype=bool), given.shape).transpose(*kept, *axes)
            begins = 0 if start is not None else 1
            if begins:
                made.reshape(-1)[:] = rows[:, 0]
            self._function("reduce", 1)(rows, mask.reshape(rows.shape).copy(), made.reshape(-1), begins)
        if keepdims:
            made = made.reshape([1 if k in axes else given.shape[k] for k in range(given.ndim)])
        return _given_back(array, out, made)

    def reduceat(self, grow: Any, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """Of one axis the results of its parts."""
        given, places = numpy.asarray(array), numpy.asarray(indices)
        loop = self._binary_loop(given, "reduceat", dtype, grow)
        moved = numpy.moveaxis(given, axis, -1).astype(loop[0][1])
        length = moved.shape[-1]
        for one in places.tolist():
            if not 0 <= one < length:
                raise IndexError(f"index {one} out-of-bounds in {self.__name__}.reduceat [0, {length})")
        made = numpy.empty((*moved.shape[:-1], len(places)), loop[1][0])
        for k, begin in enumerate(places.tolist()):
            end = places[k + 1] if k + 1 < len(places) else length
            part = moved[..., begin : max(int(end), begin + 1)]
            made[..., k] = self.reduce(None, part, axis=-1, dtype=dtype)
        return _given_back(array, out, numpy.moveaxis(made, -1, axis))

    def outer(self, grow: Any, one: Any, other: Any, **named: Any) -> Any:
        """The ufunc of all pairs."""
        first, second = numpy.asarray(one), numpy.asarray(other)
        return self.call(grow, first.reshape(first.shape + (1,) * second.ndim), second, **named)

    def at(self, grow: Any, array: Any, indices: Any, *second: Any) -> None:
        """Changes elements in place, one after the other where they repeat."""
        if len(second) != self._nin - 1:
            raise ValueError(
                "second operand needed for ufunc" if self._nin == 2 else "second operand provided when ufunc is unary"
            )
        loop = self._loop_for([_operand(array), *map(_operand, second)], "same_kind", None, grow)
        changed = numpy.asarray(array).astype(loop[0][0])
        places = numpy.arange(changed.size).reshape(changed.shape)[
            tuple(numpy.asarray(one) if isinstance(one, list) else one for one in indices)
            if isinstance(indices, tuple)
            else indices
        ]
        values = [
            numpy.broadcast_to(_cast(_operand(one), loop[0][1], "same_kind"), numpy.shape(places)) for one in second
        ]
        flat = changed.reshape(-1)
        try:
            self._function("at", 1)(flat, numpy.ravel(places), *(one.ravel() for one in values))
        finally:
            array[...] = flat.reshape(changed.shape)


_TEXTS = {
    "elements": """def loop({operands}, {results}, done):
    first = -1
    for k in range(len(a0)):
        try:
            {call}
            done[k] = True
        except Exception:
            if first < 0:
                first = k
    return first
""",
    "accumulate": """def loop(rows):
    for i in range(rows.shape[0]):
        for k in range(1, rows.shape[1]):
            rows[i, k] = core(rows[i, k - 1], rows[i, k])
""",
    "reduce": """def loop(rows, mask, made, begins):
    for i in range(rows.shape[0]):
        for k in range(begins, rows.shape[1]):
            if mask[i, k]:
                made[i] = core(made[i], rows[i, k])
""",
    "at": """def loop(changed, places{second}):
    for k in range(len(places)):
        changed[places[k]] = core(changed[places[k]]{value})
""",
}


def _operand(value: Any) -> Any:
    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, numpy.generic):
        return value
    return numpy.asarray(value)


def _cast(operand: Any, to: Any, casting: str) -> Any:
    """As an array of the dtype; Python's numbers must be in its range."""
    is_weak = not hasattr(operand, "dtype")
    given = next(numpy.dtype(name) for kind, name in _WEAK if isinstance(operand, kind)) if is_weak else operand.dtype
    if given != to and not numpy.can_cast(given, to, "same_kind" if is_weak else casting):
        raise TypeError(f"Cannot cast ufunc input from {given!r} to {to!r} with casting rule '{casting}'")
    return numpy.array(operand, dtype=to) if is_weak else operand.astype(to)


def _joined(shape: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """The shape to which both broadcast, the first where they do not."""
    try:
        return numpy.broadcast_shapes(shape, other)
    except ValueError:
        return shape


def _check_result(name: str, given: Any, kind: Any, shape: tuple[int, ...], casting: str) -> None:
    if tuple(given.shape) != shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {tuple(given.shape)} doesn't match the broadcast shape {shape}"
        )
    if not numpy.can_cast(kind, given.dtype, casting):
        raise TypeError(
            f"Cannot cast ufunc {name!r} output from {kind!r} to {given.dtype!r} with casting rule '{casting}'"
        )


def _as_callers(arguments: Any, made: Any) -> Any:
    """In tessera's arrays where one of the arguments is one."""
    if any(map(_core.kernels.is_array, arguments)):
        from tessera import numpy as tessera_numpy

        return tessera_numpy.asarray(made)
    return made[()]


def _given_back(array: Any, out: Any, made: Any) -> Any:
    if out is None:
        return _as_callers((array,), made)
    target = out[0] if isinstance(out, tuple) else out
    target[...] = made
    return target


def _delivered(arguments: Any, outs: Any, made: Any) -> Any:
    results = tuple(_as_callers(arguments, one) if given is None else given for given, one in zip(outs, made))
    return results[0] if len(results) == 1 else results
