#include "tessera/engine/device/device_kernels.h"

#include "tessera/base/error.h"
#include "tessera/base/hash.h"
#include "tessera/profile/counters.h"

namespace tessera::engine {

using codegen::Compiler;
using codegen::DeviceForm;

namespace {

constexpr const char* entry = "tessera_kernel";

}  // namespace

const DeviceKernel& DeviceKernels::find_or_compile(uint64_t hash, const std::shared_ptr<const ir::Kernel>& kernel,
                                                   const DeviceForm& form, Compiler* compiler) {
  const auto [first, last] = kernels_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (at->second->form == form && *at->second->kernel == *kernel) return *at->second;
  }
  auto made = std::make_unique<DeviceKernel>(DeviceKernel{.kernel = kernel, .form = form});
  try {
    made->program = compile(*kernel, form, compiler);
  } catch (const OutOfMemory&) {
    throw;
  } catch (const std::exception& error) {
    // The host serves this kernel; `doctor` and tests read the reason.
    problem_ = error.what();
  }
  return *kernels_.emplace(hash, std::move(made))->second;
}

std::shared_ptr<runtime::Program> DeviceKernels::compile(const ir::Kernel& kernel, const DeviceForm& form,
                                                         Compiler* compiler) {
  if (device_.takes_ir()) return device_.load(ir::print(kernel), entry);
  require<RuntimeError>(compiler != nullptr, "there is no compiler on this machine");
  const std::string key = cache_key(kernel, form, *compiler);
  if (const std::optional<std::string> code = compiler->find_object(key)) return device_.load(*code, entry);
  const std::string code = device_.assemble(compiler->compile_ptx(kernel, form));
  profile::add(profile::Counter::device_kernels_compiled);
  compiler->store_object(key, code);
  return device_.load(code, entry);
}

std::string DeviceKernels::cache_key(const ir::Kernel& kernel, const DeviceForm& form, Compiler& compiler) const {
  const std::string text = ir::print(kernel);
  return format("{}\nsm_{} driver {} width {} copies {} team {} threads {} slices {} disjoint {} crossed {} {}\n{} {}\n", compiler.target(), form.capability,
                device_.facts().driver_version, form.width, form.copies, form.team, form.threads,
                form.slices, form.disjoint, form.crossed, form.cross_axis, ir::structural_hash(kernel),
                Hash().add(std::string_view(text)).value()) +
         text;
}

}  // namespace tessera::engine
