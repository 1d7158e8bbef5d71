/// sort: ordering rows. NaN goes last, complex numbers order by real, then imaginary part; every result is what a
/// stable sort gives, whatever the thread count.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/layout/dtype.h"

namespace tessera::library {

/// Sorts each of `rows` contiguous rows of n elements in place.
void sort_rows(char* data, DType dtype, int64_t rows, int64_t n);

/// order[r, k]: index in row r of its k-th smallest element.
void argsort_rows(const char* data, DType dtype, int64_t rows, int64_t n, int64_t* order);

/// out[r]: the elements of row r with each of `places` (ascending, distinct, within the row) holding what a sort would
/// put there, nothing larger before it and nothing smaller after it. out must not overlap data.
void partition_rows(const char* data, DType dtype, int64_t rows, int64_t n, std::span<const int64_t> places, char* out);
/// Whether they are sorted for that, rows with NaN aside.
bool parts_by_sort(DType dtype, int64_t n, std::span<const int64_t> places);
/// The same as partition_rows for indices.
void argpartition_rows(const char* data, DType dtype, int64_t rows, int64_t n, std::span<const int64_t> places,
                       int64_t* order);

/// Reorders `order` (a permutation of n, sorted by later keys already) stably by one more key: lexsort's step.
void refine_order(const char* key, DType dtype, int64_t n, int64_t* order);

}  // namespace tessera::library
