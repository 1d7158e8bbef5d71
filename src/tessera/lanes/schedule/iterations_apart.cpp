#include "tessera/lanes/schedule/iterations_apart.h"

#include <algorithm>

#include "tessera/ir/new_memory.h"
#include "tessera/ir/opcode.h"
#include "tessera/ir/source_lines.h"

namespace tessera::lanes {

namespace {

using ir::Opcode;
using ir::Value;

struct ElementAccess {
  Value v;
  uint32_t buffer;
  bool stores;
  bool in_body;  // of the loop itself: every iteration does it
  std::span<const Value> indices;
};

/// An index as a sum.
struct Sum {
  std::vector<Value> terms;  // sorted, the loop's index left out
  int64_t constant = 0;
  int times = 0;  // that the loop's index is added
};

class Finder {
 public:
  Finder(const ir::Kernel& kernel, Value loop)
      : kernel_(kernel), index_(kernel.region(loop, 0).arg_values[0]), inside_(kernel.instructions.size()) {
    visit(kernel.region(loop, 0), true);
  }

  SharedElements find(bool counts_up_by_one) {
    SharedElements found;
    if (!is_plain_) return found;
    for (const ElementAccess& store : accesses_) {
      if (!store.stores) continue;
      for (const ElementAccess& other : accesses_) {
        if (!may_meet(store, other)) continue;
        const Value at = counts_up_by_one ? meeting(store, other) : ir::no_value;
        if (at == ir::no_value || (found.met_at != ir::no_value && found.met_at != at)) return {};
        found.met_at = at;
        if (std::ranges::find(found.early, other.v) == found.early.end()) found.early.push_back(other.v);
      }
    }
    found.none = true;
    return found;
  }

 private:
  void visit(const ir::Region& region, bool in_body) {
    for (Value v : region.arg_values) inside_[v] = true;
    for (Value v : region.body) {
      inside_[v] = true;
      const ir::Instruction& i = kernel_.instructions[v];
      const bool is_load = i.op == Opcode::load, is_store = i.op == Opcode::store;
      if (is_load || is_store)
        accesses_.push_back({v, i.imm, is_store, in_body, kernel_.operands(v).subspan(is_store ? 1 : 0)});
      const bool is_control = i.op == Opcode::if_ || i.op == Opcode::for_ || i.op == Opcode::while_;
      const bool is_known = is_load || is_store || is_control || i.op == Opcode::yield || i.op == Opcode::result ||
                            ir::is_pure(i.op) || ir::is_line_mark(i);
      if (!is_known || ((is_load || is_store) && i.attr)) is_plain_ = false;
      for (int k = 0; k < i.region_count; ++k) visit(kernel_.region(v, k), false);
    }
  }

  void add_terms(Value v, Sum& sum) const {
    const ir::Instruction& i = kernel_.instructions[v];
    if (v == index_) {
      ++sum.times;
    } else if (i.op == Opcode::constant) {
      sum.constant += kernel_.constants[i.imm].as_int();
    } else if (i.op == Opcode::add && i.type == DType::int64) {
      for (Value operand : kernel_.operands(v)) add_terms(operand, sum);
    } else if (i.op == Opcode::sub && i.type == DType::int64 &&
               kernel_.instructions[kernel_.operands(v)[1]].op == Opcode::constant) {
      add_terms(kernel_.operands(v)[0], sum);
      sum.constant -= kernel_.constants[kernel_.instructions[kernel_.operands(v)[1]].imm].as_int();
    } else {
      sum.terms.push_back(v);
    }
  }

  Sum sum_of(Value index) const {
    Sum sum;
    add_terms(index, sum);
    std::ranges::sort(sum.terms);
    return sum;
  }

  bool is_invariant(Value v) const { return !inside_[v]; }
  bool is_invariant(const Sum& sum) const {
    return std::ranges::none_of(sum.terms, [&](Value v) { return inside_[v]; });
  }

  /// The call that made the memory of an element of a buffer whose element 0 is at address 0.
  Value memory_of(const ElementAccess& access) const {
    if (kernel_.buffers[access.buffer].no_alias || access.indices.size() != 1) return ir::no_value;
    Value made = ir::no_value;
    for (Value term : sum_of(access.indices[0]).terms) {
      if (!ir::is_new_memory(kernel_.instructions[term])) continue;
      if (made != ir::no_value) return ir::no_value;
      made = term;
    }
    return made;
  }

  /// Whether different iterations may access one element.
  bool may_meet(const ElementAccess& a, const ElementAccess& b) const {
    const ir::BufferParam &x = kernel_.buffers[a.buffer], &y = kernel_.buffers[b.buffer];
    const Value of_a = memory_of(a), of_b = memory_of(b);
    const bool is_known_a = x.no_alias || of_a != ir::no_value, is_known_b = y.no_alias || of_b != ir::no_value;
    if (!is_known_a || !is_known_b) return true;
    if (of_a != of_b) return false;
    if (a.buffer != b.buffer) return of_a != ir::no_value;
    for (size_t axis = 0; axis < a.indices.size(); ++axis) {
      const Sum p = sum_of(a.indices[axis]), q = sum_of(b.indices[axis]);
      if (p.terms != q.terms || !is_invariant(p) || p.times != q.times || p.times > 1) continue;
      // The same index where the loop's is the same, and no other; or never the same.
      if (p.times == 1 ? p.constant == q.constant : p.constant != q.constant) return false;
    }
    return true;
  }

  /// Of a load of one element, before the store: the only iteration in which the store may be to it.
  Value meeting(const ElementAccess& store, const ElementAccess& load) const {
    if (load.stores || !load.in_body || &load > &store || load.buffer != store.buffer ||
        !kernel_.buffers[load.buffer].no_alias)
      return ir::no_value;
    const auto is_fixed = [&](Value v) { return is_invariant(v) || kernel_.instructions[v].op == Opcode::constant; };
    if (!std::ranges::all_of(load.indices, is_fixed)) return ir::no_value;
    for (size_t axis = 0; axis < load.indices.size(); ++axis)
      if (store.indices[axis] == index_) return load.indices[axis];
    return ir::no_value;
  }

  const ir::Kernel& kernel_;
  Value index_;
  std::vector<bool> inside_;
  std::vector<ElementAccess> accesses_;
  bool is_plain_ = true;
};

}  // namespace

SharedElements find_shared_elements(const ir::Kernel& kernel, Value loop) {
  const ir::Instruction& step = kernel.instructions[kernel.operands(loop)[2]];
  if (kernel.ndim != 0 || step.op != Opcode::constant) return {};
  const int64_t by = kernel.constants[step.imm].as_int();
  if (by == 0) return {};
  return Finder(kernel, loop).find(by == 1);
}

}  // namespace tessera::lanes
