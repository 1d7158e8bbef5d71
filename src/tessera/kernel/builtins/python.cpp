// Python's own functions.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/compile.h"
#include "tessera/kernel/lower/calls/overload.h"
#include "tessera/kernel/lower/loops/sequence.h"
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/list/list.h"
#include "tessera/kernel/values/table/table.h"
#include "tessera/kernel/values/text/string.h"
#include "tessera/kernel/values/text/text.h"
#include "tessera/kernel/values/value_rules.h"

namespace tessera::kernel {

namespace {

const Item& number(Lowering& l, const Builtin& self, const Call& call, size_t k) {
  const Item& item = call.args[k];
  if (!item.type.is_scalar()) {
    l.fail(call.node, format("{} of {}", self.name, describe(item.type)),
           item.type.is_array() ? "one element of it, such as a[i]" : "");
  }
  return item;
}

Item lower_abs(Lowering& l, const Builtin& self, const Call& call) {
  const Item& x = number(l, self, call, 0);
  return l.scalar(l.b.abs(is_boolean(x.type->dtype) ? l.cast(x, DType::int64) : x.values[0]));
}

// The first of the tuples, in their order.
Item extreme_tuple(Lowering& l, const Node& node, std::string_view op, const std::vector<Item>& items) {
  Type type = items[0].type;
  for (const Item& item : items) {
    const std::optional<Type> both = unify(type, item.type);
    const bool is_alike =
        both && (*both)->kind == TypeKind::tuple && std::ranges::all_of((*both)->elements, &Type::is_scalar);
    if (!is_alike) l.fail(node, format("tuples of one length, of numbers, not {}", describe(item.type)));
    type = *both;
  }
  Item best = l.convert(items[0], type);
  for (size_t k = 1; k < items.size(); ++k) {
    const Item next = l.convert(items[k], type);
    const ir::Value is_better = compare_in_order(l, node, op, next, best);
    for (size_t j = 0; j < best.values.size(); ++j)
      best.values[j] = l.b.select(is_better, next.values[j], best.values[j]);
  }
  return best;
}

// As Python's: the first of those that compare as equal.
template <ir::Opcode op>
Item lower_extreme(Lowering& l, const Builtin& self, const Call& call) {
  std::vector<Item> items = call.args;
  if (items.size() == 1 && is_table(items[0].type)) items[0] = list_of_table(l, call.node, items[0]);
  if (items.size() == 1 && items[0].type->kind == TypeKind::tuple) {
    items.clear();
    for (size_t k = 0; k < call.args[0].type->elements.size(); ++k) items.push_back(element(call.args[0], k));
  }
  if (items.size() == 1 &&
      (is_list(items[0]) || items[0].type.is_array_like() || items[0].type->kind == TypeKind::range))
    return call_library(l, call.node, op == ir::Opcode::lt ? "list.min" : "list.max", {items[0]});
  if (items.size() < 2 && call.args.size() < 2 && call.args[0].type->kind != TypeKind::tuple)
    l.fail(call.node, format("{} of one {}", self.name, describe(call.args[0].type)), "two or more numbers");
  if (items.empty()) l.fail(call.node, format("{} of an empty tuple", self.name), "a tuple with elements");
  if (items[0].type->kind == TypeKind::tuple)
    return extreme_tuple(l, call.node, op == ir::Opcode::lt ? "<" : ">", items);
  for (const Item& item : items) {
    if (!item.type.is_scalar() || is_complex(item.type->dtype))
      l.fail(call.node, format("{} of {}", self.name, describe(item.type)));
  }
  DType in = items[0].type->dtype;
  for (const Item& item : items) in = promote(in, item.type->dtype);
  ir::Value best = l.cast(items[0], in);
  for (size_t k = 1; k < items.size(); ++k) {
    const ir::Value next = l.cast(items[k], in);
    best = l.b.select(l.b.compare(op, next, best), next, best);
  }
  return l.scalar(best);
}

Item lower_len(Lowering& l, const Builtin& self, const Call& call) {
  const Item& x = call.args[0];
  if (x.type->kind == TypeKind::tuple) return l.constant(static_cast<int64_t>(x.type->elements.size()));
  if (const auto length = ask_values(&ValueRules::length, l, call.node, x)) return l.scalar(*length);
  if (x.type->kind == TypeKind::range) return l.scalar(count_range(l, range_of(x)));
  if (!x.type.is_indexed() || x.type->axes == 0) l.fail(call.node, format("{} has no len", describe(x.type)));
  return element(shape_of(l, x), 0);
}

Item lower_int(Lowering& l, const Builtin& self, const Call& call) {
  const Item& x = number(l, self, call, 0);
  if (is_complex(x.type->dtype)) l.fail(call.node, "int of a complex number", "int(z.real)");
  return l.scalar(l.cast(x, is_unsigned_integer(x.type->dtype) ? DType::uint64 : DType::int64));
}

/// The number that a constant string is in Python's sense: "inf", "-1_000.5".
Item number_in(Lowering& l, const Call& call, std::string text) {
  const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_blank(text.back())) text.pop_back();
  while (!text.empty() && is_blank(text.front())) text.erase(0, 1);
  std::string plain = text.starts_with('+') ? text.substr(1) : text;
  const bool is_joined = plain.find("__") == std::string::npos && !plain.starts_with('_') && !plain.ends_with('_');
  std::erase(plain, '_');
  double value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  const bool has_two_signs = text.starts_with('+') && (plain.starts_with('+') || plain.starts_with('-'));
  if (error != std::errc() || end != plain.data() + plain.size() || !is_joined || has_two_signs)
    l.fail(call.node, format("could not convert string to float: '{}'", text));
  return l.scalar(l.b.constant(DType::float64, value));
}

Item lower_float(Lowering& l, const Builtin& self, const Call& call) {
  const Type& given = call.args[0].type;
  if (given->kind == TypeKind::entity && given->entity.kind == EntityKind::text)
    return number_in(l, call, given->entity.name);
  const Item& x = number(l, self, call, 0);
  if (is_complex(x.type->dtype)) l.fail(call.node, "float of a complex number", "z.real");
  return l.scalar(l.cast(x, is_floating(x.type->dtype) ? x.type->dtype : DType::float64));
}

Item lower_bool(Lowering& l, const Builtin&, const Call& call) { return l.scalar(truth(l, call.node, call.args[0])); }

Item lower_complex(Lowering& l, const Builtin& self, const Call& call) {
  const Item& x = number(l, self, call, 0);
  const bool one = call.args[1].type->kind == TypeKind::none;
  if (one) return l.scalar(l.cast(x, complex_dtype(x.type->dtype)));
  const Item& y = number(l, self, call, 1);
  const DType part = real_dtype(complex_dtype(promote(x.type->dtype, y.type->dtype)));
  return l.scalar(l.b.make_complex(l.cast(x, part), l.cast(y, part)));
}

/// Of arrays without axes their elements.
template <Item (*lower)(Lowering&, const Builtin&, const Call&)>
Item of_elements(Lowering& l, const Builtin& self, const Call& call) {
  Call made = call;
  for (Item& item : made.args)
    if (item.type.is_array_like() && item.type->axes == 0) item = element_of(l, item, {});
  return lower(l, self, made);
}

/// 10 to the power of an integer from 0 to 511, exact up to 22.
ir::Value power_of_ten(ir::Builder& b, ir::Value exponent) {
  constexpr int bits = 9;
  constexpr double powers[bits] = {1e1, 1e2, 1e4, 1e8, 1e16, 1e32, 1e64, 1e128, 1e256};
  const ir::Value one = b.constant(DType::float64, 1.0);
  ir::Value power = one;
  for (int k = 0; k < bits; ++k) {
    const ir::Value bit = b.constant(Scalar::of_int(DType::int64, int64_t{1} << k));
    const ir::Value is_set = b.ne(b.bit_and(exponent, bit), b.zero_like(bit));
    power = b.mul(power, b.select(is_set, b.constant(DType::float64, powers[k]), one));
  }
  return power;
}

// To digits that are known at run time only, in float64: factors beyond 1e22 in two steps, and what would overflow
// stays.
Item round_to(Lowering& l, const Item& x, const Item& digits) {
  ir::Builder& b = l.b;
  const auto whole = [&](int64_t value) { return b.constant(Scalar::of_int(DType::int64, value)); };
  constexpr int64_t most = 511, exact = 22;
  const ir::Value n = l.cast(digits, DType::int64), value = l.cast(x, DType::float64);
  const ir::Value up = b.ge(n, whole(0));
  const ir::Value size = b.min(b.abs(n), whole(most));
  const ir::Value first = power_of_ten(b, b.select(up, b.min(size, whole(exact)), size));
  const ir::Value second = power_of_ten(b, b.max(b.sub(size, whole(exact)), whole(0)));
  const ir::Value scaled = b.select(up, b.mul(b.mul(value, first), second), b.div(value, first));
  const ir::Value rounded = b.unary(ir::Opcode::rint, scaled);
  const ir::Value result = b.select(up, b.div(b.div(rounded, second), first), b.mul(rounded, first));
  const ir::Value overflows = b.bit_not(b.unary(ir::Opcode::is_finite, scaled));
  return l.scalar(b.cast(b.select(overflows, value, result), x.type->dtype));
}

// Halves to even, as Python's.
Item lower_round(Lowering& l, const Builtin& self, const Call& call) {
  const Item& x = number(l, self, call, 0);
  ir::Builder& b = l.b;
  if (is_integer(x.type->dtype) || is_boolean(x.type->dtype)) return lower_int(l, self, call);
  if (call.args[1].type->kind == TypeKind::none)
    return l.scalar(b.cast(b.unary(ir::Opcode::rint, x.values[0]), DType::int64));
  const Scalar* digits = l.constant_of(call.args[1]);
  if (!is_integer(number(l, self, call, 1).type->dtype))
    l.fail(call.node, format("round to {} digits", describe(call.args[1].type)), "an integer");
  if (!digits) return round_to(l, x, call.args[1]);
  const DType t = x.type->dtype;
  const ir::Value power = b.constant(t, std::pow(10.0, std::abs(static_cast<double>(digits->as_int()))));
  const bool up = digits->as_int() >= 0;
  const ir::Value scaled = up ? b.mul(x.values[0], power) : b.div(x.values[0], power);
  const ir::Value rounded = b.unary(ir::Opcode::rint, scaled);
  return l.scalar(up ? b.div(rounded, power) : b.mul(rounded, power));
}

Item lower_pow(Lowering& l, const Builtin&, const Call& call) {
  return binary(l, call.node, "**", call.args[0], call.args[1]);
}

Item lower_divmod(Lowering& l, const Builtin&, const Call& call) {
  return tuple_of(
      {binary(l, call.node, "//", call.args[0], call.args[1]), binary(l, call.node, "%", call.args[0], call.args[1])});
}

Item lower_sequence(Lowering& l, const Builtin& self, const Call& call) {
  if (self.name == "builtins.zip")
    if (const std::optional<Item> rows = zip_of_tuples(l, call.node, call.args)) return *rows;
  const std::string_view name = self.name.substr(self.name.rfind('.') + 1);
  l.refuse(call.node, format("{} stands where a for loop begins only", name), format("for x in {}(...):", name));
}

// A value that is known while compiling; the function is compiled for each value of an argument that is not.
Item lower_literally(Lowering& l, const Builtin& self, const Call& call) {
  const Item& x = call.args[0];
  if (l.constant_of(x) || x.type->kind == TypeKind::none || x.type.is_entity(EntityKind::text)) return x;
  if (x.type->kind == TypeKind::slice) {
    for (size_t k = 0; k < x.type->elements.size(); ++k)
      lower_literally(l, self, {.node = call.node, .args = {element(x, k)}});
    return x;
  }
  const bool is_whole = x.type.is_scalar() && (is_integer(x.type->dtype) || is_boolean(x.type->dtype));
  if (is_whole && l.options.is_function)
    if (const ir::Instruction& i = l.b.kernel().instructions[x.values[0]]; i.op == ir::Opcode::scalar)
      throw LiteralRequest(i.imm);
  l.fail(call.node, format("literally of {} that is no argument of the function that is called", describe(x.type)),
         "an integer, a bool, a text or a slice that is passed");
}

// The tuple, also where no loop begins, as in range(len(literal_unroll(t))).
Item lower_literal_unroll(Lowering& l, const Builtin&, const Call& call) {
  if (call.args[0].type->kind != TypeKind::tuple && call.args[0].type->kind != TypeKind::list)
    l.refuse(call.node, format("literal_unroll of {}", describe(call.args[0].type)), "a tuple");
  return call.args[0];
}

// The place of the first element that is equal.
Item lower_tuple_index(Lowering& l, const Builtin&, const Call& call) {
  const Item &tuple = call.args[0], &value = call.args[1];
  const auto count = static_cast<int64_t>(tuple.type->elements.size());
  const ir::Value none = l.constant(count).values[0];
  ir::Value place = none;
  for (int64_t k = count; k-- > 0;) {
    const ir::Value is_equal = compare(l, call.node, "==", element(tuple, static_cast<size_t>(k)), value);
    place = l.b.select(is_equal, l.constant(k).values[0], place);
  }
  l.failures.raise_if(call.node, l.b.eq(place, none), ExceptionNumber::value_error, "tuple.index(x): x not in tuple");
  return l.scalar(place);
}

Item lower_tuple_count(Lowering& l, const Builtin&, const Call& call) {
  ir::Value found = l.constant(0).values[0];
  for (size_t k = 0; k < call.args[0].type->elements.size(); ++k) {
    const ir::Value is_equal = compare(l, call.node, "==", element(call.args[0], k), call.args[1]);
    found = l.b.add(found, l.b.cast(is_equal, DType::int64));
  }
  return l.scalar(found);
}

// tuple(t) of a tuple: itself.
Item lower_tuple(Lowering& l, const Builtin&, const Call& call) {
  if (call.args[0].type->kind == TypeKind::none) return tuple_of({});
  if (call.args[0].type->kind != TypeKind::tuple)
    l.refuse(call.node, format("a tuple of {}", describe(call.args[0].type)),
             "the elements, written out: (a[0], a[1])");
  return call.args[0];
}

bool is_of(Lowering& l, const Call& call, const Type& type, const Type& of) {
  if (of->kind == TypeKind::tuple)
    return std::ranges::any_of(of->elements, [&](const Type& one) { return is_of(l, call, type, one); });
  if (of.is_entity(EntityKind::class_))
    return type->kind == TypeKind::object && type->id == static_cast<uint32_t>(of->entity.value.as_int());
  if (type->kind == TypeKind::object && of.is_entity(EntityKind::builtin)) return false;
  const std::string_view name = of.is_entity(EntityKind::builtin) ? std::string_view(of->entity.name) : "";
  if (name == "numpy.datetime64" || name == "numpy.timedelta64")
    return type.is_scalar() && type->unit && is_of_spans(type->unit) == (name == "numpy.timedelta64");
  if (type.is_scalar() && type->unit) return false;
  const bool is_dtype = of.is_entity(EntityKind::dtype);
  if (is_dtype) return type.is_scalar() && type->dtype == of->entity.value.dtype;
  if (name == "builtins.int") return type.is_scalar() && (is_integer(type->dtype) || is_boolean(type->dtype));
  if (name == "builtins.float") return type.is_scalar() && is_floating(type->dtype);
  if (name == "builtins.complex") return type.is_scalar() && is_complex(type->dtype);
  if (name == "builtins.bool") return type.is_scalar() && is_boolean(type->dtype);
  if (name == "builtins.tuple") return type->kind == TypeKind::tuple && !type->is_list && !type->is_dict;
  if (name == "builtins.list") return type->kind == TypeKind::list || (type->kind == TypeKind::tuple && type->is_list);
  if (name == "typed.List") return type->kind == TypeKind::list && l.lists.element_of_lists(type).is_typed;
  if (name == "builtins.str") return (is_any_text(type) && !is_bytes_value(type)) || type->kind == TypeKind::formatted;
  if (name == "builtins.bytes") return is_bytes_value(type);
  if (name == "builtins.dict") return type->is_dict || (type->kind == TypeKind::dict && type->names.empty());
  if (name == "builtins.set") return type->kind == TypeKind::set && type->names.empty();
  if (name == "builtins.frozenset") return type->kind == TypeKind::set && !type->names.empty();
  if (name == "numpy.ndarray") return type.is_array_like();
  if (name == "builtins.range") return type->kind == TypeKind::range;
  if (name == "builtins.slice") return type->kind == TypeKind::slice;
  // Functions have no objects of these classes.
  for (std::string_view other : {"bytes", "bytearray"})
    if (name.ends_with(other)) return false;
  l.refuse(
      call.node, format("isinstance with {}", describe(of)),
      "int, float, complex, bool, str, tuple, list, numpy.ndarray, a type such as numpy.float32, or a tuple of these");
}

// Known while compiling: only the side of an `if` that runs is compiled.
Item lower_isinstance(Lowering& l, const Builtin&, const Call& call) {
  return l.scalar(l.b.constant(Scalar::of_bool(is_of(l, call, call.args[0].type, call.args[1].type))));
}

// Classes for isinstance.
Item lower_class(Lowering& l, const Builtin& self, const Call& call) {
  l.refuse(call.node, format("{} is called", self.name), "only isinstance(x, ...) takes it");
}

Item lower_slice_object(Lowering& l, const Builtin&, const Call& call) {
  const Item none;
  const std::vector<Item>& args = call.args;
  if (args.size() > 3) l.fail(call.node, format("slice takes one to three arguments, not {}", args.size()));
  if (args.size() == 1) return joined_of({.kind = TypeKind::slice}, {none, args[0], none});
  return joined_of({.kind = TypeKind::slice}, {args[0], args[1], args.size() == 3 ? args[2] : none});
}

// The same bits as a number of another type.
Item lower_number_view(Lowering& l, const Builtin&, const Call& call) {
  const Type &from = call.args[0].type, &to = call.args[1].type;
  if (!from.is_scalar() || !to.is_entity(EntityKind::dtype))
    l.fail(call.node, format("view of {} as {}", describe(from), describe(to)), "a type such as numpy.int32");
  const DType dtype = to->entity.value.dtype;
  if (itemsize(dtype) != itemsize(from->dtype))
    l.fail(call.node, "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
  return l.scalar(l.b.bitcast(call.args[0].values[0], dtype));
}

Item lower_ord(Lowering& l, const Builtin&, const Call& call) { return code_of_text(l, call.node, call.args[0]); }
Item lower_chr(Lowering& l, const Builtin&, const Call& call) { return text_of_code(l, call.node, call.args[0]); }

Item lower_print(Lowering& l, const Builtin&, const Call& call) {
  std::vector<Item> items(call.args.begin(), call.args.end());
  for (Item& item : items) {
    if (!is_own(item)) continue;
    const std::optional<Item> printed = overloaded_operator(l, call.node, "own.print", {item});
    if (!printed) l.fail(call.node, format("print has no implementation for {}", describe(item.type)), "its members");
    item = *printed;
  }
  l.failures.print(call.node, items);
  return {};
}

}  // namespace

void add_python_builtins(std::vector<Builtin>& table) {
  table.push_back({"builtins.abs", "x", lower_abs});
  table.push_back({"builtins.min", "*", of_elements<lower_extreme<ir::Opcode::lt>>});
  table.push_back({"builtins.max", "*", of_elements<lower_extreme<ir::Opcode::gt>>});
  table.push_back({"builtins.len", "x", lower_len});
  table.push_back({"builtins.int", "x", of_elements<lower_int>});
  table.push_back({"builtins.float", "x", of_elements<lower_float>});
  table.push_back({"builtins.bool", "x", lower_bool});
  table.push_back({"builtins.complex", "real imag=", of_elements<lower_complex>});
  table.push_back({"builtins.round", "number ndigits=", lower_round});
  table.push_back({"builtins.pow", "base exp", lower_pow});
  table.push_back({"builtins.divmod", "x y", lower_divmod});
  table.push_back({"builtins.tuple", "iterable=", lower_tuple});
  table.push_back({"tuple.index", "self value", lower_tuple_index});
  table.push_back({"tuple.count", "self value", lower_tuple_count});
  table.push_back({"builtins.slice", "*", lower_slice_object});
  for (std::string_view name :
       {"builtins.range", "builtins.prange", "numpy.ndenumerate", "builtins.pndindex", "numpy.ndindex",
        "builtins.enumerate", "builtins.zip", "builtins.reversed", "builtins.map", "numpy.nditer"})
    table.push_back({name, "*", lower_sequence});
  table.push_back({"builtins.literally", "x", lower_literally});
  table.push_back({"cuda.literal_unroll", "tuple", lower_literal_unroll});
  table.push_back({"builtins.print", "*", lower_print});
  table.push_back({"number.view", "number dtype", lower_number_view});
  table.push_back({"builtins.isinstance", "object classinfo", lower_isinstance});
  table.push_back({"builtins.str", "*", lower_class});
  table.push_back({"builtins.ord", "c", lower_ord});
  table.push_back({"builtins.chr", "i", lower_chr});
  table.push_back({"numpy.ndarray", "*", lower_class});
  for (std::string_view name :
       {"builtins.repr", "builtins.type", "builtins.getattr", "builtins.hasattr", "builtins.set", "builtins.frozenset",
        "builtins.dict", "builtins.bytes", "builtins.bytearray", "typed.List"})
    table.push_back({name, "*", lower_class});
}

}  // namespace tessera::kernel
