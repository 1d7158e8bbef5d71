#include "tessera/codegen/workspace.h"

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>

#include "tessera/base/error.h"
#include "tessera/codegen/host_target.h"

namespace tessera::codegen {

namespace {

constexpr int max_uses = 500;

/// LLVM would print a remark for each loop that is not vectorised although a width was asked for (advise_loops.h), and
/// a warning for each that a user's pragma unrolls in vain.
struct NoRemarks : llvm::DiagnosticHandler {
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    return info.getSeverity() == llvm::DS_Remark || info.getSeverity() == llvm::DS_Warning;
  }
};

}  // namespace

bool PassGate::shouldRunPass(llvm::StringRef pass, llvm::StringRef) {
  if (calls_ && pass == "Early Machine Loop Invariant Code Motion") return false;
  return pass != "Machine Instruction Scheduler" && pass != "Machine Common Subexpression Elimination";
}

Workspace::Workspace() : math(context) {
  context.setOptPassGate(gate);
  context.setDiscardValueNames(false);
  context.setDiagnosticHandler(std::make_unique<NoRemarks>());
}

llvm::TargetMachine& Workspace::machine(int level, Tier tier) {
  std::unique_ptr<llvm::TargetMachine>& machine = machines[static_cast<int>(tier)];
  if (!machine) machine = make_host_machine(level, tier);
  return *machine;
}

FileWriter& Workspace::writer(int level, Tier tier, llvm::CodeGenFileType type) {
  return writers.try_emplace({tier, type}, machine(level, tier), type).first->second;
}

FileWriter::FileWriter(llvm::TargetMachine& machine, llvm::CodeGenFileType type) {
  const bool unsupported = machine.addPassesToEmitFile(passes_, out_, nullptr, type, true);
  invariant(!unsupported, "codegen: the target writes no such files");
}

std::string FileWriter::write(llvm::Module& module) {
  passes_.run(module);
  std::string file(file_);
  file_.clear();
  return file;
}

std::unique_ptr<Workspace> WorkspacePool::take() {
  std::scoped_lock lock(mutex_);
  if (idle_.empty()) return std::make_unique<Workspace>();
  std::unique_ptr<Workspace> workspace = std::move(idle_.back());
  idle_.pop_back();
  return workspace;
}

void WorkspacePool::give_back(std::unique_ptr<Workspace> workspace) {
  if (++workspace->uses >= max_uses) return;
  std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(workspace));
}

}  // namespace tessera::codegen
