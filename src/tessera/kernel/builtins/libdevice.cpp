// cuda.libdevice: the names of CUDA's math library for the functions that kernels have.
#include <deque>
#include <numbers>
#include <string>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/operator.h"

namespace tessera::kernel {

namespace {

using ir::Opcode;

using ir::Value;

/// The arguments as numbers of this type.
std::vector<Item> as(Lowering& l, const Builtin& self, const Call& call, DType dtype) {
  std::vector<Item> items;
  for (const Item& item : call.args) {
    if (!item.type.is_scalar() || is_complex(item.type->dtype))
      l.fail(call.node, format("{} takes real numbers, not {}", self.name, describe(item.type)));
    items.push_back(l.scalar(l.cast(item, dtype)));
  }
  return items;
}

template <DType in>
Item lower_op_of(Lowering& l, const Builtin& self, const Call& call) {
  return apply_op(l, call.node, self.op, as(l, self, call, in));
}

template <DType in>
Item lower_builtin(Lowering& l, const Builtin& self, const Call& call) {
  const Builtin& known = *find_builtin(self.op);
  return known.lower(l, known, {call.node, as(l, self, call, in), std::vector<bool>(call.args.size(), true)});
}

template <DType in, Value (*compute)(ir::Builder&, std::span<const Value>)>
Item lower_computed(Lowering& l, const Builtin& self, const Call& call) {
  std::vector<Value> values;
  for (const Item& item : as(l, self, call, in)) values.push_back(item.values[0]);
  return l.scalar(compute(l.b, values));
}

using Values = std::span<const Value>;

Value inverse_root(ir::Builder& b, Values x) { return b.div(b.one_like(x[0]), b.sqrt(x[0])); }

Value inverse_cube_root(ir::Builder& b, Values x) { return b.div(b.one_like(x[0]), b.unary(Opcode::cbrt, x[0])); }

Value fused(ir::Builder& b, Values x) { return b.fma(x[0], x[1], x[2]); }

Value difference(ir::Builder& b, Values x) { return b.select(b.le(x[0], x[1]), b.zero_like(x[0]), b.sub(x[0], x[1])); }

Value saturated(ir::Builder& b, Values x) {
  return b.binary(Opcode::min_num, b.binary(Opcode::max_num, x[0], b.zero_like(x[0])), b.one_like(x[0]));
}

// Halves away from zero.
Value rounded(ir::Builder& b, Values x) {
  const Value whole = b.unary(Opcode::trunc, x[0]);
  const Value up = b.ge(b.abs(b.sub(x[0], whole)), b.constant(b.type(x[0]), 0.5));
  const Value more = b.select(up, b.add(b.abs(whole), b.one_like(whole)), b.abs(whole));
  return b.binary(Opcode::copysign, more, x[0]);
}

Value rounded_integer(ir::Builder& b, Values x) { return b.cast(rounded(b, x), DType::int64); }

Value nearest_integer(ir::Builder& b, Values x) { return b.cast(b.unary(Opcode::rint, x[0]), DType::int64); }

Value minimum(ir::Builder& b, Values x) { return b.min(x[0], x[1]); }

Value maximum(ir::Builder& b, Values x) { return b.max(x[0], x[1]); }

Value magnitude(ir::Builder& b, Values x) { return b.abs(x[0]); }

Value upper_half(ir::Builder& b, Values x) { return b.binary(Opcode::mul_high, x[0], x[1]); }

Value same(ir::Builder&, Values x) { return x[0]; }

template <DType to>
Value bits_of(ir::Builder& b, Values x) {
  return b.bitcast(x[0], to);
}

template <Opcode op>
Value test_of(ir::Builder& b, Values x) {
  return b.cast(b.unary(op, x[0]), DType::int32);
}

/// Of a double, by the rounding op; beyond the integer's range its limits, and 0 of NaN.
template <Opcode rounding, DType to>
Value integer_of(ir::Builder& b, Values x) {
  const bool is_signed = to == DType::int32;
  const Value low = b.constant(DType::float64, is_signed ? -0x1p31 : 0);
  const Value high = b.constant(DType::float64, is_signed ? 0x1p31 - 1 : 0x1p32 - 1);
  const Value within = b.max(low, b.min(high, b.unary(rounding, x[0])));
  const Value nothing = b.unary(Opcode::is_nan, x[0]);
  return b.cast(b.cast(b.select(nothing, b.zero_like(x[0]), within), DType::int64), to);
}

struct SineCosine {
  Value sine, cosine;
};

/// Of pi * x: x is reduced exactly to the nearest half.
SineCosine of_turns(ir::Builder& b, Value x) {
  const DType t = b.type(x);
  const Value two = b.constant(t, 2), four = b.constant(t, 4);
  const Value halves = b.unary(Opcode::rint, b.mul(two, x));
  const Value angle = b.mul(b.constant(t, std::numbers::pi), b.sub(x, b.div(halves, two)));
  const Value quarter = b.sub(halves, b.mul(four, b.unary(Opcode::floor, b.div(halves, four))));
  const Value sine = b.unary(Opcode::sin, angle), cosine = b.unary(Opcode::cos, angle);
  const Value odd = b.bit_or(b.eq(quarter, b.one_like(x)), b.eq(quarter, b.constant(t, 3)));
  const Value of_sine = b.select(odd, cosine, sine), of_cosine = b.select(odd, sine, cosine);
  const Value cosine_falls = b.bit_or(b.eq(quarter, b.one_like(x)), b.eq(quarter, two));
  return {b.select(b.ge(quarter, two), b.neg(of_sine), of_sine), b.select(cosine_falls, b.neg(of_cosine), of_cosine)};
}

Value sine_of_turns(ir::Builder& b, Values x) { return of_turns(b, x[0]).sine; }

Value cosine_of_turns(ir::Builder& b, Values x) { return of_turns(b, x[0]).cosine; }

template <DType in>
Item lower_both_of_turns(Lowering& l, const Builtin& self, const Call& call) {
  const SineCosine both = of_turns(l.b, as(l, self, call, in)[0].values[0]);
  return tuple_of({l.scalar(both.sine), l.scalar(both.cosine)});
}

template <DType in>
Item lower_both(Lowering& l, const Builtin& self, const Call& call) {
  const std::vector<Item> x = as(l, self, call, in);
  return tuple_of({apply_op(l, call.node, "sin", x), apply_op(l, call.node, "cos", x)});
}

template <DType in>
Item lower_scaled(Lowering& l, const Builtin& self, const Call& call) {
  const Item exponent = l.scalar(l.cast(call.args[1], DType::int32));
  return apply_op(l, call.node, "ldexp", {as(l, self, call, in)[0], exponent});
}

class Table {
 public:
  explicit Table(std::vector<Builtin>& to) : to_(to) {}
  using Lower = Item (*)(Lowering&, const Builtin&, const Call&);

