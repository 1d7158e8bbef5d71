# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc
from tessera.scipy import fft as fft
from tessera.scipy import integrate as integrate
from tessera.scipy import signal as signal
from tessera.scipy import special as special
from tessera.scipy import stats as stats

