#include "tessera/kernel/passes/overwritten.h"

#include <algorithm>
#include <set>

#include "tessera/kernel/options.h"

namespace tessera::kernel {

namespace {

using ir::Opcode;
using ir::Value;

/// Stored elements: an index along each axis, or `whole` for all of it.
using Stored = std::vector<Value>;
constexpr Value whole = ir::no_value;

bool adds_memory_only(uint32_t host_function) {
  switch (static_cast<HostFunction>(host_function)) {
    case HostFunction::allocate:
    case HostFunction::allocate_zeros:
    case HostFunction::chunk_array:
    case HostFunction::array_word:  // what is reached by the address is an alias of the array
    case HostFunction::result_word:
    case HostFunction::thread_count:
    case HostFunction::thread_number: return true;
    default: return false;
  }
}

/// Goes through the text once, with what has been stored of one buffer wherever the flow arrives.
class Coverage {
 public:
  Coverage(const ir::Kernel& kernel, uint32_t buffer, std::span<const AxisNames> lengths)
      : kernel_(kernel), buffer_(buffer), lengths_(lengths), own_(lengths[buffer]) {}

  bool is_overwritten() {
    std::vector<Stored> stored;
    walk(kernel_.regions[0], stored);
    return !is_read_ && is_complete(stored);
  }

 private:
  const ir::Instruction& at(Value v) const { return kernel_.instructions[v]; }

  bool is_constant(Value v, int64_t number) const {
    return at(v).op == Opcode::constant && at(v).type == DType::int64 &&
           kernel_.constants[at(v).imm].as_int() == number;
  }

  bool are_same(Value a, Value b) const {
    return a == b || (a != whole && b != whole && at(a).op == Opcode::constant && at(b).op == Opcode::constant &&
                      kernel_.constants[at(a).imm] == kernel_.constants[at(b).imm]);
  }

  /// Whether the value is the length of that axis of the buffer.
  bool is_length(Value v, size_t axis) const {
    if (own_[axis] == length_one) return is_constant(v, 1);
    if (at(v).op != Opcode::dimension) return false;
    const uint32_t buffer = at(v).imm / 64, of = at(v).imm % 64;
    return buffer < lengths_.size() && of < lengths_[buffer].size() && lengths_[buffer][of] == own_[axis];
  }

  Stored element(std::span<const Value> indices) const {
    Stored all(indices.begin(), indices.end());
    for (size_t axis = 0; axis < all.size(); ++axis)
      if (own_[axis] == length_one && is_constant(all[axis], 0)) all[axis] = whole;
    return all;
  }

  bool covers(const Stored& stored, const Stored& wanted) const {
    for (size_t axis = 0; axis < wanted.size(); ++axis)
      if (stored[axis] != whole && !are_same(stored[axis], wanted[axis])) return false;
    return true;
  }

  bool is_stored(const std::vector<Stored>& stored, const Stored& wanted) const {
    return std::ranges::any_of(stored, [&](const Stored& one) { return covers(one, wanted); });
  }

  bool is_complete(const std::vector<Stored>& stored) const { return is_stored(stored, Stored(own_.size(), whole)); }

  /// The values of a region and of those in it.
  void collect(const ir::Region& region, std::set<Value>& values) const {
    values.insert(region.arg_values.begin(), region.arg_values.end());
    for (Value v : region.body) {
      values.insert(v);
      for (int k = 0; k < at(v).region_count; ++k) collect(kernel_.region(v, k), values);
    }
  }

  void walk(const ir::Region& region, std::vector<Stored>& stored) {
    for (Value v : region.body) visit(v, stored);
  }

  void visit(Value v, std::vector<Stored>& stored) {
    const ir::Instruction& i = at(v);
    const std::span<const Value> operands = kernel_.operands(v);
    switch (i.op) {
      case Opcode::load:
        if (i.imm == buffer_) is_read_ |= !is_stored(stored, element(operands));
        return;
      case Opcode::store:
        if (i.imm == buffer_) stored.push_back(element(operands.subspan(1)));
        return;
      case Opcode::atomic:
      case Opcode::address:
        if (i.imm == buffer_) is_read_ |= !is_complete(stored);
        return;
      case Opcode::call_host:
        if (!adds_memory_only(i.imm)) is_read_ |= !is_complete(stored);
        return;
      case Opcode::call:
      case Opcode::call_foreign: is_read_ |= !is_complete(stored); return;
      case Opcode::if_: return visit_branch(v, stored);
      case Opcode::for_: return visit_loop(v, stored);
      default:
        for (int k = 0; k < i.region_count; ++k) visit_unsure(kernel_.region(v, k), stored);
    }
  }

  /// A region that may not run, or run several times.
  void visit_unsure(const ir::Region& region, std::vector<Stored> stored) { walk(region, stored); }

  void visit_branch(Value v, std::vector<Stored>& stored) {
    std::vector<Stored> then = stored, other = stored;
    walk(kernel_.region(v, 0), then);
    if (at(v).region_count > 1) walk(kernel_.region(v, 1), other);
    for (const Stored& one : then)
      if (!is_stored(stored, one) && is_stored(other, one)) stored.push_back(one);
    for (const Stored& one : other)
      if (!is_stored(stored, one) && is_stored(then, one)) stored.push_back(one);
  }

  /// What each iteration stores at its own index is stored along the whole axis if the loop runs along it.
  void visit_loop(Value v, std::vector<Stored>& stored) {
    const std::span<const Value> operands = kernel_.operands(v);
    const ir::Region& body = kernel_.region(v, 0);
    std::vector<Stored> inside = stored;
    walk(body, inside);
    if (!is_constant(operands[0], 0) || !is_constant(operands[2], 1)) return;
    std::set<Value> own;
    collect(body, own);
    const Value index = body.arg_values[0];
    for (size_t k = stored.size(), n = inside.size(); k < n; ++k) {
      Stored one = inside[k];
      const auto axis = static_cast<size_t>(std::ranges::find(one, index) - one.begin());
      if (axis == one.size() || !is_length(operands[1], axis)) continue;
      one[axis] = whole;
      if (std::ranges::none_of(one, [&](Value value) { return own.contains(value); })) stored.push_back(one);
    }
  }

  const ir::Kernel& kernel_;
  uint32_t buffer_;
  std::span<const AxisNames> lengths_;
  const AxisNames& own_;
  bool is_read_ = false;
};

}  // namespace

std::vector<bool> overwritten(const ir::Kernel& kernel, std::span<const AxisNames> lengths) {
  std::vector<bool> are;
  for (uint32_t k = 0; k < lengths.size(); ++k) {
    // What shares memory with others may be reached through them.
    const bool is_alone = kernel.buffers[k].no_alias && kernel.buffers[k].ndim == lengths[k].size();
    are.push_back(is_alone && Coverage(kernel, k, lengths).is_overwritten());
  }
  return are;
}

}  // namespace tessera::kernel