  void add(const std::string& name, size_t arguments, Lower lower, std::string_view op = "") {
    static std::deque<std::string> names;
    names.push_back("cuda.libdevice." + name);
    constexpr std::string_view parameters[] = {"", "x", "x y", "x y z"};
    to_.push_back({names.back(), parameters[arguments], lower, op});
  }
  /// Under `name` of doubles, under the name with an f of floats.
  void add_both(const std::string& name, size_t arguments, Lower of_double, Lower of_float, std::string_view op = "") {
    add(name, arguments, of_double, op);
    add(name + "f", arguments, of_float, op);
  }
  void add_op(const std::string& name, size_t arguments, std::string_view op) {
    add_both(name, arguments, lower_op_of<DType::float64>, lower_op_of<DType::float32>, op);
  }
  template <Value (*compute)(ir::Builder&, Values)>
  void add_computed(const std::string& name, size_t arguments) {
    add_both(name, arguments, lower_computed<DType::float64, compute>, lower_computed<DType::float32, compute>);
  }

 private:
  std::vector<Builtin>& to_;
};

void add_ops(Table& table) {
  constexpr std::pair<const char*, std::string_view> one[] = {
      {"acos", "arccos"},    {"acosh", "arccosh"},   {"asin", "arcsin"},
      {"asinh", "arcsinh"},  {"atan", "arctan"},     {"atanh", "arctanh"},
      {"cbrt", "cbrt"},      {"ceil", "ceil"},       {"cos", "cos"},
      {"cosh", "cosh"},      {"erf", "erf"},         {"erfc", "erfc"},
      {"erfinv", "erfinv"},  {"erfcinv", "erfcinv"}, {"erfcx", "erfcx"},
      {"exp", "exp"},        {"exp10", "exp10"},     {"exp2", "exp2"},
      {"expm1", "expm1"},    {"fabs", "absolute"},   {"floor", "floor"},
      {"j0", "j0"},          {"j1", "j1"},           {"y0", "y0"},
      {"y1", "y1"},          {"lgamma", "gammaln"},  {"log", "log"},
      {"log10", "log10"},    {"log1p", "log1p"},     {"log2", "log2"},
      {"nearbyint", "rint"}, {"normcdf", "ndtr"},    {"normcdfinv", "ndtri"},
      {"rint", "rint"},      {"sin", "sin"},         {"sinh", "sinh"},
      {"sqrt", "sqrt"},      {"tan", "tan"},         {"tanh", "tanh"},
      {"tgamma", "gamma"},   {"trunc", "trunc"},     {"modf", "modf"},
      {"frexp", "frexp"},
  };
  constexpr std::pair<const char*, std::string_view> two[] = {
      {"atan2", "arctan2"}, {"copysign", "copysign"},   {"fmax", "fmax"}, {"fmin", "fmin"},  {"fmod", "fmod"},
      {"hypot", "hypot"},   {"nextafter", "nextafter"}, {"pow", "power"}, {"powi", "power"},
  };
  constexpr std::pair<const char*, std::string_view> fast[] = {
      {"fast_cosf", "cos"},   {"fast_exp10f", "exp10"},  {"fast_expf", "exp"}, {"fast_log10f", "log10"},
      {"fast_log2f", "log2"}, {"fast_logf", "log"},      {"fast_sinf", "sin"}, {"fast_tanf", "tan"},
      {"fsqrt_rn", "sqrt"},   {"frcp_rn", "reciprocal"},
  };
  for (const auto& [name, op] : one) table.add_op(name, 1, op);
  for (const auto& [name, op] : two) table.add_op(name, 2, op);
  for (const auto& [name, op] : fast) table.add(name, 1, lower_op_of<DType::float32>, op);
  table.add("fast_fdividef", 2, lower_op_of<DType::float32>, "divide");
  table.add("fast_powf", 2, lower_op_of<DType::float32>, "power");
  table.add("fdiv_rn", 2, lower_op_of<DType::float32>, "divide");
  table.add("ddiv_rn", 2, lower_op_of<DType::float64>, "divide");
  table.add("drcp_rn", 1, lower_op_of<DType::float64>, "reciprocal");
  table.add("dsqrt_rn", 1, lower_op_of<DType::float64>, "sqrt");
}

void add_floating(Table& table) {
  constexpr DType f8 = DType::float64, f4 = DType::float32;
  table.add_computed<inverse_root>("rsqrt", 1);
  table.add_computed<inverse_cube_root>("rcbrt", 1);
  table.add_computed<fused>("fma", 3);
  table.add_computed<difference>("fdim", 2);
  table.add_computed<rounded>("round", 1);
  table.add_computed<rounded_integer>("llround", 1);
  table.add_computed<nearest_integer>("llrint", 1);
  table.add_computed<sine_of_turns>("sinpi", 1);
  table.add_computed<cosine_of_turns>("cospi", 1);
  table.add("fma_rn", 3, lower_computed<f8, fused>);
  table.add("fmaf_rn", 3, lower_computed<f4, fused>);
  table.add("frsqrt_rn", 1, lower_computed<f4, inverse_root>);
  table.add("saturatef", 1, lower_computed<f4, saturated>);
  table.add_both("remainder", 2, lower_builtin<f8>, lower_builtin<f4>, "math.remainder");
  table.add_both("sincospi", 1, lower_both_of_turns<f8>, lower_both_of_turns<f4>);
  table.add_both("sincos", 1, lower_both<f8>, lower_both<f4>);
  table.add("fast_sincosf", 1, lower_both<f4>);
  table.add_both("ldexp", 2, lower_scaled<f8>, lower_scaled<f4>);
  table.add_both("scalbn", 2, lower_scaled<f8>, lower_scaled<f4>);
  table.add("isnand", 1, lower_computed<f8, test_of<Opcode::is_nan>>);
  table.add("isnanf", 1, lower_computed<f4, test_of<Opcode::is_nan>>);
  table.add("isinfd", 1, lower_computed<f8, test_of<Opcode::is_inf>>);
  table.add("isinff", 1, lower_computed<f4, test_of<Opcode::is_inf>>);
  table.add("isfinited", 1, lower_computed<f8, test_of<Opcode::is_finite>>);
  table.add("finitef", 1, lower_computed<f4, test_of<Opcode::is_finite>>);
  table.add("signbitd", 1, lower_computed<f8, test_of<Opcode::sign_bit>>);
  table.add("signbitf", 1, lower_computed<f4, test_of<Opcode::sign_bit>>);
}

template <DType t>
void add_integer_type(Table& table, const std::string& prefix) {
  table.add(prefix + "min", 2, lower_computed<t, minimum>);
  table.add(prefix + "max", 2, lower_computed<t, maximum>);
}

template <Opcode rounding>
void add_rounding(Table& table, const std::string& suffix) {
  // A float is a double, too.
  for (const std::string from : {"double", "float"}) {
    table.add(from + "2int_" + suffix, 1, lower_computed<DType::float64, integer_of<rounding, DType::int32>>);
    table.add(from + "2uint_" + suffix, 1, lower_computed<DType::float64, integer_of<rounding, DType::uint32>>);
  }
}

template <DType in>
void add_from_integer(Table& table, const std::string& from) {
  const auto convert = [](auto to) {
    return [](Lowering& l, const Builtin& self, const Call& call) -> Item {
      return l.scalar(l.cast(as(l, self, call, in)[0], decltype(to)::value));
    };
  };
  table.add(from + "2double_rn", 1, convert(std::integral_constant<DType, DType::float64>()));
  table.add(from + "2float_rn", 1, convert(std::integral_constant<DType, DType::float32>()));
}

void add_integers(Table& table) {
  constexpr DType i4 = DType::int32, i8 = DType::int64, u4 = DType::uint32, u8 = DType::uint64;
  for (const auto& [name, builtin] : {std::pair{"brev", "cuda.brev"}, std::pair{"clz", "cuda.clz"},
                                      std::pair{"ffs", "cuda.ffs"}, std::pair{"popc", "cuda.popc"}}) {
    table.add(name, 1, lower_builtin<i4>, builtin);
    table.add(std::string(name) + "ll", 1, lower_builtin<i8>, builtin);
  }
  add_integer_type<i4>(table, "");
  add_integer_type<u4>(table, "u");
  add_integer_type<i8>(table, "ll");
  add_integer_type<u8>(table, "ull");
  table.add("abs", 1, lower_computed<i4, magnitude>);
  table.add("llabs", 1, lower_computed<i8, magnitude>);
  table.add("mulhi", 2, lower_computed<i4, upper_half>);
  table.add("umulhi", 2, lower_computed<u4, upper_half>);
  table.add("mul64hi", 2, lower_computed<i8, upper_half>);
  table.add("umul64hi", 2, lower_computed<u8, upper_half>);
  table.add("double_as_longlong", 1, lower_computed<DType::float64, bits_of<i8>>);
  table.add("longlong_as_double", 1, lower_computed<i8, bits_of<DType::float64>>);
  table.add("float_as_int", 1, lower_computed<DType::float32, bits_of<i4>>);
  table.add("int_as_float", 1, lower_computed<i4, bits_of<DType::float32>>);
  table.add("double2float_rn", 1, lower_computed<DType::float32, same>);
  add_rounding<Opcode::rint>(table, "rn");
  add_rounding<Opcode::trunc>(table, "rz");
  add_rounding<Opcode::floor>(table, "rd");
  add_rounding<Opcode::ceil>(table, "ru");
  add_from_integer<i4>(table, "int");
  add_from_integer<u4>(table, "uint");
  add_from_integer<i8>(table, "ll");
  add_from_integer<u8>(table, "ull");
}

}  // namespace

void add_libdevice_builtins(std::vector<Builtin>& all) {
  Table table(all);
  add_ops(table);
  add_floating(table);
  add_integers(table);
}

}  // namespace tessera::kernel
