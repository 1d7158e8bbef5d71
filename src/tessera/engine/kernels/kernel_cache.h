/// KernelCache: every kernel seen so far, interpreted at first and compiled to native code when its work justifies it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "tessera/base/mutex.h"
#include "tessera/codegen/compiler.h"
#include "tessera/engine/support/limits.h"
#include "tessera/engine/support/options.h"
#include "tessera/ir/interpreter.h"
#include "tessera/lanes/baseline/baseline.h"

namespace tessera::engine {

/// One kernel and its ways to run. `entry` is null until native code is ready.
struct CachedKernel {
  std::shared_ptr<const ir::Kernel> kernel;
  std::unique_ptr<ir::Program> program;
  std::atomic<ir::KernelEntry> entry{nullptr};
  std::once_flag compiled;
  std::unique_ptr<lanes::Baseline> baseline;
  bool tried_baseline = false;
  bool reduces_by_tree = false;
  bool only_gathers = false;
  bool waits_for_others = false;
  bool requested = false;  // compilation in the background was requested
  bool requested_full = false;
  std::shared_ptr<codegen::NativeKernel> native;
  std::shared_ptr<codegen::NativeKernel> retired;  // code of the quick tier that may still be running
  int64_t work = 0;

  /// Machine code for a run over this many elements; null while there is none. LLVM uses gathers for strided lanes, the
  /// assembler loads them one by one, which hardware prefetching handles better: 6.4 and 2.9 ms for 5 million elements,
  /// but in the caches 0.19 and 0.29 for half a million.
  ir::KernelEntry code_for(int64_t elements) const {
    const ir::KernelEntry latest = entry.load(std::memory_order_acquire);
    return latest && only_gathers && baseline && elements > CompileLimits::beyond_caches ? baseline->entry() : latest;
  }
};

class KernelCache {
 public:
  explicit KernelCache(codegen::CompilerOptions options) : options_(std::move(options)) {}
  ~KernelCache();

  /// The cached entry for this kernel; added if new.
  std::shared_ptr<CachedKernel> find_or_add(uint64_t hash, const std::shared_ptr<const ir::Kernel>& kernel);
  /// Call before a run over `work` elements: decides whether to compile, and creates the interpreter's program if
  /// needed.
  void prepare(const std::shared_ptr<CachedKernel>& kernel, int64_t work);

  /// The same for a function of one lane: its loops have no other way to be quick, so it is compiled at once.
  void prepare_function(const std::shared_ptr<CachedKernel>& kernel);

  /// Removes every kernel.
  void clear();
  /// Removes the kernels that only the cache references.
  void forget_unused();

  void set_policy(Compile policy) { policy_ = policy; }
  /// The caller stops background work before the process exits, so the compiler may be opened in the background.
  void open_in_background() { open_in_background_ = true; }
  bool opens_in_background() const { return open_in_background_; }
  /// Stores compiled code in this folder from now on; empty: nowhere.
  void set_cache_folder(const std::string& folder);
  /// Why native code is not available; empty when it is, or when it was not tried.
  std::string compiler_problem();
  codegen::Compiler* compiler();

 private:
  /// Moves the kernel to a faster tier if its work so far justifies it.
  void advance(const std::shared_ptr<CachedKernel>& shared, int64_t work);
  void open_before_background();
  /// Compiles with the baseline assembler; false where only the compiler supports the kernel.
  bool make_baseline(CachedKernel& kernel);
  void compile(CachedKernel& kernel, codegen::Tier tier);
  void compile_once(CachedKernel& kernel, codegen::Tier tier);

  codegen::CompilerOptions options_;
  Compile policy_ = Compile::when_hot;
  std::unordered_multimap<uint64_t, std::shared_ptr<CachedKernel>> kernels_;
  std::unique_ptr<codegen::Compiler> compiler_;
  bool tried_ = false;
  bool open_in_background_ = false;
  std::string problem_;
  Mutex compiler_mutex_;
};

}  // namespace tessera::engine
