// Functions of cuda that are one instruction.
#include "tessera/kernel/builtins.h"

namespace tessera::kernel {

namespace {

void check_number(Lowering& l, const Builtin& self, const Call& call, const Item& item, bool integer) {
  if (!item.type.is_scalar() || (integer && !is_integer(item.type.dtype)))
    l.fail(call.node,
           format("{} takes {}, not {}", self.name, integer ? "an integer" : "a number", describe(item.type)));
}

Item lower_popc(Lowering& l, const Builtin& self, const Call& call) {
  check_number(l, self, call, call.args[0], true);
  return l.scalar(l.b.cast(l.b.unary(ir::Opcode::popcount, call.args[0].values[0]), DType::int32));
}

Item lower_fma(Lowering& l, const Builtin& self, const Call& call) {
  for (const Item& item : call.args) check_number(l, self, call, item, false);
  DType in = promote(promote(call.args[0].type.dtype, call.args[1].type.dtype), call.args[2].type.dtype);
  if (!is_floating(in)) in = DType::float64;
  return l.scalar(l.b.fma(l.cast(call.args[0], in), l.cast(call.args[1], in), l.cast(call.args[2], in)));
}

Item lower_selp(Lowering& l, const Builtin& self, const Call& call) {
  check_number(l, self, call, call.args[1], false);
  check_number(l, self, call, call.args[2], false);
  const DType in = promote(call.args[1].type.dtype, call.args[2].type.dtype);
  return l.scalar(l.b.select(l.truth(call.node, call.args[0]), l.cast(call.args[1], in), l.cast(call.args[2], in)));
}

Item lower_cbrt(Lowering& l, const Builtin&, const Call& call) { return l.apply_op(call.node, "cbrt", call.args); }

}  // namespace

void add_bit_builtins(std::vector<Builtin>& table) {
  table.push_back({"cuda.popc", "x", lower_popc});
  table.push_back({"cuda.fma", "a b c", lower_fma});
  table.push_back({"cuda.selp", "a b c", lower_selp});
  table.push_back({"cuda.cbrt", "a", lower_cbrt});
}

}  // namespace tessera::kernel
