#include "tessera/engine/device/run/simulated_module.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "tessera/base/error.h"

namespace tessera::engine {

std::optional<std::vector<runtime::ParameterPlace>> SimulatedFunction::parameters() const {
  std::vector<runtime::ParameterPlace> places;
  int64_t offset = 0;
  for (size_t k = 0; k < kernel_.parameters; ++k) {
    const auto nbytes = static_cast<int64_t>(kernel_.sizes[k]);
    places.push_back({offset, nbytes});
    offset += (nbytes + 7) / 8 * 8;
  }
  return places;
}

/// The loader opens files only.
SimulatedModule::SimulatedModule(std::string_view code) : file_(memfd_create("tessera_simulated", MFD_CLOEXEC)) {
  require<RuntimeError>(code.starts_with("\x7f"
                                         "ELF"),
                        "the simulated device loads no code of a GPU's");
  const bool is_written = write(file_.number(), code.data(), code.size()) == static_cast<ssize_t>(code.size());
  require<RuntimeError>(is_written, "the simulated device could not load a module");
  // The loader knows libraries by their paths, and descriptors' numbers come again.
  static std::atomic<size_t> modules = 0;
  library_ = DynamicLibrary::open(format("/proc/self/fd{}{}", std::string(++modules, '/'), file_.number()));
}

std::shared_ptr<runtime::Program> SimulatedModule::find(const char* name) {
  const auto* kernels = static_cast<const SimulatedKernel*>(library_.find("tessera_simulated_kernels"));
  for (; kernels && kernels->name; ++kernels)
    if (!std::strcmp(kernels->name, name)) return std::make_shared<SimulatedFunction>(shared_from_this(), *kernels);
  return nullptr;
}

std::optional<runtime::ModuleVariable> SimulatedModule::find_variable(const char* name) {
  void* data = library_.find(name);
  const auto* nbytes = static_cast<const size_t*>(library_.find(format("tessera_size_of_{}", name).c_str()));
  if (!data || !nbytes) return std::nullopt;
  return runtime::ModuleVariable{static_cast<char*>(data), *nbytes};
}

}  // namespace tessera::engine
