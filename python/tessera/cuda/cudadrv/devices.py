"""Devices and contexts under the names of numba.cuda.cudadrv.devices."""

from tessera.cuda._devices import current_context as get_context
from tessera.cuda._devices import gpus, require_context

__all__ = ["get_context", "gpus", "require_context", "reset"]


def reset() -> None:
    """Waits for all work and gives pooled memory back; arrays stay as they are."""
    get_context().reset()
