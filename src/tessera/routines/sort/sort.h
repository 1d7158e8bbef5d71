/// Sorts of rows in device memory, for the routines that consist of them.
#pragma once

#include "tessera/routines/calls.h"

namespace tessera::routines {

/// Rows along the last axis of a dense array.
struct SortRows {
  DType dtype;
  int64_t rows, n;
  SortRows(DType element, int64_t count, int64_t length) : dtype(element), rows(count), n(length) {}
  explicit SortRows(const View& view) : dtype(view.dtype), rows(0), n(view.shape.back()) {
    if (n > 0) rows = view.size() / n;
  }
  int64_t size() const { return rows * n; }
};

/// Sorts rows stably, as library/host/sort.h does. The elements in memory, of real type.
void sort_rows(Launcher& launcher, const SortRows& rows, const char* x, char* out);
/// The indices that do so, as int64; complex elements too.
void argsort_rows(Launcher& launcher, const SortRows& rows, const char* x, char* order);
/// Reorders `order`, which sorts rows by the less significant keys, stably by one more key.
void refine_order(Launcher& launcher, const SortRows& rows, const char* key, char* order);
/// out[r, k] = x[r, order[r, k]].
void gather_rows(Launcher& launcher, const SortRows& rows, const char* x, const char* order, char* out);

/// Radix sort on the device: one pass per byte of the key. With `places` the elements' original indices are moved too.
ops::Cost cost_of_sort(std::string_view op, const View& rows, bool places);
/// Indices are moved as uint32.
bool has_short_rows(const ops::CallView& call);

}  // namespace tessera::routines
