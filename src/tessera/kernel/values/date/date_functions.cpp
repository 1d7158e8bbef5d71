// Functions of dates, of spans of time, and of arrays of them.
#include <algorithm>
#include <array>
#include <limits>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/date/date.h"

namespace tessera::kernel {

namespace {

/// The unit of a date, a span, an array of them or a tuple that begins with one, or that a dtype stands for.
Unit unit_of(const Item& item) {
  const Type& type = item.type;
  if (type.is_entity(EntityKind::dtype)) return type->entity.unit;
  if (type->kind == TypeKind::tuple && !type->elements.empty()) return unit_of({type->elements[0], {}});
  return type.is_scalar() || type.is_array_like() ? type->unit : Unit{0};
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

/// "max" of "numpy.amax", "builtins.max" and "array.max".
std::string_view bare(std::string_view name) {
  name.remove_prefix(name.rfind('.') + 1);
  if (name == "amax" || name == "amin") name.remove_prefix(1);
  return name;
}

/// As Python's min and max: the later one only where it is beyond, which NaT never is.
Item pythons_extreme(Lowering& l, const Call& call, bool is_max, const Item& sofar, const Item& next) {
  const std::optional<Type> type = unify(sofar.type, next.type);
  if (!type) l.fail(call.node, format("the extreme of {} and {}", describe(sofar.type), describe(next.type)));
  const Item x = l.convert(sofar, *type), y = l.convert(next, *type);
  const ir::Value is_beyond = *compare_dates(l, call.node, is_max ? ">" : "<", y, x);
  return {*type, {l.b.select(is_beyond, y.values[0], x.values[0])}};
}

/// The least or greatest element; NaT where one is, but as Python has it for its own functions.
Item extreme_element(Lowering& l, const Call& call, const Item& array, bool is_max, bool is_pythons) {
  ir::Value is_empty = l.b.constant(Scalar::of_bool(false));
  for (ir::Value extent : shape_of(l, array).values) is_empty = l.b.bit_or(is_empty, l.b.eq(extent, l.number(0)));
  l.failures.raise_if(
      call.node, is_empty, ExceptionNumber::value_error,
      format("zero-size array to reduction operation {} which has no identity", is_max ? "maximum" : "minimum"));
  if (is_pythons && array.type->axes == 1) {
    const Item first = element_of(l, array, std::vector{l.number(0)});
    return reduce(l, array, first,
                  [&](const Item& a, const Item& b) { return pythons_extreme(l, call, is_max, a, b); });
  }
  using Limits = std::numeric_limits<int64_t>;
  const Item first{dated(array.type->unit), {l.number(is_max ? Limits::min() + 1 : Limits::max())}};
  return reduce(l, array, first, [&](const Item& a, const Item& b) {
    return *apply_to_dates(l, call.node, is_max ? "maximum" : "minimum", {a, b});
  });
}

std::optional<Item> extreme_of(Lowering& l, const Builtin& builtin, const Call& call) {
  const std::string_view name = bare(builtin.name);
  const bool is_max = name == "max", is_pythons = builtin.name.starts_with("builtins.");
  std::vector<Item> items = call.args;
  if (!is_pythons && call.given.size() > 1 && call.given[1]) return {};  // along an axis
  if (!is_pythons) items.resize(1);
  if (items.size() == 1 && items[0].type.is_array_like()) return extreme_element(l, call, items[0], is_max, is_pythons);
  if (items.size() == 1 && items[0].type->kind == TypeKind::tuple) {
    const Item tuple = items[0];
    items.clear();
    for (size_t k = 0; k < tuple.type->elements.size(); ++k) items.push_back(element(tuple, k));
  }
  Item best = items.at(0);
  for (size_t k = 1; k < items.size(); ++k)
    best = is_pythons ? pythons_extreme(l, call, is_max, best, items[k])
                      : *apply_to_dates(l, call.node, is_max ? "maximum" : "minimum", {best, items[k]});
  return best;
}

/// Elements in another unit, or as integers.
Item converted(Lowering& l, const Call& call, const Item& array, const Item& dtype) {
  const Unit to = unit_meant(dtype.type);
  const std::optional<DType> number = to ? std::nullopt : dtype_meant(dtype.type);
  if (!to && (!number || !is_integer(*number)))
    l.fail(call.node, format("{} as {}", describe(array.type), describe(dtype.type)), "a unit, or int64");
  const auto change = [&l, &call, to, number](const std::vector<Item>& items) {
    if (!to) return l.scalar(l.cast(items[0], *number));
    if (!items[0].type->unit) return Item{dated(to), {l.cast(items[0], DType::int64)}};
    return date_for(l, call.node, items[0], to);
  };
  return array.type.is_array_like() ? l.in_memory(call.node, elementwise(l, call.node, {array}, change))
                                    : change({array});
}

/// The builtin's result on the words, as dates.
Item moved(Lowering& l, const Builtin& builtin, Call call, Unit unit) {
  for (size_t k = 0; k < call.args.size(); ++k) {
    Item& item = call.args[k];
    if (unit_meant(item.type))
      item = dtype_object(DType::int64);
    else if (item.type.is_scalar() && item.type->unit)
      item = with_unit(date_for(l, call.node, item, unit), 0);
    else if (item.type.is_array_like() && item.type->unit)
      item = with_unit(item, 0);
  }
  const Item result = builtin.lower(l, builtin, call);
  return result.type.is_array_like() && result.type->dtype == DType::int64 ? with_unit(result, unit) : result;
}

Item lower_isnat(Lowering& l, const Builtin&, const Call& call) {
  const Item& item = call.args[0];
  if (!unit_of(item)) l.fail(call.node, format("isnat of {}", describe(item.type)), "a datetime64 or a timedelta64");
  const auto is_nat = [&l](const std::vector<Item>& items) {
    return l.scalar(l.b.eq(items[0].values[0], l.number(not_a_time)));
  };
  const Item result = item.type.is_array_like() ? elementwise(l, call.node, {item}, is_nat) : is_nat({item});
  const Item& out = call.args[1];
  if (out.type->kind == TypeKind::none) return result;
  if (!out.type.is_array()) l.fail(call.node, format("isnat is stored in {}", describe(out.type)), "an array");
  store(l, call.node, view_of(l, out), result);
  return out;
}

// A text is read when the function is compiled.
template <bool is_date>
Item lower_class(Lowering& l, const Builtin& self, const Call& call) {
  const Item& value = call.args[0];
  const auto unit_for = [](TimeUnit unit) { return is_date ? unit_of_dates(unit) : unit_of_spans(unit); };
  if (value.type.is_entity(EntityKind::text)) return by_numpy(l, self, call, format("{} in a kernel", self.name));
  std::optional<TimeUnit> unit = value.type->unit ? time_unit(value.type->unit) : TimeUnit::generic;
  if (call.given[1])
    unit =
        call.args[1].type.is_entity(EntityKind::text) ? time_unit_named(call.args[1].type->entity.name) : std::nullopt;
  if (!unit) l.fail(call.node, format("{} with a unit that is not known", self.name), "a constant text, such as 'D'");
  if (value.type.is_scalar() && value.type->unit) return date_for(l, call.node, value, unit_for(*unit));
  if (!value.type.is_scalar() || !is_integer(value.type->dtype))
    l.fail(call.node, format("{} of {}", self.name, describe(value.type)), "an integer or a constant text");
  return {dated(unit_for(*unit)), {l.cast(value, DType::int64)}};
}

}  // namespace

std::optional<Item> call_builtin_of_dates(Lowering& l, const Builtin& builtin, const Call& call) {
  Unit unit = 0;
  for (const Item& item : call.args)
    if (const Unit one = unit_of(item)) unit = one;
  // Names of dtypes are texts, which other functions have, too.
  const bool makes = is_one_of(builtin.name, {"numpy.empty", "numpy.zeros", "numpy.full", "numpy.empty_like",
                                              "numpy.zeros_like", "numpy.full_like", "numpy.arange"});
  const bool converts = is_one_of(builtin.name, {"array.astype", "numpy.array", "numpy.asarray"});
  for (size_t k = 1; (makes || converts) && k < call.args.size(); ++k)
    if (const Unit one = unit_meant(call.args[k].type)) unit = one;
  if (!unit) return {};
  const std::string_view name = bare(builtin.name);
  if (!builtin.op.empty() && !builtin.name.ends_with(".clip")) return {};  // apply_to_dates
  if (is_one_of(builtin.name,
                {"builtins.len", "builtins.bool", "builtins.isinstance", "builtins.enumerate", "builtins.zip",
                 "builtins.reversed", "numpy.ndenumerate", "numpy.where", "numpy.datetime64", "numpy.timedelta64",
                 "numpy.isnat", "numpy.shape", "numpy.dtype", "builtins.tuple", "tuple.index", "tuple.count"}) ||
      builtin.name.starts_with("list.") || builtin.name.starts_with("table."))
    return {};
  if (builtin.name == "builtins.int" && call.args[0].type.is_scalar()) return l.scalar(call.args[0].values[0]);
  if (builtin.name == "builtins.abs") return apply_to_dates(l, call.node, "absolute", {call.args[0]});
  if (name == "max" || name == "min")
    if (const std::optional<Item> found = extreme_of(l, builtin, call)) return found;
  if (name == "sum" && is_of_spans(unit) && call.args[0].type.is_array_like() && !call.given[1])
    return reduce(l, call.args[0], {dated(unit), {l.number(0)}},
                  [&](const Item& a, const Item& b) { return *binary_of_dates(l, call.node, "+", a, b); });
  if (builtin.name == "array.astype") return converted(l, call, call.args[0], call.args[1]);
  if (converts && call.args[0].type.is_array_like() && call.args[1].type->kind != TypeKind::none)
    return converted(l, call, call.args[0], call.args[1]);
  if (converts && !call.args[0].type.is_array_like()) return {};  // elements are stored one by one
  if (makes && builtin.name != "numpy.arange") return moved(l, builtin, call, unit);
  if (is_one_of(name, {"copy", "asarray", "ascontiguousarray", "reshape", "ravel", "flatten", "transpose", "array"}))
    return moved(l, builtin, call, unit);
  const bool is_numpys = builtin.name.starts_with("numpy.") || builtin.name.starts_with("array.");
  const std::string text = format("{} of {}", builtin.name, name_of_unit(unit));
  if (!is_numpys) l.fail(call.node, text, "x.astype(np.int64), or x.view(np.int64) of arrays");
  return by_numpy(l, builtin, call, text);
}

void add_date_builtins(std::vector<Builtin>& table) {
  table.push_back({"numpy.datetime64", "value unit=", lower_class<true>});
  table.push_back({"numpy.timedelta64", "value unit=", lower_class<false>});
  table.push_back({"numpy.isnat", "x out=", lower_isnat});
}

}  // namespace tessera::kernel
