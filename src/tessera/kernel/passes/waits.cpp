#include "tessera/kernel/passes/waits.h"

#include <algorithm>
#include <span>
#include <vector>

#include "tessera/ir/opcode.h"

namespace tessera::kernel {

namespace {

using ir::Opcode;
using ir::RegionId;
using ir::Value;

/// What depends on other lanes in one loop.
class Loop {
 public:
  explicit Loop(const ir::Kernel& kernel, Value loop)
      : kernel_(kernel), loop_(loop), depends_(kernel.instructions.size()) {
    has_fence_ = contains(loop, [&](const ir::Instruction& i) { return i.op == Opcode::fence; });
  }

  bool waits() {
    do {
      changed_ = false;
      for (int k = 0; k < 2; ++k) visit(kernel_.instructions[loop_].first_region + static_cast<RegionId>(k));
      pass_loop(loop_);
    } while (changed_);
    return depends_[yielded_by(loop_, 0)[0]];
  }

 private:
  template <class Wanted>
  bool contains(Value v, const Wanted& wanted) const {
    const ir::Instruction& i = kernel_.instructions[v];
    for (int k = 0; k < i.region_count; ++k)
      for (Value inner : kernel_.region(v, k).body)
        if (wanted(kernel_.instructions[inner]) || contains(inner, wanted)) return true;
    return false;
  }

  std::span<const Value> yielded_by(Value v, int k) const { return yielded(kernel_, kernel_.region(v, k)); }

  void mark(Value v, bool depends) {
    if (!depends || depends_[v]) return;
    depends_[v] = changed_ = true;
  }

  /// Region arguments depend on what an iteration passes on.
  void pass_loop(Value v) {
    const std::vector<Value>&tested = kernel_.region(v, 0).arg_values, &passed = kernel_.region(v, 1).arg_values;
    for (size_t k = 0; k < passed.size(); ++k) mark(passed[k], depends_[yielded_by(v, 0)[k + 1]]);
    for (size_t k = 0; k < tested.size(); ++k) mark(tested[k], depends_[yielded_by(v, 1)[k]]);
  }

  bool reads_others(const ir::Instruction& i) const {
    const bool is_load = i.op == Opcode::load || i.op == Opcode::load_array;
    const bool is_reread = i.op == Opcode::load && static_cast<ir::CacheHint>(i.attr) == ir::CacheHint::reread;
    return i.op == Opcode::atomic || i.op == Opcode::atomic_array || is_reread || (is_load && has_fence_);
  }

  void visit(RegionId region) {
    for (Value v : kernel_.regions[region].body) {
      const ir::Instruction& i = kernel_.instructions[v];
      for (int k = 0; k < i.region_count; ++k) visit(i.first_region + static_cast<RegionId>(k));
      bool depends = reads_others(i);
      for (Value operand : kernel_.operands(v)) depends |= depends_[operand];
      if (i.op == Opcode::while_) pass_loop(v);
      for (int k = 0; k < i.region_count; ++k)
        for (Value result : yielded_by(v, k)) depends |= depends_[result];
      mark(v, depends);
    }
  }

  const ir::Kernel& kernel_;
  const Value loop_;
  std::vector<bool> depends_;
  bool has_fence_ = false, changed_ = false;
};

}  // namespace

void mark_waits(ir::Kernel& kernel) {
  std::vector<Value> waiting;
  for (Value v = 0; v < kernel.instructions.size(); ++v)
    if (kernel.instructions[v].op == Opcode::while_ && Loop(kernel, v).waits()) waiting.push_back(v);
  for (Value v : waiting) {
    const auto pause = static_cast<Value>(kernel.instructions.size());
    kernel.instructions.push_back({.op = Opcode::pause});
    std::vector<Value>& body = kernel.regions[kernel.instructions[v].first_region + 1].body;
    const bool yields = !body.empty() && kernel.instructions[body.back()].op == Opcode::yield;
    body.insert(body.end() - yields, pause);
  }
}

}  // namespace tessera::kernel
