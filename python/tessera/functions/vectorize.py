"""vectorize: a function of numbers as a ufunc, which fuses with the operations around it."""

from __future__ import annotations

import inspect
import weakref
from typing import Any

from tessera import _core, types
from tessera.functions import fast_flags
from tessera.functions import signatures as types_of
from tessera.functions.function import Function
from tessera.functions.jit import local_function, parts_of, rebuild

_TARGETS = ("cpu", "parallel", "cuda")
_IDENTITIES = (None, 0, 1, "reorderable")


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

    def _op(self) -> Any:
        identity = None if self._identity == "reorderable" else self._identity
        return _core.kernels.make_op(
            self.__name__,
            inspect.cleandoc(self.py_func.__doc__ or ""),
            self._operands,
            list(self._bodies.values()),
            identity=identity,
            reorderable=self._identity is not None,
            grows=self._grows,
        )

    def _compile(self, operands: tuple[Any, ...], results: tuple[Any, ...] = ()) -> None:
        if len(operands) != self._operands:
            raise TypeError(f"vectorize: {self.__name__} takes {self._operands} numbers, its signature {len(operands)}")
        self._bodies[(*operands, *results)] = self._kernel_function().compile_body(operands, results, self._contracts)

    def _add(self, operands: tuple[Any, ...]) -> Any:
        """The op with a loop for operands of these dtypes."""
        self._compile(operands)
        return self._op()

    def _forget(self) -> Any:
        """The op anew: a name that the function reads has another value now."""
        self._compiled = None
        self._bodies.clear()
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


def rebuild_local(parts: Any, source: str, fixed: Any, grows: bool, identity: Any, contracts: bool) -> Any:
    """The ufunc of a function that was defined in another, as pickles of the same version of Python's say it."""
    definition = Vectorized(local_function(parts), source, identity, contracts)
    for operands, results in fixed:
        definition._fixed.append((operands, results))
        definition._compile(operands, results)
    definition._grows = grows
    return _made(definition)


def _made(definition: Vectorized) -> Any:
    ufunc = _core.kernels.make_ufunc(definition, definition._op(), definition._captured)
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
    Floating-point events in the function are not reported. Raises TypingError or UnsupportedError for what cannot be compiled.
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
