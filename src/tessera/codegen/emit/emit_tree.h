/// Emitter::Tree and Emitter::Team: what the walks over one pairwise fold carry, on one thread or on a team of them.
#pragma once

#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

inline constexpr int64_t chunk_size = 8192;
inline constexpr int64_t leaves_at_once = 4;

/// Everything the walk over one tree carries.
struct Emitter::Tree {
  ir::Value reduction;
  ir::Value imaginary;  // of a complex sum: the reduction of the imaginary parts, taken along
  ir::ReduceKind kind;
  DType dtype;
  llvm::Type* type;  // of a sum: a vector of both parts where `imaginary` is there
  int64_t width;     // partial sums of a leaf
  int64_t leaf;      // most elements of a leaf
  llvm::Value *position = nullptr, *depth = nullptr, *rights = nullptr, *lefts = nullptr, *buffer = nullptr;
  bool is_plain = false;               // elements lie next to each other in memory
  const Schedule* elements = nullptr;  // how elements with long functions are computed

  bool has_parts() const { return imaginary != ir::no_value; }
  int64_t block() const { return leaf * leaves_at_once; }
};

/// What the parts of one chunk's fold by a team hand to each other; all numbers but `begin` are 32 bits wide.
struct Emitter::Team {
  const Tree& tree;
  llvm::Value* begin;  // 64 bits: the chunk's first element
  llvm::Value* warp;
  llvm::Value* lane;                               // of the warp
  llvm::Value* part = nullptr;                     // of the leaf's `width` threads
  llvm::Value* group = nullptr;                    // the mask of those threads
  llvm::Value *sums = nullptr, *splits = nullptr;  // of the sets
  llvm::Type* stored = nullptr;                    // a sum, in memory

  int width_bits() const { return tree.width == 8 ? 3 : 2; }
  int slot_bits() const { return 5 - width_bits(); }      // of the slots in a set
  int levels() const { return tree.width == 8 ? 6 : 7; }  // of a whole chunk, from its leaves up
  uint32_t whole_splits() const { return static_cast<uint32_t>(chunk_size / tree.leaf - 1); }
};

/// The fold of each thread's slot in a set, and bit by bit whether the nodes above it are split.
struct Emitter::SetSum {
  llvm::Value *sum, *splits;
};

}  // namespace tessera::codegen
