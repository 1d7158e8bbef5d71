/// repeat: repeats each block of an array.
#pragma once

#include <cstdint>

namespace tessera::library {

/// The block of block_bytes at data[o, k] is written counts[k] times (counts[0] if one_count) to out, which is
/// contiguous, in order of o and k. Counts are not negative.
void repeat(const char* data, int64_t outer, int64_t n, int64_t block_bytes, const int64_t* counts, bool one_count,
            char* out);

}  // namespace tessera::library
