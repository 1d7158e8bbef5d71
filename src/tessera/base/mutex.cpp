#include "tessera/base/mutex.h"

#ifdef TESSERA_DEBUG

namespace tessera {

// Not inline: the libraries share it.
int& locks_held() {
  static thread_local int held = 0;
  return held;
}

}  // namespace tessera

#endif
