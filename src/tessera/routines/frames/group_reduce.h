/// group_reduce: one value a group out of the elements whose code names the group.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tessera/routines/frames/codes.h"
#include "tessera/routines/frames/column.h"

namespace tessera::routines::frames {

enum class GroupOp : uint8_t {
  sum,
  product,
  mean,
  variance,
  deviation,       ///< the root of the variance
  standard_error,  ///< of the mean
  minimum,
  maximum,
  first,
  last,
  median,
};

std::optional<GroupOp> group_op_from_name(std::string_view name);

struct GroupRequest {
  GroupOp op = GroupOp::sum;
  ColumnView values;
  DType result = DType::float64;  ///< of the results, in which the elements are computed with
  CodesView codes;                ///< by row, below `groups`; -1: in no group
  int64_t groups = 0;
  int64_t least_count = 0;           ///< groups with fewer elements are missing
  int64_t degrees = 1;               ///< of freedom that a variance takes off
  bool times = false;                ///< integers of which missing_time is missing
  const uint8_t* missing = nullptr;  ///< by row, where missing elements are not in the values
};

/// Writes out[g], of the dtype `result` (of means, variances and medians a floating one), and counts[g], how many
/// elements were not missing.
/// A missing result is NaN, missing_time or 0. Sums are compensated (Kahan), variances by Welford's steps: rows in
/// order within chunks whose size follows from the numbers of rows and groups, chunks joined in order. The bits are the
/// same for any number of threads, and up to one chunk those of pandas.
void group_reduce(const GroupRequest& request, char* out, std::span<int64_t> counts);

}  // namespace tessera::routines::frames
