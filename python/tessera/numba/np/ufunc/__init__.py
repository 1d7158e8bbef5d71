"""numba.np.ufunc: what makes ufuncs."""

from tessera.functions.guvectorize import guvectorize
from tessera.functions.vectorize import vectorize
from tessera.numba.np.ufunc import gufunc

__all__ = ["guvectorize", "gufunc", "vectorize"]
