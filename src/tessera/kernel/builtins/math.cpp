// The math module: ops of the table, of integers as float64.
#include <numbers>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/lower/operator.h"

namespace tessera::kernel {

namespace {

/// Integers become float64, so that no op computes them in a narrow float.
std::vector<Item> floats(Lowering& l, const Call& call) {
  std::vector<Item> items = call.args;
  for (Item& item : items) {
    const bool narrow = item.type.is_scalar() && (is_integer(item.type->dtype) || is_boolean(item.type->dtype));
    if (narrow) item = l.scalar(l.cast(item, DType::float64));
    if (item.type.is_scalar() && is_complex(item.type->dtype))
      l.fail(call.node, "the functions of math take real numbers", "the function of numpy");
  }
  return items;
}

Item lower_function(Lowering& l, const Builtin& self, const Call& call) {
  return apply_op(l, call.node, self.op, floats(l, call));
}

// floor, ceil, trunc: an integer.
Item lower_rounding(Lowering& l, const Builtin& self, const Call& call) {
  const Item rounded = apply_op(l, call.node, self.op, floats(l, call));
  return l.scalar(l.cast(rounded, DType::int64));
}

Item lower_log(Lowering& l, const Builtin&, const Call& call) {
  if (call.args[1].type->kind == TypeKind::none)
    return apply_op(l, call.node, "log", floats(l, {call.node, {call.args[0]}}));
  const std::vector<Item> items = floats(l, call);
  return binary(l, call.node, "/", apply_op(l, call.node, "log", {items[0]}),
                apply_op(l, call.node, "log", {items[1]}));
}

Item scaled(Lowering& l, const Call& call, double by) {
  const Item x = floats(l, call)[0];
  if (!x.type.is_scalar()) l.fail(call.node, format("an angle of {}", describe(x.type)));
  return binary(l, call.node, "*", x, l.scalar(l.b.constant(x.type->dtype, by)));
}

Item lower_degrees(Lowering& l, const Builtin&, const Call& call) { return scaled(l, call, 180 / std::numbers::pi); }

Item lower_radians(Lowering& l, const Builtin&, const Call& call) { return scaled(l, call, std::numbers::pi / 180); }

// Of integers.
Item lower_integers(Lowering& l, const Builtin& self, const Call& call) {
  for (const Item& item : call.args) {
    if (!item.type.is_scalar() || !is_integer(item.type->dtype))
      l.fail(call.node, format("{} takes integers, not {}", self.name, describe(item.type)));
  }
  return apply_op(l, call.node, self.op, call.args);
}

Item lower_ldexp(Lowering& l, const Builtin& self, const Call& call) {
  const Item& exponent = call.args[1];
  if (!exponent.type.is_scalar() || !is_integer(exponent.type->dtype))
    l.fail(call.node, format("an exponent of {}", describe(exponent.type)), "an integer, such as int(n)");
  return apply_op(l, call.node, self.op, {floats(l, {call.node, {call.args[0]}})[0], exponent});
}

// IEEE's remainder: x - y * n, n the nearest integer to x / y, computed from C's remainder, which is exact.
Item lower_remainder(Lowering& l, const Builtin&, const Call& call) {
  const std::vector<Item> items = floats(l, call);
  ir::Builder& b = l.b;
  const DType in = promote(items[0].type->dtype, items[1].type->dtype);
  const ir::Value x = l.cast(items[0], in), y = b.abs(l.cast(items[1], in)), two = b.constant(in, 2);
  const ir::Value infinite = b.unary(ir::Opcode::is_inf, y);
  const ir::Value r = b.binary(ir::Opcode::rem, b.abs(x), b.select(infinite, y, b.mul(two, y)));
  // Of the remainder by 2|y|, which tells odd from even, take |y| away once or twice.
  const ir::Value half = b.div(y, two);
  const ir::Value once = b.sub(r, y);
  const ir::Value more = b.gt(r, half);
  const ir::Value twice = b.ge(once, half);
  const ir::Value near = b.select(more, b.select(twice, b.sub(once, y), once), r);
  const ir::Value magnitude = b.select(infinite, r, near);
  const ir::Value sign = b.binary(ir::Opcode::copysign, b.one_like(x), x);
  return l.scalar(b.mul(magnitude, sign));
}

Item lower_isclose(Lowering& l, const Builtin&, const Call& call) {
  const std::vector<Item> items = floats(l, {call.node, {call.args[0], call.args[1]}});
  const auto tolerance = [&](size_t k, double left_out) {
    return call.given[k] ? l.cast(call.args[k], DType::float64) : l.b.constant(DType::float64, left_out);
  };
  ir::Builder& b = l.b;
  const ir::Value x = l.cast(items[0], DType::float64), y = l.cast(items[1], DType::float64);
  const ir::Value distance = b.abs(b.sub(x, y));
  const ir::Value relative = b.mul(tolerance(2, 1e-9), b.max(b.abs(x), b.abs(y)));
  const ir::Value near = b.le(distance, b.max(relative, tolerance(3, 0)));
  return l.scalar(b.bit_or(b.eq(x, y), b.bit_and(near, b.unary(ir::Opcode::is_finite, distance))));
}

}  // namespace

void add_math_builtins(std::vector<Builtin>& table) {
  constexpr std::pair<std::string_view, std::string_view> one[] = {
      {"math.sqrt", "sqrt"},      {"math.cbrt", "cbrt"},     {"math.exp", "exp"},       {"math.exp2", "exp2"},
      {"math.expm1", "expm1"},    {"math.log2", "log2"},     {"math.log10", "log10"},   {"math.log1p", "log1p"},
      {"math.sin", "sin"},        {"math.cos", "cos"},       {"math.tan", "tan"},       {"math.asin", "arcsin"},
      {"math.acos", "arccos"},    {"math.atan", "arctan"},   {"math.sinh", "sinh"},     {"math.cosh", "cosh"},
      {"math.tanh", "tanh"},      {"math.asinh", "arcsinh"}, {"math.acosh", "arccosh"}, {"math.atanh", "arctanh"},
      {"math.fabs", "absolute"},  {"math.erf", "erf"},       {"math.erfc", "erfc"},     {"math.gamma", "gamma"},
      {"math.lgamma", "gammaln"}, {"math.isnan", "isnan"},   {"math.isinf", "isinf"},   {"math.isfinite", "isfinite"},
      {"math.frexp", "frexp"},    {"math.modf", "modf"},
  };
  constexpr std::pair<std::string_view, std::string_view> two[] = {
      {"math.atan2", "arctan2"}, {"math.hypot", "hypot"},       {"math.pow", "power"},
      {"math.fmod", "fmod"},     {"math.copysign", "copysign"}, {"math.nextafter", "nextafter"},
  };
  for (const auto& [name, op] : one) table.push_back({name, "x", lower_function, op});
  for (const auto& [name, op] : two) table.push_back({name, "x y", lower_function, op});
  table.push_back({"math.floor", "x", lower_rounding, "floor"});
  table.push_back({"math.ceil", "x", lower_rounding, "ceil"});
  table.push_back({"math.trunc", "x", lower_rounding, "trunc"});
  table.push_back({"math.log", "x base=", lower_log});
  table.push_back({"math.degrees", "x", lower_degrees});
  table.push_back({"math.radians", "x", lower_radians});
  table.push_back({"math.gcd", "x y", lower_integers, "gcd"});
  table.push_back({"math.lcm", "x y", lower_integers, "lcm"});
  table.push_back({"math.ldexp", "x i", lower_ldexp, "ldexp"});
  table.push_back({"math.remainder", "x y", lower_remainder});
  table.push_back({"math.isclose", "a b rel_tol= abs_tol=", lower_isclose});
}

}  // namespace tessera::kernel
