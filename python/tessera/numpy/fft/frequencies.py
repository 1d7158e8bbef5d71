"""Sample frequencies, and spectra with zero frequency in the middle."""

from __future__ import annotations

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import as_array, gives_plain


def _checked_count(n):
    if not isinstance(n, (int, numpy.integer)):
        raise ValueError("n should be an integer")
    return int(n)


def fftfreq(n, d=1.0, device=None):
    """The frequencies of `fft`'s n results for samples d apart.

    Shapes: (n,), negative frequencies behind the others. Dtypes: float64. Errors: ValueError where n is no integer.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.fftfreq(4)
    array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    n = _checked_count(n)
    step = 1.0 / (n * d)
    middle = (n - 1) // 2 + 1
    result = core.empty((n,), numpy.int64)
    result[:middle] = core.arange(0, middle, 1)
    result[middle:] = core.arange(-(n // 2), 0, 1)
    return result * step


def rfftfreq(n, d=1.0, device=None):
    """The frequencies of `rfft`'s results.

    Shapes: (n // 2 + 1,). Dtypes: float64. Errors: ValueError where n is no integer.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.rfftfreq(4)
    array([0.  , 0.25, 0.5 ])
    """
    n = _checked_count(n)
    return core.arange(0, n // 2 + 1, 1) * (1.0 / (n * d))


def _rolled(x, axes, shift_of):
    import tessera.numpy as tnp

    x = as_array(x)
    if axes is None:
        axes = tuple(range(x.ndim))
        shift = [shift_of(extent) for extent in x.shape]
    elif isinstance(axes, (int, numpy.integer)):
        shift = shift_of(x.shape[axes])
    else:
        shift = [shift_of(x.shape[axis]) for axis in axes]
    return tnp.roll(x, shift, axes)


@gives_plain
def fftshift(x, axes=None):
    """Zero frequency moved to the middle.

    Shapes: `x`'s. Dtypes: `x`'s. Errors: IndexError for an axis that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.fftshift([0, 1, 2, -2, -1])
    array([-2, -1,  0,  1,  2])
    """
    return _rolled(x, axes, lambda extent: extent // 2)


@gives_plain
def ifftshift(x, axes=None):
    """The inverse of `fftshift`.

    Shapes: `x`'s. Dtypes: `x`'s. Errors: IndexError for an axis that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.fft.ifftshift([-2, -1, 0, 1, 2])
    array([ 0,  1,  2, -2, -1])
    """
    return _rolled(x, axes, lambda extent: -(extent // 2))
