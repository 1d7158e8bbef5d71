// DeviceRunner's event words: the floating-point events (status flags) that kernels raise, read when the host waits.
#include "tessera/engine/device/run/device_runner.h"

#include <algorithm>
#include <utility>

#include "tessera/base/hash.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/limits.h"

namespace tessera::engine {

using graph::Version;

namespace {

constexpr int64_t flag_words = 2 * ReplayLimits::shared_flag_words;  // words owned by plans follow the shared ones

}  // namespace

void DeviceRunner::reserve_flags(int64_t count) {
  if (count == 0) return;
  if (!flags_) {
    flags_ = device_.allocate(4 * flag_words);
    device_.stream().fill_zero(flags_->data(), 4 * flag_words);
  }
  if (flags_used_ + count > ReplayLimits::shared_flag_words) collect_events();
}

/// False when none are left.
bool DeviceRunner::reserve_own_flags(DevicePlan& bound) {
  if (bound.flag_count == 0 || bound.replays.first_flag >= 0) return true;
  if (own_flags_used_ + bound.flag_count > flag_words - ReplayLimits::shared_flag_words) return false;
  bound.replays.first_flag = ReplayLimits::shared_flag_words + own_flags_used_;
  own_flags_used_ += bound.flag_count;
  return true;
}

int64_t DeviceRunner::watch_flags(const plan::Plan& plan, DevicePlan& bound, const plan::Request& request,
                                  Recorder& window) {
  if (bound.flag_count == 0) return 0;
  Replays& own = bound.replays;
  int64_t first = own.first_flag;
  if (first < 0) {
    first = flags_used_;
    flags_used_ += bound.flag_count;
  } else {
    SumHash listeners;
    listeners.add(reinterpret_cast<uintptr_t>(&window));
    for (const plan::Step& step : plan.steps)
      for (const int32_t index : step.kernel.flag_nodes) listeners.add(request.node(index).site);
    const bool is_watched = own.collection == collections_;
    if (is_watched && own.listeners == listeners.value()) return first;
    if (is_watched) collect_events();  // earlier events belong to the nodes that watched before
    own.collection = collections_;
    own.listeners = listeners.value();
  }
  int64_t word = first;
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    if (!bound.steps[k].kernel && !bound.steps[k].is_taken) continue;
    for (const int32_t index : plan.steps[k].kernel.flag_nodes)
      pending_.push_back({word++, &window, Watch(request.node(index))});
  }
  return first;
}

std::vector<runtime::CopyOut> DeviceRunner::event_pieces(std::vector<uint32_t>& words) const {
  std::vector<runtime::CopyOut> pieces;
  if (pending_.empty()) return pieces;
  // First the shared words, then those owned by plans.
  words.resize(static_cast<size_t>(flags_used_ + own_flags_used_));
  const auto add = [&](int64_t at, int64_t first, int64_t count) {
    if (count > 0)
      pieces.push_back(
          {reinterpret_cast<char*>(words.data() + at), flags_->data() + 4 * first, static_cast<size_t>(4 * count)});
  };
  add(0, 0, flags_used_);
  add(flags_used_, ReplayLimits::shared_flag_words, own_flags_used_);
  return pieces;
}

void DeviceRunner::hand_out(const std::vector<uint32_t>& words) {
  answered_ = queued_;
  for (const Pending& entry : pending_) {
    const int64_t at = entry.word < ReplayLimits::shared_flag_words
                           ? entry.word
                           : entry.word - ReplayLimits::shared_flag_words + flags_used_;
    entry.window->report(entry.watch, words[static_cast<size_t>(at)]);
  }
  const bool any = std::any_of(words.begin(), words.end(), [](uint32_t word) { return word != 0; });
  const auto clear = [&](int64_t first, int64_t count) {
    if (any) device_.stream().fill_zero(flags_->data() + 4 * first, static_cast<size_t>(4 * count));
  };
  clear(0, flags_used_);
  clear(ReplayLimits::shared_flag_words, own_flags_used_);
  pending_.clear();
  flags_used_ = 0;
  ++collections_;
}

void DeviceRunner::collect_events() {
  if (!device_.is_usable()) pending_.clear();  // the events are lost
  if (pending_.empty()) return;
  std::vector<uint32_t> words;
  device_.stream().copy_out(event_pieces(words));
  hand_out(words);
}

void DeviceRunner::copy_to_host(Version& version, const UnlockHooks& hooks) {
  std::vector<uint32_t> words;
  const std::vector<runtime::CopyOut> pieces = event_pieces(words);
  const uint64_t queued = queued_, collection = collections_;
  const bool has_pieces = engine::copy_to_host(version, hooks, pieces) || pieces.empty();
  // While the lock was free, other threads may have queued work that shares the words, or collected the events.
  if (!has_pieces || queued != queued_ || collection != collections_) return collect_events();
  answered_ = queued_;
  if (!pending_.empty()) hand_out(words);
}

void DeviceRunner::synchronize() {
  if (device_.is_usable()) {
    device_.stream().synchronize();
    answered_ = queued_;
  }
  collect_events();
}

}  // namespace tessera::engine
