/// What CUDA's names of coordinates, shared memory and exchanged words become: reads of a launch and of a block's
/// state.
#pragma once

#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace tessera::codegen::cuda_cpp {

/// Marks a kernel's parameters whose values are given by address.
inline constexpr const char* by_value_attribute = "tessera_by_value";
/// What tells that an assertion fails: void(launch, block, thread, expression, file, line).
inline constexpr const char* fail_symbol = "tessera_cuda_fail";
/// What tells of a checked access: int(block, thread, address, bytes, base, length, kind, place, name, value).
inline constexpr const char* access_symbol = "tessera_cuda_access";
/// Of a division by zero, a return statement and a fence: void(block, thread, place).
inline constexpr const char* divisor_symbol = "tessera_cuda_divisor";
inline constexpr const char* return_symbol = "tessera_cuda_return";
inline constexpr const char* fence_symbol = "tessera_cuda_fence";

/// The pointers and numbers of module_record.h's BlockState, in their order there.
enum class BlockField : uint8_t { shared, context, uniform, states, published, visible, masks, votes, count, arrived };
enum class LaunchField : uint8_t { grid, block };

/// A field of the block's state; pointers never change while the code runs.
llvm::Value* load_field(llvm::IRBuilder<>& b, llvm::Value* state, BlockField field);
/// Along an axis.
llvm::Value* load_extent(llvm::IRBuilder<>& b, llvm::Value* launch, LaunchField field, unsigned axis);
/// The length of the arrays of what threads keep: their number, rounded up.
llvm::Value* load_rows(llvm::IRBuilder<>& b, llvm::Value* launch);
/// The values of a kernel's parameters: addresses of those that are passed by value.
std::vector<llvm::Value*> load_arguments(llvm::IRBuilder<>& b, const llvm::Function& kernel, llvm::Value* launch);

/// Replaces the calls of the headers' functions in the code of a thread, whose first parameters are the launch, the
/// block, the uniform values, the thread's coordinates and its number.
void replace_builtins(llvm::Function& thread);

}  // namespace tessera::codegen::cuda_cpp
