/// MathLibrary: the math functions as bitcode, imported into a module one by one when a kernel uses them.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace tessera::codegen {

/// The context must outlive it; not thread-safe, as the context is not.
class MathLibrary {
 public:
  explicit MathLibrary(llvm::LLVMContext& context) : context_(context) {}
  /// Imports the function of this name into `module`, private and always inlined; throws InvariantError when unknown.
  llvm::Function* import(llvm::StringRef name, llvm::Module& module);

 private:
  llvm::Module& source();
  llvm::LLVMContext& context_;
  std::unique_ptr<llvm::Module> source_;  // parsed at the first import; function bodies are read when they are imported
};

}  // namespace tessera::codegen
