"""Statistics of all elements of an array."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import (
    greatest_place,
    has_routines,
    has_row_routines,
    in_language,
    least_place,
    routine,
    stands_for,
)
from tessera.functions.numpy_library.arrays import as_array, flat_of, in_joined_dtype
from tessera.functions.numpy_library.conditions import (
    ALL,
    NUMBERS,
    is_any_array,
    is_array,
    is_flag,
    is_like,
    is_none,
    is_number,
    is_whole,
    one_of_any_axes,
)
from tessera.functions.numpy_library.order import first_behind, insert_in_order, sort_in_place_1d

_FEW = 16
_MOST = 256  # elements; among more the routine selects quicker
_BLOCK = 1024
_PARTITION = 15


def _is_quantile(a: Any, q: Any) -> bool:
    return is_like(a) and is_like(q)


def _is_share(a: Any, q: Any) -> bool:
    return is_like(a) and is_like(q, "f8")


@stands_for("numpy.ptp", alike=lambda a: is_like(a, NUMBERS))
def ptp(a: Any) -> Any:
    flat = flat_of(a)
    if len(flat) == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    low, high = flat[0], flat[0]
    if len(flat) < _FEW:
        nan = low
        for k in range(1, len(flat)):
            x = flat[k]
            nan = x if x != x else nan  # noqa: PLR0124
            low = x if x < low else low
            high = x if x > high else high
        if nan != nan:  # noqa: PLR0124
            return nan
    else:
        low, high = flat.min(), flat.max()
    return type(low)(high - low)


@in_language
def _without_nan(a: Any) -> Any:
    values = flat_of(a).copy()
    count = 0
    for k in range(len(values)):
        if values[k] == values[k]:  # noqa: PLR0124
            values[count] = values[k]
            count += 1
    return values[:count]


@in_language
def _count_nan(values: Any) -> Any:
    count = 0
    for k in range(len(values)):
        count += 1 if values[k] != values[k] else 0  # noqa: PLR0124
    return count


@in_language
def _select(values: Any, k: Any) -> Any:
    """Puts the element in place that is there in order, none greater before it and none less behind it; there is no NaN."""
    low, high = 0, len(values) - 1
    while high - low > _FEW:
        middle = (low + high) >> 1
        if values[middle] < values[low]:
            values[middle], values[low] = values[low], values[middle]
        if values[high] < values[low]:
            values[high], values[low] = values[low], values[high]
        if values[high] < values[middle]:
            values[high], values[middle] = values[middle], values[high]
        pivot = values[middle]
        left, right = low, high
        while left <= right:
            while values[left] < pivot:
                left += 1
            while pivot < values[right]:
                right -= 1
            if left <= right:
                values[left], values[right] = values[right], values[left]
                left += 1
                right -= 1
        if k <= right:
            high = right
        elif k >= left:
            low = left
        else:
            return values[k]
    insert_in_order(values, low, high + 1)
    return values[k]


@in_language
def _parted(values: Any, k: Any) -> Any:
    """The values in an order in which that at k is in its place, none greater before it and none less behind it; there is no NaN."""
    if has_routines() and len(values) > _MOST:
        result = numpy.empty_like(values)
        routine(_PARTITION, values, numpy.full(1, k), result)
        return result
    _select(values, k)
    return values


@in_language
def _selected_middle(given: Any) -> Any:
    """The median of values, which are put in another order."""
    values = given
    count = len(values)
    if count == 0 or _count_nan(values) > 0:
        return numpy.nan
    middle = count // 2
    values = _parted(given, middle)
    upper = values[middle]
    if count % 2 == 1:
        return upper / 1
    return (values[:middle].max() / 1 + upper / 1) / 2


@stands_for("numpy.median", alike=lambda a: is_like(a))
def median(a: Any) -> Any:
    return _selected_middle(flat_of(a).copy())


@stands_for("numpy.nanmedian", alike=one_of_any_axes("f8"))
def nanmedian(a: Any) -> Any:
    return _selected_middle(_without_nan(a))


@in_language
def _between(low: Any, high: Any, share: Any) -> Any:
    step = high - low
    return high - step * (1 - share) if share >= 0.5 else low + step * share


@in_language
def _quantile_of(values: Any, q: Any) -> Any:
    """Of values in order, NaN last."""
    count = len(values)
    if count == 0 or values[count - 1] != values[count - 1]:  # noqa: PLR0124
        return numpy.nan
    place = q * (count - 1)
    low = int(numpy.floor(place))
    return _between(values[low], values[min(low + 1, count - 1)], place - low)


@in_language
def _selected_quantile(given: Any, q: Any) -> Any:
    """Of values in any order, which is changed."""
    values = given
    count = len(values)
    if count == 0 or _count_nan(values) > 0:
        return numpy.nan
    place = q * (count - 1)
    low = int(numpy.floor(place))
    values = _parted(given, low)
    first = values[low]
    second = values[low + 1 :].min() if low + 1 < count else first
    return _between(first, second, place - low)


@in_language
def _check_share(q: Any, whole: Any, is_percent: Any) -> None:
    if not 0 <= q <= whole:
        if is_percent:
            raise ValueError("Percentiles must be in the range [0, 100]")
        raise ValueError("Quantiles must be in the range [0, 1]")


@in_language
def _check_elements(values: Any, is_asked: Any) -> None:
    if is_asked and len(values) == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")


@in_language
def _quantiles_of(values: Any, q: Any, whole: Any, is_percent: Any, may_be_empty: Any) -> Any:
    if isinstance(q, (int, float)):
        _check_share(q, whole, is_percent)
        _check_elements(values, not may_be_empty)
        return _selected_quantile(values, q / whole)
    sort_in_place_1d(values)
    shares = as_array(q)
    flat = shares.ravel()
    result = numpy.empty(len(flat), numpy.float64)
    for k in range(len(flat)):
        _check_share(flat[k], whole, is_percent)
    _check_elements(values, (len(flat) > 0 or values.dtype.kind == "f") and not may_be_empty)
    for k in range(len(flat)):
        result[k] = _quantile_of(values, flat[k] / whole)
    return result.reshape(shares.shape)


@in_language
def _check_for_several(a: Any, q: Any) -> None:
    if not isinstance(q, (int, float)) and as_array(a).size == 0:
        raise ValueError(
            "several quantiles of no elements, for which NumPy gives one NaN: look at the array's size first"
        )


@stands_for("numpy.percentile", alike=_is_quantile)
def percentile(a: Any, q: Any) -> Any:
    return _quantiles_of(flat_of(a).copy(), q, 100, True, False)


@stands_for("numpy.quantile", alike=_is_share)
def quantile(a: Any, q: Any) -> Any:
    return _quantiles_of(flat_of(a).copy(), q, 1, False, False)


@stands_for("numpy.nanpercentile", alike=_is_quantile)
def nanpercentile(a: Any, q: Any) -> Any:
    _check_for_several(a, q)
    return _quantiles_of(_without_nan(a), q, 100, True, True)


@stands_for("numpy.nanquantile", alike=_is_share)
def nanquantile(a: Any, q: Any) -> Any:
    _check_for_several(a, q)
    return _quantiles_of(_without_nan(a), q, 1, False, True)


@stands_for("numpy.nanvar", alike=lambda a, ddof: is_any_array(a, ALL) and is_whole(ddof))
def nanvar(a: Any, ddof: Any = 0) -> Any:
    if a.dtype.kind == "c":
        return _variance_of_complex(_without_nan(a), ddof)
    if a.dtype.kind != "f":
        numbers = a.ravel() / 1
        away = numbers - numbers.sum() / max(len(numbers), 1)
        squares = (away * away).sum()
        if len(numbers) <= ddof:
            return numpy.inf if squares > 0 else numpy.nan
        return squares / (len(numbers) - ddof)
    values = _without_nan(a)
    total = values.sum()
    if len(values) <= ddof:
        return type(total)(numpy.nan)
    if len(values) == 0:
        return type(total)(0.0)
    distances = values - type(total)(total / len(values))
    return type(total)((distances * distances).sum() / (len(values) - ddof))


@stands_for("numpy.nanstd", alike=lambda a, ddof: is_any_array(a, ALL) and is_whole(ddof))
def nanstd(a: Any, ddof: Any = 0) -> Any:
    return numpy.sqrt(nanvar(a, ddof))


@in_language
def _variance_of_complex(values: Any, ddof: Any) -> Any:
    squares = values[:0].real.sum()
    if len(values) <= ddof:
        return type(squares)(numpy.nan)
    distances = values - values.mean()
    squares = (distances.real * distances.real + distances.imag * distances.imag).sum()
    return type(squares)(squares / (len(values) - ddof))


@stands_for("complex.var")
def complex_var(a: Any) -> Any:
    return _variance_of_complex(a.ravel(), 0)


@stands_for("complex.std")
def complex_std(a: Any) -> Any:
    return numpy.sqrt(_variance_of_complex(a.ravel(), 0))


@in_language
def _is_greater(x: Any, y: Any) -> Any:
    """Or as great, by real parts and then by imaginary ones, as NumPy orders complex numbers."""
    return (x.real > y.real and x.imag == x.imag and y.imag == y.imag) or (x.real == y.real and x.imag >= y.imag)  # noqa: PLR0124


@stands_for("complex.max")
def complex_max(a: Any) -> Any:
    flat = a.ravel()
    if len(flat) == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    best = flat[0]
    for k in range(1, len(flat)):
        if best == best and not _is_greater(best, flat[k]):  # noqa: PLR0124
            best = flat[k]
    return best


@stands_for("complex.min")
def complex_min(a: Any) -> Any:
    flat = a.ravel()
    if len(flat) == 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    best = flat[0]
    for k in range(1, len(flat)):
        if best == best and not _is_greater(flat[k], best):  # noqa: PLR0124
            best = flat[k]
    return best


@stands_for("complex.nanmax")
def complex_nanmax(a: Any) -> Any:
    flat = a.ravel()
    if len(flat) == 0:
        raise ValueError("zero-size array to reduction operation fmax which has no identity")
    best = flat[0]
    for k in range(1, len(flat)):
        if flat[k] == flat[k] and not _is_greater(best, flat[k]):  # noqa: PLR0124
            best = flat[k]
    return best


@stands_for("complex.nanmin")
def complex_nanmin(a: Any) -> Any:
    flat = a.ravel()
    if len(flat) == 0:
        raise ValueError("zero-size array to reduction operation fmin which has no identity")
    best = flat[0]
    for k in range(1, len(flat)):
        if flat[k] == flat[k] and not _is_greater(flat[k], best):  # noqa: PLR0124
            best = flat[k]
    return best


def _is_averaged(a: Any, axis: Any, weights: Any) -> bool:
    if not is_like(a, NUMBERS + " b1") or not is_none(axis):
        return False
    return is_none(weights) or is_like(weights, NUMBERS + " b1")


@in_language
def _in_floats(a: Any) -> Any:
    return a if a.dtype.kind == "f" else a.astype(numpy.float64)


@stands_for("numpy.average", alike=_is_averaged)
def average(a: Any, axis: Any = None, weights: Any = None) -> Any:
    values = as_array(a)
    if weights is None:
        return _in_floats(values).mean()
    shares = as_array(weights)
    if values.ndim != shares.ndim:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if values.shape != shares.shape:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    numbers = _in_floats(values)
    both = in_joined_dtype(numbers, shares)
    weighed = in_joined_dtype(shares, numbers)
    total = weighed.sum()
    if total == 0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return (both * weighed).sum() / total


@in_language
def _first_place(values: Any, first: Any, best: Any) -> Any:
    """Where the best element is; the first NaN where it is NaN."""
    last = min(first + _BLOCK, len(values))
    place = last
    if best == best:  # noqa: PLR0124
        for k in range(first, last):
            place = min(place, k if values[k] == best else last)
    else:
        for k in range(first, last):
            place = min(place, k if values[k] != values[k] else last)  # noqa: PLR0124
    return place


@stands_for("place.argmin")
def argmin(a: Any) -> Any:
    flat = a.ravel()
    count = len(flat)
    if has_row_routines(flat) and count >= _FEW:
        return least_place(flat)
    best, place = flat[0], 0
    if has_row_routines(flat) or count < _FEW:
        k = 1
        while k < count:
            # To the next better one: mostly there is none.
            while k < count and flat[k] >= best:
                k += 1
            if k < count and best == best:  # of several NaNs the first stays  # noqa: PLR0124
                best, place = flat[k], k
            k += 1
        return place
    for first in range(0, count, _BLOCK):
        least = flat[first : min(first + _BLOCK, count)].min()
        if best == best and not least >= best:  # noqa: PLR0124
            best, place = least, first
    return _first_place(flat, place, best)


@stands_for("place.argmax")
def argmax(a: Any) -> Any:
    flat = a.ravel()
    count = len(flat)
    if has_row_routines(flat) and count >= _FEW:
        return greatest_place(flat)
    best, place = flat[0], 0
    if has_row_routines(flat) or count < _FEW:
        k = 1
        while k < count:
            # To the next better one: mostly there is none.
            while k < count and flat[k] <= best:
                k += 1
            if k < count and best == best:  # of several NaNs the first stays  # noqa: PLR0124
                best, place = flat[k], k
            k += 1
        return place
    for first in range(0, count, _BLOCK):
        greatest = flat[first : min(first + _BLOCK, count)].max()
        if best == best and not greatest <= best:  # noqa: PLR0124
            best, place = greatest, first
    return _first_place(flat, place, best)


@stands_for("all.nanmean")
def nanmean(a: Any) -> Any:
    flat = a.ravel()
    total = flat[:0].sum()
    if len(flat) < _FEW:
        count = 0
        for k in range(len(flat)):
            if flat[k] == flat[k]:  # noqa: PLR0124
                total += flat[k]
                count += 1
    else:
        total = numpy.nansum(flat)
        count = len(flat) - _count_nan(flat)
    return type(total)(total / count) if count > 0 else type(total)(numpy.nan)


@stands_for("numpy.nanargmin", alike=one_of_any_axes())
def nanargmin(a: Any) -> Any:
    flat = a.ravel()
    best = -1
    for k in range(len(flat)):
        if flat[k] == flat[k] and (best < 0 or flat[k] < flat[best]):  # noqa: PLR0124
            best = k
    if best < 0:
        raise ValueError("All-NaN slice encountered")
    return 0 if flat[best] == numpy.inf else best  # NaN counts as that, the first of equal ones is found


@stands_for("numpy.nanargmax", alike=one_of_any_axes())
def nanargmax(a: Any) -> Any:
    flat = a.ravel()
    best = -1
    for k in range(len(flat)):
        if flat[k] == flat[k] and (best < 0 or flat[k] > flat[best]):  # noqa: PLR0124
            best = k
    if best < 0:
        raise ValueError("All-NaN slice encountered")
    return 0 if flat[best] == -numpy.inf else best  # NaN counts as that, the first of equal ones is found


_INTEGERS = "i8 i4 i2 i1 u4 u2 u1"


@stands_for(
    "numpy.bincount",
    alike=lambda x, weights, minlength: (
        is_array(x, _INTEGERS)
        and (is_none(weights) or is_array(weights, "f8 f4 i8 i4 i2 i1 u4 u2 u1 b1"))
        and is_whole(minlength)
    ),
)
def bincount(x: Any, weights: Any = None, minlength: Any = 0) -> Any:
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    count = minlength
    if len(x) > 0:
        if x.min() < 0:
            raise ValueError("'list' argument must have no negative elements")
        count = max(count, int(x.max()) + 1)
    if weights is None:
        numbers = numpy.zeros(count, numpy.int64)
        for k in range(len(x)):
            numbers[x[k]] += 1
        return numbers
    if len(weights) != len(x):
        raise ValueError("The weights and list don't have the same length.")
    totals = numpy.zeros(count, numpy.float64)
    for k in range(len(x)):
        totals[x[k]] += weights[k]
    return totals


def _has_bins(a: Any, bins: Any, range: Any) -> bool:
    if not is_any_array(a, "f8"):
        return False
    if bins is None or is_number(bins, "i8"):
        return is_none(range) or (
            range.is_tuple and len(range.elements) == 2 and all(is_number(one) for one in range.elements)
        )
    return is_array(bins) and is_none(range)


@in_language
def _count_in_bins(flat: Any, bins: Any) -> Any:
    """In bins between edges that rise."""
    for k in range(len(bins) - 1):
        if bins[k] > bins[k + 1]:
            raise ValueError("`bins` must increase monotonically, when an array")
    counts = numpy.zeros(max(len(bins) - 1, 0), numpy.int64)
    for k in range(len(flat)):
        if len(counts) > 0 and bins[0] <= flat[k] <= bins[len(bins) - 1]:
            counts[min(first_behind(bins, flat[k]) - 1, len(bins) - 2)] += 1
    return counts


@in_language
def _check_limits(first: Any, last: Any) -> None:
    if first > last:
        raise ValueError("max must be larger than min in range parameter.")
    if not (numpy.isfinite(first) and numpy.isfinite(last)):
        raise ValueError("supplied range of histogram is not finite")


@in_language
def _ends_of(flat: Any, limits: Any) -> Any:
    if limits is not None:
        first, last = float(limits[0]), float(limits[1])
        _check_limits(first, last)
    else:
        first, last = 0.0, 1.0
        if len(flat) > 0:
            first, last = flat.min() / 1, flat.max() / 1
        if not (numpy.isfinite(first) and numpy.isfinite(last)):
            raise ValueError("autodetected range of histogram is not finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


@stands_for("numpy.histogram", alike=_has_bins)
def histogram(a: Any, bins: Any = 10, range: Any = None) -> Any:
    flat = a.ravel()
    if not isinstance(bins, int):
        return _count_in_bins(flat, bins), bins
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    return _histogram(flat, bins, _ends_of(flat, range), range is None)


@in_language
def _histogram(flat: Any, bins: Any, ends: Any, are_all_inside: Any) -> Any:
    first, last = ends
    edges = numpy.linspace(first, last, bins + 1)
    for k in range(bins):
        if edges[k] >= edges[k + 1]:
            raise ValueError(f"Too many bins for data range. Cannot create {bins} finite-sized bins.")
    counts = numpy.zeros(bins, numpy.int64)
    scale = numpy.divide(bins, last - first)
    for k in range(len(flat)):
        if are_all_inside or first <= flat[k] <= last:
            place = max(min(int((flat[k] - first) * scale), bins - 1), 0)
            # The product is rounded: the edges decide.
            if flat[k] < edges[place]:
                place -= 1
            elif place < bins - 1 and flat[k] >= edges[place + 1]:
                place += 1
            counts[place] += 1
    return counts, edges


def _is_covariance(m: Any, y: Any, rowvar: Any, bias: Any, ddof: Any) -> bool:
    are_known = (
        is_like(m, ALL) and m.as_array().ndim <= 2 and (is_none(y) or is_like(y, ALL) and y.as_array().ndim <= 2)
    )
    is_counted = is_none(ddof) or is_number(ddof, "i8 f8 b1")
    return are_known and is_flag(rowvar) and is_flag(bias) and is_counted


@in_language
def _rows_of(a: Any, turns: Any) -> Any:
    """A new matrix whose rows are variables."""
    array = as_array(a)
    matrix = array.reshape((1, array.size)) if array.ndim < 2 else array
    numbers = matrix.astype(numpy.complex128) if array.dtype.kind == "c" else matrix.astype(numpy.float64)
    return numbers.T.copy() if turns else numbers


@in_language
def _observations(m: Any, y: Any, rowvar: Any) -> Any:
    first = _rows_of(m, as_array(m).ndim == 2 and not rowvar)
    if y is None:
        return first
    second = as_array(y)
    is_row = second.ndim < 2 or second.shape[0] == 1
    others = _rows_of(y, not rowvar and not is_row)
    if first.shape[0] == 0:
        return in_joined_dtype(first, others).reshape(first.shape)
    if first.shape[1] != others.shape[1]:
        raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
    return numpy.concatenate((in_joined_dtype(first, others), in_joined_dtype(others, first))).reshape(
        (first.shape[0] + others.shape[0], first.shape[1])
    )


@in_language
def _covariances(m: Any, y: Any, rowvar: Any, bias: Any, ddof: Any) -> Any:
    values = _observations(m, y, rowvar)
    if ddof is None:
        freedom = 0 if bias else 1
    else:
        if numpy.isinf(ddof):
            raise OverflowError("cannot convert float infinity to integer")
        if ddof != numpy.floor(ddof):
            raise ValueError("ddof must be integer")
        freedom = int(ddof)
    rows, count = values.shape
    for row in range(rows):
        values[row] -= numpy.divide(values[row].sum(), numpy.float64(count))
    scale = numpy.divide(1.0, max(count - freedom, 0))
    return (values @ numpy.conj(values.T.copy())) * scale


@in_language
def _is_single(m: Any, y: Any) -> Any:
    """Whether there is one variable, as far as types tell."""
    return y is None and (as_array(m).ndim < 2 or (isinstance(m, tuple) and len(m) == 1))


@stands_for("numpy.cov", alike=_is_covariance)
def cov(m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None) -> Any:
    result = _covariances(m, y, rowvar, bias, ddof)
    if _is_single(m, y):
        return result[0, 0]
    if len(result) == 1:
        raise ValueError("numpy.cov of a matrix with one variable in a compiled function: pass its only row")
    return result


@stands_for("numpy.corrcoef", alike=lambda x, y, rowvar: _is_covariance(x, y, rowvar, None, None))
def corrcoef(x: Any, y: Any = None, rowvar: Any = True) -> Any:
    result = _covariances(x, y, rowvar, False, None)
    if _is_single(x, y):
        return numpy.divide(result[0, 0], result[0, 0])
    if len(result) == 1:
        raise ValueError("numpy.corrcoef of a matrix with one variable in a compiled function: pass its only row")
    deviations = numpy.empty(len(result))
    for row in range(len(result)):
        deviations[row] = numpy.sqrt(result[row, row].real)
    for row in range(len(result)):
        for column in range(len(result)):
            quotient = numpy.divide(numpy.divide(result[row, column], deviations[row]), deviations[column])
            result[row, column] = _at_most_one(quotient)
    return result


@in_language
def _at_most_one(value: Any) -> Any:
    if isinstance(value, complex):
        return complex(_at_most_one(value.real), _at_most_one(value.imag))
    return min(max(value, -1.0), 1.0) if value == value else value  # noqa: PLR0124
