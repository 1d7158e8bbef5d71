/// A loop being written.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <vector>

namespace tessera::codegen {

/// The builder's insertion point is in its body between open and close.
struct Loop {
  llvm::BasicBlock* body = nullptr;
  llvm::BasicBlock* exit = nullptr;
  llvm::BasicBlock* latch = nullptr;  // known once closed
  llvm::PHINode* index = nullptr;
  llvm::Value* end = nullptr;
  llvm::Value* step = nullptr;
  llvm::Value* last_at = nullptr;  // where set: indices from here on have no next one, not even an int64
};

/// What a loop hands from one iteration to the next.
using Carried = std::vector<llvm::Value*>;

/// Emits a region of an instruction, by its number there.
using Inside = std::function<void(int region)>;

}  // namespace tessera::codegen
