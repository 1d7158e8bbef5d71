// The kernel's functions: each is one of LLVM's, for one lane. It gets where the launch's arguments are, the lane's
// coordinates, its elements of the local arrays and how far their elements are apart, then its own arguments.
#include "tessera/base/error.h"
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

using ir::Value;

namespace {

/// The types of values as arguments or results: complex ones are two.
std::vector<llvm::Type*> part_types(llvm::LLVMContext& context, std::span<const DType> dtypes) {
  std::vector<llvm::Type*> types;
  for (DType dtype : dtypes) types.insert(types.end(), is_complex(dtype) ? 2 : 1, value_type(context, dtype));
  return types;
}

}  // namespace

llvm::Function* Calls::declare_called(const ir::FunctionDecl& declared) {
  std::vector<llvm::Type*> types{function_->getArg(0)->getType()};
  types.insert(types.end(), kernel_.ndim, word_);
  if (!kernel_.arrays.empty()) types.push_back(word_);
  for (const ir::ArrayDecl& array : kernel_.arrays)
    if (!array.shared) types.push_back(b_.getPtrTy());
  for (llvm::Type* part : part_types(context_, declared.parameters)) types.push_back(part);
  const std::vector<llvm::Type*> results = part_types(context_, declared.results);
  llvm::Type* result = results.empty() ? b_.getVoidTy() : llvm::StructType::get(context_, results);
  auto* function = llvm::Function::Create(llvm::FunctionType::get(result, types, false),
                                          llvm::GlobalValue::InternalLinkage, declared.name, module_);
  if (kernel_.fast_math && machine_.kind == Machine::Kind::device)
    function->addFnAttr("denormal-fp-math-f32", "preserve-sign");
  return function;
}

/// Before the kernel's own body.
void Calls::emit_functions() {
  for (const ir::FunctionDecl& declared : kernel_.functions) called_.push_back(declare_called(declared));
  for (size_t k = 0; k < called_.size(); ++k) {
    const ir::Kernel kernel = ir::function_kernel(kernel_, k);
    Emitter function(kernel, module_, math_, machine_);
    function.writing.mapping = mapping_;
    function.calls.called_ = called_;
    function.calls.emit_called(called_[k]);
  }
}

void Calls::emit_called(llvm::Function* function) {
  w_.is_called = true;
  e_.frame.open_function(function);
  llvm::BasicBlock* start = llvm::BasicBlock::Create(context_, "start", function);
  b_.CreateBr(start);
  b_.SetInsertPoint(start);
  e_.frame.open_level();
  unsigned next = 1;
  const auto argument = [&]() -> llvm::Value* { return function->getArg(next++); };
  for (llvm::Value*& index : w_.axis_index) index = argument();
  w_.strip.size = kernel_.arrays.empty() ? b_.getInt64(1) : argument();
  w_.strip.lane = w_.strip.begin = b_.getInt64(0);
  for (const ir::ArrayDecl& array : kernel_.arrays) e_.arrays.add(array.shared ? nullptr : argument());
  for (Value v : kernel_.regions[0].arg_values) {
    Parts parts{argument()};
    if (is_complex(type_of(v))) parts.second = argument();
    set(v, parts);
  }
  w_.in_lane = true;
  e_.values.emit_region(0);
  std::vector<llvm::Value*> results;
  for (Value v : yielded(kernel_, kernel_.regions[0])) {
    const Parts parts = get(v);
    results.push_back(parts.first);
    if (parts.second) results.push_back(parts.second);
  }
  if (results.empty()) {
    b_.CreateRetVoid();
  } else {
    b_.CreateAggregateRet(results.data(), static_cast<unsigned>(results.size()));
  }
}

void Calls::emit_function_call(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  std::vector<llvm::Value*> arguments{function_->getArg(0)};
  for (llvm::Value* index : w_.axis_index) arguments.push_back(index);
  if (!kernel_.arrays.empty()) arguments.push_back(w_.strip.size);
  for (uint32_t k = 0; k < kernel_.arrays.size(); ++k)
    if (!kernel_.arrays[k].shared) arguments.push_back(e_.arrays.array_start(k));
  for (Value operand : kernel_.operands(v)) {
    const Parts parts = get(operand);
    arguments.push_back(parts.first);
    if (parts.second) arguments.push_back(parts.second);
  }
  llvm::CallInst* call = b_.CreateCall(called_.at(i.imm), arguments);
  unsigned part = 0;
  const std::vector<DType>& types = kernel_.functions[i.imm].results;
  for (size_t k = 0; k < types.size(); ++k) {
    Parts parts{b_.CreateExtractValue(call, part++)};
    if (is_complex(types[k])) parts.second = b_.CreateExtractValue(call, part++);
    e_.values.set_result(v, k, parts);
  }
}

}  // namespace tessera::codegen
