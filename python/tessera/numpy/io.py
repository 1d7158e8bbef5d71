"""Files and text: NumPy's readers and writers over views of tessera arrays."""

from __future__ import annotations

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import creates

__all__ = [
    "fromfile",
    "fromregex",
    "genfromtxt",
    "load",
    "loadtxt",
    "save",
    "savetxt",
    "savez",
    "savez_compressed",
]


def _host(value):
    return numpy.asarray(value) if core.is_own(value) else value


def _native(value):
    """A tessera array for what was read; memory maps and dtypes the engine lacks stay NumPy's."""
    if type(value) is numpy.ndarray:
        return core.asarray(value) if value.dtype.isnative else value
    if isinstance(value, (list, tuple)):
        return type(value)([_native(item) for item in value])
    return value


class NpzFile(numpy.lib.npyio.NpzFile):
    """The arrays of an .npz archive, read when asked for."""

    def __getitem__(self, key):
        return _native(super().__getitem__(key))


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *, max_header_size=10000):
    """The array of an .npy file or the arrays of an .npz archive."""
    value = numpy.load(file, mmap_mode, allow_pickle, fix_imports, encoding, max_header_size=max_header_size)
    if isinstance(value, numpy.lib.npyio.NpzFile):
        value.__class__ = NpzFile
        return value
    return _native(value)


def save(file, arr, allow_pickle=True):
    """Writes an array to an .npy file."""
    numpy.save(file, numpy.asanyarray(_host(arr)), allow_pickle)


def savez(file, *args, allow_pickle=True, **kwds):
    """Writes several arrays to an .npz archive."""
    numpy.savez(file, *map(_host, args), allow_pickle=allow_pickle, **{k: _host(v) for k, v in kwds.items()})


def savez_compressed(file, *args, allow_pickle=True, **kwds):
    """Writes several arrays to a compressed .npz archive."""
    numpy.savez_compressed(file, *map(_host, args), allow_pickle=allow_pickle, **{k: _host(v) for k, v in kwds.items()})


@creates
def fromfile(file, dtype=float, count=-1, sep="", offset=0, *, like=None):
    """A 1-D array of the numbers in a binary or text file."""
    return _native(numpy.fromfile(file, dtype, count, sep, offset))


def fromregex(file, regexp, dtype, encoding=None):
    """An array of what a regular expression finds in a text file."""
    return _native(numpy.fromregex(file, regexp, dtype, encoding))


@creates
def loadtxt(
    fname,
    dtype=float,
    comments="#",
    delimiter=None,
    converters=None,
    skiprows=0,
    usecols=None,
    unpack=False,
    ndmin=0,
    encoding=None,
    max_rows=None,
    *,
    quotechar=None,
    like=None,
):
    """An array of the numbers in a text file."""
    return _native(
        numpy.loadtxt(
            fname,
            dtype,
            comments,
            delimiter,
            converters,
            skiprows,
            usecols,
            unpack,
            ndmin,
            encoding,
            max_rows,
            quotechar=quotechar,
        )
    )


@creates
def genfromtxt(
    fname,
    dtype=float,
    comments="#",
    delimiter=None,
    skip_header=0,
    skip_footer=0,
    converters=None,
    missing_values=None,
    filling_values=None,
    usecols=None,
    names=None,
    excludelist=None,
    deletechars=" !#$%&'()*+,-./:;<=>?@[\\]^{|}~",
    replace_space="_",
    autostrip=False,
    case_sensitive=True,
    defaultfmt="f%i",
    unpack=None,
    usemask=False,
    loose=True,
    invalid_raise=True,
    max_rows=None,
    encoding=None,
    *,
    ndmin=0,
    like=None,
):
    """An array of the numbers in a text file that may have gaps."""
    options = dict(locals())
    del options["like"]
    return _native(numpy.genfromtxt(**options))


def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None):
    """Writes an array as text."""
    numpy.savetxt(fname, _host(X), fmt, delimiter, newline, header, footer, comments, encoding)
