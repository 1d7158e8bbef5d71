#include "tessera/codegen/cuda_cpp/prepare_kernel.h"

#include <algorithm>

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include "tessera/base/error.h"
#include "tessera/codegen/cuda_cpp/builtins.h"

namespace tessera::codegen::cuda_cpp {

namespace {

/// Functions that call themselves, directly or by others.
std::vector<llvm::Function*> recursive_functions(llvm::Module& module) {
  std::vector<llvm::Function*> found;
  llvm::CallGraph graph(module);
  for (auto at = llvm::scc_begin(&graph); !at.isAtEnd(); ++at) {
    if (!at.hasCycle()) continue;
    for (llvm::CallGraphNode* node : *at)
      if (node->getFunction()) found.push_back(node->getFunction());
  }
  return found;
}

void run_passes(llvm::Module& module, llvm::TargetMachine& machine, llvm::FunctionPassManager of_functions) {
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
  llvm::ModulePassManager list;
  list.addPass(llvm::AlwaysInlinerPass(false));
  list.addPass(llvm::GlobalDCEPass());
  list.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(of_functions)));
  list.addPass(llvm::GlobalDCEPass());
  list.run(module, modules);
}

bool meets(const llvm::Function& function) {
  for (const llvm::Instruction& i : llvm::instructions(function))
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&i))
      if (const llvm::Function* called = call->getCalledFunction(); called && called->getName() == "__tessera_meet")
        return true;
  return false;
}

/// Short loops that only compute are unrolled, so that the loop around them, over threads, is the one to be vectorised;
/// eight iterations of longer ones in kernels that meet, where an iteration is done for all threads before the next.
struct UnrollShortLoops : llvm::PassInfoMixin<UnrollShortLoops> {
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager&, llvm::LoopStandardAnalysisResults& results,
                              llvm::LPMUpdater&) {
    constexpr unsigned most_iterations = 32, most_instructions = 1024;
    const unsigned iterations = results.SE.getSmallConstantTripCount(&loop);
    size_t size = 0;
    for (const llvm::BasicBlock* block : loop.blocks()) size += block->size();
    if (loop.isInnermost() && iterations > 1 && iterations <= most_iterations && size * iterations <= most_instructions)
      llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.full");
    else if (loop.isInnermost() && iterations > 0 && iterations % 8 == 0 && size * 8 <= most_instructions &&
             meets(*loop.getHeader()->getParent()))
      llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.count", 8);
    return llvm::PreservedAnalyses::all();
  }
};

/// Outside of the headers that stand for CUDA's.
const llvm::DILocation* location_of(const llvm::Instruction& i) {
  const llvm::DILocation* at = i.getDebugLoc().get();
  while (at && at->getInlinedAt() && at->getFilename().contains("/cuda/source/cores/")) at = at->getInlinedAt();
  return at;
}

std::string place_of(const llvm::Instruction& i) {
  const llvm::DILocation* at = location_of(i);
  return at ? format("{}({})", at->getFilename().str(), at->getLine()) : i.getFunction()->getName().str();
}

/// Whether the memory that this address is of is only read.
bool is_only_read(const llvm::Value& address) {
  for (const llvm::User* user : address.users()) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (load->isVolatile()) return false;
    } else if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user)) {
      if (copy->getRawDest() == &address) return false;
    } else if (!llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(user) || !is_only_read(*user)) {
      return false;
    }
  }
  return true;
}

void mark_invariant(llvm::Value& address) {
  for (llvm::User* user : address.users()) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user))
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(load->getContext(), {}));
    else if (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(user))
      mark_invariant(*user);
  }
}

}  // namespace

std::vector<FoundKernel> find_kernels(llvm::Module& module) {
  std::vector<FoundKernel> kernels;
  const llvm::NamedMDNode* annotations = module.getNamedMetadata("nvvm.annotations");
  if (!annotations) return kernels;
  std::vector<std::pair<llvm::Function*, int64_t>> bounds;
  for (const llvm::MDNode* node : annotations->operands()) {
    auto* function =
        node->getNumOperands() ? llvm::mdconst::dyn_extract_or_null<llvm::Function>(node->getOperand(0)) : nullptr;
    if (!function) continue;
    for (unsigned k = 1; k + 1 < node->getNumOperands(); k += 2) {
      const auto* key = llvm::dyn_cast<llvm::MDString>(node->getOperand(k));
      const auto* value = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(node->getOperand(k + 1));
      if (!key || !value) continue;
      if (key->getString() == "kernel" && !function->isDeclaration())
        kernels.push_back({.function = function, .name = function->getName().str()});
      if (key->getString() == "maxntidx") bounds.emplace_back(function, value->getSExtValue());
    }
  }
  for (FoundKernel& kernel : kernels)
    for (const auto& [function, most] : bounds)
      if (kernel.function == function) kernel.most_threads = most;
  return kernels;
}

