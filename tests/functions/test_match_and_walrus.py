"""match on constants and the operator := against CPython."""

import enum

import numpy as np
import pytest

import tessera
from tessera import cuda, errors


class Colour(enum.IntEnum):
    red = 3
    green = 4


def matched(x):
    match x:
        case 0:
            r = 10
        case 1 | 2:
            r = 20
        case Colour.red:
            r = 30
        case -1:
            r = 40
        case (5 | 6) as w:
            r = 100 * w
        case v if v > 8:
            r = 50 + v
        case 8 if x > 100:
            r = 60
        case _:
            r = 70
    return r


def nested(x):
    r = 0
    match x % 3:
        case 0:
            match x:
                case 3:
                    r = 1
                case _:
                    r = 2
        case 1:
            r = 3
    match x:
        case 4:
            return r + 10
    return r


def assigned(x):
    total = 0
    if (n := x * 2) > 4 and n < 100:
        total += n
    elif (n := x + 7) > 8:
        total -= n
    j = 0
    while (m := j * 3) < 10:
        if m == 6:
            j += 2
            continue
        j += 1
    total += (k := m + 1) * k
    return total + (q := n) + q


@pytest.mark.parametrize("function", [matched, nested, assigned])
def test_functions_and_kernels_do_what_python_does(function):
    compiled, device = tessera.jit(function), cuda.jit(device=True)(function)

    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        out[i] = device(x[i])

    x = np.arange(-2, 14)
    out = np.zeros(16, np.int64)
    kernel[1, 16](x, out)
    assert out.tolist() == [function(int(v)) for v in x] == [compiled(int(v)) for v in x]


@pytest.mark.parametrize("mode, wanted", [("twice", 6.0), ("half", 1.5), ("none", 0.0)])
def test_constant_strings_are_matched(mode, wanted):
    @tessera.jit
    def f(x):
        match mode:
            case "twice":
                return 2 * x
            case "half":
                return x / 2
        return 0.0

    assert f(3.0) == wanted


def test_what_may_not_be_evaluated_is_not_assigned():
    @tessera.jit
    def f(x):
        if x > 0 and (n := x * 2) > 4:
            return n
        return x

    with pytest.raises(errors.UnsupportedError, match="(?s)may not be evaluated.*of its own"):
        f(3)


def test_a_name_read_before_it_is_assigned():
    def f(n):
        return n + (n := 3) + n

    assert tessera.jit(f)(5) == f(5)


def test_patterns_of_sequences_are_refused():
    @tessera.jit
    def f(x):
        match x:
            case (1, 2):
                return 1
        return 0

    with pytest.raises(errors.UnsupportedError, match="such a pattern"):
        f((1, 2))
