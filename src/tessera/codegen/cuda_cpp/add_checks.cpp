#include "tessera/codegen/cuda_cpp/add_checks.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "tessera/base/format.h"
#include "tessera/codegen/cuda_cpp/block_checks.h"
#include "tessera/codegen/cuda_cpp/split_kernel.h"

namespace tessera::codegen::cuda_cpp {

namespace {

/// The object that an address is computed from.
struct Object {
  llvm::Value* base = nullptr;
  int64_t length = unknown_length;
  std::string name = "memory";
};

/// What one instruction reads or writes.
struct Touched {
  llvm::Instruction* instruction;
  llvm::Value* address;
  llvm::Value* nbytes;
  int32_t kind;
  llvm::Value* value = nullptr;   // that is stored, or the byte that fills the memory
  llvm::Value* source = nullptr;  // the address of what is copied
};

class CheckedKernel {
 public:
  explicit CheckedKernel(llvm::Function& kernel)
      : kernel_(kernel), module_(*kernel.getParent()), layout_(module_.getDataLayout()), b_(kernel.getContext()) {}

  void add_divisions() {
    std::vector<llvm::BinaryOperator*> divisions;
    for (llvm::Instruction& i : llvm::instructions(kernel_)) {
      auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&i);
      if (!operation || !operation->isIntDivRem() || !operation->getType()->isIntegerTy()) continue;
      const auto* divisor = llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
      if (!divisor || divisor->isZero()) divisions.push_back(operation);
    }
    for (llvm::BinaryOperator* division : divisions) check(*division);
  }

