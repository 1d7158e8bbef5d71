"""guvectorize: a function of small arrays, called for every element of the axes around them."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy

from tessera import _core, errors, types
from tessera.functions import fast_flags
from tessera.functions import signatures as types_of
from tessera.functions.jit import jit, local_function, parts_of, prange, rebuild
from tessera.functions.looped_ufunc import LoopedUfunc

_THREADS = 128
_PARTS = 4
_KERNEL, _PARALLEL, _IN_ORDER = range(3)  # how elements are computed
_NONE: dict[int, tuple[bool, ...]] = {}
_PYTHON = (("b", bool), ("i", int), ("f", float), ("c", complex))
_DEFAULT = {"b": "bool", "i": "int64", "f": "float64", "c": "complex128"}
_ORDER = "b iufc"  # two letters make a kind of NumPy's: truths, integers, inexact numbers
_ONE = -1  # the length 1, as kernel/passes/overwritten.h names it
_LAYOUT = re.compile(r"\s*\(([^()]*)\)\s*(,|->|$)")


class Layout:
    """The core axes of operands and results, as "(m,n),(n)->(m)" names them."""

    def __init__(self, text: str) -> None:
        self.text = re.sub(r"\s+", "", text)
        self.operands, self.results = self._parse(text)
        known = {name for axes in self.operands for name in axes}
        for name in (name for axes in self.results for name in axes if name not in known):
            raise NameError(
                f"guvectorize: the results' axis {name!r} in {text!r} is no operand's, so its length is not known"
            )

    @staticmethod
    def _parse(text: str) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
        sides: list[list[tuple[str, ...]]] = [[]]
        position, end = 0, ","
        while end:
            match = _LAYOUT.match(text, position)
            if not match or (match[2] == "->" and len(sides) == 2):
                raise ValueError(f"guvectorize: {text!r} is no layout; write '(m,n),(n)->(m)'")
            names = tuple(name.strip() for name in match[1].split(",") if name.strip())
            if not all(name.isidentifier() for name in names):
                raise ValueError(f"guvectorize: axes of {text!r} are not named by identifiers")
            sides[-1].append(names)
            position, end = match.end(), match[2]
            if end == "->":
                sides.append([])
        return sides[0], sides[1] if len(sides) > 1 else []


class Effects:
    """What a function does with the arrays that it is called with; it follows from its IR."""

    def __init__(self, function: Any, layout: Layout) -> None:
        self._function = function
        self._layouts = [*layout.operands, *layout.results]
        names = {name: number for number, name in enumerate(sorted({name for axes in self._layouts for name in axes}))}
        self._lengths = [[names[name] for name in axes] for axes in self._layouts]
        self._known: dict[tuple[Any, ...], tuple[bool, list[bool], list[bool]]] = {}
        self._known_at = -1

    def has_loops(self, loop: tuple[Any, ...]) -> bool:
        """Whether it repeats anything."""
        return self._of(loop)[0]

    def writes(self, loop: tuple[Any, ...]) -> list[bool]:
        """Of each argument whether it may write it."""
        return self._of(loop)[1]

    def overwrites(self, loop: tuple[Any, ...]) -> list[bool]:
        """Of each argument whether it surely writes all of it, and reads nothing of it before."""
        return self._of(loop)[2]

    def _of(self, loop: tuple[Any, ...]) -> tuple[bool, list[bool], list[bool]]:
        names = self._function._captured.refresh()
        if names != self._known_at:  # a name that it reads has another value now
            self._known.clear()
            self._function._forget()
        if loop not in self._known:
            self._known[loop] = self._find(loop)
        self._known_at = self._function._captured.refresh()
        return self._known[loop]

    def _find(self, loop: tuple[Any, ...]) -> tuple[bool, list[bool], list[bool]]:
        arrays = [isinstance(kind, types.Array) for kind in loop]
        try:
            version = self._function._version(loop)
        except errors.CompileError:  # it is for a device only, or calling it will say what is wrong
            return False, arrays, [False] * len(loop)
        # An array that stands for a number is of one element.
        lengths = [axes or [_ONE] for axes, is_array in zip(self._lengths, arrays) if is_array]
        writes, overwrites = iter(version.writes), iter(version.overwritten(lengths))
        return (
            version.has_loops,
            [is_array and next(writes) for is_array in arrays],
            [is_array and next(overwrites) for is_array in arrays],
        )


class GeneralizedUfunc:
    """A generalised ufunc that a user's function defines; see guvectorize."""

    _is_ufunc = True

    def __init__(
        self,
        function: Any,
        signatures: list[Any],
        layout: str,
        writable: tuple[Any, ...],
        identity: Any,
        source: str | None,
    ) -> None:
        from tessera import cuda

        self.py_func = getattr(function, "py_func", function)
        self.__name__ = self.py_func.__name__
        self.__qualname__ = self.py_func.__qualname__
        self.__module__ = self.py_func.__module__
        self.__doc__ = self.py_func.__doc__
        self.identity = identity
        self._given = (signatures, layout, writable, identity)
        self._layout = Layout(layout)
        self._core = cuda.jit(self.py_func, device=True, source=source)
        self._host_core = jit(self.py_func, source=source, error_model="numpy")
        self._effects = Effects(self._host_core, self._layout)
        self._kernels: dict[tuple[Any, ...], Any] = {}
        parameters = list(inspect.signature(self.py_func).parameters)
        if len(parameters) != self.nargs:
            raise TypeError(
                f"guvectorize: {self.__name__} has {len(parameters)} parameters, its layout {layout!r} {self.nargs} arrays"
            )
        self._writable = set(map(self._operand_of, writable))
        self._loops = [self._parse(signature) for signature in signatures]
        self._called: list[tuple[Any, ...]] = []  # without signatures the types of calls
        self._methods: dict[tuple[Any, ...], LoopedUfunc] = {}

    def _operand_of(self, name: Any) -> int:
        """The operand that writable_args names or gives the number of."""
        parameters = list(inspect.signature(self.py_func).parameters)
        number = parameters.index(name) if name in parameters else name
        if not isinstance(number, int) or not 0 <= number < self.nin:
            what = (
                "is a result, which is written anyway"
                if name in parameters or number in range(self.nargs)
                else "is none"
            )
            kind = RuntimeError if isinstance(name, str) and name not in parameters else ValueError  # as Numba's
            raise kind(
                f"guvectorize: {name!r} in writable_args {what}; {self.__name__} has the operands {', '.join(parameters[: self.nin])}"
            )
        return number

    def _parse(self, signature: Any) -> tuple[Any, ...]:
        kinds = types_of.parse(signature)
        layouts = [*self._layout.operands, *self._layout.results]
        if len(kinds) != len(layouts):
            raise TypeError(f"guvectorize: {self.__name__} takes {len(layouts)} arrays, its signature {len(kinds)}")
        for position, (kind, axes) in enumerate(zip(kinds, layouts)):
            is_array = isinstance(kind, types.Array)
            count = kind.ndim if is_array else 0
            is_result = position >= self.nin
            if count != max(len(axes), 1 if is_result or is_array else 0) or (is_result and not is_array):
                raise TypeError(
                    f"guvectorize: argument {position} of {self.__name__} is {types_of.write(kind)} in its signature and "
                    f"({','.join(axes)}) in its layout"
                )
        return kinds

    @property
    def nin(self) -> int:
        """The number of operands."""
        return len(self._layout.operands)

    @property
    def nout(self) -> int:
        """The number of results."""
        return len(self._layout.results)

    @property
    def nargs(self) -> int:
        """The number of operands and results."""
        return self.nin + self.nout

    @property
    def signature(self) -> str | None:
        """The layout: the core axes of operands and results. None where none has any, as of NumPy's ufuncs."""
        return self._layout.text if self._has_core_axes() else None

    def _has_core_axes(self) -> bool:
        return any([*self._layout.operands, *self._layout.results])

    @property
    def is_dynamic(self) -> bool:
        """Whether it is compiled for the types that calls have."""
        return not self._loops

    @property
    def types(self) -> list[str]:
        """The loops, as NumPy writes them; without signatures those of the calls so far."""
        chars = ["".join(_dtype_of(kind).char for kind in loop) for loop in self._loops or self._called]
        return [f"{text[: self.nin]}->{text[self.nin :]}" for text in chars]

    @property
    def ntypes(self) -> int:
        """The number of loops."""
        return len(self.types)

    def _changed_arguments(self, count: int) -> list[int]:
        """The places of the arguments of a call of so many that it changes."""
        changed = self._writable | set(range(self.nin, count))
        return sorted(changed) if self.nout else list(range(count))

    def __call__(
        self,
        *arguments: Any,
        out: Any = None,
        axis: Any = None,
        axes: Any = None,
        keepdims: bool = False,
        casting: str = "same_kind",
    ) -> Any:
        if self.nin < len(arguments) <= self.nargs and self.nout:
            if out is not None:
                raise TypeError("cannot specify 'out' as both a positional and keyword argument")
            given = arguments[self.nin :]
            arguments, out = arguments[: self.nin], (*given, *(None,) * (self.nout - len(given)))
        if axis is not None or axes is not None or keepdims:
            return self._call_along(self._places(axis, axes), arguments, out, keepdims, casting)
        if len(arguments) != self.nin:
            raise TypeError(
                f"{self.__name__}() takes {self.nin} operands, or {self.nargs} with results, not {len(arguments)}"
            )
        if out is not None and not isinstance(out, tuple) and self.nout > 1:
            raise TypeError("'out' must be a tuple of arrays")
        outs = (None,) * self.nout if out is None else out if isinstance(out, tuple) else (out,)
        if len(outs) != self.nout:
            raise ValueError(f"{self.__name__}(): out= has {len(outs)} arrays for {self.nout} results")
        for one in outs:
            if one is not None and not isinstance(one, numpy.ndarray) and not _core.kernels.is_array(one):
                raise TypeError(f"{self.__name__}: a result is an array, not {type(one).__name__}")
        loop = self._loop_for(arguments, outs)
        of_tessera = any(map(_core.kernels.is_array, (*arguments, *outs)))
        of_numpy = not of_tessera and any(isinstance(value, numpy.ndarray) for value in (*arguments, *outs))
        # A kernel computes neighbouring elements at once, a loop each element's arrays in order.
        on_host = _core.kernels.runs_on_host() and self._effects.has_loops(loop)
        arrays = numpy if on_host and of_numpy else _tessera_numpy()
        operands = [_as_operand(arrays, value, _dtype_of(kind)) for value, kind in zip(arguments, loop)]
        shape, lengths = self._match(operands, outs)
        results = self._results(arrays, outs, loop, shape, lengths, operands, casting)
        self._run(arrays, on_host, loop, shape, operands, [made for made, _ in results])
        changed = [
            (operands[number], arguments[number])
            for number in self._written(loop)
            # What was cast is a copy of the caller's array, which only writable_args asks to be changed.
            if number in self._writable or getattr(arguments[number], "dtype", None) == operands[number].dtype
        ]
        for made, given in [*results, *changed]:
            if made is not given and hasattr(given, "__setitem__") and hasattr(given, "dtype"):
                given[...] = made
        delivered = []
        for made, given in results:
            value = given if given is not None else made if made.ndim else made[()]
            if given is None and of_numpy:
                value = numpy.asarray(made)[()]
            delivered.append(value)
        return delivered[0] if self.nout == 1 else tuple(delivered)

    def _written(self, loop: tuple[Any, ...]) -> list[int]:
        """The operands that the function changes; where there are no results, all that it stores in."""
        if self.nout:
            return sorted(self._writable)
        writes = self._effects.writes(loop)
        return [number for number in range(self.nin) if writes[number] or number in self._writable]

    def _places(self, axis: Any, axes: Any) -> list[tuple[int, ...]]:
        """Where the core axes of each operand and result are among its axes."""
        layouts = [*self._layout.operands, *self._layout.results]
        if axes is None and axis is None:
            return [tuple(range(-len(core), 0)) for core in layouts]
        if axes is None:
            if len({core for core in layouts if core}) != 1 or any(len(core) > 1 for core in layouts):
                raise TypeError(f"{self.__name__}(): axis= needs one core axis that all share, not {self._layout.text}")
            return [(int(axis),) * len(core) for core in layouts]
        if axis is not None:
            raise TypeError(f"{self.__name__}(): cannot specify both axis= and axes=")
        places = [(one,) if isinstance(one, int) else tuple(one) for one in axes]
        places += [()] * (len(layouts) - len(places) if not any(self._layout.results) else 0)
        if [len(one) for one in places] != [len(core) for core in layouts]:
            raise ValueError(f"{self.__name__}(): axes={axes!r} do not fit the layout {self._layout.text}")
        return places

    def _call_along(
        self, places: list[tuple[int, ...]], arguments: tuple[Any, ...], out: Any, keepdims: bool, casting: str
    ) -> Any:
        """A call whose core axes are moved to the end, and those of the results back."""
        if keepdims:
            return self._call_keeping(places, arguments, out, casting)
        of_tessera = any(map(_core.kernels.is_array, arguments))
        arrays = _tessera_numpy() if of_tessera else numpy

        def to_end(value: Any, axes: tuple[int, ...]) -> Any:
            return arrays.moveaxis(arrays.asarray(value), axes, range(-len(axes), 0)) if axes else value

        operands = [to_end(value, axes) for value, axes in zip(arguments, places)]
        outs = None if out is None else out if isinstance(out, tuple) else (out,)
        moved = None if outs is None else tuple(to_end(value, axes) for value, axes in zip(outs, places[self.nin :]))
        values = self(*operands, out=moved, casting=casting)
        if outs is not None:
            return outs[0] if self.nout == 1 else outs
        values = values if isinstance(values, tuple) else (values,)
        back = tuple(
            arrays.moveaxis(value, range(-len(axes), 0), axes) if axes else value
            for value, axes in zip(values, places[self.nin :])
        )
        return back[0] if self.nout == 1 else back

    def _call_keeping(self, places: list[tuple[int, ...]], arguments: tuple[Any, ...], out: Any, casting: str) -> Any:
        """A call whose results keep the operands' core axes, of length 1."""
        counts = {len(core) for core in self._layout.operands}
        if any(self._layout.results) or len(counts) != 1:
            raise TypeError(
                f"{self.__name__} does not support keepdims: its signature {self._layout.text} requires multiple operands or results "
                "to have core axes of their own"
            )
        arrays = _tessera_numpy() if any(map(_core.kernels.is_array, arguments)) else numpy
        own = places[0]
        ndim = max(len(numpy.shape(value)) for value in arguments)
        own = tuple(sorted(one % ndim for one in own))
        outs = None if out is None else out if isinstance(out, tuple) else (out,)
        inner = None if outs is None else tuple(None if one is None else arrays.squeeze(one, own) for one in outs)
        values = self._call_along(places, arguments, inner, False, casting)
        if outs is not None:
            return outs[0] if self.nout == 1 else outs
        kept = tuple(arrays.expand_dims(one, own) for one in (values if isinstance(values, tuple) else (values,)))
        return kept[0] if self.nout == 1 else kept

    def _as_ufunc(self, *given: Any) -> LoopedUfunc:
        """What runs the methods of a layout without core axes: the function of numbers, for the loop of these operands."""
        if self._has_core_axes():
            raise RuntimeError("Reduction not defined on ufunc with signature")
        dtypes = [getattr(one, "dtype", None) or numpy.asarray(one).dtype for one in given]
        loops = [[_dtype_of(kind) for kind in loop] for loop in self._loops or self._called]
        fits = (one for one in loops if all(map(numpy.can_cast, dtypes, one[: self.nin])))
        loop = next((one for one in loops if one[: self.nin] == dtypes), None) or next(fits, None)
        if loop is None:
            raise TypeError(f"{self.__name__} has no loop for operands of {', '.join(map(str, dtypes))}")
        key = tuple(loop)
        if key not in self._methods:
            operands = [f"a{k}" for k in range(self.nin)]
            arrays = [f"r{k}" for k in range(self.nout)]
            whole = next(one for one in self._loops or self._called if [_dtype_of(kind) for kind in one] == loop)
            passed = [
                f"numpy.array([{name}])" if isinstance(kind, types.Array) else name
                for name, kind in zip(operands, whole)
            ]
            lines = [f"def {self.__name__}({', '.join(operands)}):"]
            lines += [f"    r{k} = numpy.empty(1, numpy.{loop[self.nin + k]})" for k in range(self.nout)]
            lines.append(f"    core({', '.join([*passed, *arrays])})")
            lines.append(f"    return {', '.join(f'{one}[0]' for one in arrays)}")
            text, made = "\n".join(lines) + "\n", {"numpy": numpy, "core": self._host_core}
            exec(text, made)
            self._methods[key] = LoopedUfunc(made[self.__name__], text, self.nin)
            self._methods[key].add(tuple(loop[: self.nin]), tuple(loop[self.nin :]))
        return self._methods[key]

    def reduce(self, array: Any, *arguments: Any, **named: Any) -> Any:
        """As NumPy's, of a layout without core axes; others raise RuntimeError."""
        return self._as_ufunc(array, array).reduce(None, array, *arguments, identity=self.identity, **named)

    def accumulate(self, array: Any, *arguments: Any, **named: Any) -> Any:
        """As NumPy's, of a layout without core axes; others raise RuntimeError."""
        return self._as_ufunc(array, array).accumulate(None, array, *arguments, **named)

    def reduceat(self, array: Any, indices: Any, *arguments: Any, **named: Any) -> Any:
        """As NumPy's, of a layout without core axes; others raise RuntimeError."""
        return self._as_ufunc(array, array).reduceat(None, array, indices, *arguments, **named)

    def at(self, array: Any, indices: Any, *second: Any) -> None:
        """As NumPy's, of a layout without core axes; others raise RuntimeError."""
        self._as_ufunc(array, *second).at(None, array, indices, *second)

    def outer(self, one: Any, other: Any, **named: Any) -> Any:
        """As NumPy's, of a layout without core axes; others raise TypeError."""
        if self._has_core_axes():
            raise TypeError("method outer is not allowed in ufunc with non-trivial signature")
        return self._as_ufunc(one, other).outer(None, one, other, **named)

    def _loop_for(self, arguments: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
        kinds = list(map(_casting_kind, arguments))
        order = [_ORDER.index(kind if isinstance(kind, str) else kind.kind) // 2 for kind in kinds]
        # Python's numbers adapt to arrays of their kind; beside others they are int64, float64 or complex128.
        strong = [one for one, kind in zip(order, kinds) if not isinstance(kind, str)]
        if not strong or max(strong) < max(order):
            kinds = [numpy.dtype(_DEFAULT[kind]) if isinstance(kind, str) else kind for kind in kinds]
        for loop in self._loops:
            if all(kind == _dtype_of(to) for kind, to in zip(kinds, loop)):
                return loop
        for loop in self._loops:
            if all(map(_fits, kinds, loop)):
                return loop
        if self._loops:
            given = ", ".join(str(getattr(value, "dtype", type(value).__name__)) for value in arguments)
            raise TypeError(
                f"ufunc {self.__name__!r} has no loop for operands of {given}: there are {', '.join(self.types)}; cast them, or add "
                "a signature"
            )
        if any(one is None for one in outs):
            raise TypeError(
                f"Too few arguments for function '{self.__name__}': without signatures it takes its results, too, whose types it does "
                f"not know: {self.__name__}(..., out)"
            )
        kinds = [_type_of(value, len(axes)) for value, axes in zip(arguments, self._layout.operands)]
        loop = (*kinds, *(types.Array(one.dtype, max(1, len(axes))) for one, axes in zip(outs, self._layout.results)))
        if loop not in self._called:
            self._called.append(loop)
        return loop

    def _match(self, operands: list[Any], outs: tuple[Any, ...]) -> tuple[tuple[int, ...], dict[str, int]]:
        """The shape of the axes around, and the lengths of the core axes."""
        lengths: dict[str, int] = {}
        around = []
        for number, (operand, axes) in enumerate(zip(operands, self._layout.operands)):
            if operand.ndim < len(axes):
                raise ValueError(
                    f"{self.__name__}: Input operand {number} does not have enough dimensions (has {operand.ndim}, gufunc core "
                    f"with signature {self._layout.text} requires {len(axes)})"
                )
            core = operand.shape[operand.ndim - len(axes) :]
            for position, (name, length) in enumerate(zip(axes, core)):
                if lengths.setdefault(name, length) != length:
                    raise ValueError(
                        f"{self.__name__}: Input operand {number} has a mismatch in its core dimension {position}, with gufunc "
                        f"signature {self._layout.text} (size {length} is different from {lengths[name]})"
                    )
            around.append(operand.shape[: operand.ndim - len(axes)])
        for given, axes in zip(outs, self._layout.results):
            if given is not None and given.ndim >= len(axes):
                around.append(given.shape[: given.ndim - len(axes)])
        return numpy.broadcast_shapes(*around), lengths

    def _results(
        self,
        arrays: Any,
        outs: tuple[Any, ...],
        loop: tuple[Any, ...],
        shape: tuple[int, ...],
        lengths: dict[str, int],
        operands: list[Any],
        casting: str,
    ) -> list[Any]:
        """For each result the array to write, and the one that was given, which may be of another dtype."""
        results = []
        for given, axes, kind in zip(outs, self._layout.results, loop[self.nin :]):
            wanted = (*shape, *(lengths[name] for name in axes))
            dtype = _dtype_of(kind)
            if given is None:
                results.append((arrays.empty(wanted, dtype), None))
                continue
            self._check_result(len(results), tuple(given.shape), axes, wanted)
            if given.dtype != dtype and not numpy.can_cast(dtype, given.dtype, casting):
                raise TypeError(f"{self.__name__}: cannot cast a result of {dtype} to out= of {given.dtype}")
            plain = given.dtype == dtype and (arrays is numpy or _core.kernels.is_array(given))
            if plain and not any(_may_overlap(given, operand) for operand in operands):
                results.append((given, given))
                continue
            made = arrays.empty(wanted, dtype)
            # What the function may read of it, or leave as it is, is what was given.
            if not self._effects.overwrites(loop)[self.nin + len(results)]:
                made[...] = given.real if dtype.kind != "c" and given.dtype.kind == "c" else given
            results.append((made, given))
        return results

    def _check_result(
        self, number: int, given: tuple[int, ...], axes: tuple[str, ...], wanted: tuple[int, ...]
    ) -> None:
        if given == wanted:
            return
        core = given[len(given) - len(axes) :] if axes else ()
        for position, (own, needed) in enumerate(zip(core, wanted[len(wanted) - len(axes) :])):
            if own != needed:
                raise ValueError(
                    f"{self.__name__}: Output operand {number} has a mismatch in its core dimension {position}, with gufunc "
                    f"signature {self._layout.text} (size {own} is different from {needed})"
                )
        raise ValueError(f"{self.__name__}: a result has shape {wanted}, out= {given}")

    def _run(
        self,
        library: Any,
        on_host: bool,
        loop: tuple[Any, ...],
        shape: tuple[int, ...],
        operands: list[Any],
        results: list[Any],
    ) -> None:
        count = 1
        for extent in shape:
            count *= extent
        if count == 0:
            return
        around = shape or (1,)
        arrays = []
        repeated: dict[int, tuple[bool, ...]] = {}  # of operands that elements write together, along which axes
        written = self._written(loop)
        for number, (operand, axes) in enumerate(zip(operands, self._layout.operands)):
            core = operand.shape[operand.ndim - len(axes) :]
            if operand.shape == (*shape, *core):
                arrays.append(operand if shape else operand.reshape((1, *core)))
            elif number in self._writable:
                raise ValueError(
                    f"{self.__name__}: an operand that is written cannot be broadcast to {(*shape, *core)}"
                )
            elif number in written:
                own = (1,) * (len(shape) + len(axes) - operand.ndim) + operand.shape
                repeated[number] = tuple(length == 1 for length in own[: len(shape)])
                arrays.append(operand.reshape(own))
            else:
                arrays.append(library.broadcast_to(operand, (*shape, *core)))
        arrays += [result if shape else result.reshape((1, *result.shape)) for result in results]
        if repeated:
            self._compiled(_IN_ORDER, loop, len(around), repeated)(count, *around[1:], *arrays)
            return
        compiled = self._compiled(_PARALLEL if on_host else _KERNEL, loop, len(around))
        if not on_host:
            compiled[(count + _THREADS - 1) // _THREADS, _THREADS](count, *around[1:], *arrays)
            return
        # Elements join nothing: a few parts for each thread are enough.
        before = _core.kernels.parallel_chunk_size()
        _core.kernels.set_parallel_chunk_size(max(before, count // (_PARTS * _core.cpus())))
        try:
            compiled(count, *around[1:], *arrays)
        finally:
            _core.kernels.set_parallel_chunk_size(before)

    def _compiled(
        self, way: int, loop: tuple[Any, ...], axes: int, repeated: dict[int, tuple[bool, ...]] = _NONE
    ) -> Any:
        """A kernel; on the host a loop, which runs along an element's arrays before it goes to the next."""
        key = (way, tuple(isinstance(kind, types.Array) for kind in loop), axes, *repeated.items())
        if key not in self._kernels:
            from tessera import cuda

            text = self._text(way, loop, axes, repeated)
            names = {"cuda": cuda, "prange": prange, "core": self._core if way == _KERNEL else self._host_core}
            exec(text, names)
            whole = names["whole"]
            self._kernels[key] = (
                cuda.jit(whole, source=text)
                if way == _KERNEL
                else jit(whole, source=text, parallel=way == _PARALLEL, error_model="numpy")
            )
        return self._kernels[key]

    def _text(self, way: int, loop: tuple[Any, ...], axes: int, repeated: dict[int, tuple[bool, ...]]) -> str:
        """A function that calls the user's for element k of the axes around; of a kernel k is the thread."""
        layouts = [*self._layout.operands, *self._layout.results]
        names = "".join(f"n{axis}, " for axis in range(1, axes)) + ", ".join(f"a{k}" for k in range(len(layouts)))
        lines = [f"def whole(count, {names}):"]
        if way == _KERNEL:
            lines += ["    k = cuda.grid(1)", "    if k < count:"]
        else:
            lines.append("    for k in prange(count):" if way == _PARALLEL else "    for k in range(count):")
        lines.append("        rest = k")
        for axis in range(axes - 1, 0, -1):
            lines += [f"        i{axis} = rest % n{axis}", f"        rest = rest // n{axis}"]
        lines.append("        i0 = rest")
        passed = []
        for position, (kind, core) in enumerate(zip(loop, layouts)):
            stays = repeated.get(position, (False,) * axes)
            indices = ["0" if stays[axis] else f"i{axis}" for axis in range(axes)]
            # A scalar that is declared as an array is one of one element.
            last = f"{indices[-1]}:{indices[-1]} + 1" if isinstance(kind, types.Array) and not core else indices[-1]
            passed.append(f"a{position}[{', '.join([*indices[:-1], last])}]")
        lines.append(f"        core({', '.join(passed)})")
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        return f"<gufunc '{self.__name__}' {self._layout.text}>"

    def __reduce__(self) -> Any:
        if "<" not in self.__qualname__:
            return rebuild, (self.__module__, self.__qualname__)
        return _rebuild_local, (parts_of(self.py_func), self._host_core._text(), *self._given)


def _rebuild_local(parts: Any, source: str, *given: Any) -> GeneralizedUfunc:
    """The generalised ufunc of a function that was defined in another, as pickles of the same version of Python's say it."""
    return GeneralizedUfunc(local_function(parts), *given, source)


def _tessera_numpy() -> Any:
    from tessera import numpy as tessera_numpy

    return tessera_numpy


def _as_operand(library: Any, value: Any, dtype: Any) -> Any:
    if (
        isinstance(value, numpy.ndarray)
        and value.dtype == dtype
        and not _core.kernels.is_array(value)
        and value.flags.writeable
    ):
        return library.asarray(value, copy=False)
    return library.asarray(value, dtype=dtype)


def _may_overlap(one: Any, other: Any) -> bool:
    if _core.kernels.is_array(one) != _core.kernels.is_array(other):
        return False
    if _core.kernels.is_array(one):
        return bool(_tessera_numpy().may_share_memory(one, other))
    try:
        return numpy.shares_memory(one, other, max_work=1)
    except numpy.exceptions.TooHardError:
        return True


def _type_of(value: Any, axes: int) -> types.Type:
    if axes:
        return types.Array(numpy.asarray(value).dtype if isinstance(value, (list, tuple)) else value.dtype, axes)
    dtype = getattr(value, "dtype", None)
    return types_of.type_of(value) if dtype is None else types.Scalar(dtype)


def _dtype_of(one: Any) -> numpy.dtype[Any]:
    """Of a number or of an array's elements."""
    dtype: numpy.dtype[Any] = one.dtype if isinstance(one, types.Scalar) else one.dtype.dtype
    return dtype


def _casting_kind(value: Any) -> Any:
    """The dtype, which decides to what the operand casts; of Python's numbers the letter of their kind."""
    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, numpy.generic):
        return next(letter for letter, one in _PYTHON if isinstance(value, one))
    dtype = getattr(value, "dtype", None)
    return numpy.asarray(value).dtype if dtype is None else numpy.dtype(dtype)


def _fits(kind: Any, to: types.Type) -> bool:
    """Whether an operand casts to the loop's type safely; Python's numbers have a kind only."""
    if isinstance(kind, str):
        return _ORDER.index(_dtype_of(to).kind) >= _ORDER.index(kind)
    return bool(numpy.can_cast(kind, _dtype_of(to), "safe"))


def guvectorize(
    signatures: Any,
    layout: str | None = None,
    *,
    target: str = "cpu",
    nopython: bool = True,
    cache: bool = True,
    writable_args: tuple[Any, ...] = (),
    identity: Any = None,
    fastmath: Any = None,
    source: str | None = None,
) -> Any:
    """Makes a generalised ufunc of a function that reads arrays of a few axes and writes its results into others.

    `@guvectorize(["void(float64[:], int64, float64[:])"], "(n),()->(n)")`: the layout names the last axes of each operand and result, over
    which the function loops; it is called once for each element of the axes before them, which broadcast. Operands with `()` are
    numbers, or arrays of one element where the signature says so; such results are arrays of one element. Calls take the operands and,
    optionally, arrays for the results; without signatures these are needed. Results are tessera's arrays, but NumPy's where all arrays
    that are passed are. Each element is a thread of a kernel, on cores or on a GPU, as where the operands are decides; `target` may be
    "cpu", "parallel" or "cuda" and changes nothing.

    The function sees what a result that is passed holds, and what it does not write stays. `writable_args` names operands, or gives their
    numbers, that the function changes in place; of a layout without results it changes all operands that it stores in. Calls take `axis=` or `axes=` as NumPy's generalised ufuncs do. `identity` is an attribute of the result. `fastmath` names LLVM's flags and changes nothing: kernels contract products always.

    Raises ValueError where axes differ or the layout is none, NameError for a result's axis that no operand has, TypeError for operands that no
    signature takes, TypingError or UnsupportedError for what cannot be compiled.

    Examples
    --------
    >>> import numpy
    >>> from tessera import guvectorize
    >>> @guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    ... def spread(x, out):
    ...     out[0] = x.max() - x.min()
    >>> spread(numpy.array([[1.0, 5.0], [2.0, 3.0]]))
    array([4., 1.])
    """
    if target not in ("cpu", "parallel", "cuda"):
        raise ValueError(f"guvectorize: target is {target!r}; there are cpu, parallel, cuda")
    if not nopython:
        raise NotImplementedError("guvectorize: nopython=False asks for object mode, which is not there; leave it out")
    del cache  # machine code is kept on disk always
    fast_flags.check("guvectorize", fastmath or False)  # kernels contract products always
    if layout is None:
        signatures, layout = [], signatures
    if not isinstance(layout, str):
        raise TypeError(
            "guvectorize takes signatures and a layout: guvectorize(['void(float64[:], float64[:])'], '(n)->()')"
        )
    listed = signatures if isinstance(signatures, list) else [signatures]
    return lambda function: GeneralizedUfunc(function, listed, layout, tuple(writable_args), identity, source)
