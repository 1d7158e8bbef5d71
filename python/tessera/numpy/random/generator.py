"""Generator: NumPy's modern random interface, bit for bit, drawing natively."""

from __future__ import annotations

import math
import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tessera import _core as core
from tessera import _fallback
from tessera.numpy._dispatch import as_any_array, as_array
from tessera.numpy.random import _arguments as arguments
from tessera.numpy.random import _checks as checks
from tessera.numpy.random.bit_generators import PCG64, BitGenerator

_random = core.random

_CHOICE_WORDS = {
    "ndim": "p must be 1-dimensional",
    "size": "a and p must have same size",
    "nan": "Probabilities contain NaN",
    "negative": "Probabilities are not non-negative",
    "sum": "Probabilities do not sum to 1. See Notes section of docstring for more information.",
}


class Generator(numpy.random.Generator):
    """Random numbers of many distributions from one bit generator: the same as NumPy's for the same seed.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.random.Generator(np.random.PCG64(7)).normal(size=2)
    array([0.00123015, 0.29874554])
    """

    def __init__(self, bit_generator):
        native = getattr(bit_generator, "_native", None)
        if isinstance(bit_generator, BitGenerator) and native is not None:
            bit_generator.attach(super().__init__)
        else:
            super().__init__(bit_generator)
            native = _random.bits_from_capsule(bit_generator.capsule, bit_generator.lock)
        self._stream = _random.Stream(native, False)

    def __reduce__(self):
        return Generator, (self._bit_generator,), None

    def spawn(self, n_children):
        """New generators on independent bits.

        Shapes: a list. Dtypes: none. Errors: TypeError where the seed cannot spawn; ValueError for a negative number.
        """
        return [type(self)(bits) for bits in self._bit_generator.spawn(n_children)]

    def _sample(self, name, size, *parameters):
        result = self._stream.sample(name, size, *arguments.cut_counts(name, parameters))
        if result is NotImplemented:
            host = getattr(numpy.random.Generator, name)
            return _fallback.call_function(
                host, f"random.Generator.{name}", (self, *parameters, size), {}, "an argument's dtype stays NumPy's"
            )
        return result

    # Uniform, normal, exponential -----------------------------------------------------------------------------------

    def random(self, size=None, dtype=numpy.float64, out=None):
        """Floats in [0, 1).

        Shapes: `size` or `out`'s; a number without. Dtypes: float64 or float32. Errors: TypeError for another dtype;
        ValueError for an `out` of another shape, dtype or order.
        """
        return arguments.standard(self._stream, arguments.UNIFORM, "random", size, dtype, out)

    def standard_normal(self, size=None, dtype=numpy.float64, out=None):
        """Normal draws with mean 0 and deviation 1.

        Shapes: `size` or `out`'s; a number without. Dtypes: float64 or float32. Errors: TypeError for another dtype;
        ValueError for an `out` of another shape, dtype or order. Source: ziggurat, Marsaglia and Tsang 2000.
        """
        return arguments.standard(self._stream, arguments.NORMAL, "standard_normal", size, dtype, out)

    def standard_exponential(self, size=None, dtype=numpy.float64, method="zig", out=None):
        """Exponential draws with mean 1.

        Shapes: `size` or `out`'s; a number without. Dtypes: float64 or float32. Errors: TypeError for another dtype;
        ValueError for an `out` of another shape, dtype or order. Source: ziggurat, Marsaglia and Tsang 2000, or with
        `method="inv"` inversion.
        """
        kind = arguments.EXPONENTIAL if method == "zig" else arguments.EXPONENTIAL_BY_INVERSION
        return arguments.standard(self._stream, kind, "standard_exponential", size, dtype, out)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Floats in [low, high).

        Shapes: `size`, else the parameters' common one; a number for scalars. Dtypes: float64. Errors: OverflowError
        for bounds whose difference is infinite; ValueError for a `size` that they do not broadcast to.
        """
        return arguments.uniform(self._stream, low, high, size, "high - low range exceeds valid bounds")

    def standard_gamma(self, shape, size=None, dtype=numpy.float64, out=None):
        """Gamma draws of scale 1.

        Shapes: `size`, `out`'s or `shape`'s; a number for scalars. Dtypes: float64 or float32. Errors: TypeError for
        another dtype; ValueError for an `out` of another shape, dtype or order. ValueError, too, for a negative shape.
        Source: Marsaglia and Tsang 2000; below 1 Ahrens and Dieter 1974.
        """
        dtype = numpy.dtype(dtype)
        if dtype != numpy.float64 and dtype != numpy.float32:
            raise TypeError(f"Unsupported dtype {dtype!r} for standard_gamma")
        if dtype == numpy.float64 and out is None:
            return self._sample("standard_gamma", size, shape)
        if out is not None:
            arguments.checked_output(out, dtype, size, c_order=True)
        if dtype == numpy.float64:
            out[...] = self._sample("standard_gamma", out.shape, shape)
            return out
        if out is None and size is None and arguments.is_scalar(shape):
            single = core.empty((1,), dtype)
            self._stream.gamma_float(float(shape), single)
            return float(single[0])
        result = (
            out
            if core.is_own(out)
            else core.empty(
                out.shape
                if out is not None
                else arguments.make_shape(size)
                if size is not None
                else numpy.shape(shape),
                dtype,
            )
        )
        self._stream.gamma_float(shape, result)
        if out is None or out is result:
            return result
        out[...] = result
        return out

    def triangular(self, left, mode, right, size=None):
        """Triangular draws between left and right with the given mode.

        Shapes: `size`, else the parameters' common one; a number for scalars. Dtypes: float64. Errors: ValueError
        unless left <= mode <= right and left < right, or for a `size` that they do not broadcast to. Source: inversion.
        """
        checks.check_triangle(left, mode, right)
        return self._sample("triangular", size, left, mode, right)

    def negative_binomial(self, n, p, size=None):
        """The number of failures before n successes.

        Shapes: `size`, else the parameters' common one; a number for scalars. Dtypes: int64. Errors: ValueError for n
        that is not above 0, p outside of (0, 1], both together too large, or a `size` that they do not broadcast to.
        Source: Poisson draws of gamma means.
        """
        checks.check_negative_binomial(n, p, self._poisson_lam_max, "Generator")
        return self._sample("negative_binomial", size, n, p)

    def hypergeometric(self, ngood, nbad, nsample, size=None):
        """The number of good ones among nsample drawn from ngood and nbad.

        Shapes: `size`, else the parameters' common one; a number for scalars. Dtypes: int64. Errors: ValueError for
        negative numbers, more draws than balls, or a `size` that they do not broadcast to. Source: balls drawn one by
        one for small samples, else Stadlober 1990 (ratio of uniforms).
        """
        limit = 10**9
        if checks.any_true(core.greater_equal(ngood, limit)) or checks.any_true(core.greater_equal(nbad, limit)):
            raise ValueError("both ngood and nbad must be less than %d" % limit)
        if checks.any_true(core.less(core.add(ngood, nbad), nsample)):
            raise ValueError("ngood + nbad < nsample")
        return self._sample("hypergeometric", size, ngood, nbad, nsample)

    # Integers, bytes, choices ---------------------------------------------------------------------------------------

    def integers(self, low, high=None, size=None, dtype=numpy.int64, endpoint=False):
        """Integers from low to high, high excluded unless `endpoint`.

        Shapes: `size`, else the bounds' common one; a number for scalars. Dtypes: any integers and booleans. Errors:
        ValueError for bounds that are empty or outside of the dtype's, or a `size` that they do not broadcast to;
        TypeError for another dtype. Source: Lemire 2019.
        """
        return arguments.integers(self._stream, low, high, size, dtype, endpoint, False, "integers")

    def bytes(self, length):
        """Random bytes.

        Shapes: `length` bytes. Dtypes: none. Errors: TypeError for a length that is no integer; ValueError for a
        negative one.
        """
        words = self.integers(0, 4294967296, size=(length - 1) // 4 + 1, dtype=numpy.uint32)
        return words.tobytes()[:length]

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Elements of `a`, or of range(a), with or without repetition, possibly weighted.

        Shapes: `size`, then `a`'s without the axis; one element without. Dtypes: `a`'s, int64 for numbers. Errors:
        ValueError for `a` that is empty or not above 0, more draws than elements without repetition, or probabilities
        that are negative, of another number or do not sum to 1. Source: without repetition Floyd (Bentley and Floyd
        1987) or a shuffle's tail; with `p` inversion of its sums.
        """
        given = a
        a, population = _population(a, axis, size, given)
        shape = () if size is None else size
        count = 1 if size is None else math.prod(arguments.make_shape(size))
        if p is not None:
            p = arguments.checked_probabilities(p, population, _CHOICE_WORDS)
        if replace:
            indices = (
                self.integers(0, population, size=shape, dtype=numpy.int64)
                if p is None
                else arguments.weighted_indices(p, self.random(shape))
            )
        else:
            if count > population:
                raise ValueError("Cannot take a larger sample than population when replace is False")
            if count < 0:
                raise ValueError("negative dimensions are not allowed")
            indices = (
                self._stream.choose_distinct(population, count, bool(shuffle))
                if p is None
                else arguments.weighted_distinct(p, count, self.random)
            )
            indices = indices.reshape(arguments.make_shape(shape))
        if a is None:
            return int(indices) if size is None else indices
        return arguments.take(a, core.asarray(indices), size, axis)

    # Vectors --------------------------------------------------------------------------------------------------------

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
        """Normal vectors with the given mean and covariance.

        Shapes: `mean` of n, `cov` of n by n; `size`, then n. Dtypes: float64. Errors: ValueError for other shapes or,
        with `check_valid="raise"`, a covariance that is not positive-semidefinite, of which it warns by default;
        LinAlgError where the factorisation fails. Source: normal draws times a factor of the covariance by LAPACK.
        """
        import tessera.numpy as tnp

        if method not in {"eigh", "svd", "cholesky"}:
            raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
        mean, cov, shape = checks.checked_moments(mean, cov, size)
        if mean.dtype.kind == "c" or cov.dtype.kind == "c":
            raise TypeError("mean and cov must not be complex")
        x = self.standard_normal(shape).reshape(-1, mean.shape[0])
        cov = cov.astype(numpy.float64)
        if method == "cholesky":
            factor = tnp.linalg.cholesky(cov)
        elif method == "eigh":
            s, u = tnp.linalg.eigh(cov)
            checks.check_covariance(check_valid, lambda: not checks.any_true(s < -tol))
            factor = u * tnp.sqrt(abs(s))
        else:
            u, s, vh = tnp.linalg.svd(cov)
            checks.check_covariance(check_valid, lambda: tnp.allclose(tnp.dot(vh.T * s, vh), cov, rtol=tol, atol=tol))
            factor = u * tnp.sqrt(s)
        return (mean + x @ factor.T).reshape(shape)

    def multinomial(self, n, pvals, size=None):
        """How n balls fall into boxes with the given probabilities.

        Shapes: `n` and `pvals` without its last axis broadcast; that axis has the boxes. Dtypes: int64. Errors:
        ValueError for a negative n, probabilities outside of [0, 1] or whose sum is above 1, no boxes, or a `size` that
        they do not broadcast to. Source: binomial draws one after another.
        """
        rows = as_array(pvals)
        boxes = rows.shape[-1] if rows.ndim else 0
        if boxes == 0:
            raise ValueError(
                "pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0."
            )
        rows = checks.checked_pvals(rows, pvals)
        n = as_array(n)
        if checks.any_true(n < 0):
            raise ValueError("n < 0")
        return self._stream.multinomial(n, rows, None if size is None else arguments.make_shape(size))

    def multivariate_hypergeometric(self, colors, nsample, size=None, method="marginals"):
        """The colours of nsample balls drawn from an urn.

        Shapes: `colors` of n; `size`, then n. Dtypes: integers; the result is int64. Errors: ValueError for negative
        numbers, more draws than balls, an unknown method, or more balls than it takes. Source: hypergeometric draws one
        after another, or with `method="count"` a partial shuffle.
        """
        if method not in ("count", "marginals"):
            raise ValueError('method must be "count" or "marginals".')
        colors, nsample = checks.checked_urn(colors, nsample, method)
        return self._stream.urn(method == "count", colors, nsample, arguments.make_shape(size, colors.shape[0]))

    def dirichlet(self, alpha, size=None):
        """Vectors of proportions.

        Shapes: `alpha` of n; `size`, then n. Dtypes: float64. Errors: ValueError for other shapes or an alpha below 0.
        Source: gamma draws over their sum; beta draws for small alpha.
        """
        alpha = checks.checked_vector(alpha)
        if checks.any_true(alpha < 0):
            raise ValueError("alpha < 0")
        return self._stream.dirichlet(alpha, arguments.make_shape(size, alpha.shape[0]))

    # Orders ---------------------------------------------------------------------------------------------------------

    def shuffle(self, x, axis=0):
        """Reorder in place along an axis.

        Shapes: one axis or more, of which `axis` is reordered. Dtypes: any. Errors: ValueError for a read-only array;
        AxisError; TypeError for 0-D arrays; NotImplementedError for an axis of a list. Source: Fisher and Yates.
        """
        if isinstance(x, numpy.ndarray):
            return super().shuffle(x, axis)
        if not core.is_own(x):
            return checks.shuffle_sequence(self._stream, x, axis)
        if not x.flags.writeable:
            raise ValueError("array is read-only")
        if x.ndim == 0:
            raise TypeError("len() of unsized object")
        axis = normalize_axis_index(axis, x.ndim)
        if x.size:
            self._stream.shuffle(x, axis)

    def permutation(self, x, axis=0):
        """A shuffled copy, or a shuffled range.

        Shapes: `x`'s; 1-D for an integer. Dtypes: `x`'s; int64 for an integer. Errors: AxisError. Source: Fisher and
        Yates.
        """
        if isinstance(x, (int, numpy.integer)):
            order = core.arange(0, operator.index(x), 1)
            self._stream.shuffle(order, 0)
            return order
        copy = as_any_array(x).copy()
        axis = normalize_axis_index(axis, copy.ndim)
        self.shuffle(copy, axis)
        return copy

    def permuted(self, x, *, axis=None, out=None):
        """A copy in which every line along the axis (or the whole) is shuffled on its own.

        Shapes: `x`'s. Dtypes: `x`'s, or `out`'s that it casts safely to. Errors: AxisError; ValueError for an `out`
        that is read-only or of another shape; TypeError for one of another kind or dtype. Source: Fisher and Yates.
        """
        x = as_any_array(x)
        if not core.is_own(x):
            return super().permuted(x, axis=axis, out=out)
        if out is None:
            out = x.copy(order="K")
        elif not core.is_own(out):
            raise TypeError("out must be a numpy array")
        else:
            if not out.flags.writeable:
                raise ValueError("out is read-only")
            if out.shape != x.shape:
                raise ValueError("out must have the same shape as x")
            if not numpy.can_cast(x.dtype, out.dtype, "safe"):
                raise TypeError(
                    f"Cannot cast array data from {x.dtype!r} to {out.dtype!r} according to the rule 'safe'"
                )
            out[...] = x
        if axis is not None:
            self._stream.permute(out, normalize_axis_index(axis, out.ndim))
        elif out.ndim == 1 or out.flags.c_contiguous:
            self.shuffle(out.reshape(-1) if out.ndim != 1 else out)
        elif out.flags.f_contiguous:
            self.shuffle(out.T.reshape(-1))
        else:
            flat = out.flatten()
            self.shuffle(flat)
            out[...] = flat.reshape(out.shape)
        return out


