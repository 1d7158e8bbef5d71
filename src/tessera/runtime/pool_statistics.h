/// PoolStatistics: counters of the memory that a pool holds and has handed out.
#pragma once

#include <cstdint>

namespace tessera::runtime {

struct PoolStatistics {
  int64_t bytes_in_use = 0;
  int64_t bytes_cached = 0;
  int64_t peak_bytes_in_use = 0;
  int64_t allocations = 0;
  int64_t reuses = 0;
};

}  // namespace tessera::runtime
