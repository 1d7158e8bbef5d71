#include "tessera/ir/implied_checks.h"

#include <unordered_map>
#include <vector>

namespace tessera::ir {

namespace {

/// Whether the result is infinite or NaN whenever this operand is.
bool hands_on(Opcode op, size_t operand) {
  switch (op) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::fma:
    case Opcode::neg:
    case Opcode::abs:
    case Opcode::sqrt:
    case Opcode::cbrt:
    case Opcode::log:
    case Opcode::log2:
    case Opcode::log10:
    case Opcode::log1p:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::tan:
    case Opcode::sinh:
    case Opcode::cosh:
    case Opcode::asinh: return true;
    case Opcode::div: return operand == 0;
    default: return false;
  }
}

/// Lists the body, with the elements of each reduction before it.
void list_members(const Kernel& kernel, std::span<const Value> body, std::vector<Value>& members) {
  for (Value v : body) {
    if (kernel.instructions[v].op == Opcode::reduce) list_members(kernel, kernel.region(v, 0).body, members);
    members.push_back(v);
  }
}

}  // namespace

bool tests_result(const Kernel& kernel, const Instruction& i) {
  const auto rule = static_cast<ErrorRule>(i.attr);
  return i.op == Opcode::check && rule != ErrorRule::cast && rule != ErrorRule::integer_divide &&
         (i.type == DType::float32 || i.type == DType::float64);
}

bool is_watched_reduction(const Instruction& i) {
  const ReduceKind kind = reduce_kind(i.attr);
  return i.op == Opcode::reduce && is_floating(i.type) && (kind == ReduceKind::add || kind == ReduceKind::mul);
}

std::unordered_set<Value> find_implied_checks(const Kernel& kernel, std::span<const Value> body) {
  std::vector<Value> members;
  list_members(kernel, body, members);
  std::unordered_map<Value, std::vector<Value>> checks;
  std::unordered_set<Value> implied, watched;
  for (Value v : members)
    if (tests_result(kernel, kernel.instructions[v])) checks[kernel.operands(v)[0]].push_back(v);
  // Users come after their operands, so going backwards all users of a value are decided before it.
  for (size_t k = members.size(); k-- > 0;) {
    const Value v = members[k];
    const Instruction& i = kernel.instructions[v];
    if (i.op != Opcode::check && checks.contains(v)) {
      if (watched.contains(v)) implied.insert(checks[v].begin(), checks[v].end());
      watched.insert(v);
    }
    if (is_watched_reduction(i)) watched.insert(kernel.operands(kernel.region(v, 0).body.back())[0]);
    if (!is_floating(i.type) || !watched.contains(v) || i.op == Opcode::reduce) continue;
    std::span<const Value> operands = kernel.operands(v);
    for (size_t operand = 0; operand < operands.size(); ++operand)
      if (hands_on(i.op, operand)) watched.insert(operands[operand]);
  }
  return implied;
}

}  // namespace tessera::ir
