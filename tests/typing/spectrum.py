"""Transforms, matrices and random numbers."""

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float64]


def noisy(n: int, seed: int) -> tuple[Samples, Samples]:
    rng: np.random.Generator = np.random.default_rng(seed)
    time = np.linspace(0.0, 1.0, n)
    return time, np.sin(2 * np.pi * 5 * time) + 0.1 * rng.normal(size=n)


def peak(signal: Samples) -> int:
    spectrum = np.fft.rfft(signal)
    power = np.abs(spectrum) ** 2
    return int(np.argmax(power[1:])) + 1


def fit(time: Samples, signal: Samples, degree: int = 3) -> Samples:
    basis: npt.NDArray[np.float64] = np.vander(time, degree + 1)
    solution, _, rank, _ = np.linalg.lstsq(basis, signal, rcond=None)
    if rank < degree:
        raise np.linalg.LinAlgError("the basis is deficient")
    return np.asarray(solution, dtype=np.float64)


def smooth(signal: npt.ArrayLike, width: int) -> Samples:
    values = np.asarray(signal, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        total = np.cumsum(values, dtype=np.float64)
    total[width:] = total[width:] - total[:-width]
    return np.divide(total[width - 1 :], width)


if __name__ == "__main__":
    time, signal = noisy(200, 3)
    quotients, remainders = np.divmod(np.arange(10), 3)
    hue: np.ndarray = np.stack([quotients, remainders]).T
    assert hue.shape == (10, 2)
    print(
        peak(signal),
        fit(time, signal).size,
        smooth(signal, 5).ndim,
        np.add.reduce(signal),
        np.maximum.accumulate(signal).nbytes,
    )
