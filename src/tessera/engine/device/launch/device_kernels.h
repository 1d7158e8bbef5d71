/// DeviceKernels: kernels as programs on one device, compiled when first requested and kept on disk as machine code. A
/// kernel that has a fast-compile variant runs in that first; the optimised variant is compiled in the background once
/// the kernel has processed enough elements.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tessera/base/mutex.h"
#include "tessera/codegen/compiler.h"
#include "tessera/mapping/mapped.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// A kernel and the mapping of its optimised variant.
struct WantedKernel {
  uint64_t hash = 0;
  std::shared_ptr<const ir::Kernel> kernel;
  codegen::DeviceMapping mapping;
  bool may_compile_fast = false;                    // the fast-compile mapping may be used at first
  std::shared_ptr<const ir::Kernel> short_text{};   // an equivalent kernel with less text, used at first
  std::shared_ptr<const mapping::Mapped> mapped{};  // `mapping` is of this one; its shape is one launch's
  const ir::Kernel& optimised() const { return mapped ? mapped->kernel : *kernel; }
};

/// Machine code that is being compiled or is complete.
struct AssembledKernel {
  codegen::DeviceMapping mapping;
  std::string code;              // empty: compilation failed
  std::exception_ptr failure;    // why
  std::atomic<int64_t> work{0};  // elements processed by the current program meanwhile
  std::atomic<bool> is_done{false};
};

/// When a missing program is compiled in the background: never, from now on, or after the programs that are waited for.
enum class Making : uint8_t { never, now, afterwards };

/// When to try again what could not be compiled: after 1, 2, 4, ... further requests, as the reason may have been the
/// machine's.
class Retry {
 public:
  bool is_due() {
    if (--left_ > 0) return false;
    left_ = pause_;
    if (pause_ < most) pause_ *= 2;
    return true;
  }

 private:
  static constexpr int most = 1 << 20;
  int left_ = 1, pause_ = 2;
};

struct DeviceKernel {
  WantedKernel wanted;
  codegen::DeviceMapping mapping;             // mapping of the program
  std::shared_ptr<runtime::Program> program;  // null: the kernel cannot be compiled for this device
  std::exception_ptr failure;                 // why
  Retry retry{};                              // while there is none
  bool is_tried_again = false;                // by the compilation that runs
  // Epilogue kernels, launched separately while the mapping does not include them.
  std::vector<DeviceKernel*> next;
  bool is_settled = true;  // no better program is expected
  int64_t work = 0;        // elements processed, while a better program may come
  std::shared_ptr<AssembledKernel> better;
  std::shared_ptr<runtime::Program> retired;  // launches of it may still be queued
};

class DeviceKernels {
 public:
  explicit DeviceKernels(runtime::Device& device) : device_(device) {}

  /// The reference is valid for the life of the cache; the program is null when the kernel cannot be compiled for the
  /// device.
  DeviceKernel& find_or_compile(const WantedKernel& wanted, codegen::Compiler* compiler);
  /// Compiles those kernels that are missing, in parallel, and those that failed and are to be tried again.
  void compile(std::span<const WantedKernel> wanted, codegen::Compiler* compiler);
  /// Called before a run over `elements` elements of a kernel that is not settled: requests the optimised program, or
  /// switches to it.
  void advance(DeviceKernel& kernel, int64_t elements);
  /// Compiles the requested programs in the background.
  void make_better(codegen::Compiler* compiler);
  /// Whether the kernel is available without compiling.
  bool is_ready(const WantedKernel& wanted, codegen::Compiler* compiler, Making making);
  /// Why a kernel could not be compiled; empty when all could.
  const std::string& problem() const { return problem_; }

 private:
  DeviceKernel* find(const WantedKernel& wanted) const;
  /// Whether it is there, with a program or with the reason why it has none.
  bool is_known(const WantedKernel& wanted) const;
  AssembledKernel* find_pending(const WantedKernel& wanted) const;
  void load(const WantedKernel& wanted, const AssembledKernel& assembled, codegen::Compiler* compiler);
  std::shared_ptr<runtime::Program> without_spills(std::shared_ptr<runtime::Program> program,
                                                   const WantedKernel& wanted, codegen::Compiler* compiler);
  void add_next(const WantedKernel& wanted, codegen::Compiler* compiler);
  void make_in_background(codegen::Compiler* compiler);
  static void assemble_first(runtime::Device& device, const WantedKernel& wanted, codegen::Compiler* compiler,
                             AssembledKernel& result);
  static void assemble(runtime::Device& device, const ir::Kernel& kernel, const codegen::DeviceMapping& mapping,
                       codegen::Compiler* compiler, AssembledKernel& result);

  struct Pending {
    WantedKernel wanted;
    std::shared_ptr<AssembledKernel> assembled;
  };
  /// Requested programs that no thread compiles yet; threads first take those whose kernels have processed most
  /// elements.
  struct Queue {
    Mutex mutex;
    std::vector<Pending> waiting;
  };
  static Pending take_most_wanted(Queue& queue);

  runtime::Device& device_;
  std::shared_ptr<Queue> queue_ = std::make_shared<Queue>();
  std::unordered_multimap<uint64_t, std::unique_ptr<DeviceKernel>> kernels_;
  std::unordered_multimap<uint64_t, Pending> pending_;
  std::vector<DeviceKernel*> wishes_;  // kernels whose optimised program is requested
  std::vector<Pending> begun_;         // of pending_, those that no thread compiles yet
  std::string problem_;
};

}  // namespace tessera::engine
