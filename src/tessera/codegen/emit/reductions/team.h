/// What the parts of a team's reduction of one chunk share.
#pragma once

#include "tessera/codegen/emit/reductions/teams.h"

namespace tessera::codegen {

/// The state shared by the parts of a team's reduction of one chunk; all integers but `begin` are 32 bits wide.
struct Teams::Team {
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
struct Teams::SetSum {
  llvm::Value *sum, *splits;
};

}  // namespace tessera::codegen
