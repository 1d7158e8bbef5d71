/// IterationsAtOnce: how many iterations of a small loop are combined in one plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include "tessera/engine/support/limits.h"

namespace tessera::engine {

/// Planning costs some 3 us a node, running a plan 1 us. A loop therefore starts with plans of one iteration and
/// combines more iterations when its plans have been found in the cache often enough to amortise planning again: a loop
/// whose shapes change every few iterations, or whose views differ in every plan of many iterations, stays with few.
class IterationsAtOnce {
 public:
  /// Follows the loop with this hash, seen before or not; combines at most `most` iterations.
  void follow(uint64_t loop, int most);
  /// Uses this number of iterations, whatever note() reports.
  void fix(int iterations);
  int iterations() const { return iterations_; }
  /// Reports whether a plan of iterations() iterations was cached. Takes effect with the next choose().
  void note(bool found);
  /// Updates iterations() from what was reported.
  void choose();

 private:
  struct Experience {
    int iterations = 1;
    int found = 0;  // cached plans of this number of iterations
    int made = 0;
    int patience = WindowLimits::first_patience;  // cached plans needed before more iterations are combined
  };
  std::unordered_map<uint64_t, Experience> loops_;
  Experience* now_ = nullptr;  // null: the number is fixed
  int most_ = 1;
  int iterations_ = 1;
};

}  // namespace tessera::engine
