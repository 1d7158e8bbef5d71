// Sums of complex numbers: real and imaginary parts are reduced together, as vectors of two, so that one access reads
// both parts of an element where the alignment allows it.
#include "tessera/codegen/emit/emitter.h"

#include <algorithm>

namespace tessera::codegen {

using ir::Value;

/// The reduction of the imaginary parts that belongs to a reduction of real parts; no_value for all others.
Value Reductions::imaginary_reduction(Value v) const {
  const auto found = complex_reductions_.find(v);
  return found == complex_reductions_.end() ? ir::no_value : found->second;
}

bool Reductions::is_imaginary_reduction(Value v) const {
  return std::ranges::any_of(complex_reductions_, [&](const auto& reductions) { return reductions.second == v; });
}

llvm::Value* Reductions::join_parts(Parts parts) {
  llvm::Value* both = llvm::PoisonValue::get(llvm::FixedVectorType::get(parts.first->getType(), 2));
  return b_.CreateInsertElement(b_.CreateInsertElement(both, parts.first, uint64_t{0}), parts.second, uint64_t{1});
}

Parts Reductions::split_parts(llvm::Value* both) {
  return {b_.CreateExtractElement(both, uint64_t{0}), b_.CreateExtractElement(both, uint64_t{1})};
}

/// A reduction's element at an index, together with that of the reduction `other` unless it is no_value.
llvm::Value* Reductions::emit_reduction_element(Value v, Value other, llvm::Value* index) {
  const auto element = [&](Value combine) {
    const ir::Region& region = kernel_.region(combine, 0);
    set(region.arg_values[0], {index});
    e_.fast_compile.emit_element(kernel_.instructions[combine].first_region);
    return get_one(yielded(kernel_, region)[0]);
  };
  llvm::Value* part = element(v);
  return other == ir::no_value ? part : join_parts({part, element(other)});
}

void Reductions::set_reduction(Value v, llvm::Value* sum) {
  if (!sum->getType()->isVectorTy()) return set(v, {sum});
  const Parts parts = split_parts(sum);
  set(v, {parts.first});
  set(complex_reductions_.at(v), {parts.second});
}

llvm::Value* Reductions::neutral(const Tree& tree) {
  llvm::Value* part = neutral(tree.kind, tree.dtype);
  return tree.has_parts() ? join_parts({part, part}) : part;
}

llvm::Value* Reductions::start_of(const Tree& tree) {
  llvm::Value* part = reduction_start(tree.reduction);
  return tree.has_parts() ? join_parts({part, part}) : part;
}

/// Whether all complex operands are aligned so that one access reads both parts of any element, which NumPy does not
/// guarantee.
llvm::Value* Reductions::emit_is_whole() {
  return e_.frame.at_level(0, [&] {
    llvm::Value* low_bits = b_.getInt64(0);
    for (uint32_t k = 0; k < kernel_.buffers.size(); ++k) {
      const ir::BufferParam& buffer = kernel_.buffers[k];
      if (!buffer.readable || !is_complex(buffer.dtype)) continue;
      llvm::Value* bits = b_.CreatePtrToInt(e_.memory.base_of(k), word_);
      for (int axis = 0; axis < buffer.ndim; ++axis) bits = b_.CreateOr(bits, e_.memory.stride_of(k, axis));
      low_bits = b_.CreateOr(low_bits, b_.CreateAnd(bits, static_cast<uint64_t>(itemsize(buffer.dtype) - 1)));
    }
    return b_.CreateICmpEQ(low_bits, b_.getInt64(0));
  });
}

/// Whether real and imaginary parts are reduced together, with a fast-compile variant for elements that are not aligned
/// so.
bool Reductions::may_read_whole() const {
  const auto goes_together = [&](const auto& reductions) {
    return mapping_.team > 1 ||
           ir::reduce_order(kernel_.instructions[reductions.first].attr) == ir::ReduceOrder::sequential;
  };
  return !mapping_.fast_compile && !w_.in_epilogue && kernel_.ndim > 0 && kernel_.arrays.empty() &&
         e_.grid.is_replayable(kernel_.regions[0].body) && std::ranges::any_of(complex_reductions_, goes_together);
}

}  // namespace tessera::codegen
