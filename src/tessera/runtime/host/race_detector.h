/// What a race detector must be told: oneTBB is not built with it, so the order that it imposes cannot be seen.
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define TESSERA_RACE_DETECTOR 1
#endif
#endif

namespace tessera::runtime {

/// What this thread did so far happens before what follows `happens_after` of the same address.
inline void happens_before([[maybe_unused]] void* address) {
#ifdef TESSERA_RACE_DETECTOR
  __tsan_release(address);
#endif
}
inline void happens_after([[maybe_unused]] void* address) {
#ifdef TESSERA_RACE_DETECTOR
  __tsan_acquire(address);
#endif
}

}  // namespace tessera::runtime
