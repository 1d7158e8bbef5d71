/// DeviceLaunches: what a routine needs of the device it runs on: operands, memory, launches.
#pragma once

#include <optional>

#include "tessera/base/error.h"
#include "tessera/engine/device/library_access.h"
#include "tessera/engine/device/routines/device_routine.h"

namespace tessera::engine {

/// Elements in C order in device memory; keeps them alive.
class DenseOperand {
 public:
  DenseOperand(Array array, Ref<runtime::Buffer> buffer) : array_(std::move(array)), buffer_(std::move(buffer)) {}
  const char* data() const { return buffer_->data() + array_.view.offset; }

 private:
  Array array_;
  Ref<runtime::Buffer> buffer_;
};

/// Thrown when a kernel has no form for the device: the host then does it all.
struct NoDeviceCode {};

class DeviceLaunches {
 public:
  DeviceLaunches(Engine& engine, runtime::Device& device) : engine_(engine), device_(device) {}

  DenseOperand read(const Array& array) {
    Array dense = engine_.contiguous(array);
    Ref<runtime::Buffer> buffer = engine_.on_device(dense, device_);
    return {std::move(dense), std::move(buffer)};
  }
  Ref<runtime::Buffer> allocate(int64_t count, DType dtype) {
    return device_.allocate(static_cast<size_t>(std::max<int64_t>(1, count) * itemsize(dtype)));
  }
  /// Words that are 0 between launches: who writes them leaves them so.
  const char* zeros(int64_t words) { return engine_.zeros(device_, words); }
  /// Queues it at once, or with others while these are gathered.
  void run(DeviceRoutine routine) {
    const bool is_compiled = engine_.is_compiled(device_, routine);
    gathered_.push_back(std::move(routine));
    if (!gathers_ || (is_compiled && gathered_.size() == 1)) flush();
  }
  /// Whether the routine's kernel is there; else it is compiled beside the program.
  bool is_ready(const DeviceRoutine& routine) { return engine_.is_ready(device_, routine); }
  /// From here on launches whose kernels are to be compiled wait for each other, so that this is done at once, until
  /// the routine ends or flush(): nothing else may go to the stream meanwhile.
  void gather() { gathers_ = true; }
  void flush() {
    if (!gathered_.empty() && !engine_.launch_routines(device_, gathered_)) throw NoDeviceCode{};
    gathered_.clear();
  }
  /// Waits for a few bytes.
  void fetch(void* to, const char* from, size_t nbytes) {
    device_.stream().copy_out(static_cast<char*>(to), from, nbytes);
  }

 private:
  Engine& engine_;
  runtime::Device& device_;
  bool gathers_ = false;
  std::vector<DeviceRoutine> gathered_;
};

/// What elements are moved as.
struct Words {
  DType word;
  int64_t each;  // words an element
  explicit Words(DType dtype) : word(word_of(itemsize(dtype))), each((itemsize(dtype) + 7) / 8) {}
  static DType word_of(int64_t size) {
    return size == 1 ? DType::uint8 : size == 2 ? DType::uint16 : size == 4 ? DType::uint32 : DType::uint64;
  }
};

/// Runs body on the destination's elements in C order and in place, if they can lie so, else on a copy that is then
/// assigned.
template <class Body>
void write_dense(Engine& engine, runtime::Device& device, const Array& destination, Body&& body) {
  const bool is_dense = destination.view.is_c_contiguous();
  const Array dense = is_dense ? destination : engine.copy(destination, destination.dtype(), Order::c);
  const Ref<runtime::Buffer> memory = engine.write_on_device(dense, device);
  if (!memory) throw NoDeviceCode{};
  body(memory->data() + dense.view.offset);
  if (!is_dense) engine.assign(destination, dense, {});
}

/// Runs a routine; nothing when it has no form for the device.
template <class Result = Array, class Body>
std::optional<Result> run_routine(Engine& engine, runtime::Device& device, Body&& body) {
  try {
    DeviceLaunches launches(engine, device);
    auto result = body(launches);
    launches.flush();
    return result;
  } catch (const NoDeviceCode&) {
    profile::add(profile::Counter::device_fallbacks);
    engine.give_up_device();
    return {};
  } catch (const OutOfMemory& error) {
    engine.note_missing("routines", format("what does not fit runs on the host: {}", error.what()));
    engine.give_up_device();
    return {};
  }
}

}  // namespace tessera::engine
