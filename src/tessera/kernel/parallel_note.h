/// ParallelNote: what a compilation tells of parallel work.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::kernel {

/// What became of a place in the source where work may run on several threads.
struct ParallelNote {
  enum class Kind : uint8_t { loop, in_order, whole_array, total, race };
  Kind kind = Kind::loop;
  int line = 0;
  std::string text;    // of a race, the whole message
  std::string joined;  // of a loop, the variables whose values are joined, with their operators
};

}  // namespace tessera::kernel
