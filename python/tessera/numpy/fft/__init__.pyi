# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc
from tessera.numpy.fft.frequencies import fftfreq as fftfreq
from tessera.numpy.fft.frequencies import fftshift as fftshift
from tessera.numpy.fft.frequencies import ifftshift as ifftshift
from tessera.numpy.fft.frequencies import rfftfreq as rfftfreq
from tessera.numpy.fft.transforms import fft as fft
from tessera.numpy.fft.transforms import fft2 as fft2
from tessera.numpy.fft.transforms import fftn as fftn
from tessera.numpy.fft.transforms import hfft as hfft
from tessera.numpy.fft.transforms import ifft as ifft
from tessera.numpy.fft.transforms import ifft2 as ifft2
from tessera.numpy.fft.transforms import ifftn as ifftn
from tessera.numpy.fft.transforms import ihfft as ihfft
from tessera.numpy.fft.transforms import irfft as irfft
from tessera.numpy.fft.transforms import irfft2 as irfft2
from tessera.numpy.fft.transforms import irfftn as irfftn
from tessera.numpy.fft.transforms import rfft as rfft
from tessera.numpy.fft.transforms import rfft2 as rfft2
from tessera.numpy.fft.transforms import rfftn as rfftn


__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
