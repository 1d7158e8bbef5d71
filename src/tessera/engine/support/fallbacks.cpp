#include "tessera/engine/support/fallbacks.h"

#include <algorithm>

#include "tessera/profile/counters.h"

namespace tessera::engine {

void Fallbacks::note(const std::string& what, const std::string& message) {
  profile::add(profile::Counter::device_fallbacks);
  if (std::ranges::find(reasons_, what) != reasons_.end()) return;
  reasons_.push_back(what);
  notices_.push_back(message);
}

}  // namespace tessera::engine
