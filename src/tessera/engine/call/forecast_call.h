/// forecast_call: what places that are not there would do to compute a call of a routine together.
#pragma once

#include <span>
#include <vector>

#include "tessera/engine/device/ranks/ranks.h"
#include "tessera/engine/device/tiled/forecast.h"
#include "tessera/graph/call.h"
#include "tessera/routines/parts.h"
#include "tessera/runtime/device.h"
#include "tessera/tile/ranges.h"

namespace tessera::engine {

struct ForecastParts {
  const routines::Parts& parts;
  const std::vector<tile::Range>& slabs;  // by place
  std::span<runtime::Device* const> places;
  Ranks& ranks;
  uint64_t site;
  double operations;  // of matrix products, of the whole call
};

/// Adds the call to the forecast, and gives its results places without memory; false, with the call noted, where their
/// shapes depend on elements. The bytes of partial results are taken to be those of results.
bool forecast_call(Forecast& forecast, graph::Call& call, const ForecastParts& with);

}  // namespace tessera::engine
