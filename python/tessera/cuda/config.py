"""Settings under the names of numba.cuda.config. Only CUDA_ARRAY_INTERFACE_SYNC may be set."""

from __future__ import annotations

from tessera.cuda import _simulator

# Whether kernels run as Python (TESSERA_CUDA_DEBUG).
ENABLE_CUDASIM = _simulator.is_chosen()
# Whether arrays of other libraries are used only once the stream that their interface names is done.
CUDA_ARRAY_INTERFACE_SYNC = True
