/// DeviceLaunches: operands, memory and launches for kernels of operations that are not in the table of routines.
#pragma once

#include <optional>

#include "tessera/base/error.h"
#include "tessera/engine/call/device_launcher.h"
#include "tessera/engine/device/run/library_access.h"
#include "tessera/routines/words.h"

namespace tessera::engine {

/// Elements in C order in device memory, kept alive.
class DenseOperand {
 public:
  DenseOperand(Array array, Ref<runtime::Buffer> buffer) : array_(std::move(array)), buffer_(std::move(buffer)) {}
  const char* data() const { return buffer_->data() + array_.view.offset; }

 private:
  Array array_;
  Ref<runtime::Buffer> buffer_;
};

using routines::NoDeviceCode;
using routines::Words;

class DeviceLaunches : public DeviceLauncher {
 public:
  DeviceLaunches(Engine& engine, runtime::Device& device) : DeviceLauncher(engine.devices(), device), engine_(engine) {}

  DenseOperand read(const Array& array) {
    Array dense = engine_.contiguous(array);
    Ref<runtime::Buffer> buffer = engine_.devices().on_device(dense, device());
    return {std::move(dense), std::move(buffer)};
  }

 private:
  Engine& engine_;
};

/// Runs a routine; nullopt when a kernel cannot be compiled for the device or memory is short.
template <class Result = Array, class Body>
std::optional<Result> run_routine(Engine& engine, runtime::Device& device, Body&& body) {
  try {
    DeviceLaunches launches(engine, device);
    auto result = body(launches);
    launches.flush();
    return result;
  } catch (const NoDeviceCode&) {
    profile::add(profile::Counter::device_fallbacks);
    engine.devices().give_up_device();
    return {};
  } catch (const OutOfMemory& error) {
    engine.devices().note_missing("routines", format("what does not fit runs on the host: {}", error.what()));
    engine.devices().give_up_device();
    return {};
  }
}

}  // namespace tessera::engine
