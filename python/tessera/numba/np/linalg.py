"""numba.np.linalg: Numba's own way to LAPACK, which packages import. It is not there: calling it raises."""

from tessera.functions.unavailable import Unavailable

__all__ = ["_LAPACK"]

_LAPACK = Unavailable("numba.np.linalg._LAPACK", "numpy.linalg's functions, which compiled functions call")
