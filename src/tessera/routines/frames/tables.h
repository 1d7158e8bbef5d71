/// Tables that find the code of a key. Blocks of keys are looked up in steps, so that loads overlap: fetch the slots,
/// guess the codes, then look whether they are right.
#pragma once

#include <cstdint>

#include "tessera/routines/frames/buffer.h"

namespace tessera::routines::frames {

/// For numbers that are all within a short range.
class DenseTable {
 public:
  explicit DenseTable(uint64_t width) : codes_(width + 1, -1) {}
  static uint64_t hash_of(uint64_t number) { return number; }
  /// The code of the number, which is `next` if the number is new.
  int64_t find_or_insert(uint64_t number, uint64_t, int64_t next) {
    int32_t& code = codes_[number];
    if (code < 0) code = static_cast<int32_t>(next);
    return code;
  }
  /// -1 if there is none.
  int64_t find(uint64_t number, uint64_t) const { return number < codes_.size() ? codes_[number] : -1; }
  void fetch(uint64_t number) const {
    if (codes_.size() > (1 << 18)) __builtin_prefetch(codes_.data() + (number < codes_.size() ? number : 0));
  }
  int64_t guess(uint64_t number) const { return find(number, number); }
  bool is_right(int64_t, uint64_t) const { return true; }

 private:
  PooledVector<int32_t> codes_;
};

/// By hash, with open addresses. A slot has the code and bits of the hash; keys stand by their codes.
template <class Keys>
class HashTable {
 public:
  using Image = typename Keys::Image;
  explicit HashTable(const Keys& keys) : keys_(&keys), slots_(1 << 12, 0) {}

  uint64_t hash_of(const Image& image) const { return keys_->hash_of(image); }
  /// `hash` is that of the image.
  int64_t find_or_insert(const Image& image, uint64_t hash, int64_t next) {
    if (2 * static_cast<size_t>(next) >= slots_.size()) grow();
    uint64_t& slot = slots_[place_of(image, hash)];
    if (slot != 0) return code_of(slot);
    slot = slot_with(hash, next);
    images_.resize(next + 1);
    images_[next] = image;
    return next;
  }
  int64_t find(const Image& image, uint64_t hash) const { return code_of(slots_[place_of(image, hash)]); }
  void fetch(uint64_t hash) const { __builtin_prefetch(slots_.data() + (hash & (slots_.size() - 1))); }
  /// The code in the first slots that the key may have, if it may be the key's, which is then fetched; else -1.
  int64_t guess(uint64_t hash) const {
    const size_t mask = slots_.size() - 1;
    for (size_t at = hash; at < hash + guessed_slots; ++at) {
      const uint64_t slot = slots_[at & mask];
      if (slot == 0) return -1;
      if ((slot ^ hash) >> code_bits) continue;
      __builtin_prefetch(images_.data() + code_of(slot));
      return code_of(slot);
    }
    return -1;
  }
  bool is_right(int64_t code, const Image& image) const { return keys_->match(images_[code], image); }

 private:
  static constexpr size_t guessed_slots = 6;  // mostly in the line that was fetched
  static constexpr int code_bits = 40;        // of a slot; above them are the hash's
  static constexpr uint64_t code_mask = (uint64_t{1} << code_bits) - 1;
  static uint64_t slot_with(uint64_t hash, int64_t code) {
    return (hash & ~code_mask) | static_cast<uint64_t>(code + 1);
  }
  static int64_t code_of(uint64_t slot) { return static_cast<int64_t>(slot & code_mask) - 1; }

  /// Of the key's slot, or of the empty one where it belongs.
  size_t place_of(const Image& image, uint64_t hash) const {
    const size_t mask = slots_.size() - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
      const uint64_t slot = slots_[at];
      if (slot == 0 || ((slot ^ hash) >> code_bits == 0 && is_right(code_of(slot), image))) return at;
    }
  }
  void grow() {
    PooledVector<uint64_t> old(4 * slots_.size(), 0);
    old.swap(slots_);
    const size_t mask = slots_.size() - 1;
    for (const uint64_t slot : old) {
      if (slot == 0) continue;
      size_t at = hash_of(images_[code_of(slot)]) & mask;
      while (slots_[at] != 0) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  const Keys* keys_;
  PooledVector<uint64_t> slots_;
  PooledVector<Image> images_;
};

}  // namespace tessera::routines::frames
