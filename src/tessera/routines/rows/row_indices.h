/// Index arrays that name rows of an array in device memory.
#pragma once

#include "tessera/library/host/gather.h"
#include "tessera/routines/calls.h"

namespace tessera::routines {

/// Index arrays of one shape and integer type over axes of an array.
struct RowIndices {
  std::span<const Elements> arrays;
  Dims extents;  // what the arrays count
  Dims axes;     // numbers of the axes in messages
  library::IndexMode mode = library::IndexMode::raise;
  int64_t picks_a_row = 0;  // > 0: the one array has so many indices for each row of the axes before the last

  int64_t count() const { return arrays[0].size(); }
};
constexpr int most_index_arrays = 8;

/// Writes the numbers of the rows (int64); throws IndexError where the mode raises.
void number_rows(Launcher& launcher, const RowIndices& indices, const char* numbers);
/// Throws the IndexError of index arrays one of which is out of range.
[[noreturn]] void throw_index_error(Launcher& launcher, const RowIndices& indices);

}  // namespace tessera::routines
