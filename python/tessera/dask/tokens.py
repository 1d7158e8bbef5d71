"""Names for arrays by their contents, so that Dask computes what it has seen before once."""

from __future__ import annotations

import tessera.numpy as np

# Odd constants with no pattern: the fractional parts of the golden ratio and of the square roots of 2, 3 and 5.
_STEPS = (0x9E3779B97F4A7C15, 0x6A09E667F3BCC909)
_STARTS = (0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B)
_WORDS = {1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "u8"}


def _mixed(words: np.ndarray) -> np.ndarray:
    """Each word spread over all its bits, one to one: the finishing step of SplitMix64 (Steele, Lea, Flood 2014)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def fingerprint(array: np.ndarray) -> str:
    """128 bits that depend on every byte of the array and on where it is, as 32 hexadecimal digits.

    They are two sums of mixed words, so the array is read where it lies, on all cores or on its device, and 16 bytes come
    back. The same on every machine, device and number of threads. Not for security: who wants to can find collisions.
    """
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.dtype == bool:
        flat = flat.astype(np.uint8)
    words = flat.view(_WORDS[flat.itemsize])
    if words.dtype != np.uint64 and words.size * words.itemsize % 8 == 0:
        words = words.view(np.uint64)
    words = words.astype(np.uint64, copy=False)
    numbers = np.arange(words.size, dtype=np.uint64)
    sums = [
        np.sum(_mixed(_mixed(words ^ np.uint64(start)) + numbers * np.uint64(step)), dtype=np.uint64)
        for start, step in zip(_STARTS, _STEPS)
    ]
    return "".join(f"{int(each):016x}" for each in sums)


def token(array: np.ndarray) -> tuple:
    """What stands for the array in Dask's names: equal for equal elements, dtype and shape."""
    return ("tessera", fingerprint(array), array.dtype.name, array.shape)


def register() -> None:
    """Register with `dask.tokenize`."""
    from dask.tokenize import normalize_token

    normalize_token.register(np.ndarray, token)
