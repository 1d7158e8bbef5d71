/// Precompiled sums of a row's terms by the tree of pairwise sums, selected once for this CPU's level.
#pragma once

#include <cstdint>

#include "tessera/ir/kernel.h"

namespace tessera::ir {

/// What is summed up of elements a, and b beside them.
enum class RowTerm { element, product, squared_distance };  // a; a * b; (a - b)²

/// Elements and the bytes from one to the next; of one value that stands beside all, 0.
struct RowOperand {
  const char* data;
  int64_t stride;
};

/// The sum of the terms of 1 to 8192 elements, with the bits of ReduceOrder::pairwise.
template <class T>
using RowLoop = T (*)(RowOperand a, RowOperand b, int64_t n);
RowLoop<float> find_float32_row_loop(RowTerm term);
RowLoop<double> find_float64_row_loop(RowTerm term);

}  // namespace tessera::ir
