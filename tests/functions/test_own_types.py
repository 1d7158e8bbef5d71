"""Types of a package's own: objects that are taken apart when they go into a function, and made of what comes out."""

import contextlib
import operator
import pickle

import numpy
import pytest
from tessera.errors import TypingError
from tessera.extending import (
    NativeValue,
    box,
    infer_getattr,
    lower_builtin,
    lower_cast,
    make_attribute_wrapper,
    models,
    overload,
    overload_attribute,
    overload_method,
    register_model,
    type_callable,
    typeof_impl,
    unbox,
)
from tessera.numba.core import cgutils
from tessera.numba.core.typing.templates import _OverloadAttributeTemplate, make_overload_attribute_template

from tessera import jit, types


class Interval:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def __eq__(self, other):
        return (self.low, self.high) == (other.low, other.high)


class IntervalType(types.Type):
    def __init__(self):
        super().__init__(name="Interval")


interval_type = IntervalType()
typeof_impl.register(Interval)(lambda value, context: interval_type)


@register_model(IntervalType)
class IntervalModel(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("low", types.float64), ("high", types.float64)])


make_attribute_wrapper(IntervalType, "low", "low")
make_attribute_wrapper(IntervalType, "high", "high")


@type_callable(Interval)
def type_of_interval(context):
    def typer(low, high):
        return interval_type if isinstance(low, types.Float) and isinstance(high, types.Float) else None

    return typer


@lower_builtin(Interval, types.Float, types.Float)
def make_interval(context, builder, signature, arguments):
    made = cgutils.create_struct_proxy(signature.return_type)(context, builder)
    made.low, made.high = arguments
    return made._getvalue()


@unbox(IntervalType)
def unbox_interval(kind, one, c):
    failed = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    made = cgutils.create_struct_proxy(kind)(c.context, c.builder)
    with contextlib.ExitStack() as stack:
        for name in ("low", "high"):
            found = c.pyapi.object_getattr_string(one, name)
            with cgutils.early_exit_if_null(c.builder, stack, found):
                c.builder.store(cgutils.true_bit, failed)
            native = c.unbox(types.float64, found)
            c.pyapi.decref(found)
            with cgutils.early_exit_if(c.builder, stack, native.is_error):
                c.builder.store(cgutils.true_bit, failed)
            setattr(made, name, native.value)
    return NativeValue(made._getvalue(), is_error=c.builder.load(failed))


@box(IntervalType)
def box_interval(kind, value, c):
    made = cgutils.create_struct_proxy(kind)(c.context, c.builder, value=value)
    parts = [c.box(types.float64, made.low), c.box(types.float64, made.high)]
    return c.pyapi.call_function_objargs(c.pyapi.unserialize(c.pyapi.serialize_object(Interval)), parts)


@overload_attribute(IntervalType, "width")
def width_of(interval):
    return lambda interval: interval.high - interval.low


@overload_method(IntervalType, "moved")
def moved(interval, by):
    return lambda interval, by: Interval(interval.low + by, interval.high + by)


@overload(operator.add)
def add(a, b):
    if isinstance(a, IntervalType) and isinstance(b, IntervalType):
        return lambda a, b: Interval(a.low + b.low, a.high + b.high)
    return None


@overload(operator.lt)
def is_below(a, b):
    if isinstance(a, IntervalType) and isinstance(b, IntervalType):
        return lambda a, b: a.high < b.low
    return None


@overload(operator.getitem)
def at(interval, place):
    if isinstance(interval, IntervalType) and isinstance(place, types.Float):
        return lambda interval, place: interval.low + place * (interval.high - interval.low)
    return None


@overload(operator.contains)
def contains(interval, value):
    if isinstance(interval, IntervalType):
        return lambda interval, value: interval.low <= value <= interval.high
    return None


@overload(len)
def length(interval):
    return (lambda interval: int(interval.width)) if isinstance(interval, IntervalType) else None


OUTSIDE = Interval(7.0, 9.0)


def test_members_and_attributes():
    assert jit(lambda i: i.width + i.low)(Interval(1, 3.5)) == 3.5


def test_results_are_objects_also_in_tuples():
    @jit
    def function(a, b):
        c = a + b.moved(2.0)
        return c, (a, 1)

    assert function(Interval(1.0, 2.0), Interval(0.0, 5.0)) == (Interval(3.0, 9.0), (Interval(1.0, 2.0), 1))


