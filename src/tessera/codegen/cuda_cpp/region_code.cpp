#include "tessera/codegen/cuda_cpp/region_code.h"

#include <array>
#include <set>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "tessera/codegen/cuda_cpp/builtins.h"

namespace tessera::codegen::cuda_cpp {

namespace {

/// The function of one thread: from the region's beginning to the next meeting. Returns the next state.
class ThreadCode {
 public:
  ThreadCode(const SplitKernel& kernel, size_t number) : kernel_(kernel), region_(kernel.regions[number]) {}

  llvm::Function* make() {
    llvm::Function& source = *kernel_.function;
    llvm::LLVMContext& context = source.getContext();
    llvm::Type *word = llvm::Type::getInt32Ty(context), *pointer = llvm::PointerType::get(context, 0);
    std::vector<llvm::Type*> types{pointer, pointer, pointer, word, word, word, llvm::Type::getInt64Ty(context),
                                   pointer};
    for (const llvm::Argument& argument : source.args()) types.push_back(argument.getType());
    made_ = llvm::Function::Create(llvm::FunctionType::get(word, types, false), llvm::GlobalValue::InternalLinkage,
                                   source.getName() + ".thread", source.getParent());
    made_->addFnAttr(llvm::Attribute::NoUnwind);
    made_->addFnAttr(llvm::Attribute::NoInline);
    for (unsigned k = 0; k < source.arg_size(); ++k) map_[source.getArg(k)] = made_->getArg(first_argument + k);
    llvm::BasicBlock* begin = llvm::BasicBlock::Create(context, "", made_);
    llvm::IRBuilder<> b(begin);
    find_used_slots();
    place_slots(b);
    copy_blocks();
    b.CreateBr(llvm::cast<llvm::BasicBlock>(map_[region_.entry]));
    end_blocks();
    replace_builtins(*made_);
    promote();
    return made_;
  }

  bool has_one_end() const { return ends_.size() == 1; }
  int end() const { return *ends_.begin(); }
  /// The uniform slots that the region stores.
  const std::vector<const Slot*>& stored_uniform() const { return stored_uniform_; }
  static constexpr unsigned first_argument = 8;

 private:
  void find_used_slots() {
    const llvm::SmallPtrSet<llvm::BasicBlock*, 16> own(region_.blocks.begin(), region_.blocks.end());
    for (const Slot& slot : kernel_.slots)
      for (llvm::User* user : slot.variable->users()) {
        auto* i = llvm::cast<llvm::Instruction>(user);
        if (!own.contains(i->getParent())) continue;
        used_.insert(slot.variable);
        if (llvm::isa<llvm::StoreInst>(i)) stored_.insert(slot.variable);
      }
  }

  /// Uniform values are read where all threads of the region find the same, and written elsewhere.
  llvm::Value* address_of(llvm::IRBuilder<>& b, const Slot& slot, bool is_written = false) {
    llvm::Type* type = slot.variable->getAllocatedType();
    if (slot.is_uniform)
      return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), made_->getArg(is_written ? 7 : 2), slot.offset);
    llvm::Value* context = load_field(b, made_->getArg(1), BlockField::context);
    llvm::Value* rows = load_rows(b, made_->getArg(0));
    llvm::Value* row =
        b.CreateInBoundsGEP(b.getInt8Ty(), context, b.CreateMul(rows, b.getInt64(slot.offset), "", true, true));
    return b.CreateInBoundsGEP(type, row, made_->getArg(6));
  }

  void place_slots(llvm::IRBuilder<>& b) {
    if (kernel_.regions.size() == 1)  // nothing outlives a meeting: variables stay on the stack
      for (llvm::Instruction& i : kernel_.function->getEntryBlock())
        if (llvm::isa<llvm::AllocaInst>(i)) map_[&i] = b.Insert(i.clone());
    for (const Slot& slot : kernel_.slots) {
      if (!used_.contains(slot.variable)) continue;
      if (slot.is_array) {
        map_[slot.variable] = address_of(b, slot);
        continue;
      }
      llvm::Type* type = slot.variable->getAllocatedType();
      llvm::AllocaInst* local = b.CreateAlloca(type);
      locals_.push_back(local);
      map_[slot.variable] = local;
      if (slot.is_uniform && stored_.contains(slot.variable)) stored_uniform_.push_back(&slot);
      if (region_.live_in.contains(slot.variable)) b.CreateStore(b.CreateLoad(type, address_of(b, slot)), local);
    }
  }

