/// TurnsAtOnce: of how many turns of a small loop one plan is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace tessera::engine {

/// Planning costs some 3 us a node, running a plan 1 us. So a loop begins with plans of one turn, and takes more turns
/// at once when it has found those so often that planning anew is soon repaid: a loop whose shapes change every few
/// turns, or whose views lie differently in every plan of many turns, stays with few.
class IterationsAtOnce {
 public:
  /// Follows the loop of this hash, known from earlier or not; at most `most` turns at once.
  void follow(uint64_t loop, int most);
  /// So many, whatever is found.
  void fix(int iterations);
  int iterations() const { return iterations_; }
  /// A plan of turns() turns was found or had to be made. It takes effect with the next choose().
  void note(bool found);
  /// Decides anew.
  void choose();

 private:
  static constexpr size_t most_loops = 1024;
  static constexpr int growth = 8, first_patience = 32, most_misses = 2;
  struct Experience {
    int iterations = 1;
    int found = 0;  // plans of so many turns
    int made = 0;
    int patience = first_patience;  // how many are to be found before it takes more turns
  };
  std::unordered_map<uint64_t, Experience> loops_;
  Experience* now_ = nullptr;  // null: fixed
  int most_ = 1;
  int iterations_ = 1;
};

}  // namespace tessera::engine
