#include "tessera/engine/device/ranks/shared_events.h"

namespace tessera::engine {

void SharedEvents::add(const Watch& watch, uint32_t happened, RunWindow& window) {
  const auto [at, is_new] = numbers_.try_emplace({watch.name, watch.events, watch.site}, words_.size());
  if (is_new) {
    watches_.emplace_back(watch, &window);
    words_.push_back(0);
  }
  words_[at->second] |= happened;
  is_due_ = true;
}

void SharedEvents::raise(const FloatReport& report) {
  for (size_t k = 0; k < words_.size(); ++k) {
    const Watch& watch = watches_[k].first;
    if (watch.name == report.op && watch.site == report.site) words_[k] |= report.events & watch.events;
  }
}

void SharedEvents::report() {
  for (size_t k = 0; k < words_.size(); ++k) {
    if (words_[k]) watches_[k].second->report(watches_[k].first, words_[k]);
    words_[k] = 0;
  }
  is_due_ = false;
}

}  // namespace tessera::engine
