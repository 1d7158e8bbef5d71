/// StreamWords: the words of NumPy's bit generators in kernels, each block of threads from where its own begin.
#pragma once

#include <functional>

#include "tessera/routines/dense.h"
#include "tessera/routines/word_arithmetic.h"

namespace tessera::routines {

/// What makes the words of a stream on a device.
enum class WordSource : uint8_t { pcg64, pcg64dxsm, philox, memory };

constexpr int draw_threads = 256;         // of a block
constexpr int64_t draw_words = 4096;      // of a block
constexpr int64_t draw_words_ahead = 64;  // that a block makes of the next one: a draw may end there
constexpr int jump_levels = 4;            // of radix 256: the thread's words, then the digits of the block's number
constexpr int64_t jump_rows = 256;

class StreamWords {
 public:
  /// Declares the buffer and the scalars that the source needs: PCG64 a table of jumps, and the state at word 0, the
  /// factor and the offset of draw_threads steps as words, the higher first; Philox the counter, whose number is that
  /// of words to skip, and the key; memory the words, and their number.
  StreamWords(Dense& d, WordSource source);

  using Take = std::function<void(ir::Value at, ir::Value word)>;
  /// take(at, word) for the first `count` words of a block; whole rows of draw_threads are taken by all threads.
  void each(ir::Value block, int64_t count, const Take& take);

 private:
  struct Wide {
    ir::Value high, low;
  };

  ir::Value word() { return d_.b.cast(d_.number(), DType::uint64); }
  Wide wide() {
    const ir::Value high = word();
    return {high, word()};
  }
  Wide multiply(Wide x, Wide y) const;
  Wide add(Wide x, Wide y) const;
  Wide step(Wide state, Wide factor, Wide offset) const { return add(multiply(state, factor), offset); }
  Wide jump(Wide state, int level, ir::Value row);
  ir::Value output(Wide state) const;
  void each_of_pcg(ir::Value block, int64_t count, const Take& take);
  std::array<ir::Value, 4> philox(ir::Value number) const;
  void each_of_philox(ir::Value block, int64_t count, const Take& take);
  void each_of_memory(ir::Value block, int64_t count, const Take& take);

  Dense& d_;
  const WordSource source_;
  const uint32_t buffer_;
  const WordArithmetic w_;
  Wide state_{}, factor_{}, offset_{};
  std::array<ir::Value, 4> counter_{};
  std::array<ir::Value, 2> key_{};
  ir::Value skipped_ = 0, available_ = 0;
};

}  // namespace tessera::routines
