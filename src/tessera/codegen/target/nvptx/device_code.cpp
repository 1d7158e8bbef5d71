// PTX's words for what devices have.
#include "tessera/codegen/target/device_code.h"

#include <string>

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/TargetParser/Triple.h>

namespace tessera::codegen::device {

using namespace llvm::Intrinsic;

namespace {

llvm::CallInst* assembly(Builder& b, llvm::Type* result, const std::string& text, const char* constraints,
                         llvm::ArrayRef<llvm::Value*> operands, bool has_effects = true) {
  std::vector<llvm::Type*> types;
  for (llvm::Value* operand : operands) types.push_back(operand->getType());
  auto* type = llvm::FunctionType::get(result, types, false);
  return b.CreateCall(type, llvm::InlineAsm::get(type, text, constraints, has_effects), operands);
}

llvm::Value* zero_or_one(Builder& b, llvm::Value* condition) { return b.CreateZExt(condition, b.getInt32Ty()); }

/// PTX's names of ir::CacheHint.
constexpr const char* names[] = {"", "ca", "cg", "cs", "lu", "cv", "wb", "wt"};

/// A load of so many bits. ptxas takes loops out that only wait for what an ld.global.cv reads, which no other
/// instruction has to see change; volatile loads, which fetch again as well, stay.
std::string load_of(uint8_t hint, unsigned bits) {
  const std::string load = std::string("ld.global.") + names[hint] + ".b" + std::to_string(bits);
  const bool is_reread = static_cast<ir::CacheHint>(hint) == ir::CacheHint::reread;
  return is_reread ? "ld.volatile.global.b" + std::to_string(bits) + " $0, [$1];  // " + load : load + " $0, [$1];";
}

/// The constraint of a register for so many bytes; single bytes are in wider registers.
const char* constraint(unsigned bytes) { return bytes == 8 ? "l" : bytes == 4 ? "r" : "h"; }

}  // namespace

llvm::Value* grid_number(Builder& b, GridNumber number) {
  constexpr ID registers[] = {nvvm_read_ptx_sreg_ctaid_z,  nvvm_read_ptx_sreg_ctaid_y,  nvvm_read_ptx_sreg_ctaid_x,
                              nvvm_read_ptx_sreg_tid_z,    nvvm_read_ptx_sreg_tid_y,    nvvm_read_ptx_sreg_tid_x,
                              nvvm_read_ptx_sreg_nctaid_z, nvvm_read_ptx_sreg_nctaid_y, nvvm_read_ptx_sreg_nctaid_x,
                              nvvm_read_ptx_sreg_ntid_z,   nvvm_read_ptx_sreg_ntid_y,   nvvm_read_ptx_sreg_ntid_x};
  return b.CreateIntrinsic(registers[static_cast<size_t>(number)], {}, {});
}

void set_limit(llvm::Function& kernel, Limit limit, int value) {
  constexpr const char* limits[] = {"maxntidx", "maxnreg", "minctasm", "maxclusterrank"};
  llvm::LLVMContext& context = kernel.getContext();
  auto* number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), static_cast<uint64_t>(value));
  llvm::Metadata* words[] = {llvm::ValueAsMetadata::get(&kernel),
                             llvm::MDString::get(context, limits[static_cast<size_t>(limit)]),
                             llvm::ConstantAsMetadata::get(number)};
  kernel.getParent()->getOrInsertNamedMetadata("nvvm.annotations")->addOperand(llvm::MDNode::get(context, words));
}

void barrier(Builder& b) { b.CreateIntrinsic(nvvm_barrier0, {}, {}); }

llvm::Value* barrier_count(Builder& b, llvm::Value* condition) {
  return b.CreateIntrinsic(nvvm_barrier0_popc, {}, {zero_or_one(b, condition)});
}

llvm::Value* barrier_any(Builder& b, llvm::Value* condition) {
  return b.CreateIsNotNull(b.CreateIntrinsic(nvvm_barrier0_or, {}, {zero_or_one(b, condition)}));
}

/// The blocks of a cooperative launch count up a word of the driver's, whose address two registers have. The first
/// block adds so much that the highest bit changes when all have arrived.
void grid_barrier(Builder& b) {
  static constexpr const char* text =
      "{ .reg .b32 lo, hi, n, m, mine, seen, part, t;\n.reg .b64 at;\n.reg .pred is_first, waits;\n"
      "barrier.sync 0;\n"
      "mov.u32 n, %tid.x;\nmov.u32 m, %tid.y;\nor.b32 n, n, m;\nmov.u32 m, %tid.z;\nor.b32 n, n, m;\n"
      "setp.ne.u32 is_first, n, 0;\n@is_first bra AFTER_${:uid};\n"
      "mov.u32 hi, %envreg1;\nmov.u32 lo, %envreg2;\nmov.b64 at, {lo, hi};\n"
      "mov.u32 n, %nctaid.x;\nmov.u32 m, %nctaid.y;\nmul.lo.u32 n, n, m;\nmov.u32 m, %nctaid.z;\nmul.lo.u32 n, n, m;\n"
      "mov.u32 t, %ctaid.x;\nmov.u32 m, %ctaid.y;\nor.b32 t, t, m;\nmov.u32 m, %ctaid.z;\nor.b32 t, t, m;\n"
      "setp.eq.u32 is_first, t, 0;\nsub.u32 part, 0x80000001, n;\nselp.b32 part, part, 1, is_first;\n"
      "fence.acq_rel.gpu;\natom.global.add.u32 mine, [at+4], part;\n"
      "WAIT_${:uid}:\nld.global.acquire.gpu.u32 seen, [at+4];\nxor.b32 seen, seen, mine;\n"
      "setp.ge.s32 waits, seen, 0;\n@waits bra WAIT_${:uid};\nfence.acq_rel.gpu;\n"
      "AFTER_${:uid}:\nbarrier.sync 0;\n}";
  assembly(b, b.getVoidTy(), text, "~{memory}", {})->addFnAttr(llvm::Attribute::Convergent);
}

