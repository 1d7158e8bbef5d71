/// TwisterWords: the words of the Mersenne twister in a device's memory.
#pragma once

#include "tessera/library/random/bit_generator.h"
#include "tessera/routines/launcher.h"

namespace tessera::routines {

class TwisterWords {
 public:
  TwisterWords(Launcher& launcher, const library::Mt19937& bits);

  /// Whether the state is one that draws leave; others may begin with a word that is not the recurrence's.
  bool is_known() const { return position_ > 0; }
  /// The next `count` 64-bit words, of which the first 32-bit one is the lower, or the upper half.
  const char* make(int64_t count, bool is_upper_first);
  /// The generator after so many 32-bit words, at most as many as were made.
  library::Mt19937 after(int64_t words) const;

 private:
  void make_states(int64_t segments);

  Launcher& launcher_;
  std::vector<uint32_t> key_;
  int64_t position_ = 0;
  int log_length_ = 0;  // of a segment
  Ref<runtime::Buffer> states_, words_;
};

}  // namespace tessera::routines
