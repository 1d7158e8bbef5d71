/// Non-temporal copies and prefetches, which compiled code calls for the arrays that a kernel streams.
#pragma once

#include <cstdint>

namespace tessera::lanes {

using StreamCopy = void (*)(char* to, const char* from, int64_t bytes);
/// The copy for x86-64-v<level>: whole cache lines of `to` are written by non-temporal stores, the bytes before and
/// after them by ordinary ones.
StreamCopy stream_copy(int level);

/// Orders non-temporal stores before any later store that signals their completion.
void fence_streams();

/// Prefetches memory that will be read soon; the addresses need not be valid.
void prefetch(const char* from, int64_t bytes);

}  // namespace tessera::lanes
