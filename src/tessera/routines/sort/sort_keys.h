/// SortKeys: elements encoded in a kernel as unsigned words whose order is the sort order, as library/host/sort_keys.h
/// defines it.
#pragma once

#include "tessera/routines/dense.h"

namespace tessera::routines {

/// While elements are moved, -0.0 and 0.0 keep distinct words, which joined() maps to one; all NaNs are one word.
class SortKeys {
 public:
  SortKeys(ir::Builder& b, DType element) : b_(b), element_(element) {}

  static DType word_of(DType element) {
    const int64_t size = itemsize(element);
    return size == 1 ? DType::uint8 : size == 2 ? DType::uint16 : size == 4 ? DType::uint32 : DType::uint64;
  }
  DType word() const { return word_of(element_); }
  int bits() const { return static_cast<int>(8 * itemsize(element_)); }

  ir::Value constant(uint64_t bits) { return b_.constant(Scalar::of_uint(word(), bits)); }
  /// The largest word: sorts after all elements.
  ir::Value last() { return constant(all()); }
  ir::Value encode(ir::Value bits) {
    if (is_boolean(element_)) return b_.select(b_.ne(bits, constant(0)), constant(1), constant(0));
    if (is_signed_integer(element_)) return b_.bit_xor(bits, constant(sign()));
    if (!is_floating(element_)) return bits;
    const ir::Value negative = b_.ne(b_.bit_and(bits, constant(sign())), constant(0));
    const ir::Value key = b_.bit_xor(bits, b_.select(negative, last(), constant(sign())));
    return b_.select(b_.gt(b_.bit_and(bits, constant(all() ^ sign())), constant(infinity())), last(), key);
  }
  ir::Value joined(ir::Value key) {
    if (!is_floating(element_)) return key;
    return b_.select(b_.eq(key, constant(sign() - 1)), constant(sign()), key);
  }
  ir::Value decode(ir::Value key) {
    if (is_signed_integer(element_)) return b_.bit_xor(key, constant(sign()));
    if (!is_floating(element_)) return key;
    const ir::Value positive = b_.ne(b_.bit_and(key, constant(sign())), constant(0));
    const ir::Value bits = b_.bit_xor(key, b_.select(positive, constant(sign()), last()));
    return b_.select(b_.eq(key, last()), constant(infinity() | infinity() >> 1), bits);
  }

 private:
  uint64_t all() const { return ~uint64_t{0} >> (64 - bits()); }
  uint64_t sign() const { return uint64_t{1} << (bits() - 1); }
  uint64_t infinity() const {
    switch (element_) {
      case DType::float16: return 0x7C00;
      case DType::bfloat16: return 0x7F80;
      case DType::float32: return 0x7F800000;
      default: return 0x7FF0000000000000;
    }
  }

  ir::Builder& b_;
  DType element_;
};

}  // namespace tessera::routines
