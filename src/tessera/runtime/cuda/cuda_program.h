/// CudaProgram, CudaEvent: the driver's modules and events behind the Device interface.
#pragma once

#include <string>
#include <string_view>

#include "tessera/runtime/cuda/driver.h"
#include "tessera/runtime/device.h"

namespace tessera::runtime::cuda {

class CudaProgram final : public Program {
 public:
  CudaProgram(const Driver& driver, std::string_view code, const char* entry) : driver_(driver) {
    const std::string text(code);  // the driver requires a terminated string
    check(driver_, driver_.module_load(&module_, text.data()), "loading a kernel");
    check(driver_, driver_.module_function(&function_, module_, entry), "finding a kernel");
    check(driver_, driver_.function_attribute(&registers_, function_registers, function_), "looking at a kernel");
    check(driver_, driver_.function_attribute(&local_bytes_, function_local_bytes, function_), "looking at a kernel");
  }
  ~CudaProgram() override { driver_.module_unload(module_); }
  int registers() const override { return registers_; }
  int local_bytes() const override { return local_bytes_; }
  void* function() const { return function_; }

 private:
  const Driver& driver_;
  void* module_ = nullptr;
  void* function_ = nullptr;
  int registers_ = 0;
  int local_bytes_ = 0;
};

class CudaEvent final : public Event {
 public:
  CudaEvent(const Driver& driver, void* stream) : driver_(driver) {
    check(driver_, driver_.event_create(&event_, 0), "making an event");
    check(driver_, driver_.event_record(event_, stream), "recording an event");
  }
  ~CudaEvent() override { driver_.event_destroy(event_); }
  bool is_done() const override {
    const int status = driver_.event_query(event_);
    if (status == not_ready) return false;
    check(driver_, status, "asking for an event");
    return true;
  }
  void wait() const override { check(driver_, driver_.event_synchronize(event_), "waiting for the device"); }
  double since(const Event& start) const override {
    float milliseconds = 0;
    const auto& from = static_cast<const CudaEvent&>(start);
    check(driver_, driver_.event_elapsed(&milliseconds, from.event_, event_), "timing");
    return static_cast<double>(milliseconds);
  }
  void* get() const { return event_; }

 private:
  const Driver& driver_;
  void* event_ = nullptr;
};

}  // namespace tessera::runtime::cuda
