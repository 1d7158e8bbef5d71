"""IndexGenerator: numbers that depend on a seed and an index alone, wherever and in whatever pieces they are made."""

from __future__ import annotations

import operator

import numpy
from numpy.random import SeedSequence

from tessera import _core as core
from tessera.numpy.random._arguments import make_shape


class IndexGenerator:
    """Draws number `index` of a stream: `uniform(3, start=5)` gives numbers 5, 6 and 7 of it.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.random.index_generator(7).integers(0, 10, 3).shape
    (3,)
    """

    def __init__(self, seed=None):
        words = SeedSequence(seed).generate_state(2, numpy.uint64)
        self._native = core.random.IndexGenerator(int(words[0]), int(words[1]))

    def uniform(self, size, start=0, dtype=numpy.float64):
        """Uniform numbers in [0, 1).

        Shapes: `size`. Dtypes: float64 or float32. Errors: ValueError for a negative `size`; TypeError for a start that
        is no integer. Source: Philox, Salmon et al. 2011.
        """
        return self._native.uniform(operator.index(start), make_shape(size), numpy.dtype(dtype) == numpy.float32)

    def normal(self, size, start=0, dtype=numpy.float64):
        """Standard normal numbers.

        Shapes: `size`. Dtypes: float64 or float32. Errors: ValueError for a negative `size`; TypeError for a start that
        is no integer. Source: Box and Muller 1958 of Philox, Salmon et al. 2011.
        """
        return self._native.normal(operator.index(start), make_shape(size), numpy.dtype(dtype) == numpy.float32)

    def integers(self, low, high, size, start=0):
        """Integers from low up to, not including, high: all as likely, to one part in 2**32 or better.

        Shapes: `size`. Dtypes: int64. Errors: ValueError unless low < high within 64 bits; TypeError for what is no
        integer. Source: Philox, Salmon et al. 2011.
        """
        low, high = operator.index(low), operator.index(high)
        if not -(2**63) <= low < high <= 2**63:
            raise ValueError(f"index_generator: integers need low < high within 64 bits, not {low} and {high}")
        return self._native.integers(operator.index(start), low, (high - low) % 2**64, make_shape(size))


def index_generator(seed=None):
    """A generator whose numbers are functions of the seed and their index.

    Shapes: an integer or 1-D integers. Dtypes: integers. Errors: ValueError for negative seeds; TypeError for other
    ones. Source: Philox, Salmon et al. 2011.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.random.index_generator(7).uniform(size=3).shape
    (3,)
    """
    return IndexGenerator(seed)