std::string line_of(const llvm::Instruction& i) {
  const llvm::DILocation* at = location_of(i);
  return at ? format("line {} of {}", at->getLine(), at->getFilename().str()) : i.getFunction()->getName().str();
}

void inline_functions(llvm::Module& module, const std::vector<FoundKernel>& kernels, llvm::TargetMachine& machine) {
  const auto is_kernel = [&](const llvm::Function& function) {
    return std::ranges::any_of(kernels, [&](const FoundKernel& kernel) { return kernel.function == &function; });
  };
  const std::vector<llvm::Function*> recursive = recursive_functions(module);
  for (llvm::Function& function : module) {
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    function.removeFnAttr("frame-pointer");
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.removeFnAttr(llvm::Attribute::MustProgress);
    if (function.isDeclaration()) continue;
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.setComdat(nullptr);
    function.setLinkage(is_kernel(function) ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage);
    if (is_kernel(function)) continue;
    if (std::find(recursive.begin(), recursive.end(), &function) == recursive.end())
      function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
  llvm::FunctionPassManager list;
  list.addPass(llvm::PromotePass());
  run_passes(module, machine, std::move(list));
}

void split_variables(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::FunctionPassManager list;
  list.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  list.addPass(llvm::EarlyCSEPass());
  run_passes(module, machine, std::move(list));
}

void simplify_kernels(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::FunctionPassManager list;
  list.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  list.addPass(llvm::EarlyCSEPass(true));
  list.addPass(llvm::SimplifyCFGPass());
  list.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopRotatePass());
  loops.addPass(llvm::IndVarSimplifyPass());
  loops.addPass(UnrollShortLoops());
  loops.addPass(llvm::LoopFullUnrollPass(2));
  list.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops)));
  list.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  list.addPass(llvm::EarlyCSEPass(true));
  list.addPass(llvm::InstCombinePass());
  list.addPass(llvm::SimplifyCFGPass());
  list.addPass(llvm::ADCEPass());
  run_passes(module, machine, std::move(list));
}

void refuse_foreign(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    for (const llvm::Instruction& i : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
      if (!call) continue;
      if (call->isInlineAsm())
        throw NotImplementedError(
            format("{}: inline PTX runs on a GPU alone: write it in C++, or keep it behind `#ifndef TESSERA_CORES`",
                   place_of(i)));
      const llvm::Function* called = call->getCalledFunction();
      if (called && called->getName().starts_with("llvm.nvvm."))
        throw NotImplementedError(format("{}: {} is an instruction of GPUs alone: use CUDA's function for it",
                                         place_of(i), called->getName().str()));
    }
}

void refuse_called(const llvm::Module& module, const std::vector<FoundKernel>& kernels) {
  const auto is_kernel = [&](const llvm::Function* function) {
    return std::ranges::any_of(kernels, [&](const FoundKernel& kernel) { return kernel.function == function; });
  };
  const auto refuse = [&](const llvm::Instruction& i) {
    if (is_kernel(i.getFunction())) return;
    throw NotImplementedError(
        format("{}: a function that calls itself, or is called by its address, has no threadIdx, barriers and shared "
               "memory on the cores: pass it what it needs",
               place_of(i)));
  };
  for (const llvm::Function& function : module)
    if (function.isDeclaration() && function.getName().starts_with("__tessera_"))
      for (const llvm::User* user : function.users())
        if (const auto* i = llvm::dyn_cast<llvm::Instruction>(user)) refuse(*i);
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (variable.getAddressSpace() != shared_space) continue;
    llvm::SmallVector<const llvm::User*, 8> users(variable.users());
    while (!users.empty()) {
      const llvm::User* user = users.pop_back_val();
      if (const auto* i = llvm::dyn_cast<llvm::Instruction>(user))
        refuse(*i);
      else
        users.append(user->user_begin(), user->user_end());
    }
  }
}

