/// Hash: a 64-bit running hash for structural keys.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera {

class Hash {
 public:
  Hash& add(uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15ull;
    state_ ^= state_ >> 32;
    return *this;
  }
  Hash& add(std::string_view text) {
    for (char c : text) add(static_cast<uint8_t>(c));
    return add(text.size());
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0x2545F4914F6CDD1Dull;
};

}  // namespace tessera
