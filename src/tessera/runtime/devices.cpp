// The list of backends: each adds the devices it finds.

#include "tessera/base/error.h"
#include "tessera/base/mutex.h"
#include "tessera/runtime/cuda/cuda_device.h"
#include "tessera/runtime/device.h"

namespace tessera::runtime {

namespace {

/// Devices are opened individually: a context takes hundreds of megabytes of a device that may not be used.
struct Found {
  Mutex mutex;
  std::vector<std::vector<Device*>> devices;  // by number, by part
  std::string problem;

  Found() {
    const cuda::Driver* driver = cuda::open_driver();
    int count = 0;
    if (!driver) {
      problem = cuda::driver_problem();
    } else if (driver->device_count(&count) != cuda::success || count <= 0) {
      problem = "the NVIDIA driver finds no GPU";
    }
    if (problem.empty()) devices.resize(static_cast<size_t>(count));
  }
};

Found& found() {
  static auto& found = *new Found;
  return found;
}

}  // namespace

int device_count() { return static_cast<int>(found().devices.size()); }

std::string device_name(const Device* device) {
  if (!device) return "cpu";
  const int number = device->facts().number;
  const int part = device->facts().part;
  if (device->family() == Family::cuda) return part ? format("gpu:{}.{}", number, part) : format("gpu:{}", number);
  if (device->family() == Family::rank) return device->facts().name;
  return number == 0 ? "simulated" : format("simulated@{}", number);
}

std::string device_problem() { return found().problem; }

Device& device(int number, int part) {
  Found& all = found();
  require<RuntimeError>(all.problem.empty(), "device gpu:{}: {}", number, all.problem);
  require<RuntimeError>(number >= 0 && number < device_count(), "device gpu:{}: this machine has {}", number,
                        device_count());
  std::lock_guard lock(all.mutex);
  std::vector<Device*>& parts = all.devices[static_cast<size_t>(number)];
  if (parts.size() <= static_cast<size_t>(part)) parts.resize(static_cast<size_t>(part) + 1);
  Device*& device = parts[static_cast<size_t>(part)];
  if (!device) device = cuda::open_device(*cuda::open_driver(), number, part);
  return *device;
}

PeerLink peer_link(int from, int to) {
  const cuda::Driver* driver = cuda::open_driver();
  require<RuntimeError>(driver != nullptr, "peer_link: {}", device_problem());
  int access = 0, atomics = 0;
  cuda::check(*driver, driver->peer_attribute(&access, cuda::peer_access, from, to), "asking about two devices");
  cuda::check(*driver, driver->peer_attribute(&atomics, cuda::peer_atomics, from, to), "asking about two devices");
  // PCI Express does not carry atomics between GPUs.
  return !access ? PeerLink::through_host : atomics ? PeerLink::nvlink : PeerLink::direct;
}

Device* device_of_address(const void* address) {
  const cuda::Driver* driver = cuda::open_driver();
  const int number = driver ? cuda::device_number_of(*driver, address) : -1;
  return number < 0 ? nullptr : &device(number);
}

}  // namespace tessera::runtime
