/// Words: the unsigned words as which elements of any type are moved.
#pragma once

#include "tessera/layout/dtype.h"

namespace tessera::routines {

struct Words {
  DType word;
  int64_t each;  // words per element
  explicit Words(DType dtype) : word(word_of(itemsize(dtype))), each((itemsize(dtype) + 7) / 8) {}
  static DType word_of(int64_t size) {
    return size == 1 ? DType::uint8 : size == 2 ? DType::uint16 : size == 4 ? DType::uint32 : DType::uint64;
  }
};

}  // namespace tessera::routines
