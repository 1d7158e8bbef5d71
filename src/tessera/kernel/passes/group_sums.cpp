#include "tessera/kernel/passes/group_sums.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/ir/region_copy.h"

namespace tessera::kernel {

namespace {

using ir::Opcode;
using ir::Value;

bool has_free_sums(const ir::Instruction& i) { return i.op == Opcode::for_ && i.attr == ir::free_sums; }

bool writes_nothing(const ir::Kernel& kernel, const ir::Region& region) {
  return std::ranges::all_of(region.body, [&](Value v) {
    const ir::Instruction& i = kernel.instructions[v];
    switch (i.op) {
      case Opcode::store:
      case Opcode::store_array:
      case Opcode::load_array:
      case Opcode::atomic:
      case Opcode::atomic_array:
      case Opcode::call_host:
      case Opcode::call_foreign:
      case Opcode::call:
      case Opcode::check: return false;
      default: break;
    }
    for (int k = 0; k < i.region_count; ++k)
      if (!writes_nothing(kernel, kernel.region(v, k))) return false;
    return true;
  });
}

int count_uses(const ir::Kernel& kernel, const ir::Region& region, Value wanted) {
  int uses = 0;
  for (Value v : region.body) {
    uses += static_cast<int>(std::ranges::count(kernel.operands(v), wanted));
    for (int k = 0; k < kernel.instructions[v].region_count; ++k)
      uses += count_uses(kernel, kernel.region(v, k), wanted);
  }
  return uses;
}

/// What an iteration adds to a value that the loop carries.
struct Term {
  Value value;
  bool is_subtracted;
};

class Grouping {
 public:
  explicit Grouping(const ir::Kernel& kernel)
      : kernel_(kernel), b_(kernel.ndim, kernel.name, kernel.block_axes), copy_(b_, kernel) {
    for (const ir::BufferParam& buffer : kernel.buffers) b_.add_buffer(buffer);
    for (DType scalar : kernel.scalars) b_.add_scalar(scalar);
    const ir::RegionCopy::Handler handle = [&](Value v) {
      if (!has_free_sums(kernel.instructions[v])) return is_replaced(v);
      const std::optional<std::vector<Term>> terms = terms_of(v);
      if (terms) reduce(v, *terms);
      return terms.has_value();
    };
    copy_.copy(kernel.regions[0], handle);
  }

  ir::Kernel take() { return ir::compact(b_.take()); }

 private:
  /// Further results of a loop that has become reductions.
  bool is_replaced(Value v) {
    const ir::Instruction& i = kernel_.instructions[v];
    if (i.op != Opcode::result) return false;
    const Value loop = kernel_.operands(v)[0];
    for (const auto& [replaced, sums] : sums_) {
      if (replaced != loop) continue;
      copy_.set(v, sums[i.imm]);
      return true;
    }
    return false;
  }

  std::optional<std::vector<Term>> terms_of(Value loop) const {
    const ir::Region& region = kernel_.region(loop, 0);
    const Value step = kernel_.operands(loop)[2];
    const ir::Instruction& by = kernel_.instructions[step];
    const bool counts = by.op == Opcode::constant && kernel_.constants[by.imm].as_int() == 1;
    if (!counts || region.arg_values.size() < 2 || !writes_nothing(kernel_, region)) return {};
    const Value yield = region.body.back();
    std::vector<Term> terms;
    for (size_t k = 1; k < region.arg_values.size(); ++k) {
      const Value next = kernel_.operands(yield)[k - 1], sum = region.arg_values[k];
      const ir::Instruction& i = kernel_.instructions[next];
      if ((i.op != Opcode::add && i.op != Opcode::sub) || is_complex(i.type)) return {};
      const std::span<const Value> operands = kernel_.operands(next);
      const bool is_first = operands[0] == sum;
      if (!is_first && (i.op == Opcode::sub || operands[1] != sum)) return {};
      if (count_uses(kernel_, region, sum) != 1 || count_uses(kernel_, region, next) != 1) return {};
      terms.push_back({operands[is_first ? 1 : 0], i.op == Opcode::sub});
    }
    return terms;
  }

  void reduce(Value loop, const std::vector<Term>& terms) {
    const ir::Region& region = kernel_.region(loop, 0);
    const std::span<const Value> operands = kernel_.operands(loop);
    std::vector<Value> sums;
    for (size_t k = 0; k < terms.size(); ++k) {
      const auto term_at = [&](Value index) {
        copy_.set(region.arg_values[0], index);
        copy_.copy(region, [&](Value v) {
          // The sums themselves; each is used where it is carried on.
          const Opcode op = kernel_.instructions[v].op;
          return op == Opcode::yield ? v == region.body.back() : is_sum(loop, v);
        });
        return copy_[terms[k].value];
      };
      const Value sum =
          b_.reduce(ir::ReduceKind::add, ir::ReduceOrder::pairwise, copy_[operands[0]], copy_[operands[1]], term_at);
      const Value initial = copy_[operands[3 + k]];
      sums.push_back(terms[k].is_subtracted ? b_.sub(initial, sum) : b_.add(initial, sum));
    }
    copy_.set(loop, sums[0]);
    sums_.emplace_back(loop, std::move(sums));
  }

  bool is_sum(Value loop, Value v) const {
    const Value yield = kernel_.region(loop, 0).body.back();
    return std::ranges::find(kernel_.operands(yield), v) != kernel_.operands(yield).end();
  }

  const ir::Kernel& kernel_;
  ir::Builder b_;
  ir::RegionCopy copy_;
  std::vector<std::pair<Value, std::vector<Value>>> sums_;
};

}  // namespace

ir::Kernel group_sums(ir::Kernel kernel) {
  if (std::ranges::none_of(kernel.instructions, has_free_sums)) return kernel;
  ir::Kernel grouped = Grouping(kernel).take();
  for (ir::Instruction& i : grouped.instructions)
    if (has_free_sums(i)) i.attr = 0;
  return grouped;
}

}  // namespace tessera::kernel
