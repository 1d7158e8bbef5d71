/// Emitter::Tree and Emitter::Team: the state of the code generation of one pairwise reduction, on one thread or on a
/// team of threads.
#pragma once

#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

inline constexpr int64_t chunk_size = 8192;
inline constexpr int64_t leaves_at_once = 4;

/// The state of the traversal of one tree.
struct Emitter::Tree {
  ir::Value reduction;
  ir::Value imaginary;  // of a complex sum: the reduction of the imaginary parts, computed with it
  ir::ReduceKind kind;
  DType dtype;
  llvm::Type* type;  // of a sum: a vector of both parts where `imaginary` is set
  int64_t width;     // partial sums in a leaf
  int64_t leaf;      // the largest number of elements in a leaf
  llvm::Value *position = nullptr, *depth = nullptr, *rights = nullptr, *lefts = nullptr, *buffer = nullptr;
  bool is_plain = false;               // elements are contiguous in memory
  const Schedule* elements = nullptr;  // the lane loops and calls for elements with long functions

  bool has_parts() const { return imaginary != ir::no_value; }
  int64_t block() const { return leaf * leaves_at_once; }
};

/// The state shared by the parts of a team's reduction of one chunk; all integers but `begin` are 32 bits wide.
struct Emitter::Team {
  const Tree& tree;
  llvm::Value* begin;  // 64 bits: the chunk's first element
  llvm::Value* warp;
  llvm::Value* lane;                               // index of the thread in its warp
  llvm::Value* part = nullptr;                     // index of the thread among the leaf's `width` threads
  llvm::Value* group = nullptr;                    // the mask of the leaf's threads
  llvm::Value *sums = nullptr, *splits = nullptr;  // one for each set of slots
  llvm::Type* stored = nullptr;                    // the type of a sum in memory

  int width_bits() const { return tree.width == 8 ? 3 : 2; }
  int slot_bits() const { return 5 - width_bits(); }      // bits of a slot's index in its set
  int levels() const { return tree.width == 8 ? 6 : 7; }  // tree levels of a whole chunk, above its leaves
  uint32_t whole_splits() const { return static_cast<uint32_t>(chunk_size / tree.leaf - 1); }
};

/// The sum of each thread's slot in a set, and bit by bit whether the nodes above the slot are split.
struct Emitter::SetSum {
  llvm::Value *sum, *splits;
};

}  // namespace tessera::codegen
