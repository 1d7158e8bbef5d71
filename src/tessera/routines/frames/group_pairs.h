/// group_pairs: covariances and correlations of two columns by group.
#pragma once

#include <cstdint>
#include <span>

namespace tessera::routines::frames {

struct PairRequest {
  std::span<const double> first, second;  ///< rows where either is NaN count as missing
  std::span<const int64_t> codes;         ///< by row, below the number of results; -1: in no group
  int64_t least_count = 1;                ///< groups with fewer rows give NaN
  bool correlation = true;                ///< otherwise the covariance
  int64_t degrees = 1;                    ///< of freedom that a covariance takes off
};

/// Writes a value for each group. Welford's steps: rows in order within chunks whose size follows from the numbers of
/// rows and groups, chunks joined in order by Chan's formula; up to one chunk the bits are pandas'. A correlation is at
/// most 1 in size, and NaN where a column is constant.
void group_pairs(const PairRequest& request, std::span<double> out);

}  // namespace tessera::routines::frames
