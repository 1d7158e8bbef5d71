/// The families of loops of each CPU level; find() of a level queries them in turn.
#pragma once

#include "tessera/ir/loops.h"

namespace tessera::ir {

#define TESSERA_DECLARE_LOOP_LEVEL(level)                                                                           \
  namespace level {                                                                                                 \
  Loop find(Opcode op, DType operand, DType result);                                                                \
  Loop find_float(Opcode op, DType operand);                                                                        \
  Loop find_float_test(Opcode op, DType operand);                                                                   \
  Loop find_exponential(Opcode op, DType operand);                                                                  \
  Loop find_trigonometric(Opcode op, DType operand);                                                                \
  Loop find_hyperbolic(Opcode op, DType operand);                                                                   \
  Loop find_special(Opcode op, DType operand);                                                                      \
  Loop find_integer(Opcode op, DType operand);                                                                      \
  Loop find_integer_division(Opcode op, DType operand);                                                             \
  Loop find_bits(Opcode op, DType operand);                                                                         \
  Loop find_comparison(Opcode op, DType operand);                                                                   \
  Loop find_cast(DType from, DType to);                                                                             \
  Loop find_move(Opcode op, DType operand, DType result);                                                           \
  ReduceLoop find_reduce(ReduceKind kind, ReduceOrder order, DType type);                                           \
  ReduceLoop find_integer_reduce(ReduceKind kind, ReduceOrder order, DType type);                                   \
  ReduceLoop find_float_extreme(ReduceKind kind, ReduceOrder order, DType type);                                    \
  uint32_t events(ErrorRule rule, DType operand_type, DType result_type, const char* result, int64_t result_stride, \
                  const char* a, int64_t a_stride, const char* b, int64_t b_stride, int64_t n);                     \
  }

TESSERA_DECLARE_LOOP_LEVEL(level_v2)
// A level that is not built (TESSERA_CPU_LEVELS) is another name of the lowest.
#ifdef TESSERA_WITHOUT_LEVEL_3
namespace level_v3 = level_v2;
#else
TESSERA_DECLARE_LOOP_LEVEL(level_v3)
#endif
#ifdef TESSERA_WITHOUT_LEVEL_4
namespace level_v4 = level_v2;
#else
TESSERA_DECLARE_LOOP_LEVEL(level_v4)
#endif
#undef TESSERA_DECLARE_LOOP_LEVEL

}  // namespace tessera::ir
