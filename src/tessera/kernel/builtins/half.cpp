// cuda.fp16 and cuda.bf16: functions of float16 and bfloat16 numbers, computed in float32 and rounded to them.
#include <array>
#include <deque>
#include <string>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/operator.h"

namespace tessera::kernel {

namespace {

using ir::Opcode;

using ir::Value;

DType narrow_dtype(const Builtin& self) {
  return self.name.starts_with("cuda.bf16.") ? DType::bfloat16 : DType::float16;
}

/// The arguments as numbers of the narrow type.
std::vector<Item> halves(Lowering& l, const Builtin& self, const Call& call) {
  const DType narrow = narrow_dtype(self);
  std::vector<Item> items;
  for (const Item& item : call.args) {
    if (!item.type.is_scalar() || is_complex(item.type->dtype))
      l.fail(call.node, format("{} takes {} numbers, not {}", self.name, narrow, describe(item.type)));
    items.push_back(l.scalar(l.cast(item, narrow)));
  }
  return items;
}

Value wide(Lowering& l, const Builtin& self, const Call& call, size_t k) {
  return l.cast(halves(l, self, call)[k], DType::float32);
}

Item lower_half(Lowering& l, const Builtin& self, const Call& call) {
  return apply_op(l, call.node, self.op, halves(l, self, call));
}

Item lower_fused(Lowering& l, const Builtin& self, const Call& call) {
  const std::vector<Item> x = halves(l, self, call);
  return l.scalar(l.b.fma(x[0].values[0], x[1].values[0], x[2].values[0]));
}

Item lower_inverse_root(Lowering& l, const Builtin& self, const Call& call) {
  const Value x = wide(l, self, call, 0);
  return l.scalar(l.b.cast(l.b.div(l.b.one_like(x), l.b.sqrt(x)), narrow_dtype(self)));
}

Item lower_power_of_ten(Lowering& l, const Builtin& self, const Call& call) {
  const Value x = wide(l, self, call, 0);
  return l.scalar(l.b.cast(l.b.binary(Opcode::pow, l.b.constant(DType::float32, 10), x), narrow_dtype(self)));
}

/// Between 0 and 1; NaN gives 0.
Item saturated(Lowering& l, const Item& item) {
  const Value x = l.cast(item, DType::float32);
  const Value above = l.b.binary(Opcode::max_num, x, l.b.zero_like(x));
  return l.scalar(l.b.cast(l.b.binary(Opcode::min_num, above, l.b.one_like(x)), item.type->dtype));
}

Item lower_saturated(Lowering& l, const Builtin& self, const Call& call) {
  return saturated(l, lower_half(l, self, call));
}

Item lower_fused_saturated(Lowering& l, const Builtin& self, const Call& call) {
  return saturated(l, lower_fused(l, self, call));
}

/// 0 for what is below it.
Item lower_fused_rectified(Lowering& l, const Builtin& self, const Call& call) {
  const Item sum = lower_fused(l, self, call);
  const Value x = l.cast(sum, DType::float32), zero = l.b.zero_like(x);
  return l.scalar(l.b.cast(l.b.select(l.b.lt(x, zero), zero, x), sum.type->dtype));
}

Item lower_is_infinite(Lowering& l, const Builtin& self, const Call& call) {
  return l.scalar(l.b.cast(l.b.unary(Opcode::is_inf, wide(l, self, call, 0)), DType::int32));
}

enum class Rounding : uint8_t { nearest, zero, down, up };

template <DType to, Rounding rounding>
Item lower_to_integer(Lowering& l, const Builtin& self, const Call& call) {
  constexpr Opcode roundings[] = {Opcode::rint, Opcode::trunc, Opcode::floor, Opcode::ceil};
  const Value x = wide(l, self, call, 0);
  return l.scalar(l.b.cast(l.b.unary(roundings[static_cast<int>(rounding)], x), to));
}

/// Whether x, an integer, is less than a float64 that is a whole number, which may be 2^63 or 2^64.
Value is_less(Lowering& l, Value x, Value whole) {
  ir::Builder& b = l.b;
  const Value near = b.cast(x, DType::float64);
  const Value limit = b.constant(DType::float64, ir::cast_range(b.type(x)).limit);
  const Value in_range = b.bit_and(b.lt(whole, limit), b.lt(x, b.cast(whole, b.type(x))));
  return b.bit_or(b.lt(near, whole), b.bit_and(b.eq(near, whole), b.bit_or(b.ge(whole, limit), in_range)));
}

Value is_greater(Lowering& l, Value x, Value whole) {
  ir::Builder& b = l.b;
  const Value near = b.cast(x, DType::float64);
  const Value limit = b.constant(DType::float64, ir::cast_range(b.type(x)).limit);
  const Value in_range = b.bit_and(b.lt(whole, limit), b.gt(x, b.cast(whole, b.type(x))));
  return b.bit_or(b.gt(near, whole), b.bit_and(b.eq(near, whole), in_range));
}

/// The nearest bfloat16, and from there one step where it is on the wrong side: bits count up with the magnitude.
template <DType from, Rounding rounding>
Item lower_from(Lowering& l, const Builtin& self, const Call& call) {
  ir::Builder& b = l.b;
  const Item& given = call.args[0];
  if (!given.type.is_scalar() || is_complex(given.type->dtype))
    l.fail(call.node, format("{} takes a number, not {}", self.name, describe(given.type)));
  const Value x = l.cast(given, from);
  const Value nearest = b.cast(x, DType::bfloat16);
  if constexpr (rounding == Rounding::nearest) return l.scalar(nearest);
  const Value exact = b.cast(nearest, is_integer(from) ? DType::float64 : from);
  const Value below = is_integer(from) ? is_greater(l, x, exact) : b.gt(x, exact);  // the nearest is below x
  const Value above = is_integer(from) ? is_less(l, x, exact) : b.lt(x, exact);
  const Value is_negative = b.unary(Opcode::sign_bit, b.cast(nearest, DType::float32));
  const Value is_positive = b.unary(Opcode::bit_not, is_negative);
  const Value none = b.constant(Scalar::of_bool(false));
  // Towards zero is down for positive numbers and up for negative ones.
  const Value wants_less = rounding == Rounding::up ? none : above,
              wants_more = rounding == Rounding::down ? none : below;
  const Value less = rounding == Rounding::zero ? b.bit_and(wants_less, is_positive) : wants_less;
  const Value more = rounding == Rounding::zero ? b.bit_and(wants_more, is_negative) : wants_more;
  const Value grows = b.bit_or(b.bit_and(less, is_negative), b.bit_and(more, is_positive));
  const Value shrinks = b.bit_or(b.bit_and(less, is_positive), b.bit_and(more, is_negative));
  const Value bits = b.bitcast(nearest, DType::uint16);
  const Value step = b.sub(b.cast(grows, DType::uint16), b.cast(shrinks, DType::uint16));
  return l.scalar(b.bitcast(b.add(bits, step), DType::bfloat16));
}

template <DType from, DType to>
Item lower_bits(Lowering& l, const Builtin&, const Call& call) {
  return l.scalar(l.b.bitcast(l.cast(call.args[0], from), to));
}

Item lower_to_single(Lowering& l, const Builtin& self, const Call& call) { return l.scalar(wide(l, self, call, 0)); }

class HalfTable {
 public:
  explicit HalfTable(std::vector<Builtin>& table) : table_(table) {}
  void add(const std::string& name, std::string_view parameters, decltype(Builtin::lower) lower,
           std::string_view op = "") {
    static std::deque<std::string> names;  // which the descriptors refer to
    table_.push_back({names.emplace_back(name), parameters, lower, op});
  }

