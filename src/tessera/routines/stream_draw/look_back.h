/// LookBack: what blocks of a draw tell those behind them while all run: their numbers, and where their chains leave.
#pragma once

#include "tessera/routines/dense.h"

namespace tessera::routines {

/// Blocks must begin in order. Buffers, which are 0 before the launch: counts (int64), exits (uint32); a word of each a
/// block.
class LookBack {
 public:
  explicit LookBack(Dense& d) : d_(d), counts_(shared_words(DType::int64)), exits_(shared_words(DType::uint32)) {}

  /// Tells where the chain leaves this block, and waits for where that of the one before left: this block's entry, for
  /// all threads. The first block's is `first`.
  ir::Value entry_of(ir::Value block, ir::Value exit, ir::Value first);
  /// Tells this block's count; the sum of those of all blocks before, for all threads.
  ir::Value begin_of(ir::Value block, ir::Value count);

 private:
  uint32_t shared_words(DType dtype) {
    return d_.b.add_buffer({.dtype = dtype, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
  }
  /// The word of another block as it is now.
  ir::Value look(uint32_t buffer, ir::Value at) { return d_.b.load(buffer, std::span(&at, 1), ir::CacheHint::reread); }
  void tell(uint32_t buffer, ir::Value word, ir::Value at) {
    d_.b.atomic(ir::AtomicKind::exchange, buffer, word, std::span(&at, 1));
  }
  ir::Value sum_before(ir::Value block, ir::Value lane);

  Dense& d_;
  const uint32_t counts_, exits_;
};

}  // namespace tessera::routines
