/// group_pairs: covariances and correlations of two columns by group.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/routines/frames/codes.h"
#include "tessera/routines/frames/column.h"

namespace tessera::routines::frames {

struct PairRequest {
  ColumnView first, second;  ///< rows where either is NaN count as missing
  CodesView codes;           ///< by row, below the number of results; -1: in no group
  int64_t least_count = 1;   ///< groups with fewer rows give NaN
  bool correlation = true;   ///< otherwise the covariance
  int64_t degrees = 1;       ///< of freedom that a covariance takes off
};

/// Where results go, one for each group: of the pair, and of either column with itself in the rows where neither is
/// missing.
struct PairResults {
  std::span<double> both, first, second;
};

/// Welford's steps: rows in order within chunks whose size follows from the numbers of rows and groups, chunks joined
/// in order by Chan's formula; up to one chunk the bits are pandas'. A correlation is at most 1 in size, and NaN where
/// a column is constant.
void group_pairs(const PairRequest& request, const PairResults& out);

}  // namespace tessera::routines::frames