  template <DType type>
  void add_conversions() {
    constexpr auto b16 = DType::bfloat16;
    const std::string name(tessera::name(type)), to = "cuda.bf16.bfloat16_to_" + name;
    add(to + "_rz", "x", lower_to_integer<type, Rounding::zero>);
    if constexpr (type == DType::int8 || type == DType::uint8) return;
    add(to + "_rn", "x", lower_to_integer<type, Rounding::nearest>);
    add(to + "_rd", "x", lower_to_integer<type, Rounding::down>);
    add(to + "_ru", "x", lower_to_integer<type, Rounding::up>);
    add_from<type>();
    if constexpr (type == DType::int16 || type == DType::uint16) {
      add("cuda.bf16.bfloat16_as_" + name, "x", lower_bits<b16, type>);
      add("cuda.bf16." + name + "_as_bfloat16", "x", lower_bits<type, b16>);
    }
  }
  template <DType type>
  void add_from() {
    const std::string from = "cuda.bf16." + std::string(tessera::name(type)) + "_to_bfloat16";
    add(from + "_rn", "x", lower_from<type, Rounding::nearest>);
    add(from + "_rz", "x", lower_from<type, Rounding::zero>);
    add(from + "_rd", "x", lower_from<type, Rounding::down>);
    add(from + "_ru", "x", lower_from<type, Rounding::up>);
  }

