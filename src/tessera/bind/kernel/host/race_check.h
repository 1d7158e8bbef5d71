/// RaceCheck: finds elements that one iteration of a parallel loop writes and another one reads or writes.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tessera/kernel/report.h"

namespace tessera::bind {

/// Iterations run one after another and are told, as are their accesses. Equal values that several of them write are no
/// race.
class RaceCheck {
 public:
  /// `position` is the number of the element at an address in the array that the function has made there.
  RaceCheck(std::span<const kernel::ReportSite> sites, std::function<int64_t(uintptr_t)> position)
      : sites_(sites), position_(std::move(position)) {}

  void begin_loop();
  void begin_iteration(int64_t iteration) { iteration_ = iteration; }
  /// Memory that iterations of one chunk share.
  void leave_out(uintptr_t address, int64_t bytes);
  /// Without an index the array is one that the function has made.
  void read(uintptr_t address, size_t site, std::span<const int64_t> index);
  void write(uintptr_t address, int64_t bits, size_t site, std::span<const int64_t> index);

  /// A text for each pair of places that race: the first element and the iterations.
  const std::vector<std::string>& races() const { return races_; }

 private:
  struct Access {
    bool is_there = false;
    int64_t iteration = 0;
    size_t site = 0;
  };
  struct Element {
    Access writer, reader, other_reader;  // the readers are of two iterations
    int64_t bits = 0;                     // that the writer has stored
  };

  bool is_left_out(uintptr_t address) const;
  struct Told {
    uintptr_t address;
    size_t site;
    std::span<const int64_t> index;
  };
  void note(const Access& before, const char* verb, const Told& now, const char* own_verb);

  std::span<const kernel::ReportSite> sites_;
  std::function<int64_t(uintptr_t)> position_;
  int64_t iteration_ = 0;
  std::unordered_map<uintptr_t, Element> elements_;
  std::vector<std::pair<uintptr_t, uintptr_t>> left_out_;
  std::set<std::pair<size_t, size_t>> told_;
  std::vector<std::string> races_;
};

}  // namespace tessera::bind
