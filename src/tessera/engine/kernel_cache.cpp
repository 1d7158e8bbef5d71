#include "tessera/engine/kernel_cache.h"

#include <dlfcn.h>

#include <cstdlib>
#include <utility>

#include "tessera/base/dynamic_library.h"
#include "tessera/base/error.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

namespace {

// Elements a kernel has to process before native code is asked for (interpreting them costs well under a millisecond);
// the size of one run that is worth waiting 3 ms for; and what the full tier's 5 ms more pay for themselves after.
constexpr int64_t hot_work = 20'000;
constexpr int64_t wait_work = 4'000'000;
constexpr int64_t full_work = 8'000'000;

/// libtessera_codegen.so lies beside this library.
std::string codegen_path() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&codegen_path), &info) == 0 || info.dli_fname == nullptr) return "libtessera_codegen.so";
  const std::string self = info.dli_fname;
  const size_t slash = self.rfind('/');
  return slash == std::string::npos ? "libtessera_codegen.so" : self.substr(0, slash + 1) + "libtessera_codegen.so";
}

}  // namespace

KernelCache::~KernelCache() { runtime::wait_for_background(); }

std::shared_ptr<CachedKernel> KernelCache::find_or_add(uint64_t hash, const std::shared_ptr<const ir::Kernel>& kernel) {
  const auto [first, last] = kernels_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (*at->second->kernel == *kernel) return at->second;
  }
  auto entry = std::make_shared<CachedKernel>();
  entry->kernel = kernel;
  return kernels_.emplace(hash, std::move(entry))->second;
}

void KernelCache::clear() {
  runtime::wait_for_background();
  kernels_.clear();
}

void KernelCache::forget_unused() {
  std::erase_if(kernels_, [](const auto& entry) { return entry.second.use_count() == 1; });
}

void KernelCache::set_cache_folder(const std::string& folder) {
  if (folder == options_.cache_folder) return;
  runtime::wait_for_background();
  std::lock_guard lock(compiler_mutex_);
  options_.cache_folder = folder;
  compiler_.reset();
  tried_ = false;
}

std::string KernelCache::compiler_problem() {
  std::lock_guard lock(compiler_mutex_);
  return problem_;
}

void KernelCache::prepare(const std::shared_ptr<CachedKernel>& shared, int64_t work) {
  CachedKernel& kernel = *shared;
  kernel.work += work;
  const bool is_native = kernel.entry.load(std::memory_order_acquire) != nullptr;
  if (policy_ >= CompilePolicy::before_baseline) {
    if (policy_ != CompilePolicy::before_baseline || !make_baseline(kernel))
      compile_once(kernel, policy_ == CompilePolicy::before_full ? codegen::Tier::full : codegen::Tier::quick);
  } else if (policy_ == CompilePolicy::when_hot && !is_native && kernel.work >= hot_work) {
    if (make_baseline(kernel)) return;
    // A process that exits while another thread opens a library would destroy what that has half made.
    if (!open_in_background_) compiler();
    if (work >= wait_work) {
      compile_once(kernel, codegen::Tier::quick);
    } else if (!std::exchange(kernel.requested, true)) {
      runtime::run_in_background([this, shared] { compile_once(*shared, codegen::Tier::quick); });
    }
  } else if (policy_ == CompilePolicy::when_hot && is_native && kernel.work >= full_work) {
    if (!std::exchange(kernel.requested_full, true))
      runtime::run_in_background([this, shared] { compile(*shared, codegen::Tier::full); });
  }
  if (!kernel.entry.load(std::memory_order_acquire) && !kernel.program) {
    kernel.program = std::make_unique<ir::Program>(*kernel.kernel);
  }
}

bool KernelCache::make_baseline(CachedKernel& kernel) {
  if (!std::exchange(kernel.tried_baseline, true)) {
    kernel.baseline = lanes::Baseline::try_make(*kernel.kernel);
    if (kernel.baseline) {
      profile::add(profile::Counter::kernels_compiled);
      kernel.entry.store(kernel.baseline->entry(), std::memory_order_release);
    }
  }
  return kernel.baseline != nullptr;
}

codegen::Compiler* KernelCache::compiler() {
  std::lock_guard lock(compiler_mutex_);
  if (tried_) return compiler_.get();
  tried_ = true;
  try {
    const DynamicLibrary library = DynamicLibrary::open(codegen_path());
    // LLVM's static objects exist now, so this handler runs before they go.
    static const int registered = std::atexit(runtime::stop_background);
    static_cast<void>(registered);
    auto* factory = library.find_function<codegen::Factory>(codegen::factory_symbol);
    require<IoError>(factory != nullptr, "{} has no {}", library.path(), codegen::factory_symbol);
    compiler_.reset(factory(&options_));
  } catch (const std::exception& error) {
    problem_ = error.what();
  }
  return compiler_.get();
}

/// Whoever comes first compiles; who comes meanwhile waits.
void KernelCache::compile_once(CachedKernel& kernel, codegen::Tier tier) {
  std::call_once(kernel.compiled, [&] { compile(kernel, tier); });
}

void KernelCache::compile(CachedKernel& kernel, codegen::Tier tier) {
  codegen::Compiler* target = compiler();
  if (!target) return;
  try {
    std::shared_ptr<codegen::NativeKernel> native = target->compile(*kernel.kernel, tier);
    profile::add(profile::Counter::kernels_compiled);
    kernel.retired = std::exchange(kernel.native, native);
    kernel.entry.store(native->entry(), std::memory_order_release);
  } catch (const std::exception& error) {
    // The interpreter goes on serving this kernel; `doctor` and tests read the reason.
    std::lock_guard lock(compiler_mutex_);
    problem_ = error.what();
  }
}

}  // namespace tessera::engine
