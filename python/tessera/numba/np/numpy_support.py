"""numba.np.numpy_support: types of dtypes, and dtypes of types."""

from tessera.types import as_dtype, from_dtype

__all__ = ["as_dtype", "from_dtype"]
