#include "tessera/engine/device/device_kernels.h"

#include "tessera/base/error.h"
#include "tessera/base/hash.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

using codegen::Compiler;
using codegen::DeviceForm;

namespace {

constexpr const char* entry = "tessera_kernel";

std::string text_of(const ir::Kernel& kernel, const DeviceForm& form) {
  return ir::print(kernel) + (form.following.kernel ? ir::print(*form.following.kernel) : "");
}

}  // namespace

const DeviceKernel& DeviceKernels::find_or_compile(uint64_t hash, const std::shared_ptr<const ir::Kernel>& kernel,
                                                   const DeviceForm& form, Compiler* compiler) {
  if (const DeviceKernel* known = find(hash, *kernel, form)) return *known;
  auto made = std::make_unique<DeviceKernel>(DeviceKernel{.kernel = kernel, .form = form});
  try {
    Ahead* ahead = find_ahead(hash, *kernel, form);
    const bool is_made = ahead && ahead->is_done.load(std::memory_order_acquire) && !ahead->code.empty();
    made->program = is_made ? device_.load(ahead->code, entry) : compile(*kernel, form, compiler);
  } catch (const OutOfMemory&) {
    throw;
  } catch (const std::exception& error) {
    // The host serves this kernel; `doctor` and tests read the reason.
    problem_ = error.what();
  }
  return *kernels_.emplace(hash, std::move(made))->second;
}

const DeviceKernel* DeviceKernels::find(uint64_t hash, const ir::Kernel& kernel, const DeviceForm& form) const {
  const auto [first, last] = kernels_.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (at->second->form == form && *at->second->kernel == kernel) return at->second.get();
  return nullptr;
}

DeviceKernels::Ahead* DeviceKernels::find_ahead(uint64_t hash, const ir::Kernel& kernel, const DeviceForm& form) const {
  const auto [first, last] = ahead_.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (at->second->form == form && *at->second->kernel == kernel) return at->second.get();
  return nullptr;
}

bool DeviceKernels::is_ready(uint64_t hash, const std::shared_ptr<const ir::Kernel>& kernel, const DeviceForm& form, Compiler* compiler, bool begins) {
  if (device_.takes_ir() || find(hash, *kernel, form)) return true;
  if (Ahead* ahead = find_ahead(hash, *kernel, form)) return ahead->is_done.load(std::memory_order_acquire);
  if (!begins || !compiler) return false;
  auto ahead = std::make_shared<Ahead>();
  ahead->kernel = kernel;
  ahead->form = form;
  ahead_.emplace(hash, ahead);
  runtime::run_in_background([ahead, compiler, &device = device_] {
    try {
      ahead->code = assemble(device, *ahead->kernel, ahead->form, *compiler);
    } catch (const std::exception&) {  // whoever asks for the kernel hears of it
    }
    ahead->is_done.store(true, std::memory_order_release);
  });
  return false;
}

/// Machine code, from the disk where it is kept.
std::string DeviceKernels::assemble(runtime::Device& device, const ir::Kernel& kernel, const DeviceForm& form, Compiler& compiler) {
  const std::string key = cache_key(kernel, form, compiler, device);
  if (std::optional<std::string> code = compiler.find_object(key)) return *code;
  std::string code = device.assemble(compiler.compile_ptx(kernel, form));
  profile::add(profile::Counter::device_kernels_compiled);
  compiler.store_object(key, code);
  return code;
}

std::shared_ptr<runtime::Program> DeviceKernels::compile(const ir::Kernel& kernel, const DeviceForm& form, Compiler* compiler) {
  if (device_.takes_ir()) return device_.load(text_of(kernel, form), entry);
  require<RuntimeError>(compiler != nullptr, "there is no compiler on this machine");
  return device_.load(assemble(device_, kernel, form, *compiler), entry);
}

std::string DeviceKernels::cache_key(const ir::Kernel& kernel, const DeviceForm& form, Compiler& compiler, const runtime::Device& device) {
  const std::string text = text_of(kernel, form);
  return format("{}\nsm_{} driver {} width {} copies {} team {} threads {} slices {} disjoint {} crossed {} {} narrow {}\n{} {}\n", compiler.target(), form.capability,
                device.facts().driver_version, form.width, form.copies, form.team, form.threads,
                form.slices, form.disjoint, form.crossed, form.cross_axis, form.narrow, ir::structural_hash(kernel),
                Hash().add(std::string_view(text)).value()) +
         text;
}

}  // namespace tessera::engine
