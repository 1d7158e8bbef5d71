/// FloatEnvironment: sets round to nearest, denormals kept and no traps for its lifetime.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tessera::runtime {

/// Other libraries in the process disable denormals; results must not depend on that.
class FloatEnvironment {
 public:
#if defined(__x86_64__)
  FloatEnvironment() : saved_(_mm_getcsr()) {
    if ((saved_ & ~status_bits) != plain) _mm_setcsr(plain);
  }
  ~FloatEnvironment() {
    if ((saved_ & ~status_bits) != plain) _mm_setcsr(saved_);
  }

 private:
  static constexpr uint32_t status_bits = 0x3F;
  static constexpr uint32_t plain = 0x1F80;
  uint32_t saved_;
#else
  FloatEnvironment() {}
#endif

 public:
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;
};

}  // namespace tessera::runtime
