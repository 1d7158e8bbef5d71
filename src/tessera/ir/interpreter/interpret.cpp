#include "tessera/ir/interpreter.h"

#include "tessera/ir/interpreter/flatten_block.h"
#include "tessera/ir/interpreter/lower.h"
#include "tessera/ir/interpreter/run.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

namespace {

bool is_leaf(const Kernel& kernel, Value v) {
  const Opcode op = kernel.instructions[v].op;
  return info(op).form == OpcodeForm::leaf && op != Opcode::region_arg;
}

// Leaves belong to the body itself, where every region and frame can use them.
Kernel with_leaves_outside(const Kernel& kernel) {
  Kernel result = kernel;
  std::vector<Value> leaves;
  for (size_t r = 1; r < result.regions.size(); ++r) {
    std::vector<Value>& body = result.regions[r].body;
    for (Value v : body) {
      if (is_leaf(result, v)) leaves.push_back(v);
    }
    std::erase_if(body, [&](Value v) { return is_leaf(result, v); });
  }
  std::vector<Value>& body = result.regions[0].body;
  body.insert(body.begin(), leaves.begin(), leaves.end());
  return result;
}

void lower(const Kernel& kernel, Program::Impl& out, bool is_function = false) {
  if (kernel.regions.size() == 1) {
    Lowering(kernel, out).run(is_function);
  } else {
    const Kernel hoisted = with_leaves_outside(kernel);
    Lowering(hoisted, out).run(is_function);
  }
  out.functions.resize(kernel.bodies.size());
  for (size_t k = 0; k < kernel.bodies.size(); ++k) lower(function_kernel(kernel, k), out.functions[k], true);
}

/// Whether the block is its last axis alone.
bool is_one_row(const int64_t* extents, int first, int axes) {
  for (int axis = first; axis + 1 < axes; ++axis)
    if (extents[axis] != 1) return false;
  return true;
}

}  // namespace

Program::Program(const Kernel& kernel) : impl_(std::make_unique<Impl>()) {
  lower(kernel, *impl_);
  if (kernel.block_axes == 1 || !meets_in_blocks(kernel)) return;
  flat_ = std::make_unique<Impl>();
  flat_->flattened_axes = kernel.block_axes;
  flat_->scalar_count = kernel.scalars.size();
  lower(flatten_block(kernel), *flat_);
}

Program::~Program() = default;

void Program::run(const KernelArguments& arguments, const int64_t* begin, const int64_t* end) const {
  const int axes = impl_->ndim;
  const int first = flat_ ? axes - flat_->flattened_axes : axes;
  if (is_one_row(arguments.extents, first, axes)) return Run(*impl_, arguments, begin, end).run();
  const FlatBox box(arguments, begin, end, axes, first, flat_->scalar_count);
  Run(*flat_, box.arguments(), box.begin(), box.end()).run();
}

}  // namespace tessera::ir
