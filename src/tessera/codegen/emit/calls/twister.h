/// Draws from a Mersenne twister where its words lie, without a call as long as words are left.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <functional>
#include <span>

namespace tessera::codegen {

/// What the host's function of this number gives for these words, where it is one that draws from a twister; else null.
/// `ask` calls the host where not enough words are left.
llvm::Value* emit_twister_draw(llvm::IRBuilderBase& b, llvm::Function* function, uint32_t number,
                               std::span<llvm::Value* const> words, const std::function<llvm::Value*()>& ask);

}  // namespace tessera::codegen
