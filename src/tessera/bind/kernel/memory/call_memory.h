/// CallMemory: what compiled functions have made while they run, and what fields of objects hold of it behind calls.
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/bind/array/object.h"
#include "tessera/bind/kernel/memory/text_memory.h"
#include "tessera/bind/kernel/memory/word_memory.h"
#include "tessera/graph/array.h"

namespace tessera::bind {

/// Bytes of what the engine knows of an array.
constexpr size_t array_overhead = 320;

struct CallMemory {
  std::vector<Array> arrays;
  std::vector<Object> kept;  // arrays of NumPy's in whose memory results lie
  TextMemory texts{};
  WordMemory words{};      // headers, elements, entries
  size_t array_bytes = 0;  // of arrays that were made since the last collection
  size_t left_bytes = 0;   // of all that it left
  size_t left_objects = 0;

  /// Whether so much has been made since the last collection that it is worth it.
  bool is_collection_due() const;
};

}  // namespace tessera::bind
