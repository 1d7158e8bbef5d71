/// How hashes of keys are mixed: by compiled code and by what makes tables of Python's dicts and sets, alike.
#pragma once

#include <cstdint>

namespace tessera::kernel {

constexpr uint64_t hash_factor = 0x9e3779b97f4a7c15u, hash_seed = 0x345678u, hash_step = 31, hash_shift = 32;

/// Spreads what tells numbers apart over the lower bits.
constexpr uint64_t mixed_hash(uint64_t bits) {
  const uint64_t product = bits * hash_factor;
  return product ^ (product >> hash_shift);
}

}  // namespace tessera::kernel