  void copy_blocks() {
    const llvm::SmallPtrSet<llvm::BasicBlock*, 16> own(region_.blocks.begin(), region_.blocks.end());
    llvm::SmallVector<llvm::BasicBlock*, 16> copies;
    for (llvm::BasicBlock* block : region_.blocks) {
      llvm::BasicBlock* copy = llvm::CloneBasicBlock(block, map_, "", made_);
      map_[block] = copy;
      copies.push_back(copy);
      for (llvm::PHINode& phi : block->phis()) {
        auto* copied = llvm::cast<llvm::PHINode>(map_[&phi]);
        for (unsigned k = phi.getNumIncomingValues(); k-- > 0;)
          if (!own.contains(phi.getIncomingBlock(k)) || kernel_.after(*phi.getIncomingBlock(k)) >= 0)
            copied->removeIncomingValue(k, false);
      }
    }
    for (size_t k = 0; k < copies.size(); ++k) {
      if (const int next = kernel_.after(*region_.blocks[k]); next >= 0) {
        llvm::Instruction* last = copies[k]->getTerminator();
        auto* meeting = llvm::cast<llvm::CallInst>(last->getPrevNode());
        masks_.emplace_back(copies[k], next);
        last->eraseFromParent();
        waits_for_.push_back(meeting->getOperand(1));
        meeting->eraseFromParent();
      }
    }
    for (llvm::BasicBlock* copy : copies)
      for (llvm::Instruction& i : *copy)
        llvm::RemapInstruction(&i, map_, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
  }

  void end_blocks() {
    for (size_t k = 0; k < masks_.size(); ++k) {
      const auto [block, next] = masks_[k];
      llvm::IRBuilder<> b(block);
      llvm::Value* mask = waits_for_[k];
      if (const auto mapped = map_.find(mask); mapped != map_.end()) mask = mapped->second;
      const Region& following = kernel_.regions[static_cast<size_t>(next)];
      for (const Slot& slot : kernel_.slots) {
        if (slot.is_array || !stored_.contains(slot.variable) || !following.live_in.contains(slot.variable)) continue;
        b.CreateStore(b.CreateLoad(slot.variable->getAllocatedType(), map_[slot.variable]), address_of(b, slot, true));
      }
      if (following.before == Meeting::warp || following.before == Meeting::warp_exchange ||
          following.before == Meeting::warp_vote)
        b.CreateStore(mask, b.CreateInBoundsGEP(b.getInt32Ty(), load_field(b, made_->getArg(1), BlockField::masks),
                                                made_->getArg(6)));
      b.CreateRet(b.getInt32(static_cast<uint32_t>(next)));
      ends_.insert(next);
    }
    for (llvm::BasicBlock& block : *made_)
      if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator()); ret && !ret->getReturnValue()) {
        llvm::IRBuilder<> b(ret);
        b.CreateRet(b.getInt32(static_cast<uint32_t>(done)));
        ret->eraseFromParent();
        ends_.insert(done);
      }
  }

  void promote() {
    std::vector<llvm::AllocaInst*> all;
    for (llvm::AllocaInst* local : locals_)
      if (llvm::isAllocaPromotable(local)) all.push_back(local);
    llvm::DominatorTree tree(*made_);
    if (!all.empty()) llvm::PromoteMemToReg(all, tree);
  }

  const SplitKernel& kernel_;
  const Region& region_;
  llvm::Function* made_ = nullptr;
  llvm::ValueToValueMapTy map_;
  llvm::DenseSet<llvm::AllocaInst*> used_, stored_;
  std::vector<llvm::AllocaInst*> locals_;
  std::vector<std::pair<llvm::BasicBlock*, int>> masks_;
  std::vector<llvm::Value*> waits_for_;
  std::vector<const Slot*> stored_uniform_;
  std::set<int> ends_;
};

