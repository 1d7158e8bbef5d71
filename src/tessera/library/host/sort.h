/// sort: sorts, argsorts and partitions rows. NaN goes last, complex numbers order by real, then imaginary part; every
/// result is that of a stable sort, whatever the thread count.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/layout/dtype.h"

namespace tessera::library {

/// Sorts each of `rows` contiguous rows of n elements in place.
void sort_rows(char* data, DType dtype, int64_t rows, int64_t n);

/// order[r, k] = index in row r of its k-th smallest element.
void argsort_rows(const char* data, DType dtype, int64_t rows, int64_t n, int64_t* order);

/// out[r] = the elements of row r, reordered so that each of `places` (ascending, distinct, within the row) holds the
/// element that a sort would put there, with nothing larger before it and nothing smaller after it. out must not
/// overlap data.
void partition_rows(const char* data, DType dtype, int64_t rows, int64_t n, std::span<const int64_t> places, char* out);
/// Whether partitioning sorts whole rows for these arguments; rows with NaN are always sorted.
bool parts_by_sort(DType dtype, int64_t n, std::span<const int64_t> places);
/// The same as partition_rows for indices.
void argpartition_rows(const char* data, DType dtype, int64_t rows, int64_t n, std::span<const int64_t> places,
                       int64_t* order);

/// Reorders `order` (a permutation of n, already sorted by later keys) stably by one more key: one step of lexsort.
void refine_order(const char* key, DType dtype, int64_t n, int64_t* order);

}  // namespace tessera::library