  void add_accesses() {
    std::vector<Touched> touched;
    std::vector<llvm::Instruction*> fences;
    for (llvm::Instruction& i : llvm::instructions(kernel_))
      if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i))
        exchanged_.insert(exchange->getPointerOperand()->stripPointerCasts());
    for (llvm::Instruction& i : llvm::instructions(kernel_)) {
      find_touched(i, touched);
      if (llvm::isa<llvm::FenceInst>(i)) fences.push_back(&i);
      if (llvm::CallInst* meeting = as_meeting(i))
        meeting->setMetadata(place_metadata, llvm::MDNode::get(context(), llvm::MDString::get(context(), line_of(i))));
    }
    for (const Touched& one : touched) check(one);
    for (llvm::Instruction* fence : fences) {
      b_.SetInsertPoint(fence);
      b_.CreateCall(module_.getOrInsertFunction("__tessera_fence", b_.getVoidTy()));
    }
  }

 private:
  llvm::LLVMContext& context() { return kernel_.getContext(); }

  void find_touched(llvm::Instruction& i, std::vector<Touched>& found) {
    const auto size = [&](llvm::Type* type) -> llvm::Value* {
      return b_.getInt64(layout_.getTypeStoreSize(type).getFixedValue());
    };
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
      const bool is_one = load->isAtomic() || exchanged_.contains(load->getPointerOperand()->stripPointerCasts());
      found.push_back(
          {load, load->getPointerOperand(), size(load->getType()), reads_memory | (is_one ? is_atomic : 0)});
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
      found.push_back({store, store->getPointerOperand(), size(store->getValueOperand()->getType()),
                       writes_memory | (store->isAtomic() ? is_atomic : 0), store->getValueOperand()});
    } else if (auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) {
      found.push_back(
          {change, change->getPointerOperand(), size(change->getType()), reads_memory | writes_memory | is_atomic});
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i)) {
      found.push_back({exchange, exchange->getPointerOperand(), size(exchange->getNewValOperand()->getType()),
                       reads_memory | writes_memory | is_atomic});
    } else if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&i)) {
      found.push_back({copy, copy->getRawSource(), copy->getLength(), reads_memory | copies_memory});
      found.push_back(
          {copy, copy->getRawDest(), copy->getLength(), writes_memory | copies_memory, nullptr, copy->getRawSource()});
    } else if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&i)) {
      found.push_back({fill, fill->getRawDest(), fill->getLength(), writes_memory | fills_memory, fill->getValue()});
    }
  }

  Object object_of(llvm::Value* address) {
    llvm::SmallVector<const llvm::Value*, 4> objects;
    llvm::getUnderlyingObjects(address, objects, nullptr, 0);
    if (objects.size() != 1) return {};
    auto* object = const_cast<llvm::Value*>(objects[0]);
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(object)) {
      const auto bytes = variable->getAllocationSize(layout_);
      if (!bytes) return {};
      return {object, static_cast<int64_t>(bytes->getFixedValue()),
              object->hasName() ? object->getName().str() : "a local array"};
    }
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
      const auto bytes = static_cast<int64_t>(layout_.getTypeAllocSize(variable->getValueType()).getFixedValue());
      const bool is_shared = variable->getAddressSpace() == shared_space;
      if (is_shared && (bytes == 0 || variable->isDeclaration()))
        return {object, dynamic_shared_length, name_of(*variable)};
      return {object, variable->isDeclaration() ? unknown_length : bytes, name_of(*variable)};
    }
    if (auto* argument = llvm::dyn_cast<llvm::Argument>(object)) {
      const std::string name =
          argument->hasName() ? argument->getName().str() : format("parameter {}", argument->getArgNo());
      if (argument->hasByValAttr())
        return {object, static_cast<int64_t>(layout_.getTypeAllocSize(argument->getParamByValType()).getFixedValue()),
                name};
      return {object, first_parameter_length - static_cast<int64_t>(argument->getArgNo()), name};
    }
    return {};
  }

  /// The last part of a variable's name: "kernel(float*)::tile" is "tile".
  static std::string name_of(const llvm::GlobalVariable& variable) {
    std::string name = llvm::demangle(variable.getName());
    const size_t at = name.rfind("::");
    return at == std::string::npos ? name : name.substr(at + 2);
  }

  /// Whether the access is one of a constant part of a variable.
  bool is_sound(const Touched& touched, const Object& object) const {
    if (object.length < 0 || (llvm::isa<llvm::GlobalVariable>(object.base) &&
                              llvm::cast<llvm::GlobalVariable>(object.base)->getAddressSpace() == shared_space))
      return false;
    const auto* nbytes = llvm::dyn_cast<llvm::ConstantInt>(touched.nbytes);
    llvm::APInt offset(layout_.getIndexTypeSizeInBits(touched.address->getType()), 0);
    const llvm::Value* base = touched.address->stripAndAccumulateConstantOffsets(layout_, offset, true);
    return nbytes && base == object.base && offset.sge(0) &&
           offset.getSExtValue() + nbytes->getSExtValue() <= object.length;
  }

  llvm::Value* generic(llvm::Value* pointer) { return b_.CreatePointerBitCastOrAddrSpaceCast(pointer, b_.getPtrTy()); }
  llvm::Value* text(const std::string& value) {
    llvm::Constant*& known = texts_[value];
    if (!known) {
      llvm::Constant* words = llvm::ConstantDataArray::getString(context(), value);
      known = new llvm::GlobalVariable(module_, words->getType(), true, llvm::GlobalValue::InternalLinkage, words, "");
    }
    return known;
  }

  /// The value in memory, for it may be compared with what is there.
  llvm::Value* stored(const Touched& touched) {
    llvm::Value* none = llvm::ConstantPointerNull::get(b_.getPtrTy());
    if (touched.source) return generic(touched.source);
    constexpr uint64_t longest = 64;
    if (!touched.value || layout_.getTypeStoreSize(touched.value->getType()).getFixedValue() > longest) return none;
    if (!stored_) {
      llvm::Type* type = llvm::ArrayType::get(b_.getInt8Ty(), longest);
      stored_ =
          new llvm::AllocaInst(type, layout_.getAllocaAddrSpace(), "", kernel_.getEntryBlock().getFirstInsertionPt());
      stored_->setAlignment(llvm::Align(longest));
    }
    b_.CreateStore(touched.value, stored_);
    return generic(stored_);
  }

  void check(const Touched& touched) {
    const Object object = object_of(touched.address);
    if (is_sound(touched, object)) return;
    b_.SetInsertPoint(touched.instruction);
    llvm::Value* none = llvm::ConstantPointerNull::get(b_.getPtrTy());
    llvm::FunctionCallee access =
        module_.getOrInsertFunction("__tessera_access", b_.getInt1Ty(), b_.getPtrTy(), b_.getInt64Ty(), b_.getPtrTy(),
                                    b_.getInt64Ty(), b_.getInt32Ty(), b_.getPtrTy(), b_.getPtrTy(), b_.getPtrTy());
    llvm::Value* value = stored(touched);
    llvm::Value* is_allowed = b_.CreateCall(
        access, {generic(touched.address), b_.CreateZExtOrTrunc(touched.nbytes, b_.getInt64Ty()),
                 object.base ? generic(object.base) : none, b_.getInt64(static_cast<uint64_t>(object.length)),
                 b_.getInt32(static_cast<uint32_t>(touched.kind)), text(line_of(*touched.instruction)),
                 text(object.name), value});
    end_unless(is_allowed, touched.instruction);
  }

  void check(llvm::BinaryOperator& division) {
    b_.SetInsertPoint(&division);
    llvm::Value* divisor = division.getOperand(1);
    llvm::Value* is_fine = b_.CreateICmpNE(divisor, llvm::ConstantInt::get(divisor->getType(), 0));
    llvm::Instruction* end = end_unless(is_fine, &division);
    b_.SetInsertPoint(end);
    b_.CreateCall(module_.getOrInsertFunction("__tessera_divisor", b_.getVoidTy(), b_.getPtrTy()),
                  {text(line_of(division))});
  }

  /// Returns the instruction that ends the thread.
  llvm::Instruction* end_unless(llvm::Value* condition, llvm::Instruction* before) {
    llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(b_.CreateNot(condition), before->getIterator(), true);
    llvm::Instruction* made = llvm::ReturnInst::Create(context(), end->getParent());
    end->eraseFromParent();
    return made;
  }

  llvm::Function& kernel_;
  llvm::Module& module_;
  const llvm::DataLayout& layout_;
  llvm::IRBuilder<> b_;
  // Pointers to what is compared and exchanged: what is read by them is a guess, which is checked.
  llvm::SmallPtrSet<const llvm::Value*, 4> exchanged_;
  llvm::AllocaInst* stored_ = nullptr;
  llvm::StringMap<llvm::Constant*> texts_;
};

