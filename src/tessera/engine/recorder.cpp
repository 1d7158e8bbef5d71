#include "tessera/engine/recorder.h"

#include <algorithm>
#include <vector>

namespace tessera::engine {

using graph::Node;
using graph::NodeKind;

namespace {

constexpr int64_t most_held_bytes = int64_t{32} << 20;
// Turns of small loops run together until a plan has about this many nodes; turns that move more bytes run alone.
constexpr int64_t nodes_a_plan = 96;
constexpr int64_t small_turn_bytes = 1 << 20;

}  // namespace

int64_t Recorder::due(int window_limit) {
  const int64_t period = static_cast<int64_t>(loops().period());
  if (period == 0 || 3 * period > window_limit) {
    period_ = 0;
    return size() >= window_limit || held_bytes > most_held_bytes ? end() : begin();
  }
  if (period != period_) {
    period_ = period;
    boundary_ = best_boundary(period);
  } else if (end() <= cut_ + period) {
    return begin();
  } else {
    boundary_ = cut_;
  }
  cut_ = boundary_ + turns_at_once(period) * period;
  return boundary_;
}

/// The cut that the fewest temporaries cross, among the last `period` positions.
int64_t Recorder::best_boundary(int64_t period) const {
  std::vector<int64_t> crossing(static_cast<size_t>(period), 0);
  for (int64_t j = std::max(begin(), end() - period); j < end(); ++j) {
    const Node& node = (*this)[j];
    for (int k = 0; k < node.form->input_count; ++k) {
      const graph::Version* version = node.inputs[k].version.get();
      if (!version || version->window != this) continue;
      const bool temporary = (*this)[version->producer].form->kind != NodeKind::write;
      // Cuts c with producer < c <= j separate the two.
      for (int64_t c = std::max(version->producer + 1, j - period + 1); c <= j; ++c) {
        crossing[static_cast<size_t>(c % period)] += temporary ? 1000 : 1;
      }
    }
  }
  int64_t best = end();
  for (int64_t c = end(); c > std::max(begin(), end() - period); --c) {
    const auto cost = [&](int64_t at) { return crossing[static_cast<size_t>(at % period)]; };
    if (cost(c) < cost(best)) best = c;
  }
  return best - period >= begin() ? best - period : begin();
}

int Recorder::turns_at_once(int64_t period) const {
  int64_t bytes = 0;
  for (int64_t j = std::max(begin(), end() - period); j < end(); ++j) bytes += (*this)[j].out->nbytes;
  return bytes > small_turn_bytes ? 1 : static_cast<int>(std::max<int64_t>(1, nodes_a_plan / period));
}

}  // namespace tessera::engine
