// Functions of cuda that are one instruction.
#include "tessera/kernel/builtins/builtins.h"

#include "tessera/kernel/lower/operator.h"

namespace tessera::kernel {

namespace {

void check_number(Lowering& l, const Builtin& self, const Call& call, const Item& item, bool integer) {
  if (!item.type.is_scalar() || (integer && !is_integer(item.type->dtype)))
    l.fail(call.node,
           format("{} takes {}, not {}", self.name, integer ? "an integer" : "a number", describe(item.type)));
}

Item lower_popc(Lowering& l, const Builtin& self, const Call& call) {
  check_number(l, self, call, call.args[0], true);
  return l.scalar(l.b.cast(l.b.unary(ir::Opcode::popcount, call.args[0].values[0]), DType::int32));
}

// Of the absolute value, as Python's.
Item lower_bit_count(Lowering& l, const Builtin& self, const Call& call) {
  check_number(l, self, call, call.args[0], true);
  return l.scalar(l.b.cast(l.b.unary(ir::Opcode::popcount, l.b.abs(call.args[0].values[0])), DType::int64));
}

/// The integer in 32 or 64 bits.
ir::Value wide_integer(Lowering& l, const Builtin& self, const Call& call, bool is_unsigned) {
  check_number(l, self, call, call.args[0], true);
  const DType t = call.args[0].type->dtype;
  const bool wide = itemsize(t) == 8;
  if (is_unsigned || is_unsigned_integer(t)) return l.cast(call.args[0], wide ? DType::uint64 : DType::uint32);
  return l.cast(call.args[0], wide ? DType::int64 : DType::int32);
}

Item lower_clz(Lowering& l, const Builtin& self, const Call& call) {
  const ir::Value x = wide_integer(l, self, call, false);
  return l.scalar(l.b.cast(l.b.unary(ir::Opcode::leading_zeros, x), DType::int32));
}

/// How many bits an integer has that is not negative.
Item lower_bit_length(Lowering& l, const Builtin&, const Call& call) {
  const ir::Value zeros = l.b.unary(ir::Opcode::leading_zeros, l.cast(call.args[0], DType::int64));
  return l.scalar(l.b.sub(l.number(64), l.b.cast(zeros, DType::int64)));
}

// The lowest bit that is set, counted from 1; 0 where there is none.
Item lower_ffs(Lowering& l, const Builtin& self, const Call& call) {
  const ir::Value x = wide_integer(l, self, call, true);
  const ir::Value lowest = l.b.bit_and(x, l.b.sub(l.b.zero_like(x), x));
  const ir::Value above = l.b.cast(l.b.unary(ir::Opcode::leading_zeros, lowest), DType::int32);
  return l.scalar(l.b.sub(l.b.constant(DType::int32, 8 * itemsize(l.b.type(x))), above));
}

Item lower_brev(Lowering& l, const Builtin& self, const Call& call) {
  return l.scalar(l.b.unary(ir::Opcode::reverse_bits, wide_integer(l, self, call, true)));
}

Item lower_nanosleep(Lowering& l, const Builtin& self, const Call& call) {
  check_number(l, self, call, call.args[0], true);
  l.b.pause(l.cast(call.args[0], DType::uint32));
  return {};
}

Item lower_fma(Lowering& l, const Builtin& self, const Call& call) {
  for (const Item& item : call.args) check_number(l, self, call, item, false);
  DType in = promote(promote(call.args[0].type->dtype, call.args[1].type->dtype), call.args[2].type->dtype);
  if (!is_floating(in)) in = DType::float64;
  return l.scalar(l.b.fma(l.cast(call.args[0], in), l.cast(call.args[1], in), l.cast(call.args[2], in)));
}

Item lower_selp(Lowering& l, const Builtin& self, const Call& call) {
  check_number(l, self, call, call.args[1], false);
  check_number(l, self, call, call.args[2], false);
  const DType in = promote(call.args[1].type->dtype, call.args[2].type->dtype);
  return l.scalar(l.b.select(truth(l, call.node, call.args[0]), l.cast(call.args[1], in), l.cast(call.args[2], in)));
}

Item lower_cbrt(Lowering& l, const Builtin&, const Call& call) { return apply_op(l, call.node, "cbrt", call.args); }

}  // namespace

void add_bit_builtins(std::vector<Builtin>& table) {
  table.push_back({"cuda.popc", "x", lower_popc});
  table.push_back({"number.bit_count", "x", lower_bit_count});
  table.push_back({"cuda.clz", "x", lower_clz});
  table.push_back({"builtins.bit_length", "x", lower_bit_length});
  table.push_back({"cuda.ffs", "x", lower_ffs});
  table.push_back({"cuda.brev", "x", lower_brev});
  table.push_back({"cuda.nanosleep", "ns", lower_nanosleep});
  table.push_back({"cuda.fma", "a b c", lower_fma});
  table.push_back({"cuda.selp", "a b c", lower_selp});
  table.push_back({"cuda.cbrt", "a", lower_cbrt});
}

}  // namespace tessera::kernel
