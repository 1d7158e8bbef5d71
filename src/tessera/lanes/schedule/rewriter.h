/// Rewriter: copies a kernel instruction by instruction; passes derive from it and write other instructions.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::lanes {

class Rewriter {
 protected:
  using Value = ir::Value;
  using Values = std::vector<Value>;

  explicit Rewriter(const ir::Kernel& from);

  /// Appends to the open region.
  Value append(ir::Instruction i, std::span<const Value> operands);
  Value append(ir::Instruction i, std::initializer_list<Value> operands) {
    return append(i, std::span(operands.begin(), operands.size()));
  }
  Value write(ir::Opcode op, DType type, std::initializer_list<Value> operands) {
    return append({.op = op, .type = type}, operands);
  }
  Value constant(const Scalar& value);
  Value integer(DType type, int64_t value) { return constant(Scalar::of_int(type, value)); }
  Value result(Value control, uint32_t k, DType type);
  void yield(std::span<const Value> values) {
    if (!values.empty()) append({.op = ir::Opcode::yield}, values);
  }
  DType type_of(Value v) const { return out_.instructions[v].type; }

  ir::RegionId add_regions(int count);
  /// Adds arguments of these types to a region of the new kernel.
  Values add_arguments(ir::RegionId region, std::span<const DType> types);
  /// Adds the arguments of a region of the old kernel to one of the new kernel.
  void copy_arguments(ir::RegionId from, ir::RegionId to);
  void map(std::span<const Value> from, std::span<const Value> to);
  Values mapped(std::span<const Value> values) const;

  const ir::Kernel& from_;
  ir::Kernel out_;
  Values to_value_;  // by value of the old kernel
  ir::RegionId open_ = 0;
};

}  // namespace tessera::lanes
