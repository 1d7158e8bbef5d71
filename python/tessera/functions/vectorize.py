"""vectorize: a function of numbers as a ufunc, which fuses with the operations around it."""

from __future__ import annotations

import inspect
import weakref
from typing import Any

import numpy

from tessera import _core, types
from tessera.errors import CompileError, UnsupportedError
from tessera.functions import extending, fast_flags
from tessera.functions import signatures as types_of
from tessera.functions.function import Function
from tessera.functions.jit import jit, local_function, parts_of, rebuild
from tessera.functions.looped_ufunc import LoopedUfunc
from tessera.functions.numpy_library._registry import has_host
from tessera.functions.outside import Outside

_TARGETS = ("cpu", "parallel", "cuda")
_IDENTITIES = (None, 0, 1, "reorderable")


class _Inline:
    """The function of a ufunc in the caller's place."""

    def __init__(self, ufunc: Vectorized) -> None:
        self.__name__ = ufunc.__name__
        self._ufunc = ufunc

    def _kernel_function(self) -> Any:
        return self._ufunc._kernel_function()

    def _signature(self) -> Any:
        return self._ufunc._signature()


class Vectorized(Function):
    """What a ufunc made by vectorize is of: the function, and its bodies by the dtypes of their operands.

    The ufunc has NumPy's attributes and methods of ufuncs, and those of this object.
    """

    _holds_arrays = False

    def __init__(self, function: Any, source: str | None, identity: Any, contracts: bool = False) -> None:
        super().__init__(function, source)
        self._contracts = contracts
        self._operands = self.positional()
        if self._operands < 1:
            raise TypeError(f"vectorize: {self.__name__} has parameters with default values, by name only, or none")
        self._identity = identity
        self._bodies: dict[tuple[Any, ...], Any] = {}
        self._fixed: list[tuple[tuple[Any, ...], tuple[Any, ...]]] = []
        self._grows = True
        self._ufunc: Any = None
        self._source = source
        self._loops: LoopedUfunc | None = None  # of a function that does what bodies do not
        self._overloads = extending.Overloads(self.__name__, function)  # what calls in compiled functions mean
        names = ", ".join(f"a{k}" for k in range(self._operands))
        self._overloads.add(eval(f"lambda {names}, out=None: choose(out, {names})", {"choose": self._choose}))

    def _op(self) -> Any:
        """The op, None where the definition runs the loops."""
        return self._op_of_bodies() if self._loops is None else None

    def _op_of_bodies(self) -> Any:
        return _core.kernels.make_op(
            self.__name__,
            inspect.cleandoc(self.py_func.__doc__ or ""),
            self._operands,
            list(self._bodies.values()),
            identity=self._op_identity(),
            reorderable=self._identity is not None,
            grows=self._grows,
        )

    def _compile(self, operands: tuple[Any, ...], results: tuple[Any, ...] = ()) -> None:
        if len(operands) != self._operands:
            raise TypeError(f"vectorize: {self.__name__} takes {self._operands} numbers, its signature {len(operands)}")
        if self._loops is None:
            try:
                made = self._kernel_function().compile_body(operands, results, self._contracts)
                self._bodies[(*operands, *results)] = made
                return
            except UnsupportedError as error:
                loops = LoopedUfunc(self.py_func, self._source, self._operands)
                try:
                    for known in self._bodies:
                        loops.add(known[: self._operands], known[self._operands :])
                    loops.add(operands, results)
                except CompileError:
                    raise error from None
                self._loops = loops
                return
        self._loops.add(operands, results)

    def _add(self, operands: tuple[Any, ...]) -> Any:
        """The op with a loop for operands of these dtypes."""
        self._compile(operands)
        return self._op()

    def _forget(self) -> Any:
        """The op anew: a name that the function reads has another value now."""
        self._compiled = None
        self._bodies.clear()
        self._loops = None
        for operands, results in self._fixed:
            self._compile(operands, results)
        return self._op()

    def add(self, signature: Any) -> None:
        """Compiles a loop, such as "float64(float64, float64)"; raises TypeError once `disable_compile` was called."""
        if not self._grows:
            raise TypeError(
                f"{self.__name__}: compiling was disabled; there are loops for {', '.join(self._ufunc().types)}"
            )
        operands, results = types_of.parse_numbers(signature)
        self._fixed.append((operands, results))
        self._compile(operands, results)
        _core.kernels.replace_op(self._ufunc(), self._op())

    def disable_compile(self) -> None:
        """From now on operands are cast to the loops that there are, as NumPy's ufuncs cast theirs."""
        self._grows = False
        _core.kernels.replace_op(self._ufunc(), self._op())

    def _describe(self) -> tuple[Any, ...]:
        return ("overloaded", ("function", self._kernel_function()), self._overloads)

    def _choose(self, out: Any, *given: Any) -> Any:
        """In compiled functions numbers are cast to a loop's; a call with arrays is one of the host, where there is one."""
        names = [f"a{k}" for k in range(len(given))]
        taken = f"{', '.join(names)}, out=None"
        made: dict[str, Any] = {"inline": _Inline(self), "numpy": numpy}
        inline = f"inline({', '.join(names)})"
        if out is not None:
            run = Outside(self.__name__, self._ufunc(), lambda *given: None, lambda count: [count - 1])
            made |= {"host": run}
            text = f"def call({taken}):\n    host({', '.join(names)}, out)\n    return out\n"
        elif all(isinstance(one, types.Scalar) for one in given):
            loop = self._fixed_loop([one.dtype for one in given])
            if loop is not None:
                inline = f"inline({', '.join(f'numpy.{_name_of(kind)}({name})' for name, kind in zip(names, loop[0]))})"
            if loop is not None and len(loop[1]) == 1:
                inline = f"numpy.{_name_of(loop[1][0])}({inline})"
            text = f"def call({taken}):\n    return {inline}\n"
        elif any(isinstance(one, types.Array) for one in given):
            made |= {"host": Outside(self.__name__, self._ufunc(), self._sample), "has_host": has_host}
            text = (
                f"def call({taken}):\n    if has_host():\n        return host({', '.join(names)})\n"
                f"    return {inline}\n"
            )
        else:
            text = f"def call({taken}):\n    return {inline}\n"
        exec(text, made)
        return Function(made["call"], text)

    def _fixed_loop(self, dtypes: list[Any]) -> Any:
        """The loop of a signature that takes operands of these dtypes; None without signatures."""
        loops = [tuple(tuple(map(numpy.dtype, side)) for side in loop) for loop in self._fixed]
        for loop in loops:
            if list(loop[0]) == dtypes:
                return loop
        return next((one for one in loops if all(map(numpy.can_cast, dtypes, one[0]))), None)

    def _sample(self, *given: Any) -> Any:
        """Results of the types and shapes that a call has, without one."""
        shape = numpy.broadcast_shapes(*map(numpy.shape, given))
        dtypes = [one.dtype if hasattr(one, "dtype") else numpy.asarray(one).dtype for one in given]
        loop = self._fixed_loop(dtypes)
        results = list(loop[1]) if loop is not None else []
        if not results:
            kinds = tuple(types.Scalar(one) for one in (dtypes if loop is None else loop[0]))
            made = types.of(jit(self.py_func, source=self._source, error_model="numpy")._version(kinds).result_type)
            results = [one.dtype for one in made.types] if isinstance(made, types.BaseTuple) else [made.dtype]
        values = tuple(numpy.zeros(shape, one) for one in results)
        return values[0] if len(values) == 1 else values

    @property
    def types(self) -> list[str]:
        """The loops, as NumPy writes them."""
        return [] if self._loops is None else self._loops.types

    @property
    def nout(self) -> int:
        """The number of results."""
        return 1 if self._loops is None else self._loops.nout

    def _run(self, method: str, *arguments: Any, **named: Any) -> Any:
        """A call or a method of a ufunc that runs in loops."""
        assert self._loops is not None
        grow = (lambda operands: self._compile(operands)) if self._grows else None
        if method == "reduce":
            named |= {"identity": self._op_identity(), "is_reorderable": self._identity is not None}
        return getattr(self._loops, "call" if method == "__call__" else method)(grow, *arguments, **named)

    def _op_identity(self) -> Any:
        return None if self._identity == "reorderable" else self._identity

    def inspect_ir(self) -> list[str]:
        """The loops' bodies in tessera's IR."""
        return [body.text for body in self._bodies.values()]

    def __repr__(self) -> str:
        return f"<ufunc '{self.__name__}'>"

    def __reduce__(self) -> Any:
        name = self.py_func.__qualname__
        if "<" not in name:
            return rebuild, (self.py_func.__module__, name)
        return rebuild_local, (
            parts_of(self.py_func),
            self._text(),
            self._fixed,
            self._grows,
            self._identity,
            self._contracts,
        )


