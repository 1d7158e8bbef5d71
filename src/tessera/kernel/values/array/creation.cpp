// Arrays that functions make: NumPy's creation functions and copies.
#include <algorithm>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/slice.h"
#include "tessera/kernel/values/characters/character_type.h"
#include "tessera/kernel/values/date/date.h"
#include "tessera/kernel/values/record/new_records.h"
#include "tessera/kernel/values/record/record.h"

namespace tessera::kernel {

namespace {

/// The extents that a number or a tuple says.
std::vector<ir::Value> extents_of(Lowering& l, const Builtin& self, const Call& call, const Item& shape) {
  std::vector<Item> items{shape};
  if (shape.type->kind == TypeKind::tuple) {
    items.clear();
    for (size_t k = 0; k < shape.type->elements.size(); ++k) items.push_back(element(shape, k));
  }
  std::vector<ir::Value> extents;
  for (const Item& item : items) {
    if (!item.type.is_scalar() || !is_integer(item.type->dtype))
      l.fail(call.node, format("{} with a shape of {}", self.name, describe(shape.type)), "integers, such as int(n)");
    extents.push_back(l.cast(item, DType::int64));
  }
  return extents;
}

/// The dtype of an argument, or another one where it is left out.
DType dtype_of(Lowering& l, const Builtin& self, const Call& call, const Item& item, DType left_out) {
  if (item.type->kind == TypeKind::none) return left_out;
  if (const std::optional<DType> meant = dtype_meant(item.type)) return *meant;
  if (item.type.is_entity(EntityKind::text))
    l.fail(call.node, format("Invalid NumPy dtype specified: '{}'", item.type->entity.name), "'float32', for example");
  l.fail(call.node, format("{} takes a dtype, not {}", self.name, describe(item.type)), "numpy.float32, for example");
}

Item filled(Lowering& l, const Call& call, DType dtype, const std::vector<ir::Value>& extents, const Item& value) {
  if (!value.type.is_scalar()) l.fail(call.node, format("an array full of {}", describe(value.type)), "a number");
  const Item array = allocate(l, call.node, dtype, extents, false);
  store(l, call.node, view_of(l, array), value);
  return array;
}

/// A new array of these extents, also one of records.
Item make_array(Lowering& l, const Builtin& self, const Call& call, const std::vector<ir::Value>& extents,
                DType left_out, bool zeroed) {
  const Item& dtype = call.args[1];
  if (const auto text = dtype.type.is_entity(EntityKind::text) ? character_type(dtype.type->entity.name) : std::nullopt)
    return new_records(l, call.node, characters_entity(*text), extents, zeroed);
  if (dtype.type.is_entity(EntityKind::record)) return new_records(l, call.node, dtype.type->entity, extents, zeroed);
  return allocate(l, call.node, dtype_of(l, self, call, dtype, left_out), extents, zeroed);
}

Item lower_empty(Lowering& l, const Builtin& self, const Call& call) {
  return make_array(l, self, call, extents_of(l, self, call, call.args[0]), DType::float64, false);
}

Item lower_zeros(Lowering& l, const Builtin& self, const Call& call) {
  return make_array(l, self, call, extents_of(l, self, call, call.args[0]), DType::float64, true);
}

Item lower_ones(Lowering& l, const Builtin& self, const Call& call) {
  return filled(l, call, dtype_of(l, self, call, call.args[1], DType::float64), extents_of(l, self, call, call.args[0]),
                l.constant(1));
}

Item lower_full(Lowering& l, const Builtin& self, const Call& call) {
  const Item& value = call.args[1];
  return filled(l, call, dtype_of(l, self, call, call.args[2], value.type->dtype),
                extents_of(l, self, call, call.args[0]), value);
}

/// The shape of an array, or of a number none.
std::vector<ir::Value> shape_like(Lowering& l, const Builtin& self, const Call& call) {
  const Item& like = call.args[0];
  if (like.type.is_scalar()) return {};
  if (!like.type.is_indexed()) l.fail(call.node, format("{} takes an array, not {}", self.name, describe(like.type)));
  return shape_of(l, like).values;
}

Item make_like(Lowering& l, const Builtin& self, const Call& call, bool zeroed) {
  const bool is_alike = call.args[1].type->kind == TypeKind::none;
  if (is_alike && call.args[0].type->kind == TypeKind::record) return records_like(l, call.node, call.args[0], zeroed);
  return make_array(l, self, call, shape_like(l, self, call), call.args[0].type->dtype, zeroed);
}

Item lower_empty_like(Lowering& l, const Builtin& self, const Call& call) { return make_like(l, self, call, false); }

Item lower_zeros_like(Lowering& l, const Builtin& self, const Call& call) { return make_like(l, self, call, true); }

Item lower_ones_like(Lowering& l, const Builtin& self, const Call& call) {
  return filled(l, call, dtype_of(l, self, call, call.args[1], call.args[0].type->dtype), shape_like(l, self, call),
                l.constant(1));
}

Item lower_full_like(Lowering& l, const Builtin& self, const Call& call) {
  return filled(l, call, dtype_of(l, self, call, call.args[2], call.args[0].type->dtype), shape_like(l, self, call),
                call.args[1]);
}

bool is_real(const Item& item) { return item.type.is_scalar() && !is_complex(item.type->dtype); }

bool is_left_out(const Call& call, size_t k) { return !call.given[k] || call.args[k].type->kind == TypeKind::none; }

/// Of what has no loop here, by NumPy.
Item ranged_by_numpy(Lowering& l, const Builtin& self, const Call& call) {
  return by_numpy(l, self, call, format("{} of others than real numbers in a kernel", self.name));
}

/// How many steps of floats there are between ends; raises ValueError where that is no number of elements.
ir::Value count_float_steps(Lowering& l, const Call& call, ir::Value from, ir::Value to, ir::Value by) {
  ir::Builder& b = l.b;
  const ir::Value way = b.sub(to, from), zero = b.zero_like(way), share = b.div(way, by);
  const ir::Value steps = b.unary(ir::Opcode::ceil, share);
  l.failures.raise_if(call.node, b.unary(ir::Opcode::is_nan, steps), ExceptionNumber::value_error,
                      "arange: cannot compute length");
  const ir::Value most = b.cast(b.constant(DType::float64, 0x1p63), b.type(way));
  l.failures.raise_if(call.node, b.ge(b.abs(steps), most), ExceptionNumber::value_error,
                      "Maximum allowed size exceeded");
  // A way that is less than the least part of a step is one.
  const ir::Value vanishes = b.bit_and(b.eq(share, zero), b.ne(way, zero));
  const ir::Value is_ahead = b.eq(b.gt(way, zero), b.gt(by, zero));
  const ir::Value count = b.max(b.cast(steps, DType::int64), l.number(0));
  return b.select(b.bit_and(vanishes, is_ahead), l.number(1), count);
}

// As NumPy: ceil((stop - start) / step) elements, the first two as they are, and others as far apart as these.
Item lower_arange(Lowering& l, const Builtin& self, const Call& call) {
  const bool one = is_left_out(call, 1);
  const Item start = one ? l.constant(0) : call.args[0], stop = one ? call.args[0] : call.args[1];
  const Item step = is_left_out(call, 2) ? l.constant(1) : call.args[2];
  if (!is_real(start) || !is_real(stop) || !is_real(step)) return ranged_by_numpy(l, self, call);
  const DType in = promote(arithmetic_dtype(start.type->dtype, stop.type->dtype), step.type->dtype);
  const DType dtype = dtype_of(l, self, call, call.args[3], in);
  if (is_boolean(dtype)) return ranged_by_numpy(l, self, call);
  const ir::Value from = l.cast(start, in), to = l.cast(stop, in), by = l.cast(step, in);
  l.failures.raise_if(call.node, l.b.eq(by, l.b.zero_like(by)), ExceptionNumber::zero_division_error,
                      "division by zero");
  if (is_integer(in)) {
    const auto word = [&l](ir::Value x) { return l.b.cast(x, DType::int64); };
    return computed(dtype, {count_steps(l, word(from), word(to), word(by))},
                    [&l, from, by, in, dtype](std::span<const ir::Value> at) {
                      return l.scalar(l.b.cast(l.b.add(from, l.b.mul(l.b.cast(at[0], in), by)), dtype));
                    });
  }
  const DType steps_in = dtype == DType::float16 ? DType::float32 : dtype;
  const auto kept = [&](ir::Value x) { return l.b.cast(l.b.cast(x, dtype), steps_in); };
  const ir::Value first = kept(from), second = kept(l.b.add(from, by));
  const ir::Value apart = l.b.sub(second, first);
  return computed(dtype, {count_float_steps(l, call, from, to, by)}, [=, &l](std::span<const ir::Value> at) {
    const ir::Value k = at[0], later = l.b.add(first, l.b.mul(l.b.cast(k, steps_in), apart));
    const ir::Value known = l.b.select(l.b.eq(k, l.number(0)), first, second);
    return l.scalar(l.b.cast(l.b.select(l.b.le(k, l.number(1)), known, later), dtype));
  });
}

// As NumPy: start + k * step, the last element stop itself.
Item lower_linspace(Lowering& l, const Builtin& self, const Call& call) {
  if (!is_real(call.args[0]) || !is_real(call.args[1])) return ranged_by_numpy(l, self, call);
  const ir::Value from = l.cast(call.args[0], DType::float64), to = l.cast(call.args[1], DType::float64);
  const Item number = call.given[2] ? call.args[2] : l.constant(50);
  const ir::Value count = extents_of(l, self, call, number)[0];
  const ir::Value one = l.b.constant(DType::int64, 1);
  const ir::Value gaps = l.b.max(l.b.sub(count, one), one);
  const ir::Value step = l.b.div(l.b.sub(to, from), l.b.cast(gaps, DType::float64));
  return computed(DType::float64, {count}, [&l, from, to, step, count, one](std::span<const ir::Value> at) {
    const ir::Value inner = l.b.add(l.b.mul(l.b.cast(at[0], DType::float64), step), from);
    const ir::Value is_last = l.b.bit_and(l.b.eq(l.b.add(at[0], one), count), l.b.gt(count, one));
    return l.scalar(l.b.select(is_last, to, inner));
  });
}

Item lower_dtype(Lowering& l, const Builtin& self, const Call& call) {
  return dtype_object(dtype_of(l, self, call, call.args[0], DType::float64));
}

Item lower_eye(Lowering& l, const Builtin& self, const Call& call) {
  const DType dtype = dtype_of(l, self, call, call.args[3], DType::float64);
  const ir::Value rows = extents_of(l, self, call, call.args[0])[0];
  const bool square = call.args[1].type->kind == TypeKind::none;
  const ir::Value columns = square ? rows : extents_of(l, self, call, call.args[1])[0];
  const ir::Value by = call.given[2] ? l.cast(call.args[2], DType::int64) : l.b.constant(DType::int64, 0);
  if (!l.options.is_function)
    return computed(dtype, {rows, columns}, [&l, by, dtype](std::span<const ir::Value> at) {
      return l.scalar(l.b.cast(l.b.eq(l.b.add(at[0], by), at[1]), dtype));
    });
  const Item made = allocate(l, call.node, dtype, {rows, columns}, true);
  ir::Builder& b = l.b;
  const ir::Value first = b.max(b.neg(by), l.number(0)), last = b.min(rows, b.sub(columns, by));
  b.for_(first, last, l.number(1), {}, [&](std::span<const ir::Value> args) {
    const ArrayView place = element_at(l, view_of(l, made), std::vector{args[0], b.add(args[0], by)});
    store(l, call.node, place, l.scalar(b.constant(dtype, 1)));
    return std::vector<ir::Value>{};
  });
  return made;
}

Item lower_identity(Lowering& l, const Builtin& self, const Call& call) {
  return lower_eye(l, self,
                   {call.node, {call.args[0], Item{}, Item{}, call.args[1]}, {true, false, false, call.given[1]}});
}

Item lower_copy(Lowering& l, const Builtin& self, const Call& call) {
  if (call.args[0].type->kind == TypeKind::record && l.options.is_function)
    return copy_records(l, call.node, call.args[0]);
  const Item& array = array_argument(l, self, call);
  if (array.type->axes == 0) {
    const Item copy = allocate(l, call.node, array.type->dtype, {}, false);
    store(l, call.node, view_of(l, copy), element_of(l, array, {}));
    return copy;
  }
  const Item copy = allocate(l, call.node, array.type->dtype, shape_of(l, array).values, false);
  store(l, call.node, view_of(l, copy), array);
  return copy;
}

Item lower_astype(Lowering& l, const Builtin& self, const Call& call) {
  const Item& array = array_argument(l, self, call);
  const DType to = dtype_of(l, self, call, call.args[1], array.type->dtype);
  return l.in_memory(call.node, elementwise(l, call.node, {array}, [&l, to](const std::vector<Item>& items) {
                       return l.scalar(l.cast(items[0], to));
                     }));
}

/// Whether lists or arrays are among a tuple's elements.
bool holds_arrays(const Type& type) {
  return type->kind == TypeKind::list || type.is_array_like() || std::ranges::any_of(type->elements, holds_arrays);
}

// Of nested tuples, which lists are, too; of an array a copy.
Item lower_array(Lowering& l, const Builtin& self, const Call& call) {
  const Item& from = call.args[0];
  if (from.type.is_array_like()) {
    if (call.args[1].type->kind == TypeKind::none) return lower_copy(l, self, call);
    return lower_astype(l, self, call);
  }
  std::vector<int64_t> extents;
  for (Item level = from; level.type->kind == TypeKind::tuple; level = element(level, 0)) {
    extents.push_back(static_cast<int64_t>(level.type->elements.size()));
    if (extents.back() == 0) break;
  }
  if (holds_arrays(from.type)) return by_numpy(l, self, call, format("{} of {}", self.name, describe(from.type)));
  std::vector<Item> numbers;
  std::optional<Type> common;
  const std::function<void(const Item&, size_t)> collect = [&](const Item& item, size_t depth) {
    const bool is_number = depth == extents.size();
    const bool fits = is_number ? item.type.is_scalar()
                                : item.type->kind == TypeKind::tuple &&
                                      static_cast<int64_t>(item.type->elements.size()) == extents[depth];
    if (!fits)
      l.fail(call.node, format("{} of {}", self.name, describe(from.type)), "numbers in lists of equal lengths");
    if (is_number) {
      numbers.push_back(item);
      common = common ? unify(*common, item.type) : item.type;
      return;
    }
    for (size_t k = 0; k < item.type->elements.size(); ++k) collect(element(item, k), depth + 1);
  };
  collect(from, 0);
  const Unit unit = unit_meant(call.args[1].type);
  const DType dtype =
      unit ? DType::int64 : dtype_of(l, self, call, call.args[1], common ? (*common)->dtype : DType::float64);
  std::vector<ir::Value> shape;
  for (int64_t extent : extents) shape.push_back(l.constant(extent).values[0]);
  const bool keeps_unit = common && call.args[1].type->kind == TypeKind::none;
  const Item array = with_unit(allocate(l, call.node, dtype, shape, false), keeps_unit ? (*common)->unit : unit);
  const ArrayView view = view_of(l, array);
  for (size_t k = 0; k < numbers.size(); ++k) {
    std::vector<ir::Value> at(extents.size());
    int64_t left = static_cast<int64_t>(k);
    for (size_t axis = extents.size(); axis-- > 0; left /= extents[axis])
      at[axis] = l.constant(left % extents[axis]).values[0];
    store(l, call.node, element_at(l, view, at), numbers[k]);
  }
  return array;
}

Item lower_asarray(Lowering& l, const Builtin& self, const Call& call) {
  const Type &type = call.args[0].type, wanted = call.args[1].type;
  if (!type.is_array()) return lower_array(l, self, call);
  const auto is_of_it = [&] {
    return !type->unit && !unit_meant(wanted) && dtype_of(l, self, call, call.args[1], type->dtype) == type->dtype;
  };
  return wanted->kind == TypeKind::none || is_of_it() ? call.args[0] : lower_array(l, self, call);
}

// As NumPy, of a number an array of one axis.
Item lower_ascontiguousarray(Lowering& l, const Builtin& self, const Call& call) {
  const Type& type = call.args[0].type;
  if (type.is_scalar() || (type.is_array_like() && type->axes == 0))
    return by_numpy(l, self, call, format("{} of {}", self.name, describe(type)));
  return lower_array(l, self, call);
}

Item lower_where(Lowering& l, const Builtin&, const Call& call) {
  const auto choose = [&l, &node = call.node](const std::vector<Item>& items) {
    const std::optional<Type> type = unify(items[1].type, items[2].type);
    if (!type || !type->is_scalar())
      l.fail(node, format("where of {} and {}", describe(items[1].type), describe(items[2].type)));
    const Item x = l.convert(items[1], *type), y = l.convert(items[2], *type);
    return Item{*type, {l.b.select(truth(l, node, items[0]), x.values[0], y.values[0])}};
  };
  for (const Item& item : call.args)
    if (item.type.is_array_like()) return elementwise(l, call.node, call.args, choose);
  return choose(call.args);
}

/// The array that begins at a pointer from code in C.
template <bool is_fortran>
Item lower_carray(Lowering& l, const Builtin& self, const Call& call) {
  const Item& pointer = call.args[0];
  if (pointer.type->kind != TypeKind::pointer || !l.options.is_function)
    l.fail(call.node, format("{} of {}", self.name, describe(pointer.type)), "a pointer that code in C passes");
  if (!pointer.type->names.empty() && !call.given[2])
    l.fail(call.node, format("{} of a pointer to void without a dtype", self.name), "carray(pointer, shape, dtype)");
  const DType dtype = dtype_of(l, self, call, call.args[2], pointer.type->dtype);
  if (pointer.type->names.empty() && dtype != pointer.type->dtype)
    l.fail(call.node, format("mismatching dtype '{}' for pointer to {}", dtype, pointer.type->dtype),
           "the pointer's dtype, or none");
  std::vector<ir::Value> extents = extents_of(l, self, call, call.args[1]);
  const ir::Value size = l.constant(itemsize(dtype)).values[0];
  const ir::Value begin = l.b.binary(ir::Opcode::div, pointer.values[0], size);
  if (!is_fortran) return own_array(l, dtype, begin, extents);
  std::ranges::reverse(extents);
  ArrayView view = view_of(l, own_array(l, dtype, begin, extents));
  std::ranges::reverse(view.axes);
  for (ArrayView::Base& base : view.bases) std::ranges::reverse(base.kept);
  return item_of(l, view);
}

}  // namespace

void add_creation_builtins(std::vector<Builtin>& table) {
  table.push_back({"builtins.carray", "pointer shape dtype=", lower_carray<false>});
  table.push_back({"builtins.farray", "pointer shape dtype=", lower_carray<true>});
  table.push_back({"numpy.empty", "shape dtype=", lower_empty});
  table.push_back({"numpy.zeros", "shape dtype=", lower_zeros});
  table.push_back({"numpy.ones", "shape dtype=", lower_ones});
  table.push_back({"numpy.full", "shape fill_value dtype=", lower_full});
  table.push_back({"numpy.empty_like", "a dtype=", lower_empty_like});
  table.push_back({"numpy.zeros_like", "a dtype=", lower_zeros_like});
  table.push_back({"numpy.ones_like", "a dtype=", lower_ones_like});
  table.push_back({"numpy.full_like", "a fill_value dtype=", lower_full_like});
  table.push_back({"numpy.arange", "start stop= step= dtype=", lower_arange});
  table.push_back({"numpy.linspace", "start stop num=", lower_linspace});
  table.push_back({"numpy.eye", "N M= k= dtype=", lower_eye});
  table.push_back({"numpy.identity", "n dtype=", lower_identity});
  table.push_back({"numpy.dtype", "dtype", lower_dtype});
  table.push_back({"numpy.array", "object dtype=", lower_array});
  table.push_back({"numpy.asarray", "a dtype=", lower_asarray});
  table.push_back({"numpy.ascontiguousarray", "a dtype=", lower_ascontiguousarray});
  table.push_back({"numpy.copy", "a", lower_copy});
  table.push_back({"array.copy", "a", lower_copy});
  table.push_back({"array.astype", "a dtype", lower_astype});
  table.push_back({"numpy.where", "condition x y", lower_where});
}

}  // namespace tessera::kernel
