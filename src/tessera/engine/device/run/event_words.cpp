#include "tessera/engine/device/run/event_words.h"

#include <algorithm>
#include <utility>

#include "tessera/base/hash.h"
#include "tessera/engine/support/limits.h"

namespace tessera::engine {

namespace {

constexpr int64_t flag_words = 2 * ReplayLimits::shared_flag_words;  // words owned by plans follow the shared ones
constexpr int64_t unread_words = 256;                                // behind them

}  // namespace

void EventWords::reserve(int64_t count) {
  if (count == 0) return;
  if (!words_) {
    words_ = device_.allocate(4 * (flag_words + unread_words));
    device_.stream().fill_zero(words_->data(), 4 * flag_words);
  }
  if (used_ + count > ReplayLimits::shared_flag_words) collect();
}

const char* EventWords::unread(int64_t index, size_t count) const {
  return address(count <= static_cast<size_t>(unread_words) ? flag_words : index);
}

bool EventWords::reserve_own(DevicePlan& bound) {
  if (bound.flag_count == 0 || bound.own_events.first >= 0) return true;
  if (own_used_ + bound.flag_count > flag_words - ReplayLimits::shared_flag_words) return false;
  bound.own_events.first = ReplayLimits::shared_flag_words + own_used_;
  own_used_ += bound.flag_count;
  return true;
}

int64_t EventWords::watch(const plan::Plan& plan, DevicePlan& bound, const plan::Request& request, RunWindow& window) {
  if (bound.flag_count == 0) return 0;
  DevicePlan::OwnEvents& own = bound.own_events;
  int64_t first = own.first;
  if (first < 0) {
    first = used_;
    used_ += bound.flag_count;
  } else {
    SumHash listeners;
    listeners.add(reinterpret_cast<uintptr_t>(&window));
    for (const plan::Step& step : plan.steps)
      for (const int32_t index : step.kernel.flag_nodes) listeners.add(request.node(index).site);
    const bool is_watched = own.collection == collections_;
    if (is_watched && own.listeners == listeners.value()) return first;
    if (is_watched) collect();  // earlier events belong to the nodes that watched before
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

std::vector<runtime::CopyOut> EventWords::pieces(std::vector<uint32_t>& words) const {
  std::vector<runtime::CopyOut> copies;
  if (pending_.empty()) return copies;
  // First the shared words, then those owned by plans.
  words.resize(static_cast<size_t>(used_ + own_used_));
  const auto add = [&](int64_t at, int64_t first, int64_t count) {
    if (count > 0)
      copies.push_back(
          {reinterpret_cast<char*>(words.data() + at), words_->data() + 4 * first, static_cast<size_t>(4 * count)});
  };
  add(0, 0, used_);
  add(used_, ReplayLimits::shared_flag_words, own_used_);
  return copies;
}

void EventWords::hand_out(const std::vector<uint32_t>& words) {
  for (const Pending& entry : pending_) {
    const int64_t at = entry.word < ReplayLimits::shared_flag_words
                           ? entry.word
                           : entry.word - ReplayLimits::shared_flag_words + used_;
    entry.window->report(entry.watch, words[static_cast<size_t>(at)]);
  }
  const bool any = std::any_of(words.begin(), words.end(), [](uint32_t word) { return word != 0; });
  const auto clear = [&](int64_t first, int64_t count) {
    if (any) device_.stream().fill_zero(words_->data() + 4 * first, static_cast<size_t>(4 * count));
  };
  clear(0, used_);
  clear(ReplayLimits::shared_flag_words, own_used_);
  pending_.clear();
  used_ = 0;
  ++collections_;
}

void EventWords::collect() {
  if (!device_.is_usable()) pending_.clear();  // the events are lost
  if (pending_.empty()) return;
  std::vector<uint32_t> words;
  device_.stream().copy_out(pieces(words));
  hand_out(words);
}

}  // namespace tessera::engine
