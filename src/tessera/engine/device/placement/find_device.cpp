#include "tessera/engine/device/placement/find_device.h"

#include <charconv>
#include <string_view>

#include "tessera/base/error.h"
#include "tessera/engine/device/memory/spill.h"
#include "tessera/engine/device/run/simulated_device.h"

namespace tessera::engine {

runtime::Device* prepared(runtime::Device& device) {
  device.set_relief([&device](int64_t nbytes) { return make_room(device, nbytes); });
  return &device;
}

/// N for "gpu:N", 0 for "gpu"; negative for anything else.
static int gpu_number(std::string_view where) {
  constexpr std::string_view prefix = "gpu:";
  if (where == "gpu") return 0;
  if (!where.starts_with(prefix)) return -1;
  where.remove_prefix(prefix.size());
  int number = -1;
  const auto [end, error] = std::from_chars(where.data(), where.data() + where.size(), number);
  return error == std::errc() && end == where.data() + where.size() ? number : -1;
}

runtime::Device* find_device(const std::string& where) {
  if (where.empty() || where == "cpu" || where == "auto" || where == "auto:simulated") return nullptr;
  if (where == "simulated") return prepared(simulated_device());
  const int number = gpu_number(where);
  require<ValueError>(number >= 0, "device must be 'cpu', 'gpu', 'gpu:N' or 'auto' (got '{}')", where);
  return prepared(runtime::device(number));
}

Prospect* find_choice(const std::string& where) {
  // Never destroyed: a background thread may still be opening the device when the process ends.
  static auto& gpu = *new Prospect;
  static auto& simulated = *new Prospect(&simulated_device());
  return where == "auto" ? &gpu : where == "auto:simulated" ? &simulated : nullptr;
}

}  // namespace tessera::engine