void place_parameters(FoundKernel& kernel) {
  llvm::Function& function = *kernel.function;
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  for (llvm::Argument& argument : function.args()) {
    const bool is_by_value = argument.hasByValAttr();
    llvm::Type* type = is_by_value ? argument.getParamByValType() : argument.getType();
    kernel.parameter_sizes.push_back(static_cast<int64_t>(layout.getTypeAllocSize(type).getFixedValue()));
    if (!is_by_value) continue;
    const unsigned k = argument.getArgNo();
    const llvm::Align align = argument.getParamAlign().valueOrOne();
    function.removeParamAttr(k, llvm::Attribute::ByVal);
    function.addParamAttr(k, llvm::Attribute::get(function.getContext(), by_value_attribute));
    function.removeParamAttr(k, llvm::Attribute::Alignment);
    if (is_only_read(argument)) {
      mark_invariant(argument);
      continue;
    }
    llvm::IRBuilder<> b(&*function.getEntryBlock().begin());
    llvm::AllocaInst* copy = b.CreateAlloca(type);
    copy->setAlignment(align);
    argument.replaceAllUsesWith(copy);
    b.CreateMemCpy(copy, align, &argument, llvm::Align(1), layout.getTypeAllocSize(type).getFixedValue());
  }
}

void place_shared(FoundKernel& kernel) {
  llvm::Function& function = *kernel.function;
  llvm::Module& module = *function.getParent();
  const llvm::DataLayout& layout = module.getDataLayout();
  std::vector<llvm::GlobalVariable*> fixed, dynamic;
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.getAddressSpace() != shared_space) continue;
    llvm::convertUsersOfConstantsToInstructions({&variable}, &function);
    bool is_used = false;
    for (llvm::User* user : variable.users())
      if (auto* i = llvm::dyn_cast<llvm::Instruction>(user)) is_used |= i->getFunction() == &function;
    if (!is_used) continue;
    (layout.getTypeAllocSize(variable.getValueType()).isZero() || variable.isDeclaration() ? dynamic : fixed)
        .push_back(&variable);
  }
  const auto place = [&](llvm::GlobalVariable& variable, int64_t offset) {
    llvm::FunctionCallee shared =
        module.getOrInsertFunction("__tessera_shared", llvm::PointerType::get(module.getContext(), 0));
    auto* declared = llvm::cast<llvm::Function>(shared.getCallee());
    declared->setDoesNotAccessMemory();
    declared->setWillReturn();
    llvm::IRBuilder<> b(&*function.getEntryBlock().getFirstInsertionPt());
    llvm::Value* base = b.CreateCall(shared);
    llvm::Value* at =
        b.CreateAddrSpaceCast(b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset), variable.getType());
    variable.replaceUsesWithIf(at, [&](llvm::Use& use) {
      auto* i = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      return i && i->getFunction() == &function;
    });
  };
  int64_t total = 0;
  for (llvm::GlobalVariable* variable : fixed) {
    const auto align = static_cast<int64_t>(std::max<uint64_t>(16, variable->getAlign().valueOrOne().value()));
    total = (total + align - 1) / align * align;
    place(*variable, total);
    total += static_cast<int64_t>(layout.getTypeAllocSize(variable->getValueType()).getFixedValue());
  }
  kernel.shared_bytes = total;
  const int64_t behind = (total + 15) / 16 * 16;
  for (llvm::GlobalVariable* variable : dynamic) place(*variable, behind);
}

void end_at_failures(llvm::Function& kernel) {
  std::vector<llvm::CallInst*> failures;
  for (llvm::Instruction& i : llvm::instructions(kernel))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i))
      if (const llvm::Function* called = call->getCalledFunction(); called && called->getName() == "__tessera_fail")
        failures.push_back(call);
  for (llvm::CallInst* call : failures) {
    llvm::BasicBlock* block = call->getParent();
    if (call->getNextNode() == nullptr) continue;
    for (llvm::BasicBlock* next : llvm::successors(block)) next->removePredecessor(block);
    while (&block->back() != call) {
      block->back().replaceAllUsesWith(llvm::PoisonValue::get(block->back().getType()));
      block->back().eraseFromParent();
    }
    llvm::ReturnInst::Create(kernel.getContext(), block);
  }
  if (!failures.empty()) llvm::removeUnreachableBlocks(kernel);
}

}  // namespace tessera::codegen::cuda_cpp
