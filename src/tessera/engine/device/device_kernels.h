/// DeviceKernels: kernels as programs on one device, compiled when first asked for and kept on disk as machine code.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>

#include "tessera/codegen/compiler.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

struct DeviceKernel {
  std::shared_ptr<const ir::Kernel> kernel;
  codegen::DeviceForm form;
  std::shared_ptr<runtime::Program> program;  // null: it has no form for this device
};

class DeviceKernels {
 public:
  explicit DeviceKernels(runtime::Device& device) : device_(device) {}

  /// Valid for the life of the cache; its program is null when the kernel cannot be compiled for the device.
  const DeviceKernel& find_or_compile(uint64_t hash, const std::shared_ptr<const ir::Kernel>& kernel,
                                      const codegen::DeviceForm& form, codegen::Compiler* compiler);
  /// Whether it can be had without compiling; else, when it `begins`, it is compiled beside the program.
  bool is_ready(uint64_t hash, const std::shared_ptr<const ir::Kernel>& kernel, const codegen::DeviceForm& form, codegen::Compiler* compiler,
                bool begins);
  /// Why a kernel could not be compiled; empty when all could.
  const std::string& problem() const { return problem_; }

 private:
  std::shared_ptr<runtime::Program> compile(const ir::Kernel& kernel, const codegen::DeviceForm& form,
                                            codegen::Compiler* compiler);
  const DeviceKernel* find(uint64_t hash, const ir::Kernel& kernel, const codegen::DeviceForm& form) const;
  static std::string assemble(runtime::Device& device, const ir::Kernel& kernel, const codegen::DeviceForm& form, codegen::Compiler& compiler);
  /// Machine code that is being made, or was.
  struct Ahead {
    std::shared_ptr<const ir::Kernel> kernel;
    codegen::DeviceForm form;
    std::atomic<bool> is_done{false};
    std::string code;  // empty: it could not be made
  };
  Ahead* find_ahead(uint64_t hash, const ir::Kernel& kernel, const codegen::DeviceForm& form) const;
  static std::string cache_key(const ir::Kernel& kernel, const codegen::DeviceForm& form, codegen::Compiler& compiler, const runtime::Device& device);

  runtime::Device& device_;
  std::unordered_multimap<uint64_t, std::unique_ptr<DeviceKernel>> kernels_;
  std::unordered_multimap<uint64_t, std::shared_ptr<Ahead>> ahead_;
  std::string problem_;
};

}  // namespace tessera::engine
