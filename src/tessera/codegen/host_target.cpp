#include "tessera/codegen/host_target.h"

#include <algorithm>
#include <mutex>

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include "tessera/base/cpu_level.h"
#include "tessera/base/error.h"

namespace tessera::codegen {

namespace {

/// The features that x86-64-v3 and -v4 add, as the psABI lists them.
constexpr const char* level3[] = {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"};
constexpr const char* level4[] = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"};

template <size_t n>
bool has_all(const llvm::StringMap<bool>& features, const char* const (&names)[n]) {
  for (const char* name : names)
    if (!features.lookup(name)) return false;
  return true;
}

int detected_level() {
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (!has_all(features, level3)) return 2;
  return has_all(features, level4) ? 4 : 3;
}

/// Sets an option that LLVM offers only as a flag of its tools; this copy of LLVM is private to the library.
void set_option(const char* name, const char* value) {
  auto& options = llvm::cl::getRegisteredOptions();
  auto option = options.find(name);
  invariant(option != options.end(), "codegen: LLVM has no option {}", name);
  const bool is_refused = option->second->addOccurrence(0, name, value);
  invariant(!is_refused, "codegen: LLVM's option {} does not take {}", name, value);
}

}  // namespace

int host_level(int limit) {
  static const int level = std::min(detected_level(), cpu_level());
  return limit == 0 ? level : std::min(level, limit);
}

void initialize_host() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    // Loop strength reduction takes half of the compile time, and the addresses are already in a form suited to loops.
    set_option("disable-lsr", "true");
    // This pass would guess that strides, which are in bytes, are one, and run lane by lane where they are not.
    set_option("enable-mem-access-versioning", "false");
    // A width that is asked for (advise_loops.h) is no leave to add up in another order.
    set_option("hints-allow-reordering", "false");
    // What a loop over vectors of eight leaves is done four at a time.
    set_option("epilogue-vectorization-minimum-VF", "4");
    // Loops of checked kernels, which are the only ones to be made twice for conditions (optimize_checked).
    set_option("unswitch-threshold", "400");
  });
}

std::unique_ptr<llvm::TargetMachine> make_host_machine(int level, Tier tier) {
  initialize_host();
  const std::string triple = "x86_64-unknown-linux-gnu";
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  invariant(target != nullptr, "codegen: {}", error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, "x86-64-v" + std::to_string(level), "", options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      tier == Tier::quick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default, true));
  return machine;
}

}  // namespace tessera::codegen
