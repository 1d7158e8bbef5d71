"""Reductions of matrices along rows or columns: without other shapes of them, which would be most of what is compiled."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language


@in_language
def is_plain(a: Any, keepdims: Any) -> Any:
    """A matrix whose result has one axis."""
    return a.ndim == 2 and not keepdims


@in_language
def sums_of_rows(a: Any) -> Any:
    result = numpy.zeros(a.shape[0], type(a[:0, 0].sum()))
    for n in range(a.shape[0]):
        result[n] = a[n].sum()
    return result


@in_language
def sums_of_columns(a: Any) -> Any:
    result = numpy.zeros(a.shape[1], type(a[:0, 0].sum()))
    for k in range(a.shape[0]):
        for at in range(a.shape[1]):
            result[at] += a[k, at]
    return result


@in_language
def products_of_rows(a: Any) -> Any:
    result = numpy.ones(a.shape[0], type(a[:0, 0].prod()))
    for n in range(a.shape[0]):
        product = result[n]
        for k in range(a.shape[1]):
            product *= a[n, k]
        result[n] = product
    return result


@in_language
def products_of_columns(a: Any) -> Any:
    result = numpy.ones(a.shape[1], type(a[:0, 0].prod()))
    for k in range(a.shape[0]):
        for at in range(a.shape[1]):
            result[at] *= a[k, at]
    return result


@in_language
def _divided(sums: Any, count: Any) -> Any:
    for at in range(len(sums)):
        sums[at] = sums[at] / count if count > 0 else numpy.nan
    return sums


@in_language
def _float_sums_of_rows(a: Any) -> Any:
    result = numpy.zeros(a.shape[0], type(a[:0, 0].mean()))
    for n in range(a.shape[0]):
        total = result[n]
        for k in range(a.shape[1]):
            total += a[n, k]
        result[n] = total
    return result


@in_language
def means_of_rows(a: Any) -> Any:
    if a.dtype.kind == "f":
        return _divided(sums_of_rows(a), a.shape[1])
    return _divided(_float_sums_of_rows(a), a.shape[1])


@in_language
def means_of_columns(a: Any) -> Any:
    result = numpy.zeros(a.shape[1], type(a[:0, 0].mean()))
    for k in range(a.shape[0]):
        for at in range(a.shape[1]):
            result[at] += a[k, at]
    return _divided(result, a.shape[0])


@in_language
def spread(squares: Any, count: Any, ddof: Any) -> Any:
    """The variance, of the sum of squares of so many distances from the mean."""
    if count > ddof:
        return squares / (count - ddof)
    return numpy.inf if squares > 0 else numpy.nan


@in_language
def variances_of_rows(a: Any, ddof: Any) -> Any:
    result = means_of_rows(a)
    for n in range(a.shape[0]):
        squares = 0.0
        for k in range(a.shape[1]):
            distance = a[n, k] - result[n]
            squares += distance * distance
        result[n] = spread(squares, a.shape[1], ddof)
    return result


@in_language
def variances_of_columns(a: Any, ddof: Any) -> Any:
    means = means_of_columns(a)
    result = numpy.zeros(a.shape[1])
    for k in range(a.shape[0]):
        for at in range(a.shape[1]):
            distance = a[k, at] - means[at]
            result[at] += distance * distance
    for at in range(a.shape[1]):
        result[at] = spread(result[at], a.shape[0], ddof)
    return result


@in_language
def _greater(x: Any, y: Any) -> Any:
    """Of two numbers; NaN before all others."""
    return x if x > y or x != x else y  # noqa: PLR0124


@in_language
def _lesser(x: Any, y: Any) -> Any:
    return x if x < y or x != x else y  # noqa: PLR0124


@in_language
def greatest_of_rows(a: Any) -> Any:
    result = numpy.empty(a.shape[0], a.dtype)
    for n in range(a.shape[0]):
        result[n] = a[n].max()
    return result


@in_language
def greatest_of_columns(a: Any) -> Any:
    result = a[0].copy()
    for k in range(1, a.shape[0]):
        for at in range(a.shape[1]):
            result[at] = _greater(result[at], a[k, at])
    return result


@in_language
def least_of_rows(a: Any) -> Any:
    result = numpy.empty(a.shape[0], a.dtype)
    for n in range(a.shape[0]):
        result[n] = a[n].min()
    return result


@in_language
def least_of_columns(a: Any) -> Any:
    result = a[0].copy()
    for k in range(1, a.shape[0]):
        for at in range(a.shape[1]):
            result[at] = _lesser(result[at], a[k, at])
    return result


@in_language
def _is_better(x: Any, best: Any, is_most: Any) -> Any:
    """Strictly, or the first NaN."""
    if is_most:
        return x > best or (x != x and best == best)  # noqa: PLR0124
    return x < best or (x != x and best == best)  # noqa: PLR0124


@in_language
def places_in_rows(a: Any, is_most: Any) -> Any:
    bests = greatest_of_rows(a) if is_most else least_of_rows(a)
    result = numpy.empty(a.shape[0], numpy.int64)
    count = a.shape[1]
    for n in range(a.shape[0]):
        place, best = count, bests[n]
        if best == best:  # noqa: PLR0124
            for k in range(count):
                place = min(place, k if a[n, k] == best else count)
        else:
            place = 0
            while a[n, place] == a[n, place]:  # noqa: PLR0124
                place += 1
        result[n] = place
    return result


@in_language
def places_in_columns(a: Any, is_most: Any) -> Any:
    result = numpy.zeros(a.shape[1], numpy.int64)
    best = a[0].copy()
    for k in range(1, a.shape[0]):
        for at in range(a.shape[1]):
            if _is_better(a[k, at], best[at], is_most):
                best[at] = a[k, at]
                result[at] = k
    return result


@in_language
def counts_of_rows(a: Any) -> Any:
    result = numpy.zeros(a.shape[0], numpy.int64)
    for n in range(a.shape[0]):
        count = 0
        for k in range(a.shape[1]):
            count += 1 if a[n, k] else 0
        result[n] = count
    return result


@in_language
def counts_of_columns(a: Any) -> Any:
    result = numpy.zeros(a.shape[1], numpy.int64)
    for k in range(a.shape[0]):
        for at in range(a.shape[1]):
            result[at] += 1 if a[k, at] else 0
    return result


@in_language
def are_true_in_rows(a: Any, is_any: Any) -> Any:
    """Whether any, or all, are true."""
    result = numpy.empty(a.shape[0], numpy.bool_)
    for n in range(a.shape[0]):
        holds = not is_any
        for k in range(a.shape[1]):
            if is_any:
                holds = holds or bool(a[n, k])
            else:
                holds = holds and bool(a[n, k])
        result[n] = holds
    return result


@in_language
def are_true_in_columns(a: Any, is_any: Any) -> Any:
    result = numpy.empty(a.shape[1], numpy.bool_)
    result[:] = not is_any
    for k in range(a.shape[0]):
        for at in range(a.shape[1]):
            if bool(a[k, at]) == is_any:
                result[at] = is_any
    return result
