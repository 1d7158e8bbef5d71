/// CudaModule: code loaded by the driver.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/runtime/cuda/driver.h"
#include "tessera/runtime/device.h"

namespace tessera::runtime::cuda {

class CudaModule final : public Module, public std::enable_shared_from_this<CudaModule> {
 public:
  /// The context is entered to unload the code, by whatever thread gives it up.
  CudaModule(const Driver& driver, void* context, std::string_view code);
  CudaModule(const Driver& driver, void* context, std::string_view code, const JitOptions& options, std::string& log);
  ~CudaModule() override;
  CudaModule(const CudaModule&) = delete;
  CudaModule& operator=(const CudaModule&) = delete;

  std::shared_ptr<Program> find(const char* name) override;
  std::optional<ModuleVariable> find_variable(const char* name) override;

 private:
  const Driver& driver_;
  void* context_;
  void* module_ = nullptr;
  bool is_users_ = false;
};

}  // namespace tessera::runtime::cuda