# Parameters, what is drawn, what raises ValueError, and the source of the algorithm.
SIMPLE_DISTRIBUTIONS = {
    "beta": (
        ["a", "b"],
        "Beta draws.",
        "a or b that is not above 0",
        "Jöhnk 1964 for a and b up to 1, else ratios of gamma draws",
    ),
    "binomial": (
        ["n", "p"],
        "Successes among n trials.",
        "a negative n or p outside of [0, 1]",
        "inversion below n p = 30, else Kachitvichyanukul and Schmeiser 1988 (BTPE)",
    ),
    "chisquare": (["df"], "Chi-square draws.", "df that is not above 0", "gamma draws"),
    "exponential": (["scale=1.0"], "Exponential draws.", "a negative scale", "as `standard_exponential`"),
    "f": (["dfnum", "dfden"], "F draws.", "degrees of freedom that are not above 0", "ratios of chi-square draws"),
    "gamma": (["shape", "scale=1.0"], "Gamma draws.", "a negative shape or scale", "as `standard_gamma`"),
    "geometric": (
        ["p"],
        "The number of trials up to the first success.",
        "p outside of (0, 1]",
        "a search from p = 1/3 on, else inversion",
    ),
    "gumbel": (["loc=0.0", "scale=1.0"], "Gumbel draws.", "a negative scale", "inversion"),
    "laplace": (["loc=0.0", "scale=1.0"], "Laplace draws.", "a negative scale", "inversion"),
    "logistic": (["loc=0.0", "scale=1.0"], "Logistic draws.", "a negative scale", "inversion"),
    "lognormal": (["mean=0.0", "sigma=1.0"], "Log-normal draws.", "a negative sigma", "exponentials of normal draws"),
    "logseries": (["p"], "Logarithmic series draws.", "p outside of [0, 1)", "Kemp 1981"),
    "noncentral_chisquare": (
        ["df", "nonc"],
        "Noncentral chi-square draws.",
        "df that is not above 0 or a negative nonc",
        "a shifted normal's square beside a chi-square draw; up to df = 1 a Poisson mixture",
    ),
    "noncentral_f": (
        ["dfnum", "dfden", "nonc"],
        "Noncentral F draws.",
        "degrees of freedom that are not above 0 or a negative nonc",
        "ratios of chi-square draws",
    ),
    "normal": (["loc=0.0", "scale=1.0"], "Normal draws.", "a negative scale", "as `standard_normal`"),
    "pareto": (["a"], "Pareto II (Lomax) draws.", "a that is not above 0", "exponentials of exponential draws"),
    "poisson": (
        ["lam=1.0"],
        "Poisson draws.",
        "lam that is negative or too large for int64",
        "products of uniform draws below 10, else Hörmann 1993 (PTRS)",
    ),
    "power": (["a"], "Draws with density a x^(a-1) on [0, 1].", "a that is not above 0", "inversion"),
    "rayleigh": (["scale=1.0"], "Rayleigh draws.", "a negative scale", "inversion"),
    "standard_cauchy": ([], "Cauchy draws.", "", "ratios of normal draws"),
    "standard_t": (["df"], "Student's t draws.", "df that is not above 0", "a normal draw over a gamma draw's root"),
    "vonmises": (["mu", "kappa"], "Von Mises draws.", "a negative kappa", "Best and Fisher 1979"),
    "wald": (
        ["mean", "scale"],
        "Wald (inverse Gaussian) draws.",
        "a mean or scale that is not above 0",
        "Michael, Schucany and Haas 1976",
    ),
    "weibull": (["a"], "Weibull draws.", "a negative a", "powers of exponential draws"),
    "zipf": (["a"], "Zipf draws.", "a that is not above 1", "rejection, Devroye 1986"),
}
for _name, _described in SIMPLE_DISTRIBUTIONS.items():
    checks.define_simple(Generator, _name, *_described)


def default_rng(seed=None):
    """A Generator on PCG64 for a seed; a Generator, or a bit generator's Generator, when given one.

    Shapes: an integer or 1-D integers. Dtypes: integers. Errors: ValueError for negative seeds; TypeError for other
    ones.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.random.default_rng(7).integers(0, 10, 5)
    array([9, 6, 6, 8, 5])
    """
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, (numpy.random.Generator, numpy.random.RandomState)):
        return Generator(seed._bit_generator)
    if hasattr(seed, "capsule"):
        return Generator(seed)
    return Generator(PCG64(seed))


def _population(a, axis, size, given):
    """(array or None, number of things to choose from)."""
    wants_some = size is None or math.prod(arguments.make_shape(size)) != 0
    if not isinstance(a, int):
        a = as_any_array(a)
        if a.ndim:
            population = a.shape[axis]
            if population == 0 and wants_some:
                raise ValueError("a cannot be empty unless no samples are taken")
            return a, population
        a = a.item()
    try:
        population = operator.index(a)
    except TypeError as error:
        raise ValueError(f"a must be a sequence or an integer, not {type(given)}") from error
    if population <= 0 and wants_some:
        raise ValueError("a must be a positive integer unless no samples are taken")
    return None, population