/// Threads between two meetings do not depend on each other: iterations of the loop over them may be done at once.
/// What lies on the stack is one for all iterations.
void mark_apart(llvm::Function& thread, llvm::MDNode* group) {
  const auto is_of_stack = [&](llvm::Value* address) {
    llvm::SmallVector<const llvm::Value*, 4> objects;
    llvm::getUnderlyingObjects(address, objects);
    for (const llvm::Value* object : objects)
      if (!llvm::isa<llvm::Argument, llvm::GlobalVariable>(object)) {
        const auto* load = llvm::dyn_cast<llvm::LoadInst>(object);
        // The block's own memory is found by loads that never change.
        if (!load || !load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return true;
      }
    return false;
  };
  bool has_stack = false;
  for (llvm::Instruction& i : llvm::instructions(thread)) has_stack |= llvm::isa<llvm::AllocaInst>(i);
  for (llvm::Instruction& i : llvm::instructions(thread)) {
    llvm::Value* address = llvm::getLoadStorePointerOperand(&i);
    if (address && (!has_stack || !is_of_stack(address))) i.setMetadata(llvm::LLVMContext::MD_access_group, group);
  }
}

/// Loops over the threads [first, last), row by row of the block, so that the innermost loop is along threadIdx.x.
class ThreadLoop {
 public:
  ThreadLoop(const SplitKernel& kernel, size_t region, llvm::Function* thread, const ThreadCode& code, bool is_chosen)
      : kernel_(kernel),
        number_(region),
        thread_(thread),
        code_(code),
        is_chosen_(is_chosen),
        context_(thread->getContext()),
        b_(context_) {}

  llvm::Function* make(llvm::MDNode* group) {
    llvm::Type *wide = b_.getInt64Ty(), *pointer = b_.getPtrTy();
    made_ =
        llvm::Function::Create(llvm::FunctionType::get(b_.getInt32Ty(), {pointer, pointer, wide, wide}, false),
                               llvm::GlobalValue::InternalLinkage,
                               kernel_.function->getName() + (is_chosen_ ? ".chosen" : ".all"), thread_->getParent());
    made_->addFnAttr(llvm::Attribute::NoUnwind);
    b_.SetInsertPoint(block());
    begin();
    llvm::BasicBlock *rows = block(), *row = block(), *end = block();
    llvm::Value *first = made_->getArg(2), *last = made_->getArg(3);
    llvm::Value* at_row = b_.CreateUDiv(first, nx_);
    llvm::Value* const starts[] = {at_row, b_.CreateURem(first, nx_), b_.CreateURem(at_row, ny_),
                                   b_.CreateUDiv(at_row, ny_)};
    llvm::BasicBlock* before = b_.GetInsertBlock();
    b_.CreateBr(rows);
    b_.SetInsertPoint(rows);
    std::array<llvm::PHINode*, 4> along;
    for (size_t k = 0; k < 4; ++k) {
      along[k] = b_.CreatePHI(wide, 2);
      along[k]->addIncoming(starts[k], before);
    }
    const auto [r, x0, y, z] = along;
    llvm::Value* base = b_.CreateMul(r, nx_, "", true, true);
    llvm::Value* x_end = b_.CreateSub(last, base);
    x_end = b_.CreateSelect(b_.CreateICmpSLT(x_end, nx_), x_end, nx_);
    b_.CreateCondBr(b_.CreateICmpSLT(x0, x_end), row, end);
    b_.SetInsertPoint(row);
    emit_row(x0, x_end, base, b_.CreateTrunc(y, b_.getInt32Ty(), "", true, true),
             b_.CreateTrunc(z, b_.getInt32Ty(), "", true, true), group);
    llvm::Value *one = b_.getInt64(1), *none = b_.getInt64(0), *next_y = b_.CreateAdd(y, one, "", true, true);
    llvm::Value* is_layer = b_.CreateICmpEQ(next_y, ny_);
    r->addIncoming(b_.CreateAdd(r, one, "", true, true), b_.GetInsertBlock());
    x0->addIncoming(none, b_.GetInsertBlock());
    y->addIncoming(b_.CreateSelect(is_layer, none, next_y), b_.GetInsertBlock());
    z->addIncoming(b_.CreateSelect(is_layer, b_.CreateAdd(z, one, "", true, true), z), b_.GetInsertBlock());
    b_.CreateBr(rows);
    b_.SetInsertPoint(end);
    finish();
    return made_;
  }

 private:
  llvm::BasicBlock* block() { return llvm::BasicBlock::Create(context_, "", made_); }

  void begin() {
    llvm::Value *launch = made_->getArg(0), *state = made_->getArg(1);
    nx_ = b_.CreateZExt(load_extent(b_, launch, LaunchField::block, 0), b_.getInt64Ty());
    ny_ = b_.CreateZExt(load_extent(b_, launch, LaunchField::block, 1), b_.getInt64Ty());
    arguments_ = load_arguments(b_, *kernel_.function, launch);
    states_ = load_field(b_, state, BlockField::states);
    // What any thread comes to is what all come to.
    if (!is_chosen_ && !code_.has_one_end() && kernel_.regions[number_].ends_together)
      next_ = b_.CreateAlloca(b_.getInt32Ty());
    // Uniform values are read before any thread runs and written after all have run.
    uniform_ = load_field(b_, state, BlockField::uniform);
    if (!kernel_.uniform_bytes) return;
    for (llvm::AllocaInst** copy : {&read_, &written_}) {
      *copy = b_.CreateAlloca(llvm::ArrayType::get(b_.getInt8Ty(), static_cast<uint64_t>(kernel_.uniform_bytes)));
      (*copy)->setAlignment(llvm::Align(16));
      b_.CreateMemCpy(*copy, llvm::Align(16), uniform_, llvm::Align(16), static_cast<uint64_t>(kernel_.uniform_bytes));
    }
  }

  void finish() {
    if (written_)
      for (const Slot* slot : code_.stored_uniform()) {
        llvm::Type* type = slot->variable->getAllocatedType();
        llvm::Value* from = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), written_, slot->offset);
        b_.CreateStore(b_.CreateLoad(type, from),
                       b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), uniform_, slot->offset));
      }
    const bool is_one = code_.has_one_end() && !is_chosen_;
    llvm::Value* constant = b_.getInt32(static_cast<uint32_t>(is_one ? code_.end() : mixed));
    b_.CreateRet(next_ ? b_.CreateLoad(b_.getInt32Ty(), next_) : constant);
  }

  /// Threads by sixteen, which become vectors, and what is left one by one.
  void emit_row(llvm::Value* x0, llvm::Value* x_end, llvm::Value* base, llvm::Value* ty, llvm::Value* tz,
                llvm::MDNode* group) {
    constexpr uint64_t lanes = 16;
    llvm::Value* rest = x0;
    if (!is_chosen_) {
      llvm::Value* whole = b_.CreateAnd(b_.CreateSub(x_end, x0, "", true, true), b_.getInt64(~(lanes - 1)));
      rest = b_.CreateAdd(x0, whole, "", true, true);
      emit_loop(x0, rest, lanes, [&](llvm::Value* x) {
        emit_loop(b_.getInt64(0), b_.getInt64(lanes), 1, [&](llvm::Value* lane) {
          run_thread(b_.CreateAdd(x, lane, "", true, true), base, ty, tz, group);
        })->setMetadata(llvm::LLVMContext::MD_loop, lanes_at_once(group));
      });
    }
    emit_loop(rest, x_end, 1, [&](llvm::Value* x) { run_thread(x, base, ty, tz, nullptr); });
    if (is_chosen_) return;
    llvm::InlineFunctionInfo info;
    llvm::InlineFunction(*at_once_, info);
  }

  /// The loop's iterations do not depend on each other, and are not written out one by one.
  llvm::MDNode* lanes_at_once(llvm::MDNode* group) {
    const auto option = [&](const char* name, llvm::Metadata* value) -> llvm::Metadata* {
      llvm::SmallVector<llvm::Metadata*, 2> words{llvm::MDString::get(context_, name)};
      if (value) words.push_back(value);
      return llvm::MDNode::get(context_, words);
    };
    llvm::MDNode* id = llvm::MDNode::getDistinct(
        context_, {nullptr, option("llvm.loop.parallel_accesses", group), option("llvm.loop.unroll.disable", nullptr)});
    id->replaceOperandWith(0, id);
    return id;
  }

  /// Calls `body` for [begin, end) in steps; returns the branch at the loop's end.
  llvm::BranchInst* emit_loop(llvm::Value* begin, llvm::Value* end, uint64_t step,
                              llvm::function_ref<void(llvm::Value*)> body) {
    llvm::BasicBlock *loop = block(), *after = block(), *before = b_.GetInsertBlock();
    b_.CreateCondBr(b_.CreateICmpSLT(begin, end), loop, after);
    b_.SetInsertPoint(loop);
    llvm::PHINode* at = b_.CreatePHI(b_.getInt64Ty(), 2);
    at->addIncoming(begin, before);
    body(at);
    llvm::Value* next = b_.CreateAdd(at, b_.getInt64(step), "", true, true);
    at->addIncoming(next, b_.GetInsertBlock());
    llvm::BranchInst* latch = b_.CreateCondBr(b_.CreateICmpSLT(next, end), loop, after);
    b_.SetInsertPoint(after);
    return latch;
  }

  /// `group`: of the accesses of threads that run at once; null where each runs alone.
  void run_thread(llvm::Value* x, llvm::Value* base, llvm::Value* ty, llvm::Value* tz, llvm::MDNode* group) {
    llvm::Value* t = b_.CreateAdd(base, x, "", true, true);
    llvm::Value* state = b_.CreateInBoundsGEP(b_.getInt32Ty(), states_, t);
    llvm::BasicBlock *run = block(), *next = block();
    if (is_chosen_) {
      llvm::Value* here = b_.CreateLoad(b_.getInt32Ty(), state);
      b_.CreateCondBr(b_.CreateICmpEQ(here, b_.getInt32(static_cast<uint32_t>(number_))), run, next);
    } else {
      b_.CreateBr(run);
    }
    b_.SetInsertPoint(run);
    llvm::Value* none = llvm::Constant::getNullValue(b_.getPtrTy());
    llvm::Value *read = read_ ? read_ : none, *written = written_ ? written_ : none;
    std::vector<llvm::Value*> given{
        made_->getArg(0), made_->getArg(1), read, b_.CreateTrunc(x, b_.getInt32Ty(), "", true, true), ty, tz, t,
        written};
    given.insert(given.end(), arguments_.begin(), arguments_.end());
    llvm::CallInst* call = b_.CreateCall(thread_, given);
    if (next_) {
      b_.CreateStore(call, next_);
    } else if (is_chosen_ || !code_.has_one_end()) {
      llvm::StoreInst* store = b_.CreateStore(call, state);
      if (group) store->setMetadata(llvm::LLVMContext::MD_access_group, group);
    }
    if (group) at_once_ = call;
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
  }

  const SplitKernel& kernel_;
  size_t number_;
  llvm::Function* thread_;
  const ThreadCode& code_;
  bool is_chosen_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> b_;
  llvm::Function* made_ = nullptr;
  llvm::Value *nx_ = nullptr, *ny_ = nullptr, *states_ = nullptr, *uniform_ = nullptr;
  llvm::AllocaInst* next_ = nullptr;                       // the state of all, where it is one
  llvm::CallInst* at_once_ = nullptr;                      // of the loop that becomes vectors
  llvm::AllocaInst *read_ = nullptr, *written_ = nullptr;  // copies of the uniform values
  std::vector<llvm::Value*> arguments_;
};

}  // namespace

RegionFunctions make_region_code(const SplitKernel& kernel, size_t region) {
  ThreadCode code(kernel, region);
  llvm::Function* thread = code.make();
  llvm::MDNode* group = llvm::MDNode::getDistinct(thread->getContext(), {});
  mark_apart(*thread, group);
  RegionFunctions made;
  made.all = ThreadLoop(kernel, region, thread, code, false).make(group);
  if (kernel.regions.size() > 1) made.chosen = ThreadLoop(kernel, region, thread, code, true).make(group);
  return made;
}

}  // namespace tessera::codegen::cuda_cpp
