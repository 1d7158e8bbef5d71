"""Runs a kernel's Python function once a thread, one after the other: what tests compare with."""

import itertools
import types

import numpy


class _Axes:
    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z


class _Atomic:
    @staticmethod
    def _update(function):
        def update(ary, idx, val):
            old = ary[idx]
            ary[idx] = function(old, val)
            return old

        return staticmethod(update)

    add = _update(lambda a, b: a + b)
    sub = _update(lambda a, b: a - b)
    min = _update(min)
    max = _update(max)
    and_ = _update(lambda a, b: a & b)
    or_ = _update(lambda a, b: a | b)
    xor = _update(lambda a, b: a ^ b)
    exch = _update(lambda a, b: b)

    @staticmethod
    def cas(ary, idx, old, val):
        before = ary[idx]
        if before == old:
            ary[idx] = val
        return before


class _Arrays:
    """cuda.local and cuda.shared, for one thread."""

    @staticmethod
    def array(shape, dtype):
        return numpy.zeros(shape, dtype)


class _Constants:
    array_like = staticmethod(numpy.array)


class _Cuda:
    """The names of tessera.cuda for one thread of a grid without barriers."""

    atomic, local, shared, const = _Atomic, _Arrays, _Arrays, _Constants
    literal_unroll = staticmethod(lambda values: values)

    def __init__(self, grid, block, at):
        self.gridDim, self.blockDim = _Axes(*grid), _Axes(*block)
        self.blockIdx, self.threadIdx = _Axes(*at[:3]), _Axes(*at[3:])

    def grid(self, ndim):
        places = [
            getattr(self.blockIdx, a) * getattr(self.blockDim, a) + getattr(self.threadIdx, a) for a in "xyz"[:ndim]
        ]
        return places[0] if ndim == 1 else tuple(places)

    def gridsize(self, ndim):
        sizes = [getattr(self.gridDim, a) * getattr(self.blockDim, a) for a in "xyz"[:ndim]]
        return sizes[0] if ndim == 1 else tuple(sizes)


def extents(given):
    given = given if isinstance(given, tuple) else (given,)
    return (*given, *(1,) * (3 - len(given)))


def run_plain(kernel, grid, block, *arguments):
    grid, block = extents(grid), extents(block)
    function = kernel.py_func
    for at in itertools.product(*(range(n) for n in (*grid, *block))):
        names = dict(function.__globals__, cuda=_Cuda(grid, block, at))
        for name, value in names.items():
            if getattr(value, "_is_device", False):
                called = value.py_func
                names[name] = types.FunctionType(called.__code__, names, argdefs=called.__defaults__)
                names[name].__kwdefaults__ = called.__kwdefaults__
        types.FunctionType(function.__code__, names, closure=function.__closure__)(*arguments)


def both(kernel, grid, block, *arguments):
    """Launches the kernel and runs it plainly on copies; returns the two lists of arguments."""
    copies = [a.copy() if hasattr(a, "copy") else a for a in arguments]
    kernel[grid, block](*arguments)
    run_plain(kernel, grid, block, *copies)
    return arguments, copies
