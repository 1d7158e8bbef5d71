/// Addresses in words, as compiled functions have them, of headers of lists, dicts, sets and texts.
#pragma once

#include <cstdint>

namespace tessera::bind {

inline int64_t* words_at(int64_t address) {
  return reinterpret_cast<int64_t*>(static_cast<uintptr_t>(address) * sizeof(int64_t));
}

inline int64_t address_of(const int64_t* words) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(words) / sizeof(int64_t));
}

}  // namespace tessera::bind
