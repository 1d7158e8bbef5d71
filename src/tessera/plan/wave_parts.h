/// Wave parts: the bytes that the kernels and copies of a plan touch, row by row. Used by find_waves alone.
#pragma once

#include <optional>
#include <vector>

#include "tessera/plan/plan.h"

namespace tessera::plan {

/// Row 0 of a part touches bytes in [low, high) of a memory; each further row touches those `pitch` further on.
struct RowAccess {
  int32_t memory = -1;
  bool write = false;
  int64_t low = 0;
  int64_t high = 0;
  int64_t pitch = 0;  // 0: every row touches all of it
};

struct RowPart {
  WavePart part;
  std::vector<RowAccess> accesses;
};

/// Bytes from one row to the next in each memory (memory_of), 0 where unknown: the largest stride of an elementwise
/// kernel among steps [first, end) along its outermost axis.
std::vector<int64_t> row_pitches(const Plan& plan, size_t first, size_t end);

/// The parts of a step in execution order.
std::vector<RowPart> row_parts(const Plan& plan, int32_t step, const std::vector<int64_t>& pitches);

/// The rows x - y of `early` that row y of `late` must wait for. An empty optional: the parts are independent.
struct RowDistance {
  int64_t first = 0;
  int64_t last = 0;
  bool all = false;  // no such range: all of `late` comes after all of `early`
};
std::optional<RowDistance> row_distance(const RowPart& early, const RowPart& late);

}  // namespace tessera::plan
