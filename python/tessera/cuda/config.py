"""Settings under the names of numba.cuda.config. CUDA_ARRAY_INTERFACE_SYNC, CUDA_PER_THREAD_DEFAULT_STREAM and
CUDA_NVRTC_EXTRA_SEARCH_PATHS may be set."""

from __future__ import annotations

import os

from tessera.cuda import _simulator

# Whether kernels run as Python (TESSERA_CUDA_DEBUG).
ENABLE_CUDASIM = _simulator.is_chosen()
# Whether arrays of other libraries are used only once the stream that their interface names is done.
CUDA_ARRAY_INTERFACE_SYNC = True
# Folders in which CUDA C++ that kernels are linked with finds its headers, with colons between them.
CUDA_NVRTC_EXTRA_SEARCH_PATHS = ":".join(
    os.environ[name]
    for name in ("TESSERA_CUDA_NVRTC_EXTRA_SEARCH_PATHS", "NUMBA_CUDA_NVRTC_EXTRA_SEARCH_PATHS")
    if name in os.environ
)
# Whether launches that name no stream are on the calling thread's own one; copies wait for the work of their arrays as always.
CUDA_PER_THREAD_DEFAULT_STREAM = any(
    os.environ.get(f"{prefix}_CUDA_PER_THREAD_DEFAULT_STREAM", "0") not in ("", "0") for prefix in ("TESSERA", "NUMBA")
)
