"""Calls of device functions, tuples, loops over tuples and records, against the same function in Python."""

import collections
import enum
import operator

import numpy as np
import pytest
from test_constructs import FLOATS, SIGNED, check, inputs

from tessera import cuda

WIDE = ["int32", "int64", *FLOATS]


@cuda.jit(device=True)
def with_defaults(x, scale=2, *rest, shift=0.5, unused=None):
    result = x * scale + shift
    for value in rest:
        result += value
    return result + len(rest)


@cuda.jit(device=True)
def first_of(*values):
    return values[0] + sum(values[1:])


@cuda.jit
def calls(a, out):
    i = cuda.grid(1)
    x = a[i]
    pair = (x, 3)
    out[i, 0] = with_defaults(x)
    out[i, 1] = with_defaults(x, 3)
    out[i, 2] = with_defaults(x, shift=i)
    out[i, 3] = with_defaults(x, 1, i, 2.5)
    out[i, 4] = with_defaults(scale=4, x=x, shift=1)
    out[i, 5] = first_of(*pair) + first_of(1, *pair, 2.5)
    out[i, 6] = first_of(*a[:3].shape, *(x, 2)[::-1])


@pytest.mark.parametrize("dtype", WIDE)
def test_default_values_and_further_arguments(dtype):
    check(calls, inputs(dtype), np.zeros((32, 7)))


def test_default_values_of_kernels():
    @cuda.jit
    def kernel(out, a=2.5, *rest, scale=3):
        out[0] = a * scale
        for k, value in enumerate(rest):
            out[k + 1] = value

    for arguments, wanted in [((), [7.5, 0, 0]), ((1,), [3, 0, 0]), ((1, 5, 6.5), [3, 5, 6.5])]:
        out = np.zeros(3)
        kernel[1, 1](out, *arguments)
        np.testing.assert_array_equal(out, wanted)


Point = collections.namedtuple("Point", "x y")
ORIGIN = Point(3, 4.5)


class Side(enum.Enum):
    LEFT = 1
    RIGHT = 2


class Level(enum.IntEnum):
    LOW = 10
    HIGH = 20


@cuda.jit
def named(a, point, out):
    i = cuda.grid(1)
    out[i, 0] = point.x * a[i] + point.y
    out[i, 1] = ORIGIN.x + ORIGIN.y + ORIGIN[0]
    side = Side.LEFT.value if a[i] > 0 else Side.RIGHT.value
    out[i, 2] = side == Side.RIGHT.value
    out[i, 3] = Level.HIGH + Level.LOW
    x, y = point
    out[i, 4] = x - y


@pytest.mark.parametrize("dtype", WIDE)
def test_namedtuples_and_enums(dtype):
    check(named, inputs(dtype), Point(2, 0.5), np.zeros((32, 5)))
    check(named, inputs(dtype), Point(2.5, 1), np.zeros((32, 5)))


@cuda.jit
def over_tuples(a, b, out):
    i = cuda.grid(1)
    for k, values in enumerate((a, b)):
        out[i, k] = values[i]
    for values, scale in zip(cuda.literal_unroll((a, b)), (2, 0.5)):
        element = values[i]
        if element < 3:
            continue
        out[i, 2] += element * scale
        if element > 20:
            break
    else:
        out[i, 3] = 7
    for value in (5, i, 9):
        if value == a[i]:
            out[i, 4] = value
            return
    weights = (1, 2, 4, 8)
    out[i, 5] = weights[i % 4] + weights[-1 - i % 4]
    out[i, 6] = sum(weights[1::2]) + len(weights[::-2])


@pytest.mark.parametrize("dtype", WIDE)
def test_loops_over_tuples(dtype):
    check(over_tuples, inputs(dtype), np.arange(32) * 1.5, np.zeros((32, 7)))


PARTICLE = np.dtype([("x", np.float64), ("mass", np.float32), ("tag", np.int16), ("v", np.float32, (3,))])


@cuda.jit
def move(particles, dt, out):
    i = cuda.grid(1)
    if i < particles.size:
        particles[i].x += particles[i].v[0] * dt
        particles[i]["tag"] = i % 7
        particles.mass[i] *= 2
        particles["v"][i, 1] = particles[i].x
        one = particles[i]
        one.v[2] = one.mass + len(particles) + particles.shape[0]
        one.tag += 1
        for k in range(3):
            out[i] += one["v"][k]
        if i == 3:
            particles[i].x = particles[-17].mass


