/// PartOrder: which parts of a plan's run wait for which, by the memory they touch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/engine/device/device_plan.h"

namespace tessera::plan {
struct Request;
}

namespace tessera::engine {

class PlanMemory;

/// From the first byte that something reads or writes to behind the last one.
struct Touched {
  const char* begin = nullptr;
  const char* end = nullptr;
  bool writes = false;
};

/// What a part of a run touches in this memory.
std::vector<Touched> find_touched(const plan::Plan& plan, const DevicePlan& bound, const plan::PlanPart& part,
                                  const plan::Request& request, const PlanMemory& memory);

/// For each part the earlier ones it waits for, less those that these wait for. Parts that touch more than `large`
/// bytes keep their order: two of them at once take as long, and less of what one leaves in the cache is there for the
/// next. Nothing when waiting for the part before is as good.
std::vector<std::vector<int32_t>> order_parts(std::span<const std::vector<Touched>> parts, int64_t large);

}  // namespace tessera::engine
