/// Copies past the caches and requests ahead of reads: what compiled code calls for the arrays a kernel streams.
#pragma once

#include <cstdint>

namespace tessera::lanes {

using StreamCopy = void (*)(char* to, const char* from, int64_t bytes);
/// The copy for x86-64-v<level>: whole aligned lines of `to` bypass the caches, what surrounds them does not.
StreamCopy stream_copy(int level);

/// Orders copies past the caches before whatever tells others that they are done.
void fence_streams();

/// Asks for memory that will be read soon; it need not exist.
void prefetch(const char* from, int64_t bytes);

}  // namespace tessera::lanes
