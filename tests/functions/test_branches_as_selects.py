"""Branches that only compute are selects, so that loops around them become vector code; others stay branches."""

import numpy as np
import pytest

from tessera import jit


def neighbours(grid, out):
    for i in range(1, grid.size - 1):
        around = grid[i - 1] + grid[i] + grid[i + 1] - grid[i]
        out[i] = 1 if around == 3 or (around == 2 and grid[i] == 1) else 0


def several(grid, out):
    for i in range(grid.size):
        x = grid[i]
        if x == 0:
            y, z = 5, x
        elif x == 1:
            y, z = x, 7
        elif x == 3:
            y, z = 2, 1
        else:
            y, z = 9, x + 2
        out[i] = y * 10 + z


def of_floats(grid, out):
    for i in range(grid.size):
        x = grid[i] - 1.5
        y = -x if x < 0 else (x if x != 0.5 else 4.0)
        out[i] = int(y * 8)


def of_elements(grid, out):
    # The right side is only an element where the left side says so.
    for i in range(grid.size):
        x = grid[i]
        out[i] = 1 if x == 3 or (x == 2 and i + 1 < grid.size and grid[i + 1] == 1) else 0


@pytest.mark.parametrize("function", [neighbours, several, of_floats, of_elements])
@pytest.mark.parametrize("size", [0, 1, 2, 3, 40, 1001])
def test_values_are_those_of_python(function, size):
    grid = np.random.default_rng(size).integers(0, 5, size)
    out, expected = np.full(size, -1), np.full(size, -1)
    jit(function)(grid, out)
    function(grid, expected)
    assert np.array_equal(out, expected)


@pytest.mark.parametrize("function", [neighbours, several, of_floats])
def test_no_switch_stands_in_the_way_of_vector_code(function):
    compiled = jit(function)
    compiled(np.zeros(100, np.int64), np.zeros(100, np.int64))
    text = "".join(compiled.inspect_llvm().values())
    assert "switch" not in text and "vector.body" in text


def test_bytes_that_no_instruction_scatters_are_stored_one_by_one():
    def strike(flags, step):
        for j in range(step, flags.size, step):
            flags[j] = False
        return flags

    compiled = jit(strike)
    flags = np.ones(1000, dtype=np.bool_)
    np.testing.assert_array_equal(compiled(flags.copy(), 7), strike(flags.copy(), 7))
    text = "".join(compiled.inspect_llvm().values())
    assert " x i64>" not in text, "vectors of indices beside single stores"
