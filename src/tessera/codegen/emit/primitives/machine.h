/// Machine: the properties of the target that code generation depends on.
#pragma once

#include <cstdint>

namespace tessera::codegen {

struct Machine {
  enum class Kind : uint8_t { host, device };
  Kind kind = Kind::host;
  int level = 2;                        // host: x86-64-v<level>; device: compute capability
  bool divides_long_by_floats = false;  // on a device: whether 64-bit integers are divided by way of floats
  bool keeps_nan_signs = true;          // on a device: whether casts between floats do, as on the host
  /// Whether conversions between float16 and float32 are single instructions.
  bool has_half_conversion() const { return kind == Kind::device || level >= 3; }
};

}  // namespace tessera::codegen
