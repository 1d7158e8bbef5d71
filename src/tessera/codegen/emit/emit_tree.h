/// Emitter::Tree: what the walks over one pairwise fold carry, on one thread or on a team of them.
#pragma once

#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

inline constexpr int64_t chunk_size = 8192;
inline constexpr int64_t leaves_at_once = 4;

/// Everything the walk over one tree carries.
struct Emitter::Tree {
  ir::Value reduction;
  ir::ReduceKind kind;
  DType dtype;
  llvm::Type* type;
  int64_t width;  // partial sums of a leaf
  int64_t leaf;   // most elements of a leaf
  llvm::Value *position = nullptr, *depth = nullptr, *rights = nullptr, *lefts = nullptr, *buffer = nullptr;
  bool is_plain = false;               // elements lie next to each other in memory
  const Schedule* elements = nullptr;  // how elements with long functions are computed

  int64_t block() const { return leaf * leaves_at_once; }
};

}  // namespace tessera::codegen