def particles(count):
    made = np.zeros(count, PARTICLE)
    made["x"], made["mass"], made["v"] = np.arange(count), 1.5, np.arange(count * 3).reshape(count, 3)
    return made


def test_records():
    given = particles(20)
    out = np.zeros(20)
    move[2, 16](given, 0.5, out)
    wanted = particles(20)
    wanted["x"] += wanted["v"][:, 0] * 0.5
    wanted["tag"] = np.arange(20) % 7 + 1
    wanted["mass"] *= 2
    wanted["v"][:, 1] = wanted["x"]
    wanted["v"][:, 2] = wanted["mass"] + 40
    np.testing.assert_array_equal(out, wanted["v"][:, 0] + wanted["v"][:, 1] + wanted["v"][:, 2])
    wanted["x"][3] = 3
    np.testing.assert_array_equal(given, wanted)


def test_records_on_the_device():
    given = particles(20)
    held = cuda.to_device(given)
    move[2, 16](held, 0.5, np.zeros(20))
    move[2, 16](given, 0.5, np.zeros(20))
    np.testing.assert_array_equal(held.copy_to_host(), given)
    np.testing.assert_array_equal(held["v"].copy_to_host(), given["v"])
    assert (held.shape, held.dtype, len(cuda.device_array_like(held))) == ((20,), PARTICLE, 20)
    held[3]["mass"] = 7
    held[4] = given[9]
    assert held[3].copy_to_host()["mass"] == 7 and held[4].copy_to_host() == given[9]
    assert (held[2:5].shape, held.strides, held.nbytes) == ((3,), given.strides, given.nbytes)


NESTED = np.dtype([("id", np.int32), ("at", [("x", np.float32), ("y", np.float32)])])


@cuda.jit
def nested(records, out):
    i = cuda.grid(1)
    held = cuda.local.array(4, NESTED)
    held[i % 4] = records[i]
    held[i % 4].at.x += 1
    records[i] = held[i % 4]
    grid = cuda.local.array((2, 2), PARTICLE)
    grid[1, 0].v[1] = i
    out[i] = records[i].at.x * records.at.y[i] + records[i].id + grid[1].v[0, 1] + grid.shape[0]


def test_nested_records_and_local_arrays_of_records():
    records = np.zeros(32, NESTED)
    records["id"], records["at"]["x"], records["at"]["y"] = np.arange(32), 2, np.arange(32)
    out = np.zeros(32)
    nested[2, 16](records, out)
    np.testing.assert_array_equal(records["at"]["x"], np.full(32, 3))
    np.testing.assert_array_equal(out, 3 * np.arange(32) + np.arange(32) + np.arange(32) + 2)


def test_one_record_is_an_argument():
    @cuda.jit
    def kernel(record, out):
        out[0] = record.x + record["mass"]
        record.tag = 5

    record = particles(4)[2]
    out = np.zeros(1)
    kernel[1, 1](record, out)
    assert (out[0], record["tag"]) == (3.5, 5)


@cuda.jit
def operators(a, out):
    i = cuda.grid(1)
    x = a[i]
    out[i, 0] = operator.add(x, 2) + operator.mul(x, x) - operator.sub(1, x) + operator.neg(x)
    out[i, 1] = operator.truediv(x, 4) + operator.floordiv(x, 3) + operator.mod(x, 3)
    out[i, 2] = int(operator.lt(x, 3)) + int(operator.eq(x, 2)) + int(operator.ge(x, 0))
    out[i, 3] = operator.pow(x, 2)


@pytest.mark.parametrize("dtype", WIDE)
def test_operators_as_functions(dtype):
    check(operators, inputs(dtype), np.zeros((32, 4)))


@cuda.jit
def bit_operators(a, out):
    i = cuda.grid(1)
    x = int(a[i])
    out[i, 0] = operator.and_(x, 12) + operator.or_(x, 3) + operator.xor(x, 5)
    out[i, 1] = operator.lshift(x, 2) + operator.rshift(x, 1) + operator.invert(x)
    out[i, 2] = operator.not_(x) + operator.truth(x) + operator.getitem(a, i)


@pytest.mark.parametrize("dtype", SIGNED)
def test_bit_operators_as_functions(dtype):
    check(bit_operators, inputs(dtype), np.zeros((32, 3), np.int64))
