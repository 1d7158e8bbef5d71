/// Machine: what emission must know about where the code will run.
#pragma once

#include <cstdint>

namespace tessera::codegen {

struct Machine {
  enum class Kind : uint8_t { host, nvptx };
  Kind kind = Kind::host;
  int level = 2;                        // host: x86-64-v<level>; nvptx: compute capability
  bool divides_long_by_floats = false;  // integers of 64 bits, on a device
  /// Conversions between float16 and float32 are instructions.
  bool has_half_conversion() const { return kind == Kind::nvptx || level >= 3; }
};

}  // namespace tessera::codegen
