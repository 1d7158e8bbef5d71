/// cpu_level: the x86-64 feature level that this process may use.
#pragma once

namespace tessera {

/// 2, 3 or 4 for x86-64-v2, v3, v4; the variable TESSERA_CPU_LEVEL can lower it. Determined once per process.
int cpu_level();

}  // namespace tessera
