"""NumPy's error states; asking for underflow makes the engine look for it, which it does not otherwise."""

from __future__ import annotations

import functools

import numpy

from tessera import _core as core

__all__ = ["errstate", "seterr"]


def _note(modes):
    if (modes.get("under") or modes.get("all") or "ignore") != "ignore":
        core.ask_for_underflow()


class errstate(numpy.errstate):
    __doc__ = numpy.errstate.__doc__
    __slots__ = ()

    def __init__(self, **modes):
        super().__init__(**modes)
        _note(modes)


@functools.wraps(numpy.seterr)
def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    _note({"all": all, "under": under})
    return numpy.seterr(all, divide, over, under, invalid)


errstate.__module__ = seterr.__module__ = "numpy"
