# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc
from numpy import errstate as errstate
from numpy import geterr as geterr
from numpy import round as round
from numpy import seterr as seterr
from tessera._core import ufunc_1_1
from tessera._core import ufunc_2_1

class SpecialFunctionError(Exception):
    """Exception that can be raised by special functions."""
class SpecialFunctionWarning(Warning):
    """Warning that can be emitted by special functions."""
def agm(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Compute the arithmetic-geometric mean of `a` and `b`."""
def ai_zeros(nt: Any) -> Any:
    """Compute `nt` zeros and values of the Airy function Ai and its derivative."""
def airy(x: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Airy functions and their derivatives."""
def airye(x: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Exponentially scaled Airy functions and their derivatives."""
def assoc_laguerre(x: ArrayLike, n: ArrayLike, k: SupportsIndex = ...) -> Any:
    """Compute the generalized (associated) Laguerre polynomial of degree n and order k."""
def assoc_legendre_p(*args: Any, **kwargs: Any) -> Any:
    """Associated Legendre polynomial of the first kind."""
def assoc_legendre_p_all(*args: Any, **kwargs: Any) -> Any:
    """All associated Legendre polynomials of the first kind up to the specified degree ``n``, order ``m``, and all
    derivatives up to order ``diff_n``."""
def bdtr(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Binomial distribution cumulative distribution function."""
def bdtrc(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Binomial distribution survival function."""
def bdtri(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse function to `bdtr` with respect to `p`."""
def bdtrik(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse function to `bdtr` with respect to `k`."""
def bdtrin(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse function to `bdtr` with respect to `n`."""
def bei(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Kelvin function bei."""
def bei_zeros(nt: Any) -> Any:
    """Compute nt zeros of the Kelvin function bei."""
def beip(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Derivative of the Kelvin function bei."""
def beip_zeros(nt: Any) -> Any:
    """Compute nt zeros of the derivative of the Kelvin function bei."""
def ber(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Kelvin function ber."""
def ber_zeros(nt: Any) -> Any:
    """Compute nt zeros of the Kelvin function ber."""
def bernoulli(n: ArrayLike) -> Any:
    """Bernoulli numbers B0..Bn (inclusive)."""
def berp(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Derivative of the Kelvin function ber."""
def berp_zeros(nt: Any) -> Any:
    """Compute nt zeros of the derivative of the Kelvin function ber."""
def besselpoly(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Weighted integral of the Bessel function of the first kind."""
beta: ufunc_2_1
def betainc(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Regularized incomplete beta function."""
def betaincc(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Complement of the regularized incomplete beta function."""
def betainccinv(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse of the complemented regularized incomplete beta function."""
def betaincinv(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse of the regularized incomplete beta function."""
betaln: ufunc_2_1
def bi_zeros(nt: Any) -> Any:
    """Compute `nt` zeros and values of the Airy function Bi and its derivative."""
def binom(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Binomial coefficient considered as a function of two real variables."""
boxcox: ufunc_2_1
boxcox1p: ufunc_2_1
def btdtria(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse of `betainc` with respect to `a`."""
def btdtrib(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """btdtria(a, p, x, out=None)"""
def c_roots(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Chebyshev (first kind) quadrature."""
cbrt: ufunc_1_1
def cg_roots(n: ArrayLike, alpha: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Gegenbauer quadrature."""
def chdtr(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Chi square cumulative distribution function."""
def chdtrc(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Chi square survival function."""
def chdtri(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse to `chdtrc` with respect to `x`."""
def chdtriv(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse to `chdtr` with respect to `v`."""
def chebyc(n: ArrayLike, monic: bool = ...) -> Any:
    """Chebyshev polynomial of the first kind on :math:`[-2, 2]`."""
def chebys(n: ArrayLike, monic: bool = ...) -> Any:
    """Chebyshev polynomial of the second kind on :math:`[-2, 2]`."""
def chebyt(n: ArrayLike, monic: bool = ...) -> Any:
    """Chebyshev polynomial of the first kind."""
def chebyu(n: ArrayLike, monic: bool = ...) -> Any:
    """Chebyshev polynomial of the second kind."""
def chndtr(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Non-central chi square cumulative distribution function"""
def chndtridf(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse to `chndtr` vs `df`"""
def chndtrinc(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse to `chndtr` vs `nc`"""
def chndtrix(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse to `chndtr` vs `x`"""
def comb(N: SupportsIndex, k: SupportsIndex, *, exact: bool = ..., repetition: bool = ...) -> Any:
    """The number of combinations of N things taken k at a time."""
def cosdg(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Cosine of the angle `x` given in degrees."""
cosm1: ufunc_1_1
def cotdg(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Cotangent of the angle `x` given in degrees."""
def dawsn(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Dawson's integral."""
digamma: ufunc_1_1
def diric(x: ArrayLike, n: ArrayLike) -> Any:
    """Periodic sinc function, also called the Dirichlet kernel."""
def ellip_harm(h2: Any, k2: Any, n: ArrayLike, p: ArrayLike, s: Any, signm: SupportsIndex = ..., signn: SupportsIndex = ...) -> Any:
    """Ellipsoidal harmonic functions E^p_n(l)"""
def ellip_harm_2(h2: Any, k2: Any, n: ArrayLike, p: ArrayLike, s: Any) -> Any:
    """Ellipsoidal harmonic functions F^p_n(l)"""
def ellip_normal(h2: Any, k2: Any, n: ArrayLike, p: ArrayLike) -> Any:
    """Ellipsoidal harmonic normalization constants gamma^p_n"""
def ellipe(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Complete elliptic integral of the second kind"""
def ellipeinc(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Incomplete elliptic integral of the second kind"""
def ellipj(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Jacobi elliptic functions"""
def ellipk(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Complete elliptic integral of the first kind."""
def ellipkinc(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Incomplete elliptic integral of the first kind"""
def ellipkm1(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Complete elliptic integral of the first kind around `m` = 1"""
def elliprc(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Degenerate symmetric elliptic integral."""
def elliprd(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Symmetric elliptic integral of the second kind."""
def elliprf(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Completely-symmetric elliptic integral of the first kind."""
def elliprg(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Completely-symmetric elliptic integral of the second kind."""
def elliprj(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Symmetric elliptic integral of the third kind."""
entr: ufunc_1_1
erf: ufunc_1_1
def erf_zeros(nt: Any) -> Any:
    """Compute the first nt zero in the first quadrant, ordered by absolute value."""
erfc: ufunc_1_1
erfcinv: ufunc_1_1
erfcx: ufunc_1_1
def erfi(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Imaginary error function, ``-i erf(i z)``."""
erfinv: ufunc_1_1
def euler(n: ArrayLike) -> Any:
    """Euler numbers E(0), E(1), ..., E(n)."""
def eval_chebyc(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Evaluate Chebyshev polynomial of the first kind on [-2, 2] at a point."""
def eval_chebys(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Evaluate Chebyshev polynomial of the second kind on [-2, 2] at a point."""
def eval_chebyt(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Evaluate Chebyshev polynomial of the first kind at a point."""
def eval_chebyu(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Evaluate Chebyshev polynomial of the second kind at a point."""
def eval_gegenbauer(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Evaluate Gegenbauer polynomial at a point."""
def eval_genlaguerre(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Evaluate generalized Laguerre polynomial at a point."""
def eval_hermite(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Evaluate physicist's Hermite polynomial at a point."""
def eval_hermitenorm(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Evaluate probabilist's (normalized) Hermite polynomial at a point."""
def eval_jacobi(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Evaluate Jacobi polynomial at a point."""
def eval_laguerre(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Evaluate Laguerre polynomial at a point."""
def eval_legendre(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Evaluate Legendre polynomial at a point."""
def eval_sh_chebyt(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Evaluate shifted Chebyshev polynomial of the first kind at a point."""
def eval_sh_chebyu(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Evaluate shifted Chebyshev polynomial of the second kind at a point."""
def eval_sh_jacobi(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Evaluate shifted Jacobi polynomial at a point."""
def eval_sh_legendre(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Evaluate shifted Legendre polynomial at a point."""
def exp1(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Exponential integral E1."""
exp10: ufunc_1_1
exp2: ufunc_1_1
def expi(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Exponential integral Ei."""
expit: ufunc_1_1
expm1: ufunc_1_1
def expn(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Generalized exponential integral En."""
exprel: ufunc_1_1
def factorial(n: ArrayLike, exact: bool = ..., extend: str = ...) -> Any:
    """The factorial of a number or array of numbers."""
def factorial2(n: ArrayLike, exact: bool = ..., extend: str = ...) -> Any:
    """Double factorial."""
def factorialk(n: ArrayLike, k: SupportsIndex, exact: bool = ..., extend: str = ...) -> Any:
    """Multifactorial of n of order k, n(!!...!)."""
def fdtr(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """F cumulative distribution function."""
def fdtrc(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """F survival function."""
def fdtri(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """The `p`-th quantile of the F-distribution."""
def fdtridfd(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse to `fdtr` vs dfd"""
def fresnel(x: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Fresnel integrals."""
def fresnel_zeros(nt: Any) -> Any:
    """Compute nt complex zeros of sine and cosine Fresnel integrals S(z) and C(z)."""
def fresnelc_zeros(nt: Any) -> Any:
    """Compute nt complex zeros of cosine Fresnel integral C(z)."""
def fresnels_zeros(nt: Any) -> Any:
    """Compute nt complex zeros of sine Fresnel integral S(z)."""
gamma: ufunc_1_1
gammainc: ufunc_2_1
gammaincc: ufunc_2_1
def gammainccinv(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse of the regularized upper incomplete gamma function."""
def gammaincinv(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse to the regularized lower incomplete gamma function."""
gammaln: ufunc_1_1
gammasgn: ufunc_1_1
def gdtr(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Gamma distribution cumulative distribution function."""
def gdtrc(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Gamma distribution survival function."""
def gdtria(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse of `gdtr` vs a."""
def gdtrib(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse of `gdtr` vs b."""
def gdtrix(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse of `gdtr` vs x."""
def gegenbauer(n: ArrayLike, alpha: ArrayLike, monic: bool = ...) -> Any:
    """Gegenbauer (ultraspherical) polynomial."""
def genlaguerre(n: ArrayLike, alpha: ArrayLike, monic: bool = ...) -> Any:
    """Generalized (associated) Laguerre polynomial."""
def h1vp(v: ArrayLike, z: ArrayLike, n: ArrayLike = ...) -> Any:
    """Compute derivatives of Hankel function H1v(z) with respect to `z`."""
def h2vp(v: ArrayLike, z: ArrayLike, n: ArrayLike = ...) -> Any:
    """Compute derivatives of Hankel function H2v(z) with respect to `z`."""
def h_roots(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Hermite (physicist's) quadrature."""
def hankel1(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Hankel function of the first kind"""
def hankel1e(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Exponentially scaled Hankel function of the first kind"""
def hankel2(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Hankel function of the second kind"""
def hankel2e(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Exponentially scaled Hankel function of the second kind"""
def he_roots(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Hermite (statistician's) quadrature."""
def hermite(n: ArrayLike, monic: bool = ...) -> Any:
    """Physicist's Hermite polynomial."""
def hermitenorm(n: ArrayLike, monic: bool = ...) -> Any:
    """Normalized (probabilist's) Hermite polynomial."""
huber: ufunc_2_1
def hyp0f1(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Confluent hypergeometric limit function 0F1."""
def hyp1f1(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Confluent hypergeometric function 1F1."""
def hyp2f1(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Gauss hypergeometric function 2F1(a, b; c; z)"""
def hyperu(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Confluent hypergeometric function U"""
i0: ufunc_1_1
i0e: ufunc_1_1
i1: ufunc_1_1
i1e: ufunc_1_1
inv_boxcox: ufunc_2_1
inv_boxcox1p: ufunc_2_1
def it2i0k0(x: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Integrals related to modified Bessel functions of order 0."""
def it2j0y0(x: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Integrals related to Bessel functions of the first kind of order 0."""
def it2struve0(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Integral related to the Struve function of order 0."""
def itairy(x: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Integrals of Airy functions"""
def iti0k0(x: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Integrals of modified Bessel functions of order 0."""
def itj0y0(x: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Integrals of Bessel functions of the first kind of order 0."""
def itmodstruve0(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Integral of the modified Struve function of order 0."""
def itstruve0(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Integral of the Struve function of order 0."""
def iv(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Modified Bessel function of the first kind of real order."""
def ive(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Exponentially scaled modified Bessel function of the first kind."""
def ivp(v: ArrayLike, z: ArrayLike, n: ArrayLike = ...) -> Any:
    """Compute derivatives of modified Bessel functions of the first kind."""
j0: ufunc_1_1
j1: ufunc_1_1
def j_roots(n: ArrayLike, alpha: ArrayLike, beta: Any, mu: ArrayLike = ...) -> Any:
    """Gauss-Jacobi quadrature."""
def jacobi(n: ArrayLike, alpha: ArrayLike, beta: Any, monic: bool = ...) -> Any:
    """Jacobi polynomial."""
def jn(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Bessel function of the first kind of real order and complex argument."""
def jn_zeros(n: ArrayLike, nt: Any) -> Any:
    """Compute zeros of integer-order Bessel functions Jn."""
def jnjnp_zeros(nt: Any) -> Any:
    """Compute zeros of integer-order Bessel functions Jn and Jn'."""
def jnp_zeros(n: ArrayLike, nt: Any) -> Any:
    """Compute zeros of integer-order Bessel function derivatives Jn'."""
def jnyn_zeros(n: ArrayLike, nt: Any) -> Any:
    """Compute nt zeros of Bessel functions Jn(x), Jn'(x), Yn(x), and Yn'(x)."""
def js_roots(n: ArrayLike, p1: Any, q1: Any, mu: ArrayLike = ...) -> Any:
    """Gauss-Jacobi (shifted) quadrature."""
def jv(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Bessel function of the first kind of real order and complex argument."""
def jve(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Exponentially scaled Bessel function of the first kind of order `v`."""
def jvp(v: ArrayLike, z: ArrayLike, n: ArrayLike = ...) -> Any:
    """Compute derivatives of Bessel functions of the first kind."""
def k0(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Modified Bessel function of the second kind of order 0, :math:`K_0`."""
def k0e(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Exponentially scaled modified Bessel function K of order 0"""
def k1(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Modified Bessel function of the second kind of order 1, :math:`K_1(x)`."""
def k1e(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Exponentially scaled modified Bessel function K of order 1"""
def kei(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Kelvin function kei."""
def kei_zeros(nt: Any) -> Any:
    """Compute nt zeros of the Kelvin function kei."""
def keip(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Derivative of the Kelvin function kei."""
def keip_zeros(nt: Any) -> Any:
    """Compute nt zeros of the derivative of the Kelvin function kei."""
def kelvin(x: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Kelvin functions as complex numbers"""
def kelvin_zeros(nt: Any) -> Any:
    """Compute nt zeros of all Kelvin functions."""
def ker(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Kelvin function ker."""
def ker_zeros(nt: Any) -> Any:
    """Compute nt zeros of the Kelvin function ker."""
def kerp(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Derivative of the Kelvin function ker."""
def kerp_zeros(nt: Any) -> Any:
    """Compute nt zeros of the derivative of the Kelvin function ker."""
kl_div: ufunc_2_1
def kn(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Modified Bessel function of the second kind of integer order `n`"""
def kolmogi(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse Survival Function of Kolmogorov distribution"""
def kolmogorov(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Complementary cumulative distribution (Survival Function) function of Kolmogorov distribution."""
def kv(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Modified Bessel function of the second kind of real order `v`"""
def kve(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Exponentially scaled modified Bessel function of the second kind."""
def kvp(v: ArrayLike, z: ArrayLike, n: ArrayLike = ...) -> Any:
    """Compute derivatives of real-order modified Bessel function Kv(z)"""
def l_roots(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Laguerre quadrature."""
def la_roots(n: ArrayLike, alpha: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-generalized Laguerre quadrature."""
def laguerre(n: ArrayLike, monic: bool = ...) -> Any:
    """Laguerre polynomial."""
def lambertw(z: ArrayLike, k: SupportsIndex = ..., tol: float = ...) -> Any:
    """Lambert W function."""
def legendre(n: ArrayLike, monic: bool = ...) -> Any:
    """Legendre polynomial."""
def legendre_p(*args: Any, **kwargs: Any) -> Any:
    """Legendre polynomial of the first kind."""
def legendre_p_all(*args: Any, **kwargs: Any) -> Any:
    """All Legendre polynomials of the first kind up to the specified degree ``n`` and all derivatives up to order
    ``diff_n``."""
def lmbda(v: ArrayLike, x: ArrayLike) -> Any:
    """Jahnke-Emden Lambda function, Lambdav(x)."""
log1p: ufunc_1_1
log_expit: ufunc_1_1
log_ndtr: ufunc_1_1
def log_softmax(x: ArrayLike, axis: Any | None = ...) -> Any:
    """Compute the logarithm of the softmax function."""
def log_wright_bessel(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Natural logarithm of Wright's generalized Bessel function, see `wright_bessel`. This function comes in handy in
    particular for large values of x."""
def loggamma(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Principal branch of the logarithm of the gamma function."""
logit: ufunc_1_1
def logsumexp(a: ArrayLike, axis: Any | None = ..., b: ArrayLike | None = ..., keepdims: bool = ..., return_sign: bool = ...) -> Any:
    """log of the sum of exp(a), without overflow."""
def lpmv(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Associated Legendre function of integer order and real degree."""
def lqmn(m: ArrayLike, n: ArrayLike, z: ArrayLike) -> Any:
    """Sequence of associated Legendre functions of the second kind."""
def lqn(n: ArrayLike, z: ArrayLike) -> Any:
    """Legendre function of the second kind."""
def mathieu_a(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Characteristic value of even Mathieu functions"""
def mathieu_b(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Characteristic value of odd Mathieu functions"""
def mathieu_cem(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Even Mathieu function and its derivative"""
def mathieu_even_coef(m: ArrayLike, q: Any) -> Any:
    """Fourier coefficients for even Mathieu and modified Mathieu functions."""
def mathieu_modcem1(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Even modified Mathieu function of the first kind and its derivative"""
def mathieu_modcem2(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Even modified Mathieu function of the second kind and its derivative"""
def mathieu_modsem1(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Odd modified Mathieu function of the first kind and its derivative"""
def mathieu_modsem2(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Odd modified Mathieu function of the second kind and its derivative"""
def mathieu_odd_coef(m: ArrayLike, q: Any) -> Any:
    """Fourier coefficients for odd Mathieu and modified Mathieu functions."""
def mathieu_sem(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Odd Mathieu function and its derivative"""
def modfresnelm(x: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Modified Fresnel negative integrals"""
def modfresnelp(x: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Modified Fresnel positive integrals"""
def modstruve(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Modified Struve function."""
def multigammaln(a: ArrayLike, d: Any) -> Any:
    """Returns the log of multivariate gamma, also sometimes called the generalized gamma."""
def nbdtr(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Negative binomial cumulative distribution function."""
def nbdtrc(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Negative binomial survival function."""
def nbdtri(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Returns the inverse with respect to the parameter `p` of ``y = nbdtr(k, n, p)``, the negative binomial cumulative
    distribution function."""
def nbdtrik(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Negative binomial percentile function."""
def nbdtrin(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse of `nbdtr` vs `n`."""
def ncfdtr(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Cumulative distribution function of the non-central F distribution."""
def ncfdtri(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse with respect to `f` of the CDF of the non-central F distribution."""
def ncfdtridfd(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Calculate degrees of freedom (denominator) for the noncentral F-distribution."""
def ncfdtridfn(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Calculate degrees of freedom (numerator) for the noncentral F-distribution."""
def ncfdtrinc(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Calculate non-centrality parameter for non-central F distribution."""
def nctdtr(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Cumulative distribution function of the non-central `t` distribution."""
def nctdtridf(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Calculate degrees of freedom for non-central t distribution."""
def nctdtrinc(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Calculate non-centrality parameter for non-central t distribution."""
def nctdtrit(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse cumulative distribution function of the non-central t distribution."""
ndtr: ufunc_1_1
ndtri: ufunc_1_1
def ndtri_exp(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse of `log_ndtr` vs x. Allows for greater precision than `ndtri` composed with `numpy.exp` for very small values
    of y and for y close to 0."""
def nrdtrimn(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Calculate mean of normal distribution given other params."""
def nrdtrisd(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Calculate standard deviation of normal distribution given other params."""
def obl_ang1(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Oblate spheroidal angular function of the first kind and its derivative"""
def obl_ang1_cv(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, x5: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Oblate spheroidal angular function obl_ang1 for precomputed characteristic value"""
def obl_cv(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Characteristic value of oblate spheroidal function"""
def obl_cv_seq(m: ArrayLike, n: ArrayLike, c: ArrayLike) -> Any:
    """Characteristic values for oblate spheroidal wave functions."""
def obl_rad1(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Oblate spheroidal radial function of the first kind and its derivative"""
def obl_rad1_cv(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, x5: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Oblate spheroidal radial function obl_rad1 for precomputed characteristic value"""
def obl_rad2(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Oblate spheroidal radial function of the second kind and its derivative."""
def obl_rad2_cv(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, x5: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Oblate spheroidal radial function obl_rad2 for precomputed characteristic value"""
def owens_t(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Owen's T Function."""
def p_roots(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Legendre quadrature."""
def pbdn_seq(n: ArrayLike, z: ArrayLike) -> Any:
    """Parabolic cylinder functions Dn(z) and derivatives."""
def pbdv(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Parabolic cylinder function D"""
def pbdv_seq(v: ArrayLike, x: ArrayLike) -> Any:
    """Parabolic cylinder functions Dv(x) and derivatives."""
def pbvv(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Parabolic cylinder function V"""
def pbvv_seq(v: ArrayLike, x: ArrayLike) -> Any:
    """Parabolic cylinder functions Vv(x) and derivatives."""
def pbwa(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Parabolic cylinder function W."""
def pdtr(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Poisson cumulative distribution function."""
def pdtrc(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Poisson survival function"""
def pdtri(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse to `pdtr` vs m"""
def pdtrik(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse to `pdtr` vs `k`."""
def perm(N: SupportsIndex, k: SupportsIndex, exact: bool = ...) -> Any:
    """Permutations of N things taken k at a time, i.e., k-permutations of N."""
def poch(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Pochhammer symbol."""
def polygamma(n: ArrayLike, x: ArrayLike) -> Any:
    """Polygamma functions."""
def powm1(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Computes ``x**y - 1``."""
def pro_ang1(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Prolate spheroidal angular function of the first kind and its derivative"""
def pro_ang1_cv(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, x5: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Prolate spheroidal angular function pro_ang1 for precomputed characteristic value"""
def pro_cv(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Characteristic value of prolate spheroidal function"""
def pro_cv_seq(m: ArrayLike, n: ArrayLike, c: ArrayLike) -> Any:
    """Characteristic values for prolate spheroidal wave functions."""
def pro_rad1(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Prolate spheroidal radial function of the first kind and its derivative"""
def pro_rad1_cv(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, x5: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Prolate spheroidal radial function pro_rad1 for precomputed characteristic value"""
def pro_rad2(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Prolate spheroidal radial function of the second kind and its derivative"""
def pro_rad2_cv(x1: ArrayLike, x2: ArrayLike, x3: Any, x4: Any, x5: Any, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Prolate spheroidal radial function pro_rad2 for precomputed characteristic value"""
def ps_roots(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Legendre (shifted) quadrature."""
pseudo_huber: ufunc_2_1
psi: ufunc_1_1
def radian(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Convert from degrees to radians."""
rel_entr: ufunc_2_1
rgamma: ufunc_1_1
def riccati_jn(n: ArrayLike, x: ArrayLike) -> Any:
    """Compute Riccati-Bessel function of the first kind and its derivative."""
def riccati_yn(n: ArrayLike, x: ArrayLike) -> Any:
    """Compute Riccati-Bessel function of the second kind and its derivative."""
def roots_chebyc(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Chebyshev (first kind) quadrature."""
def roots_chebys(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Chebyshev (second kind) quadrature."""
def roots_chebyt(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Chebyshev (first kind) quadrature."""
def roots_chebyu(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Chebyshev (second kind) quadrature."""
def roots_gegenbauer(n: ArrayLike, alpha: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Gegenbauer quadrature."""
def roots_genlaguerre(n: ArrayLike, alpha: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-generalized Laguerre quadrature."""
def roots_hermite(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Hermite (physicist's) quadrature."""
def roots_hermitenorm(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Hermite (statistician's) quadrature."""
def roots_jacobi(n: ArrayLike, alpha: ArrayLike, beta: Any, mu: ArrayLike = ...) -> Any:
    """Gauss-Jacobi quadrature."""
def roots_laguerre(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Laguerre quadrature."""
def roots_legendre(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Legendre quadrature."""
def roots_sh_chebyt(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Chebyshev (first kind, shifted) quadrature."""
def roots_sh_chebyu(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Chebyshev (second kind, shifted) quadrature."""
def roots_sh_jacobi(n: ArrayLike, p1: Any, q1: Any, mu: ArrayLike = ...) -> Any:
    """Gauss-Jacobi (shifted) quadrature."""
def roots_sh_legendre(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Legendre (shifted) quadrature."""
def s_roots(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Chebyshev (second kind) quadrature."""
def sh_chebyt(n: ArrayLike, monic: bool = ...) -> Any:
    """Shifted Chebyshev polynomial of the first kind."""
def sh_chebyu(n: ArrayLike, monic: bool = ...) -> Any:
    """Shifted Chebyshev polynomial of the second kind."""
def sh_jacobi(n: ArrayLike, p: ArrayLike, q: Any, monic: bool = ...) -> Any:
    """Shifted Jacobi polynomial."""
def sh_legendre(n: ArrayLike, monic: bool = ...) -> Any:
    """Shifted Legendre polynomial."""
def shichi(x: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Hyperbolic sine and cosine integrals."""
def sici(x: ArrayLike, /, out: NDArray[Any] = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Sine and cosine integrals."""
def sinc(x: ArrayLike) -> Any:
    """sin(pi x) / (pi x), 1 at zero."""
def sindg(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Sine of the angle `x` given in degrees."""
def smirnov(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Kolmogorov-Smirnov complementary cumulative distribution function"""
def smirnovi(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse to `smirnov`"""
def softmax(x: ArrayLike, axis: Any | None = ...) -> Any:
    """exp(x) scaled to a sum of 1."""
def softplus(x: ArrayLike, **kwargs: Any) -> Any:
    """Compute the softplus function element-wise."""
def spence(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Spence's function, also known as the dilogarithm."""
def sph_harm_y(*args: Any, **kwargs: Any) -> Any:
    """Spherical harmonics. They are defined as"""
def sph_harm_y_all(*args: Any, **kwargs: Any) -> Any:
    """All spherical harmonics up to the specified degree ``n``, order ``m``, and all derivatives up to order ``diff_n``."""
def sph_legendre_p(*args: Any, **kwargs: Any) -> Any:
    """Spherical Legendre polynomial of the first kind."""
def sph_legendre_p_all(*args: Any, **kwargs: Any) -> Any:
    """All spherical Legendre polynomials of the first kind up to the specified degree ``n``, order ``m``, and all
    derivatives up to order ``diff_n``."""
def spherical_in(n: ArrayLike, z: ArrayLike, derivative: bool = ...) -> Any:
    """Modified spherical Bessel function of the first kind or its derivative."""
def spherical_jn(n: ArrayLike, z: ArrayLike, derivative: bool = ...) -> Any:
    """Spherical Bessel function of the first kind or its derivative."""
def spherical_kn(n: ArrayLike, z: ArrayLike, derivative: bool = ...) -> Any:
    """Modified spherical Bessel function of the second kind or its derivative."""
def spherical_yn(n: ArrayLike, z: ArrayLike, derivative: bool = ...) -> Any:
    """Spherical Bessel function of the second kind or its derivative."""
def stdtr(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Student t distribution cumulative distribution function"""
def stdtridf(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Inverse of `stdtr` vs df"""
def stdtrit(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """The `p`-th quantile of the student t distribution."""
def stirling2(N: SupportsIndex, K: Any, *, exact: bool = ...) -> Any:
    """Generate Stirling number(s) of the second kind."""
def struve(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Struve function."""
def t_roots(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Chebyshev (first kind) quadrature."""
def tandg(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Tangent of angle `x` given in degrees."""
def tklmbda(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Cumulative distribution function of the Tukey lambda distribution."""
def ts_roots(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Chebyshev (first kind, shifted) quadrature."""
def u_roots(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Chebyshev (second kind) quadrature."""
def us_roots(n: ArrayLike, mu: ArrayLike = ...) -> Any:
    """Gauss-Chebyshev (second kind, shifted) quadrature."""
def voigt_profile(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Voigt profile."""
def wofz(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Faddeeva function"""
def wright_bessel(x1: ArrayLike, x2: ArrayLike, x3: Any, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Wright's generalized Bessel function."""
def wrightomega(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Wright Omega function."""
xlog1py: ufunc_2_1
xlogy: ufunc_2_1
def y0(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Bessel function of the second kind of order 0."""
def y0_zeros(nt: Any, complex: bool = ...) -> Any:
    """Compute nt zeros of Bessel function Y0(z), and derivative at each zero."""
def y1(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Bessel function of the second kind of order 1."""
def y1_zeros(nt: Any, complex: bool = ...) -> Any:
    """Compute nt zeros of Bessel function Y1(z), and derivative at each zero."""
def y1p_zeros(nt: Any, complex: bool = ...) -> Any:
    """Compute nt zeros of Bessel derivative Y1'(z), and value at each zero."""
def yn(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Bessel function of the second kind of integer order and real argument."""
def yn_zeros(n: ArrayLike, nt: Any) -> Any:
    """Compute zeros of integer-order Bessel function Yn(x)."""
def ynp_zeros(n: ArrayLike, nt: Any) -> Any:
    """Compute zeros of integer-order Bessel function derivatives Yn'(x)."""
def yv(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Bessel function of the second kind of real order and complex argument."""
def yve(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Exponentially scaled Bessel function of the second kind of real order."""
def yvp(v: ArrayLike, z: ArrayLike, n: ArrayLike = ...) -> Any:
    """Compute derivatives of Bessel functions of the second kind."""
def zeta(x: ArrayLike, q: Any = ..., out: NDArray[Any] | None = ...) -> Any:
    """Riemann or Hurwitz zeta function."""
def zetac(x: ArrayLike, /, out: NDArray[Any] | None = ..., *, where: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> Any:
    """Riemann zeta function minus 1."""

__all__ = [
    "SpecialFunctionError",
    "SpecialFunctionWarning",
    "agm",
    "ai_zeros",
    "airy",
    "airye",
    "assoc_laguerre",
    "assoc_legendre_p",
    "assoc_legendre_p_all",
    "bdtr",
    "bdtrc",
    "bdtri",
    "bdtrik",
    "bdtrin",
    "bei",
    "bei_zeros",
    "beip",
    "beip_zeros",
    "ber",
    "ber_zeros",
    "bernoulli",
    "berp",
    "berp_zeros",
    "besselpoly",
    "beta",
    "betainc",
    "betaincc",
    "betainccinv",
    "betaincinv",
    "betaln",
    "bi_zeros",
    "binom",
    "boxcox",
    "boxcox1p",
    "btdtria",
    "btdtrib",
    "c_roots",
    "cbrt",
    "cg_roots",
    "chdtr",
    "chdtrc",
    "chdtri",
    "chdtriv",
    "chebyc",
    "chebys",
    "chebyt",
    "chebyu",
    "chndtr",
    "chndtridf",
    "chndtrinc",
    "chndtrix",
    "comb",
    "cosdg",
    "cosm1",
    "cotdg",
    "dawsn",
    "digamma",
    "diric",
    "ellip_harm",
    "ellip_harm_2",
    "ellip_normal",
    "ellipe",
    "ellipeinc",
    "ellipj",
    "ellipk",
    "ellipkinc",
    "ellipkm1",
    "elliprc",
    "elliprd",
    "elliprf",
    "elliprg",
    "elliprj",
    "entr",
    "erf",
    "erf_zeros",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfi",
    "erfinv",
    "errstate",
    "euler",
    "eval_chebyc",
    "eval_chebys",
    "eval_chebyt",
    "eval_chebyu",
    "eval_gegenbauer",
    "eval_genlaguerre",
    "eval_hermite",
    "eval_hermitenorm",
    "eval_jacobi",
    "eval_laguerre",
    "eval_legendre",
    "eval_sh_chebyt",
    "eval_sh_chebyu",
    "eval_sh_jacobi",
    "eval_sh_legendre",
    "exp1",
    "exp10",
    "exp2",
    "expi",
    "expit",
    "expm1",
    "expn",
    "exprel",
    "factorial",
    "factorial2",
    "factorialk",
    "fdtr",
    "fdtrc",
    "fdtri",
    "fdtridfd",
    "fresnel",
    "fresnel_zeros",
    "fresnelc_zeros",
    "fresnels_zeros",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
    "gammaln",
    "gammaln",
    "gammasgn",
    "gdtr",
    "gdtrc",
    "gdtria",
    "gdtrib",
    "gdtrix",
    "gegenbauer",
    "genlaguerre",
    "geterr",
    "h1vp",
    "h2vp",
    "h_roots",
    "hankel1",
    "hankel1e",
    "hankel2",
    "hankel2e",
    "he_roots",
    "hermite",
    "hermitenorm",
    "huber",
    "hyp0f1",
    "hyp1f1",
    "hyp2f1",
    "hyperu",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "inv_boxcox",
    "inv_boxcox1p",
    "it2i0k0",
    "it2j0y0",
    "it2struve0",
    "itairy",
    "iti0k0",
    "itj0y0",
    "itmodstruve0",
    "itstruve0",
    "iv",
    "ive",
    "ivp",
    "j0",
    "j1",
    "j_roots",
    "jacobi",
    "jn",
    "jn_zeros",
    "jnjnp_zeros",
    "jnp_zeros",
    "jnyn_zeros",
    "js_roots",
    "jv",
    "jve",
    "jvp",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kei",
    "kei_zeros",
    "keip",
    "keip_zeros",
    "kelvin",
    "kelvin_zeros",
    "ker",
    "ker_zeros",
    "kerp",
    "kerp_zeros",
    "kl_div",
    "kn",
    "kolmogi",
    "kolmogorov",
    "kv",
    "kve",
    "kvp",
    "l_roots",
    "la_roots",
    "laguerre",
    "lambertw",
    "legendre",
    "legendre_p",
    "legendre_p_all",
    "lmbda",
    "log1p",
    "log_expit",
    "log_ndtr",
    "log_softmax",
    "log_wright_bessel",
    "loggamma",
    "logit",
    "logsumexp",
    "lpmv",
    "lqmn",
    "lqn",
    "mathieu_a",
    "mathieu_b",
    "mathieu_cem",
    "mathieu_even_coef",
    "mathieu_modcem1",
    "mathieu_modcem2",
    "mathieu_modsem1",
    "mathieu_modsem2",
    "mathieu_odd_coef",
    "mathieu_sem",
    "modfresnelm",
    "modfresnelp",
    "modstruve",
    "multigammaln",
    "nbdtr",
    "nbdtrc",
    "nbdtri",
    "nbdtrik",
    "nbdtrin",
    "ncfdtr",
    "ncfdtri",
    "ncfdtridfd",
    "ncfdtridfn",
    "ncfdtrinc",
    "nctdtr",
    "nctdtridf",
    "nctdtrinc",
    "nctdtrit",
    "ndtr",
    "ndtri",
    "ndtri_exp",
    "nrdtrimn",
    "nrdtrisd",
    "obl_ang1",
    "obl_ang1_cv",
    "obl_cv",
    "obl_cv_seq",
    "obl_rad1",
    "obl_rad1_cv",
    "obl_rad2",
    "obl_rad2_cv",
    "owens_t",
    "p_roots",
    "pbdn_seq",
    "pbdv",
    "pbdv_seq",
    "pbvv",
    "pbvv_seq",
    "pbwa",
    "pdtr",
    "pdtrc",
    "pdtri",
    "pdtrik",
    "perm",
    "poch",
    "polygamma",
    "powm1",
    "pro_ang1",
    "pro_ang1_cv",
    "pro_cv",
    "pro_cv_seq",
    "pro_rad1",
    "pro_rad1_cv",
    "pro_rad2",
    "pro_rad2_cv",
    "ps_roots",
    "pseudo_huber",
    "psi",
    "radian",
    "rel_entr",
    "rgamma",
    "riccati_jn",
    "riccati_yn",
    "roots_chebyc",
    "roots_chebys",
    "roots_chebyt",
    "roots_chebyu",
    "roots_gegenbauer",
    "roots_genlaguerre",
    "roots_hermite",
    "roots_hermitenorm",
    "roots_jacobi",
    "roots_laguerre",
    "roots_legendre",
    "roots_sh_chebyt",
    "roots_sh_chebyu",
    "roots_sh_jacobi",
    "roots_sh_legendre",
    "round",
    "s_roots",
    "seterr",
    "sh_chebyt",
    "sh_chebyu",
    "sh_jacobi",
    "sh_legendre",
    "shichi",
    "sici",
    "sinc",
    "sindg",
    "smirnov",
    "smirnovi",
    "softmax",
    "softplus",
    "spence",
    "sph_harm_y",
    "sph_harm_y_all",
    "sph_legendre_p",
    "sph_legendre_p_all",
    "spherical_in",
    "spherical_jn",
    "spherical_kn",
    "spherical_yn",
    "stdtr",
    "stdtridf",
    "stdtrit",
    "stirling2",
    "struve",
    "t_roots",
    "tandg",
    "tklmbda",
    "ts_roots",
    "u_roots",
    "us_roots",
    "voigt_profile",
    "wofz",
    "wright_bessel",
    "wrightomega",
    "xlog1py",
    "xlogy",
    "y0",
    "y0_zeros",
    "y1",
    "y1_zeros",
    "y1p_zeros",
    "yn",
    "yn_zeros",
    "ynp_zeros",
    "yv",
    "yve",
    "yvp",
    "zeta",
    "zetac",
]
