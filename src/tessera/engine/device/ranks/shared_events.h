/// SharedEvents: floating-point events of operations whose lanes are spread over ranks: all ranks report what happened
/// on any of them, with the next look.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "tessera/engine/support/run_window.h"

namespace tessera::engine {

class SharedEvents {
 public:
  /// What happened here in a node's lanes; all ranks call it alike, also where nothing happened.
  void add(const Watch& watch, uint32_t happened, RunWindow& window);
  /// Has `source` raise() what the rank's device has told of until then, before each look.
  void set_source(std::function<void()> source) { source_ = std::move(source); }
  void collect() {
    if (source_) source_();
  }
  /// What happened here in lanes that were added, and ran on the device.
  void raise(const FloatReport& report);
  /// Whether something was added since the last look.
  bool is_due() const { return is_due_; }
  /// By the order in which operations were added first, the same on all ranks.
  std::span<uint32_t> words() { return words_; }
  /// Reports what is in the words, and clears them.
  void report();

 private:
  std::map<std::tuple<std::string_view, uint32_t, uint64_t>, size_t> numbers_;
  std::vector<std::pair<Watch, RunWindow*>> watches_;
  std::vector<uint32_t> words_;
  std::function<void()> source_;
  bool is_due_ = false;
};

}  // namespace tessera::engine
