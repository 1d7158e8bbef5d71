"""numpy.random: the same streams for the same seeds, drawn natively."""

from __future__ import annotations

import sys

import numpy
from numpy.random import bit_generator

from tessera.numpy.random.bit_generators import (
    MT19937,
    PCG64,
    PCG64DXSM,
    SFC64,
    BitGenerator,
    Philox,
    SeedSequence,
    twister_of,
)
from tessera.numpy.random.generator import Generator, default_rng
from tessera.numpy.random.index_generator import IndexGenerator, index_generator
from tessera.numpy.random.random_state import RandomState

# One stream with NumPy's module functions, which libraries draw from after the program has called `seed`.
_numpys_bits = numpy.random.get_bit_generator()
_rand = RandomState(twister_of(_numpys_bits) if type(_numpys_bits) is numpy.random.MT19937 else _numpys_bits)
mtrand = sys.modules[__name__]  # where NumPy keeps the legacy names

_MODULE_FUNCTIONS = [
    "beta",
    "binomial",
    "bytes",
    "chisquare",
    "choice",
    "dirichlet",
    "exponential",
    "f",
    "gamma",
    "geometric",
    "get_state",
    "gumbel",
    "hypergeometric",
    "laplace",
    "logistic",
    "lognormal",
    "logseries",
    "multinomial",
    "multivariate_normal",
    "negative_binomial",
    "noncentral_chisquare",
    "noncentral_f",
    "normal",
    "pareto",
    "permutation",
    "poisson",
    "power",
    "rand",
    "randint",
    "randn",
    "random",
    "random_integers",
    "random_sample",
    "rayleigh",
    "set_state",
    "shuffle",
    "standard_cauchy",
    "standard_exponential",
    "standard_gamma",
    "standard_normal",
    "standard_t",
    "triangular",
    "uniform",
    "vonmises",
    "wald",
    "weibull",
    "zipf",
]
for _name in _MODULE_FUNCTIONS:
    globals()[_name] = getattr(_rand, _name)


def ranf(*args, **kwargs):
    """An old name of `random_sample`.

    Shapes: `size`; a number without. Dtypes: float64. Errors: ValueError for a negative `size`.
    """
    return _rand.random_sample(*args, **kwargs)


def sample(*args, **kwargs):
    """An old name of `random_sample`.

    Shapes: `size`; a number without. Dtypes: float64. Errors: ValueError for a negative `size`.
    """
    return _rand.random_sample(*args, **kwargs)


def seed(seed=None):
    """Start the module's own generator over from a seed.

    Shapes: an integer or 1-D integers. Dtypes: integers below 2**32. Errors: ValueError for other seeds.
    """
    bits = _rand._bit_generator
    if not isinstance(bits, (MT19937, numpy.random.MT19937)):
        bits.state = type(bits)(seed).state
        return None
    numpy.random.seed(seed)  # forgets the normal draw that NumPy has kept
    return _rand.seed(seed)


def get_bit_generator():
    """The bit generator behind the module functions.

    Shapes: none. Dtypes: none. Errors: none.
    """
    return _rand._bit_generator


def set_bit_generator(bitgen):
    """Put another bit generator behind the module functions.

    Shapes: none. Dtypes: none. Errors: TypeError or AttributeError for what is no bit generator.
    """
    numpy.random.set_bit_generator(bitgen)
    _rand._attach(bitgen)


__all__ = [
    "BitGenerator",
    "Generator",
    "IndexGenerator",
    "MT19937",
    "PCG64",
    "PCG64DXSM",
    "Philox",
    "RandomState",
    "SFC64",
    "SeedSequence",
    "default_rng",
    "get_bit_generator",
    "index_generator",
    "ranf",
    "sample",
    "seed",
    "set_bit_generator",
    *_MODULE_FUNCTIONS,
]
