// The cmath module: the ops of the table on complex numbers.
#include "tessera/kernel/builtins/builtins.h"

#include "tessera/kernel/lower/operator.h"

namespace tessera::kernel {

namespace {

Item to_complex(Lowering& l, const Call& call, size_t k) {
  const Item& x = call.args[k];
  if (!x.type.is_scalar()) l.fail(call.node, format("a complex function of {}", describe(x.type)));
  return l.scalar(l.cast(x, complex_dtype(x.type->dtype)));
}

Item lower_complex_function(Lowering& l, const Builtin& self, const Call& call) {
  return apply_op(l, call.node, self.op, {to_complex(l, call, 0)});
}

/// Zero where the condition holds.
Item zero_where(Lowering& l, ir::Value condition, const Item& z) {
  const ir::Value zero = l.b.constant(real_dtype(z.type->dtype), 0);
  return l.scalar(l.b.select(condition, l.b.make_complex(zero, zero), z.values[0]));
}

Item lower_complex_log(Lowering& l, const Builtin&, const Call& call) {
  const Item log = apply_op(l, call.node, "log", {to_complex(l, call, 0)});
  if (!call.given[1]) return log;
  return binary(l, call.node, "/", log, apply_op(l, call.node, "log", {to_complex(l, call, 1)}));
}

Item lower_phase(Lowering& l, const Builtin& self, const Call& call) {
  if (call.args[0].type.is_array_like() && l.options.is_function)
    return l.host_calls.call_object(call.node, l.environment.host_method("numpy.angle"), self.name, {call.args[0]}, {});
  const ir::Value z = to_complex(l, call, 0).values[0];
  return apply_op(l, call.node, "arctan2", {l.scalar(l.b.imag(z)), l.scalar(l.b.real(z))});
}

Item lower_polar(Lowering& l, const Builtin& self, const Call& call) {
  const ir::Value z = to_complex(l, call, 0).values[0];
  return tuple_of({l.scalar(l.b.abs(z)), lower_phase(l, self, call)});
}

Item lower_rect(Lowering& l, const Builtin&, const Call& call) {
  std::vector<Item> given = call.args;
  for (Item& item : given) {
    if (!item.type.is_scalar() || is_complex(item.type->dtype))
      l.fail(call.node, format("a length or an angle of {}", describe(item.type)), "real numbers");
    if (!is_floating(item.type->dtype)) item = l.scalar(l.cast(item, DType::float64));
  }
  const Item length = given[0], angle = given[1];
  const Item real = binary(l, call.node, "*", given[0], apply_op(l, call.node, "cos", {given[1]}));
  Item imag = binary(l, call.node, "*", given[0], apply_op(l, call.node, "sin", {given[1]}));
  // An infinite length along the axis of real numbers has no imaginary part.
  const DType in = imag.type->dtype;
  const ir::Value side = l.b.binary(ir::Opcode::copysign, l.b.constant(in, 1), l.cast(length, in));
  const ir::Value is_real = l.b.eq(l.cast(angle, in), l.b.constant(in, 0));
  imag.values[0] = l.b.select(is_real, l.b.mul(side, l.cast(angle, in)), imag.values[0]);
  const ir::Value is_zero = l.b.eq(l.cast(length, DType::float64), l.b.constant(DType::float64, 0));
  const ir::Value is_nowhere = l.b.bit_not(l.b.unary(ir::Opcode::is_finite, l.cast(angle, DType::float64)));
  return zero_where(l, l.b.bit_and(is_zero, is_nowhere), l.scalar(l.b.make_complex(real.values[0], imag.values[0])));
}

/// As Python's, which defines that of -inf with an imaginary part of infinity or NaN.
Item lower_complex_exp(Lowering& l, const Builtin& self, const Call& call) {
  const ir::Value z = to_complex(l, call, 0).values[0];
  const ir::Value real = l.b.real(z);
  const ir::Value is_least =
      l.b.bit_and(l.b.unary(ir::Opcode::is_inf, real), l.b.lt(real, l.b.constant(l.b.type(real), 0)));
  const ir::Value is_nowhere = l.b.bit_not(l.b.unary(ir::Opcode::is_finite, l.b.imag(z)));
  return zero_where(l, l.b.bit_and(is_least, is_nowhere), lower_complex_function(l, self, call));
}

Item lower_conjugate(Lowering& l, const Builtin&, const Call& call) {
  return apply_op(l, call.node, "conjugate", {call.args[0]});
}

}  // namespace

void add_complex_builtins(std::vector<Builtin>& table) {
  constexpr std::pair<std::string_view, std::string_view> functions[] = {
      {"cmath.sqrt", "sqrt"},     {"cmath.log10", "log10"},   {"cmath.sin", "sin"},     {"cmath.cos", "cos"},
      {"cmath.tan", "tan"},       {"cmath.sinh", "sinh"},     {"cmath.cosh", "cosh"},   {"cmath.tanh", "tanh"},
      {"cmath.asin", "arcsin"},   {"cmath.acos", "arccos"},   {"cmath.atan", "arctan"}, {"cmath.asinh", "arcsinh"},
      {"cmath.acosh", "arccosh"}, {"cmath.atanh", "arctanh"}, {"cmath.isnan", "isnan"}, {"cmath.isfinite", "isfinite"},
      {"cmath.isinf", "isinf"},
  };
  for (const auto& [name, op] : functions) table.push_back({name, "z", lower_complex_function, op});
  table.push_back({"cmath.exp", "z", lower_complex_exp, "exp"});
  table.push_back({"cmath.log", "z base=", lower_complex_log});
  table.push_back({"cmath.phase", "z", lower_phase});
  table.push_back({"numpy.angle", "z", lower_phase});
  table.push_back({"cmath.polar", "z", lower_polar});
  table.push_back({"cmath.rect", "r phi", lower_rect});
  table.push_back({"number.conjugate", "self", lower_conjugate});
}

}  // namespace tessera::kernel
