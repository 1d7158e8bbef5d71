/// SimulatedModule: users' CUDA C++ as code of the host, which the tests' compiler makes
/// (tests/cpp/simulated/nvrtc.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tessera/base/descriptor.h"
#include "tessera/base/dynamic_library.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// What the code exports, as `tessera_simulated_kernels`; the last one has no name.
struct SimulatedKernel {
  const char* name;
  void (*run)(const unsigned* blocks, const unsigned* threads, unsigned shared_bytes, void* const* arguments);
  const size_t* sizes;  // of the parameters
  size_t parameters;
};

class SimulatedModule;

class SimulatedFunction final : public runtime::Program {
 public:
  SimulatedFunction(std::shared_ptr<SimulatedModule> module, const SimulatedKernel& kernel)
      : module_(std::move(module)), kernel_(kernel) {}
  int registers() const override { return 0; }
  int local_bytes() const override { return 0; }
  int attribute(runtime::ProgramAttribute attribute) const override {
    return attribute == runtime::ProgramAttribute::max_threads_per_block ? 1024
                                                                         : attributes_[static_cast<size_t>(attribute)];
  }
  void set_attribute(runtime::ProgramAttribute attribute, int value) const override {
    attributes_[static_cast<size_t>(attribute)] = value;
  }
  std::optional<std::vector<runtime::ParameterPlace>> parameters() const override;
  int blocks_a_multiprocessor(int, size_t) const override { return 1; }
  const SimulatedKernel& kernel() const { return kernel_; }

 private:
  std::shared_ptr<SimulatedModule> module_;
  const SimulatedKernel& kernel_;
  mutable std::array<int, 10> attributes_{};
};

class SimulatedModule final : public runtime::Module, public std::enable_shared_from_this<SimulatedModule> {
 public:
  explicit SimulatedModule(std::string_view code);
  std::shared_ptr<runtime::Program> find(const char* name) override;
  std::optional<runtime::ModuleVariable> find_variable(const char* name) override;

 private:
  Descriptor file_;
  DynamicLibrary library_;
};

}  // namespace tessera::engine
