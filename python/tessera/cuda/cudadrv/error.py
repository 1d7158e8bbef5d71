"""What tessera.cuda raises, under the names of numba.cuda.cudadrv.error."""

from tessera.errors import CudaSupportError

__all__ = ["CudaDriverError", "CudaRuntimeError", "CudaSupportError"]

# The engine's failures of a device are RuntimeErrors.
CudaDriverError = CudaRuntimeError = RuntimeError
