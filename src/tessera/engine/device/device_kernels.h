/// DeviceKernels: kernels as programs on one device, compiled when first asked for and kept on disk as machine code.
/// Where a kernel has a lean form, that comes first; the form it runs best in follows, beside the program, once it has
/// proved worth it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tessera/codegen/compiler.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// A kernel and the form it runs best in.
struct WantedKernel {
  uint64_t hash = 0;
  std::shared_ptr<const ir::Kernel> kernel;
  codegen::DeviceMapping mapping;
  bool may_compile_fast = false;                   // at first
  std::shared_ptr<const ir::Kernel> short_text{};  // does the same in less text, and serves at first
};

/// Machine code that is being made, or was.
struct AssembledKernel {
  codegen::DeviceMapping mapping;
  std::string code;  // empty: it could not be made
  std::string problem;
  std::atomic<int64_t> work{0};  // elements processed while it is waited for
  std::atomic<bool> is_done{false};
};

/// When a program that is not there is made beside the program: not at all, from now on, or once what is waited for has
/// been made.
enum class Making : uint8_t { never, now, afterwards };

struct DeviceKernel {
  WantedKernel wanted;
  codegen::DeviceMapping mapping;             // the program's
  std::shared_ptr<runtime::Program> program;  // null: it has no form for this device
  std::vector<DeviceKernel*> next;            // what is to follow, launched by itself while the form has it not
  bool is_settled = true;                     // no better program is on its way
  int64_t work = 0;                           // elements, while another one may come
  std::shared_ptr<AssembledKernel> better;
  std::shared_ptr<runtime::Program> retired;  // launches of it may still be queued
};

class DeviceKernels {
 public:
  /// Elements after which a better program is asked for.
  static constexpr int64_t enough_work = 15'000'000;

  explicit DeviceKernels(runtime::Device& device) : device_(device) {}

  /// Valid for the life of the cache; its program is null when the kernel cannot be compiled for the device.
  DeviceKernel& find_or_compile(const WantedKernel& wanted, codegen::Compiler* compiler);
  /// Compiles what of these is not there yet, all at once.
  void compile(std::span<const WantedKernel> wanted, codegen::Compiler* compiler);
  /// Before a run over so many elements of a kernel that is not settled: asks for the better program, or changes to it.
  void advance(DeviceKernel& kernel, int64_t elements);
  /// Has the programs that were asked for made beside the program.
  void make_better(codegen::Compiler* compiler);
  /// Whether it can be had without compiling.
  bool is_ready(const WantedKernel& wanted, codegen::Compiler* compiler, Making making);
  /// Why a kernel could not be compiled; empty when all could.
  const std::string& problem() const { return problem_; }

 private:
  DeviceKernel* find(const WantedKernel& wanted) const;
  AssembledKernel* find_pending(const WantedKernel& wanted) const;
  void load(const WantedKernel& wanted, const AssembledKernel& assembled);
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
  /// Programs that were asked for and nobody makes yet; threads take those that most work waits for first.
  struct Queue {
    std::mutex mutex;
    std::vector<Pending> waiting;
  };
  static Pending take_most_wanted(Queue& queue);

  runtime::Device& device_;
  std::shared_ptr<Queue> queue_ = std::make_shared<Queue>();
  std::unordered_multimap<uint64_t, std::unique_ptr<DeviceKernel>> kernels_;
  std::unordered_multimap<uint64_t, Pending> pending_;
  std::vector<DeviceKernel*> wishes_;  // for better programs
  std::vector<Pending> begun_;         // of ahead_, nobody makes them yet
  std::string problem_;
};

}  // namespace tessera::engine
