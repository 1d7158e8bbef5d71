// The implementation of Compiler by LLVM, and the symbol that makes one.
#include <algorithm>

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "tessera/base/error.h"
#include "tessera/base/faults.h"
#include "tessera/base/hash.h"
#include "tessera/base/object_cache.h"
#include "tessera/codegen/build_id.h"
#include "tessera/codegen/compiler.h"
#include "tessera/codegen/cuda_cpp/loaded_module.h"
#include "tessera/codegen/cuda_cpp/make_module.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/codegen/host_target.h"
#include "tessera/codegen/native_kernel.h"
#include "tessera/codegen/optimize.h"
#include "tessera/codegen/target/nvptx/ptx.h"
#include "tessera/codegen/workspace.h"
#include "tessera/ir/source_lines.h"
#include "tessera/lanes/schedule/split_branches.h"

namespace tessera::codegen {

namespace {

/// Whether a kernel of one lane has loops of a user's.
bool is_function(const ir::Kernel& kernel) {
  const auto is_loop = [](const ir::Instruction& i) { return i.op == ir::Opcode::for_ || i.op == ir::Opcode::while_; };
  return kernel.ndim == 0 && (!kernel.functions.empty() || std::ranges::any_of(kernel.instructions, is_loop));
}

bool calls_math(const ir::Kernel& kernel) {
  return std::ranges::any_of(kernel.instructions,
                             [](const ir::Instruction& i) { return is_long_function(i.op, i.type); });
}

/// Whether it is a launch's, and tells the host of its accesses. Calls without operands are barriers of lanes that run
/// apart.
bool is_checked(const ir::Kernel& kernel) {
  constexpr int axes_of_a_launch = 6;
  return kernel.ndim == axes_of_a_launch && std::ranges::any_of(kernel.instructions, [](const ir::Instruction& i) {
           return i.op == ir::Opcode::call_host && i.arg_count > 0 && !ir::is_line_mark(i);
         });
}

class LlvmCompiler final : public Compiler {
 public:
  explicit LlvmCompiler(const CompilerOptions& options) : level_(host_level(options.cpu_level)) {
    if (!options.cache_folder.empty())
      cache_ = std::make_unique<ObjectCache>(options.cache_folder, options.cache_limit);
  }

  std::shared_ptr<NativeKernel> compile(const ir::Kernel& kernel, Tier tier) override {
    if (!cache_) return jit().load(make_file(kernel, tier, llvm::CodeGenFileType::ObjectFile), kernel);
    // An object of the full tier is used for both tiers.
    std::string key = cache_key(kernel, Tier::full);
    std::optional<std::string> object = cache_->find(key);
    if (!object && tier == Tier::quick) object = cache_->find(key = cache_key(kernel, tier));
    if (object) {
      std::shared_ptr<NativeKernel> known = jit().load(*object, kernel);
      known->is_from_cache = true;
      return known;
    }
    object = make_file(kernel, tier, llvm::CodeGenFileType::ObjectFile);
    cache_->store(key, *object);
    return jit().load(*object, kernel);
  }

  std::shared_ptr<HostModule> compile_cuda_cpp(std::string_view bitcode, bool is_checked) override {
    const std::string key =
        format("CUDA C++\n{}\n{}\n{}", target(), Hash().add(bitcode).value(), is_checked ? "checked\n" : "") +
        std::string(bitcode);
    std::optional<std::string> object = cache_ ? cache_->find(key) : std::nullopt;
    if (!object) {
      WorkspacePool::Loan workspace(workspaces_);
      std::unique_ptr<llvm::Module> module = cuda_cpp::make_module(
          bitcode, workspace->context, workspace->machine(level_, Tier::full), level_, is_checked);
      workspace->gate.set_function(false, false);
      object = workspace->writer(level_, Tier::full, llvm::CodeGenFileType::ObjectFile).write(*module);
      if (cache_) cache_->store(key, *object);
    }
    LoadedCode loaded = jit().load_code(*object, cuda_cpp::record_symbol);
    return cuda_cpp::make_loaded_module(std::move(loaded.code),
                                        *static_cast<const cuda_cpp::ModuleRecord*>(loaded.address));
  }

  std::string compile_ptx(const ir::Kernel& kernel, const DeviceMapping& mapping) override {
    WorkspacePool::Loan workspace(workspaces_);
    return make_ptx(kernel, mapping, workspace->context, workspace->math);
  }

