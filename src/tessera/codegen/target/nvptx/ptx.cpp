#include "tessera/codegen/target/nvptx/ptx.h"

#include <algorithm>
#include <iterator>
#include <mutex>

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "tessera/base/error.h"
#include "tessera/base/format.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/codegen/host_target.h"
#include "tessera/codegen/native_kernel.h"
#include "tessera/codegen/optimize.h"

namespace tessera::codegen {

namespace {

/// A target architecture, and the oldest PTX version that supports it, which the oldest drivers accept.
struct Target {
  int capability;
  const char* ptx;
};
constexpr Target targets[] = {{70, "+ptx63"}, {75, "+ptx63"}, {80, "+ptx70"},
                              {86, "+ptx71"}, {89, "+ptx78"}, {90, "+ptx78"}};

/// The newest target that the device supports. Drivers assemble its text for newer devices.
const Target& target_for(int capability) {
  const auto newer = std::find_if(std::begin(targets) + 1, std::end(targets),
                                  [&](const Target& target) { return target.capability > capability; });
  return newer[-1];
}

std::unique_ptr<llvm::TargetMachine> make_device_machine(int capability, bool is_fast_compile) {
  static std::once_flag once;
  std::call_once(once, [] {
    initialize_host();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string error;
  const std::string triple = "nvptx64-nvidia-cuda";
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  invariant(target != nullptr, "codegen: {}", error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  const Target& chosen = target_for(capability);
  // The PTX assembler optimises again: without LLVM's own passes at instruction selection, generating the text takes
  // little more than half the time.
  const auto effort = is_fast_compile ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, format("sm_{}", chosen.capability), chosen.ptx, options, {}, {}, effort));
}

}  // namespace

namespace {

template <class Emit>
std::string write_ptx(const ir::Kernel& kernel, const DeviceMapping& mapping, llvm::LLVMContext& context,
                      MathLibrary& math, const Emit& emit) {
  std::unique_ptr<llvm::TargetMachine> machine = make_device_machine(mapping.capability, mapping.fast_compile);
  llvm::Module module("kernel", context);
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(machine->getTargetTriple().str());
  Emitter emitter(kernel, module, math, {.kind = Machine::Kind::device, .level = mapping.capability});
  emit(emitter);
  optimize_device(module, *machine, mapping.fast_compile, mapping.exact_grid && !mapping.mapped);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  invariant(!machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile, true),
            "codegen: the target writes no text");
  passes.run(module);
  return std::string(text);
}

}  // namespace

std::string make_ptx(const ir::Kernel& kernel, const DeviceMapping& mapping, llvm::LLVMContext& context,
                     MathLibrary& math) {
  return write_ptx(kernel, mapping, context, math,
                   [&](Emitter& emitter) { emitter.grid.emit_kernel(entry_symbol, mapping); });
}

std::string make_function_ptx(const ir::Kernel& kernel, const DeviceFunction& function, llvm::LLVMContext& context,
                              MathLibrary& math) {
  return write_ptx(kernel, {.capability = function.capability, .exact_grid = true}, context, math,
                   [&](Emitter& emitter) { emitter.grid.emit_function(function); });
}

}  // namespace tessera::codegen
