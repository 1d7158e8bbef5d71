#include <algorithm>

#include "tessera/ir/loops.h"

#include "tessera/base/cpu_level.h"
#include "tessera/ir/loops/value_families.h"

namespace tessera::ir {

namespace {

struct Level {
  Loop (*find)(Opcode, DType, DType);
  ReduceLoop (*find_reduce)(ReduceKind, ReduceOrder, DType);
  decltype(&find_events) events;
  ValueFunction (*find_values)(Opcode, DType);
};

constexpr Level levels[] = {
    {level_v2::find, level_v2::find_reduce, level_v2::events, level_v2::find_values},
    {level_v3::find, level_v3::find_reduce, level_v3::events, level_v3::find_values},
    {level_v4::find, level_v4::find_reduce, level_v4::events, level_v4::find_values},
};

const Level& active_level() { return levels[cpu_level() - 2]; }

}  // namespace

Loop find_loop(Opcode op, DType operand, DType result) { return active_level().find(op, operand, result); }

ReduceLoop find_reduce_loop(ReduceKind kind, ReduceOrder order, DType type) {
  return active_level().find_reduce(kind, order, type);
}

uint32_t find_events(ErrorRule rule, DType operand_type, DType result_type, const char* result, int64_t result_stride,
                     const char* a, int64_t a_stride, const char* b, int64_t b_stride, int64_t n) {
  return active_level().events(rule, operand_type, result_type, result, result_stride, a, a_stride, b, b_stride, n);
}

ValueFunction find_value_function(Opcode op, DType type, int level) {
  return levels[std::min(level, cpu_level()) - 2].find_values(op, type);
}

}  // namespace tessera::ir
