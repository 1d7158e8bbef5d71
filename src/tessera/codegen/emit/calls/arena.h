/// New memory of functions that the host calls: small arrays are taken from KernelArguments' arena, without a call.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <functional>
#include <span>

namespace tessera::codegen {

/// What the host's function of this number gives for these words, where it is one that the arena serves; else null.
/// `ask` calls the host for what is left: large arrays, and new blocks.
llvm::Value* emit_arena_call(llvm::IRBuilderBase& b, llvm::Function* function, uint32_t number,
                             std::span<llvm::Value* const> words, const std::function<llvm::Value*()>& ask);

}  // namespace tessera::codegen
