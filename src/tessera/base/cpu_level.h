/// cpu_level: which x86-64 feature level this process may use.
#pragma once

namespace tessera {

/// 2, 3 or 4 for x86-64-v2, v3, v4; TESSERA_CPU_LEVEL lowers it. Decided once.
int cpu_level();

}  // namespace tessera
