#include "tessera/runtime/cuda/cuda_module.h"

#include <array>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/runtime/cuda/cuda_program.h"
#include "tessera/runtime/cuda/forks.h"

namespace tessera::runtime::cuda {

namespace {

/// The driver takes options as two lists.
class OptionLists {
 public:
  void add(JitOption option, uintptr_t value) {
    options_.push_back(option);
    values_.push_back(reinterpret_cast<void*>(value));
  }
  unsigned count() const { return static_cast<unsigned>(options_.size()); }
  int* options() { return options_.data(); }
  void** values() { return values_.data(); }

 private:
  std::vector<int> options_;
  std::vector<void*> values_;
};

}  // namespace

CudaModule::CudaModule(const Driver& driver, void* context, std::string_view code)
    : driver_(driver), context_(context) {
  const std::string text(code);  // the driver requires a terminated string
  check(driver_, driver_.module_load(&module_, text.data()), "loading a kernel");
}

CudaModule::CudaModule(const Driver& driver, void* context, std::string_view code, const JitOptions& options,
                       std::string& log)
    : driver_(driver), context_(context), is_users_(true) {
  const std::string text(code);
  constexpr size_t log_bytes = 16384;
  std::array<char, log_bytes> info{}, errors{};
  OptionLists lists;
  lists.add(jit_info_log, reinterpret_cast<uintptr_t>(info.data()));
  lists.add(jit_info_log_bytes, log_bytes - 1);
  lists.add(jit_error_log, reinterpret_cast<uintptr_t>(errors.data()));
  lists.add(jit_error_log_bytes, log_bytes - 1);
  if (options.max_registers > 0) lists.add(jit_max_registers, static_cast<uintptr_t>(options.max_registers));
  if (options.optimization >= 0) lists.add(jit_optimization, static_cast<uintptr_t>(options.optimization));
  if (options.has_debug_info) lists.add(jit_debug_info, 1);
  if (options.has_line_info) lists.add(jit_line_info, 1);
  const int status = driver_.module_load_with(&module_, text.data(), lists.count(), lists.options(), lists.values());
  log = std::string(info.data()) + errors.data();
  try {
    check(driver_, status, "loading a module");
  } catch (const DeviceFailure&) {
    throw;
  } catch (const RuntimeError& error) {
    throw RuntimeError(log.empty() ? error.what() : format("{}: {}", error.what(), log));
  }
}

CudaModule::~CudaModule() {
  if (is_forked || driver_.context_set(context_) != success) return;
  // Kernels of it may still run, and users give their objects up at any time.
  if (is_users_) driver_.context_synchronize();
  driver_.module_unload(module_);
}

std::shared_ptr<Program> CudaModule::find(const char* name) {
  check(driver_, driver_.context_set(context_), "entering the device");
  void* function = nullptr;
  const int status = driver_.module_function(&function, module_, name);
  if (status == not_found) return nullptr;
  check(driver_, status, "finding a kernel");
  return std::make_shared<CudaProgram>(driver_, shared_from_this(), function);
}

std::optional<ModuleVariable> CudaModule::find_variable(const char* name) {
  check(driver_, driver_.context_set(context_), "entering the device");
  Address address = 0;
  size_t nbytes = 0;
  const int status = driver_.module_variable(&address, &nbytes, module_, name);
  if (status == not_found) return std::nullopt;
  check(driver_, status, "finding a variable");
  return ModuleVariable{reinterpret_cast<char*>(address), nbytes};
}

}  // namespace tessera::runtime::cuda
