/// Numbered rows of arrays in device memory, for the routines that read and write them by index arrays.
#pragma once

#include "tessera/library/host/gather.h"
#include "tessera/routines/calls.h"
#include "tessera/routines/rows/layout.h"

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

/// Copies `count` rows to `out`, dense in the order before, picks, behind.
void pick_rows(Launcher& launcher, const char* a, const RowLayout& layout, const char* rows, int64_t count,
               const char* out);
/// The reverse: one element for all, or as many as pick_rows would copy for `period` rows, which are repeated. For
/// equal row numbers the last one wins. There are less than 2^32.
struct PutValues {
  const char* data;
  bool is_single;
  int64_t period;
};
void put_rows(Launcher& launcher, const char* a, const RowLayout& layout, const char* rows, int64_t count,
              const PutValues& values);

}  // namespace tessera::routines
