"""Polynomials as coefficient vectors, highest power first."""

from __future__ import annotations

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import as_any_array, as_array, gives_plain, native, warn
from tessera.numpy.joining import trim_zeros
from tessera.numpy.matrices import diag, vander
from tessera.numpy.products import matmul
from tessera.numpy.statistics import convolve

__all__ = [
    "poly",
    "poly1d",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "roots",
]


def _vector(p):
    if isinstance(p, poly1d):
        return p.coeffs
    p = as_array(p)
    return p.reshape(1) if p.ndim == 0 else p


def _like(value, *sources):
    """The result as poly1d when an argument was one."""
    return poly1d(value) if any(isinstance(source, poly1d) for source in sources) else value


@native
def poly(seq_of_zeros):
    """The polynomial with these roots, or the characteristic polynomial of a matrix.

    Shapes: 1-D roots, or a square matrix; one coefficient more than roots. Dtypes: float64, or complex where the roots
    are not conjugate pairs. Errors: ValueError for other shapes; LinAlgError where eigenvalues do not converge. Source:
    products of linear factors; a matrix's eigenvalues are LAPACK's (`linalg.eigvals`).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.poly([1, 2])
    array([ 1., -3.,  2.])
    """
    zeros = _vector(seq_of_zeros)
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] and zeros.shape[0] != 0:
        from tessera.numpy import linalg

        zeros = linalg.eigvals(zeros)
    elif zeros.ndim == 1:
        if zeros.dtype.kind != "c":
            zeros = zeros.astype(numpy.mintypecode(zeros.dtype.char), copy=False)
    else:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if len(zeros) == 0:
        return 1.0
    result = core.full((1,), 1, zeros.dtype)
    for zero in zeros:
        result = convolve(result, core.asarray([1, -zero], zeros.dtype), mode="full")
    if result.dtype.kind == "c":
        # Roots that come in conjugate pairs make real coefficients.
        if (core.sort(zeros, -1, None) == core.sort(zeros.conj(), -1, None)).all():
            result = result.real.copy()
    return result


@native
def roots(p):
    """The roots of the polynomial.

    Shapes: 1-D; as many roots as the degree. Dtypes: float64 or complex128; float32 stays in single precision. Errors:
    ValueError for other shapes; LinAlgError where eigenvalues do not converge. Source: eigenvalues of the companion
    matrix, Horn and Johnson, Matrix Analysis, 1999.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.roots([1, -3, 2])
    array([2., 1.])
    """
    p = _vector(p)
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    nonzero = core.nonzero(p)[0]
    if len(nonzero) == 0:
        return core.empty((0,), numpy.float64)
    at_zero = len(p) - int(nonzero[-1]) - 1
    p = p[int(nonzero[0]) : int(nonzero[-1]) + 1]
    if p.dtype.kind not in "fc":
        p = p.astype(float)
    n = len(p)
    if n > 1:
        from tessera.numpy import linalg

        companion = diag(core.full((n - 2,), 1, p.dtype), -1)
        companion[0, :] = -p[1:] / p[0]
        found = linalg.eigvals(companion)
        if p.dtype.kind == "f" and found.dtype.kind == "c" and not found.imag.any():
            found = found.real.copy()
    else:
        found = core.empty((0,), numpy.float64)
    return core.concatenate((found, core.full((at_zero,), 0, found.dtype)))


@native
def polyval(p, x):
    """The polynomial's value at x, by Horner's rule.

    Shapes: `p` is 1-D; the result has `x`'s. Dtypes: the promoted one. Errors: TypeError for what is no number. Source:
    Horner's rule. Of a polynomial `x` the result is one, too.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.polyval([1, 0, 1], 3)
    np.int64(10)
    """
    coefficients = _vector(p)
    if isinstance(x, poly1d):
        value = 0
        for c in coefficients:
            value = value * x + c
        return value
    x = as_array(x)
    y = core.full(x.shape, 0, x.dtype) if x.ndim else x.dtype.type(0)
    if x.ndim == 0:
        x = x[()]
    for c in coefficients:
        y = y * x + c
    return y


def _padded(a, b):
    a, b = _vector(a), _vector(b)
    short = len(a) - len(b)
    if short > 0:
        b = core.concatenate((core.full((short,), 0, b.dtype), b))
    elif short < 0:
        a = core.concatenate((core.full((-short,), 0, a.dtype), a))
    return a, b


@native
def polyadd(a1, a2):
    """The sum of two polynomials.

    Shapes: 1-D, as long as the longer. Dtypes: the promoted one. Errors: ValueError for several axes of other shapes. A
    `poly1d` gives one.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.polyadd([1, 2], [3])
    array([1, 5])
    """
    a, b = _padded(a1, a2)
    return _like(a + b, a1, a2)