def test_operators_are_overloads():
    @jit
    def function(a, b):
        return a < b, b < a, b[0.5], 8.5 in b, 10.0 in b, len(b)

    assert function(Interval(1.0, 2.0), Interval(8.0, 9.5)) == (True, False, 8.75, True, False, 1)


def test_an_operator_without_an_overload_is_refused():
    for function in (lambda a: a * a, lambda a: a == a, lambda a: -a, lambda a: a[0], lambda a: abs(a)):
        with pytest.raises(TypingError, match="has no implementation"):
            jit(function)(Interval(1.0, 2.0))


def test_objects_from_outside():
    @jit
    def function():
        return OUTSIDE.low, OUTSIDE

    assert function() == (7.0, OUTSIDE)


def test_loops_make_and_keep_them():
    @jit
    def function(values):
        last = Interval(0.0, 0.0)
        total = 0.0
        for value in values:
            last = last + Interval(value, value + 2)
            total += last.width
        return last, total

    last, total = function(numpy.arange(4.0))
    assert (last, total) == (Interval(6.0, 14.0), 20.0)


def test_lists_of_them():
    @jit
    def function(a):
        listed = [a]
        for k in range(3):
            listed.append(listed[-1] + a)
        return listed[2].high, listed

    assert function(Interval(1.0, 2.0)) == (6.0, [Interval(k + 1.0, 2.0 * (k + 1)) for k in range(4)])


def test_what_unboxing_raises_is_raised():
    with pytest.raises(TypeError, match="real number"):
        jit(lambda i: i.low)(Interval("a", 2))
    with pytest.raises(AttributeError, match="high"):
        broken = Interval(1.0, 2.0)
        del broken.high
        jit(lambda i: i.low)(broken)


def test_types_are_theirs():
    from tessera.types import typeof

    assert typeof(OUTSIDE) is interval_type
    function = jit(lambda i: i)
    assert function(OUTSIDE) == OUTSIDE
    assert jit(interval_type(interval_type))(lambda i: i)(OUTSIDE) == OUTSIDE


class Column:
    def __init__(self, data, name):
        self.data, self.name = data, name


class ColumnType(types.Type):
    def __init__(self, array):
        self.array = array
        super().__init__(name=f"Column({array!r})")


class Opaque:
    pass


class OpaqueType(types.Opaque):
    pass


@register_model(ColumnType)
class ColumnModel(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("data", kind.array), ("owner", OpaqueType("opaque"))])


@register_model(OpaqueType)
class OpaqueModel(models.OpaqueModel):
    pass


typeof_impl.register(Opaque)(lambda value, context: OpaqueType("opaque"))
typeof_impl.register(Column)(lambda value, context: ColumnType(typeof_impl(value.data, context)))
make_attribute_wrapper(ColumnType, "data", "values")
make_attribute_wrapper(ColumnType, "owner", "owner")
unbox(OpaqueType)(lambda kind, one, c: NativeValue(one))
box(OpaqueType)(lambda kind, value, c: value)


@unbox(ColumnType)
def unbox_column(kind, one, c):
    made = cgutils.create_struct_proxy(kind)(c.context, c.builder)
    made.data = c.unbox(kind.array, c.pyapi.object_getattr_string(one, "data")).value
    made.owner = c.unbox(OpaqueType("opaque"), c.pyapi.object_getattr_string(one, "name")).value
    return NativeValue(made._getvalue())


@box(ColumnType)
def box_column(kind, value, c):
    made = cgutils.create_struct_proxy(kind)(c.context, c.builder, value)
    parts = (c.box(kind.array, made.data), c.box(OpaqueType("opaque"), made.owner))
    return c.pyapi.call_function_objargs(c.pyapi.unserialize(c.pyapi.serialize_object(Column)), parts)


def test_members_are_arrays_and_other_objects():
    owner = Opaque()
    for dtype in ("float64", "int32"):
        column = Column(numpy.arange(4).astype(dtype), owner)

        @jit
        def function(column):
            column.values[0] = 10
            return column.values.sum(), column, column.owner

        total, same, named = function(column)
        assert total == 16 and same.data.dtype == dtype and same.data[0] == column.data[0] == 10
        assert same.name is owner and named is owner


