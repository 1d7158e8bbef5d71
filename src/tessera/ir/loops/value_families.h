/// The functions of values of each CPU level, by family.
#pragma once

#include "tessera/ir/loops/families.h"
#include "tessera/ir/value_function.h"

namespace tessera::ir {

#define TESSERA_DECLARE_VALUE_LEVEL(level)                        \
  namespace level {                                               \
  ValueFunction find_exponential_values(Opcode op, DType type);   \
  ValueFunction find_trigonometric_values(Opcode op, DType type); \
  ValueFunction find_hyperbolic_values(Opcode op, DType type);    \
  ValueFunction find_special_values(Opcode op, DType type);       \
  ValueFunction find_values(Opcode op, DType type);               \
  }

TESSERA_DECLARE_VALUE_LEVEL(level_v2)
#ifndef TESSERA_WITHOUT_LEVEL_3
TESSERA_DECLARE_VALUE_LEVEL(level_v3)
#endif
#ifndef TESSERA_WITHOUT_LEVEL_4
TESSERA_DECLARE_VALUE_LEVEL(level_v4)
#endif
#undef TESSERA_DECLARE_VALUE_LEVEL

}  // namespace tessera::ir
