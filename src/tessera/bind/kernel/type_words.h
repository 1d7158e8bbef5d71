/// Words that tell the types of arguments apart, so that a known list of them is found by comparing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/layout/dtype.h"

namespace tessera::bind {

enum class ArgumentKind : uint32_t { scalar, array, tuple, none };

inline uint32_t type_word(ArgumentKind kind, DType dtype, size_t axes_or_elements) {
  return static_cast<uint32_t>(kind) << 28 | static_cast<uint32_t>(dtype) << 20 |
         static_cast<uint32_t>(axes_or_elements);
}

}  // namespace tessera::bind
