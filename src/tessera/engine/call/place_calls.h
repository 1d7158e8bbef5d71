/// PlaceCalls: how a place computes its part of a call: on a device, on the host, or on the host with copies of what
/// the device has.
#pragma once

#include <cstdint>
#include <optional>

#include "tessera/engine/call/device_launcher.h"
#include "tessera/engine/state.h"
#include "tessera/routines/table.h"

namespace tessera::engine {

class PlaceCalls {
 public:
  /// What a device has no code for.
  enum class Otherwise : uint8_t { fails, runs_on_copies };

  /// `device`: null: the host.
  PlaceCalls(State& state, const routines::Entry& entry, runtime::Device* device, Otherwise otherwise);

  bool is_on_host() const { return !launcher_; }
  /// Calls the routine. Throws routines::NoDeviceCode and library::LibraryMissing where the device `fails` then.
  void run(const routines::CallBase& part);
  /// One kernel, in order with what runs; `work` counts as in routines::HostCall.
  void launch(const routines::KernelLaunch& launch, int64_t work);
  /// What happened to floating-point numbers in a part that ran on the host; of a device it is not known.
  uint32_t events(const routines::CallBase& part, uint32_t watched) const;
  /// To be called after the last one.
  void flush();

 private:
  routines::HostCall host_call(const routines::CallBase& part) const;
  void run_on_host(const routines::CallBase& part) const;
  bool suits_device(const routines::CallBase& part) const;
  void run_on_copies(const routines::CallBase& part);

  State& state_;
  const routines::Entry& entry_;
  std::optional<DeviceLauncher> launcher_;
  bool copies_;
};

}  // namespace tessera::engine
