/// select_place: finds the value at a given place of the sorted row, without reordering the row.
#pragma once

#include <cstdint>
#include <optional>

#include "tessera/layout/dtype.h"

namespace tessera::library {

/// `below` elements are less than pivot and `equal` elements are equal to it.
template <class T>
struct Place {
  T pivot;
  int64_t below, equal;
};

/// row has n > place numbers without NaN; scratch has room for n.
template <class T>
Place<T> select_place(const T* row, int64_t n, int64_t place, T* scratch);

}  // namespace tessera::library
