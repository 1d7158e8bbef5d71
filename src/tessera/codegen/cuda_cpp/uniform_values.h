/// UniformValues: which values are the same for all threads of a block that have come as far.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace tessera::codegen::cuda_cpp {

/// Whether a call tells a thread's, a block's or the grid's coordinates or extents.
bool is_coordinate(const llvm::CallInst& call);

class UniformValues {
 public:
  explicit UniformValues(llvm::Function& function);
  bool contains(const llvm::Instruction& value) const { return !differing_.contains(&value); }

 private:
  void mark(const llvm::Value* value);
  /// Values that depend on which way a branch goes that threads take differently.
  void mark_joined(const llvm::BasicBlock& from, llvm::Function& function);

  llvm::DenseSet<const llvm::Value*> differing_;
  llvm::SmallVector<const llvm::Value*, 32> work_;
};

}  // namespace tessera::codegen::cuda_cpp
