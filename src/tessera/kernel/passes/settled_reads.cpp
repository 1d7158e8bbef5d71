#include "tessera/kernel/passes/settled_reads.h"

#include <numeric>
#include <set>
#include <vector>

#include "tessera/ir/checks.h"
#include "tessera/ir/source_lines.h"

namespace tessera::kernel {

namespace {

using ir::CheckCall;
using ir::Opcode;
using ir::Value;

/// Stretches of the text between barriers: two places are in one if a lane may come from one to the other, or from one
/// barrier to each of them, without a barrier on the way.
class Stretches {
 public:
  explicit Stretches(const ir::Kernel& kernel) : kernel_(kernel) { walk(kernel.regions[0], add()); }

  /// The reads of arrays in whose stretch nothing writes them.
  std::vector<Value> settled() {
    std::set<std::pair<size_t, uint32_t>> written;
    for (const Access& one : accesses_)
      if (one.writes) written.emplace(root(one.stretch), one.array);
    std::vector<Value> reads;
    for (const Access& one : accesses_)
      if (!one.writes && !written.contains({root(one.stretch), one.array})) reads.push_back(one.call);
    return reads;
  }

 private:
  struct Access {
    Value call;
    uint32_t array;
    size_t stretch;
    bool writes;
  };

  size_t add() {
    parents_.push_back(parents_.size());
    return parents_.back();
  }
  size_t root(size_t one) const {
    while (parents_[one] != one) one = parents_[one];
    return one;
  }
  void join(size_t one, size_t other) { parents_[root(one)] = root(other); }

  /// Where the region ends if it begins in that stretch.
  size_t walk(const ir::Region& region, size_t at) {
    for (Value v : region.body) {
      const ir::Instruction& i = kernel_.instructions[v];
      if (i.op == Opcode::barrier || i.op == Opcode::grid_barrier) {
        at = add();
      } else if (i.op == Opcode::call_host && !ir::is_line_mark(i)) {
        note(v, at);
      } else if (i.region_count > 0) {
        // After a branch or loop a lane may come from the end of any region, or have skipped all; loops begin again.
        for (int k = 0; k < i.region_count; ++k) join(walk(kernel_.region(v, k), at), at);
      }
    }
    return at;
  }

  void note(Value call, size_t at) {
    const uint32_t number = kernel_.instructions[call].imm, array = number >> ir::check_bits;
    const CheckCall what = ir::check_of(number);
    const bool writes = what == CheckCall::write_array || what == CheckCall::atomic_array;
    if (!writes && what != CheckCall::read_array) return;
    const ir::ArrayDecl& declared = kernel_.arrays[array];
    // Dynamic arrays are one memory.
    if (declared.shared && !declared.is_dynamic()) accesses_.push_back({call, array, at, writes});
  }

  const ir::Kernel& kernel_;
  std::vector<size_t> parents_;
  std::vector<Access> accesses_;
};

}  // namespace

ir::Kernel settle_reads(ir::Kernel kernel) {
  if (!kernel.functions.empty()) return kernel;
  for (Value v : Stretches(kernel).settled())
    kernel.instructions[v].imm =
        ir::check_number(CheckCall::read_settled_array, kernel.instructions[v].imm >> ir::check_bits);
  return kernel;
}

}  // namespace tessera::kernel
