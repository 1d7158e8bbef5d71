#include "tessera/codegen/ptx.h"

#include <algorithm>
#include <mutex>

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"
#include "tessera/codegen/host_target.h"
#include "tessera/codegen/native_kernel.h"
#include "tessera/codegen/optimize.h"

namespace tessera::codegen {

namespace {

std::unique_ptr<llvm::TargetMachine> make_device_machine(int sm, bool is_lean) {
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
  // The newest capability that LLVM knows serves what is newer, and the oldest PTX version that knows it the oldest drivers.
  sm = std::min(sm, 90);
  const char* version = sm >= 89 ? "+ptx78" : sm > 80 ? "+ptx71" : sm == 80 ? "+ptx70" : "+ptx63";
  // The assembler optimises once more: without LLVM's own passes at selection, making the text takes little more than half the time.
  const auto effort = is_lean ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, "sm_" + std::to_string(sm), version, options, {}, {}, effort));
}

}  // namespace

std::string make_ptx(const ir::Kernel& kernel, const DeviceForm& form, llvm::LLVMContext& context, MathLibrary& math) {
  std::unique_ptr<llvm::TargetMachine> machine = make_device_machine(form.capability, form.lean);
  llvm::Module module("kernel", context);
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(machine->getTargetTriple().str());
  Emitter emitter(kernel, module, math, {.kind = Machine::Kind::nvptx, .level = form.capability});
  emitter.emit_device(entry_symbol, form);
  optimize_device(module, *machine, form.lean);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  invariant(!machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile, true),
            "codegen: the target writes no text");
  passes.run(module);
  return std::string(text);
}

}  // namespace tessera::codegen
