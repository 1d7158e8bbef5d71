/// select_place: the value that sorting would put at a place, found without moving the row.
#pragma once

#include <cstdint>
#include <optional>

#include "tessera/layout/dtype.h"

namespace tessera::library {

/// pivot is the value; `below` elements are less than it and `equal` are equal to it.
template <class T>
struct Place {
  T pivot;
  int64_t below, equal;
};

/// row holds n > place numbers without NaN; scratch has room for n.
template <class T>
Place<T> select_place(const T* row, int64_t n, int64_t place, T* scratch);

}  // namespace tessera::library