 private:
  std::vector<Builtin>& table_;
};

using Name = std::pair<std::string_view, std::string_view>;  // and the op

constexpr std::array<Name, 15> of_one{{{"hneg", "negative"},
                                       {"habs", "absolute"},
                                       {"hsin", "sin"},
                                       {"hcos", "cos"},
                                       {"hlog", "log"},
                                       {"hlog2", "log2"},
                                       {"hlog10", "log10"},
                                       {"hexp", "exp"},
                                       {"hexp2", "exp2"},
                                       {"hsqrt", "sqrt"},
                                       {"hrcp", "reciprocal"},
                                       {"hfloor", "floor"},
                                       {"hceil", "ceil"},
                                       {"hrint", "rint"},
                                       {"htrunc", "trunc"}}};

constexpr std::array<Name, 12> of_two{{{"hadd", "add"},
                                       {"hsub", "subtract"},
                                       {"hmul", "multiply"},
                                       {"hdiv", "divide"},
                                       {"hmax", "fmax"},
                                       {"hmin", "fmin"},
                                       {"heq", "equal"},
                                       {"hne", "not_equal"},
                                       {"hgt", "greater"},
                                       {"hge", "greater_equal"},
                                       {"hlt", "less"},
                                       {"hle", "less_equal"}}};

// Of bfloat16 alone.
constexpr std::array<Name, 5> of_two_more{{{"hadd_rn", "add"},
                                           {"hsub_rn", "subtract"},
                                           {"hmul_rn", "multiply"},
                                           {"hmax_nan", "maximum"},
                                           {"hmin_nan", "minimum"}}};

constexpr std::array<Name, 3> saturating{{{"hadd_sat", "add"}, {"hsub_sat", "subtract"}, {"hmul_sat", "multiply"}}};

}  // namespace

void add_half_builtins(std::vector<Builtin>& table) {
  HalfTable rows(table);
  for (const std::string& place : {std::string("cuda.fp16."), std::string("cuda.bf16.")}) {
    for (const auto& [name, op] : of_one) rows.add(place + std::string(name), "x", lower_half, op);
    for (const auto& [name, op] : of_two) rows.add(place + std::string(name), "x y", lower_half, op);
    rows.add(place + "hfma", "x y z", lower_fused);
    rows.add(place + "hrsqrt", "x", lower_inverse_root);
    rows.add(place + "hexp10", "x", lower_power_of_ten);
  }
  const std::string place = "cuda.bf16.";
  for (const auto& [name, op] : of_two_more) rows.add(place + std::string(name), "x y", lower_half, op);
  for (const auto& [name, op] : saturating) rows.add(place + std::string(name), "x y", lower_saturated, op);
  rows.add(place + "htanh", "x", lower_half, "tanh");
  rows.add(place + "hisnan", "x", lower_half, "isnan");
  rows.add(place + "hisinf", "x", lower_is_infinite);
  rows.add(place + "hfma_sat", "x y z", lower_fused_saturated);
  rows.add(place + "hfma_relu", "x y z", lower_fused_rectified);
  rows.add_conversions<DType::int8>();
  rows.add_conversions<DType::uint8>();
  rows.add_conversions<DType::int16>();
  rows.add_conversions<DType::uint16>();
  rows.add_conversions<DType::int32>();
  rows.add_conversions<DType::uint32>();
  rows.add_conversions<DType::int64>();
  rows.add_conversions<DType::uint64>();
  rows.add_from<DType::float32>();
  rows.add(place + "bfloat16_to_float32", "x", lower_to_single);
  rows.add(place + "float32_to_bfloat16", "x", lower_from<DType::float32, Rounding::nearest>);
  rows.add(place + "float64_to_bfloat16", "x", lower_from<DType::float64, Rounding::nearest>);
}

}  // namespace tessera::kernel
