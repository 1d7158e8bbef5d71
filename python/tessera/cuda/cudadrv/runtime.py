"""The version of CUDA that the driver supports, under the names of numba.cuda.cudadrv.runtime."""

from __future__ import annotations

from tessera import _core
from tessera.cuda._devices import gpus


class Runtime:
    """What kernels run on: the driver alone, or the cores."""

    def get_version(self) -> tuple[int, int]:
        """The newest CUDA that the driver supports; (0, 0) without a GPU."""
        if gpus[0]._facts is None:
            return (0, 0)
        version = _core.devices()[0].get("cuda_version", 0)
        return (version // 1000, version % 1000 // 10)

    def is_supported_version(self) -> bool:
        """Whether kernels run on that version; the cores need none."""
        return gpus[0]._facts is None or not _core.device_problem()


runtime = Runtime()
get_version = runtime.get_version
