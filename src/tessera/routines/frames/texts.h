/// TextsView: a column of texts, in memory that others own.
#pragma once

#include <cstdint>
#include <span>

namespace tessera::routines::frames {

/// Texts as Arrow has them: text i is data[offsets[i], offsets[i + 1]).
struct TextsView {
  const char* data = nullptr;
  std::span<const int64_t> offsets;  ///< one more than there are texts
  const uint8_t* valid = nullptr;    ///< a bit each, from bit `first_bit` on; null: none is missing
  int64_t first_bit = 0;

  int64_t size() const { return static_cast<int64_t>(offsets.size()) - 1; }
  bool is_null(int64_t row) const {
    const int64_t bit = first_bit + row;
    return valid && !(valid[bit >> 3] >> (bit & 7) & 1);
  }
};

}  // namespace tessera::routines::frames
