"""GUfunc: generalised ufuncs (matmul, vecdot, matvec, vecmat) with NumPy's call convention over native loops."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy
from numpy._core import _exceptions as numpy_errors

from tessera import _core as core
from tessera import _fallback
from tessera.numpy._dispatch import Foreign, as_array, ndarray

_PLAIN = (ndarray, numpy.ndarray, numpy.generic, list, tuple, int, float, complex)
_KEYWORDS = frozenset(("out", "casting", "order", "dtype", "subok", "signature", "sig", "axes", "axis", "keepdims"))


_DOCS = {
    "matmul": "The products of matrices; a vector loses the axis that it is given. Shapes: (..., m, k) and (..., k, n) to (..., m, n).",
    "matvec": "The products of matrices and vectors. Shapes: (..., m, k) and (..., k) to (..., m).",
    "vecdot": "The sums of products along the last axes, the first operand conjugated. Shapes: (..., k) twice to (...).",
    "vecmat": "The products of vectors, conjugated, and matrices. Shapes: (..., k) and (..., k, n) to (..., n).",
}
for _name in _DOCS:
    _DOCS[_name] += """ What stands for `...` is broadcast.
Dtypes: what both promote to. Errors: ValueError where the lengths k differ or shapes do not broadcast; TypeError where no loop takes the
operands. Source: BLAS for floats and complex numbers (bits: vendor), exact sums for integers."""


class GUfunc:
    """A generalised ufunc of two inputs; looks and is called like NumPy's."""

    nin, nout, nargs, identity = 2, 1, 3, None

    def __init__(self, native: Callable, host: numpy.ufunc, core_ndims: tuple[int, int, int]) -> None:
        self._native = native
        self._host = host
        self._core_ndims = core_ndims
        self.__name__ = self.__qualname__ = host.__name__
        self.__doc__ = f"{host.__name__}(x1, x2, /, out=None, *, casting, order, dtype, subok, signature, axes, axis)\n\n{_DOCS[host.__name__]}"
        self.signature = host.signature
        self.__signature__ = getattr(host, "__signature__", None)
        self.types = [loop for loop in host.types if set(loop) <= set("?bBhHiIlLqQefdFD->")]
        self.ntypes = len(self.types)

    def __repr__(self) -> str:
        return f"<ufunc '{self.__name__}'>"

    def __reduce__(self) -> str:
        return self.__name__

    def __call__(self, x1, x2, /, *args, **kwargs):
        if not args and not kwargs and type(x1) is ndarray and type(x2) is ndarray:
            return self._native(x1, x2)
        return self._call(x1, x2, args, kwargs)

    def _call(self, x1, x2, args: tuple, kwargs: dict[str, Any]):
        if len(args) > 1 or (args and "out" in kwargs):
            raise TypeError(f"{self.__name__}() takes from 2 to 3 positional arguments but {2 + len(args)} were given")
        if args:
            kwargs["out"] = args[0]
        if unknown := kwargs.keys() - _KEYWORDS:
            raise TypeError(f"{self.__name__}() got an unexpected keyword argument '{min(unknown)}'")
        if any(_overrides(x) for x in (x1, x2, *_outputs(kwargs.get("out")))):
            return self._host(x1, x2, **kwargs)
        try:
            return self._run(as_array(x1), as_array(x2), **kwargs)
        except Foreign as foreign:
            return _fallback.call(self.__name__, (x1, x2), kwargs, str(foreign))

    def _run(
        self,
        a,
        b,
        out=None,
        casting="same_kind",
        order="K",
        dtype=None,
        subok=True,
        signature=None,
        sig=None,
        axes=None,
        axis=None,
        keepdims=False,
    ):
        outputs = _outputs(out)
        if len(outputs) > 1:
            raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
        out = outputs[0] if outputs else None
        if out is not None and not core.is_own(out):
            raise (
                Foreign("the output is a NumPy array")
                if isinstance(out, numpy.ndarray)
                else TypeError("return arrays must be of ArrayType")
            )
        loop = self._loop_dtype(a, b, dtype, signature if signature is not None else sig, casting)
        if axes is None and axis is None and not keepdims:
            return self._into(out, a, b, loop, casting)
        a, b, place, result_axes = self._move_axes(a, b, axes, axis, keepdims)
        result = self._native(a, b, loop)
        if result_axes or place:
            result = place(core.asarray(result))
        if out is None:
            return result
        self._check_output(out, loop, casting)
        out[...] = result
        return out

    def _into(self, out, a, b, loop, casting):
        if out is None:
            return self._native(a, b, loop)
        self._check_output(out, loop, casting)
        return self._native(a, b, loop, out)

    def _loop_dtype(self, a, b, dtype, signature, casting) -> numpy.dtype:
        if dtype is None and signature is not None:
            dtype = signature[-1] if not isinstance(signature, str) else signature.rpartition(">")[2] or signature
        if dtype is None:
            return numpy.promote_types(a.dtype, b.dtype)
        loop = numpy.dtype(dtype)
        for i, x in enumerate((a, b)):
            if not numpy.can_cast(x.dtype, loop, casting):
                raise numpy_errors._UFuncInputCastingError(self._host, casting, x.dtype, loop, i)
        return loop

    def _check_output(self, out, loop, casting) -> None:
        if not numpy.can_cast(loop, out.dtype, casting):
            raise numpy_errors._UFuncOutputCastingError(self._host, casting, loop, out.dtype, 0)
        if not out.flags.writeable:
            raise ValueError("output array is read-only")

    def _move_axes(self, a, b, axes, axis, keepdims):
        """The operands with their core axes last, and how to put the result's where the caller wants them."""
        ndims = list(self._core_ndims)
        if self.__name__ == "matmul":
            ndims = [min(2, a.ndim), min(2, b.ndim), 0]
            ndims[2] = max(0, ndims[0] + ndims[1] - 2)
        if axis is not None or keepdims:
            if self.__name__ != "vecdot":
                what = "axis" if axis is not None else "keepdims"
                raise TypeError(
                    f"{self.__name__}: {what} can only be used with a single shared core dimension, "
                    f"not with the {ndims} ones implied by signature {self.signature}."
                    if what == "axis"
                    else f"{self.__name__} does not support keepdims: its signature {self.signature} requires "
                    "operands with different numbers of core dimensions."
                )
            if axis is not None and axes is not None:
                raise TypeError("cannot specify both 'axis' and 'axes'")
            if axes is None:
                one = -1 if axis is None else operator.index(axis)
                axes = [(one,), (one,), (one,) if keepdims else ()]
        given = _axes_list(axes, ndims)
        counts = [*ndims[:2], len(given[2]) if keepdims and isinstance(given[2], tuple) else ndims[2] + keepdims]
        entries = [_axis_tuple(self.__name__, entry, n) for entry, n in zip(given, counts)]
        a, b = (_last(x, entry, x.ndim) for x, entry in zip((a, b), entries))
        target = entries[2]
        if keepdims:
            where = target[0] if target else -1
            return a, b, lambda result: _with_axis(result, where), target
        return a, b, (lambda result: _from_last(result, target)) if target else None, target

    def _undefined(self, *args, **kwargs):
        raise RuntimeError("Reduction not defined on ufunc with signature")

    reduce = accumulate = reduceat = outer = _undefined

    def at(self, *args, **kwargs):
        """Not defined for generalised ufuncs."""
        raise TypeError("Only two operand ufuncs supported in ufunc.at")


