#include "tessera/library/unlocking.h"

namespace tessera::library {

static UnlockHooks& hooks_of_process() {
  static UnlockHooks hooks;
  return hooks;
}

void set_unlock_hooks(const UnlockHooks& hooks) { hooks_of_process() = hooks; }
const UnlockHooks& unlock_hooks() { return hooks_of_process(); }

}  // namespace tessera::library
