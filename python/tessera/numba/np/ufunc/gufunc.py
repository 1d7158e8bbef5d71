"""numba.np.ufunc.gufunc: the class of generalised ufuncs, which programs name in annotations."""

from tessera.functions.guvectorize import GeneralizedUfunc as GUFunc

__all__ = ["GUFunc"]
