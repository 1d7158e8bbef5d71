/// CudaProgram, CudaEvent: the driver's functions and events behind the Device interface.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/runtime/cuda/driver.h"
#include "tessera/runtime/device.h"

namespace tessera::runtime::cuda {

class CudaProgram final : public Program {
 public:
  CudaProgram(const Driver& driver, std::shared_ptr<Module> module, void* function)
      : driver_(driver), module_(std::move(module)), function_(function) {
    registers_ = attribute(ProgramAttribute::registers);
    local_bytes_ = attribute(ProgramAttribute::local_bytes);
  }
  int registers() const override { return registers_; }
  int local_bytes() const override { return local_bytes_; }
  int attribute(ProgramAttribute attribute) const override {
    int value = 0;
    check(driver_, driver_.function_attribute(&value, static_cast<int>(attribute), function_), "looking at a kernel");
    return value;
  }
  void set_attribute(ProgramAttribute attribute, int value) const override {
    check(driver_, driver_.function_set_attribute(function_, static_cast<int>(attribute), value),
          "setting an attribute of a kernel");
    if (attribute == ProgramAttribute::max_dynamic_shared_bytes) allowed_bytes_ = value;
  }
  std::optional<std::vector<ParameterPlace>> parameters() const override {
    if (!driver_.function_parameter) return std::nullopt;
    std::vector<ParameterPlace> places;
    size_t offset = 0, nbytes = 0;
    while (driver_.function_parameter(function_, places.size(), &offset, &nbytes) == success)
      places.push_back({static_cast<int64_t>(offset), static_cast<int64_t>(nbytes)});
    return places;
  }
  int blocks_a_multiprocessor(int threads, size_t shared_bytes) const override {
    int blocks = 0;
    check(driver_, driver_.occupancy(&blocks, function_, threads, shared_bytes), "looking at a kernel");
    return blocks;
  }
  void* function() const { return function_; }
  /// To be called before a launch with so much dynamic shared memory: up to 48 KiB need no permission.
  void allow_dynamic(int bytes) const {
    constexpr int always_allowed = 48 << 10;
    if (bytes <= std::max(always_allowed, allowed_bytes_)) return;
    check(driver_, driver_.function_set_attribute(function_, function_dynamic_bytes, bytes), "giving shared memory");
    allowed_bytes_ = bytes;
  }

 private:
  const Driver& driver_;
  std::shared_ptr<Module> module_;
  void* function_ = nullptr;
  int registers_ = 0;
  int local_bytes_ = 0;
  mutable int allowed_bytes_ = 0;
};

class CudaEvent final : public Event {
 public:
  enum class Timing : uint8_t { no, yes };
  /// With a context it can be waited for by threads that have not entered that.
  CudaEvent(const Driver& driver, void* stream, void* context = nullptr, Timing timing = Timing::no)
      : driver_(driver), context_(context) {
    constexpr unsigned without_timing = 2;
    check(driver_, driver_.event_create(&event_, timing == Timing::yes ? 0 : without_timing), "making an event");
    check(driver_, driver_.event_record(event_, stream), "recording an event");
  }
  ~CudaEvent() override { driver_.event_destroy(event_); }
  bool is_done() const override {
    enter();
    const int status = driver_.event_query(event_);
    if (status == not_ready) return false;
    check(driver_, status, "asking for an event");
    return true;
  }
  void wait() const override {
    enter();
    check(driver_, driver_.event_synchronize(event_), "waiting for the device");
  }
  double since(const Event& start) const override {
    float milliseconds = 0;
    enter();
    const auto& from = static_cast<const CudaEvent&>(start);
    check(driver_, driver_.event_elapsed(&milliseconds, from.event_, event_), "timing");
    return static_cast<double>(milliseconds);
  }
  void* get() const { return event_; }

 private:
  void enter() const {
    if (context_) check(driver_, driver_.context_set(context_), "entering the device");
  }

  const Driver& driver_;
  void* context_;
  void* event_ = nullptr;
};

}  // namespace tessera::runtime::cuda
