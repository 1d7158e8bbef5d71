"""Names that programs import from numba.cuda.cudadrv: arrays, streams, devices and errors; the driver itself is the engine's."""

from tessera.cuda.cudadrv import devicearray, devices, driver, error, runtime

__all__ = ["devicearray", "devices", "driver", "error", "runtime"]
