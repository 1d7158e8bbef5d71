#include "tessera/engine/device/run/replays.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "tessera/base/hash.h"
#include "tessera/profile/counters.h"

namespace tessera::engine {

std::vector<uint64_t> scalars_of(const plan::Plan& plan, const plan::Request& request) {
  std::vector<uint64_t> scalars;
  for (const plan::Step& step : plan.steps) {
    for (const plan::NodeRef& from : step.kernel.scalars) {
      uint64_t words[2];
      std::memcpy(words, request.node(from.node).inputs[from.input].scalar, sizeof words);
      scalars.insert(scalars.end(), words, words + 2);
    }
  }
  return scalars;
}

static uint64_t hash_of(const std::vector<uint64_t>& key) {
  SumHash hash;
  for (const uint64_t word : key) hash.add(word);
  return hash.value();
}

void Replays::run(runtime::Stream& stream, ReplayKey key, const std::function<void()>& work,
                  const std::function<void()>& write,
                  const std::function<std::unique_ptr<runtime::Replay>()>& capture) {
  const auto known = std::ranges::find_if(known_, [&](const Known& one) { return one.key.places == key.places; });
  if (known != known_.end()) {
    Known one = std::move(*known);  // which is gone where rewriting it fails halfway
    known_.erase(known);
    if (one.key.scalars == key.scalars || stream.rewrite(*one.work, write)) {
      one.key.scalars = std::move(key.scalars);
      stream.replay(*one.work);
      ++captures_left_;
      profile::add(profile::Counter::device_replays);
      known_.push_back(std::move(one));
      return;
    }
  }
  const uint64_t hash = hash_of(key.places);
  const bool was_seen = std::ranges::find(seen_, hash) != seen_.end();
  if (!was_seen || captures_left_ <= 0) {
    seen_[next_seen_++ % seen_.size()] = hash;
    return work();
  }
  captures_left_ -= 2;  // a capture costs as much time as two replays save
  std::unique_ptr<runtime::Replay> written = capture();
  if (!written) {
    captures_left_ = std::numeric_limits<int>::min() / 2;
    return work();
  }
  stream.replay(*written);
  if (known_.size() >= ReplayLimits::most_known) known_.erase(known_.begin());
  known_.push_back({std::move(key), std::move(written)});
}

}  // namespace tessera::engine
