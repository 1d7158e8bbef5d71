/// Reads and writes numbered rows of arrays in device memory.
#pragma once

#include "tessera/routines/launcher.h"
#include "tessera/routines/rows/layout.h"

namespace tessera::routines {

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