  std::string compile_device_function(const ir::Kernel& kernel, const DeviceFunction& function) override {
    WorkspacePool::Loan workspace(workspaces_);
    return make_function_ptx(kernel, function, workspace->context, workspace->math);
  }

  std::optional<std::string> find_object(const std::string& key) override {
    return cache_ ? cache_->find(key) : std::nullopt;
  }
  void store_object(const std::string& key, const std::string& object) override {
    if (cache_) cache_->store(key, object);
  }

  std::string print_llvm(const ir::Kernel& kernel, Tier tier) override {
    WorkspacePool::Loan workspace(workspaces_);
    std::string text;
    llvm::raw_string_ostream out(text);
    std::unique_ptr<llvm::Module> module = make_module(kernel, tier, *workspace.operator->());
    module->print(out, nullptr);
    std::string problem;
    llvm::raw_string_ostream problems(problem);
    invariant(!llvm::verifyModule(*module, &problems), "codegen: broken LLVM IR: {}\n{}", problem, text);
    return text;
  }

  std::string print_assembly(const ir::Kernel& kernel, Tier tier) override {
    return make_file(kernel, tier, llvm::CodeGenFileType::AssemblyFile);
  }

  std::string target() const override {
    return format("x86-64-v{} LLVM {} tessera {} build {}", level_, LLVM_VERSION_STRING, TESSERA_VERSION, build_id_);
  }

 private:
  std::unique_ptr<llvm::Module> make_module(const ir::Kernel& kernel, Tier tier, Workspace& workspace) {
    llvm::TargetMachine& machine = workspace.machine(level_, tier);
    auto module = std::make_unique<llvm::Module>("kernel", workspace.context);
    module->setDataLayout(machine.createDataLayout());
    module->setTargetTriple(machine.getTargetTriple().str());
    const std::optional<ir::Kernel> split = lanes::split_branches(kernel);
    Emitter emitter(split ? *split : kernel, *module, workspace.math, {.kind = Machine::Kind::host, .level = level_});
    emitter.lanes.emit_kernel(entry_symbol);
    for (llvm::Function& function : *module) {
      if (function.isDeclaration()) continue;
      function.addFnAttr("target-cpu", machine.getTargetCPU());
      function.addFnAttr("prefer-vector-width", level_ >= 4 ? "512" : "256");
    }
    if (is_checked(kernel))
      optimize_checked(*module, machine);
    else if (tier == Tier::full && is_function(kernel))
      optimize_function(*module, machine);
    else
      optimize(*module, machine, tier);
    return module;
  }

  std::string make_file(const ir::Kernel& kernel, Tier tier, llvm::CodeGenFileType type) {
    WorkspacePool::Loan workspace(workspaces_);
    std::unique_ptr<llvm::Module> module = make_module(kernel, tier, *workspace.operator->());
    workspace->gate.set_function(tier == Tier::full && is_function(kernel), calls_math(kernel));
    return workspace->writer(level_, tier, type).write(*module);
  }

  std::string cache_key(const ir::Kernel& kernel, Tier tier) const {
    const std::string text = ir::print(kernel);
    return format("{}\n{}\n{} {}\n", target(), tier == Tier::quick ? "quick" : "full", ir::structural_hash(kernel),
                  Hash().add(std::string_view(text)).value()) +
           text;
  }

  Jit& jit() {
    std::call_once(jit_once_, [this] { jit_ = Jit::make(level_); });
    return *jit_;
  }

  int level_;
  const std::string build_id_ = build_id();
  std::unique_ptr<ObjectCache> cache_;
  WorkspacePool workspaces_;
  std::once_flag jit_once_;
  std::shared_ptr<Jit> jit_;
};

}  // namespace

}  // namespace tessera::codegen

extern "C" __attribute__((visibility("default"))) tessera::codegen::Compiler* tessera_make_compiler(
    const tessera::codegen::CompilerOptions* options) {
  return std::make_unique<tessera::codegen::LlvmCompiler>(*options).release();
}

/// For tests: cache files fail when the engine's faults say so.
extern "C" __attribute__((visibility("default"))) void tessera_watch_faults(
    const std::atomic<tessera::faults::Ask>* asked) {
  tessera::faults::watched = asked;
}