def _name_of(dtype: numpy.dtype[Any]) -> str:
    return "bool_" if dtype.kind == "b" else str(dtype.name)


def rebuild_local(parts: Any, source: str, fixed: Any, grows: bool, identity: Any, contracts: bool) -> Any:
    """The ufunc of a function that was defined in another, as pickles of the same version of Python's say it."""
    definition = Vectorized(local_function(parts), source, identity, contracts)
    for operands, results in fixed:
        definition._fixed.append((operands, results))
        definition._compile(operands, results)
    definition._grows = grows
    return _made(definition)


def _made(definition: Vectorized) -> Any:
    ufunc = _core.kernels.make_ufunc(
        definition, definition._op_of_bodies(), definition._captured, definition._loops is not None
    )
    definition._ufunc = weakref.ref(ufunc)
    return ufunc


def make_ufunc(
    function: Any, signatures: list[Any], identity: Any = None, source: str | None = None, contracts: bool = False
) -> Any:
    """The ufunc of a function; without signatures it gains a loop for each list of types that it is called with."""
    if not hasattr(getattr(function, "py_func", function), "__code__"):
        raise TypeError(f"vectorize compiles functions, not {type(function).__name__}")
    definition = Vectorized(getattr(function, "py_func", function), source, identity, contracts)
    for signature in signatures:
        operands, results = types_of.parse_numbers(signature)
        definition._fixed.append((operands, results))
        definition._compile(operands, results)
    definition._grows = not signatures
    return _made(definition)


