"""Frequency grids for Lomb-Scargle periodograms, and how probable a peak is without a signal.

The formulas are those of R. V. Baluev, MNRAS 385, 1279 (2008), table 1; grid, names and methods those of astropy's LombScargle, whose
frequencies are cycles per unit of x where these are radians.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy

from tessera.scipy.signal._lombscargle import lombscargle

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    Normalization = Literal["standard", "model", "log", "psd"]
    Method = Literal["single", "naive", "davies", "baluev", "bootstrap"]

_NORMALIZATIONS = ("standard", "model", "log", "psd")
_METHODS = ("single", "naive", "davies", "baluev", "bootstrap")


def lombscargle_frequencies(
    x: ArrayLike,
    *,
    samples_per_peak: float = 5,
    nyquist_factor: float = 5,
    minimum_frequency: float | None = None,
    maximum_frequency: float | None = None,
) -> Any:
    """Evenly spaced angular frequencies for `lombscargle`, so close that no peak falls between two.

    The spacing is 2 pi / (samples_per_peak (max(x) - min(x))). The first is half of it, or minimum_frequency; the last is near
    maximum_frequency, or nyquist_factor times the Nyquist frequency pi n / (max(x) - min(x)) of as many evenly spaced points.

    Shapes: x: (n,), n > 1; result: (m,). Dtypes: float64. Units: radians per unit of x.
    Errors: ValueError for times that do not span anything, for factors that are not positive, and for no frequency in the range.
    Source: J. T. VanderPlas, ApJS 236, 16 (2018); astropy's LombScargle.autofrequency.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> from tessera.scipy import signal
    >>> signal.lombscargle_frequencies(np.linspace(0, 20, 50)).ndim
    1
    """
    import tessera.numpy as np

    times = np.asarray(x, dtype=np.float64)
    if times.ndim != 1 or times.size < 2:
        raise ValueError(
            f"lombscargle_frequencies: x has shape {times.shape}; it must have one axis and two times or more"
        )
    if not (samples_per_peak > 0 and nyquist_factor > 0):
        raise ValueError(
            f"lombscargle_frequencies: samples_per_peak={samples_per_peak} and nyquist_factor={nyquist_factor} must be positive"
        )
    span = float(np.max(times) - np.min(times))
    if not 0 < span < math.inf:
        raise ValueError(f"lombscargle_frequencies: the times span {span}; they must differ and be finite")
    step = 1 / span / samples_per_peak
    first = 0.5 * step if minimum_frequency is None else minimum_frequency / (2 * math.pi)
    if maximum_frequency is None:
        last = nyquist_factor * 0.5 * times.size / span
    else:
        last = maximum_frequency / (2 * math.pi)
    count = 1 + round((last - first) / step)
    if count < 1:
        raise ValueError(
            f"lombscargle_frequencies: no frequency from {2 * math.pi * first} to {2 * math.pi * last}; raise maximum_frequency"
        )
    return 2 * math.pi * (first + step * np.arange(count))


def lombscargle_false_alarm_probability(
    power: ArrayLike,
    x: ArrayLike,
    y: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    normalization: Normalization = "standard",
    method: Method = "baluev",
    samples_per_peak: float = 5,
    nyquist_factor: float = 5,
    minimum_frequency: float | None = None,
    maximum_frequency: float | None = None,
    n_bootstraps: int = 1000,
    random_seed: int | None = None,
) -> Any:
    """How probable it is that noise alone has a peak of this power somewhere in the grid of `lombscargle_frequencies`, whose
    parameters are here, too.

    `normalization` is the power's: "standard" for `lombscargle(normalize=True, floating_mean=True)`; with P that power, "model" for
    P / (1 - P), "log" for -log(1 - P), "psd" for P times half of the sum of weights (y - mean)^2, where weights are 1 / sigma^2.
    `method`: "baluev" and "davies" are bounds by extreme-value theory, "naive" counts independent frequencies, "single" is for one
    frequency given in advance, "bootstrap" takes the highest peaks of n_bootstraps periodograms of resampled values, computed in
    one call.

    Shapes: power: any, also of the result; x, y, weights: (n,), n > 3. Dtypes: float64.
    Errors: ValueError for unknown methods and normalizations, and for fewer than four points.
    Source: R. V. Baluev, MNRAS 385, 1279 (2008); astropy's LombScargle.false_alarm_probability.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> from tessera.scipy import signal
    >>> t = np.linspace(0, 20, 50)
    >>> chance = signal.lombscargle_false_alarm_probability(0.9, t, np.sin(t))
    >>> 0 <= float(chance) < 0.01
    True
    """
    import tessera.numpy as np

    grid = {
        "samples_per_peak": samples_per_peak,
        "nyquist_factor": nyquist_factor,
        "minimum_frequency": minimum_frequency,
        "maximum_frequency": maximum_frequency,
    }
    chances = _Chances("lombscargle_false_alarm_probability", x, y, weights, grid, normalization, method)
    values = np.asarray(power, dtype=np.float64)
    if method == "bootstrap":
        peaks = chances.highest_peaks(n_bootstraps, random_seed)
        return (1.0 - np.searchsorted(np.asarray(peaks), values) / len(peaks))[()]
    return chances.probability(values, np)[()]


def lombscargle_false_alarm_level(
    probability: ArrayLike,
    x: ArrayLike,
    y: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    normalization: Normalization = "standard",
    method: Method = "baluev",
    samples_per_peak: float = 5,
    nyquist_factor: float = 5,
    minimum_frequency: float | None = None,
    maximum_frequency: float | None = None,
    n_bootstraps: int = 1000,
    random_seed: int | None = None,
) -> Any:
    """The power that the highest peak of noise alone exceeds with this probability: the inverse of
    `lombscargle_false_alarm_probability`, whose parameters it has.

    Shapes: probability: any, also of the result; x, y, weights: (n,), n > 3. Dtypes: float64.
    Errors: ValueError for unknown methods and normalizations, fewer than four points, probabilities that are not between 0 and 1,
    and those that the method gives to no power.
    Source: R. V. Baluev, MNRAS 385, 1279 (2008); astropy's LombScargle.false_alarm_level.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> from tessera.scipy import signal
    >>> t = np.linspace(0, 20, 50)
    >>> level = signal.lombscargle_false_alarm_level(0.01, t, np.sin(t))
    >>> 0 < float(level) < 1
    True
    """
    import tessera.numpy as np

    grid = {
        "samples_per_peak": samples_per_peak,
        "nyquist_factor": nyquist_factor,
        "minimum_frequency": minimum_frequency,
        "maximum_frequency": maximum_frequency,
    }
    chances = _Chances("lombscargle_false_alarm_level", x, y, weights, grid, normalization, method)
    wanted = numpy.asarray(probability, dtype=numpy.float64)
    if not ((wanted > 0) & (wanted < 1)).all():
        raise ValueError(f"lombscargle_false_alarm_level: probability={probability} must be between 0 and 1")
    if method == "bootstrap":
        peaks = chances.highest_peaks(n_bootstraps, random_seed)
        places = numpy.floor((1 - wanted) * len(peaks)).astype(int)
        return np.asarray(peaks[numpy.clip(places, 0, len(peaks) - 1)])[()]
    return np.asarray(numpy.array([chances.level(each) for each in wanted.flat]).reshape(wanted.shape))[()]


class _Chances:
    """The distribution of powers of a record's noise. Three parameters are fitted where noise alone has one."""

    def __init__(
        self, name: str, x: Any, y: Any, weights: Any, grid: dict[str, Any], normalization: str, method: str
    ) -> None:
        import tessera.numpy as np

        for value, known, word in (
            (normalization, _NORMALIZATIONS, "normalization"),
            (method, _METHODS, "method"),
        ):
            if value not in known:
                raise ValueError(f"{name}: {word}={value!r}; there are {', '.join(known)}")
        self.x, self.y = (np.asarray(values, dtype=np.float64) for values in (x, y))
        self.weights = None if weights is None else np.asarray(weights, dtype=np.float64)
        arrays = [self.x, self.y] + ([] if weights is None else [self.weights])
        if self.x.ndim != 1 or any(each.shape != self.x.shape for each in arrays) or self.x.size < 4:
            shapes = ", ".join(str(each.shape) for each in arrays)
            raise ValueError(
                f"{name}: x, y, weights must be 1-D arrays of one length, of four points or more (got {shapes})"
            )
        self.normalization, self.method = normalization, method
        self.maximum_frequency = float(lombscargle_frequencies(self.x, **grid)[-1])
        self.n = self.x.size
        w = np.full(self.n, 1.0 / self.n) if weights is None else self.weights / np.sum(self.weights)
        # About the midpoint: the difference of two large squares would lose what is asked for.
        t = self.x - 0.5 * (np.max(self.x) + np.min(self.x))
        facts = np.stack([np.max(t) - np.min(t), np.sum(w * t * t) - np.sum(w * t) ** 2])
        span, variance = (float(fact) for fact in numpy.asarray(facts))
        cycles = self.maximum_frequency / (2 * math.pi)
        self.independent = cycles * span
        self.width = cycles * math.sqrt(4 * math.pi * variance)

    def single(self, z: Any, xp: Any) -> Any:
        """The probability at one frequency; xp is the module that computes."""
        freedom = self.n - 3
        if self.normalization == "psd":
            return xp.exp(-z)
        if self.normalization == "standard":
            return (1 - z) ** (0.5 * freedom)
        return (1 + z) ** (-0.5 * freedom) if self.normalization == "model" else xp.exp(-0.5 * freedom * z)

    def _single_level(self, p: float) -> float:
        freedom = self.n - 3
        if self.normalization == "psd":
            return -math.log(p)
        if self.normalization == "standard":
            return 1 - p ** (2 / freedom)
        return p ** (-2 / freedom) - 1 if self.normalization == "model" else -2 / freedom * math.log(p)

    def _crossings(self, z: Any, xp: Any) -> Any:
        """How often noise rises above a level, on average (tau of Davies' bound)."""
        noise, model = self.n - 1, self.n - 3
        if self.normalization == "psd":
            return self.width * xp.exp(-z) * xp.sqrt(z)
        if self.normalization == "standard":
            return _gamma(noise) * self.width * (1 - z) ** (0.5 * (model - 1)) * xp.sqrt(0.5 * noise * z)
        if self.normalization == "model":
            return _gamma(model) * self.width * (1 + z) ** (-0.5 * model) * xp.sqrt(0.5 * model * z)
        steepness = xp.exp(-0.5 * z * (model - 0.5))
        return _gamma(model) * self.width * steepness * xp.sqrt(model * xp.sinh(0.5 * z))

    def probability(self, z: Any, xp: Any) -> Any:
        """The probability that some peak is at least z."""
        single = self.single(z, xp)
        if self.method == "single":
            return single
        if self.method == "naive":
            with xp.errstate(divide="ignore"):
                return -xp.expm1(self.independent * xp.log1p(-single))
        crossings = self._crossings(z, xp)
        return single + crossings if self.method == "davies" else -xp.expm1(-crossings) + single * xp.exp(-crossings)

    def level(self, p: float) -> float:
        """The highest power with this probability."""
        if self.method == "single":
            return self._single_level(p)
        start = self._single_level(max(-math.expm1(math.log1p(-p) / self.independent), 5e-324))
        if self.method == "naive":
            return start
        from scipy.optimize import brentq

        excess: Callable[[float], float] = lambda z: float(self.probability(numpy.float64(z), numpy)) - p
        most = 1.0 if self.normalization == "standard" else math.inf
        # Bounds fall from their maximum on: go up from the naive level until the probability is below, then down.
        above = start
        while excess(above) > 0:
            above = min(2 * above, 0.5 * (above + most)) if most < math.inf else 2 * above
        below = above
        while excess(below) < 0:
            below *= 0.9
            if below < 1e-12:
                raise ValueError(
                    f"lombscargle_false_alarm_level: the method {self.method!r} gives no power the probability {p}"
                )
        return float(brentq(excess, below, above, xtol=1e-15, rtol=1e-14)) if below < above else above

    def highest_peaks(self, n_bootstraps: int, random_seed: int | None) -> numpy.ndarray:
        """The highest powers of resampled records, ascending."""
        import tessera.numpy as np

        if n_bootstraps < 1:
            raise ValueError(f"lombscargle: n_bootstraps={n_bootstraps} must be positive")
        random = numpy.random.default_rng(random_seed)
        chosen = np.asarray(numpy.stack([random.integers(0, self.n, self.n) for _ in range(n_bootstraps)]))
        freqs = lombscargle_frequencies(self.x, maximum_frequency=self.maximum_frequency)
        y = self.y[chosen]
        w = None if self.weights is None else self.weights[chosen]
        power = lombscargle(
            np.broadcast_to(self.x, y.shape).reshape(-1),
            y.reshape(-1),
            freqs,
            weights=None if w is None else w.reshape(-1),
            floating_mean=True,
            normalize=True,
            offsets=self.n * numpy.arange(n_bootstraps + 1),
        )
        peaks = np.max(power, axis=1)
        if self.normalization == "model":
            peaks = peaks / (1 - peaks)
        elif self.normalization == "log":
            peaks = -np.log1p(-peaks)
        elif self.normalization == "psd":
            w = np.ones(y.shape) if w is None else w
            about = y - (np.sum(w * y, axis=1) / np.sum(w, axis=1))[:, None]
            peaks = peaks * 0.5 * np.sum(w * about * about, axis=1)
        return numpy.sort(numpy.asarray(peaks))


def _gamma(n: int) -> float:
    """Close to 1 - 0.75 / n."""
    return math.sqrt(2 / n) * math.exp(math.lgamma(n / 2) - math.lgamma((n - 1) / 2))
