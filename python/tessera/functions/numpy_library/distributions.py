"""Distributions of NumPy's legacy generator: parameters are checked here, numbers drawn by the host's code without Python, NumPy's numbers of NumPy's stream."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tessera.functions.intrinsic import Intrinsic
from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.arrays import as_array
from tessera.functions.numpy_library.conditions import (
    ALL,
    is_any_array,
    is_array,
    is_flag,
    is_left_out,
    is_like,
    is_number,
    is_size,
)

# A number by the distribution's number (bind/kernel/host/numpy_stream.cpp) and three parameters.
_number = Intrinsic("builtins.numpy_draw", "The next number of a distribution.")
_seed = Intrinsic("builtins.numpy_seed", "Seeds NumPy's global stream.")
_integer = Intrinsic("builtins.numpy_draw_integer", "The next integer of a distribution.")
_GAMMA, _BETA, _CHISQUARE, _NONCENTRAL_CHISQUARE, _F, _GUMBEL, _LAPLACE, _LOGISTIC, _LOGNORMAL = range(9)
_PARETO, _POWER, _RAYLEIGH, _CAUCHY, _STUDENT, _TRIANGULAR, _VONMISES, _WALD, _WEIBULL = range(9, 18)
_BINOMIAL, _GEOMETRIC, _HYPERGEOMETRIC, _LOGSERIES, _NEGATIVE_BINOMIAL, _POISSON, _ZIPF = range(18, 25)
_GREATEST_POISSON = 9.223372006484771e18


def _of_numbers(*given: Any) -> bool:
    """Numbers, and behind them a size or nothing."""
    *parameters, size = given
    return (size is None or size.is_none or is_size(size)) and all(one is None or is_number(one) for one in parameters)


def _of_integers(*given: Any) -> bool:
    return _of_numbers(*given) and all(one is None or one.is_whole() for one in given[:-1])


@in_language
def _numbers(which: Any, a: Any, b: Any, c: Any, size: Any) -> Any:
    if size is None:
        return _number(which, a, b, c)
    result = numpy.empty(size)
    flat = result.reshape(-1)
    for k in range(len(flat)):
        flat[k] = _number(which, a, b, c)
    return result


@in_language
def _integers(which: Any, a: Any, b: Any, c: Any, size: Any) -> Any:
    if size is None:
        return _integer(which, a, b, c)
    result = numpy.empty(size, numpy.int64)
    flat = result.reshape(-1)
    for k in range(len(flat)):
        flat[k] = _integer(which, a, b, c)
    return result


@in_language
def _is_negative(x: Any) -> Any:
    """NaN is not, -0.0 is."""
    return x == x and math.copysign(1.0, x) < 0  # noqa: PLR0124


@stands_for("numpy.random.standard_gamma", alike=_of_numbers)
def standard_gamma(shape: Any, size: Any = None) -> Any:
    if _is_negative(shape):
        raise ValueError("shape < 0")
    return _numbers(_GAMMA, shape, 0, 0, size)


@stands_for("numpy.random.gamma", alike=_of_numbers)
def gamma(shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    if _is_negative(shape):
        raise ValueError("shape < 0")
    if _is_negative(scale):
        raise ValueError("scale < 0")
    if size is None:
        return scale * _number(_GAMMA, shape, 0, 0)
    result = _numbers(_GAMMA, shape, 0, 0, size)
    result *= scale
    return result


@stands_for("numpy.random.beta", alike=_of_numbers)
def beta(a: Any, b: Any, size: Any = None) -> Any:
    if not a > 0:
        raise ValueError("a <= 0")
    if not b > 0:
        raise ValueError("b <= 0")
    return _numbers(_BETA, a, b, 0, size)


@stands_for("numpy.random.chisquare", alike=_of_numbers)
def chisquare(df: Any, size: Any = None) -> Any:
    if not df > 0:
        raise ValueError("df <= 0")
    return _numbers(_CHISQUARE, df, 0, 0, size)


@stands_for("numpy.random.noncentral_chisquare", alike=_of_numbers)
def noncentral_chisquare(df: Any, nonc: Any, size: Any = None) -> Any:
    if not df > 0:
        raise ValueError("df <= 0")
    if _is_negative(nonc):
        raise ValueError("nonc < 0")
    return _numbers(_NONCENTRAL_CHISQUARE, df, nonc, 0, size)


@stands_for("numpy.random.f", alike=_of_numbers)
def f(dfnum: Any, dfden: Any, size: Any = None) -> Any:
    if not dfnum > 0:
        raise ValueError("dfnum <= 0")
    if not dfden > 0:
        raise ValueError("dfden <= 0")
    return _numbers(_F, dfnum, dfden, 0, size)


@in_language
def _check_scale(scale: Any) -> None:
    if _is_negative(scale):
        raise ValueError("scale < 0")


@stands_for("numpy.random.gumbel", alike=_of_numbers)
def gumbel(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    _check_scale(scale)
    return _numbers(_GUMBEL, loc, scale, 0, size)


@stands_for("numpy.random.laplace", alike=_of_numbers)
def laplace(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    _check_scale(scale)
    return _numbers(_LAPLACE, loc, scale, 0, size)


@stands_for("numpy.random.logistic", alike=_of_numbers)
def logistic(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    _check_scale(scale)
    return _numbers(_LOGISTIC, loc, scale, 0, size)


@stands_for("numpy.random.lognormal", alike=_of_numbers)
def lognormal(mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    if _is_negative(sigma):
        raise ValueError("sigma < 0")
    return _numbers(_LOGNORMAL, mean, sigma, 0, size)


@in_language
def _check_a(a: Any) -> None:
    if not a > 0:
        raise ValueError("a <= 0")


@stands_for("numpy.random.pareto", alike=_of_numbers)
def pareto(a: Any, size: Any = None) -> Any:
    _check_a(a)
    return _numbers(_PARETO, a, 0, 0, size)


@stands_for("numpy.random.power", alike=_of_numbers)
def power(a: Any, size: Any = None) -> Any:
    _check_a(a)
    return _numbers(_POWER, a, 0, 0, size)


@stands_for("numpy.random.weibull", alike=_of_numbers)
def weibull(a: Any, size: Any = None) -> Any:
    if _is_negative(a):
        raise ValueError("a < 0")
    return _numbers(_WEIBULL, a, 0, 0, size)


@stands_for("numpy.random.rayleigh", alike=_of_numbers)
def rayleigh(scale: Any = 1.0, size: Any = None) -> Any:
    _check_scale(scale)
    return _numbers(_RAYLEIGH, scale, 0, 0, size)


@stands_for("numpy.random.standard_cauchy", alike=_of_numbers)
def standard_cauchy(size: Any = None) -> Any:
    return _numbers(_CAUCHY, 0, 0, 0, size)


@stands_for("numpy.random.standard_t", alike=_of_numbers)
def standard_t(df: Any, size: Any = None) -> Any:
    if not df > 0:
        raise ValueError("df <= 0")
    return _numbers(_STUDENT, df, 0, 0, size)


@stands_for("numpy.random.triangular", alike=_of_numbers)
def triangular(left: Any, mode: Any, right: Any, size: Any = None) -> Any:
    if left > mode:
        raise ValueError("left > mode")
    if mode > right:
        raise ValueError("mode > right")
    if left == right:
        raise ValueError("left == right")
    return _numbers(_TRIANGULAR, left, mode, right, size)


@stands_for("numpy.random.vonmises", alike=_of_numbers)
def vonmises(mu: Any, kappa: Any, size: Any = None) -> Any:
    if _is_negative(kappa):
        raise ValueError("kappa < 0")
    return _numbers(_VONMISES, mu, kappa, 0, size)


@stands_for("numpy.random.wald", alike=_of_numbers)
def wald(mean: Any, scale: Any, size: Any = None) -> Any:
    if not mean > 0:
        raise ValueError("mean <= 0")
    if not scale > 0:
        raise ValueError("scale <= 0")
    return _numbers(_WALD, mean, scale, 0, size)


@stands_for("numpy.random.binomial", alike=lambda n, p, size: is_number(n, "i8") and is_number(p) and _of_numbers(size))
def binomial(n: Any, p: Any, size: Any = None) -> Any:
    if not 0 <= p <= 1:
        raise ValueError("p < 0, p > 1 or p is NaN")
    if n < 0:
        raise ValueError("n < 0")
    return _integers(_BINOMIAL, n, p, 0, size)


@in_language
def _check_share(p: Any) -> None:
    if not 0 < p <= 1:
        raise ValueError("p <= 0, p > 1 or p contains NaNs")


@stands_for("numpy.random.geometric", alike=_of_numbers)
def geometric(p: Any, size: Any = None) -> Any:
    _check_share(p)
    return _integers(_GEOMETRIC, p, 0, 0, size)


@stands_for("numpy.random.negative_binomial", alike=_of_numbers)
def negative_binomial(n: Any, p: Any, size: Any = None) -> Any:
    if not n > 0:
        raise ValueError("n <= 0")
    _check_share(p)
    return _integers(_NEGATIVE_BINOMIAL, n, p, 0, size)


@stands_for("numpy.random.hypergeometric", alike=_of_integers)
def hypergeometric(ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Any:
    if ngood + nbad < nsample:
        raise ValueError("ngood + nbad < nsample")
    if ngood < 0:
        raise ValueError("ngood < 0")
    if nbad < 0:
        raise ValueError("nbad < 0")
    if nsample < 0:
        raise ValueError("nsample < 0")
    return _integers(_HYPERGEOMETRIC, ngood, nbad, nsample, size)


@stands_for("numpy.random.logseries", alike=_of_numbers)
def logseries(p: Any, size: Any = None) -> Any:
    if not 0 <= p < 1:
        raise ValueError("p < 0, p >= 1 or p is NaN")
    return _integers(_LOGSERIES, p, 0, 0, size)


@stands_for("numpy.random.poisson", alike=_of_numbers)
def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    if not lam >= 0:
        raise ValueError("lam < 0 or lam is NaN")
    if lam > _GREATEST_POISSON:
        raise ValueError("lam value too large")
    return _integers(_POISSON, lam, 0, 0, size)


@stands_for("numpy.random.zipf", alike=_of_numbers)
def zipf(a: Any, size: Any = None) -> Any:
    if not a > 1:
        raise ValueError("a <= 1 or a is NaN")
    return _integers(_ZIPF, a, 0, 0, size)


@stands_for("numpy.random.shuffle", alike=lambda x: is_any_array(x, ALL))
def shuffle(x: Any) -> None:
    rows = x.shape[0]
    each = x.size // max(rows, 1)
    if x.ndim == 1:
        for k in range(rows - 1, 0, -1):
            other = numpy.random.randint(0, k + 1)
            x[k], x[other] = x[other], x[k]
    else:
        moved = x.reshape((rows, each)).copy()
        for k in range(rows - 1, 0, -1):
            other = numpy.random.randint(0, k + 1)
            for n in range(each):
                moved[k, n], moved[other, n] = moved[other, n], moved[k, n]
        x[...] = moved.reshape(x.shape)


@stands_for("numpy.random.permutation", alike=lambda x: is_any_array(x, ALL) or is_number(x, "i8"))
def permutation(x: Any) -> Any:
    if isinstance(x, int):
        places = numpy.arange(x)
        shuffle(places)
        return places
    copied = x.copy()
    shuffle(copied)
    return copied


@in_language
def _check_probabilities(p: Any, count: Any) -> None:
    if len(p) != count:
        raise ValueError("'a' and 'p' must have same size")
    total, rest = p[0], 0.0  # Kahan's sum
    for k in range(1, len(p)):
        more = p[k] - rest
        next_total = total + more
        rest = (next_total - total) - more
        total = next_total
    if total != total:  # noqa: PLR0124
        raise ValueError("probabilities contain NaN")
    for k in range(len(p)):
        if p[k] < 0:
            raise ValueError("probabilities are not non-negative")
    if abs(total - 1.0) > 1.4901161193847656e-08:
        raise ValueError("probabilities do not sum to 1")


@in_language
def _chosen(count: Any, size: Any, replace: Any, p: Any) -> Any:
    """Indices below the count."""
    if not replace:
        if size is None:
            return permutation(count)[0]
        result = numpy.empty(size, numpy.int64)
        if result.size > count:
            raise ValueError("Cannot take a larger sample than population when 'replace=False'")
        result.reshape(-1)[:] = permutation(count)[: result.size]
        return result
    if p is None:
        if size is None:
            return numpy.random.randint(0, count)
        result = numpy.empty(size, numpy.int64)
        flat = result.reshape(-1)
        for k in range(len(flat)):
            flat[k] = numpy.random.randint(0, count)
        return result
    _check_probabilities(p, count)
    limits = numpy.cumsum(p)
    limits /= limits[-1]
    if size is None:
        return numpy.searchsorted(limits, numpy.random.random(), side="right")
    result = numpy.empty(size, numpy.int64)
    flat = result.reshape(-1)
    for k in range(len(flat)):
        flat[k] = numpy.searchsorted(limits, numpy.random.random(), side="right")
    return result


def _is_chosen_here(a: Any, size: Any, replace: Any, p: Any) -> bool:
    is_known = is_array(a, ALL) or is_number(a, "i8")
    is_drawn = is_flag(replace)
    has_p = p is not None and not p.is_none
    if has_p and not (is_array(p, "f8") and is_left_out(replace, True)):
        return False
    return is_known and is_drawn and (size is None or size.is_none or is_size(size))


@stands_for("numpy.random.choice", alike=_is_chosen_here)
def choice(a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
    if isinstance(a, int):
        if a <= 0:
            raise ValueError("a must be greater than 0 unless no samples are taken")
        return _chosen(a, size, replace, p)
    if len(a) == 0:
        raise ValueError("'a' cannot be empty unless no samples are taken")
    places = _chosen(len(a), size, replace, p)
    if size is None:
        return a[places]
    result = numpy.empty(places.shape, a.dtype)
    flat, from_ = result.reshape(-1), places.reshape(-1)
    for k in range(len(flat)):
        flat[k] = a[from_[k]]
    return result


@in_language
def _rows(size: Any, count: Any, dtype: Any) -> Any:
    if size is None:
        return numpy.empty(count, dtype)
    if isinstance(size, int):
        return numpy.empty((size, count), dtype)
    return numpy.empty((*size, count), dtype)


@stands_for(
    "numpy.random.multinomial",
    alike=lambda n, pvals, size: is_number(n, "i8") and is_array(pvals, "f8") and _of_numbers(size),
)
def multinomial(n: Any, pvals: Any, size: Any = None) -> Any:
    if n < 0:
        raise ValueError("n < 0")
    count = len(pvals)
    for k in range(count):
        if not 0 <= pvals[k] <= 1:
            raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
    if count > 0 and pvals[:-1].sum() > 1.0 + 1e-12:
        raise ValueError("sum(pvals[:-1]) > 1.0")
    result = _rows(size, count, numpy.int64)
    rows = result.reshape((-1, count))
    for row in range(rows.shape[0]):
        rest, total = n, 1.0
        for k in range(count):
            rows[row, k] = 0
        for k in range(count - 1):
            rows[row, k] = _integer(_BINOMIAL, rest, pvals[k] / total, 0)
            rest -= rows[row, k]
            if rest <= 0:
                break
            total -= pvals[k]
        if rest > 0:
            rows[row, count - 1] = rest
    return result


def _has_shares(alpha: Any, size: Any) -> bool:
    is_known = is_like(alpha, "f8", 1) and alpha.as_array().ndim == 1
    return is_known and (
        _of_numbers(size) or (size is not None and size.is_tuple and len(size.elements) == 1 and is_size(size))
    )


@stands_for("numpy.random.dirichlet", alike=_has_shares)
def dirichlet(alpha: Any, size: Any = None) -> Any:
    return _shares(as_array(alpha), size)


@in_language
def _shares(alpha: Any, size: Any) -> Any:
    count = len(alpha)
    for k in range(count):
        if alpha[k] <= 0:
            raise ValueError("alpha <= 0")
    result = _rows(size, count, numpy.float64)
    rows = result.reshape((-1, count))
    for row in range(rows.shape[0]):
        total = 0.0
        for k in range(count):
            rows[row, k] = _number(_GAMMA, alpha[k], 0, 0)
            total += rows[row, k]
        share = 1 / total
        for k in range(count):
            rows[row, k] *= share
    return result


@stands_for("numpy.random.seed", alike=lambda seed: bool(seed is not None and seed.is_whole()))
def seed(seed: Any) -> None:
    if seed < 0 or seed > 4294967295:
        raise ValueError("Seed must be between 0 and 2**32 - 1")
    _seed(seed)
