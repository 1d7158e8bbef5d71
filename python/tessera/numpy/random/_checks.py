"""What the distributions ask of their arguments, in NumPy's words, and how simple ones become methods."""

from __future__ import annotations

import math
import operator
import textwrap
import warnings
from collections.abc import Sequence

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import as_array, ndarray
from tessera.numpy.random import _arguments as arguments

_COUNTED = frozenset({"binomial", "geometric", "logseries", "poisson", "zipf"})


def _description(name, parameters, summary, refused, source):
    """The docstring of a simple distribution."""
    shapes = (
        "`size`, else the parameters' common one; a number for scalars" if parameters else "`size`; a number without"
    )
    refused = f"{refused}, or a `size`" if refused else "a negative `size`"
    misfit = " that they do not broadcast to" if parameters else ""
    dtype = "int64" if name in _COUNTED else "float64"
    text = f"Shapes: {shapes}. Dtypes: {dtype}. Errors: ValueError for {refused}{misfit}. Source: {source}."
    return f"{summary}\n\n{textwrap.fill(text, 120)}\n"


def define_simple(owner, name, parameters, summary, refused, source):
    """A method of `owner` that passes its parameters straight to the distribution of that name, or else to `_sample`."""
    names = [parameter.split("=")[0] for parameter in parameters]
    signature = ", ".join(["self", *parameters, "size=None"])
    namespace: dict = {}
    drawn = f"self._stream.sample({', '.join([repr(name), 'size', *names])})"
    with_care = f"self._sample({', '.join([repr(name), 'size', *names])})"
    if name in arguments.COUNTS:
        drawn = f"{drawn} if type({names[0]}) is int else {with_care}"
    body = f"    drawn = {drawn}\n    return {with_care} if drawn is NotImplemented else drawn"
    exec(f"def {name}({signature}):\n{body}", namespace)
    function = namespace[name]
    function.__doc__ = _description(name, parameters, summary, refused, source)
    function.__module__, function.__qualname__ = owner.__module__, f"{owner.__name__}.{name}"
    setattr(owner, name, function)


def checked_vector(alpha):
    """`alpha` of dirichlet as a float64 vector."""
    alpha = as_array(alpha).astype(numpy.float64)
    if alpha.ndim != 1:
        raise ValueError(f"object {'too deep' if alpha.ndim else 'of too small depth'} for desired array")
    return alpha


def check_triangle(left, mode, right):
    """left <= mode <= right, and left != right."""
    if any_true(core.greater(left, mode)):
        raise ValueError("left > mode")
    if any_true(core.greater(mode, right)):
        raise ValueError("mode > right")
    if any_true(core.equal(left, right)):
        raise ValueError("left == right")


def any_true(mask) -> bool:
    """Whether any element is true."""
    return bool(core.logical_or.reduce(core.asarray(mask), None))


def check_negative_binomial(n, p, limit, name):
    """n and p whose Poisson means stay drawable."""
    if arguments.is_scalar(n) and arguments.is_scalar(p):
        n, p = float(n), float(p)
        if n > 0 and 0 < p <= 1 and (1 - p) / p * (n + 10 * math.sqrt(n)) > limit:
            raise ValueError(f"n too large or p too small, see {name}.negative_binomial Notes")
        return
    n, p = as_array(n), as_array(p)
    if not any_true(n <= 0) and not any_true(p <= 0) and any_true((1 - p) / p * (n + 10 * core.sqrt(n)) > limit):
        raise ValueError(f"n too large or p too small, see {name}.negative_binomial Notes")


def checked_moments(mean, cov, size):
    """Mean, covariance and the shape of the result."""
    mean, cov = as_array(mean), as_array(cov)
    shape = arguments.make_shape(size)
    if mean.ndim != 1:
        raise ValueError("mean must be 1 dimensional")
    if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
        raise ValueError("cov must be 2 dimensional and square")
    if mean.shape[0] != cov.shape[0]:
        raise ValueError("mean and cov must have same length")
    return mean, cov, (*shape, mean.shape[0])


def check_covariance(check_valid, is_valid):
    """Warn of, or refuse, a covariance that is none."""
    if check_valid == "ignore":
        return
    if check_valid not in ("warn", "raise"):
        raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
    if is_valid():
        return
    if check_valid == "raise":
        raise ValueError("covariance is not symmetric positive-semidefinite.")
    warnings.warn("covariance is not symmetric positive-semidefinite.", RuntimeWarning, stacklevel=3)


def checked_pvals(rows, given):
    """Probabilities of multinomial as float64 rows."""
    values = rows.astype(numpy.float64)
    if not core.logical_and.reduce(core.logical_and(values >= 0, values <= 1), None):
        raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
    for row in values.reshape(-1, values.shape[-1]).tolist():
        if arguments.exact_sum(row[:-1]) <= 1.0 + 1e-12:
            continue
        where = "[:-1]" if rows.ndim == 1 else "[...,:-1]"
        if (
            isinstance(given, (ndarray, numpy.ndarray))
            and given.dtype.kind == "f"
            and given.dtype != float
            and (given.sum() < 1.0001)
        ):
            raise ValueError(
                f"sum(pvals{where}.astype(np.float64)) > 1.0. The pvals array is cast to 64-bit floating point "
                "prior to checking the sum. Precision changes when casting may cause problems even if the sum "
                "of the original pvals is valid."
            )
        raise ValueError(f"sum(pvals{where}) > 1.0")
    return values


def checked_urn(colors, nsample, method):
    """Colours and sample size of an urn."""
    most = 2**63 - 1
    try:
        nsample = operator.index(nsample)
    except TypeError:
        raise ValueError("nsample must be an integer") from None
    if nsample < 0:
        raise ValueError("nsample must be nonnegative.")
    if nsample > most:
        raise ValueError("nsample must not exceed %d" % most)
    colors = as_array(colors)
    if (
        colors.ndim != 1
        or (colors.size and colors.dtype.kind not in "iu")
        or any_true(colors < 0)
        or any_true(colors > most)
    ):
        raise ValueError(f"colors must be a one-dimensional sequence of nonnegative integers not exceeding {most}.")
    total = sum(colors.tolist())
    if total > most:
        raise ValueError(f"sum(colors) must not exceed the maximum value of a 64 bit signed integer ({most})")
    if method == "marginals" and total >= 1000000000:
        raise ValueError('When method is "marginals", sum(colors) must be less than 1000000000.')
    if method == "count" and total > most // 8:
        raise ValueError("When method is 'count', sum(colors) must not exceed %d" % (most // 8))
    if nsample > total:
        raise ValueError("nsample > sum(colors)")
    return colors.astype(numpy.int64), nsample


def shuffle_sequence(stream, x, axis):
    """Shuffle a mutable sequence that is not an array."""
    if not isinstance(x, Sequence):
        warnings.warn(
            f"you are shuffling a '{type(x).__name__}' object which is not a subclass of 'Sequence'; `shuffle` is "
            "not guaranteed to behave correctly. E.g., non-numpy array/tensor objects with view semantics may "
            "contain duplicates after shuffling.",
            UserWarning,
            stacklevel=3,
        )
    if axis != 0:
        raise NotImplementedError("Axis argument is only supported on ndarray objects")
    arguments.swap_sequence(stream, x)
