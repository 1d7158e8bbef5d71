/// MathLibrary: the bitcode math functions, brought into a module one by one as kernels use them.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace tessera::codegen {

/// Lives as long as its context; not thread-safe, as the context is not.
class MathLibrary {
 public:
  explicit MathLibrary(llvm::LLVMContext& context) : context_(context) {}
  /// The function of this name as a private, always inlined function of `module`; throws InvariantError when unknown.
  llvm::Function* import(llvm::StringRef name, llvm::Module& module);

 private:
  llvm::Module& source();
  llvm::LLVMContext& context_;
  std::unique_ptr<llvm::Module> source_;  // parsed at the first import; bodies when they are imported
};

}  // namespace tessera::codegen
