"""Expressions at the ends of ranges and of promotion: values, types, words of errors and warnings as NumPy has them."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy
import pytest
import tessera.numpy

import tessera

EXPRESSIONS = (Path(__file__).parents[1] / "data" / "corner_expressions.txt").read_text().splitlines()


def outcome(np, expression):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", tessera.FallbackWarning)
        try:
            result = eval(expression, {"np": np, "__name__": "corner"})
            result = type(result).__name__, str(getattr(result, "dtype", "")), repr(result).replace("(-0+", "(0+")
        except Exception as error:
            result = type(error).__name__, str(error)
    return result, sorted(f"{w.category.__name__}: {w.message}" for w in caught)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression(expression):
    assert outcome(tessera.numpy, expression) == outcome(numpy, expression)
