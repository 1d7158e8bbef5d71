#include "tessera/engine/record/recorder.h"

#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/tile_rules.h"
#include "tessera/engine/device/memory/tiled_memory.h"
#include "tessera/engine/support/limits.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera::engine {

using graph::Node;
using graph::NodeKind;

int64_t Recorder::decide(int window_limit, int64_t wave_bytes) {
  const int64_t period = static_cast<int64_t>(loops().period(static_cast<uint64_t>(window_limit / 3)));
  if (period == 0) {
    period_ = 0;
    return size() >= window_limit ? cut_behind_write(end()) : cut_for_memory();
  }
  if (period != period_) {
    period_ = period;
    boundary_ = best_boundary(period);
    // A kernel of an earlier iteration that computed results for a later one would have to store them.
    marks_iterations_ = wave_bytes > 0 && has_large_results(period, wave_bytes);
    // On one GPU no such caches exist. Several places exchange less often.
    rises_ = !ranks && runs_on_device() && is_over_devices(period);
    gathers_ = marks_iterations_ && (ranks || !runs_on_device() || rises_);
    gathered_ = 0;
    if (marks_iterations_ && boundary_ < end()) mark_iteration(boundary_);
    if (!gathers_) follow_iterations();
  } else {
    if (marks_iterations_ && (end() - 1 - boundary_) % period == 0) mark_iteration(end() - 1);
    if (gathers_ && (end() - boundary_) % period == 0) watch_memory();
    if (rises_ && begin() > boundary_) {  // it ran because somebody waited
      boundary_ += (begin() - boundary_ + period - 1) / period * period;
      cut_ = boundary_ + gather(period, window_limit) * period;
    }
    if (end() <= cut_ + period) return begin();
    boundary_ = cut_;
    if (!gathers_) iterations_.choose();
  }
  cut_ = boundary_ + (gathers_ ? gather(period, window_limit) : iterations_.iterations()) * period;
  return boundary_;
}

/// The last position where an expression follows a write: no temporary crosses it, and what follows a large write, such
/// as the edges of its array, runs with it.
int64_t Recorder::cut_behind_write(int64_t otherwise) const {
  const auto is_write = [&](int64_t node) { return (*this)[node].form->kind == NodeKind::write; };
  for (int64_t c = end() - 1; c > begin(); --c)
    if (is_write(c - 1) && !is_write(c)) return c;
  return otherwise;
}

/// A cut when too many bytes are held. Within an expression a cut is the last resort: it makes arrays of its
/// temporaries, which the rest of the expression then holds.
int64_t Recorder::cut_for_memory() {
  const int64_t most =
      devices ? std::max(WindowLimits::most_held_bytes, devices->capacity() / 64) : WindowLimits::most_held_bytes;
  if (held_bytes <= most) return begin();
  if (counted_from_ != begin()) {
    held_bytes = count_held();
    counted_from_ = begin();
    if (held_bytes <= most) return begin();
  }
  return cut_behind_write(held_bytes > WindowLimits::held_in_expressions * most ? end() : begin());
}

/// Counts held_bytes again, without what has run since.
int64_t Recorder::count_held() const {
  int64_t nbytes = 0;
  for (int64_t j = begin(); j < end(); ++j) {
    const Node& node = (*this)[j];
    const auto count = [&](const graph::Version* version, int reference) {
      const bool is_held = version && !version->window && !is_unallocated(*version) &&
                           version->references() <= static_cast<uint32_t>(version->uses);
      if (is_held && version->last.place == place(j) + reference) nbytes += version->nbytes;
    };
    for (int k = 0; k < node.form->input_count; ++k) count(node.inputs[k].version.get(), k);
    count(node.old.get(), graph::max_inputs);
    if (!node.call) continue;
    for (int k = 0; const graph::CallOperand& operand : node.call->operands)
      count(operand.version.get(), std::min(k++, graph::max_inputs));
  }
  return nbytes;
}

