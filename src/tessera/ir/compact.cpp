#include "tessera/base/error.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

namespace {

class Compactor {
 public:
  explicit Compactor(const Kernel& from)
      : from_(from), live_(from.instructions.size()), to_number_(live_.size(), no_value) {
    mark_region(0);
    to_.name = from.name;
    to_.ndim = from.ndim;
    to_.block_axes = from.block_axes;
    to_.fast_math = from.fast_math;
    to_.known_extents = from.known_extents;
    to_.device = from.device;
    to_.buffers = from.buffers;
    to_.scalars = from.scalars;
    to_.arrays = from.arrays;
    to_.foreign = from.foreign;
    to_.linked = from.linked;
    to_.functions = from.functions;
    for (size_t k = 0; k < from.bodies.size(); ++k)
      to_.bodies.push_back(function_body(compact(function_kernel(from, k))));
    to_.flag_slots = from.flag_slots;
    copy_region(0, 0);
  }
  Kernel take() { return std::move(to_); }

 private:
  void mark(Value v) {
    if (live_[v]) return;
    live_[v] = true;
    for (Value operand : from_.operands(v)) mark(operand);
    const Instruction& i = from_.instructions[v];
    for (int k = 0; k < i.region_count; ++k) mark_region(i.first_region + k);
  }

  // Instructions that may affect memory, flags or control are kept, with their operands.
  void mark_region(RegionId id) {
    for (Value v : from_.regions[id].body) {
      const Opcode op = from_.instructions[v].op;
      if (!is_pure(op) && op != Opcode::load && op != Opcode::reduce && op != Opcode::result) mark(v);
    }
  }

  void copy_region(RegionId from_id, RegionId to_id) {
    const Region& source = from_.regions[from_id];
    to_.regions[to_id].arg_types = source.arg_types;
    for (Value v : source.arg_values) to_.regions[to_id].arg_values.push_back(copy_instruction(v));
    for (Value v : source.body) {
      if (!live_[v]) continue;
      const Value copied = copy_instruction(v);
      to_.regions[to_id].body.push_back(copied);
    }
  }

  Value copy_instruction(Value v) {
    Instruction i = from_.instructions[v];
    const std::span<const Value> operands = from_.operands(v);
    i.first_arg = static_cast<uint32_t>(to_.args.size());
    for (Value operand : operands) {
      invariant(to_number_[operand] != no_value, "ir: %{} used before it is defined", operand);
      to_.args.push_back(to_number_[operand]);
    }
    if (i.op == Opcode::constant) i.imm = copy_constant(from_.constants[i.imm]);
    const RegionId from_region = i.first_region;
    if (i.region_count) {
      i.first_region = static_cast<RegionId>(to_.regions.size());
      to_.regions.resize(to_.regions.size() + i.region_count);
    }
    // The instruction's number precedes those of its regions, as in the text.
    const Value copied = static_cast<Value>(to_.instructions.size());
    to_.instructions.push_back(i);
    to_number_[v] = copied;
    for (int k = 0; k < i.region_count; ++k) copy_region(from_region + k, i.first_region + k);
    return copied;
  }

  uint32_t copy_constant(const Scalar& value) {
    for (size_t k = 0; k < to_.constants.size(); ++k) {
      if (to_.constants[k] == value) return static_cast<uint32_t>(k);
    }
    to_.constants.push_back(value);
    return static_cast<uint32_t>(to_.constants.size() - 1);
  }

  const Kernel& from_;
  Kernel to_;
  std::vector<char> live_;
  std::vector<Value> to_number_;
};

}  // namespace

Kernel compact(const Kernel& kernel) { return Compactor(kernel).take(); }

}  // namespace tessera::ir
