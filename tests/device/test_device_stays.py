"""Which functions leave their operands on the device: the calls of CALLS copy nothing home but what they decide by (a count, an
extreme), those named in GOES_HOME do, and all give NumPy's result. What stays on the device stays on the list."""

from __future__ import annotations

import inspect
import os
import warnings
from pathlib import Path

import numpy
import pytest
import tessera.numpy as np

import tessera
from tessera import _core

LIBRARIES = Path(os.environ.get("TESSERA_BUILD", "build/release")).resolve() / "simulated"
DEVICES = (["simulated"] if LIBRARIES.is_dir() else []) + (["gpu"] if _core.devices() else [])
FEW_BYTES = 4096  # of results that decide how to go on

RNG = numpy.random.default_rng(17)
N = 90_000
OPERANDS = {
    "x": RNG.standard_normal((300, 300)),
    "y": RNG.standard_normal((300, 300)) + 3,
    "f": RNG.standard_normal((300, 300)).astype("f4"),
    "line": RNG.standard_normal(N),
    "other": RNG.standard_normal(N),
    "sorted": numpy.sort(RNG.standard_normal(N)),
    "half": RNG.standard_normal(N).astype("f2"),
    "c": RNG.standard_normal(N) + 1j * RNG.integers(0, 3, N),
    "i": RNG.integers(0, 300, N),
    "small": RNG.integers(-100, 100, N).astype("i1"),
    "m": RNG.integers(0, 9, (300, 300)),
    "mask": RNG.random((300, 300)) < 0.3,
    "flags": RNG.random(N) < 0.3,
    "rows": RNG.random(300) < 0.5,
    "at": RNG.integers(-300, 300, 20_000),
    "square": RNG.integers(0, 300, (300, 300)),
    "edges": numpy.linspace(-3, 3, 80_000),
    "bytes": RNG.integers(0, 256, N).astype("u1"),
    "v3": RNG.standard_normal((20_000, 3)),
    "w3": RNG.standard_normal((20_000, 3)),
    "small_plane": RNG.standard_normal((300, 40)),
    "tiny": RNG.standard_normal((3, 4)),
    "positive": RNG.random(N) + 0.1,
    "block": RNG.standard_normal((20, 30, 40)),
    "pick": RNG.integers(0, 3, (300, 300)),
    "nans": numpy.where(RNG.random((300, 300)) < 0.1, numpy.nan, RNG.standard_normal((300, 300))),
}


def writes(function):
    """The operand that the function writes to, which it is given as its first."""

    def call(xp, o):
        function(xp, o)
        return o.x

    return call


def assign(index):
    return writes(lambda xp, o: o.x.__setitem__(index(o), 7.0))


