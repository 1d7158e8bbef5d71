"""What the array API standard asks about a namespace."""

from __future__ import annotations

import numpy


class __array_namespace_info__:  # noqa: N801
    """Capabilities, dtypes and devices, as the array API standard names them."""

    __module__ = "tessera.numpy"

    def capabilities(self):
        """What the standard leaves to the implementation."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        """Where new arrays are."""
        return "cpu"

    def devices(self):
        """All devices."""
        return ["cpu"]

    def default_dtypes(self, *, device=None):
        """The dtypes of arrays made without one."""
        return numpy.__array_namespace_info__().default_dtypes(device=device)

    def dtypes(self, *, device=None, kind=None):
        """The dtypes of a kind."""
        return numpy.__array_namespace_info__().dtypes(device=device, kind=kind)
