"""Files and text: NumPy's readers and writers over views of tessera arrays."""

from __future__ import annotations

import contextlib
import os

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


def _write(file, values, ending, write):
    """write(file, what the host has of values) as one process would: where one of them is cut over ranks, rank 0 writes the file, as a whole."""
    is_path = isinstance(file, (str, os.PathLike))
    are_cut = (
        is_path and core.size() > 1 and any([core.is_own(value) and core.is_over_ranks(value) for value in values])
    )
    hosts = [_host(value) for value in values]
    if not are_cut:
        return write(file, hosts)
    path = os.fspath(file)
    if ending and not path.endswith(ending):
        path += ending
    if core.rank() == 0:
        part = f"{path}.{os.getpid()}.part"
        try:
            with open(part, "wb") as opened:
                write(opened, hosts)
            os.replace(part, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(part)
            raise
    core.meet_ranks()


def _save_several(function, file, args, kwds, allow_pickle):
    def write(to, hosts):
        named = dict(zip(kwds, hosts[len(args) :]))
        function(to, *hosts[: len(args)], allow_pickle=allow_pickle, **named)

    _write(file, [*args, *kwds.values()], ".npz", write)


def array_to_file(array, fid, sep="", format="%s"):
    """ndarray.tofile."""
    _write(fid, [array], "", lambda to, hosts: hosts[0].tofile(to, sep, format))


class NpzFile(numpy.lib.npyio.NpzFile):
    """The arrays of an .npz archive, read when asked for."""

    def __getitem__(self, key):
        return _native(super().__getitem__(key))


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *, max_header_size=10000):
    """The array of an .npy file or the arrays of an .npz archive.

    Shapes: as they were saved. Dtypes: as they were saved; what the engine lacks, and memory maps, stay NumPy's.
    Errors: OSError for a file that cannot be read; EOFError for an empty one; ValueError for objects without
    `allow_pickle`, or what is no file of arrays.
    """
    value = numpy.load(file, mmap_mode, allow_pickle, fix_imports, encoding, max_header_size=max_header_size)
    if isinstance(value, numpy.lib.npyio.NpzFile):
        value.__class__ = NpzFile
        return value
    return _native(value)


def save(file, arr, allow_pickle=True):
    """Writes an array to an .npy file.

    Shapes: any. Dtypes: any. Errors: OSError for a file that cannot be written; ValueError for objects without
    `allow_pickle`.
    """
    _write(file, [arr], ".npy", lambda to, hosts: numpy.save(to, numpy.asanyarray(hosts[0]), allow_pickle))


def savez(file, *args, allow_pickle=True, **kwds):
    """Writes several arrays to an .npz archive.

    Shapes: any. Dtypes: any. Errors: OSError for a file that cannot be written; ValueError for objects without
    `allow_pickle`, or a keyword that is the name of an array given without one.
    """
    _save_several(numpy.savez, file, args, kwds, allow_pickle)


def savez_compressed(file, *args, allow_pickle=True, **kwds):
    """Writes several arrays to a compressed .npz archive.

    Shapes: any. Dtypes: any. Errors: OSError for a file that cannot be written; ValueError for objects without
    `allow_pickle`, or a keyword that is the name of an array given without one.
    """
    _save_several(numpy.savez_compressed, file, args, kwds, allow_pickle)


@creates
def fromfile(file, dtype=float, count=-1, sep="", offset=0, *, like=None):
    """A 1-D array of the numbers in a binary or text file.

    Shapes: 1-D, of `count` elements or all there are. Dtypes: any; float64 by default. Errors: OSError for a file that
    cannot be read; TypeError for an offset into text.
    """
    return _native(numpy.fromfile(file, dtype, count, sep, offset))


def fromregex(file, regexp, dtype, encoding=None):
    """An array of what a regular expression finds in a text file.

    Shapes: 1-D, one element a match. Dtypes: structured, with a field for each group. Errors: OSError for a file that
    cannot be read; TypeError for a dtype without fields.
    """
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
    """An array of the numbers in a text file.

    Shapes: a row for each line and a column for each field, without axes of 1 beyond `ndmin`; `unpack` transposes it.
    Dtypes: any; float64 by default. Errors: OSError for a file that cannot be read; ValueError for a field that does
    not convert or lines of several lengths; IndexError for a column that is not there.
    """
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
    """An array of the numbers in a text file that may have gaps.

    Shapes: a row for each line and a column for each field, without axes of 1 beyond `ndmin`; 1-D where the dtype has
    fields. Dtypes: any; float64 by default, from the text with None. Errors: OSError for a file that cannot be read;
    ValueError for lines of several lengths, or with `loose=False` a field that does not convert.
    """
    options = dict(locals())
    del options["like"]
    return _native(numpy.genfromtxt(**options))


def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None):
    """Writes an array as text.

    Shapes: 1-D or 2-D. Dtypes: numbers, as `fmt` writes them. Errors: OSError for a file that cannot be written;
    ValueError for other shapes or a format that does not fit the columns; TypeError for elements that it cannot write.
    """
    numpy.savetxt(fname, _host(X), fmt, delimiter, newline, header, footer, comments, encoding)
