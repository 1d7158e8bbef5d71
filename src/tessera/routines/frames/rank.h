/// rank: the place of each element among all, from 1 on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tessera/routines/frames/column.h"

namespace tessera::routines::frames {

/// What equal elements get: the mean, least or largest of their places, places in the order of the rows, or one place
/// without a gap behind it.
enum class Ties : uint8_t { average, least, largest, first, dense };

std::optional<Ties> ties_from_name(std::string_view name);

struct RankRequest {
  ColumnView values;
  bool times = false;  ///< integers of which missing_time is missing
  bool falling = false;
  enum class Missing : uint8_t { keep, top, bottom } missing = Missing::keep;  ///< keep: they get NaN
  Ties ties = Ties::average;
  bool share = false;  ///< divided by how many elements, or with Ties::dense places, there are
};

void rank(const RankRequest& request, std::span<double> out);

}  // namespace tessera::routines::frames
