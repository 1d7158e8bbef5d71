#include "tessera/base/cpu_level.h"

#include <cstdlib>

namespace tessera {

namespace {

int supported_level() {
  __builtin_cpu_init();
  bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
            __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt");
  bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  return v4 ? 4 : v3 ? 3 : 2;
}

}  // namespace

int cpu_level() {
  static const int level = [] {
    int supported = supported_level();
    const char* wish = std::getenv("TESSERA_CPU_LEVEL");
    int wanted = wish ? std::atoi(wish) : 0;
    return wanted >= 2 && wanted < supported ? wanted : supported;
  }();
  return level;
}

}  // namespace tessera