/// Whether this place of the user's source, whose text clang has kept, begins with the word.
bool has_word(const llvm::DILocation& at, llvm::StringRef word) {
  const llvm::DISubprogram* function = at.getScope()->getSubprogram();
  const llvm::DICompileUnit* unit = function ? function->getUnit() : nullptr;
  const std::optional<llvm::StringRef> source = unit && unit->getFile() ? unit->getFile()->getSource() : std::nullopt;
  if (!source || at.getColumn() == 0) return false;
  // The first line names the source: `#line 1 "blur.cu"`.
  auto [first, rest] = source->split('\n');
  if (first.split('"').second.split('"').first != at.getFilename()) return false;
  for (unsigned line = at.getLine(); line > 1; --line) rest = rest.split('\n').second;
  return rest.split('\n').first.drop_front(at.getColumn() - 1).starts_with(word);
}

}  // namespace

void mark_returns(const std::vector<FoundKernel>& kernels) {
  for (const FoundKernel& kernel : kernels)
    for (llvm::BasicBlock& block : *kernel.function) {
      const llvm::DILocation* at = block.getTerminator()->getDebugLoc().get();
      if (!at || !has_word(*at, "return")) continue;
      llvm::IRBuilder<> b(block.getTerminator());
      b.CreateCall(kernel.function->getParent()->getOrInsertFunction("__tessera_return", b.getVoidTy()));
    }
}

void check_divisions(llvm::Function& kernel) { CheckedKernel(kernel).add_divisions(); }
void check_accesses(llvm::Function& kernel) { CheckedKernel(kernel).add_accesses(); }

}  // namespace tessera::codegen::cuda_cpp
