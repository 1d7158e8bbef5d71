#include "tessera/engine/kernel_cache.h"

#include <dlfcn.h>

#include <cstdlib>

#include "tessera/base/dynamic_library.h"
#include "tessera/base/error.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

namespace {

// Elements a kernel has to process before native code is asked for (interpreting them costs well under a millisecond),
// and the size of one run that is worth waiting 2 ms for.
constexpr int64_t hot_work = 20'000;
constexpr int64_t wait_work = 4'000'000;

/// libtessera_codegen.so lies beside this library.
std::string codegen_path() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&codegen_path), &info) == 0 || info.dli_fname == nullptr) return "libtessera_codegen.so";
  const std::string self = info.dli_fname;
  const size_t slash = self.rfind('/');
  return slash == std::string::npos ? "libtessera_codegen.so" : self.substr(0, slash + 1) + "libtessera_codegen.so";
}

}  // namespace

CachedKernel* KernelCache::find_or_add(uint64_t hash, const std::shared_ptr<const ir::Kernel>& kernel) {
  const auto [first, last] = kernels_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (*at->second->kernel == *kernel) return at->second.get();
  }
  auto entry = std::make_unique<CachedKernel>();
  entry->kernel = kernel;
  return kernels_.emplace(hash, std::move(entry))->second.get();
}

void KernelCache::clear() {
  runtime::wait_for_background();
  kernels_.clear();
}

void KernelCache::prepare(CachedKernel& kernel, int64_t work) {
  kernel.work += work;
  if (!kernel.entry.load(std::memory_order_acquire) && policy_ != CompilePolicy::never) {
    if (policy_ == CompilePolicy::before_quick || policy_ == CompilePolicy::before_full) {
      if (!kernel.requested.exchange(true)) {
        compile(kernel, policy_ == CompilePolicy::before_full ? codegen::Tier::full : codegen::Tier::quick);
      }
    } else if (kernel.work >= hot_work && !kernel.requested.exchange(true)) {
      if (work >= wait_work) compile(kernel, codegen::Tier::quick);
      runtime::run_in_background([this, &kernel] { compile(kernel, codegen::Tier::full); });
    }
  }
  if (!kernel.entry.load(std::memory_order_acquire) && !kernel.program) {
    kernel.program = std::make_unique<ir::Program>(*kernel.kernel);
  }
}

codegen::Compiler* KernelCache::compiler() {
  std::lock_guard lock(compiler_mutex_);
  if (tried_) return compiler_.get();
  tried_ = true;
  try {
    const DynamicLibrary library = DynamicLibrary::open(codegen_path());
    auto* factory = library.find_function<codegen::Factory>(codegen::factory_symbol);
    require<IoError>(factory != nullptr, "{} has no {}", library.path(), codegen::factory_symbol);
    compiler_.reset(factory(&options_));
  } catch (const std::exception& error) {
    problem_ = error.what();
  }
  return compiler_.get();
}

void KernelCache::compile(CachedKernel& kernel, codegen::Tier tier) {
  codegen::Compiler* target = compiler();
  if (!target) return;
  try {
    std::shared_ptr<codegen::NativeKernel> native = target->compile(*kernel.kernel, tier);
    profile::add(profile::Counter::kernels_compiled);
    // By now LLVM's static objects exist, so this handler runs before they go.
    static const int registered = std::atexit(runtime::stop_background);
    static_cast<void>(registered);
    kernel.entry.store(native->entry(), std::memory_order_release);
    kernel.retired = std::exchange(kernel.native, std::move(native));
  } catch (const std::exception& error) {
    // The interpreter goes on serving this kernel; `doctor` and tests read the reason.
    std::lock_guard lock(compiler_mutex_);
    problem_ = error.what();
  }
}

}  // namespace tessera::engine
