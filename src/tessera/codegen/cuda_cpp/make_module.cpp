#include "tessera/codegen/cuda_cpp/make_module.h"

#include <set>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include "tessera/base/error.h"
#include "tessera/codegen/cuda_cpp/add_checks.h"
#include "tessera/codegen/cuda_cpp/call_math.h"
#include "tessera/codegen/cuda_cpp/guard_divisions.h"
#include "tessera/codegen/cuda_cpp/module_record.h"
#include "tessera/codegen/cuda_cpp/prepare_kernel.h"
#include "tessera/codegen/cuda_cpp/region_code.h"
#include "tessera/codegen/cuda_cpp/split_kernel.h"

namespace tessera::codegen::cuda_cpp {

namespace {

constexpr const char* expression_prefix = "tessera_expression_";

/// Constants in the layout of module_record.h.
class Records {
 public:
  explicit Records(llvm::Module& module)
      : module_(module),
        context_(module.getContext()),
        pointer_(llvm::PointerType::get(context_, 0)),
        wide_(llvm::Type::getInt64Ty(context_)) {}

  llvm::Constant* number(int64_t value) { return llvm::ConstantInt::get(wide_, static_cast<uint64_t>(value)); }
  llvm::Constant* text(llvm::StringRef value) { return constant(llvm::ConstantDataArray::getString(context_, value)); }
  llvm::Constant* record(llvm::ArrayRef<llvm::Constant*> fields) {
    return llvm::ConstantStruct::getAnon(context_, fields);
  }
  /// The address of the elements; null for none.
  llvm::Constant* list(llvm::ArrayRef<llvm::Constant*> elements) {
    if (elements.empty()) return llvm::ConstantPointerNull::get(pointer_);
    return constant(llvm::ConstantArray::get(llvm::ArrayType::get(elements[0]->getType(), elements.size()), elements));
  }
  llvm::Constant* address(llvm::Constant* value) {
    if (!value) return llvm::ConstantPointerNull::get(pointer_);
    return llvm::ConstantExpr::getPointerBitCastOrAddrSpaceCast(value, pointer_);
  }

 private:
  llvm::Constant* constant(llvm::Constant* value) {
    return new llvm::GlobalVariable(module_, value->getType(), true, llvm::GlobalValue::InternalLinkage, value, "");
  }
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::PointerType* pointer_;
  llvm::IntegerType* wide_;
};

llvm::Constant* record_of(Records& records, const FoundKernel& kernel, const SplitKernel& split, bool is_checked) {
  std::vector<llvm::Constant*> regions, sizes;
  for (size_t k = 0; k < split.regions.size(); ++k) {
    const RegionFunctions code = make_region_code(split, k);
    regions.push_back(records.record({records.address(code.all), records.address(code.chosen),
                                      records.number(static_cast<int64_t>(split.regions[k].before)),
                                      records.text(split.regions[k].place)}));
  }
  for (const int64_t size : kernel.parameter_sizes) sizes.push_back(records.number(size));
  return records.record({records.text(kernel.name), records.list(sizes),
                         records.number(static_cast<int64_t>(sizes.size())), records.list(regions),
                         records.number(static_cast<int64_t>(regions.size())), records.number(kernel.shared_bytes),
                         records.number(split.thread_bytes), records.number(split.uniform_bytes),
                         records.number(kernel.most_threads), records.number(is_checked)});
}

/// The object that a name expression's record points to.
const llvm::GlobalValue* meaning_of(const llvm::GlobalVariable& variable) {
  if (!variable.hasInitializer()) return nullptr;
  return llvm::dyn_cast<llvm::GlobalValue>(variable.getInitializer()->stripPointerCasts());
}

void add_records(llvm::Module& module, std::vector<llvm::Constant*> kernels, Records& records) {
  std::vector<llvm::Constant*> variables, names;
  std::vector<llvm::GlobalVariable*> expressions;
  int64_t constant_bytes = 0;
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.getName().starts_with(expression_prefix)) {
      expressions.push_back(&variable);
      continue;
    }
    const bool is_users = variable.isExternallyInitialized() && variable.getAddressSpace() != shared_space;
    if (!is_users || variable.isDeclaration()) continue;
    const auto size = static_cast<int64_t>(layout.getTypeAllocSize(variable.getValueType()).getFixedValue());
    if (variable.getAddressSpace() == 4) constant_bytes += size;
    variable.setLinkage(llvm::GlobalValue::InternalLinkage);
    variables.push_back(
        records.record({records.text(variable.getName()), records.address(&variable), records.number(size)}));
  }
  for (llvm::GlobalVariable* variable : expressions)
    if (const llvm::GlobalValue* meant = meaning_of(*variable))
      names.push_back(records.record({records.text(variable->getName()), records.text(meant->getName())}));
  const auto count = [&](const std::vector<llvm::Constant*>& list) {
    return records.number(static_cast<int64_t>(list.size()));
  };
  llvm::Constant* all =
      records.record({records.list(kernels), count(kernels), records.list(variables), count(variables),
                      records.list(names), count(names), records.number(constant_bytes)});
  for (llvm::GlobalVariable* variable : expressions) {
    variable->replaceAllUsesWith(llvm::PoisonValue::get(variable->getType()));
    variable->eraseFromParent();
  }
  new llvm::GlobalVariable(module, all->getType(), true, llvm::GlobalValue::ExternalLinkage, all, record_symbol);
}