void warp_barrier(Builder& b, llvm::Value* mask) { b.CreateIntrinsic(nvvm_bar_warp_sync, {}, {mask}); }

llvm::Value* ballot(Builder& b, llvm::Value* mask, llvm::Value* condition) {
  return b.CreateIntrinsic(nvvm_vote_ballot_sync, {}, {mask, condition});
}

llvm::Value* any_in_warp(Builder& b, llvm::Value* condition) {
  return b.CreateIntrinsic(nvvm_vote_any_sync, {}, {b.getInt32(~0u), condition});
}

llvm::Value* match_any(Builder& b, llvm::Value* mask, llvm::Value* word) {
  const bool is_wide = word->getType()->isIntegerTy(64);
  return b.CreateIntrinsic(is_wide ? nvvm_match_any_sync_i64 : nvvm_match_any_sync_i32, {}, {mask, word});
}

/// One vote per bit, as inline assembly: LLVM would compute each bit twice, once for the vote and once for the test of
/// its result.
llvm::Value* match_byte(Builder& b, llvm::Value* word) {
  std::string text = "{ .reg .pred p; .reg .b32 m;\nmov.b32 $0, -1;\n";
  for (int bit = 0; bit < 8; ++bit) {
    text += "and.b32 m, $1, " + std::to_string(1 << bit) +
            ";\nsetp.ne.u32 p, m, 0;\nvote.sync.ballot.b32 m, p, 0xffffffff;\n";
    text += "@!p not.b32 m, m;\nand.b32 $0, $0, m;\n";
  }
  llvm::CallInst* call = assembly(b, b.getInt32Ty(), text + "}", "=&r,r", {word});
  call->addFnAttr(llvm::Attribute::Convergent);
  return call;
}

llvm::Value* active_mask(Builder& b) {
  llvm::CallInst* call = assembly(b, b.getInt32Ty(), "activemask.b32 $0;", "=r", {});
  call->addFnAttr(llvm::Attribute::Convergent);
  return call;
}

llvm::Value* shuffle(Builder& b, ir::ShuffleKind kind, llvm::Value* mask, llvm::Value* word, llvm::Value* which,
                     llvm::Value* clamp) {
  constexpr ID shuffles[] = {nvvm_shfl_sync_idx_i32, nvvm_shfl_sync_up_i32, nvvm_shfl_sync_down_i32,
                             nvvm_shfl_sync_bfly_i32};
  return b.CreateIntrinsic(shuffles[static_cast<size_t>(kind)], {}, {mask, word, which, clamp});
}

void fence(Builder& b, ir::FenceScope scope) {
  constexpr ID fences[] = {nvvm_membar_cta, nvvm_membar_gl, nvvm_membar_sys};
  b.CreateIntrinsic(fences[static_cast<size_t>(scope)], {}, {});
}

void pause(Builder& b, llvm::Value* nanoseconds) {
  assembly(b, b.getVoidTy(), "nanosleep.u32 $0;", "r", {nanoseconds});
}

void wait_for_launch_before(Builder& b) {
  assembly(b, b.getVoidTy(), "griddepcontrol.wait;\ngriddepcontrol.launch_dependents;", "~{memory}", {});
}

llvm::Value* guess_reciprocal(Builder& b, llvm::Value* x) { return b.CreateIntrinsic(nvvm_rcp_approx_ftz_d, {}, {x}); }

llvm::Value* guess_inverse_root(Builder& b, llvm::Value* x) {
  return b.CreateIntrinsic(nvvm_rsqrt_approx_ftz_f, {}, {x});
}

llvm::Value* permute_bytes(Builder& b, llvm::Value* x, llvm::Value* y, uint32_t selector) {
  return b.CreateIntrinsic(nvvm_prmt, {}, {x, y, b.getInt32(selector)});
}

llvm::Value* count_in_circle(Builder& b, bool is_increment, llvm::Value* address, llvm::Value* limit) {
  const ID id = is_increment ? nvvm_atomic_load_inc_32 : nvvm_atomic_load_dec_32;
  return b.CreateIntrinsic(id, {address->getType()}, {address, limit});
}

llvm::Value* load_hinted(Builder& b, uint8_t hint, llvm::Value* address, unsigned bytes) {
  const std::string constraints = std::string("=") + constraint(bytes) + ",l,~{memory}";
  return assembly(b, b.getIntNTy(bytes == 1 ? 16 : 8 * bytes), load_of(hint, 8 * bytes), constraints.c_str(),
                  {address});
}

void store_hinted(Builder& b, uint8_t hint, llvm::Value* address, llvm::Value* word, unsigned bytes) {
  const std::string text = std::string("st.global.") + names[hint] + ".b" + std::to_string(8 * bytes) + " [$0], $1;";
  const std::string constraints = std::string("l,") + constraint(bytes) + ",~{memory}";
  assembly(b, b.getVoidTy(), text, constraints.c_str(), {address, word});
}

bool is_of_device(const llvm::Module& module) { return llvm::Triple(module.getTargetTriple()).isNVPTX(); }

}  // namespace tessera::codegen::device
