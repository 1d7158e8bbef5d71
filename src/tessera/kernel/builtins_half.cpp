// cuda.fp16: functions of float16 numbers, computed in float32 and rounded once.
#include "tessera/kernel/builtins.h"

namespace tessera::kernel {

namespace {

/// The arguments as float16.
std::vector<Item> halves(Lowering& l, const Builtin& self, const Call& call) {
  std::vector<Item> items;
  for (const Item& item : call.args) {
    if (!item.type.is_scalar() || is_complex(item.type.dtype))
      l.fail(call.node, format("{} takes float16 numbers, not {}", self.name, describe(item.type)));
    items.push_back(l.scalar(l.cast(item, DType::float16)));
  }
  return items;
}

Item lower_half(Lowering& l, const Builtin& self, const Call& call) {
  return l.apply_op(call.node, self.op, halves(l, self, call));
}

Item lower_fused(Lowering& l, const Builtin& self, const Call& call) {
  const std::vector<Item> x = halves(l, self, call);
  return l.scalar(l.b.fma(x[0].values[0], x[1].values[0], x[2].values[0]));
}

Item lower_inverse_root(Lowering& l, const Builtin& self, const Call& call) {
  const ir::Value x = l.cast(halves(l, self, call)[0], DType::float32);
  return l.scalar(l.b.cast(l.b.div(l.b.one_like(x), l.b.sqrt(x)), DType::float16));
}

Item lower_power_of_ten(Lowering& l, const Builtin& self, const Call& call) {
  const ir::Value x = l.cast(halves(l, self, call)[0], DType::float32);
  return l.scalar(l.b.cast(l.b.binary(ir::Opcode::pow, l.b.constant(DType::float32, 10), x), DType::float16));
}

}  // namespace

void add_half_builtins(std::vector<Builtin>& table) {
  constexpr std::pair<std::string_view, std::string_view> one[] = {
      {"cuda.fp16.hneg", "negative"}, {"cuda.fp16.habs", "absolute"},   {"cuda.fp16.hsin", "sin"},
      {"cuda.fp16.hcos", "cos"},      {"cuda.fp16.hlog", "log"},        {"cuda.fp16.hlog2", "log2"},
      {"cuda.fp16.hlog10", "log10"},  {"cuda.fp16.hexp", "exp"},        {"cuda.fp16.hexp2", "exp2"},
      {"cuda.fp16.hsqrt", "sqrt"},    {"cuda.fp16.hrcp", "reciprocal"}, {"cuda.fp16.hfloor", "floor"},
      {"cuda.fp16.hceil", "ceil"},    {"cuda.fp16.hrint", "rint"},      {"cuda.fp16.htrunc", "trunc"},
  };
  constexpr std::pair<std::string_view, std::string_view> two[] = {
      {"cuda.fp16.hadd", "add"},          {"cuda.fp16.hsub", "subtract"}, {"cuda.fp16.hmul", "multiply"},
      {"cuda.fp16.hdiv", "divide"},       {"cuda.fp16.hmax", "fmax"},     {"cuda.fp16.hmin", "fmin"},
      {"cuda.fp16.heq", "equal"},         {"cuda.fp16.hne", "not_equal"}, {"cuda.fp16.hgt", "greater"},
      {"cuda.fp16.hge", "greater_equal"}, {"cuda.fp16.hlt", "less"},      {"cuda.fp16.hle", "less_equal"},
  };
  for (const auto& [name, op] : one) table.push_back({name, "x", lower_half, op});
  for (const auto& [name, op] : two) table.push_back({name, "x y", lower_half, op});
  table.push_back({"cuda.fp16.hfma", "x y z", lower_fused});
  table.push_back({"cuda.fp16.hrsqrt", "x", lower_inverse_root});
  table.push_back({"cuda.fp16.hexp10", "x", lower_power_of_ten});
}

}  // namespace tessera::kernel
