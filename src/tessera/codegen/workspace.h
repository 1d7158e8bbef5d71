/// Workspace: the reusable state of a compilation: an LLVM context, the math library, target machines and their passes.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/Target/TargetMachine.h>

#include "tessera/base/mutex.h"
#include "tessera/codegen/compiler.h"
#include "tessera/codegen/emit/primitives/math_library.h"

namespace tessera::codegen {

/// The passes from LLVM IR to a file; making the list of them takes half a millisecond.
class FileWriter {
 public:
  FileWriter(llvm::TargetMachine& machine, llvm::CodeGenFileType type);
  std::string write(llvm::Module& module);

 private:
  llvm::SmallString<0> file_;
  llvm::raw_svector_ostream out_{file_};
  llvm::legacy::PassManager passes_;
};

/// Leaves out passes over machine code that take 5 % of the time to compile a user's function and make its loops no
/// faster (bench/jit.md). Where it calls functions of the math library, constants are not moved out of loops either:
/// no vector stays in a register during a call.
class PassGate final : public llvm::OptPassGate {
 public:
  void set_function(bool is_function, bool calls) {
    is_function_ = is_function;
    calls_ = calls;
  }
  bool isEnabled() const override { return is_function_; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef description) override;

 private:
  bool is_function_ = false, calls_ = false;
};

struct Workspace {
  Workspace();
  llvm::TargetMachine& machine(int level, Tier tier);
  FileWriter& writer(int level, Tier tier, llvm::CodeGenFileType type);

  PassGate gate;
  llvm::LLVMContext context;
  MathLibrary math;
  std::unique_ptr<llvm::TargetMachine> machines[2];  // by tier
  std::map<std::pair<Tier, llvm::CodeGenFileType>, FileWriter> writers;
  int uses = 0;
};

/// Lends workspaces; thread-safe. A context grows with each kernel, so a workspace is replaced after many uses.
class WorkspacePool {
 public:
  class Loan {
   public:
    explicit Loan(WorkspacePool& pool) : pool_(pool), workspace_(pool.take()) {}
    ~Loan() { pool_.give_back(std::move(workspace_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Workspace* operator->() { return workspace_.get(); }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<Workspace> workspace_;
  };

 private:
  std::unique_ptr<Workspace> take();
  void give_back(std::unique_ptr<Workspace> workspace);

  Mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

}  // namespace tessera::codegen
