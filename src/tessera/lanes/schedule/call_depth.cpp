#include "tessera/lanes/schedule/call_depth.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "tessera/ir/opcode.h"

namespace tessera::lanes {

using ir::Opcode;
using ir::Value;

namespace {

constexpr int anywhere = std::numeric_limits<int>::max();

enum class Access : uint8_t { none, reads, writes };

Access access_of(const ir::Kernel& kernel, Value v) {
  const ir::Instruction& i = kernel.instructions[v];
  switch (i.op) {
    case Opcode::load:
    case Opcode::load_array: return Access::reads;
    case Opcode::store:
    case Opcode::store_array:
    case Opcode::atomic:
    case Opcode::atomic_array:
    case Opcode::call_foreign:
    case Opcode::call: return Access::writes;
    default: break;
  }
  Access most = Access::none;
  for (int k = 0; k < i.region_count; ++k)
    for (Value inner : kernel.region(v, k).body) most = std::max(most, access_of(kernel, inner));
  return most;
}

/// Calls `visit` for the operands of an instruction and of all instructions inside its regions.
void for_each_operand(const ir::Kernel& kernel, Value v, const std::function<void(Value)>& visit) {
  for (Value operand : kernel.operands(v)) visit(operand);
  for (int k = 0; k < kernel.instructions[v].region_count; ++k)
    for (Value inner : kernel.region(v, k).body) for_each_operand(kernel, inner, visit);
}

}  // namespace

bool is_long_function(Opcode op, DType dtype) {
  if (dtype != DType::float32 && dtype != DType::float64) return false;
  switch (op) {
    case Opcode::pow:
    case Opcode::atan2:
    case Opcode::hypot:
    case Opcode::rem:
    case Opcode::floor_div:
    case Opcode::floor_mod: return true;
    default: return op >= Opcode::cbrt && op <= Opcode::lgamma;
  }
}

bool may_share_lanes(const ir::Kernel& kernel, size_t a, size_t b) {
  const ir::BufferParam& x = kernel.buffers[a];
  const ir::BufferParam& y = kernel.buffers[b];
  return (x.writable || y.writable) && itemsize(x.dtype) == itemsize(y.dtype) &&
         x.inner != ir::InnerStride::broadcast && y.inner != ir::InnerStride::broadcast;
}

CallDepths::CallDepths(const ir::Kernel& kernel, std::span<const Value> run, CallRule is_call)
    : kernel_(kernel), is_call_(is_call) {
  find_earliest(run);
  if (last_ == 0) return;
  find_leaves(run);
  sink(run);
}

void CallDepths::find_earliest(std::span<const Value> run) {
  int last_write = 0, last_access = 0;
  for (Value v : run) {
    int depth = 0;
    for_each_operand(kernel_, v, [&](Value operand) {
      auto known = depth_.find(operand);
      if (known != depth_.end()) depth = std::max(depth, known->second + is_call(operand));
    });
    const Access access = access_of(kernel_, v);
    if (access == Access::reads) depth = std::max(depth, last_write);
    if (access == Access::writes) last_write = depth = std::max(depth, last_access);
    if (access != Access::none) last_access = std::max(last_access, depth);
    depth_[v] = depth;
    last_ = std::max(last_, depth + is_call(v));
  }
}

/// Finds the leaves: loads whose addresses need no lane loop, of buffers that are only read. A result may share the
/// operand's memory, so no load may move past a store that could be to the same element.
void CallDepths::find_leaves(std::span<const Value> run) {
  if (kernel_.block_axes > 1 && ir::meets_in_blocks(kernel_)) return;  // one stride does not lead from lane to lane
  for (size_t k = 0; k < run.size(); ++k) {
    const ir::Instruction& load = kernel_.instructions[run[k]];
    if (load.op != Opcode::load || kernel_.buffers[load.imm].writable || !kernel_.buffers[load.imm].no_alias) continue;
    bool is_leaf = std::ranges::none_of(kernel_.operands(run[k]), [&](Value v) { return depth_.contains(v); });
    int limit = anywhere;
    for (size_t other = 0; other < run.size(); ++other) {
      if (access_of(kernel_, run[other]) != Access::writes) continue;
      const ir::Instruction& write = kernel_.instructions[run[other]];
      if (write.op == Opcode::store && !may_share_lanes(kernel_, load.imm, write.imm)) continue;
      if (other < k) is_leaf = false;
      limit = std::min(limit, depth_[run[other]]);
    }
    if (is_leaf) limit_[run[k]] = limit;
  }
  for (Value v : run)
    for_each_operand(kernel_, v, [&](Value operand) {
      // A call reads after the lane loop of its depth.
      auto known = limit_.find(operand);
      if (known != limit_.end() && depth_[v] + is_call(v) > known->second) limit_.erase(known);
    });
  for (const auto& [load, limit] : limit_) leaves_.insert(load);
}

/// The last depth at which v may be computed from memory.
int CallDepths::limit_of_users(Value v) const {
  int limit = anywhere;
  for (Value operand : kernel_.operands(v))
    if (auto known = limit_.find(operand); known != limit_.end()) limit = std::min(limit, known->second);
  return limit;
}

/// Moves pure instructions, with at most one operand that is not loaded from memory, to the depth of their first use,
/// so that fewer values are passed between loops.
void CallDepths::sink(std::span<const Value> run) {
  std::unordered_map<Value, int> first_use;
  for (size_t k = run.size(); k-- > 0;) {
    const Value v = run[k];
    int& depth = depth_[v];
    const int crossing = static_cast<int>(std::ranges::count_if(
        kernel_.operands(v), [&](Value operand) { return depth_.contains(operand) && !leaves_.contains(operand); }));
    auto use = first_use.find(v);
    if (kernel_.instructions[v].op == Opcode::check) use = first_use.find(kernel_.operands(v)[0]);
    const bool may_sink = ir::is_pure(kernel_.instructions[v].op) && !is_call(v) && crossing <= 1;
    if ((may_sink || kernel_.instructions[v].op == Opcode::check) && use != first_use.end())
      depth = std::max(depth, std::min(use->second, limit_of_users(v)));
    for_each_operand(kernel_, v, [&](Value operand) {
      auto [entry, is_new] = first_use.try_emplace(operand, depth);
      entry->second = std::min(entry->second, depth);
    });
  }
}

}  // namespace tessera::lanes
