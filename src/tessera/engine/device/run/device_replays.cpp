// DeviceRunner's replays: runs of a plan captured as a single launch.
#include <algorithm>
#include <cstring>
#include <limits>

#include "tessera/base/hash.h"
#include "tessera/engine/device/memory/plan_memory.h"
#include "tessera/engine/device/run/device_runner.h"
#include "tessera/engine/device/run/part_order.h"
#include "tessera/engine/support/limits.h"
#include "tessera/profile/counters.h"

namespace tessera::engine {

using plan::Binding;
using plan::NodeRef;

namespace {

/// The addresses that a run uses.
std::vector<uint64_t> places_of(const plan::Plan& plan, const plan::Request& request, const auto& memory) {
  std::vector<uint64_t> places;
  for (const plan::Step& step : plan.steps) {
    for (const plan::CopyStep& copy : step.copies) {
      places.push_back(reinterpret_cast<uint64_t>(memory.data(copy.from)));
      places.push_back(reinterpret_cast<uint64_t>(memory.data(copy.to)));
      places.push_back(static_cast<uint64_t>(request.node(copy.node).offset));
    }
    for (const Binding& binding : step.kernel.buffers)
      places.push_back(reinterpret_cast<uint64_t>(memory.data(binding.slot) + offset_of(binding, request)));
  }
  return places;
}

/// The scalars of a run: with the addresses, all that distinguishes one run from another.
std::vector<uint64_t> scalars_of(const plan::Plan& plan, const plan::Request& request) {
  std::vector<uint64_t> scalars;
  for (const plan::Step& step : plan.steps) {
    for (const NodeRef& from : step.kernel.scalars) {
      uint64_t words[2];
      std::memcpy(words, request.node(from.node).inputs[from.input].scalar, sizeof words);
      scalars.insert(scalars.end(), words, words + 2);
    }
  }
  return scalars;
}

uint64_t hash_of(const std::vector<uint64_t>& key) {
  SumHash hash;
  for (const uint64_t word : key) hash.add(word);
  return hash.value();
}

}  // namespace

/// One launch takes the driver some microseconds, and a graph of many hardly more. A run on the same memory as an
/// earlier one, such as an iteration of a loop, is captured and then queued as a whole, with its scalars updated where
/// they differ. Independent parts run concurrently.
void DeviceRunner::queue_or_replay(const plan::Plan& plan, DevicePlan& bound, const PlanParts& parts,
                                   const plan::Request& request, PlanMemory& memory, int64_t flag) {
  Replays& replays = bound.replays;
  std::vector<uint64_t> places = places_of(plan, request, memory), scalars = scalars_of(plan, request);
  const auto work = [&] { queue(plan, bound, parts, request, memory, flag); };
  const auto known = std::find_if(replays.known.begin(), replays.known.end(),
                                  [&](const Replays::Known& k) { return k.places == places; });
  if (known != replays.known.end()) {
    const bool is_ready = known->scalars == scalars || device_.stream().rewrite(*known->work, work);
    has_launched_ = false;
    if (is_ready) {
      known->scalars = std::move(scalars);
      ++replays.captures_left;
      profile::add(profile::Counter::device_replays);
      return device_.stream().replay(*known->work);
    }
    replays.known.erase(known);
  }
  const uint64_t hash = hash_of(places);
  const bool was_seen = std::find(replays.seen.begin(), replays.seen.end(), hash) != replays.seen.end();
  if (!was_seen || replays.captures_left <= 0) {
    replays.seen[replays.next_seen++ % replays.seen.size()] = hash;
    return work();
  }
  replays.captures_left -= 2;  // a capture costs as much time as two replays save
  std::vector<std::vector<Touched>> touched;
  for (const plan::PlanPart& part : parts) touched.push_back(find_touched(plan, bound, part, request, memory));
  auto written = device_.stream().capture(work, order_parts(touched, device_.facts().cache / 8));
  has_launched_ = false;
  if (!written) {
    replays.captures_left = std::numeric_limits<int>::min() / 2;
    return work();
  }
  device_.stream().replay(*written);
  if (replays.known.size() >= ReplayLimits::most_known) replays.known.erase(replays.known.begin());
  replays.known.push_back({std::move(places), std::move(scalars), std::move(written)});
}

}  // namespace tessera::engine