def test_a_class_without_unboxing_is_refused():
    class Closed:
        pass

    class ClosedType(types.Opaque):
        pass

    typeof_impl.register(Closed)(lambda value, context: ClosedType("closed"))
    with pytest.raises(TypeError, match="no model"):
        jit(lambda x: 1)(Closed())
    register_model(ClosedType)(models.OpaqueModel)
    with pytest.raises(TypeError, match="can't unbox closed"):
        jit(lambda x: 1)(Closed())


class Answer:
    pass


class AnswerType(types.Opaque):
    pass


typeof_impl.register(Answer)(lambda value, context: AnswerType("answer"))
register_model(AnswerType)(models.OpaqueModel)
unbox(AnswerType)(lambda kind, one, c: NativeValue(c.context.get_dummy_value()))
lower_cast(AnswerType, types.Number)(lambda context, builder, of, to, value: context.get_constant(to, 42))


@lower_builtin("print_item", AnswerType)
def print_answer(context, builder, signature, arguments):
    api = context.get_python_api(builder)
    api.print_object(api.unserialize(api.serialize_object("the answer")))


def test_implicit_numbers():
    function = jit(lambda a, b: (a + b, operator.mul(a, 2), 1.5 - b))
    assert function(Answer(), Answer()) == (84, 84, -40.5)


def test_printed_values(capfd):
    jit(lambda a: print("it is", a, 1))(Answer())
    assert capfd.readouterr().out == "it is the answer 1\n"
    with pytest.raises(TypingError, match="print has no implementation"):
        jit(lambda a: print(a))(Interval(1.0, 2.0))


class Number:
    def __init__(self, value):
        self.value = value


class NumberType(types.Type):
    pass


@register_model(NumberType)
class NumberModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, types.int64)


typeof_impl.register(Number)(lambda value, context: NumberType("number"))


@unbox(NumberType)
def unbox_number(kind, one, c):
    return NativeValue(c.pyapi.long_as_longlong(c.pyapi.object_getattr_string(one, "value")))


@box(NumberType)
def box_number(kind, value, c):
    made = c.pyapi.long_from_longlong(value)
    return c.pyapi.call_function_objargs(c.pyapi.unserialize(c.pyapi.serialize_object(Number)), (made,))


def test_numbers_of_a_type_of_their_own():
    assert jit(lambda a: (a, 1))(Number(5))[0].value == 5


class Tagged:
    """Numba asks objects for their type by this attribute, too."""

    def __init__(self, value):
        self.value = value

    @property
    def _numba_type_(self):
        return TaggedType("tagged")


class TaggedType(types.Dummy):
    pass


@register_model(TaggedType)
class TaggedModel(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("value", types.int64)])


make_attribute_wrapper(TaggedType, "value", "value")


@unbox(TaggedType)
def unbox_tagged(kind, one, c):
    made = cgutils.create_struct_proxy(kind)(c.context, c.builder)
    made.value = c.unbox(types.int64, c.pyapi.object_getattr_string(one, "value")).value
    return NativeValue(made._getvalue(), is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@box(TaggedType)
def box_tagged(kind, value, c):
    made = cgutils.create_struct_proxy(kind)(c.context, c.builder, value=value)
    called = c.builder.bitcast(c.context.add_dynamic_addr(c.builder, id(Tagged), info="Tagged"), c.pyapi.pyobj)
    return c.pyapi.call_function_objargs(called, (c.box(types.int64, made.value),))


def test_objects_that_say_their_type():
    function = jit(lambda a: (a.value + 1, a))
    total, same = function(Tagged(4))
    assert total == 5 and same.value == 4


class Labels:
    def __init__(self, data):
        self.data = data


class LabelsType(types.Buffer):
    @property
    def as_array(self):
        return types.Array(self.dtype, 1, self.layout)

    @property
    def key(self):
        return self.dtype, self.layout


def type_of_labels(value, context):
    array = typeof_impl(value.data, context)
    return LabelsType(array.dtype, 1, array.layout)


typeof_impl.register(Labels)(type_of_labels)


@register_model(LabelsType)
class LabelsModel(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("data", kind.as_array)])


