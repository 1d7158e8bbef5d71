#include "tessera/codegen/check_addresses.h"

#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/Support/Error.h>
#include <llvm/Transforms/Instrumentation/AddressSanitizer.h>

namespace tessera::codegen {

#if defined(__has_feature) && __has_feature(address_sanitizer)

void add_address_checks(llvm::Module& module, llvm::ModulePassManager& passes) {
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) function.addFnAttr(llvm::Attribute::SanitizeAddress);
  llvm::AddressSanitizerOptions options;
  options.UseAfterReturn = llvm::AsanDetectStackUseAfterReturnMode::Never;
  passes.addPass(llvm::AddressSanitizerPass(options));
}

void define_address_checks(llvm::orc::JITDylib& runtime) {
  const auto is_check = [](const llvm::orc::SymbolStringPtr& name) { return (*name).starts_with("__asan_"); };
  runtime.addGenerator(llvm::cantFail(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess('\0', is_check)));
}

#else

void add_address_checks(llvm::Module&, llvm::ModulePassManager&) {}
void define_address_checks(llvm::orc::JITDylib&) {}

#endif

}  // namespace tessera::codegen
