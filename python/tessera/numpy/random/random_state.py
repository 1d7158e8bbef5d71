"""RandomState: NumPy's legacy random interface, bit for bit, and the module functions over one of it."""

from __future__ import annotations

import math
import operator
import warnings

import numpy

from tessera import _core as core
from tessera import _fallback
from tessera.numpy._dispatch import as_any_array, as_array
from tessera.numpy.random import _arguments as arguments
from tessera.numpy.random import _checks as checks
from tessera.numpy.random.bit_generators import MT19937, BitGenerator
from tessera.numpy.random.generator import SIMPLE_DISTRIBUTIONS

_random = core.random

_CHOICE_WORDS = {
    "ndim": "'p' must be 1-dimensional",
    "size": "'a' and 'p' must have same size",
    "nan": "probabilities contain NaN",
    "negative": "probabilities are not non-negative",
    "sum": "probabilities do not sum to 1",
}


class RandomState(numpy.random.RandomState):
    """The Mersenne twister's distributions as they were frozen in NumPy 1.16.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.random.RandomState(7).randint(0, 10, 5)
    array([4, 9, 6, 3, 3])
    """

    def __init__(self, seed=None):
        if seed is None:
            bits = MT19937()
        elif hasattr(seed, "capsule"):
            bits = seed
        else:
            bits = MT19937()
            bits._legacy_seeding(seed)
        self._attach(bits)

    def _attach(self, bits):
        native = getattr(bits, "_native", None)
        if isinstance(bits, BitGenerator):
            bits.attach(super().__init__)
        else:
            super().__init__(bits)
            native = _random.bits_from_capsule(bits.capsule, bits.lock)
        self._stream = _random.Stream(native, True)

    def __reduce__(self):
        return RandomState, (self._bit_generator,), self.get_state(legacy=False)

    def __setstate__(self, state):
        self.set_state(state)

    def seed(self, seed=None):
        """Start over from a seed.

        Shapes: an integer or 1-D integers. Dtypes: integers below 2**32. Errors: TypeError unless the bits are
        MT19937's; ValueError for other seeds.
        """
        if not isinstance(self._bit_generator, (MT19937, numpy.random.MT19937)):
            raise TypeError("can only re-seed a MT19937 BitGenerator")
        self._bit_generator._legacy_seeding(seed)
        self._attach(self._bit_generator)

    def get_state(self, legacy=True):
        """The state, as NumPy's tuple or dictionary.

        Shapes: `key` has 624 words. Dtypes: uint32. Errors: none; warns where the bits are not MT19937's and a tuple is
        wanted.
        """
        state = self._bit_generator.state
        if state["bit_generator"] != "MT19937" and legacy:
            warnings.warn(
                "get_state and legacy can only be used with the MT19937 BitGenerator. To silence this warning, set "
                "`legacy` to False.",
                RuntimeWarning,
                stacklevel=2,
            )
            legacy = False
        has_gauss, gauss = self._stream.gauss()
        state["has_gauss"], state["gauss"] = int(has_gauss), gauss
        if legacy:
            return (state["bit_generator"], state["state"]["key"], state["state"]["pos"], int(has_gauss), gauss)
        return state

    def set_state(self, state):
        """Go on from a state `get_state` gave.

        Shapes: `key` has 624 words. Dtypes: uint32. Errors: ValueError for a state of another generator; TypeError for
        no tuple or dictionary.
        """
        if isinstance(state, dict):
            if "bit_generator" not in state or "state" not in state:
                raise ValueError("state dictionary is not valid.")
        else:
            if not isinstance(state, (tuple, list)):
                raise TypeError("state must be a dict or a tuple.")
            if state[0] != "MT19937":
                raise ValueError("set_state can only be used with legacy MT19937 state instances.")
            given = state
            state = {"bit_generator": given[0], "state": {"key": given[1], "pos": given[2]}}
            if len(given) > 3:
                state["has_gauss"], state["gauss"] = given[3], given[4]
        self._bit_generator.state = state
        self._stream.set_gauss(bool(state.get("has_gauss", 0)), float(state.get("gauss", 0.0)))

    def _sample(self, name, size, *parameters):
        result = self._stream.sample(name, size, *arguments.cut_counts(name, parameters))
        if result is NotImplemented:
            host = getattr(numpy.random.RandomState, name)
            return _fallback.call_function(
                host, f"random.{name}", (self, *parameters, size), {}, "an argument's dtype stays NumPy's"
            )
        return result

    # Uniform, normal, exponential -----------------------------------------------------------------------------------

    def random_sample(self, size=None):
        """Floats in [0, 1).

        Shapes: `size`; a number without. Dtypes: float64. Errors: ValueError for a negative `size`.
        """
        return self._stream.standard(arguments.UNIFORM, size, False)

    def random(self, size=None):
        """Floats in [0, 1).

        Shapes: `size`; a number without. Dtypes: float64. Errors: ValueError for a negative `size`.
        """
        return self._stream.standard(arguments.UNIFORM, size, False)

    def rand(self, *args):
        """Floats in [0, 1) of the given shape.

        Shapes: the arguments are the lengths; a number without. Dtypes: float64. Errors: ValueError for a negative
        length; TypeError for one that is no integer.
        """
        return self.random_sample(size=args or None)

    def randn(self, *args):
        """Normal draws of the given shape.

        Shapes: the arguments are the lengths; a number without. Dtypes: float64. Errors: ValueError for a negative
        length; TypeError for one that is no integer. Source: as `standard_normal`.
        """
        return self.standard_normal(size=args or None)

    def standard_normal(self, size=None):
        """Normal draws with mean 0 and deviation 1.

        Shapes: `size`; a number without. Dtypes: float64. Errors: ValueError for a negative `size`. Source: Marsaglia's
        polar method, 1964.
        """
        return self._stream.standard(arguments.NORMAL, size, False)

    def standard_exponential(self, size=None):
        """Exponential draws with mean 1.

        Shapes: `size`; a number without. Dtypes: float64. Errors: ValueError for a negative `size`. Source: inversion.
        """
        return self._stream.standard(arguments.EXPONENTIAL, size, False)

    def standard_gamma(self, shape, size=None):
        """Gamma draws of scale 1.

        Shapes: `size`, else `shape`'s; a number for scalars. Dtypes: float64. Errors: ValueError for a negative shape.
        Source: Marsaglia and Tsang 2000; below 1 Ahrens and Dieter 1974.
        """
        return self._sample("standard_gamma", size, shape)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Floats in [low, high).

        Shapes: `size`, else the parameters' common one; a number for scalars. Dtypes: float64. Errors: OverflowError
        for bounds whose difference is infinite; ValueError for a `size` that they do not broadcast to.
        """
        return arguments.uniform(self._stream, low, high, size, "Range exceeds valid bounds")

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
        checks.check_negative_binomial(n, p, self._poisson_lam_max, "RandomState")
        return self._sample("negative_binomial", size, n, p)

    def hypergeometric(self, ngood, nbad, nsample, size=None):
        """The number of good ones among nsample drawn from ngood and nbad.

        Shapes: `size`, else the parameters' common one; a number for scalars. Dtypes: int64. Errors: ValueError for
        negative numbers, more draws than balls, or a `size` that they do not broadcast to. Source: balls drawn one by
        one for small samples, else Stadlober 1990 (ratio of uniforms).
        """
        if checks.any_true(core.less(core.add(ngood, nbad), nsample)):
            raise ValueError("ngood + nbad < nsample")
        return self._sample("hypergeometric", size, ngood, nbad, nsample)

    # Integers, bytes, choices ---------------------------------------------------------------------------------------

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers from low up to, not including, high.

        Shapes: `size`, else the bounds' common one; a number for scalars. Dtypes: any integers and booleans. Errors:
        ValueError for bounds that are empty or outside of the dtype's, or a `size` that they do not broadcast to;
        TypeError for another dtype. Source: masks and rejection.
        """
        return arguments.integers(self._stream, low, high, size, dtype, False, True, "randint")

    def random_integers(self, low, high=None, size=None):
        """Integers from low to high, both included.

        Shapes: `size`; a number without. Dtypes: int64. Errors: ValueError where high is below low. Warns that it is
        deprecated.
        """
        if high is None:
            low, high = 1, low
        warnings.warn(
            f"This function is deprecated. Please call randint({low}, {high} + 1) instead",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.randint(low, int(high) + 1, size=size, dtype="l")

    def tomaxint(self, size=None):
        """Integers between 0 and the largest one.

        Shapes: `size`; a number without. Dtypes: int64. Errors: ValueError for a negative `size`.
        """
        words = self._stream.integers(0, 2**64 - 1, size, numpy.uint64, True)
        return int(words) >> 1 if size is None else (words >> 1).astype(numpy.int64)

    def bytes(self, length):
        """Random bytes.

        Shapes: `length` bytes. Dtypes: none. Errors: TypeError for a length that is no integer; ValueError for a
        negative one.
        """
        words = self.randint(0, 4294967296, size=(length - 1) // 4 + 1, dtype=numpy.uint32)
        return words.tobytes()[:length]

    def choice(self, a, size=None, replace=True, p=None):
        """Elements of `a`, or of range(a), with or without repetition, possibly weighted.

        Shapes: `size`; one element without. Dtypes: `a`'s, int64 for numbers. Errors: ValueError for `a` of several
        axes, empty or not above 0, more draws than elements without repetition, or probabilities that are negative, of
        another number or do not sum to 1. Source: with `p` inversion of its sums.
        """
        a, population = _population(a, size)
        shape = () if size is None else size
        count = 1 if size is None else math.prod(arguments.make_shape(size))
        if p is not None:
            p = arguments.checked_probabilities(p, population, _CHOICE_WORDS)
        if replace:
            indices = (
                self.randint(0, population, size=shape)
                if p is None
                else arguments.weighted_indices(p, self.random_sample(shape))
            )
        else:
            if count > population:
                raise ValueError("Cannot take a larger sample than population when 'replace=False'")
            if count < 0:
                raise ValueError("Negative dimensions are not allowed")
            indices = (
                self.permutation(population)[:count]
                if p is None
                else arguments.weighted_distinct(p, count, self.random_sample)
            )
            indices = indices.reshape(arguments.make_shape(shape))
        if a is None:
            return int(indices) if size is None else indices
        return arguments.take(a, core.asarray(indices), size, 0)

    # Vectors --------------------------------------------------------------------------------------------------------

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8):
        """Normal vectors with the given mean and covariance.

        Shapes: `mean` of n, `cov` of n by n; `size`, then n. Dtypes: float64. Errors: ValueError for other shapes or,
        with `check_valid="raise"`, a covariance that is not positive-semidefinite, of which it warns by default;
        LinAlgError where the factorisation fails. Source: normal draws times a factor of the covariance by LAPACK.
        """
        import tessera.numpy as tnp

        mean, cov, shape = checks.checked_moments(mean, cov, size)
        x = self.standard_normal(shape).reshape(-1, mean.shape[0])
        cov = cov.astype(numpy.float64)
        _, s, v = tnp.linalg.svd(cov)
        checks.check_covariance(check_valid, lambda: tnp.allclose(tnp.dot(v.T * s, v), cov, rtol=tol, atol=tol))
        return (tnp.dot(x, tnp.sqrt(s)[:, None] * v) + mean).reshape(shape)

    def multinomial(self, n, pvals, size=None):
        """How n balls fall into boxes with the given probabilities.

        Shapes: `pvals` of n; `size`, then n. Dtypes: int64. Errors: ValueError for a negative n, probabilities outside
        of [0, 1] or whose sum is above 1, or other shapes. Source: binomial draws one after another.
        """
        rows = as_array(pvals)
        if rows.ndim == 0:
            raise TypeError("pvals must be a 1-d sequence")
        if rows.ndim != 1:
            raise ValueError("object too deep for desired array")
        n = int(n)
        if rows.size == 0:
            return core.full(arguments.make_shape(size, 0), 0, numpy.int64)
        rows = checks.checked_pvals(rows, pvals)
        if n < 0:
            raise ValueError("n < 0")
        return self._stream.multinomial(core.asarray(n), rows, None if size is None else arguments.make_shape(size))

    def dirichlet(self, alpha, size=None):
        """Vectors of proportions.

        Shapes: `alpha` of n; `size`, then n. Dtypes: float64. Errors: ValueError for other shapes or an alpha that is
        not above 0. Source: gamma draws over their sum.
        """
        alpha = checks.checked_vector(alpha)
        if checks.any_true(alpha <= 0):
            raise ValueError("alpha <= 0")
        return self._stream.dirichlet(alpha, arguments.make_shape(size, alpha.shape[0]))

    # Orders ---------------------------------------------------------------------------------------------------------

    def shuffle(self, x):
        """Reorder in place along the first axis.

        Shapes: one axis or more, of which the first is reordered. Dtypes: any. Errors: ValueError for a read-only
        array; TypeError for what has no length. Source: Fisher and Yates.
        """
        if isinstance(x, numpy.ndarray):
            return super().shuffle(x)
        if not core.is_own(x):
            return checks.shuffle_sequence(self._stream, x, 0)
        if not x.flags.writeable:
            raise ValueError("array is read-only")
        if x.size:
            self._stream.shuffle(x, 0)

    def permutation(self, x):
        """A shuffled copy, or a shuffled range.

        Shapes: `x`'s; 1-D for an integer. Dtypes: `x`'s; int64 for an integer. Errors: IndexError for 0-D arrays.
        Source: Fisher and Yates.
        """
        if isinstance(x, (int, numpy.integer)):
            order = core.arange(0, operator.index(x), 1)
            self._stream.shuffle(order, 0)
            return order
        copy = as_any_array(x).copy()
        if copy.ndim < 1:
            raise IndexError("x must be an integer or at least 1-dimensional")
        self.shuffle(copy)
        return copy


def _population(a, size):
    """(array or None, number of things to choose from)."""
    wants_some = size is None or math.prod(arguments.make_shape(size)) != 0
    if not isinstance(a, int):
        a = as_any_array(a)
        if a.ndim > 1:
            raise ValueError("a must be 1-dimensional")
        if a.ndim == 1:
            if a.shape[0] == 0 and wants_some:
                raise ValueError("'a' cannot be empty unless no samples are taken")
            return a, a.shape[0]
        a = a.item()
    try:
        population = operator.index(a)
    except TypeError:
        raise ValueError("a must be 1-dimensional or an integer") from None
    if population <= 0 and wants_some:
        raise ValueError("a must be greater than 0 unless no samples are taken")
    return None, population


for _name, _described in SIMPLE_DISTRIBUTIONS.items():
    checks.define_simple(RandomState, _name, *_described)