std::unique_ptr<llvm::Module> parse(std::string_view bitcode, llvm::LLVMContext& context) {
  const llvm::MemoryBufferRef bytes(llvm::StringRef(bitcode.data(), bitcode.size()), "source.cu");
  llvm::Expected<std::unique_ptr<llvm::Module>> parsed = llvm::parseBitcodeFile(bytes, context);
  if (!parsed)
    throw RuntimeError(
        format("CUDA C++ for the cores: what clang wrote cannot be read: {}", llvm::toString(parsed.takeError())));
  return std::move(*parsed);
}

void drop_used_lists(llvm::Module& module) {
  for (const char* name : {"llvm.used", "llvm.compiler.used"})
    if (llvm::GlobalVariable* list = module.getGlobalVariable(name)) list->eraseFromParent();
}

void set_variables(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : module.globals()) {
    variable.setComdat(nullptr);
    if (variable.isDeclaration() || variable.getAddressSpace() == shared_space) continue;
    // What Python may ask for stays until the records name it.
    variable.setLinkage(variable.isExternallyInitialized() ? llvm::GlobalValue::ExternalLinkage
                                                           : llvm::GlobalValue::InternalLinkage);
  }
}

/// `is_cut`: branches on uniform values are taken out of the loops over threads.
void optimize(llvm::Module& module, llvm::TargetMachine& machine, bool is_cut) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = true;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  const llvm::OptimizationLevel level = is_cut ? llvm::OptimizationLevel::O3 : llvm::OptimizationLevel::O2;
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
}

void verify(const llvm::Module& module) {
  std::string problem;
  llvm::raw_string_ostream out(problem);
  if (!llvm::verifyModule(module, &out)) return;
  invariant(false, "codegen: broken LLVM IR of CUDA C++: {}", problem);
}

}  // namespace

std::unique_ptr<llvm::Module> make_module(std::string_view bitcode, llvm::LLVMContext& context,
                                          llvm::TargetMachine& machine, int level, bool is_checked) {
  std::unique_ptr<llvm::Module> module = parse(bitcode, context);
  module->setDataLayout(machine.createDataLayout());
  module->setTargetTriple(machine.getTargetTriple().str());
  drop_used_lists(*module);
  use_intrinsics(*module);
  set_variables(*module);
  std::vector<FoundKernel> kernels = find_kernels(*module);
  if (is_checked) mark_returns(kernels);
  inline_functions(*module, kernels, machine);
  if (is_checked) {
    for (const FoundKernel& kernel : kernels) check_divisions(*kernel.function);
    split_variables(*module, machine);
    for (const FoundKernel& kernel : kernels) check_accesses(*kernel.function);
  }
  simplify_kernels(*module, machine);
  refuse_foreign(*module);
  refuse_called(*module, kernels);
  llvm::StripDebugInfo(*module);
  guard_divisions(*module);
  Records records(*module);
  std::vector<llvm::Constant*> made;
  bool is_cut = false;
  for (FoundKernel& kernel : kernels) {
    place_parameters(kernel);
    place_shared(kernel);
    end_at_failures(*kernel.function);
    const SplitKernel split = split_kernel(*kernel.function, is_checked);
    is_cut |= split.regions.size() > 1;
    made.push_back(record_of(records, kernel, split, is_checked));
    kernel.function->deleteBody();
  }
  add_records(*module, made, records);
  if (llvm::NamedMDNode* annotations = module->getNamedMetadata("nvvm.annotations")) annotations->eraseFromParent();
  for (llvm::Function& function : *module) {
    if (function.isDeclaration()) continue;
    function.removeFnAttr(llvm::Attribute::AlwaysInline);
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("prefer-vector-width", level >= 4 ? "512" : "256");
  }
  call_math(*module, level);
  verify(*module);
  optimize(*module, machine, is_cut);
  return module;
}

}  // namespace tessera::codegen::cuda_cpp
