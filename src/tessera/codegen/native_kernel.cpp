#include "tessera/codegen/native_kernel.h"

#include <atomic>
#include <cmath>

#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>

#include "tessera/base/error.h"
#include "tessera/codegen/check_addresses.h"
#include "tessera/codegen/cuda_cpp/host_functions.h"
#include "tessera/codegen/emit/symbols.h"
#include "tessera/ir/loops.h"
#include "tessera/ir/opcode.h"
#include "tessera/ir/value_function.h"
#include "tessera/lanes/block_memory.h"
#include "tessera/lanes/exact_kernel.h"
#include "tessera/lanes/schedule/call_depth.h"
#include "tessera/lanes/stream_copy.h"

namespace tessera::codegen {

using namespace lanes;

namespace orc = llvm::orc;

namespace {

/// Errors that the session reported on this thread since the last failure.
thread_local std::string reported;

[[noreturn]] void fail(llvm::Error error, const char* doing) {
  const std::string reasons = std::exchange(reported, {});
  throw RuntimeError(format("codegen: {}: {}{}", doing, llvm::toString(std::move(error)), reasons));
}

template <class T>
T take(llvm::Expected<T> value, const char* doing) {
  if (!value) fail(value.takeError(), doing);
  return std::move(*value);
}

void pass(llvm::Error error, const char* doing) {
  if (error) fail(std::move(error), doing);
}

class OrcJit final : public Jit {
 public:
  explicit OrcJit(int level)
      : session_(take(orc::SelfExecutorProcessControl::Create(std::make_shared<orc::SymbolStringPool>(),
                                                              std::make_unique<orc::InPlaceTaskDispatcher>()),
                      "opening the session")),
        layer_(session_),
        runtime_(session_.createBareJITDylib("runtime")) {
    // Reported errors are appended to the exception that load() throws; nothing is written to the terminal.
    session_.setErrorReporter([](llvm::Error error) { reported += " (" + llvm::toString(std::move(error)) + ")"; });
    orc::SymbolMap symbols;
    const auto add = [&](const char* name, auto* function) {
      symbols[session_.intern(name)] = {orc::ExecutorAddr::fromPtr(function),
                                        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    };
    add(stream_copy_symbol, stream_copy(level));
    add(prefetch_symbol, &prefetch);
    add(exact_symbol, &ExactKernel::run);
    add(take_memory_symbol, &take_block_memory);
    add(give_memory_symbol, &give_block_memory);
    const auto add_values = [&](ir::Opcode op, DType dtype) {
      const ir::ValueFunction function = ir::find_value_function(op, dtype, level);
      const int count = ir::values_at_once(dtype, level);
      if (function.one) add(value_symbol(op, dtype, 0).c_str(), static_cast<char*>(function.one));
      if (function.many && count) add(value_symbol(op, dtype, count).c_str(), static_cast<char*>(function.many));
    };
    for (int op = 0; op < ir::opcode_count; ++op) {
      for (DType dtype : {DType::float32, DType::float64}) {
        if (!is_long_function(static_cast<ir::Opcode>(op), dtype)) continue;
        add(loop_symbol(static_cast<ir::Opcode>(op), dtype).c_str(),
            ir::find_loop(static_cast<ir::Opcode>(op), dtype, dtype));
        add_values(static_cast<ir::Opcode>(op), dtype);
      }
    }
    add("fma", static_cast<double (*)(double, double, double)>(&::fma));
    add("fmaf", &::fmaf);
    add("memcpy", &::memcpy);
    add("memset", &::memset);
    add("memmove", &::memmove);
    for (const cuda_cpp::HostFunction& function : cuda_cpp::host_functions())
      symbols.try_emplace(session_.intern(function.name), orc::ExecutorAddr::fromPtr(function.address),
                          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable);
    pass(runtime_.define(orc::absoluteSymbols(std::move(symbols))), "defining the runtime");
    define_address_checks(runtime_);
  }
  ~OrcJit() override { llvm::consumeError(session_.endSession()); }

  std::shared_ptr<NativeKernel> load(std::string_view object, const ir::Kernel& kernel) override;
  LoadedCode load_code(std::string_view object, const char* symbol) override;
  void unload(orc::JITDylib& library) { llvm::consumeError(session_.removeJITDylib(library)); }

 private:
  orc::ExecutionSession session_;
  orc::ObjectLinkingLayer layer_;
  orc::JITDylib& runtime_;
  std::atomic<uint64_t> count_{0};
};

/// A kernel's JITDylib within the session; removing it frees exactly this kernel's memory.
class LoadedKernel final : public NativeKernel {
 public:
  LoadedKernel(std::shared_ptr<OrcJit> jit, orc::JITDylib& library, const ir::Kernel& kernel)
      : jit_(std::move(jit)), library_(library), exact_(kernel) {}
  ~LoadedKernel() override { jit_->unload(library_); }
  ir::KernelEntry entry() const override { return entry_; }
  void set_entry(ir::KernelEntry entry) { entry_ = entry; }
  ExactKernel& exact() { return exact_; }

 private:
  std::shared_ptr<OrcJit> jit_;
  orc::JITDylib& library_;
  ExactKernel exact_;
  ir::KernelEntry entry_ = nullptr;
};

std::shared_ptr<NativeKernel> OrcJit::load(std::string_view object, const ir::Kernel& source) {
  orc::JITDylib& library = session_.createBareJITDylib("kernel" + std::to_string(count_++));
  auto kernel = std::make_shared<LoadedKernel>(std::static_pointer_cast<OrcJit>(shared_from_this()), library, source);
  library.addToLinkOrder(runtime_);
  const orc::ExecutorSymbolDef context{orc::ExecutorAddr::fromPtr(&kernel->exact()), llvm::JITSymbolFlags::Exported};
  pass(library.define(orc::absoluteSymbols({{session_.intern(exact_context_symbol), context}})),
       "defining a kernel's context");
  const llvm::StringRef bytes(object.data(), object.size());
  pass(layer_.add(library, llvm::MemoryBuffer::getMemBufferCopy(bytes, library.getName())), "reading an object");
  orc::ExecutorSymbolDef entry = take(session_.lookup({&library}, session_.intern(entry_symbol)), "linking a kernel");
  kernel->set_entry(entry.getAddress().toPtr<ir::KernelEntry>());
  return kernel;
}

LoadedCode OrcJit::load_code(std::string_view object, const char* symbol) {
  orc::JITDylib& library = session_.createBareJITDylib("code" + std::to_string(count_++));
  const auto jit = std::static_pointer_cast<OrcJit>(shared_from_this());
  LoadedCode loaded{.code = {&library, [jit](void* code) { jit->unload(*static_cast<orc::JITDylib*>(code)); }}};
  library.addToLinkOrder(runtime_);
  const llvm::StringRef bytes(object.data(), object.size());
  pass(layer_.add(library, llvm::MemoryBuffer::getMemBufferCopy(bytes, library.getName())), "reading an object");
  loaded.address =
      take(session_.lookup({&library}, session_.intern(symbol)), "linking code").getAddress().toPtr<void*>();
  return loaded;
}

}  // namespace

std::shared_ptr<Jit> Jit::make(int level) { return std::make_shared<OrcJit>(level); }

}  // namespace tessera::codegen