def vectorize(
    signatures_or_function: Any = None,
    *,
    identity: Any = None,
    target: str = "cpu",
    nopython: bool = True,
    cache: bool = True,
    fastmath: Any = None,
    source: str | None = None,
) -> Any:
    """Makes a ufunc of a function of numbers: it is called with arrays, broadcasts, and has `reduce`, `accumulate`, `outer`, `at`.

    `@vectorize`, `@vectorize(["float64(float64, float64)", "float32(float32, float32)"])`. With signatures operands are cast to the
    first loop that takes them safely; without, a loop is compiled for each list of operand types, Python's numbers having their
    operands' kind as in NumPy. The ufunc is recorded and fuses with the operations around it, on cores and on a GPU. Results are
    tessera's arrays, but NumPy's where all arrays that are passed are; shapes are what the operands broadcast to. A function that
    returns a tuple makes a ufunc with several results.

    `identity` is what an empty reduction gives: 0, 1, or "reorderable" for none of a function whose reductions may run over several axes
    at once. `target` may be "cpu", "parallel" or "cuda": where it runs is chosen as for every operation, whatever it says.
    `fastmath` is True or a set of LLVM's flags: with "contract" or "fast" among them a product that is only added to something is one operation with it.
    Floating-point events in the function are told as those of NumPy's ufuncs. A function that raises, prints or makes arrays runs in a
    loop on the host: the first exception in the order of the elements is raised when all others are computed. Raises TypingError or
    UnsupportedError for what cannot be compiled.

    Examples
    --------
    >>> import numpy
    >>> from tessera import vectorize
    >>> @vectorize
    ... def clamp(x, most):
    ...     return x if x < most else most
    >>> clamp(numpy.arange(5.0), 2.5)
    array([0. , 1. , 2. , 2.5, 2.5])
    >>> clamp.reduce(numpy.array([3.0, 1.0, 2.0]))
    np.float64(1.0)
    """
    if target not in _TARGETS:
        raise ValueError(f"vectorize: target is {target!r}; there are {', '.join(_TARGETS)}")
    if identity not in _IDENTITIES:
        raise ValueError(f"vectorize: identity is {identity!r}; it is None, 0, 1 or 'reorderable'")
    if not nopython:
        raise NotImplementedError("vectorize: nopython=False asks for object mode, which is not there; leave it out")
    del cache  # machine code is kept on disk always
    fast_flags.check("vectorize", fastmath or False)
    contracts = fast_flags.contracts(fastmath)
    given = signatures_or_function
    if callable(given) and not isinstance(given, (types.Type, types.Signature)):
        return make_ufunc(given, [], identity, source, contracts)
    listed = [] if given is None else given if isinstance(given, (list, tuple)) else [given]
    return lambda function: make_ufunc(function, list(listed), identity, source, contracts)
