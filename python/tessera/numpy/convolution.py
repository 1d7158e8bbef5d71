"""Convolution of arrays of any dimensions, directly or through the FFT."""

from __future__ import annotations

import numpy

from tessera import _core as core

_DIRECT_LIMIT = 64  # elements of the smaller array up to which shifted sums beat transforms


def convolve_nd(a, v, mode, method):
    """The convolution of two arrays of equal dimensions, as `scipy.signal.convolve` defines mode and method."""
    if a.ndim != v.ndim:
        raise ValueError(f"convolve: the arrays need equal dimensions, got {a.ndim} and {v.ndim}")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"convolve: mode must be 'full', 'same' or 'valid', got {mode!r}")
    if method not in ("auto", "direct", "fft"):
        raise ValueError(f"convolve: method must be 'auto', 'direct' or 'fft', got {method!r}")
    if 0 in a.shape + v.shape:
        raise ValueError(f"convolve: empty arrays, shapes {a.shape} and {v.shape}")
    if mode == "valid" and not all([n >= k for n, k in zip(a.shape, v.shape, strict=True)]):
        if not all([n <= k for n, k in zip(a.shape, v.shape, strict=True)]):
            raise ValueError(
                f"convolve: for 'valid' one array must be as large as the other in every dimension, got {a.shape} and {v.shape}"
            )
        a, v = v, a
    wanted = a.shape
    kernel, image = (v, a) if v.size <= a.size else (a, v)
    exact = numpy.result_type(a.dtype, v.dtype).kind in "biu"
    direct = method == "direct" or (method == "auto" and (exact or kernel.size <= _DIRECT_LIMIT))
    full = _shifted_sums(image, kernel) if direct else _transformed(image, kernel)
    if mode == "full":
        return full
    if mode == "valid":
        wanted = tuple([n - k + 1 for n, k in zip(a.shape, v.shape, strict=True)])
    starts = [(have - want) // 2 for have, want in zip(full.shape, wanted, strict=True)]
    return full[tuple([slice(start, start + want) for start, want in zip(starts, wanted, strict=True)])].copy()


def _full_shape(image, kernel):
    return tuple([n + k - 1 for n, k in zip(image.shape, kernel.shape, strict=True)])


def _shifted_sums(image, kernel):
    dtype = numpy.result_type(image.dtype, kernel.dtype)
    total = core.full(_full_shape(image, kernel), 0, dtype)
    for position in numpy.ndindex(*kernel.shape):
        window = tuple([slice(start, start + n) for start, n in zip(position, image.shape, strict=True)])
        total[window] += image * kernel[position]
    return total


def _transformed(image, kernel):
    from tessera.numpy import fft

    dtype = numpy.result_type(image.dtype, kernel.dtype)
    shape = _full_shape(image, kernel)
    axes = tuple(range(image.ndim))
    if dtype.kind == "c":
        return fft.ifftn(fft.fftn(image, shape, axes) * fft.fftn(kernel, shape, axes), shape, axes).astype(dtype)
    result = fft.irfftn(fft.rfftn(image, shape, axes) * fft.rfftn(kernel, shape, axes), shape, axes)
    return result.round().astype(dtype) if dtype.kind in "biu" else result.astype(dtype)
