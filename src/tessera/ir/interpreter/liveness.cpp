#include "tessera/ir/interpreter/liveness.h"

#include <algorithm>

#include "tessera/ir/opcode.h"

namespace tessera::ir {

Liveness::Liveness(const Kernel& kernel)
    : kernel_(kernel),
      last_use_(kernel.instructions.size()),
      use_count_(last_use_.size()),
      home_(last_use_.size()),
      ending_(kernel.regions.size()),
      writes_(kernel.regions.size()) {
  walk(0);
  // real and imag are views of their operand and keep it alive; views come after the values that they view.
  for (size_t v = last_use_.size(); v-- > 0;) {
    const Opcode op = kernel.instructions[v].op;
    if (op != Opcode::real && op != Opcode::imag) continue;
    const Value whole = kernel.operands(static_cast<Value>(v))[0];
    if (home_[whole] == home_[v]) last_use_[whole] = std::max(last_use_[whole], last_use_[v]);
  }
  for (size_t r = 0; r < ending_.size(); ++r) ending_[r].resize(kernel.regions[r].body.size());
  for (size_t v = 0; v < last_use_.size(); ++v) {
    std::vector<std::vector<Value>>& ending = ending_[home_[v]];
    if (last_use_[v] < ending.size()) ending[last_use_[v]].push_back(static_cast<Value>(v));
  }
}

bool Liveness::walk(RegionId id) {
  const Region& region = kernel_.regions[id];
  bool any = false;
  for (Value v : region.arg_values) home_[v] = id;
  writes_[id].resize(region.body.size());
  for (uint32_t position = 0; position < region.body.size(); ++position) {
    const Value v = region.body[position];
    const Instruction& i = kernel_.instructions[v];
    path_.push_back({id, position});
    home_[v] = id;
    last_use_[v] = position;
    for (Value operand : kernel_.operands(v)) use(operand);
    bool writes = i.op == Opcode::store || i.op == Opcode::store_array || i.op == Opcode::atomic ||
                  i.op == Opcode::atomic_array || is_meeting(i.op) || i.op == Opcode::fence || i.op == Opcode::pause ||
                  i.op == Opcode::call_host || i.op == Opcode::call;
    for (int k = 0; k < i.region_count; ++k) writes |= walk(i.first_region + k);
    writes_[id][position] = writes;
    any |= writes;
    path_.pop_back();
  }
  return any;
}

void Liveness::use(Value v) {
  ++use_count_[v];
  for (const Place& place : path_) {
    if (place.region == home_[v]) last_use_[v] = std::max(last_use_[v], place.position);
  }
}

bool Liveness::written_between(RegionId region, uint32_t after, uint32_t until) const {
  const std::vector<char>& writes = writes_[region];
  for (uint32_t p = after + 1; p < until; ++p) {
    if (writes[p]) return true;
  }
  // An instruction reads its operands before it writes, except when the write is inside its regions.
  return until < writes.size() && writes[until] &&
         has_regions(kernel_.instructions[kernel_.regions[region].body[until]].op);
}

}  // namespace tessera::ir