@type_callable("__array_wrap__")
def type_of_wrapped(context):
    def typer(value, result):
        return LabelsType(result.dtype, 1, result.layout) if isinstance(value, LabelsType) else None

    return typer


@lower_builtin("__array__", LabelsType)
def labels_as_array(context, builder, signature, arguments):
    made = cgutils.create_struct_proxy(signature.args[0])(context, builder, ref=arguments[0])
    return made._get_ptr_by_name("data")


@lower_builtin("__array_wrap__", LabelsType, types.Array)
def labels_of_array(context, builder, signature, arguments):
    made = cgutils.create_struct_proxy(signature.return_type)(context, builder)
    made.data = arguments[1]
    return made._getvalue()


@unbox(LabelsType)
def unbox_labels(kind, one, c):
    made = cgutils.create_struct_proxy(kind)(c.context, c.builder)
    made.data = c.unbox(kind.as_array, c.pyapi.object_getattr_string(one, "data")).value
    return NativeValue(made._getvalue())


@box(LabelsType)
def box_labels(kind, value, c):
    made = cgutils.create_struct_proxy(kind)(c.context, c.builder, value=value)
    called = c.pyapi.unserialize(c.pyapi.serialize_object(Labels))
    return c.pyapi.call_function_objargs(called, (c.box(kind.as_array, made.data),))


def test_values_that_stand_for_arrays():
    labels = Labels(numpy.array([3, 1, 2], numpy.int32))

    @jit
    def function(labels):
        return len(labels), labels[1], labels[1:], numpy.cos(labels)

    length, one, part, cosines = function(labels)
    assert (length, one) == (3, 1)
    assert isinstance(part, Labels) and part.data.tolist() == [1, 2]
    assert isinstance(cosines, Labels)
    numpy.testing.assert_array_equal(cosines.data, numpy.cos(labels.data))


@overload_method(IntervalType, "__call__")
def call_interval(interval, *shares):
    if not all(isinstance(share, types.Number) for share in shares):
        return None
    if not shares:
        return lambda interval, *shares: interval.low
    return lambda interval, *shares: interval.low + (interval.high - interval.low) * shares[0] * len(shares)


def test_values_of_own_types_are_called():
    outside = Interval(10.0, 30.0)

    @jit
    def function(interval, share):
        pair = (interval, Interval(0.0, 1.0))
        return interval(), interval(share), pair[1](0.5, 0.25), outside(share)

    assert function(Interval(1.0, 3.0), 0.5) == (1.0, 2.0, 1.0, 20.0)

    @jit
    def refused(interval):
        return interval("a")

    with pytest.raises(TypingError, match="__call__ has no implementation"):
        refused(Interval(1.0, 3.0))


class _MethodTemplate(_OverloadAttributeTemplate):
    is_method = True


def test_templates_of_attributes_let_choosers_serve_them():
    def scaled(interval, by):
        return lambda interval, by: Interval(interval.low * by, interval.high * by)

    infer_getattr(
        make_overload_attribute_template(IntervalType, "scaled", scaled, inline="never", base=_MethodTemplate)
    )
    infer_getattr(make_overload_attribute_template(IntervalType, "middle", lambda interval: middle))

    @jit
    def function(interval):
        return interval.scaled(2.0), interval.middle

    assert function(Interval(1.0, 3.0)) == (Interval(2.0, 6.0), 2.0)


def middle(interval):
    return (interval.low + interval.high) / 2


def test_methods_of_objects_outside_are_those_of_compiled_functions():
    class Scale(Interval):
        def scaled_by(self, by):
            raise AssertionError("is Python's")

    overload_method(IntervalType, "scaled_by")(lambda interval, by: lambda interval, by: interval.high * by)
    outside = Scale(1.0, 3.0)
    assert jit(lambda by: outside.scaled_by(by))(2.0) == 6.0


class KeyedType(types.Type):
    def __init__(self, owner):
        self.owner = owner
        super().__init__(name=f"Keyed({owner})")

    @property
    def key(self):
        return self.owner


def test_types_of_packages_are_one_object_after_pickling():
    kind = KeyedType(("a", 1))
    assert pickle.loads(pickle.dumps(kind)) is kind
    assert pickle.loads(pickle.dumps(KeyedType(("a", 1)))).owner == ("a", 1)
