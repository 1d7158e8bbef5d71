"""guvectorize: a function of small arrays, called for every element of the axes around them."""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any

import numpy

from tessera import _core
from tessera.functions import fast_flags
from tessera.functions import signatures as types_of
from tessera.functions import source as source_of
from tessera.functions.jit import jit, prange, rebuild

_THREADS = 128
_PARTS = 4
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
        self._layout = Layout(layout)
        self._core = cuda.jit(self.py_func, device=True, source=source)
        tree = source_of.find(self.py_func, source)[0]
        self._has_loops = any(isinstance(node, (ast.For, ast.While)) for node in ast.walk(tree))
        self._host_core = jit(self.py_func, source=source, error_model="numpy")
        self._kernels: dict[tuple[Any, ...], Any] = {}
        if not self._layout.results and not writable:
            raise ValueError(
                f"guvectorize: {layout!r} has no results: write '(m,n),(n)->(m)', or name what {self.__name__} changes in writable_args"
            )
        parameters = list(inspect.signature(self.py_func).parameters)
        if len(parameters) != self.nargs:
            raise TypeError(
                f"guvectorize: {self.__name__} has {len(parameters)} parameters, its layout {layout!r} {self.nargs} arrays"
            )
        self._writable = {parameters.index(one) if isinstance(one, str) else int(one) for one in writable}
        self._loops = [self._parse(signature) for signature in signatures]

    def _parse(self, signature: Any) -> tuple[Any, ...]:
        kinds = types_of.parse(signature)
        layouts = [*self._layout.operands, *self._layout.results]
        if len(kinds) != len(layouts):
            raise TypeError(f"guvectorize: {self.__name__} takes {len(layouts)} arrays, its signature {len(kinds)}")
        for position, (kind, axes) in enumerate(zip(kinds, layouts)):
            count = kind[2] if kind[0] == "array" else 0
            is_result = position >= self.nin
            if count != max(len(axes), 1 if is_result or kind[0] == "array" else 0) or (
                is_result and kind[0] != "array"
            ):
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
    def signature(self) -> str:
        """The layout: the core axes of operands and results."""
        return self._layout.text

    @property
    def types(self) -> list[str]:
        """The loops, as NumPy writes them."""
        chars = ["".join(kind[1].char for kind in loop) for loop in self._loops]
        return [f"{text[: self.nin]}->{text[self.nin :]}" for text in chars]

    def _changed_arguments(self, count: int) -> list[int]:
        """The places of the arguments of a call of so many that it changes."""
        return sorted(self._writable | set(range(self.nin, count)))

    def __call__(self, *arguments: Any, out: Any = None, axis: Any = None, axes: Any = None) -> Any:
        if len(arguments) == self.nargs and out is None and self.nout:
            arguments, out = arguments[: self.nin], arguments[self.nin :]
        if axis is not None or axes is not None:
            return self._call_along(self._places(axis, axes), arguments, out)
        if len(arguments) != self.nin:
            raise TypeError(
                f"{self.__name__}() takes {self.nin} operands, or {self.nargs} with results, not {len(arguments)}"
            )
        outs = (None,) * self.nout if out is None else out if isinstance(out, tuple) else (out,)
        if len(outs) != self.nout:
            raise ValueError(f"{self.__name__}(): out= has {len(outs)} arrays for {self.nout} results")
        loop = self._loop_for(arguments, outs)
        of_tessera = any(map(_core.kernels.is_array, (*arguments, *outs)))
        of_numpy = not of_tessera and any(isinstance(value, numpy.ndarray) for value in (*arguments, *outs))
        # A kernel computes neighbouring elements at once, a loop each element's arrays in order.
        on_host = self._has_loops and _core.kernels.runs_on_host()
        arrays = numpy if on_host and of_numpy else _tessera_numpy()
        operands = [_as_operand(arrays, value, kind[1]) for value, kind in zip(arguments, loop)]
        shape, lengths = self._match(operands)
        results = self._results(arrays, outs, loop, shape, lengths)
        self._run(arrays, on_host, loop, shape, operands, [made for made, _ in results])
        changed = [(operands[number], arguments[number]) for number in self._writable]
        for made, given in [*results, *changed]:
            if given is not None and made is not given and not numpy.isscalar(given):
                given[...] = made
        delivered = []
        for made, given in results:
            value = given if given is not None else made if made.ndim else made[()]
            if given is None and of_numpy:
                value = numpy.asarray(made)[()]
            delivered.append(value)
        return delivered[0] if self.nout == 1 else tuple(delivered) or None

    def _places(self, axis: Any, axes: Any) -> list[tuple[int, ...]]:
        """Where the core axes of each operand and result are among its axes."""
        layouts = [*self._layout.operands, *self._layout.results]
        if axes is None:
            if len({core for core in layouts if core}) != 1 or any(len(core) > 1 for core in layouts):
                raise TypeError(f"{self.__name__}(): axis= needs one core axis that all share, not {self.signature}")
            return [(int(axis),) * len(core) for core in layouts]
        if axis is not None:
            raise TypeError(f"{self.__name__}(): cannot specify both axis= and axes=")
        places = [(one,) if isinstance(one, int) else tuple(one) for one in axes]
        places += [()] * (len(layouts) - len(places) if not any(self._layout.results) else 0)
        if [len(one) for one in places] != [len(core) for core in layouts]:
            raise ValueError(f"{self.__name__}(): axes={axes!r} do not fit the layout {self.signature}")
        return places

    def _call_along(self, places: list[tuple[int, ...]], arguments: tuple[Any, ...], out: Any) -> Any:
        """A call whose core axes are moved to the end, and those of the results back."""
        of_tessera = any(map(_core.kernels.is_array, arguments))
        arrays = _tessera_numpy() if of_tessera else numpy

        def to_end(value: Any, axes: tuple[int, ...]) -> Any:
            return arrays.moveaxis(arrays.asarray(value), axes, range(-len(axes), 0)) if axes else value

        operands = [to_end(value, axes) for value, axes in zip(arguments, places)]
        outs = None if out is None else out if isinstance(out, tuple) else (out,)
        moved = None if outs is None else tuple(to_end(value, axes) for value, axes in zip(outs, places[self.nin :]))
        values = self(*operands, out=moved)
        if outs is not None:
            return outs[0] if self.nout == 1 else outs
        values = values if isinstance(values, tuple) else (values,)
        back = tuple(
            arrays.moveaxis(value, range(-len(axes), 0), axes) if axes else value
            for value, axes in zip(values, places[self.nin :])
        )
        return back[0] if self.nout == 1 else back

    def _loop_for(self, arguments: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
        for loop in self._loops:
            if all(map(_fits, arguments, loop)):
                return loop
        if self._loops:
            given = ", ".join(str(getattr(value, "dtype", type(value).__name__)) for value in arguments)
            raise TypeError(
                f"ufunc {self.__name__!r} has no loop for operands of {given}: there are {', '.join(self.types)}; cast them, or add "
                "a signature"
            )
        if any(one is None for one in outs):
            raise TypeError(
                f"{self.__name__}() without signatures takes its results, too, whose types it does not know: "
                f"{self.__name__}(..., out)"
            )
        kinds = [_kind(value, len(axes)) for value, axes in zip(arguments, self._layout.operands)]
        return (*kinds, *(("array", one.dtype, max(1, len(axes))) for one, axes in zip(outs, self._layout.results)))

    def _match(self, operands: list[Any]) -> tuple[tuple[int, ...], dict[str, int]]:
        """The shape of the axes around, and the lengths of the core axes."""
        lengths: dict[str, int] = {}
        around = []
        for number, (operand, axes) in enumerate(zip(operands, self._layout.operands)):
            if operand.ndim < len(axes):
                raise ValueError(
                    f"{self.__name__}: Input operand {number} does not have enough dimensions (has {operand.ndim}, gufunc core "
                    f"with signature {self.signature} requires {len(axes)})"
                )
            core = operand.shape[operand.ndim - len(axes) :]
            for position, (name, length) in enumerate(zip(axes, core)):
                if lengths.setdefault(name, length) != length:
                    raise ValueError(
                        f"{self.__name__}: Input operand {number} has a mismatch in its core dimension {position}, with gufunc "
                        f"signature {self.signature} (size {length} is different from {lengths[name]})"
                    )
            around.append(operand.shape[: operand.ndim - len(axes)])
        return numpy.broadcast_shapes(*around), lengths

    def _results(
        self, arrays: Any, outs: tuple[Any, ...], loop: tuple[Any, ...], shape: tuple[int, ...], lengths: dict[str, int]
    ) -> list[Any]:
        """For each result the array to write, and the one that was given, which may be of another dtype."""
        results = []
        for given, axes, kind in zip(outs, self._layout.results, loop[self.nin :]):
            wanted = (*shape, *(lengths[name] for name in axes))
            if given is None:
                results.append((arrays.empty(wanted, kind[1]), None))
                continue
            self._check_result(len(results), tuple(given.shape), axes, wanted)
            if given.dtype != kind[1] and not numpy.can_cast(kind[1], given.dtype, "same_kind"):
                raise TypeError(f"{self.__name__}: cannot cast a result of {kind[1]} to out= of {given.dtype}")
            plain = given.dtype == kind[1] and (arrays is numpy or _core.kernels.is_array(given))
            results.append((given if plain else arrays.empty(wanted, kind[1]), given))
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
                    f"signature {self.signature} (size {own} is different from {needed})"
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
        for number, (operand, axes) in enumerate(zip(operands, self._layout.operands)):
            core = operand.shape[operand.ndim - len(axes) :]
            if number in self._writable and operand.shape != (*shape, *core):
                raise ValueError(
                    f"{self.__name__}: an operand that is written cannot be broadcast to {(*shape, *core)}"
                )
            if shape and operand.shape != (*shape, *core):
                operand = library.broadcast_to(operand, (*shape, *core))
            arrays.append(operand if shape else operand.reshape((1, *core)))
        arrays += [result if shape else result.reshape((1, *result.shape)) for result in results]
        compiled = self._compiled(on_host, loop, len(around))
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

    def _compiled(self, on_host: bool, loop: tuple[Any, ...], axes: int) -> Any:
        """A kernel; on the host a parallel loop, which runs along an element's arrays before it goes to the next."""
        key = (on_host, tuple(kind[0] for kind in loop), axes)
        if key not in self._kernels:
            from tessera import cuda

            text = self._text(on_host, loop, axes)
            names = {"cuda": cuda, "prange": prange, "core": self._host_core if on_host else self._core}
            exec(text, names)
            whole = names["whole"]
            self._kernels[key] = (
                jit(whole, source=text, parallel=True, error_model="numpy") if on_host else cuda.jit(whole, source=text)
            )
        return self._kernels[key]

    def _text(self, on_host: bool, loop: tuple[Any, ...], axes: int) -> str:
        """A function that calls the user's for element k of the axes around; of a kernel k is the thread."""
        layouts = [*self._layout.operands, *self._layout.results]
        indices = [f"i{axis}" for axis in range(axes)]
        lines = [
            f"def whole(count, {''.join(f'n{axis}, ' for axis in range(1, axes))}{', '.join(f'a{k}' for k in range(len(layouts)))}):"
        ]
        lines += ["    for k in prange(count):"] if on_host else ["    k = cuda.grid(1)", "    if k < count:"]
        lines.append("        rest = k")
        for axis in range(axes - 1, 0, -1):
            lines += [f"        i{axis} = rest % n{axis}", f"        rest = rest // n{axis}"]
        lines.append("        i0 = rest")
        passed = []
        for position, (kind, core) in enumerate(zip(loop, layouts)):
            # A scalar that is declared as an array is one of one element.
            last = f"{indices[-1]}:{indices[-1]} + 1" if kind[0] == "array" and not core else indices[-1]
            passed.append(f"a{position}[{', '.join([*indices[:-1], last])}]")
        lines.append(f"        core({', '.join(passed)})")
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        return f"<gufunc '{self.__name__}' {self.signature}>"

    def __reduce__(self) -> Any:
        return rebuild, (self.__module__, self.__qualname__)


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


def _kind(value: Any, axes: int) -> tuple[Any, ...]:
    if axes:
        return ("array", numpy.asarray(value).dtype if isinstance(value, (list, tuple)) else value.dtype, axes)
    dtype = getattr(value, "dtype", None)
    return ("scalar", types_of.kind_of(value)[1] if dtype is None else dtype)


def _fits(value: Any, kind: tuple[Any, ...]) -> bool:
    """Whether the operand casts to the loop's type safely; Python's numbers have a kind only."""
    to = kind[1]
    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, numpy.generic):
        order = "biufc"
        needed = (
            "b"
            if isinstance(value, bool)
            else "i"
            if isinstance(value, int)
            else "f"
            if isinstance(value, float)
            else "c"
        )
        return order.index(to.kind) >= order.index(needed)
    dtype = value.dtype if hasattr(value, "dtype") else numpy.asarray(value).dtype
    return bool(numpy.can_cast(dtype, to, "safe"))


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

    `writable_args` names operands, or gives their numbers, that the function changes in place; a layout may have no results then. Calls
    take `axis=` or `axes=` as NumPy's generalised ufuncs do. `identity` is an attribute of the result. `fastmath` names LLVM's flags and changes nothing: kernels contract products always.

    Raises ValueError where axes differ or the layout is none, NameError for a result's axis that no operand has, TypeError for operands that no
    signature takes, TypingError or UnsupportedError for what cannot be compiled.
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
