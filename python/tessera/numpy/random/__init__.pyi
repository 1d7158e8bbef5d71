# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

class BitGenerator:
    """What the native bit generators share."""
    def __init__(self, seed: Any = ...) -> None:
        """Initialize self. See help(type(self)) for accurate signature."""
    def attach(self, initialize: Any) -> Any:
        """Calls what makes one of this package's generators over these bits, which holds no lock of NumPy's."""
    @property
    def capsule(self) -> Any:
        """The table of functions that C code, NumPy's own generators among it, draws bits through, holding `lock`."""
    @property
    def cffi(self) -> Any:
        """CFFI interface"""
    @property
    def ctypes(self) -> Any:
        """ctypes interface"""
    def jumped(self, jumps: SupportsIndex = ...) -> Any:
        """A new generator as far ahead as `jumps` times a very large number of draws."""
    @property
    def lock(self) -> Any: ...
    def random_raw(self, size: SupportsIndex | Sequence[SupportsIndex] | None = ..., output: bool = ...) -> Any:
        """The generator's words as they come."""
    @property
    def seed_seq(self) -> Any:
        """The seed sequence the generator started from, None where it was seeded otherwise."""
    def spawn(self, n_children: SupportsIndex) -> list[Any]:
        """Generators on independent bits."""
    @property
    def state(self) -> Any:
        """Get or set the PRNG state"""
