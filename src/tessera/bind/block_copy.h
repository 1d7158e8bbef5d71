/// BlockCopy: packs strided blocks of one shape into contiguous bytes and back, the inner step of gathers and scatters.
#pragma once

#include "tessera/layout/view.h"

namespace tessera::bind {

class BlockCopy {
 public:
  /// Shape and strides of the blocks; the view's offset does not matter.
  explicit BlockCopy(const View& block);
  /// Bytes one block takes when packed.
  int64_t nbytes() const { return nbytes_; }
  /// Whether a block's bytes lie together already.
  bool is_contiguous() const { return shape_.empty(); }
  void pack(const char* strided, char* packed) const;
  void unpack(char* strided, const char* packed) const;

 private:
  template <class Move>
  void walk(int64_t offset, size_t axis, int64_t& done, const Move& move) const;

  Dims shape_;  // axes left once the contiguous tail is one piece
  Dims strides_;
  int64_t piece_;
  int64_t nbytes_;
};

/// target[i] = source[offsets[i]] for elements of 1, 2, 4, 8 or 16 bytes; and the reverse.
void gather_elements(const char* source, const int64_t* offsets, int64_t n, int64_t itemsize, char* target);
void scatter_elements(char* target, const int64_t* offsets, int64_t n, int64_t itemsize, const char* source, int64_t step);

}  // namespace tessera::bind
