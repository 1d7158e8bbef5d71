/// Tree: the fixed tree of one pairwise reduction, on one thread or on a team of threads.
#pragma once

#include "tessera/codegen/emit/emitter_part.h"
#include "tessera/lanes/schedule/schedule.h"

namespace tessera::codegen {

inline constexpr int64_t chunk_size = 8192;
inline constexpr int64_t leaves_at_once = 4;

/// The state of the traversal of one tree.
struct Tree {
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

}  // namespace tessera::codegen
