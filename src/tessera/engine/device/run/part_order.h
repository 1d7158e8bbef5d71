/// PartOrder: which parts of a plan's run wait for which, by the memory they touch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/engine/device/run/device_plan.h"

namespace tessera::plan {
struct Request;
}

namespace tessera::engine {

class PlanMemory;

/// The range from the first byte that is read or written to past the last one.
struct Touched {
  const char* begin = nullptr;
  const char* end = nullptr;
  bool writes = false;
};

/// The ranges that a part of a run touches in this memory.
std::vector<Touched> find_touched(const plan::Plan& plan, const DevicePlan& bound, const plan::PlanPart& part,
                                  const plan::Request& request, const PlanMemory& memory);

/// For each part, the earlier parts it waits for, without those implied by the others. Parts that touch more than
/// `large` bytes keep their order: running two of them at once takes as long and leaves less in the cache for the next.
/// Empty when running in order is as good.
std::vector<std::vector<int32_t>> order_parts(std::span<const std::vector<Touched>> parts, int64_t large);

}  // namespace tessera::engine
