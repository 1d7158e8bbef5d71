"""numpy.typing for tessera's arrays: `import tessera.numpy.typing as npt`."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera.numpy import ndarray

__all__ = ["ArrayLike", "DTypeLike", "NDArray"]

_ScalarT = TypeVar("_ScalarT", bound=numpy.generic)

NDArray: TypeAlias = ndarray[tuple[Any, ...], numpy.dtype[_ScalarT]]  # type: ignore[type-arg, unused-ignore]
