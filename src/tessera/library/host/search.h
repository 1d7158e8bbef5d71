/// search: binary search in sorted data, counting into bins, and interpolation.
#pragma once

#include <cstdint>

#include "tessera/layout/dtype.h"

namespace tessera::library {

/// out[k]: the index at which values[k] would be inserted into keys (n, ascending, NaN last) to keep the order; with
/// `right`, after equal keys. sorter, if not null, is the permutation that sorts keys (checked: ValueError). All arrays
/// are contiguous and of one dtype.
void search_sorted(const char* keys, int64_t n, const int64_t* sorter, const char* values, int64_t count, DType dtype,
                   bool right, int64_t* out);

/// The lowest and highest of n integers as int64; n > 0.
struct Extremes {
  int64_t low, high;
};
Extremes find_extremes(const char* values, DType dtype, int64_t n);

/// bins[values[k]] += 1; bins start at zero, and values are valid indices of bins.
void count_bins(const int64_t* values, int64_t n, int64_t* bins, int64_t bin_count);
/// bins[values[k]] += weights[k], in order of k.
void weigh_bins(const int64_t* values, const double* weights, int64_t n, double* bins, int64_t bin_count);

/// NumPy's piecewise linear interpolation: out[k] at x[k] through the points (xp, fp), xp ascending, points > 0.
/// complex_values: fp, left, right and out are complex, as pairs of doubles.
void interpolate(const double* x, int64_t n, const double* xp, const double* fp, int64_t points, const double* left,
                 const double* right, bool complex_values, double* out);

}  // namespace tessera::library