def _with_axis(result, axis):
    """The result with an axis of extent 1 at the given place."""
    shape = list(result.shape)
    shape.insert(numpy.lib.array_utils.normalize_axis_index(axis, result.ndim + 1), 1)
    return result.reshape(shape)


def _outputs(out) -> tuple:
    return () if out is None else out if isinstance(out, tuple) else (out,)


def _overrides(x) -> bool:
    if isinstance(x, _PLAIN):
        return False
    return getattr(type(x), "__array_ufunc__", None) is not None


def _axes_list(axes, ndims) -> list:
    if not isinstance(axes, list):
        raise TypeError("axes should be a list.")
    if len(axes) == 2 and ndims[2] == 0:
        axes = axes + [()]
    if len(axes) != 3:
        raise ValueError(
            "axes should be a list with an entry for all 3 inputs and outputs; entries for outputs can only "
            "be omitted if none of them has core axes."
        )
    return axes


def _axis_tuple(name, entry, ndim) -> tuple[int, ...]:
    entry = entry if isinstance(entry, tuple) else (operator.index(entry),)
    if len(entry) != ndim:
        raise numpy.exceptions.AxisError(
            f"{name}: operand has {ndim} core dimensions, but {len(entry)} dimensions are specified by axes tuple."
        )
    return entry


def _last(x, entry, ndim):
    entry = [numpy.lib.array_utils.normalize_axis_index(i, ndim) for i in entry]
    return x.transpose([i for i in range(ndim) if i not in entry] + entry) if entry else x


def _from_last(result, entry):
    ndim = result.ndim
    entry = [numpy.lib.array_utils.normalize_axis_index(i, ndim) for i in entry]
    order = [0] * ndim
    loops = iter(range(ndim - len(entry)))
    for i in range(ndim):
        order[i] = ndim - len(entry) + entry.index(i) if i in entry else next(loops)
    return result.transpose(order)
