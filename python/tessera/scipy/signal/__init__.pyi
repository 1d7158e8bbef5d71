# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def lombscargle(x: ArrayLike, y: ArrayLike, freqs: ArrayLike, *, precenter: Any = ..., normalize: bool | str = ..., weights: ArrayLike | None = ..., floating_mean: bool = ..., offsets: ArrayLike | None = ...) -> NDArray[Any]:
    """The generalised Lomb-Scargle periodogram of one series, or of many in one call."""
def lombscargle_false_alarm_level(probability: Any, x: ArrayLike, y: ArrayLike, *, weights: ArrayLike | None = ..., normalization: str = ..., method: str = ..., samples_per_peak: float = ..., nyquist_factor: float = ..., minimum_frequency: float | None = ..., maximum_frequency: float | None = ..., n_bootstraps: SupportsIndex = ..., random_seed: Any = ...) -> Any:
    """The power that the highest peak of noise alone exceeds with this probability: the inverse of
    `lombscargle_false_alarm_probability`, whose parameters it has."""
def lombscargle_false_alarm_probability(power: Any, x: ArrayLike, y: ArrayLike, *, weights: ArrayLike | None = ..., normalization: str = ..., method: str = ..., samples_per_peak: float = ..., nyquist_factor: float = ..., minimum_frequency: float | None = ..., maximum_frequency: float | None = ..., n_bootstraps: SupportsIndex = ..., random_seed: Any = ...) -> Any:
    """How probable it is that noise alone has a peak of this power somewhere in the grid of `lombscargle_frequencies`, whose
    parameters are here, too."""
def lombscargle_frequencies(x: ArrayLike, *, samples_per_peak: float = ..., nyquist_factor: float = ..., minimum_frequency: float | None = ..., maximum_frequency: float | None = ...) -> NDArray[Any]:
    """Evenly spaced angular frequencies for `lombscargle`, so close that no peak falls between two."""

def __getattr__(name: str) -> Any: ...
