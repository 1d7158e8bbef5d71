// The functions of the operator module.
#include "tessera/kernel/builtins/builtins.h"

#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/lower/statement.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"

namespace tessera::kernel {

namespace {

Item lower_binary(Lowering& l, const Builtin& self, const Call& call) {
  return binary(l, call.node, self.op, call.args[0], call.args[1]);
}

/// What changes its first argument, where that is something that changes.
Item lower_in_place(Lowering& l, const Builtin& self, const Call& call) {
  const Item& changed = call.args[0];
  if (!changed.type.is_array() || changed.type->axes == 0) return lower_binary(l, self, call);
  augment_elements(l, call.node, self.op, view_of(l, changed), call.args[1]);
  return changed;
}

Item lower_comparison(Lowering& l, const Builtin& self, const Call& call) {
  return l.scalar(compare(l, call.node, self.op, call.args[0], call.args[1]));
}

Item lower_contains(Lowering& l, const Builtin&, const Call& call) {
  return l.scalar(compare(l, call.node, "in", call.args[1], call.args[0]));
}

Item lower_unary(Lowering& l, const Builtin& self, const Call& call) {
  return unary(l, call.node, self.op, call.args[0]);
}

Item lower_truth(Lowering& l, const Builtin&, const Call& call) { return l.scalar(truth(l, call.node, call.args[0])); }

Item lower_getitem(Lowering& l, const Builtin&, const Call& call) {
  return subscript(l, call.node, call.args[0], call.args[1]);
}

Item lower_setitem(Lowering& l, const Builtin&, const Call& call) {
  store(l, call.node, call.args[0], call.args[1], call.args[2]);
  return {};
}

}  // namespace

void add_operator_builtins(std::vector<Builtin>& table) {
  constexpr std::pair<std::string_view, std::string_view> binary[] = {
      {"operator.add", "+"},       {"operator.sub", "-"}, {"operator.mul", "*"},    {"operator.truediv", "/"},
      {"operator.floordiv", "//"}, {"operator.mod", "%"}, {"operator.pow", "**"},   {"operator.and_", "&"},
      {"operator.or_", "|"},       {"operator.xor", "^"}, {"operator.matmul", "@"}, {"operator.lshift", "<<"},
      {"operator.rshift", ">>"},
  };
  constexpr std::pair<std::string_view, std::string_view> in_place[] = {
      {"operator.iadd", "+"},       {"operator.isub", "-"}, {"operator.imul", "*"},    {"operator.itruediv", "/"},
      {"operator.ifloordiv", "//"}, {"operator.imod", "%"}, {"operator.ipow", "**"},   {"operator.iand", "&"},
      {"operator.ior", "|"},        {"operator.ixor", "^"}, {"operator.imatmul", "@"}, {"operator.ilshift", "<<"},
      {"operator.irshift", ">>"},
  };
  constexpr std::pair<std::string_view, std::string_view> comparisons[] = {
      {"operator.lt", "<"}, {"operator.le", "<="}, {"operator.eq", "=="},  {"operator.ne", "!="},
      {"operator.gt", ">"}, {"operator.ge", ">="}, {"operator.is_", "is"}, {"operator.is_not", "is not"},
  };
  constexpr std::pair<std::string_view, std::string_view> unary[] = {
      {"operator.neg", "-"}, {"operator.pos", "+"},    {"operator.invert", "~"},
      {"operator.inv", "~"}, {"operator.not_", "not"},
  };
  for (const auto& [name, op] : binary) table.push_back({name, "a b", lower_binary, op});
  for (const auto& [name, op] : in_place) table.push_back({name, "a b", lower_in_place, op});
  for (const auto& [name, op] : comparisons) table.push_back({name, "a b", lower_comparison, op});
  for (const auto& [name, op] : unary) table.push_back({name, "a", lower_unary, op});
  table.push_back({"operator.contains", "a b", lower_contains});
  table.push_back({"operator.truth", "a", lower_truth});
  table.push_back({"operator.getitem", "a b", lower_getitem});
  table.push_back({"operator.setitem", "a b c", lower_setitem});
}

}  // namespace tessera::kernel
