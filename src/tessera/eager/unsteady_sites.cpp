#include "tessera/eager/unsteady_sites.h"

namespace tessera::eager {

UnsteadySites& UnsteadySites::instance() {
  static UnsteadySites sites;
  return sites;
}

void UnsteadySites::suspect(Entry& entry, uint64_t site) {
  if (entry.site != site) {
    with_turns_ -= entry.turns > 0;
    entry = {.site = site};
  }
  watched_ = watch;
  if (entry.window == window_) return;
  entry.window = window_;
  if (++entry.misses < patience) return;
  with_turns_ += entry.turns == 0;
  entry.misses = 0;
  entry.turns = turns;
}

}  // namespace tessera::eager
