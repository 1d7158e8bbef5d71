/// KernelCache: every kernel seen so far, interpreted at first, native once that pays.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "tessera/codegen/compiler.h"
#include "tessera/ir/interpreter.h"
#include "tessera/lanes/baseline/baseline.h"

namespace tessera::engine {

/// When kernels are compiled.
enum class CompilePolicy : uint8_t {
  when_hot,         // once a kernel has done enough work; in the background by the full tier after much work
  never,            // interpreter only
  before_baseline,  // tests: native before the first run, by the baseline where it has a form, else by the quick tier
  before_quick,     // tests: the same, by the quick tier
  before_full,      // tests: the same, by the full tier
};

/// One kernel and its executions. `entry` is null until native code is ready.
struct CachedKernel {
  std::shared_ptr<const ir::Kernel> kernel;
  std::unique_ptr<ir::Program> program;
  std::atomic<ir::KernelEntry> entry{nullptr};
  std::once_flag compiled;
  std::unique_ptr<lanes::Baseline> baseline;
  bool tried_baseline = false;
  bool reduces_by_tree = false;
  bool only_gathers = false;
  bool requested = false;  // in the background
  bool requested_full = false;
  std::shared_ptr<codegen::NativeKernel> native;
  std::shared_ptr<codegen::NativeKernel> retired;  // the quick tier's code may still be running
  int64_t work = 0;

  /// Machine code for a run over so many elements; null while there is none. LLVM gathers lanes that do not lie side by
  /// side, the assembler loads them one by one, which memory foresees: 6.4 and 2.9 ms for 5 million, in the caches 0.19
  /// and 0.29 for half a million.
  ir::KernelEntry code_for(int64_t elements) const {
    constexpr int64_t beyond_caches = 1'500'000;
    const ir::KernelEntry latest = entry.load(std::memory_order_acquire);
    return latest && only_gathers && baseline && elements > beyond_caches ? baseline->entry() : latest;
  }
};

class KernelCache {
 public:
  explicit KernelCache(codegen::CompilerOptions options) : options_(std::move(options)) {}
  ~KernelCache();

  /// The entry for this kernel.
  std::shared_ptr<CachedKernel> find_or_add(uint64_t hash, const std::shared_ptr<const ir::Kernel>& kernel);
  /// Called before a run over `work` elements: decides whether to compile and gives the interpreter its program.
  void prepare(const std::shared_ptr<CachedKernel>& kernel, int64_t work);

  /// Forgets every kernel.
  void clear();
  /// Forgets the kernels that nobody else holds.
  void forget_unused();

  void set_policy(CompilePolicy policy) { policy_ = policy; }
  /// Somebody stops background work before the process exits, so the compiler may be opened there.
  void open_in_background() { open_in_background_ = true; }
  bool opens_in_background() const { return open_in_background_; }
  /// Compiled code is kept in this folder from now on; empty: nowhere.
  void set_cache_folder(const std::string& folder);
  /// Why native code is not available; empty when it is (or was not tried).
  std::string compiler_problem();
  codegen::Compiler* compiler();

 private:
  /// One step closer to native code where the kernel's work so far says so.
  void advance(const std::shared_ptr<CachedKernel>& shared, int64_t work);
  void open_before_background();
  /// Gives the kernel machine code at once; false where only a compiler can.
  bool make_baseline(CachedKernel& kernel);
  void compile(CachedKernel& kernel, codegen::Tier tier);
  void compile_once(CachedKernel& kernel, codegen::Tier tier);

  codegen::CompilerOptions options_;
  CompilePolicy policy_ = CompilePolicy::when_hot;
  std::unordered_multimap<uint64_t, std::shared_ptr<CachedKernel>> kernels_;
  std::unique_ptr<codegen::Compiler> compiler_;
  bool tried_ = false;
  bool open_in_background_ = false;
  std::string problem_;
  std::mutex compiler_mutex_;
};

}  // namespace tessera::engine
