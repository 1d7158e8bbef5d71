/// Target: the facts of a device that mappings depend on, as plain data.
#pragma once

#include <cstdint>

namespace tessera::mapping {

struct Target {
  int warp = 32;                    // lanes of the IR's warps, whatever the hardware's have
  int threads = 256;                // of a block, unless a mapping needs another number
  int64_t shared_bytes = 48 << 10;  // that every block may declare
  int64_t registers = 65536;        // of a multiprocessor, of 32 bits
  int64_t most_blocks = 65535;      // along y and along z
  friend bool operator==(const Target&, const Target&) = default;
};

}  // namespace tessera::mapping
