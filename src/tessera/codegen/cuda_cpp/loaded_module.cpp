#include "tessera/codegen/cuda_cpp/loaded_module.h"

#include <cstdio>

#include "tessera/base/error.h"
#include "tessera/codegen/cuda_cpp/block_checks.h"
#include "tessera/codegen/cuda_cpp/run_blocks.h"

namespace tessera::codegen::cuda_cpp {

namespace {

class LoadedHostKernel final : public HostKernel {
 public:
  LoadedHostKernel(std::shared_ptr<void> code, const KernelRecord& record, int64_t constant_bytes)
      : code_(std::move(code)), record_(record) {
    facts_.parameter_sizes.assign(record.parameter_sizes, record.parameter_sizes + record.parameter_count);
    facts_.static_shared_bytes = record.static_shared_bytes;
    facts_.constant_bytes = constant_bytes;
    facts_.thread_bytes = record.thread_bytes;
    facts_.most_threads = record.most_threads;
    facts_.meets_in_grid = meets_in_grid(record);
    facts_.is_checked = record.is_checked != 0;
  }
  const HostKernelFacts& facts() const override { return facts_; }
  std::vector<std::string> run(const HostLaunch& launch, const InParallel& in_parallel) const override {
    std::atomic<std::string*> failure{nullptr};
    HostLaunch told = launch;
    told.failure = &failure;
    LaunchChecks checks;
    told.checks = record_.is_checked ? &checks : nullptr;
    run_launch(record_, told, in_parallel);
    std::fflush(stdout);  // what the kernel has printed comes before what Python prints next
    const std::unique_ptr<std::string> text(failure.load());
    if (text) throw RuntimeError(format("launch of {}: {}", record_.name, *text));
    return checks.take();
  }

 private:
  std::shared_ptr<void> code_;
  const KernelRecord& record_;
  HostKernelFacts facts_;
};

class LoadedHostModule final : public HostModule {
 public:
  LoadedHostModule(std::shared_ptr<void> code, const ModuleRecord& record) : code_(std::move(code)), record_(record) {}

  std::shared_ptr<HostKernel> find(const std::string& name) override {
    const std::string symbol = symbol_of(name);
    for (int64_t k = 0; k < record_.kernel_count; ++k)
      if (symbol == record_.kernels[k].name)
        return std::make_shared<LoadedHostKernel>(code_, record_.kernels[k], record_.constant_bytes);
    return nullptr;
  }
  std::optional<HostVariable> find_variable(const std::string& name) override {
    const std::string symbol = symbol_of(name);
    for (int64_t k = 0; k < record_.variable_count; ++k)
      if (const VariableRecord& variable = record_.variables[k]; symbol == variable.name)
        return HostVariable{variable.data, static_cast<size_t>(variable.nbytes)};
    return std::nullopt;
  }

 private:
  std::string symbol_of(const std::string& name) const {
    for (int64_t k = 0; k < record_.name_count; ++k)
      if (name == record_.names[k].name) return record_.names[k].symbol;
    return name;
  }
  std::shared_ptr<void> code_;
  const ModuleRecord& record_;
};

}  // namespace

std::shared_ptr<HostModule> make_loaded_module(std::shared_ptr<void> code, const ModuleRecord& record) {
  return std::make_shared<LoadedHostModule>(std::move(code), record);
}

}  // namespace tessera::codegen::cuda_cpp
