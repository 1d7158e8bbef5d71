/// What a device has that LLVM has no common words for: the numbers of threads and blocks, meeting points, fences and
/// hints. Each target implements it in a folder of its own.
#pragma once

#include <cstdint>

#include <llvm/IR/IRBuilder.h>

#include "tessera/ir/kernel.h"

namespace tessera::codegen::device {

using Builder = llvm::IRBuilder<>;

/// Coordinates of a thread and the sizes of its grid, in the order of a kernel's six axes.
enum class GridNumber : uint8_t {
  block_z,
  block_y,
  block_x,
  thread_z,
  thread_y,
  thread_x,
  blocks_z,
  blocks_y,
  blocks_x,
  threads_z,
  threads_y,
  threads_x,
};
/// An i32.
llvm::Value* grid_number(Builder& b, GridNumber number);

/// What the registers of a kernel are allotted for.
enum class Limit : uint8_t { threads, registers, blocks, cluster };
void set_limit(llvm::Function& kernel, Limit limit, int value);

/// Of all threads of a block: how many, or whether any, have the condition.
void barrier(Builder& b);
llvm::Value* barrier_count(Builder& b, llvm::Value* condition);
llvm::Value* barrier_any(Builder& b, llvm::Value* condition);
/// Of all threads of all blocks of a cooperative launch.
void grid_barrier(Builder& b);

/// Of the threads of a warp that a mask names.
void warp_barrier(Builder& b, llvm::Value* mask);
llvm::Value* ballot(Builder& b, llvm::Value* mask, llvm::Value* condition);
llvm::Value* any_in_warp(Builder& b, llvm::Value* condition);
llvm::Value* match_any(Builder& b, llvm::Value* mask, llvm::Value* word);
llvm::Value* match_byte(Builder& b, llvm::Value* word);
llvm::Value* active_mask(Builder& b);
/// A 32-bit word; `clamp`: the segment's lanes and the bound, as PTX has them.
llvm::Value* shuffle(Builder& b, ir::ShuffleKind kind, llvm::Value* mask, llvm::Value* word, llvm::Value* which,
                     llvm::Value* clamp);

void fence(Builder& b, ir::FenceScope scope);
void pause(Builder& b, llvm::Value* nanoseconds);
/// Until the launch before this one is done; the next one may then begin.
void wait_for_launch_before(Builder& b);

/// Starts of Newton's steps.
llvm::Value* guess_reciprocal(Builder& b, llvm::Value* x);    // of a double
llvm::Value* guess_inverse_root(Builder& b, llvm::Value* x);  // of a float
/// Four bytes of two words.
llvm::Value* permute_bytes(Builder& b, llvm::Value* x, llvm::Value* y, uint32_t selector);
/// An atomic increment or decrement of a 32-bit word in a circle.
llvm::Value* count_in_circle(Builder& b, bool is_increment, llvm::Value* address, llvm::Value* limit);
/// Accesses of so many bytes that say which caches should keep the line; the word of a byte has 16 bits.
llvm::Value* load_hinted(Builder& b, uint8_t hint, llvm::Value* address, unsigned bytes);
void store_hinted(Builder& b, uint8_t hint, llvm::Value* address, llvm::Value* word, unsigned bytes);

/// Whether the module's code is for the device.
bool is_of_device(const llvm::Module& module);
/// Final rewrites, where the target's back end would generate longer code:
/// - The sign of a double is changed by bit operations on one word, not by arithmetic and selects.
/// - Doubles whose lower half is not 0 are loaded from constant memory: as immediates, the device builds each one with
/// two moves before every use.
void rewrite(llvm::Module& module);

}  // namespace tessera::codegen::device
