/// Reductions along rows of arcs, in an order that suits threads that share long rows.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tessera::routines::networks {

/// Rows are reduced in pieces of so many arcs.
inline constexpr int64_t row_piece = 512;

/// start + (the sum of value(arc) over the first piece) + (the same of the second) + ...
template <class Value>
double sum_of_row(int64_t begin, int64_t end, double start, Value value) {
  for (int64_t first = begin; first < end; first += row_piece) {
    double sum = 0;
    for (int64_t a = first; a < std::min(end, first + row_piece); ++a) sum += value(a);
    start += sum;
  }
  return start;
}

}  // namespace tessera::routines::networks
