#include "tessera/lanes/schedule/complex_reductions.h"

#include <algorithm>

#include "tessera/ir/opcode.h"

namespace tessera::lanes {

using ir::Opcode;
using ir::Value;

namespace {

/// Whether v is a sum whose elements are straight-line code and read complex numbers.
bool sums_parts(const ir::Kernel& kernel, Value v) {
  const ir::Instruction& i = kernel.instructions[v];
  if (i.op != Opcode::reduce || !is_floating(i.type) || ir::reduce_kind(i.attr) != ir::ReduceKind::add) return false;
  const std::vector<Value>& body = kernel.region(v, 0).body;
  const auto at = [&](Value w) -> const ir::Instruction& { return kernel.instructions[w]; };
  const auto is_crooked = [&](Value w) { return at(w).region_count > 0 || ir::sees_other_lanes(at(w).op); };
  const auto reads_parts = [&](Value w) { return at(w).op == Opcode::load && is_complex(at(w).type); };
  return std::none_of(body.begin(), body.end(), is_crooked) && std::any_of(body.begin(), body.end(), reads_parts);
}

bool uses(const ir::Kernel& kernel, Value reduction, Value used) {
  const std::vector<Value>& body = kernel.region(reduction, 0).body;
  return std::any_of(body.begin(), body.end(),
                     [&](Value w) { return std::ranges::count(kernel.operands(w), used) > 0; });
}

bool goes_with(const ir::Kernel& kernel, Value reduction, Value other) {
  const ir::Instruction &one = kernel.instructions[reduction], &two = kernel.instructions[other];
  const auto bounds = [&](Value v) { return kernel.operands(v).first(2); };
  return one.arg_count == two.arg_count && sums_parts(kernel, reduction) && sums_parts(kernel, other) &&
         one.type == two.type && one.attr == two.attr && std::ranges::equal(bounds(reduction), bounds(other)) &&
         !uses(kernel, other, reduction);
}

}  // namespace

std::map<Value, Value> find_complex_reductions(const ir::Kernel& kernel) {
  std::map<Value, Value> found;
  for (const ir::Region& region : kernel.regions) {
    for (size_t k = 0; k + 1 < region.body.size(); ++k) {
      if (!goes_with(kernel, region.body[k], region.body[k + 1])) continue;
      found.emplace(region.body[k], region.body[k + 1]);
      ++k;
    }
  }
  return found;
}

Value only_load(const ir::Kernel& kernel, Value reduction) {
  Value found = ir::no_value;
  for (Value v : kernel.region(reduction, 0).body) {
    if (kernel.instructions[v].op != Opcode::load) continue;
    if (found != ir::no_value) return ir::no_value;
    found = v;
  }
  return found;
}

bool load_alike(const ir::Kernel& kernel, Value reduction, Value other) {
  const Value one = only_load(kernel, reduction), two = only_load(kernel, other);
  if (one == ir::no_value || two == ir::no_value || kernel.instructions[one].imm != kernel.instructions[two].imm)
    return false;
  const Value element = kernel.region(reduction, 0).arg_values[0],
              element_of_other = kernel.region(other, 0).arg_values[0];
  return std::ranges::equal(kernel.operands(one), kernel.operands(two),
                            [&](Value x, Value y) { return x == element ? y == element_of_other : x == y; });
}

}  // namespace tessera::lanes