CALLS = {
    "all": lambda xp, o: xp.all(o.mask, axis=0),
    "allclose": lambda xp, o: xp.allclose(o.x, o.y),
    "angle": lambda xp, o: xp.angle(o.c),
    "any": lambda xp, o: xp.any(o.mask, axis=0),
    "append": lambda xp, o: xp.append(o.x, o.y),
    "apply_over_axes": lambda xp, o: xp.apply_over_axes(xp.sum, o.block, [0, 2]),
    "argmax": lambda xp, o: xp.argmax(o.x, axis=0),
    "argmin": lambda xp, o: xp.argmin(o.line),
    "argmax of complex": lambda xp, o: xp.argmax(o.c),
    "argpartition": lambda xp, o: xp.argpartition(o.line, 100)[100],
    "argsort": lambda xp, o: xp.argsort(o.x, axis=0, kind="stable"),
    "argsort of complex": lambda xp, o: xp.argsort(o.c, kind="stable"),
    "argsort descending": lambda xp, o: xp.argsort(-o.half, kind="stable"),
    "argwhere": lambda xp, o: xp.argwhere(o.mask),
    "around": lambda xp, o: xp.around(o.x, 2),
    "array": lambda xp, o: xp.array(o.x),
    "array_equal": lambda xp, o: xp.array_equal(o.x, o.y),
    "array_equiv": lambda xp, o: xp.array_equiv(o.x, o.y),
    "array_split": lambda xp, o: xp.array_split(o.x, 3)[1],
    "asarray": lambda xp, o: xp.asarray(o.x, dtype="f4"),
    "ascontiguousarray": lambda xp, o: xp.ascontiguousarray(o.x.T),
    "asfortranarray": lambda xp, o: xp.asfortranarray(o.x),
    "astype": lambda xp, o: xp.astype(o.x, "i4"),
    "atleast_3d": lambda xp, o: xp.atleast_3d(o.x),
    "average": lambda xp, o: xp.average(o.x, axis=0, weights=o.y),
    "bincount": lambda xp, o: xp.bincount(o.i),
    "bincount weights": lambda xp, o: xp.bincount(o.i, weights=o.line),
    "bincount minlength": lambda xp, o: xp.bincount(o.i, minlength=3000),
    "block": lambda xp, o: xp.block([[o.x, o.y], [o.y, o.x]]),
    "broadcast_arrays": lambda xp, o: xp.broadcast_arrays(o.x, o.x[0])[1] + 1,
    "choose": lambda xp, o: xp.choose(o.pick, [o.x, o.y, o.nans]),
    "clip": lambda xp, o: xp.clip(o.x, -1, 1),
    "column_stack": lambda xp, o: xp.column_stack((o.line, o.other)),
    "compress": lambda xp, o: xp.compress(o.rows, o.x, axis=1),
    "concatenate": lambda xp, o: xp.concatenate((o.x, o.y), axis=1),
    "convolve": lambda xp, o: xp.convolve(o.line, o.tiny.ravel()),
    "copy": lambda xp, o: xp.copy(o.x),
    "copyto": writes(lambda xp, o: xp.copyto(o.x, o.y, where=o.mask)),
    "corrcoef": lambda xp, o: xp.corrcoef(o.x),
    "correlate": lambda xp, o: xp.correlate(o.line, o.tiny.ravel(), "same"),
    "count_nonzero": lambda xp, o: xp.count_nonzero(o.mask, axis=0),
    "cov": lambda xp, o: xp.cov(o.x),
    "cross": lambda xp, o: xp.cross(o.v3, o.w3),
    "cumprod": lambda xp, o: xp.cumprod(o.positive),
    "cumsum": lambda xp, o: xp.cumsum(o.line),
    "cumulative_sum": lambda xp, o: xp.cumulative_sum(o.x, axis=0, include_initial=True),
    "cumulative_prod": lambda xp, o: xp.cumulative_prod(o.x, axis=1),
    "delete": lambda xp, o: xp.delete(o.x, [3, 5], axis=0),
    "delete by mask": lambda xp, o: xp.delete(o.x, o.rows, axis=1),
    "diag": lambda xp, o: xp.diag(o.x) + 1,
    "diag of a line": lambda xp, o: xp.diag(o.x[0]),
    "diagflat": lambda xp, o: xp.diagflat(o.x[:2], 1),
    "diagonal": lambda xp, o: xp.diagonal(o.x, 3) * 2,
    "diff": lambda xp, o: xp.diff(o.x, 2, axis=0),
    "digitize": lambda xp, o: xp.digitize(o.line, o.edges),
    "dot": lambda xp, o: xp.dot(o.x, o.y),
    "dsplit": lambda xp, o: xp.dsplit(o.block, 2)[0] + 1,
    "dstack": lambda xp, o: xp.dstack((o.x, o.y)),
    "ediff1d": lambda xp, o: xp.ediff1d(o.line, to_begin=0.0),
    "einsum": lambda xp, o: xp.einsum("ij,jk->ik", o.x, o.y),
    "einsum sums": lambda xp, o: xp.einsum("ij,ij->i", o.x, o.y),
    "einsum trace": lambda xp, o: xp.einsum("ii->i", o.x) + 1,
    "einsum of three": lambda xp, o: xp.einsum("ij,jk,kl->il", o.x, o.y, o.x, optimize=True),
    "einsum integers": lambda xp, o: xp.einsum("ij,jk->ik", o.m, o.m),
    "empty_like": lambda xp, o: xp.empty_like(o.x).shape,
    "expand_dims": lambda xp, o: xp.expand_dims(o.x, 1) * 2,
    "extract": lambda xp, o: xp.extract(o.mask, o.x),
    "fill_diagonal": writes(lambda xp, o: xp.fill_diagonal(o.x, 3.0)),
    "fix": lambda xp, o: xp.fix(o.x),
    "flatnonzero": lambda xp, o: xp.flatnonzero(o.mask),
    "flip": lambda xp, o: xp.flip(o.x, 0) * 2,
    "full_like": lambda xp, o: xp.full_like(o.x, 3),
    "gradient": lambda xp, o: xp.gradient(o.x, axis=0),
    "gradient over places": lambda xp, o: xp.gradient(o.line, o.sorted),
    "histogram": lambda xp, o: xp.histogram(o.line, bins=50)[0],
    "histogram range": lambda xp, o: xp.histogram(o.line, bins=500, range=(-2, 2))[0],
    "histogram edges": lambda xp, o: xp.histogram(o.line, bins=o.edges)[0],
    "histogram weights": lambda xp, o: xp.histogram(o.line, bins=500, weights=o.other)[0],
    "histogram density": lambda xp, o: xp.histogram(o.line, bins=500, density=True)[0],
    "histogram integers": lambda xp, o: xp.histogram(o.i, bins=20)[0],
    "histogram auto": lambda xp, o: xp.histogram(o.line, bins="auto")[0],
    "histogram2d": lambda xp, o: xp.histogram2d(o.line, o.other, bins=40)[0],
    "histogram_bin_edges": lambda xp, o: xp.histogram_bin_edges(o.line, 40),
    "histogramdd": lambda xp, o: xp.histogramdd(o.v3, bins=8)[0],
    "i0": lambda xp, o: xp.i0(o.x),
    "imag": lambda xp, o: xp.imag(o.c) + 1,
    "inner": lambda xp, o: xp.inner(o.x, o.y),
    "insert": lambda xp, o: xp.insert(o.x, 3, 1.0, axis=0),
    "interp": lambda xp, o: xp.interp(o.line, o.sorted, o.other),
    "interp period": lambda xp, o: xp.interp(o.line, o.sorted, o.other, period=2.5),
    "interp complex": lambda xp, o: xp.interp(o.line, o.sorted, o.c, left=-1j),
    "intersect1d": lambda xp, o: xp.intersect1d(o.i, o.m),
    "isclose": lambda xp, o: xp.isclose(o.x, o.y),
    "iscomplex": lambda xp, o: xp.iscomplex(o.c),
    "isin": lambda xp, o: xp.isin(o.i, o.m),
    "isin of floats": lambda xp, o: xp.isin(o.line, o.other),
    "isneginf": lambda xp, o: xp.isneginf(o.x),
    "isposinf": lambda xp, o: xp.isposinf(o.x),
    "isreal": lambda xp, o: xp.isreal(o.c),
    "ix_": lambda xp, o: o.x[xp.ix_(xp.array([1, 3, 5]), xp.arange(100))],
    "kron": lambda xp, o: xp.kron(o.x, o.tiny),
    "lexsort": lambda xp, o: xp.lexsort((o.line, o.i)),
    "lexsort rows": lambda xp, o: xp.lexsort((o.x, o.m)),
    "matrix_transpose": lambda xp, o: xp.matrix_transpose(o.x) + 1,
    "max": lambda xp, o: xp.max(o.x, axis=0),
    "mean": lambda xp, o: xp.mean(o.x, axis=0),
    "median": lambda xp, o: xp.median(o.x, axis=0),
    "median of all": lambda xp, o: xp.median(o.f),
    "meshgrid": lambda xp, o: xp.meshgrid(o.x[0], o.x[1])[0],
    "min": lambda xp, o: xp.min(o.x, axis=1),
    "moveaxis": lambda xp, o: xp.moveaxis(o.block, 0, 2) + 1,
    "nan_to_num": lambda xp, o: xp.nan_to_num(o.nans),
    "nanargmax": lambda xp, o: xp.nanargmax(o.nans, axis=0),
    "nanargmin": lambda xp, o: xp.nanargmin(o.nans, axis=0),
    "nancumprod": lambda xp, o: xp.nancumprod(o.nans, axis=0),
    "nancumsum": lambda xp, o: xp.nancumsum(o.nans, axis=0),
    "nanmax": lambda xp, o: xp.nanmax(o.nans, axis=0),
    "nanmean": lambda xp, o: xp.nanmean(o.nans, axis=0),
    "nanmedian": lambda xp, o: xp.nanmedian(o.nans, axis=0),
    "nanmin": lambda xp, o: xp.nanmin(o.nans, axis=0),
    "nanpercentile": lambda xp, o: xp.nanpercentile(o.nans, [20, 70], axis=0),
    "nanprod": lambda xp, o: xp.nanprod(o.nans, axis=0),
    "nanquantile": lambda xp, o: xp.nanquantile(o.nans, 0.3, axis=0),
    "nanstd": lambda xp, o: xp.nanstd(o.nans, axis=0),
    "nansum": lambda xp, o: xp.nansum(o.nans, axis=0),
    "nanvar": lambda xp, o: xp.nanvar(o.nans, axis=0),
    "nonzero": lambda xp, o: xp.nonzero(o.mask)[1],
    "nonzero of complex": lambda xp, o: xp.nonzero(o.c.real > 1)[0],
    "outer": lambda xp, o: xp.outer(o.x[0], o.line[:300]),
    "packbits": lambda xp, o: xp.packbits(o.flags),
    "pad": lambda xp, o: xp.pad(o.x, 3),
    "pad edge": lambda xp, o: xp.pad(o.x, 3, mode="edge"),
    "pad reflect": lambda xp, o: xp.pad(o.x, 3, mode="reflect"),
    "pad mean": lambda xp, o: xp.pad(o.x, 3, mode="mean"),
    "pad wrap": lambda xp, o: xp.pad(o.x, 3, mode="wrap"),
    "partition": lambda xp, o: xp.partition(o.line, 100)[100],
    "percentile": lambda xp, o: xp.percentile(o.x, [20, 60], axis=0),
    "percentile of all": lambda xp, o: xp.percentile(o.line, 30, method="hazen"),
    "piecewise": lambda xp, o: xp.piecewise(o.x, [o.x < 0, o.x >= 0], [-1, 1]),
    "piecewise functions": lambda xp, o: xp.piecewise(o.x, [o.x < 0, o.x >= 0], [lambda v: -v, lambda v: v * v]),
    "place": writes(lambda xp, o: xp.place(o.x, o.mask, xp.array([1.0, 2.0]))),
    "polyval": lambda xp, o: xp.polyval([1.0, 2.0, 3.0], o.line),
    "prod": lambda xp, o: xp.prod(o.x, axis=0),
    "ptp": lambda xp, o: xp.ptp(o.x, axis=0),
    "put": writes(lambda xp, o: xp.put(o.x, o.at, o.line[:20_000])),
    "put wrap": writes(lambda xp, o: xp.put(o.x, o.at * 7919, o.line[:20_000], mode="wrap")),
    "put clip": writes(lambda xp, o: xp.put(o.x, o.at * 7919, o.line[:20_000], mode="clip")),
    "put_along_axis": writes(lambda xp, o: xp.put_along_axis(o.x, o.square, o.y, 1)),
    "putmask": writes(lambda xp, o: xp.putmask(o.x, o.mask, o.line[:100])),
    "quantile": lambda xp, o: xp.quantile(o.x, 0.4, axis=1),
    "quantile weights": lambda xp, o: xp.quantile(o.positive, 0.4, weights=o.positive, method="inverted_cdf"),
    "ravel": lambda xp, o: xp.ravel(o.x.T),
    "ravel_multi_index": lambda xp, o: xp.ravel_multi_index((o.i, o.i), (300, 400)),
    "real": lambda xp, o: xp.real(o.c) + 1,
    "real_if_close": lambda xp, o: xp.real_if_close(o.c),
    "repeat": lambda xp, o: xp.repeat(o.x, 3, axis=0),
    "repeat by counts": lambda xp, o: xp.repeat(o.line, o.i),
    "require": lambda xp, o: xp.require(o.x, "f4"),
    "reshape": lambda xp, o: xp.reshape(o.x.T, -1),
    "resize": lambda xp, o: xp.resize(o.x, (100, 500)),
    "roll": lambda xp, o: xp.roll(o.x, 3, axis=1),
    "roll all": lambda xp, o: xp.roll(o.x, 3),
    "rot90": lambda xp, o: xp.rot90(o.x) + 1,
    "round": lambda xp, o: xp.round(o.x, 1),
    "searchsorted": lambda xp, o: xp.searchsorted(o.sorted, o.line),
    "searchsorted sorter": lambda xp, o: xp.searchsorted(o.line, o.other, sorter=xp.argsort(o.line)),
    "searchsorted complex": lambda xp, o: xp.searchsorted(xp.sort(o.c), o.c, side="right"),
    "select": lambda xp, o: xp.select([o.x < 0, o.x < 1], [o.x, o.y], 7),
    "setdiff1d": lambda xp, o: xp.setdiff1d(o.line, o.other),
    "setxor1d": lambda xp, o: xp.setxor1d(o.line, o.other),
    "sinc": lambda xp, o: xp.sinc(o.x),
    "sort": lambda xp, o: xp.sort(o.x, axis=0),
    "sort complex numbers": lambda xp, o: xp.sort(o.c),
    "sort halves": lambda xp, o: xp.sort(o.half),
    "sort_complex": lambda xp, o: xp.sort_complex(o.c),
    "split": lambda xp, o: xp.split(o.x, 2)[0] + 1,
    "squeeze": lambda xp, o: xp.squeeze(o.x[None]) + 1,
    "stack": lambda xp, o: xp.stack((o.x, o.y), axis=1),
    "std": lambda xp, o: xp.std(o.x, axis=0),
    "sum": lambda xp, o: xp.sum(o.x, axis=0),
    "swapaxes": lambda xp, o: xp.swapaxes(o.x, 0, 1) + 1,
    "take": lambda xp, o: xp.take(o.x, o.at, axis=1),
    "take wrap": lambda xp, o: xp.take(o.x, o.at * 13, axis=1, mode="wrap"),
    "take clip": lambda xp, o: xp.take(o.x, o.at * 13, mode="clip"),
    "take_along_axis": lambda xp, o: xp.take_along_axis(o.x, o.square, 1),
    "tensordot": lambda xp, o: xp.tensordot(o.block, o.block, ([0, 1], [0, 1])),
    "tile": lambda xp, o: xp.tile(o.x, (2, 3)),
    "trace": lambda xp, o: xp.trace(o.x),
    "transpose": lambda xp, o: xp.transpose(o.x) + 1,
    "trapezoid": lambda xp, o: xp.trapezoid(o.x, axis=0),
    "tril": lambda xp, o: xp.tril(o.x, 1),
    "tril_indices_from": lambda xp, o: xp.tril_indices_from(o.x)[0],
    "trim_zeros": lambda xp, o: xp.trim_zeros(xp.concatenate((xp.zeros(20_000), o.line, xp.zeros(20_000)))),
    "triu": lambda xp, o: xp.triu(o.x, -1),
    "union1d": lambda xp, o: xp.union1d(o.i, o.m),
    "unique": lambda xp, o: xp.unique(o.line),
    "unique of few": lambda xp, o: xp.unique(o.i),
    "unique complex": lambda xp, o: xp.unique(o.c),
    "unique index": lambda xp, o: xp.unique(o.i, return_index=True)[1],
    "unique inverse": lambda xp, o: xp.unique(o.i, return_inverse=True)[1],
    "unique counts": lambda xp, o: xp.unique(o.i, return_counts=True)[1],
    "unique rows": lambda xp, o: xp.unique(o.m[:, :4], axis=0),
    "unique with nans": lambda xp, o: xp.unique(o.nans),
    "unpackbits": lambda xp, o: xp.unpackbits(o.bytes),
    "unravel_index": lambda xp, o: xp.unravel_index(o.i, (20, 30))[0],
    "unstack": lambda xp, o: xp.unstack(o.x)[0] + 1,
    "unwrap": lambda xp, o: xp.unwrap(o.line),
    "vander": lambda xp, o: xp.vander(o.line, 4),
    "var": lambda xp, o: xp.var(o.x, axis=0),
    "vdot": lambda xp, o: xp.vdot(o.x, o.y),
    "vstack": lambda xp, o: xp.vstack((o.x, o.y)),
    "where": lambda xp, o: xp.where(o.mask, o.x, o.y),
    "where alone": lambda xp, o: xp.where(o.mask)[0],
    "zeros_like": lambda xp, o: xp.zeros_like(o.x),
    "matmul": lambda xp, o: xp.matmul(o.x, o.y),
    "matmul integers": lambda xp, o: xp.matmul(o.m, o.m),
    "matmul booleans": lambda xp, o: xp.matmul(o.mask, o.mask),
    "matmul bytes": lambda xp, o: xp.matmul(o.m.astype("i1"), o.m.astype("i1")),
    "dot integers": lambda xp, o: xp.dot(o.m, o.m[0]),
    "vecdot": lambda xp, o: xp.vecdot(o.x, o.y),
    "matvec": lambda xp, o: xp.matvec(o.x, o.y[0]),
    "vecmat": lambda xp, o: xp.vecmat(o.y[0], o.x),
    "add.at": writes(lambda xp, o: xp.add.at(o.x, o.at, 1.5)),
    "add.at values": writes(lambda xp, o: xp.add.at(o.x.ravel(), o.i, o.line)),
    "add.at integers": lambda xp, o: (xp.add.at(o.m.ravel(), o.i, o.square.ravel()), o.m)[1],
    "maximum.at": writes(lambda xp, o: xp.maximum.at(o.x.ravel(), o.i, o.line)),
    "negative.at": writes(lambda xp, o: xp.negative.at(o.x.ravel(), o.i)),
    "multiply.at": writes(lambda xp, o: xp.multiply.at(o.x, (o.at, o.at), 2.0)),
    "add.reduceat": lambda xp, o: xp.add.reduceat(o.line, [0, 5000, 9000]),
    "add.accumulate": lambda xp, o: xp.add.accumulate(o.line),
    "maximum.accumulate": lambda xp, o: xp.maximum.accumulate(o.line),
    "multiply.outer": lambda xp, o: xp.multiply.outer(o.x[0], o.x[1]),
    "a[i]": lambda xp, o: o.x[o.at],
    "a[i, j]": lambda xp, o: o.x[o.at, o.at],
    "a[i, :]": lambda xp, o: o.x[o.at, :],
    "a[:, i]": lambda xp, o: o.x[:, o.at],
    "a[..., i]": lambda xp, o: o.x[..., o.at],
    "a[i, 2]": lambda xp, o: o.x[o.at, 2],
    "a[2, i]": lambda xp, o: o.x[2, o.at],
    "a[i, 1:5]": lambda xp, o: o.x[o.at, 1:5],
    "a[i, None]": lambda xp, o: o.x[o.at, None],
    "a[i, :, j]": lambda xp, o: o.block[o.at % 20, :, o.at % 40],
    "a[:, i, j]": lambda xp, o: o.block[:, o.at[:300] % 30, o.at[:300] % 40],
    "a[mask]": lambda xp, o: o.x[o.mask],
    "a[rows]": lambda xp, o: o.x[o.rows],
    "a[mask, 2]": lambda xp, o: o.x[o.rows, 2],
    "a[:, mask]": lambda xp, o: o.x[:, o.rows],
    "a[mask, i]": lambda xp, o: o.block.reshape(300, 80)[o.rows, 5],
    "a[i] = v": assign(lambda o: o.at),
    "a[i, :] = v": assign(lambda o: (o.at, slice(None))),
    "a[:, i] = v": assign(lambda o: (slice(None), o.at)),
    "a[1:, i] = v": assign(lambda o: (slice(1, None), o.at)),
    "a[i, 1:5] = v": assign(lambda o: (o.at, slice(1, 5))),
    "a[mask] = v": assign(lambda o: o.mask),
    "a[rows] = v": assign(lambda o: o.rows),
    "a[mask, 2] = v": assign(lambda o: (o.rows, 2)),
    "a[:, mask] = v": assign(lambda o: (slice(None), o.rows)),
    "a[:, i] = values": writes(lambda xp, o: o.x.__setitem__((slice(None), o.square[0]), o.y)),
    "a[rows] = values": writes(lambda xp, o: o.x.__setitem__(o.rows, o.y[0])),
    "a[i] += v": writes(lambda xp, o: o.x.__setitem__(o.at, o.x[o.at] + 1)),
    "a.sort()": writes(lambda xp, o: o.x.sort(axis=0)),
    "a.partition()": lambda xp, o: (o.line.partition(5), o.line[5])[1],
    "a.take()": lambda xp, o: o.x.take(o.at, axis=0),
    "a.nonzero()": lambda xp, o: o.x.nonzero()[0],
    "a.trace()": lambda xp, o: o.x.trace(1),
    "a.flat": lambda xp, o: o.x.flat[o.at],
}

