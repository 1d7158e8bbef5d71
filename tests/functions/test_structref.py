"""structref: structures that are passed by reference, their types, and what stands for them in Python."""

import gc
import pickle

import numpy
import pytest
from tessera.extending import overload_attribute, overload_method
from tessera.numba import typed, typeof
from tessera.numba.experimental import structref

import tessera
from tessera import errors, jit, types


@structref.register
class PointType(types.StructRef):
    """Of any two fields."""


class Point(structref.StructRefProxy):
    def __new__(cls, x, y):
        return structref.StructRefProxy.__new__(cls, x, y)

    @property
    def x(self):
        return get_x(self)

    @x.setter
    def x(self, value):
        set_x(self, value)

    @property
    def y(self):
        return get_y(self)


structref.define_proxy(Point, PointType, ["x", "y"])


@jit
def get_x(point):
    return point.x


@jit
def set_x(point, value):
    point.x = value


@jit
def get_y(point):
    return point.y


@structref.register
class NodeType(types.StructRef):
    """Of a value and what is next."""

    def preprocess_fields(self, fields):
        self.name = f"NodeType#{id(self)}"
        return (("value", types.int64), ("next", types.Optional(self)))


class Node(structref.StructRefProxy):
    pass


structref.define_proxy(Node, NodeType, ["value", "next"])


@overload_method(PointType, "scaled")
def _scaled(self, by):
    def scaled(self, by):
        return self.x * by + self.y

    return scaled


@overload_attribute(PointType, "both")
def _both(self):
    def both(self):
        return self.x, self.y

    return both


def test_objects_are_made_by_the_proxy_and_have_fields():
    point = Point(1, 2.5)
    assert type(point) is Point and (point.x, point.y) == (1, 2.5)
    point.x += 10.9  # a number becomes one of the field's type
    assert point.x == 11 and type(point.x) is int

    @jit
    def move(point, by):
        point.x += by
        return point

    again = move(point, 3)
    assert point.x == again.x == 14 and again == point and hash(again) == hash(point)


def test_types_are_those_of_the_fields():
    one, other, mixed = Point(1, 2), Point(3, 4), Point(1.0, 2)
    assert typeof(one) == typeof(other) != typeof(mixed)
    assert isinstance(typeof(one), PointType) and typeof(mixed).field_dict == {"x": types.float64, "y": types.int64}
    same = PointType([("x", types.int64), ("y", types.int64)])
    assert same == typeof(one) and pickle.loads(pickle.dumps(same)) == same
    with pytest.raises(ValueError, match="field name"):
        types.StructRef([(1, types.int64)])
    with pytest.raises(ValueError, match="field type"):
        types.StructRef([("x", 1)])
    for register in (structref.register, lambda kind: structref.define_boxing(kind, Point)):
        with pytest.raises(ValueError, match="cannot register"):
            register(types.StructRef)


def test_arrays_in_fields_share_memory():
    values = numpy.arange(4.0)
    point = Point(values, 1)
    point.x[0] = 7.0
    assert values[0] == 7.0
    del values
    gc.collect()
    assert point.x.tolist() == [7.0, 1.0, 2.0, 3.0]


def test_methods_and_attributes_are_overloads():
    @jit
    def function(x, y, by):
        point = Point(x, y)
        return point.scaled(by), point.both

    assert function(2, 0.5, 3) == (6.5, (2, 0.5))
    assert function(2.5, 1, 2) == (6.0, (2.5, 1))


def test_new_makes_an_object_of_zeros():
    kind = PointType([("x", types.int64), ("y", types.optional(types.float64))])

    @jit
    def make(x):
        point = structref.new(kind)
        before = point.x, point.y
        point.x = x
        point.y = 0.5
        return before, point

    before, point = make(4)
    assert before == (0, None) and (point.x, point.y) == (4, 0.5)
    with pytest.raises(RuntimeError):
        structref.new(kind)


def test_objects_of_one_type_lead_to_one_another():
    @jit
    def count(n):
        first = Node(0, None)
        for k in range(1, n):
            first = Node(k, first)
        total = 0
        node = first
        while node.next is not None:
            total += node.value
            node = node.next
        return total, first is node, first is first

    assert count(1000) == (sum(range(1000)), False, True)
    assert count(1) == (0, True, True)


def test_without_a_proxy_objects_stay_in_functions():
    @structref.register
    class Hidden(types.StructRef):
        pass

    kind = Hidden([("value", types.int64)])

    @jit
    def inside(value):
        made = structref.new(kind)
        made.value = value
        return made.value + 1

    @jit
    def outside():
        return structref.new(kind)

    assert inside(1) == 2
    with pytest.raises(TypeError, match="define_boxing"):
        outside()
    structref.define_boxing(Hidden, structref.StructRefProxy)
    made = outside()
    assert type(made) is structref.StructRefProxy and not hasattr(made, "value")


def test_objects_are_values_of_typed_containers():
    points = typed.Dict()
    points["a"] = Point(1, 2.5)
    points["a"].x += 10
    assert points["a"].x == 11
    with pytest.raises(errors.TypingError, match=r"Cannot cast numba\.PointType"):
        points["b"] = Point(2.5, 1)
    assert list(points) == ["a"]

    @jit
    def total(points):
        sum = 0.0
        for point in points:
            sum += point.x + point.y
        return sum

    assert total([Point(1, 2), Point(3, 4)]) == 10.0


def test_a_field_that_is_not_there():
    with pytest.raises(errors.TypingError, match="no attribute z"):
        jit(lambda point: point.z)(Point(1, 2))

    @jit
    def assign(point):
        point.z = 1

    with pytest.raises(errors.TypingError, match="no field z"):
        assign(Point(1, 2))


def test_objects_are_freed():
    @jit
    def churn(n):
        total = 0
        for k in range(n):
            total += Point(k, k).x
        return total

    assert churn(300_000) == sum(range(300_000))
    assert tessera is not None
