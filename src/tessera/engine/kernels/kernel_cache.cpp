#include "tessera/engine/kernels/kernel_cache.h"
#include "tessera/engine/support/limits.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "tessera/base/dynamic_library.h"
#include "tessera/base/error.h"
#include "tessera/base/faults.h"
#include "tessera/profile/account.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/system_memory.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

namespace {

/// libtessera_codegen.so is in the same directory as this library.
std::string codegen_path() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&codegen_path), &info) == 0 || info.dli_fname == nullptr)
    return "libtessera_codegen.so";
  const std::string self = info.dli_fname;
  const size_t slash = self.rfind('/');
  return slash == std::string::npos ? "libtessera_codegen.so" : self.substr(0, slash + 1) + "libtessera_codegen.so";
}

/// The interpreter's precompiled reductions are faster than the reduction trees of the quick tier: 9 us against 43 for
/// the rows of 400x250.
bool reduces_by_tree(const ir::Kernel& kernel) {
  return std::ranges::any_of(kernel.instructions, [](const ir::Instruction& i) {
    return i.op == ir::Opcode::reduce && ir::reduce_order(i.attr) != ir::ReduceOrder::sequential;
  });
}

/// Whether lanes are strided and computation on them is small.
bool only_gathers(const ir::Kernel& kernel) {
  const auto is_strided = [](const ir::BufferParam& buffer) { return buffer.inner == ir::InnerStride::strided; };
  return kernel.instructions.size() <= CompileLimits::little_code && std::ranges::any_of(kernel.buffers, is_strided);
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
  entry->reduces_by_tree = reduces_by_tree(*kernel);
  entry->only_gathers = only_gathers(*kernel);
  entry->waits_for_others = ir::waits_for_others(*kernel);
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
  switch (policy_) {
    case Compile::when_hot: advance(shared, work); break;
    case Compile::never: break;
    case Compile::before_baseline:
      if (!make_baseline(kernel)) compile_once(kernel, codegen::Tier::quick);
      break;
    case Compile::before_quick: compile_once(kernel, codegen::Tier::quick); break;
    case Compile::before_full: compile_once(kernel, codegen::Tier::full); break;
  }
  if (!kernel.entry.load(std::memory_order_acquire) && !kernel.program) {
    kernel.program = std::make_unique<ir::Program>(*kernel.kernel);
  }
}

void KernelCache::prepare_function(const std::shared_ptr<CachedKernel>& shared) {
  CachedKernel& kernel = *shared;
  if (policy_ != Compile::never) {
    const bool quick = policy_ == Compile::before_quick || policy_ == Compile::before_baseline;
    compile_once(kernel, quick ? codegen::Tier::quick : codegen::Tier::full);
  }
  if (!kernel.entry.load(std::memory_order_acquire) && !kernel.program)
    kernel.program = std::make_unique<ir::Program>(*kernel.kernel);
}

void KernelCache::advance(const std::shared_ptr<CachedKernel>& shared, int64_t work) {
  CachedKernel& kernel = *shared;
  if (kernel.work < CompileLimits::hot_work) return;
  const bool is_served =
      make_baseline(kernel) || kernel.reduces_by_tree || kernel.entry.load(std::memory_order_acquire) != nullptr;
  if (!is_served) {
    open_before_background();
    if (work >= CompileLimits::wait_work) return compile_once(kernel, codegen::Tier::quick);
    if (!std::exchange(kernel.requested, true))
      runtime::run_in_background([this, shared] { compile_once(*shared, codegen::Tier::quick); });
    return;
  }
  const auto length = static_cast<int64_t>(kernel.kernel->instructions.size());
  if (kernel.work * length < CompileLimits::full_work || std::exchange(kernel.requested_full, true)) return;
  open_before_background();
  runtime::run_in_background([this, shared] { compile(*shared, codegen::Tier::full); });
}

/// Unless the caller stops background work, opens the compiler on this thread: a process that exits while another
/// thread loads a library would destroy its half-initialised state.
void KernelCache::open_before_background() {
  if (!open_in_background_) compiler();
}

bool KernelCache::make_baseline(CachedKernel& kernel) {
  if (!std::exchange(kernel.tried_baseline, true)) {
    if (!faults::fails(faults::Fault::compilation)) kernel.baseline = lanes::Baseline::try_make(*kernel.kernel);
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
  // If address space runs out while a library loads, the C library may end the process.
  if (!runtime::has_address_space(CompileLimits::compiler_bytes)) return nullptr;
  tried_ = true;
  try {
    const DynamicLibrary library = DynamicLibrary::open(codegen_path());
    // LLVM's static objects are constructed by now, so this handler runs before they are destroyed.
    static const int registered = std::atexit(runtime::stop_background);
    static_cast<void>(registered);
    auto* factory = library.find_function<codegen::Factory>(codegen::factory_symbol);
    require<IoError>(factory != nullptr, "{} has no {}", library.path(), codegen::factory_symbol);
    if (auto* watch = library.find_function<void(const std::atomic<faults::Ask>*)>("tessera_watch_faults"))
      watch(&faults::asked);
    compiler_.reset(factory(&options_));
  } catch (const std::exception& error) {
    problem_ = error.what();
  }
  return compiler_.get();
}

/// The first caller compiles; concurrent callers wait for it.
void KernelCache::compile_once(CachedKernel& kernel, codegen::Tier tier) {
  const profile::InRow row(profile::Row::compiling);
  std::call_once(kernel.compiled, [&] { compile(kernel, tier); });
}

void KernelCache::compile(CachedKernel& kernel, codegen::Tier tier) {
  codegen::Compiler* target = compiler();
  if (!target) return;
  try {
    require<RuntimeError>(!faults::fails(faults::Fault::compilation), "compiling a kernel failed");
    std::shared_ptr<codegen::NativeKernel> native = target->compile(*kernel.kernel, tier);
    profile::add(native->is_from_cache ? profile::Counter::object_cache_hits : profile::Counter::kernels_compiled);
    kernel.retired = std::exchange(kernel.native, native);
    kernel.entry.store(native->entry(), std::memory_order_release);
  } catch (const std::exception& error) {
    // The interpreter keeps running this kernel; `doctor` and tests read the reason.
    std::lock_guard lock(compiler_mutex_);
    problem_ = error.what();
  }
}

}  // namespace tessera::engine
