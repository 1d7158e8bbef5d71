"""Compiled functions that were defined in others are pickled with what they see of those."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from tessera import jit


def make(scale: float, by: Any) -> Any:
    @jit
    def scaled(x: Any, more: float = 1.0) -> Any:
        return by(x) * scale + more

    return scaled


@jit
def doubled(x: Any) -> Any:
    return 2 * x


def test_a_function_in_another_is_pickled() -> None:
    first = make(3.0, doubled)
    again = pickle.loads(pickle.dumps(first))
    assert again(2) == first(2) == 13.0 and again(2, more=0.0) == 12.0
    assert (again(np.arange(3.0)) == first(np.arange(3.0))).all()


def test_a_function_with_signatures_stays_closed() -> None:
    half = jit("float64(float64)")(lambda x: x / 2)
    again = pickle.loads(pickle.dumps(half))
    assert again(3) == 1.5
    with pytest.raises(TypeError):
        again(np.zeros(3))


def test_a_function_of_a_module_is_pickled_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(doubled)) is doubled
