/// Tables that find the code of a key.
#pragma once

#include <cstdint>

#include "tessera/routines/frames/buffer.h"

namespace tessera::routines::frames {

/// For numbers that are all within a short range.
class DenseTable {
 public:
  explicit DenseTable(uint64_t width) : codes_(width + 1, -1) {}
  /// The code of the number, which is `next` if the number is new.
  int64_t find_or_insert(uint64_t number, int64_t next) {
    int32_t& code = codes_[number];
    if (code < 0) code = static_cast<int32_t>(next);
    return code;
  }
  /// -1 if there is none.
  int64_t find(uint64_t number) const { return number < codes_.size() ? codes_[number] : -1; }
  void prefetch(uint64_t number) const {
    if (codes_.size() > (1 << 18)) __builtin_prefetch(codes_.data() + (number < codes_.size() ? number : 0));
  }

 private:
  PooledVector<int32_t> codes_;
};

/// By hash, with open addresses.
template <class Keys>
class HashTable {
 public:
  using Image = typename Keys::Image;
  explicit HashTable(const Keys& keys) : keys_(&keys), slots_(1 << 12, Slot{}) {}
  int64_t find_or_insert(const Image& image, int64_t next) {
    if (2 * static_cast<size_t>(next) >= slots_.size()) grow();
    Slot& slot = slot_of(image);
    if (slot.code < 0) slot = {image, next};
    return slot.code;
  }
  int64_t find(const Image& image) const { return const_cast<HashTable*>(this)->slot_of(image).code; }
  void prefetch(const Image& image) const {
    __builtin_prefetch(slots_.data() + (keys_->hash_of(image) & (slots_.size() - 1)));
  }

 private:
  struct Slot {
    Image image{};
    int64_t code = -1;
  };

  /// The slot of the key, or the empty one where it belongs.
  Slot& slot_of(const Image& image) {
    const size_t mask = slots_.size() - 1;
    for (size_t at = keys_->hash_of(image) & mask;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.code < 0 || keys_->match(slot.image, image)) return slot;
    }
  }
  void grow() {
    PooledVector<Slot> old(4 * slots_.size(), Slot{});
    old.swap(slots_);
    const size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.code < 0) continue;
      size_t at = keys_->hash_of(slot.image) & mask;
      while (slots_[at].code >= 0) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  const Keys* keys_;
  PooledVector<Slot> slots_;
};

}  // namespace tessera::routines::frames
