/// Poison: marks the pool's unused bytes as inaccessible for the address sanitizer, where it is built in.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define TESSERA_POISON 1
#endif
#endif

namespace tessera::runtime {

#ifdef TESSERA_POISON
/// Bytes after every block that belong to no array.
inline constexpr size_t red_zone = 64;
inline void forbid(const void* data, size_t nbytes) { __asan_poison_memory_region(data, nbytes); }
inline void allow(const void* data, size_t nbytes) { __asan_unpoison_memory_region(data, nbytes); }
#else
inline constexpr size_t red_zone = 0;
inline void forbid(const void*, size_t) {}
inline void allow(const void*, size_t) {}
#endif

}  // namespace tessera::runtime
