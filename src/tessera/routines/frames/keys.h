/// Keys of rows, as tables look for them. An image is what a table keeps of a key and compares; hash_of(image) is its
/// hash.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "tessera/routines/frames/codes.h"
#include "tessera/routines/frames/texts.h"
#include "tessera/routines/frames/words.h"

namespace tessera::routines::frames {

/// A bijection.
inline uint64_t mixed(uint64_t word) {
  word ^= word >> 32;
  word *= 0xd6e8feb86659fd93u;
  word ^= word >> 32;
  return word;
}

/// Numbers, each its own image.
struct NumberImages {
  using Image = uint64_t;
  static uint64_t hash_of(uint64_t image) { return mixed(image); }
  static bool match(uint64_t a, uint64_t b) { return a == b; }
};

struct WordKeys : NumberImages {
  std::span<const uint64_t> words;
  explicit WordKeys(std::span<const uint64_t> of) : words(of) {}
  int64_t size() const { return static_cast<int64_t>(words.size()); }
  uint64_t image(int64_t row) const { return words[row]; }
  bool is_null(int64_t row) const { return words[row] == null_word; }
  uint64_t head_in_order(int64_t row) const { return words[row]; }
};

/// Words whose table needs no hash.
struct DenseKeys : WordKeys {
  uint64_t least;
  DenseKeys(std::span<const uint64_t> of, uint64_t from) : WordKeys(of), least(from) {}
  uint64_t image(int64_t row) const { return words[row] - least; }
};

/// Integers whose table needs no hash.
template <class T>
struct IntegerKeys : NumberImages {
  std::span<const T> values;
  T least;
  IntegerKeys(std::span<const T> of, T from) : values(of), least(from) {}
  int64_t size() const { return static_cast<int64_t>(values.size()); }
  uint64_t image(int64_t row) const { return static_cast<uint64_t>(values[row]) - static_cast<uint64_t>(least); }
  bool is_null(int64_t) const { return false; }
  uint64_t head_in_order(int64_t row) const { return image(row); }
};

/// Several keys as one word, first key first: ((code0 * size1 + code1) * size2 + ...); null_word where one is missing.
struct CombinedKeys : NumberImages {
  std::span<const CodesView> keys;
  std::span<const int64_t> sizes;
  CombinedKeys(std::span<const CodesView> of, std::span<const int64_t> below) : keys(of), sizes(below) {}
  int64_t size() const { return keys.front().size(); }
  uint64_t image(int64_t row) const {
    uint64_t word;
    write_images(row, row + 1, &word);
    return word;
  }
  bool is_null(int64_t row) const {
    return std::ranges::any_of(keys, [&](const CodesView& codes) { return codes[row] < 0; });
  }
  uint64_t head_in_order(int64_t row) const { return image(row); }
  /// Of up to 256 rows.
  void write_images(int64_t begin, int64_t end, uint64_t* images) const {
    int64_t block[256], lost[256] = {};
    std::fill(images, images + (end - begin), 0);
    for (size_t key = 0; key < keys.size(); ++key) {
      const int64_t* codes = keys[key].read(begin, end, block);
      for (int64_t at = 0; at < end - begin; ++at) {
        images[at] = images[at] * static_cast<uint64_t>(sizes[key]) + static_cast<uint64_t>(codes[at]);
        lost[at] |= codes[at];
      }
    }
    for (int64_t at = 0; at < end - begin; ++at)
      if (lost[at] < 0) images[at] = null_word;
  }
};

/// What texts of any length share.
struct TextBytes {
  const TextsView& texts;
  int64_t size() const { return texts.size(); }
  int64_t begin_of(int64_t row) const { return texts.offsets[row]; }
  int64_t size_of(int64_t row) const { return texts.offsets[row + 1] - texts.offsets[row]; }
  std::string_view text(int64_t row) const { return {texts.data + begin_of(row), static_cast<size_t>(size_of(row))}; }
  bool is_null(int64_t row) const { return texts.is_null(row); }
  /// Of the first eight bytes.
  uint64_t head_in_order(int64_t row) const {
    return std::byteswap(low_bytes(begin_of(row), std::min<int64_t>(8, size_of(row))));
  }
  uint64_t word(int64_t at) const {
    uint64_t bytes;
    std::memcpy(&bytes, texts.data + at, sizeof(bytes));
    return bytes;
  }
  /// Up to eight bytes, the first one lowest, zeros behind. Bytes behind them are read and dropped, where there are
  /// any.
  uint64_t low_bytes(int64_t at, int64_t count) const {
    if (count == 0) return 0;
    const int unused = static_cast<int>(8 * (8 - count));
    if (at + 8 <= texts.offsets.back()) return word(at) << unused >> unused;
    uint64_t bytes = 0;
    std::memcpy(&bytes, texts.data + at, static_cast<size_t>(count));
    return bytes;
  }
};

/// Texts of up to seven bytes: bytes and size are the image.
struct ShortTextKeys : NumberImages, TextBytes {
  static constexpr int64_t largest = 7;
  explicit ShortTextKeys(const TextsView& of) : TextBytes{of} {}
  uint64_t image(int64_t row) const {
    return low_bytes(begin_of(row), size_of(row)) | static_cast<uint64_t>(size_of(row)) << 56;
  }
};

/// Texts of up to fifteen bytes.
struct MiddleTextKeys : TextBytes {
  static constexpr int64_t largest = 15;
  struct Image {
    uint64_t low = 0, high = 0;
    bool operator==(const Image&) const = default;
  };
  explicit MiddleTextKeys(const TextsView& of) : TextBytes{of} {}
  Image image(int64_t row) const {
    const int64_t begin = begin_of(row), count = size_of(row), low = std::min<int64_t>(8, count);
    return {low_bytes(begin, low), low_bytes(begin + low, count - low) | static_cast<uint64_t>(count) << 56};
  }
  static uint64_t hash_of(const Image& image) { return mixed(mixed(image.high) ^ image.low); }
  static bool match(const Image& a, const Image& b) { return a == b; }
};

struct TextKeys : TextBytes {
  struct Image {
    uint64_t hash = 0;
    int64_t row = 0;
  };
  explicit TextKeys(const TextsView& of) : TextBytes{of} {}
  Image image(int64_t row) const {
    const int64_t begin = begin_of(row), count = size_of(row);
    uint64_t result = static_cast<uint64_t>(count) * 0x9e3779b97f4a7c15u;
    if (count <= 8) return {mixed(result ^ low_bytes(begin, count)), row};
    for (int64_t at = 0; at + 8 < count; at += 8) result = mixed(result ^ word(begin + at));
    return {mixed(result ^ word(begin + count - 8)), row};  // the last word may overlap the one before
  }
  static uint64_t hash_of(const Image& image) { return image.hash; }
  bool match(const Image& a, const Image& b) const { return a.hash == b.hash && same(a.row, b.row); }
  bool same(int64_t a, int64_t b) const {
    const int64_t one = begin_of(a), other = begin_of(b), count = size_of(a);
    if (count != size_of(b)) return false;
    if (count <= 8) return low_bytes(one, count) == low_bytes(other, count);
    for (int64_t at = 0; at + 8 < count; at += 8)
      if (word(one + at) != word(other + at)) return false;
    return word(one + count - 8) == word(other + count - 8);
  }
};

}  // namespace tessera::routines::frames
