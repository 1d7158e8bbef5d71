/// SimulatedReplay: work that simulated streams note and do later, and the events that order it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

class SimulatedEvent final : public runtime::Event {
 public:
  /// `reach` runs the work queued before the event.
  explicit SimulatedEvent(std::function<void()> reach = {}) : reach_(std::move(reach)) {}
  /// Of a replay that is being written.
  explicit SimulatedEvent(int32_t number) : number_(number) {}
  int32_t number() const { return number_; }
  bool is_done() const override { return true; }
  void wait() const override {
    if (reach_) reach_();
  }
  const std::function<void()>& reach() const { return reach_; }
  double since(const Event& start) const override {
    return std::chrono::duration<double, std::milli>(time_ - static_cast<const SimulatedEvent&>(start).time_).count();
  }

 private:
  std::function<void()> reach_;
  int32_t number_ = -1;
  std::chrono::steady_clock::time_point time_ = std::chrono::steady_clock::now();
};

class SimulatedStream;

/// Runs the last part that is ready first, and of several streams the last that can go on: what does not wait for all
/// it depends on then gives wrong results.
class SimulatedReplay final : public runtime::Replay {
 public:
  using Work = std::function<void()>;

  void add(const SimulatedStream* stream, Work work) {
    if (beside.empty())
      parts.back().push_back(std::move(work));
    else
      of(stream).push_back({.work = std::move(work)});
  }
  std::unique_ptr<SimulatedEvent> record(const SimulatedStream* stream) {
    of(stream).push_back({.recorded = events_});
    return std::make_unique<SimulatedEvent>(events_++);
  }
  void wait_for(const SimulatedStream* stream, const SimulatedEvent& event) {
    of(stream).push_back({.waits_for = event.number()});
  }
  void clear() {
    parts.assign(1, {});
    streams_.clear();
    events_ = 0;
  }
  size_t count() const {
    size_t count = 0;
    for (const auto& part : parts) count += part.size();
    for (const auto& stream : streams_) count += stream.second.size();
    return count;
  }
  void run() const {
    if (beside.empty())
      run_parts();
    else
      run_streams();
  }

  std::vector<SimulatedStream*> beside;
  std::vector<std::vector<Work>> parts{1};  // parts[0] is the work before the first begin_part()
  std::vector<std::vector<int32_t>> after;

 private:
  struct Entry {
    Work work{};
    int32_t recorded = -1, waits_for = -1;  // events
  };
  std::vector<Entry>& of(const SimulatedStream* stream) {
    for (auto& [known, entries] : streams_)
      if (known == stream) return entries;
    return streams_.emplace_back(stream, std::vector<Entry>{}).second;
  }
  void run_streams() const {
    std::vector<bool> reached(static_cast<size_t>(events_));
    std::vector<size_t> next(streams_.size());
    const auto go_on = [&](size_t k) {
      const std::vector<Entry>& entries = streams_[k].second;
      const size_t begin = next[k];
      for (; next[k] < entries.size(); ++next[k]) {
        const Entry& entry = entries[next[k]];
        if (entry.waits_for >= 0 && !reached[static_cast<size_t>(entry.waits_for)]) break;
        if (entry.recorded >= 0) reached[static_cast<size_t>(entry.recorded)] = true;
        if (entry.work) entry.work();
      }
      return next[k] > begin;
    };
    for (size_t k = streams_.size(); k > 0;) k = go_on(k - 1) ? streams_.size() : k - 1;
    for (size_t k = 0; k < streams_.size(); ++k)
      require<InvariantError>(next[k] == streams_[k].second.size(), "a captured stream waits for ever");
  }
  void run_parts() const {
    std::vector<bool> done(parts.size());
    const auto is_ready = [&](size_t k) {
      if (done[k]) return false;
      if (k == 0 || after.empty()) return k == 0 || done[k - 1];
      return std::all_of(after[k - 1].begin(), after[k - 1].end(),
                         [&](int32_t before) { return done[static_cast<size_t>(before) + 1]; });
    };
    for (size_t left = parts.size(); left > 0; --left) {
      size_t next = parts.size() - 1;
      while (!is_ready(next)) --next;
      for (const auto& work : parts[next]) work();
      done[next] = true;
    }
  }

  std::vector<std::pair<const SimulatedStream*, std::vector<Entry>>> streams_;
  int32_t events_ = 0;
};

}  // namespace tessera::engine
