/// repeat: each block of an array several times over.
#pragma once

#include <cstdint>

namespace tessera::library {

/// Blocks of block_bytes lie at data[o, k]; block k is written counts[k] times (counts[0] when one_count) to out, which
/// is contiguous; outer slabs follow one another. Counts are not negative.
void repeat(const char* data, int64_t outer, int64_t n, int64_t block_bytes, const int64_t* counts, bool one_count,
            char* out);

}  // namespace tessera::library
