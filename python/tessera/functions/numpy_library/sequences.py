"""Running totals, differences, repetition and shifts of arrays of one axis."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for


@stands_for("numpy.cumsum", "array.cumsum")
def cumsum(a: Any) -> Any:
    flat = a.ravel()
    total = flat[:0].sum()
    result = numpy.empty(len(flat), type(total))
    for k in range(len(flat)):
        total += flat[k]
        result[k] = total
    return result


@stands_for("numpy.cumprod", "array.cumprod")
def cumprod(a: Any) -> Any:
    flat = a.ravel()
    product = flat[:0].prod()
    result = numpy.empty(len(flat), type(product))
    for k in range(len(flat)):
        product *= flat[k]
        result[k] = product
    return result


@stands_for("numpy.nancumsum")
def nancumsum(a: Any) -> Any:
    flat = a.ravel()
    total = flat[:0].sum()
    result = numpy.empty(len(flat), type(total))
    for k in range(len(flat)):
        if flat[k] == flat[k]:  # noqa: PLR0124
            total += flat[k]
        result[k] = total
    return result


@in_language
def check_one_axis(a: Any) -> None:
    if a.ndim != 1:
        raise NotImplementedError(
            "this function of NumPy takes arrays of one axis in prange or a kernel; call it outside of the loop"
        )


@stands_for("numpy.diff")
def diff(a: Any, n: Any = 1) -> Any:
    check_one_axis(a)
    if n == 0:
        return a
    if n < 0:
        raise ValueError("order must be non-negative")
    result = a[1:] - a[:-1]
    for _ in range(1, n):
        result = result[1:] - result[:-1]
    return result


@stands_for("numpy.ediff1d")
def ediff1d(ary: Any) -> Any:
    flat = ary.ravel()
    return flat[1:] - flat[:-1]


@stands_for("numpy.repeat", "array.repeat")
def repeat(a: Any, repeats: Any) -> Any:
    flat = a.ravel()
    result = numpy.empty(len(flat) * repeats, a.dtype)
    for k in range(len(flat)):
        for n in range(repeats):
            result[k * repeats + n] = flat[k]
    return result


@stands_for("numpy.tile")
def tile(A: Any, reps: Any) -> Any:
    check_one_axis(A)
    result = numpy.empty(len(A) * reps, A.dtype)
    for n in range(reps):
        result[n * len(A) : (n + 1) * len(A)] = A
    return result


@stands_for("numpy.roll")
def roll(a: Any, shift: Any) -> Any:
    if not isinstance(shift, int):
        raise NotImplementedError("numpy.roll by several shifts in prange or a kernel; call it outside of the loop")
    flat = a.ravel()
    result = numpy.empty_like(flat)
    for k in range(len(flat)):
        result[(k + shift) % len(flat)] = flat[k]
    return result.reshape(a.shape)


@stands_for("numpy.delete")
def delete(arr: Any, obj: Any) -> Any:
    flat = arr.ravel()
    place = obj
    if place < 0:
        place += len(flat)
    if place < 0 or place >= len(flat):
        raise IndexError("index is out of bounds for axis 0")
    result = numpy.empty(len(flat) - 1, arr.dtype)
    result[:place] = flat[:place]
    result[place:] = flat[place + 1 :]
    return result


@stands_for("numpy.trapezoid")
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0) -> Any:
    check_one_axis(y)
    if x is None:
        return (dx * (y[1:] + y[:-1]) / 2.0).sum()
    return ((x[1:] - x[:-1]) * (y[1:] + y[:-1]) / 2.0).sum()


@stands_for("numpy.vander")
def vander(x: Any) -> Any:
    result = numpy.ones((len(x), len(x)), type(x[:0].sum() + 0))
    for row in range(len(x)):
        for column in range(len(x) - 2, -1, -1):
            result[row, column] = result[row, column + 1] * x[row]
    return result