GOES_HOME = {
    "add.reduceat",
    "argmax of complex",
    "gradient over places",
    "nanmedian",
    "nanpercentile",
    "nanquantile",
    "percentile of all",
    "vander",
}


class Operands:
    """Made when first named."""

    def __init__(self, xp):
        self.__dict__["xp"] = xp

    def __getattr__(self, name):
        array = self.xp.array(OPERANDS[name])
        if self.xp is np:
            array += array.dtype.type(0)  # where it is computed it stays
            tessera.synchronize()
        self.__dict__[name] = array
        return array


def run(name, xp, operands):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CALLS[name](xp, operands)


def named(function):
    """The operands that a call names."""
    names = set()

    def visit(code):
        names.update(code.co_names)
        for constant in (*code.co_consts,):
            if inspect.iscode(constant):
                visit(constant)

    visit(function.__code__)
    for cell in function.__closure__ or ():
        if callable(cell.cell_contents):
            names |= named(cell.cell_contents)
    return names & set(OPERANDS) | ({"x"} if "x" in str(function) or function.__closure__ else set())


@pytest.fixture(params=DEVICES)
def where(request):
    if request.param == "simulated":
        _core.set_toolkit_folders([str(LIBRARIES)])
    yield request.param
    _core.set_toolkit_folders(None)


@pytest.mark.parametrize("name", CALLS)
def test_stays(name, where):
    with tessera.device(where):
        operands = Operands(np)
        for operand in named(CALLS[name]):
            getattr(operands, operand)
        _core.reset_counters()
        result = run(name, np, operands)
        tessera.synchronize()
        counters = _core.counters()
        got = numpy.asarray(result)
    expected = numpy.asarray(run(name, numpy, Operands(numpy)))
    assert got.dtype == expected.dtype and got.shape == expected.shape
    numpy.testing.assert_allclose(got, expected, rtol=1e-9 if got.dtype != "f4" else 1e-4, atol=1e-9)
    nbytes = counters.get("bytes_from_device", 0)
    if name in GOES_HOME:
        assert nbytes > FEW_BYTES, f"{name} goes home no more"
    else:
        assert nbytes <= FEW_BYTES, f"{name} brings {nbytes} bytes home"
