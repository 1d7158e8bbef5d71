#include "tessera/kernel/builtins.h"

#include <deque>
#include <map>
#include <string>

#include "tessera/ops/op.h"

namespace tessera::kernel {

namespace {

Item lower_op(Lowering& l, const Builtin& self, const Call& call) { return l.apply_op(call.node, self.op, call.args); }

/// The parameters of a function of n operands.
constexpr std::string_view operand_names[] = {"", "x", "x1 x2", "x1 x2 x3"};

std::map<std::string_view, Builtin> make_table() {
  std::vector<Builtin> all;
  add_thread_builtins(all);
  add_array_builtins(all);
  add_atomic_builtins(all);
  add_bit_builtins(all);
  add_python_builtins(all);
  add_math_builtins(all);
  std::map<std::string_view, Builtin> table;
  for (const Builtin& builtin : all) table.emplace(builtin.name, builtin);
  static std::deque<std::string> names;
  for (const ops::Op& op : ops::OpTable::standard()) {
    if (op.kind == ops::OpKind::hidden || op.counts || op.nin > 3) continue;
    const std::string_view room = op.kind == ops::OpKind::map ? "numpy." : "special.";
    names.push_back(std::string(room) + std::string(op.name));
    table.emplace(names.back(),
                  Builtin{.name = names.back(), .parameters = operand_names[op.nin], .lower = lower_op, .op = op.name});
  }
  return table;
}

}  // namespace

const Builtin* find_builtin(std::string_view name) {
  static const std::map<std::string_view, Builtin> table = make_table();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace tessera::kernel
