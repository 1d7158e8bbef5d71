#include "tessera/engine/kernels/lanes_apart.h"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "tessera/engine/kernels/launch_axes.h"
#include "tessera/ir/opcode.h"
#include "tessera/ir/source_lines.h"

namespace tessera::engine {

namespace {

using ir::Instruction;
using ir::Opcode;
using ir::RegionId;
using ir::Value;

/// Looks for loops in which lanes wait for others of their block.
class Waits {
 public:
  explicit Waits(const ir::Kernel& kernel) : kernel_(kernel) {}

  bool are_in(RegionId region, bool is_one_lane) const {
    return std::ranges::any_of(kernel_.regions[region].body, [&](Value v) {
      const Instruction& i = kernel_.instructions[v];
      if (i.op == Opcode::while_ && pauses(v) && (!is_one_lane || reads_shared(v))) return true;
      const bool is_one = is_one_lane || (i.op == Opcode::if_ && chooses_lane(kernel_.operands(v)[0]));
      for (int k = 0; k < i.region_count; ++k)
        if (are_in(i.first_region + static_cast<RegionId>(k), is_one && k == 0)) return true;
      return false;
    });
  }

 private:
  bool pauses(Value loop) const {
    const std::vector<Value>& body = kernel_.region(loop, 1).body;
    return std::ranges::any_of(body, [&](Value v) { return kernel_.instructions[v].op == Opcode::pause; });
  }

  bool reads_shared(Value v) const {
    const Instruction& i = kernel_.instructions[v];
    const bool reads = i.op == Opcode::load_array || i.op == Opcode::atomic_array;
    if (reads && kernel_.arrays[i.imm].shared) return true;
    for (int k = 0; k < i.region_count; ++k)
      if (std::ranges::any_of(kernel_.region(v, k).body, [&](Value inner) { return reads_shared(inner); })) return true;
    return false;
  }

  /// Whether a condition compares a number of the lane, so that one lane of a block alone fulfils it.
  bool chooses_lane(Value v) const {
    const std::span<const Value> operands = kernel_.operands(v);
    const Opcode op = kernel_.instructions[v].op;
    if (op == Opcode::bit_and) return std::ranges::any_of(operands, [&](Value each) { return chooses_lane(each); });
    return op == Opcode::eq && std::ranges::any_of(operands, [&](Value each) { return numbers_lane(each); });
  }

  bool numbers_lane(Value v) const {
    const Instruction& i = kernel_.instructions[v];
    if (i.op == Opcode::index) return i.imm >= grid_axes;
    if (i.op != Opcode::cast && i.op != Opcode::add && i.op != Opcode::mul) return false;
    return std::ranges::any_of(kernel_.operands(v), [&](Value operand) { return numbers_lane(operand); });
  }

  const ir::Kernel& kernel_;
};

Value append(ir::Kernel& kernel, Instruction made, std::span<const Value> operands) {
  made.type = DType::int64;
  made.first_arg = static_cast<uint32_t>(kernel.args.size());
  made.arg_count = static_cast<uint16_t>(operands.size());
  kernel.args.insert(kernel.args.end(), operands.begin(), operands.end());
  kernel.instructions.push_back(made);
  return static_cast<Value>(kernel.instructions.size() - 1);
}

/// The number of the lane's block, computed first of all.
Value add_block_number(ir::Kernel& kernel) {
  std::vector<Value> added;
  const auto add = [&](Opcode op, uint32_t imm, std::initializer_list<Value> operands) {
    added.push_back(append(kernel, {.op = op, .imm = imm}, std::span(operands.begin(), operands.size())));
    return added.back();
  };
  Value number = add(Opcode::index, 0, {});
  for (uint32_t axis = 1; axis < grid_axes; ++axis) {
    const Value extent = add(Opcode::extent, axis, {}), index = add(Opcode::index, axis, {});
    number = add(Opcode::add, 0, {add(Opcode::mul, 0, {number, extent}), index});
  }
  std::vector<Value>& body = kernel.regions[0].body;
  body.insert(body.begin(), added.begin(), added.end());
  return number;
}

Opcode of_buffer(Opcode op) {
  switch (op) {
    case Opcode::load_array: return Opcode::load;
    case Opcode::store_array: return Opcode::store;
    case Opcode::atomic_array: return Opcode::atomic;
    default: return op;
  }
}

}  // namespace

bool waits_within_blocks(const ir::Kernel& kernel) {
  const auto is_other_meeting = [](const Instruction& i) { return ir::is_meeting(i.op) && i.op != Opcode::barrier; };
  const auto calls_host = [](const Instruction& i) { return i.op == Opcode::call_host && !ir::is_line_mark(i); };
  const auto is_unfit = [&](const Instruction& i) { return is_other_meeting(i) || calls_host(i); };
  // Functions name local arrays by the kernel's numbers.
  return kernel.functions.empty() && ir::meets_in_blocks(kernel) &&
         !std::ranges::any_of(kernel.instructions, is_unfit) && Waits(kernel).are_in(0, false);
}

ir::Kernel set_lanes_apart(ir::Kernel kernel) {
  std::vector<uint32_t> moved_to;
  std::vector<ir::ArrayDecl> own;
  const std::vector<ir::ArrayDecl> before = std::exchange(kernel.arrays, {});
  for (const ir::ArrayDecl& array : before) {
    moved_to.push_back(static_cast<uint32_t>(array.shared ? kernel.buffers.size() : own.size()));
    if (array.shared)
      kernel.buffers.push_back(
          {.dtype = array.dtype, .ndim = 2, .writable = true, .no_alias = false, .inner = ir::InnerStride::contiguous});
    else
      own.push_back(array);
  }
  kernel.arrays = std::move(own);
  const size_t count = kernel.instructions.size();
  const Value block = add_block_number(kernel);
  for (size_t v = 0; v < count; ++v) {
    Instruction& i = kernel.instructions[v];
    if (i.op == Opcode::barrier) i = {.op = Opcode::call_host, .type = DType::int64};
    const bool is_of_array = of_buffer(i.op) != i.op;
    if (!is_of_array) continue;
    const bool is_shared = before[i.imm].shared;
    i.imm = moved_to[i.imm];
    if (!is_shared) continue;
    const std::span<const Value> given = kernel.operands(static_cast<Value>(v));
    std::vector<Value> operands(given.begin(), given.end());
    operands.insert(operands.end() - 1, block);  // before the index
    i.op = of_buffer(i.op);
    i.first_arg = static_cast<uint32_t>(kernel.args.size());
    i.arg_count = static_cast<uint16_t>(operands.size());
    kernel.args.insert(kernel.args.end(), operands.begin(), operands.end());
  }
  return kernel;
}

}  // namespace tessera::engine
