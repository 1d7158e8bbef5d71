#include "tessera/engine/source/core_module.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace tessera {

namespace {

using runtime::ProgramAttribute;

class LoadedCoreProgram final : public CoreProgram {
 public:
  explicit LoadedCoreProgram(std::shared_ptr<codegen::HostKernel> kernel) : kernel_(std::move(kernel)) {}

  const codegen::HostKernel& kernel() const override { return *kernel_; }
  int registers() const override { return 0; }
  int local_bytes() const override { return static_cast<int>(kernel_->facts().thread_bytes); }
  int attribute(ProgramAttribute attribute) const override {
    const codegen::HostKernelFacts& facts = kernel_->facts();
    switch (attribute) {
      case ProgramAttribute::max_threads_per_block: return static_cast<int>(facts.most_threads);
      case ProgramAttribute::shared_bytes: return static_cast<int>(facts.static_shared_bytes);
      case ProgramAttribute::const_bytes: return static_cast<int>(facts.constant_bytes);
      case ProgramAttribute::local_bytes: return local_bytes();
      case ProgramAttribute::max_dynamic_shared_bytes: return dynamic_bytes_;
      case ProgramAttribute::shared_memory_carveout: return carveout_;
      // Of machine code for a GPU, which there is none of.
      case ProgramAttribute::registers:
      case ProgramAttribute::ptx_version:
      case ProgramAttribute::binary_version:
      case ProgramAttribute::cache_mode_ca: return 0;
    }
    std::unreachable();
  }
  void set_attribute(ProgramAttribute attribute, int value) const override {
    (attribute == ProgramAttribute::max_dynamic_shared_bytes ? dynamic_bytes_ : carveout_) = value;
  }
  std::optional<std::vector<runtime::ParameterPlace>> parameters() const override {
    std::vector<runtime::ParameterPlace> places;
    int64_t offset = 0;
    for (const int64_t nbytes : kernel_->facts().parameter_sizes) {
      places.push_back({offset, nbytes});
      offset += (nbytes + 7) / 8 * 8;
    }
    return places;
  }
  int blocks_a_multiprocessor(int threads, size_t) const override {
    constexpr int resident_threads = 2048;
    return std::max(1, resident_threads / std::max(1, threads));
  }

 private:
  std::shared_ptr<codegen::HostKernel> kernel_;
  mutable std::atomic<int> dynamic_bytes_{49152}, carveout_{-1};
};

class LoadedCoreModule final : public runtime::Module {
 public:
  explicit LoadedCoreModule(std::shared_ptr<codegen::HostModule> module) : module_(std::move(module)) {}
  std::shared_ptr<runtime::Program> find(const char* name) override {
    std::shared_ptr<codegen::HostKernel> kernel = module_->find(name);
    return kernel ? std::make_shared<LoadedCoreProgram>(std::move(kernel)) : nullptr;
  }
  std::optional<runtime::ModuleVariable> find_variable(const char* name) override {
    const std::optional<codegen::HostVariable> variable = module_->find_variable(name);
    if (!variable) return std::nullopt;
    return runtime::ModuleVariable{variable->data, variable->nbytes};
  }

 private:
  std::shared_ptr<codegen::HostModule> module_;
};

}  // namespace

std::shared_ptr<runtime::Module> engine::make_core_module(std::shared_ptr<codegen::HostModule> module) {
  return std::make_shared<LoadedCoreModule>(std::move(module));
}

}  // namespace tessera
