/// Copies past the caches: what compiled code calls for the results a kernel streams.
#pragma once

#include <cstdint>

namespace tessera::codegen {

using StreamCopy = void (*)(char* to, const char* from, int64_t bytes);
/// The copy for x86-64-v<level>: whole aligned lines of `to` bypass the caches, what surrounds them does not.
StreamCopy stream_copy(int level);

}  // namespace tessera::codegen