@native
def polysub(a1, a2):
    """The difference of two polynomials.

    Shapes: 1-D, as long as the longer. Dtypes: the promoted one. Errors: ValueError for several axes of other shapes;
    TypeError for booleans. A `poly1d` gives one.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.polysub([1, 2], [3])
    array([ 1, -1])
    """
    a, b = _padded(a1, a2)
    return _like(a - b, a1, a2)


@native
def polymul(a1, a2):
    """The product of two polynomials.

    Shapes: 1-D, as long as both together less one. Dtypes: the promoted one. Errors: ValueError for several axes.
    Source: convolution of the coefficients. A `poly1d` gives one.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.polymul([1, 1], [1, -1])
    array([ 1,  0, -1])
    """
    a, b = poly1d(a1), poly1d(a2)
    return _like(convolve(a.coeffs, b.coeffs), a1, a2)


@native
def polydiv(u, v):
    """Quotient and remainder of two polynomials.

    Shapes: 1-D; the quotient's degree is the difference. Dtypes: floating or complex. Errors: IndexError for no
    coefficients. Source: synthetic division. A `poly1d` gives two.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.polydiv([1, 0, -1], [1, 1])
    (array([ 1., -1.]), array([0.]))
    """
    poly_given = isinstance(u, poly1d) or isinstance(v, poly1d)
    u, v = _vector(u) + 0.0, _vector(v) + 0.0
    w = numpy.result_type(u[0], v[0])
    degree_u, degree_v = len(u) - 1, len(v) - 1
    scale = 1.0 / v[0]
    quotient = core.full((max(degree_u - degree_v + 1, 1),), 0, w)
    rest = u.astype(w)
    for k in range(degree_u - degree_v + 1):
        d = scale * rest[k]
        quotient[k] = d
        rest[k : k + degree_v + 1] -= d * v
    while rest.shape[-1] > 1 and numpy.isclose(0, rest[0], rtol=1e-14):
        rest = rest[1:]
    return (poly1d(quotient), poly1d(rest)) if poly_given else (quotient, rest)


