/// copy_between: copies between the memory of several devices, all at once.
#pragma once

#include <vector>

#include "tessera/engine/device/run/device_runners.h"

namespace tessera::engine {

struct PlaceCopy {
  runtime::Device* device;  // whose memory `to` is
  runtime::Device* other;   // whose memory `from` is; null: the host's
  char* to;
  const char* from;
  int64_t nbytes;
};

/// Queues copies that need nothing of each other. Each device waits once for those that it copies from, and those go on
/// when it has; so two that copy each other's edges wait for each other once. What is queued on any of them later comes
/// after the copies.
void copy_between(std::vector<PlaceCopy> copies, DeviceRunners& devices);

}  // namespace tessera::engine