class Generator:
    """Random numbers of many distributions from one bit generator: the same as NumPy's for the same seed."""
    def __init__(self, bit_generator: Any) -> None:
        """Initialize self. See help(type(self)) for accurate signature."""
    def beta(self, a: ArrayLike, b: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Beta draws."""
    def binomial(self, n: ArrayLike, p: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Successes among n trials."""
    @property
    def bit_generator(self) -> Any:
        """Gets the bit generator instance used by the generator"""
    def bytes(self, length: SupportsIndex) -> builtins.bytes:
        """Random bytes."""
    def chisquare(self, df: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Chi-square draws."""
    def choice(self, a: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ..., replace: bool = ..., p: ArrayLike | None = ..., axis: SupportsIndex | None = ..., shuffle: bool = ...) -> Any:
        """Elements of `a`, or of range(a), with or without repetition, possibly weighted."""
    def dirichlet(self, alpha: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Vectors of proportions."""
    def exponential(self, scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Exponential draws."""
    def f(self, dfnum: ArrayLike, dfden: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """F draws."""
    def gamma(self, shape: SupportsIndex | Sequence[SupportsIndex], scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Gamma draws."""
    def geometric(self, p: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """The number of trials up to the first success."""
    def gumbel(self, loc: ArrayLike = ..., scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Gumbel draws."""
    def hypergeometric(self, ngood: ArrayLike, nbad: ArrayLike, nsample: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """The number of good ones among nsample drawn from ngood and nbad."""
    def integers(self, low: ArrayLike, high: ArrayLike | None = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ..., dtype: DTypeLike = ..., endpoint: bool = ...) -> Any:
        """Integers from low to high, high excluded unless `endpoint`."""
    def laplace(self, loc: ArrayLike = ..., scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Laplace draws."""
    def logistic(self, loc: ArrayLike = ..., scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Logistic draws."""
    def lognormal(self, mean: ArrayLike = ..., sigma: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Log-normal draws."""
    def logseries(self, p: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Logarithmic series draws."""
    def multinomial(self, n: ArrayLike, pvals: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """How n balls fall into boxes with the given probabilities."""
    def multivariate_hypergeometric(self, colors: ArrayLike, nsample: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ..., method: str = ...) -> Any:
        """The colours of nsample balls drawn from an urn."""
    def multivariate_normal(self, mean: ArrayLike, cov: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ..., check_valid: str = ..., tol: float = ..., *, method: str = ...) -> Any:
        """Normal vectors with the given mean and covariance."""
    def negative_binomial(self, n: ArrayLike, p: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """The number of failures before n successes."""
    def noncentral_chisquare(self, df: ArrayLike, nonc: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Noncentral chi-square draws."""
    def noncentral_f(self, dfnum: ArrayLike, dfden: ArrayLike, nonc: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Noncentral F draws."""
    def normal(self, loc: ArrayLike = ..., scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Normal draws."""
    def pareto(self, a: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Pareto II (Lomax) draws."""
    def permutation(self, x: ArrayLike, axis: SupportsIndex | None = ...) -> Any:
        """A shuffled copy, or a shuffled range."""
    def permuted(self, x: ArrayLike, *, axis: Any | None = ..., out: NDArray[Any] | None = ...) -> Any:
        """A copy in which every line along the axis (or the whole) is shuffled on its own."""
    def poisson(self, lam: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Poisson draws."""
    def power(self, a: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Draws with density a x^(a-1) on [0, 1]."""
    def random(self, size: SupportsIndex | Sequence[SupportsIndex] | None = ..., dtype: DTypeLike = ..., out: NDArray[Any] | None = ...) -> Any:
        """Floats in [0, 1)."""
    def rayleigh(self, scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Rayleigh draws."""
    def shuffle(self, x: Any, axis: SupportsIndex | None = ...) -> None:
        """Reorder in place along an axis."""
    def spawn(self, n_children: SupportsIndex) -> list[Any]:
        """New generators on independent bits."""
    def standard_cauchy(self, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Cauchy draws."""
    def standard_exponential(self, size: SupportsIndex | Sequence[SupportsIndex] | None = ..., dtype: DTypeLike = ..., method: str = ..., out: NDArray[Any] | None = ...) -> Any:
        """Exponential draws with mean 1."""
    def standard_gamma(self, shape: SupportsIndex | Sequence[SupportsIndex], size: SupportsIndex | Sequence[SupportsIndex] | None = ..., dtype: DTypeLike = ..., out: NDArray[Any] | None = ...) -> Any:
        """Gamma draws of scale 1."""
    def standard_normal(self, size: SupportsIndex | Sequence[SupportsIndex] | None = ..., dtype: DTypeLike = ..., out: NDArray[Any] | None = ...) -> Any:
        """Normal draws with mean 0 and deviation 1."""
    def standard_t(self, df: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Student's t draws."""
    def triangular(self, left: ArrayLike, mode: Any, right: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Triangular draws between left and right with the given mode."""
    def uniform(self, low: ArrayLike = ..., high: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Floats in [low, high)."""
    def vonmises(self, mu: ArrayLike, kappa: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Von Mises draws."""
    def wald(self, mean: ArrayLike, scale: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Wald (inverse Gaussian) draws."""
    def weibull(self, a: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Weibull draws."""
    def zipf(self, a: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Zipf draws."""
class IndexGenerator:
    """Draws number `index` of a stream: `uniform(3, start=5)` gives numbers 5, 6 and 7 of it."""
    def __init__(self, seed: Any = ...) -> None:
        """Initialize self. See help(type(self)) for accurate signature."""
    def integers(self, low: ArrayLike, high: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex], start: SupportsIndex = ...) -> Any:
        """Integers from low up to, not including, high: all as likely, to one part in 2**32 or better."""
    def normal(self, size: SupportsIndex | Sequence[SupportsIndex], start: SupportsIndex = ..., dtype: DTypeLike = ...) -> Any:
        """Standard normal numbers."""
    def uniform(self, size: SupportsIndex | Sequence[SupportsIndex], start: SupportsIndex = ..., dtype: DTypeLike = ...) -> Any:
        """Uniform numbers in [0, 1)."""
class MT19937:
    """The Mersenne twister."""
    def __init__(self, seed: Any = ...) -> None:
        """Initialize self. See help(type(self)) for accurate signature."""
    def attach(self, initialize: Any) -> Any:
        """Calls what makes one of this package's generators over these bits, which holds no lock of NumPy's."""
    @property
    def capsule(self) -> Any:
        """The table of functions that C code, NumPy's own generators among it, draws bits through, holding `lock`."""
    @property
    def cffi(self) -> Any:
        """CFFI interface"""
    @property
    def ctypes(self) -> Any:
        """ctypes interface"""
    def jumped(self, jumps: SupportsIndex = ...) -> Any:
        """A new generator as far ahead as `jumps` times a very large number of draws."""
    @property
    def lock(self) -> Any:
        """What who draws holds, and who else draws from the same state."""
    def random_raw(self, size: SupportsIndex | Sequence[SupportsIndex] | None = ..., output: bool = ...) -> Any:
        """The generator's words as they come."""
    @property
    def seed_seq(self) -> Any:
        """The seed sequence the generator started from, None where it was seeded otherwise."""
    def spawn(self, n_children: SupportsIndex) -> list[Any]:
        """Generators on independent bits."""
    @property
    def state(self) -> Any:
        """The state as NumPy's dictionary."""
class PCG64:
    """PCG64: a 128-bit linear congruential generator with permuted output."""
    def __init__(self, seed: Any = ...) -> None:
        """Initialize self. See help(type(self)) for accurate signature."""
    def advance(self, delta: Any) -> Any:
        """Move on as if `delta` numbers had been drawn."""
    def attach(self, initialize: Any) -> Any:
        """Calls what makes one of this package's generators over these bits, which holds no lock of NumPy's."""
    @property
    def capsule(self) -> Any:
        """The table of functions that C code, NumPy's own generators among it, draws bits through, holding `lock`."""
    @property
    def cffi(self) -> Any:
        """CFFI interface"""
    @property
    def ctypes(self) -> Any:
        """ctypes interface"""
    def jumped(self, jumps: SupportsIndex = ...) -> Any:
        """A new generator as far ahead as `jumps` times a very large number of draws."""
    @property
    def lock(self) -> Any: ...
    def random_raw(self, size: SupportsIndex | Sequence[SupportsIndex] | None = ..., output: bool = ...) -> Any:
        """The generator's words as they come."""
    @property
    def seed_seq(self) -> Any:
        """The seed sequence the generator started from, None where it was seeded otherwise."""
    def spawn(self, n_children: SupportsIndex) -> list[Any]:
        """Generators on independent bits."""
    @property
    def state(self) -> Any:
        """The state as NumPy's dictionary."""
class PCG64DXSM:
    """PCG64 with the DXSM output function."""
    def __init__(self, seed: Any = ...) -> None:
        """Initialize self. See help(type(self)) for accurate signature."""
    def advance(self, delta: Any) -> Any:
        """Move on as if `delta` numbers had been drawn."""
    def attach(self, initialize: Any) -> Any:
        """Calls what makes one of this package's generators over these bits, which holds no lock of NumPy's."""
    @property
    def capsule(self) -> Any:
        """The table of functions that C code, NumPy's own generators among it, draws bits through, holding `lock`."""
    @property
    def cffi(self) -> Any:
        """CFFI interface"""
    @property
    def ctypes(self) -> Any:
        """ctypes interface"""
    def jumped(self, jumps: SupportsIndex = ...) -> Any:
        """A new generator as far ahead as `jumps` times a very large number of draws."""
    @property
    def lock(self) -> Any: ...
    def random_raw(self, size: SupportsIndex | Sequence[SupportsIndex] | None = ..., output: bool = ...) -> Any:
        """The generator's words as they come."""
    @property
    def seed_seq(self) -> Any:
        """The seed sequence the generator started from, None where it was seeded otherwise."""
    def spawn(self, n_children: SupportsIndex) -> list[Any]:
        """Generators on independent bits."""
    @property
    def state(self) -> Any:
        """The state as NumPy's dictionary."""
class Philox:
    """Philox4x64: a counter enciphered by ten rounds under a key."""
    def __init__(self, seed: Any = ..., counter: Any = ..., key: Any = ...) -> None:
        """Initialize self. See help(type(self)) for accurate signature."""
    def advance(self, delta: Any) -> Any:
        """Move on as if `delta` blocks of four numbers had been drawn."""
    def attach(self, initialize: Any) -> Any:
        """Calls what makes one of this package's generators over these bits, which holds no lock of NumPy's."""
    @property
    def capsule(self) -> Any:
        """The table of functions that C code, NumPy's own generators among it, draws bits through, holding `lock`."""
    @property
    def cffi(self) -> Any:
        """CFFI interface"""
    @property
    def ctypes(self) -> Any:
        """ctypes interface"""
    def jumped(self, jumps: SupportsIndex = ...) -> Any:
        """A new generator as far ahead as `jumps` times a very large number of draws."""
    @property
    def lock(self) -> Any: ...
    def random_raw(self, size: SupportsIndex | Sequence[SupportsIndex] | None = ..., output: bool = ...) -> Any:
        """The generator's words as they come."""
    @property
    def seed_seq(self) -> Any:
        """The seed sequence the generator started from, None where it was seeded otherwise."""
    def spawn(self, n_children: SupportsIndex) -> list[Any]:
        """Generators on independent bits."""
    @property
    def state(self) -> Any:
        """The state as NumPy's dictionary."""
class RandomState:
    """The Mersenne twister's distributions as they were frozen in NumPy 1.16."""
    def __init__(self, seed: Any = ...) -> None:
        """Initialize self. See help(type(self)) for accurate signature."""
    def beta(self, a: ArrayLike, b: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Beta draws."""
    def binomial(self, n: ArrayLike, p: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Successes among n trials."""
    def bytes(self, length: SupportsIndex) -> builtins.bytes:
        """Random bytes."""
    def chisquare(self, df: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Chi-square draws."""
    def choice(self, a: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ..., replace: bool = ..., p: ArrayLike | None = ...) -> Any:
        """Elements of `a`, or of range(a), with or without repetition, possibly weighted."""
    def dirichlet(self, alpha: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Vectors of proportions."""
    def exponential(self, scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Exponential draws."""
    def f(self, dfnum: ArrayLike, dfden: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """F draws."""
    def gamma(self, shape: SupportsIndex | Sequence[SupportsIndex], scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Gamma draws."""
    def geometric(self, p: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """The number of trials up to the first success."""
    def get_state(self, legacy: bool = ...) -> Any:
        """The state, as NumPy's tuple or dictionary."""
    def gumbel(self, loc: ArrayLike = ..., scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Gumbel draws."""
    def hypergeometric(self, ngood: ArrayLike, nbad: ArrayLike, nsample: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """The number of good ones among nsample drawn from ngood and nbad."""
    def laplace(self, loc: ArrayLike = ..., scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Laplace draws."""
    def logistic(self, loc: ArrayLike = ..., scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Logistic draws."""
    def lognormal(self, mean: ArrayLike = ..., sigma: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Log-normal draws."""
    def logseries(self, p: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Logarithmic series draws."""
    def multinomial(self, n: ArrayLike, pvals: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """How n balls fall into boxes with the given probabilities."""
    def multivariate_normal(self, mean: ArrayLike, cov: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ..., check_valid: str = ..., tol: float = ...) -> Any:
        """Normal vectors with the given mean and covariance."""
    def negative_binomial(self, n: ArrayLike, p: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """The number of failures before n successes."""
    def noncentral_chisquare(self, df: ArrayLike, nonc: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Noncentral chi-square draws."""
    def noncentral_f(self, dfnum: ArrayLike, dfden: ArrayLike, nonc: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Noncentral F draws."""
    def normal(self, loc: ArrayLike = ..., scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Normal draws."""
    def pareto(self, a: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Pareto II (Lomax) draws."""
    def permutation(self, x: ArrayLike) -> Any:
        """A shuffled copy, or a shuffled range."""
    def poisson(self, lam: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Poisson draws."""
    def power(self, a: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Draws with density a x^(a-1) on [0, 1]."""
    def rand(self, *args: Any) -> Any:
        """Floats in [0, 1) of the given shape."""
    def randint(self, low: ArrayLike, high: ArrayLike | None = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ..., dtype: DTypeLike = ...) -> Any:
        """Integers from low up to, not including, high."""
    def randn(self, *args: Any) -> Any:
        """Normal draws of the given shape."""
    def random(self, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Floats in [0, 1)."""
    def random_integers(self, low: ArrayLike, high: ArrayLike | None = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Integers from low to high, both included."""
    def random_sample(self, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Floats in [0, 1)."""
    def rayleigh(self, scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Rayleigh draws."""
    def seed(self, seed: Any = ...) -> None:
        """Start over from a seed."""
    def set_state(self, state: Any) -> None:
        """Go on from a state `get_state` gave."""
    def shuffle(self, x: Any) -> None:
        """Reorder in place along the first axis."""
    def standard_cauchy(self, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Cauchy draws."""
    def standard_exponential(self, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Exponential draws with mean 1."""
    def standard_gamma(self, shape: SupportsIndex | Sequence[SupportsIndex], size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Gamma draws of scale 1."""
    def standard_normal(self, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Normal draws with mean 0 and deviation 1."""
    def standard_t(self, df: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Student's t draws."""
    def tomaxint(self, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Integers between 0 and the largest one."""
    def triangular(self, left: ArrayLike, mode: Any, right: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Triangular draws between left and right with the given mode."""
    def uniform(self, low: ArrayLike = ..., high: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Floats in [low, high)."""
    def vonmises(self, mu: ArrayLike, kappa: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Von Mises draws."""
    def wald(self, mean: ArrayLike, scale: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Wald (inverse Gaussian) draws."""
    def weibull(self, a: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Weibull draws."""
    def zipf(self, a: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
        """Zipf draws."""
class SFC64:
    """Chris Doty-Humphrey's small fast chaotic generator."""
    def __init__(self, seed: Any = ...) -> None:
        """Initialize self. See help(type(self)) for accurate signature."""
    def attach(self, initialize: Any) -> Any:
        """Calls what makes one of this package's generators over these bits, which holds no lock of NumPy's."""
    @property
    def capsule(self) -> Any:
        """The table of functions that C code, NumPy's own generators among it, draws bits through, holding `lock`."""
    @property
    def cffi(self) -> Any:
        """CFFI interface"""
    @property
    def ctypes(self) -> Any:
        """ctypes interface"""
    def jumped(self, jumps: SupportsIndex = ...) -> Any:
        """Not defined for this generator."""
    @property
    def lock(self) -> Any: ...
    def random_raw(self, size: SupportsIndex | Sequence[SupportsIndex] | None = ..., output: bool = ...) -> Any:
        """The generator's words as they come."""
    @property
    def seed_seq(self) -> Any:
        """The seed sequence the generator started from, None where it was seeded otherwise."""
    def spawn(self, n_children: SupportsIndex) -> list[Any]:
        """Generators on independent bits."""
    @property
    def state(self) -> Any:
        """The state as NumPy's dictionary."""
class SeedSequence:
    """NumPy's, which takes tessera arrays for entropy too."""
    def __init__(self, entropy: Any = ..., *, spawn_key: Any = ..., pool_size: SupportsIndex = ..., n_children_spawned: SupportsIndex = ...) -> None:
        """Initialize self. See help(type(self)) for accurate signature."""
    @property
    def entropy(self) -> Any: ...
    def generate_state(self, n_words: Any, dtype: DTypeLike = ...) -> Any:
        """Return the requested number of words for PRNG seeding."""
    @property
    def n_children_spawned(self) -> Any: ...
    @property
    def pool(self) -> Any: ...
    @property
    def pool_size(self) -> Any: ...
    def spawn(self, n_children: SupportsIndex) -> list[Any]:
        """Spawn a number of child `SeedSequence` s by extending the `spawn_key`."""
    @property
    def spawn_key(self) -> Any: ...
    @property
    def state(self) -> Any: ...
def beta(a: ArrayLike, b: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Beta draws."""
def binomial(n: ArrayLike, p: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Successes among n trials."""
def bytes(length: SupportsIndex) -> builtins.bytes:
    """Random bytes."""
def chisquare(df: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Chi-square draws."""
def choice(a: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ..., replace: bool = ..., p: ArrayLike | None = ...) -> Any:
    """Elements of `a`, or of range(a), with or without repetition, possibly weighted."""
def default_rng(seed: Any = ...) -> Generator:
    """A Generator on PCG64 for a seed; a Generator, or a bit generator's Generator, when given one."""
def dirichlet(alpha: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Vectors of proportions."""
def exponential(scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Exponential draws."""
def f(dfnum: ArrayLike, dfden: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """F draws."""
def gamma(shape: SupportsIndex | Sequence[SupportsIndex], scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Gamma draws."""
def geometric(p: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """The number of trials up to the first success."""
def get_bit_generator() -> Any:
    """The bit generator behind the module functions."""
def get_state(legacy: bool = ...) -> Any:
    """The state, as NumPy's tuple or dictionary."""
def gumbel(loc: ArrayLike = ..., scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Gumbel draws."""
def hypergeometric(ngood: ArrayLike, nbad: ArrayLike, nsample: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """The number of good ones among nsample drawn from ngood and nbad."""
def index_generator(seed: Any = ...) -> IndexGenerator:
    """A generator whose numbers are functions of the seed and their index."""
def laplace(loc: ArrayLike = ..., scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Laplace draws."""
def logistic(loc: ArrayLike = ..., scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Logistic draws."""
def lognormal(mean: ArrayLike = ..., sigma: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Log-normal draws."""
def logseries(p: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Logarithmic series draws."""
def multinomial(n: ArrayLike, pvals: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """How n balls fall into boxes with the given probabilities."""
def multivariate_normal(mean: ArrayLike, cov: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ..., check_valid: str = ..., tol: float = ...) -> Any:
    """Normal vectors with the given mean and covariance."""
def negative_binomial(n: ArrayLike, p: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """The number of failures before n successes."""
def noncentral_chisquare(df: ArrayLike, nonc: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Noncentral chi-square draws."""
def noncentral_f(dfnum: ArrayLike, dfden: ArrayLike, nonc: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Noncentral F draws."""
def normal(loc: ArrayLike = ..., scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Normal draws."""
def pareto(a: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Pareto II (Lomax) draws."""
def permutation(x: ArrayLike) -> Any:
    """A shuffled copy, or a shuffled range."""
def poisson(lam: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Poisson draws."""
def power(a: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Draws with density a x^(a-1) on [0, 1]."""
def rand(*args: Any) -> Any:
    """Floats in [0, 1) of the given shape."""
def randint(low: ArrayLike, high: ArrayLike | None = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ..., dtype: DTypeLike = ...) -> Any:
    """Integers from low up to, not including, high."""
def randn(*args: Any) -> Any:
    """Normal draws of the given shape."""
def random(size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Floats in [0, 1)."""
def random_integers(low: ArrayLike, high: ArrayLike | None = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Integers from low to high, both included."""
def random_sample(size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Floats in [0, 1)."""
def ranf(*args: Any, **kwargs: Any) -> Any:
    """An old name of `random_sample`."""
def rayleigh(scale: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Rayleigh draws."""
def sample(*args: Any, **kwargs: Any) -> Any:
    """An old name of `random_sample`."""
def seed(seed: Any = ...) -> None:
    """Start the module's own generator over from a seed."""
def set_bit_generator(bitgen: Any) -> Any:
    """Put another bit generator behind the module functions."""
def set_state(state: Any) -> None:
    """Go on from a state `get_state` gave."""
def shuffle(x: Any) -> None:
    """Reorder in place along the first axis."""
def standard_cauchy(size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Cauchy draws."""
def standard_exponential(size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Exponential draws with mean 1."""
def standard_gamma(shape: SupportsIndex | Sequence[SupportsIndex], size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Gamma draws of scale 1."""
def standard_normal(size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Normal draws with mean 0 and deviation 1."""
def standard_t(df: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Student's t draws."""
def triangular(left: ArrayLike, mode: Any, right: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Triangular draws between left and right with the given mode."""
def uniform(low: ArrayLike = ..., high: ArrayLike = ..., size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Floats in [low, high)."""
def vonmises(mu: ArrayLike, kappa: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Von Mises draws."""
def wald(mean: ArrayLike, scale: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Wald (inverse Gaussian) draws."""
def weibull(a: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Weibull draws."""
def zipf(a: ArrayLike, size: SupportsIndex | Sequence[SupportsIndex] | None = ...) -> Any:
    """Zipf draws."""

__all__ = [
    "BitGenerator",
    "Generator",
    "IndexGenerator",
    "MT19937",
    "PCG64",
    "PCG64DXSM",
    "Philox",
    "RandomState",
    "SFC64",
    "SeedSequence",
    "beta",
    "binomial",
    "bytes",
    "chisquare",
    "choice",
    "default_rng",
    "dirichlet",
    "exponential",
    "f",
    "gamma",
    "geometric",
    "get_bit_generator",
    "get_state",
    "gumbel",
    "hypergeometric",
    "index_generator",
    "laplace",
    "logistic",
    "lognormal",
    "logseries",
    "multinomial",
    "multivariate_normal",
    "negative_binomial",
    "noncentral_chisquare",
    "noncentral_f",
    "normal",
    "pareto",
    "permutation",
    "poisson",
    "power",
    "rand",
    "randint",
    "randn",
    "random",
    "random_integers",
    "random_sample",
    "ranf",
    "rayleigh",
    "sample",
    "seed",
    "set_bit_generator",
    "set_state",
    "shuffle",
    "standard_cauchy",
    "standard_exponential",
    "standard_gamma",
    "standard_normal",
    "standard_t",
    "triangular",
    "uniform",
    "vonmises",
    "wald",
    "weibull",
    "zipf",
]
