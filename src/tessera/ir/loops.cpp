#include "tessera/ir/loops.h"

#include <cstdlib>

#include "tessera/ir/loops/families.h"

namespace tessera::ir {

namespace {

struct Level {
  const char* name;
  Loop (*find)(Opcode, DType, DType);
  ReduceLoop (*find_reduce)(ReduceKind, ReduceOrder, DType);
  decltype(&find_events) events;
};

constexpr Level levels[] = {
    {"x86-64-v2", level_v2::find, level_v2::find_reduce, level_v2::events},
    {"x86-64-v3", level_v3::find, level_v3::find_reduce, level_v3::events},
    {"x86-64-v4", level_v4::find, level_v4::find_reduce, level_v4::events},
};

int supported_level() {
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? 4 : v3 ? 3 : 2;
}

const Level& active_level() {
  static const Level& active = [] -> const Level& {
    int level = supported_level();
    if (const char* wish = std::getenv("TESSERA_CPU_LEVEL")) {
      const int lower = std::atoi(wish);
      if (lower >= 2 && lower < level) level = lower;
    }
    return levels[level - 2];
  }();
  return active;
}

}  // namespace

Loop find_loop(Opcode op, DType operand, DType result) { return active_level().find(op, operand, result); }

ReduceLoop find_reduce_loop(ReduceKind kind, ReduceOrder order, DType type) {
  return active_level().find_reduce(kind, order, type);
}

uint32_t find_events(ErrorRule rule, DType operand_type, DType result_type, const char* result, int64_t result_stride,
                     const char* a, int64_t a_stride, const char* b, int64_t b_stride, int64_t n) {
  return active_level().events(rule, operand_type, result_type, result, result_stride, a, a_stride, b, b_stride, n);
}

const char* loop_target() { return active_level().name; }

}  // namespace tessera::ir
