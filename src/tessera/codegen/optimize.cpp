#include "tessera/codegen/optimize.h"

#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/codegen/advise_loops.h"
#include "tessera/codegen/check_addresses.h"
#include "tessera/codegen/flatten_branches.h"
#include "tessera/codegen/target/device_code.h"
#include "tessera/codegen/unroll_device_loops.h"

namespace tessera::codegen {

namespace {

llvm::FunctionPassManager passes(Tier tier) {
  llvm::FunctionPassManager list;
  list.addPass(llvm::PromotePass());
  list.addPass(llvm::EarlyCSEPass(false));
  if (tier == Tier::full) list.addPass(llvm::InstCombinePass());
  list.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  list.addPass(llvm::LoopVectorizePass(llvm::LoopVectorizeOptions()));
  if (tier == Tier::full) {
    list.addPass(llvm::EarlyCSEPass(false));
    list.addPass(llvm::InstCombinePass());
  }
  list.addPass(llvm::SimplifyCFGPass());
  return list;
}

llvm::FunctionPassManager checked_passes() {
  llvm::FunctionPassManager list;
  list.addPass(llvm::PromotePass());
  list.addPass(llvm::EarlyCSEPass(true));
  list.addPass(llvm::InstCombinePass());
  list.addPass(llvm::SimplifyCFGPass());
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  loops.addPass(llvm::IndVarSimplifyPass());  // indices that are within blocks of known extents
  list.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), true));
  list.addPass(llvm::InstCombinePass());
  list.addPass(llvm::SimplifyCFGPass());
  list.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::SimpleLoopUnswitchPass(true), true));
  list.addPass(llvm::SimplifyCFGPass());
  list.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  list.addPass(llvm::LoopVectorizePass(llvm::LoopVectorizeOptions()));
  list.addPass(llvm::EarlyCSEPass(true));
  list.addPass(llvm::InstCombinePass());
  list.addPass(llvm::SimplifyCFGPass());
  return list;
}

/// Loops that a user wrote are not those of lanes: inner ones of known length are unrolled, and addresses, conditions
/// and loads that iterations share are moved out before the rest is vectorised.
llvm::FunctionPassManager function_passes(bool has_frames) {
  llvm::FunctionPassManager list;
  list.addPass(llvm::PromotePass());
  if (has_frames) {  // which become values, and what they say of where a generator goes on becomes jumps
    list.addPass(llvm::InstCombinePass());
    list.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    list.addPass(llvm::EarlyCSEPass(true));
    list.addPass(llvm::InstCombinePass());
    list.addPass(llvm::JumpThreadingPass());
  }
  list.addPass(llvm::EarlyCSEPass(false));
  list.addPass(llvm::InstCombinePass());
  list.addPass(FlattenBranches());
  list.addPass(llvm::SimplifyCFGPass());
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopRotatePass());
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  loops.addPass(llvm::SimpleLoopUnswitchPass());
  list.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), true));
  llvm::LoopPassManager counted;
  counted.addPass(llvm::IndVarSimplifyPass());
  counted.addPass(llvm::LoopFullUnrollPass());
  list.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(counted)));
  list.addPass(llvm::EarlyCSEPass(true));
  list.addPass(llvm::CorrelatedValuePropagationPass());  // divides in fewer bits where values are known to be small
  list.addPass(llvm::InstCombinePass());
  list.addPass(FlattenBranches());
  list.addPass(llvm::SimplifyCFGPass());
  list.addPass(AdviseLoops());
  list.addPass(llvm::LoopVectorizePass(llvm::LoopVectorizeOptions()));
  list.addPass(llvm::EarlyCSEPass(false));  // what the vectoriser made needs no analysis of memory
  list.addPass(llvm::InstCombinePass());
  list.addPass(KeepRemaindersRolled());
  list.addPass(llvm::LoopUnrollPass());  // loops that stay scalar: more of a chain is in flight
  list.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  list.addPass(llvm::SimplifyCFGPass());
  return list;
}

llvm::FunctionPassManager device_passes(bool is_fast_compile, bool unrolls) {
  llvm::FunctionPassManager list;
  list.addPass(llvm::PromotePass());
  list.addPass(llvm::EarlyCSEPass(true));
  list.addPass(llvm::InstCombinePass());
  if (!is_fast_compile) {  // the PTX assembler repeats these optimisations
    list.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
    list.addPass(llvm::EarlyCSEPass(true));
  }
  if (unrolls) {
    llvm::LoopPassManager loops;
    loops.addPass(llvm::LoopRotatePass());
    loops.addPass(llvm::LICMPass(llvm::LICMOptions()));  // what each iteration stores at one place stays in registers
    loops.addPass(llvm::IndVarSimplifyPass());
    list.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), true));
    list.addPass(UnrollDeviceLoops());
    list.addPass(llvm::LoopUnrollPass());
    list.addPass(llvm::InstCombinePass());
    list.addPass(llvm::EarlyCSEPass(true));
  }
  list.addPass(llvm::SimplifyCFGPass());
  return list;
}

void verify(const llvm::Module& module) {
  std::string problem;
  llvm::raw_string_ostream out(problem);
  invariant(!llvm::verifyModule(module, &out), "codegen: broken LLVM IR: {}", problem);
}

void run(llvm::Module& module, llvm::TargetMachine& machine, llvm::FunctionPassManager function_passes,
         bool is_for_host = true) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
#ifdef TESSERA_DEBUG
  verify(module);
#endif
  llvm::ModulePassManager list;
  list.addPass(llvm::AlwaysInlinerPass(false));
  list.addPass(llvm::GlobalDCEPass());
  list.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(function_passes)));
  if (is_for_host) add_address_checks(module, list);
  list.run(module, modules);
}

}  // namespace

void optimize(llvm::Module& module, llvm::TargetMachine& machine, Tier tier) { run(module, machine, passes(tier)); }

void optimize_checked(llvm::Module& module, llvm::TargetMachine& machine) { run(module, machine, checked_passes()); }

void optimize_function(llvm::Module& module, llvm::TargetMachine& machine) {
  // Arrays of a function's own are frames of generators.
  const auto is_frame = [](const llvm::Instruction& i) {
    const auto* const alloca = llvm::dyn_cast<llvm::AllocaInst>(&i);
    return alloca && alloca->isArrayAllocation();
  };
  bool has_frames = false;
  for (const llvm::Function& function : module)
    for (const llvm::BasicBlock& block : function) has_frames |= std::ranges::any_of(block, is_frame);
  run(module, machine, function_passes(has_frames));
}

void optimize_device(llvm::Module& module, llvm::TargetMachine& machine, bool is_fast_compile, bool unrolls) {
  // Always verified: there are many mappings, assembling takes a hundred times as long, and a kernel that fails here
  // runs on the host instead.
  verify(module);
  run(module, machine, device_passes(is_fast_compile, unrolls), false);
  device::rewrite(module);
}

}  // namespace tessera::codegen