/// The cut that the fewest temporaries cross, among the last `period` positions; among equals one after a write, so
/// that what follows a large write, such as the edges of its array, runs with it.
int64_t Recorder::best_boundary(int64_t period) const {
  std::vector<int64_t> crossing(static_cast<size_t>(period), 0);
  for (int64_t j = std::max(begin(), end() - period); j < end(); ++j) {
    const Node& node = (*this)[j];
    graph::each_input(node, [&](const graph::Version& version, int64_t) {
      if (version.window != this) return;
      const bool temporary = (*this)[version.producer].form->kind != NodeKind::write;
      // Cuts c with producer < c <= j separate the two nodes.
      for (int64_t c = std::max(version.producer + 1, j - period + 1); c <= j; ++c) {
        crossing[static_cast<size_t>(c % period)] += temporary ? WindowLimits::temporary_weight : 1;
      }
    });
  }
  int64_t best = end();
  for (int64_t c = end(); c > std::max(begin(), end() - period); --c) {
    const auto is_write = [&](int64_t node) { return (*this)[node].form->kind == NodeKind::write; };
    const auto cost = [&](int64_t at) {
      const bool is_behind = at - period > begin() && is_write(at - period - 1) && !is_write(at - period);
      return crossing[static_cast<size_t>(at % period)] + (is_behind ? 0 : WindowLimits::temporary_weight / 2);
    };
    if (cost(c) < cost(best)) best = c;
  }
  return best - period >= begin() ? best - period : begin();
}

/// Independent of the node at which the iteration is taken to begin.
uint64_t Recorder::hash_of_iteration(int64_t period) const {
  auto hash = static_cast<uint64_t>(period);
  for (int64_t j = std::max(begin(), end() - period); j < end(); ++j) hash += (*this)[j].form->hash;
  return hash;
}

/// On a device the number is fixed, as a launch costs more than planning.
void Recorder::follow_iterations() {
  const int most = most_iterations_at_once(period_);
  runs_on_device() ? iterations_.fix(most) : iterations_.follow(hash_of_iteration(period_), most);
}

int Recorder::most_iterations_at_once(int64_t period) const {
  int64_t bytes = 0;
  for (int64_t j = std::max(begin(), end() - period); j < end(); ++j) bytes += (*this)[j].out->nbytes;
  const int64_t by_nodes = std::max<int64_t>(1, WindowLimits::nodes_a_plan / period);
  if (runs_on_device())
    return static_cast<int>(
        std::clamp<int64_t>(WindowLimits::device_iteration_bytes / std::max<int64_t>(1, bytes), 1, by_nodes));
  return bytes > WindowLimits::small_iteration_bytes ? 1 : static_cast<int>(by_nodes);
}

bool Recorder::has_large_results(int64_t period, int64_t nbytes) const {
  for (int64_t j = std::max(begin(), end() - period); j < end(); ++j) {
    if ((*this)[j].out->nbytes >= nbytes) return true;
  }
  return false;
}

/// Whether its arrays are cut over several devices.
bool Recorder::is_over_devices(int64_t period) const {
  if (!devices || devices->is_one()) return false;
  if (tile_rules().cut == CutRule::always ||
      has_large_results(period, std::min(devices->capacity(), devices->least_cut_bytes())))
    return true;
  bool is_tiled = false;
  for (int64_t j = std::max(begin(), end() - period); j < end(); ++j)
    graph::each_input((*this)[j], [&](const graph::Version& version, int64_t) {
      is_tiled |= !version.window && engine::is_tiled(version);
    });
  return is_tiled;
}

int Recorder::gather(int64_t period, int window_limit) {
  held_before_ = held_bytes;
  holding_more_ = 0;
  const int64_t most = std::min<int64_t>(WindowLimits::nodes_a_wave, window_limit) / period;
  gathered_ = static_cast<int>(std::clamp<int64_t>(rises_ ? std::min<int64_t>(most, 2 * std::max(gathered_, 1)) : most,
                                                   1, WindowLimits::most_iterations));
  return gathered_;
}

/// Call at the end of an iteration: stops gathering when consecutive iterations hold more and more existing memory. The
/// first two rebind the names of what ran before the loop was noticed.
void Recorder::watch_memory() {
  constexpr int most = 2;
  holding_more_ = held_bytes > held_before_ ? holding_more_ + 1 : 0;
  held_before_ = held_bytes;
  if (holding_more_ <= most) return;
  gathers_ = false;
  follow_iterations();
  cut_ = std::min(cut_, end());
}

}  // namespace tessera::engine