@gives_plain
def polyder(p, m=1):
    """The m-th derivative.

    Shapes: 1-D, shorter by `m`. Dtypes: the promoted one with int64. Errors: ValueError for a negative `m`. A `poly1d`
    gives one.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.polyder([1, 0, 0])
    array([2, 0])
    """
    m = int(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    coefficients = _vector(p)
    for _ in range(m):
        n = len(coefficients) - 1
        coefficients = coefficients[:-1] * core.arange(n, 0, -1)
    return _like(coefficients, p)


@native
def polyint(p, m=1, k=None):
    """The m-th antiderivative with integration constants k.

    Shapes: 1-D, longer by `m`; `k` is a number or `m` of them. Dtypes: floating or complex. Errors: ValueError for a
    negative `m` or too few constants. A `poly1d` gives one.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.polyint([2, 0])
    array([1., 0., 0.])
    """
    m = int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants = numpy.zeros(m, float) if k is None else numpy.atleast_1d(numpy.asarray(k))
    if len(constants) == 1 and m > 1:
        constants = constants[0] * numpy.ones(m, float)
    if len(constants) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    coefficients = _vector(p)
    for step in range(m):
        divided = coefficients / core.arange(len(coefficients), 0, -1)
        coefficients = core.concatenate((divided, core.asarray([constants[step]])))
    return _like(coefficients, p)


@gives_plain
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The polynomial of least squared error through points.

    Shapes: `x` of n points, `y` of n values or n rows of them; `deg` + 1 coefficients, of each column of `y`. Dtypes:
    floating or complex. Errors: TypeError for other shapes, no points or weights of another length; ValueError for a
    negative degree, or too few points to scale the covariance; LinAlgError where the SVD does not converge. Warns with
    RankWarning of points that leave coefficients open. Source: least squares of the scaled Vandermonde matrix by
    LAPACK's SVD (`linalg.lstsq`).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.polyfit([0, 1, 2], [1, 3, 5], 1).round(6)
    array([2., 1.])
    """
    from tessera.numpy import linalg

    order = int(deg) + 1
    x, y = as_array(x) + 0.0, as_array(y) + 0.0
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    if rcond is None:
        rcond = len(x) * numpy.finfo(x.dtype).eps
    left, right = vander(x, order), y
    if w is not None:
        w = as_array(w) + 0.0
        if w.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if w.shape[0] != y.shape[0]:
            raise TypeError("expected w and y to have the same length")
        left = left * w[:, None]
        right = right * (w[:, None] if right.ndim == 2 else w)
    scale = core.sqrt(core.add.reduce(left * left, 0))
    left = left / scale
    c, residuals, rank, singular = linalg.lstsq(left, right, rcond)
    c = (c.T / scale).T
    if rank != order and not full:
        warn("Polyfit may be poorly conditioned", numpy.exceptions.RankWarning)
    if full:
        return c, residuals, rank, singular, rcond
    if not cov:
        return c
    base = linalg.inv(matmul(left.T, left)) / (scale[:, None] * scale[None, :])
    factor = 1
    if not (isinstance(cov, str) and cov == "unscaled"):
        if len(x) <= order:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        factor = residuals / (len(x) - order)
    if y.ndim == 1:
        return c, base * factor
    return c, base[:, :, None] * factor


class poly1d(numpy.poly1d):
    """A polynomial with arithmetic; its coefficients are a tessera array.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.poly1d([1, 0, -1])(3)
    np.int64(8)
    """

    __hash__ = None

    def __init__(self, c_or_r, r=False, variable=None):
        if isinstance(c_or_r, numpy.poly1d):
            self._variable = c_or_r._variable
            self._coeffs = core.asarray(c_or_r._coeffs)
            if variable is not None:
                self._variable = variable
            return
        coefficients = as_any_array(poly(c_or_r) if r else c_or_r)
        if coefficients.ndim == 0:
            coefficients = coefficients.reshape(1)
        if coefficients.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        coefficients = trim_zeros(coefficients, trim="f")
        self._coeffs = coefficients if len(coefficients) else core.full((1,), 0, coefficients.dtype)
        self._variable = "x" if variable is None else variable

    @property
    def coeffs(self):
        """The coefficients, highest power first."""
        return self._coeffs

    @coeffs.setter
    def coeffs(self, value):
        if value is not self._coeffs:
            raise AttributeError("Cannot set attribute")

    coef = coefficients = c = coeffs

    @property
    def order(self):
        """The degree."""
        return len(self._coeffs) - 1

    o = order

    @property
    def roots(self):
        """The roots."""
        return roots(self._coeffs)

    r = roots

    def __array__(self, t=None, copy=None):
        return numpy.asarray(self._coeffs, dtype=t)

    def __str__(self):
        return str(numpy.poly1d(numpy.asarray(self._coeffs), variable=self._variable))

    def __repr__(self):
        return f"poly1d({repr(self._coeffs)[6:-1]})"

    def __call__(self, val):
        return polyval(self._coeffs, val)

    def __neg__(self):
        return poly1d(-self._coeffs)

    def __pos__(self):
        return self

    def __mul__(self, other):
        return poly1d(self._coeffs * other) if numpy.isscalar(other) else poly1d(polymul(self._coeffs, _vector(other)))

    def __rmul__(self, other):
        return self * other

    def __add__(self, other):
        return poly1d(polyadd(self._coeffs, _vector(other)))

    __radd__ = __add__

    def __sub__(self, other):
        return poly1d(polysub(self._coeffs, _vector(other)))

    def __rsub__(self, other):
        return poly1d(polysub(_vector(other), self._coeffs))

    def __pow__(self, val):
        if not numpy.isscalar(val) or int(val) != val or val < 0:
            raise ValueError("Power to non-negative integers only.")
        result = poly1d([1])
        for _ in range(int(val)):
            result = result * self
        return result

    def __truediv__(self, other):
        return poly1d(self._coeffs / other) if numpy.isscalar(other) else polydiv(self, poly1d(other))

    def __rtruediv__(self, other):
        return poly1d(other / self._coeffs) if numpy.isscalar(other) else polydiv(poly1d(other), self)

    def __eq__(self, other):
        if not isinstance(other, numpy.poly1d):
            return NotImplemented
        theirs = _vector(other)
        return self._coeffs.shape == theirs.shape and bool((self._coeffs == theirs).all())

    def __ne__(self, other):
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __getitem__(self, power):
        place = self.order - power
        return self._coeffs[place] if 0 <= power <= self.order else self._coeffs.dtype.type(0)

    def __setitem__(self, power, value):
        if power < 0:
            raise ValueError("Does not support negative powers.")
        if power > self.order:
            missing = power - self.order
            self._coeffs = core.concatenate((core.full((missing,), 0, self._coeffs.dtype), self._coeffs))
        self._coeffs[self.order - power] = value

    def __iter__(self):
        return iter(self._coeffs)

    def __len__(self):
        return self.order

    def integ(self, m=1, k=0):
        """The m-th antiderivative."""
        return poly1d(polyint(self._coeffs, m=m, k=k))

    def deriv(self, m=1):
        """The m-th derivative."""
        return poly1d(polyder(self._coeffs, m=m))
